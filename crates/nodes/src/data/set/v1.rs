//! Set in its first two versions: values in groups by type.

use super::field::{FieldTarget, ParamSource};
use crate::field_type::to_number;
use model::Gaps;
use node_api::prelude::*;

pub(crate) struct SetV1;

impl Node for SetV1 {
    fn spec() -> Spec {
        let name = || {
            Param::text("name", "Name", "propertyName")
                .help("Name of the field. Use dots for nested fields.")
        };
        let groups = [
            FieldGroup::new(
                "boolean",
                "Boolean",
                [name(), Param::flag("value", "Value", false).help("The value of the field.")],
            ),
            FieldGroup::new(
                "number",
                "Number",
                [name(), Param::number("value", "Value", 0).help("The value of the field.")],
            ),
            FieldGroup::new(
                "string",
                "String",
                [name(), Param::text("value", "Value", "").help("The value of the field.")],
            ),
        ];
        Spec::new("n8n-nodes-base.set", &[1.0, 2.0], "Set", "Set fields of items")
            .icon("square-pen")
            .subtitle(&[
                "{mode=raw}JSON",
                "{assignments.assignments:names}",
                "{fields.values:names}",
            ])
            .param(
                Param::flag("keepOnlySet", "Keep only set", false)
                    .help("Remove all fields that are not set here."),
            )
            .param(
                Param::repeated("values", "Values to set", groups)
                    .help("The fields and their values."),
            )
            .param(
                Param::collection(
                    "options",
                    "Options",
                    [Param::flag("dotNotation", "Dot notation", true)
                        .help("Treat `a.b` as the field `b` inside `a`.")],
                )
                .help("How to interpret field names."),
            )
            .hint("Kept for older workflows; new ones use version 3.")
            .repeatable()
            .example(
                "Add a field",
                r#"{ "values": { "string": [{ "name": "a.b", "value": "x" }] } }"#,
                r#"[{ "n": 1 }]"#,
                r#"[[{ "n": 1, "a": { "b": "x" } }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let items =
            if items.is_empty() { Items::one(Item::new(Value::empty_object())) } else { items };
        let keep_only = ParamSource::read(ctx, "keepOnlySet".into())?;
        let dots = ParamSource::read(ctx, "options.dotNotation".into())?;
        let entries = entries(ctx)?;
        ctx.map_items(&items, |index, item| {
            let dot_notation = dots.get(ctx, index)?.as_bool() != Some(false);
            let mut made = if keep_only.get(ctx, index)?.is_truthy() {
                Item::new(Value::empty_object())
            } else {
                Item { error: None, ..item }
            };
            let mut gaps = Gaps::default();
            for entry in &entries {
                let value = entry.kind.convert(entry.value.get(ctx, index)?);
                match &entry.target {
                    Some((target, dots)) if *dots == dot_notation => {
                        target.put(&mut made.json, value, &mut gaps)?
                    }
                    _ => FieldTarget::new(entry.name.get(ctx, index)?.to_js_string(), dot_notation)
                        .put(&mut made.json, value, &mut gaps)?,
                }
            }
            Ok(made)
        })
    }
}

struct SetEntry {
    kind: SetValueKind,
    name: ParamSource,
    /// Made ahead when the name is constant, for one reading of dots.
    target: Option<(FieldTarget, bool)>,
    value: ParamSource,
}

#[derive(Clone, Copy)]
enum SetValueKind {
    Flag,
    Number,
    /// Version 2 reads numbers out of text.
    NumberOrText,
    Text,
}

impl SetValueKind {
    fn convert(self, value: Value) -> Value {
        match (self, &value) {
            (SetValueKind::Flag, _) => Value::Bool(value.is_truthy()),
            (SetValueKind::NumberOrText, Value::String(_)) => Some(to_number(&value))
                .filter(|number| !number.is_nan())
                .map_or(value, Value::Number),
            _ => value,
        }
    }
}

fn entries(ctx: &Ctx<'_>) -> Result<Vec<SetEntry>, NodeError> {
    let raw = ctx.raw_param("values").unwrap_or_default();
    let number =
        if ctx.version() >= 2.0 { SetValueKind::NumberOrText } else { SetValueKind::Number };
    let mut entries = Vec::new();
    for (group, kind) in
        [("boolean", SetValueKind::Flag), ("number", number), ("string", SetValueKind::Text)]
    {
        for index in 0..raw.get(group).and_then(Value::as_array).map_or(0, <[Value]>::len) {
            let name = ParamSource::read(ctx, format!("values.{group}[{index}].name"))?;
            let value = ParamSource::read(ctx, format!("values.{group}[{index}].value"))?;
            let target = if let ParamSource::Fixed(name) = &name {
                Some((FieldTarget::new(name.to_js_string(), true), true))
            } else {
                None
            };
            entries.push(SetEntry { kind, name, target, value });
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run_version;

    #[tokio::test]
    async fn the_second_version_reads_numbers_out_of_text() {
        let params =
            json!({ "values": { "number": [{ "name": "n", "value": "5" }] }, "keepOnlySet": true });
        for (version, wanted) in [(1.0, json!("5")), (2.0, json!(5))] {
            let made = run_version::<SetV1>(version, params.clone(), &[json!([{ "x": 1 }])])
                .await
                .unwrap();
            assert_eq!(made, [json!([{ "n": wanted }])]);
        }
    }

    #[tokio::test]
    async fn without_input_one_item_is_made() {
        let params = json!({ "values": { "boolean": [{ "value": true }] }, "options": { "dotNotation": false } });
        assert_eq!(
            run_version::<SetV1>(1.0, params, &[json!([])]).await.unwrap(),
            [json!([{ "propertyName": true }])]
        );
    }
}
