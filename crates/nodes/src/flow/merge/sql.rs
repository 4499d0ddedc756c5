//! The SQL mode of Merge: the inputs as tables of a database in memory that lives for one query.

use super::input;
use node_api::prelude::*;
use rusqlite::fallible_iterator::FallibleIterator as _;
use rusqlite::types::ValueRef;
use rusqlite::{Batch, Connection, Row};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A query that takes longer is stopped.
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// SQLite's own limit.
const MAX_COLUMNS: usize = 2000;
/// Stands in for the columns of a table that has none.
const NO_COLUMN: &str = "__no_columns";
/// What a query may begin with: nothing that reaches outside of the database, such as ATTACH or VACUUM INTO.
const ALLOWED: [&str; 8] = ["select", "with", "values", "insert", "update", "delete", "create", "drop"];

/// Runs the parameter `query` over the inputs.
pub(super) async fn query(ctx: &Ctx<'_>, inputs: usize) -> Result<Outputs, NodeError> {
    let text = resolved(ctx)?;
    check_statements(&text)?;
    let tables: Vec<Vec<Item>> = (0..inputs).map(|number| input(ctx, number)).collect();
    let pairs: Vec<PairedItem> =
        tables.iter().flat_map(|items| items.iter().flat_map(|item| item.paired.iter().cloned()).take(PAIRS_PER_INPUT)).collect();
    let stopped = StoppedOnDrop::default();
    let job = Job { text: in_our_dialect(&text), tables, pairs: pairs.clone(), output: ctx.builder(), stopped: stopped.0.clone() };
    let done = tokio::task::spawn_blocking(move || job.run()).await;
    let mut output = done.map_err(|_| NodeError::failed("Issue while executing query"))??;
    let reports_success = ctx.version() <= 3.1 || ctx.text("options.emptyQueryResult", 0)? == "success";
    if output.is_empty() && reports_success {
        output.push(Item::new(json!({ "success": true })).with_pairs(pairs));
    }
    Ok(vec![output.finish()])
}

/// Items of an input whose pairs a result names.
const PAIRS_PER_INPUT: usize = 1000;

/// What is done on a thread of its own, for it may take long.
struct Job {
    text: String,
    tables: Vec<Vec<Item>>,
    pairs: Vec<PairedItem>,
    output: ItemsBuilder,
    stopped: Arc<AtomicBool>,
}

/// Tells the query that nobody waits for it any more.
#[derive(Default)]
struct StoppedOnDrop(Arc<AtomicBool>);

impl Drop for StoppedOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Job {
    fn run(self) -> Result<ItemsBuilder, NodeError> {
        let Job { text, tables, pairs, mut output, stopped } = self;
        let database = Connection::open_in_memory().map_err(table_problem)?;
        let deadline = Instant::now() + TIME_LIMIT;
        let is_over = move || stopped.load(Ordering::Relaxed) || Instant::now() >= deadline;
        database.progress_handler(10_000, Some(is_over)).map_err(table_problem)?;
        let mut known = Known::default();
        for (number, items) in (1..).zip(&tables) {
            fill_table(&database, number, items, &mut known)?;
        }
        drop(tables);
        let mut statements = Batch::new(&database, &text);
        while let Some(mut statement) = statements.next().map_err(query_problem)? {
            let names: Vec<Str> = statement.column_names().into_iter().map(Str::from).collect();
            let mut rows = statement.query([]).map_err(query_problem)?;
            while let Some(row) = rows.next().map_err(query_problem)? {
                output.push(Item::new(known.read(&names, row)).with_pairs(pairs.clone()));
                if output.is_failed() {
                    return Ok(output);
                }
            }
        }
        Ok(output)
    }
}

/// The query with the value of each `{{ … }}` in its place.
fn resolved(ctx: &Ctx<'_>) -> Result<String, NodeError> {
    let raw = ctx.raw_param("query").unwrap_or_default().to_js_string();
    let mut rest = raw.strip_prefix('=').unwrap_or(&raw);
    let mut text = String::new();
    while let Some(start) = rest.find("{{") {
        let Some(length) = rest[start..].find("}}") else { break };
        let end = start + length + 2;
        let value = ctx.host().evaluate(&format!("={}", &rest[start..end]), 0, &Object::new()).map_err(|error| error.on_item(0))?;
        text.push_str(&rest[..start]);
        text.push_str(&value.to_js_string());
        rest = &rest[end..];
    }
    text.push_str(rest);
    Ok(text)
}

/// What the tables held, to give values back their type.
#[derive(Default)]
struct Known {
    /// Columns by name: whether they held a value other than true and false, and whether they held null.
    columns: HashMap<Str, ColumnFacts>,
    /// Texts that spell an object or a list of an item.
    nested: HashSet<Str>,
}

#[derive(Default)]
struct ColumnFacts {
    has_flag: bool,
    has_other: bool,
    has_null: bool,
}

impl Known {
    fn note(&mut self, name: &Str, value: &Value) {
        let facts = self.columns.entry(name.clone()).or_default();
        match value {
            Value::Bool(_) => facts.has_flag = true,
            Value::Null => facts.has_null = true,
            Value::Undefined => {}
            _ => facts.has_other = true,
        }
    }

    fn read(&self, names: &[Str], row: &Row<'_>) -> Value {
        let mut object = Object::new();
        for (index, name) in names.iter().enumerate().filter(|(_, name)| *name != NO_COLUMN) {
            let facts = self.columns.get(name);
            let value = self.value(row.get_ref(index).unwrap_or(ValueRef::Null), facts);
            // A field that an item does not have, or a row without a partner, gives no field; only a real null is null.
            let is_missing = value.is_null() && (facts.is_some_and(|facts| !facts.has_null) || object.contains_key(name));
            if !is_missing {
                object.insert(name.clone(), value);
            }
        }
        Value::object(object)
    }

    fn value(&self, cell: ValueRef<'_>, facts: Option<&ColumnFacts>) -> Value {
        let is_flag = facts.is_some_and(|facts| facts.has_flag && !facts.has_other);
        match cell {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number @ (0 | 1)) if is_flag => Value::Bool(number == 1),
            ValueRef::Integer(number) => Value::Number(number as f64),
            ValueRef::Real(number) => Value::Number(number),
            ValueRef::Text(bytes) => {
                let text = Str::from(String::from_utf8_lossy(bytes).as_ref());
                let is_nested = self.nested.contains(&text);
                Some(&text).filter(|_| is_nested).and_then(|text| model::json::parse(text).ok()).unwrap_or(Value::String(text))
            }
            ValueRef::Blob(bytes) => Value::String(String::from_utf8_lossy(bytes).as_ref().into()),
        }
    }
}

fn fill_table(database: &Connection, number: usize, items: &[Item], known: &mut Known) -> Result<(), NodeError> {
    let mut columns: Vec<Str> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for key in items.iter().filter_map(|item| item.json.as_object()).flat_map(Object::keys) {
        places.entry(key.to_lowercase().to_string()).or_insert_with(|| {
            columns.push(key.clone());
            columns.len() - 1
        });
    }
    if columns.is_empty() {
        columns.push(NO_COLUMN.into());
    }
    if columns.len() > MAX_COLUMNS {
        return Err(NodeError::input(format!("Input {number} has {} different fields; a table can have {MAX_COLUMNS}", columns.len())));
    }
    let names: Vec<String> = columns.iter().map(|name| format!("\"{}\"", name.replace("\"", "\"\""))).collect();
    let create = format!("CREATE TABLE input{number} ({})", names.join(", "));
    let marks = vec!["?"; columns.len()].join(", ");
    let insert = format!("INSERT INTO input{number} VALUES ({marks})");
    let work = database.unchecked_transaction().map_err(table_problem)?;
    database.execute_batch(&create).map_err(table_problem)?;
    {
        let mut statement = database.prepare(&insert).map_err(table_problem)?;
        for item in items {
            let mut cells: Vec<&Value> = vec![&Value::Undefined; columns.len()];
            for (key, value) in item.json.as_object().into_iter().flat_map(Object::iter) {
                if let Some(cell) = places.get(key.to_lowercase().as_str()).and_then(|place| cells.get_mut(*place)) {
                    *cell = value;
                }
                known.note(key, value);
            }
            for (at, cell) in (1..).zip(cells) {
                match cell {
                    Value::Undefined | Value::Null => statement.raw_bind_parameter(at, None::<i64>),
                    Value::Bool(flag) => statement.raw_bind_parameter(at, i64::from(*flag)),
                    Value::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                        statement.raw_bind_parameter(at, *number as i64)
                    }
                    Value::Number(number) => statement.raw_bind_parameter(at, *number),
                    Value::String(text) => statement.raw_bind_parameter(at, text.as_str()),
                    nested => {
                        let text = Str::from(model::json::to_string(nested));
                        let bound = statement.raw_bind_parameter(at, text.as_str());
                        known.nested.insert(text);
                        bound
                    }
                }
                .map_err(table_problem)?;
            }
            statement.raw_execute().map_err(table_problem)?;
        }
    }
    work.commit().map_err(table_problem)
}

/// Splits off strings, names and comments, so that what is left can be looked at as words.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' | '"' | '`' => quoted_length(rest, first),
            '[' => rest.find(']').map_or(rest.len(), |end| end + 1),
            '-' if rest.starts_with("--") => rest.find('\n').map_or(rest.len(), |end| end + 1),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ if first.is_alphanumeric() || first == '_' => {
                rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        words.push(word);
        rest = after;
    }
    words
}

/// The length of a quoted part; a doubled quote does not end it.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == quote {
            match letters.peek() {
                Some((_, next)) if *next == quote => {
                    letters.next();
                }
                _ => return at + letter.len_utf8(),
            }
        }
    }
    text.len()
}

fn is_space(word: &str) -> bool {
    word.trim().is_empty() || word.starts_with("--") || word.starts_with("/*")
}

fn check_statements(text: &str) -> Result<(), NodeError> {
    let mut at_start = true;
    let mut seen = false;
    for word in words(text) {
        if word == ";" {
            at_start = true;
        } else if at_start && !is_space(word) && word != "(" {
            if !ALLOWED.iter().any(|allowed| word.eq_ignore_ascii_case(allowed)) {
                let description = format!("A query may not begin with '{word}'");
                return Err(NodeError::parameter("query", "Issue while executing query").describe(description));
            }
            at_start = false;
            seen = true;
        }
    }
    if seen { Ok(()) } else { Err(NodeError::parameter("query", "Issue while executing query").describe("The query is empty")) }
}

/// AlaSQL's spellings that SQLite has other words for.
fn in_our_dialect(text: &str) -> String {
    let words = words(text);
    let mut out = String::with_capacity(text.len() + 16);
    let mut before = "";
    for (index, word) in words.iter().enumerate() {
        let next = words[index + 1..].iter().find(|word| !is_space(word)).copied().unwrap_or("");
        let joins = ["left", "right", "full"].iter().any(|side| before.eq_ignore_ascii_case(side));
        match word.to_ascii_lowercase().as_str() {
            "outer" if next.eq_ignore_ascii_case("join") && !joins => out.push_str("FULL OUTER"),
            "len" if next == "(" => out.push_str("length"),
            "nvl" | "isnull" if next == "(" => out.push_str("ifnull"),
            "ucase" if next == "(" => out.push_str("upper"),
            "lcase" if next == "(" => out.push_str("lower"),
            _ => out.push_str(word),
        }
        if !is_space(word) {
            before = word;
        }
    }
    out
}

fn table_problem(problem: rusqlite::Error) -> NodeError {
    NodeError::failed("Issue while creating table from").describe(reason(problem)).on_item(0)
}

fn query_problem(problem: rusqlite::Error) -> NodeError {
    NodeError::failed("Issue while executing query").describe(reason(problem)).on_item(0)
}

fn reason(problem: rusqlite::Error) -> String {
    match problem {
        rusqlite::Error::SqliteFailure(failure, _) if failure.code == rusqlite::ErrorCode::OperationInterrupted => {
            format!("The query took longer than {} seconds", TIME_LIMIT.as_secs())
        }
        rusqlite::Error::SqliteFailure(_, Some(words)) | rusqlite::Error::SqlInputError { msg: words, .. } => words,
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::v3::Merge;
    use super::*;
    use node_api::testing::run_version;

    async fn run(version: f64, query: &str, inputs: [Value; 2]) -> Result<Value, NodeError> {
        let params = json!({ "mode": "combineBySql", "query": query });
        Ok(run_version::<Merge>(version, params, &inputs).await?.remove(0))
    }

    #[tokio::test]
    async fn values_come_out_as_they_went_in() {
        let item = json!({ "n": 1.5, "flag": true, "none": null, "list": [1, { "a": 2 }], "text": "[1]", "odd \"name\"": "x" });
        let other = json!({ "text": "plain" });
        let rows = run(3.2, "SELECT * FROM input1", [json!([item, other]), json!([])]).await.unwrap();
        assert_eq!(rows.at(0), Some(&item));
        assert_eq!(rows.at(1).unwrap().get("text"), Some(&json!("plain")));
        assert_eq!(rows.at(1).unwrap().get("n"), None, "a field that is not there stays away");
    }

    #[tokio::test]
    async fn tables_are_joined_and_counted() {
        let inputs = || [json!([{ "id": 1, "name": "a" }, { "id": 2, "name": "b" }]), json!([{ "id": 1, "age": 3 }])];
        let rows = run(3.2, "SELECT * FROM input1 LEFT JOIN input2 ON input1.id = input2.id", inputs()).await.unwrap();
        assert_eq!(rows, json!([{ "id": 1, "name": "a", "age": 3 }, { "id": 2, "name": "b" }]));
        let rows = run(3.2, "SELECT COUNT(*) AS total FROM input1 OUTER JOIN input2 ON input1.id = input2.id", inputs()).await.unwrap();
        assert_eq!(rows, json!([{ "total": 2 }]));
    }

    #[tokio::test]
    async fn several_statements_run_one_after_the_other() {
        let query = "CREATE TABLE kept (a); INSERT INTO kept SELECT n * 2 FROM input1; SELECT a FROM kept; -- and no more\n";
        let rows = run(3.2, query, [json!([{ "n": 1 }, { "n": 2 }]), json!([])]).await.unwrap();
        assert_eq!(rows, json!([{ "a": 2 }, { "a": 4 }]));
    }

    #[tokio::test]
    async fn no_rows_are_a_success_in_older_versions() {
        let query = "SELECT * FROM input1 WHERE 1 = 0";
        assert_eq!(run(3.1, query, [json!([{ "a": 1 }]), json!([])]).await.unwrap(), json!([{ "success": true }]));
        assert_eq!(run(3.2, query, [json!([{ "a": 1 }]), json!([])]).await.unwrap(), json!([]));
    }

    #[tokio::test]
    async fn a_query_cannot_leave_the_database() {
        for query in ["ATTACH DATABASE '/tmp/x' AS x", "SELECT 1; VACUUM INTO '/tmp/x'", "/* x */ PRAGMA journal_mode", ""] {
            let error = run(3.2, query, [json!([{}]), json!([{}])]).await.unwrap_err();
            assert_eq!(error.message(), "Issue while executing query", "{query}");
        }
        let error = run(3.2, "SELECT x FROM nowhere", [json!([{}]), json!([{}])]).await.unwrap_err();
        assert!(error.description().unwrap().contains("nowhere"));
    }
}
