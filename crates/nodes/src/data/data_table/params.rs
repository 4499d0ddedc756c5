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
            .help("What to work on."),
        Param::choice("operation", "Operation", ROW_OPERATIONS)
            .raw()
            .show("resource", &["row"])
            .help("What to do with the rows."),
        Param::choice("operation", "Operation", TABLE_OPERATIONS)
            .raw()
            .show("resource", &["table"])
            .help("What to do with the table."),
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
        .help("The table, from the list, by its name or by its id.")
}

fn row_params() -> Vec<Param> {
    let row = |param: Param, operations: &[&str]| {
        param.show("resource", &["row"]).show("operation", operations)
    };
    let condition = FieldGroup::new(
        "conditions",
        "Conditions",
        [
            Param::text("keyName", "Column", "id").help("The column to look at."),
            Param::choice("condition", "Condition", CONDITIONS).help("How its value is compared."),
            Param::text("keyValue", "Value", "")
                .hide("condition", &["isEmpty", "isNotEmpty", "isTrue", "isFalse"])
                .help(
                    "What it is compared with; `%` in a text to look for stands for any letters.",
                ),
        ],
    );
    let dry_run = Param::flag("dryRun", "Dry run", false)
        .help("Change nothing, and give back each row before and after.");
    let bulk = Param::flag("optimizeBulk", "Optimize bulk", false)
        .raw()
        .help("Give back only how many rows were inserted.");
    vec![
        row(
            Param::choice(
                "matchType",
                "Must match",
                &[("anyCondition", "Any Condition"), ("allConditions", "All Conditions")],
            )
            .help("Whether one condition is enough."),
            FILTERED,
        ),
        row(
            Param::repeated("filters", "Conditions", [condition]).help("Which rows are meant."),
            FILTERED,
        ),
        row(
            Param::mapper("columns", "Columns")
                .preset(json!({ "mappingMode": "defineBelow", "value": null }))
                .help("The values of the row: given one by one, or the fields of the item."),
            &["insert", "update", "upsert"],
        ),
        row(
            Param::flag("returnAll", "Return all", false).help("Give back every row that fits."),
            &["get"],
        ),
        row(
            Param::number("limit", "Limit", 50)
                .at_least(1.0)
                .show("returnAll", &[false])
                .help("Rows at most."),
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
            .help("Which way to sort."),
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
            Param::choice("type", "Type", &kinds).help("What the column holds."),
        ],
    );
    let reuse = Param::flag("createIfNotExists", "Reuse existing tables", true)
        .help("Give back the table of this name if there is one already.");
    let listing = [
        Param::text("filterName", "Filter by name", "")
            .help("Only tables with this in their name, whatever its case."),
        Param::choice(
            "sortField",
            "Sort field",
            &[("name", "Name"), ("createdAt", "Created"), ("updatedAt", "Updated")],
        )
        .help("What the tables are sorted by."),
        Param::choice(
            "sortDirection",
            "Sort direction",
            &[("asc", "Ascending"), ("desc", "Descending")],
        )
        .help("Which way to sort."),
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
        table(Param::flag("returnAll", "Return all", true).help("Give back every table."), "list"),
        table(
            Param::number("limit", "Limit per input row", 50)
                .at_least(1.0)
                .show("returnAll", &[false])
                .help("Tables at most."),
            "list",
        ),
        table(Param::collection("options", "Options", listing).help("Fine points."), "list"),
        table(
            Param::text("newName", "New name", "")
                .required()
                .help("What the table is called from now on."),
            "update",
        ),
    ]
}
