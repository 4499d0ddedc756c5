//! Token counts as providers write them, which may be missing, negative or no numbers at all.

use model::Value;

/// The count in a field; nothing for what cannot be one.
pub(super) fn count(usage: &Value, field: &str) -> u64 {
    match usage.get(field).and_then(Value::as_f64) {
        Some(number) if number.is_finite() && number > 0.0 => number.min(9e15) as u64,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn what_is_no_count_counts_nothing() {
        let usage = json!({ "good": 12, "negative": -5, "text": "7", "null": null, "half": 1.5, "huge": 1e300 });
        let counts = ["good", "negative", "text", "null", "half", "missing"]
            .map(|field| count(&usage, field));
        assert_eq!(counts, [12, 0, 0, 0, 1, 0]);
        assert_eq!(count(&usage, "huge"), 9_000_000_000_000_000);
    }
}
