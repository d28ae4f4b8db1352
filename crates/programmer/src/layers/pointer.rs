//! The pointer: a softmax over the slots that are valid at a step.

use super::slots::{SlotGradient, SlotMemory};
use crate::kernels::rows::Rows;
use crate::kernels::vector::{add_scaled, dot, dots};

/// Log-probabilities of some slots for one output of the decoder, whose attention to the tokens of its
/// question was `attention`.
pub fn forward(
    memory: &SlotMemory,
    output: &[f32],
    attention: &[f32],
    slots: &[u32],
    log_probability: &mut [f32],
) {
    dots(output, Rows::indexed(&memory.slots, slots), log_probability);
    for (logit, &slot) in log_probability.iter_mut().zip(slots) {
        *logit += memory.slot_bias.get(slot as usize).copied().unwrap_or(0.0);
        if let Some(link) = memory.link(slot) {
            *logit += dot(&memory.links[link], attention);
        }
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
    /// (position among the slots, weight of its log-probability); the loss has −scale·Σ weight·log p.
    pub chosen: &'a [(u32, f32)],
    /// Multiplies the weights.
    pub scale: f32,
    /// The loss has this factor times the entropy.
    pub entropy: f32,
}

/// The gradient of the step's loss: writes that of the output, adds to those of the slots and of the
/// attention. `logits` is overwritten with the gradients of the logits.
#[allow(clippy::too_many_arguments)]
pub fn backward(
    memory: &SlotMemory,
    output: &[f32],
    attention: &[f32],
    slots: &[u32],
    wish: Wish<'_>,
    logits: &mut [f32],
    gradient: &mut SlotGradient,
    d_output: &mut [f32],
    d_attention: &mut [f32],
) {
    let total: f32 = wish.chosen.iter().map(|&(_, weight)| wish.scale * weight).sum();
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
        logits[position as usize] -= wish.scale * weight;
    }
    d_output.fill(0.0);
    for (&d, &slot) in logits.iter().zip(slots) {
        let slot = slot as usize;
        add_scaled(d, memory.slots.row(slot), d_output);
        add_scaled(d, output, gradient.slots.row_mut(slot));
        if let Some(bias) = gradient.slot_bias.get_mut(slot) {
            *bias += d;
        }
        if let Some(link) = memory.link(slot as u32) {
            add_scaled(d, &memory.links[link.clone()], d_attention);
            add_scaled(d, attention, &mut gradient.links[link]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use crate::random::Stream;

    const WIDTH: usize = 16;

    /// The loss of a step in f64, for an output and slots in one vector.
    fn loss(x: &[f64], bias: &[f32], slots: &[u32], wish: Wish<'_>) -> f64 {
        let (output, rows) = x.split_at(WIDTH);
        let logit = |&s: &u32| {
            let row = &rows[s as usize * WIDTH..][..WIDTH];
            row.iter().zip(output).map(|(r, o)| r * o).sum::<f64>() + f64::from(bias[s as usize])
        };
        let logits: Vec<f64> = slots.iter().map(logit).collect();
        let total = logits.iter().map(|l| l.exp()).sum::<f64>().ln();
        let score = |&(p, w): &(u32, f32)| f64::from(w * wish.scale) * (logits[p as usize] - total);
        let chosen: f64 = wish.chosen.iter().map(score).sum();
        let entropy = -logits
            .iter()
            .map(|l| (l - total).exp() * (l - total))
            .sum::<f64>();
        f64::from(wish.entropy) * entropy - chosen
    }

    #[test]
    fn pointers_equal_central_differences() {
        crate::kernels::on_every_arch(check_pointers_equal_central_differences);
    }

    fn check_pointers_equal_central_differences() {
        let mut stream = Stream::new(3, 1);
        let mut memory = SlotMemory::default();
        memory.slots.reset(4, WIDTH);
        memory.slot_bias = vec![0.1, -0.2, 0.3, 0.0];
        memory
            .slots
            .data_mut()
            .iter_mut()
            .for_each(|x| *x = 2.0 * stream.uniform() - 1.0);
        let output: Vec<f32> = (0..WIDTH).map(|_| 2.0 * stream.uniform() - 1.0).collect();
        let slots = [3, 0, 2];
        let wish = Wish {
            chosen: &[(2, 0.7), (0, -0.4)],
            scale: 0.5,
            entropy: 0.5,
        };
        let mut logits = [0.0; 3];
        forward(&memory, &output, &[], &slots, &mut logits);
        assert!((logits.iter().map(|l| l.exp()).sum::<f32>() - 1.0).abs() < 1e-6);
        let mut gradient = SlotGradient {
            slots: Matrix::zeros(4, WIDTH),
            slot_bias: vec![0.0; 4],
            ..SlotGradient::default()
        };
        let mut d_output = vec![9.0; WIDTH];
        backward(
            &memory,
            &output,
            &[],
            &slots,
            wish,
            &mut logits,
            &mut gradient,
            &mut d_output,
            &mut [],
        );
        assert!((gradient.slot_bias[0] - logits[1]).abs() < 1e-7 && gradient.slot_bias[1] == 0.0);
        let ours: Vec<f32> = d_output.iter().chain(gradient.slots.data()).copied().collect();
        let mut x: Vec<f64> = output
            .iter()
            .chain(memory.slots.data())
            .map(|&x| f64::from(x))
            .collect();
        let step = 1e-5;
        for i in 0..x.len() {
            let mut at = |by: f64| {
                x[i] += by;
                let value = loss(&x, &memory.slot_bias, &slots, wish);
                x[i] -= by;
                value
            };
            let numeric = (at(step) - at(-step)) / (2.0 * step);
            assert!(
                (f64::from(ours[i]) - numeric).abs() < 1e-3 * numeric.abs().max(1e-3),
                "{i}"
            );
        }
    }
}
