//! The first version of the MySQL node: columns as a text with commas, values from the fields of
//! the items.

use super::super::sql::batch::{self, EmptyResult, QueryBatching};
use super::super::sql::binding::BoundStatement;
use super::super::sql::{build, credential, statements};
use super::{DIALECT, priority, table};
use node_api::prelude::*;

pub struct MySqlV1;

impl Node for MySqlV1 {
    fn spec() -> Spec {
        let operations =
            [("executeQuery", "Execute Query"), ("insert", "Insert"), ("update", "Update")];
        Spec::new(
            "n8n-nodes-base.mySql",
            &[1.0],
            "MySQL",
            "Read and write rows in a MySQL or MariaDB database",
        )
        .icon("database")
        .untrusted()
        .private()
        .group(NodeGroup::Integration)
        .credential("mySql", true)
        .params([
            Param::choice("operation", "Operation", &operations)
                .preset("insert")
                .help("Operation on the database."),
            Param::code("query", "Query", "sql", "")
                .show("operation", &["executeQuery"])
                .help("The SQL to run for each item."),
            Param::locator("table", "Table", &["list", "name"])
                .preset(json!({ "mode": "list", "value": "" }))
                .hide("operation", &["executeQuery"])
                .help("Table to use."),
            Param::text("updateKey", "Update key", "id")
                .show("operation", &["update"])
                .help("Column that identifies the rows to update."),
            Param::text("columns", "Columns", "")
                .hide("operation", &["executeQuery"])
                .help("Comma-separated fields of the items to write."),
            Param::collection(
                "options",
                "Options",
                [
                    Param::flag("ignore", "Ignore", true)
                        .help("Skip rows that violate a unique constraint instead of failing."),
                    Param::choice(
                        "priority",
                        "Priority",
                        &[("LOW_PRIORITY", "Low priority"), ("HIGH_PRIORITY", "High priority")],
                    )
                    .preset("")
                    .help("Priority of the insert on the server."),
                ],
            )
            .show("operation", &["insert"])
            .help("Fine points."),
        ])
        .hint("Use the newest version in new workflows.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let server = credential::mysql(ctx)?;
        let operation = ctx.text("operation", 0)?;
        let queries =
            statements::queries_per_item(&items, |item, index| match operation.as_str() {
                "executeQuery" => Ok(vec![BoundStatement::new(ctx.text("query", index)?.as_str())]),
                "insert" => insert(ctx, item, index).map(|statement| vec![statement]),
                "update" => update(ctx, item, index).map(|statement| vec![statement]),
                other => Err(statements::no_such_operation(other)),
            })?;
        // A change is told with its numbers in this version.
        batch::run(ctx, &server, queries, QueryBatching::Independently, EmptyResult::Reported).await
    }
}

fn row(ctx: &Ctx<'_>, item: &Item, index: usize) -> Result<Object, NodeError> {
    let columns = build::names(&ctx.param("columns", index)?);
    if columns.is_empty() {
        return Err(NodeError::parameter("columns", "No columns are specified")
            .hint("Enter the fields to write, separated by commas."));
    }
    Ok(columns
        .into_iter()
        .map(|name| (name.clone(), item.json.get(&name).cloned().unwrap_or(Value::Null)))
        .collect())
}

fn insert(ctx: &Ctx<'_>, item: &Item, index: usize) -> Result<BoundStatement, NodeError> {
    let priority = priority(ctx, index)?;
    let ignore = if ctx.flag("options.ignore", index)? { " IGNORE" } else { "" };
    let mut statement =
        BoundStatement::new(format!("INSERT{priority}{ignore} INTO {}", table(ctx, index)?));
    build::push_row(DIALECT, &mut statement, &row(ctx, item, index)?);
    Ok(statement)
}

fn update(ctx: &Ctx<'_>, item: &Item, index: usize) -> Result<BoundStatement, NodeError> {
    let key = ctx.text("updateKey", index)?;
    let mut values = row(ctx, item, index)?;
    values.insert(key.clone(), item.json.get(&key).cloned().unwrap_or(Value::Undefined));
    let mut statement = BoundStatement::new(format!("UPDATE {} SET ", table(ctx, index)?));
    build::push_changes(DIALECT, &mut statement, &values, std::slice::from_ref(&key));
    build::push_match(DIALECT, &mut statement, &values, &[key])?;
    Ok(statement)
}
