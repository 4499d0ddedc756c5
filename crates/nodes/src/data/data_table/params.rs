//! The form of the Data table node.

use node_api::prelude::*;

const ROW_OPERATIONS: &[(&str, &str)] = &[
    ("insert", "Insert"),
    ("deleteRows", "Delete"),
    ("get", "Get"),
    ("rowExists", "If Row Exists"),
    ("rowNotExists", "If Row Does Not Exist"),
    ("update", "Update"),
    ("upsert", "Upsert"),
];

const TABLE_OPERATIONS: &[(&str, &str)] = &[
    ("list", "List"),
    ("clear", "Clear"),
    ("create", "Create"),
    ("delete", "Delete"),
    ("update", "Update"),
];

const FILTERED: &[&str] = &["deleteRows", "get", "rowExists", "rowNotExists", "update", "upsert"];

const CONDITIONS: &[(&str, &str)] = &[
    ("eq", "Equals"),
    ("neq", "Not Equals"),
    ("gt", "Greater Than"),
    ("gte", "Greater Than or Equal"),
    ("lt", "Less Than"),
    ("lte", "Less Than or Equal"),
    ("like", "Contains (Case-Sensitive)"),
    ("ilike", "Contains (Case-Insensitive)"),
    ("isEmpty", "Is Empty"),
    ("isNotEmpty", "Is Not Empty"),
    ("isTrue", "Is True"),
    ("isFalse", "Is False"),
];

pub(super) fn params() -> Vec<Param> {
    let mut params = vec![
        Param::choice("resource", "Resource", &[("row", "Row"), ("table", "Table")])
            .raw()
            .help("Resource to use."),
        Param::choice("operation", "Operation", ROW_OPERATIONS)
            .raw()
            .show("resource", &["row"])
            .help("Operation on the rows."),
        Param::choice("operation", "Operation", TABLE_OPERATIONS)
            .raw()
            .show("resource", &["table"])
            .help("Operation on the table."),
        locator().show("resource", &["row"]),
        locator().show("resource", &["table"]).show("operation", &["clear", "delete", "update"]),
    ];
    params.extend(row_params());
    params.extend(table_params());
    params
}

fn locator() -> Param {
    Param::locator("dataTableId", "Data table", &["list", "name", "id"])
        .preset(json!({ "mode": "list", "value": "" }))
        .required()
        .help("The table, from the list, by name or by ID.")
}

fn row_params() -> Vec<Param> {
    let row = |param: Param, operations: &[&str]| {
        param.show("resource", &["row"]).show("operation", operations)
    };
    let condition = FieldGroup::new(
        "conditions",
        "Conditions",
        [
            Param::text("keyName", "Column", "id").help("Column to compare."),
            Param::choice("condition", "Condition", CONDITIONS).help("Comparison operator."),
            Param::text("keyValue", "Value", "")
                .hide("condition", &["isEmpty", "isNotEmpty", "isTrue", "isFalse"])
                .help("Value to compare with. In text searches, `%` matches any characters."),
        ],
    );
    let dry_run = Param::flag("dryRun", "Dry run", false)
        .help("Change nothing, and return each row before and after.");
    let bulk = Param::flag("optimizeBulk", "Optimize bulk", false)
        .raw()
        .help("Return only the number of inserted rows.");
    vec![
        row(
            Param::choice(
                "matchType",
                "Must match",
                &[("anyCondition", "Any Condition"), ("allConditions", "All Conditions")],
            )
            .help("Whether any or all conditions must match."),
            FILTERED,
        ),
        row(
            Param::repeated("filters", "Conditions", [condition])
                .help("Conditions that select the rows."),
            FILTERED,
        ),
        row(
            Param::mapper("columns", "Columns")
                .preset(json!({ "mappingMode": "defineBelow", "value": null }))
                .help("Values of the row: defined below, or taken from the item's fields."),
            &["insert", "update", "upsert"],
        ),
        row(
            Param::flag("returnAll", "Return all", false).help("Return all matching rows."),
            &["get"],
        ),
        row(
            Param::number("limit", "Limit", 50)
                .at_least(1.0)
                .show("returnAll", &[false])
                .help("Maximum number of rows."),
            &["get"],
        ),
        row(Param::flag("orderBy", "Order by", false).help("Sort the rows by a column."), &["get"]),
        row(
            Param::text("orderByColumn", "Order by column", "createdAt")
                .show("orderBy", &[true])
                .help("The column to sort by."),
            &["get"],
        ),
        row(
            Param::choice(
                "orderByDirection",
                "Order by direction",
                &[("DESC", "Descending"), ("ASC", "Ascending")],
            )
            .show("orderBy", &[true])
            .help("Sort direction."),
            &["get"],
        ),
        row(Param::collection("options", "Options", [bulk]).help("Fine points."), &["insert"]),
        row(
            Param::collection("options", "Options", [dry_run]).help("Fine points."),
            &["update", "upsert", "deleteRows"],
        ),
    ]
}

fn table_params() -> Vec<Param> {
    let table = |param: Param, operation: &str| {
        param.show("resource", &["table"]).show("operation", &[operation])
    };
    let kinds =
        [("string", "String"), ("boolean", "Boolean"), ("date", "Date"), ("number", "Number")];
    let column = FieldGroup::new(
        "column",
        "Column",
        [
            Param::text("name", "Name", "")
                .required()
                .help("Letters, digits and _, beginning with a letter."),
            Param::choice("type", "Type", &kinds).help("Type of the column."),
        ],
    );
    let reuse = Param::flag("createIfNotExists", "Reuse existing tables", true)
        .help("Return the existing table if the name is already in use.");
    let listing = [
        Param::text("filterName", "Filter by name", "")
            .help("Only tables whose name contains this text (case-insensitive)."),
        Param::choice(
            "sortField",
            "Sort field",
            &[("name", "Name"), ("createdAt", "Created"), ("updatedAt", "Updated")],
        )
        .help("Field to sort the tables by."),
        Param::choice(
            "sortDirection",
            "Sort direction",
            &[("asc", "Ascending"), ("desc", "Descending")],
        )
        .help("Sort direction."),
    ];
    vec![
        table(
            Param::text("tableName", "Name", "").required().help("The name of the new table."),
            "create",
        ),
        table(
            Param::repeated("columns", "Columns", [column]).help("The columns of the new table."),
            "create",
        ),
        table(Param::collection("options", "Options", [reuse]).help("Fine points."), "create"),
        table(Param::flag("returnAll", "Return all", true).help("Return all tables."), "list"),
        table(
            Param::number("limit", "Limit per input row", 50)
                .at_least(1.0)
                .show("returnAll", &[false])
                .help("Maximum number of tables."),
            "list",
        ),
        table(Param::collection("options", "Options", listing).help("Fine points."), "list"),
        table(
            Param::text("newName", "New name", "").required().help("New name of the table."),
            "update",
        ),
    ]
}
