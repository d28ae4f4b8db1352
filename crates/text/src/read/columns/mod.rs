//! Cells that are read by what their whole column looks like.
//!
//! A cell alone does not say what it means: `1.234` is a thousand and more or a little over one, `12/01/2004` in
//! January or in December, `(500)` an amount or a debt. [`Evidence`] is what the cells of a column say about it, and a
//! [`Convention`] what is decided, with which every cell is read. What no column decides is read as
//! [`read_cell`] does, cell by cell; the benchmarks, whose cells were annotated so, are read by that alone.
//!
//! ```
//! use mapo_text::read::columns::{Convention, Evidence};
//! let cells = ["1.260,00", "1.234", "(12,50)"];
//! let mut evidence = Evidence::default();
//! cells.iter().for_each(|cell| evidence.see(cell));
//! let column = Convention::of(&evidence, &Evidence::default(), false);
//! assert_eq!(cells.map(|cell| column.read(cell).number), [Some(1260.0), Some(1234.0), Some(-12.5)]);
//! ```

mod amounts;
mod days;
mod elsewhere;
mod units;

pub use amounts::Mark;
pub use days::{Days, Order};
pub use elsewhere::has_other_digits;

use super::cells::{CellReading, read_cell};
use crate::Date;
use amounts::{Amount, Marks, Sign, amount, is_beyond_doubles, marks, value};
use elsewhere::{compact, in_our_digits};
use units::{Measured, Scale, Unit, compound, feet, scale, unit};

/// What the cells of a column say about how it is written.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// Cells whose fraction begins after a point, and after a comma, without doubt.
    decimal: [usize; 2],
    /// Cells where either could be: `1.234`, `1,234`.
    either: [usize; 2],
    /// Whole numbers below 1000 without marks.
    small: usize,
    /// Dates with the day first, and with the month first, without doubt.
    order: [usize; 2],
    /// Dates where either could be.
    open: usize,
    /// Years of two digits that are taken for this century, and for the last.
    short_years: [usize; 2],
    /// Amounts in brackets and such without; those in brackets that only an amount of money would be.
    brackets: usize,
    outside: usize,
    money_in_brackets: usize,
    /// What stands behind the numbers, each once.
    units: Vec<String>,
    /// Numbers that stood alone, and were not 0.
    bare: usize,
    /// Whether a letter for thousands or more stood right behind its number.
    attached: bool,
    /// Whether there was a number with a fraction.
    fractions: bool,
    /// Cells of several amounts that add up, and the smallest unit there.
    compounds: usize,
    smallest: Option<Unit>,
    /// The currencies, each once.
    currencies: Vec<String>,
    /// Whole numbers that cannot be computed with exactly.
    beyond: usize,
    /// Whether all numbers could be years.
    not_years: bool,
    /// Whole numbers that could be year, month and day in eight digits.
    compact: usize,
}

impl Evidence {
    /// Looks at a cell.
    pub fn see(&mut self, cell: &str) {
        let cell = &*in_our_digits(cell);
        let bytes = cell.as_bytes();
        if bytes.len() <= 15 && !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit) {
            self.outside += 1;
            self.small += usize::from(bytes.len() <= 3);
            self.bare += usize::from(bytes.iter().any(|byte| *byte != b'0'));
            self.not_years |= bytes.len() > 4;
            self.compact += usize::from(compact(cell).is_some());
            return;
        }
        if !bytes.iter().any(u8::is_ascii_digit) {
            return;
        }
        if is_plain_fraction(bytes) {
            self.decimal[Mark::Point as usize] += 1;
            self.outside += 1;
            self.bare += usize::from(bytes.iter().any(|byte| matches!(byte, b'1'..=b'9')));
            (self.fractions, self.not_years) = (true, true);
            return;
        }
        if let Some(numbers) = days::numbers(cell) {
            if let Some(is_late) = numbers.short_year_is_late() {
                self.short_years[usize::from(is_late)] += 1;
            }
            match numbers.order() {
                Some(order) => self.order[order as usize] += 1,
                None => self.open += usize::from(numbers.is_open()),
            }
            return;
        }
        if let Some(is_late) = days::short_year_in_letters(cell) {
            self.short_years[usize::from(is_late)] += 1;
            return;
        }
        if let Some((_, unit)) = compound(cell) {
            self.compounds += 1;
            if self
                .smallest
                .is_none_or(|smallest| smallest.0 == unit.0 && unit.2 < smallest.2)
            {
                self.smallest = Some(unit);
            }
            return;
        }
        if let Some(amount) = amount(cell) {
            self.see_amount(&amount);
        }
    }

    fn see_amount(&mut self, amount: &Amount<'_>) {
        let Some(marks) = marks(amount.digits) else {
            return;
        };
        match marks {
            Marks::None => {
                self.small += usize::from(amount.digits.len() <= 3);
                self.beyond += usize::from(amount.exponent.is_none() && is_beyond_doubles(amount.digits));
            }
            Marks::Decimal(mark) => {
                self.decimal[mark as usize] += 1;
                let is_whole = !amount.digits.contains(mark.char());
                self.beyond += usize::from(is_whole && is_beyond_doubles(amount.digits));
                self.fractions |= !is_whole;
            }
            Marks::Either(mark) => self.either[mark as usize] += 1,
        }
        self.not_years |= marks != Marks::None || amount.digits.len() > 4 || !amount.unit.is_empty();
        match amount.sign {
            Sign::Brackets => {
                self.brackets += 1;
                self.money_in_brackets += usize::from(!amount.currency.is_empty() || marks != Marks::None);
            }
            _ => self.outside += 1,
        }
        if !amount.currency.is_empty() {
            add(&mut self.currencies, one_name(amount.currency));
        }
        if amount.unit.is_empty() {
            let is_something = amount.digits.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
            self.bare += usize::from(is_something);
            return;
        }
        self.attached |= !amount.unit_is_apart;
        add(&mut self.units, amount.unit);
    }

    /// What both say.
    pub fn and(&mut self, other: &Evidence) {
        for (ours, theirs) in self.decimal.iter_mut().zip(other.decimal) {
            *ours += theirs;
        }
        for (ours, theirs) in self.order.iter_mut().zip(other.order) {
            *ours += theirs;
        }
    }
}

/// Whether a cell is digits with one point among them that cannot stand between thousands: `12.50`. There are so
/// many of them in tables that it is worth knowing at once.
fn is_plain_fraction(bytes: &[u8]) -> bool {
    let Some(point) = bytes.iter().position(|byte| *byte == b'.') else {
        return false;
    };
    let (whole, fraction) = (&bytes[..point], &bytes[point + 1..]);
    let are_digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    bytes.len() <= 15 && fraction.len() != 3 && are_digits(whole) && are_digits(fraction)
}

/// Fewer different days in eight digits may be there by chance.
const COMPACT: usize = 3;

/// More different units than this are words of sentences.
const MOST: usize = 16;

fn add(list: &mut Vec<String>, item: &str) {
    if list.len() < MOST && !list.iter().any(|known| known == item) {
        list.push(item.to_owned());
    }
}

/// One name for a currency's sign and its code.
fn one_name(currency: &str) -> &str {
    match currency {
        "USD" | "US$" => "$",
        "EUR" => "€",
        "GBP" => "£",
        "JPY" => "¥",
        "INR" | "Rs" | "Rs." => "₹",
        other => other,
    }
}

/// How a column writes its numbers and dates.
#[derive(Clone, Debug, Default)]
pub struct Convention {
    decimal: Option<Mark>,
    /// Whether somebody said so, whatever the cells look like.
    is_told: bool,
    order: Option<Order>,
    brackets_are_minus: bool,
    scales: bool,
    /// The unit that all are converted to, where there are several of one kind.
    into: Option<Unit>,
    are_identifiers: bool,
    are_years: bool,
    /// Whether its whole numbers are days in eight digits.
    are_compact: bool,
    /// Whether there are days in numbers of which the first or the last is not the year.
    has_days: bool,
    /// What was decided, for people: of numbers and of dates.
    decided: [Vec<String>; 2],
    /// Why the reading may be wrong.
    doubts: [Vec<String>; 2],
}

/// What is said of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Its numbers.
    Numbers,
    /// Its dates.
    Dates,
}

impl Convention {
    /// Decides by the cells of a column and, where they leave it open, by those of the columns beside it. Numbers
    /// of a column that is said to have years are years, however early or late.
    pub fn of(column: &Evidence, beside: &Evidence, has_years: bool) -> Convention {
        let mut made = Convention {
            are_identifiers: column.beyond > 0,
            are_years: has_years && !column.not_years,
            has_days: column.open > 0 || column.order != [0, 0],
            ..Convention::default()
        };
        made.decide_marks(column, beside);
        made.decide_brackets(column);
        made.decide_units(column);
        made.decide_order(column, beside);
        // Numbers that count something are not all days of the calendar.
        made.are_compact =
            column.compact >= COMPACT && column.compact == column.outside && column.brackets == 0;
        if made.are_compact {
            made.say(About::Dates, "eight digits are year, month and day");
        }
        if made.are_identifiers {
            made.say(
                About::Numbers,
                "some whole numbers have more digits than can be computed with exactly: the column is text",
            );
        }
        if column.currencies.len() > 1 {
            made.doubt(
                About::Numbers,
                format!(
                    "amounts are in different currencies: {}",
                    column.currencies.join(", ")
                ),
            );
        }
        made
    }

    /// The same with fractions that begin at this mark, because somebody said so.
    pub fn with_decimal(mut self, mark: Mark) -> Convention {
        self.decimal = Some(mark);
        self.is_told = true;
        let numbers = About::Numbers as usize;
        self.decided[numbers].retain(|said| !said.contains("before fractions"));
        self.doubts[numbers].retain(|doubt| !doubt.contains("fractions") && !doubt.contains("decimal"));
        self
    }

    /// What fractions begin at, where that was decided.
    pub fn decimal(&self) -> Option<Mark> {
        self.decimal
    }

    fn decide_marks(&mut self, column: &Evidence, beside: &Evidence) {
        let [points, commas] = column.decimal;
        let is_open = column.either != [0, 0];
        self.decimal = match (points, commas) {
            (0, 0) => match beside.decimal {
                [0, 0] => None,
                [points, 0] if points > 0 => Some(Mark::Point),
                [0, _] => Some(Mark::Comma),
                _ => None,
            },
            (points, commas) if points >= commas => Some(Mark::Point),
            _ => Some(Mark::Comma),
        };
        if points > 0 && commas > 0 && is_open {
            self.doubt(
                About::Numbers,
                "some numbers have decimal points and others decimal commas",
            );
        }
        if self.decimal.is_none() && column.either[Mark::Point as usize] > 0 {
            // Fractions of which each has three digits, beside numbers without any, are thousands.
            if column.small > 0 && column.either[Mark::Point as usize] > 1 {
                self.decimal = Some(Mark::Comma);
            }
            let read = match self.decimal {
                Some(Mark::Comma) => "thousands",
                _ => "fractions",
            };
            self.doubt(
                About::Numbers,
                format!("points may stand before fractions or between thousands; {read} were taken"),
            );
        }
        if self.decimal == Some(Mark::Comma) && (commas > 0 || is_open) {
            self.say(
                About::Numbers,
                "a comma stands before fractions, points between thousands",
            );
        }
    }

    fn decide_brackets(&mut self, column: &Evidence) {
        if column.brackets == 0 {
            return;
        }
        self.brackets_are_minus = column.outside > 0 || column.money_in_brackets > 0;
        match self.brackets_are_minus {
            true => self.say(About::Numbers, "brackets are a minus"),
            false => self.doubt(
                About::Numbers,
                "brackets may be a minus; they were not taken for one",
            ),
        }
    }

    fn decide_units(&mut self, column: &Evidence) {
        let percent = |unit: &str| matches!(unit, "%" | "‰");
        let is_ordinal = |unit: &str| matches!(unit, "st" | "nd" | "rd" | "th");
        if column.bare > 0 && column.units.iter().any(|unit| percent(unit)) {
            self.doubt(
                About::Numbers,
                "some numbers have a percent sign and others have none",
            );
        }
        let written: Vec<&str> = column.units.iter().map(String::as_str).collect();
        let words: Vec<&str> = written
            .iter()
            .copied()
            .filter(|unit| !percent(unit) && !is_ordinal(unit))
            .collect();
        let found: Vec<Scale> = words.iter().filter_map(|unit| scale(unit)).collect();
        let is_money = !column.currencies.is_empty();
        let is_sure = found.iter().any(|scale| matches!(scale, Scale::Sure(_)));
        let levels = |first: &Scale| found.iter().any(|other| other.factor() != first.factor());
        let several = found.first().is_some_and(levels);
        // `1B` and `2B` alone may be names of places.
        let only_letters = words.iter().all(|unit| unit.len() == 1);
        let telling = is_money
            || several
            || column.fractions
            || column.bare > 0
            || !only_letters
            || words.iter().any(|unit| matches!(*unit, "k" | "K" | "M"));
        self.scales = !words.is_empty()
            && found.len() == words.len()
            && (is_sure || is_money)
            && (column.attached || is_money || !only_letters)
            && telling;
        if self.scales {
            self.say(
                About::Numbers,
                format!("{} count as thousands, millions or more", words.join(", ")),
            );
            return;
        }
        let is_time = |unit: &str| {
            let found = units::unit(unit, false);
            found.is_some_and(|(measured, ..)| measured == Measured::Time) && unit != "m"
        };
        let among_times = words.iter().any(|unit| is_time(unit))
            || column
                .smallest
                .is_some_and(|(measured, ..)| measured == Measured::Time);
        let known: Vec<Unit> = words
            .iter()
            .filter_map(|written| unit(written, among_times))
            .collect();
        let all: Vec<Unit> = known.iter().copied().chain(column.smallest).collect();
        // What we do not know may be units of different sizes, or `CR` and `DR`.
        let mut strange: Vec<&str> = (words.iter())
            .map(|word| word.strip_suffix('s').unwrap_or(word))
            .collect();
        strange.sort_unstable();
        strange.dedup();
        if known.len() < words.len() && (2..MOST).contains(&strange.len()) {
            self.doubt(
                About::Numbers,
                format!("different words stand behind the numbers: {}", words.join(", ")),
            );
            return;
        }
        let Some(smallest) = all.iter().copied().reduce(|a, b| if b.2 < a.2 { b } else { a }) else {
            return;
        };
        let differ = all.iter().any(|unit| unit.2 != smallest.2) || column.compounds > 0;
        let one_kind = all.iter().all(|unit| unit.0 == smallest.0);
        if differ && one_kind && known.len() == words.len() {
            self.into = Some(smallest);
            self.say(
                About::Numbers,
                format!("amounts with different units were made {}", smallest.1),
            );
            if column.bare > 0 {
                self.doubt(About::Numbers, "some numbers have a unit and others have none");
            }
        } else if differ {
            self.doubt(
                About::Numbers,
                format!("numbers have different units: {}", written.join(", ")),
            );
        }
    }

    fn decide_order(&mut self, column: &Evidence, beside: &Evidence) {
        let by = |[days, months]: [usize; 2]| match (days, months) {
            (0, 0) => None,
            (days, months) if days >= months => Some(Order::DayFirst),
            _ => Some(Order::MonthFirst),
        };
        let both = column.order.iter().all(|count| *count > 0);
        let both_beside = beside.order.iter().all(|count| *count > 0);
        self.order = by(column.order).or_else(|| by(beside.order).filter(|_| !both_beside));
        if column.short_years.iter().all(|count| *count > 0) {
            self.doubt(About::Dates, "years of two digits may be of either century");
        }
        if column.open == 0 {
            return;
        }
        if both {
            self.doubt(About::Dates, "some dates have the day first and others the month");
        }
        match self.order {
            Some(Order::DayFirst) => self.say(About::Dates, "the day comes before the month"),
            Some(Order::MonthFirst) => self.say(About::Dates, "the month comes before the day"),
            None => self.doubt(
                About::Dates,
                "which number is the day and which the month cannot be told",
            ),
        }
    }

    fn say(&mut self, about: About, what: impl Into<String>) {
        self.decided[about as usize].push(what.into());
    }

    fn doubt(&mut self, about: About, what: impl Into<String>) {
        self.doubts[about as usize].push(what.into());
    }

    /// What was decided for the column, for people.
    pub fn decided(&self, about: About) -> &[String] {
        &self.decided[about as usize]
    }

    /// Why the reading may be wrong, for people.
    pub fn doubts(&self, about: About) -> &[String] {
        &self.doubts[about as usize]
    }

    /// Whether no numbers are made of the column, because they would not be exact.
    pub fn are_identifiers(&self) -> bool {
        self.are_identifiers
    }

    /// How it writes days in numbers, if there are some of which day and month could be confused.
    pub fn days(&self) -> Option<Days> {
        self.has_days.then_some(Days { order: self.order })
    }

    /// Reads a cell of the column.
    pub fn read(&self, cell: &str) -> CellReading {
        let cell = &*in_our_digits(cell);
        let mut reading = read_cell(cell);
        match self.number(cell) {
            Read::As(number) => (reading.number, reading.number2) = (Some(number), None),
            Read::Nothing => (reading.number, reading.number2, reading.date) = (None, None, None),
            Read::Freely => {}
        }
        reading.date = self.date(cell, reading.date);
        if self.are_identifiers || self.are_compact {
            (reading.number, reading.number2) = (None, None);
        }
        reading
    }

    fn number(&self, cell: &str) -> Read {
        let bytes = cell.as_bytes();
        // The most frequent form says all by itself.
        if bytes.len() <= 15 && bytes.iter().all(u8::is_ascii_digit) {
            return Read::Freely;
        }
        if is_plain_fraction(bytes) || !bytes.iter().any(u8::is_ascii_digit) || days::numbers(cell).is_some()
        {
            return Read::Freely;
        }
        if let Some(digits) = cell
            .trim()
            .strip_prefix("0x")
            .or_else(|| cell.trim().strip_prefix("0X"))
        {
            return match u64::from_str_radix(digits, 16) {
                Ok(number) if number <= 1 << 53 => Read::As(number as f64),
                _ => Read::Nothing,
            };
        }
        if let (Some(into), Some((total, _))) = (self.into, compound(cell)) {
            return Read::As(rounded(total / into.2));
        }
        if let (Some((Measured::Length, _, size)), Some(total)) = (self.into, feet(cell)) {
            return Read::As(rounded(total / size));
        }
        let Some(amount) = amount(cell) else {
            return Read::Freely;
        };
        let Some(marks) = marks(amount.digits) else {
            return Read::Freely;
        };
        // `$4.2m` and `13 million people` say themselves what they count, whatever stands in other cells.
        let first_word = amount.unit.split(' ').next().unwrap_or_default();
        let counts = scale(first_word).is_some() && (first_word.len() > 1 || !amount.currency.is_empty());
        if counts && !self.scales {
            return Read::Freely;
        }
        let decimal = match marks {
            Marks::Decimal(mark) if !self.is_told => mark,
            Marks::Decimal(_) | Marks::None | Marks::Either(_) => self.decimal.unwrap_or(Mark::Point),
        };
        let factor = match self.scales {
            true => scale(amount.unit).map(Scale::factor),
            false => None,
        };
        // The power is put together before the number is made of it, so that 4.2 million is just that.
        let power = factor.map(|factor| factor.log10().round() as i32);
        let exponent = match (amount.exponent, power) {
            (None, power) => power,
            (Some(written), power) => Some(written.saturating_add(power.unwrap_or(0))),
        };
        let Some(mut number) = value(amount.digits, decimal, exponent) else {
            return Read::Nothing;
        };
        if let Some(into) = self.into
            && let Some(unit) = unit(amount.unit, into.0 == Measured::Time)
            && unit.2 != into.2
        {
            number = rounded(number * unit.2 / into.2);
        }
        let negative = match amount.sign {
            Sign::None => false,
            Sign::Minus => true,
            Sign::Brackets => self.brackets_are_minus,
        };
        Read::As(if negative { 0.0 - number } else { number })
    }

    fn date(&self, cell: &str, found: Option<Date>) -> Option<Date> {
        if let Some(numbers) = days::numbers(cell) {
            let days = Days { order: self.order };
            return days.day(&numbers);
        }
        if let Some(date) = days::in_letters(cell) {
            return Some(date).filter(|date| days::is_day(*date));
        }
        if let (None, Some(date)) = (found, elsewhere::day(cell)) {
            return Some(date);
        }
        let digits = cell.trim();
        if self.are_compact {
            return compact(digits);
        }
        let is_year = self.are_years
            && (1..=4).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_digit());
        match digits.parse() {
            Ok(year) if is_year && year > 0 => Some(Date::of_year(year)),
            _ => found.filter(|date| days::is_day(*date)),
        }
    }
}

/// What an amount is read as.
enum Read {
    As(f64),
    /// It is no number at all.
    Nothing,
    /// As cells are read one by one.
    Freely,
}

/// Without the dust that converting leaves in the last digits.
fn rounded(number: f64) -> f64 {
    format!("{number:.12e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(cells: &[&str]) -> Convention {
        let mut evidence = Evidence::default();
        cells.iter().for_each(|cell| evidence.see(cell));
        Convention::of(&evidence, &Evidence::default(), false)
    }

    fn numbers(cells: &[&str]) -> Vec<Option<f64>> {
        let column = column(cells);
        cells.iter().map(|cell| column.read(cell).number).collect()
    }

    fn dates(cells: &[&str]) -> Vec<String> {
        let column = column(cells);
        let date = |cell: &&str| column.read(cell).date.map(|date| date.to_string());
        cells.iter().map(|cell| date(cell).unwrap_or_default()).collect()
    }

    fn some(numbers: &[f64]) -> Vec<Option<f64>> {
        numbers.iter().copied().map(Some).collect()
    }

    #[test]
    fn numbers_are_read_by_their_column() {
        for (cells, expected) in [
            (
                &["(500)", "200", "(900)", "-500"][..],
                &[-500.0, 200.0, -900.0, -500.0][..],
            ),
            (&["5k", "900", "2M", "1.2B"], &[5e3, 900.0, 2e6, 1.2e9]),
            (&["$4.2m", "$300k", "$12"], &[4.2e6, 3e5, 12.0]),
            (&["1.234,5", "1.234", "12"], &[1234.5, 1234.0, 12.0]),
            (&["1,234.5", "1,234", "12"], &[1234.5, 1234.0, 12.0]),
            (&["1.260,00 €", "12,50 €"], &[1260.0, 12.5]),
            (&["1'234", "12'345'678", "12"], &[1234.0, 12_345_678.0, 12.0]),
            (&["0x10", "12"], &[16.0, 12.0]),
            (&["10⁶", "2×10⁶", "5"], &[1e6, 2e6, 5.0]),
            (&["4h 35m", "50m", "2h"], &[275.0, 50.0, 120.0]),
            (&["5 km", "500 m"], &[5000.0, 500.0]),
            (&["12,34,567", "1,00,000"], &[1_234_567.0, 100_000.0]),
            (&["500-", "12"], &[-500.0, 12.0]),
            (&["12%", "3.5%"], &[12.0, 3.5]),
            (&["5'11\"", "6'2\"", "6'"], &[71.0, 74.0, 72.0]),
            (&["Rs. 87,61,434/-", "Rs. 21/-"], &[8_761_434.0, 21.0]),
            (&["٣٤", "٥٫٥"], &[34.0, 5.5]),
            (&["1.250", "850", "2.300"], &[1250.0, 850.0, 2300.0]),
            (&["1.250", "3.625"], &[1.25, 3.625]),
            (&["48.92 m", "50 m"], &[48.92, 50.0]),
            (&["(1)", "(2)"], &[1.0, 2.0]),
            (&["1B", "2B", "3B"], &[1.0, 2.0, 3.0]),
            (&["13 million people", "7 cars"], &[13e6, 7.0]),
            (&["$4.2m", "$3 per day"], &[4.2e6, 3.0]),
        ] {
            assert_eq!(numbers(cells), some(expected), "{cells:?}");
        }
        assert_eq!(
            numbers(&["1e400", "3", "NaN", "inf"]),
            [None, Some(3.0), None, None]
        );
        assert_eq!(numbers(&["9007199254740993", "9007199254740992"]), [None, None]);
    }

    #[test]
    fn dates_are_read_by_their_column() {
        assert_eq!(dates(&["13/01/2004", "12/01/2004"]), ["2004-01-13", "2004-01-12"]);
        assert_eq!(dates(&["01/13/2004", "12/01/2004"]), ["2004-01-13", "2004-12-01"]);
        assert_eq!(dates(&["2004-09-01T08:00:00Z"]), ["2004-09-01"]);
        assert_eq!(
            dates(&["20040901", "20051231", "19991130"]),
            ["2004-09-01", "2005-12-31", "1999-11-30"]
        );
        assert_eq!(dates(&["20040901", "20051231", "19991399"]), ["", "", ""]);
        assert_eq!(
            dates(&["5 octobre 2016", "2014年9月3日"]),
            ["2016-10-05", "2014-09-03"]
        );
        assert_eq!(
            dates(&["30 February 2004", "2004-02-30", "2300-01-02"]),
            ["", "", "2300-01-02"]
        );
        let mut evidence = Evidence::default();
        ["987", "2210", "1890"].iter().for_each(|cell| evidence.see(cell));
        let years = Convention::of(&evidence, &Evidence::default(), true);
        assert_eq!(years.read("987").date, Some(Date::of_year(987)));
        assert_eq!(years.read("2210").date, Some(Date::of_year(2210)));
    }

    #[test]
    fn what_cannot_be_told_is_doubted() {
        let doubts = |cells: &[&str]| {
            let column = column(cells);
            column.doubts(About::Numbers).len() + column.doubts(About::Dates).len()
        };
        for cells in [
            &["11/12/2004", "10/12/2004"][..],
            &["13/01/2004", "01/13/2004", "05/06/2004"],
            &["1.234", "5.678"],
            &["$5", "€7"],
            &["12%", "0.3"],
            &["5 km", "3 h"],
            &["31.12.99", "01.01.05"],
            &["12 May '07", "3 June '68"],
            &["(5)", "(7)"],
            &["48.47 DR", "12.00 CR"],
            &["3 pallets", "7 boxes"],
        ] {
            assert_eq!(doubts(cells), 1, "{cells:?}");
        }
        for cells in [
            &["1,234", "5,678"][..],
            &["13/01/2004", "05/06/2004"],
            &["5", "7.5"],
            &["5 km", "7"],
            &["1 goal", "7 goals"],
            &["1st", "2nd"],
        ] {
            assert_eq!(doubts(cells), 0, "{cells:?}");
        }
    }

    #[test]
    fn columns_beside_decide_what_a_column_leaves_open() {
        let mut beside = Evidence::default();
        ["12,5", "25/12/2004"].iter().for_each(|cell| beside.see(cell));
        let mut evidence = Evidence::default();
        ["1.234", "11/12/2004"].iter().for_each(|cell| evidence.see(cell));
        let column = Convention::of(&evidence, &beside, false);
        assert_eq!(column.read("1.234").number, Some(1234.0));
        assert_eq!(
            column
                .read("11/12/2004")
                .date
                .map(|date| date.to_string())
                .as_deref(),
            Some("2004-12-11")
        );
        assert!(column.doubts(About::Numbers).is_empty() && column.doubts(About::Dates).is_empty());
    }
}
