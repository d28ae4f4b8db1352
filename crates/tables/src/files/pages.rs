//! The pages of a Parquet column, looked at before they are decoded.
//!
//! Numbers that are written as differences begin with how many there are, and the decoder takes memory for as many.
//! A page has no more of them than values. Numbers of places in a dictionary need one before them, and the texts of one
//! are whole.

use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescriptor;

/// Passes on the pages of a column that is no list.
pub(super) struct Looked {
    pages: Box<dyn PageReader>,
    /// Whether values may be missing, so that pages say where.
    has_levels: bool,
    /// Whether its values are texts, each after its length.
    are_texts: bool,
    has_dictionary: bool,
}

impl Looked {
    pub fn new(pages: Box<dyn PageReader>, column: &ColumnDescriptor) -> Self {
        Looked {
            pages,
            has_levels: column.max_def_level() > 0,
            are_texts: column.physical_type() == Type::BYTE_ARRAY,
            has_dictionary: false,
        }
    }

    fn look(&mut self, page: &Page) -> Option<()> {
        let bytes: &[u8] = page.buffer();
        let (encoding, values, data) = match page {
            Page::DataPage {
                encoding, num_values, ..
            } => {
                let levels = match self.has_levels {
                    true => 4 + u32::from_le_bytes(*bytes.first_chunk()?) as usize,
                    false => 0,
                };
                (encoding, num_values, bytes.get(levels..)?)
            }
            Page::DataPageV2 {
                encoding,
                num_values,
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => {
                let levels = *def_levels_byte_len as usize + *rep_levels_byte_len as usize;
                (encoding, num_values, bytes.get(levels..)?)
            }
            // Each of its values has a byte at the least.
            Page::DictionaryPage { num_values, .. } => {
                self.has_dictionary = true;
                let are_whole = !self.are_texts || are_texts(bytes, *num_values);
                return (are_whole && *num_values as usize <= bytes.len()).then_some(());
            }
        };
        let most = u64::from(*values);
        match encoding {
            Encoding::DELTA_BINARY_PACKED | Encoding::DELTA_LENGTH_BYTE_ARRAY => {
                differences(data, most).map(drop)
            }
            // The lengths of what is taken from the text before, then those of the rest.
            Encoding::DELTA_BYTE_ARRAY => {
                let rest = differences(data, most)?;
                differences(rest, most).map(drop)
            }
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => self.has_dictionary.then_some(()),
            _ => Some(()),
        }
    }
}

/// Whether so many texts, each after its length in four bytes, are there.
fn are_texts(mut bytes: &[u8], count: u32) -> bool {
    let mut pass = || {
        let length = u32::from_le_bytes(*bytes.first_chunk()?);
        bytes = bytes.get(4..)?.get(length as usize..)?;
        Some(())
    };
    (0..count).all(|_| pass().is_some())
}

/// Goes past numbers that are written as differences, if there are no more than so many; what follows them.
fn differences(mut bytes: &[u8], most: u64) -> Option<&[u8]> {
    if bytes.is_empty() && most == 0 {
        return Some(bytes);
    }
    let (block, parts, count) = (number(&mut bytes)?, number(&mut bytes)?, number(&mut bytes)?);
    number(&mut bytes)?;
    if count > most || parts == 0 || block == 0 || !block.is_multiple_of(parts.checked_mul(8)?) {
        return None;
    }
    let in_part = block / parts;
    let mut left = count.saturating_sub(1);
    while left > 0 {
        number(&mut bytes)?;
        let widths = bytes.split_off(..usize::try_from(parts).ok()?)?;
        for width in widths {
            if left == 0 {
                break;
            }
            let size = usize::try_from(in_part.checked_mul(u64::from(*width))? / 8).ok()?;
            // The last may be cut short.
            let size = if left <= in_part {
                size.min(bytes.len())
            } else {
                size
            };
            bytes.split_off(..size)?;
            left = left.saturating_sub(in_part);
        }
    }
    Some(bytes)
}

/// A number in groups of seven bits, the lowest first.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.split_off_first()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

impl PageReader for Looked {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        let page = self.pages.get_next_page()?;
        match page.as_ref().map(|page| self.look(page)) {
            Some(None) => Err(ParquetError::General(
                "a page claims more values than it has".to_owned(),
            )),
            _ => Ok(page),
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.pages.skip_next_page()
    }
}

impl Iterator for Looked {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_a_page_cannot_have_are_refused() {
        // Blocks of 128 in 4 parts; 3 numbers, the first 2, then differences of 1 and 0 in one bit each.
        let plain = [128, 1, 4, 3, 4, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9];
        assert_eq!(differences(&plain, 3), Some(&[9][..]));
        assert!(differences(&plain, 2).is_none());
        // 268 million of them in a page of three.
        let lying = [128, 1, 4, 0xff, 0xff, 0xff, 0xff, 0, 22];
        assert!(differences(&lying, 3).is_none());
        assert!(differences(&[128, 1, 0, 1, 0], 3).is_none());
        assert!(differences(&[], 3).is_none());
        assert!(differences(&[0xff; 20], 3).is_none());
    }

    #[test]
    fn texts_of_a_dictionary_are_whole() {
        let two = [1, 0, 0, 0, b'a', 0, 0, 0, 0];
        assert!(are_texts(&two, 2) && are_texts(&two, 1) && are_texts(&[], 0));
        assert!(!are_texts(&two, 3) && !are_texts(&two[..8], 2));
        assert!(!are_texts(&[0xff; 9], 1));
    }
}
