//! The walls of the house: no cycle between the top-level modules of a crate, and no training in what only
//! answers. Cargo itself refuses cycles between crates.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of all crates.
fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Which module uses which other ones, each with a place where it does.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

#[test]
fn no_top_level_modules_of_a_crate_use_each_other_in_a_circle() {
    let mut circles = Vec::new();
    let mut modules = 0;
    for folder in fs::read_dir(crates()).unwrap() {
        let source = folder.unwrap().path().join("src");
        let root = ["lib.rs", "main.rs"].map(|name| source.join(name));
        let Some(root) = root.iter().find(|root| root.exists()) else {
            continue;
        };
        let uses = uses(&source, &code(root));
        modules += uses.len();
        if let Some(circle) = circle(&uses) {
            circles.push(format!("{}: {circle}", source.display()));
        }
    }
    assert!(modules > 60, "only {modules} modules were looked at");
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn a_circle_is_found() {
    let uses = |pairs: &[(&str, &str)]| {
        let mut uses = Uses::new();
        for (one, other) in pairs {
            let place = format!("{one}.rs");
            uses.entry((*one).to_owned())
                .or_default()
                .insert((*other).to_owned(), place);
        }
        circle(&uses)
    };
    assert_eq!(uses(&[("a", "b"), ("b", "c"), ("a", "c")]), None);
    let found = uses(&[("a", "b"), ("b", "c"), ("c", "b")]).expect("b and c");
    assert_eq!(found, "b -> c (b.rs) -> b (c.rs)");
    let code = "use crate::{inner::Thing, Other, deep::{A, B}};\nlet x = crate::last::f();";
    let roots: Vec<&str> = roots(code, "crate::").into_iter().collect();
    assert_eq!(roots, ["Other", "deep", "inner", "last"]);
}

#[test]
fn what_only_answers_is_built_without_what_only_training_needs() {
    for package in ["mapo-answering", "mapo-web"] {
        let tree = Command::new(env!("CARGO"))
            .args([
                "tree",
                "--offline",
                "--locked",
                "--edges",
                "normal",
                "--prefix",
                "none",
            ])
            .args(["--package", package])
            .current_dir(crates())
            .output()
            .unwrap();
        let tree = String::from_utf8(tree.stdout).unwrap();
        let names: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
        assert!(names.contains("mapo-model"), "{tree}");
        for unwanted in ["mapo-training", "plotters", "rusqlite"] {
            assert!(!names.contains(unwanted), "{package} needs {unwanted}");
        }
    }
}

/// A file without its comments and without the tests at its foot, which may use anything.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

fn uses(source: &Path, root: &str) -> Uses {
    let modules: BTreeSet<&str> = root
        .lines()
        .filter_map(|line| {
            let line = line.strip_prefix("pub ").unwrap_or(line);
            let line = line.strip_prefix("pub(crate) ").unwrap_or(line);
            line.strip_prefix("mod ")?.strip_suffix(';')
        })
        .collect();
    let owners = re_exported(root, &modules);
    let mut uses = Uses::new();
    for &module in &modules {
        let used = uses.entry(module.to_owned()).or_default();
        for (file, depth) in files(source, module) {
            let code = code(&file);
            let from_root = roots(&code, "crate::");
            let above = roots(&code, &"super::".repeat(depth));
            for name in from_root.iter().chain(&above) {
                let owner = modules.get(name).or_else(|| owners.get(name));
                if let Some(owner) = owner.filter(|owner| **owner != module) {
                    let place = file.strip_prefix(source).unwrap_or(&file).display().to_string();
                    used.entry((*owner).to_owned()).or_insert(place);
                }
            }
        }
    }
    uses
}

/// The names that a crate's root re-exports, each with its module.
fn re_exported<'r>(root: &'r str, modules: &BTreeSet<&'r str>) -> BTreeMap<&'r str, &'r str> {
    let mut owners = BTreeMap::new();
    for statement in root.split(';') {
        let Some((_, path)) = statement.rsplit_once("use ") else {
            continue;
        };
        let words = path.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        if let Some((module, names)) = words.split_first()
            && modules.contains(module)
        {
            owners.extend(names.iter().map(|name| (*name, *module)));
        }
    }
    owners
}

/// The first names of all paths that follow `prefix`, those of a group in braces too.
fn roots<'c>(code: &'c str, prefix: &str) -> BTreeSet<&'c str> {
    let mut found = BTreeSet::new();
    for (place, _) in code.match_indices(prefix) {
        // Neither `super::super::` where `super::` is meant, nor the end of another word.
        let before = code[..place].chars().next_back();
        let rest = &code[place + prefix.len()..];
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') || rest.starts_with("super") {
            continue;
        }
        match rest.strip_prefix('{') {
            Some(group) => first_names(group, &mut found),
            None => found.extend(name(rest)),
        }
    }
    found
}

/// The first name of each path of a group, up to its closing brace.
fn first_names<'c>(group: &'c str, found: &mut BTreeSet<&'c str>) {
    let mut depth = 0_usize;
    let mut is_first = true;
    for (place, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return,
            '}' => depth -= 1,
            ',' if depth == 0 => is_first = true,
            c if depth == 0 && is_first && (c.is_alphabetic() || c == '_') => {
                found.extend(name(&group[place..]));
                is_first = false;
            }
            _ => {}
        }
    }
}

fn name(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    (end > 0).then(|| &text[..end])
}

/// The files of a module, each with how deep below the root its code is.
fn files(source: &Path, module: &str) -> Vec<(PathBuf, usize)> {
    let mut found = vec![(source.join(format!("{module}.rs")), 1)];
    let mut folders = vec![(source.join(module), 1)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let is_mod = path.file_name().is_some_and(|name| name == "mod.rs");
            match path.is_dir() {
                true => folders.push((path, depth + 1)),
                false => found.push((path, if is_mod { depth } else { depth + 1 })),
            }
        }
    }
    found.retain(|(file, _)| file.exists() && file.extension().is_some_and(|ending| ending == "rs"));
    found
}

/// A circle of modules, if there is one.
fn circle(uses: &Uses) -> Option<String> {
    fn visit(
        module: &str,
        uses: &Uses,
        way: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<String> {
        if let Some(start) = way.iter().position(|known| known == module) {
            let round = way[start..]
                .iter()
                .zip(way[start + 1..].iter().map(String::as_str).chain([module]));
            let steps = round.map(|(from, to)| format!(" -> {to} ({})", uses[from][to]));
            return Some(format!("{module}{}", steps.collect::<String>()));
        }
        if !done.insert(module.to_owned()) {
            return None;
        }
        way.push(module.to_owned());
        let used = uses.get(module).into_iter().flatten();
        let found = used
            .map(|(next, _)| visit(next, uses, way, done))
            .find(Option::is_some);
        way.pop();
        found.flatten()
    }
    let mut done = BTreeSet::new();
    uses.keys()
        .map(|module| visit(module, uses, &mut Vec::new(), &mut done))
        .find(Option::is_some)
        .flatten()
}
