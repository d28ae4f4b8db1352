//! Abbreviations that headers of everyday tables are made of, with their long words.
//!
//! Only what is in common use in tables of many kinds stands here: without it a question that says "average
//! temperature" has no word in common with `avg_temp`.

/// The long words of an abbreviation in a header.
///
/// ```
/// use mapo_questions::abbreviations::long_words;
/// assert_eq!(long_words("avg"), Some(&["average"][..]));
/// assert_eq!(long_words("city"), None);
/// ```
pub fn long_words(short: &str) -> Option<&'static [&'static str]> {
    find(SHORT, short).or_else(|| find(ONLY_IN_HEADERS, short))
}

/// The long words of an abbreviation in a question, where words such as `no` and `long` mean what they say.
pub(crate) fn long_words_in_question(short: &str) -> Option<&'static [&'static str]> {
    find(SHORT, short)
}

/// The abbreviations of one long word that begin as it does: `avg` for `average`.
///
/// ```
/// use mapo_questions::abbreviations::short_forms;
/// assert_eq!(short_forms("average").collect::<Vec<_>>(), ["avg"]);
/// ```
pub fn short_forms(long: &str) -> impl Iterator<Item = &'static str> {
    let is_meant = move |(short, words): &&Abbreviation| {
        matches!(words, [word] if *word == long) && short.chars().next() == long.chars().next()
    };
    let all = SHORT.iter().chain(ONLY_IN_HEADERS);
    all.filter(is_meant).map(|(short, _)| *short)
}

fn find(list: &[Abbreviation], short: &str) -> Option<&'static [&'static str]> {
    let at = list.binary_search_by_key(&short, |(short, _)| short).ok()?;
    Some(list[at].1)
}

type Abbreviation = (&'static str, &'static [&'static str]);

/// In byte order, to be searched.
#[rustfmt::skip]
const SHORT: &[Abbreviation] = &[
    ("acct", &["account"]), ("addr", &["address"]), ("amt", &["amount"]), ("approx", &["approximate"]),
    ("avg", &["average"]), ("bday", &["birthday"]), ("bdrm", &["bedroom"]), ("bmi", &["body", "mass", "index"]),
    ("bp", &["blood", "pressure"]), ("carb", &["carbohydrate"]), ("carbs", &["carbohydrates"]),
    ("cnt", &["count"]), ("ctry", &["country"]), ("cust", &["customer"]), ("cyl", &["cylinders"]),
    ("dept", &["department"]), ("diag", &["diagnosis"]), ("dob", &["date", "birth"]),
    ("dt", &["date"]), ("edu", &["education"]), ("elev", &["elevation"]), ("fname", &["first", "name"]),
    ("freq", &["frequency"]), ("ft", &["feet"]), ("gdp", &["gross", "domestic", "product"]),
    ("govt", &["government"]), ("grp", &["group"]), ("hp", &["horsepower"]), ("hr", &["hour"]),
    ("hrs", &["hours"]), ("ht", &["height"]), ("incr", &["increase"]), ("kcal", &["calories"]),
    ("kg", &["kilograms"]), ("kgs", &["kilograms"]), ("km", &["kilometers"]), ("kmh", &["kilometers", "hour"]),
    ("kms", &["kilometers"]), ("lat", &["latitude"]), ("lb", &["pounds"]), ("lbs", &["pounds"]),
    ("lname", &["last", "name"]), ("lng", &["longitude"]), ("lon", &["longitude"]), ("lvl", &["level"]),
    ("max", &["maximum"]), ("mfg", &["manufacturer"]), ("mfr", &["manufacturer"]), ("mgr", &["manager"]),
    ("min", &["minimum"]), ("mins", &["minutes"]), ("mpg", &["miles", "gallon"]), ("mph", &["miles", "hour"]),
    ("msrp", &["price"]), ("nbr", &["number"]), ("num", &["number"]), ("oz", &["ounces"]), ("pct", &["percent"]),
    ("perc", &["percent"]), ("ppg", &["points", "game"]), ("ppl", &["people"]), ("precip", &["precipitation"]),
    ("prev", &["previous"]), ("pts", &["points"]), ("qtr", &["quarter"]), ("qty", &["quantity"]),
    ("sec", &["seconds"]), ("secs", &["seconds"]), ("spd", &["speed"]), ("sq", &["square"]),
    ("sqft", &["square", "feet"]), ("sqm", &["square", "meters"]), ("stn", &["station"]), ("tel", &["telephone"]),
    ("temp", &["temperature"]), ("temps", &["temperatures"]), ("tot", &["total"]), ("txn", &["transaction"]),
    ("univ", &["university"]), ("vit", &["vitamin"]), ("wk", &["week"]), ("wt", &["weight"]), ("yr", &["year"]),
    ("yrs", &["years"]),
];

/// These are words of their own in questions, or cut so short that only a header can mean them.
#[rustfmt::skip]
const ONLY_IN_HEADERS: &[Abbreviation] = &[
    ("alt", &["altitude"]), ("arr", &["arrival"]), ("ast", &["assists"]), ("auth", &["author"]),
    ("bal", &["balance"]), ("bath", &["bathrooms"]), ("baths", &["bathrooms"]),
    ("bed", &["bedrooms"]), ("beds", &["bedrooms"]), ("cal", &["calories"]), ("cap", &["capacity"]),
    ("cat", &["category"]), ("chol", &["cholesterol"]), ("cons", &["consumption"]), ("ctr", &["center"]),
    ("cur", &["current"]), ("curr", &["current"]), ("deg", &["degrees"]), ("dep", &["departure"]),
    ("desc", &["description"]), ("dest", &["destination"]), ("diff", &["difference"]), ("dir", &["direction"]),
    ("disc", &["discount"]), ("disp", &["displacement"]), ("dist", &["distance"]), ("dur", &["duration"]),
    ("emp", &["employee"]), ("eng", &["engine"]), ("est", &["estimate"]), ("exp", &["experience"]),
    ("gp", &["games", "played"]), ("hum", &["humidity"]), ("id", &["identifier"]), ("info", &["information"]),
    ("lang", &["language"]), ("len", &["length"]), ("loc", &["location"]), ("med", &["median"]),
    ("mi", &["miles"]), ("mkt", &["market"]), ("mo", &["month"]), ("mon", &["month"]), ("nat", &["nationality"]),
    ("no", &["number"]), ("obs", &["observations"]), ("occ", &["occupation"]), ("ord", &["order"]),
    ("org", &["organization"]), ("orig", &["origin"]), ("pl", &["place"]), ("pop", &["population"]),
    ("pos", &["position"]), ("prod", &["product"]), ("pub", &["publication"]), ("reb", &["rebounds"]),
    ("rev", &["revenue"]), ("sal", &["salary"]), ("sat", &["saturated"]), ("src", &["source"]),
    ("std", &["standard"]), ("trans", &["transmission"]),
    ("veh", &["vehicle"]), ("vis", &["visibility"]), ("vol", &["volume"]), ("wid", &["width"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_can_be_searched() {
        for list in [SHORT, ONLY_IN_HEADERS] {
            for pair in list.windows(2) {
                assert!(pair[0].0 < pair[1].0, "{} before {}", pair[0].0, pair[1].0);
            }
        }
        assert!(
            SHORT
                .iter()
                .all(|(short, _)| find(ONLY_IN_HEADERS, short).is_none())
        );
    }

    #[test]
    fn what_is_a_word_of_its_own_is_short_in_headers_only() {
        assert_eq!(long_words("avg"), Some(&["average"][..]));
        assert_eq!(long_words("no"), Some(&["number"][..]));
        assert_eq!(long_words_in_question("no"), None);
        assert_eq!(long_words_in_question("avg"), Some(&["average"][..]));
        assert_eq!(long_words("city"), None);
    }
}
