//! Markdown to HTML and back.

mod blocks;
mod emoji;
mod from_html;
mod spans;
mod tables;

pub use blocks::to_html;
pub use from_html::{MarkdownOptions, to_markdown};

use model::{Str, Value};

/// The settings of Markdown to HTML that change the result.
#[derive(Clone, Debug, Default)]
pub struct HtmlOptions {
    pub flags: Vec<Str>,
    pub header_level_start: usize,
    pub prefix_header_id: Str,
    pub mentions_link: Str,
}

/// Flags that are set unless they are switched off.
pub const ON_BY_DEFAULT: &[&str] = &["encodeEmails", "ghCodeBlocks"];

impl HtmlOptions {
    /// Reads n8n's options: flags by their names, and the settings beside them.
    pub fn read(given: &Value) -> Self {
        let options = given.as_object().into_iter().flat_map(model::Object::iter);
        let set = options.filter(|(_, value)| value.is_truthy()).map(|(name, _)| name.clone());
        let preset = ON_BY_DEFAULT.iter().filter(|name| given.get(name).is_none());
        let text = |name: &str| given.get(name).and_then(Value::as_str).map(Str::from);
        let level = given.get("headerLevelStart").and_then(Value::as_usize);
        Self {
            flags: set.chain(preset.map(|name| Str::from(*name))).collect(),
            header_level_start: level.unwrap_or(1).max(1),
            prefix_header_id: text("prefixHeaderId").unwrap_or_default(),
            mentions_link: text("ghMentionsLink")
                .unwrap_or_else(|| "https://github.com/{u}".into()),
        }
    }

    fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|name| name == flag)
    }
}
