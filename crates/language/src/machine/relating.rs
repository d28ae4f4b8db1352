//! Which rows have values that stand in a relation to given ones: what all filters ask and do.

use super::making::set;
use super::relation::{Needles, Relation, all_equal, holds, mark_codes, mark_texts};
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
        if relation != Relation::Contains && !self.fits(values, column) {
            return false;
        }
        if let ValuesRef::Constant(constant) = values {
            return self.meets(rows, self.subject.constant_rows(constant, column, relation));
        }
        if relation == Relation::Contains
            && let Some((source, codes)) = self.codes(values)
            && let Some(mut found) = self.text_rows(source, codes, column)
        {
            return found.any(|contain| self.meets(rows, contain));
        }
        let given = self.values(values);
        let column = self.column(column);
        if relation == Relation::Contains {
            return self.any_contains(rows, given, column);
        }
        let mut rows = self.rows(rows).filter_map(|row| column.value(row));
        // Comparisons are offered whatever they find, so what is left is equality, which is with one value.
        if !all_equal(given.clone()) {
            return false;
        }
        rows.any(|value| holds(value, relation, given.clone().take(1)))
    }

    /// Whether in some of the rows the text of the column contains one of the values.
    fn any_contains(&self, rows: RowsRef, given: Values<'_>, column: &Column) -> bool {
        let forms = column.forms();
        if self.count(rows) <= FEW_ROWS {
            let needles = Needles::new(given);
            return self
                .rows(rows)
                .any(|row| needles.any_in(forms.get(column.text(row))));
        }
        if self.words >= LARGE && given.clone().nth(MOST_STRINGS).is_some() {
            return false;
        }
        let mut marks = vec![0u64; words_for(forms.len())];
        mark_texts(column, given, |texts| {
            texts.for_each(|text| set(&mut marks, text as usize))
        });
        self.rows(rows).any(|row| {
            let text = column.text(row) as usize;
            marks[text / 64] >> (text % 64) & 1 == 1
        })
    }

    /// For each of the values the rows that contain it; `None` where they are not kept.
    fn text_rows<'a>(
        &'a self,
        source: ColumnId,
        codes: &'a [u32],
        column: ColumnId,
    ) -> Option<impl Iterator<Item = &'a RowSet> + 'a> {
        let first = codes.first()?;
        self.subject.text_rows((source, *first), column)?;
        Some(
            codes
                .iter()
                .filter_map(move |code| self.subject.text_rows((source, *code), column)),
        )
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
            let kept = |code: &u32| new.subject.text_rows((source, *code), column);
            if relation == Relation::Contains && given.first().is_some_and(|code| kept(code).is_some()) {
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
