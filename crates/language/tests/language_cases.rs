//! Runs the cases of every function's file and those of `tests/cases/*.txt`; `tests/cases/README.md` says how
//! they are written.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

use mapo_language::explain::english;
use mapo_language::{Context, Function, Interpreter, Language, Lexicon, Program, SAMPLE, Token};
use mapo_tables::{Constant, LoadOptions, Table, TableBuilder};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// What the cases of a file are about, so far.
#[derive(Clone)]
struct Setting {
    /// The lines of the table.
    csv: String,
    /// For tables whose types are given: whether each column holds numbers.
    declared: Option<Vec<bool>>,
    constants: Vec<Constant>,
    language: Language,
}

/// A program and what is expected of it.
struct Case {
    file: String,
    line: usize,
    setting: Setting,
    program: String,
    expectations: Vec<(usize, String)>,
}

fn constants(text: &str) -> Result<Vec<Constant>, String> {
    let parse = |constant: &str| {
        let program: Program = format!("(filter> all_rows {constant} r.x-num)")
            .parse()
            .map_err(|error| format!("{constant}: {error}"))?;
        Ok(program.constants().next().expect("the filter has one").clone())
    };
    text.split(" | ").map(str::trim).map(parse).collect()
}

fn read_cases(file: &str, text: &str) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    let mut setting = Setting {
        csv: String::new(),
        declared: None,
        constants: Vec::new(),
        language: Language::WIKITABLEQUESTIONS,
    };
    let mut lines = (1..).zip(text.lines());
    let mut fresh = true;
    while let Some((number, line)) = lines.next() {
        let fail = |problem: String| format!("{file}:{number}: {problem}");
        let indented = line.starts_with(' ');
        let line = line.trim();
        if line.is_empty() {
            fresh = true;
        } else if line.starts_with('#') {
        } else if line == "```" {
            setting = Setting {
                csv: String::new(),
                declared: None,
                constants: Vec::new(),
                ..setting
            };
            for (_, line) in lines.by_ref().take_while(|(_, line)| line.trim() != "```") {
                setting.csv += line;
                setting.csv.push('\n');
            }
        } else if let Some(types) = line.strip_prefix("types: ") {
            setting.declared = Some(types.split_whitespace().map(|name| name == "real").collect());
        } else if let Some(name) = line.strip_prefix("language: ") {
            setting.language = match name {
                "wikitablequestions" => Language::WIKITABLEQUESTIONS,
                "wikisql" => Language::wikisql(),
                "people" => Language::PEOPLE,
                other => return Err(fail(format!("no language is called {other}"))),
            };
        } else if let Some(fit) = line.strip_prefix("fit: ") {
            setting.language.fit = fit.parse().map_err(fail)?;
        } else if let Some(text) = line.strip_prefix("constants: ") {
            setting.constants = constants(text).map_err(fail)?;
        } else if indented {
            let case = cases
                .last_mut()
                .ok_or_else(|| fail("what is this expected of?".to_owned()))?;
            case.expectations.push((number, line.to_owned()));
            fresh = true;
        } else if fresh {
            let (file, setting, program) = (file.to_owned(), setting.clone(), line.to_owned());
            cases.push(Case {
                file,
                line: number,
                setting,
                program,
                expectations: Vec::new(),
            });
            fresh = false;
        } else if let Some(case) = cases.last_mut() {
            // A program may go over several lines.
            case.program = format!("{} {line}", case.program);
        }
    }
    Ok(cases)
}

impl Setting {
    fn context(&self, constants: impl IntoIterator<Item = Constant>) -> Result<Arc<Context>, String> {
        let reader = self.csv.as_bytes();
        let table = match &self.declared {
            None => Table::from_reader("the table", reader, &LoadOptions::default()),
            Some(numeric) => TableBuilder::from_reader("the table", reader, &LoadOptions::default())
                .map(|builder| builder.finish_declared(numeric, |cell| cell.parse().ok())),
        };
        let table = table.map_err(|error| error.to_string())?;
        let constants = self.constants.iter().cloned().chain(constants);
        Ok(Arc::new(Context::new(Arc::new(table), constants, self.language)))
    }
}

/// What a program did, or why it could not be run.
struct Run {
    interpreter: Interpreter,
    /// The first token that was not offered.
    not_offered: Option<Token>,
}

/// The error, with its column from 1.
type Failure = (usize, String);

fn run(setting: &Setting, text: &str) -> Result<Result<Run, Failure>, String> {
    let program = match text.parse::<Program>() {
        Ok(program) => program,
        Err(error) => return Ok(Err((error.column + 1, error.problem))),
    };
    let context = setting.context(program.constants().cloned())?;
    let tokens = match context.encode(&program) {
        Ok(tokens) => tokens,
        Err(error) => return Ok(Err((error.column + 1, error.problem))),
    };
    let mut run = Run {
        interpreter: Interpreter::new(context),
        not_offered: None,
    };
    for (index, token) in tokens.into_iter().enumerate() {
        if run.not_offered.is_none() && !run.interpreter.offers(token) {
            run.not_offered = Some(token);
        }
        if let Err(problem) = run.interpreter.step(token) {
            let error = program.error_at(index, problem.to_string());
            return Ok(Err((error.column + 1, error.problem)));
        }
    }
    Ok(Ok(run))
}

/// The tokens of the beginning of a program.
fn tokens_of(context: &Context, mut text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    while !text.is_empty() {
        let all = (0..context.tokens() as u16).map(Token);
        let here = all.filter(|token| text.starts_with(&context.write(*token)));
        let longest = here.max_by_key(|token| context.write(*token).len());
        let token = longest.ok_or_else(|| format!("no token is written {text}"))?;
        tokens.push(token);
        text = text[context.write(token).len()..].trim_start();
    }
    Ok(tokens)
}

/// What may come after the beginning of a program.
fn check_beginning(case: &Case, text: &str) -> Result<(), String> {
    let context = case.setting.context([])?;
    let mut interpreter = Interpreter::new(Arc::clone(&context));
    for token in tokens_of(&context, text)? {
        if !interpreter.offers(token) {
            return Err(format!("{} is not offered", context.write(token)));
        }
        interpreter.step(token).map_err(|error| error.to_string())?;
    }
    let offered: HashSet<String> = interpreter
        .offered()
        .iter()
        .map(|token| context.write(*token))
        .collect();
    for (line, expectation) in &case.expectations {
        let fail = |problem: &str| Err(format!("line {line}: {problem}; offered are {offered:?}"));
        let list = |text: &str| {
            text.split(" | ")
                .map(|token| token.trim().to_owned())
                .collect::<HashSet<_>>()
        };
        if let Some(only) = expectation.strip_prefix("offered only: ") {
            if list(only) != offered {
                return fail("others are offered");
            }
        } else if let Some(some) = expectation.strip_prefix("offered: ") {
            if !list(some).is_subset(&offered) {
                return fail("they are not all offered");
            }
        } else if let Some(none) = expectation.strip_prefix("not offered: ") {
            if let Some(unknown) = list(none).iter().find(|token| {
                !(0..context.tokens() as u16).any(|known| context.write(Token(known)) == **token)
            }) {
                return fail(&format!("no token is written {unknown}"));
            }
            if !list(none).is_disjoint(&offered) {
                return fail("some of them are offered");
            }
        } else {
            return Err(format!(
                "line {line}: not an expectation for a beginning: {expectation}"
            ));
        }
    }
    Ok(())
}

fn check(case: &Case) -> Result<(), String> {
    if case.expectations.is_empty() {
        return Err("nothing is expected of it".to_owned());
    }
    if let Some(beginning) = case.program.strip_suffix("...") {
        return check_beginning(case, beginning.trim());
    }
    let run = run(&case.setting, &case.program)?;
    if let [(_, expectation)] = &case.expectations[..]
        && let Some(error) = expectation.strip_prefix("error at ")
    {
        let (column, problem) = error.split_once(": ").ok_or("write `error at COLUMN: PROBLEM`")?;
        return match run {
            Ok(_) => Err("there is no error".to_owned()),
            Err((at, found)) if at.to_string() != column || !found.contains(problem) => {
                Err(format!("the error is at {at}: {found}"))
            }
            Err(_) => Ok(()),
        };
    }
    let run = run.map_err(|(column, problem)| format!("error at {column}: {problem}"))?;
    let (mut extra_work, mut not_offered, mut answered) = (false, None, false);
    for (line, expectation) in &case.expectations {
        if expectation == "extra work" {
            extra_work = true;
        } else if let Some(words) = expectation.strip_prefix("english: ") {
            let program: Program = case.program.parse().map_err(|error| format!("{error}"))?;
            let found = english(&program, run.interpreter.context().table());
            if found != words {
                return Err(format!("line {line}: it says {found}"));
            }
        } else if let Some(token) = expectation.strip_prefix("not offered: ") {
            not_offered = Some(token.to_owned());
        } else if let Some((variable, value)) = expectation.split_once("= ") {
            let found = match variable.trim().strip_prefix('v') {
                None => run.interpreter.answer(),
                Some(number) => run
                    .interpreter
                    .value(number.parse().map_err(|_| "which variable?")?),
            };
            answered |= variable.is_empty();
            let found = found.ok_or_else(|| format!("line {line}: there is no such value"))?;
            let (kind, items) = value.split_once(' ').unwrap_or((value, ""));
            let items: Vec<&str> = items
                .split(" | ")
                .map(str::trim)
                .filter(|item| !item.is_empty())
                .collect();
            let items: Vec<&str> = items
                .into_iter()
                .map(|item| if item == "\"\"" { "" } else { item })
                .collect();
            if kind != found.kind() || items != found.shown() {
                return Err(format!(
                    "line {line}: it is {} {}",
                    found.kind(),
                    found.shown().join(" | ")
                ));
            }
        } else {
            return Err(format!("line {line}: not an expectation: {expectation}"));
        }
    }
    if !answered {
        return Err("no answer is expected of it: write `= KIND ITEMS`".to_owned());
    }
    if extra_work != run.interpreter.extra_work() {
        return Err(format!("extra work is {}", run.interpreter.extra_work()));
    }
    let found = run
        .not_offered
        .map(|token| run.interpreter.context().write(token));
    if found != not_offered {
        return Err(format!("the first token that is not offered is {found:?}"));
    }
    Ok(())
}

fn all_cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let files = files
        .iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"));
    let read = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        read_cases(&name, &std::fs::read_to_string(path).unwrap())
            .unwrap_or_else(|problem| panic!("{problem}"))
    };
    files.flat_map(read).chain(cases_of_functions()).collect()
}

fn cases_of_functions() -> impl Iterator<Item = Case> {
    Function::all().flat_map(|function| {
        let language = match Lexicon::PAPER.functions().contains(&function) {
            true => "wikitablequestions",
            false => "people",
        };
        let text = format!("language: {language}\n{SAMPLE}{}", function.definition().cases);
        let name = format!("the file of {function}, with the sample table");
        read_cases(&name, &text).unwrap_or_else(|problem| panic!("{problem}"))
    })
}

#[test]
fn all_cases_hold() {
    let cases = all_cases();
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let problem = check(case).err()?;
            Some(format!(
                "{}:{}: {}\n    {problem}",
                case.file, case.line, case.program
            ))
        })
        .collect();
    println!("{} cases", cases.len());
    assert!(
        failures.is_empty(),
        "{} of {} cases fail:\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}

#[test]
fn there_are_cases_for_every_function() {
    let all = all_cases();
    assert!(all.len() >= 155, "only {} cases were found", all.len());
    let own: Vec<Case> = cases_of_functions().collect();
    for function in Function::all() {
        let call = format!("({function} ");
        let cases = || own.iter().filter(|case| case.program.contains(&call));
        assert!(cases().count() >= 3, "{function} has {} cases", cases().count());
        let said = |case: &Case| {
            case.expectations
                .iter()
                .any(|(_, line)| line.starts_with("english: "))
        };
        assert!(cases().any(said), "no case of {function} says it in English");
    }
}

#[test]
fn wrong_cases_are_noticed() {
    let table = "```\nName,Points\nAnne,3\nBob,4\n```\n";
    let wrong = [
        "(count all_rows)\n  = numbers 3",
        "(count all_rows)\n  = rows 2",
        "(count all_rows)\n  extra work\n  = numbers 2",
        "(count all_rows) (count all_rows)\n  = numbers 2",
        "(count all_rows)\n  not offered: count\n  = numbers 2",
        "(next all_rows) (count v0)\n  = numbers 1",
        "(count all_rows)\n  error at 1: anything",
        "(count all_rows)\n  = numbers 2\n  english: something else",
        "(coutn all_rows)\n  error at 3: no function",
        "(coutn all_rows)\n  = numbers 2",
        "(count all_rows)",
        "(count all_rows)\n  extra work",
        "(count ...\n  offered only: all_rows | v0",
        "(hop all_rows ...\n  not offered: r.name-str",
        "(hop all_rows ...\n  not offered: r.nothing-str",
        "(hop all_rows ...\n  offered: r.name-num",
    ];
    for case in wrong {
        let cases = read_cases("wrong", &format!("{table}{case}")).unwrap();
        assert_eq!(cases.len(), 1, "{case}");
        assert!(check(&cases[0]).is_err(), "{case}");
    }
}
