//! What was read in the texts of a column: made into codes of a dictionary when that is first asked for.

use crate::index::TextIndex;
use crate::texts::Texts;
use mapo_text::Date;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The code of a row that has no value.
pub const NO_VALUE: u32 = u32::MAX;

/// The distinct values of a column. Numbers and dates ascend, so that codes compare as their values do. A
/// text's code is the number of the first of the cells' texts that has the same form.
#[derive(Clone, Debug)]
pub enum Dictionary {
    /// Texts in the form in which they are compared.
    Text(Arc<Texts>),
    /// Numbers.
    Numbers(Box<[f64]>),
    /// By [`Date::key`].
    Dates(Box<[Date]>),
}

/// The values of the texts of a column. What takes long is done when first asked for: most questions about a
/// large table look at few of its columns.
#[derive(Debug)]
pub(crate) struct Readings {
    /// What the values are made from; nothing once they are made.
    raw: Mutex<Option<Raw>>,
    /// The forms of the texts, of a text column.
    forms: OnceLock<Arc<Texts>>,
    coded: OnceLock<Coded>,
    index: OnceLock<TextIndex>,
}

/// What a column is made from: for each text of the cells what was read in it.
#[derive(Debug)]
pub(crate) enum Raw {
    Texts {
        texts: Arc<Texts>,
        are_distinct: bool,
        form: fn(&str, &mut String),
    },
    Numbers(Vec<Option<f64>>),
    Dates(Vec<Option<Date>>),
}

/// The values of the texts as numbers of a dictionary.
#[derive(Debug)]
pub(crate) struct Coded {
    /// For each text the code of its value.
    pub of_text: Box<[u32]>,
    pub dictionary: Dictionary,
    /// How many different values there are.
    pub distinct: usize,
    /// Whether all dates know the same parts, so that their order is total.
    pub total_order: bool,
}

impl Readings {
    pub fn new(raw: Raw) -> Arc<Self> {
        Arc::new(Readings {
            raw: Mutex::new(Some(raw)),
            forms: OnceLock::new(),
            coded: OnceLock::new(),
            index: OnceLock::new(),
        })
    }

    fn raw(&self) -> MutexGuard<'_, Option<Raw>> {
        self.raw.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The forms of the texts; of a column of numbers or dates none.
    pub fn forms(&self) -> &Arc<Texts> {
        self.forms.get_or_init(|| match &*self.raw() {
            Some(Raw::Texts { texts, form, .. }) => match texts.in_form(form) {
                // Where every text is in its form already, as numbers are, the cells' own texts serve.
                None => Arc::clone(texts),
                Some(formed) => Arc::new(formed),
            },
            _ => Arc::default(),
        })
    }

    /// Where its texts stand, of a text column.
    pub fn index(&self) -> &TextIndex {
        self.index.get_or_init(|| TextIndex::new(self.forms()))
    }

    /// The values, made when first asked for.
    pub fn coded(&self) -> &Coded {
        self.coded.get_or_init(|| {
            let forms = Arc::clone(self.forms());
            let mut raw = self.raw();
            let coded = match &*raw {
                Some(Raw::Texts {
                    texts, are_distinct, ..
                }) => {
                    let of_text: Box<[u32]> = match *are_distinct && Arc::ptr_eq(texts, &forms) {
                        true => (0..forms.len() as u32).collect(),
                        false => forms.first_equals().into(),
                    };
                    Coded {
                        distinct: (0..).zip(&of_text).filter(|(text, first)| text == *first).count(),
                        of_text,
                        dictionary: Dictionary::Text(forms),
                        total_order: true,
                    }
                }
                Some(Raw::Numbers(numbers)) => {
                    let (of_text, numbers) = encode(numbers, f64::total_cmp);
                    Coded {
                        of_text: of_text.into(),
                        distinct: numbers.len(),
                        dictionary: Dictionary::Numbers(numbers),
                        total_order: true,
                    }
                }
                Some(Raw::Dates(dates)) => {
                    let (of_text, dates) = encode(dates, |a, b| a.key().cmp(&b.key()));
                    Coded {
                        of_text: of_text.into(),
                        distinct: dates.len(),
                        total_order: dates.windows(2).all(|pair| pair[0].known() == pair[1].known()),
                        dictionary: Dictionary::Dates(dates),
                    }
                }
                None => Coded {
                    of_text: Box::default(),
                    dictionary: Dictionary::Numbers(Box::default()),
                    distinct: 0,
                    total_order: true,
                },
            };
            // Not before: whoever is stopped on the way leaves it to the next.
            *raw = None;
            coded
        })
    }
}

/// Numbers the distinct values in ascending order.
fn encode<T: Copy>(
    values: &[Option<T>],
    order: impl Fn(&T, &T) -> std::cmp::Ordering,
) -> (Vec<u32>, Box<[T]>) {
    let mut sorted: Vec<(T, u32)> = (0..)
        .zip(values)
        .filter_map(|(place, value)| Some(((*value)?, place)))
        .collect();
    sorted.sort_unstable_by(|(a, _), (b, _)| {
        mapo_stopping::glance();
        order(a, b)
    });
    let mut codes = vec![NO_VALUE; values.len()];
    let mut distinct: Vec<T> = Vec::new();
    for (value, place) in sorted {
        mapo_stopping::glance();
        if distinct.last().is_none_or(|last| order(last, &value).is_ne()) {
            distinct.push(value);
        }
        codes[place as usize] = distinct.len() as u32 - 1;
    }
    (codes, distinct.into())
}
