//! Works on a MySQL or MariaDB database: queries with bound parameters, and rows by name.

mod v1;

pub use v1::MySqlV1;

use super::sql::batch::{self, EmptyResult, QueryBatching};
use super::sql::binding::{BoundStatement, identifier};
use super::sql::rows::{require_matching, row_of};
use super::sql::statements::{self, TableCommandSuffix};
use super::sql::{build, credential, params};
use node_api::connect::Dialect;
use node_api::prelude::*;

const DIALECT: Dialect = Dialect::MySql;

pub struct MySql;

impl Node for MySql {
    fn spec() -> Spec {
        let versions = [2.0, 2.1, 2.2, 2.3, 2.4, 2.5];
        let mut options: Vec<Param> = params::options();
        for option in &mut options {
            if option.name == "largeNumbersOutput" {
                option.default = Value::from("numbers");
            }
        }
        options.extend([
            Param::number("connectionLimit", "Connections limit", 10)
                .help("A run of the node uses one connection."),
            Param::flag("decimalNumbers", "Output decimals as numbers", false)
                .help("Return decimals as numbers instead of text."),
            Param::choice(
                "priority",
                "Priority",
                &[("LOW_PRIORITY", "Low priority"), ("HIGH_PRIORITY", "High priority")],
            )
            .preset("")
            .help("Priority of the insert on the server."),
            Param::flag("selectDistinct", "Select distinct", false).help("Omit duplicate rows."),
            Param::flag("detailedOutput", "Output query execution details", false)
                .help("Return the number of changed rows and the inserted ID instead of success."),
        ]);
        Spec::new(
            "n8n-nodes-base.mySql",
            &versions,
            "MySQL",
            "Read and write rows in a MySQL or MariaDB database",
        )
        .icon("database")
        .untrusted()
        .private()
        .group(NodeGroup::Integration)
        .credential("mySql", true)
        .params([
            Param::hidden("resource", "database"),
            Param::choice("operation", "Operation", params::OPERATIONS)
                .help("Operation on the database."),
            params::query("sql"),
            params::table(),
            params::delete_command(),
        ])
        .params(params::conditions())
        .params(params::limits())
        .params(params::sent_columns(None))
        .param(Param::collection("options", "Options", options).help("Fine points."))
        .hint(
            "Prefer $1 with Query Parameters over expressions in the SQL: bound values cannot \
                 break the statement.",
        )
        .alias(&["mariadb", "sql", "database"])
        .repeatable_when("operation", &["select"])
        .differs(
            "Parameters are bound by the server. `$1:raw` is rejected, and SSH tunnels are not \
                 supported.",
        )
        .note("A result can have at most 256 MB. Use a limit for larger ones.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let server = credential::mysql(ctx)?;
        let operation = ctx.text("operation", 0)?;
        let queries =
            statements::queries_per_item(&items, |item, index| match operation.as_str() {
                "executeQuery" => statements::custom_query(ctx, DIALECT, index),
                "select" => select(ctx, index).map(|statement| vec![statement]),
                "deleteTable" => delete(ctx, index).map(|statement| vec![statement]),
                "insert" | "update" | "upsert" => {
                    write(ctx, &operation, item, index).map(|statement| vec![statement])
                }
                other => Err(statements::no_such_operation(other)),
            })?;
        let rowless = match ctx.flag("options.detailedOutput", 0)? {
            true => EmptyResult::Reported,
            false if ctx.version() < 2.3 => EmptyResult::Success,
            false => EmptyResult::SuccessUnlessSelect,
        };
        batch::run(ctx, &server, queries, QueryBatching::of(ctx, "options.queryBatching")?, rowless)
            .await
    }
}

fn table(ctx: &Ctx<'_>, index: usize) -> Result<String, NodeError> {
    Ok(identifier(DIALECT, &statements::table_name(ctx, index)?))
}

fn select(ctx: &Ctx<'_>, index: usize) -> Result<BoundStatement, NodeError> {
    let columns =
        build::columns_text(DIALECT, &build::names(&ctx.param("options.outputColumns", index)?));
    let distinct = if ctx.flag("options.selectDistinct", index)? { "DISTINCT " } else { "" };
    statements::select(ctx, DIALECT, &format!("{distinct}{columns}"), &table(ctx, index)?, index)
}

fn delete(ctx: &Ctx<'_>, index: usize) -> Result<BoundStatement, NodeError> {
    let endings = TableCommandSuffix { truncate: String::new(), drop: String::new() };
    statements::delete(ctx, DIALECT, &table(ctx, index)?, endings, index)
}

fn write(
    ctx: &Ctx<'_>,
    operation: &str,
    item: &Item,
    index: usize,
) -> Result<BoundStatement, NodeError> {
    let row = row_of(ctx, item, index)?;
    let table = table(ctx, index)?;
    if operation == "update" {
        require_matching(&row)?;
        if row.values.keys().all(|name| row.matching.contains(name)) {
            return Err(NodeError::input(
                "No column to update: all of them are columns to match on",
            )
            .hint("Add at least one more column with its new value."));
        }
        let mut statement = BoundStatement::new(format!("UPDATE {table} SET "));
        build::push_changes(DIALECT, &mut statement, &row.values, &row.matching);
        build::push_match(DIALECT, &mut statement, &row.values, &row.matching)?;
        return Ok(statement);
    }
    let priority = priority(ctx, index)?;
    let ignore = if operation == "insert" && ctx.flag("options.skipOnConflict", index)? {
        " IGNORE"
    } else {
        ""
    };
    let mut statement = BoundStatement::new(format!("INSERT{priority}{ignore} INTO {table}"));
    build::push_row(DIALECT, &mut statement, &row.values);
    if operation == "upsert" {
        require_matching(&row)?;
        statement.push(" ON DUPLICATE KEY UPDATE ");
        match row.values.keys().all(|name| row.matching.contains(name)) {
            // Nothing else to change: the row stays as it is.
            true => {
                let key = identifier(DIALECT, &row.matching[0]);
                statement.push(&format!("{key} = {key}"));
            }
            false => build::push_changes(DIALECT, &mut statement, &row.values, &row.matching),
        }
    }
    Ok(statement)
}

/// The word that ranks an insertion, with the space before it.
fn priority(ctx: &Ctx<'_>, index: usize) -> Result<String, NodeError> {
    Ok(match ctx.text("options.priority", index)?.as_str() {
        word @ ("LOW_PRIORITY" | "HIGH_PRIORITY") => format!(" {word}"),
        _ => String::new(),
    })
}
