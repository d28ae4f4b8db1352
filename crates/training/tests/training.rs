//! Runs: they learn, they repeat, and they go on after they were cut off.

use mapo_core::Memory;
use mapo_tables::datasets::toy::{SEED, Split, generate};
use mapo_tables::{Example, Pruning};
use mapo_training::{Event, Folder, Origin, RunConfig, Settings, Trainer, eval, memories, vocabulary};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

struct Setting {
    settings: Settings,
    examples: Vec<Example>,
    memories: Vec<Memory>,
}

fn setting(steps: u64) -> Setting {
    let examples: Vec<Example> = generate(Split::Train, SEED, 24)
        .into_iter()
        .map(Example::from)
        .collect();
    let mut settings = Settings::toy();
    settings.network.hidden = 32;
    settings.network.attention = 32;
    settings.network.often = 1;
    settings.batch = 12;
    settings.samples = 12.0;
    settings.steps = steps;
    settings.evaluate = 20;
    let memories =
        memories::explore(&examples, 1000, Pruning::Wide, 1, &Default::default()).expect("a small setting");
    Setting {
        settings,
        examples,
        memories,
    }
}

impl Setting {
    fn trainer(&self, threads: usize) -> Trainer<'_> {
        let words =
            vocabulary::trained(&self.examples, self.settings.network.often, 16).expect("a small setting");
        let memories = self.memories.clone();
        Trainer::new(
            &self.settings,
            3,
            threads,
            &words,
            &self.examples,
            memories,
            &self.examples,
        )
        .expect("a small setting")
    }
}

fn go(trainer: &mut Trainer<'_>) {
    trainer
        .run(&AtomicBool::new(false), &mut |_, _| Ok(()))
        .expect("a small setting");
}

fn bits(trainer: &Trainer<'_>) -> Vec<u32> {
    trainer
        .learner()
        .network()
        .values()
        .iter()
        .map(|value| value.to_bits())
        .collect()
}

#[test]
fn a_handful_of_questions_is_learnt_with_one_thread_and_with_two() {
    for threads in [1, 2] {
        let setting = setting(120);
        let mut trainer = setting.trainer(threads);
        let mut accuracies = Vec::new();
        trainer
            .run(&AtomicBool::new(false), &mut |_, event| {
                if let Event::Measured { metrics, .. } = event {
                    accuracies.extend(metrics.dev_accuracy);
                }
                Ok(())
            })
            .unwrap();
        let best = trainer.best().unwrap();
        println!("{threads} threads: {accuracies:?}");
        assert_eq!(accuracies.len(), 6);
        assert!(
            best.accuracy > 0.7 && best.accuracy > accuracies[0],
            "{accuracies:?}"
        );
        // Two models of a kind agree with one.
        let one = [Arc::clone(&best.network)];
        let two = [Arc::clone(&best.network), Arc::clone(&best.network)];
        let alone = eval::answer(&one, &setting.examples, 1).unwrap();
        let together = eval::answer(&two, &setting.examples, 1).unwrap();
        for (alone, together) in alone.iter().zip(&together) {
            assert_eq!(alone.answer, together.answer);
            assert!((alone.probability - together.probability).abs() < 1e-9);
        }
    }
}

#[test]
fn one_thread_gives_the_same_model_again_also_when_it_was_cut_off() {
    let setting = setting(60);
    let mut whole = setting.trainer(1);
    go(&mut whole);
    let mut again = setting.trainer(1);
    go(&mut again);
    assert_eq!(bits(&whole), bits(&again));

    let directory = tempfile::tempdir().unwrap();
    let config = RunConfig {
        run: Origin {
            data: "toy".into(),
            split: "train".into(),
            dev_split: None,
            reader: "mapo".into(),
            linking: "paper".into(),
            limit: None,
            seed: 3,
            threads: 1,
        },
        settings: setting.settings.clone(),
    };
    let mut folder = Folder::create(directory.path(), &config).unwrap();
    assert!(Folder::create(directory.path(), &config).is_err());
    let mut cut = setting.trainer(1);
    let stop = AtomicBool::new(false);
    cut.run(&stop, &mut |trainer, event| {
        match event {
            Event::Measured { metrics, is_best } => {
                folder.measured(metrics)?;
                if let (true, Some(best)) = (*is_best, trainer.best()) {
                    folder.save_best(best)?;
                }
                folder.save(trainer)?;
            }
            // What comes after the last checkpoint is lost.
            Event::Step { step } => stop.store(*step >= 33, Relaxed),
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(cut.step(), 40);
    drop(cut);

    let (mut folder, read) = Folder::open(directory.path()).unwrap();
    assert_eq!(read, config);
    let saved = folder.load(setting.examples.len()).unwrap().unwrap();
    let mut resumed = Trainer::resume(
        &setting.settings,
        3,
        1,
        saved,
        &setting.examples,
        &setting.examples,
    )
    .unwrap();
    assert_eq!(resumed.step(), 40);
    go(&mut resumed);
    assert_eq!(bits(&whole), bits(&resumed));
    assert_eq!(whole.best().unwrap().accuracy, resumed.best().unwrap().accuracy);
    for (one, other) in whole.tasks().iter().zip(resumed.tasks()) {
        assert_eq!(one.memory, other.memory);
    }
}
