//! Made questions over invented and given tables.

use mapo_composing::{Choices, Composed, Wishes, compose, invent, plain, restyle};
use mapo_language::{Context, Interpreter, Language, Program};
use mapo_questions::{Linking, Question};
use mapo_tables::{Table, TableBuilder};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

const WISHES: Wishes = Wishes {
    linking: Linking::Everyday,
    language: Language::PEOPLE,
};

/// Questions about some invented tables, with their tables.
fn made(tables: u64, each: usize) -> Vec<(Arc<Table>, Composed)> {
    let table = |seed: u64| {
        let mut choices = Choices::new(seed, 0);
        let invented = invent(&mut choices);
        let made = compose(&invented.table, Some(invented.rows), each, WISHES, &mut choices);
        made.into_iter()
            .map(move |made| (Arc::clone(&invented.table), made))
    };
    (0..tables).flat_map(table).collect()
}

/// What a program gives for a question, by the plain interpreter.
fn answer(table: &Arc<Table>, question: &str, program: &str) -> Vec<String> {
    let question = Question::read(question, table, WISHES.linking);
    let constants = question.mentions.into_iter().map(|mention| mention.constant);
    let context = Context::new(Arc::clone(table), constants, WISHES.language);
    let program: Program = program.parse().expect("a program");
    let tokens = context.encode(&program).expect("what the question offers");
    let mut interpreter = Interpreter::new(Arc::new(context));
    for token in tokens {
        interpreter.step(token).expect("offered");
    }
    interpreter.answer().expect("an answer").to_strings()
}

#[test]
fn programs_can_be_written_from_the_question_and_give_the_answer() {
    for (table, made) in made(60, 12) {
        assert_eq!(
            answer(&table, &made.question, &made.program),
            made.answer,
            "{}",
            made.question
        );
    }
}

#[test]
fn every_kind_is_asked_and_every_program_once() {
    let made = made(200, 20);
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut seen = HashSet::new();
    for (table, made) in &made {
        *kinds.entry(made.kind).or_default() += 1;
        assert!(
            seen.insert((Arc::as_ptr(table), &made.program)),
            "{}",
            made.program
        );
    }
    assert_eq!(kinds.len(), 27, "{kinds:?}");
    assert!(
        made.len() > 200 * 18,
        "tables are good for most of what is wanted: {}",
        made.len()
    );
}

#[test]
fn a_seed_makes_the_same_questions() {
    let first: Vec<Composed> = made(5, 10).into_iter().map(|(_, made)| made).collect();
    let again: Vec<Composed> = made(5, 10).into_iter().map(|(_, made)| made).collect();
    assert_eq!(first, again);
}

fn cars() -> Table {
    let mut builder = TableBuilder::new("cars.csv", ["Name", "Country", "Price", "Seats", "Built"]);
    for row in [
        ["Corvo", "Italy", "300", "4", "1999"],
        ["Lumen", "Spain", "250", "5", "2003"],
        ["Tundra", "Italy", "410", "2", "2010"],
        ["Delph", "Spain", "90", "5", "1987"],
        ["Isola", "Italy", "120", "4", "2015"],
        ["Orbit", "France", "500", "7", "2001"],
    ] {
        builder.push_row(row);
    }
    builder.finish()
}

#[test]
fn words_that_imply_a_column_mean_it() {
    let table = Arc::new(cars());
    let made = compose(&table, None, 400, WISHES, &mut Choices::new(7, 0));
    let implied = |words: &[&str], column: &str| {
        let said = |made: &&Composed| {
            words
                .iter()
                .any(|word| made.question.to_lowercase().contains(word))
        };
        let about: Vec<&Composed> = made.iter().filter(said).collect();
        assert!(!about.is_empty(), "{words:?} are never said");
        for made in about {
            assert!(
                made.program.contains(column),
                "{}: {}",
                made.question,
                made.program
            );
        }
    };
    implied(&["cheapest", "most expensive", "priciest"], "r.price-num");
    implied(&["oldest", "newest"], "r.built-num");
    assert!(
        made.iter().any(|made| made.question.contains("cars")),
        "the file says what the rows are"
    );
}

#[test]
fn a_value_in_two_columns_is_named_with_its_column() {
    let mut builder = TableBuilder::new("games.csv", ["Game", "Home", "Away", "Goals"]);
    for (game, home, away, goals) in [
        ("g one", "Reds", "Blues", "3"),
        ("g two", "Blues", "Reds", "1"),
        ("g three", "Reds", "Greens", "5"),
        ("g four", "Greens", "Blues", "2"),
        ("g five", "Reds", "Blues", "4"),
        ("g six", "Blues", "Greens", "0"),
    ] {
        builder.push_row([game, home, away, goals]);
    }
    let table = Arc::new(builder.finish());
    let made = compose(&table, None, 200, WISHES, &mut Choices::new(3, 0));
    for made in made
        .iter()
        .filter(|made| made.kind == "count" && made.program.contains("filter_is"))
    {
        let question = made.question.to_lowercase();
        assert!(
            question.contains("home") || question.contains("away"),
            "{question}: {}",
            made.program
        );
    }
}

#[test]
fn restyled_tables_keep_their_cells_and_tell_their_headers_apart() {
    let mut builder = TableBuilder::new("t", ["Year", "Year", "", "Population (2010)"]);
    builder.push_row(["1999", "2001", "x", "12"]);
    let table = builder.finish();
    for seed in 0..50 {
        for other in [plain(&table), restyle(&table, &mut Choices::new(seed, 0))] {
            let names: HashSet<String> = other
                .headers()
                .iter()
                .map(|header| mapo_tables::column_name(header))
                .collect();
            assert_eq!(names.len(), 4, "{:?}", other.headers());
            assert!((0..4).all(|column| other.cell(0, column) == table.cell(0, column)));
        }
    }
}

#[test]
fn tables_that_say_nothing_are_not_asked_about() {
    let mut builder = TableBuilder::new("t", ["Name"]);
    ["a", "b", "c", "d"]
        .into_iter()
        .for_each(|name| builder.push_row([name]));
    assert!(
        compose(
            &Arc::new(builder.finish()),
            None,
            10,
            WISHES,
            &mut Choices::new(1, 0)
        )
        .is_empty()
    );
    let empty = TableBuilder::new("t", ["Name", "Age"]).finish();
    assert!(compose(&Arc::new(empty), None, 10, WISHES, &mut Choices::new(1, 0)).is_empty());
}

/// Many questions about a table given by its headers and rows.
fn about(name: &str, headers: &[&str], rows: &[&[&str]]) -> Vec<Composed> {
    let mut builder = TableBuilder::new(name, headers.iter().copied());
    for row in rows {
        builder.push_row(row.iter().copied());
    }
    compose(
        &Arc::new(builder.finish()),
        None,
        400,
        WISHES,
        &mut Choices::new(11, 0),
    )
}

/// The expressions of a program that name a column.
fn calls_about<'a>(made: &'a Composed, column: &str) -> Vec<&'a str> {
    made.program
        .trim_matches(['(', ')'])
        .split(") (")
        .filter(|call| call.contains(column))
        .collect()
}

fn schools() -> Vec<Composed> {
    about(
        "schools.csv",
        &[
            "School",
            "Case",
            "DCSF number",
            "New",
            "Rank",
            "column",
            "Average score",
            "Height (cm)",
            "Pupils",
            "Notes",
        ],
        &[
            &[
                "Ashfield", "310", "3012", "0", "4", "7", "61.5", "410", "300", "old",
            ],
            &[
                "Bournehall",
                "311",
                "2360",
                "1",
                "2",
                "9",
                "72.5",
                "520",
                "410",
                "",
            ],
            &[
                "Coates", "312", "2031", "0", "1", "3", "80.5", "365", "250", "new",
            ],
            &["Dene", "313", "4120", "1", "5", "8", "55.0", "700", "520", ""],
            &["Eastbury", "314", "1102", "0", "3", "5", "66.0", "610", "180", ""],
            &[
                "Fairfield",
                "315",
                "2999",
                "1",
                "6",
                "2",
                "49.5",
                "380",
                "330",
                "old",
            ],
        ],
    )
}

#[test]
fn keys_marks_and_nameless_columns_measure_nothing() {
    let made = schools();
    assert!(made.len() > 40, "{}", made.len());
    for made in &made {
        for column in ["r.case", "r.dcsf_number", "r.new", "r.column", "r.notes"] {
            assert!(
                !made.program.contains(column),
                "{}: {}",
                made.question,
                made.program
            );
        }
    }
}

#[test]
fn a_place_in_an_order_is_asked_for_and_never_added_or_compared() {
    let made = schools();
    let about_rank: Vec<&Composed> = made
        .iter()
        .filter(|made| made.program.contains("r.rank"))
        .collect();
    assert!(!about_rank.is_empty());
    for made in about_rank {
        let calls = calls_about(made, "r.rank");
        for function in [
            "sum", "average", "max", "min", "filter>", "filter<", "diff", "largest",
        ] {
            assert!(
                !calls.iter().any(|call| call.starts_with(function)),
                "{}: {}",
                made.question,
                made.program
            );
        }
        if calls.iter().any(|call| call.starts_with("arg")) {
            let said = made.question.to_lowercase();
            assert!(said.contains("ranked") || said.contains("placed"), "{said}");
        }
    }
}

#[test]
fn averages_are_not_added_up_and_units_are_those_of_the_header() {
    for made in schools() {
        let calls = calls_about(&made, "r.average_score");
        assert!(
            !calls.iter().any(|call| call.starts_with("sum")),
            "{}",
            made.question
        );
        for unit in [" feet", " meters", " m ", " inches", "height cm"] {
            assert!(!made.question.contains(unit), "{}", made.question);
        }
    }
}

#[test]
fn columns_are_compared_only_with_their_like() {
    let made = schools();
    assert!(
        made.iter()
            .all(|made| !made.program.contains("(difference v1 v2)")
                || !made.program.contains("pupils")
                || !made.program.contains("height"))
    );
}

#[test]
fn the_last_of_the_first_k_is_no_tie() {
    let made = about(
        "pets.csv",
        &["Pet", "Species", "Age"],
        &[
            &["Rex", "dog", "3"],
            &["Tom", "cat", "3"],
            &["Joy", "dog", "5"],
            &["Max", "cat", "5"],
            &["Leo", "dog", "1"],
            &["Zoe", "cat", "7"],
        ],
    );
    let lists: Vec<&Composed> = made.iter().filter(|made| made.kind == "top k").collect();
    assert!(!lists.is_empty());
    for made in lists {
        assert!(
            made.program.contains(&format!("[{}]", made.answer.len())),
            "{}: {:?}",
            made.question,
            made.answer
        );
    }
}

#[test]
fn a_row_of_totals_is_not_asked_about() {
    let made = about(
        "medals.csv",
        &["Nation", "Gold", "Silver"],
        &[
            &["Norway", "4", "2"],
            &["Italy", "3", "5"],
            &["Peru", "1", "0"],
            &["Total", "8", "7"],
        ],
    );
    assert!(made.is_empty());
}

#[test]
fn questions_are_said_as_people_say_them() {
    let mut wrong = Vec::new();
    for (_, made) in made(150, 12) {
        let said = made.question.to_lowercase();
        let odd = [
            "have price >",
            "= ",
            "what is the goals",
            "what is the pages",
            "a goals",
            "a pages",
            "are with ",
            " of of ",
            " the the ",
            "{",
            "}",
        ];
        if odd.iter().any(|odd| said.contains(odd)) && !said.contains("<=") && !said.contains(">=") {
            wrong.push(made.question);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn one_to_three_conditions_are_all_common() {
    let made = made(150, 12);
    let conditions = |made: &Composed| made.program.matches("(filter").count();
    let with = |count: usize| made.iter().filter(|(_, made)| conditions(made) == count).count();
    assert!(with(1) * 5 > made.len(), "one: {} of {}", with(1), made.len());
    assert!(with(2) * 10 > made.len(), "two: {} of {}", with(2), made.len());
    assert!(with(3) * 40 > made.len(), "three: {} of {}", with(3), made.len());
}
