//! What trained models make of the programs of a memory, so that one model can learn what several agree on.

use mapo_core::{Action, Env, Policy, PrefixTree, score_by_level};
use mapo_datasets::{Example, Pruning, TableEnv};
use mapo_language::{Assistance, Program};
use mapo_model::NeuralPolicy;
use mapo_model::file::check_functions;
use mapo_model::inputs::encode::encode_all;
use mapo_programmer::Network;
use rayon::prelude::*;
use std::sync::Arc;

use crate::Result;

/// Questions that are scored together by one thread.
const TOGETHER: usize = 16;

/// How models share their belief among the programs for each question, the mean over the models: the shares of a
/// question add up to 1, unless none of its programs can be written. One that cannot has none. On the current rayon
/// pool.
///
/// # Errors
/// Those of the networks; if a model does not know the functions of the examples' programs.
pub fn shares(
    models: &[Arc<Network>],
    examples: &[Example],
    programs: &[&[String]],
) -> Result<Vec<Vec<f64>>> {
    for model in models {
        check_functions(model, examples)?;
    }
    let shared = examples
        .par_chunks(TOGETHER)
        .zip(programs.par_chunks(TOGETHER))
        .map(|(examples, programs)| {
            let known: Vec<Known> = examples
                .iter()
                .zip(programs)
                .map(|(example, programs)| Known::new(example, programs))
                .collect();
            let mut shares: Vec<Vec<f64>> = programs
                .iter()
                .map(|programs| vec![0.0; programs.len()])
                .collect();
            for model in models {
                add_shares(model, examples, &known, 1.0 / models.len() as f64, &mut shares)?;
            }
            Ok(shares)
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(shared.into_iter().flatten().collect())
}

/// The programs for a question that can be written.
struct Known {
    tree: PrefixTree,
    /// The place of each among all.
    places: Vec<usize>,
}

impl Known {
    fn new(example: &Example, programs: &[String]) -> Self {
        let context = example.context();
        let mut env = TableEnv::new(example, Pruning::None, Assistance::All);
        let (mut places, mut writable) = (Vec::new(), Vec::new());
        for (place, text) in programs.iter().enumerate() {
            let tokens = text.parse().ok();
            let tokens = tokens.and_then(|program: Program| context.encode(&program).ok());
            if let Some(tokens) = tokens {
                places.push(place);
                writable.push(tokens.iter().map(|token| Action(token.0)).collect::<Vec<_>>());
            }
        }
        loop {
            match env.tree_of(writable.iter().map(Vec::as_slice)) {
                Ok(tree) => return Self { tree, places },
                Err(place) => {
                    places.remove(place);
                    writable.remove(place);
                }
            }
        }
    }
}

/// Adds how a model shares its belief, with this weight.
fn add_shares(
    model: &Arc<Network>,
    examples: &[Example],
    known: &[Known],
    weight: f64,
    shares: &mut [Vec<f64>],
) -> Result<()> {
    let inputs = encode_all(model.config(), model.words(), examples);
    let mut policy = NeuralPolicy::new(Arc::clone(model));
    policy.read(&inputs.iter().collect::<Vec<_>>())?;
    let trees: Vec<(usize, &PrefixTree)> = known
        .iter()
        .enumerate()
        .filter(|(_, known)| !known.places.is_empty())
        .map(|(example, known)| (example, &known.tree))
        .collect();
    for (scores, &(example, tree)) in score_by_level(&mut policy, &trees)?.iter().zip(&trees) {
        let logs = scores.programs(tree);
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let all: f64 = logs.iter().map(|log| (log - most).exp()).sum();
        for (log, &place) in logs.iter().zip(&known[example].places) {
            shares[example][place] += weight * (log - most).exp() / all;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use mapo_datasets::sources::toy::{SEED, Split, generate};
    use mapo_model::inputs::vocabulary::trained;

    #[test]
    fn shares_are_of_what_can_be_written_and_the_mean_of_the_models() {
        let made = generate(Split::Train, SEED, 2);
        let examples: Vec<Example> = made.into_iter().map(Example::from).collect();
        let column = examples[0].table.columns()[0].name();
        let programs = [
            format!("(first all_rows) (hop v0 {column})"),
            "no program".to_owned(),
            format!("(last all_rows) (hop v0 {column})"),
            "(hop all_rows r.nothing)".to_owned(),
        ];
        let none = ["(".to_owned()];
        let words = trained(&examples, 1, 4).unwrap();
        let network = |seed| {
            let config = Settings::toy().config(4, examples[0].language.lexicon.builtins());
            Arc::new(Network::new(config, Arc::clone(&words), seed).unwrap())
        };
        let (one, other) = (network(1), network(2));
        let of = |models: &[Arc<Network>]| shares(models, &examples, &[&programs[..], &none[..]]).unwrap();
        let both = of(&[Arc::clone(&one), Arc::clone(&other)]);
        let each = [of(&[one]), of(&[other])];
        assert_eq!(both[1], [0.0]);
        assert_eq!((both[0][1], both[0][3]), (0.0, 0.0));
        assert!((both[0].iter().sum::<f64>() - 1.0).abs() < 1e-9, "{both:?}");
        for place in [0, 2] {
            let mean = 0.5 * (each[0][0][place] + each[1][0][place]);
            assert!((both[0][place] - mean).abs() < 1e-9);
            assert!(both[0][place] > 0.0);
        }
        assert_ne!(each[0][0][0], each[1][0][0], "they do not agree");
    }
}
