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
        .help("Table to use.")
}

pub(in super::super) fn query(language: &str) -> Param {
    Param::code("query", "Query", language, "")
        .show("operation", &["executeQuery"])
        .required()
        .help(
            "SQL to run. Use $1, $2 … for values and enter them under Query Parameters: they are \
             bound, never inserted into the SQL.",
        )
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
        Param::text("column", "Column", "").help("Column to compare."),
        Param::choice("condition", "Operator", &operators).help("Comparison operator."),
        Param::text("value", "Value", "")
            .hide("condition", &["IS NULL", "IS NOT NULL"])
            .help("Value to compare with."),
    ];
    [
        Param::repeated("where", "Select rows", [FieldGroup::new("values", "Condition", fields)])
            .show("operation", &["select", "deleteTable"])
            .help("Only rows that match these conditions. If empty, all rows."),
        Param::choice("combineConditions", "Combine conditions", &[("AND", "AND"), ("OR", "OR")])
            .show("operation", &["select", "deleteTable"])
            .help("Whether all conditions must match, or any of them."),
    ]
}

pub(in super::super) fn limits() -> [Param; 3] {
    let sort = [
        Param::text("column", "Column", "").help("The column to sort by."),
        Param::choice("direction", "Direction", &[("ASC", "Ascending"), ("DESC", "Descending")])
            .help("Sort direction."),
    ];
    [
        Param::flag("returnAll", "Return all", false)
            .show("operation", &["select"])
            .help("Return all rows."),
        Param::number("limit", "Limit", 50)
            .at_least(1.0)
            .show("operation", &["select"])
            .show("returnAll", &[false])
            .help("Maximum number of rows to return."),
        Param::repeated("sort", "Sort", [FieldGroup::new("values", "Rule", sort)])
            .show("operation", &["select"])
            .help("Sort order of the rows."),
    ]
}

pub(in super::super) fn delete_command() -> Param {
    Param::choice(
        "deleteCommand",
        "Command",
        &[("truncate", "Truncate"), ("delete", "Delete"), ("drop", "Drop")],
    )
    .show("operation", &["deleteTable"])
    .help("Truncate the table, delete rows that match conditions, or drop the table.")
}

/// The columns of a row, in the form of the older versions.
pub(in super::super) fn sent_columns(until: Option<f64>) -> Vec<Param> {
    let writing = &["insert", "update", "upsert"];
    let value = [
        Param::text("column", "Column", "").help("The column to write."),
        Param::text("value", "Value", "").help("Value to write."),
    ];
    let params = vec![
        Param::choice(
            "dataMode",
            "Data mode",
            &[("autoMapInputData", "Map automatically"), ("defineBelow", "Map each column below")],
        )
        .show("operation", writing)
        .help("Whether to take the columns from the item's fields, or define them one by one."),
        Param::text("columnToMatchOn", "Column to match on", "")
            .show("operation", &["update", "upsert"])
            .help("Column that identifies existing rows."),
        Param::text("valueToMatchOn", "Value of column to match on", "")
            .show("operation", &["update", "upsert"])
            .show("dataMode", &["defineBelow"])
            .help("Rows with this value are updated."),
        Param::repeated(
            "valuesToSend",
            "Values to send",
            [FieldGroup::new("values", "Value", value)],
        )
        .show("operation", writing)
        .show("dataMode", &["defineBelow"])
        .help("Columns and their values."),
    ];
    match until {
        Some(version) => params.into_iter().map(|param| param.until(version)).collect(),
        None => params,
    }
}

/// Options that both databases have.
pub(in super::super) fn options() -> Vec<Param> {
    vec![
        Param::number("connectionTimeout", "Connection timeout", 30)
            .at_least(1.0)
            .help("Connection timeout in seconds."),
        Param::choice(
            "queryBatching",
            "Query batching",
            &[
                ("single", "Single query"),
                ("independently", "Independently"),
                ("transaction", "Transaction"),
            ],
        )
        .help(
            "Run all items' queries as one, separately, or in a transaction that is rolled back if \
             one fails.",
        ),
        Param::text("queryReplacement", "Query parameters", "").help(
            "Values for $1, $2 … of the query: a comma-separated list, or an expression that \
                 returns an array.",
        ),
        Param::multi_choice("outputColumns", "Output columns", &[("*", "All")])
            .help("Columns to return. If empty, all columns."),
        Param::choice(
            "largeNumbersOutput",
            "Output large numbers as",
            &[("text", "Text"), ("numbers", "Numbers")],
        )
        .help("How to return numbers that JavaScript cannot represent exactly."),
        Param::flag("skipOnConflict", "Skip on conflict", false)
            .help("Skip rows that violate a unique constraint instead of failing."),
        Param::flag("replaceEmptyStrings", "Replace empty strings with NULL", false)
            .help("Write NULL where an item has an empty text."),
    ]
}
