//! Signs that mean something in HTML.

use super::STASH_MARK;
use std::collections::HashMap;

pub(in crate::markdown) fn encode_code(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Writes ampersands that start no entity, and angle brackets, as entities, other than in elements
/// and tags: those stay as they are, with all that is in them.
pub(super) fn encode_signs(html: &str) -> String {
    let (text, elements) = without_elements(html);
    let mut elements = elements.into_iter();
    let mut closes = NextClose::default();
    let mut out = String::with_capacity(html.len());
    let mut tag_end = 0;
    let mut from = 0;
    while let Some(at) = text[from..].find(['&', '<', '>', STASH_MARK]).map(|ahead| from + ahead) {
        out.push_str(&text[from..at]);
        from = at + 1;
        let sign = text.as_bytes()[at];
        if sign == b'<' && at >= tag_end {
            let close = closes.after(&text, at).filter(|close| close - at > 1);
            tag_end = close.map_or(tag_end, |close| close + 1);
        }
        out.push_str(match sign {
            b'&' if at < tag_end || starts_entity(&text[from..]) => "&",
            b'&' => "&amp;",
            b'<' if at < tag_end => "<",
            b'<' => "&lt;",
            b'>' if at < tag_end => ">",
            b'>' => "&gt;",
            _ => elements.next().unwrap_or_default(),
        });
    }
    out + &text[from..]
}

/// Takes elements out of a text: each has its closing tag behind it, or closes itself.
fn without_elements(html: &str) -> (String, Vec<&str>) {
    let (mut text, mut elements) = (String::with_capacity(html.len()), Vec::new());
    let closing = closing_tags(html);
    let mut closes = NextClose::default();
    let mut from = 0;
    while let Some(at) = html[from..].find('<').map(|ahead| from + ahead) {
        text.push_str(&html[from..at]);
        let end = closes.after(html, at).and_then(|close| element_end(html, at, close, &closing));
        match end {
            Some(end) => {
                elements.push(&html[at..end]);
                text.push(STASH_MARK);
                from = end;
            }
            None => {
                text.push('<');
                from = at + 1;
            }
        }
    }
    (text + &html[from..], elements)
}

/// Where the next `>` is. It is looked for once for all that come before it, so a text full of
/// brackets is still read in one pass.
#[derive(Default)]
struct NextClose {
    found: Option<usize>,
    is_none_left: bool,
}

impl NextClose {
    fn after(&mut self, text: &str, at: usize) -> Option<usize> {
        if !self.is_none_left && self.found.is_none_or(|found| found < at) {
            self.found = text[at..].find('>').map(|ahead| at + ahead);
            self.is_none_left = self.found.is_none();
        }
        self.found
    }
}

/// The places behind the last closing tag of each name.
fn closing_tags(html: &str) -> HashMap<&str, usize> {
    let tags = html.match_indices("</").filter_map(|(at, _)| {
        let name = &html[at + 2..];
        let end = name.find(|letter: char| ends_name(letter) || letter == '>')?;
        name[end..].starts_with('>').then_some((&name[..end], at + end + 3))
    });
    tags.collect()
}

fn ends_name(letter: char) -> bool {
    letter == '<' || letter.is_whitespace()
}

/// Where the element ends whose first tag is from `at` to `close`, if it ends.
fn element_end(
    html: &str,
    at: usize,
    close: usize,
    closing: &HashMap<&str, usize>,
) -> Option<usize> {
    let inner = &html[at + 1..close];
    let name = &inner[..inner.find(ends_name).unwrap_or(inner.len())];
    if name.is_empty() || inner[name.len()..].starts_with('<') {
        return None;
    }
    if inner.ends_with('/') {
        return Some(close + 1);
    }
    closing.get(name).filter(|last| **last > close)?;
    let tag = format!("</{name}>");
    html[close..].find(&tag).map(|ahead| close + ahead + tag.len())
}

fn starts_entity(text: &str) -> bool {
    let name = text.strip_prefix('#').unwrap_or(text);
    let end = name.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(name.len());
    end > 0 && name[end..].starts_with(';')
}

/// Two spaces before a line break make it count.
pub(super) fn break_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        match lines.peek() {
            Some(_) if line.ends_with("  ") => {
                out.push_str(line.trim_end_matches(' '));
                out.push_str("<br />\n");
            }
            Some(_) => {
                out.push_str(line);
                out.push('\n');
            }
            None => out.push_str(line),
        }
    }
    out
}
