//! Quotations and lists.

use super::lines::{indent, is_quoted, list_end, marker_of, next_text};
use super::{BlockWriter, MAX_DEPTH};

impl BlockWriter<'_> {
    /// Lines after a `>` belong to it until a blank line; further quotations after the blank line
    /// join it.
    pub(super) fn quotation(&mut self, lines: &[&str]) -> (String, usize) {
        let mut end = 0;
        while end < lines.len() {
            if !lines[end].is_empty() {
                end += 1;
                continue;
            }
            let next = next_text(lines, end);
            if self.options.has("splitAdjacentBlockquotes")
                || !lines.get(next).is_some_and(|line| is_quoted(line))
            {
                break;
            }
            end = next;
        }
        let inner: Vec<&str> = lines[..end]
            .iter()
            .map(|line| {
                if is_quoted(line) {
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
    pub(super) fn list(&mut self, lines: &[&str]) -> (String, usize) {
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

    pub(super) fn item(&mut self, lines: &[&str], is_loose: bool, follows_blank: bool) -> String {
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
}

/// Inner lists end without a line break before their closing tag.
fn tighten(html: &str) -> String {
    html.replace("</li>\n</ul>", "</li></ul>").replace("</li>\n</ol>", "</li></ol>")
}
