//! Reads the blocks of a Markdown text and writes them as HTML, with the habits of the showdown
//! library.

use super::HtmlOptions;
use super::spans::{InlineSpans, encode_code};
use super::tables;
use crate::ticker::tick;
use std::collections::HashMap;

/// Quotations and lists nested deeper than this are read as text.
const MAX_DEPTH: usize = 40;

pub fn to_html(text: &str, options: &HtmlOptions) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\u{a0}', "&nbsp;");
    let mut lines: Vec<String> = text
        .lines()
        .map(detab)
        .map(|line| if line.trim().is_empty() { String::new() } else { line })
        .collect();
    if options.has("smartIndentationFix") {
        let shared = lines.iter().find(|line| !line.is_empty()).map_or(0, |line| indent(line));
        lines
            .iter_mut()
            .for_each(|line| *line = line.chars().skip(indent(line).min(shared)).collect());
    }
    let mut writer = BlockWriter {
        options,
        spans: InlineSpans::new(options),
        ids: HashMap::new(),
        unclosed: Vec::new(),
        depth: 0,
    };
    let lines = writer.spans.take_definitions(lines);
    let html = writer.blocks(&lines.iter().map(String::as_str).collect::<Vec<_>>()).join("\n");
    if options.has("completeHTMLDocument") {
        return format!(
            "<!DOCTYPE HTML>\n<html>\n<head>\n<meta charset=\"utf-8\">\n</head>\n<body>\n{}\n</body>\n</html>",
            html.trim()
        );
    }
    html
}

fn detab(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut column = 0;
    for letter in line.chars() {
        let width = if letter == '\t' { 4 - column % 4 } else { 1 };
        match letter {
            '\t' => out.extend(std::iter::repeat_n(' ', width)),
            letter => out.push(letter),
        }
        column += width;
    }
    out
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

pub(super) struct BlockWriter<'o> {
    options: &'o HtmlOptions,
    pub(super) spans: InlineSpans<'o>,
    ids: HashMap<String, usize>,
    /// Names of tags that were found open to the end.
    unclosed: Vec<String>,
    depth: usize,
}

impl BlockWriter<'_> {
    /// The HTML of each block, in order.
    fn blocks(&mut self, lines: &[&str]) -> Vec<String> {
        if self.depth >= MAX_DEPTH {
            return vec![self.paragraph(lines)];
        }
        self.depth += 1;
        let mut out = Vec::new();
        let mut waiting: Vec<&str> = Vec::new();
        let mut at = 0;
        // Once the time is over the step fails, and what is left does not matter.
        while at < lines.len() && tick().is_ok() {
            let rest = &lines[at..];
            if rest[0].is_empty() {
                self.flush(&mut waiting, &mut out);
                at += 1;
            } else if let Some((html, used)) = self.block(rest, waiting.is_empty()) {
                self.flush(&mut waiting, &mut out);
                out.push(html);
                at += used;
            } else if let Some(level) =
                rest.get(1).filter(|_| waiting.is_empty()).and_then(|line| underline_level(line))
            {
                out.push(self.heading(rest[0], level));
                at += 2;
            } else {
                waiting.push(rest[0]);
                at += 1;
            }
        }
        self.flush(&mut waiting, &mut out);
        self.depth -= 1;
        out
    }

    fn flush(&mut self, waiting: &mut Vec<&str>, out: &mut Vec<String>) {
        if !waiting.is_empty() {
            out.push(self.paragraph(waiting));
            waiting.clear();
        }
    }

    fn paragraph(&mut self, lines: &[&str]) -> String {
        let text = self.spans.write(lines.join("\n").trim_start());
        format!("<p>{text}</p>")
    }

    /// A block other than a paragraph at the start of the lines, and how many lines it takes.
    fn block(&mut self, lines: &[&str], after_blank: bool) -> Option<(String, usize)> {
        let line = lines[0];
        if let Some(fence) = fence_of(line).filter(|_| self.options.has("ghCodeBlocks")) {
            let end =
                lines.iter().skip(1).position(|line| line.trim() == fence && indent(line) < 4)? + 1;
            let language = line.trim().trim_start_matches(['`', '~']).trim();
            let class = if language.is_empty() {
                String::new()
            } else {
                format!(" class=\"{language} language-{language}\"")
            };
            let code = lines[1..end].join("\n");
            return Some((
                format!(
                    "<pre><code{class}>{}\n</code></pre>",
                    encode_code(code.trim_matches('\n'))
                ),
                end + 1,
            ));
        }
        if let Some((level, text)) = self.heading_line(line) {
            return Some((self.heading(&text, level), 1));
        }
        if is_rule(line) {
            return Some(("<hr />".into(), 1));
        }
        if line.trim_start().starts_with('>') && indent(line) < 4 {
            return Some(self.quotation(lines));
        }
        if marker_of(line).is_some() {
            return Some(self.list(lines));
        }
        if after_blank && indent(line) >= 4 {
            let end = lines
                .iter()
                .position(|line| !line.is_empty() && indent(line) < 4)
                .unwrap_or(lines.len());
            let code: Vec<&str> =
                lines[..end].iter().map(|line| line.get(4..).unwrap_or("")).collect();
            return Some((
                format!(
                    "<pre><code>{}\n</code></pre>",
                    encode_code(code.join("\n").trim_matches('\n'))
                ),
                end,
            ));
        }
        if self.options.has("tables")
            && let Some(found) =
                tables::write(lines, &mut self.spans, self.options.has("tablesHeaderId"))
        {
            return Some(found);
        }
        self.html_block(lines)
    }

    fn heading_line(&self, line: &str) -> Option<(usize, String)> {
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

    fn heading(&mut self, text: &str, level: usize) -> String {
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

    fn heading_id(&mut self, text: &str) -> String {
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

    /// Lines after a `>` belong to it until a blank line; further quotations after the blank line
    /// join it.
    fn quotation(&mut self, lines: &[&str]) -> (String, usize) {
        let starts = |line: &str| line.trim_start().starts_with('>') && indent(line) < 4;
        let mut end = 0;
        while end < lines.len() {
            if !lines[end].is_empty() {
                end += 1;
                continue;
            }
            let next = next_text(lines, end);
            if self.options.has("splitAdjacentBlockquotes")
                || !lines.get(next).is_some_and(|line| starts(line))
            {
                break;
            }
            end = next;
        }
        let inner: Vec<&str> = lines[..end]
            .iter()
            .map(|line| {
                if starts(line) {
                    line.trim_start()[1..].strip_prefix(' ').unwrap_or(&line.trim_start()[1..])
                } else {
                    line
                }
            })
            .map(|line| if line.trim().is_empty() { "" } else { line })
            .collect();
        let mut is_code = false;
        let mut body = String::new();
        for line in self.blocks(&inner).join("\n").lines() {
            // Code keeps its own indentation.
            body += &if is_code { format!("{line}\n") } else { format!("  {line}\n") };
            is_code = (is_code || line.contains("<pre>")) && !line.contains("</pre>");
        }
        (format!("<blockquote>\n{body}</blockquote>"), end)
    }

    /// A list at any level; a change of its kind starts the next one.
    fn list(&mut self, lines: &[&str]) -> (String, usize) {
        let end = list_end(lines);
        let first = marker_of(lines[0]).unwrap_or_default();
        let nests_early = self.options.has("disableForced4SpacesIndentedSublists");
        let base = indent(lines[0]);
        let is_item =
            |line: &str| marker_of(line).is_some() && (!nests_early || indent(line) <= base);
        let mut items: Vec<(usize, usize)> = Vec::new();
        let mut stop = end;
        for (at, line) in lines[..end].iter().enumerate() {
            if is_item(line) {
                if marker_of(line).is_some_and(|marker| marker.is_number != first.is_number) {
                    stop = at;
                    break;
                }
                items.push((at, end));
            }
        }
        for at in 0..items.len() {
            items[at].1 = items.get(at + 1).map_or(stop, |next| next.0);
        }
        let last_text = lines[..stop].iter().rposition(|line| !line.is_empty()).unwrap_or(0);
        let is_loose = lines[..last_text].iter().any(|line| line.is_empty());
        let mut out = match (first.is_number, first.number) {
            (false, _) => "<ul>\n".to_owned(),
            (true, 1) => "<ol>\n".to_owned(),
            (true, start) => format!("<ol start=\"{start}\">\n"),
        };
        for (start, end) in items {
            let follows_blank = start > 0 && lines[start - 1].is_empty();
            out += &self.item(&lines[start..end], is_loose, follows_blank);
            out.push('\n');
        }
        out += if first.is_number { "</ol>" } else { "</ul>" };
        (out, stop)
    }

    fn item(&mut self, lines: &[&str], is_loose: bool, follows_blank: bool) -> String {
        let width = marker_of(lines[0]).unwrap_or_default().width;
        let mut text = lines[0].get(width..).unwrap_or("").to_owned();
        let mut attributes = String::new();
        if self.options.has("tasklists")
            && let Some((mark, rest)) = ["[ ]", "[]", "[x]", "[X]"]
                .iter()
                .find_map(|mark| Some((mark, text.strip_prefix(mark)?)))
        {
            let checked = if mark.contains(['x', 'X']) { " checked" } else { "" };
            let style = "margin: 0px 0.35em 0.25em -1.6em; vertical-align: middle;";
            text = format!("<input type=\"checkbox\" disabled style=\"{style}\"{checked}>{rest}");
            attributes = " class=\"task-list-item\" style=\"list-style-type: none;\"".to_owned();
        }
        let mut inner: Vec<String> = vec![text];
        inner
            .extend(lines[1..].iter().map(|line| line.chars().skip(indent(line).min(4)).collect()));
        while inner.last().is_some_and(String::is_empty) {
            inner.pop();
        }
        let inner: Vec<&str> = inner.iter().map(String::as_str).collect();
        let has_blank = inner.iter().any(|line| line.is_empty());
        let content = if is_loose || follows_blank || has_blank {
            tighten(&self.blocks(&inner).join("\n"))
        } else {
            let nested = inner
                .iter()
                .skip(1)
                .position(|line| marker_of(line).is_some())
                .map_or(inner.len(), |at| at + 1);
            let mut content = self.spans.write(&inner[..nested].join("\n"));
            let mut at = nested;
            while at < inner.len() && self.depth < MAX_DEPTH {
                self.depth += 1;
                let (html, used) = self.list(&inner[at..]);
                self.depth -= 1;
                content += &tighten(&html);
                at += used.max(1);
            }
            content
        };
        format!("<li{attributes}>{content}</li>")
    }

    /// HTML that starts a line passes as it is, up to its closing tag.
    fn html_block(&mut self, lines: &[&str]) -> Option<(String, usize)> {
        const TAGS: &[&str] = &[
            "pre",
            "div",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "blockquote",
            "table",
            "dl",
            "ol",
            "ul",
            "script",
            "noscript",
            "form",
            "fieldset",
            "iframe",
            "math",
            "style",
            "section",
            "header",
            "footer",
            "nav",
            "article",
            "aside",
            "address",
            "audio",
            "canvas",
            "figure",
            "hgroup",
            "output",
            "video",
            "details",
            "p",
            "hr",
        ];
        let line = lines[0];
        if line.starts_with("<!--") {
            let end = lines.iter().position(|line| line.contains("-->"))?;
            return Some((lines[..=end].join("\n"), end + 1));
        }
        let name: String = line
            .strip_prefix('<')?
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_lowercase();
        if !TAGS.contains(&name.as_str()) || self.unclosed.contains(&name) {
            return None;
        }
        if name == "hr" {
            return Some((line.trim_end().to_owned(), 1));
        }
        let mut depth = 0i64;
        for (at, line) in lines.iter().enumerate() {
            let lower = line.to_lowercase();
            depth += lower.matches(&format!("<{name}")).count() as i64
                - lower.matches(&format!("</{name}>")).count() as i64;
            if depth <= 0 {
                return Some((lines[..=at].join("\n").trim_end().to_owned(), at + 1));
            }
        }
        // A tag that is not closed here is not closed further down either.
        self.unclosed.push(name);
        None
    }
}

/// Inner lists end without a line break before their closing tag.
fn tighten(html: &str) -> String {
    html.replace("</li>\n</ul>", "</li></ul>").replace("</li>\n</ol>", "</li></ol>")
}

#[derive(Clone, Copy, Default)]
struct Marker {
    is_number: bool,
    number: u64,
    /// With the spaces before and after it.
    width: usize,
}

fn marker_of(line: &str) -> Option<Marker> {
    let start = indent(line);
    let text = &line[start..];
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length = match text.as_bytes().first()? {
        b'*' | b'+' | b'-' => 1,
        _ if digits > 0 && text[digits..].starts_with('.') => digits + 1,
        _ => return None,
    };
    let spaces = text[length..].len() - text[length..].trim_start_matches(' ').len();
    if start > 3 || spaces == 0 || is_rule(line) {
        return None;
    }
    Some(Marker {
        is_number: digits > 0,
        number: text[..digits].parse().unwrap_or(1),
        width: start + length + spaces,
    })
}

/// A list goes on until a blank line that is followed by a line which is neither indented nor an
/// item.
fn list_end(lines: &[&str]) -> usize {
    let starts_block = |line: &str| {
        let is_heading = line.starts_with('#') && !line.trim_start_matches('#').trim().is_empty();
        is_heading || (fence_of(line).is_some() && indent(line) == 0)
    };
    let mut at = 1;
    while at < lines.len() {
        if lines[at].is_empty() {
            let next = next_text(lines, at);
            match lines.get(next) {
                Some(line) if indent(line) > 0 || marker_of(line).is_some() => at = next,
                _ => return at,
            }
        } else if starts_block(lines[at]) {
            return at;
        } else {
            at += 1;
        }
    }
    lines.len()
}

/// The next line that is not empty.
fn next_text(lines: &[&str], from: usize) -> usize {
    lines[from..].iter().position(|line| !line.is_empty()).map_or(lines.len(), |ahead| from + ahead)
}

fn fence_of(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    let first = text.chars().next().filter(|first| matches!(first, '`' | '~'))?;
    let length = text.len() - text.trim_start_matches(first).len();
    (length >= 3 && indent(line) < 4 && !text[length..].contains('`')).then_some(&text[..length])
}

fn is_rule(line: &str) -> bool {
    let marks: String = line.chars().filter(|letter| *letter != ' ').collect();
    marks.len() >= 3
        && indent(line) < 3
        && ['-', '*', '_'].iter().any(|mark| marks.chars().all(|letter| letter == *mark))
}

fn underline_level(line: &str) -> Option<usize> {
    let text = line.trim_end();
    [('=', 1), ('-', 2)]
        .into_iter()
        .find(|(mark, _)| !text.is_empty() && text.chars().all(|letter| letter == *mark))
        .map(|(_, level)| level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn html(text: &str) -> String {
        to_html(text, &HtmlOptions::read(&json!({})))
    }

    #[test]
    fn headings_have_ids_that_do_not_repeat() {
        assert_eq!(
            html("# A b!\n## A b\nText\n====="),
            "<h1 id=\"ab\">A b!</h1>\n<h2 id=\"ab-1\">A b</h2>\n<h1 id=\"text\">Text</h1>"
        );
        let options = HtmlOptions::read(&json!({ "noHeaderId": true, "headerLevelStart": 2 }));
        assert_eq!(to_html("# Łyżki ##", &options), "<h2>Łyżki</h2>");
    }

    #[test]
    fn lists_may_follow_a_line_of_text() {
        assert_eq!(
            html("**k:**\n- **a:** b,  \n- c,  \n\nend"),
            "<p><strong>k:</strong></p>\n<ul>\n<li><strong>a:</strong> b,  </li>\n<li>c,  </li>\n</ul>\n<p>end</p>"
        );
        assert_eq!(html("3. x\n4. y"), "<ol start=\"3\">\n<li>x</li>\n<li>y</li>\n</ol>");
        assert_eq!(
            html("- a\n    - b\n- c"),
            "<ul>\n<li>a<ul>\n<li>b</li></ul></li>\n<li>c</li>\n</ul>"
        );
        assert_eq!(html("- a\n\n- b"), "<ul>\n<li><p>a</p></li>\n<li><p>b</p></li>\n</ul>");
    }

    #[test]
    fn code_is_kept_as_it_is() {
        assert_eq!(
            html("```js\nif (a < b) {}\n\n*x*\n```\n"),
            "<pre><code class=\"js language-js\">if (a &lt; b) {}\n\n*x*\n</code></pre>"
        );
        assert_eq!(
            html("text\n\n    code\n    more"),
            "<p>text</p>\n<pre><code>code\nmore\n</code></pre>"
        );
    }

    #[test]
    fn quotations_rules_and_html_pass() {
        assert_eq!(
            html("> a\nb\n>\n> c"),
            "<blockquote>\n  <p>a\n  b</p>\n  <p>c</p>\n</blockquote>"
        );
        assert_eq!(html("a\n\n***\n<div>\n*x*\n</div>"), "<p>a</p>\n<hr />\n<div>\n*x*\n</div>");
    }

    #[test]
    fn hostile_texts_are_quick() {
        let many = |piece: &str| piece.repeat(20_000);
        for text in [
            many("["),
            many("<div>\n"),
            many("- a\n\n\n"),
            many("> a\n\n"),
            many("`"),
            many("*a "),
            many("\n"),
        ] {
            html(&text);
        }
    }

    #[test]
    fn nothing_breaks_on_odd_texts() {
        for text in [
            "",
            "\n\n",
            "```",
            ">",
            "- ",
            "1.",
            "[",
            "![](",
            "**",
            "<div",
            "|",
            "    ",
            "#",
            "ä\n-\tü",
            &"> ".repeat(500),
            &"- ".repeat(300),
        ] {
            html(text);
        }
    }
}
