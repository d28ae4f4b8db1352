//! The report of a reproduction: the paper's figure beside ours in every cell.

use std::path::Path;

use super::cells::{CellResult, ExperimentResult, Reproduction};
use crate::compare::statistics::Summary;
use crate::compare::{Block, Cell, Document, report};
use crate::{Error, Result};

/// What a cell without a run says.
const NOT_YET: &str = "not run yet";

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

    /// The report.
    ///
    /// # Errors
    /// If a chart cannot be drawn.
    pub fn document(&self) -> Result<Document> {
        let cells = || self.experiments.iter().flat_map(|experiment| &experiment.cells);
        let done: usize = cells().map(|cell| cell.seeds.len()).sum();
        let wanted: usize = cells().map(|cell| cell.wanted).sum();
        let seconds: f64 = cells()
            .filter_map(|cell| cell.seconds.as_ref())
            .flat_map(|seconds| &seconds.values)
            .sum();
        let mut blocks = vec![
            Block::Paragraph(format!(
                "The paper's figure beside ours, cell by cell, at the budget “{}”. {done} of {wanted} runs are finished, \
                 which took {} of training. Ours are means ± standard deviations over seeds of the best model by dev, so \
                 dev is a little optimistic, as in the paper. The difference is to the first row, with its 95 % interval \
                 by a paired bootstrap over questions and seeds.",
                self.budget,
                duration(seconds),
            )),
            Block::Code(self.command.clone()),
        ];
        for experiment in &self.experiments {
            blocks.extend(experiment.blocks()?);
        }
        Ok(Document {
            title: self.title.clone(),
            blocks,
        })
    }
}

impl ExperimentResult {
    fn blocks(&self) -> Result<Vec<Block>> {
        let mut blocks = vec![
            Block::Heading(self.title.clone()),
            Block::Paragraph(format!("{} Each run has {} steps.", self.about, self.steps)),
            self.table(),
        ];
        if !self.ensembles.is_empty() {
            blocks.push(self.ensemble_table());
        }
        if let Some(results) = self.results.as_ref().filter(|_| self.threads.is_none()) {
            for mut figure in report::figures(results)? {
                // Each experiment has its own.
                if let Block::Figure { file, .. } = &mut figure {
                    *file = format!("{}-{file}", self.name);
                }
                blocks.push(figure);
            }
        }
        blocks.push(Block::Code(self.command.clone()));
        Ok(blocks)
    }

    /// The table of variants, also for the terminal.
    pub fn table(&self) -> Block {
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
            let paper =
                |figure: &Option<String>| Cell::from(figure.clone().unwrap_or_else(|| "–".to_owned()));
            let mut row = vec![
                Cell::from(cell.variant.as_str()),
                paper(&cell.paper_dev),
                share(cell.dev.as_ref(), NOT_YET),
            ];
            if with_test {
                row.extend([paper(&cell.paper_test), share(cell.test.as_ref(), "–")]);
            }
            if with_difference {
                let [difference, interval, _] = report::difference(cell.difference.as_ref());
                row.extend([difference, interval]);
            }
            let seconds = cell.seconds.as_ref().map(|seconds| seconds.mean);
            row.extend([
                Cell::from(format!("{} of {}", cell.seeds.len(), cell.wanted)),
                seconds.map_or("–".into(), |seconds| duration(seconds).into()),
                seconds.map_or("–".into(), |seconds| {
                    format!("{:.1}", self.steps as f64 / seconds.max(1e-3)).into()
                }),
            ]);
            row
        };
        Block::Table {
            numbers: (1..columns.len()).collect(),
            columns,
            rows: self.cells.iter().map(row).collect(),
        }
    }

    fn ensemble_table(&self) -> Block {
        let percent = |share: Option<f64>, none: &str| {
            Cell::from(share.map_or(none.to_owned(), |share| format!("{:.1}", 100.0 * share)))
        };
        let rows = self.ensembles.iter().map(|ensemble| {
            vec![
                Cell::from(format!("ensemble of {}, {}", ensemble.size, ensemble.variant)),
                percent(ensemble.dev, NOT_YET),
                Cell::from(ensemble.paper_test.clone().unwrap_or_else(|| "–".to_owned())),
                percent(ensemble.test, "–"),
            ]
        });
        Block::Table {
            columns: ["", "dev: ours", "test: paper", "test: ours"]
                .map(str::to_owned)
                .to_vec(),
            numbers: vec![1, 2, 3],
            rows: rows.collect(),
        }
    }
}

fn share(summary: Option<&Summary>, none: &str) -> Cell {
    let Some(Summary { mean, std, .. }) = summary else {
        return none.into();
    };
    match std {
        Some(std) => format!("{:.1} ± {:.1}", 100.0 * mean, 100.0 * std).into(),
        None => format!("{:.1}", 100.0 * mean).into(),
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
