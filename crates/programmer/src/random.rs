//! Random numbers for initial values and dropout masks: a counter through a mixing function, so that a number
//! depends on its place alone and not on who asked before. Masks are therefore the same however a batch is
//! cut for threads.

/// Mixes a 64-bit value so that each output bit depends on all input bits (two rounds of multiply and
/// xor-shift).
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ (x >> 32)
}

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Stream {
    key: u64,
    count: u64,
}

impl Stream {
    /// The stream `place` of a seed; different places are independent.
    pub fn new(seed: u64, place: u64) -> Self {
        Self {
            key: mix(mix(seed ^ 0x6d61_706f).wrapping_add(place)),
            count: 0,
        }
    }

    /// The next 64 random bits.
    pub fn next_bits(&mut self) -> u64 {
        self.count += 1;
        mix(self
            .key
            .wrapping_add(self.count.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f32 {
        (self.next_bits() >> 40) as f32 / (1u64 << 24) as f32
    }
}

/// Fills a dropout mask: 0 with probability `rate`, else 1/(1−rate).
pub fn fill_mask(seed: u64, place: u64, rate: f32, mask: &mut [f32]) {
    let key = Stream::new(seed, place).key;
    let keep = 1.0 / (1.0 - rate);
    let limit = (f64::from(rate) * 65536.0) as u64;
    for (chunk, four) in mask.chunks_mut(4).enumerate() {
        let bits = mix(key.wrapping_add((chunk as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        for (i, x) in four.iter_mut().enumerate() {
            *x = if (bits >> (16 * i)) & 0xffff < limit {
                0.0
            } else {
                keep
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_the_right_rate_and_depend_on_place_alone() {
        let mut a = vec![0.0; 20_000];
        fill_mask(1, 2, 0.2, &mut a);
        let zeros = a.iter().filter(|&&x| x == 0.0).count() as f64 / a.len() as f64;
        assert!((zeros - 0.2).abs() < 0.01, "{zeros}");
        assert!(a.iter().all(|&x| x == 0.0 || x == 1.25));
        let mut b = vec![0.0; 20_000];
        fill_mask(1, 2, 0.2, &mut b);
        assert_eq!(a, b);
        fill_mask(1, 3, 0.2, &mut b);
        assert_ne!(a, b);
    }

    #[test]
    fn uniform_numbers_fill_the_unit_interval() {
        let mut stream = Stream::new(3, 0);
        let mean: f32 = (0..10_000).map(|_| stream.uniform()).sum::<f32>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02);
    }
}
