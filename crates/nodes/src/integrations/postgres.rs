//! Works on a PostgreSQL database: queries with bound parameters, and rows by name.

mod v1;

pub use v1::PostgresV1;

use super::sql::batch::{self, EmptyResult, QueryBatching};
use super::sql::binding::{BoundStatement, identifier};
use super::sql::build::{self, locator_text};
use super::sql::rows::{SqlRow, require_matching, row_of};
use super::sql::statements::{self, TableCommandSuffix};
use super::sql::{credential, params};
use node_api::connect::{Dialect, SqlServer};
use node_api::prelude::*;
use std::collections::HashSet;

const DIALECT: Dialect = Dialect::Postgres;

pub struct Postgres;

impl Node for Postgres {
    fn spec() -> Spec {
        let versions = [2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7];
        let mut options = params::options();
        options.extend([
            Param::flag("cascade", "Cascade", false)
                .help("Also drop objects that depend on the table."),
            Param::number("delayClosingIdleConnection", "Delay closing idle connection", 0)
                .help("Idle connections are kept open for half a minute."),
            Param::flag(
                "treatQueryParametersInSingleQuotesAsText",
                "Treat parameters in single quotes as text",
                false,
            )
            .help("Has no effect here: $1 inside quotes is always text, not a parameter."),
        ]);
        Spec::new(
            "n8n-nodes-base.postgres",
            &versions,
            "Postgres",
            "Read and write rows in a PostgreSQL database",
        )
        .icon("database")
        .untrusted()
        .private()
        .group(NodeGroup::Integration)
        .credential("postgres", true)
        .params([
            Param::hidden("resource", "database"),
            Param::choice("operation", "Operation", params::OPERATIONS)
                .help("Operation on the database."),
            params::query("sql"),
            Param::locator("schema", "Schema", &["list", "name"])
                .preset(json!({ "mode": "list", "value": "public" }))
                .hide("operation", &["executeQuery"])
                .help("Schema of the table."),
            params::table(),
            params::delete_command(),
            Param::flag("restartSequences", "Restart sequences", false)
                .show("operation", &["deleteTable"])
                .show("deleteCommand", &["truncate"])
                .help("Reset identity columns."),
        ])
        .params(params::conditions())
        .params(params::limits())
        .params(params::sent_columns(Some(2.1)))
        .param(
            Param::mapper("columns", "Columns")
                .preset(json!({ "mappingMode": "defineBelow", "value": null }))
                .show("operation", &["insert", "update", "upsert"])
                .since(2.2)
                .help("Columns to write and, for updates, the columns that identify rows."),
        )
        .param(Param::collection("options", "Options", options).help("Fine points."))
        .hint(
            "Prefer $1 with Query Parameters over expressions in the SQL: bound values cannot \
                 break the statement.",
        )
        .alias(&["postgresql", "sql", "database", "supabase", "timescale"])
        .repeatable_when("operation", &["select"])
        .differs(
            "Parameters are bound by the server. `$1:raw` and `$1:value` are rejected, and SSH \
                 tunnels are not supported.",
        )
        .note("A result can have at most 256 MB. Use a limit for larger ones.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let server = credential::postgres(ctx, "options.largeNumbersOutput")?;
        let operation = ctx.text("operation", 0)?;
        let json_columns = match operation.as_str() {
            "insert" | "update" | "upsert" => json_columns(ctx, &server, &items).await?,
            _ => HashSet::new(),
        };
        let queries =
            statements::queries_per_item(&items, |item, index| match operation.as_str() {
                "executeQuery" => statements::custom_query(ctx, DIALECT, index),
                "select" => select(ctx, index).map(|statement| vec![statement]),
                "deleteTable" => delete(ctx, index).map(|statement| vec![statement]),
                "insert" | "update" | "upsert" => {
                    write(ctx, &operation, item, index, &json_columns)
                        .map(|statement| vec![statement])
                }
                other => Err(statements::no_such_operation(other)),
            })?;
        let rowless = if ctx.version() < 2.3 {
            EmptyResult::Success
        } else {
            EmptyResult::SuccessUnlessSelect
        };
        batch::run(ctx, &server, queries, QueryBatching::of(ctx, "options.queryBatching")?, rowless)
            .await
    }
}

fn table(ctx: &Ctx<'_>, index: usize) -> Result<String, NodeError> {
    let name = statements::table_name(ctx, index)?;
    let schema = locator_text(&ctx.param("schema", index)?);
    Ok(match schema.as_str() {
        "" => identifier(DIALECT, &name),
        schema => format!("{}.{}", identifier(DIALECT, schema), identifier(DIALECT, &name)),
    })
}

fn output_columns(ctx: &Ctx<'_>, index: usize) -> Result<String, NodeError> {
    Ok(build::columns_text(DIALECT, &build::names(&ctx.param("options.outputColumns", index)?)))
}

fn select(ctx: &Ctx<'_>, index: usize) -> Result<BoundStatement, NodeError> {
    statements::select(ctx, DIALECT, &output_columns(ctx, index)?, &table(ctx, index)?, index)
}

fn delete(ctx: &Ctx<'_>, index: usize) -> Result<BoundStatement, NodeError> {
    let cascade = if ctx.flag("options.cascade", index)? { " CASCADE" } else { "" };
    let restart = if ctx.flag("restartSequences", index)? { " RESTART IDENTITY" } else { "" };
    let endings =
        TableCommandSuffix { truncate: format!("{restart}{cascade}"), drop: cascade.to_owned() };
    statements::delete(ctx, DIALECT, &table(ctx, index)?, endings, index)
}

fn write(
    ctx: &Ctx<'_>,
    operation: &str,
    item: &Item,
    index: usize,
    json_columns: &HashSet<Str>,
) -> Result<BoundStatement, NodeError> {
    let mut row = row_of(ctx, item, index)?;
    // An array is written in a different way into a JSON column than into one of an array type.
    for (name, value) in row.values.iter_mut() {
        if value.is_array() && json_columns.contains(name) {
            *value = Value::from(model::json::to_string(value));
        }
    }
    let table = table(ctx, index)?;
    let mut statement = match operation {
        "update" => update(&table, &row)?,
        _ => BoundStatement::new(format!("INSERT INTO {table}")),
    };
    if operation != "update" {
        build::push_row(DIALECT, &mut statement, &row.values);
    }
    if operation == "insert" && ctx.flag("options.skipOnConflict", index)? {
        statement.push(" ON CONFLICT DO NOTHING");
    }
    if operation == "upsert" {
        require_matching(&row)?;
        statement.push(&format!(" ON CONFLICT ({})", build::columns_text(DIALECT, &row.matching)));
        let changed = row.values.keys().filter(|name| !row.matching.contains(name));
        let changes: Vec<String> = changed
            .map(|name| identifier(DIALECT, name))
            .map(|name| format!("{name} = EXCLUDED.{name}"))
            .collect();
        match changes.is_empty() {
            true => statement.push(" DO NOTHING"),
            false => statement.push(&format!(" DO UPDATE SET {}", changes.join(", "))),
        }
    }
    statement.push(&format!(" RETURNING {}", output_columns(ctx, index)?));
    Ok(statement)
}

fn update(table: &str, row: &SqlRow) -> Result<BoundStatement, NodeError> {
    require_matching(row)?;
    if row.values.keys().all(|name| row.matching.contains(name)) {
        return Err(NodeError::input("No column to update: all of them are columns to match on")
            .hint("Map at least one more column with its new value."));
    }
    let mut statement = BoundStatement::new(format!("UPDATE {table} SET "));
    build::push_changes(DIALECT, &mut statement, &row.values, &row.matching);
    build::push_match(DIALECT, &mut statement, &row.values, &row.matching)?;
    Ok(statement)
}

/// The columns of the table that hold JSON, looked up only where an array is to be written.
async fn json_columns(
    ctx: &Ctx<'_>,
    server: &SqlServer,
    items: &Items,
) -> Result<HashSet<Str>, NodeError> {
    let mut has_arrays = false;
    for (index, item) in items.iter().enumerate() {
        // What is wrong with a row is told when it is written.
        has_arrays |=
            row_of(ctx, &item, index).is_ok_and(|row| row.values.values().any(Value::is_array));
        if has_arrays {
            break;
        }
    }
    if !has_arrays {
        return Ok(HashSet::new());
    }
    let mut session = ctx.host().connections().sql(server).await?;
    let lookup = "SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND atttypid IN (114, 3802) AND attnum > 0";
    let found = session.run(lookup, &[Value::from(table(ctx, 0)?)]).await?;
    session.finish().await;
    let rows = found.into_iter().flat_map(|result| result.rows);
    Ok(rows.filter_map(|row| row.get("name").map(Value::to_js_string)).collect())
}
