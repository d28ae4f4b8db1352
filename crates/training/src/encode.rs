//! A question beside its table, as the network sees it.

use mapo_programmer::{Columns, Config, Example as Encoded, Span, Words};
use mapo_tables::{Constant, Example, FunctionSet, Question, Table};
use std::ops::Range;
use std::sync::Arc;

use crate::vocabulary::{DATE, NUMBER, UNKNOWN};

/// Tokens of programs that are the same in every example: `<END>`, `(`, `)`, the functions and `all_rows`.
pub const BUILTINS: usize = 3 + FunctionSet::COUNT + 1;

/// The token that finishes an expression, and so makes a variable: `)`.
pub const CLOSE: u16 = 2;

/// What the network sees of an example; actors and the learner share it.
pub type Input = Arc<Encoded>;

/// The examples as the network sees them.
pub fn encode_all(config: &Config, words: &Words, examples: &[Example]) -> Vec<Input> {
    examples
        .iter()
        .map(|example| Arc::new(encode(config, words, &example.question, &example.table)))
        .collect()
}

/// How much one word counts where columns have two features. The features' weights start at nothing and Adam moves
/// them by about the learning rate a step, whatever the gradient: a larger unit makes them useful sooner.
const UNIT: f32 = 4.0;

/// The features of a column of whose name so many words are in the question. With one feature, that number, as in the
/// paper; with two, also which part of the name they are: a question about silver medals has one word of
/// `gold_medals` and one of `silver`.
fn column_features(features: usize, mentioned: u32, words: usize) -> Vec<f32> {
    let mentioned = mentioned as f32;
    let mut all = match features {
        0 | 1 => vec![mentioned],
        _ => vec![UNIT * mentioned, UNIT * mentioned / words.max(1) as f32],
    };
    all.resize(features, 0.0);
    all
}

/// A question and its table as the network sees them. The slots that follow, built-ins, columns, constants and
/// variables, have the numbers that the tokens of programs have.
pub fn encode(config: &Config, words: &Words, question: &Question, table: &Table) -> Encoded {
    let id = |word: &str| words.id(word).or_else(|| words.id(UNKNOWN)).unwrap_or(0);
    let mut stand_ins = vec![UNKNOWN; question.tokens.len()];
    for mention in &question.mentions {
        let stand_in = match mention.constant {
            Constant::Strings(_) => continue,
            Constant::Numbers(_) => NUMBER,
            Constant::Dates(_) => DATE,
        };
        if let Some(tokens) = stand_ins.get_mut(mention.span.clone()) {
            tokens.fill(stand_in);
        }
    }
    let tokens = question.tokens.iter().zip(&stand_ins);
    let mut tokens: Vec<u32> = tokens
        .map(|(token, stand_in)| words.id(token).unwrap_or_else(|| id(stand_in)))
        .collect();
    let mut token_features: Vec<f32> = question.features.iter().map(|&feature| feature.into()).collect();
    if tokens.is_empty() {
        // A network reads at least one word.
        tokens.push(id(UNKNOWN));
        token_features.push(0.0);
    }
    let mut columns = Columns::default();
    for (column, &feature) in table.columns().iter().zip(&question.column_features) {
        let name: Vec<u32> = column.words().map(id).collect();
        let features = column_features(config.column_features, feature, name.len());
        columns.push(&name, id(column.kind().suffix()), &features);
    }
    let last = tokens.len() as u32 - 1;
    let span = |span: &Range<usize>| {
        let first = (span.start as u32).min(last);
        Span {
            first,
            last: (span.end.saturating_sub(1) as u32).clamp(first, last),
        }
    };
    Encoded {
        constants: question
            .mentions
            .iter()
            .map(|mention| span(&mention.span))
            .collect(),
        tokens,
        token_features,
        columns,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary;
    use mapo_tables::datasets::toy::{SEED, Split, generate};
    use mapo_tables::{Symbol, Token};

    #[test]
    fn slots_are_the_tokens_of_programs() {
        let examples: Vec<Example> = generate(Split::Train, SEED, 60)
            .into_iter()
            .map(Example::from)
            .collect();
        let words = vocabulary::trained(&examples, 2, 8).unwrap();
        let config = mapo_programmer::Config {
            vector: 8,
            ..mapo_programmer::Config::paper(BUILTINS)
        };
        let inputs = encode_all(&config, &words, &examples);
        for (example, input) in examples.iter().zip(&inputs) {
            input.check(&config, words.len(), 0).unwrap();
            let context = example.context();
            assert_eq!(context.token(Symbol::Close), Token(CLOSE));
            assert_eq!(context.token(Symbol::AllRows), Token(BUILTINS as u16 - 1));
            assert_eq!(
                context.token(Symbol::Variable(0)),
                Token(input.fixed_slots(&config) as u16)
            );
            assert_eq!(context.constants().len(), input.constants.len());
            for (column, typed) in example.table.columns().iter().enumerate() {
                assert_eq!(input.columns.words(column).len(), typed.words().count());
                assert_eq!(
                    words.names()[input.columns.kind(column) as usize],
                    typed.kind().suffix()
                );
            }
            for (token, &word) in example.question.tokens.iter().zip(&input.tokens) {
                let name = &words.names()[word as usize];
                assert!(
                    name == token || [UNKNOWN, NUMBER, DATE].contains(&name.as_str()),
                    "{token} {name}"
                );
            }
        }
        let known = inputs
            .iter()
            .flat_map(|input| &input.tokens)
            .filter(|&&word| word > 2)
            .count();
        assert!(known > 60, "{known}");
    }
}
