//! Merge in version 2: two inputs, appended, combined or chosen from.

use super::conflicts::{ConflictRules, with_suffix};
use super::matching::{JoinOptions, check_fields, field_pairs, join, merge_items};
use super::{append, branch, each_with_each, empty_item, input, offload_for_pairs, params};
use node_api::prelude::*;

pub(crate) struct MergeV2;

impl Node for MergeV2 {
    fn spec() -> Spec {
        let combine = ["combine"];
        let by_fields = ["mergeByFields"];
        Spec::new("n8n-nodes-base.merge", &[2.0, 2.1], "Merge", "Merge the items of two branches").icon("git-merge")
            .group(NodeGroup::Flow)
            .inputs([Port::named("Input 1"), Port::named("Input 2")])
            .requires(RequiredInputs::AllIf { param: "mode".into(), equals: "chooseBranch".into() })
            .params([
                Param::choice("mode", "Mode", &[("append", "Append"), ("combine", "Combine"), ("chooseBranch", "Choose branch")])
                    .help("How to merge the items."),
                Param::choice(
                    "combinationMode",
                    "Combination mode",
                    &[("mergeByFields", "Merge by fields"), ("mergeByPosition", "Merge by position"), ("multiplex", "Multiplex")],
                )
                .show("mode", &combine)
                .help("How to combine the items."),
                params::field_pairs().show("mode", &combine).show("combinationMode", &by_fields),
                params::join_mode().show("mode", &combine).show("combinationMode", &by_fields),
                params::output_from().show("mode", &combine).show("combinationMode", &by_fields),
                Param::choice("chooseBranchMode", "Output type", &[("waitForBoth", "Wait for both inputs to arrive")])
                    .show("mode", &["chooseBranch"])
                    .help("When the node continues."),
                Param::choice(
                    "output",
                    "Output",
                    &[("input1", "Input 1 data"), ("input2", "Input 2 data"), ("empty", "A single, empty item")],
                )
                .show("mode", &["chooseBranch"])
                .help("What to output."),
                params::options(),
            ])
            .hint("Kept for older workflows; version 3 takes more than two inputs and SQL.")
            .repeatable()
            .example(
                "By a field",
                r#"{ "mode": "combine", "mergeByFields": { "values": [{ "field1": "id", "field2": "id" }] } }"#,
                r#"[[{ "id": 1, "a": 1 }], [{ "id": 1, "b": 2 }]]"#,
                r#"[[{ "id": 1, "a": 1, "b": 2 }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, _items: Items) -> Result<Outputs, NodeError> {
        let mut output = ctx.builder();
        match ctx.text("mode", 0)?.as_str() {
            "append" => return Ok(vec![append(ctx, 2)]),
            "chooseBranch" => match ctx.text("output", 0)?.as_str() {
                "input1" => return Ok(vec![branch(ctx, 0)]),
                "input2" => return Ok(vec![branch(ctx, 1)]),
                _ => return Ok(vec![empty_item(ctx)]),
            },
            "combine" => match ctx.text("combinationMode", 0)?.as_str() {
                "multiplex" => return multiplex(ctx).await.map(|items| vec![items]),
                "mergeByPosition" => by_position(ctx, &mut output)?,
                _ => {
                    offload_for_pairs(ctx).await;
                    by_fields(ctx, &mut output)?;
                }
            },
            _ => {}
        }
        Ok(vec![output.finish()])
    }
}

/// Both inputs in the order in which the second one wins, renamed if clashes are to be avoided.
fn sides(ctx: &Ctx<'_>, clash: &ConflictRules) -> (Vec<Item>, Vec<Item>) {
    let (mut first, mut second) = (input(ctx, 0), input(ctx, 1));
    if clash.is("addSuffix") {
        first = first.into_iter().map(|item| with_suffix(item, 1)).collect();
        second = second.into_iter().map(|item| with_suffix(item, 2)).collect();
    }
    if clash.is("preferInput1") { (second, first) } else { (first, second) }
}

pub(super) async fn multiplex(ctx: &Ctx<'_>) -> Result<Items, NodeError> {
    offload_for_pairs(ctx).await;
    let clash = ConflictRules::read(ctx)?;
    let (first, second) = sides(ctx, &clash);
    each_with_each(ctx, &first, &second, |one, two| merge_items(one, two, &clash))
}

fn by_position(ctx: &Ctx<'_>, output: &mut ItemsBuilder) -> Result<(), NodeError> {
    let clash = ConflictRules::read(ctx)?;
    let (first, second) = (branch(ctx, 0), branch(ctx, 1));
    if first.is_empty() || second.is_empty() {
        output.extend(first.iter().chain(second.iter()));
        return Ok(());
    }
    let suffixed = |item: Item, number: usize| {
        if clash.is("addSuffix") { with_suffix(item, number) } else { item }
    };
    let includes_unpaired = ctx.flag("options.includeUnpaired", 0)?;
    let (mut ones, mut twos) = (first.iter(), second.iter());
    loop {
        match (ones.next().map(|item| suffixed(item, 1)), twos.next().map(|item| suffixed(item, 2)))
        {
            (Some(one), Some(two)) if clash.is("preferInput1") => {
                output.push(merge_items(&two, &one, &clash))
            }
            (Some(one), Some(two)) => output.push(merge_items(&one, &two, &clash)),
            (Some(alone), None) | (None, Some(alone)) if includes_unpaired => output.push(alone),
            _ => return Ok(()),
        }
    }
}

fn by_fields(ctx: &Ctx<'_>, output: &mut ItemsBuilder) -> Result<(), NodeError> {
    let pairs = field_pairs(ctx)?;
    let options = JoinOptions::read(ctx)?;
    let (first, second) = (branch(ctx, 0), branch(ctx, 1));
    if ctx.version() < 2.1 {
        check_fields(
            &first,
            &pairs.iter().map(|pair| &pair.first).collect::<Vec<_>>(),
            &options,
            "Input 1",
        )?;
        check_fields(
            &second,
            &pairs.iter().map(|pair| &pair.second).collect::<Vec<_>>(),
            &options,
            "Input 2",
        )?;
    }
    join(&first, &second, &pairs, &options, output)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run_version;

    async fn merge(
        version: f64,
        params: Value,
        first: Value,
        second: Value,
    ) -> Result<Value, NodeError> {
        Ok(run_version::<MergeV2>(version, params, &[first, second]).await?.remove(0))
    }

    #[tokio::test]
    async fn version_2_insists_that_the_fields_occur() {
        let params = json!({ "mode": "combine", "mergeByFields": { "values": [{ "field1": "id", "field2": "key" }] } });
        let (one, two) = (json!([{ "id": 1 }]), json!([{ "id": 1 }]));
        let error = merge(2.0, params.clone(), one.clone(), two.clone()).await.unwrap_err();
        assert_eq!(error.message(), "Field 'key' is not present in any of items in 'Input 2'");
        assert_eq!(merge(2.1, params, one, two).await.unwrap(), json!([]));
    }

    #[tokio::test]
    async fn fields_to_match_must_be_given() {
        let error =
            merge(2.1, json!({ "mode": "combine" }), json!([{}]), json!([{}])).await.unwrap_err();
        assert_eq!(
            error.message(),
            "You need to define at least one pair of fields in \"Fields to Match\" to match on"
        );
    }

    #[tokio::test]
    async fn places_are_merged_with_the_preferred_input_on_top() {
        let (one, two) = (json!([{ "a": 1 }, { "a": 2 }]), json!([{ "a": 9 }]));
        let with = |options: Value| json!({ "mode": "combine", "combinationMode": "mergeByPosition", "options": options });
        let clash = |resolve: &str| {
            with(json!({ "clashHandling": { "values": { "resolveClash": resolve } } }))
        };
        assert_eq!(
            merge(2.1, with(json!({})), one.clone(), two.clone()).await.unwrap(),
            json!([{ "a": 9 }])
        );
        assert_eq!(
            merge(2.1, clash("preferInput1"), one.clone(), two.clone()).await.unwrap(),
            json!([{ "a": 1 }])
        );
        assert_eq!(
            merge(2.1, clash("addSuffix"), one.clone(), two.clone()).await.unwrap(),
            json!([{ "a_1": 1, "a_2": 9 }])
        );
        assert_eq!(
            merge(2.1, with(json!({ "includeUnpaired": true })), one, two).await.unwrap(),
            json!([{ "a": 9 }, { "a": 2 }])
        );
    }

    #[tokio::test]
    async fn a_branch_is_chosen_whole() {
        let params = |output: &str| json!({ "mode": "chooseBranch", "output": output });
        assert_eq!(
            merge(2.1, params("input2"), json!([{ "a": 1 }]), json!([{ "b": 1 }])).await.unwrap(),
            json!([{ "b": 1 }])
        );
        assert_eq!(
            merge(2.1, params("empty"), json!([{ "a": 1 }]), json!([{ "b": 1 }])).await.unwrap(),
            json!([{}])
        );
    }
}
