//! The report of a reproduction: the paper's figure beside ours in every cell.

use std::collections::BTreeSet;
use std::path::Path;

use super::cells::{CellResult, ExperimentResult, Reproduction, UnderWay};
use crate::compare::plot::grouped;
use crate::compare::statistics::Summary;
use crate::compare::{Block, Cell, Document, report};
use crate::{Error, Result};

/// What a cell without a run says.
const NOT_YET: &str = "not run yet";
/// What a cell says that nobody has a figure for.
const NONE: &str = "–";

impl Reproduction {
    /// Writes `report.html`, `report.md`, `results.json` and the charts into a directory.
    ///
    /// # Errors
    /// If a chart cannot be drawn or a file cannot be written.
    pub fn write(&self, directory: &Path) -> Result<()> {
        let document = self.document()?;
        for block in &document.blocks {
            if let Block::Figure { file, svg, .. } = block {
                mapo_files::write(&directory.join(file), svg.as_bytes())?;
            }
        }
        mapo_files::write(&directory.join("report.md"), document.to_markdown().as_bytes())?;
        mapo_files::write(&directory.join("report.html"), document.to_html().as_bytes())?;
        let file = directory.join("results.json");
        let json = serde_json::to_vec_pretty(self).map_err(|error| Error::Run {
            file: file.clone(),
            problem: error.to_string(),
        })?;
        Ok(mapo_files::write(&file, &json)?)
    }

    /// How many runs are finished, of how many, and the seconds that they took. Runs that experiments share count once.
    fn progress(&self) -> (usize, usize, f64) {
        let (mut finished, mut wanted, mut seconds) = (BTreeSet::new(), BTreeSet::new(), 0.0);
        for experiment in &self.experiments {
            for cell in &experiment.cells {
                let name = |seed: u64| (&experiment.directory, &cell.variant, seed);
                wanted.extend((1..=cell.wanted as u64).map(name));
                let took = cell.seconds.iter().flat_map(|seconds| &seconds.values);
                for (&seed, took) in cell.seeds.iter().zip(took) {
                    if finished.insert(name(seed)) {
                        seconds += took;
                    }
                }
            }
        }
        (finished.len(), wanted.len(), seconds)
    }

    /// The experiments, those of the same chapter together.
    fn chapters(&self) -> impl Iterator<Item = &[ExperimentResult]> {
        self.experiments.chunk_by(|one, next| one.chapter == next.chapter)
    }

    /// The report.
    ///
    /// # Errors
    /// If a chart cannot be drawn.
    pub fn document(&self) -> Result<Document> {
        let (finished, wanted, seconds) = self.progress();
        let mut blocks = vec![
            Block::Paragraph(format!(
                "The paper's figure beside ours, cell by cell, at the budget “{}”. {finished} of {wanted} runs are finished, \
                 which took {} of training.",
                self.budget,
                duration(seconds),
            )),
            Block::Paragraph(
                "Accuracies are in %, of each run's best model by dev, so dev is a little optimistic, as in the paper: mean \
                 ± standard deviation over seeds, and of one seed the 95 % interval over questions. The difference is to \
                 the first row, with its 95 % interval by a paired bootstrap over questions and, where there are several, \
                 seeds."
                    .to_owned(),
            ),
            Block::Code(self.command.clone()),
        ];
        for chapter in self.chapters() {
            blocks.extend(blocks_of(chapter)?);
        }
        Ok(Document {
            title: self.title.clone(),
            blocks,
        })
    }

    /// The tables with their titles, for the terminal.
    pub fn tables(&self) -> Vec<(&str, Block)> {
        let mut tables = Vec::new();
        for chapter in self.chapters() {
            let Some(first) = chapter.first() else { continue };
            tables.extend(
                tables_of(chapter)
                    .into_iter()
                    .map(|table| (first.title.as_str(), table)),
            );
        }
        tables
    }
}

/// The blocks of a chapter, which is one experiment, or one for each number of threads.
fn blocks_of(chapter: &[ExperimentResult]) -> Result<Vec<Block>> {
    let Some(first) = chapter.first() else {
        return Ok(Vec::new());
    };
    let mut blocks = vec![
        Block::Heading(first.title.clone()),
        Block::Paragraph(format!(
            "{} Each run has {} steps.",
            first.about,
            grouped(first.steps as f64)
        )),
    ];
    blocks.extend(tables_of(chapter));
    if let Some(results) = first.results.as_ref().filter(|_| first.threads.is_none()) {
        for mut figure in report::figures(results)? {
            // Each experiment has its own.
            if let Block::Figure { file, .. } = &mut figure {
                *file = format!("{}-{file}", first.name);
            }
            blocks.push(figure);
        }
    }
    // One for each row, and for all of them.
    let rows = first.cells.iter().map(|cell| cell.command.as_str());
    let rows = rows.filter(|_| first.cells.len() > 1);
    let commands: Vec<&str> = std::iter::once(first.command.as_str()).chain(rows).collect();
    blocks.push(Block::Code(commands.join("\n")));
    Ok(blocks)
}

fn tables_of(chapter: &[ExperimentResult]) -> Vec<Block> {
    match chapter {
        [one] if one.threads.is_none() => {
            let mut tables = vec![one.table()];
            if !one.ensembles.is_empty() {
                tables.push(one.ensemble_table());
            }
            tables.extend(one.gradient_table());
            tables
        }
        several => vec![speed_table(several)],
    }
}

impl ExperimentResult {
    fn table(&self) -> Block {
        let with_test = self
            .cells
            .iter()
            .any(|cell| cell.test.is_some() || cell.paper_test.is_some());
        let with_difference = self.cells.len() > 1;
        let mut columns: Vec<String> = ["", "dev: paper", "dev: ours"].map(str::to_owned).to_vec();
        if with_test {
            columns.extend(["test: paper", "test: ours"].map(str::to_owned));
        }
        if with_difference {
            columns.extend(["difference", "95 % interval"].map(str::to_owned));
        }
        columns.extend(["seeds", "time a run", "steps a second"].map(str::to_owned));
        let row = |cell: &CellResult| {
            let mut row = vec![
                Cell::from(cell.variant.as_str()),
                known(&cell.paper_dev),
                match &cell.dev {
                    Some(dev) => share(dev, cell.dev_questions).into(),
                    None => cell
                        .under_way
                        .first()
                        .map_or(NOT_YET.to_owned(), |run| self.so_far(run))
                        .into(),
                },
            ];
            if with_test {
                let test = cell.test.as_ref().map(|test| share(test, 0));
                row.extend([known(&cell.paper_test), known(&test)]);
            }
            if with_difference {
                let [difference, interval, _] = report::difference(cell.difference.as_ref());
                row.extend([difference, interval]);
            }
            let seconds = cell.seconds.as_ref().map(|seconds| seconds.mean);
            row.extend([
                Cell::from(format!("{} of {}", cell.seeds.len(), cell.wanted)),
                known(&seconds.map(duration)),
                known(&seconds.map(|seconds| format!("{:.1}", self.speed(seconds)))),
            ]);
            row
        };
        Block::Table {
            numbers: (1..columns.len()).collect(),
            columns,
            rows: self.cells.iter().map(row).collect(),
        }
    }

    fn speed(&self, seconds: f64) -> f64 {
        self.steps as f64 / seconds.max(1e-3)
    }

    /// What a run that is not finished says.
    fn so_far(&self, run: &UnderWay) -> String {
        let step = format!(
            "at step {} of {}",
            grouped(run.step as f64),
            grouped(self.steps as f64)
        );
        match run.dev {
            Some(dev) => format!("{step}: {:.1}", 100.0 * dev),
            None => step,
        }
    }

    fn ensemble_table(&self) -> Block {
        let percent = |share: Option<f64>| share.map(|share| format!("{:.1}", 100.0 * share));
        let rows = self.ensembles.iter().map(|ensemble| {
            let name = match ensemble.size {
                1 => format!("best run, {}", ensemble.variant),
                size => format!("ensemble of {size}, {}", ensemble.variant),
            };
            let none = match ensemble.is_planned {
                true => NOT_YET,
                false => "more than this budget trains",
            };
            vec![
                Cell::from(name),
                known(&ensemble.paper_dev),
                percent(ensemble.dev).unwrap_or_else(|| none.to_owned()).into(),
                known(&ensemble.paper_test),
                known(&percent(ensemble.test)),
            ]
        });
        Block::Table {
            columns: ["", "dev: paper", "dev: ours", "test: paper", "test: ours"]
                .map(str::to_owned)
                .to_vec(),
            numbers: vec![1, 2, 3, 4],
            rows: rows.collect(),
        }
    }

    /// How far estimates of the gradient lie apart, where that is asked.
    fn gradient_table(&self) -> Option<Block> {
        let results = self.gradients.as_ref()?;
        let columns = [
            "estimator",
            "network",
            "variance a question",
            "to the first",
            "length of the mean",
        ];
        let mut rows = Vec::new();
        for result in results {
            let first = results.iter().find(|first| first.is_trained == result.is_trained);
            let times = first.map(|first| result.variance / first.variance);
            let times = times.filter(|times| times.is_finite());
            rows.push(vec![
                Cell::from(result.estimator.as_str()),
                if result.is_trained { "trained" } else { "new" }.into(),
                format!("{:.3e}", result.variance).into(),
                known(&times.map(|times| format!("× {times:.2}"))),
                format!("{:.3e}", result.length).into(),
            ]);
        }
        if rows.is_empty() {
            let mut row = vec![Cell::from(NOT_YET)];
            row.resize(columns.len(), NONE.into());
            rows.push(row);
        }
        Some(Block::Table {
            columns: columns.map(str::to_owned).to_vec(),
            numbers: vec![2, 3, 4],
            rows,
        })
    }
}

/// How fast the same run is with several numbers of threads.
fn speed_table(experiments: &[ExperimentResult]) -> Block {
    let mean = |one: &ExperimentResult| {
        let seconds = one.cells.first()?.seconds.as_ref()?.mean;
        Some(one.speed(seconds))
    };
    let alone = experiments.first().and_then(mean);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let rows = experiments.iter().map(|one| {
        let threads = one.threads.unwrap_or(1);
        let speed = mean(one);
        let none = match threads > cores {
            true => format!("more than this machine's {cores} cores"),
            false => NOT_YET.to_owned(),
        };
        let times = alone
            .zip(speed)
            .map(|(alone, speed)| format!("× {:.2}", speed / alone));
        let seconds = one.cells.first().and_then(|cell| cell.seconds.as_ref());
        vec![
            Cell::from(threads.to_string()),
            speed.map_or(none, |speed| format!("{speed:.1}")).into(),
            known(&times),
            known(&seconds.map(|seconds| duration(seconds.mean))),
        ]
    });
    Block::Table {
        columns: ["threads", "steps a second", "to the first", "time a run"]
            .map(str::to_owned)
            .to_vec(),
        numbers: vec![0, 1, 2, 3],
        rows: rows.collect(),
    }
}

fn known(figure: &Option<String>) -> Cell {
    figure.clone().unwrap_or_else(|| NONE.to_owned()).into()
}

/// With the spread over seeds; of one seed, with the interval over questions, if their number is known.
fn share(Summary { mean, std, .. }: &Summary, questions: usize) -> String {
    let percent = 100.0 * mean;
    match (std, questions) {
        (Some(std), _) => format!("{percent:.1} ± {:.1}", 100.0 * std),
        (None, 0) => format!("{percent:.1}"),
        (None, questions) => {
            let half = 196.0 * (mean * (1.0 - mean) / questions as f64).sqrt();
            format!(
                "{percent:.1} ({:.1} to {:.1})",
                (percent - half).max(0.0),
                (percent + half).min(100.0)
            )
        }
    }
}

/// A time as people say it.
fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 100.0 => format!("{seconds:.0} s"),
        seconds if seconds < 5_400.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3_600.0),
    }
}
