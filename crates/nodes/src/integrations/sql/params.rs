//! Parameters that the SQL nodes share.

use node_api::prelude::*;

pub(in super::super) const OPERATIONS: &[(&str, &str)] = &[
    ("insert", "Insert"),
    ("deleteTable", "Delete Table or Rows"),
    ("executeQuery", "Execute Query"),
    ("upsert", "Insert or Update"),
    ("select", "Select"),
    ("update", "Update"),
];

pub(in super::super) fn table() -> Param {
    Param::locator("table", "Table", &["list", "name"])
        .preset(json!({ "mode": "list", "value": "" }))
        .hide("operation", &["executeQuery"])
        .required()
        .help("The table to work on.")
}

pub(in super::super) fn query(language: &str) -> Param {
    Param::code("query", "Query", language, "")
        .show("operation", &["executeQuery"])
        .required()
        .help("The SQL to run. Put $1, $2 … where values belong and give the values under Query Parameters: they are bound, never spliced.")
}

/// Conditions for `select` and for deleting rows.
pub(in super::super) fn conditions() -> [Param; 2] {
    let operators = [
        ("equal", "Equal"),
        ("!=", "Not equal"),
        ("LIKE", "Like"),
        (">", "Greater than"),
        ("<", "Less than"),
        (">=", "Greater than or equal"),
        ("<=", "Less than or equal"),
        ("IS NULL", "Is null"),
        ("IS NOT NULL", "Is not null"),
    ];
    let fields = [
        Param::text("column", "Column", "").help("The column that is compared."),
        Param::choice("condition", "Operator", &operators).help("How it is compared."),
        Param::text("value", "Value", "")
            .hide("condition", &["IS NULL", "IS NOT NULL"])
            .help("What it is compared with."),
    ];
    [
        Param::repeated("where", "Select rows", [FieldGroup::new("values", "Condition", fields)])
            .show("operation", &["select", "deleteTable"])
            .help("Only rows that meet these conditions; every row if there is none."),
        Param::choice("combineConditions", "Combine conditions", &[("AND", "AND"), ("OR", "OR")])
            .show("operation", &["select", "deleteTable"])
            .help("Whether all conditions must hold, or one of them."),
    ]
}

pub(in super::super) fn limits() -> [Param; 3] {
    let sort = [
        Param::text("column", "Column", "").help("The column to sort by."),
        Param::choice("direction", "Direction", &[("ASC", "Ascending"), ("DESC", "Descending")])
            .help("Which end comes first."),
    ];
    [
        Param::flag("returnAll", "Return all", false)
            .show("operation", &["select"])
            .help("Every row, instead of the first ones."),
        Param::number("limit", "Limit", 50)
            .at_least(1.0)
            .show("operation", &["select"])
            .show("returnAll", &[false])
            .help("How many rows are returned at most."),
        Param::repeated("sort", "Sort", [FieldGroup::new("values", "Rule", sort)])
            .show("operation", &["select"])
            .help("The order of the rows."),
    ]
}

pub(in super::super) fn delete_command() -> Param {
    Param::choice(
        "deleteCommand",
        "Command",
        &[("truncate", "Truncate"), ("delete", "Delete"), ("drop", "Drop")],
    )
    .show("operation", &["deleteTable"])
    .help("Empty the table, delete rows that meet conditions, or remove the table itself.")
}

/// The columns of a row, in the form of the older versions.
pub(in super::super) fn sent_columns(until: Option<f64>) -> Vec<Param> {
    let writing = &["insert", "update", "upsert"];
    let value = [
        Param::text("column", "Column", "").help("The column to write."),
        Param::text("value", "Value", "").help("What is written into it."),
    ];
    let params = vec![
        Param::choice(
            "dataMode",
            "Data mode",
            &[("autoMapInputData", "Map automatically"), ("defineBelow", "Map each column below")],
        )
        .show("operation", writing)
        .help("Whether columns are the fields of the item, or given one by one."),
        Param::text("columnToMatchOn", "Column to match on", "")
            .show("operation", &["update", "upsert"])
            .help("The column by which existing rows are found."),
        Param::text("valueToMatchOn", "Value of column to match on", "")
            .show("operation", &["update", "upsert"])
            .show("dataMode", &["defineBelow"])
            .help("Rows with this value in it are changed."),
        Param::repeated(
            "valuesToSend",
            "Values to send",
            [FieldGroup::new("values", "Value", value)],
        )
        .show("operation", writing)
        .show("dataMode", &["defineBelow"])
        .help("The columns and what is written into them."),
    ];
    match until {
        Some(version) => params.into_iter().map(|param| param.until(version)).collect(),
        None => params,
    }
}

/// Options that both databases have.
pub(in super::super) fn options() -> Vec<Param> {
    vec![
        Param::number("connectionTimeout", "Connection timeout", 30).at_least(1.0).help("Seconds to wait for a connection."),
        Param::choice(
            "queryBatching",
            "Query batching",
            &[("single", "Single query"), ("independently", "Independently"), ("transaction", "Transaction")],
        )
        .help("Run all items' queries as one, each for itself, or in a transaction that is undone when one fails."),
        Param::text("queryReplacement", "Query parameters", "")
            .help("Values for $1, $2 … of the query: a list with commas, or an expression that returns an array."),
        Param::multi_choice("outputColumns", "Output columns", &[("*", "All")])
            .help("The columns to return; all of them if none is chosen."),
        Param::choice("largeNumbersOutput", "Output large numbers as", &[("text", "Text"), ("numbers", "Numbers")])
            .help("How numbers are given that JavaScript cannot hold exactly."),
        Param::flag("skipOnConflict", "Skip on conflict", false)
            .help("Leave out rows that a unique column already has, instead of failing."),
        Param::flag("replaceEmptyStrings", "Replace empty strings with NULL", false).help("Write NULL where an item has an empty text."),
    ]
}
