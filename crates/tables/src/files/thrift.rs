//! Looking through a Parquet file's descriptions of itself before they are believed.
//!
//! They are structures in Thrift's compact form. The reader that we use believes the lengths of lists that
//! stand there, so that a few bytes can cost it hours. Here nothing is kept and nothing counts more than the
//! bytes that are really there: the work is linear in them.

/// What is wrong with a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// It goes on behind the bytes that are there.
    CutOff,
    /// It is none.
    Broken,
}

/// The numbers of a structure that is not part of another, by the numbers of their fields.
pub(super) type Fields = Vec<(i64, i64)>;

/// Goes through one structure; says how many bytes it has, and the whole numbers among its own fields.
pub(super) fn look_through(bytes: &[u8]) -> Result<(usize, Fields), Flaw> {
    let mut look = Look { bytes, at: 0 };
    let mut fields = Fields::new();
    look.structure(0, Some(&mut fields))?;
    Ok((look.at, fields))
}

/// Structures within structures.
const DEEPEST: usize = 32;

const TRUE: u8 = 1;
const FALSE: u8 = 2;

struct Look<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Look<'_> {
    fn byte(&mut self) -> Result<u8, Flaw> {
        let byte = *self.bytes.get(self.at).ok_or(Flaw::CutOff)?;
        self.at += 1;
        Ok(byte)
    }

    fn skip(&mut self, count: u64) -> Result<(), Flaw> {
        match count <= (self.bytes.len() - self.at) as u64 {
            true => {
                self.at += count as usize;
                Ok(())
            }
            false => Err(Flaw::CutOff),
        }
    }

    fn number(&mut self) -> Result<u64, Flaw> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Flaw::Broken)
    }

    /// A number that may be below zero.
    fn signed(&mut self) -> Result<i64, Flaw> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn structure(&mut self, depth: usize, mut fields: Option<&mut Fields>) -> Result<(), Flaw> {
        if depth > DEEPEST {
            return Err(Flaw::Broken);
        }
        let mut field = 0;
        loop {
            let head = self.byte()?;
            if head & 0x0f == 0 {
                return Ok(());
            }
            field = match head >> 4 {
                0 => self.signed()?,
                step => field + i64::from(step),
            };
            match (head & 0x0f, &mut fields) {
                (TRUE | FALSE, _) => {}
                (4..=6, Some(fields)) => {
                    let number = self.signed()?;
                    fields.push((field, number));
                }
                (kind, _) => self.value(kind, depth)?,
            }
        }
    }

    fn value(&mut self, kind: u8, depth: usize) -> Result<(), Flaw> {
        match kind {
            3 => self.skip(1),
            4..=6 => self.number().map(drop),
            7 => self.skip(8),
            8 => {
                let length = self.number()?;
                self.skip(length)
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = match head >> 4 {
                    15 => self.number()?,
                    count => u64::from(count),
                };
                self.values(count, &[head & 0x0f], depth)
            }
            11 => match self.number()? {
                0 => Ok(()),
                count => {
                    let kinds = self.byte()?;
                    self.values(count, &[kinds >> 4, kinds & 0x0f], depth)
                }
            },
            12 => self.structure(depth + 1, None),
            13 => self.skip(16),
            _ => Err(Flaw::Broken),
        }
    }

    fn values(&mut self, count: u64, kinds: &[u8], depth: usize) -> Result<(), Flaw> {
        // Each takes a byte at the least.
        if count > (self.bytes.len() - self.at) as u64 {
            return Err(Flaw::CutOff);
        }
        // No description has lists of truth values, and readers do not agree on how long they are.
        if depth > DEEPEST || count > 0 && kinds.iter().any(|kind| matches!(*kind, TRUE | FALSE)) {
            return Err(Flaw::Broken);
        }
        for _ in 0..count {
            for kind in kinds {
                self.value(*kind, depth + 1)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_are_gone_through() {
        // Field 1 = 2, field 2 = [1, 2], field 3 a structure with field 1 = -1, field 20 "ab".
        let bytes = [
            0x15, 0x04, 0x19, 0x25, 0x02, 0x04, 0x1c, 0x15, 0x01, 0x00, 0x08, 0x28, 0x02, b'a', b'b', 0x00,
            0xff,
        ];
        assert_eq!(look_through(&bytes), Ok((16, vec![(1, 2)])));
        for end in 0..16 {
            assert_eq!(look_through(&bytes[..end]), Err(Flaw::CutOff), "{end}");
        }
    }

    #[test]
    fn what_is_claimed_costs_nothing() {
        // Two thousand million truth values in 9 bytes, as many doubles, and structures in structures.
        let truths = [0x09, 0xc8, 0x01, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x07];
        assert!(look_through(&truths).is_err());
        assert!(look_through(&[0x09, 0x02, 0xf7, 0xff, 0xff, 0xff, 0xff, 0x07]).is_err());
        assert_eq!(look_through(&[0x1c; 100]), Err(Flaw::Broken));
        assert_eq!(look_through(&[0x15; 100]), Err(Flaw::CutOff));
        let few_truths = [0x19, 0x21, 0x01, 0x02, 0x00];
        assert_eq!(look_through(&few_truths), Err(Flaw::Broken));
    }
}
