//! The corpus' spelling of values that JSON has no word for.

use model::{Object, Value};

/// Writes undefined, NaN, infinities and dates as the corpus spells them.
pub(crate) fn encode(value: &Value) -> Value {
    let tagged = |key: &str, value: Value| Value::object(Object::from_iter([(key, value)]));
    match value {
        Value::Undefined => tagged("$undefined", true.into()),
        Value::Number(number) if !number.is_finite() => tagged("$number", model::number_to_string(*number).into()),
        Value::Date(date) => match date.kind {
            model::DateKind::Js => tagged("$date", date.iso.clone().into()),
            model::DateKind::Luxon => date.iso.clone().into(),
        },
        Value::Array(values) => Value::array(values.iter().map(encode).collect()),
        Value::Object(object) => Value::object(
            object.iter().filter(|(_, field)| !field.is_undefined()).map(|(key, field)| (key.clone(), encode(field))).collect(),
        ),
        other => other.clone(),
    }
}
