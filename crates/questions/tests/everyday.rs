//! Everyday linking: the values that people name in questions about tables of their own.

use mapo_questions::{Linking, Question};
use mapo_tables::{Table, TableBuilder};
use proptest::prelude::*;

fn table(headers: &[&str], rows: &[&[&str]]) -> Table {
    let mut builder = TableBuilder::new("things.csv", headers.iter().copied());
    rows.iter().for_each(|row| builder.push_row(row.iter().copied()));
    builder.finish()
}

fn linked(question: &str, table: &Table) -> Vec<String> {
    let question = Question::read(question, table, Linking::Everyday);
    question
        .mentions
        .iter()
        .map(|mention| mention.constant.to_string())
        .collect()
}

/// What is expected of questions about a table.
fn check(table: &Table, cases: &[(&str, &[&str])]) {
    for (question, expected) in cases {
        assert_eq!(linked(question, table), *expected, "{question}");
    }
}

fn staff() -> Table {
    table(
        &[
            "emp_name",
            "sex",
            "Nationality",
            "status",
            "avgPay",
            "yrs",
            "smoker",
            "remote",
            "note",
        ],
        &[
            &[
                "Okafor, Ada",
                "F",
                "NGA",
                "Full Time",
                "4200",
                "3",
                "yes",
                "1",
                "asked for a new desk and a lamp that is a little less bright",
            ],
            &[
                "Lund, Per Olav",
                "M",
                "NOR",
                "Contract",
                "3900",
                "0",
                "no",
                "0",
                "",
            ],
            &[
                "Müller, Jörg",
                "M",
                "GER",
                "Retirement",
                "5100",
                "12",
                "no",
                "1",
                "works from home on the third day of every other week or so",
            ],
            &[
                "Sato, Emi",
                "F",
                "JPN",
                "Cancellation",
                "4000",
                "7",
                "yes",
                "0",
                "",
            ],
        ],
    )
}

#[test]
fn people_are_called_otherwise_than_cells_call_them() {
    check(
        &staff(),
        &[
            ("how many women are there?", &["['f']"]),
            ("average pay of the men", &["['m']"]),
            ("what does Ada Okafor earn?", &["['okafor, ada']"]),
            ("status of Per Olav Lund", &["['lund, per olav']"]),
            ("how many Germans work here", &["['ger']"]),
            ("the Norwegian one", &["['nor']"]),
            ("who retired?", &["['retirement']"]),
            ("how many were cancelled", &["['cancellation']"]),
            ("which contractors are there?", &["['contract']"]),
            ("what is jorg muller's status?", &["['muller, jorg']"]),
            ("how many smokers are there?", &["['yes']"]),
            ("who is not a smoker?", &["['yes']", "['no']"]),
            ("who works remote", &["[1]"]),
        ],
    );
}

#[test]
fn words_of_questions_and_headers_are_no_values() {
    check(
        &staff(),
        &[
            ("what is the highest average pay?", &[]),
            ("who has a desk in the third week?", &["[3]"]),
            ("list the names of everyone by years", &[]),
            ("which status is the most frequent", &[]),
        ],
    );
}

#[test]
fn a_man_is_no_woman() {
    let table = table(
        &["who", "n"],
        &[&["woman", "1"], &["woman", "2"], &["child", "3"]],
    );
    check(
        &table,
        &[
            ("how many men", &[]),
            ("how many ladies", &["['woman']"]),
            ("how many kids", &["['child']"]),
        ],
    );
}

fn shop() -> Table {
    table(
        &[
            "Store",
            "city",
            "state",
            "country",
            "hard_soft",
            "rooms",
            "Date",
            "items_sold",
        ],
        &[
            &[
                "1 Mill Lane, Quay",
                "Springfield",
                "OR",
                "USA",
                "H",
                "3, 14",
                "2021-03-04",
                "0",
            ],
            &[
                "Drive-In Nr. 4",
                "Salem",
                "OR",
                "USA",
                "S",
                "4",
                "2021-05-01",
                "12",
            ],
            &[
                "The Old Mill",
                "Paris",
                "TX",
                "USA",
                "H",
                "14",
                "2020-03-09",
                "1500000",
            ],
            &["Café Zoë", "Lyon", "", "France", "S", "114", "2020-07-30", "20"],
        ],
    )
}

#[test]
fn values_are_found_in_the_form_that_the_cells_have() {
    check(
        &shop(),
        &[
            ("what does the drive in nr. 4 sell?", &["['drive-in nr. 4']"]),
            ("where is 1 Mill Lane?", &["['1 mill lane']"]),
            ("where is the old mill?", &["['the old mill']"]),
            ("sales of cafe zoe", &["['cafe zoe']"]),
            ("stores in Texas", &["['tx']"]),
            ("American stores", &["['usa']"]),
            ("how many hardcovers", &["['h']"]),
            ("stores with room 14", &["['14']", "[14]"]),
            ("stores in Sprinfield", &["['springfield']"]),
            ("stores in Salme", &["['salem']"]),
            ("Paris or Lyon?", &["['paris']", "['lyon']", "['paris', 'lyon']"]),
        ],
    );
}

#[test]
fn numbers_are_read_as_people_say_them() {
    check(
        &shop(),
        &[
            ("more than 10,000 sold", &["[10000]"]),
            ("over 1.5 million sold", &["[1500000]"]),
            ("at least half a million", &["[500000]"]),
            ("more than 100k", &["[100000]"]),
            ("over $400", &["[400]"]),
            ("above 70%", &["[70]"]),
            ("a 3-room store", &["['3']", "[3]"]),
            ("the second largest", &["[2]"]),
            ("top five", &["[5]"]),
            ("a dozen", &["[12]"]),
            ("more than once", &["[1]"]),
            ("at least twice", &["[2]"]),
            ("minus 5", &["[-5]"]),
            ("stores that had no items", &["[0]"]),
            ("which one is it?", &[]),
            ("since March 2021", &["[2021-03-xx]"]),
            ("in the 90s", &["[90]", "[1990]", "[1990-xx-xx]"]),
        ],
    );
}

#[test]
fn numbers_in_names_are_names() {
    let table = table(
        &["Team", "Post-9/11 grants", "Year", "month"],
        &[
            &["TSV 1860", "5", "1994", "3"],
            &["Hannover 96", "7", "1995", "4"],
        ],
    );
    check(
        &table,
        &[
            (
                "grants of TSV 1860 in 1994",
                &["['tsv 1860']", "[1994]", "[1994-xx-xx]"],
            ),
            ("total of the post-9/11 grants", &[]),
            ("in March 1994", &["[1994-03-xx]", "[3]", "[1994]"]),
        ],
    );
}

#[test]
fn a_whole_cell_stands_beside_something_longer_and_within_it() {
    let rows: Vec<[&str; 3]> = vec![
        [
            "Kern",
            "High",
            "was rated high by all who came to see it on that day in May",
        ],
        ["Kern County Union", "Low", ""],
        ["Kern", "High", ""],
        ["Kern", "Low", ""],
    ];
    let rows: Vec<&[&str]> = rows.iter().map(|row| &row[..]).collect();
    let table = table(&["place", "grade", "remark"], &rows);
    assert_eq!(
        linked("schools in Kern County", &table),
        ["['kern county']", "['kern']"]
    );
    assert_eq!(linked("how many were rated High", &table), ["['high']"]);
}

#[test]
fn headers_count_by_their_long_words() {
    let table = staff();
    let feature = |question: &str, column: &str, linking: Linking| {
        let question = Question::read(question, &table, linking);
        let at = table.find(column).unwrap();
        question.column_features[at.0 as usize]
    };
    assert_eq!(feature("the average pay", "r.avgpay-num", Linking::Everyday), 2);
    assert_eq!(feature("avg pay", "r.avgpay-num", Linking::Everyday), 2);
    assert_eq!(feature("the average pay", "r.avgpay-num", Linking::Wide), 0);
    assert_eq!(feature("how many years", "r.yrs-num", Linking::Everyday), 1);
    assert_eq!(
        feature("employee of the month", "r.emp_name-str", Linking::Everyday),
        1
    );
}

/// A table with so much text that it is searched by an index, and the same rows in a small one.
#[test]
fn a_large_table_is_linked_as_a_small_one() {
    let headers = ["name", "sex", "country", "status"];
    let few: Vec<[String; 4]> = (0..40)
        .map(|row| {
            let name = format!("Family{row}, Given{}", row % 7);
            let sex = ["female", "male"][row % 2];
            let country = ["GER", "NOR", "JPN"][row % 3];
            let status = ["waiting", "Retirement", "sent back"][row % 3];
            [name, sex.to_owned(), country.to_owned(), status.to_owned()]
        })
        .collect();
    let build = |filler: usize| {
        let mut builder = TableBuilder::new("t", headers);
        few.iter()
            .for_each(|row| builder.push_row(row.iter().map(String::as_str)));
        for row in 0..filler {
            let name = format!("Someone {row} of a place with quite a long name that takes room");
            builder.push_row([name.as_str(), "female", "NOR", "waiting"]);
        }
        builder.finish()
    };
    let (small, large) = (build(60), build(20_000));
    assert!(large.is_large() && !small.is_large());
    for question in [
        "how many women are waiting?",
        "status of Given5 Family12",
        "the Germans who retired",
        "what was sent back by Family3, Given3?",
        "how many men are there",
    ] {
        assert_eq!(linked(question, &large), linked(question, &small), "{question}");
        assert!(!linked(question, &large).is_empty(), "{question}");
    }
}

proptest! {
    /// Whatever stands in a cell as a name is found where a question names it.
    #[test]
    fn a_cell_that_is_named_is_linked(
        cells in prop::collection::vec("[B-DF-HJ-NP-TV-Z][aeiou][bdgklmnprt]{1,2}[aeiou][bdgklmnprtz]( [B-DF-HJ-NP-TV-Z][aeiou][bdgklmnprt]{2}[aeiou]x){0,2}", 2..8),
        pick in any::<prop::sample::Index>(),
    ) {
        let mut builder = TableBuilder::new("t", ["thing", "points"]);
        cells.iter().for_each(|cell| builder.push_row([cell.as_str(), "5"]));
        let table = builder.finish();
        let cell = &cells[pick.index(cells.len())];
        for question in [format!("how many points has {cell}?"), format!("points of {}", cell.to_lowercase())] {
            let expected = format!("['{}']", cell.to_lowercase());
            prop_assert!(linked(&question, &table).contains(&expected), "{} {:?}", question, linked(&question, &table));
        }
    }

    /// Every constant of strings is in some cell, and no question makes it fail.
    #[test]
    fn what_is_linked_is_in_the_table(
        question in "((who|how many|the|not|a|one|once|women|germans|retired|yes|no|Okafor|Ada|,|or|and|3|'94|100k|9 trillion trillion|0s|minus|NOR|smoker|%|-|[a-z]{1,6}|[A-Z]{2,3}) ){0,9}",
    ) {
        let table = staff();
        let question = Question::read(&question, &table, Linking::Everyday);
        for mention in &question.mentions {
            prop_assert!(mention.span.start < mention.span.end && mention.span.end <= question.tokens.len());
            if let mapo_tables::Constant::Strings(_) = mention.constant {
                let mut columns = table.columns().iter();
                let held = columns.any(|column| column.holds(&mention.constant) != mapo_tables::Held::No);
                prop_assert!(held, "{:?}", mention);
            }
        }
    }
}
