//! Items as the rows and columns of a sheet: nested fields are spread out, `a.b.0`.

use super::Cell;
use jiff::Timestamp;
use model::{DateKind, Items, Object, Str, Value};
use std::collections::HashMap;

/// A sheet to be written: every row has every column.
pub(super) struct Table {
    rows: Vec<Vec<Option<Cell>>>,
}

impl Table {
    pub(super) fn new(items: &Items, with_header: bool) -> Self {
        let mut columns: HashMap<Str, usize> = HashMap::new();
        let mut names: Vec<Str> = Vec::new();
        let mut rows: Vec<Vec<Option<Cell>>> = Vec::with_capacity(items.len() + 1);
        let mut flat = Vec::new();
        for item in items.iter() {
            flat.clear();
            if let Some(object) = item.json.as_object() {
                flatten("", object, &mut flat);
            }
            let mut row = vec![None; names.len()];
            for (name, cell) in flat.drain(..) {
                let at = *columns.entry(name).or_insert_with_key(|name| {
                    names.push(name.clone());
                    names.len() - 1
                });
                if row.len() <= at {
                    row.resize(at + 1, None);
                }
                row[at] = cell;
            }
            rows.push(row);
        }
        for row in &mut rows {
            row.resize(names.len(), None);
        }
        if with_header && !rows.is_empty() {
            rows.insert(0, names.into_iter().map(|name| Some(Cell::Text(name))).collect());
        }
        Self { rows }
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &[Option<Cell>]> {
        self.rows.iter().map(Vec::as_slice)
    }

    pub(super) fn height(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn width(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }
}

fn flatten(prefix: &str, object: &Object, out: &mut Vec<(Str, Option<Cell>)>) {
    let name = |key: &str| if prefix.is_empty() { Str::from(key) } else { Str::from(format!("{prefix}.{key}")) };
    for (key, value) in in_javascript_order(object) {
        one(name(key), value, out, !prefix.is_empty());
    }
}

fn one(name: Str, value: &Value, out: &mut Vec<(Str, Option<Cell>)>, is_inner: bool) {
    let cell = match value {
        Value::Object(object) => return flatten(&name, object, out),
        Value::Array(values) => {
            for (position, value) in values.iter().enumerate() {
                one(format!("{name}.{position}").into(), value, out, true);
            }
            return;
        }
        Value::Undefined if is_inner => return,
        Value::Undefined | Value::Null => None,
        Value::Bool(flag) => Some(Cell::Bool(*flag)),
        Value::Number(number) => Some(Cell::Number(*number)),
        Value::String(text) => Some(Cell::Text(text.clone())),
        Value::Date(date) if date.kind == DateKind::Luxon => Some(Cell::Text(date.iso.clone())),
        Value::Date(date) => Some(Cell::Text(javascript_date(date.epoch_ms).map_or_else(|| date.iso.clone(), Str::from))),
    };
    out.push((name, cell));
}

/// Keys that are whole numbers come first in JavaScript, smallest first.
fn in_javascript_order(object: &Object) -> Vec<(&Str, &Value)> {
    let index = |key: &str| key.parse::<u32>().ok().filter(|number| number.to_string() == key && *number < u32::MAX);
    let mut fields: Vec<_> = object.iter().collect();
    if fields.iter().any(|(key, _)| index(key).is_some()) {
        fields.sort_by_key(|(key, _)| index(key).map_or((1, 0), |number| (0, number)));
    }
    fields
}

/// What `String(date)` gives where the clock is set to UTC.
fn javascript_date(epoch_ms: f64) -> Option<String> {
    let time = Timestamp::from_millisecond(epoch_ms as i64).ok()?.to_zoned(jiff::tz::TimeZone::UTC);
    Some(time.strftime("%a %b %d %Y %H:%M:%S GMT+0000 (Coordinated Universal Time)").to_string())
}
