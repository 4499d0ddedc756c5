//! The arithmetic of the models: products of matrices and what stands between them, in the widest
//! registers that the machine has.
//!
//! Everything here is a loop that the compiler turns into vector instructions; `pulp` chooses at
//! run time which of them the machine has, so that one build is fast on all. Nothing allocates but
//! where it says so.

use pulp::{Arch, Simd, WithSimd};
use std::sync::LazyLock;

/// What the machine has. Asking the processor takes longer than many a loop here, above all on a
/// virtual machine, so it is asked once.
fn arch() -> Arch {
    static ARCH: LazyLock<Arch> = LazyLock::new(Arch::new);
    *ARCH
}

/// Rows of the input and of the weights that one pass of the inner loop takes: as many sums as fit
/// into the registers.
const INPUTS: usize = 4;
const WEIGHTS: usize = 2;
/// Rows of the input that stay in the nearest cache while all weights pass by.
const TILE: usize = 32;

/// `output[i][j] = input[i] · weights[j]` for rows of `width` numbers. A row of the output has
/// `stride` numbers, and the results go behind its first `offset`.
pub(crate) struct Product<'a> {
    pub(crate) input: &'a [f32],
    pub(crate) weights: &'a [f32],
    pub(crate) width: usize,
    pub(crate) output: &'a mut [f32],
    pub(crate) stride: usize,
    pub(crate) offset: usize,
}

impl Product<'_> {
    pub(crate) fn run(self) {
        arch().dispatch(self);
    }
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { input, weights, width, output, stride, offset } = self;
        let (n_inputs, n_weights) = (input.len() / width, weights.len() / width);
        for first in (0..n_inputs).step_by(TILE) {
            let end = n_inputs.min(first + TILE);
            let mut j = 0;
            while j < n_weights {
                let n = if j + WEIGHTS <= n_weights { WEIGHTS } else { 1 };
                let mut i = first;
                while i < end {
                    let m = if i + INPUTS <= end { INPUTS } else { 1 };
                    match (m, n) {
                        (INPUTS, WEIGHTS) => put(
                            output,
                            stride,
                            offset,
                            i,
                            j,
                            &block::<S, INPUTS, WEIGHTS>(simd, input, i, weights, j, width),
                        ),
                        (INPUTS, _) => put(
                            output,
                            stride,
                            offset,
                            i,
                            j,
                            &block::<S, INPUTS, 1>(simd, input, i, weights, j, width),
                        ),
                        (_, WEIGHTS) => put(
                            output,
                            stride,
                            offset,
                            i,
                            j,
                            &block::<S, 1, WEIGHTS>(simd, input, i, weights, j, width),
                        ),
                        _ => put(
                            output,
                            stride,
                            offset,
                            i,
                            j,
                            &block::<S, 1, 1>(simd, input, i, weights, j, width),
                        ),
                    }
                    i += m;
                }
                j += n;
            }
        }
    }
}

/// The products of `M` rows with `N` rows.
#[inline(always)]
fn block<S: Simd, const M: usize, const N: usize>(
    simd: S,
    input: &[f32],
    first_input: usize,
    weights: &[f32],
    first_weight: usize,
    width: usize,
) -> [[f32; N]; M] {
    let a: [_; M] =
        std::array::from_fn(|m| S::as_simd_f32s(&input[(first_input + m) * width..][..width]));
    let b: [_; N] =
        std::array::from_fn(|n| S::as_simd_f32s(&weights[(first_weight + n) * width..][..width]));
    let len = a[0].0.len();
    let a_wide: [_; M] = std::array::from_fn(|m| &a[m].0[..len]);
    let b_wide: [_; N] = std::array::from_fn(|n| &b[n].0[..len]);
    let mut sums = [[simd.splat_f32s(0.0); N]; M];
    for k in 0..len {
        for m in 0..M {
            for n in 0..N {
                sums[m][n] = simd.mul_add_e_f32s(a_wide[m][k], b_wide[n][k], sums[m][n]);
            }
        }
    }
    std::array::from_fn(|m| {
        std::array::from_fn(|n| {
            let rest: f32 = a[m].1.iter().zip(b[n].1).map(|(x, y)| x * y).sum();
            simd.reduce_sum_f32s(sums[m][n]) + rest
        })
    })
}

#[inline(always)]
fn put<const M: usize, const N: usize>(
    output: &mut [f32],
    stride: usize,
    offset: usize,
    i: usize,
    j: usize,
    sums: &[[f32; N]; M],
) {
    for (m, row) in sums.iter().enumerate() {
        output[(i + m) * stride + offset + j..][..N].copy_from_slice(row);
    }
}

/// A loop over numbers that is worth vector instructions of its own.
struct Vectorised<F>(F);

impl<F: FnOnce()> WithSimd for Vectorised<F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        (self.0)();
    }
}

/// Runs a loop with the instructions that the machine has. The closure must be `#[inline(always)]`
/// all the way down.
#[inline(always)]
pub(crate) fn vectorised(run: impl FnOnce()) {
    arch().dispatch(Vectorised(run));
}

/// e to the power of x, to seven digits; for loops that the compiler vectorises, which a call of
/// the system's function would stop.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    // Adding and taking away this number rounds to a whole one.
    const ROUNDER: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 88.0);
    let whole = (x * std::f32::consts::LOG2_E + ROUNDER) - ROUNDER;
    // ln 2 in two parts, so that nothing is lost when a multiple of it is taken away.
    let rest = x - whole * 0.693_359_4 + whole * 2.121_944_4e-4;
    // The polynomial of Cephes' expf, which is right to the last bit or the one before it between
    // -ln 2 / 2 and ln 2 / 2.
    let mut series = 1.987_569_1e-4;
    for coefficient in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 5e-1] {
        series = series * rest + coefficient;
    }
    let series = series * rest * rest + rest + 1.0;
    series * f32::from_bits(((whole as i32 + 127) << 23) as u32)
}

/// Makes each row of `width` numbers a distribution.
pub(crate) fn softmax(rows: &mut [f32], width: usize) {
    vectorised(
        #[inline(always)]
        || {
            for row in rows.chunks_exact_mut(width) {
                let most = row.iter().fold(f32::NEG_INFINITY, |most, number| most.max(*number));
                row.iter_mut().for_each(|number| *number = exp(*number - most));
                let scale = 1.0 / sum(row);
                row.iter_mut().for_each(|number| *number *= scale);
            }
        },
    );
}

/// The error function's form of GELU, as BERT has it.
pub(crate) fn gelu(numbers: &mut [f32]) {
    vectorised(
        #[inline(always)]
        || {
            for number in numbers {
                let x = *number * std::f32::consts::FRAC_1_SQRT_2;
                let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
                let series = t
                    * (0.254_829_6
                        + t * (-0.284_496_74
                            + t * (1.421_413_7 + t * (-1.453_152 + t * 1.061_405_4))));
                let erf = (1.0 - series * exp(-x * x)).copysign(x);
                *number *= 0.5 * (1.0 + erf);
            }
        },
    );
}

/// `gate = silu(gate) * up`, the middle of Llama's feed-forward part.
pub(crate) fn silu_times(gate: &mut [f32], up: &[f32]) {
    vectorised(
        #[inline(always)]
        || {
            for (gate, up) in gate.iter_mut().zip(up) {
                *gate = *gate / (1.0 + exp(-*gate)) * up;
            }
        },
    );
}

pub(crate) fn add(numbers: &mut [f32], others: &[f32]) {
    vectorised(
        #[inline(always)]
        || numbers.iter_mut().zip(others).for_each(|(number, other)| *number += other),
    );
}

/// Adds a row to each row.
pub(crate) fn add_to_rows(rows: &mut [f32], row: &[f32]) {
    rows.chunks_exact_mut(row.len()).for_each(|numbers| add(numbers, row));
}

/// Takes the mean from each row, makes its spread one, and scales and moves it.
pub(crate) fn layer_norm(rows: &mut [f32], scale: &[f32], shift: &[f32], epsilon: f32) {
    vectorised(
        #[inline(always)]
        || {
            let width = scale.len() as f32;
            for row in rows.chunks_exact_mut(scale.len()) {
                let mean = sum(row) / width;
                row.iter_mut().for_each(|number| *number -= mean);
                let factor = 1.0 / (sum_of_squares(row) / width + epsilon).sqrt();
                for ((number, scale), shift) in row.iter_mut().zip(scale).zip(shift) {
                    *number = *number * factor * scale + shift;
                }
            }
        },
    );
}

/// Makes the mean square of each row one and scales it.
pub(crate) fn rms_norm(rows: &[f32], scale: &[f32], epsilon: f32, output: &mut [f32]) {
    vectorised(
        #[inline(always)]
        || {
            for (row, output) in
                rows.chunks_exact(scale.len()).zip(output.chunks_exact_mut(scale.len()))
            {
                let factor = 1.0 / (sum_of_squares(row) / scale.len() as f32 + epsilon).sqrt();
                for ((output, number), scale) in output.iter_mut().zip(row).zip(scale) {
                    *output = *number * factor * scale;
                }
            }
        },
    );
}

/// Adds each row, times its share, to the output.
pub(crate) fn add_weighted(output: &mut [f32], shares: &[f32], rows: &[f32]) {
    vectorised(
        #[inline(always)]
        || {
            for (share, row) in shares.iter().zip(rows.chunks_exact(output.len())) {
                output.iter_mut().zip(row).for_each(|(output, number)| *output += share * number);
            }
        },
    );
}

/// Sums that keep eight partial ones: in a single one each addition would wait for the last.
#[inline(always)]
fn sum(numbers: &[f32]) -> f32 {
    let mut parts = [0.0_f32; 8];
    let chunks = numbers.chunks_exact(8);
    let rest: f32 = chunks.remainder().iter().sum();
    chunks.for_each(|chunk| parts.iter_mut().zip(chunk).for_each(|(part, number)| *part += number));
    parts.iter().sum::<f32>() + rest
}

#[inline(always)]
fn sum_of_squares(numbers: &[f32]) -> f32 {
    let mut parts = [0.0_f32; 8];
    let chunks = numbers.chunks_exact(8);
    let rest: f32 = chunks.remainder().iter().map(|number| number * number).sum();
    chunks.for_each(|chunk| {
        parts.iter_mut().zip(chunk).for_each(|(part, number)| *part += number * number)
    });
    parts.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn products_of_any_shape_are_sums_of_products() {
        for (n_inputs, n_weights, width) in
            [(1, 1, 1), (4, 2, 8), (5, 3, 9), (9, 7, 32), (3, 5, 100), (13, 1, 64), (1, 13, 64)]
        {
            let (input, weights) = (numbers(n_inputs * width, 1), numbers(n_weights * width, 2));
            let (stride, offset) = (n_weights + 3, 2);
            let mut output = vec![7.0; n_inputs * stride];
            Product {
                input: &input,
                weights: &weights,
                width,
                output: &mut output,
                stride,
                offset,
            }
            .run();
            for i in 0..n_inputs {
                for j in 0..n_weights {
                    let wanted: f32 =
                        (0..width).map(|k| input[i * width + k] * weights[j * width + k]).sum();
                    assert!(
                        (output[i * stride + offset + j] - wanted).abs() < 1e-4,
                        "{n_inputs}×{n_weights}×{width} at {i},{j}"
                    );
                }
                assert_eq!(output[i * stride], 7.0, "nothing is written beside the results");
            }
        }
    }

    #[test]
    fn powers_of_e_have_seven_digits() {
        for step in -800..800 {
            let x = step as f32 / 10.0;
            let (ours, wanted) = (f64::from(exp(x)), f64::from(x).exp());
            assert!((ours / wanted - 1.0).abs() < 3e-7, "{x}: {ours} and not {wanted}");
        }
    }

    #[test]
    fn a_softmax_is_a_distribution_whatever_its_size() {
        let mut rows = vec![1000.0, 1001.0, 1002.0, -5.0, -5.0, -5.0];
        softmax(&mut rows, 3);
        assert!((rows[..3].iter().sum::<f32>() - 1.0).abs() < 1e-6 && rows[2] > rows[1]);
        assert!((rows[4] - 1.0 / 3.0).abs() < 1e-6);
    }

    #[test]
    fn gelu_and_the_norms_do_what_their_definitions_say() {
        let mut values = [-3.0, -1.0, 0.0, 1.0, 3.0];
        gelu(&mut values);
        for (ours, wanted) in
            values.iter().zip([-0.004_049_7, -0.158_655_3, 0.0, 0.841_344_7, 2.995_950_3])
        {
            assert!((ours - wanted).abs() < 1e-5, "{ours} and not {wanted}");
        }
        let mut row = numbers(20, 3);
        layer_norm(&mut row, &[1.0; 20], &[0.0; 20], 1e-12);
        assert!(sum(&row).abs() < 1e-4 && (sum_of_squares(&row) / 20.0 - 1.0).abs() < 1e-4);
        let mut normed = vec![0.0; 20];
        rms_norm(&numbers(20, 4), &[2.0; 20], 1e-9, &mut normed);
        assert!((sum_of_squares(&normed) / 20.0 - 4.0).abs() < 1e-3);
    }
}
