//! Reads a text as JSON, as strictly or as kindly as a node wants it.

use super::loose_json;
use model::Value;

/// How a text that is not JSON is treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JsonText {
    /// JavaScript literals count: bare keys, single quotes, comments, trailing commas.
    pub accept_js_object: bool,
    /// Broken JSON is mended.
    pub repair: bool,
}

impl JsonText {
    /// The value, or the problem of the text as plain JSON.
    pub fn read(self, text: &str) -> Result<Value, String> {
        let problem = match model::json::parse(text) {
            Ok(value) => return Ok(value),
            Err(problem) if problem.is_too_large() => return Err(problem.to_string()),
            Err(problem) => problem.to_string(),
        };
        let literal = self.accept_js_object.then(|| loose_json::parse(text)).flatten();
        let mended = || self.repair.then(|| loose_json::repair(text)).flatten();
        literal.or_else(mended).ok_or(problem)
    }
}

#[cfg(test)]
mod tests {
    use super::JsonText;
    use model::json;

    #[test]
    fn only_what_is_allowed_is_read() {
        let (strict, literal) =
            (JsonText::default(), JsonText { accept_js_object: true, ..JsonText::default() });
        let mended = JsonText { repair: true, ..JsonText::default() };
        assert_eq!(strict.read("[1]"), Ok(json!([1])));
        assert!(strict.read("{a: 1}").is_err());
        assert_eq!(literal.read("{a: 1}"), Ok(json!({ "a": 1 })));
        assert!(literal.read("{a: b c}").is_err());
        assert_eq!(mended.read("{a: b}"), Ok(json!({ "a": "b" })));
    }
}
