//! The built-in dataset: the same everywhere, complete, answerable and fair.

#![allow(clippy::unwrap_used)]

use mapo_core::{Action, Draw, Env, ExploredSet, Uniform, Walk, example_rng};
use mapo_datasets::scoring::wtq::Scratch;
use mapo_datasets::toy::{SEED, Split, ToyExample, generate, to_csv};
use mapo_datasets::{Dataset, Example, Pruning, Relevance, Selection, TableEnv};
use mapo_language::{Assistance, Function, Program, Symbol, Token};
use mapo_tables::{Format, LoadOptions, Table};
use std::collections::{BTreeMap, HashMap, HashSet};

fn all(split: Split) -> Vec<ToyExample> {
    generate(split, SEED, split.questions())
}

/// Everything that an example says, as text.
fn written(examples: &[ToyExample]) -> String {
    let lines = examples.iter().map(|example| {
        let ToyExample {
            id,
            question,
            table,
            answer,
            program,
        } = example;
        format!(
            "{id}\t{question}\t{}\t{answer:?}\t{program}\n{}",
            table.name(),
            to_csv(table)
        )
    });
    lines.collect()
}

fn programs(examples: &[ToyExample]) -> Vec<Program> {
    examples
        .iter()
        .map(|example| example.program.parse().unwrap())
        .collect()
}

#[test]
fn a_seed_gives_the_same_bytes_everywhere() {
    let text = written(&all(Split::Dev));
    assert_eq!(text, written(&all(Split::Dev)));
    assert_ne!(text, written(&generate(Split::Dev, SEED + 1, 400)));
}

#[test]
fn fewer_questions_are_the_first_of_more() {
    let (few, more) = (generate(Split::Train, 7, 33), generate(Split::Train, 7, 90));
    assert_eq!(written(&few), written(&more[..33]));
    assert!(generate(Split::Test, 7, 0).is_empty());
}

#[test]
fn every_function_is_asked_for_often_or_says_why_not() {
    for split in Split::ALL {
        let examples = all(split);
        assert_eq!(examples.len(), split.questions());
        let mut counts: BTreeMap<Function, usize> = Function::all().map(|function| (function, 0)).collect();
        for program in programs(&examples) {
            let used: HashSet<Function> = program.expressions.iter().map(|e| e.function).collect();
            used.into_iter()
                .for_each(|function| *counts.entry(function).or_default() += 1);
        }
        for (function, count) in &counts {
            let why_not = function.definition().not_in_toy;
            assert!(
                if why_not.is_some() {
                    *count == 0
                } else {
                    count * 33 >= examples.len()
                },
                "{split}: {function} in {count} of {}",
                examples.len()
            );
        }
    }
}

#[test]
fn splits_share_neither_tables_nor_names() {
    let mut owners: HashMap<String, Split> = HashMap::new();
    for split in Split::ALL {
        for example in all(split) {
            let cells = to_csv(&example.table);
            assert_eq!(*owners.entry(cells).or_insert(split), split, "{}", example.id);
        }
    }
    // What questions name in the column that names the rows.
    let mut names: HashMap<String, Split> = HashMap::new();
    for split in Split::ALL {
        for program in programs(&all(split)) {
            let [first, .., last] = &program.expressions[..] else {
                continue;
            };
            if first.function == Function::FilterIn && last.function == Function::Diff {
                for constant in program.constants() {
                    assert_eq!(*names.entry(constant.to_string()).or_insert(split), split);
                }
            }
        }
    }
    assert!(names.len() > 100);
}

#[test]
fn tables_are_small_and_varied() {
    let examples = all(Split::Train);
    let mut kinds: HashSet<&str> = HashSet::new();
    let mut headers: HashSet<&str> = HashSet::new();
    for example in &examples {
        let table = &example.table;
        assert!((5..=14).contains(&table.rows()), "{}", table.name());
        assert!((4..=7).contains(&table.headers().len()), "{}", table.name());
        let kind = table.name().rsplit_once('-').unwrap().0;
        kinds.insert(kind);
        headers.extend(table.headers().iter().map(String::as_str));
    }
    assert!(kinds.len() >= 15, "{kinds:?}");
    assert!(headers.len() >= 150, "{}", headers.len());
    let questions: HashSet<_> = examples
        .iter()
        .map(|e| (e.table.name(), e.question.as_str()))
        .collect();
    assert_eq!(questions.len(), examples.len());
}

#[test]
fn every_program_runs_on_offered_tokens_and_is_rewarded() {
    for split in Split::ALL {
        for toy in all(split) {
            let program: Program = toy.program.parse().unwrap();
            assert_eq!(program.to_string(), toy.program);
            let example = Example::from(toy.clone());
            let triggered = example.suggested(false);
            // The context has what the reader finds in the question, and nothing else.
            let context = example.context_in(triggered);
            let tokens = context
                .encode(&program)
                .unwrap_or_else(|error| panic!("{}: {error}", toy.question));
            let mut interpreter =
                mapo_language::Interpreter::with_assistance(context.into(), Assistance::Frugal);
            for token in tokens {
                assert!(interpreter.offers(token), "{}: {}", toy.question, toy.program);
                interpreter.step(token).unwrap();
            }
            if !interpreter.is_done() {
                let end = interpreter.context().token(Symbol::End);
                assert!(interpreter.offers(end));
                interpreter.step(end).unwrap();
            }
            assert!(!interpreter.extra_work());
            assert!(!toy.answer.is_empty());
            let reward = example.answer.reward(&interpreter, &mut Scratch::default());
            assert_eq!(reward, 1.0, "{}: {:?}", toy.question, toy.answer);
        }
    }
}

#[test]
fn programs_that_leave_out_what_the_question_names_can_earn_less() {
    let earned = |example: &Example, tokens: &[Token], unexplained: f64| {
        let env = TableEnv::new(example, Pruning::None, Assistance::All);
        let mut env = env.discounting(example, unexplained);
        for token in tokens {
            env.step(Action(token.0));
        }
        f64::from(env.reward())
    };
    let mut discounted = 0;
    for toy in all(Split::Dev) {
        let example = Example::from(toy.clone());
        let context = example.context();
        let mut tokens = context.encode(&toy.program.parse().unwrap()).unwrap();
        let mut interpreter = example.interpreter(Assistance::All);
        tokens.iter().for_each(|token| interpreter.step(*token).unwrap());
        if !interpreter.is_done() {
            tokens.push(context.token(Symbol::End));
        }
        assert_eq!(earned(&example, &tokens, 1.0), 1.0, "{}", toy.question);
        let share = Relevance::new(&example.question, &context).of(&context, &tokens);
        let reward = earned(&example, &tokens, 0.5);
        assert!((reward - (0.5 + 0.5 * share)).abs() < 1e-6, "{}", toy.question);
        discounted += usize::from(reward < 1.0);
    }
    assert!(discounted > 0, "some questions name more than their program uses");
}

#[test]
fn a_question_without_not_does_not_suggest_it() {
    let examples = all(Split::Dev).into_iter();
    let plain = examples.filter(|e| !e.program.contains("!in") && !e.question.contains("other"));
    let plain = plain.filter(|e| !e.question.contains("not ") && !e.question.contains("esides"));
    let mut count = 0;
    for example in plain.map(Example::from) {
        assert!(
            !example.suggested(false).functions.contains(Function::FilterNotIn),
            "{}",
            example.question.text
        );
        count += 1;
    }
    assert!(count > 200);
}

#[test]
fn questions_are_sentences() {
    for example in all(Split::Train) {
        let question = &example.question;
        assert!(question.ends_with(['?', '.']), "{question}");
        let odd = ["{", "}", "  ", " ?", " .", " ,", "a a ", " an an "];
        assert!(!odd.iter().any(|odd| question.contains(odd)), "{question}");
    }
}

#[test]
fn question_words_are_few() {
    let mut words: HashMap<String, usize> = HashMap::new();
    for example in all(Split::Train) {
        let text: String = example
            .question
            .chars()
            .map(|c| if c.is_alphabetic() { c } else { ' ' })
            .collect();
        // Names are capitalised; all else is not.
        for word in text
            .split_whitespace()
            .filter(|word| word.starts_with(char::is_lowercase))
        {
            *words.entry(word.to_owned()).or_default() += 1;
        }
    }
    assert!(words.len() < 450, "{}", words.len());
}

#[test]
fn the_text_of_a_table_reads_back() {
    for example in all(Split::Dev).iter().step_by(10) {
        let csv = to_csv(&example.table);
        let options = LoadOptions {
            format: Some(Format::Csv),
            ..LoadOptions::default()
        };
        let table = Table::from_reader("copy", csv.as_bytes(), &options).unwrap();
        assert_eq!(to_csv(&table), csv);
        assert_eq!(table.columns().len(), example.table.columns().len());
    }
}

#[test]
fn toy_is_a_dataset_like_the_others() {
    let dataset: Dataset = "toy".parse().unwrap();
    let count = |split: &str| {
        let selection = Selection {
            split: Some(split.to_owned()),
            ..Selection::default()
        };
        dataset
            .examples(&selection)
            .map(|examples| examples.map(Result::unwrap).count())
    };
    assert_eq!(count("train").unwrap(), 1200);
    assert_eq!(count("dev").unwrap(), 400);
    let error = count("training").unwrap_err().to_string();
    assert_eq!(error, "toy has no split 'training'; it has train, dev, test");
}

#[test]
fn the_first_examples_never_change() {
    let shown: Vec<String> = generate(Split::Dev, SEED, 6)
        .iter()
        .map(|example| format!("{} | {}", example.question, example.answer.join(", ")))
        .collect();
    assert_eq!(
        shown,
        [
            "which other ship had the same builder as Amber Empress? | Proud Voyager",
            "what is the total number of ships that had a number of crew members other than 50? | 5",
            "what are the ships with a tonnage of 46,020 tons or more? | Empty Petrel, Proud Voyager",
            "what is the ship listed above Burning Pearl? | Amber Empress",
            "what is the ship listed above Silver Hunter? | Proud Voyager",
            "list all other ships that had the same builder as Empty Petrel. | Burning Pearl, Silver Hunter, \
             Southern Trader",
        ]
    );
}

#[test]
fn exploration_in_training_can_be_spared_what_earns_nothing() {
    let mut worthless = [0, 0];
    for toy in all(Split::Dev).into_iter().take(20) {
        let example = Example::from(toy);
        let mut frugal = TableEnv::new(&example, Pruning::None, Assistance::Frugal);
        for (is_frugal, worthless) in [false, true].into_iter().zip(&mut worthless) {
            let mut env = TableEnv::new(&example, Pruning::None, Assistance::All);
            let (mut walk, mut explored) = (Walk::default(), ExploredSet::new(1e-8));
            let mut rng = example_rng(5, 0);
            walk.frugal(is_frugal);
            for _ in 0..50 {
                if let Draw::Program { .. } = walk.draw(&mut env, &mut Uniform, &mut explored, &mut rng) {
                    let is_worthless = frugal.steps_of(walk.prefix()).is_none();
                    *worthless += i32::from(is_worthless);
                }
            }
        }
    }
    let [all, frugal] = worthless;
    assert!(all > 200 && frugal == 0, "{all} and {frugal} of 1000");
}
