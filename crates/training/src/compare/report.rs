//! The report of a comparison: one description, from which Markdown and HTML are written, and its charts.

use std::path::Path;

use super::document::{Block, Cell, Document};
use super::plot::{Curve, Panel, chart};
use super::results::{Point, Results, VariantResult};
use super::statistics::{Difference, Summary};
use crate::Result;

const CURVES: &str = "curves.svg";
const CLIP: &str = "clip_fraction.svg";

/// Writes `results.json`, `report.md`, `report.html` and the charts into a directory. `command` is what made
/// them.
///
/// # Errors
/// If a chart cannot be drawn or a file cannot be written.
pub fn write(directory: &Path, results: &Results, command: &str) -> Result<()> {
    let document = describe(results, command)?;
    for block in &document.blocks {
        if let Block::Figure { file, svg, .. } = block {
            mapo_files::write(&directory.join(file), svg.as_bytes())?;
        }
    }
    mapo_files::write(&directory.join("report.md"), document.to_markdown().as_bytes())?;
    mapo_files::write(&directory.join("report.html"), document.to_html().as_bytes())?;
    let file = directory.join("results.json");
    let json = serde_json::to_vec_pretty(results).map_err(|error| crate::Error::Run {
        file: file.clone(),
        problem: error.to_string(),
    })?;
    Ok(mapo_files::write(&file, &json)?)
}

/// The report.
///
/// # Errors
/// If a chart cannot be drawn.
pub fn describe(results: &Results, command: &str) -> Result<Document> {
    let seeds = match results.seeds.len() {
        1 => "one seed".to_owned(),
        count => format!("{count} seeds"),
    };
    let title = match results.variants.len() {
        1 => format!("One variant on {}", results.data),
        count => format!("{count} variants on {}", results.data),
    };
    let mut blocks = vec![Block::Paragraph(format!(
        "Each variant was trained on {} with {seeds}. Of each run the model that did best on {} ({} questions) is \
         kept; “last” is the model at the end. {}The numbers are {}.",
        results.split,
        results.dev_split,
        results.dev_questions,
        match (&results.test_split, results.test_questions) {
            (Some(split), Some(questions)) => {
                format!("“Test” is what the kept model does on {split} ({questions} questions). ")
            }
            _ => String::new(),
        },
        match results.seeds.len() {
            1 => "those of one run each, so they say nothing about other seeds",
            _ => "means ± standard deviations over seeds",
        },
    ))];
    blocks.push(table(results));
    if results.variants.len() > 1 {
        blocks.push(Block::Paragraph(format!(
            "The difference is to {} on {}, in points of a hundred, with its 95 % interval and p-value by a paired \
             bootstrap ({} draws): questions{} are drawn anew, and each brings both variants' answers along. \
             P-values are not corrected for the number of variants. Dev accuracy at the best step is optimistic, since \
             the step was chosen by it.",
            results.reference,
            results.dev_split,
            results.bootstrap_draws,
            if results.seeds.len() > 1 { " and seeds" } else { "" },
        )));
    }
    let headings = ["Learning curves", "Clipping"];
    for (heading, figure) in headings.into_iter().zip(figures(results)?) {
        blocks.push(Block::Heading(heading.to_owned()));
        blocks.push(figure);
    }
    blocks.push(Block::Heading("Variants".to_owned()));
    blocks.push(settings(results));
    blocks.push(Block::Heading("Runs".to_owned()));
    blocks.push(runs(results));
    blocks.push(Block::Heading("How to repeat it".to_owned()));
    blocks.push(Block::Code(command.to_owned()));
    Ok(Document { title, blocks })
}

/// The learning curves and, where memories are clipped, how many of them are.
///
/// # Errors
/// If a chart cannot be drawn.
pub fn figures(results: &Results) -> Result<Vec<Block>> {
    let mut figures = vec![curves(results)?];
    figures.extend(clip_fraction(results)?);
    Ok(figures)
}

/// The table of variants, also for the terminal.
pub fn table(results: &Results) -> Block {
    let with_test = results.test_split.is_some();
    let with_difference = results.variants.len() > 1;
    let mut columns = vec!["variant".to_owned(), "dev %".to_owned(), "dev, last %".to_owned()];
    if with_test {
        columns.push("test %".to_owned());
    }
    if with_difference {
        let reference = format!("minus {}", results.reference);
        columns.extend([reference, "95 % interval".to_owned(), "p".to_owned()]);
    }
    columns.push("seconds".to_owned());
    let best = |mean: &dyn Fn(&VariantResult) -> Option<f64>| {
        let means = results.variants.iter().filter_map(mean);
        means.fold(f64::NEG_INFINITY, f64::max)
    };
    let best_dev = best(&|variant| Some(variant.dev_best.mean));
    let best_last = best(&|variant| Some(variant.dev_last.mean));
    let best_test = best(&|variant| variant.test.as_ref().map(|test| test.mean));
    let row = |variant: &VariantResult| {
        let mut row = vec![
            Cell::from(variant.name.as_str()),
            share(&variant.dev_best, best_dev),
            share(&variant.dev_last, best_last),
        ];
        if with_test {
            row.push(
                variant
                    .test
                    .as_ref()
                    .map_or_else(|| "–".into(), |test| share(test, best_test)),
            );
        }
        if with_difference {
            row.extend(difference(variant.difference.as_ref()));
        }
        row.push(format!("{:.0}", variant.seconds.mean).into());
        row
    };
    Block::Table {
        numbers: (1..columns.len()).collect(),
        columns,
        rows: results.variants.iter().map(row).collect(),
    }
}

fn share(summary: &Summary, best: f64) -> Cell {
    let mean = 100.0 * summary.mean;
    let text = match summary.std {
        Some(std) => format!("{mean:.1} ± {:.1}", 100.0 * std),
        None => format!("{mean:.1}"),
    };
    match summary.mean == best {
        true => Cell::strong(text),
        false => text.into(),
    }
}

/// A difference, its interval and its p-value.
pub(crate) fn difference(difference: Option<&Difference>) -> [Cell; 3] {
    match difference {
        Some(&Difference { mean, low, high, p }) => [
            points(mean).into(),
            format!("{} to {}", points(low), points(high)).into(),
            if p < 0.001 {
                "< 0.001".into()
            } else {
                format!("{p:.3}").into()
            },
        ],
        None => ["–".into(), "–".into(), "–".into()],
    }
}

/// With a sign; what rounds to nothing has none.
fn points(share: f64) -> String {
    let points = format!("{:.1}", 100.0 * share.abs());
    match (points.as_str(), share < 0.0) {
        ("0.0", _) => points,
        (_, true) => format!("−{points}"),
        (_, false) => format!("+{points}"),
    }
}

fn curves(results: &Results) -> Result<Block> {
    let panel = Panel {
        title: &format!("right answers on {} (%)", results.dev_split),
        curves: all_curves(results, |variant| &variant.dev_curve),
        may_crop: true,
    };
    Ok(Block::Figure {
        file: CURVES.to_owned(),
        svg: chart(&[panel])?,
        caption: format!(
            "Accuracy on {} while training{}. The legend has the accuracy at the end.",
            results.dev_split,
            spread(results),
        ),
    })
}

/// As the paper shows it; nothing where no variant clips.
fn clip_fraction(results: &Results) -> Result<Option<Block>> {
    let clips = |points: &[Point]| points.iter().any(|point| point.mean > 0.0);
    let clipping: Vec<usize> = (0..results.variants.len())
        .filter(|&number| clips(&results.variants[number].clip_curve))
        .collect();
    if clipping.is_empty() {
        return Ok(None);
    }
    let of = |curve: for<'v> fn(&'v VariantResult) -> &'v Vec<Point>| {
        let mut curves = all_curves(results, curve);
        curves.retain(|curve| clipping.contains(&curve.number));
        curves
    };
    let panels = [
        Panel {
            title: "clip fraction (%)",
            curves: of(|variant| &variant.clip_curve),
            may_crop: false,
        },
        Panel {
            title: "training accuracy (%)",
            curves: of(|variant| &variant.training_curve),
            may_crop: false,
        },
    ];
    Ok(Some(Block::Figure {
        file: CLIP.to_owned(),
        svg: chart(&panels)?,
        caption: format!(
            "Left, the share of training questions with something in memory whose memory weighs less than α and is \
             clipped; right, the reward that the policy is expected to earn on the training questions, where it is \
             measured{}. The gradient is biased only as far as memories are clipped.",
            spread(results),
        ),
    }))
}

fn all_curves<'r>(
    results: &'r Results,
    points: impl Fn(&'r VariantResult) -> &'r Vec<Point>,
) -> Vec<Curve<'r>> {
    let curve = |(number, variant): (usize, &'r VariantResult)| Curve {
        name: &variant.name,
        number,
        points: points(variant),
    };
    let all = results.variants.iter().enumerate().map(curve);
    all.filter(|curve| !curve.points.is_empty()).collect()
}

fn spread(results: &Results) -> &'static str {
    match results.seeds.len() {
        1 => "",
        _ => ": mean over seeds, with a band of one standard deviation to both sides",
    }
}

fn settings(results: &Results) -> Block {
    let row = |variant: &VariantResult| {
        let settings = match variant.settings.is_empty() {
            true => "the common settings".to_owned(),
            false => variant.settings.join(", "),
        };
        vec![Cell::from(variant.name.as_str()), settings.into()]
    };
    Block::Table {
        columns: vec!["variant".to_owned(), "settings of its own".to_owned()],
        numbers: Vec::new(),
        rows: results.variants.iter().map(row).collect(),
    }
}

fn runs(results: &Results) -> Block {
    let with_test = results.test_split.is_some();
    let mut columns: Vec<String> = ["variant", "seed", "best step", "dev %", "dev, last %"]
        .map(str::to_owned)
        .to_vec();
    if with_test {
        columns.push("test %".to_owned());
    }
    columns.push("seconds".to_owned());
    let rows = results.variants.iter().flat_map(|variant| {
        variant.runs.iter().map(move |run| {
            let percent = |share: f64| Cell::from(format!("{:.1}", 100.0 * share));
            let mut row = vec![
                Cell::from(variant.name.as_str()),
                run.seed.to_string().into(),
                run.best_step.to_string().into(),
                percent(run.dev_best),
                percent(run.dev_last),
            ];
            if with_test {
                row.push(run.test.map_or_else(|| "–".into(), percent));
            }
            row.push(format!("{:.0}", run.seconds).into());
            row
        })
    });
    Block::Table {
        rows: rows.collect(),
        numbers: (1..columns.len()).collect(),
        columns,
    }
}
