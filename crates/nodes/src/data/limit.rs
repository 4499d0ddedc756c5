//! Keeps at most a given number of items, from either end of the list.

use node_api::prelude::*;

pub(crate) struct Limit;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LimitParams {
    max_items: f64,
    keep: LimitKeep,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum LimitKeep {
    FirstItems,
    LastItems,
}

impl Node for Limit {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-base.limit", &[1.0], "Limit", "Limit the number of items")
            .icon("list-tree")
            .subtitle(&["{maxItems} items"])
            .params(params())
            .hint("Add it before an expensive node, such as a model call, to limit the cost.")
            .repeatable()
            .example(
                "Keep the last two",
                r#"{ "maxItems": 2, "keep": "lastItems" }"#,
                r#"[{ "n": 1 }, { "n": 2 }, { "n": 3 }]"#,
                r#"[[{ "n": 2 }, { "n": 3 }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let LimitParams { max_items, keep } = ctx.params(0)?;
        let most = max_items.max(0.0) as usize;
        if most >= items.len() {
            return Ok(vec![items]);
        }
        let from = match keep {
            LimitKeep::FirstItems => 0,
            LimitKeep::LastItems => items.len() - most,
        };
        let mut kept = ctx.builder();
        kept.extend(
            items
                .iter()
                .enumerate()
                .skip(from)
                .take(most)
                .map(|(index, item)| item.paired_with(index)),
        );
        Ok(vec![kept.finish()])
    }
}

/// The parameters of the node, which Item Lists has too.
pub(super) fn params() -> Vec<Param> {
    let ends = [("firstItems", "First items"), ("lastItems", "Last items")];
    vec![
        Param::number("maxItems", "Max items", 1)
            .at_least(1.0)
            .help("Maximum number of items to keep."),
        Param::choice("keep", "Keep", &ends).help("Keep the first or the last items."),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    #[tokio::test]
    async fn fewer_items_than_the_limit_all_stay() {
        assert_eq!(
            run::<Limit>(json!({ "maxItems": 9 }), json!([{ "n": 1 }])).await.unwrap(),
            [json!([{ "n": 1 }])]
        );
    }

    #[tokio::test]
    async fn a_limit_that_is_no_number_is_refused() {
        let error = run::<Limit>(json!({ "maxItems": "many" }), json!([])).await.unwrap_err();
        assert_eq!(error.code(), Code::NODE_PARAMETER);
    }
}
