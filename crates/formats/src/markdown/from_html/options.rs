//! The settings of HTML to Markdown.

use crate::js_regex::JsRegex;
use model::{Str, Value};
use ports::NodeError;

pub struct MarkdownOptions {
    pub(super) bullet: Str,
    pub(super) fence: Str,
    pub(super) em: Str,
    pub(super) strong: Str,
    pub(super) indented_code: bool,
    pub(super) keep_data_images: bool,
    pub(super) max_newlines: usize,
    pub(super) references: bool,
    pub(super) ignored: Vec<Str>,
    pub(super) blocks: Vec<Str>,
    pub(super) global_escape: Vec<(JsRegex, Str)>,
    pub(super) line_start_escape: Vec<(JsRegex, Str)>,
    pub(super) text_replace: Vec<(JsRegex, Str)>,
}

impl MarkdownOptions {
    pub fn read(given: &Value) -> Result<Self, NodeError> {
        let text = |name: &str, default: &str| {
            given
                .get(name)
                .filter(|value| !value.is_nullish())
                .map_or_else(|| default.into(), Value::to_js_string)
        };
        let flag = |name: &str| given.get(name).is_some_and(Value::is_truthy);
        let names = |name: &str| {
            text(name, "")
                .split(',')
                .map(|name| Str::from(name.trim().to_lowercase()))
                .filter(|name| !name.is_empty())
                .collect()
        };
        let rule = |pattern: &str, replacement: &str| {
            let regex = JsRegex::from_literal(pattern, "gm")
                .map_err(|problem| NodeError::parameter("options", problem))?;
            Ok::<_, NodeError>((regex, Str::from(replacement)))
        };
        let escape = |name: &str, pattern: &str, replacement: &str| {
            let value = |field: &str| {
                given
                    .get_path(&format!("{name}.value.{field}"))
                    .map(Value::to_js_string)
                    .unwrap_or_default()
            };
            if value("pattern").is_empty() {
                rule(pattern, replacement)
            } else {
                rule(&value("pattern"), &value("replacement"))
            }
        };
        let replacements =
            given.get_path("textReplace.values").and_then(Value::as_array).unwrap_or_default();
        let field = |entry: &Value, name: &str| {
            entry.get(name).map(Value::to_js_string).unwrap_or_default()
        };
        Ok(Self {
            bullet: text("bulletMarker", "*"),
            fence: text("codeFence", "```"),
            em: text("emDelimiter", "_"),
            strong: text("strongDelimiter", "**"),
            indented_code: text("codeBlockStyle", "fence") == "indented",
            keep_data_images: flag("keepDataImages"),
            max_newlines: given
                .get("maxConsecutiveNewlines")
                .and_then(Value::as_usize)
                .unwrap_or(3)
                .max(1),
            references: flag("useLinkReferenceDefinitions"),
            ignored: names("ignore"),
            blocks: names("blockElements"),
            global_escape: vec![escape("globalEscape", r"[\\`*_~\[\]]", "\\$&")?],
            line_start_escape: vec![escape(
                "lineStartEscape",
                r"^(\s*?)((?:\+\s)|(?:[=>-])|(?:#{1,6}\s))|(?:(\d+)(\.\s))",
                "$1$3\\$2$4",
            )?],
            text_replace: replacements
                .iter()
                .map(|entry| rule(&field(entry, "pattern"), &field(entry, "replacement")))
                .collect::<Result<_, _>>()?,
        })
    }
}
