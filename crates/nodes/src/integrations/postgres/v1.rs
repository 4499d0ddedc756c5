//! The first version of the Postgres node: columns as a text with commas, values from the fields of
//! the items.

use super::super::sql::batch::{self, EmptyResult, QueryBatching};
use super::super::sql::binding::{self, BoundStatement, identifier};
use super::super::sql::{build, credential, statements};
use super::DIALECT;
use node_api::prelude::*;

pub struct PostgresV1;

impl Node for PostgresV1 {
    fn spec() -> Spec {
        let operations =
            [("executeQuery", "Execute Query"), ("insert", "Insert"), ("update", "Update")];
        let modes = [
            ("independently", "Independently"),
            ("multiple", "Multiple queries"),
            ("transaction", "Transaction"),
        ];
        Spec::new(
            "n8n-nodes-base.postgres",
            &[1.0],
            "Postgres",
            "Read and write rows in a PostgreSQL database",
        )
        .icon("database")
        .untrusted()
        .private()
        .group(NodeGroup::Integration)
        .credential("postgres", true)
        .params([
            Param::choice("operation", "Operation", &operations)
                .preset("insert")
                .help("Operation on the database."),
            Param::code("query", "Query", "sql", "")
                .show("operation", &["executeQuery"])
                .help("SQL to run, with $1, $2 … for the fields listed as query parameters."),
            Param::text("schema", "Schema", "public")
                .hide("operation", &["executeQuery"])
                .help("Schema of the table."),
            Param::text("table", "Table", "")
                .hide("operation", &["executeQuery"])
                .help("Table to use."),
            Param::text("updateKey", "Update key", "id")
                .show("operation", &["update"])
                .help("Comma-separated columns that identify existing rows."),
            Param::text("columns", "Columns", "").hide("operation", &["executeQuery"]).help(
                "Comma-separated fields of the items to write, optionally with a type, as \
                         in `id:int`.",
            ),
            Param::text("returnFields", "Return fields", "*")
                .hide("operation", &["executeQuery"])
                .help("Comma-separated columns to return."),
            Param::collection(
                "additionalFields",
                "Additional fields",
                [
                    Param::choice("mode", "Mode", &modes)
                        .preset("multiple")
                        .help("How to run the queries of several items."),
                    Param::choice(
                        "largeNumbersOutput",
                        "Output large numbers as",
                        &[("text", "Text"), ("numbers", "Numbers")],
                    )
                    .help("How to return numbers that JavaScript cannot represent exactly."),
                    Param::text("queryParams", "Query parameters", "")
                        .help("Comma-separated fields of the items to bind to $1, $2 …."),
                ],
            )
            .help("Fine points."),
        ])
        .hint("Use the newest version in new workflows.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let server = credential::postgres(ctx, "additionalFields.largeNumbersOutput")?;
        let operation = ctx.text("operation", 0)?;
        let queries =
            statements::queries_per_item(&items, |item, index| match operation.as_str() {
                "executeQuery" => query(ctx, item, index),
                "insert" => insert(ctx, item, index),
                "update" => update(ctx, item, index),
                other => Err(statements::no_such_operation(other)),
            })?;
        batch::run(
            ctx,
            &server,
            queries,
            QueryBatching::of(ctx, "additionalFields.mode")?,
            EmptyResult::SuccessUnlessSelect,
        )
        .await
    }
}

fn query(ctx: &Ctx<'_>, item: &Item, index: usize) -> Result<Vec<BoundStatement>, NodeError> {
    let fields = build::names(&ctx.param("additionalFields.queryParams", index)?);
    let values: Vec<Value> =
        fields.iter().map(|field| item.json.get(field).cloned().unwrap_or(Value::Null)).collect();
    binding::bind(DIALECT, &ctx.text("query", index)?, &values)
}

fn table(ctx: &Ctx<'_>, index: usize) -> Result<String, NodeError> {
    let (schema, table) = (ctx.text("schema", index)?, ctx.text("table", index)?);
    if table.is_empty() {
        return Err(NodeError::parameter("table", "No table is specified")
            .hint("Enter the name of a table."));
    }
    Ok(format!(
        "{}.{}",
        identifier(DIALECT, if schema.is_empty() { "public" } else { &schema }),
        identifier(DIALECT, &table)
    ))
}

/// The named columns of an item, and the type that follows a name after a colon.
fn row(item: &Item, columns: &Value) -> Vec<(Str, Option<Str>, Value)> {
    let named = build::names(columns).into_iter().map(|column| match column.split_once(':') {
        Some((name, kind)) => (Str::from(name.trim()), Some(Str::from(kind.trim()))),
        None => (column, None),
    });
    named
        .map(|(name, kind)| {
            (name.clone(), kind, item.json.get(&name).cloned().unwrap_or(Value::Null))
        })
        .collect()
}

/// Types whose names have several words.
const LONG_TYPES: [&str; 6] = [
    "double precision",
    "character varying",
    "bit varying",
    "time with time zone",
    "timestamp with time zone",
    "timestamp without time zone",
];

fn push_cast(statement: &mut BoundStatement, kind: Option<&Str>) -> Result<(), NodeError> {
    let Some(kind) = kind else { return Ok(()) };
    if !is_type(kind) {
        return Err(NodeError::parameter("columns", format!("'{kind}' is not a column type"))
            .hint("Write columns as name or name:type."));
    }
    statement.push(&format!("::{kind}"));
    Ok(())
}

/// `int`, `numeric(10)`, `text[]`, `double precision`: what can be written after `::` and ends
/// there.
fn is_type(kind: &str) -> bool {
    let mut name = kind.trim();
    while let Some(element) = name.strip_suffix("[]") {
        name = element.trim_end();
    }
    if let Some((before, size)) = name.strip_suffix(')').and_then(|name| name.rsplit_once('(')) {
        if size.is_empty() || !size.bytes().all(|byte| byte.is_ascii_digit()) {
            return false;
        }
        name = before.trim_end();
    }
    let is_word = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    is_word || LONG_TYPES.contains(&name.to_ascii_lowercase().as_str())
}

fn insert(ctx: &Ctx<'_>, item: &Item, index: usize) -> Result<Vec<BoundStatement>, NodeError> {
    let row = row(item, &ctx.param("columns", index)?);
    if row.is_empty() {
        return Err(NodeError::parameter("columns", "No columns are specified")
            .hint("Enter the fields to write, separated by commas."));
    }
    let names: Vec<String> = row.iter().map(|(name, ..)| identifier(DIALECT, name)).collect();
    let mut statement = BoundStatement::new(format!(
        "INSERT INTO {} ({}) VALUES (",
        table(ctx, index)?,
        names.join(",")
    ));
    for (place, (_, kind, value)) in row.into_iter().enumerate() {
        statement.push(if place > 0 { "," } else { "" });
        statement.push_value(DIALECT, as_text(value));
        push_cast(&mut statement, kind.as_ref())?;
    }
    statement.push(&format!(") RETURNING {}", returned(ctx, index)?));
    Ok(vec![statement])
}

fn update(ctx: &Ctx<'_>, item: &Item, index: usize) -> Result<Vec<BoundStatement>, NodeError> {
    let keys = row(item, &ctx.param("updateKey", index)?);
    let is_key = |name: &Str| keys.iter().any(|(key, ..)| key == name);
    let changed: Vec<_> = row(item, &ctx.param("columns", index)?)
        .into_iter()
        .filter(|(name, ..)| !is_key(name))
        .collect();
    if keys.is_empty() || changed.is_empty() {
        return Err(NodeError::parameter(
            "columns",
            "An update needs a key and at least one more column",
        )
        .hint("Enter the columns to update under Columns, and the key under Update key."));
    }
    let mut statement = BoundStatement::new(format!("UPDATE {} SET ", table(ctx, index)?));
    for (place, (name, kind, value)) in changed.into_iter().enumerate() {
        statement.push(&format!(
            "{}{} = ",
            if place > 0 { ", " } else { "" },
            identifier(DIALECT, &name)
        ));
        statement.push_value(DIALECT, as_text(value));
        push_cast(&mut statement, kind.as_ref())?;
    }
    for (place, (name, kind, value)) in keys.iter().enumerate() {
        statement.push(&format!(
            "{}{} = ",
            if place > 0 { " AND " } else { " WHERE " },
            identifier(DIALECT, name)
        ));
        statement.push_value(DIALECT, as_text(value.clone()));
        push_cast(&mut statement, kind.as_ref())?;
    }
    statement.push(&format!(" RETURNING {}", returned(ctx, index)?));
    Ok(vec![statement])
}

fn returned(ctx: &Ctx<'_>, index: usize) -> Result<String, NodeError> {
    Ok(build::columns_text(DIALECT, &build::names(&ctx.param("returnFields", index)?)))
}

/// As a quoted literal, whose type the column decides.
fn as_text(value: Value) -> Value {
    match value {
        Value::Number(_) | Value::Bool(_) => Value::from(value.to_js_string()),
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use super::is_type;

    #[test]
    fn issue_14_04_a_type_is_nothing_but_a_type() {
        for kind in [
            "int",
            "numeric(10)",
            "text[]",
            "Double Precision",
            "character varying(20)",
            "_int4",
            "timestamp with time zone",
        ] {
            assert!(is_type(kind), "{kind}");
        }
        for kind in [
            "",
            "int or true",
            "int) or (true",
            "int(select 1)",
            "text;",
            "a\"b",
            "int --",
            "numeric(1)(2)",
            "5",
        ] {
            assert!(!is_type(kind), "{kind}");
        }
    }
}
