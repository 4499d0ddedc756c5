//! Statements from the parameters that the SQL nodes share.

use super::batch::ItemQuery;
use super::binding::{self, BoundStatement};
use super::build::{SortRule, SqlCondition, entries, locator_text, push_sort, push_where};
use super::replacements;
use node_api::connect::Dialect;
use node_api::prelude::*;

/// What stands after a statement that empties or removes a table.
pub(in super::super) struct TableCommandSuffix {
    pub(in super::super) truncate: String,
    pub(in super::super) drop: String,
}

/// The query of each item; what is wrong with one names its item.
pub(in super::super) fn queries_per_item(
    items: &Items,
    statements: impl Fn(&Item, usize) -> Result<Vec<BoundStatement>, NodeError>,
) -> Result<Vec<ItemQuery>, NodeError> {
    let query = |(index, item): (usize, _)| {
        let statements = statements(&item, index).map_err(|error| error.on_item(index))?;
        Ok(ItemQuery { item: index, statements })
    };
    items.iter().enumerate().map(query).collect()
}

pub(in super::super) fn no_such_operation(operation: &str) -> NodeError {
    NodeError::parameter("operation", format!("Unknown operation '{operation}'"))
}

/// The statements that a person wrote, with their values bound.
pub(in super::super) fn custom_query(
    ctx: &Ctx<'_>,
    dialect: Dialect,
    index: usize,
) -> Result<Vec<BoundStatement>, NodeError> {
    let query = replacements::query_of(ctx, index)?;
    let values = replacements::values_of(ctx, dialect, &query, index)?;
    binding::bind(dialect, &query, &values)
}

/// The name of the chosen table, without quotes.
pub(in super::super) fn table_name(ctx: &Ctx<'_>, index: usize) -> Result<Str, NodeError> {
    let name = locator_text(&ctx.param("table", index)?);
    match name.is_empty() {
        true => Err(NodeError::parameter("table", "No table is chosen")
            .hint("Choose a table, or enter its name.")),
        false => Ok(name),
    }
}

/// `SELECT … FROM … WHERE … ORDER BY … LIMIT …`
pub(in super::super) fn select(
    ctx: &Ctx<'_>,
    dialect: Dialect,
    columns: &str,
    table: &str,
    index: usize,
) -> Result<BoundStatement, NodeError> {
    let mut statement = BoundStatement::new(format!("SELECT {columns} FROM {table}"));
    push_conditions(ctx, dialect, &mut statement, index)?;
    push_sort(dialect, &mut statement, &entries::<SortRule>(ctx, "sort.values", index)?);
    if !ctx.flag("returnAll", index)? {
        statement.push(&format!(" LIMIT {}", ctx.number("limit", index)?.max(0.0) as u64));
    }
    Ok(statement)
}

pub(in super::super) fn delete(
    ctx: &Ctx<'_>,
    dialect: Dialect,
    table: &str,
    endings: TableCommandSuffix,
    index: usize,
) -> Result<BoundStatement, NodeError> {
    match ctx.text("deleteCommand", index)?.as_str() {
        "drop" => Ok(BoundStatement::new(format!("DROP TABLE IF EXISTS {table}{}", endings.drop))),
        "truncate" => {
            Ok(BoundStatement::new(format!("TRUNCATE TABLE {table}{}", endings.truncate)))
        }
        "delete" => {
            let mut statement = BoundStatement::new(format!("DELETE FROM {table}"));
            push_conditions(ctx, dialect, &mut statement, index)?;
            Ok(statement)
        }
        other => Err(NodeError::parameter("deleteCommand", format!("Unknown command '{other}'"))
            .hint("Choose truncate, delete or drop.")),
    }
}

fn push_conditions(
    ctx: &Ctx<'_>,
    dialect: Dialect,
    statement: &mut BoundStatement,
    index: usize,
) -> Result<(), NodeError> {
    let conditions: Vec<SqlCondition> = entries(ctx, "where.values", index)?;
    push_where(dialect, statement, &conditions, &ctx.text("combineConditions", index)?)
}
