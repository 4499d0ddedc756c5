//! What a column holds, and how values become that.

use super::TableError;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::fmt::{rfc2822, temporal::DateTimePrinter};
use jiff::tz::TimeZone;
use model::{Str, Value, number_to_string};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    String,
    Number,
    Boolean,
    Date,
}

/// A value in the form in which it is kept.
#[derive(Clone, Debug, PartialEq)]
pub enum CellValue {
    Null,
    Text(Str),
    Number(f64),
    Flag(bool),
    /// Milliseconds since the Unix epoch.
    Moment(i64),
}

impl ColumnKind {
    pub const ALL: [ColumnKind; 4] =
        [ColumnKind::String, ColumnKind::Number, ColumnKind::Boolean, ColumnKind::Date];

    pub fn name(self) -> &'static str {
        match self {
            ColumnKind::String => "string",
            ColumnKind::Number => "number",
            ColumnKind::Boolean => "boolean",
            ColumnKind::Date => "date",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// A value as this kind of column keeps it. Texts that spell a number, a yes or no or a moment
    /// count as such, and an empty text in a column of another kind is nothing.
    pub fn cell(self, column: &str, value: &Value) -> Result<CellValue, TableError> {
        let cell = match (self, value) {
            (_, Value::Undefined | Value::Null) => Some(CellValue::Null),
            (ColumnKind::String, Value::String(text)) => Some(CellValue::Text(text.clone())),
            (ColumnKind::String, Value::Number(number)) => {
                Some(CellValue::Text(number_to_string(*number).into()))
            }
            (ColumnKind::String, Value::Bool(flag)) => {
                Some(CellValue::Text(flag.to_string().into()))
            }
            (ColumnKind::String, Value::Date(date)) => Some(CellValue::Text(date.iso.clone())),
            (ColumnKind::String, _) => None,
            (_, Value::String(text)) if text.trim().is_empty() => Some(CellValue::Null),
            (ColumnKind::Number, value) => number(value).map(CellValue::Number),
            (ColumnKind::Boolean, value) => flag(value).map(CellValue::Flag),
            (ColumnKind::Date, value) => moment(value).map(CellValue::Moment),
        };
        cell.ok_or_else(|| {
            let shown: String = model::json::to_string(value).chars().take(100).collect();
            TableError::Value { column: column.into(), value: shown.into(), wanted: self.name() }
        })
    }
}

impl CellValue {
    /// The cell as items and answers show it.
    pub fn into_value(self) -> Value {
        match self {
            CellValue::Null => Value::Null,
            CellValue::Text(text) => Value::String(text),
            CellValue::Number(number) => Value::Number(number),
            CellValue::Flag(flag) => Value::Bool(flag),
            CellValue::Moment(milliseconds) => iso(milliseconds),
        }
    }

    /// What it counts against the limit of a table.
    pub fn bytes(&self) -> usize {
        match self {
            CellValue::Null => 0,
            CellValue::Text(text) => text.len(),
            CellValue::Number(_) | CellValue::Moment(_) => 8,
            CellValue::Flag(_) => 1,
        }
    }
}

/// A moment as text, in UTC.
pub fn iso(milliseconds: i64) -> Value {
    const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
    Timestamp::from_millisecond(milliseconds)
        .map_or(Value::Null, |moment| PRINTER.timestamp_to_string(&moment).into())
}

fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => *number,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::Number(number) if *number == 0.0 || *number == 1.0 => Some(*number == 1.0),
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn moment(value: &Value) -> Option<i64> {
    let in_range = |milliseconds: f64| {
        let whole = milliseconds.is_finite().then_some(milliseconds.trunc() as i64)?;
        Timestamp::from_millisecond(whole).ok().map(|_| whole)
    };
    match value {
        Value::Date(date) => in_range(date.epoch_ms),
        Value::Number(number) => in_range(*number),
        Value::String(text) => parse_moment(text.trim()),
        _ => None,
    }
}

/// What names no zone is in UTC.
fn parse_moment(text: &str) -> Option<i64> {
    let in_utc =
        |civil: DateTime| civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    let parsed = text
        .parse::<Timestamp>()
        .ok()
        .or_else(|| text.parse::<DateTime>().ok().and_then(in_utc))
        .or_else(|| text.parse::<Date>().ok().and_then(|date| in_utc(date.at(0, 0, 0, 0))))
        .or_else(|| rfc2822::parse(text).ok().map(|zoned| zoned.timestamp()));
    parsed.map(Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn values_become_what_their_column_holds() {
        let cell = |kind: ColumnKind, value: Value| kind.cell("c", &value).ok();
        assert_eq!(cell(ColumnKind::String, json!(1.5)), Some(CellValue::Text("1.5".into())));
        assert_eq!(cell(ColumnKind::String, json!("")), Some(CellValue::Text("".into())));
        assert_eq!(cell(ColumnKind::Number, json!(" 12 ")), Some(CellValue::Number(12.0)));
        assert_eq!(cell(ColumnKind::Boolean, json!("TRUE")), Some(CellValue::Flag(true)));
        assert_eq!(cell(ColumnKind::Boolean, json!(0)), Some(CellValue::Flag(false)));
        assert_eq!(cell(ColumnKind::Number, json!("")), Some(CellValue::Null));
        let noon = Some(CellValue::Moment(1_735_732_800_000));
        for text in [
            "2025-01-01T12:00:00Z",
            "2025-01-01T13:00:00+01:00",
            "2025-01-01 12:00",
            "Wed, 01 Jan 2025 12:00:00 GMT",
        ] {
            assert_eq!(cell(ColumnKind::Date, json!(text)), noon, "{text}");
        }
        assert_eq!(
            cell(ColumnKind::Date, json!("2025-01-01")),
            Some(CellValue::Moment(1_735_689_600_000))
        );
        assert_eq!(cell(ColumnKind::Date, json!(1_735_732_800_000i64)), noon);
        assert_eq!(
            CellValue::Moment(1_735_732_800_000).into_value(),
            json!("2025-01-01T12:00:00.000Z")
        );
    }

    #[test]
    fn values_of_another_kind_are_refused_with_their_column() {
        for (kind, value) in [
            (ColumnKind::String, json!({ "a": 1 })),
            (ColumnKind::String, json!([1])),
            (ColumnKind::Number, json!("inf")),
            (ColumnKind::Number, json!("twelve")),
            (ColumnKind::Number, json!(true)),
            (ColumnKind::Boolean, json!(2)),
            (ColumnKind::Date, json!("soon")),
            (ColumnKind::Date, json!(1e300)),
        ] {
            let error = kind.cell("c", &value).unwrap_err();
            assert!(
                error.to_string().contains("'c'") && error.to_string().contains(kind.name()),
                "{error}"
            );
        }
    }
}
