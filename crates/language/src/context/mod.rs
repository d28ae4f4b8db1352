//! What a program can talk about: a table, the constants of a question and the functions allowed.

mod coding;
mod language;
mod symbol;

pub use language::{Dialect, Fit, Language};
pub use symbol::{Symbol, Token};

use crate::functions::{Argument, Function, FunctionSet};
use crate::machine::{ConstantId, Subject};
use mapo_tables::Constant;
use mapo_tables::{ColumnId, Table};
use std::sync::Arc;

/// What the programs for one question can talk about. Tokens are numbered in this order: `<END>`, `(`, `)`,
/// the functions of the language's [lexicon](crate::Lexicon), `all_rows`, the table's columns, the question's
/// constants, the variables.
#[derive(Debug)]
pub struct Context {
    subject: Arc<Subject>,
    /// How many of the constants are offered; the others can only be used.
    offered_constants: u16,
    language: Language,
    /// The token of each function, or that of none.
    function_tokens: [Token; FunctionSet::COUNT],
    joins_rows: bool,
    joins_numbers: bool,
}

/// The first token of a function.
const FUNCTIONS: u16 = 3;
/// The token of a function that has none.
const NO_TOKEN: Token = Token(u16::MAX);

impl Context {
    /// Programs over a table with these constants. Equal constants are one.
    pub fn new(
        table: Arc<Table>,
        constants: impl IntoIterator<Item = Constant>,
        language: Language,
    ) -> Context {
        Context::with_foreign(table, constants, [], language)
    }

    /// The same with constants that are never offered, only used: what a program from elsewhere mentions and
    /// the question does not.
    pub fn with_foreign(
        table: Arc<Table>,
        constants: impl IntoIterator<Item = Constant>,
        foreign: impl IntoIterator<Item = Constant>,
        language: Language,
    ) -> Context {
        let mut distinct: Vec<Constant> = Vec::new();
        let mut add = |mut constant: Constant| {
            if let Constant::Numbers(numbers) = &mut constant {
                // Adding zero makes one value of 0 and -0, which print differently.
                numbers.iter_mut().for_each(|number| *number += 0.0);
            }
            if !distinct.contains(&constant) {
                distinct.push(constant);
            }
            distinct.len()
        };
        let offered_constants = constants.into_iter().map(&mut add).last().unwrap_or(0) as u16;
        for constant in foreign {
            add(constant);
        }
        let mut function_tokens = [NO_TOKEN; FunctionSet::COUNT];
        for (token, function) in (FUNCTIONS..).zip(language.lexicon.functions()) {
            function_tokens[*function as usize] = Token(token);
        }
        let language = Language {
            expressions: language.expressions.min(Language::MOST_EXPRESSIONS),
            ..language.known_as(language.lexicon)
        };
        let takes_two = |function: Function, wanted: &[Argument]| {
            let arguments = function.definition().arguments.iter();
            arguments.filter(|argument| wanted.contains(argument)).count() > 1
        };
        let joins = |wanted: &[Argument]| {
            language
                .functions
                .iter()
                .any(|function| takes_two(function, wanted))
        };
        Context {
            subject: Arc::new(Subject::new(table, distinct, language.like_sql)),
            offered_constants,
            function_tokens,
            joins_rows: joins(&[Argument::Rows]),
            joins_numbers: joins(&[Argument::Number, Argument::NumberOrConstant]),
            language,
        }
    }

    /// The table.
    pub fn table(&self) -> &Arc<Table> {
        self.subject.table()
    }

    /// The constants, those that are never offered last.
    pub fn constants(&self) -> &[Constant] {
        self.subject.constants()
    }

    /// The constants that are offered.
    pub fn offered_constants(&self) -> impl Iterator<Item = ConstantId> + use<> {
        (0..self.offered_constants).map(ConstantId)
    }

    /// Which programs are programs here.
    pub fn language(&self) -> &Language {
        &self.language
    }

    /// The functions that are offered, in the order of their tokens.
    pub(crate) fn offered_functions(&self) -> impl Iterator<Item = Function> {
        let offered = |function: &&Function| self.language.functions.contains(**function);
        self.language.lexicon.functions().iter().filter(offered).copied()
    }

    /// How many tokens there are, variables included.
    pub fn tokens(&self) -> usize {
        self.first_variable() as usize + self.language.expressions
    }

    /// The token of a symbol. A function that the language has not gets one that is none of this context.
    pub fn token(&self, symbol: Symbol) -> Token {
        Token(match symbol {
            Symbol::End => return Token::END,
            Symbol::Open => return Token::OPEN,
            Symbol::Close => return Token::CLOSE,
            Symbol::Function(function) => return self.function_tokens[function as usize],
            Symbol::AllRows => self.all_rows(),
            Symbol::Column(column) => self.first_column() + column.0,
            Symbol::Constant(constant) => self.first_constant() + constant.0,
            Symbol::Variable(variable) => self.first_variable() + u16::from(variable),
        })
    }

    /// The symbol of a token, if it is one of this context.
    pub fn symbol(&self, token: Token) -> Option<Symbol> {
        Some(match token {
            Token::END => Symbol::End,
            Token::OPEN => Symbol::Open,
            Token::CLOSE => Symbol::Close,
            Token(number) if number < self.all_rows() => {
                let functions = self.language.lexicon.functions();
                Symbol::Function(functions[(number - FUNCTIONS) as usize])
            }
            Token(number) if number == self.all_rows() => Symbol::AllRows,
            Token(number) if number < self.first_constant() => {
                Symbol::Column(ColumnId(number - self.first_column()))
            }
            Token(number) if number < self.first_variable() => {
                Symbol::Constant(ConstantId(number - self.first_constant()))
            }
            Token(number) if (number as usize) < self.tokens() => {
                Symbol::Variable((number - self.first_variable()) as u8)
            }
            _ => return None,
        })
    }

    fn all_rows(&self) -> u16 {
        self.first_column() - 1
    }

    fn first_column(&self) -> u16 {
        self.language.lexicon.builtins() as u16
    }

    fn first_constant(&self) -> u16 {
        self.first_column() + self.table().columns().len() as u16
    }

    fn first_variable(&self) -> u16 {
        self.first_constant() + self.constants().len() as u16
    }

    /// Whether some function takes two arguments that hold rows.
    pub(crate) fn joins_rows(&self) -> bool {
        self.joins_rows
    }

    /// Whether some function takes two numbers.
    pub(crate) fn joins_numbers(&self) -> bool {
        self.joins_numbers
    }

    /// What programs are about.
    pub(crate) fn subject(&self) -> &Arc<Subject> {
        &self.subject
    }
}
