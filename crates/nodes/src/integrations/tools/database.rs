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
        let description = "Runs one SQL statement and gives back its rows. Look at the tables in information_schema first; put values into parameters.";
        tool_spec("database-tool", &[1.0], "Database", "Let an agent query a database")
            .credential("postgres", false)
            .credential("mySql", false)
            .params([
                Param::text("name", "Name", "query_database").help("The name under which the model knows the tool."),
                Param::long_text("description", "Description", description).help("What the model is told: what is in the database."),
                Param::choice("server", "Server", &servers).help("Which kind of database it is; the credential of that kind is used."),
                Param::choice("access", "Access", &access).help("What the model may do."),
                Param::number("maxRows", "Max rows", 100).at_least(1.0).help("How many rows the model sees at most."),
                Param::collection(
                    "options",
                    "Options",
                    [Param::number("connectionTimeout", "Connection timeout", 30).at_least(1.0).help("Seconds to wait for the server.")],
                )
                .help("Fine points."),
            ])
            .hint("Give it a user of the database that sees no more than the agent may tell.")
            .alias(&["sql", "postgres", "mysql", "query"])
            .note(
                "With 'Only read' the server enforces it: it prepares one statement, which must return rows, and runs it in a read-only \
                 transaction of a read-only session that is closed afterwards. Statements such as CALL, SET and COPY are not run.",
            )
            .note(&format!(
                "With 'Only read' no more rows are read than the model sees. A statement is stopped after {} seconds, or when its rows \
                 hold more than {} MB.",
                MAX_TIME_MS / 1000,
                MAX_BYTES >> 20
            ))
            .note(
                "Functions of the database can have effects that no read-only transaction prevents, such as ending another session. So the \
                 tool always counts as one that may change something, and 'Ask before tools run' asks about it.",
            )
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let inner = ctx.ctx();
        let parameters = json!({
            "type": "object",
            "properties": {
                "query": { "type": "string", "description": "One SQL statement; $1, $2 … (PostgreSQL) or ? (MySQL) stand for the parameters" },
                "parameters": { "type": "array", "items": {}, "description": "The values of the parameters in their order" }
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
