//! What the columns of a table are to someone who asks: names of rows, groups, measures, times.

use crate::headers::{self, plural, singular};
use crate::meanings::{self, Measure, Topic};
use mapo_tables::{ColumnId, ColumnKind, Table, Value};
use mapo_text::normalize;
use std::collections::HashMap;
use std::sync::Arc;

/// What a column is good for in questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Its cells name the rows.
    Name,
    /// Its cells put rows into groups.
    Group,
    /// Its cells are numbers of which one is more than another.
    Amount,
    /// The same, of things that are counted.
    Count,
    /// Its cells are points in time.
    Time,
    /// Texts of another kind: to be asked for.
    Detail,
    /// Numbers of rows, keys, codes: nothing that people ask about.
    Other,
}

/// A column as people see it.
#[derive(Debug)]
pub(crate) struct Facet {
    /// Which column of the file.
    pub source: usize,
    pub role: Role,
    /// How its header is said, in several ways, the header's own words first.
    pub nouns: Vec<String>,
    pub text: ColumnId,
    /// Its numbers, or else its dates.
    pub ordered: Option<ColumnId>,
    pub number: Option<ColumnId>,
    pub measure: Option<&'static Measure>,
    pub topic: Option<&'static Topic>,
    /// Whether no other column of the table is of the same measure or topic, so that words that imply it
    /// can mean no other.
    pub alone: bool,
    /// Its different texts in normal form, with the rows of each in order.
    pub groups: Vec<(String, Vec<usize>)>,
}

/// What the rows of a table are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowNoun {
    pub one: String,
    pub many: String,
    /// Whether they are people.
    pub who: bool,
}

impl RowNoun {
    /// Several, and one.
    pub fn called(many: &str, one: &str) -> Self {
        RowNoun {
            one: one.to_owned(),
            many: many.to_owned(),
            who: PEOPLE
                .iter()
                .any(|person| one.split(' ').any(|word| word == *person)),
        }
    }
}

/// A table as people see it.
#[derive(Debug)]
pub(crate) struct Profile<'a> {
    pub table: &'a Arc<Table>,
    pub facets: Vec<Facet>,
    pub noun: RowNoun,
}

/// Headers that name rows without saying what they are.
const NAMELESS: &[&str] = &[
    "name",
    "title",
    "item",
    "entry",
    "label",
    "full name",
    "description",
    "id",
    "column",
    "names",
    "address",
];

/// Words at the end of a header that is no noun.
const PREPOSITIONS: &[&str] = &[
    "against", "at", "by", "for", "from", "in", "of", "on", "to", "versus", "vs", "with",
];

/// What people are called who stand in a column.
const PEOPLE: &[&str] = &[
    "player",
    "athlete",
    "driver",
    "actor",
    "actress",
    "author",
    "director",
    "winner",
    "candidate",
    "president",
    "artist",
    "champion",
    "rider",
    "coach",
    "swimmer",
    "runner",
    "cyclist",
    "employee",
    "student",
    "member",
    "manager",
    "captain",
    "singer",
    "wrestler",
    "golfer",
    "governor",
    "mayor",
    "patient",
    "customer",
    "councillor",
    "contestant",
    "representative",
    "skater",
    "jockey",
    "leader",
    "king",
    "minister",
    "bishop",
    "pilot",
    "astronaut",
];

impl<'a> Profile<'a> {
    /// Looks at a table; nothing if there is nothing to ask about. `rows` says what its rows are, where
    /// someone knows.
    pub fn of(table: &'a Arc<Table>, rows: Option<RowNoun>) -> Option<Self> {
        if table.rows() < 3 {
            return None;
        }
        let mut facets: Vec<Facet> = (0..table.headers().len())
            .filter_map(|source| facet(table, source))
            .collect();
        let name = facets
            .iter()
            .position(|facet| facet.role == Role::Detail && facet.groups.len() * 10 >= table.rows() * 9);
        if let Some(name) = name {
            facets[name].role = Role::Name;
        }
        for place in 0..facets.len() {
            let facet = &facets[place];
            let others = || {
                facets
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != place)
                    .map(|(_, other)| other)
            };
            let same_measure = facet.measure.is_some_and(|own| {
                others().any(|other| {
                    other
                        .measure
                        .is_some_and(|measure| std::ptr::eq(measure, own) || shares(measure.most, own.most))
                })
            });
            let same_topic = facet.topic.is_some_and(|own| {
                others().any(|other| other.topic.is_some_and(|topic| std::ptr::eq(topic, own)))
            });
            facets[place].alone = !same_measure && !same_topic;
        }
        let noun = rows
            .or_else(|| noun_of(table, &facets))
            .unwrap_or_else(|| RowNoun {
                one: "entry".to_owned(),
                many: "entries".to_owned(),
                who: false,
            });
        let asked = facets.iter().filter(|facet| facet.role != Role::Other).count();
        (asked >= 2).then_some(Profile { table, facets, noun })
    }

    /// The column that names the rows.
    pub fn name(&self) -> Option<&Facet> {
        self.facets.iter().find(|facet| facet.role == Role::Name)
    }

    /// The columns of some roles.
    pub fn of_roles(&self, roles: &[Role]) -> Vec<&Facet> {
        self.facets
            .iter()
            .filter(|facet| roles.contains(&facet.role))
            .collect()
    }

    /// The columns of some roles but those of these sources.
    pub fn others_of_roles(&self, roles: &[Role], without: &[usize]) -> Vec<&Facet> {
        let mut facets = self.of_roles(roles);
        facets.retain(|facet| !without.contains(&facet.source));
        facets
    }

    /// Whether a text stands as a whole in a column other than this one.
    pub fn stands_elsewhere(&self, text: &str, source: usize) -> bool {
        let others = self.facets.iter().filter(|facet| facet.source != source);
        { others }.any(|facet| facet.groups.iter().any(|(group, _)| group == text))
    }
}

fn shares(a: &[&str], b: &[&str]) -> bool {
    a.iter().any(|word| b.contains(word))
}

fn facet(table: &Table, source: usize) -> Option<Facet> {
    let of_kind = |kind: ColumnKind| {
        table
            .column_ids()
            .find(|id| table.column(*id).source() == source && table.column(*id).kind() == kind)
    };
    let text = of_kind(ColumnKind::Text)?;
    let header = headers::words(&table.headers()[source]);
    if header.is_empty() {
        return None;
    }
    let rows = table.rows();
    let filled: Vec<&str> = (0..rows)
        .map(|row| table.cell(row, source).trim())
        .filter(|cell| !cell.is_empty())
        .collect();
    if filled.len() * 2 < rows {
        return None;
    }
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for row in 0..rows {
        let form = normalize(table.cell(row, source));
        if form.is_empty() {
            continue;
        }
        let place = *known.entry(form.clone()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, members)) => members.push(row),
            None => groups.push((form, vec![row])),
        }
    }
    let number = of_kind(ColumnKind::Number)
        .filter(|_| filled.iter().filter(|cell| is_number(cell)).count() * 10 >= filled.len() * 9);
    let date = of_kind(ColumnKind::Date).filter(|id| {
        table.column(*id).present().len() * 10 >= filled.len() * 8
            && filled.iter().all(|cell| cell.len() <= 24)
    });
    let long = headers::written_out(&header);
    let measure = meanings::measure(&header).or_else(|| meanings::measure(&long));
    let topic = meanings::topic(&header).or_else(|| meanings::topic(&long));
    let is_year = number.is_some_and(|id| {
        let numbers = table.column(id).values().filter_map(|value| match value {
            Value::Number(number) => Some(number),
            _ => None,
        });
        { numbers }.all(|number| number.fract() == 0.0 && (1400.0..2100.0).contains(&number))
    });
    let says_time = measure.is_some_and(|measure| measure.is_time)
        || header.iter().any(|word| word == "year" || word == "date");
    let counted = headers::counted(&header).or_else(|| headers::counted(&long));
    let role = match (number, date) {
        // "Directed by", "against": no noun to ask with.
        _ if header
            .last()
            .is_some_and(|word| PREPOSITIONS.contains(&word.as_str())) =>
        {
            Role::Other
        }
        (Some(_), _)
            if header.iter().any(|word| {
                [
                    "id",
                    "no",
                    "code",
                    "zip",
                    "isbn",
                    "phone",
                    "rank",
                    "index",
                    "lat",
                    "lon",
                    "latitude",
                    "longitude",
                ]
                .contains(&word.as_str())
            }) =>
        {
            Role::Other
        }
        (Some(_), _) if is_year && (says_time || date.is_some()) => Role::Time,
        (Some(_), _) if counted.is_some() => Role::Count,
        (Some(_), _) => Role::Amount,
        (None, Some(_)) => Role::Time,
        (None, None)
            if groups.len() >= 2
                && groups.len() * 2 <= filled.len()
                && filled.iter().all(|cell| cell.len() <= 60) =>
        {
            Role::Group
        }
        (None, None) => Role::Detail,
    };
    let ordered = match role {
        Role::Time => number.filter(|_| is_year).or(date),
        Role::Amount | Role::Count => number,
        _ => None,
    };
    let mut nouns = vec![header.join(" ")];
    let mut add = |noun: String| {
        if !nouns.contains(&noun) {
            nouns.push(noun);
        }
    };
    add(long.join(" "));
    if let (Role::Count, Some(counted)) = (role, counted) {
        add(counted.join(" "));
    }
    Some(Facet {
        source,
        role,
        nouns,
        text,
        ordered,
        number,
        measure: measure.filter(|_| ordered.is_some()),
        topic: topic.filter(|_| ordered.is_none()),
        alone: true,
        groups,
    })
}

/// Whether a cell is a number and little else: `1,200`, `$5.40`, `12 km`, `45%`.
fn is_number(cell: &str) -> bool {
    let digits = cell.chars().filter(char::is_ascii_digit).count();
    let others = cell
        .chars()
        .filter(|c| {
            !c.is_ascii_digit() && !matches!(c, '.' | ',' | ' ' | '$' | '€' | '£' | '%' | '-' | '+' | '−')
        })
        .count();
    let parts = cell
        .split(|c: char| !(c.is_ascii_digit() || c == '.' || c == ','))
        .filter(|part| part.contains(|c: char| c.is_ascii_digit()))
        .count();
    digits > 0 && others <= 4 && parts == 1
}

fn noun_of(table: &Table, facets: &[Facet]) -> Option<RowNoun> {
    let noun = |many: String| RowNoun::called(&many, &singular(&many));
    let name = facets.iter().find(|facet| facet.role == Role::Name);
    if let Some(said) = name.map(|name| name.nouns[0].clone())
        && !NAMELESS.contains(&said.as_str())
        && said.split(' ').count() <= 2
        && said.chars().all(|c| c.is_ascii_lowercase() || c == ' ')
    {
        return Some(noun(plural(&singular(&said))));
    }
    // A file called `books.csv` says what its rows are.
    let file = table.name().rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default().to_lowercase();
    (stem.chars().all(|c| c.is_ascii_lowercase()) && headers::is_plural(&stem)).then(|| noun(stem))
}
