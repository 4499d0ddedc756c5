//! Lays out the text of an element as a reader would see it: lines of 80 characters, upper-case
//! headings, bullets, links.
//!
//! The rules are those of the html-to-text library, which n8n's HTML node uses with its defaults.

use crate::ticker::tick;
use scraper::{ElementRef, Node, Selector};

const LINE_LENGTH: usize = 80;
/// Elements nested deeper than this are left out, and all of them once the time is over.
const MAX_DEPTH: usize = 300;

/// The text inside an element, without the parts that fit a selector to skip.
pub fn write(element: ElementRef<'_>, skip: &[Selector]) -> String {
    let mut layout =
        Layout { skip, upper_case: 0, depth: 0, blocks: vec![TextBlock::new(LINE_LENGTH)] };
    let body = element.descendent_elements().skip(1).find(|inner| inner.value().name() == "body");
    layout.children(body.unwrap_or(element));
    layout.blocks.pop().map(|block| block.text()).unwrap_or_default()
}

/// A part of the page that begins and ends with line breaks.
struct TextBlock {
    /// What is finished.
    done: String,
    /// How many line breaks must follow what is finished.
    owed_breaks: usize,
    leading_breaks: usize,
    lines: Vec<Vec<String>>,
    space_owed: bool,
    line_length: usize,
    is_verbatim: bool,
}

impl TextBlock {
    fn new(line_length: usize) -> Self {
        Self {
            done: String::new(),
            owed_breaks: 0,
            leading_breaks: 0,
            lines: Vec::new(),
            space_owed: false,
            line_length,
            is_verbatim: false,
        }
    }

    fn text(&self) -> String {
        if self.lines.is_empty() {
            return self.done.clone();
        }
        let lines: Vec<String> = self.lines.iter().map(|words| words.join(" ")).collect();
        format!("{}{}{}", self.done, "\n".repeat(self.owed_breaks), lines.join("\n"))
    }

    /// Puts a finished part behind what is there.
    fn append(&mut self, text: &str, leading: usize, trailing: usize) {
        let breaks = if self.lines.is_empty() { self.owed_breaks.max(leading) } else { leading };
        if !self.lines.is_empty() {
            self.done.push_str(&"\n".repeat(self.owed_breaks));
            for (position, words) in self.lines.drain(..).enumerate() {
                if position > 0 {
                    self.done.push('\n');
                }
                self.done.push_str(&words.join(" "));
            }
        }
        self.space_owed = false;
        if self.done.is_empty() {
            self.done.push_str(text);
            self.leading_breaks = self.leading_breaks.max(breaks);
        } else {
            self.done.push_str(&"\n".repeat(breaks));
            self.done.push_str(text);
        }
        self.owed_breaks = trailing;
    }

    fn add(&mut self, text: &str, transform: impl Fn(&str) -> String) {
        if self.is_verbatim {
            for (position, line) in text.split('\n').enumerate() {
                if position > 0 {
                    self.lines.push(vec![String::new()]);
                }
                if self.lines.is_empty() {
                    self.lines.push(vec![String::new()]);
                }
                if let Some(last) = self.lines.last_mut().and_then(|line| line.last_mut()) {
                    last.push_str(&transform(line.trim_end_matches('\r')));
                }
            }
            return;
        }
        let is_space =
            |letter: char| matches!(letter, ' ' | '\t' | '\r' | '\n' | '\u{c}' | '\u{200b}');
        let mut words = text.split(is_space).filter(|word| !word.is_empty()).peekable();
        let starts_apart = self.space_owed || text.starts_with(is_space);
        if words.peek().is_none() {
            self.space_owed |= !self.lines.is_empty() && !text.is_empty();
            return;
        }
        for (position, word) in words.enumerate() {
            self.put(&transform(word), position > 0 || starts_apart);
        }
        self.space_owed = text.ends_with(is_space);
    }

    fn put(&mut self, word: &str, apart: bool) {
        let Some(line) = self.lines.last_mut() else {
            self.lines.push(vec![word.to_owned()]);
            return;
        };
        let mut word = word.to_owned();
        if !apart && let Some(last) = line.pop() {
            word.insert_str(0, &last);
        }
        let used: usize = line.iter().map(|word| word.chars().count() + 1).sum();
        if line.is_empty() || used + word.chars().count() <= self.line_length {
            line.push(word);
        } else {
            self.lines.push(vec![word]);
        }
    }

    fn break_line(&mut self) {
        if self.lines.is_empty() {
            self.lines.push(Vec::new());
        }
        self.lines.push(Vec::new());
        self.space_owed = false;
    }
}

struct Layout<'s> {
    skip: &'s [Selector],
    upper_case: usize,
    depth: usize,
    blocks: Vec<TextBlock>,
}

impl Layout<'_> {
    fn children(&mut self, element: ElementRef<'_>) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        for node in element.children() {
            match node.value() {
                Node::Text(text) => self.inline(text),
                Node::Element(_) => {
                    if let Some(inner) = ElementRef::wrap(node) {
                        self.element(inner);
                    }
                }
                _ => {}
            }
        }
        self.depth -= 1;
    }

    fn element(&mut self, element: ElementRef<'_>) {
        if tick().is_err() || self.skip.iter().any(|selector| selector.matches(&element)) {
            return;
        }
        match element.value().name() {
            "script" | "style" | "template" => {}
            "a" => self.anchor(element),
            "img" => self.image(element),
            "br" => self.top(TextBlock::break_line),
            "wbr" => {}
            "article" | "aside" | "div" | "footer" | "form" | "header" | "main" | "nav"
            | "section" => self.block(element, 1, 1),
            "p" | "table" => self.block(element, 2, 2),
            "h1" | "h2" | "h3" => self.heading(element, 3),
            "h4" | "h5" | "h6" => self.heading(element, 2),
            "pre" => {
                self.open(0);
                self.top(|block| block.is_verbatim = true);
                self.children(element);
                self.close(2, 2, str::to_owned);
            }
            "blockquote" => {
                self.open(2);
                self.children(element);
                self.close(2, 2, |text| {
                    text.trim_matches('\n')
                        .split('\n')
                        .map(|line| format!("> {line}"))
                        .collect::<Vec<_>>()
                        .join("\n")
                });
            }
            "hr" => self
                .top(|block| block.append(&"-".repeat(block.line_length.min(LINE_LENGTH)), 2, 2)),
            "ul" | "ol" => self.list(element),
            _ => self.children(element),
        }
    }

    fn top(&mut self, change: impl FnOnce(&mut TextBlock)) {
        if let Some(block) = self.blocks.last_mut() {
            change(block);
        }
    }

    fn inline(&mut self, text: &str) {
        let upper_case = self.upper_case > 0;
        self.top(|block| {
            block.add(text, |word| if upper_case { word.to_uppercase() } else { word.to_owned() })
        });
    }

    /// Text that keeps its letters even inside of a heading.
    fn plain(&mut self, text: &str) {
        self.top(|block| block.add(text, str::to_owned));
    }

    fn open(&mut self, reserved: usize) {
        let length = self.blocks.last().map_or(LINE_LENGTH, |block| block.line_length);
        self.blocks.push(TextBlock::new(length.saturating_sub(reserved).max(1)));
    }

    fn close(&mut self, leading: usize, trailing: usize, transform: impl Fn(&str) -> String) {
        let Some(block) = self.blocks.pop() else { return };
        let text = transform(&block.text());
        let trailing =
            if block.lines.is_empty() { trailing.max(block.owed_breaks) } else { trailing };
        self.top(|parent| parent.append(&text, leading.max(block.leading_breaks), trailing));
    }

    fn block(&mut self, element: ElementRef<'_>, leading: usize, trailing: usize) {
        self.open(0);
        self.children(element);
        self.close(leading, trailing, str::to_owned);
    }

    fn heading(&mut self, element: ElementRef<'_>, leading: usize) {
        self.upper_case += 1;
        self.block(element, leading, 2);
        self.upper_case -= 1;
    }

    fn anchor(&mut self, element: ElementRef<'_>) {
        let target = element.value().attr("href").unwrap_or_default();
        let target = target.strip_prefix("mailto:").unwrap_or(target);
        self.children(element);
        if target.is_empty() || target.starts_with('#') {
            return;
        }
        let is_empty = element.text().all(|text| text.trim().is_empty());
        if is_empty { self.plain(target) } else { self.plain(&format!(" [{target}]")) }
    }

    fn image(&mut self, element: ElementRef<'_>) {
        let attribute = |name| element.value().attr(name).unwrap_or_default();
        match (attribute("alt"), attribute("src")) {
            (alt, "") => self.plain(alt),
            ("", src) => self.plain(&format!("[{src}]")),
            (alt, src) => self.plain(&format!("{alt} [{src}]")),
        }
    }

    fn list(&mut self, list: ElementRef<'_>) {
        let is_nested = list
            .parent()
            .and_then(ElementRef::wrap)
            .is_some_and(|parent| parent.value().name() == "li");
        let is_numbered = list.value().name() == "ol";
        let mut number: i64 =
            list.value().attr("start").and_then(|start| start.parse().ok()).unwrap_or(1);
        let mut items = Vec::new();
        for item in list.child_elements() {
            let prefix = match (item.value().name() == "li", is_numbered) {
                (false, _) => String::new(),
                (true, false) => " * ".to_owned(),
                (true, true) => {
                    number = number.saturating_add(1);
                    format!(" {}. ", number - 1)
                }
            };
            items.push((item, if is_nested { prefix.trim_start().to_owned() } else { prefix }));
        }
        let Some(width) = items.iter().map(|(_, prefix)| prefix.chars().count()).max() else {
            return;
        };
        self.open(0);
        for (item, prefix) in items {
            self.open(width);
            self.element(item);
            let indent = format!("\n{}", " ".repeat(width));
            self.close(1, 1, |text| format!("{prefix:<width$}{}", text.replace('\n', &indent)));
        }
        let breaks = if is_nested { 1 } else { 2 };
        self.close(breaks, breaks, str::to_owned);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scraper::Html;

    fn text(html: &str) -> String {
        write(Html::parse_document(html).root_element(), &[])
    }

    #[test]
    fn lists_are_marked_and_nested() {
        assert_eq!(
            text("<p>x</p><ul><li>a</li><li>b<ol><li>c</li><li>d</li></ol></li></ul>y"),
            "x\n\n * a\n * b\n   1. c\n   2. d\n\ny"
        );
    }

    #[test]
    fn words_are_wrapped_after_eighty_letters() {
        let long = "word ".repeat(20);
        let wrapped = text(&format!("<p>{long}</p>"));
        assert_eq!(wrapped.lines().map(str::len).collect::<Vec<_>>(), [79, 19]);
        assert_eq!(
            text(&format!("<p>a {}</p>", "x".repeat(100))),
            format!("a\n{}", "x".repeat(100))
        );
    }

    #[test]
    fn words_stay_together_across_tags() {
        assert_eq!(text("<b>bo</b>ld <i> it</i>!<br>next"), "bold it!\nnext");
        assert_eq!(
            text(
                "<h4>Big <a href='/x'>link</a></h4><pre>a\n  b</pre><blockquote>q<p>r</p></blockquote>"
            ),
            "BIG LINK [/x]\n\na\n  b\n\n> q\n> \n> r"
        );
    }

    #[test]
    fn long_pages_are_quick() {
        let page = "<p>some words</p>".repeat(50_000);
        assert_eq!(text(&page).lines().count(), 99_999);
    }

    #[test]
    fn deep_pages_are_cut_off() {
        assert!(text(&"<div>".repeat(5000)).is_empty());
    }
}
