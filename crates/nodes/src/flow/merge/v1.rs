//! The first version of Merge: two inputs, one mode for each way to bring them together.

use super::{append, branch, each_with_each, input, offload_for_pairs, pairs_of};
use node_api::prelude::*;
use std::collections::HashMap;

pub(crate) struct MergeV1;

impl Node for MergeV1 {
    fn spec() -> Spec {
        let keyed = ["keepKeyMatches", "mergeByKey", "removeKeyMatches"];
        Spec::new("n8n-nodes-base.merge", &[1.0], "Merge", "Merge the items of two branches")
            .icon("git-merge")
            .group(NodeGroup::Flow)
            .inputs([Port::named("Input 1"), Port::named("Input 2")])
            .params([
                Param::choice(
                    "mode",
                    "Mode",
                    &[
                        ("append", "Append"),
                        ("keepKeyMatches", "Keep key matches"),
                        ("mergeByIndex", "Merge by index"),
                        ("mergeByKey", "Merge by key"),
                        ("multiplex", "Multiplex"),
                        ("passThrough", "Pass-through"),
                        ("removeKeyMatches", "Remove key matches"),
                        ("wait", "Wait"),
                    ],
                )
                .help("How to merge the items."),
                Param::choice(
                    "join",
                    "Join",
                    &[("inner", "Inner join"), ("left", "Left join"), ("outer", "Outer join")],
                )
                .preset("left")
                .show("mode", &["mergeByIndex"])
                .help("How many items to return if the inputs have different lengths."),
                Param::text("propertyName1", "Property input 1", "")
                    .required()
                    .show("mode", &keyed)
                    .help("The field of input 1 to match by."),
                Param::text("propertyName2", "Property input 2", "")
                    .required()
                    .show("mode", &keyed)
                    .help("The field of input 2 to match by."),
                Param::choice(
                    "output",
                    "Output data",
                    &[("input1", "Input 1"), ("input2", "Input 2")],
                )
                .show("mode", &["passThrough"])
                .help("Input whose items are returned."),
                Param::choice(
                    "overwrite",
                    "Overwrite",
                    &[("always", "Always"), ("blank", "If blank"), ("undefined", "If missing")],
                )
                .show("mode", &["mergeByKey"])
                .help("When a value of input 2 overwrites the one of input 1."),
            ])
            .hint("Kept for older workflows; new ones use version 3.")
            .repeatable()
            .example(
                "One after the other",
                "{}",
                r#"[[{ "a": 1 }], [{ "b": 2 }]]"#,
                r#"[[{ "a": 1 }, { "b": 2 }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, _items: Items) -> Result<Outputs, NodeError> {
        let mode = ctx.text("mode", 0)?;
        let made: Vec<Item> = match mode.as_str() {
            "append" => return Ok(vec![append(ctx, 2)]),
            "passThrough" => {
                return Ok(vec![branch(ctx, usize::from(ctx.text("output", 0)? != "input1"))]);
            }
            "wait" => {
                let count = ctx.input(0).map_or(0, Items::len).min(1000);
                vec![
                    Item::new(Value::empty_object())
                        .with_pairs((0..count).map(PairedItem::new).collect::<Vec<_>>()),
                ]
            }
            "mergeByIndex" => by_index(input(ctx, 0), input(ctx, 1), &ctx.text("join", 0)?),
            "multiplex" => {
                offload_for_pairs(ctx).await;
                let (first, second) = (input(ctx, 0), input(ctx, 1));
                return Ok(vec![each_with_each(ctx, &first, &second, |one, two| Item {
                    binary: None,
                    ..merge_over(one, two)
                })?]);
            }
            "keepKeyMatches" | "mergeByKey" | "removeKeyMatches" => by_key(ctx, &mode)?,
            _ => Vec::new(),
        };
        let mut output = ctx.builder();
        output.extend(made);
        Ok(vec![output.finish()])
    }
}

fn merge_over(one: &Item, two: &Item) -> Item {
    let mut item = one.clone().with_pairs(pairs_of([one, two]));
    item.error = None;
    let json = item.json.make_object();
    json.extend(
        two.json
            .as_object()
            .into_iter()
            .flat_map(Object::iter)
            .map(|(key, value)| (key.clone(), value.clone())),
    );
    item
}

fn by_index(first: Vec<Item>, second: Vec<Item>, join: &str) -> Vec<Item> {
    let count = match join {
        "inner" => first.len().min(second.len()),
        "outer" => first.len().max(second.len()),
        _ => first.len(),
    };
    let rows = (0..count).filter_map(|index| match (first.get(index), second.get(index)) {
        (Some(one), Some(two)) => {
            let mut item = merge_over(one, two);
            super::conflicts::join_files(&mut item, [two]);
            Some(item)
        }
        (one, two) => one.or(two).cloned(),
    });
    rows.collect()
}

fn by_key(ctx: &Ctx<'_>, mode: &str) -> Result<Vec<Item>, NodeError> {
    let first = input(ctx, 0);
    let (name1, name2) = (ctx.text("propertyName1", 0)?, ctx.text("propertyName2", 0)?);
    let overwrite = ctx.text("overwrite", 0)?;
    if ctx.input(1).is_none() || name1.is_empty() || name2.is_empty() {
        return Ok(if mode == "keepKeyMatches" { Vec::new() } else { first });
    }
    let second = input(ctx, 1);
    let mut by_value: HashMap<Str, &Item> = HashMap::new();
    for item in &second {
        if let Some(value) = item.json.get_path(&name2).filter(|value| value.is_truthy()) {
            by_value.insert(value.to_js_string(), item);
        }
    }
    let mut made = Vec::new();
    for item in first {
        let value = item.json.get_path(&name1);
        let comparable = match value {
            Some(value @ (Value::String(_) | Value::Number(_) | Value::Null)) => {
                Some(value.to_js_string())
            }
            _ => None,
        };
        let Some(value) = comparable else {
            if mode == "removeKeyMatches" {
                made.push(item);
            }
            continue;
        };
        match (mode, by_value.get(&value)) {
            ("removeKeyMatches", Some(_)) | ("keepKeyMatches", None) => {}
            ("mergeByKey", Some(other)) => made.push(merge_by_key(item, other, &name2, &overwrite)),
            _ => made.push(item),
        }
    }
    Ok(made)
}

fn merge_by_key(mut item: Item, other: &Item, skipped: &str, overwrite: &str) -> Item {
    let pairs = pairs_of([&item, other]);
    let json = item.json.make_object();
    for (key, value) in
        other.json.as_object().into_iter().flat_map(Object::iter).filter(|(key, _)| *key != skipped)
    {
        let replaces = match overwrite {
            "blank" => json.get(key).is_none_or(|old| old.is_nullish() || old.as_str() == Some("")),
            "undefined" => !json.contains_key(key),
            _ => true,
        };
        if replaces {
            json.insert(key.clone(), value.clone());
        }
    }
    item.with_pairs(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run_version;

    async fn merge(params: Value, first: Value, second: Value) -> Value {
        run_version::<MergeV1>(1.0, params, &[first, second]).await.unwrap().remove(0)
    }

    #[tokio::test]
    async fn items_are_merged_by_their_place() {
        let (one, two) = (json!([{ "a": 1 }, { "a": 2 }]), json!([{ "b": 1 }]));
        let run = |join: &str| {
            merge(json!({ "mode": "mergeByIndex", "join": join }), one.clone(), two.clone())
        };
        assert_eq!(run("inner").await, json!([{ "a": 1, "b": 1 }]));
        assert_eq!(run("left").await, json!([{ "a": 1, "b": 1 }, { "a": 2 }]));
    }

    #[tokio::test]
    async fn items_are_merged_or_chosen_by_a_key() {
        let (one, two) =
            (json!([{ "id": 1, "x": "" }, { "id": 2 }]), json!([{ "ref": "1", "x": 5 }]));
        let run = |mode: &str, overwrite: &str| {
            let params = json!({ "mode": mode, "propertyName1": "id", "propertyName2": "ref", "overwrite": overwrite });
            merge(params, one.clone(), two.clone())
        };
        assert_eq!(run("mergeByKey", "blank").await, json!([{ "id": 1, "x": 5 }, { "id": 2 }]));
        assert_eq!(
            run("mergeByKey", "undefined").await,
            json!([{ "id": 1, "x": "" }, { "id": 2 }])
        );
        assert_eq!(run("keepKeyMatches", "always").await, json!([{ "id": 1, "x": "" }]));
        assert_eq!(run("removeKeyMatches", "always").await, json!([{ "id": 2 }]));
    }

    #[tokio::test]
    async fn every_item_can_meet_every_other() {
        let made = merge(
            json!({ "mode": "multiplex" }),
            json!([{ "a": 1 }, { "a": 2 }]),
            json!([{ "b": 1 }, { "b": 2 }]),
        )
        .await;
        assert_eq!(made.as_array().unwrap().len(), 4);
        assert_eq!(merge(json!({ "mode": "wait" }), json!([{}]), json!([{}])).await, json!([{}]));
    }
}
