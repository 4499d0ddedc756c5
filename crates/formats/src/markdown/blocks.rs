//! Reads the blocks of a Markdown text and writes them as HTML, with the habits of the showdown
//! library.

mod headings;
mod lines;
mod lists;

use self::lines::{detab, fence_of, indent, is_quoted, is_rule, marker_of};
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
        let mut lines = lines.to_vec();
        let mut out = Vec::new();
        let mut waiting: Vec<&str> = Vec::new();
        let mut at = 0;
        // Once the time is over the step fails, and what is left does not matter.
        while at < lines.len() && tick().is_ok() {
            let rest = &lines[at..];
            if rest[0].is_empty() {
                self.flush(&mut waiting, &mut out);
                at += 1;
            } else if let Some((html, end)) = self.fenced(rest) {
                self.flush(&mut waiting, &mut out);
                out.push(html);
                // What follows the closing fence on its line is text.
                at += end;
                lines[at] = lines[at].trim_start().trim_start_matches(['`', '~']).trim_start();
            } else if let Some(level) = self.underlined_heading(rest) {
                self.flush(&mut waiting, &mut out);
                out.push(self.heading(rest[0], level));
                at += 2;
            } else if let Some((html, used)) = self.block(rest, waiting.is_empty()) {
                self.flush(&mut waiting, &mut out);
                out.push(html);
                at += used;
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

    /// Code between fences at the start of the lines, and the line that closes it.
    fn fenced(&self, lines: &[&str]) -> Option<(String, usize)> {
        let fence = fence_of(lines[0]).filter(|_| self.options.has("ghCodeBlocks"))?;
        let closes = |line: &&str| line.trim_start().starts_with(fence) && indent(line) < 4;
        let end = lines.iter().skip(1).position(closes)? + 1;
        let language = lines[0].trim().trim_start_matches(['`', '~']).trim();
        let class = if language.is_empty() {
            String::new()
        } else {
            format!(" class=\"{language} language-{language}\"")
        };
        let code = lines[1..end].join("\n");
        let code = encode_code(code.trim_matches('\n'));
        Some((format!("<pre><code{class}>{code}\n</code></pre>"), end))
    }

    /// A block other than a paragraph at the start of the lines, and how many lines it takes.
    fn block(&mut self, lines: &[&str], after_blank: bool) -> Option<(String, usize)> {
        let line = lines[0];
        if let Some((level, text)) = self.heading_line(line) {
            return Some((self.heading(&text, level), 1));
        }
        if is_rule(line) {
            return Some(("<hr />".into(), 1));
        }
        if is_quoted(line) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Value, json};

    fn html(text: &str) -> String {
        to_html(text, &HtmlOptions::read(&json!({})))
    }

    /// Texts with what n8n makes of them.
    const CASES: &str = include_str!("html_cases.jsonl");

    #[test]
    fn texts_become_what_n8n_makes_of_them() {
        let mut differing = Vec::new();
        for line in CASES.lines() {
            let (text, options, expected): (String, Value, String) =
                serde_json::from_str(line).unwrap();
            let made = to_html(&text, &HtmlOptions::read(&options));
            if made != expected {
                differing.push(format!("{line}\n  {made:?}"));
            }
        }
        assert!(differing.is_empty(), "{}", differing.join("\n"));
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
            many("<"),
            many("<") + ">",
            many("<a> & "),
            (0..20_000).map(|name| format!("<a{name}>")).collect(),
            many("<a x>") + "</a>",
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
