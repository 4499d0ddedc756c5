//! Gives fields other names, one by one or by a pattern.

use formats::js_regex::JsRegex;
use model::Gaps;
use node_api::prelude::*;

pub(crate) struct RenameKeys;

impl Node for RenameKeys {
    fn spec() -> Spec {
        let key = FieldGroup::new(
            "key",
            "Key",
            [
                Param::text("currentKey", "Current key name", "")
                    .help("Field to rename. Use dots for nested fields."),
                Param::text("newKey", "New key name", "")
                    .help("New name. Dots create nested objects."),
            ],
        );
        let replacement = FieldGroup::new(
            "replacements",
            "Replacement",
            [
                Param::notice("regExNotice", "Patterns also apply to keys that were just renamed."),
                Param::text("searchRegex", "Regular expression", "")
                    .help("Keys that match this pattern are renamed."),
                Param::text("replaceRegex", "Replace with", "")
                    .help("Replacement for the match; $1, $2 refer to groups of the pattern."),
                Param::collection(
                    "options",
                    "Options",
                    [
                        Param::flag("caseInsensitive", "Case insensitive", false)
                            .help("Treat upper and lower case as equal."),
                        Param::number("depth", "Max depth", -1)
                            .help("Maximum depth: -1 for all levels, 0 for the top level only."),
                    ],
                )
                .help("Matching options."),
            ],
        );
        Spec::new("n8n-nodes-base.renameKeys", &[1.0], "Rename Keys", "Update item field names")
            .icon("pencil-line")
            .param(Param::repeated("keys", "Keys", [key]).help("The fields to rename."))
            .param(
                Param::collection(
                    "additionalOptions",
                    "Additional options",
                    [Param::repeated("regexReplacement", "Regex", [replacement])
                        .help("Rename by regular expressions.")],
                )
                .help("Further settings."),
            )
            .hint("Use it to rename a service's fields to what the next node expects.")
            .repeatable()
            .computes()
            .example(
                "Rename a nested field",
                r#"{ "keys": { "key": [{ "currentKey": "user.mail", "newKey": "email" }] } }"#,
                r#"[{ "user": { "mail": "a@b.c", "id": 1 } }]"#,
                r#"[[{ "user": { "id": 1 }, "email": "a@b.c" }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let mut output = ctx.builder();
        for (index, mut item) in items.iter().enumerate() {
            let (original, mut gaps) = (item.json.clone(), Gaps::default());
            let keys = ctx.param("keys.key", index)?;
            for key in keys.as_array().unwrap_or_default() {
                let name = |field: &str| {
                    key.get(field)
                        .filter(|name| !name.is_nullish())
                        .map(Value::to_js_string)
                        .unwrap_or_default()
                };
                let (current, new) = (name("currentKey"), name("newKey"));
                if current.is_empty() || new.is_empty() || current == new {
                    continue;
                }
                if let Some(value) =
                    original.get_path(&current).filter(|value| !value.is_undefined())
                {
                    item.json.put_path_within(&new, value.clone(), &mut gaps)?;
                    item.json.remove_path(&current);
                }
            }
            let replacements =
                ctx.param("additionalOptions.regexReplacement.replacements", index)?;
            for replacement in replacements.as_array().unwrap_or_default() {
                let text =
                    |path: &str| replacement.get(path).map(Value::to_js_string).unwrap_or_default();
                let ignore_case =
                    replacement.get_path("options.caseInsensitive").is_some_and(Value::is_truthy);
                let pattern =
                    JsRegex::new(&text("searchRegex"), if ignore_case { "i" } else { "" })
                        .map_err(|problem| {
                            NodeError::parameter("searchRegex", problem).on_item(index)
                        })?;
                let depth =
                    replacement.get_path("options.depth").and_then(Value::as_f64).unwrap_or(-1.0);
                rename_matching(&mut item.json, depth, &pattern, &text("replaceRegex"));
            }
            output.push(item.paired_with(index));
        }
        Ok(vec![output.finish()])
    }
}

/// Renames keys on every level down to `depth`; below 0 there is no bottom.
fn rename_matching(value: &mut Value, depth: f64, pattern: &JsRegex, replacement: &str) {
    match value {
        Value::Array(values) if depth != 0.0 => {
            for value in std::sync::Arc::make_mut(values) {
                rename_matching(value, depth - 1.0, pattern, replacement);
            }
        }
        Value::Object(object) => {
            let object = std::sync::Arc::make_mut(object);
            let keys: Vec<Str> = object.keys().cloned().collect();
            for key in keys {
                if depth != 0.0
                    && let Some(inner) = object.get_mut(&key)
                {
                    rename_matching(inner, depth - 1.0, pattern, replacement);
                }
                let new = pattern.replace(&key, replacement);
                if *new != *key
                    && let Some(moved) = object.remove(&key)
                {
                    object.insert(&*new, moved);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    fn by_regex(search: &str, replace: &str, options: Value) -> Value {
        json!({ "additionalOptions": { "regexReplacement": { "replacements": [
            { "searchRegex": search, "replaceRegex": replace, "options": serde_json::from_str::<serde_json::Value>(&model::json::to_string(&options)).unwrap() }
        ] } } })
    }

    #[tokio::test]
    async fn patterns_rename_on_all_levels() {
        let input = json!([{ "regA": { "regB": [{ "regC": 1 }] }, "x": 2 }]);
        let made = run::<RenameKeys>(by_regex("^reg(.)", "$1_new", json!({})), input.clone())
            .await
            .unwrap();
        assert_eq!(made[0], json!([{ "A_new": { "B_new": [{ "C_new": 1 }] }, "x": 2 }]));
        let made = run::<RenameKeys>(
            by_regex("^REG", "", json!({ "depth": 0, "caseInsensitive": true })),
            input,
        )
        .await
        .unwrap();
        assert_eq!(made[0], json!([{ "A": { "regB": [{ "regC": 1 }] }, "x": 2 }]));
    }

    #[tokio::test]
    async fn a_broken_pattern_is_a_parameter_error() {
        let error =
            run::<RenameKeys>(by_regex("(", "", json!({})), json!([{ "a": 1 }])).await.unwrap_err();
        assert!(error.message().starts_with("Invalid regular expression: /(/"), "{error}");
    }

    #[tokio::test]
    async fn issue_14_09_new_names_leave_only_so_much_of_an_item_empty() {
        let key = |number: usize| json!({ "currentKey": format!("a{number}"), "newKey": format!("b{number}[6000]") });
        let params = json!({ "keys": { "key": [key(0), key(1)] } });
        let error = run::<RenameKeys>(params, json!([{ "a0": 1, "a1": 2 }])).await.unwrap_err();
        assert_eq!(error.code(), Code::NODE_PARAMETER);
        // Each item has gaps of its own.
        let params = json!({ "keys": { "key": [key(0)] } });
        let made = run::<RenameKeys>(params, json!([{ "a0": 1 }, { "a0": 2 }])).await.unwrap();
        assert_eq!(made[0].get_path("[1].b0[6000]"), Some(&json!(2)));
    }

    #[tokio::test]
    async fn keys_without_a_new_name_stay() {
        let params = json!({ "keys": { "key": [{ "currentKey": "a" }, { "currentKey": "gone", "newKey": "b" }] } });
        assert_eq!(
            run::<RenameKeys>(params, json!([{ "a": 1 }])).await.unwrap()[0],
            json!([{ "a": 1 }])
        );
    }
}
