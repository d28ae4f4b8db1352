//! The reader agrees with CoreNLP on WikiTableQuestions, as far as CoreNLP is right.

mod support;

use mapo_datasets::agreement::{Verdict, agreement};

#[test]
fn the_reader_agrees_with_corenlp_where_corenlp_is_right() {
    let Some(data) = support::data_dir() else {
        eprintln!("SKIPPED: no benchmark data; set MAPO_DATA to its folder");
        return;
    };
    let dir = data.join("WikiTableQuestions");
    let result = agreement(&dir, "pristine-seen-tables").expect("the annotation is complete");
    eprintln!("{result}");
    assert_eq!((result.questions, result.tables), (3537, 1455));
    for (what, share, least) in [
        ("tokens", result.tokens, 0.997),
        ("numbers in questions", result.question_numbers, 0.97),
        ("dates in questions", result.question_dates, 0.95),
        ("numbers of cells", result.cell_numbers, 0.97),
        ("second numbers of cells", result.cell_second_numbers, 0.97),
        ("dates of cells", result.cell_dates, 0.95),
    ] {
        assert!(share.ratio() >= least, "{what}: {} of {}", share.agree, share.of);
    }
    assert!(
        result.comparison.f1() >= 0.95,
        "comparatives and superlatives: F1 {}",
        result.comparison.f1()
    );

    // Calling CoreNLP wrong must not be what makes the shares good: of all values that it reads, most must
    // still count.
    let excused = |of: &str| -> usize {
        let theirs = result
            .disagreements
            .iter()
            .filter(|d| d.verdict == Verdict::TheirError && d.of == of);
        theirs.map(|d| d.count).sum()
    };
    for (of, counted) in [
        ("question number", result.question_numbers.of),
        ("question date", result.question_dates.of),
        ("cell number", result.cell_numbers.of),
        ("cell date", result.cell_dates.of),
    ] {
        assert!(
            excused(of) * 4 < counted,
            "{of}: {} of CoreNLP's values left out, {counted} kept",
            excused(of)
        );
    }
}

#[test]
fn a_folder_without_the_annotation_is_an_error_that_names_the_file() {
    let error = agreement(std::path::Path::new("no-such-folder"), "pristine-seen-tables")
        .unwrap_err()
        .to_string();
    assert!(error.contains("pristine-seen-tables.tagged"), "{error}");
}
