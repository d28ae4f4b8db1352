//! Models that answer the questions of a dataset together.

use crate::data_args::DataArgs;
use mapo_datasets::{Dataset, ReadingDifference, Selection};
use mapo_model::Card;
use mapo_model::confidence::Calibration;
use mapo_model::file::{load, same_functions};
use mapo_model::search::Breadth;
use mapo_model::second_look::SecondLook;
use mapo_programmer::{Checkpoint, Network, Summary};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Models with their cards.
pub struct Models {
    files: Vec<PathBuf>,
    /// The models.
    pub networks: Vec<Arc<Network>>,
    /// Their cards.
    pub cards: Vec<Card>,
}

impl Models {
    /// Reads models from their files; `box` is the model in the box.
    pub fn load(files: &[PathBuf]) -> Result<Self, Box<dyn Error>> {
        let (mut networks, mut cards) = (Vec::new(), Vec::new());
        for file in files {
            let (network, card) = load(file, false)?;
            networks.push(Arc::new(network));
            cards.push(card);
        }
        Ok(Self {
            files: files.to_vec(),
            networks,
            cards,
        })
    }

    /// The examples that arguments name.
    pub fn selection(&self, args: &DataArgs) -> Result<Selection, Box<dyn Error>> {
        self.select(&args.data, args.selection.selection())
    }

    /// A selection of a dataset for what the models know, read as they were trained unless the selection says
    /// otherwise.
    pub fn select(&self, data: &Dataset, selection: Selection) -> Result<Selection, Box<dyn Error>> {
        let trained = |card: &Card| data.selection_for(selection.clone(), card.reading_of(data));
        let selections: Vec<Selection> = self.cards.iter().map(trained).collect();
        let Some(first) = selections.first() else {
            return Ok(selection);
        };
        for (file, other) in self.files.iter().zip(&selections) {
            let difference = data.reading(other).difference(&data.reading(first));
            if let Some(difference) = difference {
                let ReadingDifference {
                    switch,
                    found,
                    wanted,
                } = difference;
                return Err(format!(
                    "{}: trained with {switch} {found}, but {} with {switch} {wanted}; choose with --{switch}",
                    file.display(),
                    self.files[0].display()
                )
                .into());
            }
        }
        Ok(Selection {
            functions: Some(same_functions(&self.cards)?),
            ..first.clone()
        })
    }

    /// How a single model looks at its answers again, if it does; a second look is that of one model.
    pub fn second_look(&self) -> Option<&SecondLook> {
        match &self.cards[..] {
            [card] => card.second_look.as_ref(),
            _ => None,
        }
    }

    /// How far beam search looks: as somebody says, or as a single model's card does.
    pub fn breadth(&self, said: Option<usize>) -> Breadth {
        match (said, &self.cards[..]) {
            (Some(width), _) => width.into(),
            (None, [card]) => card.breadth(),
            (None, _) => Breadth::default(),
        }
    }

    /// How far the answers of a single model can be trusted, if it knows; a calibration is that of one model.
    pub fn calibration(&self) -> Option<&Calibration> {
        match &self.cards[..] {
            [card] => card.calibration.as_ref(),
            _ => None,
        }
    }
}

/// Changes the card of a model's file. Nothing else in the file changes.
pub fn change_card(file: &Path, change: impl FnOnce(&mut Card)) -> Result<(), Box<dyn Error>> {
    let summary = Summary::read(file)?;
    let mut card = Card::read(&summary.notes);
    change(&mut card);
    // Only packing makes 16 bits of 32; older files do not say so.
    card.before_packing |= card.dev_accuracy.is_some() && summary.parameter_bits == 16;
    let notes = card.write()?;
    Checkpoint::change_notes(file, |old| *old = notes)?;
    Ok(())
}
