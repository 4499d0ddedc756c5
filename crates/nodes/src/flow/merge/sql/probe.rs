//! What a fuzz target sees of a query: whether the text is read as SQLite reads it, and whether
//! anything was reached outside.

use super::database::Database;
use super::lexer::{self, SqlTokenKind};
use super::template::MergeQuery;
use model::{Code, Value, json};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// Instructions after which a query is stopped, and rows.
const MAX_CHECKS: usize = 500;
const MAX_ROWS: usize = 1000;

/// What became of a query.
#[derive(Debug)]
pub struct ProbedSql {
    /// The SQL is the same for two different values of the expressions.
    pub is_fixed: bool,
    /// The parameters that SQLite sees and those that the tokens have; none where SQLite does not
    /// take the query.
    pub parameters: Option<(HashSet<String>, HashSet<String>)>,
    pub outcome: Result<usize, Code>,
    /// Files of databases that are open afterwards.
    pub files: Vec<String>,
}

/// Runs a query in which every expression has this value, in this process, for a short while.
pub fn probe_merge_sql(raw: &str, value: &str) -> Option<ProbedSql> {
    let query = MergeQuery::read(raw, |_| Ok(Value::from(value))).ok()?;
    let other =
        MergeQuery::read(raw, |_| Ok(Value::from(vec![Value::from(1), Value::Null]))).ok()?;
    let mut looks = 0;
    let mut database = Database::open(move || {
        looks += 1;
        looks > MAX_CHECKS
    })
    .ok()?;
    let items = [json!({ "id": 1, "a": value }), json!({ "id": 2, "b": [true] })];
    for number in 1..=2 {
        database
            .fill(number, &["id".into(), "a".into(), "b".into()], items.iter().cloned().map(Ok))
            .ok()?;
    }
    let parameters = database.parameters(&query.text).map(|mut seen| {
        seen.retain(|name| is_named(name));
        (seen, variables(&query.text))
    });
    let mut n_rows = 0;
    let outcome = database.run(&query, |_| {
        n_rows += 1;
        if n_rows < MAX_ROWS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let outcome = outcome.map(|()| n_rows).map_err(|error| error.code());
    let files = database.files().unwrap_or_else(|error| vec![error.to_string()]);
    Some(ProbedSql { is_fixed: query.text == other.text, parameters, outcome, files })
}

fn variables(mut text: &str) -> HashSet<String> {
    let mut found = HashSet::new();
    while !text.is_empty() {
        let token = lexer::first(text);
        if token.kind == SqlTokenKind::Variable && is_named(token.text) {
            found.insert(token.text.to_owned());
        }
        text = &text[token.text.len()..];
    }
    found
}

/// A number has several spellings.
fn is_named(parameter: &str) -> bool {
    !parameter.starts_with('?')
}
