//! Compares two lists of items: what is only in the first, the same, different, only in the second.

mod differences;
mod fuzzy;

use super::fields::{DotNotation, identity, split_names};
use super::item_index::{items_at, window};
use differences::{DifferenceMode, describe_differences, mix};
use formats::ticker::LoopTicker;
use fuzzy::{Equality, FuzzyIndex};
use node_api::prelude::*;
use std::collections::HashMap;

pub(crate) struct CompareDatasets;

impl Node for CompareDatasets {
    fn spec() -> Spec {
        let pair = FieldGroup::new(
            "values",
            "Pair",
            [
                Param::text("field1", "Input A field", "").help("The field of input A."),
                Param::text("field2", "Input B field", "")
                    .help("The field of input B that must have the same value."),
            ],
        );
        let resolve = [
            ("includeBoth", "Include both versions"),
            ("preferInput1", "Use input A version"),
            ("preferInput2", "Use input B version"),
            ("mix", "Use a mix of versions"),
        ];
        let fuzzy = || {
            Param::flag("fuzzyCompare", "Fuzzy compare", false).help(
                "Ignore small type differences: 3 and \"3\" are equal, and so are null and an \
                     empty text.",
            )
        };
        Spec::new("n8n-nodes-base.compareDatasets", &[1.0, 2.0, 2.1, 2.2, 2.3], "Compare Datasets", "Compare two inputs for changes").icon("shuffle")
            .inputs([Port::named("Input A"), Port::named("Input B")])
            .outputs([Port::named("In A only"), Port::named("Same"), Port::named("Different"), Port::named("In B only")])
            .requires(RequiredInputs::AtLeast(1))
            .params([
                Param::notice("infoBox", "Items of both inputs are paired when the fields below match; the other fields are then compared."),
                Param::repeated("mergeByFields", "Fields to match", [pair])
                    .preset(json!({ "values": [{ "field1": "", "field2": "" }] }))
                    .help("Items are paired if all of these fields are equal."),
                Param::choice("resolve", "When there are differences", &resolve)
                    .preset("preferInput2")
                    .help("Output for a pair that differs.")
                    .versions(&[1.0, 2.0]),
                Param::choice("resolve", "When there are differences", &resolve).help("Output for a pair that differs.").since(2.1),
                fuzzy().since(2.0),
                Param::choice("preferWhenMix", "Prefer", &[("input1", "Input A version"), ("input2", "Input B version")])
                    .help("Input that most fields are taken from.")
                    .show("resolve", &["mix"]),
                Param::text("exceptWhenMix", "For everything except", "")
                    .help("Names of the fields that come from the other input, separated by commas.")
                    .show("resolve", &["mix"]),
                Param::collection(
                    "options",
                    "Options",
                    [
                        Param::text("skipFields", "Fields to skip comparing", "")
                            .help("Comma-separated names of fields to ignore in the comparison."),
                        fuzzy().versions(&[1.0]),
                        Param::flag("disableDotNotation", "Disable dot notation", false)
                            .help("Take dots in field names literally instead of as steps into nested objects."),
                        Param::choice("multipleMatches", "Multiple matches", &[("first", "Include first match only"), ("all", "Include all matches")])
                            .help("Whether to pair an item of input A with one matching item of input \
                                 B or with all of them."),
                    ],
                )
                .help("Further settings."),
            ])
            .alias(&["diff", "sync", "join", "match"])
            .hint("Use it to keep two systems in sync: create what is only in A, update what differs, \
                 delete what is only in B.")
            .repeatable()
            .computes()
            .example(
                "Two versions of a list",
                r#"{ "mergeByFields": { "values": [{ "field1": "id", "field2": "id" }] }, "resolve": "preferInput2" }"#,
                r#"[[{ "id": 1, "v": "a" }, { "id": 2, "v": "b" }, { "id": 3, "v": "c" }], [{ "id": 2, "v": "b" }, { "id": 3, "v": "z" }, { "id": 4, "v": "d" }]]"#,
                r#"[[{ "id": 1, "v": "a" }], [{ "id": 2, "v": "b" }], [{ "id": 3, "v": "z" }], [{ "id": 4, "v": "d" }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, _items: Items) -> Result<Outputs, NodeError> {
        let settings = CompareSettings::read(ctx)?;
        let fields_of = |input: usize| {
            settings.pairs.iter().map(move |pair| if input == 0 { &pair.0 } else { &pair.1 })
        };
        let (one, two) = (branch(ctx, 0), branch(ctx, 1));
        check_fields(&one, 0, &settings, fields_of(0))?;
        check_fields(&two, 1, &settings, fields_of(1))?;
        let index = settings.index(&two);
        let ticker = LoopTicker::default();

        let mut outputs = [ctx.builder(), ctx.builder(), ctx.builder(), ctx.builder()];
        let mut matched = vec![false; two.len()];
        // Of input B only the values that are matched are held, and the items that a window of
        // input A fits.
        let mut entries = usable(&one, 0);
        let most = window(&two);
        loop {
            let mut batch: Vec<(DatasetEntry, Vec<usize>)> = Vec::new();
            let mut count = 0;
            while count < most
                && let Some(entry) = entries.next()
            {
                let found = settings.matches(&entry.item.json, &index, &ticker)?;
                count += found.len().max(1);
                batch.push((entry, found));
            }
            if batch.is_empty()
                || ctx.host().is_cancelled()
                || outputs.iter().any(ItemsBuilder::is_failed)
            {
                break;
            }
            let others = items_at(&two, batch.iter().flat_map(|(_, found)| found.iter().copied()));
            for (entry, found) in &batch {
                if found.is_empty() {
                    outputs[0].push(entry.output());
                    continue;
                }
                let mut same = None;
                for place in found {
                    ticker.tick()?;
                    matched[*place] = true;
                    let Some(item) = others.get(place) else { continue };
                    let other = DatasetEntry {
                        item: item.clone(),
                        origin: PairedItem::on_input(*place, 1),
                    };
                    if settings.is_same(&entry.item.json, &other.item.json) {
                        let prefer_other = settings.equality.is_fuzzy()
                            && settings.resolve == DifferenceMode::Input2;
                        same.get_or_insert_with(|| {
                            if prefer_other { other.output() } else { entry.output() }
                        });
                    } else {
                        outputs[2].push(settings.different(entry, &other)?);
                    }
                }
                if let Some(same) = same {
                    outputs[1].push(same);
                }
            }
        }
        outputs[3].extend(
            usable(&two, 1)
                .filter(|entry| !matched[entry.origin.item as usize])
                .map(|entry| entry.output()),
        );
        Ok(outputs.into_iter().map(ItemsBuilder::finish).collect())
    }
}

fn branch(ctx: &Ctx<'_>, number: usize) -> Items {
    ctx.input(number).cloned().unwrap_or_default()
}

/// The items of an input that are not empty.
fn usable(items: &Items, input: usize) -> impl Iterator<Item = DatasetEntry> + '_ {
    let filled = items
        .iter()
        .enumerate()
        .filter(|(_, item)| item.json.as_object().is_some_and(|object| !object.is_empty()));
    filled
        .map(move |(index, item)| DatasetEntry { item, origin: PairedItem::on_input(index, input) })
}

/// Before 2.2 each match field had to be in one of the items at least.
fn check_fields<'f>(
    items: &Items,
    input: usize,
    settings: &CompareSettings,
    fields: impl Iterator<Item = &'f Str>,
) -> Result<(), NodeError> {
    if settings.version >= 2.15 || usable(items, input).next().is_none() {
        return Ok(());
    }
    for field in fields {
        if !usable(items, input).any(|entry| settings.dots.get(&entry.item.json, field).is_some()) {
            let label = if input == 0 { "Input A" } else { "Input B" };
            return Err(NodeError::input(format!(
                "Field '{field}' is not present in any of items in '{label}'"
            )));
        }
    }
    Ok(())
}

/// Where the items of input B are, by what they are matched with.
enum DatasetIndex {
    ByIdentity(HashMap<String, Vec<usize>>),
    Fuzzy(FuzzyIndex),
}

/// An item with the place it came from.
struct DatasetEntry {
    item: Item,
    origin: PairedItem,
}

impl DatasetEntry {
    fn output(&self) -> Item {
        self.item.clone().with_pairs(vec![self.origin.clone()])
    }
}

struct CompareSettings {
    version: f64,
    pairs: Vec<(Str, Str)>,
    dots: DotNotation,
    equality: Equality,
    resolve: DifferenceMode,
    prefer_input1: bool,
    except: Vec<Str>,
    skip: Vec<Str>,
    all_matches: bool,
}

impl CompareSettings {
    fn read(ctx: &Ctx<'_>) -> Result<Self, NodeError> {
        let version = ctx.version();
        let pairs = read_pairs(&ctx.param("mergeByFields.values", 0)?)?;
        let fuzzy =
            ctx.flag(if version >= 2.0 { "fuzzyCompare" } else { "options.fuzzyCompare" }, 0)?;
        let dots = DotNotation::of(ctx)?;
        let skip = split_names(&ctx.text("options.skipFields", 0)?);
        if dots == DotNotation::Literal
            && let Some(field) = skip.iter().find(|field| field.contains('.'))
        {
            let message = format!(
                "Dot notation is disabled, but field to skip comparing '{field}' contains dot"
            );
            return Err(NodeError::parameter("options.skipFields", message));
        }
        Ok(Self {
            version,
            pairs,
            dots,
            equality: Equality::new(fuzzy, version),
            resolve: DifferenceMode::from_name(&ctx.text("resolve", 0)?),
            prefer_input1: ctx.text("preferWhenMix", 0)? == "input1",
            except: super::fields::field_list(ctx, "exceptWhenMix", "For Everything Except", 0)?,
            skip,
            all_matches: ctx.text("options.multipleMatches", 0)? == "all",
        })
    }

    fn index(&self, items: &Items) -> DatasetIndex {
        let values_of = |json: &Value| -> Vec<Value> {
            self.pairs
                .iter()
                .map(|(_, field)| self.dots.get(json, field).cloned().unwrap_or_default())
                .collect()
        };
        if self.equality.is_fuzzy() {
            let entries = usable(items, 1)
                .map(|entry| (entry.origin.item as usize, values_of(&entry.item.json)));
            return DatasetIndex::Fuzzy(FuzzyIndex::new(self.equality, entries.collect()));
        }
        let mut index: HashMap<String, Vec<usize>> = HashMap::new();
        for entry in usable(items, 1) {
            index
                .entry(identity(&values_of(&entry.item.json).into()))
                .or_default()
                .push(entry.origin.item as usize);
        }
        DatasetIndex::ByIdentity(index)
    }

    /// The places in input B that fit an item of input A.
    fn matches(
        &self,
        json: &Value,
        index: &DatasetIndex,
        ticker: &LoopTicker,
    ) -> Result<Vec<usize>, NodeError> {
        let lookup: Option<Vec<Value>> = self
            .pairs
            .iter()
            .map(|(field, _)| {
                self.dots.get(json, field).filter(|value| !value.is_undefined()).cloned()
            })
            .collect();
        let Some(lookup) = lookup else { return Ok(Vec::new()) };
        let most = if self.all_matches { usize::MAX } else { 1 };
        let index = match index {
            DatasetIndex::ByIdentity(index) => {
                let found =
                    index.get(&identity(&lookup.into())).map(Vec::as_slice).unwrap_or_default();
                return Ok(found.iter().copied().take(most).collect());
            }
            DatasetIndex::Fuzzy(index) => index,
        };
        let fits = |values: &[Value]| {
            values.iter().zip(&lookup).all(|(value, wanted)| self.equality.holds(wanted, value))
        };
        let mut found = Vec::new();
        for word in lookup.first().map(|first| self.equality.index_keys(first)).unwrap_or_default()
        {
            let mut left = most;
            for (place, values) in index.entries_with_key(&word) {
                ticker.tick()?;
                if fits(values) {
                    found.push(*place);
                    left -= 1;
                }
                if left == 0 {
                    break;
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found.truncate(most);
        Ok(found)
    }

    fn is_same(&self, one: &Value, two: &Value) -> bool {
        let (mut one, mut two) = (one.clone(), two.clone());
        for field in &self.skip {
            self.dots.remove(&mut one, field);
            self.dots.remove(&mut two, field);
        }
        if !self.equality.is_fuzzy() {
            return one == two;
        }
        let fields = one.as_object().into_iter().flat_map(Object::iter);
        fields.into_iter().all(|(key, value)| {
            self.equality.holds(value, two.get(key).unwrap_or(&Value::Undefined))
        })
    }

    fn different(&self, one: &DatasetEntry, two: &DatasetEntry) -> Result<Item, NodeError> {
        Ok(match self.resolve {
            DifferenceMode::Input1 => one.output(),
            DifferenceMode::Input2 => two.output(),
            DifferenceMode::Mix => {
                let (entry, other) = if self.prefer_input1 { (one, two) } else { (two, one) };
                let mut made = entry.output();
                mix(&mut made.json, &other.item.json, &self.except, self.dots);
                made
            }
            DifferenceMode::Both => {
                let json = describe_differences(self, &one.item.json, &two.item.json)?;
                Item::new(json).with_pairs(vec![one.origin.clone(), two.origin.clone()])
            }
        })
    }
}

fn read_pairs(value: &Value) -> Result<Vec<(Str, Str)>, NodeError> {
    let text = |pair: &Value, key| {
        pair.get(key).filter(|name| !name.is_nullish()).map(Value::to_js_string).unwrap_or_default()
    };
    let pairs: Vec<(Str, Str)> = value
        .as_array()
        .unwrap_or_default()
        .iter()
        .map(|pair| (text(pair, "field1"), text(pair, "field2")))
        .collect();
    if let [(one, two)] = pairs.as_slice()
        && one.is_empty()
        && two.is_empty()
    {
        let message =
            "You need to define at least one pair of fields in \"Fields to Match\" to match on";
        return Err(NodeError::parameter("mergeByFields", message));
    }
    if let Some((at, (one, two))) =
        pairs.iter().enumerate().find(|(_, (one, two))| one.is_empty() || two.is_empty())
    {
        let message = format!(
            "You need to define both fields in \"Fields to Match\" for pair {},\n\t\t\t\t field 1 = '{one}'\n\t\t\t\t field 2 = '{two}'",
            at + 1
        );
        return Err(NodeError::parameter("mergeByFields", message));
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run_version;

    async fn compare(
        version: f64,
        more: Value,
        one: Value,
        two: Value,
    ) -> Result<Vec<Value>, NodeError> {
        let mut params =
            json!({ "mergeByFields": { "values": [{ "field1": "id", "field2": "id" }] } });
        for (key, value) in more.as_object().unwrap().iter() {
            params.make_object().insert(key.clone(), value.clone());
        }
        run_version::<CompareDatasets>(version, params, &[one, two]).await
    }

    #[tokio::test]
    async fn both_versions_are_told_apart() {
        let outputs = compare(
            2.3,
            json!({}),
            json!([{ "id": 1, "a": 0, "s": 1 }]),
            json!([{ "id": 1, "a": 2, "s": 1, "b": "" }]),
        )
        .await
        .unwrap();
        let different = json!([{ "keys": { "id": 1 }, "same": { "id": 1, "s": 1 },
            "different": { "a": { "inputA": 0, "inputB": 2 }, "b": { "inputA": null, "inputB": "" } } }]);
        assert_eq!(outputs, [json!([]), json!([]), different, json!([])]);
    }

    #[tokio::test]
    async fn the_first_version_treated_falsy_values_as_null() {
        let outputs = compare(
            1.0,
            json!({ "resolve": "includeBoth" }),
            json!([{ "id": 1, "a": 0 }]),
            json!([{ "id": 1, "a": 2 }]),
        )
        .await
        .unwrap();
        assert_eq!(
            outputs[2].at(0).unwrap().get_path("different.a"),
            Some(&json!({ "input1": null, "input2": 2 }))
        );
    }

    #[tokio::test]
    async fn skipped_fields_inside_objects_are_shown_apart() {
        let (one, two) = (
            json!([{ "id": 1, "d": { "x": 1, "y": 1 } }]),
            json!([{ "id": 1, "d": { "x": 2, "y": 2 } }]),
        );
        let outputs =
            compare(2.1, json!({ "options": { "skipFields": "d.y" } }), one, two).await.unwrap();
        let item = outputs[2].at(0).unwrap();
        assert_eq!(
            item.get("different"),
            Some(&json!({ "d": { "inputA": { "x": 1 }, "inputB": { "x": 2 } } }))
        );
        assert_eq!(
            item.get("skipped"),
            Some(&json!({ "d": { "inputA": { "y": 1 }, "inputB": { "y": 2 } } }))
        );
    }

    #[tokio::test]
    async fn all_matches_come_out_when_asked_for() {
        let options = json!({ "resolve": "mix", "exceptWhenMix": "v", "options": { "multipleMatches": "all" } });
        let outputs = compare(
            2.0,
            options,
            json!([{ "id": 1, "k": "a" }]),
            json!([{ "id": 1, "v": 1 }, { "id": 1, "v": 2 }, { "id": 9 }]),
        )
        .await
        .unwrap();
        assert_eq!(
            outputs[2],
            json!([{ "id": 1, "k": "a", "v": 1 }, { "id": 1, "k": "a", "v": 2 }])
        );
        assert_eq!(outputs[3], json!([{ "id": 9 }]));
    }

    #[tokio::test]
    async fn a_missing_match_field_is_an_error_before_2_2() {
        let (one, two) = (json!([{ "x": 1 }]), json!([{ "id": 1 }]));
        let error = compare(2.1, json!({}), one.clone(), two.clone()).await.unwrap_err();
        assert_eq!(error.message(), "Field 'id' is not present in any of items in 'Input A'");
        assert_eq!(
            compare(2.2, json!({}), one.clone(), two.clone()).await.unwrap(),
            [one, json!([]), json!([]), two]
        );
    }

    #[tokio::test]
    async fn issue_14_04_fuzzy_matches_of_long_lists_are_looked_up() {
        let list = |offset: usize| {
            Value::array((0..20_000).map(|number| json!({ "id": number + offset })).collect())
        };
        let texts =
            Value::array((0..20_000).map(|number| json!({ "id": number.to_string() })).collect());
        let began = compute::cpu_used();
        let outputs =
            compare(2.3, json!({ "fuzzyCompare": true }), list(10_000), texts).await.unwrap();
        let counts: Vec<usize> =
            outputs.iter().map(|list| list.as_array().unwrap().len()).collect();
        assert_eq!(counts, [10_000, 10_000, 0, 10_000]);
        assert!(compute::cpu_used() - began < std::time::Duration::from_secs(10));
    }

    #[tokio::test]
    async fn pairs_need_both_fields() {
        let params = json!({ "mergeByFields": { "values": [{ "field1": "id", "field2": "" }] } });
        let error =
            run_version::<CompareDatasets>(2.3, params, &[json!([]), json!([])]).await.unwrap_err();
        assert!(
            error
                .message()
                .starts_with("You need to define both fields in \"Fields to Match\" for pair 1,")
        );
    }
}
