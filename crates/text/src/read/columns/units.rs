//! Units that stand for one another, and letters that stand for thousands.

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measured {
    Time,
    Length,
    Mass,
    Memory,
}

/// A unit: what it measures, its name, and its size in the smallest one of them.
pub(super) type Unit = (Measured, &'static str, f64);

/// What people write, and which unit it is. `m` is a metre here and a minute among times.
const UNITS: [(&str, Unit); 52] = [
    ("ms", (Measured::Time, "milliseconds", 0.001)),
    ("s", SECOND),
    ("sec", SECOND),
    ("secs", SECOND),
    ("second", SECOND),
    ("seconds", SECOND),
    ("min", MINUTE),
    ("mins", MINUTE),
    ("minute", MINUTE),
    ("minutes", MINUTE),
    ("h", HOUR),
    ("hr", HOUR),
    ("hrs", HOUR),
    ("hour", HOUR),
    ("hours", HOUR),
    ("d", DAY),
    ("day", DAY),
    ("days", DAY),
    ("mm", (Measured::Length, "mm", 1.0)),
    ("cm", (Measured::Length, "cm", 10.0)),
    ("m", METRE),
    ("metre", METRE),
    ("metres", METRE),
    ("meter", METRE),
    ("meters", METRE),
    ("km", (Measured::Length, "km", 1e6)),
    ("in", INCH),
    ("ft", FOOT),
    ("feet", FOOT),
    ("yd", (Measured::Length, "yards", 914.4)),
    ("mi", MILE),
    ("mile", MILE),
    ("miles", MILE),
    ("mg", (Measured::Mass, "mg", 1e-3)),
    ("g", (Measured::Mass, "g", 1.0)),
    ("kg", (Measured::Mass, "kg", 1e3)),
    ("t", (Measured::Mass, "t", 1e6)),
    ("oz", (Measured::Mass, "ounces", 28.349_523_125)),
    ("lb", POUND),
    ("lbs", POUND),
    ("b", BYTE),
    ("bytes", BYTE),
    ("kb", (Measured::Memory, "kB", 1e3)),
    ("mb", (Measured::Memory, "MB", 1e6)),
    ("gb", (Measured::Memory, "GB", 1e9)),
    ("tb", (Measured::Memory, "TB", 1e12)),
    ("kib", (Measured::Memory, "KiB", 1024.0)),
    ("mib", (Measured::Memory, "MiB", 1_048_576.0)),
    ("gib", (Measured::Memory, "GiB", 1_073_741_824.0)),
    ("tib", (Measured::Memory, "TiB", 1_099_511_627_776.0)),
    ("pb", (Measured::Memory, "PB", 1e15)),
    ("weeks", (Measured::Time, "weeks", 604_800.0)),
];

const SECOND: Unit = (Measured::Time, "seconds", 1.0);
const MINUTE: Unit = (Measured::Time, "minutes", 60.0);
const HOUR: Unit = (Measured::Time, "hours", 3600.0);
const DAY: Unit = (Measured::Time, "days", 86_400.0);
const METRE: Unit = (Measured::Length, "m", 1e3);
const INCH: Unit = (Measured::Length, "inches", 25.4);
const FOOT: Unit = (Measured::Length, "feet", 304.8);
const MILE: Unit = (Measured::Length, "miles", 1_609_344.0);
const POUND: Unit = (Measured::Mass, "pounds", 453.592_37);
const BYTE: Unit = (Measured::Memory, "bytes", 1.0);

/// The unit that is written so; `among_times` makes a minute of `m`.
pub(super) fn unit(written: &str, among_times: bool) -> Option<Unit> {
    let written = written.trim_end_matches('.');
    if among_times && written == "m" {
        return Some(MINUTE);
    }
    let is = |(name, _): &&(&str, Unit)| name.eq_ignore_ascii_case(written);
    UNITS.iter().find(is).map(|(_, unit)| *unit)
}

/// How sure a scale is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scale {
    /// `k`, `M`, `bn`, `million`: nothing else is meant.
    Sure(f64),
    /// `m`, `b`, `t`: only beside money or other scales.
    Perhaps(f64),
}

impl Scale {
    pub(super) fn factor(self) -> f64 {
        match self {
            Scale::Sure(factor) | Scale::Perhaps(factor) => factor,
        }
    }
}

/// The scale that is written so.
pub(super) fn scale(written: &str) -> Option<Scale> {
    let sure = match written.trim_end_matches('.') {
        "k" | "K" => 1e3,
        "M" => 1e6,
        "B" | "bn" | "Bn" | "BN" | "mrd" | "Mrd" => 1e9,
        "mn" | "Mn" | "mln" | "Mln" | "mio" | "Mio" | "mil" | "MM" => 1e6,
        "tsd" | "Tsd" => 1e3,
        "tn" | "trn" => 1e12,
        word => match word.to_ascii_lowercase().as_str() {
            "thousand" => 1e3,
            "million" | "millions" => 1e6,
            "billion" | "billions" => 1e9,
            "trillion" => 1e12,
            "m" => return Some(Scale::Perhaps(1e6)),
            "b" => return Some(Scale::Perhaps(1e9)),
            "t" => return Some(Scale::Perhaps(1e12)),
            _ => return None,
        },
    };
    Some(Scale::Sure(sure))
}

/// Amounts with units of one kind, each smaller than the one before: `4h 35m`, `1 h 5 min 3 s`, `5 ft 11 in`. Gives the
/// whole in the smallest size, and the smallest unit that is used; nothing where there is but one.
pub(super) fn compound(cell: &str) -> Option<(f64, Unit)> {
    let cell = cell.trim();
    if let Some(total) = feet(cell).filter(|_| cell.ends_with(['"', '″', '”'])) {
        return Some((total, INCH));
    }
    if cell.len() > 40 || !cell.ends_with(|c: char| c.is_ascii_alphabetic() || c == '.') {
        return None;
    }
    added_up(cell, true).or_else(|| added_up(cell, false))
}

/// `5'11"` and `6'`, in millimetres.
pub(super) fn feet(cell: &str) -> Option<f64> {
    let (feet, inches) = cell.trim().split_once(['\'', '′', '’'])?;
    let feet: u16 = feet.parse().ok()?;
    let inches = inches.trim_start().trim_end_matches(['"', '″', '”']);
    let inches: f64 = match inches {
        "" => 0.0,
        some if some.starts_with(|c: char| c.is_ascii_digit()) => some.parse().ok()?,
        _ => return None,
    };
    (0.0..12.0)
        .contains(&inches)
        .then(|| f64::from(feet) * FOOT.2 + inches * INCH.2)
}

fn added_up(cell: &str, among_times: bool) -> Option<(f64, Unit)> {
    let mut rest = cell;
    let (mut total, mut parts) = (0.0, 0);
    let mut last: Option<Unit> = None;
    while !rest.is_empty() {
        let count = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_digit() || *byte == b'.')
            .count();
        let number: f64 = rest[..count].parse().ok()?;
        rest = rest[count..].trim_start();
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let found = unit(&rest[..letters], among_times)?;
        if last.is_some_and(|(measured, _, size)| measured != found.0 || size <= found.2) {
            return None;
        }
        (total, parts, last) = (total + number * found.2, parts + 1, Some(found));
        rest = rest[letters..].trim_start_matches(['.', ',']).trim_start();
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    last.filter(|_| parts > 1).map(|unit| (total, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compounds_add_up() {
        let whole = |cell: &str| compound(cell).map(|(total, unit)| (total / unit.2, unit.1));
        assert_eq!(whole("4h 35m"), Some((275.0, "minutes")));
        assert_eq!(whole("1 h 5 min 3 s"), Some((3903.0, "seconds")));
        assert_eq!(whole("2m30s"), Some((150.0, "seconds")));
        assert_eq!(whole("5 m 20 cm"), Some((520.0, "cm")));
        assert_eq!(whole("1 day and 2 hours"), Some((26.0, "hours")));
        assert_eq!(
            whole("5 ft 11 in").map(|(total, _)| (total * 1e9).round() / 1e9),
            Some(71.0)
        );
        assert_eq!(
            whole("5'11\"").map(|(total, unit)| ((total * 1e9).round() / 1e9, unit)),
            Some((71.0, "inches"))
        );
        for cell in [
            "6'",
            "5'12\"",
            "1'234",
            "35m",
            "4h",
            "35m 4h",
            "4h 5kg",
            "4 x 5 m",
            "Schalke 04",
            "",
        ] {
            assert_eq!(whole(cell), None, "{cell}");
        }
    }
}
