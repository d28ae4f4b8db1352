//! The parameters of a network on their way.

use std::sync::Arc;

use half::f16;
use mapo_model::NeuralPolicy;
use mapo_programmer::Network;

use crate::message::WrongMessage;
use crate::policies::Parcel;
use crate::{Error, Result};

/// Parameters in 32 bits, or in 16 where that was said. Words and shape are those of the model with which the
/// run began, which everyone has.
pub struct Parameters {
    /// The model with which the run began.
    pub start: Arc<Network>,
    /// Whether they travel in 16 bits.
    pub half: bool,
}

const FULL: u8 = 32;
const HALF: u8 = 16;

impl Parcel<NeuralPolicy> for Parameters {
    fn pack(&self, policy: &NeuralPolicy) -> Result<Vec<u8>> {
        let values = policy.network().values();
        Ok(match self.half {
            true => std::iter::once(HALF)
                .chain(
                    values
                        .iter()
                        .flat_map(|&value| f16::from_f32(value).to_le_bytes()),
                )
                .collect(),
            false => std::iter::once(FULL)
                .chain(values.iter().flat_map(|value| value.to_le_bytes()))
                .collect(),
        })
    }

    fn unpack(&self, bytes: &[u8]) -> Result<NeuralPolicy> {
        let wrong = |problem: &str| Error::from(WrongMessage::Content(problem.to_owned()));
        let (kind, content) = bytes.split_first().ok_or_else(|| wrong("it is empty"))?;
        let values: Vec<f32> = match *kind {
            FULL => {
                let (numbers, rest) = content.as_chunks::<4>();
                let values = numbers.iter().map(|&number| f32::from_le_bytes(number));
                rest.is_empty().then(|| values.collect())
            }
            HALF => {
                let (numbers, rest) = content.as_chunks::<2>();
                let values = numbers.iter().map(|&number| f16::from_le_bytes(number).to_f32());
                rest.is_empty().then(|| values.collect())
            }
            _ => None,
        }
        .ok_or_else(|| wrong("these are no parameters"))?;
        if values.len() != self.start.values().len() {
            return Err(wrong("there are more or fewer parameters than the run has"));
        }
        let (config, words) = (self.start.config().clone(), self.start.shared_words());
        let network = Network::with_values(config, words, values, false)?;
        Ok(NeuralPolicy::new(Arc::new(network)))
    }
}
