//! How far this reader agrees with CoreNLP, whose annotation comes with WikiTableQuestions.
//!
//! CoreNLP's reading is not the truth: it reads `score` as 20 and `1 July, 1990` as the number 11990. A value
//! on which the two differ is put under a named [kind](Disagreement::kind) of error if one explains it;
//! errors of CoreNLP are left out of the shares, which are shares of *CoreNLP's right ones*. What no kind
//! explains counts against us.

mod cells;
mod questions;
mod tagged;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use tagged::AgreementError;

/// So many of, out of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// How many agree.
    pub agree: usize,
    /// Out of how many.
    pub of: usize,
}

impl Share {
    /// The share, 1 of nothing.
    pub fn ratio(self) -> f64 {
        if self.of == 0 {
            1.0
        } else {
            self.agree as f64 / self.of as f64
        }
    }

    fn count(&mut self, agrees: bool) {
        self.agree += usize::from(agrees);
        self.of += 1;
    }
}

/// Precision and recall, from their counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retrieval {
    /// Found by both.
    pub both: usize,
    /// Found by us.
    pub ours: usize,
    /// Found by CoreNLP.
    pub theirs: usize,
}

impl Retrieval {
    /// The share of ours that CoreNLP has too.
    pub fn precision(self) -> f64 {
        Share {
            agree: self.both,
            of: self.ours,
        }
        .ratio()
    }

    /// The share of CoreNLP's that we have too.
    pub fn recall(self) -> f64 {
        Share {
            agree: self.both,
            of: self.theirs,
        }
        .ratio()
    }

    /// The harmonic mean of precision and recall.
    pub fn f1(self) -> f64 {
        Share {
            agree: 2 * self.both,
            of: self.ours + self.theirs,
        }
        .ratio()
    }
}

/// Who is right where the readings differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// A known kind of error of CoreNLP: left out of the shares.
    TheirError,
    /// Nothing excuses us: counted against us.
    Against,
    /// We read a value where CoreNLP reads none: outside the shares.
    OnlyOurs,
}

/// A kind of disagreement, how often it occurs, and samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disagreement {
    /// What was read: `token`, `question number`, `cell date`…
    pub of: String,
    /// What went differently.
    pub kind: String,
    /// Who is right.
    pub verdict: Verdict,
    /// How often.
    pub count: usize,
    /// A few of them, spread over the whole.
    pub samples: Vec<String>,
}

/// The result of the comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Questions compared.
    pub questions: usize,
    /// Tables whose cells were compared.
    pub tables: usize,
    /// Cells compared.
    pub cells: usize,
    /// Tokens of CoreNLP that we cut the same way, out of all it has.
    pub tokens: Share,
    /// Numbers in questions, out of CoreNLP's right ones.
    pub question_numbers: Share,
    /// Dates in questions, out of CoreNLP's right ones.
    pub question_dates: Share,
    /// First numbers of cells of fewer than ten tokens, out of CoreNLP's right ones.
    pub cell_numbers: Share,
    /// Second numbers of the same cells, out of CoreNLP's right ones.
    pub cell_second_numbers: Share,
    /// Dates of cells, out of CoreNLP's right ones.
    pub cell_dates: Share,
    /// Cells for which both say whether they have ten tokens or more.
    pub cell_lengths: Share,
    /// Tokens tagged as comparative or superlative, whichever.
    pub comparison: Retrieval,
    /// The same, counted as found by both only with the same tag.
    pub comparison_by_tag: Retrieval,
    /// The disagreements by kind, most frequent first.
    pub disagreements: Vec<Disagreement>,
}

/// Compares this reader with the annotation of one portion of WikiTableQuestions (`pristine-seen-tables`) and
/// of the tables that it asks about. `dir` is the folder that holds `tagged/`.
pub fn agreement(dir: &Path, portion: &str) -> Result<Agreement, AgreementError> {
    let (questions, tables) = tagged::questions(dir, portion)?;
    let mut result = Agreement {
        questions: questions.len(),
        tables: tables.len(),
        ..Agreement::default()
    };
    let mut log = Log::default();
    for question in &questions {
        questions::compare(question, &mut result, &mut log);
    }
    for table in &tables {
        for cell in tagged::cells(dir, table)? {
            cells::compare(&cell, &mut result, &mut log);
        }
    }
    result.disagreements = log.finish();
    Ok(result)
}

/// Collects disagreements by kind.
#[derive(Default)]
struct Log {
    kinds: BTreeMap<(&'static str, &'static str, Verdict), (usize, Vec<String>)>,
}

impl Log {
    /// Samples kept of each kind.
    const SAMPLES: usize = 6;

    fn add(
        &mut self,
        of: &'static str,
        kind: &'static str,
        verdict: Verdict,
        sample: impl FnOnce() -> String,
    ) {
        let (count, samples) = self.kinds.entry((of, kind, verdict)).or_default();
        *count += 1;
        // The first ones, then ever rarer ones in place of the oldest: spread over the data, and the same
        // each time.
        if samples.len() < Self::SAMPLES {
            samples.push(sample());
        } else if count.is_power_of_two() {
            samples[count.trailing_zeros() as usize % Self::SAMPLES] = sample();
        }
    }

    fn finish(self) -> Vec<Disagreement> {
        let mut all: Vec<Disagreement> = self
            .kinds
            .into_iter()
            .map(|((of, kind, verdict), (count, samples))| Disagreement {
                of: of.into(),
                kind: kind.into(),
                verdict,
                count,
                samples,
            })
            .collect();
        all.sort_by_key(|d| std::cmp::Reverse(d.count));
        all
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} questions, {} tables, {} cells",
            self.questions, self.tables, self.cells
        )?;
        writeln!(f, "\nagreement with CoreNLP, of its right ones")?;
        for (what, share) in [
            ("tokens of questions", self.tokens),
            ("numbers in questions", self.question_numbers),
            ("dates in questions", self.question_dates),
            ("numbers of cells", self.cell_numbers),
            ("second numbers of cells", self.cell_second_numbers),
            ("dates of cells", self.cell_dates),
            ("ten tokens or more", self.cell_lengths),
        ] {
            writeln!(
                f,
                "  {what:<24} {:7.3} %  {:>7} of {}",
                100.0 * share.ratio(),
                share.agree,
                share.of
            )?;
        }
        writeln!(f, "\ncomparatives and superlatives")?;
        for (what, found) in [
            ("any", self.comparison),
            ("with the right tag", self.comparison_by_tag),
        ] {
            writeln!(
                f,
                "  {what:<24} precision {:.2} %, recall {:.2} %, F1 {:.2} %",
                100.0 * found.precision(),
                100.0 * found.recall(),
                100.0 * found.f1()
            )?;
        }
        for (verdict, title) in [
            (Verdict::Against, "counted against us"),
            (Verdict::TheirError, "errors of CoreNLP, left out of the shares"),
            (Verdict::OnlyOurs, "read by us alone"),
        ] {
            writeln!(f, "\n{title}")?;
            for d in self.disagreements.iter().filter(|d| d.verdict == verdict) {
                writeln!(f, "  {:>6}  {}: {}", d.count, d.of, d.kind)?;
                for sample in &d.samples {
                    writeln!(f, "            {sample}")?;
                }
            }
        }
        Ok(())
    }
}
