//! The older node for lists: split, aggregate, deduplicate, sort, limit and summarize in one.

use super::aggregate::{self, MissingFields, aggregate};
use super::limit::{self, Limit};
use super::remove_duplicates::{self, TypeRule, remove_repeated};
use super::sort::{self, sort};
use super::split_out::{self, SplitStyle, split_out};
use super::summarize::{self, SummarizeRules, summarize};
use node_api::prelude::*;

pub(crate) struct ItemLists;

const AGGREGATE: &[&str] = &["aggregateItems", "concatenateItems"];

impl Node for ItemLists {
    fn spec() -> Spec {
        let operations = [
            ("splitOutItems", "Split out items"),
            ("concatenateItems", "Concatenate items"),
            ("aggregateItems", "Concatenate items (before version 3)"),
            ("limit", "Limit"),
            ("removeDuplicates", "Remove duplicates"),
            ("sort", "Sort"),
            ("summarize", "Summarize"),
        ];
        let of = |operation: &'static [&'static str], params: Vec<Param>| {
            params.into_iter().map(move |param| param.show("operation", operation))
        };
        let options = Param::collection(
            "options",
            "Options",
            [
                Param::flag("disableDotNotation", "Disable dot notation", false).help(
                    "Take dots in field names literally instead of as steps into nested objects.",
                ),
                Param::flag("removeOtherFields", "Remove other fields", false)
                    .help("Drop the fields that were not compared."),
            ],
        )
        .help("Further settings.");
        Spec::new(
            "n8n-nodes-base.itemLists",
            &[1.0, 2.0, 2.1, 2.2, 3.0, 3.1],
            "Item Lists",
            "Work with lists of items and with lists inside items",
        ).legacy().icon("list-plus")
        .param(Param::hidden("resource", "itemList"))
        .param(Param::choice("operation", "Operation", &operations).raw().help("Operation on the items."))
        .params(of(&["splitOutItems"], split_out::params()))
        .params(of(AGGREGATE, aggregate::params()))
        .params(of(&["limit"], limit::params()))
        .params(of(&["removeDuplicates"], remove_duplicates::compare_params()))
        .params(of(&["removeDuplicates"], vec![options]))
        .params(of(&["sort"], sort::params()))
        .params(of(&["summarize"], summarize::params()))
        .hint("Only in old workflows; use Split Out, Aggregate, Limit, Remove Duplicates, Sort or Summarize in new ones.")
        .repeatable()
        .computes()
        .example(
            "Split a list",
            r#"{ "fieldToSplitOut": "list" }"#,
            r#"[{ "list": ["a", "b"] }]"#,
            r#"[[{ "list": "a" }, { "list": "b" }]]"#,
        )
        .example(
            "Join a field",
            r#"{ "operation": "concatenateItems", "fieldsToAggregate": { "fieldToAggregate": [{ "fieldToAggregate": "id" }] } }"#,
            r#"[{ "id": 1 }, { "id": 2 }]"#,
            r#"[[{ "id": [1, 2] }]]"#,
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let version = ctx.version();
        let is_strict = version < 2.05;
        match ctx.text("operation", 0)?.as_str() {
            "splitOutItems" => {
                let style = match version {
                    version if version > 2.15 => SplitStyle::Modern,
                    _ if is_strict => SplitStyle::Strict,
                    _ => SplitStyle::Lenient,
                };
                split_out(ctx, &items, style).await
            }
            "aggregateItems" | "concatenateItems" => aggregate(
                ctx,
                &items,
                if is_strict { MissingFields::Refused } else { MissingFields::Tolerated },
            ),
            "removeDuplicates" => remove_repeated(
                ctx,
                &items,
                if version > 3.0 { TypeRule::Any } else { TypeRule::Same },
            ),
            "sort" => sort(ctx, &items).await,
            "limit" => Limit::run(ctx, items).await,
            "summarize" => {
                let goes_on = ctx.flag("options.continueIfFieldNotFound", 0)?;
                let rules = SummarizeRules {
                    field_must_exist: is_strict,
                    empty_if_missing: is_strict && goes_on,
                    original_types: false,
                };
                summarize(ctx, &items, &rules)
            }
            other => Err(NodeError::parameter(
                "operation",
                format!("Operation '{other}' is not recognized"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run_version;

    async fn run_at(version: f64, params: Value, input: Value) -> Result<Value, NodeError> {
        Ok(run_version::<ItemLists>(version, params, &[input]).await?.remove(0))
    }

    #[tokio::test]
    async fn a_missing_field_is_an_error_until_2_1() {
        let params = json!({ "fieldToSplitOut": "x" });
        let error = run_at(2.0, params.clone(), json!([{ "a": 1 }])).await.unwrap_err();
        assert_eq!(error.message(), "Couldn't find the field 'x' in the input data");
        assert_eq!(run_at(2.1, params, json!([{ "a": 1 }])).await.unwrap(), json!([]));
        let error =
            run_at(2.1, json!({ "fieldToSplitOut": "a" }), json!([{ "a": 1 }])).await.unwrap_err();
        assert_eq!(error.message(), "The provided field 'a' is not an array or object");
    }

    #[tokio::test]
    async fn older_versions_list_their_fields_as_objects() {
        let params = json!({ "fieldToSplitOut": "l", "include": "selectedOtherFields", "fieldsToInclude": { "fields": [{ "fieldName": "t" }] } });
        assert_eq!(
            run_at(1.0, params, json!([{ "l": [1], "t": 2, "u": 3 }])).await.unwrap(),
            json!([{ "t": 2, "l": 1 }])
        );
        let params = json!({ "operation": "removeDuplicates", "compare": "selectedFields", "fieldsToCompare": { "fields": [{ "fieldName": "a" }] } });
        assert_eq!(
            run_at(1.0, params, json!([{ "a": 1 }, { "a": 1 }])).await.unwrap(),
            json!([{ "a": 1 }])
        );
    }

    #[tokio::test]
    async fn values_of_any_type_are_compared_since_3_1() {
        let params = json!({ "operation": "removeDuplicates" });
        let input =
            json!([{ "a": "1" }, { "a": 1 }, { "a": {} }, { "a": [] }, { "a": 1 }, { "a": {} }]);
        assert!(run_at(3.0, params.clone(), input.clone()).await.is_err());
        assert_eq!(
            run_at(3.1, params, input).await.unwrap(),
            json!([{ "a": "1" }, { "a": 1 }, { "a": {} }, { "a": [] }])
        );
    }

    #[tokio::test]
    async fn the_last_items_stay_when_asked_for() {
        let params = json!({ "operation": "limit", "keep": "lastItems" });
        assert_eq!(
            run_at(1.0, params, json!([{ "a": 1 }, { "a": 2 }])).await.unwrap(),
            json!([{ "a": 2 }])
        );
    }

    #[tokio::test]
    async fn aggregating_and_summarizing_a_missing_field_fail_before_2_1() {
        let params = json!({ "operation": "aggregateItems", "fieldsToAggregate": { "fieldToAggregate": [{ "fieldToAggregate": "x" }] } });
        assert!(run_at(2.0, params.clone(), json!([{ "a": 1 }])).await.is_err());
        assert_eq!(run_at(2.1, params, json!([{ "a": 1 }])).await.unwrap(), json!([{ "x": [] }]));
        let params = json!({ "operation": "summarize", "fieldsToSummarize": { "values": [{ "field": "x" }] } });
        assert!(run_at(2.0, params.clone(), json!([{ "a": 1 }])).await.is_err());
        assert_eq!(
            run_at(2.1, params, json!([{ "a": 1 }])).await.unwrap(),
            json!([{ "count_x": 0 }])
        );
    }
}
