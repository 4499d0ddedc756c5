//! The form of Set since version 3.

use node_api::prelude::*;

pub(super) fn params() -> Vec<Param> {
    let manual = ["manual"];
    let includes = [
        ("all", "All input fields"),
        ("none", "No input fields"),
        ("selected", "Selected input fields"),
        ("except", "All input fields except"),
    ];
    let new_includes = [("all", "All"), ("selected", "Selected"), ("except", "All except")];
    vec![
        Param::choice("mode", "Mode", &[("manual", "Manual mapping"), ("raw", "JSON")])
            .raw()
            .help("Whether fields are set one by one or from JSON."),
        Param::flag("duplicateItem", "Duplicate item", false)
            .help("Repeat each item in manual runs."),
        Param::number("duplicateCount", "Duplicate item count", 0)
            .at_least(0.0)
            .show("duplicateItem", &[true])
            .help("Number of copies to add, for testing."),
        Param::json(
            "jsonOutput",
            "JSON",
            "{\n  \"my_field_1\": \"value\",\n  \"my_field_2\": 1\n}\n",
        )
        .show("mode", &["raw"])
        .help("A JSON object. Can contain expressions."),
        Param::repeated(
            "fields",
            "Fields to set",
            [FieldGroup::new("values", "Values", older_field())],
        )
        .until(3.2)
        .show("mode", &manual)
        .help("The fields and their values."),
        Param::assignments("assignments", "Fields to set")
            .since(3.3)
            .show("mode", &manual)
            .help("The fields, their types and values."),
        Param::choice("include", "Include in output", &includes)
            .until(3.2)
            .help("Which fields of the input to keep."),
        Param::flag("includeOtherFields", "Include other input fields", false)
            .since(3.3)
            .help("Keep fields of the input too."),
        Param::choice("include", "Input fields to include", &new_includes)
            .since(3.3)
            .hide("includeOtherFields", &[false])
            .help("Which fields of the input to keep."),
        Param::text("includeFields", "Fields to include", "")
            .show("include", &["selected"])
            .help("Comma-separated names of the fields to keep."),
        Param::text("excludeFields", "Fields to exclude", "")
            .show("include", &["except"])
            .help("Comma-separated names of the fields to remove."),
        Param::collection(
            "options",
            "Options",
            [
                Param::flag("includeBinary", "Include binary data", true)
                    .until(3.3)
                    .help("Keep the files of the item."),
                Param::flag("stripBinary", "Strip binary data", true)
                    .since(3.4)
                    .help("Remove the files of the item."),
                Param::flag("ignoreConversionErrors", "Ignore type conversion errors", false)
                    .help("Keep a value unchanged if it cannot be converted to its type."),
                Param::flag("dotNotation", "Support dot notation", true)
                    .help("Treat `a.b` as the field `b` inside `a`."),
            ],
        )
        .help("Options for setting fields."),
    ]
}

fn older_field() -> Vec<Param> {
    let kinds = [
        ("stringValue", "String"),
        ("numberValue", "Number"),
        ("booleanValue", "Boolean"),
        ("arrayValue", "Array"),
        ("objectValue", "Object"),
    ];
    vec![
        Param::text("name", "Name", "").help("Name of the field. Use dots for nested fields."),
        Param::choice("type", "Type", &kinds).help("The type of the value."),
        Param::text("stringValue", "Value", "").show("type", &["stringValue"]).help("The text."),
        Param::text("numberValue", "Value", "").show("type", &["numberValue"]).help("The number."),
        Param::choice("booleanValue", "Value", &[("true", "True"), ("false", "False")])
            .show("type", &["booleanValue"])
            .help("Yes or no."),
        Param::text("arrayValue", "Value", "").show("type", &["arrayValue"]).help("A JSON array."),
        Param::json("objectValue", "Value", "={}")
            .show("type", &["objectValue"])
            .help("A JSON object."),
    ]
}
