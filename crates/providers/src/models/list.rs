//! Lists of models as providers write them.

use model::{Code, Str, Value};
use node_api::ai::ModelError;

/// The list in the body of an answer.
pub(super) fn listed(body: &[u8], names: impl FnOnce(&Value) -> Option<Vec<Str>>) -> Result<Vec<Str>, ModelError> {
    let answer = model::json::parse(&String::from_utf8_lossy(body)).unwrap_or_default();
    names(&answer).ok_or_else(|| ModelError::new(Code::MODEL_ERROR, "The server's list of models cannot be read"))
}

/// Servers wrap the list in `data`, in `models`, or not at all.
pub(super) fn names(answer: &Value) -> Option<Vec<Str>> {
    let list = [answer.get("data"), answer.get("models"), Some(answer)].into_iter().flatten().find_map(Value::as_array)?;
    let name = |entry: &Value| ["id", "name"].iter().find_map(|field| entry.get(field)?.as_str()).map(Str::from);
    let mut names: Vec<Str> = list.iter().filter_map(name).collect();
    names.sort();
    names.dedup();
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_however_they_are_wrapped() {
        for text in [
            r#"{"data":[{"id":"b"},{"id":"a"},{"x":1},{"id":"a"}]}"#,
            r#"[{"id":"a"},{"id":"b"}]"#,
            r#"{"models":[{"name":"b"},{"name":"a"}]}"#,
        ] {
            assert_eq!(names(&model::json::parse(text).unwrap()).unwrap(), ["a", "b"], "{text}");
        }
        assert_eq!(names(&model::json::parse(r#"{"oops":1}"#).unwrap()), None);
        assert_eq!(names(&model::json::parse(r#"{"data":[]}"#).unwrap()), Some(Vec::new()));
    }
}
