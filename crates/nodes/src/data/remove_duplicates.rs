//! Removes items that repeat within the input, or that earlier executions have seen.

mod history;

use super::fields::{DOT_NOTATION_TIP, DotNotation, field_list, identity, leaf_names, pick};
use node_api::prelude::*;
use std::collections::HashSet;

pub(crate) struct RemoveDuplicates;

impl Node for RemoveDuplicates {
    fn spec() -> Spec {
        let input = &["removeDuplicateInputItems"];
        let seen = &["removeItemsSeenInPreviousExecutions"];
        let operations = [
            ("removeDuplicateInputItems", "Remove items repeated within current input"),
            (
                "removeItemsSeenInPreviousExecutions",
                "Remove items processed in previous executions",
            ),
            ("clearDeduplicationHistory", "Clear deduplication history"),
        ];
        let logic = [
            (history::SEEN, "Value is new"),
            (history::INCREMENT, "Value is higher than any previous value"),
            (history::DATE, "Value is a date later than any previous date"),
        ];
        let scopes = [("node", "Node"), ("workflow", "Workflow")];
        Spec::new("n8n-nodes-base.removeDuplicates", &[1.0, 1.1, 2.0], "Remove Duplicates", "Delete items with matching field values").icon("copy-minus")
            .param(Param::choice("operation", "Operation", &operations).raw().help("What counts as a duplicate.").since(2.0))
            .params(compare_params().into_iter().map(|param| param.show("operation", input).since(2.0)))
            .params(compare_params().into_iter().map(|param| param.until(1.1)))
            .params([
                Param::choice("logic", "Keep items where", &logic)
                    .raw()
                    .help("How an item's value is compared with those of earlier executions.")
                    .show("operation", seen)
                    .since(2.0),
                Param::text("dedupeField", "Value to dedupe on", "")
                    .help("Value that identifies an item, usually an expression such as {{ $json.id \
                         }}.")
                    .show("operation", seen)
                    .show("logic", &[history::SEEN]),
                Param::text("incrementalDedupeField", "Value to dedupe on", "")
                    .help("A number that increases from item to item, such as an ID.")
                    .show("operation", seen)
                    .show("logic", &[history::INCREMENT]),
                Param::text("dateDedupeField", "Value to dedupe on", "")
                    .help("The date of the item.")
                    .show("operation", seen)
                    .show("logic", &[history::DATE]),
                Param::choice("mode", "Mode", &[("cleanDatabase", "Clean database")])
                    .help("Operation on the history. Items pass through unchanged.")
                    .show("operation", &["clearDeduplicationHistory"])
                    .since(2.0),
            ])
            .param(
                Param::collection(
                    "options",
                    "Options",
                    [
                        Param::flag("disableDotNotation", "Disable dot notation", false)
                            .help("Take dots in field names literally instead of as steps into nested objects."),
                        Param::flag("removeOtherFields", "Remove other fields", false)
                            .help("Remove the fields that were not compared. Otherwise those of the \
                                 first duplicate are kept."),
                        Param::choice("scope", "Scope", &scopes).help("Whether the history belongs to this node or to the whole workflow."),
                        Param::number("historySize", "History size", 10_000).help("Maximum number of values to remember."),
                    ],
                )
                .help("Further settings."),
            )
            .alias(&["unique", "distinct", "dedupe", "item lists"])
            .hint("Use it after merging branches, or with the history to handle each record of a feed only once.")
            .example(
                "Unique by email address",
                r#"{ "compare": "selectedFields", "fieldsToCompare": "email" }"#,
                r#"[{ "email": "a@b.c", "n": 1 }, { "email": "a@b.c", "n": 2 }, { "email": "d@e.f", "n": 3 }]"#,
                r#"[[{ "email": "a@b.c", "n": 1 }, { "email": "d@e.f", "n": 3 }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        match ctx.text("operation", 0)?.as_str() {
            "removeItemsSeenInPreviousExecutions" => history::remove_seen(ctx, &items),
            "clearDeduplicationHistory" => history::clear(ctx, items),
            _ => remove_repeated(
                ctx,
                &items,
                if ctx.version() > 1.0 { TypeRule::SameOrNull } else { TypeRule::Same },
            ),
        }
    }
}

/// The parameters of a comparison within the input, which Item Lists has too.
pub(super) fn compare_params() -> Vec<Param> {
    let compare = [
        ("allFields", "All fields"),
        ("allFieldsExcept", "All fields except"),
        ("selectedFields", "Selected fields"),
    ];
    vec![
        Param::choice("compare", "Compare", &compare)
            .help("Which fields must be equal for two items to be duplicates."),
        Param::text("fieldsToExclude", "Fields to exclude", "")
            .help("Names of the fields to leave out of the comparison, separated by commas.")
            .show("compare", &["allFieldsExcept"]),
        Param::text("fieldsToCompare", "Fields to compare", "")
            .help("Names of the fields to compare, separated by commas.")
            .show("compare", &["selectedFields"]),
    ]
}

/// Whether a compared field must have the same type in all items.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeRule {
    Same,
    SameOrNull,
    Any,
}

/// Keeps the first of the items that agree in the compared fields.
pub(super) fn remove_repeated(
    ctx: &Ctx<'_>,
    items: &Items,
    types: TypeRule,
) -> Result<Outputs, NodeError> {
    let Some(first) = items.first() else { return Ok(vec![Items::new()]) };
    let dots = DotNotation::of(ctx)?;
    let keys = compared_keys(ctx, items, &first, dots)?;
    check(items, &keys, dots, types)?;
    let only_compared = ctx.flag("options.removeOtherFields", 0)?;
    let mut seen = HashSet::new();
    let mut output = ctx.builder();
    for (index, item) in items.iter().enumerate() {
        let values =
            keys.iter().map(|key| dots.get(&item.json, key).cloned().unwrap_or_default()).collect();
        if seen.insert(fingerprint(&identity(&Value::array(values)))) {
            let kept = if only_compared { Item::new(pick(&item.json, &keys, dots)?) } else { item };
            output.push(kept.paired_with(index));
        }
    }
    Ok(vec![output.finish()])
}

/// Stands for a text that may be as long as the item; two texts that share one do not turn up.
fn fingerprint(text: &str) -> [u8; 16] {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, text.as_bytes());
    let mut first = [0; 16];
    first.iter_mut().zip(digest.as_ref()).for_each(|(to, from)| *to = *from);
    first
}

fn compared_keys(
    ctx: &Ctx<'_>,
    items: &Items,
    first: &Item,
    dots: DotNotation,
) -> Result<Vec<Str>, NodeError> {
    let keys_of = |json: &Value| match dots {
        DotNotation::Nested => leaf_names(json),
        DotNotation::Literal => {
            json.as_object().into_iter().flat_map(Object::keys).cloned().collect()
        }
    };
    let keys_of_all = || {
        let mut known = HashSet::new();
        items
            .iter()
            .flat_map(|item| keys_of(&item.json))
            .filter(|key| known.insert(key.clone()))
            .collect::<Vec<Str>>()
    };
    match ctx.text("compare", 0)?.as_str() {
        "allFieldsExcept" => {
            let excluded = field_list(ctx, "fieldsToExclude", "Fields To Exclude", 0)?;
            if excluded.is_empty() {
                let message = "No fields specified. Please add a field to exclude from comparison";
                return Err(NodeError::parameter("fieldsToExclude", message));
            }
            let keys =
                if dots == DotNotation::Nested { keys_of(&first.json) } else { keys_of_all() };
            Ok(keys.into_iter().filter(|key| !excluded.contains(key)).collect())
        }
        "selectedFields" => {
            let compared = field_list(ctx, "fieldsToCompare", "Fields To Compare", 0)?;
            if compared.is_empty() {
                return Err(NodeError::parameter(
                    "fieldsToCompare",
                    "No fields specified. Please add a field to compare on",
                ));
            }
            Ok(compared)
        }
        _ => Ok(keys_of_all()),
    }
}

/// Every item must have every compared field, mostly with a value of the same type. The first field
/// that fails is told.
fn check(items: &Items, keys: &[Str], dots: DotNotation, types: TypeRule) -> Result<(), NodeError> {
    if keys.iter().any(|key| key.is_empty()) {
        return Err(NodeError::parameter("fieldsToCompare", "Name of field to compare is blank"));
    }
    let mut kinds = vec![None; keys.len()];
    let mut failed: Option<(usize, NodeError)> = None;
    // One walk over the items for all fields: walking may mean reading from disk.
    for (index, item) in items.iter().enumerate() {
        let still_open = failed.as_ref().map_or(keys.len(), |(place, _)| *place);
        for (place, key) in keys.iter().enumerate().take(still_open) {
            if let Err(error) = check_field(&item, index, key, &mut kinds[place], dots, types) {
                failed = Some((place, error));
                break;
            }
        }
    }
    failed.map_or(Ok(()), |(_, error)| Err(error))
}

fn check_field(
    item: &Item,
    index: usize,
    key: &str,
    kind: &mut Option<&'static str>,
    dots: DotNotation,
    types: TypeRule,
) -> Result<(), NodeError> {
    let Some(value) = dots.get(&item.json, key) else {
        let error = NodeError::input(format!("'{key}' field is missing from some input items"));
        let tells = dots == DotNotation::Literal && key.contains('.');
        return Err(if tells { error.describe(DOT_NOTATION_TIP) } else { error });
    };
    if types == TypeRule::Any || (value.is_null() && types == TypeRule::SameOrNull) {
        return Ok(());
    }
    let known = *kind.get_or_insert(value.type_of());
    if known != value.type_of() {
        let mut description = "The type of this field varies between items".to_owned();
        if types == TypeRule::SameOrNull {
            let before = index.saturating_sub(1);
            description += &format!(
                ", in item [{before}] it's a {known} and in item [{index}] it's a {} ",
                value.type_of()
            );
        }
        return Err(
            NodeError::input(format!("'{key}' isn't always the same type")).describe(description)
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::{run, run_version};

    #[tokio::test]
    async fn whole_items_are_compared_whatever_the_order_of_their_keys() {
        let input = json!([{ "a": 1, "b": { "c": 2 } }, { "b": { "c": 2 }, "a": 1 }, { "a": 1, "b": { "c": 3 } }]);
        let kept = run::<RemoveDuplicates>(json!({}), input).await.unwrap();
        assert_eq!(kept[0], json!([{ "a": 1, "b": { "c": 2 } }, { "a": 1, "b": { "c": 3 } }]));
    }

    #[tokio::test]
    async fn only_the_compared_fields_stay_when_asked_for() {
        let params = json!({ "compare": "allFieldsExcept", "fieldsToExclude": "n", "options": { "removeOtherFields": true } });
        let input = json!([{ "k": { "x": 1 }, "n": 1 }, { "k": { "x": 1 }, "n": 2 }]);
        assert_eq!(
            run::<RemoveDuplicates>(params, input).await.unwrap()[0],
            json!([{ "k": { "x": 1 } }])
        );
    }

    #[tokio::test]
    async fn fields_of_changing_type_and_missing_fields_are_refused() {
        let params = json!({ "compare": "selectedFields", "fieldsToCompare": "a" });
        let error = run::<RemoveDuplicates>(params.clone(), json!([{ "a": 1 }, { "a": "1" }]))
            .await
            .unwrap_err();
        assert_eq!(error.message(), "'a' isn't always the same type");
        assert!(
            error
                .description()
                .unwrap()
                .contains("in item [0] it's a number and in item [1] it's a string")
        );
        let error = run::<RemoveDuplicates>(params, json!([{ "a": 1 }, {}])).await.unwrap_err();
        assert_eq!(error.message(), "'a' field is missing from some input items");
    }

    #[tokio::test]
    async fn null_fits_any_type_since_version_1_1() {
        let params = json!({ "compare": "selectedFields", "fieldsToCompare": "a" });
        let input = json!([{ "a": 1 }, { "a": null }]);
        assert!(
            run_version::<RemoveDuplicates>(1.0, params.clone(), std::slice::from_ref(&input))
                .await
                .is_err()
        );
        assert_eq!(
            run_version::<RemoveDuplicates>(1.1, params, &[input]).await.unwrap()[0]
                .as_array()
                .unwrap()
                .len(),
            2
        );
    }
}
