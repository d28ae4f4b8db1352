//! A study as a page of Markdown, whose tables are readable as they stand.

use super::spurious::{Spurious, SpuriousCounts};
use super::{Cause, Difference, Reliability, Study};
use std::fmt;

/// How many functions of a kind of question are shown.
const FUNCTIONS: usize = 4;

/// A table: the first column is text, the others are figures unless they are the last of a wider row.
struct Grid {
    rows: Vec<Vec<String>>,
}

impl Grid {
    fn new<const N: usize>(headers: [&str; N]) -> Self {
        Grid {
            rows: vec![headers.map(str::to_owned).to_vec()],
        }
    }

    fn push<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.to_vec());
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |column: usize| {
            self.rows
                .iter()
                .map(|row| row[column].chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for (place, row) in self.rows.iter().enumerate() {
            f.write_str("|")?;
            for (cell, width) in row.iter().zip(&widths) {
                write!(f, " {cell:width$} |")?;
            }
            writeln!(f)?;
            if place == 0 {
                f.write_str("|")?;
                for width in &widths {
                    write!(f, "-{:-<width$}-|", "")?;
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn part(count: usize, of: usize) -> String {
    match of {
        0 => "–".to_owned(),
        of => format!("{count} ({})", percent(count as f64 / of as f64)),
    }
}

fn maybe(share: Option<f64>) -> String {
    share.map_or("–".to_owned(), percent)
}

impl fmt::Display for Study {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} questions, {} right, {} with a right answer in the beam.\n",
            self.questions,
            percent(self.accuracy),
            percent(self.right_in_beam)
        )?;
        self.kinds(f)?;
        self.errors(f)?;
        writeln!(f, "## Calibration\n")?;
        match &self.calibrated {
            None => writeln!(f, "{}", self.calibration)?,
            Some(calibrated) => {
                writeln!(f, "As the beams have the probabilities:\n\n{}", self.calibration)?;
                writeln!(f, "With the model's calibration:\n\n{calibrated}")?;
            }
        }
        match &self.spurious {
            Some(spurious) => spurious.fmt(f),
            None => Ok(()),
        }
    }
}

impl Study {
    fn kinds(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "## By kind of question\n")?;
        let mut grid = Grid::new([
            "kind",
            "questions",
            "right",
            "in beam",
            "in memory",
            "functions of the programs",
        ]);
        for row in &self.kinds {
            let functions = row.functions.iter().take(FUNCTIONS);
            let functions: Vec<String> = functions
                .map(|(name, share)| format!("{name} {:.0} %", 100.0 * share))
                .collect();
            grid.push([
                row.kind.to_string(),
                row.questions.to_string(),
                percent(row.accuracy),
                percent(row.right_in_beam),
                maybe(row.in_memory),
                functions.join(", "),
            ]);
        }
        writeln!(f, "{grid}")
    }

    fn errors(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors = &self.errors;
        writeln!(f, "## Wrong answers\n")?;
        let mut grid = Grid::new(["why", "answers"]);
        for cause in Cause::ALL {
            if let Some(count) = errors.causes.get(&cause) {
                grid.push([cause.name().to_owned(), part(*count, errors.wrong)]);
            }
        }
        writeln!(f, "{grid}")?;
        let mut grid = Grid::new(["in what they differ", "answers"]);
        for difference in Difference::ALL {
            if let Some(count) = errors.differences.get(&difference) {
                grid.push([difference.name().to_owned(), part(*count, errors.wrong)]);
            }
        }
        writeln!(f, "{grid}")
    }
}

impl fmt::Display for Reliability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut grid = Grid::new(["probability", "answers", "mean", "right"]);
        for bin in &self.bins {
            let from = 100.0 * bin.from;
            grid.push([
                format!("{from:.0} to {:.0} %", from + 10.0),
                bin.answers.to_string(),
                maybe(bin.probability),
                maybe(bin.right),
            ]);
        }
        writeln!(f, "{grid}")?;
        let over = self.overconfidence;
        writeln!(
            f,
            "Expected calibration error: {}. On the whole the probabilities are {:.1} points too {}.",
            percent(self.expected_error),
            100.0 * over.abs(),
            if over >= 0.0 { "high" } else { "low" }
        )
    }
}

impl fmt::Display for Spurious {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "## Right by chance\n")?;
        let groups: Vec<(&str, &SpuriousCounts)> = std::iter::once(("all", &self.all))
            .chain(
                self.in_memory
                    .iter()
                    .map(|counts| ("known to the memory", counts)),
            )
            .chain(
                self.not_in_memory
                    .iter()
                    .map(|counts| ("not known to it", counts)),
            )
            .collect();
        let mut rows = vec![
            std::iter::once("annotated questions".to_owned())
                .chain(groups.iter().map(|(name, _)| (*name).to_owned()))
                .collect::<Vec<String>>(),
        ];
        let mut line = |name: &str, cell: &dyn Fn(&SpuriousCounts) -> String| {
            let cells = groups.iter().map(|(_, counts)| cell(counts));
            rows.push(std::iter::once(name.to_owned()).chain(cells).collect());
        };
        line("questions", &|c| c.questions.to_string());
        line("have a program in our language", &|c| {
            part(c.translated, c.questions)
        });
        line("– that the question's constants can write", &|c| {
            part(c.writable, c.translated)
        });
        line("– have any program in memory, of those it knows", &|c| {
            part(c.solved, c.known)
        });
        line("– have one of the same meaning in memory", &|c| {
            part(c.meant_in_memory, c.known)
        });
        line("– or of the same in this order of rows", &|c| {
            part(c.meant_in_memory_in_order, c.known)
        });
        line("programs in memory of the same meaning", &|c| {
            part(c.programs_same, c.programs)
        });
        line("– of the same only in this order", &|c| {
            part(c.programs_in_order, c.programs)
        });
        line("the model's answer is right", &|c| part(c.right, c.translated));
        line("– its program means the same", &|c| part(c.right_same, c.right));
        line("– the same only in this order", &|c| {
            part(c.right_in_order, c.right)
        });
        line("– something else: right by chance", &|c| {
            part(c.right_by_chance, c.right)
        });
        writeln!(f, "{}", Grid { rows })?;
        let mut grid = Grid::new(["no program, because", "questions"]);
        let mut obstacles: Vec<(&String, &usize)> = self.obstacles.iter().collect();
        obstacles.sort_by(|one, other| other.1.cmp(one.1));
        for (obstacle, count) in obstacles {
            grid.push([obstacle.clone(), count.to_string()]);
        }
        write!(f, "{grid}")
    }
}
