//! Files of the form GGUF: settings, the words of the tokeniser, and quantised weights, all in one.

use super::{BLOCK, Matrix, WeightsError};
use std::collections::HashMap;

const FORM: WeightsError = WeightsError::Form("GGUF");

/// Lists longer than this are none: the vocabulary of a small model has fifty thousand words.
const MAX_ENTRIES: u64 = 1 << 20;

/// Where numbers begin is a multiple of this.
const ALIGNMENT: usize = 32;

/// A setting. Those that no model here needs are read over.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum GgufValue {
    Number(f64),
    Text(String),
    Texts(Vec<String>),
    Other,
}

struct TensorEntry {
    width: usize,
    rows: usize,
    kind: u32,
    offset: usize,
}

/// A file in memory, and where things lie in it.
pub(crate) struct Gguf {
    bytes: Vec<u8>,
    settings: HashMap<String, GgufValue>,
    places: HashMap<String, TensorEntry>,
    start: usize,
}

impl Gguf {
    pub(crate) fn read(bytes: Vec<u8>) -> Result<Self, WeightsError> {
        let mut reader = GgufReader { bytes: &bytes, at: 0 };
        if reader.take(4)? != b"GGUF" || reader.u32()? != 3 {
            return Err(FORM);
        }
        let (n_tensors, n_settings) = (reader.count()?, reader.count()?);
        let mut settings = HashMap::new();
        for _ in 0..n_settings {
            let name = reader.text()?;
            let kind = reader.u32()?;
            settings.insert(name, reader.setting(kind)?);
        }
        let mut places = HashMap::new();
        for _ in 0..n_tensors {
            let name = reader.text()?;
            let n_sides = reader.u32()?;
            let sides =
                (0..n_sides.min(4)).map(|_| reader.count()).collect::<Result<Vec<_>, _>>()?;
            let (kind, offset) = (reader.u32()?, usize::try_from(reader.u64()?).map_err(|_| FORM)?);
            let width = *sides.first().filter(|width| **width > 0).ok_or(FORM)?;
            let rows = sides[1..]
                .iter()
                .try_fold(1_usize, |product, side| product.checked_mul(*side))
                .ok_or(FORM)?;
            places.insert(name, TensorEntry { width, rows, kind, offset });
        }
        let start = reader.at.next_multiple_of(ALIGNMENT);
        Ok(Self { bytes, settings, places, start })
    }

    pub(crate) fn number(&self, name: &str) -> Result<f64, WeightsError> {
        match self.settings.get(name) {
            Some(GgufValue::Number(number)) => Ok(*number),
            _ => Err(WeightsError::Missing(name.to_owned())),
        }
    }

    pub(crate) fn texts(&self, name: &str) -> Result<&[String], WeightsError> {
        match self.settings.get(name) {
            Some(GgufValue::Texts(texts)) => Ok(texts),
            _ => Err(WeightsError::Missing(name.to_owned())),
        }
    }

    /// A matrix, which must have this shape.
    pub(crate) fn matrix(
        &self,
        name: &str,
        rows: usize,
        width: usize,
    ) -> Result<Matrix, WeightsError> {
        let place = self.places.get(name).ok_or_else(|| WeightsError::Missing(name.to_owned()))?;
        let wrong = || WeightsError::Shape(name.to_owned());
        if (place.rows, place.width) != (rows, width) {
            return Err(wrong());
        }
        let numbers = rows.checked_mul(width).ok_or_else(wrong)?;
        let length = match place.kind {
            KIND_F32 => numbers.checked_mul(4),
            KIND_Q8_0 if width.is_multiple_of(BLOCK) => {
                (numbers / BLOCK).checked_mul(super::Q8_0_BYTES)
            }
            KIND_Q4_1 if width.is_multiple_of(BLOCK) => {
                (numbers / BLOCK).checked_mul(super::Q4_1_BYTES)
            }
            _ => None,
        };
        let start = self.start.checked_add(place.offset).ok_or(WeightsError::Short)?;
        let end = start.checked_add(length.ok_or_else(wrong)?).ok_or(WeightsError::Short)?;
        let bytes = self.bytes.get(start..end).ok_or(WeightsError::Short)?;
        Ok(match place.kind {
            KIND_F32 => Matrix::plain(
                bytes.as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number)).collect(),
                width,
            ),
            KIND_Q8_0 => Matrix::q8_0(bytes.to_vec(), width),
            _ => Matrix::q4_1(bytes.to_vec(), width),
        })
    }

    /// A single row of plain numbers.
    pub(crate) fn row(&self, name: &str, width: usize) -> Result<Vec<f32>, WeightsError> {
        let mut row = vec![0.0; width];
        self.matrix(name, 1, width)?.unpack(0, &mut row);
        Ok(row)
    }
}

const KIND_F32: u32 = 0;
const KIND_Q4_1: u32 = 3;
const KIND_Q8_0: u32 = 8;

struct GgufReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> GgufReader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], WeightsError> {
        let end = self.at.checked_add(length).ok_or(WeightsError::Short)?;
        let taken = self.bytes.get(self.at..end).ok_or(WeightsError::Short)?;
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], WeightsError> {
        self.take(N)?.try_into().map_err(|_| WeightsError::Short)
    }

    fn u32(&mut self) -> Result<u32, WeightsError> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, WeightsError> {
        self.array().map(u64::from_le_bytes)
    }

    fn count(&mut self) -> Result<usize, WeightsError> {
        self.u64()?.try_into().ok().filter(|count: &usize| *count as u64 <= MAX_ENTRIES).ok_or(FORM)
    }

    fn text(&mut self) -> Result<String, WeightsError> {
        let length = self.count()?;
        String::from_utf8(self.take(length)?.to_vec()).map_err(|_| FORM)
    }

    fn setting(&mut self, kind: u32) -> Result<GgufValue, WeightsError> {
        Ok(match kind {
            0 => GgufValue::Number(f64::from(u8::from_le_bytes(self.array()?))),
            1 => GgufValue::Number(f64::from(i8::from_le_bytes(self.array()?))),
            2 => GgufValue::Number(f64::from(u16::from_le_bytes(self.array()?))),
            3 => GgufValue::Number(f64::from(i16::from_le_bytes(self.array()?))),
            4 => GgufValue::Number(f64::from(self.u32()?)),
            5 => GgufValue::Number(f64::from(i32::from_le_bytes(self.array()?))),
            6 => GgufValue::Number(f64::from(f32::from_le_bytes(self.array()?))),
            7 => {
                self.take(1)?;
                GgufValue::Other
            }
            8 => GgufValue::Text(self.text()?),
            9 => self.list()?,
            10 => GgufValue::Number(self.u64()? as f64),
            11 => GgufValue::Number(i64::from_le_bytes(self.array()?) as f64),
            12 => GgufValue::Number(f64::from_le_bytes(self.array()?)),
            _ => return Err(FORM),
        })
    }

    /// Lists of texts are kept; lists of anything else are read over.
    fn list(&mut self) -> Result<GgufValue, WeightsError> {
        let (kind, count) = (self.u32()?, self.count()?);
        match kind {
            8 => (0..count).map(|_| self.text()).collect::<Result<_, _>>().map(GgufValue::Texts),
            9 => Err(FORM),
            _ => {
                for _ in 0..count {
                    self.setting(kind)?;
                }
                Ok(GgufValue::Other)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Vec<u8> {
        [(text.len() as u64).to_le_bytes().as_slice(), text.as_bytes()].concat()
    }

    /// A file with three settings and one plain matrix of 2 by 2.
    fn file() -> Vec<u8> {
        let mut bytes = b"GGUF".to_vec();
        bytes.extend(3_u32.to_le_bytes());
        bytes.extend(1_u64.to_le_bytes());
        bytes.extend(3_u64.to_le_bytes());
        bytes.extend(
            [text("count"), 4_u32.to_le_bytes().to_vec(), 7_u32.to_le_bytes().to_vec()].concat(),
        );
        bytes.extend(
            [
                text("words"),
                9_u32.to_le_bytes().to_vec(),
                8_u32.to_le_bytes().to_vec(),
                2_u64.to_le_bytes().to_vec(),
            ]
            .concat(),
        );
        bytes.extend([text("a"), text("b")].concat());
        bytes.extend(
            [
                text("list"),
                9_u32.to_le_bytes().to_vec(),
                5_u32.to_le_bytes().to_vec(),
                1_u64.to_le_bytes().to_vec(),
            ]
            .concat(),
        );
        bytes.extend(1_i32.to_le_bytes());
        bytes.extend([text("w"), 2_u32.to_le_bytes().to_vec()].concat());
        bytes.extend([2_u64.to_le_bytes(), 2_u64.to_le_bytes()].concat());
        bytes.extend([0_u32.to_le_bytes().to_vec(), 0_u64.to_le_bytes().to_vec()].concat());
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
        bytes.extend([1.0_f32, 2.0, 3.0, 4.0].iter().flat_map(|number| number.to_le_bytes()));
        bytes
    }

    #[test]
    fn settings_and_matrices_are_read() {
        let gguf = Gguf::read(file()).unwrap();
        assert_eq!(gguf.number("count").unwrap(), 7.0);
        assert_eq!(gguf.texts("words").unwrap(), ["a", "b"]);
        let mut row = [0.0; 2];
        gguf.matrix("w", 2, 2).unwrap().unpack(1, &mut row);
        assert_eq!(row, [3.0, 4.0]);
        assert!(matches!(gguf.matrix("w", 1, 4), Err(WeightsError::Shape(_))));
        assert!(gguf.number("words").is_err() && gguf.matrix("v", 2, 2).is_err());
    }

    #[test]
    fn damaged_files_are_refused_and_never_panic() {
        let whole = file();
        for end in 0..whole.len() {
            let read =
                Gguf::read(whole[..end].to_vec()).and_then(|gguf| gguf.matrix("w", 2, 2).map(drop));
            assert!(read.is_err(), "cut after {end} bytes");
        }
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] = 0xff;
            let _ = Gguf::read(damaged).map(|gguf| gguf.matrix("w", 2, 2).map(drop));
        }
    }
}
