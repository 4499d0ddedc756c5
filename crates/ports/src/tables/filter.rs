//! Filters in n8n's shape: `{ "type": "and", "filters": [{ "columnName", "condition", "value" }]
//! }`.

use super::{TableError, TableRecord};
use model::{Str, Value};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowFilter {
    pub combine: Combine,
    /// Without any, every row fits.
    pub conditions: Vec<RowCondition>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Combine {
    #[default]
    And,
    Or,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RowCondition {
    pub column: Str,
    pub test: ConditionOp,
    pub value: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionOp {
    Equal,
    NotEqual,
    /// Contains the text; with `%` for any letters if it has some.
    Like,
    /// The same whatever the case.
    LikeAnyCase,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

impl ConditionOp {
    pub const ALL: [(&'static str, ConditionOp); 8] = [
        ("eq", ConditionOp::Equal),
        ("neq", ConditionOp::NotEqual),
        ("like", ConditionOp::Like),
        ("ilike", ConditionOp::LikeAnyCase),
        ("gt", ConditionOp::Greater),
        ("gte", ConditionOp::GreaterOrEqual),
        ("lt", ConditionOp::Less),
        ("lte", ConditionOp::LessOrEqual),
    ];

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, test)| test)
    }
}

impl RowFilter {
    /// Reads a filter; what it does not know is refused, so that a misspelled filter never fits
    /// every row.
    pub fn from_value(value: &Value) -> Result<Self, TableError> {
        let fields = value
            .as_object()
            .ok_or_else(|| TableError::request("A filter must be an object with 'filters'"))?;
        if let Some(key) = fields.keys().find(|key| !["type", "filters"].contains(&key.as_str())) {
            return Err(TableError::request(format!("A filter has no field '{}'", shortened(key))));
        }
        let combine = match fields.get("type").map_or(Some("and"), Value::as_str) {
            Some("and") => Combine::And,
            Some("or") => Combine::Or,
            _ => return Err(TableError::request("The 'type' of a filter must be 'and' or 'or'")),
        };
        let list = fields.get("filters").and_then(Value::as_array);
        let list = list.ok_or_else(|| {
            TableError::request("A filter must have a list of conditions in 'filters'")
        })?;
        Ok(Self {
            combine,
            conditions: list.iter().map(RowCondition::from_value).collect::<Result<_, _>>()?,
        })
    }

    /// Makes sure that every condition can be asked of this table.
    pub fn check(&self, table: &TableRecord, limit: usize) -> Result<(), TableError> {
        if self.conditions.len() > limit {
            return Err(TableError::Limit { what: "The filter has too many conditions", limit });
        }
        self.conditions.iter().try_for_each(|condition| condition.check(table))
    }
}

impl RowCondition {
    pub fn new(column: impl Into<Str>, test: ConditionOp, value: impl Into<Value>) -> Self {
        Self { column: column.into(), test, value: value.into() }
    }

    fn from_value(value: &Value) -> Result<Self, TableError> {
        let fields = value
            .as_object()
            .ok_or_else(|| TableError::request("A condition must be an object"))?;
        if let Some(key) = fields
            .keys()
            .find(|key| !["columnName", "condition", "value", "path"].contains(&key.as_str()))
        {
            return Err(TableError::request(format!(
                "A condition has no field '{}'",
                shortened(key)
            )));
        }
        if fields.get("path").is_some_and(|path| !path.is_nullish()) {
            return Err(TableError::request(
                "Columns do not contain objects, so a condition cannot have a 'path'",
            ));
        }
        let column = fields.get("columnName").and_then(Value::as_str);
        let column =
            column.ok_or_else(|| TableError::request("A condition must have a 'columnName'"))?;
        let test = fields
            .get("condition")
            .map_or(Some("eq"), Value::as_str)
            .and_then(ConditionOp::from_name)
            .ok_or_else(|| {
                let names = ConditionOp::ALL.map(|(name, _)| name).join(", ");
                TableError::request(format!(
                    "The 'condition' on '{}' must be one of {names}",
                    shortened(column)
                ))
            })?;
        let value = fields.get("value").ok_or_else(|| {
            TableError::request(format!(
                "The condition on '{}' has no 'value'; use null to match empty cells",
                shortened(column)
            ))
        })?;
        Ok(Self { column: column.into(), test, value: value.clone() })
    }

    fn check(&self, table: &TableRecord) -> Result<(), TableError> {
        let Self { column, test, value } = self;
        let kind = table.kind_of(column).ok_or_else(|| TableError::NoColumn {
            table: table.name.clone(),
            name: shortened(column),
        })?;
        let is_like = matches!(test, ConditionOp::Like | ConditionOp::LikeAnyCase);
        if is_like && kind != super::ColumnKind::String {
            return Err(TableError::request(format!(
                "Only string columns can be searched for text, but '{column}' is a {} column",
                kind.name()
            )));
        }
        if value.is_nullish() && !matches!(test, ConditionOp::Equal | ConditionOp::NotEqual) {
            return Err(TableError::request(format!("The condition on '{column}' needs a value")));
        }
        kind.cell(column, value).map(|_| ())
    }
}

fn shortened(name: &str) -> Str {
    name.chars().filter(|letter| !letter.is_control()).take(100).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn filters_are_read_and_what_is_misspelled_is_refused() {
        let good = json!({ "type": "or", "filters": [{ "columnName": "a", "condition": "gte", "value": 3 }] });
        let expected = RowFilter {
            combine: Combine::Or,
            conditions: vec![RowCondition::new("a", ConditionOp::GreaterOrEqual, 3)],
        };
        assert_eq!(RowFilter::from_value(&good).unwrap(), expected);
        assert_eq!(RowFilter::from_value(&json!({ "filters": [] })).unwrap(), RowFilter::default());
        for bad in [
            json!([]),
            json!({}),
            json!({ "filter": [] }),
            json!({ "type": "not", "filters": [] }),
            json!({ "filters": [1] }),
            json!({ "filters": [{ "condition": "eq", "value": 1 }] }),
            json!({ "filters": [{ "columnName": "a", "condition": "=", "value": 1 }] }),
            json!({ "filters": [{ "columnName": "a", "condition": "eq" }] }),
            json!({ "filters": [{ "columnName": "a", "condition": "eq", "value": 1, "or": 1 }] }),
            json!({ "filters": [{ "columnName": { "$ne": 1 }, "condition": "eq", "value": 1 }] }),
        ] {
            assert!(RowFilter::from_value(&bad).is_err(), "{bad:?}");
        }
    }
}
