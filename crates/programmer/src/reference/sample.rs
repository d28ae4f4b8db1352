//! Small random batches for tests.

use crate::batch::{Example, Program, Span};
use crate::config::Config;
use crate::network::Network;
use crate::random::{Stream, mix};
use crate::stored::Precision;
use crate::vectors::Vectors;
use crate::words::Words;
use std::sync::Arc;

pub fn config() -> Config {
    Config {
        vector: 3,
        hidden: 4,
        attention: 5,
        token_features: 2,
        column_features: 2,
        ..Config::paper(4)
    }
}

/// The same with everything that the paper's network does not have.
pub fn linked() -> Config {
    Config {
        pair_features: 3,
        cells: true,
        constant_kinds: 2,
        ..config()
    }
}

/// All combinations of what can be switched on.
pub fn switched() -> Vec<Config> {
    (0..8)
        .map(|switches| Config {
            pair_features: 3 * (switches & 1),
            cells: switches & 2 > 0,
            constant_kinds: switches & 4,
            ..config()
        })
        .collect()
}

pub fn words(dimensions: usize) -> Words {
    let mut random = Stream::new(5, 5);
    let vectors = Vectors {
        dimensions,
        words: (0..8).map(|i| format!("w{i}")).collect(),
        numbers: (0..8 * dimensions)
            .map(|_| 2.0 * random.uniform() - 1.0)
            .collect(),
        source: None,
    };
    Words::new(
        &["<unk>".into(), "t1".into(), "t2".into()],
        &vectors,
        Precision::Half,
    )
    .unwrap()
}

/// A network whose biases are not zero either.
pub fn network(config: Config, seed: u64) -> Network {
    let words = Arc::new(words(config.vector));
    let mut network = Network::new(config, words, seed).unwrap();
    let mut random = Stream::new(seed, 77);
    network.update(|values| values.iter_mut().for_each(|x| *x += 0.4 * random.uniform() - 0.2));
    network
}

pub fn example(config: &Config, random: &mut Stream) -> Example {
    let mut pick = |n: usize| (random.uniform() * n as f32) as usize;
    let n = 1 + pick(6);
    let mut e = Example {
        tokens: (0..n).map(|_| pick(11) as u32).collect(),
        ..Example::default()
    };
    for _ in 0..pick(4) {
        let name: Vec<u32> = (0..1 + pick(3)).map(|_| pick(11) as u32).collect();
        let features: Vec<f32> = (0..config.column_features).map(|_| pick(3) as f32).collect();
        let cells: Vec<u32> = match config.cells {
            true => (0..pick(4)).map(|_| pick(11) as u32).collect(),
            false => Vec::new(),
        };
        e.columns.push(&name, pick(11) as u32, &features, &cells);
    }
    for _ in 0..pick(3) {
        let first = pick(n);
        e.constants.push(Span {
            first: first as u32,
            last: (first + pick(n - first)) as u32,
        });
    }
    e.token_features = (0..n * config.token_features).map(|_| pick(2) as f32).collect();
    if config.constant_kinds > 0 {
        let kinds = e.constants.iter().map(|_| pick(config.constant_kinds) as u32);
        e.constant_kinds = kinds.collect();
    }
    let pairs = n * e.columns.len() * config.pair_features;
    e.pair_features = (0..pairs).map(|_| pick(3) as f32 * 0.5).collect();
    e
}

/// A random program; variables are defined and used often. What is valid follows from the prefix, as in a
/// real language.
pub fn program(config: &Config, example: &Example, random: &mut Stream) -> Program {
    let mut slots = example.fixed_slots(config);
    let fixed = slots;
    let mut steps = Program::default();
    let mut prefix = 1;
    for _ in 0..1 + (random.uniform() * 7.0) as usize {
        let mut rule = Stream::new(prefix, 3);
        let mut valid: Vec<u32> = (0..slots as u32)
            .filter(|&s| s as usize >= fixed || rule.uniform() < 0.6)
            .collect();
        if valid.is_empty() {
            valid.push(0);
        }
        let prefer = slots > fixed && random.uniform() < 0.5;
        let at = if prefer {
            valid.len() - 1
        } else {
            (random.uniform() * valid.len() as f32) as usize
        };
        prefix = mix(prefix + u64::from(valid[at]));
        let defines = prefix % 5 < 2;
        steps.push(valid[at], &valid, defines);
        slots += usize::from(defines);
    }
    steps
}
