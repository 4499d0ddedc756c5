//! Arithmetic and spelling of numbers as JavaScript does them.

use model::{Str, number_to_string};

/// `ToInt32`: what bit operators see of a number.
pub(super) fn to_int32(number: f64) -> i32 {
    to_uint32(number) as i32
}

pub(super) fn to_uint32(number: f64) -> u32 {
    if !number.is_finite() {
        return 0;
    }
    number.trunc().rem_euclid(4_294_967_296.0) as u32
}

/// A position argument: the whole part, with `NaN` as zero.
pub(super) fn to_integer(number: f64) -> f64 {
    if number.is_nan() { 0.0 } else { number.trunc() }
}

/// A position argument that counts from the end when negative, kept within the length.
pub(super) fn relative_position(number: f64, length: usize) -> usize {
    let number = to_integer(number);
    if number < 0.0 {
        (length as f64 + number).max(0.0) as usize
    } else {
        number.min(length as f64) as usize
    }
}

pub(super) fn round(number: f64) -> f64 {
    if !number.is_finite() {
        return number;
    }
    let floor = number.floor();
    let rounded = if number - floor >= 0.5 { floor + 1.0 } else { floor };
    if rounded == 0.0 && (number < 0.0 || number.is_sign_negative()) { -0.0 } else { rounded }
}

/// `toFixed`: rounds half away from zero on the exact decimal value, which binary rounding would
/// not.
pub(super) fn to_fixed(number: f64, digits: usize) -> Str {
    if !number.is_finite() || number.abs() >= 1e21 {
        return number_to_string(number).into();
    }
    // A double has at most 1,074 decimals, so this spelling is exact.
    let exact = format!("{:.1080}", number.abs());
    let point = exact.find('.').unwrap_or(exact.len());
    let kept = point + 1 + digits;
    let round_up = exact.as_bytes().get(kept).is_some_and(|digit| *digit >= b'5');
    let mut text: Vec<u8> = exact.as_bytes()[..kept.min(exact.len())].to_vec();
    if round_up {
        let mut at = text.len();
        loop {
            if at == 0 {
                text.insert(0, b'1');
                break;
            }
            at -= 1;
            match text[at] {
                b'.' => {}
                b'9' => text[at] = b'0',
                _ => {
                    text[at] += 1;
                    break;
                }
            }
        }
    }
    let mut text = String::from_utf8(text).unwrap_or_default();
    if digits == 0 {
        text.truncate(text.trim_end_matches('.').len());
    }
    let is_zero = text.bytes().all(|digit| matches!(digit, b'0' | b'.'));
    if number < 0.0 && !(is_zero && number == 0.0) {
        format!("-{text}").into()
    } else {
        text.into()
    }
}

/// `toLocaleString('en-US')`: groups of three and a bounded number of decimals.
pub(super) fn to_english(number: f64, least_decimals: usize, most_decimals: usize) -> Option<Str> {
    if !number.is_finite() || number.abs() >= 1e15 {
        return None;
    }
    let fixed = to_fixed(number.abs(), most_decimals);
    let (whole, decimals) = fixed.split_once('.').unwrap_or((&fixed, ""));
    let mut decimals = decimals.to_owned();
    while decimals.len() > least_decimals && decimals.ends_with('0') {
        decimals.pop();
    }
    let mut out = Str::new();
    // JavaScript writes the sign of a negative zero here, unlike everywhere else.
    if number.is_sign_negative() {
        out.push('-');
    }
    for (position, digit) in whole.chars().enumerate() {
        if position > 0 && (whole.len() - position) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    if !decimals.is_empty() {
        out.push('.');
        out.push_str(&decimals);
    }
    Some(out)
}

/// `toString(radix)` of a whole number; fractions are left to the sandbox.
pub(super) fn to_radix(number: f64, radix: u32) -> Option<Str> {
    if number.fract() != 0.0 || number.abs() > 9e15 || !(2..=36).contains(&radix) {
        return None;
    }
    let mut rest = number.abs() as u64;
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((rest % u64::from(radix)) as u32, radix)?);
        rest /= u64::from(radix);
        if rest == 0 {
            break;
        }
    }
    if number < 0.0 {
        digits.push('-');
    }
    Some(digits.into_iter().rev().collect::<String>().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_decimals_round_on_the_exact_value() {
        let cases = [
            (1.005, 2, "1.00"),
            (1.25, 1, "1.3"),
            (2.5, 0, "3"),
            (-2.5, 0, "-3"),
            (0.5, 0, "1"),
            (9.99, 1, "10.0"),
            (-0.0001, 2, "-0.00"),
            (0.0, 2, "0.00"),
            (1e21, 2, "1e+21"),
            (123.456, 0, "123"),
        ];
        for (number, digits, text) in cases {
            assert_eq!(to_fixed(number, digits), text, "{number}");
        }
    }

    #[test]
    fn numbers_round_and_wrap_as_in_javascript() {
        assert_eq!(round(2.5), 3.0);
        assert_eq!(round(-2.5), -2.0);
        assert_eq!(round(0.49999999999999994), 0.0);
        assert_eq!(to_int32(4_294_967_295.0), -1);
        assert_eq!(to_int32(-1.5), -1);
        assert_eq!(to_radix(255.0, 16).as_deref(), Some("ff"));
        assert_eq!(to_english(1_234_567.891, 0, 3).as_deref(), Some("1,234,567.891"));
        assert_eq!(to_english(5.0, 2, 2).as_deref(), Some("5.00"));
    }
}
