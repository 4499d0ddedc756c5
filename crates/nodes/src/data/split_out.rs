//! Turns a list inside an item into items of their own.

use super::fields::{DOT_NOTATION_TIP, DotNotation, field_list, spread};
use formats::ticker::LoopTicker;
use node_api::prelude::*;

pub(crate) struct SplitOut;

impl Node for SplitOut {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-base.splitOut", &[1.0], "Split Out", "Turn a list inside an item into separate items").icon("ungroup").subtitle(&["{fieldToSplitOut}"])
            .params(params())
            .alias(&["array", "list", "unwind", "item lists"])
            .hint("Add it after a node that returns one item with a list, so that the next node runs \
                 once per element.")
            .repeatable()
            .example(
                "One item per product",
                r#"{ "fieldToSplitOut": "products" }"#,
                r#"[{ "shop": "A", "products": [{ "id": 1 }, { "id": 2 }] }]"#,
                r#"[[{ "id": 1 }, { "id": 2 }]]"#,
            )
            .example(
                "Keep the other fields and rename the element",
                r#"{ "fieldToSplitOut": "tags", "include": "allOtherFields", "options": { "destinationFieldName": "tag" } }"#,
                r#"[{ "id": 7, "tags": ["x", "y"] }]"#,
                r#"[[{ "id": 7, "tag": "x" }, { "id": 7, "tag": "y" }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        split_out(ctx, &items, SplitStyle::Modern).await
    }
}

/// The parameters of the node, which Item Lists has too.
pub(super) fn params() -> Vec<Param> {
    let include = [
        ("noOtherFields", "No other fields"),
        ("allOtherFields", "All other fields"),
        ("selectedOtherFields", "Selected other fields"),
    ];
    vec![
        Param::text("fieldToSplitOut", "Fields to split out", "").required().help(
            "Comma-separated names of the lists to split. $binary splits the files of the item.",
        ),
        Param::choice("include", "Include", &include)
            .help("Which other fields of the input item to include in each new item."),
        Param::text("fieldsToInclude", "Fields to include", "")
            .help("Names of the fields to carry over, separated by commas.")
            .show("include", &["selectedOtherFields"]),
        Param::collection(
            "options",
            "Options",
            [
                Param::flag("disableDotNotation", "Disable dot notation", false).help(
                    "Take dots in field names literally instead of as steps into nested objects.",
                ),
                Param::text("destinationFieldName", "Destination field name", "")
                    .help("Field of the new items for the element; one name per field to split."),
                Param::flag("includeBinary", "Include binary", false)
                    .help("Include the files of the input item in each new item."),
            ],
        )
        .help("Further settings."),
    ]
}

/// How the versions of n8n's nodes treat odd input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SplitStyle {
    /// Item Lists before 2.1: one field, which must be there and hold a list or object.
    Strict,
    /// Item Lists 2.1: a missing field counts as an empty list.
    Lenient,
    /// Item Lists from 2.2 and Split Out: several fields, single values count as lists of one.
    Modern,
}

pub(super) async fn split_out(
    ctx: &Ctx<'_>,
    items: &Items,
    style: SplitStyle,
) -> Result<Outputs, NodeError> {
    let mut output = ctx.builder();
    for (index, item) in items.iter().enumerate() {
        let split = SplitPlan::read(ctx, index, &item, style)?;
        compute::request_offload(split.work(&item).saturating_mul(COPY_BYTES)).await;
        split.put(index, item, &mut output)?;
        if output.is_failed() {
            break;
        }
    }
    Ok(vec![output.finish()])
}

/// What a field of an item counts that is copied to one of its elements.
const COPY_BYTES: usize = 16;

/// How an item is split.
struct SplitPlan {
    style: SplitStyle,
    dots: DotNotation,
    fields: Vec<Str>,
    destinations: Vec<Str>,
    /// Each element has a name of its own, even if it is an object.
    names_elements: bool,
    others: OtherFields,
    with_files: bool,
}

/// Fields that go to all elements.
enum OtherFields {
    None,
    All(Value),
    /// By their names; what is wrong with those only matters where there are elements.
    Selected(Result<Vec<Str>, NodeError>),
}

impl SplitPlan {
    fn read(
        ctx: &Ctx<'_>,
        index: usize,
        item: &Item,
        style: SplitStyle,
    ) -> Result<Self, NodeError> {
        let dots = if ctx.flag("options.disableDotNotation", index)? {
            DotNotation::Literal
        } else {
            DotNotation::Nested
        };
        let names = ctx.text("fieldToSplitOut", index)?;
        let fields: Vec<Str> = match style {
            SplitStyle::Modern => names
                .split(',')
                .map(str::trim)
                .map(|name| Str::from(name.strip_prefix("$json.").unwrap_or(name)))
                .collect(),
            _ => vec![names],
        };
        let destinations = ctx.text("options.destinationFieldName", index)?;
        let destinations: Vec<Str> = match style {
            SplitStyle::Modern => destinations
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .map(Str::from)
                .collect(),
            _ => Some(destinations).filter(|name| !name.is_empty()).into_iter().collect(),
        };
        if !destinations.is_empty() && destinations.len() != fields.len() {
            let message = "If multiple fields to split out are given, the same number of destination fields must be given";
            return Err(
                NodeError::parameter("options.destinationFieldName", message).on_item(index)
            );
        }
        let include = ctx.text("include", index)?;
        let others = match include.as_str() {
            "allOtherFields" => {
                let mut others = item.json.clone();
                for field in &fields {
                    dots.remove(&mut others, field);
                }
                OtherFields::All(others)
            }
            "selectedOtherFields" => OtherFields::Selected(field_list(
                ctx,
                "fieldsToInclude",
                "Fields To Include",
                index,
            )),
            _ => OtherFields::None,
        };
        let names_elements =
            include != "noOtherFields" || !destinations.is_empty() || fields.len() != 1;
        Ok(Self {
            style,
            dots,
            fields,
            destinations,
            names_elements,
            others,
            with_files: ctx.flag("options.includeBinary", index)?,
        })
    }

    /// The fields that are put into elements, which may be many times those of the item.
    fn work(&self, item: &Item) -> usize {
        let n_elements = |field: &Str| match self.dots.get(&item.json, field) {
            Some(Value::Array(values)) => values.len(),
            Some(Value::Object(object)) => object.len(),
            _ => 1,
        };
        let (all, most) = self
            .fields
            .iter()
            .map(n_elements)
            .fold((0_usize, 0), |(all, most), n| (all.saturating_add(n), most.max(n)));
        let n_others = match &self.others {
            OtherFields::None => 0,
            OtherFields::All(json) => json.as_object().map_or(0, Object::len),
            OtherFields::Selected(names) => names.as_ref().map_or(0, Vec::len),
        };
        all.saturating_add(most.saturating_mul(n_others))
    }

    fn put(self, index: usize, item: Item, output: &mut ItemsBuilder) -> Result<(), NodeError> {
        let ticker = LoopTicker::default();
        let mut made: Vec<Item> = Vec::new();
        for (position, field) in self.fields.iter().enumerate() {
            let destination = self.destinations.get(position);
            if *field == "$binary" && self.style == SplitStyle::Modern {
                for (element, (name, file)) in
                    item.binary.iter().flat_map(|files| files.iter()).enumerate()
                {
                    slot(&mut made, element).set_binary(name.clone(), file.clone());
                }
                continue;
            }
            for (element, value) in self
                .elements(&item, field)
                .map_err(|error| error.on_item(index))?
                .iter()
                .enumerate()
            {
                ticker.tick()?;
                let target = slot(&mut made, element).json.make_object();
                let is_object = matches!(value, Value::Object(_) | Value::Array(_))
                    || (self.style != SplitStyle::Modern && value.is_null());
                if is_object && !self.names_elements {
                    spread(target, value);
                } else {
                    target.insert(destination.unwrap_or(field).clone(), value.clone());
                }
            }
        }
        if made.is_empty() {
            return Ok(());
        }
        let selected = self.selected(&item)?;
        // Each is put out before the next one is filled: all of them may hold far more than the
        // item.
        for mut new in made {
            ticker.tick_for_item()?;
            if let OtherFields::All(others) = &self.others {
                let own = std::mem::replace(&mut new.json, others.clone());
                spread(new.json.make_object(), &own);
            }
            for (field, value) in &selected {
                new.json.make_object().insert(field.clone(), value.clone());
            }
            if self.with_files && new.binary.is_none() {
                new.binary = item.binary.clone();
            }
            output.push(new.paired_with(index));
            if output.is_failed() {
                break;
            }
        }
        Ok(())
    }

    /// The selected fields of an item.
    fn selected(&self, item: &Item) -> Result<Vec<(Str, Option<Value>)>, NodeError> {
        let OtherFields::Selected(names) = &self.others else { return Ok(Vec::new()) };
        let names = names.as_ref().map_err(NodeError::clone)?;
        if names.is_empty() {
            return Err(NodeError::parameter("fieldsToInclude", "No fields specified")
                .describe("Please add a field to include"));
        }
        // The older node never let a selected field replace the element.
        let put = names
            .iter()
            .filter(|field| self.style == SplitStyle::Modern || !self.fields.contains(field));
        Ok(put.map(|field| (field.clone(), self.dots.get(&item.json, field).cloned())).collect())
    }

    /// The elements of a field to split.
    fn elements(&self, item: &Item, field: &str) -> Result<Vec<Value>, NodeError> {
        match self.dots.get(&item.json, field) {
            Some(Value::Array(values)) => Ok(values.to_vec()),
            Some(Value::Object(object)) => Ok(object.values().cloned().collect()),
            None if self.style == SplitStyle::Strict => {
                let error = NodeError::input(format!(
                    "Couldn't find the field '{field}' in the input data"
                ));
                let tells = self.dots == DotNotation::Literal && field.contains('.');
                Err(if tells { error.describe(DOT_NOTATION_TIP) } else { error })
            }
            None => Ok(Vec::new()),
            Some(single) if self.style == SplitStyle::Modern => Ok(vec![single.clone()]),
            Some(_) => Err(NodeError::input(format!(
                "The provided field '{field}' is not an array or object"
            ))),
        }
    }
}

fn slot(made: &mut Vec<Item>, element: usize) -> &mut Item {
    if made.len() <= element {
        made.resize_with(element + 1, || Item::new(Object::new()));
    }
    &mut made[element]
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OnError;
    use node_testing::{TestHost, run, run_on, to_json};

    async fn split(params: Value, input: Value) -> Value {
        run::<SplitOut>(params, input).await.unwrap().remove(0)
    }

    #[tokio::test]
    async fn several_fields_are_split_side_by_side() {
        let input = json!([{ "a": [1, 2], "b": { "x": "p", "y": "q" }, "c": 0 }]);
        let made = split(json!({ "fieldToSplitOut": "a, b" }), input).await;
        assert_eq!(made, json!([{ "a": 1, "b": "p" }, { "a": 2, "b": "q" }]));
    }

    #[tokio::test]
    async fn a_single_value_counts_as_a_list_and_a_missing_one_as_none() {
        let input = json!([{ "a": 5 }, { "b": 1 }]);
        assert_eq!(
            split(json!({ "fieldToSplitOut": "$json.a" }), input).await,
            json!([{ "a": 5 }])
        );
    }

    #[tokio::test]
    async fn nested_fields_are_taken_out_of_the_copy() {
        let input = json!([{ "a": { "list": ["x"], "keep": 1 } }]);
        let made =
            split(json!({ "fieldToSplitOut": "a.list", "include": "allOtherFields" }), input).await;
        assert_eq!(made, json!([{ "a": { "keep": 1 }, "a.list": "x" }]));
    }

    #[tokio::test]
    async fn issue_14_06_elements_that_take_other_fields_along_are_made_off_the_threads_that_serve()
    {
        let mut item =
            Object::from_iter((0..1000).map(|number| (number.to_string(), Value::from(number))));
        item.insert("list", vec![Value::from(1); 1000]);
        // A million fields, made of a few kilobytes.
        let params = json!({ "fieldToSplitOut": "list", "include": "allOtherFields" });
        let work = Box::pin(run::<SplitOut>(params, Value::array(vec![item.into()])));
        let allowance = compute::Allowance::new(
            std::time::Duration::from_millis(1),
            std::time::Duration::from_secs(60),
        );
        let ended =
            compute::Offload::if_asked(work, allowance).await.err().map(|error| error.code());
        assert_eq!(ended, Some(Code::RUN_CPU_TIME));
    }

    #[tokio::test]
    async fn files_are_split_by_the_binary_keyword() {
        let host = TestHost::new(&SplitOut::spec(), 1.0, &json!({ "fieldToSplitOut": "$binary" }));
        let mut item = Item::new(json!({ "id": 1 }));
        item.set_binary("one", Binary::new("1", "text/plain", None));
        item.set_binary("two", Binary::new("2", "text/plain", None));
        let outputs =
            run_on::<SplitOut>(&host, 1.0, vec![Items::one(item)], OnError::Stop).await.unwrap();
        assert_eq!(outputs[0].len(), 2);
        assert!(outputs[0].last().unwrap().binary("two").is_some());
        assert_eq!(to_json(&outputs[0]), json!([{}, {}]));
    }

    #[tokio::test]
    async fn destination_names_must_match_the_fields_in_number() {
        let params =
            json!({ "fieldToSplitOut": "a,b", "options": { "destinationFieldName": "x" } });
        let error = run::<SplitOut>(params, json!([{ "a": [1] }])).await.unwrap_err();
        assert!(error.message().starts_with("If multiple fields to split out are given"));
    }
}
