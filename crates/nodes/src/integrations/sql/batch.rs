//! Runs the queries of a node: all as one, each for itself, or in a transaction.

use super::binding::{BoundStatement, is_select};
use node_api::connect::{ConnectError, SqlResult, SqlServer, SqlSession};
use node_api::prelude::*;

/// The statements that stand for one item.
pub(in super::super) struct ItemQuery {
    pub(in super::super) item: usize,
    pub(in super::super) statements: Vec<BoundStatement>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) enum QueryBatching {
    /// All or none, told as one result.
    #[default]
    Single,
    /// Each for itself: one that fails does not stop the others.
    Independently,
    /// All or none, each with its own result.
    Transaction,
}

/// What a result becomes where the statements gave no rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum EmptyResult {
    /// `{ "success": true }`, but nothing for a query that only reads.
    SuccessUnlessSelect,
    /// `{ "success": true }`.
    Success,
    /// What the server told of the change.
    Reported,
}

impl QueryBatching {
    pub(in super::super) fn of(ctx: &Ctx<'_>, path: &str) -> Result<Self, NodeError> {
        Ok(match ctx.text(path, 0)?.as_str() {
            "" | "single" | "multiple" => QueryBatching::Single,
            "independently" | "independent" => QueryBatching::Independently,
            "transaction" => QueryBatching::Transaction,
            other => {
                return Err(NodeError::parameter(
                    path,
                    format!("Unknown query batching mode '{other}'"),
                )
                .hint("Choose single, independently or transaction."));
            }
        })
    }
}

/// Runs the queries and makes items of their rows, each paired with the item of its query.
pub(in super::super) async fn run(
    ctx: &Ctx<'_>,
    server: &SqlServer,
    queries: Vec<ItemQuery>,
    batching: QueryBatching,
    rowless: EmptyResult,
) -> Result<Outputs, NodeError> {
    if queries.is_empty() {
        return Ok(vec![Items::default()]);
    }
    let mut session = match ctx.host().connections().sql(server).await {
        Ok(session) => session,
        Err(error) => return failed_whole(ctx, error.into()),
    };
    let mut output = ctx.builder();
    let n_statements: usize = queries.iter().map(|query| query.statements.len()).sum();
    // A lone statement needs no transaction, and some, such as VACUUM, may not be in one.
    let is_wrapped = batching == QueryBatching::Transaction
        || (batching == QueryBatching::Single && n_statements > 1);
    if is_wrapped {
        command(session.as_mut(), "BEGIN").await?;
    }
    let mut n_rows = 0;
    let mut n_silent = 0;
    for query in &queries {
        match run_one(session.as_mut(), query).await {
            Ok(results) => {
                let made = items_of(&results, query, rowless);
                let is_silent = rowless != EmptyResult::Reported
                    && results.iter().all(|result| result.rows.is_empty());
                if batching == QueryBatching::Single && is_silent {
                    n_silent += made.len();
                    continue;
                }
                n_rows += made.len();
                for object in made {
                    output.push(Item::new(object).paired_with(query.item));
                }
            }
            Err(error) if batching == QueryBatching::Independently => {
                output.push(ctx.failed_item(query.item, error.into())?)
            }
            Err(error) => {
                if is_wrapped && command(session.as_mut(), "ROLLBACK").await.is_ok() {
                    session.finish().await;
                }
                return failed_whole(ctx, NodeError::from(error).on_item(query.item));
            }
        }
    }
    if is_wrapped && let Err(error) = command(session.as_mut(), "COMMIT").await {
        return failed_whole(ctx, error);
    }
    session.finish().await;
    // Told as one, many changes without rows are one success.
    if n_rows == 0 && n_silent > 0 {
        output.push(Item::new(success()).paired_with(0));
    }
    Ok(vec![output.finish()])
}

async fn run_one(
    session: &mut dyn SqlSession,
    query: &ItemQuery,
) -> Result<Vec<SqlResult>, ConnectError> {
    let mut results = Vec::new();
    for statement in &query.statements {
        results.extend(session.run(&statement.text, &statement.values).await?);
    }
    Ok(results)
}

async fn command(session: &mut dyn SqlSession, word: &str) -> Result<(), NodeError> {
    session.run(word, &[]).await.map(drop).map_err(NodeError::from)
}

fn items_of(results: &[SqlResult], query: &ItemQuery, rowless: EmptyResult) -> Vec<Object> {
    if rowless == EmptyResult::Reported {
        let told = |result: &SqlResult| {
            Object::from_iter([
                ("affectedRows", Value::from(result.affected)),
                ("insertId", Value::from(result.last_insert_id)),
                ("info", Value::from(result.info.clone())),
            ])
        };
        return results
            .iter()
            .flat_map(
                |result| if result.has_rows { result.rows.clone() } else { vec![told(result)] },
            )
            .collect();
    }
    let rows: Vec<Object> = results.iter().flat_map(|result| result.rows.iter().cloned()).collect();
    let only_reads = || query.statements.iter().all(|statement| is_select(&statement.text));
    match rows.is_empty() {
        true if rowless == EmptyResult::SuccessUnlessSelect && only_reads() => Vec::new(),
        true => vec![success()],
        false => rows,
    }
}

fn success() -> Object {
    Object::from_iter([("success", true)])
}

fn failed_whole(ctx: &Ctx<'_>, error: NodeError) -> Result<Outputs, NodeError> {
    let item = error.item().unwrap_or(0);
    Ok(vec![Items::one(ctx.failed_item(item, error)?)])
}
