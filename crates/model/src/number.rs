//! Numbers in JavaScript's spelling.

/// What `String(number)` gives in JavaScript: `1`, `0.1`, `1e+21`, `NaN`, `-Infinity`.
pub fn number_to_string(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return (number as i64).to_string();
    }
    ryu_js::Buffer::new().format(number).to_owned()
}

#[cfg(test)]
mod tests {
    use super::number_to_string;

    #[test]
    fn numbers_are_spelled_as_in_javascript() {
        let cases = [
            (1.0, "1"),
            (-0.0, "0"),
            (0.1, "0.1"),
            (1e21, "1e+21"),
            (123456789012345680000.0, "123456789012345680000"),
            (1e-7, "1e-7"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ];
        for (number, text) in cases {
            assert_eq!(number_to_string(number), text);
        }
    }
}
