//! Headings and their IDs.

use super::BlockWriter;
use super::lines::{is_quoted, underlined};

impl BlockWriter<'_> {
    /// The level of a heading with a line below it, unless the line is something else before that.
    pub(super) fn underlined_heading(&mut self, lines: &[&str]) -> Option<usize> {
        let level = underlined(lines).filter(|_| !is_quoted(lines[0]))?;
        let is_html = lines[0].starts_with('<') && self.html_block(lines).is_some();
        (!is_html).then_some(level)
    }

    pub(super) fn heading_line(&self, line: &str) -> Option<(usize, String)> {
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        let rest = &line[level..];
        if level == 0
            || level > 6
            || rest.trim().is_empty()
            || (self.options.has("requireSpaceBeforeHeadingText") && !rest.starts_with(' '))
        {
            return None;
        }
        let text = rest.trim_start().trim_end().trim_end_matches('#').trim_end();
        Some((level, text.to_owned()))
    }

    pub(super) fn heading(&mut self, text: &str, level: usize) -> String {
        let level = (self.options.header_level_start - 1 + level).min(6);
        let mut text = text.trim().to_owned();
        let mut wanted = None;
        if self.options.has("customizedHeaderId")
            && let Some(start) = text.rfind('{').filter(|_| text.ends_with('}'))
        {
            wanted = Some(text[start + 1..text.len() - 1].to_owned());
            text.truncate(start);
        }
        let content = self.spans.write(text.trim_end());
        if self.options.has("noHeaderId") {
            return format!("<h{level}>{content}</h{level}>");
        }
        let id = self.heading_id(wanted.as_deref().unwrap_or(&text));
        format!("<h{level} id=\"{id}\">{content}</h{level}>")
    }

    pub(super) fn heading_id(&mut self, text: &str) -> String {
        let prefix = &*self.options.prefix_header_id;
        let raw_prefix = self.options.has("rawPrefixHeaderId");
        let source = if raw_prefix { text.to_owned() } else { format!("{prefix}{text}") };
        let id = if self.options.has("ghCompatibleHeaderId") {
            let dropped = "&+$,/:;=?@\"#{}|^¨~[]`\\*)(%.!'<>";
            source
                .replace(' ', "-")
                .replace("&amp;", "")
                .chars()
                .filter(|letter| !dropped.contains(*letter))
                .collect::<String>()
                .to_lowercase()
        } else if self.options.has("rawHeaderId") {
            source.replace(' ', "-").replace("&amp;", "&").replace(['"', '\''], "-").to_lowercase()
        } else {
            source
                .chars()
                .filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_')
                .collect::<String>()
                .to_lowercase()
        };
        let id = if raw_prefix { format!("{prefix}{id}") } else { id };
        match self.ids.get_mut(&id) {
            Some(count) => {
                *count += 1;
                format!("{id}-{}", *count - 1)
            }
            None => {
                self.ids.insert(id.clone(), 1);
                id
            }
        }
    }
}
