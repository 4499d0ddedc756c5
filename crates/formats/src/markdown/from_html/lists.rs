//! Quotations and lists.

use super::{MarkdownWriter, PageContext, is_space};
use scraper::{ElementRef, Node as Part};

impl MarkdownWriter<'_> {
    pub(super) fn quote(&mut self, element: ElementRef<'_>, context: PageContext) {
        let inner = self.taken(|it| it.children(element, context));
        for (at, line) in inner.trim_matches('\n').split('\n').enumerate() {
            if !self.goes_on() {
                break;
            }
            let words = line.trim_start_matches('>');
            let marks = line.len() - words.len();
            let words = words.strip_prefix([' ', '\t']).unwrap_or(words);
            self.text.push_str(if at == 0 { "" } else { "\n" });
            self.text += &format!("{}> {words}", &line[..marks]);
        }
    }

    pub(super) fn list(&mut self, list: ElementRef<'_>, context: PageContext) {
        let mut number = (list.value().name() == "ol").then_some(1);
        for node in list.children() {
            let Some(item) = ElementRef::wrap(node) else {
                if let Part::Text(text) = node.value() {
                    self.write_text(text, context);
                }
                continue;
            };
            let inner = PageContext { list_level: context.list_level + 1, ..context };
            if item.value().name() != "li" {
                self.element(item, inner);
            } else if item.has_children() {
                self.block(1, |it| {
                    if it.list_item(item, number, inner) {
                        number = number.map(|number| number + 1);
                    }
                });
            }
        }
    }

    /// Lines of an item have a break before them, and those of a list inside of a list are indented
    /// by its level.
    pub(super) fn list_item(
        &mut self,
        item: ElementRef<'_>,
        number: Option<usize>,
        context: PageContext,
    ) -> bool {
        let text = self.taken(|it| it.children(item, context));
        let text = text.trim_matches(is_space);
        if text.is_empty() {
            return false;
        }
        let indent = "   ".repeat(context.list_level.saturating_sub(1));
        let mark = number.map_or_else(|| self.options.bullet.to_string(), |at| format!("{at}."));
        let mut lines = text.split('\n').peekable();
        let mut is_first = true;
        while let Some(line) = lines.next() {
            // Line ends in a row are one.
            if line.is_empty() {
                continue;
            }
            if !self.goes_on() {
                break;
            }
            let words = line.trim_end_matches(is_space);
            let end = match (words.is_empty(), lines.peek().is_some()) {
                (true, true) => format!("{line}  "),
                (false, true) => format!("{words}  "),
                (_, false) => line.to_owned(),
            };
            self.text += &match is_first {
                true => format!("{indent}{mark} {end}"),
                false => format!("\n{indent}{end}"),
            };
            is_first = false;
        }
        true
    }
}
