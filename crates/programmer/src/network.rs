//! A network: configuration, words, parameters, and the parameters packed for products.

use crate::config::{Config, EncoderConfig};
use crate::error::{Error, Result};
use crate::layers::Layers;
use crate::parameters::{EntryId, Ids, Layout};
use crate::transformer::{Trained, Transformer};
use crate::words::Words;
use std::sync::Arc;

/// A network that can be run.
#[derive(Clone, Debug)]
pub struct Network {
    config: Config,
    words: Arc<Words>,
    layout: Arc<Layout>,
    values: Vec<f32>,
    layers: Layers,
    /// The published encoder beneath; a network whose words come without one can be kept, not run.
    encoder: Option<Transformer>,
    trainable: bool,
}

impl Network {
    /// A network with random parameters, ready for training.
    ///
    /// # Errors
    /// [`Error::Config`] if the configuration is unusable or the word vectors have another size.
    pub fn new(config: Config, words: Arc<Words>, seed: u64) -> Result<Self> {
        config.check()?;
        let layout = Arc::new(Layout::new(&config, words.trained()));
        let mut values = layout.initial(&config, seed);
        if let (Some(encoder), Some(published)) = (&config.encoder, words.published()) {
            let (weights, place) = (&published.weights, layout.encoder());
            let entries = weights.entries().iter().zip(encoder.shape.parts());
            let trained = entries.filter(|&(_, part)| encoder.trains(part));
            let numbers = trained.flat_map(|(entry, _)| &weights.values()[entry.range()]);
            values[place].iter_mut().zip(numbers).for_each(|(x, &y)| *x = y);
        }
        Self::with_values(config, words, values, true)
    }

    /// A network with given parameters. With `trainable` it can be trained; without, it takes less memory.
    ///
    /// # Errors
    /// [`Error::Config`] if the configuration is unusable, or words or values have another size.
    pub fn with_values(config: Config, words: Arc<Words>, values: Vec<f32>, trainable: bool) -> Result<Self> {
        config.check()?;
        if words.dimensions() != config.vector {
            return Err(Error::Config(format!(
                "word vectors of {} numbers for a network of {}",
                words.dimensions(),
                config.vector
            )));
        }
        let layout = Arc::new(Layout::new(&config, words.trained()));
        if values.len() != layout.len() {
            return Err(Error::Config(format!(
                "{} parameters for a network of {}",
                values.len(),
                layout.len()
            )));
        }
        let layers = Layers::new(&layout.ids);
        let encoder = match (&config.encoder, words.published()) {
            (Some(encoder), Some(published)) => {
                if *published.weights.shape() != encoder.shape {
                    return Err(Error::Config(
                        "the encoder has other sizes than the network was made for".into(),
                    ));
                }
                let trained = Trained::upper(&encoder.shape, encoder.trained);
                let (weights, numbers) = (Arc::clone(&published.weights), &values[layout.encoder()]);
                Some(Transformer::with_values(weights, trained, numbers, trainable)?)
            }
            _ => None,
        };
        let mut network = Self {
            config,
            words,
            layout,
            values,
            layers,
            encoder,
            trainable,
        };
        network
            .layers
            .refresh(&network.layout, &network.values, trainable);
        Ok(network)
    }

    /// The same network, of whose encoder so many upper layers are trained from now on: those that were not begin as
    /// they were read, and the network does what it did.
    ///
    /// # Errors
    /// [`Error::Config`] if there is no encoder, or more of it is trained already: what was trained stays trained.
    pub fn with_trained_encoder(self, layers: usize) -> Result<Self> {
        self.check_whole()?;
        let (Some(known), Some(published)) = (self.config.encoder, self.words.published()) else {
            return Err(Error::Config(
                "the network reads through no published encoder".into(),
            ));
        };
        if layers < known.trained {
            return Err(Error::Config(format!(
                "{} layers of the network's encoder are trained already, which cannot be {layers} again",
                known.trained
            )));
        }
        let wanted = EncoderConfig {
            trained: layers,
            ..known
        };
        let weights = &published.weights;
        let entries = weights.entries().iter().zip(known.shape.parts());
        let fixed = entries.filter(|&(_, part)| wanted.trains(part) && !known.trains(part));
        let place = self.layout.encoder().start;
        let mut values = self.values[..place].to_vec();
        // What is trained of an encoder are its uppermost layers, which come last.
        values.extend(fixed.flat_map(|(entry, _)| &weights.values()[entry.range()]));
        values.extend_from_slice(&self.values[place..]);
        let config = Config {
            encoder: Some(wanted),
            ..self.config
        };
        Self::with_values(config, self.words, values, self.trainable)
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The vocabulary.
    pub fn words(&self) -> &Words {
        &self.words
    }

    /// The vocabulary, shared.
    pub fn shared_words(&self) -> Arc<Words> {
        Arc::clone(&self.words)
    }

    /// Where each parameter lies.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// All parameters.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Whether the network can be trained.
    pub fn trainable(&self) -> bool {
        self.trainable
    }

    /// Changes parameters and packs them anew.
    pub fn update<T>(&mut self, change: impl FnOnce(&mut [f32]) -> T) -> T {
        let result = change(&mut self.values);
        self.refresh();
        result
    }

    fn refresh(&mut self) {
        self.layers.refresh(&self.layout, &self.values, self.trainable);
        if let Some(encoder) = &mut self.encoder {
            encoder.refresh(&self.values[self.layout.encoder()]);
        }
    }

    /// The published encoder beneath, with its trained numbers.
    pub(crate) fn encoder(&self) -> Option<(&Transformer, &[f32])> {
        let encoder = self.encoder.as_ref()?;
        Some((encoder, &self.values[self.layout.encoder()]))
    }

    /// Checks that everything is there that running the network needs.
    pub(crate) fn check_whole(&self) -> Result<()> {
        if self.config.encoder.is_some() && self.encoder.is_none() {
            return Err(Error::Config(
                "the network reads through a published encoder, which did not come with it".into(),
            ));
        }
        Ok(())
    }

    pub(crate) fn layers(&self) -> &Layers {
        &self.layers
    }

    pub(crate) fn ids(&self) -> &Ids {
        &self.layout.ids
    }

    pub(crate) fn entry(&self, id: EntryId) -> &[f32] {
        &self.values[self.layout.entries[id].range()]
    }
}
