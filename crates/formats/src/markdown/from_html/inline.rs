//! Marks, links, images and code.

use super::{MarkdownWriter, PageContext, Within, is_space};
use scraper::ElementRef;

impl MarkdownWriter<'_> {
    /// Marks of two neighbours would be read as one, so a space comes between them.
    pub(super) fn push_apart(&mut self, piece: &str) {
        if piece.chars().next().is_some_and(|first| self.text.ends_with(first)) {
            self.text.push(' ');
        }
        self.text.push_str(piece);
    }

    /// Marks stand close to the words of each line; what is marked inside of it loses its marks.
    pub(super) fn marked(&mut self, element: ElementRef<'_>, context: PageContext, mark: &str) {
        let inner = self.taken(|it| it.children(element, context));
        if inner.trim_matches(is_space).is_empty() || !self.goes_on() {
            return;
        }
        let lines = without_marks(&inner, mark);
        let lines: Vec<String> = lines
            .split('\n')
            .map(|line| {
                let words = line.trim_matches(is_space);
                let space = |is_there| if is_there { " " } else { "" };
                match words.is_empty() {
                    true => line.to_owned(),
                    false => format!(
                        "{}{mark}{words}{mark}{}",
                        space(line.starts_with(is_space)),
                        space(line.ends_with(is_space))
                    ),
                }
            })
            .collect();
        self.push_apart(&lines.join("\n"));
    }

    pub(super) fn link(&mut self, element: ElementRef<'_>, context: PageContext) {
        let attribute = |name| element.value().attr(name).unwrap_or_default();
        let given = attribute("href");
        if given.is_empty() {
            return self.children(element, context);
        }
        let mut target = String::with_capacity(given.len());
        for letter in given.chars() {
            match letter {
                '(' => target += "%28",
                ')' => target += "%29",
                '_' => target += "%5F",
                '*' => target += "%2A",
                _ => target.push(letter),
            }
        }
        if element.text().collect::<String>() == given {
            self.text += &format!("<{target}>");
            return;
        }
        self.text.push('[');
        let words =
            self.taken(|it| it.children(element, PageContext { within: Within::Link, ..context }));
        let mut was_end = false;
        for letter in words.chars() {
            let is_end = letter == '\n';
            if !(is_end && was_end) {
                self.text.push(if is_end { ' ' } else { letter });
            }
            was_end = is_end;
        }
        let title = match attribute("title") {
            "" => String::new(),
            title => format!(" \"{title}\""),
        };
        if self.options.references {
            let at = self.links.iter().position(|known| *known == target).unwrap_or_else(|| {
                self.links.push(target);
                self.links.len() - 1
            });
            self.text += &format!("][{}]", at + 1);
        } else {
            self.text += &format!("]({target}{title})");
        }
    }

    pub(super) fn image(&mut self, element: ElementRef<'_>) {
        let attribute = |name| element.value().attr(name).unwrap_or_default();
        let source = attribute("src");
        let is_data = source.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:"));
        if source.is_empty() || (is_data && !self.options.keep_data_images) {
            return;
        }
        let title = match attribute("title") {
            "" => String::new(),
            title => format!(" \"{title}\""),
        };
        self.text += &format!("![{}]({source}{title})", attribute("alt"));
    }

    pub(super) fn code(&mut self, element: ElementRef<'_>, context: PageContext) {
        let code = self.taken(|it| it.children(element, PageContext { is_code: true, ..context }));
        let longest = code.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
        let marks = "`".repeat(longest + 1);
        let space = if longest > 0 { " " } else { "" };
        self.push_apart(&format!("{marks}{space}{code}{space}{marks}"));
    }

    /// A block of code is a `pre` around nothing but a `code`.
    pub(super) fn preformatted(&mut self, element: ElementRef<'_>, context: PageContext) {
        let context = PageContext { is_preformatted: true, is_code: true, ..context };
        let mut children = element.children();
        let code = match (children.next().and_then(ElementRef::wrap), children.next()) {
            (Some(only), None) if only.value().name() == "code" => only,
            (None, None) if !element.has_children() => return,
            _ => return self.block(2, |it| it.children(element, context)),
        };
        let within = PageContext { within: Within::CodeBlock, ..context };
        let text = self.taken(|it| it.children(code, within));
        let made = if self.options.indented_code {
            text.split('\n').map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
        } else {
            let classes = code.value().attr("class").unwrap_or_default();
            let language =
                classes.split(is_space).find_map(|class| class.strip_prefix("language-"));
            let fence = &self.options.fence;
            format!("{fence}{}\n{text}\n{fence}", language.unwrap_or_default())
        };
        self.block(2, |it| it.text.push_str(&made));
    }
}

/// A text without the marks in it, but one that it begins with, and one that is escaped.
fn without_marks(text: &str, mark: &str) -> String {
    if mark.is_empty() || !text.contains(mark) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        out.push(letter);
        rest = &rest[letter.len_utf8()..];
        if letter != '\\' {
            rest = rest.strip_prefix(mark).unwrap_or(rest);
        }
    }
    out
}
