//! Writes HTML as Markdown, with the habits of the node-html-markdown library.

use crate::html::page::Page;
use crate::js_regex::JsRegex;
use crate::ticker::tick;
use model::{Str, Value};
use ports::NodeError;
use scraper::{ElementRef, Node as Part};

const MAX_DEPTH: usize = 300;

const IGNORED: &[&str] = &[
    "area", "audio", "base", "canvas", "embed", "head", "input", "link", "map", "meta", "noframes",
    "noscript", "object", "param", "rb", "rp", "rt", "rtc", "script", "source", "style", "svg",
    "template", "textarea", "title", "track", "video",
];

const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "body",
    "center",
    "dd",
    "details",
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
    "html",
    "main",
    "menu",
    "nav",
    "output",
    "p",
    "section",
    "summary",
];

pub struct MarkdownOptions {
    bullet: Str,
    fence: Str,
    em: Str,
    strong: Str,
    indented_code: bool,
    keep_data_images: bool,
    max_newlines: usize,
    references: bool,
    ignored: Vec<Str>,
    blocks: Vec<Str>,
    global_escape: Vec<(JsRegex, Str)>,
    line_start_escape: Vec<(JsRegex, Str)>,
    text_replace: Vec<(JsRegex, Str)>,
}

impl MarkdownOptions {
    pub fn read(given: &Value) -> Result<Self, NodeError> {
        let text = |name: &str, default: &str| {
            given
                .get(name)
                .filter(|value| !value.is_nullish())
                .map_or_else(|| default.into(), Value::to_js_string)
        };
        let flag = |name: &str| given.get(name).is_some_and(Value::is_truthy);
        let names = |name: &str| {
            text(name, "")
                .split(',')
                .map(|name| Str::from(name.trim().to_lowercase()))
                .filter(|name| !name.is_empty())
                .collect()
        };
        let rule = |pattern: &str, replacement: &str| {
            let regex = JsRegex::from_literal(pattern, "gm")
                .map_err(|problem| NodeError::parameter("options", problem))?;
            Ok::<_, NodeError>((regex, Str::from(replacement)))
        };
        let escape = |name: &str, pattern: &str, replacement: &str| {
            let value = |field: &str| {
                given
                    .get_path(&format!("{name}.value.{field}"))
                    .map(Value::to_js_string)
                    .unwrap_or_default()
            };
            if value("pattern").is_empty() {
                rule(pattern, replacement)
            } else {
                rule(&value("pattern"), &value("replacement"))
            }
        };
        let replacements =
            given.get_path("textReplace.values").and_then(Value::as_array).unwrap_or_default();
        let field = |entry: &Value, name: &str| {
            entry.get(name).map(Value::to_js_string).unwrap_or_default()
        };
        Ok(Self {
            bullet: text("bulletMarker", "*"),
            fence: text("codeFence", "```"),
            em: text("emDelimiter", "_"),
            strong: text("strongDelimiter", "**"),
            indented_code: text("codeBlockStyle", "fence") == "indented",
            keep_data_images: flag("keepDataImages"),
            max_newlines: given
                .get("maxConsecutiveNewlines")
                .and_then(Value::as_usize)
                .unwrap_or(3)
                .max(1),
            references: flag("useLinkReferenceDefinitions"),
            ignored: names("ignore"),
            blocks: names("blockElements"),
            global_escape: vec![escape("globalEscape", r"[\\`*_~\[\]]", "\\$&")?],
            line_start_escape: vec![escape(
                "lineStartEscape",
                r"^(\s*?)((?:\+\s)|(?:[=>-])|(?:#{1,6}\s))|(?:(\d+)(\.\s))",
                "$1$3\\$2$4",
            )?],
            text_replace: replacements
                .iter()
                .map(|entry| rule(&field(entry, "pattern"), &field(entry, "replacement")))
                .collect::<Result<_, _>>()?,
        })
    }
}

pub fn to_markdown(html: &str, options: &MarkdownOptions) -> Result<String, NodeError> {
    let page = Page::read(html)?;
    let mut writer = MarkdownWriter { options, links: Vec::new(), depth: 0 };
    let mut text = writer.children(page.root(), &Context::default());
    for (at, link) in writer.links.iter().enumerate() {
        text = format!(
            "{}{}[{}]: {link}",
            text.trim_end_matches('\n'),
            if at == 0 { "\n\n" } else { "\n" },
            at + 1
        );
    }
    tick()?;
    Ok(limit_newlines(text.trim_matches('\n').trim_end(), options.max_newlines))
}

fn limit_newlines(text: &str, most: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut run = 0;
    for letter in text.chars() {
        run = if letter == '\n' { run + 1 } else { 0 };
        if run <= most {
            out.push(letter);
        }
    }
    out
}

/// Where in the page we are.
#[derive(Clone, Default)]
struct Context {
    list_level: usize,
    in_cell: bool,
}

struct MarkdownWriter<'o> {
    options: &'o MarkdownOptions,
    links: Vec<String>,
    depth: usize,
}

/// Text that grows by pieces, with blank lines between blocks.
#[derive(Default)]
struct MarkdownBuffer {
    text: String,
    pending_newlines: usize,
}

impl MarkdownBuffer {
    fn block(&mut self, piece: &str, newlines: usize) {
        if piece.trim().is_empty() {
            return;
        }
        self.pending_newlines = self.pending_newlines.max(newlines);
        self.flush_newlines();
        self.text.push_str(piece.trim_matches('\n'));
        self.pending_newlines = newlines;
    }

    fn inline(&mut self, piece: &str) {
        if self.pending_newlines > 0 || self.text.is_empty() || self.text.ends_with('\n') {
            let piece = piece.trim_start_matches(' ');
            if piece.is_empty() {
                return;
            }
            self.flush_newlines();
            self.text.push_str(piece);
        } else if self.text.ends_with(' ') {
            self.text.push_str(piece.trim_start_matches(' '));
        } else {
            self.text.push_str(piece);
        }
    }

    fn flush_newlines(&mut self) {
        if !self.text.is_empty() {
            let kept = self.text.trim_end_matches(' ').len();
            self.text.truncate(kept);
            let there = self.text.len() - self.text.trim_end_matches('\n').len();
            self.text.push_str(&"\n".repeat(self.pending_newlines.saturating_sub(there)));
        }
        self.pending_newlines = 0;
    }
}

impl MarkdownWriter<'_> {
    fn children(&mut self, element: ElementRef<'_>, context: &Context) -> String {
        let mut sheet = MarkdownBuffer::default();
        if self.depth < MAX_DEPTH && tick().is_ok() {
            self.depth += 1;
            for node in element.children() {
                match node.value() {
                    Part::Text(text) => {
                        let at_line_start = sheet.text.is_empty()
                            || sheet.pending_newlines > 0
                            || sheet.text.ends_with('\n');
                        sheet.inline(&self.escaped_text(text, at_line_start));
                    }
                    Part::Element(_) => {
                        if let Some(inner) = ElementRef::wrap(node) {
                            self.element(inner, context, &mut sheet);
                        }
                    }
                    _ => {}
                }
            }
            self.depth -= 1;
        }
        sheet.text
    }

    /// The text of a page with its spaces joined and its special characters escaped.
    fn escaped_text(&self, text: &str, at_line_start: bool) -> String {
        let is_space = |letter: char| letter.is_ascii_whitespace();
        let mut words =
            text.split(is_space).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        if words.is_empty() {
            return if text.is_empty() { String::new() } else { " ".into() };
        }
        let apply = |rules: &[(JsRegex, Str)], text: String| {
            rules.iter().fold(text, |text, (pattern, made)| pattern.replace(&text, made))
        };
        words = apply(&self.options.text_replace, words);
        words = apply(&self.options.global_escape, words);
        if at_line_start {
            words = apply(&self.options.line_start_escape, words);
        }
        let before = if text.starts_with(is_space) { " " } else { "" };
        let after = if text.ends_with(is_space) { " " } else { "" };
        format!("{before}{words}{after}")
    }

    fn element(&mut self, element: ElementRef<'_>, context: &Context, sheet: &mut MarkdownBuffer) {
        let name = element.value().name();
        let listed = |names: &[Str]| names.iter().any(|known| known == name);
        if IGNORED.contains(&name) || listed(&self.options.ignored) {
            return;
        }
        let break_text = if context.in_cell { " " } else { "  \n" };
        match name {
            "br" => {
                sheet.flush_newlines();
                sheet.text.push_str(break_text);
            }
            "hr" => sheet.block("---", 2),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = name[1..].parse().unwrap_or(1);
                let text = self.children(element, context);
                sheet
                    .block(&format!("{} {}", "#".repeat(level), text.trim().replace('\n', " ")), 2);
            }
            "strong" | "b" => self.wrapped(element, context, sheet, &self.options.strong.clone()),
            "em" | "i" => self.wrapped(element, context, sheet, &self.options.em.clone()),
            "del" | "s" | "strike" => self.wrapped(element, context, sheet, "~~"),
            "a" => self.link(element, context, sheet),
            "img" => sheet.inline(&self.image(element)),
            "pre" => sheet.block(&self.code_block(element), 2),
            "code" | "kbd" | "samp" | "tt" => {
                let text: String = element.text().collect();
                let mark = if text.contains('`') { "``" } else { "`" };
                let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
                if !text.trim().is_empty() {
                    sheet.inline(&format!("{mark}{space}{text}{space}{mark}"));
                }
            }
            "blockquote" => {
                let text = self.children(element, context);
                let quoted: Vec<String> = text
                    .trim_matches('\n')
                    .lines()
                    .map(|line| format!("> {line}").trim_end().to_owned())
                    .collect();
                sheet.block(&quoted.join("\n"), 2);
            }
            "ul" | "ol" => {
                let text = self.list(element, context);
                sheet.block(&text, if context.list_level > 0 { 1 } else { 2 });
            }
            "table" => match self.table(element) {
                Some(table) => sheet.block(&table, 2),
                None => sheet.block(&self.children(element, context), 2),
            },
            _ => {
                let text = self.children(element, context);
                if BLOCKS.contains(&name) || listed(&self.options.blocks) {
                    sheet.block(&text, 2)
                } else {
                    sheet.inline(&text)
                }
            }
        }
    }

    /// Marks stand close to the text; spaces go outside of them.
    fn wrapped(
        &mut self,
        element: ElementRef<'_>,
        context: &Context,
        sheet: &mut MarkdownBuffer,
        mark: &str,
    ) {
        let raw: String = element.text().collect();
        let text = self.children(element, context);
        let inner = text.trim();
        if inner.is_empty() {
            sheet.inline(if raw.is_empty() { "" } else { " " });
            return;
        }
        let before = if raw.starts_with(char::is_whitespace) { " " } else { "" };
        let after = if raw.ends_with(char::is_whitespace) { " " } else { "" };
        sheet.inline(&format!("{before}{mark}{inner}{mark}{after}"));
    }

    fn link(&mut self, element: ElementRef<'_>, context: &Context, sheet: &mut MarkdownBuffer) {
        let text = self.children(element, context);
        let inner = text.trim().replace('\n', " ");
        let Some(target) = element.value().attr("href").filter(|target| !target.is_empty()) else {
            sheet.inline(&text);
            return;
        };
        let target = target.replace(' ', "%20").replace('(', "%28").replace(')', "%29");
        if inner.is_empty() {
            return;
        }
        let title =
            element.value().attr("title").map(|title| format!(" \"{title}\"")).unwrap_or_default();
        let raw: String = element.text().collect();
        let made = if self.options.references {
            let at = self.links.iter().position(|known| *known == target).unwrap_or_else(|| {
                self.links.push(target.clone());
                self.links.len() - 1
            });
            format!("[{inner}][{}]", at + 1)
        } else if raw.trim() == target && title.is_empty() {
            format!("<{target}>")
        } else {
            format!("[{inner}]({target}{title})")
        };
        let before = if raw.starts_with(char::is_whitespace) { " " } else { "" };
        let after = if raw.ends_with(char::is_whitespace) { " " } else { "" };
        sheet.inline(&format!("{before}{made}{after}"));
    }

    fn image(&self, element: ElementRef<'_>) -> String {
        let attribute = |name| element.value().attr(name).unwrap_or_default();
        let source = attribute("src");
        if source.is_empty() || (source.starts_with("data:") && !self.options.keep_data_images) {
            return String::new();
        }
        let title = if attribute("title").is_empty() {
            String::new()
        } else {
            format!(" \"{}\"", attribute("title"))
        };
        format!("![{}]({source}{title})", attribute("alt"))
    }

    fn code_block(&self, element: ElementRef<'_>) -> String {
        let code: String = element.text().collect();
        let code = code.trim_matches('\n');
        if self.options.indented_code {
            return code.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n");
        }
        let classes = element
            .descendent_elements()
            .filter_map(|inner| inner.value().attr("class"))
            .collect::<Vec<_>>()
            .join(" ");
        let language = classes
            .split_whitespace()
            .find_map(|class| {
                class.strip_prefix("language-").or_else(|| class.strip_prefix("lang-"))
            })
            .unwrap_or("");
        format!("{fence}{language}\n{code}\n{fence}", fence = self.options.fence)
    }

    fn list(&mut self, list: ElementRef<'_>, context: &Context) -> String {
        let inner = Context { list_level: context.list_level + 1, in_cell: context.in_cell };
        let is_numbered = list.value().name() == "ol";
        let mut number: u64 =
            list.value().attr("start").and_then(|start| start.parse().ok()).unwrap_or(1);
        let mut lines = Vec::new();
        for item in list.child_elements().filter(|item| !IGNORED.contains(&item.value().name())) {
            let text = self.children(item, &inner);
            let text = text.trim();
            if item.value().name() != "li" {
                lines.extend(text.lines().map(|line| format!("   {line}")));
                continue;
            }
            if text.is_empty() {
                continue;
            }
            let mark =
                if is_numbered { format!("{number}.") } else { self.options.bullet.to_string() };
            number = number.saturating_add(1);
            let kept: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
            for (at, line) in kept.iter().enumerate() {
                let is_item = line.trim_start().starts_with(&format!("{} ", self.options.bullet))
                    || line
                        .trim_start()
                        .split_once(". ")
                        .is_some_and(|(first, _)| first.parse::<u64>().is_ok());
                match (at, is_item) {
                    (0, _) => lines.push(format!("{mark} {line}")),
                    // A further line of the same item needs a break before it.
                    (_, false) => {
                        if let Some(last) = lines.last_mut() {
                            *last = format!("{}  ", last.trim_end());
                        }
                        lines.push(format!("   {}", line.trim_end()));
                    }
                    (_, true) => lines.push(format!("   {line}")),
                }
            }
        }
        lines.join("\n")
    }

    fn table(&mut self, table: ElementRef<'_>) -> Option<String> {
        let context = Context { in_cell: true, ..Context::default() };
        let rows: Vec<ElementRef<'_>> =
            table.descendent_elements().filter(|row| row.value().name() == "tr").collect();
        let mut cells: Vec<Vec<String>> = Vec::new();
        for row in rows {
            let texts =
                row.child_elements().filter(|cell| matches!(cell.value().name(), "td" | "th"));
            cells.push(
                texts
                    .map(|cell| {
                        self.children(cell, &context)
                            .split_whitespace()
                            .collect::<Vec<_>>()
                            .join(" ")
                            .replace('|', "\\|")
                    })
                    .collect(),
            );
        }
        cells.retain(|row| !row.is_empty());
        let columns = cells.iter().map(Vec::len).max()?;
        let width = |column: usize| {
            cells
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
                .max(3)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let line = |row: &Vec<String>| {
            let padded = widths
                .iter()
                .enumerate()
                .map(|(at, width)| format!("{:<width$}", row.get(at).map_or("", String::as_str)));
            format!("| {} |", padded.collect::<Vec<_>>().join(" | "))
        };
        let rule = format!(
            "| {} |",
            widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>().join(" | ")
        );
        let mut lines: Vec<String> = cells.iter().map(line).collect();
        lines.insert(1.min(lines.len()), rule);
        Some(lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

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
            ("<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>", "* a\n* b\n   1. c"),
            (
                "<a href='http://x.y'>t</a> <a href='http://x.y'>http://x.y</a> <img src='i.png' alt='A'>",
                "[t](http://x.y) <http://x.y> ![A](i.png)",
            ),
            (
                "<pre><code class='language-js'>let a = 1;\n</code></pre><blockquote><p>q</p><p>r</p></blockquote>",
                "```js\nlet a = 1;\n```\n\n> q\n>\n> r",
            ),
            (
                "<p>1. x * y_z [k]</p><hr><p># no <code>a*b</code></p>",
                "1\\. x \\* y\\_z \\[k\\]\n\n---\n\n\\# no `a*b`",
            ),
            (
                "<table><tr><th>A</th><th>Bcde</th></tr><tr><td>1</td><td>2</td></tr></table>",
                "| A   | Bcde |\n| --- | ---- |\n| 1   | 2    |",
            ),
            ("<head><title>x</title></head><script>1</script><div>a</div><div>b</div>", "a\n\nb"),
        ] {
            assert_eq!(markdown(html, json!({})), expected, "{html}");
        }
    }

    #[test]
    fn settings_change_the_marks() {
        let options = json!({ "bulletMarker": "-", "emDelimiter": "*", "strongDelimiter": "__", "codeBlockStyle": "indented", "ignore": "h1" });
        assert_eq!(
            markdown("<h1>x</h1><ul><li><b>a</b> <i>b</i></li></ul><pre>c</pre>", options),
            "- __a__ *b*\n\n    c"
        );
        assert_eq!(
            markdown(
                "<p><a href='u'>a</a> <a href='v'>b</a></p>",
                json!({ "useLinkReferenceDefinitions": true })
            ),
            "[a][1] [b][2]\n\n[1]: u\n[2]: v"
        );
        let options = json!({ "textReplace": { "values": [{ "pattern": "a+", "replacement": "x" }] }, "globalEscape": { "value": { "pattern": "!", "replacement": "?" } } });
        assert_eq!(markdown("<p>aa!_</p>", options), "x?_");
    }

    #[test]
    fn a_broken_pattern_is_refused() {
        assert!(
            MarkdownOptions::read(&json!({ "textReplace": { "values": [{ "pattern": "(" }] } }))
                .is_err()
        );
    }
}
