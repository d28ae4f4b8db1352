//! The pointer: a softmax over the slots that are valid at a step.

use super::encoder::{Memory, MemoryGradient};
use crate::kernels::product::Rows;
use crate::kernels::vector::{add_scaled, dots};

/// Log-probabilities of some slots for one output of the decoder.
pub fn forward(memory: &Memory, output: &[f32], slots: &[u32], log_probability: &mut [f32]) {
    dots(output, Rows::indexed(&memory.slots, slots), log_probability);
    for (logit, &slot) in log_probability.iter_mut().zip(slots) {
        *logit += memory.slot_bias.get(slot as usize).copied().unwrap_or(0.0);
    }
    normalise(log_probability);
}

/// Turns logits into log-probabilities in place.
pub fn normalise(logits: &mut [f32]) {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = logits.iter().map(|x| (x - largest).exp()).sum();
    let total = largest + sum.ln();
    logits.iter_mut().for_each(|x| *x -= total);
}

/// −Σ p·log p.
pub fn entropy(log_probability: &[f32]) -> f32 {
    -log_probability.iter().map(|&l| l.exp() * l).sum::<f32>()
}

/// What a step wants: weights of slots, and the factor of the entropy in the loss.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// (position among the slots, weight of its log-probability); the loss has −Σ weight·log p.
    pub chosen: &'a [(u32, f32)],
    /// The loss has factor·entropy.
    pub entropy: f32,
}

/// The gradient of the step's loss: writes that of the output, adds to those of the slots. `logits` is overwritten with the gradients of the logits.
pub fn backward(
    memory: &Memory,
    output: &[f32],
    slots: &[u32],
    wish: Wish<'_>,
    logits: &mut [f32],
    gradient: &mut MemoryGradient,
    d_output: &mut [f32],
) {
    let total: f32 = wish.chosen.iter().map(|&(_, weight)| weight).sum();
    let mean = if wish.entropy == 0.0 { 0.0 } else { entropy(logits) };
    for l in logits.iter_mut() {
        let p = l.exp();
        *l = total * p
            - if wish.entropy == 0.0 {
                0.0
            } else {
                wish.entropy * p * (*l + mean)
            };
    }
    for &(position, weight) in wish.chosen {
        logits[position as usize] -= weight;
    }
    d_output.fill(0.0);
    for (&d, &slot) in logits.iter().zip(slots) {
        let slot = slot as usize;
        add_scaled(d, memory.slots.row(slot), d_output);
        add_scaled(d, output, gradient.slots.row_mut(slot));
        if let Some(bias) = gradient.slot_bias.get_mut(slot) {
            *bias += d;
        }
    }
}
