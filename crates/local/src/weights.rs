//! The numbers of a model as they lie in its file, and in memory.

pub(crate) mod gguf;
pub(crate) mod safetensors;

use crate::math::{Product, vectorised};

/// Numbers that share a scale in the quantised forms.
pub(crate) const BLOCK: usize = 32;

/// Rows that are unpacked at a time: few enough to stay in the nearest cache.
const ROWS_AT_ONCE: usize = 16;

/// Why a file of weights cannot be used. Files are checked by their sums when they arrive, so this
/// is for what happened to them since.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WeightsError {
    #[error("the file is truncated")]
    Short,
    #[error("the file is not in the format {0}")]
    Form(&'static str),
    #[error("the file has no '{0}'")]
    Missing(String),
    #[error("'{0}' has a different shape or type than the model needs")]
    Shape(String),
}

/// A matrix of weights, row by row.
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    pub(crate) width: usize,
    numbers: MatrixData,
}

/// How the numbers are kept. The quantised forms are those of GGUF: blocks of 32 numbers.
enum MatrixData {
    Plain(Vec<f32>),
    /// For each block a scale (16 bits) and 32 whole numbers of 8 bits.
    Q8_0(Vec<u8>),
    /// For each block a scale and an offset (16 bits each) and 32 whole numbers of 4 bits: the
    /// first 16 in the low halves.
    Q4_1(Vec<u8>),
}

/// The bytes of a block.
const Q8_0_BYTES: usize = 2 + BLOCK;
const Q4_1_BYTES: usize = 4 + BLOCK / 2;

impl Matrix {
    pub(crate) fn plain(numbers: Vec<f32>, width: usize) -> Self {
        Self { rows: numbers.len() / width, width, numbers: MatrixData::Plain(numbers) }
    }

    pub(crate) fn q8_0(bytes: Vec<u8>, width: usize) -> Self {
        Self {
            rows: bytes.len() / (width / BLOCK * Q8_0_BYTES),
            width,
            numbers: MatrixData::Q8_0(bytes),
        }
    }

    pub(crate) fn q4_1(bytes: Vec<u8>, width: usize) -> Self {
        Self {
            rows: bytes.len() / (width / BLOCK * Q4_1_BYTES),
            width,
            numbers: MatrixData::Q4_1(bytes),
        }
    }

    /// Each row of the input times each row of the matrix.
    pub(crate) fn times(&self, input: &[f32], output: &mut [f32]) {
        let Self { rows, width, .. } = *self;
        if let MatrixData::Plain(weights) = &self.numbers {
            return Product { input, weights, width, output, stride: rows, offset: 0 }.run();
        }
        let mut unpacked = vec![0.0; ROWS_AT_ONCE * width];
        for first in (0..rows).step_by(ROWS_AT_ONCE) {
            let count = ROWS_AT_ONCE.min(rows - first);
            let weights = &mut unpacked[..count * width];
            self.unpack(first, weights);
            Product { input, weights, width, output, stride: rows, offset: first }.run();
        }
    }

    /// One row times each of the named rows of the matrix.
    pub(crate) fn chosen_rows_times(&self, input: &[f32], chosen: &[u32]) -> Vec<f32> {
        let mut row = vec![0.0; self.width];
        let mut results = vec![0.0; chosen.len()];
        for (offset, index) in chosen.iter().enumerate() {
            self.unpack(*index as usize, &mut row);
            Product {
                input,
                weights: &row,
                width: self.width,
                output: &mut results,
                stride: 1,
                offset,
            }
            .run();
        }
        results
    }

    /// Writes the numbers of as many rows as the output has room for.
    pub(crate) fn unpack(&self, first_row: usize, output: &mut [f32]) {
        match &self.numbers {
            MatrixData::Plain(numbers) => {
                output.copy_from_slice(&numbers[first_row * self.width..][..output.len()])
            }
            // Blocks of a known length let the compiler unroll the loops over them.
            MatrixData::Q8_0(bytes) => {
                let (blocks, _) = bytes[first_row * (self.width / BLOCK) * Q8_0_BYTES..]
                    .as_chunks::<Q8_0_BYTES>();
                let (output, _) = output.as_chunks_mut::<BLOCK>();
                vectorised(
                    #[inline(always)]
                    || {
                        for ([low, high, numbers @ ..], output) in blocks.iter().zip(output) {
                            let scale = half(*low, *high);
                            for at in 0..BLOCK {
                                output[at] = f32::from(numbers[at] as i8) * scale;
                            }
                        }
                    },
                );
            }
            MatrixData::Q4_1(bytes) => {
                let (blocks, _) = bytes[first_row * (self.width / BLOCK) * Q4_1_BYTES..]
                    .as_chunks::<Q4_1_BYTES>();
                let (output, _) = output.as_chunks_mut::<BLOCK>();
                vectorised(
                    #[inline(always)]
                    || {
                        for ([a, b, c, d, pairs @ ..], output) in blocks.iter().zip(output) {
                            let (scale, offset) = (half(*a, *b), half(*c, *d));
                            for at in 0..BLOCK / 2 {
                                output[at] = f32::from(pairs[at] & 15) * scale + offset;
                                output[at + BLOCK / 2] = f32::from(pairs[at] >> 4) * scale + offset;
                            }
                        }
                    },
                );
            }
        }
    }
}

/// A number of 16 bits, from its two bytes.
#[inline(always)]
fn half(low: u8, high: u8) -> f32 {
    let bits = u32::from(u16::from_le_bytes([low, high]));
    let (sign, exponent, fraction) = ((bits & 0x8000) << 16, (bits >> 10) & 31, bits & 0x3ff);
    let size = match exponent {
        0 => fraction as f32 * (1.0 / 16_777_216.0),
        31 => f32::from_bits(0x7f80_0000 | (fraction << 13)),
        _ => f32::from_bits(((exponent + 112) << 23) | (fraction << 13)),
    };
    f32::from_bits(size.to_bits() | sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_sixteen_bits_are_read() {
        for (bits, wanted) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x0001, 5.960_464_5e-8),
            (0x7bff, 65_504.0),
            (0x8000, -0.0),
        ] {
            let [low, high] = u16::to_le_bytes(bits);
            assert_eq!(half(low, high), wanted, "{bits:x}");
        }
        assert!(half(0, 0x7c).is_infinite() && half(1, 0x7e).is_nan());
    }

    /// Two rows of 64 numbers in each form, made by hand.
    #[test]
    fn quantised_rows_unpack_and_multiply_like_plain_ones() {
        let mut q8 = Vec::new();
        let mut q4 = Vec::new();
        let (mut plain8, mut plain4) = (Vec::new(), Vec::new());
        for block in 0..4_u8 {
            q8.extend([0x00, 0x38]);
            q8.extend((0..32_u8).map(|k| k.wrapping_mul(7).wrapping_add(block)));
            plain8.extend(
                (0..32_u8).map(|k| f32::from(k.wrapping_mul(7).wrapping_add(block) as i8) * 0.5),
            );
            q4.extend([0x00, 0x34, 0x00, 0xbc]);
            q4.extend((0..16_u8).map(|k| ((k + block) % 16) | ((15 - k) << 4)));
            plain4.extend((0..16_u8).map(|k| f32::from((k + block) % 16) * 0.25 - 1.0));
            plain4.extend((0..16_u8).map(|k| f32::from(15 - k) * 0.25 - 1.0));
        }
        let input: Vec<f32> = (0..128).map(|k| (k % 11) as f32 - 5.0).collect();
        for (quantised, plain) in [(Matrix::q8_0(q8, 64), plain8), (Matrix::q4_1(q4, 64), plain4)] {
            assert_eq!(quantised.rows, 2);
            let mut unpacked = vec![0.0; 128];
            quantised.unpack(0, &mut unpacked);
            assert_eq!(unpacked, plain);
            let (mut ours, mut wanted) = (vec![0.0; 4], vec![0.0; 4]);
            quantised.times(&input, &mut ours);
            Matrix::plain(plain, 64).times(&input, &mut wanted);
            assert_eq!(ours, wanted);
            assert_eq!(quantised.chosen_rows_times(&input[..64], &[1, 0]), [wanted[1], wanted[0]]);
        }
    }
}
