//! Lists as tables that fit the terminal, as JSON, or as bare ids.

use super::{Colour, eprint_line, paint, print_line};
use clap::Args;
use model::{Object, Value, json};
use std::io::IsTerminal as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// What stands between two columns.
const GAP: &str = "  ";

/// A column is not made narrower than this.
const MIN_WIDTH: usize = 8;

/// How a list is printed.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct ListOutput {
    /// Print a JSON array
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) json: bool,
    /// Print only the IDs, one per line
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl ListOutput {
    /// Says something beside the list, to a person.
    pub(crate) fn note(self, text: &str) {
        if !self.json && !self.quiet {
            eprint_line(text);
        }
    }
}

/// A column: the key in JSON, and how it is shown.
struct Column {
    key: &'static str,
    align: Align,
    /// Whether the table shows it; JSON always has it.
    is_shown: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Align {
    Left,
    Right,
}

/// A value of a row: as JSON has it, and as a person reads it.
pub(crate) struct Cell {
    value: Value,
    text: String,
    colour: Option<Colour>,
}

impl Cell {
    /// A text, which is the same for both.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { value: text.as_str().into(), text, colour: None }
    }

    /// Something that may be missing.
    pub(crate) fn optional(text: Option<impl Into<String>>) -> Self {
        text.map_or(Self { value: Value::Null, text: String::new(), colour: None }, Self::text)
    }

    /// A value that a person reads otherwise.
    pub(crate) fn shown(value: impl Into<Value>, text: impl Into<String>) -> Self {
        Self { value: value.into(), text: text.into(), colour: None }
    }

    /// A moment: ISO 8601 with milliseconds in JSON, without them in a table.
    pub(crate) fn time(moment_ms: Option<i64>) -> Self {
        let time = moment_ms.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
        match time {
            Some(time) => Self::shown(format!("{time:.3}"), format!("{time:.0}")),
            None => Self::optional(None::<String>),
        }
    }

    pub(crate) fn coloured(self, colour: Colour) -> Self {
        Self { colour: Some(colour), ..self }
    }
}

/// A list of things with the same fields. The first column is what `--quiet` prints.
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Columns by their keys in JSON; the table shows them in capitals. A key that begins with `>`
    /// is aligned to the right, one that begins with `-` is only in JSON.
    pub(crate) fn new(keys: &[&'static str]) -> Self {
        let column = |key: &&'static str| match key.split_at(1) {
            (">", key) => Column { key, align: Align::Right, is_shown: true },
            ("-", key) => Column { key, align: Align::Left, is_shown: false },
            _ => Column { key, align: Align::Left, is_shown: true },
        };
        Self { columns: keys.iter().map(column).collect(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let cells: Vec<Cell> = cells.into_iter().collect();
        debug_assert_eq!(cells.len(), self.columns.len());
        self.rows.push(cells);
    }

    pub(crate) fn print(&self, output: ListOutput) {
        if output.json {
            return print_line(&json::to_string(&self.to_value()));
        }
        if output.quiet {
            return self
                .rows
                .iter()
                .filter_map(|row| row.first())
                .for_each(|cell| print_line(&cell.text));
        }
        let is_terminal = std::io::stdout().is_terminal();
        let width = terminal_width().filter(|_| is_terminal);
        for line in self.lines(width, is_terminal) {
            print_line(&line);
        }
    }

    /// The rows alone, as they follow an action.
    pub(crate) fn print_rows(&self) {
        self.lines(None, false).iter().for_each(|line| print_line(line));
    }

    fn to_value(&self) -> Value {
        let rows = self.rows.iter().map(|row| {
            let fields = self.columns.iter().zip(row);
            fields.map(|(column, cell)| (column.key, cell.value.clone())).collect::<Object>().into()
        });
        Value::array(rows.collect())
    }

    /// The lines of the table. Where they are wider than the terminal, the widest columns are cut.
    fn lines(&self, terminal: Option<usize>, has_header: bool) -> Vec<String> {
        let shown: Vec<usize> =
            (0..self.columns.len()).filter(|index| self.columns[*index].is_shown).collect();
        let header = |index: &usize| spaced_capitals(self.columns[*index].key);
        let mut widths: Vec<usize> = shown
            .iter()
            .map(|index| {
                let cells = self.rows.iter().map(|row| row[*index].text.as_str().width());
                let named = if has_header { header(index).width() } else { 0 };
                cells.max().unwrap_or(0).max(named)
            })
            .collect();
        if let Some(terminal) = terminal {
            fit(&mut widths, terminal.saturating_sub(GAP.len() * shown.len().saturating_sub(1)));
        }
        let is_last = |place: usize| place + 1 == shown.len();
        let join = |cells: Vec<String>| cells.join(GAP).trim_end().to_owned();
        let mut lines = Vec::with_capacity(self.rows.len() + 1);
        if has_header && !self.rows.is_empty() {
            let cells = shown.iter().enumerate().map(|(place, index)| {
                padded(
                    &header(index),
                    widths[place],
                    self.columns[*index].align,
                    is_last(place),
                    Some(Colour::Dim),
                )
            });
            lines.push(join(cells.collect()));
        }
        for row in &self.rows {
            let cells = shown.iter().enumerate().map(|(place, index)| {
                let (cell, column) = (&row[*index], &self.columns[*index]);
                padded(&cell.text, widths[place], column.align, is_last(place), cell.colour)
            });
            lines.push(join(cells.collect()));
        }
        lines
    }
}

/// `startedAt` as the head of a column.
fn spaced_capitals(key: &str) -> String {
    let mut text = String::new();
    for letter in key.chars() {
        if letter.is_uppercase() {
            text.push(' ');
        }
        text.extend(letter.to_uppercase());
    }
    text
}

/// Takes from the widest columns until all of them fit. The first one names the row, and is cut
/// last.
fn fit(widths: &mut [usize], room: usize) {
    for first in [1, 0] {
        while widths.iter().sum::<usize>() > room {
            let columns = widths.iter_mut().skip(first);
            match columns.max_by_key(|width| **width).filter(|width| **width > MIN_WIDTH) {
                Some(widest) => *widest -= 1,
                None => break,
            }
        }
    }
}

fn padded(text: &str, width: usize, align: Align, is_last: bool, colour: Option<Colour>) -> String {
    let text = cut(text, width);
    let room = " ".repeat(width.saturating_sub(text.as_str().width()));
    let shown = colour.map_or_else(|| text.clone(), |colour| paint(&text, colour));
    match align {
        Align::Right => format!("{room}{shown}"),
        Align::Left if is_last => shown,
        Align::Left => format!("{shown}{room}"),
    }
}

/// A text without what would break its line, at most so wide.
fn cut(text: &str, width: usize) -> String {
    let text = super::printable(text);
    if text.as_str().width() <= width {
        return text;
    }
    let (mut kept, mut used) = (String::new(), 0);
    for letter in text.chars() {
        used += letter.width().unwrap_or(0);
        if used + 1 > width {
            break;
        }
        kept.push(letter);
    }
    kept.push('…');
    kept
}

fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&["id", "startedAt", ">items", "-note", "name"]);
        table.row([
            Cell::text("7"),
            Cell::time(Some(1_700_000_000_123)),
            Cell::shown(12.0, "12"),
            Cell::optional(None::<String>),
            Cell::text("A long name that goes on and on"),
        ]);
        table.row([
            Cell::text("12"),
            Cell::time(None),
            Cell::shown(3.0, "3"),
            Cell::text("only in JSON"),
            Cell::text("名前"),
        ]);
        table
    }

    #[test]
    fn a_table_fits_the_terminal() {
        for width in [40, 60, 80] {
            for line in table().lines(Some(width), true) {
                assert!(line.as_str().width() <= width, "{width}: {line}");
            }
        }
        let whole = table().lines(None, false);
        assert_eq!(whole[0], "7   2023-11-14T22:13:20Z  12  A long name that goes on and on");
        assert_eq!(whole[1], "12                         3  名前");
        let narrow = table().lines(Some(44), true);
        let heads: Vec<&str> =
            narrow[0].split("  ").map(str::trim).filter(|head| !head.is_empty()).collect();
        assert_eq!(heads, ["ID", "STARTED AT", "ITEMS", "NAME"]);
        assert!(narrow[1].ends_with('…'), "{narrow:?}");
    }

    #[test]
    fn json_has_every_field_and_no_colour() {
        let expected = json!([
            { "id": "7", "startedAt": "2023-11-14T22:13:20.123Z", "items": 12, "note": null, "name": "A long name that goes on and on" },
            { "id": "12", "startedAt": null, "items": 3, "note": "only in JSON", "name": "名前" }
        ]);
        assert_eq!(table().to_value(), expected);
    }

    #[test]
    fn a_name_cannot_draw_over_the_table() {
        let mut table = Table::new(&["id", "name"]);
        table.row([Cell::text("1"), Cell::text("a\u{1b}[2K\nb")]);
        let lines = table.lines(None, false);
        assert!(lines.len() == 1 && !lines[0].contains(['\u{1b}', '\n']), "{lines:?}");
    }
}
