//! The functions that a model knows. Each has a row of the model's parameters; the card names them in their
//! order.

use mapo_datasets::Example;
use mapo_language::Lexicon;
use mapo_programmer::Network;
use std::sync::Arc;

use super::Card;
use crate::{Error, Result};

/// The functions that models which answer together know.
///
/// # Errors
/// If they do not know the same, in the same order: a program is other numbers to each.
pub fn same_functions<'a>(cards: impl IntoIterator<Item = &'a Card>) -> Result<Lexicon> {
    let mut all = cards.into_iter().map(Card::functions);
    let first = all.next().transpose()?.unwrap_or_default();
    for other in all {
        if other? != first {
            return Err(Error::OtherFunctions(
                "the models do not know the same functions, so they cannot answer together",
            ));
        }
    }
    Ok(first)
}

/// Checks that a network has as many built-in tokens as the examples' programs.
///
/// # Errors
/// If not: the examples were read for a model that knows other functions.
pub fn check_functions<'a>(network: &Network, examples: impl IntoIterator<Item = &'a Example>) -> Result<()> {
    let known = network.config().builtins;
    let fits = |example: &Example| example.language.lexicon.builtins() == known;
    match examples.into_iter().all(fits) {
        true => Ok(()),
        false => Err(Error::OtherFunctions(
            "the questions were read for other functions than the model knows",
        )),
    }
}

/// The same network for whoever wants other functions. Those that it knows stay what they are; what is new
/// to it begins as in a new network.
///
/// # Errors
/// Those of the network.
pub fn knowing(network: Network, known: &Lexicon, wanted: &Lexicon, seed: u64) -> Result<Network> {
    if known == wanted {
        return Ok(network);
    }
    let mut config = network.config().clone();
    config.builtins = wanted.builtins();
    let (words, trainable) = (network.shared_words(), network.trainable());
    let fresh = Network::new(config.clone(), Arc::clone(&words), seed)?;
    let mut values = fresh.values().to_vec();
    let entries = network.layout().entries.iter().zip(&fresh.layout().entries);
    for (place, (old, new)) in entries.enumerate() {
        if place != network.layout().ids.builtins {
            values[new.range()].copy_from_slice(&network.values()[old.range()]);
            continue;
        }
        // `<END>`, `(` and `)` come before the functions, `all_rows` after them.
        let functions = known
            .functions()
            .iter()
            .enumerate()
            .filter_map(|(row, function)| {
                let place = wanted.functions().iter().position(|other| other == function)?;
                Some((3 + row, 3 + place))
            });
        let ends = [
            (0, 0),
            (1, 1),
            (2, 2),
            (known.builtins() - 1, wanted.builtins() - 1),
        ];
        for (from, to) in functions.chain(ends) {
            let row =
                |start: usize, number: usize| start + number * old.cols..start + (number + 1) * old.cols;
            values[row(new.offset, to)].copy_from_slice(&network.values()[row(old.offset, from)]);
        }
    }
    Ok(Network::with_values(config, words, values, trainable)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_programmer::{Checkpoint, Config, Precision, Vectors, Words};
    use serde_json::json;

    fn network(lexicon: &Lexicon, seed: u64) -> Network {
        let vectors = Vectors {
            dimensions: 4,
            ..Vectors::default()
        };
        let words = Words::new(&["a".to_owned(), "b".to_owned()], &vectors, Precision::Half).unwrap();
        let config = Config {
            vector: 4,
            hidden: 4,
            attention: 4,
            ..Config::paper(lexicon.builtins())
        };
        Network::new(config, Arc::new(words), seed).unwrap()
    }

    fn rows(network: &Network) -> Vec<&[f32]> {
        let entry = &network.layout().entries[network.layout().ids.builtins];
        network.values()[entry.range()].chunks(entry.cols).collect()
    }

    #[test]
    fn functions_keep_their_rows_and_new_ones_begin_afresh() {
        let known = Lexicon::named(&["hop", "count"]).unwrap();
        let wanted = Lexicon::named(&["count", "sum", "hop"]).unwrap();
        let old = network(&known, 1);
        let new = knowing(old.clone(), &known, &wanted, 2).unwrap();
        let (before, after, fresh) = (rows(&old), rows(&new), network(&wanted, 2));
        assert_eq!(after.len(), 7);
        assert_eq!(after[..3], before[..3]);
        assert_eq!((after[3], after[5], after[6]), (before[4], before[3], before[5]));
        assert_eq!(after[4], rows(&fresh)[4]);
        let start = |network: &Network| {
            let entry = &network.layout().entries[network.layout().ids.start];
            network.values()[entry.range()].to_vec()
        };
        assert_eq!(start(&new), start(&old));
        assert_eq!(
            knowing(new.clone(), &wanted, &wanted, 3).unwrap().values(),
            new.values()
        );
    }

    #[test]
    fn a_file_names_its_functions_or_has_the_papers() {
        let folder = tempfile::tempdir().unwrap();
        let load = |lexicon: &Lexicon, notes: serde_json::Value| {
            let file = folder.path().join("model.safetensors");
            let checkpoint = Checkpoint::model(network(lexicon, 1), notes);
            checkpoint.save(&file).unwrap();
            let loaded = crate::file::load(&file, false);
            loaded.map(|(_, card)| card.functions().unwrap())
        };
        let few = Lexicon::named(&["count", "hop"]).unwrap();
        assert_eq!(load(&few, json!({ "functions": ["count", "hop"] })).unwrap(), few);
        assert_eq!(load(&Lexicon::PAPER, json!({})).unwrap(), Lexicon::PAPER);
        let unknown = load(&few, json!({ "functions": ["count", "juggle"] }))
            .unwrap_err()
            .to_string();
        let expected = "model.safetensors: there is no function 'juggle' in this version of mapo";
        assert!(unknown.ends_with(expected), "{unknown}");
        let other = load(&few, json!({})).unwrap_err().to_string();
        assert!(
            other.ends_with("made for another language; train it again"),
            "{other}"
        );
    }

    #[test]
    fn models_that_know_other_functions_do_not_answer_together() {
        let card = |names: &[&str]| Card {
            functions: (!names.is_empty()).then(|| names.iter().map(|name| (*name).to_owned()).collect()),
            ..Card::default()
        };
        assert_eq!(same_functions([]).unwrap(), Lexicon::PAPER);
        assert_eq!(
            same_functions(&[card(&[]), card(&Lexicon::PAPER.names())]).unwrap(),
            Lexicon::PAPER
        );
        let error = same_functions(&[card(&["hop"]), card(&["count"])])
            .unwrap_err()
            .to_string();
        assert!(error.contains("do not know the same functions"), "{error}");
        let error = same_functions(&[card(&["juggle"])]).unwrap_err().to_string();
        assert!(error.contains("there is no function 'juggle'"), "{error}");
    }
}
