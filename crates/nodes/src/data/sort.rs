//! Orders items: by fields, at random, or by a comparison of your own in JavaScript.

use super::fields::{DOT_NOTATION_TIP, DotNotation, less_than};
use crate::field_type::to_number;
use formats::ticker::LoopTicker;
use node_api::host::{CodeFlavour, CodeOutput, CodeRequest};
use node_api::prelude::*;
use std::cell::Cell;

pub(crate) struct SortNode;

impl Node for SortNode {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-base.sort", &[1.0], "Sort", "Change the order of the items").icon("arrow-down-up")
            .params(params())
            .alias(&["order", "shuffle", "random", "item lists"])
            .hint("Use it before Limit to keep the newest or largest items.")
            .repeatable()
            .example(
                "By two fields",
                r#"{ "sortFieldsUi": { "sortField": [{ "fieldName": "city" }, { "fieldName": "age", "order": "descending" }] } }"#,
                r#"[{ "city": "b", "age": 1 }, { "city": "A", "age": 2 }, { "city": "a", "age": 3 }]"#,
                r#"[[{ "city": "a", "age": 3 }, { "city": "A", "age": 2 }, { "city": "b", "age": 1 }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        sort(ctx, &items).await
    }
}

const DEFAULT_CODE: &str = "// `a` and `b` are the items to compare; return a number below 0 to put `a` first.\n\nconst field = 'myField';\n\nif (a.json[field] < b.json[field]) return -1;\nif (a.json[field] > b.json[field]) return 1;\nreturn 0;";

/// The parameters of the node, which Item Lists has too.
pub(super) fn params() -> Vec<Param> {
    let field = FieldGroup::new(
        "sortField",
        "Field",
        [
            Param::text("fieldName", "Field name", "").required().help("The field to sort by."),
            Param::choice(
                "order",
                "Order",
                &[("ascending", "Ascending"), ("descending", "Descending")],
            )
            .help("Smallest or largest first."),
        ],
    );
    vec![
        Param::choice("type", "Type", &[("simple", "Simple"), ("random", "Random"), ("code", "Code")]).help("How to sort."),
        Param::repeated("sortFieldsUi", "Fields to sort by", [field])
            .help("The fields to sort by, the most important first. Upper and lower case count as equal.")
            .show("type", &["simple"]),
        Param::code("code", "Code", "javaScript", DEFAULT_CODE)
            .help("Function body that compares two items, `a` and `b`, and returns a number as for \
                 Array.sort.")
            .show("type", &["code"]),
        Param::collection(
            "options",
            "Options",
            [Param::flag("disableDotNotation", "Disable dot notation", false)
                .help("Take dots in field names literally instead of as steps into nested objects.")],
        )
        .help("Further settings.")
        .show("type", &["simple"]),
    ]
}

pub(super) async fn sort(ctx: &Ctx<'_>, items: &Items) -> Result<Outputs, NodeError> {
    let order = match ctx.text("type", 0)?.as_str() {
        "random" => shuffled(ctx, items.len()),
        "simple" => by_fields(ctx, items)?,
        _ => by_code(ctx, items).await?,
    };
    Ok(vec![super::reorder::reorder(ctx, items, &order)])
}

fn shuffled(ctx: &Ctx<'_>, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        let mut bytes = [0; 8];
        ctx.host().fill_random(&mut bytes);
        order.swap(last, (u64::from_le_bytes(bytes) % (last as u64 + 1)) as usize);
    }
    order
}

fn by_fields(ctx: &Ctx<'_>, items: &Items) -> Result<Vec<usize>, NodeError> {
    let dots = DotNotation::of(ctx)?;
    let entries = ctx.param("sortFieldsUi.sortField", 0)?;
    let entries = entries.as_array().unwrap_or_default();
    if entries.is_empty() {
        return Err(NodeError::parameter(
            "sortFieldsUi",
            "No sorting specified. Please add a field to sort by",
        ));
    }
    let fields: Vec<(Str, bool)> = entries
        .iter()
        .map(|entry| {
            let name = entry.get("fieldName").map(Value::to_js_string).unwrap_or_default();
            (
                name,
                entry.get("order").is_some_and(|order| {
                    order.as_str() != Some("ascending") && !order.is_undefined()
                }),
            )
        })
        .collect();
    for (name, _) in &fields {
        if !items.iter().any(|item| dots.get(&item.json, name).is_some()) {
            let error =
                NodeError::input(format!("Couldn't find the field '{name}' in the input data"));
            let tells = dots == DotNotation::Literal && name.contains('.');
            return Err(if tells { error.describe(DOT_NOTATION_TIP) } else { error });
        }
    }
    let key_of = |item: &Item, name: &str| match dots.get(&item.json, name) {
        Some(Value::String(text)) => Value::from(text.to_lowercase()),
        value => value.cloned().unwrap_or_default(),
    };
    let keyed: Vec<(usize, Vec<Value>)> = items
        .iter()
        .enumerate()
        .map(|(index, item)| (index, fields.iter().map(|(name, _)| key_of(&item, name)).collect()))
        .collect();
    let (ticker, ended) = (LoopTicker::default(), Cell::new(None));
    let comes_first = |one: &(usize, Vec<Value>), two: &(usize, Vec<Value>)| {
        // Once the time is over the order does not matter any more.
        if let Err(error) = ticker.tick() {
            ended.set(Some(error));
        }
        let differing =
            fields.iter().zip(one.1.iter().zip(&two.1)).find(|(_, (one, two))| one != two);
        differing.is_some_and(|((_, descending), (one, two))| is_less(one, two) != *descending)
    };
    let sorted = super::stable_sort::stable_sort(keyed, comes_first);
    ended.take().map_or_else(|| Ok(sorted.into_iter().map(|(index, _)| index).collect()), Err)
}

/// Texts are compared as such, and all others as numbers, lists and objects too.
fn is_less(one: &Value, two: &Value) -> bool {
    let is_nested = |value: &Value| matches!(value, Value::Array(_) | Value::Object(_));
    match is_nested(one) || is_nested(two) {
        true => to_number(one) < to_number(two),
        false => less_than(one, two),
    }
}

/// Lets the sandbox find the order; only the indexes come back.
async fn by_code(ctx: &Ctx<'_>, items: &Items) -> Result<Vec<usize>, NodeError> {
    let code = ctx.text("code", 0)?;
    let is_word = |letter: Option<char>| {
        letter.is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    let returns = code.match_indices("return").any(|(at, word)| {
        !is_word(code[..at].chars().next_back()) && !is_word(code[at + word.len()..].chars().next())
    });
    if !returns {
        return Err(NodeError::parameter(
            "code",
            "Sort code doesn't return. Please add a 'return' statement to your code",
        ));
    }
    let source = format!(
        "const compare = (a, b) => {{\n{code}\n}};\n\
         const order = $input.all().map((item, index) => ({{ item, index }}));\n\
         order.sort((one, two) => compare(one.item, two.item));\n\
         return order.map(({{ index }}) => ({{ json: {{ index }} }}));"
    );
    let mut order = Vec::with_capacity(items.len());
    let job = CodeRequest {
        source: source.into(),
        flavour: CodeFlavour::AllItems,
        items: items.clone(),
        first: 0,
        names: Object::new(),
    };
    let mut each = |returned: CodeOutput| {
        if let CodeOutput::Element(value) = returned {
            order.extend(value.get_path("json.index").and_then(Value::as_usize));
        }
        Ok(())
    };
    ctx.host().run_code(job, &mut each).await?;
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    fn by(fields: Value) -> Value {
        let mut params = json!({});
        params.set_path("sortFieldsUi.sortField", fields);
        params
    }

    #[tokio::test]
    async fn numbers_sort_by_size_and_equal_items_keep_their_order() {
        let input = json!([{ "n": 10, "i": 0 }, { "n": 9, "i": 1 }, { "n": 10, "i": 2 }]);
        let sorted =
            run::<SortNode>(by(json!([{ "fieldName": "n" }])), input.clone()).await.unwrap();
        assert_eq!(
            sorted[0],
            json!([{ "n": 9, "i": 1 }, { "n": 10, "i": 0 }, { "n": 10, "i": 2 }])
        );
        let sorted =
            run::<SortNode>(by(json!([{ "fieldName": "n", "order": "descending" }])), input)
                .await
                .unwrap();
        assert_eq!(
            sorted[0],
            json!([{ "n": 10, "i": 0 }, { "n": 10, "i": 2 }, { "n": 9, "i": 1 }])
        );
    }

    #[tokio::test]
    async fn a_field_that_no_item_has_is_refused() {
        let error = run::<SortNode>(by(json!([{ "fieldName": "x" }])), json!([{ "n": 1 }]))
            .await
            .unwrap_err();
        assert_eq!(error.message(), "Couldn't find the field 'x' in the input data");
        let error = run::<SortNode>(json!({}), json!([{ "n": 1 }])).await.unwrap_err();
        assert_eq!(error.message(), "No sorting specified. Please add a field to sort by");
    }

    #[tokio::test]
    async fn a_random_order_keeps_every_item() {
        let input = Value::array((0..50).map(|n| json!({ "n": n })).collect());
        let sorted = run::<SortNode>(json!({ "type": "random" }), input).await.unwrap().remove(0);
        let mut seen: Vec<_> = sorted
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item.get("n").unwrap().as_usize().unwrap())
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..50).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn code_without_a_return_is_refused() {
        let error =
            run::<SortNode>(json!({ "type": "code", "code": "a.returns - b" }), json!([{}]))
                .await
                .unwrap_err();
        assert_eq!(
            error.message(),
            "Sort code doesn't return. Please add a 'return' statement to your code"
        );
    }
}
