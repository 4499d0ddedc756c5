//! Counts, adds up, joins or compares the values of fields, over all items or per group.

use super::fields::{DotNotation, identity, in_object_order, less_than, split_names};
use node_api::prelude::*;
use std::collections::{HashMap, HashSet};

pub(crate) struct Summarize;

impl Node for Summarize {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-base.summarize", &[1.0, 1.1], "Summarize", "Sum, count, max and so on across items").icon("sigma")
            .params(params())
            .alias(&["pivot", "group by", "aggregate", "statistics", "item lists"])
            .hint("Use it like a pivot table: one row of numbers per value of the fields to split by.")
            .repeatable()
            .computes()
            .example(
                "Sales per city",
                r#"{ "fieldsToSummarize": { "values": [{ "aggregation": "sum", "field": "amount" }] }, "fieldsToSplitBy": "city" }"#,
                r#"[{ "city": "Oslo", "amount": 2 }, { "city": "Rome", "amount": 5 }, { "city": "Oslo", "amount": 3 }]"#,
                r#"[[{ "city": "Oslo", "sum_amount": 5 }, { "city": "Rome", "sum_amount": 5 }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let rules = SummarizeRules {
            field_must_exist: ctx.version() < 1.05
                && !ctx.flag("options.continueIfFieldNotFound", 0)?,
            empty_if_missing: false,
            original_types: ctx.version() > 1.0,
        };
        summarize(ctx, &items, &rules)
    }
}

/// The parameters of the node, which Item Lists has too.
pub(super) fn params() -> Vec<Param> {
    let aggregations = [
        ("count", "Count"),
        ("append", "Append"),
        ("average", "Average"),
        ("concatenate", "Concatenate"),
        ("countUnique", "Count unique"),
        ("max", "Max"),
        ("min", "Min"),
        ("sum", "Sum"),
    ];
    let separators = [
        (",", "Comma"),
        (", ", "Comma and space"),
        ("\n", "New line"),
        ("", "None"),
        (" ", "Space"),
        ("other", "Other"),
    ];
    let value = FieldGroup::new(
        "values",
        "Value",
        [
            Param::choice("aggregation", "Aggregation", &aggregations)
                .help("How to combine the values of the field."),
            Param::text("field", "Field", "")
                .help("Field to summarize. Sums and averages use numbers only."),
            Param::flag("includeEmpty", "Include empty values", false)
                .help("Count null, missing and empty values too.")
                .show("aggregation", &["append", "concatenate", "count", "countUnique"]),
            Param::choice("separateBy", "Separator", &separators)
                .help("Separator between the values.")
                .show("aggregation", &["concatenate"]),
            Param::text("customSeparator", "Custom separator", "")
                .help("Custom separator.")
                .show("aggregation", &["concatenate"])
                .show("separateBy", &["other"]),
        ],
    );
    let formats = [
        ("separateItems", "Each split in a separate item"),
        ("singleItem", "All splits in a single item"),
    ];
    vec![
        Param::repeated("fieldsToSummarize", "Fields to summarize", [value])
            .preset(json!({ "values": [{ "aggregation": "count", "field": "" }] }))
            .help("What to compute."),
        Param::text("fieldsToSplitBy", "Fields to split by", "")
            .help("Names of the fields to group by, separated by commas."),
        Param::collection(
            "options",
            "Options",
            [
                Param::flag("continueIfFieldNotFound", "Continue if field not found", false)
                    .help("Continue instead of failing if no item has the field."),
                Param::flag("disableDotNotation", "Disable dot notation", false).help(
                    "Take dots in field names literally instead of as steps into nested objects.",
                ),
                Param::choice("outputFormat", "Output format", &formats)
                    .help("One item per group, or one item that nests all groups."),
                Param::flag(
                    "skipEmptySplitFields",
                    "Ignore items without valid fields to group by",
                    false,
                )
                .help("Leave out items whose group field is missing or empty."),
            ],
        )
        .help("Further settings."),
    ]
}

/// Where the versions of n8n's nodes differ.
pub(super) struct SummarizeRules {
    pub(super) field_must_exist: bool,
    /// Older Item Lists answered with one empty item when told to go on without the field.
    pub(super) empty_if_missing: bool,
    /// Values of different types make different groups, and group fields keep their types.
    pub(super) original_types: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Aggregation {
    aggregation: Str,
    field: Str,
    include_empty: bool,
    separate_by: Str,
    custom_separator: Str,
}

impl Default for Aggregation {
    fn default() -> Self {
        Self {
            aggregation: "count".into(),
            field: Str::new(),
            include_empty: false,
            separate_by: ",".into(),
            custom_separator: Str::new(),
        }
    }
}

pub(super) fn summarize(
    ctx: &Ctx<'_>,
    items: &Items,
    rules: &SummarizeRules,
) -> Result<Outputs, NodeError> {
    let aggregations: Vec<Aggregation> = match ctx.param("fieldsToSummarize.values", 0)? {
        Value::Array(_) => ctx.param_as("fieldsToSummarize.values", 0)?,
        _ => Vec::new(),
    };
    if aggregations.iter().all(|aggregation| aggregation.field.is_empty()) {
        let message = "You need to add at least one aggregation to 'Fields to Summarize' with non empty 'Field'";
        return Err(NodeError::parameter("fieldsToSummarize", message));
    }
    let dots = DotNotation::of(ctx)?;
    for Aggregation { field, .. } in
        aggregations.iter().filter(|aggregation| !aggregation.field.is_empty())
    {
        if rules.field_must_exist || rules.empty_if_missing {
            let exists = items.iter().any(|item| dots.get(&item.json, field).is_some());
            if !exists && rules.empty_if_missing {
                return Ok(vec![Items::one(
                    Item::new(Object::new())
                        .with_pairs((0..items.len()).map(PairedItem::new).collect::<Pairs>()),
                )]);
            }
            if !exists {
                return Err(NodeError::input(format!(
                    "The field '{field}' does not exist in any items"
                )));
            }
        }
    }

    let split_by = split_names(&ctx.text("fieldsToSplitBy", 0)?);
    let job = SummarizeJob {
        aggregations,
        dots,
        skip_empty: ctx.flag("options.skipEmptySplitFields", 0)?,
        original_types: rules.original_types,
    };
    let mut tree = job.tree(&split_by);
    for (index, item) in items.iter().enumerate() {
        job.add(&mut tree, &split_by, index, &item);
    }
    let mut output = ctx.builder();
    if ctx.text("options.outputFormat", 0)? == "singleItem" {
        output.push(
            Item::new(tree.into_value())
                .with_pairs((0..items.len()).map(PairedItem::new).collect::<Pairs>()),
        );
    } else {
        tree.flatten(&split_by, Object::new(), &mut output);
    }
    Ok(vec![output.finish()])
}

struct SummarizeJob {
    aggregations: Vec<Aggregation>,
    dots: DotNotation,
    skip_empty: bool,
    original_types: bool,
}

/// The groups, nested by the fields they were made by.
enum GroupTree {
    Groups { places: HashMap<Str, usize>, groups: Vec<(Value, GroupTree)> },
    Leaf { summary: Vec<(Str, Accumulator)>, members: Vec<usize> },
}

impl SummarizeJob {
    fn tree(&self, split_by: &[Str]) -> GroupTree {
        if !split_by.is_empty() {
            return GroupTree::Groups { places: HashMap::new(), groups: Vec::new() };
        }
        let summary = self.aggregations.iter().map(|aggregation| {
            (
                plain_name(&format!("{}{}", aggregation.prefix(), aggregation.field)),
                Accumulator::of(aggregation),
            )
        });
        GroupTree::Leaf { summary: summary.collect(), members: Vec::new() }
    }

    /// Puts an item into its group. Nothing of it is kept but what its group needs: the list may
    /// not fit into memory.
    fn add(&self, tree: &mut GroupTree, split_by: &[Str], index: usize, item: &Item) {
        match (tree, split_by.split_first()) {
            (GroupTree::Groups { places, groups }, Some((field, rest))) => {
                let value = self.dots.get(&item.json, field).unwrap_or(&Value::Undefined);
                let Some(value) = self.group_of(value) else { return };
                let place = *places.entry(identity(&value).into()).or_insert_with(|| {
                    groups.push((value, self.tree(rest)));
                    groups.len() - 1
                });
                self.add(&mut groups[place].1, rest, index, item);
            }
            (GroupTree::Leaf { summary, members }, _) => {
                members.push(index);
                for (aggregation, (_, summary)) in self.aggregations.iter().zip(summary) {
                    let value =
                        self.dots.get(&item.json, &aggregation.field).unwrap_or(&Value::Undefined);
                    summary.add(value, aggregation.include_empty);
                }
            }
            (GroupTree::Groups { .. }, None) => {}
        }
    }

    /// What an item with this value is grouped by, if it is not left out.
    fn group_of(&self, value: &Value) -> Option<Value> {
        let group = match value {
            Value::Object(_) | Value::Array(_) | Value::Date(_) => {
                Value::from(model::json::to_string(value))
            }
            plain if self.original_types => plain.clone(),
            plain => Value::String(plain.to_js_string()),
        };
        let is_kept = group.is_truthy() || matches!(group, Value::Number(_));
        (is_kept || !self.skip_empty).then_some(group)
    }
}

impl Aggregation {
    fn prefix(&self) -> &'static str {
        match self.aggregation.as_str() {
            "append" => "appended_",
            "average" => "average_",
            "concatenate" => "concatenated_",
            "countUnique" => "unique_count_",
            "max" => "max_",
            "min" => "min_",
            "sum" => "sum_",
            _ => "count_",
        }
    }
}

/// What has been seen of a group so far.
enum Accumulator {
    Appended(Vec<Value>),
    Joined {
        text: Option<String>,
        separator: Str,
    },
    Sum(f64),
    Average {
        sum: f64,
        count: usize,
    },
    Min(Option<Value>),
    Max(Option<Value>),
    /// Objects count one by one, as they do in a JavaScript set.
    Unique {
        seen: HashSet<String>,
        objects: usize,
    },
    Count(usize),
}

impl Accumulator {
    fn of(aggregation: &Aggregation) -> Self {
        let Aggregation { separate_by, custom_separator, .. } = aggregation;
        match aggregation.aggregation.as_str() {
            "append" => Self::Appended(Vec::new()),
            "concatenate" => Self::Joined {
                text: None,
                separator: if separate_by == "other" { custom_separator } else { separate_by }
                    .clone(),
            },
            "sum" => Self::Sum(0.0),
            "average" => Self::Average { sum: 0.0, count: 0 },
            "min" => Self::Min(None),
            "max" => Self::Max(None),
            "countUnique" => Self::Unique { seen: HashSet::new(), objects: 0 },
            _ => Self::Count(0),
        }
    }

    fn add(&mut self, value: &Value, include_empty: bool) {
        match (self, value) {
            (Self::Sum(sum), Value::Number(number)) => *sum += number,
            (Self::Average { sum, count }, Value::Number(number)) => {
                *sum += number;
                *count += 1;
            }
            (Self::Sum(_) | Self::Average { .. }, _) => {}
            (Self::Min(least), value) if !is_empty(value) => {
                if least.as_ref().is_none_or(|least| less_than(value, least)) {
                    *least = Some(value.clone());
                }
            }
            (Self::Max(most), value) if !is_empty(value) => {
                if most.as_ref().is_none_or(|most| less_than(most, value)) {
                    *most = Some(value.clone());
                }
            }
            (Self::Min(_) | Self::Max(_), _) => {}
            (_, value) if !include_empty && is_empty(value) => {}
            (Self::Appended(values), value) => values.push(value.clone()),
            (Self::Joined { text, separator }, value) => {
                let more = match value {
                    Value::Object(_) | Value::Array(_) | Value::Date(_) | Value::Null => {
                        model::json::to_string(value).into()
                    }
                    plain => plain.to_js_string(),
                };
                match text {
                    Some(text) => text.extend([separator.as_str(), &more]),
                    None => *text = Some(more.into()),
                }
            }
            (Self::Unique { objects, .. }, Value::Object(_) | Value::Array(_)) => *objects += 1,
            (Self::Unique { seen, .. }, plain) => drop(seen.insert(identity(plain))),
            (Self::Count(count), _) => *count += 1,
        }
    }

    fn finish(self) -> Value {
        match self {
            Self::Appended(values) => Value::array(values),
            Self::Joined { text, .. } => text.unwrap_or_default().into(),
            Self::Sum(sum) => Value::Number(sum),
            Self::Average { sum, count } => Value::Number(sum / count as f64),
            Self::Min(value) | Self::Max(value) => value.unwrap_or(Value::Null),
            Self::Unique { seen, objects } => Value::from(seen.len() + objects),
            Self::Count(count) => Value::from(count),
        }
    }
}

impl GroupTree {
    fn into_value(self) -> Value {
        match self {
            GroupTree::Leaf { summary, .. } => finished(summary).collect::<Object>().into(),
            GroupTree::Groups { groups, .. } => {
                let named = groups.into_iter().map(|(group, tree)| (group.to_js_string(), tree));
                // Of groups whose names are the same text, the last one stays.
                let all: Object = named.map(|(name, tree)| (name, tree.into_value())).collect();
                in_object_order(all.into_iter().collect()).into_iter().collect::<Object>().into()
            }
        }
    }

    fn flatten(self, split_by: &[Str], fields: Object, output: &mut ItemsBuilder) {
        match (self, split_by.split_first()) {
            (GroupTree::Groups { groups, .. }, Some((name, rest))) => {
                for (group, tree) in groups {
                    let mut fields = fields.clone();
                    if group != Value::Undefined {
                        fields.insert(plain_name(name), group);
                    }
                    tree.flatten(rest, fields, output);
                }
            }
            (GroupTree::Leaf { summary, members }, _) => {
                let mut all: Object = finished(summary).collect();
                all.extend(fields);
                output.push(
                    Item::new(all)
                        .with_pairs(members.into_iter().map(PairedItem::new).collect::<Pairs>()),
                );
            }
            (GroupTree::Groups { .. }, None) => {}
        }
    }
}

fn finished(summary: Vec<(Str, Accumulator)>) -> impl Iterator<Item = (Str, Value)> {
    summary.into_iter().map(|(name, summary)| (name, summary.finish()))
}

fn is_empty(value: &Value) -> bool {
    value.is_nullish() || value.as_str() == Some("")
}

/// Names without brackets and quotes; spaces and dots become underscores.
fn plain_name(name: &str) -> Str {
    name.chars()
        .filter(|letter| !matches!(letter, '[' | ']' | '"'))
        .map(|letter| if matches!(letter, ' ' | '.') { '_' } else { letter })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::{run, run_version};

    fn of(entries: Value) -> Value {
        let mut params = json!({});
        params.set_path("fieldsToSummarize.values", entries);
        params
    }

    #[tokio::test]
    async fn empty_values_count_only_when_asked_for() {
        let input = json!([{ "v": 1 }, { "v": "" }, { "v": null }, {}]);
        let all = of(
            json!([{ "field": "v", "includeEmpty": true }, { "field": "v", "aggregation": "countUnique", "includeEmpty": true }]),
        );
        assert_eq!(
            run::<Summarize>(all, input.clone()).await.unwrap()[0],
            json!([{ "count_v": 4, "unique_count_v": 4 }])
        );
        assert_eq!(
            run::<Summarize>(of(json!([{ "field": "v" }])), input).await.unwrap()[0],
            json!([{ "count_v": 1 }])
        );
    }

    #[tokio::test]
    async fn groups_come_as_they_were_met() {
        let mut params = of(json!([{ "field": "n", "aggregation": "append" }]));
        params.set_path("fieldsToSplitBy", "g");
        let input = json!([{ "g": null, "n": 1 }, { "g": 2, "n": 2 }, { "g": 0, "n": 3 }]);
        let typed = run::<Summarize>(params.clone(), input.clone()).await.unwrap();
        assert_eq!(
            typed[0],
            json!([{ "g": null, "appended_n": [1] }, { "g": 2, "appended_n": [2] }, { "g": 0, "appended_n": [3] }])
        );
        let texts = run_version::<Summarize>(1.0, params, &[input]).await.unwrap();
        assert_eq!(texts[0].at(0), Some(&json!({ "g": "null", "appended_n": [1] })));
    }

    #[tokio::test]
    async fn groups_of_different_types_are_different_ones() {
        let mut params = of(json!([{ "field": "g" }]));
        params.set_path("fieldsToSplitBy", "g");
        let input = json!([
            { "g": 1 }, { "g": "1" }, { "g": null }, {}, { "g": "" }, { "g": false }, { "g": 0 },
            { "g": [1] }, { "g": "[1]" },
        ]);
        let groups = |typed: &Value| {
            let group = |item: &Value| item.get("g").cloned().unwrap_or_default();
            Value::array(typed.as_array().unwrap().iter().map(group).collect())
        };
        let all = run::<Summarize>(params.clone(), input.clone()).await.unwrap();
        assert_eq!(groups(&all[0]), {
            let mut all = json!([1, "1", null, null, "", false, 0, "[1]"]);
            all.set_path("[3]", Value::Undefined);
            all
        });
        params.set_path("options.skipEmptySplitFields", true);
        let kept = run::<Summarize>(params.clone(), input.clone()).await.unwrap();
        assert_eq!(groups(&kept[0]), json!([1, "1", 0, "[1]"]));
        let texts = run_version::<Summarize>(1.0, params, &[input]).await.unwrap();
        assert_eq!(groups(&texts[0]), json!(["1", "null", "undefined", "false", "0", "[1]"]));
    }

    #[tokio::test]
    async fn all_groups_fit_into_one_item() {
        let mut params = of(json!([{ "field": "n", "aggregation": "max" }]));
        params.set_path("fieldsToSplitBy", "g, h");
        params.set_path("options.outputFormat", "singleItem");
        let input = json!([{ "g": "x", "h": "p", "n": 1 }, { "g": "x", "h": "p", "n": 4 }]);
        assert_eq!(
            run::<Summarize>(params, input).await.unwrap()[0],
            json!([{ "x": { "p": { "max_n": 4 } } }])
        );
    }

    #[tokio::test]
    async fn the_first_version_refuses_fields_that_no_item_has() {
        let error =
            run_version::<Summarize>(1.0, of(json!([{ "field": "x.y" }])), &[json!([{ "a": 1 }])])
                .await
                .unwrap_err();
        assert_eq!(error.message(), "The field 'x.y' does not exist in any items");
        assert_eq!(
            run::<Summarize>(of(json!([{ "field": "x.y" }])), json!([{ "a": 1 }])).await.unwrap()
                [0],
            json!([{ "count_x_y": 0 }])
        );
    }
}
