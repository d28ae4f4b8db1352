//! Names, texts and numbers as SQL writes them, so that nothing in them can be taken for SQL.

/// What stands for a NUL, which ends a script for SQLite.
const NUL: &str = "\u{2400}";

/// The text with each NUL replaced by its symbol.
pub fn without_nul(text: &str) -> String {
    text.replace('\0', NUL)
}

/// A name in double quotes.
pub fn name(name: &str) -> String {
    format!("\"{}\"", without_nul(name).replace('"', "\"\""))
}

/// A text in single quotes.
pub fn text(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    push_text(text, &mut quoted);
    quoted
}

/// Appends a text in single quotes.
pub fn push_text(text: &str, out: &mut String) {
    // SQLite's shell reads a script line by line and drops the first of the two line ends of a carriage
    // return and a line feed, also within quotes: they are put together from a mark that is not in the
    // text.
    if text.contains("\r\n") {
        let mark = ('\u{e000}'..)
            .find(|mark| !text.contains(*mark))
            .unwrap_or('\u{e000}');
        let marked = text.replace("\r\n", mark.encode_utf8(&mut [0; 4]));
        out.push_str("replace(");
        push_plain(&marked, out);
        out.push_str(", '");
        out.push(mark);
        out.push_str("', '\r' || '\n')");
        return;
    }
    push_plain(text, out);
}

fn push_plain(text: &str, out: &mut String) {
    out.push('\'');
    for part in text.split_inclusive(['\'', '\0']) {
        match part.strip_suffix('\0') {
            Some(before) => {
                out.push_str(before);
                out.push_str(NUL);
            }
            None => {
                out.push_str(part);
                if part.ends_with('\'') {
                    out.push('\'');
                }
            }
        }
    }
    out.push('\'');
}

/// A number as people write it, where that is the same number to every engine.
pub fn number(number: f64) -> String {
    // DuckDB takes digits with a point for a decimal and divides: exact only with digits that a float holds.
    let plain = number.to_string();
    let digits = plain.bytes().filter(u8::is_ascii_digit).count();
    match digits <= 15 {
        true => plain,
        false => float(number),
    }
}

/// A number that every engine takes for a float.
pub fn float(number: f64) -> String {
    if number.is_finite() {
        format!("{number:e}")
    } else if number > 0.0 {
        "9e999".to_owned()
    } else {
        "-9e999".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_out_of_its_quotes() {
        assert_eq!(text("it's'; DROP TABLE x; --"), "'it''s''; DROP TABLE x; --'");
        assert_eq!(text("''"), "''''''");
        assert_eq!(text(""), "''");
        assert_eq!(text("a\0'b\0"), "'a␀''b␀'");
        assert_eq!(text("a\r\nb"), "replace('a\u{e000}b', '\u{e000}', '\r' || '\n')");
        assert_eq!(
            text("\u{e000}'\r\n"),
            "replace('\u{e000}''\u{e001}', '\u{e001}', '\r' || '\n')"
        );
        assert_eq!(name("a\"b\0"), "\"a\"\"b␀\"");
    }

    #[test]
    fn numbers_are_exact() {
        assert_eq!(number(1836.0), "1836");
        assert_eq!(number(-2.5), "-2.5");
        assert_eq!(number(0.1 + 0.2), "3.0000000000000004e-1");
        assert_eq!(number(1e300), "1e300");
        assert_eq!(float(3.0), "3e0");
        assert_eq!(float(f64::INFINITY), "9e999");
    }
}
