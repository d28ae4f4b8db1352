//! Sums that keep what a double loses.

/// A sum in the making, after Neumaier: what each addition rounds off is added up apart, as SQLite does it. So
/// 1 + 2 + 1e308 + 3 - 1e308 is 6, and whole numbers add up exactly as long as their sum is a double.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Adding {
    pub sum: f64,
    /// What was rounded off so far.
    pub rest: f64,
}

impl Adding {
    /// With one more number.
    pub fn and(self, number: f64) -> Self {
        let sum = self.sum + number;
        let lost = match self.sum.abs() > number.abs() {
            true => (self.sum - sum) + number,
            false => (number - sum) + self.sum,
        };
        Adding {
            sum,
            rest: self.rest + lost,
        }
    }

    /// All of them together.
    pub fn total(self) -> f64 {
        match self.rest.is_finite() {
            true => self.sum + self.rest,
            false => self.sum,
        }
    }
}

/// The sum of some numbers; nothing if it is larger than numbers can be. Sums on the way may be.
pub(crate) fn sum(numbers: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let total = numbers.clone().fold(Adding::default(), Adding::and).total();
    if total.is_finite() {
        return Some(total);
    }
    // Much smaller, by a power of two, which changes no digit.
    let scale = f64::from_bits(0x3BF0_0000_0000_0000); // 2⁻⁶⁴
    let small = numbers.fold(Adding::default(), |adding, number| adding.and(number * scale));
    Some(small.total() / scale).filter(|total| total.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(numbers: &[f64]) -> Option<f64> {
        sum(numbers.iter().copied())
    }

    #[test]
    fn nothing_is_lost() {
        assert_eq!(of(&[]), Some(0.0));
        assert_eq!(of(&[1.0, 2.0, 1e308, 3.0, -1e308]), Some(6.0));
        assert_eq!(of(&[1e308, 1e308, -1e308]), Some(1e308));
        assert_eq!(of(&[1e308, 1e308]), None);
        assert_eq!(of(&[0.1; 10]), Some(1.0));
        let large = 9_007_199_254_740_992.0;
        assert_eq!(of(&[large, 1.0, 1.0]), Some(large + 2.0));
    }

    proptest! {
        #[test]
        fn whole_numbers_add_up_exactly(numbers in prop::collection::vec(-(1_i64 << 53)..1 << 53, 0..40)) {
            let exact: i128 = numbers.iter().map(|number| i128::from(*number)).sum();
            let floats: Vec<f64> = numbers.iter().map(|number| *number as f64).collect();
            prop_assert_eq!(of(&floats), Some(exact as f64));
        }
    }
}
