//! Items as the rows and columns of a sheet: nested fields are spread out, `a.b.0`.

use super::SheetCell;
use jiff::Timestamp;
use model::{Code, DateKind, Item, Items, Object, Str, Value};
use ports::NodeError;
use std::collections::HashMap;

/// The cells of a sheet that is written, the empty ones included: writers keep up to a hundred
/// bytes for each.
const MAX_CELLS: usize = 4_000_000;
/// As many as spreadsheet programs take.
const MAX_COLUMNS: usize = 16_384;
/// What the names of all columns and the texts of all cells may take.
const MAX_TEXT: usize = 128 << 20;

/// A sheet to be written: every row has every column. Only the names of the columns are kept; a row
/// is made when it is asked for.
pub(super) struct SheetTable<'i> {
    items: &'i Items,
    columns: HashMap<Str, usize>,
    header: Option<Vec<Str>>,
}

impl<'i> SheetTable<'i> {
    pub(super) fn new(items: &'i Items, with_header: bool) -> Result<Self, NodeError> {
        let mut columns: HashMap<Str, usize> = HashMap::new();
        let mut names: Vec<Str> = Vec::new();
        let mut text = 0usize;
        for item in items.iter() {
            each_cell(&item, &mut |name, cell| {
                if let SheetCell::Text(value) = &cell {
                    text = text.saturating_add(value.len());
                }
                if !columns.contains_key(&name) {
                    text = text.saturating_add(name.len());
                    columns.insert(name.clone(), names.len());
                    names.push(name);
                }
                // Items that have no field in common make a sheet that is far larger than they are.
                if items.len().saturating_mul(names.len()) > MAX_CELLS {
                    return Err(too_large(format!(
                        "more than {MAX_CELLS} cells: every row has every column"
                    )));
                }
                if names.len() > MAX_COLUMNS {
                    return Err(too_large(format!("more than {MAX_COLUMNS} columns")));
                }
                match text > MAX_TEXT {
                    true => Err(too_large(format!("more than {} MB of text", MAX_TEXT >> 20))),
                    false => Ok(()),
                }
            })?;
        }
        let header = (with_header && !items.is_empty()).then_some(names);
        Ok(Self { items, columns, header })
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = Vec<Option<SheetCell>>> {
        let header = self.header.iter().map(|names| {
            names.iter().map(|name| Some(SheetCell::Text(name.clone()))).collect::<Vec<_>>()
        });
        header.chain(self.items.iter().map(move |item| self.row(&item)))
    }

    fn row(&self, item: &Item) -> Vec<Option<SheetCell>> {
        let mut row = vec![None; self.width()];
        // Nothing is refused here: the item was looked at before.
        let _ = each_cell(item, &mut |name, cell| {
            if let Some(at) = self.columns.get(&name)
                && let Some(place) = row.get_mut(*at)
            {
                *place = Some(cell);
            }
            Ok(())
        });
        row
    }

    pub(super) fn height(&self) -> usize {
        self.items.len() + usize::from(self.header.is_some())
    }

    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }
}

fn too_large(what: String) -> NodeError {
    NodeError::new(Code::INPUT_BOMB, format!("The sheet would have {what}"))
        .hint("Write fewer items, or items with the same fields.")
}

/// Takes the name and the cell of each field.
type CellVisitor<'t> = dyn FnMut(Str, SheetCell) -> Result<(), NodeError> + 't;

/// The fields of an item one by one, so that no more of their names is held than the taker keeps.
fn each_cell(item: &Item, take: &mut CellVisitor<'_>) -> Result<(), NodeError> {
    item.json.as_object().map_or(Ok(()), |object| flatten("", object, take))
}

fn flatten(prefix: &str, object: &Object, take: &mut CellVisitor<'_>) -> Result<(), NodeError> {
    let name = |key: &str| {
        if prefix.is_empty() { Str::from(key) } else { Str::from(format!("{prefix}.{key}")) }
    };
    in_javascript_order(object)
        .into_iter()
        .try_for_each(|(key, value)| one(name(key), value, take, !prefix.is_empty()))
}

fn one(
    name: Str,
    value: &Value,
    take: &mut CellVisitor<'_>,
    is_inner: bool,
) -> Result<(), NodeError> {
    let cell = match value {
        Value::Object(object) => return flatten(&name, object, take),
        Value::Array(values) => {
            // In n8n the plain values of a list come before its lists and objects.
            let is_nested = |value: &Value| matches!(value, Value::Array(_) | Value::Object(_));
            for wanted in [false, true] {
                for (position, value) in values.iter().enumerate() {
                    if is_nested(value) == wanted {
                        one(format!("{name}.{position}").into(), value, take, true)?;
                    }
                }
            }
            return Ok(());
        }
        Value::Undefined if is_inner => return Ok(()),
        Value::Undefined | Value::Null => SheetCell::Null,
        Value::Bool(flag) => SheetCell::Bool(*flag),
        Value::Number(number) => SheetCell::Number(*number),
        Value::String(text) => SheetCell::Text(text.clone()),
        Value::Date(date) if date.kind == DateKind::Luxon => SheetCell::Text(date.iso.clone()),
        Value::Date(date) => SheetCell::Text(
            javascript_date(date.epoch_ms).map_or_else(|| date.iso.clone(), Str::from),
        ),
    };
    take(name, cell)
}

/// Keys that are whole numbers come first in JavaScript, smallest first.
fn in_javascript_order(object: &Object) -> Vec<(&Str, &Value)> {
    let index = |key: &str| {
        key.parse::<u32>().ok().filter(|number| number.to_string() == key && *number < u32::MAX)
    };
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
