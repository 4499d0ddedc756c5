//! Which rows of a table are meant.

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
