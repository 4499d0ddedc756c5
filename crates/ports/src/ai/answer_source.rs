//! What an answer is based on, as objects that outputs, traces and the editor share.
//!
//! | `type` | Fields |
//! | --- | --- |
//! | `document` | `id`, `title`, `source`, `page`, `score`, `text` |
//! | `memory` | those of the entry, and `score` |
//! | `mcp` | `server` |
//! | `tool` | |
//!
//! Those that a tool brought also have `tool`, `callId`, `iteration` and `isQuoted`.

use super::{ScoredDocument, ToolOutput};
use model::{Object, Str, Value};

/// Of the text of a document, a source holds this much.
const MAX_EXCERPT_CHARS: usize = 600;

/// More documents than this of one call are not named.
const MAX_DOCUMENTS: usize = 50;

/// Where metadata have the title of a document, in order of preference.
const TITLES: [&str; 4] = ["title", "fileName", "file_name", "name"];

/// Documents that a search found, as sources.
pub fn document_sources<'d>(found: impl IntoIterator<Item = &'d ScoredDocument>) -> Vec<Value> {
    found.into_iter().take(MAX_DOCUMENTS).map(document_source).collect()
}

fn document_source(found: &ScoredDocument) -> Value {
    let metadata = &found.document.metadata;
    let text = |name: &str| {
        let given = metadata.get(name).and_then(Value::as_str);
        given.filter(|given| !given.is_empty()).map(|given| Value::from(excerpt(given)))
    };
    let page = metadata
        .get("page")
        .or_else(|| metadata.get("loc")?.get("pageNumber"))
        .filter(|page| page.as_f64().is_some())
        .cloned();
    let known = [
        ("title", TITLES.into_iter().find_map(text)),
        ("source", text("source")),
        ("page", page),
        ("score", found.score.is_finite().then(|| found.score.into())),
    ];
    let mut source =
        Object::from_iter([("type", Value::from("document")), ("id", found.id.clone().into())]);
    for (name, value) in known {
        if let Some(value) = value {
            source.insert(name, value);
        }
    }
    source.insert("text", excerpt(&found.document.content));
    source.into()
}

fn excerpt(text: &str) -> Str {
    text.char_indices()
        .nth(MAX_EXCERPT_CHARS)
        .map_or_else(|| text.into(), |(end, _)| text[..end].into())
}

impl ToolOutput {
    /// The same, taken from these documents.
    pub fn found_in(self, found: &[ScoredDocument]) -> Self {
        self.with_sources(document_sources(found))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Document;
    use super::*;
    use model::json;

    #[test]
    fn a_document_is_named_by_its_title_place_and_page() {
        let metadata =
            json!({ "source": "blob", "fileName": "terms.pdf", "loc": { "pageNumber": 2 } });
        let document = Document {
            content: "é".repeat(2000).into(),
            metadata: metadata.as_object().cloned().unwrap(),
        };
        let found = ScoredDocument { id: "c1".into(), document, score: f64::NAN };
        let source = &document_sources([&found])[0];
        let text = source.get("text").and_then(Value::as_str).unwrap();
        assert_eq!(text.chars().count(), MAX_EXCERPT_CHARS);
        let named = |name: &str| source.get(name).cloned().unwrap_or_default();
        assert_eq!(
            [named("title"), named("source"), named("page"), named("score")],
            ["terms.pdf".into(), "blob".into(), 2.into(), Value::Undefined]
        );
    }
}
