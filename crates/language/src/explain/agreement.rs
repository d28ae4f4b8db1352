//! Whether what an SQL engine gave is a program's answer.

use crate::interpreter::Denotation;
use crate::sql_table::quote;

/// A value that an SQL engine gave.
#[derive(Clone, Debug, PartialEq)]
pub enum SqlValue {
    /// No value.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Text.
    Text(String),
}

/// How an engine's answer stands to a program's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// The same items in the same order.
    Same,
    /// The same but for the last digits of a sum or an average, which engines add up in their own way.
    Rounded,
    /// Something else.
    Different,
}

impl Agreement {
    /// Compares the items of an engine's answer, one from each row or, of groups, two, with a program's.
    pub fn of(answer: &Denotation, items: &[SqlValue]) -> Agreement {
        // An aggregate over nothing is NULL.
        let items = match items {
            [SqlValue::Null] => &[],
            items => items,
        };
        let same_texts = |texts: &[String]| {
            let text = |(text, item): (&String, &SqlValue)| matches!(item, SqlValue::Text(item) if *item == quote::without_nul(text));
            texts.len() == items.len() && texts.iter().zip(items).all(text)
        };
        match answer {
            Denotation::Strings(strings) => Agreement::if_same(same_texts(strings)),
            Denotation::Dates(dates) => {
                let dates: Vec<String> = dates.iter().map(ToString::to_string).collect();
                Agreement::if_same(same_texts(&dates))
            }
            Denotation::Numbers(numbers) => Agreement::of_numbers(numbers.iter().copied(), items),
            Denotation::Rows(rows) => Agreement::of_numbers(rows.iter().map(|row| row as f64), items),
            Denotation::Groups(groups) => Agreement::of_groups(groups, items),
        }
    }

    /// Each group is a label and a number, as the row of an engine's answer has them.
    fn of_groups(groups: &[(String, f64)], items: &[SqlValue]) -> Agreement {
        let label = |((label, _), pair): (&(String, f64), &[SqlValue])| match &pair[0] {
            SqlValue::Text(text) => *text == quote::without_nul(label),
            SqlValue::Integer(number) => label.parse() == Ok(*number as f64),
            SqlValue::Real(number) => label.parse() == Ok(*number),
            SqlValue::Null => false,
        };
        if items.len() != 2 * groups.len() || !groups.iter().zip(items.chunks(2)).all(label) {
            return Agreement::Different;
        }
        let numbers: Vec<SqlValue> = items.chunks(2).map(|pair| pair[1].clone()).collect();
        Agreement::of_numbers(groups.iter().map(|(_, number)| *number), &numbers)
    }

    fn if_same(same: bool) -> Agreement {
        if same {
            Agreement::Same
        } else {
            Agreement::Different
        }
    }

    fn of_numbers(mut numbers: impl Iterator<Item = f64>, items: &[SqlValue]) -> Agreement {
        let mut agreement = Agreement::Same;
        for item in items {
            let (number, item) = match (numbers.next(), item) {
                (Some(number), SqlValue::Integer(item)) => (number, *item as f64),
                (Some(number), SqlValue::Real(item)) => (number, *item),
                _ => return Agreement::Different,
            };
            if number != item {
                let close = (number - item).abs() <= 1e-9 * number.abs().max(item.abs());
                if !close {
                    return Agreement::Different;
                }
                agreement = Agreement::Rounded;
            }
        }
        match numbers.next() {
            None => agreement,
            Some(_) => Agreement::Different,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_kind_count() {
        let of = |answer: Denotation, items: &[&SqlValue]| {
            let items: Vec<SqlValue> = items.iter().map(|item| (*item).clone()).collect();
            Agreement::of(&answer, &items)
        };
        let numbers = |numbers: &[f64]| Denotation::Numbers(numbers.to_vec());
        let (one, text) = (SqlValue::Integer(1), SqlValue::Text("1".to_owned()));
        assert_eq!(of(numbers(&[1.0]), &[&one]), Agreement::Same);
        assert_eq!(
            of(numbers(&[1.0]), &[&SqlValue::Real(1.0 + 1e-12)]),
            Agreement::Rounded
        );
        assert_eq!(
            of(numbers(&[1.0]), &[&SqlValue::Real(1.01)]),
            Agreement::Different
        );
        assert_eq!(of(numbers(&[1.0]), &[&text]), Agreement::Different);
        assert_eq!(of(numbers(&[1.0, 2.0]), &[&one]), Agreement::Different);
        assert_eq!(of(numbers(&[]), &[&SqlValue::Null]), Agreement::Same);
        assert_eq!(of(numbers(&[]), &[&one]), Agreement::Different);
        let strings =
            |strings: &[&str]| Denotation::Strings(strings.iter().map(|s| (*s).to_owned()).collect());
        assert_eq!(of(strings(&["1"]), &[&text]), Agreement::Same);
        assert_eq!(of(strings(&["1"]), &[&one]), Agreement::Different);
        let (a, b) = (SqlValue::Text("a".to_owned()), SqlValue::Text("b".to_owned()));
        assert_eq!(of(strings(&["a", "b"]), &[&b, &a]), Agreement::Different);
        let nul = SqlValue::Text("a␀".to_owned());
        assert_eq!(of(strings(&["a\0"]), &[&nul]), Agreement::Same);
    }
}
