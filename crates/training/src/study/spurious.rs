//! Right by chance or right for the right reason: programs compared with hand-written forms.

use super::Found;
use crate::eval::Prediction;
use crate::study::annotated::{Annotated, Translation, translate};
use crate::study::meaning::{Likeness, Meaning, Variations};
use mapo_datasets::scoring::wtq::Scratch;
use mapo_datasets::{Example, Purpose};
use mapo_language::{Atom, Expression};
use mapo_language::{Context, Function, Interpreter, Program};
use mapo_tables::Constant;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many variations of its table a program is run on.
pub const VARIATIONS: usize = 30;

/// What the hand-written forms of a question say about the programs for it.
#[derive(Clone, Debug, Serialize)]
pub struct AnnotatedQuestion {
    /// The question's name.
    pub id: String,
    /// Its words.
    pub question: String,
    /// The program that says the same as the form and gives the right answer.
    pub program: Option<String>,
    /// Why there is none.
    pub obstacle: Option<String>,
    /// Whether the program can be written with the question's own constants and is offered token by token.
    pub writable: bool,
    /// The programs in memory; nothing if the memory does not know the question.
    pub memory: Option<InMemory>,
    /// The model's answering program.
    pub model_program: Option<String>,
    /// Whether its answer is right.
    pub model_right: bool,
    /// How like the form's meaning it is; nothing without a program for the form.
    pub model_likeness: Option<Likeness>,
}

/// How many programs of a memory mean what the form says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InMemory {
    /// All programs.
    pub programs: usize,
    /// Those that mean the same.
    pub same: usize,
    /// Those that mean the same as long as the table keeps its order.
    pub in_order: usize,
}

/// Compares, on the current rayon pool, what was found and predicted for annotated questions with their
/// forms. The three lists belong together, place by place.
pub fn study(
    annotated: &[Annotated],
    examples: &[Example],
    predictions: &[Prediction],
    memory: Option<&Found>,
    seed: u64,
) -> Vec<AnnotatedQuestion> {
    let together = annotated.par_iter().zip(examples).zip(predictions);
    together
        .map(|((annotated, example), prediction)| {
            let found = memory.and_then(|memory| memory.get(&example.id));
            question(annotated, example, prediction, found, seed)
        })
        .collect()
}

fn question(
    annotated: &Annotated,
    example: &Example,
    prediction: &Prediction,
    found: Option<&Vec<String>>,
    seed: u64,
) -> AnnotatedQuestion {
    let mut studied = AnnotatedQuestion {
        id: example.id.clone(),
        question: example.question.text.clone(),
        program: None,
        obstacle: None,
        writable: false,
        memory: found.map(|programs| InMemory {
            programs: programs.len(),
            ..InMemory::default()
        }),
        model_program: prediction.program.clone(),
        model_right: prediction.right,
        model_likeness: None,
    };
    let right = right_forms(annotated, example, &mut studied.obstacle);
    let Some((writable, best)) = right.iter().max_by_key(|(writable, _)| *writable) else {
        return studied;
    };
    studied.program = Some(best.program.to_string());
    studied.writable = *writable;
    studied.obstacle = None;

    let mut likeness = likeness(example, &right, seed);
    studied.model_likeness = prediction
        .program
        .as_ref()
        .and_then(&mut likeness)
        .or(Some(Likeness::Different));
    if let (Some(memory), Some(found)) = (&mut studied.memory, found) {
        for text in found {
            match likeness(text) {
                Some(Likeness::Same) => memory.same += 1,
                Some(Likeness::InOrder) => memory.in_order += 1,
                _ => {}
            }
        }
    }
    studied
}

/// How like the meaning of a question's forms each of some programs is; nothing if no form has a program
/// that gives the right answer.
pub fn judge(
    annotated: &Annotated,
    example: &Example,
    programs: &[String],
    seed: u64,
) -> Option<Vec<Likeness>> {
    let right = right_forms(annotated, example, &mut None);
    if right.is_empty() {
        return None;
    }
    let mut likeness = likeness(example, &right, seed);
    let judged = programs
        .iter()
        .map(|text| likeness(text).unwrap_or(Likeness::Different));
    Some(judged.collect())
}

/// The forms that have a program with the right answer, each with whether it can be written. All of them are
/// meanings.
fn right_forms(
    annotated: &Annotated,
    example: &Example,
    obstacle: &mut Option<String>,
) -> Vec<(bool, Translation)> {
    let mut right: Vec<(bool, Translation)> = Vec::new();
    for form in &annotated.forms {
        match translate(form, example) {
            Err(found) => {
                obstacle.get_or_insert_with(|| found.to_string());
            }
            Ok(translation) => match run(example, &translation.program) {
                Some((true, offered)) => right.push((offered && translation.from_question, translation)),
                _ => {
                    obstacle.get_or_insert_with(|| WRONG.to_owned());
                }
            },
        }
    }
    if annotated.forms.is_empty() {
        *obstacle = Some(NO_FORM.to_owned());
    }
    right
}

/// Says of a program how like the meaning of forms it is.
fn likeness(
    example: &Example,
    right: &[(bool, Translation)],
    seed: u64,
) -> impl FnMut(&String) -> Option<Likeness> {
    let programs: Vec<Program> = right
        .iter()
        .flat_map(|(_, translation)| readings(example, &translation.program))
        .collect();
    let foreign: Vec<Constant> = programs.iter().flat_map(Program::constants).cloned().collect();
    let mut variations = Variations::new(example, foreign, VARIATIONS, seed);
    let meanings: Vec<Meaning> = programs
        .iter()
        .map(|program| variations.meaning(program))
        .collect();
    move |text| {
        let program: Program = text.parse().ok()?;
        meanings
            .iter()
            .map(|meaning| variations.compare(&program, meaning))
            .max()
    }
}

const WRONG: &str = "translated, but the answer is another";
const NO_FORM: &str = "the annotators gave no form";

/// A program and, if it ends by reading cells, the same with other readings of these cells that are right
/// too: whether the date or the text of a cell is read makes no difference to what is meant.
fn readings(example: &Example, program: &Program) -> Vec<Program> {
    let mut all = vec![program.clone()];
    let Some(Expression {
        function: Function::Hop,
        arguments,
        ..
    }) = program.expressions.last()
    else {
        return all;
    };
    let Some(Atom::Column(name)) = arguments.last() else {
        return all;
    };
    let columns = example.table.columns();
    let source = example
        .table
        .find(name)
        .map(|id| example.table.column(id).source());
    for column in columns {
        if Some(column.source()) != source || column.name() == name {
            continue;
        }
        let mut other = program.clone();
        if let Some(Atom::Column(last)) = other
            .expressions
            .last_mut()
            .and_then(|expression| expression.arguments.last_mut())
        {
            column.name().clone_into(last);
        }
        if run(example, &other).is_some_and(|(right, _)| right) {
            all.push(other);
        }
    }
    all
}

/// Whether a program's answer is right, and whether each of its tokens is offered.
fn run(example: &Example, program: &Program) -> Option<(bool, bool)> {
    let constants = example
        .question
        .mentions
        .iter()
        .map(|mention| mention.constant.clone());
    let foreign = program.constants().cloned();
    let context = Context::with_foreign(Arc::clone(&example.table), constants, foreign, example.language);
    let tokens = context.encode(program).ok()?;
    let mut interpreter = Interpreter::new(Arc::new(context));
    let mut offered = true;
    for token in tokens {
        offered &= interpreter.offers(token);
        interpreter.step(token).ok()?;
    }
    let right = example
        .answer
        .is_right(&interpreter, Purpose::Evaluation, &mut Scratch::default());
    Some((right, offered))
}

/// Counts over annotated questions.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Spurious {
    /// All of them.
    pub all: SpuriousCounts,
    /// Those that the memory knows: the model was trained on them, if it was trained with that memory.
    pub in_memory: Option<SpuriousCounts>,
    /// The others.
    pub not_in_memory: Option<SpuriousCounts>,
    /// Why forms have no program, with how many.
    pub obstacles: BTreeMap<String, usize>,
    /// Question by question.
    #[serde(skip)]
    pub each: Vec<AnnotatedQuestion>,
}

/// Counts over some annotated questions.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SpuriousCounts {
    /// Questions.
    pub questions: usize,
    /// Those whose form has a program that gives the right answer. The counts below are of these.
    pub translated: usize,
    /// Those whose program can be written with the question's constants.
    pub writable: usize,
    /// Those that the memory knows.
    pub known: usize,
    /// Those with anything in memory.
    pub solved: usize,
    /// Those with a program of the same meaning in memory.
    pub meant_in_memory: usize,
    /// Those with one that means the same as long as the table keeps its order, or the same outright.
    pub meant_in_memory_in_order: usize,
    /// Programs in memory.
    pub programs: usize,
    /// Those of the same meaning.
    pub programs_same: usize,
    /// Those that mean the same only as long as the table keeps its order.
    pub programs_in_order: usize,
    /// The model's answer is right.
    pub right: usize,
    /// It is right, and its program means the same.
    pub right_same: usize,
    /// It is right, and its program means the same only as long as the table keeps its order.
    pub right_in_order: usize,
    /// It is right, but its program means something else: right by chance.
    pub right_by_chance: usize,
    /// It is wrong.
    pub wrong: usize,
}

impl SpuriousCounts {
    fn new<'a>(questions: impl Iterator<Item = &'a AnnotatedQuestion>) -> Self {
        let mut counts = SpuriousCounts::default();
        for question in questions {
            counts.questions += 1;
            if question.program.is_none() {
                continue;
            }
            counts.translated += 1;
            counts.writable += usize::from(question.writable);
            let memory = question.memory.unwrap_or_default();
            counts.known += usize::from(question.memory.is_some());
            counts.solved += usize::from(memory.programs > 0);
            counts.meant_in_memory += usize::from(memory.same > 0);
            counts.meant_in_memory_in_order += usize::from(memory.same + memory.in_order > 0);
            counts.programs += memory.programs;
            counts.programs_same += memory.same;
            counts.programs_in_order += memory.in_order;
            match (question.model_right, question.model_likeness) {
                (false, _) => counts.wrong += 1,
                (true, Some(Likeness::Same)) => counts.right_same += 1,
                (true, Some(Likeness::InOrder)) => counts.right_in_order += 1,
                (true, _) => counts.right_by_chance += 1,
            }
        }
        counts.right = counts.right_same + counts.right_in_order + counts.right_by_chance;
        counts
    }
}

impl Spurious {
    /// Counts.
    pub fn new(each: Vec<AnnotatedQuestion>) -> Self {
        let known = each.iter().filter(|question| question.memory.is_some());
        let others = each.iter().filter(|question| question.memory.is_none());
        let has_memory = known.clone().next().is_some();
        let mut obstacles: BTreeMap<String, usize> = BTreeMap::new();
        for obstacle in each.iter().filter_map(|question| question.obstacle.as_ref()) {
            *obstacles.entry(obstacle.clone()).or_default() += 1;
        }
        Spurious {
            all: SpuriousCounts::new(each.iter()),
            in_memory: has_memory.then(|| SpuriousCounts::new(known)),
            not_in_memory: has_memory.then(|| SpuriousCounts::new(others)),
            obstacles,
            each,
        }
    }
}
