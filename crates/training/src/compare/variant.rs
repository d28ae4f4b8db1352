//! Variants: names for settings.

use mapo_core::{Iml, Inside, Mapo, Mml, NewPrograms, Objective, Reinforce};
use mapo_datasets::Dataset;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

use crate::settings::Settings;
use crate::settings::changes::closest;
use crate::settings::presets::Preset;
use crate::{Error, Result};

/// MAPO without a part of it, as the paper takes it apart.
const ABLATIONS: [&str; 2] = ["mapo-without-exploration", "mapo-without-clipping"];

/// The variants that have a name of their own: the objectives, the paper's first, and its ablations.
pub fn names() -> Vec<&'static str> {
    let objectives = Objective::all();
    let objectives = objectives.iter().map(Objective::name);
    objectives.chain(ABLATIONS).collect()
}

/// Those that the paper's tables have.
pub const PAPER: [&str; 7] = [
    "mapo",
    "mml",
    "hard_em",
    "iml",
    "reinforce",
    "mapo-without-exploration",
    "mapo-without-clipping",
];

/// A name for settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// Its name, which is that of its directory too.
    pub name: String,
    /// Its settings, all of them.
    pub settings: Settings,
}

/// Variants in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VariantFile {
    variant: Vec<VariantEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VariantEntry {
    name: String,
    /// A named variant to begin with; the common settings if there is none.
    from: Option<String>,
    #[serde(default)]
    settings: toml::Table,
}

impl Variant {
    /// One of [these names](names), over common settings. Where these have the objective of that name
    /// already, it stays as it is; otherwise it draws as many samples as the paper's for this kind of data.
    ///
    /// # Errors
    /// If there is none of that name; the error suggests one.
    pub fn named(name: &str, common: &Settings, data: &Dataset) -> Result<Self> {
        let mut settings = common.clone();
        let draws = Preset::for_data(data, false).baseline_draws();
        settings.objective = match name {
            _ if name == common.objective.name() => common.objective.clone(),
            "mapo" => Objective::Mapo(preset_mapo(data)),
            "mapo-without-exploration" => {
                settings.new_programs = NewPrograms::OFF;
                settings.explore_first.programs = 0;
                Objective::Mapo(common_mapo(common, data))
            }
            "mapo-without-clipping" => Objective::Mapo(Mapo {
                alpha: 0.0,
                alpha_decay: None,
                ..common_mapo(common, data)
            }),
            "mml" => Objective::Mml(Mml {
                draws: Some(draws),
                smoothed: common_mapo(common, data).smoothed,
            }),
            "iml" => Objective::Iml(Iml { draws: Some(draws) }),
            // The paper does not say how many; it gets as many as MAPO has in all.
            "reinforce" => Objective::Reinforce(Reinforce {
                draws: samples(&common_mapo(common, data)),
                ..Reinforce::default()
            }),
            _ => {
                let mut objectives = Objective::all().into_iter();
                let named = objectives.find(|objective| objective.name() == name);
                named.ok_or_else(|| unknown(name))?
            }
        };
        Self::checked(name, settings)
    }

    /// A variant as written on the command line: `NAME:SETTING,SETTING…`, where a setting is as in
    /// `learning.rate=0.002`, and the first may be the name of one of [these names](names) to begin with.
    ///
    /// # Errors
    /// If it is not of this form, or a setting is unknown or makes no sense.
    pub fn parse(text: &str, common: &Settings, data: &Dataset) -> Result<Self> {
        let Some((name, changes)) = text.split_once(':') else {
            return Err(Error::Variant(format!(
                "'{text}' is no variant; write NAME:SETTING,SETTING…, as in fast:learning.rate=0.01"
            )));
        };
        let mut settings = common.clone();
        for (place, change) in split_outside_brackets(changes).into_iter().enumerate() {
            let is_name = place == 0 && !change.contains('=');
            settings = match is_name {
                true => Self::named(change, common, data)?.settings,
                false => settings.with(change).map_err(|error| of_variant(name, &error))?,
            };
        }
        Self::checked(name, settings)
    }

    /// The variants of a TOML file: a list of `[[variant]]`, each with its `name`, perhaps one of [these
    /// names](names) to begin with (`from`), and its `settings`.
    ///
    /// # Errors
    /// If it is not of this form, or a setting is unknown or makes no sense.
    pub fn read_all(text: &str, common: &Settings, data: &Dataset) -> Result<Vec<Self>> {
        let file: VariantFile = toml::from_str(text)
            .map_err(|error: toml::de::Error| Error::Variant(error.message().to_owned()))?;
        let variant = |entry: VariantEntry| {
            let begin = match &entry.from {
                Some(from) => Self::named(from, common, data)?.settings,
                None => common.clone(),
            };
            let settings = begin
                .changed_by(&entry.settings.to_string())
                .map_err(|error| of_variant(&entry.name, &error))?;
            Self::checked(&entry.name, settings)
        };
        file.variant.into_iter().map(variant).collect()
    }

    fn checked(name: &str, settings: Settings) -> Result<Self> {
        let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
        if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
            return Err(Error::Variant(format!(
                "'{name}' cannot name a variant, since it names a directory too; use up to 64 letters, digits, - and _"
            )));
        }
        settings.check().map_err(|error| of_variant(name, &error))?;
        if settings.steps == 0 {
            return Err(of_variant(name, &"the setting steps must be at least 1"));
        }
        Ok(Self {
            name: name.to_owned(),
            settings,
        })
    }

    /// Whether its memories begin with what random exploration finds.
    pub fn explores_first(&self) -> bool {
        self.settings.needs_memories() && self.settings.explore_first.programs > 0
    }
}

/// Whether no two variants have the same name.
///
/// # Errors
/// Names the one that is there twice.
pub fn check_distinct(variants: &[Variant]) -> Result<()> {
    let mut names = HashSet::new();
    match variants.iter().find(|variant| !names.insert(&variant.name)) {
        Some(twice) => Err(Error::Variant(format!(
            "there are two variants '{}'; give one of them another name",
            twice.name
        ))),
        None => Ok(()),
    }
}

fn of_variant(name: &str, problem: &dyn std::fmt::Display) -> Error {
    Error::Variant(format!("variant {name}: {problem}"))
}

fn unknown(name: &str) -> Error {
    let wrong = format!("there is no objective '{name}'");
    let like = name.to_lowercase().replace(' ', "-");
    Error::Variant(match closest(&like, names().into_iter()) {
        Some(close) => format!("{wrong}; did you mean '{close}'?"),
        None => format!("{wrong}; there are {}", names().join(", ")),
    })
}

fn preset_mapo(data: &Dataset) -> Mapo {
    match Preset::for_data(data, false).settings().objective {
        Objective::Mapo(mapo) => mapo,
        _ => Mapo::default(),
    }
}

/// MAPO as the common settings have it, or else as it is for this kind of data.
fn common_mapo(common: &Settings, data: &Dataset) -> Mapo {
    match &common.objective {
        Objective::Mapo(mapo) => mapo.clone(),
        _ => preset_mapo(data),
    }
}

/// How many programs an example contributes; where all of its memory does, one of them is counted.
fn samples(mapo: &Mapo) -> usize {
    let inside = match mapo.inside {
        Inside::Sampled(draws) | Inside::Top(draws) => draws,
        Inside::Enumerated => 1,
    };
    inside + mapo.outside_draws
}

/// The parts between commas, but for commas inside brackets, braces or quotes.
fn split_outside_brackets(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut quoted, mut start) = (Vec::new(), 0_i32, false, 0);
    for (place, letter) in text.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth -= 1,
            ',' if !quoted && depth <= 0 => {
                parts.push(&text[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Variant {
        Variant::named(name, &Settings::toy(), &Dataset::toy()).unwrap()
    }

    #[test]
    fn the_ablations_are_what_the_paper_means() {
        assert_eq!(named("mapo").settings, Settings::toy());
        let unexplored = named("mapo-without-exploration");
        assert_eq!(unexplored.settings.new_programs, NewPrograms::OFF);
        assert_eq!(unexplored.settings.objective, Settings::toy().objective);
        assert!(!unexplored.explores_first());
        let unclipped = named("mapo-without-clipping");
        assert_eq!(
            unclipped.settings.differences(&Settings::toy()),
            ["objective.alpha=0"]
        );
        assert!(unclipped.explores_first());
        assert!(!named("reinforce").explores_first());
        for name in names() {
            let variant = named(name);
            let objective = name.split("-without").next().unwrap();
            assert_eq!(variant.settings.objective.name(), objective);
        }
        assert!(PAPER.iter().all(|name| names().contains(name)));
    }

    #[test]
    fn baselines_draw_as_many_samples_as_the_papers() {
        let wikisql: Dataset = "wikisql:x".parse().unwrap();
        let mml = Variant::named("mml", &Settings::wikisql(), &wikisql).unwrap();
        assert_eq!(
            mml.settings.objective,
            Objective::Mml(Mml {
                draws: Some(5),
                ..Mml::default()
            })
        );
        assert_eq!(
            named("iml").settings.objective,
            Objective::Iml(Iml { draws: Some(2) })
        );
        // Unless the common settings say otherwise.
        let common = Settings::toy()
            .changed_by("objective = { name = \"mml\", draws = 7 }")
            .unwrap();
        let mml = Variant::named("mml", &common, &Dataset::toy()).unwrap();
        assert_eq!(mml.settings, common);
    }

    #[test]
    fn a_variant_changes_what_it_names_and_no_more() {
        let parse = |text: &str| Variant::parse(text, &Settings::toy(), &Dataset::toy());
        let fast = parse("fast:learning.rate=0.01,learning.dropout=0.1").unwrap();
        assert_eq!(fast.name, "fast");
        let differences = fast.settings.differences(&Settings::toy());
        assert_eq!(differences, ["learning.dropout=0.1", "learning.rate=0.01"]);
        let more = parse("more:mml,objective.draws=5").unwrap();
        assert_eq!(
            more.settings.objective,
            Objective::Mml(Mml {
                draws: Some(5),
                ..Mml::default()
            })
        );
        assert_eq!(
            more.settings.differences(&Settings::toy()),
            [
                "objective.draws=5",
                "objective.name=mml",
                "objective.smoothed=false"
            ]
        );
        let decay = parse("decay:objective.alpha_decay={ to = 0.0, steps = 10 },batch=8").unwrap();
        assert_eq!(decay.settings.batch, 8);
        let file =
            "[[variant]]\nname = \"b\"\nfrom = \"iml\"\n[[variant]]\nname = \"a\"\nsettings.batch = 8\n";
        let read = Variant::read_all(file, &Settings::toy(), &Dataset::toy()).unwrap();
        assert_eq!(read[0].settings, named("iml").settings);
        assert_eq!((read[1].name.as_str(), read[1].settings.batch), ("a", 8));
    }

    #[test]
    fn mistakes_are_told() {
        let parse = |text: &str| {
            let parsed = Variant::parse(text, &Settings::toy(), &Dataset::toy());
            parsed.unwrap_err().to_string()
        };
        let misnamed = Variant::named("hard-em", &Settings::toy(), &Dataset::toy()).unwrap_err();
        assert_eq!(
            misnamed.to_string(),
            "there is no objective 'hard-em'; did you mean 'hard_em'?"
        );
        assert_eq!(
            parse("a:learning.rtae=1"),
            "variant a: there is no setting 'learning.rtae'; did you mean 'learning.rate'?"
        );
        assert!(parse("a").contains("NAME:SETTING"));
        assert!(parse("../a:batch=1").contains("cannot name a variant"));
        assert!(parse("a:mmll,batch=1").contains("did you mean 'mml'"));
        assert!(parse("a:batch=0").contains("must be at least 1"));
        assert!(parse("a:steps=0").contains("steps"));
        let twice = check_distinct(&[named("mapo"), named("mml"), named("mapo")]).unwrap_err();
        assert!(twice.to_string().contains("two variants 'mapo'"));
    }
}
