//! Who has how many shards.

/// Divides shards by the speeds of those who want them: each has at least one while there are enough. Of an
/// actor that is not measured yet, the mean of the others is expected.
pub(crate) fn shares(shards: usize, speeds: &[f64]) -> Vec<usize> {
    let actors = speeds.len();
    if actors == 0 {
        return Vec::new();
    }
    if shards <= actors {
        return (0..actors).map(|actor| usize::from(actor < shards)).collect();
    }
    let is_known = |speed: &&f64| speed.is_finite() && **speed > 0.0;
    let known: Vec<f64> = speeds.iter().filter(is_known).copied().collect();
    let mean = match known.is_empty() {
        true => 1.0,
        false => known.iter().sum::<f64>() / known.len() as f64,
    };
    let speeds: Vec<f64> = speeds
        .iter()
        .map(|speed| if is_known(&speed) { *speed } else { mean })
        .collect();
    let total: f64 = speeds.iter().sum();
    // One for each, and of the rest what its speed says.
    let rest = shards - actors;
    let exact: Vec<f64> = speeds.iter().map(|speed| rest as f64 * speed / total).collect();
    let mut shares: Vec<usize> = exact.iter().map(|share| 1 + *share as usize).collect();
    let mut order: Vec<usize> = (0..actors).collect();
    order.sort_by(|&one, &other| {
        exact[other]
            .fract()
            .total_cmp(&exact[one].fract())
            .then(one.cmp(&other))
    });
    let missing = shards.saturating_sub(shares.iter().sum());
    for &actor in order.iter().cycle().take(missing) {
        shares[actor] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_fast_have_more_and_everyone_has_one() {
        assert_eq!(shares(64, &[1.0, 1.0]), [32, 32]);
        assert_eq!(shares(10, &[3.0, 1.0]), [7, 3]);
        assert_eq!(shares(10, &[1e9, 1.0, 0.0]), [6, 1, 3]);
        assert_eq!(shares(2, &[1.0, 2.0, 3.0]), [1, 1, 0]);
        assert_eq!(shares(1, &[f64::NAN]), [1]);
    }

    proptest! {
        #[test]
        fn nothing_is_left_over(shards in 0..200_usize, speeds in prop::collection::vec(0.0..100.0, 1..40)) {
            let given = shares(shards, &speeds);
            prop_assert_eq!(given.iter().sum::<usize>(), shards);
            prop_assert!(shards < speeds.len() || given.iter().all(|&share| share > 0));
        }
    }
}
