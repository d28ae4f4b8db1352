//! Runs: they learn, they repeat, and they go on after they were cut off.

use mapo_core::{Iml, Memory, MemoryScoring, Objective, Progress, WarmUp};
use mapo_datasets::toy::{SEED, Split, generate};
use mapo_datasets::{Dataset, Example, Pruning, Selection};
use mapo_language::Lexicon;
use mapo_model::inputs::vocabulary;
use mapo_programmer::transformer::{Shape, Weights};
use mapo_programmer::{Pieces, Published, Words};
use mapo_training::{
    Beginning, EncoderLearning, Error, Event, Folder, Metrics, Origin, Questions, RunConfig, Session,
    Settings, Trainer, eval, memories,
};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

struct Setting {
    settings: Settings,
    /// What it is measured by is what it learns.
    questions: Questions,
    memories: Vec<Memory>,
}

/// `linked` switches on what the paper's network does not have.
fn setting(steps: u64, linked: bool) -> Setting {
    let examples: Vec<Example> = generate(Split::Train, SEED, 24)
        .into_iter()
        .map(Example::from)
        .collect();
    let mut settings = Settings::toy();
    settings.network.hidden = 32;
    settings.network.attention = 32;
    settings.network.often = 1;
    if linked {
        settings.network.pairs = true;
        settings.network.cells = true;
        settings.network.constant_kinds = true;
        settings.network.token_features = 7;
        settings.network.column_features = 3;
    }
    settings.batch = 12;
    settings.samples = 12.0;
    settings.steps = steps;
    settings.evaluate = 20;
    let memories =
        memories::explore(&examples, 1000, Pruning::Wide, 1, &Default::default()).expect("a small setting");
    Setting {
        settings,
        questions: Questions::new(examples.clone(), examples),
        memories,
    }
}

/// A small encoder with random weights, and some of the words of the questions as its pieces.
fn encoder(examples: &[Example]) -> Published {
    let mut names = ["[UNK]", "[CLS]", "[SEP]", "|"].map(str::to_owned).to_vec();
    for token in examples.iter().flat_map(|example| &example.question.tokens) {
        if !names.contains(token) {
            names.push(token.clone());
        }
    }
    let shape = Shape {
        pieces: names.len(),
        positions: 160,
        segments: 1,
        width: 32,
        heads: 2,
        inner: 32,
        layers: 2,
    };
    Published {
        pieces: Pieces::new(names).expect("special pieces"),
        weights: Arc::new(Weights::random(shape, 3).expect("a small shape").in_bytes()),
    }
}

/// The same over an encoder of which this many layers are trained.
fn over_encoder(steps: u64, trained: usize) -> Setting {
    let mut setting = setting(steps, true);
    setting.settings.encoder = Some(EncoderLearning {
        trained,
        rate: 1e-4,
        frozen: 5,
        warm_up: 10,
    });
    setting
}

impl Setting {
    fn trainer(&self, threads: usize) -> Trainer<'_> {
        let often = self.settings.network.often;
        let words = vocabulary::trained(&self.questions.train, often, 16).expect("a small setting");
        let words = match self.settings.encoder {
            Some(_) => Arc::new(Words::clone(&words).with_published(encoder(&self.questions.train))),
            None => words,
        };
        let memories = self.memories.clone();
        Trainer::new(&self.settings, 3, threads, &words, &self.questions, memories).expect("a small setting")
    }
}

fn go(trainer: &mut Trainer<'_>) {
    trainer
        .run(&AtomicBool::new(false), &mut |_| Ok(()))
        .expect("a small setting");
}

/// Goes to the end and tells what was measured on the way.
fn measured(trainer: &mut Trainer<'_>) -> Vec<Metrics> {
    let mut all = Vec::new();
    let mut listen = |event: &Event<'_>| {
        if let Event::Measured { metrics, .. } = event {
            all.push((*metrics).clone());
        }
        Ok(())
    };
    trainer
        .run(&AtomicBool::new(false), &mut listen)
        .expect("a small setting");
    all
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
    for (threads, kind, setting) in [
        (1, "paper", setting(120, false)),
        (2, "paper", setting(120, false)),
        (2, "linked", setting(120, true)),
        (2, "encoder", over_encoder(120, 1)),
    ] {
        let mut trainer = setting.trainer(threads);
        let measured = measured(&mut trainer);
        let accuracies: Vec<f64> = measured
            .iter()
            .filter_map(|metrics| metrics.dev_accuracy)
            .collect();
        let best = trainer.best().unwrap();
        println!("{threads} threads, {kind}: {accuracies:?}");
        assert_eq!(accuracies.len(), 6);
        assert!(
            best.accuracy > Some(0.7) && best.accuracy > Some(accuracies[0]),
            "{accuracies:?}"
        );
        // Two models of a kind agree with one.
        let one = [Arc::clone(&best.network)];
        let two = [Arc::clone(&best.network), Arc::clone(&best.network)];
        let alone = eval::answer(&one, None, &setting.questions.train, 1).unwrap();
        let together = eval::answer(&two, None, &setting.questions.train, 1).unwrap();
        for (alone, together) in alone.iter().zip(&together) {
            assert_eq!(alone.answer, together.answer);
            assert!((alone.probability - together.probability).abs() < 1e-9);
        }
    }
}

#[test]
fn a_model_over_a_frozen_encoder_goes_on_with_trained_layers() {
    let setting = over_encoder(60, 0);
    let mut frozen = setting.trainer(1);
    go(&mut frozen);
    let directory = tempfile::tempdir().unwrap();
    let config = |trained| {
        let mut settings = over_encoder(20, trained).settings;
        settings.encoder = (trained > 0).then_some(settings.encoder).flatten();
        RunConfig {
            run: Origin::new(&Dataset::toy(), &Selection::default(), 3, 1),
            settings,
        }
    };
    let folder = Folder::create(directory.path(), &config(0)).unwrap();
    folder.save_best(frozen.best().unwrap()).unwrap();
    let model = directory.path().join("best.safetensors");
    let before = mapo_model::file::load(&model, false).unwrap().0;
    // Where nothing is said, it stays frozen; what is said is trained, and begins where the model was.
    for trained in [0, 1, 3] {
        let config = config(trained).beginning_with(&model).unwrap();
        let beginning = Beginning {
            memories: setting.memories.clone(),
            vectors: None,
            encoder: None,
        };
        let mut trainer = Trainer::begin(&config, &setting.questions, beginning).unwrap();
        let network = trainer.learner().network();
        assert_eq!(network.config().encoder.unwrap().trained, trained);
        let place = network.layout().encoder();
        assert_eq!(place.is_empty(), trained == 0);
        assert_eq!(network.values()[..place.start], *before.values());
        let encoder = network.values()[place.clone()].to_vec();
        go(&mut trainer);
        assert_eq!(
            trainer.learner().network().values()[place] == encoder,
            trained == 0
        );
    }
}

#[test]
fn one_thread_gives_the_same_model_again_also_when_it_was_cut_off() {
    let over_encoders = [0, 1, 3].map(|trained| over_encoder(60, trained));
    for setting in [setting(60, false), setting(60, true)]
        .into_iter()
        .chain(over_encoders)
    {
        let mut whole = setting.trainer(1);
        go(&mut whole);
        let mut again = setting.trainer(1);
        go(&mut again);
        assert_eq!(bits(&whole), bits(&again));

        let directory = tempfile::tempdir().unwrap();
        let config = RunConfig {
            run: Origin::new(&Dataset::toy(), &Selection::default(), 3, 1),
            settings: setting.settings.clone(),
        };
        let mut folder = Folder::create(directory.path(), &config).unwrap();
        assert!(Folder::create(directory.path(), &config).is_err());
        let mut cut = setting.trainer(1);
        let stop = AtomicBool::new(false);
        cut.run(&stop, &mut |event| {
            match event {
                Event::Measured {
                    trainer,
                    metrics,
                    is_best,
                } => {
                    folder.measured(metrics)?;
                    if let (true, Some(best)) = (*is_best, trainer.best()) {
                        folder.save_best(best)?;
                    }
                    folder.save(trainer)?;
                }
                // What comes after the last checkpoint is lost.
                Event::Step { step } => stop.store(*step >= 33, Relaxed),
                Event::Submitted { .. } => {}
            }
            Ok(())
        })
        .unwrap();
        assert_eq!(cut.step(), 40);
        // Two at once would be refused.
        drop((cut, folder));

        let (mut folder, read) = Folder::open(directory.path()).unwrap();
        assert_eq!(read, config);
        let saved = folder.load(&setting.questions.train).unwrap().unwrap();
        let mut resumed = Trainer::resume(&setting.settings, 3, 1, saved, &setting.questions).unwrap();
        assert_eq!(resumed.step(), 40);
        go(&mut resumed);
        assert_eq!(bits(&whole), bits(&resumed));
        let best = whole.best().unwrap();
        assert_eq!(best.accuracy, resumed.best().unwrap().accuracy);
        // The file of a model has all that it takes to answer.
        folder.save_best(best).unwrap();
        let (read, _) = mapo_model::file::load(&folder.best(), false).unwrap();
        let answers = |network: &Arc<mapo_programmer::Network>| {
            let found = eval::answer(&[Arc::clone(network)], None, &setting.questions.train, 1).unwrap();
            found.into_iter().map(|one| one.probability).collect::<Vec<_>>()
        };
        assert_eq!(answers(&best.network), answers(&Arc::new(read)));
        for (one, other) in whole.tasks().zip(resumed.tasks()) {
            assert_eq!(one.memory, other.memory);
        }
    }
}

#[test]
fn a_run_begins_in_its_directory_and_goes_on_there() {
    let mut settings = setting(40, false).settings;
    settings.network.vector = 16;
    settings.explore_first.programs = 300;
    let selection = Selection {
        limit: Some(24),
        ..Selection::default()
    };
    let run = Origin::new(&Dataset::toy(), &selection, 3, 1);
    let config = RunConfig { run, settings };
    let questions = config.run.questions().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    let begin = |path: &Path| Session::begin(path, &config, &questions, &mut Progress::default());
    let mut whole = begin(&whole).unwrap();
    whole.train(&AtomicBool::new(false), &mut |_| Ok(())).unwrap();

    // Nothing can be explored by who is stopped at once; the directory stays, to go on with.
    let mut stopped = Progress::default();
    stopped.stop();
    let said = Session::begin(&cut, &config, &questions, &mut stopped)
        .err()
        .unwrap();
    assert!(matches!(said, Error::StoppedExploring { .. }), "{said}");
    let resume = |path: &Path| {
        let (folder, read) = Folder::open(path).unwrap();
        assert_eq!(read, config);
        Session::resume(folder, &config, &questions, &mut Progress::default()).unwrap()
    };
    let mut session = resume(&cut);
    let stop = AtomicBool::new(false);
    let mut until = |event: &Event<'_>| {
        if let Event::Step { step } = event {
            stop.store(*step >= 20, Relaxed);
        }
        Ok(())
    };
    session.train(&stop, &mut until).unwrap();
    assert!(session.trainer.step() < 40);
    drop(session);
    assert!(begin(&cut).is_err(), "there is a run already");
    let mut resumed = resume(&cut);
    resumed.train(&AtomicBool::new(false), &mut |_| Ok(())).unwrap();
    assert_eq!(bits(&whole.trainer), bits(&resumed.trainer));

    // What cannot begin leaves its directory to another run.
    let mut wrong = config.clone();
    wrong.run.parts[0].memory = Some(folder.path().join("nowhere.jsonl"));
    let other = folder.path().join("other");
    assert!(Session::begin(&other, &wrong, &questions, &mut Progress::default()).is_err());
    assert!(begin(&other).is_ok());
}

#[test]
fn runs_of_several_threads_keep_their_queue_and_what_they_know_of_large_memories() {
    let mut setting = setting(60, false);
    setting.settings.memory = MemoryScoring {
        whole: 3,
        best: 2,
        sample: 1,
    };
    let directory = tempfile::tempdir().unwrap();
    let config = RunConfig {
        run: Origin::new(&Dataset::toy(), &Selection::default(), 3, 2),
        settings: setting.settings.clone(),
    };
    let mut folder = Folder::create(directory.path(), &config).unwrap();
    let mut trainer = setting.trainer(2);
    let stop = AtomicBool::new(false);
    trainer
        .run(&stop, &mut |event| match event {
            Event::Step { step } => {
                if *step >= 35 {
                    stop.store(true, Relaxed);
                    // The learner waits, so actors make batches that it does not come to.
                    std::thread::sleep(Duration::from_millis(100));
                }
                Ok(())
            }
            Event::Measured { trainer, .. } => trainer.best().map_or(Ok(()), |best| folder.save_best(best)),
            Event::Submitted { .. } => Ok(()),
        })
        .unwrap();
    folder.save(&trainer).unwrap();
    let before = trainer.actors();
    assert!(!before.queued.is_empty() && !before.last_scores.is_empty());
    let made = before.shards.iter().sum::<u64>();
    assert_eq!(made, trainer.step() + before.queued.len() as u64);
    assert!(trainer.totals().memory_scored() < trainer.totals().memory_size());
    drop((trainer, folder));

    let (mut folder, _) = Folder::open(directory.path()).unwrap();
    let saved = folder.load(&setting.questions.train).unwrap().unwrap();
    let mut resumed = Trainer::resume(&setting.settings, 3, 2, saved, &setting.questions).unwrap();
    let after = resumed.actors();
    assert_eq!(after.shards, before.shards);
    assert_eq!(after.last_scores, before.last_scores);
    assert_eq!(after.queued, before.queued);
    go(&mut resumed);
    let made = resumed.actors().shards.iter().sum::<u64>();
    assert_eq!(
        made,
        60 + resumed.actors().queued.len() as u64,
        "no batch was lost"
    );
}

#[test]
fn a_warm_up_is_learnt_with_its_own_objective() {
    let mut setting = setting(40, false);
    setting.settings.warm_up = Some(WarmUp {
        steps: 20,
        objective: Objective::Iml(Iml::default()),
    });
    for threads in [1, 2] {
        let mut trainer = setting.trainer(threads);
        let measured = measured(&mut trainer);
        let weights: Vec<Option<f64>> = measured.iter().map(|metrics| metrics.memory_weight).collect();
        // Memories are scored by the second objective only; batches made before the change are learnt as they
        // were made.
        assert!(weights[0].is_none() && weights[1].is_some(), "{weights:?}");
    }
}

#[test]
fn a_run_names_its_functions_or_has_the_papers() {
    let directory = tempfile::tempdir().unwrap();
    let data: Dataset = "jsonl:questions.jsonl".parse().unwrap();
    let config = RunConfig {
        run: Origin::new(&data, &Selection::default(), 3, 1),
        settings: Settings::toy(),
    };
    assert_eq!(config.run.functions, Lexicon::ALL);
    Folder::create(directory.path(), &config).unwrap();
    assert_eq!(Folder::open(directory.path()).unwrap().1, config);
    let file = directory.path().join("config.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    // A run of the time when functions were not named.
    let (before, functions) = text.split_once("functions = [").unwrap();
    let (names, after) = functions.split_once(']').unwrap();
    std::fs::write(&file, format!("{before}{after}")).unwrap();
    assert_eq!(
        Folder::open(directory.path()).unwrap().1.run.functions,
        Lexicon::PAPER
    );
    // One of a later time, with a function that there is not yet.
    let names = names.replace("\"hop\"", "\"hop\", \"juggle\"");
    std::fs::write(&file, format!("{before}functions = [{names}]{after}")).unwrap();
    let error = Folder::open(directory.path()).unwrap_err().to_string();
    assert!(
        error.contains("there is no function 'juggle' in this version of mapo"),
        "{error}"
    );
}
