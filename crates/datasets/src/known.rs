//! Programs that a dataset names for its questions: whether they can be what is learnt.

use crate::example::Example;
use crate::scoring::wtq::Scratch;
use crate::selection::DatasetError;
use mapo_language::{Assistance, Interpreter, Program, ProgramError, Token};

impl Example {
    /// The programs that are meant, as the tokens of this example's [context](Self::context): the whole of
    /// its memory. Nothing where the dataset names none.
    ///
    /// # Errors
    /// If one of them cannot be written with what the question mentions, cannot be run, or gives another
    /// answer: with the file and the line in which it stands.
    pub fn known_programs(&self) -> Result<Option<Vec<Vec<Token>>>, DatasetError> {
        let Some(known) = &self.known else {
            return Ok(None);
        };
        let mut interpreter = self.interpreter(Assistance::All);
        let tokens = known.programs.iter().map(|program| {
            let tokens = self.tokens_of(&mut interpreter, program);
            tokens.map_err(|problem| DatasetError::Line {
                file: known.file.to_path_buf(),
                line: known.line,
                problem: format!("the program {program} {problem}"),
            })
        });
        tokens.collect::<Result<_, _>>().map(Some)
    }

    fn tokens_of(&self, interpreter: &mut Interpreter, program: &Program) -> Result<Vec<Token>, String> {
        let unwritten = |problem: ProgramError| {
            let problem = problem.problem;
            format!(
                "cannot be written for its question: {problem}; change one of them, or leave the program out"
            )
        };
        let tokens = interpreter.context().encode(program).map_err(unwritten)?;
        interpreter.rewind(0);
        for &token in &tokens {
            // What is not offered is never written, and so cannot be learnt.
            if !interpreter.offers(token) || interpreter.step(token).is_err() {
                let (place, token) = (interpreter.tokens().len(), interpreter.context().write(token));
                return Err(format!(
                    "cannot be written: its token {} ({token}) is not offered there; see docs/language.md",
                    place + 1
                ));
            }
        }
        if self.answer.reward(interpreter, &mut Scratch::default()) > 0.0 {
            return Ok(tokens);
        }
        if interpreter.extra_work() {
            return Err("has a step that its answer does not use; leave the step out".to_owned());
        }
        let given = interpreter.answer().map(|answer| answer.to_strings());
        Err(format!(
            "gives {}, but the answer is {}; correct one of them",
            listed(&given.unwrap_or_default()),
            listed(self.answer.texts())
        ))
    }
}

/// Items of an answer in an error, some of them if there are many.
fn listed(items: &[String]) -> String {
    match items {
        [] => "nothing".to_owned(),
        items if items.len() > 5 => format!("{}, … ({} items)", items[..5].join(", "), items.len()),
        items => items.join(", "),
    }
}
