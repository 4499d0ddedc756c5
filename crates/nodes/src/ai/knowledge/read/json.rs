//! JSON as documents: as lines that people could read, and as n8n's loader takes it, the texts
//! alone.

use model::{Str, Value};
use node_api::NodeError;

/// A text for each entry of a list, or one for the whole: a line for each value, with the way to
/// it.
pub(crate) fn to_texts(text: &str) -> Result<Vec<Str>, NodeError> {
    let value = model::json::parse(text)
        .map_err(|error| NodeError::input(format!("The JSON is not valid: {error}")))?;
    let entries = match &value {
        Value::Array(entries) => entries.to_vec(),
        other => vec![other.clone()],
    };
    let tell = |entry: &Value| {
        let mut lines = String::new();
        write(entry, "", &mut lines);
        Str::from(lines.trim_end())
    };
    Ok(entries.iter().map(tell).filter(|entry| !entry.is_empty()).collect())
}

fn write(value: &Value, path: &str, lines: &mut String) {
    let inner = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| write(value, &inner(key), lines))
        }
        Value::Array(list) => list
            .iter()
            .enumerate()
            .for_each(|(at, value)| write(value, &inner(&at.to_string()), lines)),
        Value::Null | Value::Undefined => {}
        other if path.is_empty() => lines.push_str(&format!("{}\n", other.to_js_string())),
        other => lines.push_str(&format!("{path}: {}\n", other.to_js_string())),
    }
}

/// All texts in a value, or those at and under the pointers (`/text`, `/meta/title`) where there
/// are some.
pub(crate) fn strings(value: &Value, pointers: &str) -> Vec<Str> {
    let pointers: Vec<&str> =
        pointers.split(',').map(str::trim).filter(|pointer| !pointer.is_empty()).collect();
    let mut found = Vec::new();
    match pointers.is_empty() {
        true => collect(value, &mut found),
        false => collect_at_pointers(value, &pointers, &mut found),
    }
    found
}

fn collect(value: &Value, found: &mut Vec<Str>) {
    match value {
        Value::String(text) if !text.is_empty() => found.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|inner| collect(inner, found)),
        Value::Object(fields) => fields.iter().for_each(|(_, inner)| collect(inner, found)),
        _ => {}
    }
}

/// A pointer counts from any object down to which none has led before.
fn collect_at_pointers(value: &Value, pointers: &[&str], found: &mut Vec<Str>) {
    let mut has_led = false;
    for target in pointers.iter().filter_map(|pointer| at(value, pointer)) {
        has_led = true;
        collect(target, found);
    }
    if has_led {
        return;
    }
    match value {
        Value::Array(list) => {
            list.iter().for_each(|inner| collect_at_pointers(inner, pointers, found))
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(_, inner)| collect_at_pointers(inner, pointers, found))
        }
        _ => {}
    }
}

fn at<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    let mut steps = pointer.split('/');
    if !steps.next()?.is_empty() {
        return None;
    }
    steps.try_fold(value, |value, step| {
        let step = step.replace("~1", "/").replace("~0", "~");
        match value {
            Value::Object(_) => value.get(&step),
            Value::Array(list) => list.get(step.parse::<usize>().ok()?),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn texts_are_taken_and_numbers_are_not() {
        let value = json!({ "title": "A", "n": 1, "meta": { "by": "B", "tags": ["C", "", 2] } });
        assert_eq!(strings(&value, ""), ["A", "B", "C"]);
        assert_eq!(strings(&value, "/meta/by, /title"), ["B", "A"]);
        assert_eq!(strings(&value, "/tags/0"), ["C"]);
        assert!(strings(&value, "/nope").is_empty() && strings(&value, "nope").is_empty());
        let list = json!([{ "text": "1", "x": "no" }, { "text": "2" }]);
        assert_eq!(strings(&list, "/text"), ["1", "2"]);
    }
}
