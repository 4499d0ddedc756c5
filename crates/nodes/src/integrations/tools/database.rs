//! A database as a tool: the model writes the query. Unless the node says otherwise it can only
//! read, which the server enforces.

use super::super::sql::credential;
use crate::ai::tools::fn_tool::{ToolInvocation, name_from_param, supply_tool, tool_spec};
use node_api::ai::{DataFlow, EgressTarget, Supply, ToolDefinition, ToolEffect};
use node_api::connect::{ReadLimits, SqlResult};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};

/// What the answer to a statement that reads may hold, and how long the server may work on it.
const MAX_BYTES: usize = 16 << 20;
const MAX_TIME_MS: u64 = 60_000;

pub struct DatabaseTool;

impl Supplier for DatabaseTool {
    fn spec() -> Spec {
        let servers = [("postgres", "PostgreSQL"), ("mySql", "MySQL or MariaDB")];
        let access = [("readOnly", "Only read"), ("readWrite", "Read and write")];
        let description = "Runs one SQL statement and returns its rows. Inspect the tables in information_schema \
             first; pass values as parameters.";
        tool_spec("database-tool", &[1.0], "Database", "Let an agent query a database").icon("database")
            .credential("postgres", false)
            .credential("mySql", false)
            .params([
                Param::text("name", "Name", "query_database").help("Name of the tool for the model."),
                Param::long_text("description", "Description", description).help("Tells the model what is in the database."),
                Param::choice("server", "Server", &servers).help("Type of the database and its credential."),
                Param::choice("access", "Access", &access).help("Operations the model may use."),
                Param::number("maxRows", "Max rows", 100).at_least(1.0).help("Maximum number of rows returned to the model."),
                Param::collection(
                    "options",
                    "Options",
                    [Param::number("connectionTimeout", "Connection timeout", 30).at_least(1.0).help("Timeout in seconds.")],
                )
                .help("Fine points."),
            ])
            .hint("Use a database user whose permissions are limited to what the agent may reveal.")
            .alias(&["sql", "postgres", "mysql", "query"])
            .note(
                "With 'Only read', the server enforces it: one statement, which must return \
                     rows, runs in a read-only transaction. The read-only session is closed \
                     afterwards. Statements such as CALL, SET and COPY are not run.",
            )
            .note(&format!(
                "With 'Only read', only as many rows are read as are returned to the model. A \
                     statement is stopped after {} seconds, or if its rows exceed {} MB.",
                MAX_TIME_MS / 1000,
                MAX_BYTES >> 20
            ))
            .note(
                "Database functions can have effects that a read-only transaction does not \
                     prevent, such as ending another session. So the tool always counts as one that \
                     makes changes, and 'Ask before tools run' applies to it.",
            )
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let inner = ctx.ctx();
        let parameters = json!({
            "type": "object",
            "properties": {
                "query": { "type": "string", "description": "One SQL statement; use $1, $2 … (PostgreSQL) or ? (MySQL) for the parameters" },
                "parameters": { "type": "array", "items": {}, "description": "The values of the parameters, in order" }
            },
            "required": ["query"],
            "additionalProperties": false
        });
        let definition = ToolDefinition {
            name: name_from_param(&ctx, "name")?,
            description: inner.text("description", ctx.item())?,
            parameters,
            // Also where it only reads: a SELECT may call functions whose effects are outside of
            // any transaction.
            effect: ToolEffect::Changes,
            flow: DataFlow::STORED.sending(EgressTarget::Declared),
        };
        Ok(supply_tool(ctx, definition, query))
    }
}

fn may_write(ctx: &Ctx<'_>, item: usize) -> Result<bool, NodeError> {
    Ok(ctx.text("access", item)? == "readWrite")
}

async fn query(call: ToolInvocation) -> Result<Value, NodeError> {
    let (ctx, item) = (call.ctx.ctx(), call.ctx.item());
    let statement = call.text("query");
    let server = match ctx.text("server", item)?.as_str() {
        "mySql" => credential::mysql(&ctx)?,
        _ => credential::postgres(&ctx, "options.largeNumbersOutput")?,
    };
    let values =
        call.arguments.get("parameters").and_then(Value::as_array).unwrap_or_default().to_vec();
    let most = ctx.number("maxRows", item)?.max(1.0) as usize;
    let results = if may_write(&ctx, item)? {
        let mut session = ctx.host().connections().sql(&server).await?;
        let results = session.run(&statement, &values).await?;
        session.finish().await;
        results
    } else {
        let limits = ReadLimits { rows: most, bytes: MAX_BYTES, time_ms: MAX_TIME_MS };
        vec![ctx.host().connections().read_sql(&server, &statement, &values, limits).await?]
    };
    Ok(result_value(&results, most))
}

fn result_value(results: &[SqlResult], most: usize) -> Value {
    let n_rows: usize = results.iter().map(|result| result.rows.len()).sum();
    let rows = results
        .iter()
        .flat_map(|result| &result.rows)
        .take(most)
        .map(|row| row.clone().into())
        .collect();
    let affected: u64 =
        results.iter().filter(|result| !result.has_rows).map(|result| result.affected).sum();
    let mut answer = Object::from_iter([("rows", Value::array(rows)), ("rowCount", n_rows.into())]);
    if n_rows > most {
        answer.insert("notShown", n_rows - most);
    }
    if results.iter().any(|result| result.has_more) {
        answer.insert("hasMore", true);
    }
    if affected > 0 {
        answer.insert("affected", affected as f64);
    }
    answer.into()
}
