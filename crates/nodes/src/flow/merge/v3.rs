//! Merge since version 3: two to ten inputs, appended, combined, chosen from or queried with SQL.

use super::conflicts::{ConflictRules, join_files, with_suffix};
use super::matching::{FieldPair, JoinOptions, check_pairs, field_pairs, join};
use super::{append, branch, empty_item, offload_for_pairs, pairs_of, params, sql, v2};
use node_api::prelude::*;

pub(crate) struct Merge;

const MAX_INPUTS: usize = 10;

impl Node for Merge {
    fn spec() -> Spec {
        let combine = ["combine"];
        let numbers: Vec<Param> = ["append", "chooseBranch", "combineBySql"]
            .iter()
            .map(|mode| inputs_param().show("mode", &[*mode]))
            .collect();
        Spec::new("n8n-nodes-base.merge", &[3.0, 3.1, 3.2], "Merge", "Merge the items of several branches").icon("git-merge")
            .group(NodeGroup::Flow)
            .inputs([Port::named("Input 1"), Port::named("Input 2")])
            .input_rule(PortRule::number("numberInputs", "Input"))
            .requires(RequiredInputs::AllIf { param: "mode".into(), equals: "chooseBranch".into() })
            .params([
                Param::choice(
                    "mode",
                    "Mode",
                    &[("append", "Append"), ("combine", "Combine"), ("combineBySql", "SQL query"), ("chooseBranch", "Choose branch")],
                )
                .help("How to merge the items."),
                Param::choice(
                    "combineBy",
                    "Combine by",
                    &[("combineByFields", "Matching fields"), ("combineByPosition", "Position"), ("combineAll", "All possible combinations")],
                )
                .show("mode", &combine)
                .help("How to combine the items."),
                params::join_mode().show("mode", &combine).show("combineBy", &["combineByFields"]),
                Param::flag("advanced", "Fields to match have different names", false)
                    .show("mode", &combine)
                    .show("combineBy", &["combineByFields"])
                    .help("Whether the field names differ between the inputs."),
                Param::text("fieldsToMatchString", "Fields to match", "")
                    .show("mode", &combine)
                    .show("combineBy", &["combineByFields"])
                    .show("advanced", &[false])
                    .help("Comma-separated fields. Items match if these are equal."),
                params::field_pairs().show("mode", &combine).show("combineBy", &["combineByFields"]).show("advanced", &[true]),
                params::output_from().show("mode", &combine).show("combineBy", &["combineByFields"]),
                inputs_param().show("mode", &combine).show("combineBy", &["combineByPosition"]),
                Param::long_text("query", "Query", "SELECT * FROM input1 LEFT JOIN input2 ON input1.name = input2.id")
                    .raw()
                    .show("mode", &["combineBySql"])
                    .help("SQL query on the tables input1, input2 and so on. {{ … }} is a value."),
                Param::choice("chooseBranchMode", "Output type", &[("waitForAll", "Wait for all inputs to arrive")])
                    .show("mode", &["chooseBranch"])
                    .help("When the node continues."),
                Param::choice("output", "Output", &[("specifiedInput", "Data of specified input"), ("empty", "A single, empty item")])
                    .show("mode", &["chooseBranch"])
                    .help("What to output."),
                Param::number("useDataOfInput", "Use data of input", 1)
                    .at_least(1.0)
                    .show("mode", &["chooseBranch"])
                    .show("output", &["specifiedInput"])
                    .help("Number of the input, starting at 1."),
                params::options(),
            ])
            .params(numbers)
            .hint("Append keeps all items; combine merges matching items into one. The node waits for \
                 branches that are still running.")
            .alias(&["join", "combine", "union", "sql"])
            .repeatable()
            .differs_when("mode", &["combineBySql"], "SQL runs on SQLite, not AlaSQL: numbers do not equal their text form, column names \
                 are case-insensitive, and only SQLite functions are available. An expression in \
                 the query is always a bound value: it cannot be a table, a column or a part of the \
                 SQL.")
            .note("A query can only access its inputs. It runs in a separate process limited to 60 \
                 seconds and 768 MB. In SQL, `IN ({{ … }})` takes a list, and `localtime` is UTC.")
            .note("In SQL, objects and lists are JSON text. Selected whole, they are returned as \
                 objects and lists.")
            .example(
                "By a field",
                r#"{ "mode": "combine", "fieldsToMatchString": "id" }"#,
                r#"[[{ "id": 1, "a": 1 }], [{ "id": 1, "b": 2 }]]"#,
                r#"[[{ "id": 1, "a": 1, "b": 2 }]]"#,
            )
            .example(
                "With SQL",
                r#"{ "mode": "combineBySql", "query": "SELECT input1.id, b FROM input1 JOIN input2 ON input1.id = input2.id" }"#,
                r#"[[{ "id": 1, "a": 1 }], [{ "id": 1, "b": 2 }]]"#,
                r#"[[{ "id": 1, "b": 2 }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, _items: Items) -> Result<Outputs, NodeError> {
        let mode = match ctx.text("mode", 0)?.as_str() {
            "combine" => ctx.text("combineBy", 0)?,
            mode => mode.into(),
        };
        let count = input_count(ctx)?;
        let mut output = ctx.builder();
        match mode.as_str() {
            "append" => return Ok(vec![append(ctx, count)]),
            "chooseBranch" => return choose_branch(ctx, count),
            "combineBySql" => return sql::query(ctx, count).await,
            "combineAll" => return v2::multiplex(ctx).await.map(|items| vec![items]),
            "combineByPosition" => by_position(ctx, count, &mut output)?,
            "combineByFields" => {
                offload_for_pairs(ctx).await;
                by_fields(ctx, &mut output)?;
            }
            other => {
                return Err(NodeError::parameter("mode", format!("Unknown mode '{other}'")));
            }
        }
        Ok(vec![output.finish()])
    }
}

fn inputs_param() -> Param {
    Param::number("numberInputs", "Number of inputs", 2)
        .between(2.0, MAX_INPUTS as f64)
        .help("Number of inputs.")
}

fn input_count(ctx: &Ctx<'_>) -> Result<usize, NodeError> {
    let number = crate::field_type::to_number(&ctx.param("numberInputs", 0)?);
    Ok(if number >= 1.0 { (number as usize).min(MAX_INPUTS) } else { 2 })
}

fn choose_branch(ctx: &Ctx<'_>, count: usize) -> Result<Outputs, NodeError> {
    if ctx.text("output", 0)? == "empty" {
        return Ok(vec![empty_item(ctx)]);
    }
    let number = ctx.number("useDataOfInput", 0)?;
    if !(1.0..=count as f64).contains(&number) {
        let number = model::number_to_string(number);
        let description = format!(
            "The node has only {count} inputs, so selecting input {number} is not possible."
        );
        return Err(NodeError::parameter(
            "useDataOfInput",
            format!("Input {number} doesn't exist"),
        )
        .describe(description));
    }
    Ok(vec![branch(ctx, number as usize - 1)])
}

fn by_fields(ctx: &Ctx<'_>, output: &mut ItemsBuilder) -> Result<(), NodeError> {
    let pairs = if ctx.flag("advanced", 0)? {
        field_pairs(ctx)?
    } else {
        let names = ctx.text("fieldsToMatchString", 0)?;
        let names = names.split(',').map(|name| Str::from(name.trim()));
        check_pairs(names.map(|name| FieldPair { first: name.clone(), second: name }).collect())?
    };
    join(&branch(ctx, 0), &branch(ctx, 1), &pairs, &JoinOptions::read(ctx)?, output)?;
    Ok(())
}

fn by_position(ctx: &Ctx<'_>, count: usize, output: &mut ItemsBuilder) -> Result<(), NodeError> {
    let clash = ConflictRules::read(ctx)?;
    let inputs: Vec<Items> = (0..count).map(|number| branch(ctx, number)).collect();
    let preferred =
        clash.resolve.as_deref().and_then(|resolve| resolve.strip_prefix("preferInput"));
    let preferred = preferred
        .and_then(|number| number.parse::<usize>().ok())
        .and_then(|number| number.checked_sub(1));
    let lengths = inputs.iter().map(Items::len);
    let rows = if ctx.flag("options.includeUnpaired", 0)? { lengths.max() } else { lengths.min() }
        .unwrap_or(0);
    let mut walks: Vec<_> = inputs.iter().map(Items::iter).collect();
    for _ in 0..rows {
        let suffixed = |(number, item): (usize, Option<Item>)| match item {
            Some(item) if clash.is("addSuffix") => Some(with_suffix(item, number + 1)),
            item => item,
        };
        let row: Vec<Option<Item>> =
            walks.iter_mut().map(Iterator::next).enumerate().map(suffixed).collect();
        let mut entries: Vec<&Item> = row.iter().flatten().collect();
        let pairs = pairs_of(entries.iter().copied());
        // The preferred input has the last word.
        entries.extend(preferred.and_then(|number| row.get(number)).into_iter().flatten());
        let mut item =
            Item::new(clash.join(entries.iter().map(|entry| &entry.json))).with_pairs(pairs);
        join_files(&mut item, entries);
        output.push(item);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run_version;
    use std::time::Duration;

    async fn merge(params: Value, inputs: &[Value]) -> Result<Value, NodeError> {
        Ok(run_version::<Merge>(3.2, params, inputs).await?.remove(0))
    }

    #[tokio::test]
    async fn several_inputs_are_appended_or_merged_by_place() {
        let inputs = [json!([{ "a": 1 }]), json!([{ "a": 2 }, { "b": 2 }]), json!([{ "c": 3 }])];
        let append = json!({ "numberInputs": 3 });
        assert_eq!(
            merge(append, &inputs).await.unwrap(),
            json!([{ "a": 1 }, { "a": 2 }, { "b": 2 }, { "c": 3 }])
        );
        let place = |options: Value| json!({ "mode": "combine", "combineBy": "combineByPosition", "numberInputs": 3, "options": options });
        assert_eq!(merge(place(json!({})), &inputs).await.unwrap(), json!([{ "a": 2, "c": 3 }]));
        let all = place(
            json!({ "includeUnpaired": true, "clashHandling": { "values": { "resolveClash": "preferInput1" } } }),
        );
        assert_eq!(merge(all, &inputs).await.unwrap(), json!([{ "a": 1, "c": 3 }, { "b": 2 }]));
    }

    #[tokio::test]
    async fn an_input_that_is_not_there_cannot_be_chosen() {
        let params = json!({ "mode": "chooseBranch", "useDataOfInput": 3 });
        assert_eq!(
            merge(params, &[json!([{}]), json!([{}])]).await.unwrap_err().message(),
            "Input 3 doesn't exist"
        );
    }

    #[tokio::test]
    async fn all_combinations_are_made() {
        let params = json!({ "mode": "combine", "combineBy": "combineAll" });
        let made =
            merge(params, &[json!([{ "a": 1 }, { "a": 2 }]), json!([{ "b": 1 }])]).await.unwrap();
        assert_eq!(made, json!([{ "a": 1, "b": 1 }, { "a": 2, "b": 1 }]));
    }

    #[tokio::test]
    async fn issue_14_06_many_pairs_of_few_items_are_made_off_the_threads_that_serve() {
        let items =
            |count: usize| Value::array(vec![json!({ "id": 1, "text": "some words" }); count]);
        for params in [
            json!({ "mode": "combine", "combineBy": "combineAll" }),
            json!({ "mode": "combine", "combineBy": "combineByFields", "fieldsToMatchString": "id" }),
        ] {
            for (count, is_moved) in [(10, false), (250, true)] {
                let allowance =
                    compute::Allowance::new(Duration::from_micros(1), Duration::from_secs(60));
                let inputs = [items(count), items(count)];
                let work = Box::pin(merge(params.clone(), &inputs));
                let made = compute::Offload::if_asked(work, allowance).await;
                // Only work that was moved has a time that can be over.
                let is_ended = made.as_ref().is_err_and(|error| error.code() == Code::RUN_CPU_TIME);
                assert_eq!(is_ended, is_moved, "{params:?} {count}");
            }
        }
        // One item that is large, for each of many.
        let large =
            Object::from_iter((0..1000).map(|number| (number.to_string(), Value::from(number))));
        let inputs = [Value::array(vec![large.into()]), items(250)];
        let allowance = compute::Allowance::new(Duration::from_micros(1), Duration::from_secs(60));
        let work =
            Box::pin(merge(json!({ "mode": "combine", "combineBy": "combineAll" }), &inputs));
        let ended =
            compute::Offload::if_asked(work, allowance).await.err().map(|error| error.code());
        assert_eq!(ended, Some(Code::RUN_CPU_TIME));
    }

    #[tokio::test]
    async fn a_mode_that_is_not_known_is_named() {
        let error = merge(json!({ "mode": "mergeByPosition" }), &[json!([{}]), json!([{}])])
            .await
            .unwrap_err();
        assert_eq!(error.message(), "Unknown mode 'mergeByPosition'");
    }
}
