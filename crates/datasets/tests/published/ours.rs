//! What our interpreter makes of the published programs.

use super::answers::Answer;
use super::worlds::sorted;
use mapo_datasets::Example;
use mapo_datasets::scoring::wtq;
use mapo_language::{Assistance, ConstantId, Context, Interpreter, Program, Token};
use mapo_language::{Atom, Symbol};
use std::sync::Arc;

/// What comes of a program; nothing where a column is missing.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub result: Option<Answer>,
    pub reward: Option<u8>,
    pub extra_work: Option<bool>,
    /// Before each token.
    pub offered: Vec<Option<Vec<String>>>,
}

/// What our interpreter makes of a program. Constants that our question does not have can be used but are not
/// offered.
pub fn ours(example: &Example, program: &Program, ordered: bool) -> Outcome {
    let context = Arc::new(example.context_of(program));
    let mut interpreter = Interpreter::with_assistance(Arc::clone(&context), Assistance::All);
    let mut offered = Vec::new();
    let mut fits = true;
    for token in tokens_of(&context, program) {
        if !fits {
            offered.push(None);
            continue;
        }
        let tokens = interpreter.offered().into_iter();
        offered.push(Some(sorted(tokens.map(|token| context.write(token)).collect())));
        fits = token.is_some_and(|token| interpreter.step(token).is_ok());
    }
    let mut scratch = wtq::Scratch::default();
    Outcome {
        // In normal form, as the published code has them.
        result: interpreter
            .value(interpreter.variables().wrapping_sub(1))
            .filter(|_| fits)
            .map(|answer| Answer::ours(&answer, ordered)),
        reward: fits.then(|| example.answer.reward(&interpreter, &mut scratch) as u8),
        extra_work: fits.then(|| interpreter.extra_work()),
        offered,
    }
}

/// The tokens of a program, `None` for a column that the table does not have.
fn tokens_of(context: &Context, program: &Program) -> Vec<Option<Token>> {
    let mut tokens = Vec::new();
    for expression in &program.expressions {
        tokens.push(Some(context.token(Symbol::Open)));
        tokens.push(Some(context.token(Symbol::Function(expression.function))));
        for atom in &expression.arguments {
            let symbol = match atom {
                Atom::AllRows => Some(Symbol::AllRows),
                Atom::Variable(variable) => Some(Symbol::Variable(*variable as u8)),
                Atom::Column(name) => context.table().find(name).map(Symbol::Column),
                Atom::Constant(constant) => {
                    let id = context.constants().iter().position(|known| known == constant);
                    Some(Symbol::Constant(ConstantId(id.unwrap() as u16)))
                }
            };
            tokens.push(symbol.map(|symbol| context.token(symbol)));
        }
        tokens.push(Some(context.token(Symbol::Close)));
    }
    tokens.push(Some(context.token(Symbol::End)));
    tokens
}
