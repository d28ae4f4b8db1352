//! Messages of a fleet: whatever a server hands over, nobody who receives it panics.

use mapo_core::{Finding, Learner, Ledger, Memory, TrainingBatch};
use mapo_datasets::{Dataset, Selection};
use mapo_fleet::{
    Applied, Assembly, Job, Kind, Leading, Parameters, Parcel, Portion, Presence, Record, Round, Seal,
    TaskState,
};
use mapo_model::Input;
use mapo_model::inputs::encode::encode_all;
use mapo_programmer::Network;
use mapo_training::{NeuralLearner, Questions, Settings, TableTask, Trainer, task};
use std::cell::RefCell;

/// What all of the messages have in common.
const SEAL: Seal = Seal {
    run: 7,
    digest: [3; 16],
};
const KINDS: [Kind; 9] = [
    Kind::Batch,
    Kind::Found,
    Kind::Policy,
    Kind::Memories,
    Kind::File,
    Kind::Exam,
    Kind::Parameters,
    Kind::Gradient,
    Kind::Applied,
];

/// Whoever receives them: two questions about toy tables, and a small network.
struct Receiver {
    settings: Settings,
    network: Network,
    questions: Questions,
    inputs: Vec<Input>,
}

impl Receiver {
    fn new() -> Option<Self> {
        let mut settings = Settings::toy();
        for change in ["network.hidden=8", "network.attention=8", "learning.dropout=0"] {
            settings = settings.with(change).ok()?;
        }
        let selection = Selection {
            limit: Some(2),
            ..Selection::default()
        };
        let train: Vec<_> = Dataset::toy()
            .examples(&selection)
            .ok()?
            .collect::<Result<_, _>>()
            .ok()?;
        let questions = Questions::new(train, Vec::new());
        let words = settings.network.words(&questions.train, None).ok()?;
        let memories = vec![Memory::default(); questions.train.len()];
        let trainer = Trainer::new(&settings, 1, 1, &words, &questions, memories).ok()?;
        let network = trainer.learner().network().clone();
        drop(trainer);
        let inputs = encode_all(network.config(), network.words(), &questions.train);
        Some(Self {
            settings,
            network,
            questions,
            inputs,
        })
    }

    fn learn(&self, mut batch: TrainingBatch) {
        let mut ledger = Ledger::new(self.inputs.len() as u64, &[0, 0], &[]);
        if ledger.enter(10, &batch).is_err() {
            return;
        }
        let mut statistics = batch.statistics;
        statistics += batch.statistics;
        let learner = NeuralLearner::new(self.network.clone(), self.settings.learning, 100, 1, 1);
        let Ok(mut learner) = learner else {
            return;
        };
        let contexts = batch.examples.iter();
        let contexts: Vec<&Input> = contexts
            .filter_map(|&example| self.inputs.get(example as usize))
            .collect();
        let course = self.settings.course(1);
        let objective = course.objective_of(batch.is_warm_up);
        let _ = learner.teach(&mut batch, objective, 10, &contexts, course.divisor);
    }

    fn remember(&self, found: &[Finding]) {
        let task = |place: usize| -> Option<TableTask> {
            let (example, input) = (self.questions.train.get(place)?, self.inputs.get(place)?);
            task(place, example, input.clone(), Memory::default(), 1.0).ok()
        };
        for finding in found.iter().take(50) {
            if let Some(mut task) = task(finding.example as usize) {
                let _ = task.learn_of(&finding.program, finding.reward);
            }
        }
    }

    /// A piece of numbers is put where it says, twice, and whole ones are followed.
    fn assemble(&self, content: &[u8]) {
        let Ok(piece) = Portion::read(content) else {
            return;
        };
        let mut whole = Assembly::new(piece.about, self.network.values().len());
        whole.add(&piece);
        whole.add(&piece);
        let learner = NeuralLearner::new(self.network.clone(), self.settings.learning, 100, 1, 1);
        if let (true, Ok(mut learner)) = (whole.is_whole(), learner) {
            let _ = learner.follow(&whole.into_numbers(), 1);
        }
    }

    fn receive(&self, message: &[u8]) {
        if let Ok((_, batch)) = SEAL.unpack(Kind::Batch, message) {
            self.learn(batch);
        }
        if let Ok((_, round)) = SEAL.unpack::<Round>(Kind::Found, message) {
            self.remember(&round.found);
        }
        if let Ok((_, content)) = SEAL.unwrap(Kind::Policy, message) {
            let parcel = Parameters {
                start: self.network.clone().into(),
                half: false,
            };
            let _ = parcel.unpack(content);
        }
        for kind in [Kind::Parameters, Kind::Gradient] {
            if let Ok((_, content)) = SEAL.unwrap(kind, message) {
                self.assemble(content);
            }
        }
        let _ = SEAL.unpack::<Applied>(Kind::Applied, message);
    }
}

thread_local! {
    static RECEIVER: RefCell<Option<Receiver>> = RefCell::new(Receiver::new());
}

/// The bytes as a message, as what a right seal is around, and as what keys hold.
pub(crate) fn run(bytes: &[u8]) {
    let _ = (
        serde_json::from_slice::<Record>(bytes),
        serde_json::from_slice::<Job>(bytes).map(|job| job.tasks()),
        serde_json::from_slice::<TaskState>(bytes),
        serde_json::from_slice::<Presence>(bytes),
        serde_json::from_slice::<Leading>(bytes),
    );
    RECEIVER.with_borrow(|receiver| {
        let Some(receiver) = receiver else {
            return;
        };
        receiver.receive(bytes);
        let text: Option<serde_json::Value> = serde_json::from_slice(bytes).ok();
        for kind in KINDS {
            receiver.receive(&SEAL.wrap(kind, 1, bytes));
            if let Some(Ok(message)) = text.as_ref().map(|text| SEAL.pack(kind, 1, text)) {
                receiver.receive(&message);
            }
        }
    });
}
