//! How files and flags change settings, and in what two settings differ.

use toml::{Table, Value};

use super::Settings;
use crate::{Error, Result};

/// What settings were called before, and are called now. Files and flags may use either name.
const RENAMED: [(&str, &str); 2] = [("exploring", "new_programs"), ("exploration", "explore_first")];

impl Settings {
    /// These settings, changed by a TOML text; whatever it does not name stays.
    ///
    /// # Errors
    /// If it is no TOML, names a setting that there is not (the error suggests one), or a value does not fit.
    pub fn changed_by(&self, text: &str) -> Result<Self> {
        let mut changes: Table = text
            .parse()
            .map_err(|error: toml::de::Error| Error::Settings(error.message().to_owned()))?;
        for (before, now) in RENAMED {
            if let Some(change) = changes.remove(before) {
                changes.insert(now.to_owned(), change);
            }
        }
        let mut settings = Table::try_from(self).map_err(|error| Error::Settings(error.to_string()))?;
        overlay(&mut settings, changes, "")?;
        let changed: Result<Self, _> = settings.try_into();
        changed.map_err(|error: toml::de::Error| Error::Settings(error.message().to_owned()))
    }

    /// The settings in which these differ from others, as in `learning.rate=0.002`. Where the objective is
    /// another, all of its own settings.
    pub fn differences(&self, others: &Self) -> Vec<String> {
        let flat = |settings: &Self| {
            let mut flat = Vec::new();
            if let Ok(table) = Table::try_from(settings) {
                flatten(&table, "", &mut flat);
            }
            flat
        };
        let others = flat(others);
        let is_same_objective = |(name, value): &(String, String)| {
            let was = others.iter().find(|(known, _)| known == "objective.name");
            name != "objective.name" || was.is_some_and(|(_, known)| known == value)
        };
        let own = flat(self);
        let same_objective = own.iter().all(is_same_objective);
        let differs = |setting: &&(String, String)| {
            let is_new_objective = !same_objective && setting.0.starts_with("objective.");
            is_new_objective || !others.contains(setting)
        };
        own.iter()
            .filter(differs)
            .map(|(name, value)| format!("{name}={value}"))
            .collect()
    }

    /// These settings with one changed, as in `learning.rate=0.002`.
    ///
    /// # Errors
    /// Those of [`changed_by`](Self::changed_by).
    pub fn with(&self, change: &str) -> Result<Self> {
        let Some((name, value)) = change.split_once('=') else {
            return Err(Error::Settings(format!(
                "'{change}' is no setting; write NAME=VALUE, as in learning.rate=0.002"
            )));
        };
        let (name, value) = (name.trim(), value.trim());
        let text = format!("{name} = {value}");
        // A word needs no quotes on the command line.
        if text.parse::<Table>().is_err() {
            return self.changed_by(&format!("{name} = {value:?}"));
        }
        self.changed_by(&text)
    }
}

/// Puts changes over settings, and says so if there is no such setting.
fn overlay(settings: &mut Table, changes: Table, path: &str) -> Result<()> {
    for (name, change) in changes {
        // Which settings an objective has depends on its name, and it says itself what it does not know.
        let is_objective = path.ends_with("objective.");
        match (settings.get_mut(&name), change) {
            (Some(Value::Table(known)), Value::Table(change)) if !is_objective => {
                if name == "objective"
                    && change
                        .get("name")
                        .is_some_and(|new| Some(new) != known.get("name"))
                {
                    *known = change;
                } else {
                    overlay(known, change, &format!("{path}{name}."))?;
                }
            }
            (Some(known), change) => *known = as_kind_of(known, change),
            // Nothing is said of belief, a warm-up or an encoder where there is none.
            (None, change) if path.is_empty() && name == "belief" => {
                settings.insert(name, as_kind_of(&Value::Float(0.0), change));
            }
            (None, change)
                if is_objective || (path.is_empty() && ["warm_up", "encoder"].contains(&name.as_str())) =>
            {
                settings.insert(name, change);
            }
            (None, _) => {
                let wrong = format!("there is no setting '{path}{name}'");
                return Err(Error::Settings(
                    match closest(&name, settings.keys().map(String::as_str)) {
                        Some(close) => format!("{wrong}; did you mean '{path}{close}'?"),
                        None => {
                            let known: Vec<&str> = settings.keys().map(String::as_str).collect();
                            format!("{wrong}; there are {}", known.join(", "))
                        }
                    },
                ));
            }
        }
    }
    Ok(())
}

/// Every setting by its whole name.
fn flatten(table: &Table, path: &str, flat: &mut Vec<(String, String)>) {
    for (name, value) in table {
        match value {
            Value::Table(inner) if !inner.is_empty() => flatten(inner, &format!("{path}{name}."), flat),
            Value::String(word) => flat.push((format!("{path}{name}"), word.clone())),
            // Settings are 32-bit numbers here and there, whose 64-bit form has a tail of digits that nobody
            // wrote.
            Value::Float(number) => {
                let short = *number as f32;
                let is_short = f64::from(short) == *number;
                let text = if is_short {
                    short.to_string()
                } else {
                    number.to_string()
                };
                flat.push((format!("{path}{name}"), text));
            }
            value => flat.push((format!("{path}{name}"), value.to_string())),
        }
    }
}

/// A whole number where a number is wanted.
fn as_kind_of(known: &Value, change: Value) -> Value {
    match (known, change) {
        (Value::Float(_), Value::Integer(number)) => Value::Float(number as f64),
        (_, change) => change,
    }
}

/// The known name that a mistyped one is most like.
pub(crate) fn closest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use mapo_core::{Mapo, Objective};

    #[test]
    fn presets_make_sense_and_survive_a_file() {
        for settings in Preset::ALL.map(Preset::settings) {
            settings.check().unwrap();
            let text = toml::to_string_pretty(&settings).unwrap();
            assert_eq!(Settings::toy().changed_by(&text).unwrap(), settings);
        }
    }

    #[test]
    fn one_setting_changes_alone() {
        let toy = Settings::toy();
        let changed = toy.with("learning.rate=0.5").unwrap();
        assert_eq!(changed.learning.rate, 0.5);
        assert_eq!(
            changed
                .with(&format!("learning.rate={}", toy.learning.rate))
                .unwrap(),
            toy
        );
        assert_eq!(
            toy.with("explore_first.pruning=none")
                .unwrap()
                .explore_first
                .pruning,
            "none"
        );
        assert_eq!(toy.with("samples=3").unwrap().samples, 3.0);
        let hard_em = toy.changed_by("[objective]\nname = \"hard_em\"").unwrap();
        assert_eq!(hard_em.objective.name(), "hard_em");
        let decay = toy
            .changed_by("objective.alpha_decay = { to = 0.0, steps = 10 }")
            .unwrap();
        assert!(matches!(
            decay.objective,
            Objective::Mapo(Mapo {
                alpha_decay: Some(_),
                ..
            })
        ));
    }

    #[test]
    fn settings_are_known_by_their_former_names_too() {
        let toy = Settings::toy();
        let before = toy
            .with("exploration.programs=7")
            .unwrap()
            .with("exploring.when_empty=3")
            .unwrap();
        let now = toy
            .with("explore_first.programs=7")
            .unwrap()
            .with("new_programs.when_empty=3")
            .unwrap();
        assert_eq!(before, now);
        let text = toml::to_string_pretty(&now).unwrap();
        let former = text
            .replace("new_programs", "exploring")
            .replace("explore_first", "exploration");
        assert_ne!(former, text);
        assert_eq!(toml::from_str::<Settings>(&former).unwrap(), now);
    }

    #[test]
    fn a_typo_is_told() {
        let message = |change: &str| Settings::toy().with(change).unwrap_err().to_string();
        assert_eq!(
            message("learning.rtae=1"),
            "there is no setting 'learning.rtae'; did you mean 'learning.rate'?"
        );
        assert_eq!(
            message("bacth=1"),
            "there is no setting 'bacth'; did you mean 'batch'?"
        );
        assert!(
            message("objective.alhpa=1").contains("alhpa"),
            "{}",
            message("objective.alhpa=1")
        );
        assert!(message("batch").contains("NAME=VALUE"));
        assert!(
            message("batch=many").contains("invalid type"),
            "{}",
            message("batch=many")
        );
        let wrong = Settings::toy()
            .with("learning.dropout=1")
            .unwrap()
            .check()
            .unwrap_err();
        assert_eq!(
            wrong.to_string(),
            "the setting learning.dropout must be at least 0 and below 1"
        );
    }
}
