//! Numbers as spreadsheets show them in a cell without a format: at most eleven characters.

/// `1234567.891`, `0.1`, `1.23457E+12`.
pub(super) fn general(number: f64) -> String {
    if !number.is_finite() {
        return if number.is_nan() { "#NUM!" } else { "#DIV/0!" }.to_owned();
    }
    if number.fract() == 0.0 && number.abs() < 2_147_483_648.0 {
        return (number as i64).to_string();
    }
    let size = number.abs().log10().floor() as i32;
    let text = match size {
        -4..=-1 => precision(number, (10 + size) as usize),
        -9..=9 => short(number),
        10 => format!("{number:.10}").chars().take(12).collect(),
        _ => {
            let fixed = strip_zeros(&format!("{number:.11}"));
            if fixed.len() > width(number) || fixed == "0" || fixed == "-0" {
                precision(number, 6)
            } else {
                fixed
            }
        }
    };
    strip_zeros(&tidy_exponent(&text.to_ascii_uppercase()))
}

fn width(number: f64) -> usize {
    if number < 0.0 { 12 } else { 11 }
}

fn short(number: f64) -> String {
    let fixed = strip_zeros(&format!("{number:.12}"));
    if fixed.len() <= width(number) {
        return fixed;
    }
    let ten = precision(number, 10);
    if ten.len() <= width(number) { ten } else { exponential(number, 5) }
}

/// What `toPrecision` gives.
fn precision(number: f64, digits: usize) -> String {
    let scientific = exponential(number, digits.saturating_sub(1));
    let exponent: i32 =
        scientific.rsplit('e').next().and_then(|text| text.parse().ok()).unwrap_or(0);
    if exponent < -6 || exponent >= digits as i32 {
        return scientific;
    }
    let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
    format!("{number:.decimals$}")
}

/// What `toExponential` gives: the exponent has a sign.
fn exponential(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

fn strip_zeros(text: &str) -> String {
    if !text.contains('.') || text.contains('E') {
        return text.to_owned();
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// No zeros before the exponent, and at least two digits in it.
fn tidy_exponent(text: &str) -> String {
    let Some((digits, exponent)) = text.split_once('E') else { return text.to_owned() };
    let (sign, number) = exponent.split_at(exponent.len().min(1));
    format!("{}E{sign}{number:0>2}", strip_zeros(digits))
}

#[cfg(test)]
mod tests {
    use super::general;

    #[test]
    fn numbers_are_shown_as_in_a_cell() {
        for (number, text) in [
            (0.0, "0"),
            (-5.0, "-5"),
            (0.1, "0.1"),
            (0.1 + 0.2, "0.3"),
            (1234.5678, "1234.5678"),
            (1_234_567.891_234, "1234567.891"),
            (2_147_483_648.0, "2147483648"),
            (12_345_678_901.0, "12345678901"),
            (1_700_000_000_000.0, "1.7E+12"),
            (1_234_567_890_123.0, "1.23457E+12"),
            (1e-10, "1E-10"),
            (0.000_012_345, "0.000012345"),
            (0.000_012_345_678, "1.23457E-05"),
            (1e21, "1E+21"),
            (f64::NAN, "#NUM!"),
        ] {
            assert_eq!(general(number), text, "{number}");
        }
    }
}
