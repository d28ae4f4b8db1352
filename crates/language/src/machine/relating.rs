//! Which rows have values that stand in a relation to given ones: what all filters ask and do.

use super::making::set;
use super::relation::{Deciding, Needles, Relation, all_equal, holds, mark_codes, mark_texts};
use super::{Held, LARGE, Machine, NewRows, RowsRef, Values, ValuesKind, ValuesRef};
use mapo_tables::rows::{self, RowSet, words_for};
use mapo_tables::{Column, ColumnId, ColumnKind, NO_VALUE};

/// The texts of this many rows are looked at one by one.
const FEW_ROWS: usize = 64;
/// In a large table a variable of more strings than this is not offered to look for, since that would take
/// longer than all the rest.
const MOST_STRINGS: usize = 100;

impl Machine {
    /// Whether numbers meet a number column, or dates a date column.
    pub fn fits(&self, values: ValuesRef, column: ColumnId) -> bool {
        match self.kind(values) {
            Some(ValuesKind::Numbers) => self.column(column).kind().is_number(),
            Some(ValuesKind::Dates) => self.column(column).kind() == ColumnKind::Date,
            _ => false,
        }
    }

    /// Whether in some of the rows the column stands in the relation to the values.
    pub fn related(&self, rows: RowsRef, values: ValuesRef, column: ColumnId, relation: Relation) -> bool {
        if !relation.is_of_texts() && !self.fits(values, column) {
            return false;
        }
        if let ValuesRef::Constant(constant) = values {
            return self.meets(rows, self.subject.constant_rows(constant, column, relation));
        }
        if relation.is_of_texts()
            && let Some((source, codes)) = self.codes(values)
            && let Some(mut found) = self.text_rows(source, codes, column, relation)
        {
            return found.any(|contain| self.meets(rows, contain));
        }
        let given = self.values(values);
        let column = self.column(column);
        if relation.is_of_texts() {
            return self.any_contains(rows, given, column, relation);
        }
        let mut rows = self.rows(rows).filter_map(|row| column.value(row));
        // Comparisons are offered whatever they find, so what is left is equality, which is with one value.
        if !all_equal(given.clone()) {
            return false;
        }
        rows.any(|value| holds(value, relation, given.clone().take(1)))
    }

    /// Whether in some of the rows the text of the column contains one of the values, or is one.
    fn any_contains(&self, rows: RowsRef, given: Values<'_>, column: &Column, relation: Relation) -> bool {
        let forms = column.forms();
        // What a text must be depends on all texts of the column.
        if self.count(rows) <= FEW_ROWS && relation == Relation::Contains {
            let needles = Needles::new(given);
            return self
                .rows(rows)
                .any(|row| needles.any_in(forms.get(column.text(row))));
        }
        if self.words >= LARGE && given.clone().nth(MOST_STRINGS).is_some() {
            return false;
        }
        let mut marks = vec![0u64; words_for(forms.len())];
        mark_texts(column, relation, given, |texts| {
            texts.for_each(|text| set(&mut marks, text as usize))
        });
        self.rows(rows).any(|row| {
            let text = column.text(row) as usize;
            marks[text / 64] >> (text % 64) & 1 == 1
        })
    }

    /// For each of the values the rows that contain it, or are it; `None` where they are not kept.
    fn text_rows<'a>(
        &'a self,
        source: ColumnId,
        codes: &'a [u32],
        column: ColumnId,
        relation: Relation,
    ) -> Option<impl Iterator<Item = &'a RowSet> + 'a> {
        let first = codes.first()?;
        self.subject.text_rows((source, *first), column, relation)?;
        Some(
            codes
                .iter()
                .filter_map(move |code| self.subject.text_rows((source, *code), column, relation)),
        )
    }

    /// Whether in all of the rows the column is known to stand in the relation to the values. In a table that
    /// is too large to know it of texts, it is not known.
    pub fn all_related(
        &self,
        rows: RowsRef,
        values: ValuesRef,
        column: ColumnId,
        relation: Relation,
    ) -> bool {
        if let ValuesRef::Constant(constant) = values {
            return self.lies_in(rows, self.subject.constant_rows(constant, column, relation));
        }
        let Some((source, codes)) = self.codes(values) else {
            return false;
        };
        if relation.is_of_texts() {
            let known = |word: usize| {
                let found = self.text_rows(source, codes, column, relation);
                found.map(|found| found.fold(0, |all, rows| all | rows.words()[word]))
            };
            let words = self.words(rows);
            return self
                .span(rows)
                .all(|word| known(word).is_some_and(|known| words[word] & !known == 0));
        }
        let (given, column) = (self.values(values), self.column(column));
        let deciding = Deciding::of(relation, given);
        self.rows(rows).all(|row| {
            let value = column.value(row);
            value.is_some_and(|value| deciding.holds(value))
        })
    }

    /// Whether of the rows the same contain one of the strings in the column as are one. In a table that is too
    /// large to know, they are taken to be the same.
    pub fn contains_only_whole(&self, rows: RowsRef, values: ValuesRef, column: ColumnId) -> bool {
        let words = self.words(rows);
        if let ValuesRef::Constant(constant) = values {
            let related = |relation| self.subject.constant_rows(constant, column, relation).words();
            let (part, whole) = (related(Relation::Contains), related(Relation::Is));
            return self
                .span(rows)
                .all(|word| words[word] & (part[word] ^ whole[word]) == 0);
        }
        let Some((source, codes)) = self.codes(values) else {
            return true;
        };
        self.span(rows).all(|word| {
            let found = |relation| {
                let found = self.text_rows(source, codes, column, relation);
                found.map_or(0, |found| found.fold(0, |all, rows| all | rows.words()[word]))
            };
            words[word] & (found(Relation::Contains) ^ found(Relation::Is)) == 0
        })
    }

    /// Makes a variable of the rows that stand in the relation, or, where that is not wanted, of those that
    /// do not.
    pub fn filter(
        &mut self,
        rows: RowsRef,
        values: ValuesRef,
        column: ColumnId,
        relation: Relation,
        wanted: bool,
    ) {
        let flip = if wanted { 0 } else { u64::MAX };
        if let ValuesRef::Constant(constant) = values {
            self.make_rows(rows, |new| {
                let related = new.subject.constant_rows(constant, column, relation);
                for ((out, word), related) in new.place.iter_mut().zip(new.given).zip(related.words()) {
                    *out = word & (related ^ flip);
                }
            });
            return;
        }
        let ValuesRef::Variable(variable) = values else {
            return;
        };
        let Some(&Held::Values {
            column: source,
            start,
            end,
        }) = self.held.get(variable as usize)
        else {
            return;
        };
        self.make_rows(rows, |new| {
            let given = &new.codes[start as usize..end as usize];
            let kept = |code: &u32| new.subject.text_rows((source, *code), column, relation);
            if relation.is_of_texts() && given.first().is_some_and(|code| kept(code).is_some()) {
                for contain in given.iter().filter_map(kept) {
                    let words = new.place.iter_mut().zip(contain.words());
                    words.for_each(|(out, word)| *out |= word);
                }
            } else {
                let values = Values::of(new.subject, source, given);
                mark_related(new, values, column, relation);
            }
            for (out, word) in new.place.iter_mut().zip(new.given) {
                *out = word & (*out ^ flip);
            }
        });
    }
}

/// Adds those of the given rows whose value stands in the relation to the values.
fn mark_related(new: &mut NewRows<'_>, values: Values<'_>, column: ColumnId, relation: Relation) {
    let column = new.subject.column(column);
    let marks = new.marks.first(words_for(column.code_space()));
    mark_codes(column, relation, values, |codes| {
        codes.for_each(|code| set(marks, code as usize))
    });
    let codes = column.codes();
    let is_marked = |row: &usize| match codes.of(*row) {
        NO_VALUE => false,
        code => marks[code as usize / 64] >> (code % 64) & 1 == 1,
    };
    rows::iter(new.given)
        .filter(is_marked)
        .for_each(|row| set(new.place, row));
    marks.fill(0);
}
