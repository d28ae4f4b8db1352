//! What the columns of a table are to someone who asks: names of rows, groups, measures, times.

use crate::choices::Choices;
use crate::headers::{self, plural, singular};
use crate::meanings::{self, Measure, Topic};
use mapo_tables::{ColumnId, ColumnKind, Table, Value};
use mapo_text::normalize;
use std::collections::HashMap;
use std::sync::Arc;

/// What a column is good for in questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Its cells name the rows.
    Name,
    /// Its cells put rows into groups.
    Group,
    /// Its cells are numbers of which one is more than another.
    Amount,
    /// The same, of things that are counted.
    Count,
    /// Its cells are points in time.
    Time,
    /// Its cells say the place of each row in some order: to be asked for, but no amount.
    Rank,
    /// Texts of another kind: to be asked for.
    Detail,
    /// Numbers of rows, keys, codes: nothing that people ask about.
    Other,
}

/// A column as people see it.
#[derive(Debug)]
pub(crate) struct Facet {
    /// Which column of the file.
    pub source: usize,
    pub role: Role,
    /// How its header is said: in whole words, and as it is written where that is another.
    pub nouns: Vec<String>,
    pub text: ColumnId,
    /// Its numbers, or else its dates.
    pub ordered: Option<ColumnId>,
    pub number: Option<ColumnId>,
    pub measure: Option<&'static Measure>,
    pub topic: Option<&'static Topic>,
    /// Whether no other column of the table is of the same measure or topic, so that words that imply it
    /// can mean no other.
    pub alone: bool,
    /// Whether a sum of its numbers means something.
    pub adds_up: bool,
    /// What its numbers are measured in, as people say it after a number.
    pub units: &'static [&'static str],
    /// Its different texts in normal form, with the rows of each in order.
    pub groups: Vec<(String, Vec<usize>)>,
}

impl Facet {
    /// What its header is called: mostly in whole words.
    pub fn noun(&self, choices: &mut Choices) -> String {
        let written = usize::from(self.nouns.len() > 1 && choices.one_in(6));
        self.nouns[written].clone()
    }

    /// Whether its cells say yes or no.
    pub fn is_mark(&self) -> bool {
        self.groups.len() <= 2
            && self
                .groups
                .iter()
                .all(|(text, _)| ["yes", "no", "y", "n", "true", "false"].contains(&text.as_str()))
    }

    /// Whether rows simply are of its time: "games in 1999", and not "people in 1999" who were born then.
    pub fn is_when(&self) -> bool {
        self.alone && self.measure.is_some_and(|measure| measure.at.contains(&"{on}"))
    }
}

/// What the rows of a table are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowNoun {
    pub one: String,
    pub many: String,
    /// Whether they are people.
    pub who: bool,
}

impl RowNoun {
    /// Several, and one.
    pub fn called(many: &str, one: &str) -> Self {
        RowNoun {
            one: one.to_owned(),
            many: many.to_owned(),
            who: PEOPLE
                .iter()
                .any(|person| one.split(' ').any(|word| word == *person)),
        }
    }
}

/// A table as people see it.
#[derive(Debug)]
pub(crate) struct Profile<'a> {
    pub table: &'a Arc<Table>,
    pub facets: Vec<Facet>,
    pub noun: RowNoun,
}

/// Headers that name rows without saying what they are.
const NAMELESS: &[&str] = &[
    "name",
    "item",
    "entry",
    "label",
    "full name",
    "description",
    "id",
    "column",
    "names",
    "address",
];

/// Words that end the headers of remarks and references, about which nobody asks.
const REMARKS: &[&str] = &[
    "b-side",
    "comment",
    "comments",
    "coordinates",
    "description",
    "detail",
    "details",
    "image",
    "info",
    "information",
    "link",
    "links",
    "note",
    "notes",
    "photo",
    "picture",
    "ref",
    "reference",
    "references",
    "refs",
    "remark",
    "remarks",
    "report",
    "source",
    "sources",
    "url",
    "web",
    "website",
];

/// Words of headers whose numbers name a row and measure nothing.
const KEYS: &[&str] = &[
    "case",
    "code",
    "id",
    "identifier",
    "index",
    "invoice",
    "isbn",
    "lat",
    "latitude",
    "lon",
    "longitude",
    "no",
    "phone",
    "row",
    "serial",
    "sku",
    "zip",
];

/// Words of headers whose numbers are places in an order.
const RANKS: &[&str] = &[
    "finish", "finished", "grid", "place", "placing", "pos", "position", "rank", "ranking", "seed",
    "standing",
];

/// Words that end the headers of texts that tell rows apart without naming them.
const NOT_NAMES: &[&str] = &[
    "date", "dates", "period", "record", "reign", "result", "score", "scorers", "tenure", "term", "time",
    "venue", "years",
];

/// What a name is like.
const NAMED: &[&str] = &[
    "common", "english", "family", "first", "full", "given", "last", "middle", "short",
];

/// What people are called who stand in a column.
const PEOPLE: &[&str] = &[
    "player",
    "athlete",
    "driver",
    "actor",
    "actress",
    "author",
    "director",
    "winner",
    "candidate",
    "president",
    "artist",
    "champion",
    "rider",
    "coach",
    "swimmer",
    "runner",
    "cyclist",
    "employee",
    "student",
    "member",
    "manager",
    "captain",
    "singer",
    "wrestler",
    "golfer",
    "governor",
    "mayor",
    "patient",
    "customer",
    "councillor",
    "contestant",
    "representative",
    "skater",
    "jockey",
    "leader",
    "king",
    "minister",
    "bishop",
    "pilot",
    "astronaut",
    "person",
    "people",
    "judge",
    "senator",
    "teacher",
    "boxer",
    "skier",
    "fighter",
    "pitcher",
    "goalkeeper",
    "worker",
    "donor",
];

impl<'a> Profile<'a> {
    /// Looks at a table; nothing if there is nothing to ask about. `rows` says what its rows are, where
    /// someone knows.
    pub fn of(table: &'a Arc<Table>, rows: Option<RowNoun>) -> Option<Self> {
        if table.rows() < 3 || has_totals(table) {
            return None;
        }
        let mut facets: Vec<Facet> = (0..table.headers().len())
            .filter_map(|source| facet(table, source))
            .collect();
        let name = facets.iter().position(|facet| is_name(table, facet));
        if let Some(name) = name {
            facets[name].role = Role::Name;
        }
        for place in 0..facets.len() {
            let facet = &facets[place];
            let others = || {
                facets
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != place)
                    .map(|(_, other)| other)
            };
            let same_measure = facet.measure.is_some_and(|own| {
                others().any(|other| {
                    other
                        .measure
                        .is_some_and(|measure| std::ptr::eq(measure, own) || shares(measure.most, own.most))
                })
            });
            let same_topic = facet.topic.is_some_and(|own| {
                others().any(|other| other.topic.is_some_and(|topic| std::ptr::eq(topic, own)))
            });
            facets[place].alone = !same_measure && !same_topic;
        }
        let noun = rows
            .or_else(|| noun_of(table, &facets))
            .unwrap_or_else(|| RowNoun {
                one: "entry".to_owned(),
                many: "entries".to_owned(),
                who: false,
            });
        let asked = facets.iter().filter(|facet| facet.role != Role::Other).count();
        (asked >= 2).then_some(Profile { table, facets, noun })
    }

    /// The column that names the rows.
    pub fn name(&self) -> Option<&Facet> {
        self.facets.iter().find(|facet| facet.role == Role::Name)
    }

    /// The columns of some roles.
    pub fn of_roles(&self, roles: &[Role]) -> Vec<&Facet> {
        self.facets
            .iter()
            .filter(|facet| roles.contains(&facet.role))
            .collect()
    }

    /// The columns whose cells can be asked for, but those of these sources. What says yes or no is asked otherwise.
    pub fn askable(&self, without: &[usize]) -> Vec<&Facet> {
        let roles = [
            Role::Group,
            Role::Amount,
            Role::Count,
            Role::Time,
            Role::Rank,
            Role::Detail,
        ];
        let mut facets = self.others_of_roles(&roles, without);
        facets.retain(|facet| !facet.is_mark());
        facets
    }

    /// The columns of some roles but those of these sources.
    pub fn others_of_roles(&self, roles: &[Role], without: &[usize]) -> Vec<&Facet> {
        let mut facets = self.of_roles(roles);
        facets.retain(|facet| !without.contains(&facet.source));
        facets
    }

    /// Whether a text stands as a whole in a column other than this one.
    pub fn stands_elsewhere(&self, text: &str, source: usize) -> bool {
        let others = self.facets.iter().filter(|facet| facet.source != source);
        { others }.any(|facet| facet.groups.iter().any(|(group, _)| group == text))
    }
}

fn shares(a: &[&str], b: &[&str]) -> bool {
    a.iter().any(|word| b.contains(word))
}

fn facet(table: &Table, source: usize) -> Option<Facet> {
    let of_kind = |kind: ColumnKind| {
        table
            .column_ids()
            .find(|id| table.column(*id).source() == source && table.column(*id).kind() == kind)
    };
    let text = of_kind(ColumnKind::Text)?;
    let header = headers::words(&table.headers()[source]);
    if header.is_empty() {
        return None;
    }
    let rows = table.rows();
    let filled: Vec<&str> = (0..rows)
        .map(|row| table.cell(row, source).trim())
        .filter(|cell| !cell.is_empty())
        .collect();
    if filled.len() * 2 < rows {
        return None;
    }
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for row in 0..rows {
        let form = normalize(table.cell(row, source));
        if form.is_empty() {
            continue;
        }
        let place = *known.entry(form.clone()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, members)) => members.push(row),
            None => groups.push((form, vec![row])),
        }
    }
    let number = of_kind(ColumnKind::Number)
        .filter(|_| filled.iter().filter(|cell| is_number(cell)).count() * 10 >= filled.len() * 9);
    let date = of_kind(ColumnKind::Date).filter(|id| {
        table.column(*id).present().len() * 10 >= filled.len() * 8
            && filled.iter().all(|cell| cell.len() <= 24)
    });
    let long = headers::written_out(headers::without_unit(&header));
    let measure = meanings::measure(&header).or_else(|| meanings::measure(&long));
    let topic = meanings::topic(&header).or_else(|| meanings::topic(&long));
    let is_year = number.is_some_and(|id| {
        let numbers = table.column(id).values().filter_map(|value| match value {
            Value::Number(number) => Some(number),
            _ => None,
        });
        { numbers }.all(|number| number.fract() == 0.0 && (1400.0..2100.0).contains(&number))
    });
    let is_recent =
        is_year && number.is_some_and(|id| self::numbers(table, id).iter().all(|number| *number >= 1800.0));
    let says_time = measure.is_some_and(|measure| measure.is_time)
        || header.iter().any(|word| word == "year" || word == "date");
    let counted = match headers::counted_by_one(&long) {
        Some(many) => Some(many),
        None => headers::counted(&long).map(|words| words.join(" ")),
    };
    let has = |words: &[&str]| long.iter().any(|word| words.contains(&word.as_str()));
    let ends = |words: &[&str]| long.last().is_some_and(|word| words.contains(&word.as_str()));
    let role = match (number, date) {
        // "Directed by", "against": no noun to ask with.
        _ if !headers::is_said(&long) || ends(REMARKS) => Role::Other,
        (Some(_), _) if has(KEYS) || counted.is_none() && ends(&["number"]) => Role::Other,
        (Some(_), _) if is_year && (says_time || date.is_some()) => Role::Time,
        // Numbers like years of which nothing else is known are years.
        (Some(_), _) if is_recent && counted.is_none() && measure.is_none() => Role::Time,
        (Some(_), _) if has(RANKS) || filled.iter().all(|cell| is_ordinal(cell)) => Role::Rank,
        (Some(id), _) if counted.is_none() && is_mark(table, id) => Role::Other,
        (Some(id), _) if is_numbering(table, id) => Role::Rank,
        (Some(_), _) if counted.is_some() => Role::Count,
        (Some(_), _) => Role::Amount,
        (None, Some(_)) => Role::Time,
        (None, None)
            if groups.len() >= 2
                && groups.len() * 2 <= filled.len()
                && filled.iter().all(|cell| cell.len() <= 60) =>
        {
            Role::Group
        }
        (None, None) => Role::Detail,
    };
    let ordered = match role {
        Role::Time => number.filter(|_| is_year).or(date),
        Role::Amount | Role::Count | Role::Rank => number,
        _ => None,
    };
    let noun = match (role, counted) {
        (Role::Count, Some(counted)) => Some(counted),
        // "First served" is a year in which that was.
        (Role::Time, _)
            if is_year
                && !has(&["date", "year"])
                && long.len() > 1
                && long.last().is_some_and(|word| headers::is_participle(word)) =>
        {
            Some(format!("year {}", long.join(" ")))
        }
        _ if long.iter().any(|word| !headers::is_participle(word)) => Some(long.join(" ")),
        // "Founded", "won": what people call it, if that is known.
        (Role::Time, _) => Some(match measure.and_then(|measure| measure.nouns.first()) {
            Some(noun) => (*noun).to_owned(),
            None => format!("{} {}", if is_year { "year" } else { "date" }, long.join(" ")),
        }),
        (Role::Amount | Role::Count, _) => measure
            .and_then(|measure| measure.nouns.first())
            .map(|noun| (*noun).to_owned()),
        _ => None,
    };
    let (role, noun) = match noun {
        // What says yes or no may be said of the rows: "that are insured".
        None if role != Role::Group || groups.len() != 2 => (Role::Other, long.join(" ")),
        None => (role, long.join(" ")),
        Some(noun) => (role, noun),
    };
    let mut nouns = vec![noun];
    // As it is written in the file, but for words that only a header has.
    let written = header.join(" ");
    if header.len() == long.len()
        && role != Role::Count
        && written.len() > 2
        && long.join(" ") == nouns[0]
        && written != nouns[0]
    {
        nouns.push(written);
    }
    let ordered = ordered.filter(|_| role != Role::Other);
    Some(Facet {
        source,
        role,
        nouns,
        text,
        ordered,
        number,
        measure: measure.filter(|_| ordered.is_some()),
        topic: topic.filter(|_| ordered.is_none()),
        alone: true,
        adds_up: measure.is_none_or(|measure| measure.adds_up)
            && headers::adds_up(&table.headers()[source], &long)
            && !filled.iter().any(|cell| cell.ends_with('%')),
        units: headers::units(&table.headers()[source]),
        groups,
    })
}

/// Whether a cell is a number and little else: `1,200`, `$5.40`, `12 km`, `45%`.
fn is_number(cell: &str) -> bool {
    let digits = cell.chars().filter(char::is_ascii_digit).count();
    let others = cell
        .chars()
        .filter(|c| {
            !c.is_ascii_digit() && !matches!(c, '.' | ',' | ' ' | '$' | '€' | '£' | '%' | '-' | '+' | '−')
        })
        .count();
    let parts = cell
        .split(|c: char| !(c.is_ascii_digit() || c == '.' || c == ','))
        .filter(|part| part.contains(|c: char| c.is_ascii_digit()))
        .count();
    digits > 0 && others <= 4 && parts == 1
}

/// Whether the last row adds up the others: it would be the largest of everything.
fn has_totals(table: &Table) -> bool {
    const TOTALS: &[&str] = &["all", "grand total", "overall", "sum", "total", "totals"];
    let last = table.rows() - 1;
    (0..table.headers().len()).any(|column| TOTALS.contains(&normalize(table.cell(last, column)).as_str()))
}

/// A place in an order as it is written: `1st`, `22nd`.
fn is_ordinal(cell: &str) -> bool {
    ["st", "nd", "rd", "th"]
        .iter()
        .filter_map(|end| cell.strip_suffix(end))
        .any(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()))
}

fn numbers(table: &Table, column: ColumnId) -> Vec<f64> {
    let number = |value: Value<'_>| match value {
        Value::Number(number) => Some(number),
        _ => None,
    };
    table.column(column).values().filter_map(number).collect()
}

/// Whether numbers only say yes or no.
fn is_mark(table: &Table, column: ColumnId) -> bool {
    numbers(table, column)
        .iter()
        .all(|number| [0.0, 1.0].contains(number))
}

/// Whether numbers only number the rows: each is the one before and one.
fn is_numbering(table: &Table, column: ColumnId) -> bool {
    let numbers = numbers(table, column);
    [1.0, -1.0].into_iter().any(|step| {
        let follows = numbers
            .windows(2)
            .filter(|pair| pair[1] - pair[0] == step)
            .count();
        numbers.len() > 2 && follows * 10 >= (numbers.len() - 1) * 9
    })
}

/// Whether the texts of a column name the rows.
fn is_name(table: &Table, facet: &Facet) -> bool {
    let begins = |text: &str| {
        text.trim_start_matches(['"', '\'', '“', '‘'])
            .starts_with(char::is_alphabetic)
    };
    let named = facet.groups.iter().filter(|(text, _)| begins(text)).count();
    let last = facet.nouns[0].rsplit(' ').next().unwrap_or_default();
    facet.role == Role::Detail
        && facet.groups.len() * 10 >= table.rows() * 9
        && named * 10 >= facet.groups.len() * 8
        && !NOT_NAMES.contains(&last)
        && meanings::measure(&headers::words(&table.headers()[facet.source])).is_none()
}

/// Headers that only tables of people have.
const OF_PEOPLE: &[&str] = &[
    "age",
    "birth date",
    "birth year",
    "born",
    "date of birth",
    "died",
    "gender",
    "hometown",
    "nationality",
    "occupation",
    "party",
    "position",
    "sex",
    "took office",
];

fn noun_of(table: &Table, facets: &[Facet]) -> Option<RowNoun> {
    let noun = |many: String| RowNoun::called(&many, &singular(&many));
    let name = facets.iter().find(|facet| facet.role == Role::Name);
    if let Some(said) = name.map(|name| name.nouns[0].clone())
        && !NAMELESS.contains(&said.as_str())
        && said.split(' ').count() <= 2
        && said.chars().all(|c| c.is_ascii_lowercase() || c == ' ')
        && !said.split(' ').any(headers::is_participle)
    {
        // A "player name" is a player, but a "common name" nothing.
        let said = match said.strip_suffix(" name") {
            Some(rest) if !headers::is_adjective(rest) && !NAMED.contains(&rest) => Some(rest),
            Some(_) => None,
            None => Some(said.as_str()),
        };
        if let Some(said) = said {
            return Some(noun(plural(&singular(said))));
        }
    }
    let of_people =
        |source: usize| OF_PEOPLE.contains(&headers::words(&table.headers()[source]).join(" ").as_str());
    if name.is_some_and(|name| name.nouns[0].ends_with("name")) && (0..table.headers().len()).any(of_people) {
        return Some(RowNoun {
            one: "person".to_owned(),
            many: "people".to_owned(),
            who: true,
        });
    }
    // A file called `books.csv` says what its rows are.
    let file = table.name().rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default().to_lowercase();
    (stem.chars().all(|c| c.is_ascii_lowercase()) && headers::is_plural(&stem)).then(|| noun(stem))
}
