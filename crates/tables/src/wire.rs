//! The cells of a table on their way from one process to another: who reads strangers' files does it where
//! nothing else can come to harm, and hands the cells over. Whoever takes them believes no length.

use crate::builder::TableBuilder;
use crate::files::{Largest, TableError};
use crate::texts::{Interner, Texts};
use std::io::{self, Read, Write};

/// How a stream of cells begins.
const MAGIC: &[u8; 8] = b"mapocell";
/// Numbers that are written or read at once.
const BLOCK: usize = 1 << 14;

impl TableBuilder {
    /// Writes the cells for [`receive`](Self::receive).
    ///
    /// # Errors
    /// If nobody takes them.
    pub fn send(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(MAGIC)?;
        send_number(out, self.headers().len())?;
        send_number(out, self.rows)?;
        for header in self.headers() {
            send_text(out, header)?;
        }
        let decisions = serde_json::to_string(self.decisions()).map_err(io::Error::other)?;
        send_text(out, &decisions)?;
        for (rows, texts) in self.columns() {
            let (texts, has_repeats) = texts.parts();
            send_number(out, usize::from(has_repeats))?;
            send_number(out, texts.len())?;
            send_text(out, texts.block())?;
            send_numbers(out, texts.ends())?;
            send_numbers(out, rows)?;
        }
        out.flush()
    }

    /// Takes the cells that another process sends, no more than `largest` allows.
    ///
    /// # Errors
    /// If they stop too early, are too many or do not fit each other.
    pub fn receive(name: &str, from: &mut impl Read, largest: Largest) -> Result<TableBuilder, TableError> {
        let cells = Incoming { name, from, largest };
        cells.take().map_err(|problem| match problem {
            Refused::TooLarge(error) => error,
            Refused::Broken(source) => TableError::Io {
                file: name.to_owned(),
                source,
            },
        })
    }
}

fn send_number(out: &mut impl Write, number: usize) -> io::Result<()> {
    out.write_all(&(number as u64).to_le_bytes())
}

fn send_text(out: &mut impl Write, text: &str) -> io::Result<()> {
    send_number(out, text.len())?;
    out.write_all(text.as_bytes())
}

fn send_numbers(out: &mut impl Write, numbers: &[u32]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(4 * BLOCK);
    for block in numbers.chunks(BLOCK) {
        bytes.clear();
        bytes.extend(block.iter().flat_map(|number| number.to_le_bytes()));
        out.write_all(&bytes)?;
    }
    Ok(())
}

enum Refused {
    TooLarge(TableError),
    Broken(io::Error),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Refused::Broken(error)
    }
}

fn broken() -> Refused {
    Refused::Broken(io::Error::new(
        io::ErrorKind::InvalidData,
        "its cells do not fit each other",
    ))
}

struct Incoming<'a, R> {
    name: &'a str,
    from: &'a mut R,
    largest: Largest,
}

impl<R: Read> Incoming<'_, R> {
    fn take(mut self) -> Result<TableBuilder, Refused> {
        let mut magic = [0; MAGIC.len()];
        self.from.read_exact(&mut magic)?;
        if magic != *MAGIC {
            return Err(broken());
        }
        let (columns, rows) = (self.number()?, self.number()?);
        self.check(rows, columns, 0)?;
        if columns > usize::from(u16::MAX) {
            return Err(broken());
        }
        let mut text = 0;
        let mut headers = Vec::new();
        for _ in 0..columns {
            headers.push(self.text(&mut text, rows, columns)?);
        }
        let decisions = self.text(&mut text, rows, columns)?;
        let decisions = serde_json::from_str(&decisions).map_err(|_| broken())?;
        let mut taken = Vec::new();
        for _ in 0..columns {
            let has_repeats = self.number()? != 0;
            let count = self.number()?;
            if count > rows {
                return Err(broken());
            }
            let block = self.text(&mut text, rows, columns)?;
            let ends = self.numbers(count)?;
            let texts = Texts::of(block, ends).ok_or_else(broken)?;
            let cells = self.numbers(rows)?;
            if cells.iter().any(|cell| *cell as usize >= count) {
                return Err(broken());
            }
            taken.push((cells, Interner::of(texts, has_repeats)));
        }
        Ok(TableBuilder::from_columns(self.name, headers, rows, taken).decided(decisions))
    }

    fn check(&self, rows: usize, columns: usize, text: usize) -> Result<(), Refused> {
        let checked = self.largest.check(self.name, rows, columns, text);
        checked.map_err(Refused::TooLarge)
    }

    fn number(&mut self) -> Result<usize, Refused> {
        let mut bytes = [0; 8];
        self.from.read_exact(&mut bytes)?;
        usize::try_from(u64::from_le_bytes(bytes)).map_err(|_| broken())
    }

    fn text(&mut self, so_far: &mut usize, rows: usize, columns: usize) -> Result<String, Refused> {
        let length = self.number()?;
        *so_far = so_far.saturating_add(length);
        self.check(rows, columns, *so_far)?;
        let mut bytes = Vec::new();
        // Memory comes with the bytes, not with what is said of them.
        self.from.take(length as u64).read_to_end(&mut bytes)?;
        match bytes.len() == length {
            true => String::from_utf8(bytes).map_err(|_| broken()),
            false => Err(broken()),
        }
    }

    fn numbers(&mut self, count: usize) -> Result<Vec<u32>, Refused> {
        let mut numbers = Vec::new();
        let mut bytes = vec![0; 4 * BLOCK.min(count)];
        while numbers.len() < count {
            let block = &mut bytes[..4 * BLOCK.min(count - numbers.len())];
            self.from.read_exact(block)?;
            let block = block.chunks_exact(4);
            numbers.extend(block.map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])));
        }
        Ok(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LoadOptions;
    use proptest::prelude::*;

    fn sent(csv: &str) -> Vec<u8> {
        let builder = TableBuilder::from_reader("t.csv", csv.as_bytes(), &LoadOptions::default()).unwrap();
        let mut bytes = Vec::new();
        builder.send(&mut bytes).unwrap();
        bytes
    }

    fn received(bytes: &[u8], largest: Largest) -> Result<crate::Table, TableError> {
        TableBuilder::receive("t.csv", &mut &bytes[..], largest).map(TableBuilder::finish)
    }

    proptest! {
        #[test]
        fn what_is_sent_arrives(rows in proptest::collection::vec(("[aé1 ]{1,3}", "[0-9]{1,2}"), 1..30)) {
            let lines = rows.iter().map(|(a, b)| format!("\"{a}\",{b}\n"));
            let csv = format!("A,B\n{}", lines.collect::<String>());
            let table = received(&sent(&csv), Largest::ANY).unwrap();
            prop_assert_eq!(table.rows(), rows.len());
            for (row, (a, b)) in rows.iter().enumerate() {
                prop_assert_eq!(table.cell(row, 0), a);
                prop_assert_eq!(table.cell(row, 1), b);
            }
        }

        #[test]
        fn no_change_of_the_bytes_breaks_the_one_who_takes_them(place in 0_usize..200, to in any::<u8>()) {
            let mut bytes = sent("A,B\nx,ä\ny,2\nx,3\n");
            let place = place % bytes.len();
            bytes[place] = to;
            let largest = Largest { rows: 1_000, cells: 10_000, text: 10_000 };
            if let Ok(table) = received(&bytes, largest) {
                for row in 0..table.rows() {
                    for column in 0..table.headers().len() {
                        prop_assert!(table.cell(row, column).len() <= 10_000);
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_cut_off_or_too_large_is_refused() {
        let bytes = sent("A,B\nx,1\ny,2\n");
        for end in 0..bytes.len() {
            assert!(received(&bytes[..end], Largest::ANY).is_err(), "{end}");
        }
        let few = Largest {
            text: 3,
            ..Largest::ANY
        };
        assert!(matches!(received(&bytes, few), Err(TableError::TooLarge { .. })));
    }
}
