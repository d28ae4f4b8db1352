//! Words that questions are made of.

/// Whether a word says what is asked rather than about what: it may stand in some cell by chance, and is a
/// value only where it is a whole cell of a category.
pub(super) fn is_generic(word: &str) -> bool {
    GENERIC.binary_search(&word).is_ok()
}

/// In byte order, to be searched.
#[rustfmt::skip]
const GENERIC: &[&str] = &[
    "according", "across", "add", "ago", "along", "also", "altogether", "always", "amid", "among", "amount",
    "amounts", "another", "anyone", "anything", "appear", "appeared", "appears", "around", "ask", "average",
    "away", "back", "base", "based", "become", "began", "begin", "belong", "best", "big", "bigger", "biggest",
    "billion", "billions", "born", "bottom", "bring", "brings", "build", "built", "buy", "buys", "calculate",
    "call", "called", "came", "cheap", "cheaper", "cheapest", "come", "comes", "coming", "compare",
    "compared", "contain", "contains", "cost", "costs", "count", "couple", "data", "different", "distinct",
    "dozen", "dozens", "earliest", "earn", "earns", "eight", "eleven", "else", "end", "ended", "entries",
    "entry", "equal", "even", "ever", "every", "exactly", "far", "farthest", "fewer", "fewest", "fifth",
    "fifty", "find", "first", "five", "found", "four", "fourth", "frequent", "full", "gave", "get", "gets",
    "getting", "give", "given", "gives", "go", "goes", "going", "got", "great", "greater", "greatest", "half",
    "happen", "happened", "hardly", "help", "high", "higher", "highest", "hundred", "hundreds", "include",
    "included", "including", "instead", "job", "just", "kind", "kinds", "know", "known", "large", "larger",
    "largest", "last", "late", "latest", "least", "less", "like", "list", "listed", "little", "live", "lives",
    "living", "long", "longer", "longest", "look", "low", "lower", "lowest", "made", "make", "makes",
    "making", "maximum", "may", "mean", "median", "middle", "might", "million", "millions", "minimum", "much",
    "must", "name", "named", "names", "near", "need", "never", "new", "newest", "next", "nine", "none",
    "number", "numbers", "occur", "occurs", "often", "old", "older", "oldest", "once", "one", "ones", "order",
    "overall", "people", "per", "percent", "percentage", "person", "play", "played", "playing", "plays",
    "please", "possible", "previous", "put", "record", "recorded", "records", "right", "row", "rows", "run",
    "said", "say", "says", "second", "see", "sees", "sell", "sells", "serve", "served", "seven", "shall",
    "short", "shorter", "shortest", "show", "shown", "shows", "six", "small", "smaller", "smallest",
    "someone", "something", "start", "started", "still", "sum", "table", "take", "taken", "takes", "tall",
    "taller", "tallest", "tell", "ten", "thing", "things", "third", "thirty", "thousand", "thousands",
    "three", "time", "times", "together", "took", "top", "total", "totals", "twelve", "twenty", "twice",
    "two", "type", "types", "upon", "us", "use", "used", "uses", "using", "value", "values", "visit",
    "visited", "want", "way", "well", "went", "whose", "will", "within", "without", "work", "worked",
    "working", "works", "worst", "worth", "write", "written", "wrote", "year", "years", "yet", "young",
    "younger", "youngest", "zero",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_can_be_searched() {
        assert!(GENERIC.is_sorted());
        assert!(is_generic("highest") && !is_generic("tulsa"));
    }
}
