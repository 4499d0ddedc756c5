//! Files of the form `safetensors`: a length, a JSON object that says what lies where, and the
//! numbers.

use super::WeightsError;
use std::collections::HashMap;
use std::ops::Range;

/// A header longer than this is none: that of a real model has a few kilobytes.
const MAX_HEADER_BYTES: usize = 1 << 20;

/// A file in memory, and where its numbers lie.
pub(crate) struct Tensors {
    bytes: Vec<u8>,
    places: HashMap<String, TensorSpan>,
}

struct TensorSpan {
    shape: Vec<usize>,
    bytes: Range<usize>,
}

impl Tensors {
    pub(crate) fn read(bytes: Vec<u8>) -> Result<Self, WeightsError> {
        const FORM: WeightsError = WeightsError::Form("safetensors");
        let length = bytes
            .first_chunk::<8>()
            .map(|length| u64::from_le_bytes(*length))
            .ok_or(WeightsError::Short)?;
        let length = usize::try_from(length)
            .ok()
            .filter(|length| *length <= MAX_HEADER_BYTES)
            .ok_or(FORM)?;
        let header = bytes.get(8..8 + length).ok_or(WeightsError::Short)?;
        #[expect(
            clippy::disallowed_methods,
            reason = "the header of a file whose checksum was verified, with a limited length"
        )]
        let header: serde_json::Map<String, serde_json::Value> =
            serde_json::from_slice(header).map_err(|_| FORM)?;
        let number = |value: &serde_json::Value| {
            value.as_u64().and_then(|number| usize::try_from(number).ok())
        };
        let mut places = HashMap::new();
        for (name, entry) in header {
            if entry["dtype"] != "F32" {
                continue;
            }
            let shape = entry["shape"]
                .as_array()
                .into_iter()
                .flatten()
                .map(number)
                .collect::<Option<Vec<_>>>()
                .ok_or(FORM)?;
            let (start, end) = number(&entry["data_offsets"][0])
                .zip(number(&entry["data_offsets"][1]))
                .ok_or(FORM)?;
            let place = (8 + length)
                .checked_add(start)
                .zip((8 + length).checked_add(end))
                .map(|(start, end)| start..end)
                .ok_or(FORM)?;
            let wanted = shape.iter().try_fold(4_usize, |product, side| product.checked_mul(*side));
            if bytes.get(place.clone()).map(<[u8]>::len) != wanted {
                return Err(WeightsError::Shape(name));
            }
            places.insert(name, TensorSpan { shape, bytes: place });
        }
        Ok(Self { bytes, places })
    }

    /// The numbers of this name, which must have this shape.
    pub(crate) fn numbers(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, WeightsError> {
        let place = self.places.get(name).ok_or_else(|| WeightsError::Missing(name.to_owned()))?;
        if place.shape != shape {
            return Err(WeightsError::Shape(name.to_owned()));
        }
        let (numbers, _) = self.bytes[place.bytes.clone()].as_chunks::<4>();
        Ok(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, numbers: &[f32]) -> Vec<u8> {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes
    }

    #[test]
    fn numbers_are_found_by_name_and_shape() {
        let header = r#"{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1,1],"data_offsets":[8,12]}}"#;
        let tensors = Tensors::read(file(header, &[1.0, 2.5, -3.0])).unwrap();
        assert_eq!(tensors.numbers("a", &[2]).unwrap(), [1.0, 2.5]);
        assert_eq!(tensors.numbers("b", &[1, 1]).unwrap(), [-3.0]);
        assert!(matches!(tensors.numbers("a", &[1, 2]), Err(WeightsError::Shape(_))));
        assert!(matches!(tensors.numbers("c", &[1]), Err(WeightsError::Missing(_))));
    }

    #[test]
    fn damaged_files_are_refused_and_never_panic() {
        let header = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#;
        let whole = file(header, &[1.0, 2.0]);
        for end in 0..whole.len() {
            assert!(Tensors::read(whole[..end].to_vec()).is_err(), "cut after {end} bytes");
        }
        for wrong in ["[0,4]", "[8,0]", "[0,18446744073709551615]", "[-1,7]", "0"] {
            let header = format!(r#"{{"a":{{"dtype":"F32","shape":[2],"data_offsets":{wrong}}}}}"#);
            assert!(Tensors::read(file(&header, &[1.0, 2.0])).is_err(), "{wrong}");
        }
        assert!(Tensors::read(u64::MAX.to_le_bytes().to_vec()).is_err());
    }
}
