//! Parts of the form that versions 2 and 3 share.

use node_api::prelude::*;

pub(super) fn join_mode() -> Param {
    Param::choice(
        "joinMode",
        "Output type",
        &[
            ("keepMatches", "Keep matches"),
            ("keepNonMatches", "Keep non-matches"),
            ("keepEverything", "Keep everything"),
            ("enrichInput1", "Enrich input 1"),
            ("enrichInput2", "Enrich input 2"),
        ],
    )
    .help("Which items to return: an inner, anti, full, left or right join.")
}

pub(super) fn output_from() -> Param {
    Param::choice(
        "outputDataFrom",
        "Output data from",
        &[("both", "Both inputs"), ("input1", "Input 1"), ("input2", "Input 2")],
    )
    .show("joinMode", &["keepMatches", "keepNonMatches"])
    .help("Which input's fields to include.")
}

pub(super) fn field_pairs() -> Param {
    let pair = [
        Param::text("field1", "Input 1 field", "").help("A field of input 1."),
        Param::text("field2", "Input 2 field", "").help("Field of input 2 that must be equal."),
    ];
    Param::repeated("mergeByFields", "Fields to match", [FieldGroup::new("values", "Values", pair)])
        .preset(json!({ "values": [{ "field1": "", "field2": "" }] }))
        .help("Items match when all these fields are equal.")
}

pub(super) fn options() -> Param {
    let clash = [
        Param::text("resolveClash", "When field values clash", "").help(
            "`addSuffix` keeps both, `preferInput1`, `preferInput2` … or `preferLast` keeps one.",
        ),
        Param::choice(
            "mergeMode",
            "Merging nested fields",
            &[("deepMerge", "Deep merge"), ("shallowMerge", "Shallow merge")],
        )
        .help("Whether to merge nested objects as well."),
        Param::flag("overrideEmpty", "Minimize empty fields", false)
            .help("Do not replace existing values with empty ones."),
    ];
    Param::collection(
        "options",
        "Options",
        [
            Param::group(
                "clashHandling",
                "Clash handling",
                [FieldGroup::new("values", "Values", clash)],
            )
            .help("How to resolve fields that both items have."),
            Param::flag("disableDotNotation", "Disable dot notation", false)
                .help("Treat dots in field names literally."),
            Param::flag("fuzzyCompare", "Fuzzy compare", false)
                .help("1 and \"1\", or null and an empty text, are equal."),
            Param::flag("includeUnpaired", "Include any unpaired items", false)
                .help("Keep unpaired items at their position."),
            Param::choice(
                "multipleMatches",
                "Multiple matches",
                &[("all", "Include all matches"), ("first", "Include first match only")],
            )
            .help("Whether an item can match several others."),
            Param::choice(
                "emptyQueryResult",
                "Empty query result",
                &[("empty", "Empty result"), ("success", "Success")],
            )
            .help("Output for a query without rows."),
        ],
    )
    .help("Comparison and merge options.")
}
