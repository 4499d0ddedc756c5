//! Vectors in memory, a byte for each number: near enough to find candidates, which are then
//! compared exactly.

use pulp::{Arch, Simd, WithSimd};
use std::sync::LazyLock;

/// Vectors of one length, by slot. A slot without a vector has the scale 0.
#[derive(Default)]
pub(super) struct QuantizedVectors {
    dimensions: usize,
    scales: Vec<f32>,
    codes: Vec<i8>,
}

/// A vector whose numbers are `code * scale`.
struct Quantized {
    scale: f32,
    codes: Vec<i8>,
}

impl QuantizedVectors {
    pub(super) fn new(dimensions: usize) -> Self {
        Self { dimensions, ..Self::default() }
    }

    pub(super) fn push(&mut self, vector: Option<&[f32]>) {
        match vector.filter(|vector| vector.len() == self.dimensions) {
            Some(vector) => {
                let Quantized { scale, codes } = quantize(vector);
                self.scales.push(scale);
                self.codes.extend(codes);
            }
            None => {
                self.scales.push(0.0);
                self.codes.resize(self.codes.len() + self.dimensions, 0);
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.scales.capacity() * size_of::<f32>() + self.codes.capacity()
    }

    /// Calls `each` with every slot that has a vector, and about how near it is.
    pub(super) fn scan(
        &self,
        slots: impl Iterator<Item = u32>,
        question: &[f32],
        each: impl FnMut(u32, f32),
    ) {
        if question.len() != self.dimensions {
            return;
        }
        let question = quantize(question);
        static ARCH: LazyLock<Arch> = LazyLock::new(Arch::new);
        ARCH.dispatch(Scan { vectors: self, question: &question, slots, each });
    }
}

fn quantize(vector: &[f32]) -> Quantized {
    let largest = vector.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
    if largest == 0.0 {
        return Quantized { scale: 0.0, codes: vec![0; vector.len()] };
    }
    let scale = largest / 127.0;
    Quantized { scale, codes: vector.iter().map(|number| (number / scale).round() as i8).collect() }
}

struct Scan<'v, S, E> {
    vectors: &'v QuantizedVectors,
    question: &'v Quantized,
    slots: S,
    each: E,
}

impl<S: Iterator<Item = u32>, E: FnMut(u32, f32)> WithSimd for Scan<'_, S, E> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: Simd>(mut self, _simd: V) {
        let dimensions = self.vectors.dimensions;
        for slot in self.slots {
            let at = slot as usize;
            let Some(scale) = self.vectors.scales.get(at).filter(|scale| **scale != 0.0) else {
                continue;
            };
            let codes = &self.vectors.codes[at * dimensions..(at + 1) * dimensions];
            let sum = product(codes, &self.question.codes);
            (self.each)(slot, sum as f32 * scale * self.question.scale);
        }
    }
}

/// The sum of products. Two products of bytes fit into 16 bits, which is what the instruction for
/// it takes.
#[inline(always)]
fn product(one: &[i8], other: &[i8]) -> i32 {
    one.iter().zip(other).map(|(x, y)| i32::from(i16::from(*x) * i16::from(*y))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantized_product_is_near_the_exact_one() {
        let vector = |seed: usize| -> Vec<f32> {
            (0..100).map(|at| ((at * 37 + seed * 101) % 97) as f32 / 97.0 - 0.5).collect()
        };
        let mut vectors = QuantizedVectors::new(100);
        vectors.push(Some(&vector(1)));
        vectors.push(None);
        vectors.push(Some(&vector(2)));
        let mut found = Vec::new();
        vectors.scan(0..3, &vector(3), |slot, score| found.push((slot, score)));
        assert_eq!(found.iter().map(|(slot, _)| *slot).collect::<Vec<_>>(), [0, 2]);
        for (slot, score) in found {
            let other = if slot == 0 { vector(1) } else { vector(2) };
            let exact: f32 = other.iter().zip(vector(3)).map(|(x, y)| x * y).sum();
            assert!((score - exact).abs() < 0.1, "{score} {exact}");
        }
    }
}
