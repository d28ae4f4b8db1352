//! The commands by the three doors through which people come: with a table, with questions and answers, with
//! a question of research.

use clap::Command;
use std::fmt::Write;

/// The doors and the commands behind each.
pub const DOORS: [(&str, &[&str]); 4] = [
    (
        "You have a table",
        &["ask", "serve", "correct", "learn", "run", "sql", "language"],
    ),
    (
        "You have questions with answers",
        &[
            "data",
            "compose",
            "train",
            "eval",
            "rank",
            "calibrate",
            "model",
            "pack",
            "words",
        ],
    ),
    (
        "You study how it learns",
        &[
            "demo",
            "explore",
            "search",
            "weigh",
            "compare",
            "reproduce",
            "fleet",
            "study",
            "score",
        ],
    ),
    ("Beside these", &["completions", "help"]),
];

/// The same command with a help that names its subcommands by door.
pub fn by_door(mut command: Command) -> Command {
    // So that `help` is among them.
    command.build();
    let width = command
        .get_subcommands()
        .map(|command| command.get_name().len())
        .max()
        .unwrap_or_default();
    let mut text = String::new();
    let mut section = |title: &str, commands: &[&Command]| {
        let _ = writeln!(text, "{title}:");
        for command in commands {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(
                text,
                "  {:width$}  {}",
                command.get_name(),
                about.trim_end_matches('.')
            );
        }
        text.push('\n');
    };
    for (title, names) in DOORS {
        let commands: Vec<&Command> = names
            .iter()
            .filter_map(|name| command.find_subcommand(name))
            .collect();
        section(title, &commands);
    }
    let is_behind = |name: &str| DOORS.iter().any(|(_, names)| names.contains(&name));
    let others = command.get_subcommands();
    let others = others.filter(|command| !command.is_hide_set());
    let others: Vec<&Command> = others.filter(|command| !is_behind(command.get_name())).collect();
    if !others.is_empty() {
        section("Other commands", &others);
    }
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}Options:\n{{options}}{{after-help}}"
    );
    command.help_template(template)
}
