//! A sheet as rows of values: objects by the header row, or lists of cells.

use super::{CellRange, Sheet, SheetCell, number::general, unreadable};
use model::{Object, Str, Value};
use ports::NodeError;
use std::collections::HashMap;

#[derive(Clone, Debug)]
pub struct RowOptions {
    /// The first row names the fields.
    pub header: bool,
    /// Empty cells are there as empty texts.
    pub with_empty: bool,
    /// `A2:C10`, or the number of rows to leave out at the top.
    pub range: Option<Str>,
}

/// Hands each row over. With a header a row is an object and empty rows are left out; without, it
/// is a list.
pub fn rows(
    sheet: &Sheet,
    options: &RowOptions,
    mut each: impl FnMut(Value) -> Result<(), NodeError>,
) -> Result<(), NodeError> {
    let Some(area) = area(sheet, options)? else { return Ok(()) };
    if !options.header {
        for row in area.from.0..=area.to.0 {
            each(list(sheet, row, area, options.with_empty))?;
        }
        return Ok(());
    }
    let names = header(sheet, area);
    let first = area.from.0.saturating_add(1);
    if options.with_empty {
        for row in first..=area.to.0 {
            let is_blank = sheet
                .rows
                .get(&row)
                .is_none_or(|cells| cells.range(area.from.1..=area.to.1).next().is_none());
            // A row without any cell stays out even then.
            if !is_blank {
                each(object(sheet, row, area, &names, true))?;
            }
        }
        return Ok(());
    }
    if first > area.to.0 {
        return Ok(());
    }
    for (row, _) in sheet.rows.range(first..=area.to.0) {
        let value = object(sheet, *row, area, &names, false);
        if value.as_object().is_some_and(|fields| !fields.is_empty()) {
            each(value)?;
        }
    }
    Ok(())
}

fn area(sheet: &Sheet, options: &RowOptions) -> Result<Option<CellRange>, NodeError> {
    let Some(whole) = sheet.area() else { return Ok(None) };
    let Some(range) = options.range.as_deref().map(str::trim).filter(|range| !range.is_empty())
    else {
        return Ok(Some(whole));
    };
    if let Ok(start) = range.parse::<f64>() {
        let row = start.max(0.0) as u32;
        return Ok((row <= whole.to.0).then_some(CellRange { from: (row, whole.from.1), ..whole }));
    }
    let mut corners = range.rsplit('!').next().unwrap_or(range).split(':');
    let first = corners.next().and_then(address);
    let last = corners.next().map_or(first, address);
    match (first, last) {
        (Some(from), Some(to)) if from.0 <= to.0 && from.1 <= to.1 => {
            // Rows far below the last cell are empty, and there may be very many of them.
            let to = if options.header {
                (to.0.min(whole.to.0), to.1.min(from.1 + 20_000))
            } else {
                (to.0.min(from.0 + 1_100_000), to.1.min(from.1 + 20_000))
            };
            Ok((from.0 <= to.0).then_some(CellRange { from, to }))
        }
        _ => Err(unreadable(format!(
            "The range '{range}' is neither a row number nor of the form A1:B2"
        ))),
    }
}

/// `B3` as row and column from 0.
fn address(text: &str) -> Option<(u32, u32)> {
    let text = text.replace('$', "");
    let digits = text.find(|letter: char| letter.is_ascii_digit())?;
    let (letters, number) = text.split_at(digits);
    if letters.is_empty() || letters.len() > 3 {
        return None;
    }
    let mut column = 0u32;
    for letter in letters.chars() {
        let value = letter.to_ascii_uppercase();
        if !value.is_ascii_uppercase() {
            return None;
        }
        column = column * 26 + (value as u32 - 'A' as u32 + 1);
    }
    let row: u32 = number.parse().ok()?;
    Some((row.checked_sub(1)?, column - 1))
}

/// The names of the columns: a name that comes again gets a number, an empty one a stand-in.
fn header(sheet: &Sheet, area: CellRange) -> Vec<Str> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut names = Vec::new();
    for column in area.from.1..=area.to.1 {
        let name = sheet.get(area.from.0, column).map_or_else(|| "__EMPTY".to_owned(), text);
        let mut unique = name.clone();
        match seen.get(&name).copied().unwrap_or(0) {
            0 => {
                seen.insert(name, 1);
            }
            mut count => {
                loop {
                    unique = format!("{name}_{count}");
                    count += 1;
                    if !seen.contains_key(&unique) {
                        break;
                    }
                }
                seen.insert(name, count);
                seen.insert(unique.clone(), 1);
            }
        }
        names.push(unique.into());
    }
    names
}

fn object(sheet: &Sheet, row: u32, area: CellRange, names: &[Str], with_empty: bool) -> Value {
    let mut fields = Object::new();
    for (name, column) in names.iter().zip(area.from.1..) {
        match sheet.get(row, column).map_or(Value::Undefined, value) {
            Value::Undefined if with_empty => {
                fields.insert(name.clone(), "");
            }
            Value::Undefined => {}
            value => {
                fields.insert(name.clone(), value);
            }
        }
    }
    Value::object(fields)
}

fn list(sheet: &Sheet, row: u32, area: CellRange, with_empty: bool) -> Value {
    let mut cells = Vec::new();
    for (position, column) in (area.from.1..=area.to.1).enumerate() {
        match sheet.get(row, column).map_or(Value::Undefined, value) {
            Value::Undefined if with_empty => cells.push(Value::from("")),
            Value::Undefined => {}
            value => {
                // What was left out before it is a hole, which JSON shows as null.
                cells.resize(position, Value::Null);
                cells.push(value);
            }
        }
    }
    Value::array(cells)
}

fn value(cell: &SheetCell) -> Value {
    match cell {
        SheetCell::Text(text) => Value::String(text.clone()),
        SheetCell::Number(number) | SheetCell::Date(number) => Value::Number(*number),
        SheetCell::Bool(flag) => Value::Bool(*flag),
        SheetCell::NullError | SheetCell::Null => Value::Null,
        SheetCell::Error => Value::Undefined,
    }
}

/// How a cell is shown.
pub(super) fn text(cell: &SheetCell) -> String {
    match cell {
        SheetCell::Text(text) => text.to_string(),
        SheetCell::Number(number) => general(*number),
        SheetCell::Date(days) => short_date(*days),
        SheetCell::Bool(flag) => if *flag { "TRUE" } else { "FALSE" }.to_owned(),
        SheetCell::Error | SheetCell::NullError => "#NULL!".to_owned(),
        SheetCell::Null => String::new(),
    }
}

/// `m/d/yy`, the format that dates have when nothing else is said.
fn short_date(days: f64) -> String {
    let epoch = jiff::civil::date(1899, 12, 30);
    let whole = jiff::Span::new().try_days(days.floor() as i64);
    match whole.and_then(|span| epoch.checked_add(span)) {
        Ok(date) => format!("{}/{}/{:02}", date.month(), date.day(), date.year().rem_euclid(100)),
        Err(_) => general(days),
    }
}
