//! Tables.

use super::{MAX_MARKDOWN, MarkdownWriter, PageContext, Within, is_space};
use scraper::ElementRef;

impl MarkdownWriter<'_> {
    pub(super) fn table(&mut self, table: ElementRef<'_>) -> Option<String> {
        let elements = |name: &'static str| {
            table.descendent_elements().filter(move |element| element.value().name() == name)
        };
        let context = PageContext { within: Within::Cell, ..PageContext::default() };
        let mut words = |element| {
            let text = self.taken(|it| it.children(element, context));
            text.trim_matches(is_space).to_owned()
        };
        let mut rows: Vec<Vec<String>> = Vec::new();
        let is_own = |row: &ElementRef<'_>| {
            let mut outer = row.ancestors().filter_map(ElementRef::wrap);
            outer
                .find(|outer| outer.value().name() == "table")
                .is_some_and(|own| own.id() == table.id())
        };
        for row in elements("tr").filter(is_own) {
            let cells = row
                .child_elements()
                .filter(|cell| matches!(cell.value().name(), "td" | "th") && cell.has_children());
            let mut cells: Vec<String> =
                cells.map(|cell| words(cell).replace('|', "\\|").replace('\n', " ")).collect();
            // A blank cell at the start is read as a part of the next one.
            if cells.len() > 1 && cells[0].is_empty() {
                cells.remove(0);
                cells[0].insert_str(0, "| ");
            }
            if !cells.is_empty() {
                rows.push(cells);
            }
        }
        let caption = elements("caption").map(words).find(|caption| !caption.is_empty());
        if rows.is_empty() {
            return None;
        }
        let length = |cell: &str| cell.encode_utf16().count();
        let mut widths: Vec<usize> = Vec::new();
        for row in &rows {
            widths.resize(widths.len().max(row.len()), 0);
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = length(cell).max(*width);
            }
        }
        let rule = widths.iter().map(|width| "-".repeat(*width)).collect();
        rows.insert(rows.len().min(1), rule);
        let mut lines: Vec<String> =
            caption.map(|caption| format!("__{caption}__")).into_iter().collect();
        let mut bytes = 0;
        for row in &rows {
            let cells = widths.iter().enumerate().map(|(at, width)| {
                let cell = row.get(at).map_or("", String::as_str);
                format!("{cell}{}", " ".repeat(width - length(cell)))
            });
            let line = format!("| {} |", cells.collect::<Vec<_>>().join(" | "));
            bytes += line.len();
            self.is_too_large |= bytes > MAX_MARKDOWN;
            if !self.goes_on() {
                return None;
            }
            lines.push(line);
        }
        Some(lines.join("\n"))
    }
}
