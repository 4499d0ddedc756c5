//! Gathers a field of many items, or the items themselves, into lists in one item.

use super::fields::{DOT_NOTATION_TIP, DotNotation, field_list, last_key, paths_overlap};
use model::Gaps;
use node_api::prelude::*;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub(crate) struct Aggregate;

impl Node for Aggregate {
    fn spec() -> Spec {
        Spec::new(
            "n8n-nodes-base.aggregate",
            &[1.0],
            "Aggregate",
            "Combine a field of many items into a list in a single item",
        )
        .icon("combine")
        .params(params())
        .alias(&["combine", "concatenate", "group", "item lists"])
        .hint(
            "Use it to pass all items at once to a node that would otherwise run once per item, \
                 such as a model call.",
        )
        .repeatable()
        .example(
            "All ids in one list",
            r#"{ "fieldsToAggregate": { "fieldToAggregate": [{ "fieldToAggregate": "id" }] } }"#,
            r#"[{ "id": 1 }, { "id": 2 }]"#,
            r#"[[{ "id": [1, 2] }]]"#,
        )
        .example(
            "Whole items in one list",
            r#"{ "aggregate": "aggregateAllItemData", "destinationFieldName": "rows" }"#,
            r#"[{ "id": 1 }, { "id": 2 }]"#,
            r#"[[{ "rows": [{ "id": 1 }, { "id": 2 }] }]]"#,
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        aggregate(ctx, &items, MissingFields::Tolerated)
    }
}

/// The parameters of the node, which Item Lists has too.
pub(super) fn params() -> Vec<Param> {
    let all = &["aggregateAllItemData"];
    let include = [
        ("allFields", "All fields"),
        ("specifiedFields", "Specified fields"),
        ("allFieldsExcept", "All fields except"),
    ];
    let what = [
        ("aggregateIndividualFields", "Individual fields"),
        ("aggregateAllItemData", "All item data (into a single list)"),
    ];
    let field = FieldGroup::new(
        "fieldToAggregate",
        "Field",
        [
            Param::text("fieldToAggregate", "Input field name", "")
                .help("The field whose values are gathered."),
            Param::flag("renameField", "Rename field", false)
                .help("Use a different name for the list than for the field."),
            Param::text("outputFieldName", "Output field name", "")
                .help("Name of the list.")
                .show("renameField", &[true]),
        ],
    );
    vec![
        Param::choice("aggregate", "Aggregate", &what)
            .help("Gather values of single fields, or the items as they are."),
        Param::repeated("fieldsToAggregate", "Fields to aggregate", [field])
            .preset(
                json!({ "fieldToAggregate": [{ "fieldToAggregate": "", "renameField": false }] }),
            )
            .help("The fields to gather, each into its own list.")
            .show("aggregate", &["aggregateIndividualFields"]),
        Param::text("destinationFieldName", "Put output in field", "data")
            .help("Field for the list.")
            .show("aggregate", all),
        Param::choice("include", "Include", &include)
            .help("Which fields of the items to include in the list.")
            .show("aggregate", all),
        Param::text("fieldsToExclude", "Fields to exclude", "")
            .help("Names of the fields to leave out, separated by commas.")
            .show("aggregate", all)
            .show("include", &["allFieldsExcept"]),
        Param::text("fieldsToInclude", "Fields to include", "")
            .help("Names of the fields to keep, separated by commas.")
            .show("aggregate", all)
            .show("include", &["specifiedFields"]),
        Param::collection(
            "options",
            "Options",
            [
                Param::text("groupByFields", "Group by fields", "").help(
                    "Comma-separated field names. One item is returned for each combination of \
                         their values.",
                ),
                Param::flag("disableDotNotation", "Disable dot notation", false).help(
                    "Take dots in field names literally instead of as steps into nested objects.",
                ),
                Param::flag("mergeLists", "Merge lists", false).help(
                    "Join the lists of the items into one flat list instead of a list of lists.",
                ),
                Param::flag("includeBinaries", "Include binaries", false)
                    .help("Give the new item the files of all items."),
                Param::flag("keepOnlyUnique", "Keep only unique binaries", false).help(
                    "Omit files with the same type, size and extension as one already included.",
                ),
                Param::flag("keepMissing", "Keep missing and null values", false)
                    .help("Put null into the list for items without a value."),
            ],
        )
        .help("Further settings."),
    ]
}

/// What happens when no item has a field to aggregate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingFields {
    /// Item Lists before 2.1.
    Refused,
    Tolerated,
}

pub(super) fn aggregate(
    ctx: &Ctx<'_>,
    items: &Items,
    missing: MissingFields,
) -> Result<Outputs, NodeError> {
    let plan = AggregatePlan::read(ctx)?;
    if missing == MissingFields::Refused {
        plan.check_fields(items)?;
    }
    let group_by = field_list(ctx, "options.groupByFields", "Group By Fields", 0)?;
    let mut output = ctx.builder();
    if group_by.is_empty() {
        output.push(plan.combine(items.iter().enumerate(), Object::new(), Gaps::default())?);
    } else {
        for (values, members) in groups(items, &group_by)? {
            let (mut start, mut gaps) = (Object::new(), Gaps::default());
            for (field, value) in group_by.iter().zip(values) {
                start.put_path_within(field, value, &mut gaps)?;
            }
            if let Some((name, field)) = plan.clash(&group_by) {
                let message = format!(
                    "The destination field '{name}' conflicts with a Group By field '{field}'"
                );
                return Err(NodeError::parameter("options.groupByFields", message).describe(
                    "Please choose a different destination field name or Group By field",
                ));
            }
            output.push(plan.combine(members.into_iter(), start, gaps)?);
        }
    }
    Ok(vec![output.finish()])
}

struct AggregatePlan {
    what: AggregateTarget,
    files: FileHandling,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FileHandling {
    Dropped,
    All,
    Unique,
}

enum AggregateTarget {
    Fields { fields: Vec<AggregateField>, dots: DotNotation, merge_lists: bool, keep_missing: bool },
    Items { destination: Str, exclude: Vec<Str>, include: Vec<Str> },
}

struct AggregateField {
    source: Str,
    target: Str,
}

impl AggregatePlan {
    fn read(ctx: &Ctx<'_>) -> Result<Self, NodeError> {
        let files =
            match (ctx.flag("options.includeBinaries", 0)?, ctx.flag("options.keepOnlyUnique", 0)?)
            {
                (false, _) => FileHandling::Dropped,
                (true, false) => FileHandling::All,
                (true, true) => FileHandling::Unique,
            };
        if ctx.text("aggregate", 0)? == "aggregateIndividualFields" {
            let dots = DotNotation::of(ctx)?;
            let fields = Self::read_fields(ctx, dots)?;
            let (merge_lists, keep_missing) =
                (ctx.flag("options.mergeLists", 0)?, ctx.flag("options.keepMissing", 0)?);
            return Ok(Self {
                what: AggregateTarget::Fields { fields, dots, merge_lists, keep_missing },
                files,
            });
        }
        let what = AggregateTarget::Items {
            destination: ctx.text("destinationFieldName", 0)?,
            exclude: field_list(ctx, "fieldsToExclude", "Fields To Exclude", 0)?,
            include: field_list(ctx, "fieldsToInclude", "Fields To Include", 0)?,
        };
        Ok(Self { what, files })
    }

    fn read_fields(ctx: &Ctx<'_>, dots: DotNotation) -> Result<Vec<AggregateField>, NodeError> {
        let entries = ctx.param("fieldsToAggregate.fieldToAggregate", 0)?;
        let entries = entries.as_array().unwrap_or_default();
        if entries.is_empty() {
            return Err(NodeError::parameter("fieldsToAggregate", "No fields specified")
                .describe("Please add a field to aggregate"));
        }
        let text = |entry: &Value, key| {
            entry
                .get(key)
                .filter(|value| !value.is_nullish())
                .map(Value::to_js_string)
                .unwrap_or_default()
        };
        let mut used = Vec::new();
        let mut fields = Vec::new();
        for entry in entries {
            let (source, renamed) =
                (text(entry, "fieldToAggregate"), text(entry, "outputFieldName"));
            let shown = if entry.get("renameField").is_some_and(Value::is_truthy) {
                renamed.clone()
            } else {
                source.clone()
            };
            if used.contains(&shown) {
                let message = format!("The '{shown}' output field is used more than once");
                let description = "Please make sure each output field name is unique";
                return Err(
                    NodeError::parameter("fieldsToAggregate", message).describe(description)
                );
            }
            used.push(shown);
            let target = match (renamed.is_empty(), dots) {
                (false, _) => renamed,
                (true, DotNotation::Nested) => last_key(&source),
                (true, DotNotation::Literal) => source.clone(),
            };
            fields.push(AggregateField { source, target });
        }
        Ok(fields)
    }

    /// The older node refused fields that no item has.
    fn check_fields(&self, items: &Items) -> Result<(), NodeError> {
        let AggregateTarget::Fields { fields, dots, keep_missing, .. } = &self.what else {
            return Ok(());
        };
        for AggregateField { source, .. } in fields {
            if source.is_empty() {
                return Err(NodeError::parameter(
                    "fieldsToAggregate",
                    "Field to aggregate is blank",
                )
                .describe("Please add a field to aggregate"));
            }
            if items.iter().any(|item| dots.get(&item.json, source).is_some()) {
                continue;
            }
            let error =
                NodeError::input(format!("Couldn't find the field '{source}' in the input data"));
            if *dots == DotNotation::Literal && source.contains('.') {
                return Err(error.describe(DOT_NOTATION_TIP));
            }
            if !keep_missing {
                return Err(error);
            }
        }
        Ok(())
    }

    /// The name of an output that would overwrite a field the groups are made by.
    fn clash<'p>(&'p self, group_by: &'p [Str]) -> Option<(&'p Str, &'p Str)> {
        let mut names = match &self.what {
            AggregateTarget::Fields { fields, .. } => {
                fields.iter().map(|field| &field.target).collect::<Vec<_>>()
            }
            AggregateTarget::Items { destination, .. } => vec![destination],
        }
        .into_iter();
        names.find_map(|name| {
            group_by.iter().find(|field| paths_overlap(name, field)).map(|field| (name, field))
        })
    }

    fn combine(
        &self,
        items: impl Iterator<Item = (usize, Item)>,
        start: Object,
        mut gaps: Gaps,
    ) -> Result<Item, NodeError> {
        let mut made = Item::new(start);
        let mut pairs = Vec::new();
        let mut files = FileCollector::new(self.files);
        let mut lists: Vec<Vec<Value>> = match &self.what {
            AggregateTarget::Fields { fields, .. } => vec![Vec::new(); fields.len()],
            AggregateTarget::Items { .. } => vec![Vec::new()],
        };
        for (index, item) in items {
            let used = match &self.what {
                AggregateTarget::Fields { fields, dots, merge_lists, keep_missing } => {
                    for (field, list) in fields.iter().zip(&mut lists) {
                        gather(
                            list,
                            dots.get(&item.json, &field.source),
                            *merge_lists,
                            *keep_missing,
                        );
                    }
                    true
                }
                AggregateTarget::Items { exclude, include, .. } => {
                    let kept = select(&item.json, exclude, include);
                    let used = kept.is_some();
                    lists.iter_mut().for_each(|list| list.extend(kept.clone()));
                    used
                }
            };
            if used {
                pairs.push(PairedItem::new(index));
            }
            files.add(&item);
        }
        made.binary = files.finish();
        let object = made.json.make_object();
        match &self.what {
            AggregateTarget::Fields { fields, dots, .. } => {
                for (field, list) in
                    fields.iter().zip(lists).filter(|(field, _)| !field.source.is_empty())
                {
                    dots.set(object, &field.target, list, &mut gaps)?;
                }
            }
            AggregateTarget::Items { destination, .. } => {
                drop(object.insert(destination.clone(), lists.pop().unwrap_or_default()))
            }
        }
        Ok(made.with_pairs(pairs))
    }
}

fn gather(list: &mut Vec<Value>, value: Option<&Value>, merge_lists: bool, keep_missing: bool) {
    match value {
        Some(Value::Array(values)) => {
            let kept: Vec<Value> =
                values.iter().filter(|value| keep_missing || !value.is_null()).cloned().collect();
            if merge_lists { list.extend(kept) } else { list.push(kept.into()) }
        }
        None | Some(Value::Null) if !keep_missing => {}
        None => list.push(Value::Null),
        Some(value) => list.push(value.clone()),
    }
}

/// The fields of an item that go into the list; `None` if none is left.
fn select(json: &Value, exclude: &[Str], include: &[Str]) -> Option<Value> {
    if exclude.is_empty() && include.is_empty() {
        return Some(json.clone());
    }
    let wanted =
        |key: &Str| !exclude.contains(key) && (include.is_empty() || include.contains(key));
    let kept: Object = json
        .as_object()?
        .iter()
        .filter(|(key, _)| wanted(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    (!kept.is_empty()).then(|| kept.into())
}

/// The files of several items under names that are all different.
struct FileCollector {
    which: FileHandling,
    files: Vec<(Str, Binary)>,
    names: HashSet<Str>,
    /// The suffix that each name begins to look for a free one with: those before it are taken.
    suffixes: HashMap<Str, usize>,
    seen: HashSet<(Str, Option<Str>, usize, Option<Str>)>,
}

impl FileCollector {
    fn new(which: FileHandling) -> Self {
        Self {
            which,
            files: Vec::new(),
            names: HashSet::new(),
            suffixes: HashMap::new(),
            seen: HashSet::new(),
        }
    }

    fn add(&mut self, item: &Item) {
        if self.which == FileHandling::Dropped {
            return;
        }
        for (name, file) in item.binary.iter().flat_map(|files| files.iter()) {
            let traits = (
                file.mime_type.clone(),
                file.file_type.clone(),
                file.data.len(),
                file.file_extension.clone(),
            );
            if self.which == FileHandling::Unique && !self.seen.insert(traits) {
                continue;
            }
            let mut free = name.clone();
            if self.names.contains(&free) {
                let suffix = self.suffixes.entry(name.clone()).or_insert(1);
                while self.names.contains(&free) {
                    free = format!("{name}_{suffix}").into();
                    *suffix += 1;
                }
            }
            self.names.insert(free.clone());
            self.files.push((free, file.clone()));
        }
    }

    fn finish(self) -> Option<Arc<Vec<(Str, Binary)>>> {
        (!self.files.is_empty()).then(|| Arc::new(self.files))
    }
}

type Grouped = Vec<(Vec<Value>, Vec<(usize, Item)>)>;

fn groups(items: &Items, group_by: &[Str]) -> Result<Grouped, NodeError> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut groups: Grouped = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let values: Vec<Value> = group_by
            .iter()
            .map(|field| item.json.get_path(field).cloned().unwrap_or_default())
            .collect();
        if let Some(at) =
            values.iter().position(|value| matches!(value, Value::Object(_) | Value::Array(_)))
        {
            let message = format!(
                "Field \"{}\" has a non-scalar value which cannot be used for grouping.",
                group_by[at]
            );
            let description = "Only scalar values (string, number, boolean, null) can be used in \"Group By Fields\".";
            return Err(NodeError::input(message).describe(description).on_item(index));
        }
        let key = model::json::to_string(&Value::array(values.clone()));
        let place = *places.entry(key).or_insert_with(|| {
            groups.push((values, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push((index, item));
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    async fn combine(params: Value, input: Value) -> Value {
        run::<Aggregate>(params, input).await.unwrap().remove(0)
    }

    fn fields(names: &[&str]) -> Value {
        Value::array(names.iter().map(|name| json!({ "fieldToAggregate": name })).collect())
    }

    #[tokio::test]
    async fn nested_fields_are_named_by_their_last_key() {
        let mut params = json!({ "fieldsToAggregate": {} });
        params.set_path("fieldsToAggregate.fieldToAggregate", fields(&["a.b"]));
        assert_eq!(
            combine(params, json!([{ "a": { "b": 1 } }, { "a": {} }])).await,
            json!([{ "b": [1] }])
        );
    }

    #[tokio::test]
    async fn lists_are_merged_and_missing_values_kept_when_asked_for() {
        let mut params = json!({ "options": { "mergeLists": true, "keepMissing": true } });
        params.set_path("fieldsToAggregate.fieldToAggregate", fields(&["v"]));
        let input = json!([{ "v": [1, null] }, {}, { "v": 2 }]);
        assert_eq!(combine(params, input).await, json!([{ "v": [1, null, null, 2] }]));
    }

    #[tokio::test]
    async fn items_that_keep_no_field_are_left_out() {
        let params = json!({ "aggregate": "aggregateAllItemData", "include": "specifiedFields", "fieldsToInclude": "a" });
        assert_eq!(
            combine(params, json!([{ "a": 1, "b": 2 }, { "b": 3 }])).await,
            json!([{ "data": [{ "a": 1 }] }])
        );
    }

    #[tokio::test]
    async fn groups_come_out_as_items_of_their_own() {
        let params =
            json!({ "aggregate": "aggregateAllItemData", "options": { "groupByFields": "k" } });
        let made = combine(
            params,
            json!([{ "k": "x", "n": 1 }, { "k": "y", "n": 2 }, { "k": "x", "n": 3 }]),
        )
        .await;
        assert_eq!(
            made.at(0),
            Some(&json!({ "k": "x", "data": [{ "k": "x", "n": 1 }, { "k": "x", "n": 3 }] }))
        );
        assert_eq!(made.as_array().unwrap().len(), 2);
    }

    #[tokio::test]
    async fn issue_14_09_names_of_lists_leave_only_so_much_of_an_item_empty() {
        let field =
            json!({ "fieldToAggregate": "v", "renameField": true, "outputFieldName": "a[6000]" });
        let fields = json!({ "fieldToAggregate": [field] });
        let params = |group_by: &str| json!({ "fieldsToAggregate": fields, "options": { "groupByFields": group_by } });
        let input = json!([{ "v": 1, "k": "x" }]);
        assert_eq!(
            combine(params("k"), input.clone()).await.get_path("[0].a[6000]"),
            Some(&json!([1]))
        );
        let error = run::<Aggregate>(params("b[6000]"), input).await.unwrap_err();
        assert_eq!(error.code(), Code::NODE_PARAMETER);
    }

    #[test]
    fn issue_14_06_files_of_many_items_are_named_in_one_pass() {
        let mut files = FileCollector::new(FileHandling::All);
        for number in 0..20_000 {
            let mut item = Item::new(json!({}));
            item.set_binary(
                if number == 1 { "data_2" } else { "data" },
                Binary::new("x", "text/plain", None),
            );
            files.add(&item);
        }
        let made = files.finish().unwrap();
        let names: Vec<&str> = made.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names[..5], ["data", "data_2", "data_1", "data_3", "data_4"]);
        assert_eq!(made.iter().map(|(name, _)| name.clone()).collect::<HashSet<_>>().len(), 20_000);
    }

    #[tokio::test]
    async fn an_output_name_cannot_be_used_twice() {
        let mut params = json!({ "fieldsToAggregate": {} });
        params.set_path("fieldsToAggregate.fieldToAggregate", fields(&["a", "a"]));
        let error = run::<Aggregate>(params, json!([{ "a": 1 }])).await.unwrap_err();
        assert_eq!(error.message(), "The 'a' output field is used more than once");
    }
}
