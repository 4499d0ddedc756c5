//! Writes HTML as Markdown, with the habits of the node-html-markdown library.

mod inline;
mod lists;
mod options;
mod table;

pub use options::MarkdownOptions;

use crate::html::page::Page;
use crate::js_regex::JsRegex;
use crate::ticker::tick;
use model::{Code, Str};
use ports::NodeError;
use scraper::{ElementRef, Node as Part};

const MAX_DEPTH: usize = 300;

/// Indentation and the width of tables can make a text many times as long as its page.
const MAX_MARKDOWN: usize = if cfg!(test) { 1 << 20 } else { 64 << 20 };

const IGNORED: &[&str] = &["head", "keygen", "noscript", "script", "source", "style", "template"];

const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "audio",
    "canvas",
    "center",
    "dd",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frameset",
    "header",
    "hgroup",
    "main",
    "menu",
    "nav",
    "noframes",
    "output",
    "p",
    "pre",
    "section",
];

pub fn to_markdown(html: &str, options: &MarkdownOptions) -> Result<String, NodeError> {
    let page = Page::read(html)?;
    let mut writer = MarkdownWriter {
        options,
        text: String::new(),
        links: Vec::new(),
        depth: 0,
        is_too_large: false,
    };
    // The reader of pages leaves out the space that a text begins with.
    let text = html.trim_start();
    if !text.starts_with('<') && html[..html.len() - text.len()].ends_with([' ', '\t']) {
        writer.text.push(' ');
    }
    writer.children(page.root(), PageContext::default());
    tick()?;
    if writer.is_too_large {
        let limit = MAX_MARKDOWN >> 20;
        let message = format!("The page as Markdown would exceed the limit of {limit} MB");
        return Err(NodeError::new(Code::INPUT_BOMB, message).hint("Convert parts of the page."));
    }
    let MarkdownWriter { mut text, links, .. } = writer;
    for (at, link) in links.iter().enumerate() {
        text += if at == 0 { "\n\n" } else { "\n" };
        text += &format!("[{}]: {link}", at + 1);
    }
    Ok(limit_newlines(text.trim_matches('\n'), options.max_newlines))
}

/// Of the line ends that only spaces separate, the last ones stay.
fn limit_newlines(text: &str, most: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.find('\n') {
        let (before, from) = rest.split_at(first);
        out.push_str(before);
        let end = from.find(|letter: char| !is_space(letter)).unwrap_or(from.len());
        let (spaces, behind) = from.split_at(end);
        let ends: Vec<usize> = spaces.match_indices('\n').map(|(at, _)| at).collect();
        out.push_str(&spaces[ends[ends.len().saturating_sub(most)]..]);
        rest = behind;
    }
    out + rest
}

/// What JavaScript's `\s` matches.
fn is_space(letter: char) -> bool {
    letter == '\u{feff}' || letter != '\u{85}' && letter.is_whitespace()
}

/// Where in the page we are, and so what an element may become there.
#[derive(Clone, Copy, Default)]
struct PageContext {
    list_level: usize,
    within: Within,
    /// Spaces and line ends stay as they are.
    is_preformatted: bool,
    is_code: bool,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Within {
    #[default]
    Blocks,
    Link,
    Cell,
    CodeBlock,
}

struct MarkdownWriter<'o> {
    options: &'o MarkdownOptions,
    text: String,
    links: Vec<String>,
    depth: usize,
    is_too_large: bool,
}

impl MarkdownWriter<'_> {
    fn children(&mut self, element: ElementRef<'_>, context: PageContext) {
        if self.depth >= MAX_DEPTH || !self.goes_on() {
            return;
        }
        self.depth += 1;
        for node in element.children() {
            match node.value() {
                Part::Text(text) => self.write_text(text, context),
                Part::Element(_) => {
                    if let Some(inner) = ElementRef::wrap(node) {
                        self.element(inner, context);
                    }
                }
                _ => {}
            }
        }
        self.depth -= 1;
    }

    /// Whether there is time left, and room for more.
    fn goes_on(&mut self) -> bool {
        self.is_too_large |= self.text.len() > MAX_MARKDOWN;
        !self.is_too_large && tick().is_ok()
    }

    fn write_text(&mut self, text: &str, context: PageContext) {
        if context.is_preformatted {
            self.text.push_str(text);
            return;
        }
        let inner = text.trim_matches(is_space);
        if inner.is_empty() {
            if !text.is_empty() && self.text.ends_with(|last| !is_space(last)) {
                self.text.push(' ');
            }
            return;
        }
        // A line end next to the words is no space, other than one between them.
        let is_kept = |letter: Option<char>| {
            letter.is_some_and(|letter| is_space(letter) && !matches!(letter, '\r' | '\n'))
        };
        let from = text.len() - text.trim_start_matches(is_space).len();
        let mut line = String::with_capacity(inner.len() + 2);
        if is_kept(text[..from].chars().next_back()) {
            line.push(' ');
        }
        for (at, word) in inner.split(is_space).filter(|word| !word.is_empty()).enumerate() {
            line.push_str(if at == 0 { "" } else { " " });
            line.push_str(word);
        }
        if is_kept(text[from + inner.len()..].chars().next()) {
            line.push(' ');
        }
        if !context.is_code {
            let apply = |rules: &[(JsRegex, Str)], text: String| {
                rules.iter().fold(text, |text, (pattern, made)| pattern.replace(&text, made))
            };
            line = apply(&self.options.global_escape, line);
            line = apply(&self.options.line_start_escape, line);
            line = apply(&self.options.text_replace, line);
        }
        self.text.push_str(&line);
    }

    fn element(&mut self, element: ElementRef<'_>, context: PageContext) {
        let name = element.value().name();
        let listed = |names: &[Str]| names.iter().any(|known| known == name);
        if IGNORED.contains(&name) || listed(&self.options.ignored) {
            return;
        }
        let is_empty = !element.has_children();
        match (context.within, name) {
            (Within::CodeBlock, "br") | (Within::Link, "br" | "hr") => self.text.push('\n'),
            (Within::CodeBlock, _) => self.children(element, context),
            (_, "strong" | "b") => {
                let is_block = context.within == Within::Blocks && listed(&self.options.blocks);
                let mark = self.options.strong.clone();
                self.spaced(is_block, |it| it.marked(element, context, &mark));
            }
            (_, "em" | "i") => self.marked(element, context, &self.options.em.clone()),
            (_, "del" | "s" | "strike") => self.marked(element, context, "~~"),
            (_, "img") => self.image(element),
            (Within::Blocks | Within::Cell, "a") => self.link(element, context),
            (Within::Link | Within::Cell, _) => self.children(element, context),
            (_, "br") => self.text.push_str("  \n"),
            (_, "hr") => self.block(2, |it| it.text.push_str("---")),
            (_, "h1" | "h2" | "h3" | "h4" | "h5" | "h6") => self.block(2, |it| {
                let level = name[1..].parse().unwrap_or(1);
                it.text.push_str(&"#".repeat(level));
                it.text.push(' ');
                it.children(element, context);
            }),
            (_, "code") => self.code(element, context),
            (_, "pre") => self.preformatted(element, context),
            (_, "blockquote") if !is_empty => self.block(2, |it| it.quote(element, context)),
            (_, "ul" | "ol") if !is_empty => self.block(1, |it| it.list(element, context)),
            (_, "li") if !is_empty => self.block(1, |it| {
                it.list_item(element, None, context);
            }),
            (_, "table") => {
                if let Some(table) = self.table(element) {
                    self.block(2, |it| it.text.push_str(&table));
                }
            }
            _ => {
                let is_block = BLOCKS.contains(&name) || listed(&self.options.blocks);
                self.spaced(is_block && !is_empty, |it| it.children(element, context));
            }
        }
    }

    fn spaced(&mut self, is_block: bool, write: impl FnOnce(&mut Self)) {
        match is_block {
            true => self.block(2, write),
            false => write(self),
        }
    }

    fn block(&mut self, newlines: usize, write: impl FnOnce(&mut Self)) {
        self.end_lines(newlines);
        write(self);
        self.end_lines(newlines);
    }

    /// Adds line ends until there are as many, whatever spaces are between them.
    fn end_lines(&mut self, wanted: usize) {
        let behind = self.text.chars().rev().take_while(|letter| is_space(*letter));
        let there = behind.filter(|letter| *letter == '\n').take(wanted).count();
        self.text.push_str(&"\n".repeat(wanted - there));
    }

    /// Writes something and takes it out again, to change it.
    fn taken(&mut self, write: impl FnOnce(&mut Self)) -> String {
        let start = self.text.len();
        write(self);
        self.text.split_off(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Value, json};

    fn markdown(html: &str, options: Value) -> String {
        to_markdown(html, &MarkdownOptions::read(&options).unwrap()).unwrap()
    }

    #[test]
    fn common_pages_become_markdown() {
        for (html, expected) in [
            (
                "<h2>T</h2><p>a <b>b</b> <i>c </i>d</p><p>e<br>f</p>",
                "## T\n\na **b** _c_ d\n\ne  \nf",
            ),
            ("<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>", "* a\n* b  \n   1. c"),
            (
                "<a href='http://x.y'>t</a> <a href='http://x.y'>http://x.y</a> <img src='i.png' alt='A'>",
                "[t](http://x.y) <http://x.y> ![A](i.png)",
            ),
            (
                "<pre><code class='language-js'>let a = 1;\n</code></pre><blockquote><p>q</p><p>r</p></blockquote>",
                "```js\nlet a = 1;\n\n```\n\n> q\n> \n> r",
            ),
            (
                "<p>1. x * y_z [k]</p><hr><p># no <code>a*b</code></p>",
                "1\\. x \\* y\\_z \\[k\\]\n\n---\n\n\\# no `a*b`",
            ),
            (
                "<table><tr><th>A</th><th>Bcde</th></tr><tr><td>1</td><td>2</td></tr></table>",
                "| A | Bcde |\n| - | ---- |\n| 1 | 2    |",
            ),
            ("<head><title>x</title></head><script>1</script><div>a</div><div>b</div>", "a\n\nb"),
        ] {
            assert_eq!(markdown(html, json!({})), expected, "{html}");
        }
    }

    /// Pages with what n8n makes of them.
    const CASES: &str = include_str!("markdown_cases.jsonl");

    #[test]
    fn pages_become_what_n8n_makes_of_them() {
        let mut differing = Vec::new();
        for line in CASES.lines() {
            let (html, options, expected): (String, Value, String) =
                serde_json::from_str(line).unwrap();
            let made = markdown(&html, options);
            if made != expected {
                differing.push(format!("{line}\n  {made:?}"));
            }
        }
        assert!(differing.is_empty(), "{}", differing.join("\n"));
    }

    #[test]
    fn settings_change_the_marks() {
        let options = json!({ "bulletMarker": "-", "emDelimiter": "*", "strongDelimiter": "__", "codeBlockStyle": "indented", "ignore": "h1" });
        assert_eq!(
            markdown(
                "<h1>x</h1><ul><li><b>a</b> <i>b</i></li></ul><pre><code>c</code></pre>",
                options
            ),
            "- __a__ *b*\n\n    c"
        );
        assert_eq!(
            markdown(
                "<p><a href='u'>a</a> <a href='v'>b</a></p>",
                json!({ "useLinkReferenceDefinitions": true })
            ),
            "[a][1] [b][2]\n\n\n[1]: u\n[2]: v"
        );
        let options = json!({ "textReplace": { "values": [{ "pattern": "a+", "replacement": "x" }] }, "globalEscape": { "value": { "pattern": "!", "replacement": "?" } } });
        assert_eq!(markdown("<p>aa!_</p>", options), "x?_");
    }

    #[test]
    fn what_would_grow_too_large_is_refused() {
        let options = MarkdownOptions::read(&json!({})).unwrap();
        let refused = |html: &str| to_markdown(html, &options).unwrap_err().code();
        let deep = format!("{}{}", "<ul><li>".repeat(100), "x<br>".repeat(300));
        assert_eq!(refused(&deep), Code::INPUT_BOMB, "lines of a list that is nested deeply");
        let wide = format!("<table><tr><td>{}</td></tr>", "x".repeat(10_000));
        let wide = format!("{wide}{}</table>", "<tr><td>y</td></tr>".repeat(200));
        assert_eq!(refused(&wide), Code::INPUT_BOMB, "rows of a wide table");
        let many = "<td>x</td>".repeat(2_000);
        let many = format!("<table><tr>{many}</tr>{}", "<tr><td>y</td></tr>".repeat(300));
        assert_eq!(refused(&many), Code::INPUT_BOMB, "rows of a table of many columns");
    }

    #[test]
    fn a_broken_pattern_is_refused() {
        assert!(
            MarkdownOptions::read(&json!({ "textReplace": { "values": [{ "pattern": "(" }] } }))
                .is_err()
        );
    }
}
