//! The corpus' spelling of values that JSON has no word for.

use model::{Object, Value};

/// Writes undefined, NaN, infinities and dates as the corpus spells them.
pub(crate) fn encode(value: &Value) -> Value {
    let tagged = |key: &str, value: Value| Value::object(Object::from_iter([(key, value)]));
    match value {
        Value::Undefined => tagged("$undefined", true.into()),
        Value::Number(number) if !number.is_finite() => {
            tagged("$number", model::number_to_string(*number).into())
        }
        Value::Date(date) => match date.kind {
            model::DateKind::Js => tagged("$date", date.iso.clone().into()),
            model::DateKind::Luxon => date.iso.clone().into(),
        },
        Value::Array(values) => Value::array(values.iter().map(encode).collect()),
        Value::Object(object) => Value::object(
            object
                .iter()
                .filter(|(_, field)| !field.is_undefined())
                .map(|(key, field)| (key.clone(), encode(field)))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// Reads the corpus' spelling back. A regular expression becomes its text between slashes.
pub(crate) fn decode(value: &Value) -> Value {
    match value {
        Value::Array(values) => Value::array(values.iter().map(decode).collect()),
        Value::Object(object) => tagged(object).unwrap_or_else(|| {
            Value::object(
                object.iter().map(|(key, field)| (key.clone(), decode(field))).collect::<Object>(),
            )
        }),
        other => other.clone(),
    }
}

fn tagged(object: &Object) -> Option<Value> {
    let (key, value) = object.iter().next()?;
    match (key.as_str(), value.as_str()) {
        ("$undefined", _) => Some(Value::Undefined),
        ("$number", Some(name)) => Some(Value::Number(match name {
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            _ => f64::NAN,
        })),
        ("$date", Some(iso)) => {
            let at: jiff::Timestamp = iso.parse().ok()?;
            let date = model::DateValue {
                epoch_ms: at.as_millisecond() as f64,
                iso: iso.into(),
                kind: model::DateKind::Js,
            };
            Some(Value::Date(date.into()))
        }
        ("$regex", Some(pattern)) => {
            let flags = object.get("flags").and_then(Value::as_str).unwrap_or_default();
            Some(format!("/{pattern}/{flags}").into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn what_is_written_reads_back() {
        let value = json!({ "a": [{ "$undefined": true }, { "$number": "-Infinity" }, { "$date": "2024-01-01T00:00:00.000Z" }], "b": { "c": 1 } });
        assert_eq!(encode(&decode(&value)), value);
        assert_eq!(decode(&json!({ "$regex": "^a$", "flags": "i" })), json!("/^a$/i"));
    }
}
