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
    .help("Which items come out: an inner, anti, full, left or right join.")
}

pub(super) fn output_from() -> Param {
    Param::choice(
        "outputDataFrom",
        "Output data from",
        &[("both", "Both inputs"), ("input1", "Input 1"), ("input2", "Input 2")],
    )
    .show("joinMode", &["keepMatches", "keepNonMatches"])
    .help("Whose fields the items carry.")
}

pub(super) fn field_pairs() -> Param {
    let pair = [
        Param::text("field1", "Input 1 field", "").help("A field of input 1."),
        Param::text("field2", "Input 2 field", "")
            .help("The field of input 2 that must be equal to it."),
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
        .help("Whether objects inside of fields are merged as well."),
        Param::flag("overrideEmpty", "Minimize empty fields", false)
            .help("An empty value does not replace one that is there."),
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
            .help("What to do when both items have a field."),
            Param::flag("disableDotNotation", "Disable dot notation", false)
                .help("A dot in a field's name is just a dot."),
            Param::flag("fuzzyCompare", "Fuzzy compare", false)
                .help("1 and \"1\", or null and an empty text, are equal."),
            Param::flag("includeUnpaired", "Include any unpaired items", false)
                .help("Keep items without a partner at their place."),
            Param::choice(
                "multipleMatches",
                "Multiple matches",
                &[("all", "Include all matches"), ("first", "Include first match only")],
            )
            .help("Whether one item may match several."),
            Param::choice(
                "emptyQueryResult",
                "Empty query result",
                &[("empty", "Empty result"), ("success", "Success")],
            )
            .help("What a query without rows gives."),
        ],
    )
    .help("How items are compared and merged.")
}
