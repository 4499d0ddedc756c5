//! Joins two inputs where fields have the same value, like a database does.

use super::conflicts::{ConflictRules, join_files, with_suffix};
use super::pairs_of;
use crate::data::item_index::{items_at, items_in_order, window};
use formats::ticker::{LoopTicker, tick};
use node_api::prelude::*;
use std::collections::HashMap;

/// Fields that must be equal for two items to match.
pub(super) struct FieldPair {
    pub(super) first: Str,
    pub(super) second: Str,
}

pub(super) struct JoinOptions {
    pub(super) mode: Str,
    pub(super) output_from: Str,
    pub(super) clash: ConflictRules,
    pub(super) fuzzy: bool,
    pub(super) plain_names: bool,
    pub(super) first_match_only: bool,
}

impl JoinOptions {
    pub(super) fn read(ctx: &Ctx<'_>) -> Result<Self, NodeError> {
        let or = |path: &str, fallback: &str| -> Result<Str, NodeError> {
            Ok(Some(ctx.text(path, 0)?)
                .filter(|text| !text.is_empty())
                .unwrap_or_else(|| fallback.into()))
        };
        Ok(Self {
            mode: or("joinMode", "keepMatches")?,
            output_from: or("outputDataFrom", "both")?,
            clash: ConflictRules::read(ctx)?,
            fuzzy: ctx.flag("options.fuzzyCompare", 0)?,
            plain_names: ctx.flag("options.disableDotNotation", 0)?,
            first_match_only: ctx.text("options.multipleMatches", 0)? == "first",
        })
    }

    fn value<'i>(&self, item: &'i Item, field: &str) -> Option<&'i Value> {
        let value = if self.plain_names { item.json.get(field) } else { item.json.get_path(field) };
        value.filter(|value| !value.is_undefined())
    }
}

/// The pairs of fields of the parameter `mergeByFields`.
pub(super) fn field_pairs(ctx: &Ctx<'_>) -> Result<Vec<FieldPair>, NodeError> {
    let values = ctx.param("mergeByFields.values", 0)?;
    let text = |pair: &Value, key: &str| pair.get(key).map(Value::to_js_string).unwrap_or_default();
    let pairs = values.as_array().unwrap_or_default().iter();
    check_pairs(
        pairs
            .map(|pair| FieldPair { first: text(pair, "field1"), second: text(pair, "field2") })
            .collect(),
    )
}

pub(super) fn check_pairs(pairs: Vec<FieldPair>) -> Result<Vec<FieldPair>, NodeError> {
    if let [pair] = pairs.as_slice()
        && pair.first.is_empty()
        && pair.second.is_empty()
    {
        let message =
            "You need to define at least one pair of fields in \"Fields to Match\" to match on";
        return Err(NodeError::parameter("mergeByFields", message));
    }
    for (index, pair) in pairs.iter().enumerate() {
        if pair.first.is_empty() || pair.second.is_empty() {
            let message = format!(
                "You need to define both fields in \"Fields to Match\" for pair {}, field 1 = '{}' field 2 = '{}'",
                index + 1,
                pair.first,
                pair.second
            );
            return Err(NodeError::parameter("mergeByFields", message));
        }
    }
    Ok(pairs)
}

/// Versions before 2.1 insist that each field occurs at all.
pub(super) fn check_fields(
    items: &Items,
    fields: &[&Str],
    options: &JoinOptions,
    label: &str,
) -> Result<(), NodeError> {
    for field in fields {
        if !items.iter().any(|item| options.value(&item, field).is_some()) {
            return Err(NodeError::input(format!(
                "Field '{field}' is not present in any of items in '{label}'"
            )));
        }
    }
    Ok(())
}

/// Puts out the joined items. Of either input no more is held than the values that are matched and
/// a window of items.
pub(super) fn join(
    first: &Items,
    second: &Items,
    pairs: &[FieldPair],
    options: &JoinOptions,
    output: &mut ItemsBuilder,
) -> Result<(), NodeError> {
    let (mode, from) = (options.mode.as_str(), options.output_from.as_str());
    if first.is_empty() || second.is_empty() {
        let nothing = match mode {
            "keepMatches" => true,
            "enrichInput1" => first.is_empty(),
            "enrichInput2" => second.is_empty(),
            "keepNonMatches" => {
                (first.is_empty() && from == "input1") || (second.is_empty() && from == "input2")
            }
            _ => false,
        };
        if !nothing {
            output.extend(first.iter().chain(second.iter()));
        }
        return Ok(());
    }
    if pairs.is_empty() {
        if !matches!(mode, "keepMatches" | "keepEverything" | "enrichInput2") {
            output.extend(first.iter());
        }
        return Ok(());
    }
    let JoinMatches { matched, unmatched_first, matched_second, unmatched_second } =
        find_matches(first, second, pairs, options)?;
    let suffixed = |item: Item, number: usize| {
        if options.clash.is("addSuffix") { with_suffix(item, number) } else { item }
    };
    let rest_of_first = || items_in_order(first, &unmatched_first).map(|item| suffixed(item, 1));
    let rest_of_second = || items_in_order(second, &unmatched_second).map(|item| suffixed(item, 2));
    match mode {
        "keepNonMatches" => match from {
            "input1" => output.extend(items_in_order(first, &unmatched_first)),
            "input2" => output.extend(items_in_order(second, &unmatched_second)),
            _ => {
                output.extend(
                    items_in_order(first, &unmatched_first).map(|item| with_source(item, "input1")),
                );
                output.extend(
                    items_in_order(second, &unmatched_second)
                        .map(|item| with_source(item, "input2")),
                );
            }
        },
        "enrichInput1" => {
            push_merged(first, second, &matched, options, output);
            output.extend(rest_of_first());
        }
        "enrichInput2" => {
            push_merged(first, second, &matched, options, output);
            output.extend(rest_of_second());
        }
        _ => {
            match from {
                "input1" => output.extend(items_in_order(
                    first,
                    &matched.iter().map(|(one, _)| *one).collect::<Vec<_>>(),
                )),
                "input2" => output.extend(items_in_order(second, &matched_second)),
                _ => push_merged(first, second, &matched, options, output),
            }
            if mode == "keepEverything" {
                output.extend(rest_of_first());
                output.extend(rest_of_second());
            }
        }
    }
    tick()
}

fn push_merged(
    first: &Items,
    second: &Items,
    matched: &[(usize, Vec<usize>)],
    options: &JoinOptions,
    output: &mut ItemsBuilder,
) {
    let mut pairs =
        matched.iter().flat_map(|(one, others)| others.iter().map(|other| (*one, *other)));
    let most = window(first).min(window(second));
    loop {
        let batch: Vec<(usize, usize)> = pairs.by_ref().take(most).collect();
        // Whoever called looks whether the time is over.
        if batch.is_empty() || output.is_failed() || tick().is_err() {
            return;
        }
        let ones = items_at(first, batch.iter().map(|(one, _)| *one));
        let others = items_at(second, batch.iter().map(|(_, other)| *other));
        output.extend(batch.iter().filter_map(|(one, other)| {
            Some(merge(ones.get(one)?, others.get(other)?, options, &options.mode))
        }));
    }
}

/// All of them are held before the first is put out.
const MAX_PAIRS: usize = 10_000_000;

struct JoinMatches {
    /// Items of the first input with the items of the second that fit them.
    matched: Vec<(usize, Vec<usize>)>,
    unmatched_first: Vec<usize>,
    matched_second: Vec<usize>,
    unmatched_second: Vec<usize>,
}

fn find_matches(
    first: &Items,
    second: &Items,
    pairs: &[FieldPair],
    options: &JoinOptions,
) -> Result<JoinMatches, NodeError> {
    let mut by_first_field: HashMap<String, Vec<usize>> = HashMap::new();
    let mut other_keys: Vec<Vec<String>> = Vec::with_capacity(second.len());
    for (index, item) in second.iter().enumerate() {
        let mut keys = pairs.iter().map(|pair| key(options.value(&item, &pair.second)));
        by_first_field.entry(keys.next().unwrap_or_default()).or_default().push(index);
        other_keys.push(keys.collect());
    }
    let (mut matched, mut unmatched_first, mut used) =
        (Vec::new(), Vec::new(), vec![false; second.len()]);
    let (ticker, mut n_pairs) = (LoopTicker::default(), 0_usize);
    for (index, item) in first.iter().enumerate() {
        let values: Option<Vec<&Value>> =
            pairs.iter().map(|pair| options.value(&item, &pair.first)).collect();
        let mut found: Vec<usize> = Vec::new();
        if let Some(values) = values {
            let wanted: Vec<Vec<String>> =
                values.into_iter().map(|value| equal_keys(value, options.fuzzy)).collect();
            for candidates in
                wanted.first().into_iter().flatten().filter_map(|key| by_first_field.get(key))
            {
                for candidate in candidates {
                    ticker.tick()?;
                    let keys = other_keys.get(*candidate).map_or(&[] as &[String], Vec::as_slice);
                    if keys
                        .iter()
                        .zip(wanted.iter().skip(1))
                        .all(|(key, wanted)| wanted.contains(key))
                    {
                        found.push(*candidate);
                        if options.first_match_only {
                            break;
                        }
                    }
                }
            }
            found.sort_unstable();
            found.dedup();
            if options.first_match_only {
                found.truncate(1);
            }
        }
        if found.is_empty() {
            unmatched_first.push(index);
        } else {
            n_pairs += found.len();
            if n_pairs > MAX_PAIRS {
                return Err(NodeError::input(format!(
                    "The inputs exceed the limit of {MAX_PAIRS} matching pairs of items"
                ))
                .hint("Match by a field with unique values, or keep only the first match."));
            }
            for other in &found {
                used[*other] = true;
            }
            matched.push((index, found));
        }
    }
    let (matched_second, unmatched_second) = (0..second.len()).partition(|index| used[*index]);
    Ok(JoinMatches { matched, unmatched_first, matched_second, unmatched_second })
}

const MISSING: &str = "missing";

/// A text that is the same for equal values and no others.
fn key(value: Option<&Value>) -> String {
    match value {
        None => MISSING.into(),
        // Zero and minus zero are one number.
        Some(Value::Number(number)) => model::number_to_string(*number + 0.0),
        Some(value @ (Value::Object(_) | Value::Array(_))) => {
            model::json::to_string(&sorted(value))
        }
        Some(value) => model::json::to_string(value),
    }
}

/// The keys of all values that count as equal to one: itself, and loosely also its other spellings.
fn equal_keys(value: &Value, fuzzy: bool) -> Vec<String> {
    let mut keys = vec![key(Some(value))];
    if !fuzzy {
        return keys;
    }
    let mut add = |value: Value| keys.push(key(Some(&value)));
    match value {
        Value::Null => {}
        Value::String(text) if !text.is_empty() => {
            if let Ok(number) = text.parse::<f64>()
                && model::number_to_string(number) == *text
            {
                add(Value::Number(number));
            }
            match text.to_lowercase().as_str() {
                "true" | "1" => add(Value::Bool(true)),
                "false" | "0" => add(Value::Bool(false)),
                _ => {}
            }
            if let Ok(read @ (Value::Object(_) | Value::Array(_))) = model::json::parse(text) {
                add(read);
            }
        }
        Value::Number(number) => {
            add(Value::from(model::number_to_string(*number)));
            if *number == 0.0 || *number == 1.0 {
                add(Value::Bool(*number == 1.0));
            }
        }
        Value::Bool(flag) => {
            add(Value::from(u8::from(*flag)));
            let spellings = if *flag {
                ["1", "true", "True", "TRUE"]
            } else {
                ["0", "false", "False", "FALSE"]
            };
            spellings.into_iter().for_each(|text| add(text.into()));
        }
        Value::Object(_) => add(model::json::to_string(value).into()),
        Value::Array(values) if !values.is_empty() => add(model::json::to_string(value).into()),
        _ => {}
    }
    let is_empty = value.is_null()
        || value.as_str() == Some("")
        || value.as_array().is_some_and(<[Value]>::is_empty);
    if is_empty {
        keys = [Value::Null, "".into(), Value::array(Vec::new())]
            .iter()
            .map(|value| key(Some(value)))
            .collect();
        keys.push(MISSING.into());
    }
    keys
}

/// The value with the keys of its objects in order, so that equal objects are spelled alike.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut fields: Vec<(Str, Value)> =
                object.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            fields.sort_by(|one, two| one.0.cmp(&two.0));
            Value::object(fields.into_iter().collect())
        }
        Value::Array(values) => Value::array(values.iter().map(sorted).collect()),
        value => value.clone(),
    }
}

fn merge(one: &Item, two: &Item, options: &JoinOptions, mode: &str) -> Item {
    let clash = &options.clash;
    let prefers_first =
        clash.is("preferInput1") || (clash.resolve.is_none() && mode == "enrichInput2");
    if clash.is("addSuffix") {
        let (one, two) = (with_suffix(one.clone(), 1), with_suffix(two.clone(), 2));
        return merge_items(&one, &two, clash);
    }
    if prefers_first { merge_items(two, one, clash) } else { merge_items(one, two, clash) }
}

/// Both items in one; the second wins.
pub(super) fn merge_items(one: &Item, two: &Item, clash: &ConflictRules) -> Item {
    let mut item = Item::new(clash.join([&one.json, &two.json])).with_pairs(pairs_of([one, two]));
    join_files(&mut item, [one, two]);
    item
}

fn with_source(mut item: Item, source: &str) -> Item {
    item.json.make_object().insert("_source", source);
    item
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(mode: &str, fuzzy: bool) -> JoinOptions {
        let clash = ConflictRules::default();
        JoinOptions {
            mode: mode.into(),
            output_from: "both".into(),
            clash,
            fuzzy,
            plain_names: false,
            first_match_only: false,
        }
    }

    fn joined(first: Value, second: Value, options: &JoinOptions) -> Value {
        let pairs = [FieldPair { first: "id".into(), second: "key".into() }];
        let mut output = ItemsBuilder::new(None);
        join(
            &node_testing::items(&first),
            &node_testing::items(&second),
            &pairs,
            options,
            &mut output,
        )
        .unwrap();
        node_testing::to_json(&output.finish())
    }

    #[test]
    fn each_way_to_join_keeps_its_part() {
        let (one, two) = (
            json!([{ "id": 1, "a": 1 }, { "id": 2, "a": 2 }]),
            json!([{ "key": 1, "b": 1 }, { "key": 3, "b": 3 }]),
        );
        let run = |mode: &str| joined(one.clone(), two.clone(), &options(mode, false));
        let both = json!({ "id": 1, "a": 1, "key": 1, "b": 1 });
        assert_eq!(run("keepMatches"), json!([both]));
        assert_eq!(run("enrichInput1"), json!([both, { "id": 2, "a": 2 }]));
        assert_eq!(run("enrichInput2"), json!([both, { "key": 3, "b": 3 }]));
        assert_eq!(run("keepEverything"), json!([both, { "id": 2, "a": 2 }, { "key": 3, "b": 3 }]));
        assert_eq!(
            run("keepNonMatches"),
            json!([{ "id": 2, "a": 2, "_source": "input1" }, { "key": 3, "b": 3, "_source": "input2" }])
        );
    }

    #[test]
    fn more_pairs_than_a_window_holds_come_out_in_order() {
        let large: Str = "x".repeat(1 << 20).into();
        let list = |key: &str, numbers: &mut dyn Iterator<Item = usize>| {
            let fields = numbers.map(|number| {
                Object::from_iter([(key, Value::from(number)), ("text", large.clone().into())])
            });
            Value::array(fields.map(Value::object).collect())
        };
        let made = joined(
            list("id", &mut (0..3000)),
            list("key", &mut (0..3000).rev()),
            &options("keepMatches", false),
        );
        let made = made.as_array().unwrap();
        assert_eq!(made.len(), 3000);
        assert!(made.iter().enumerate().all(|(place, item)| item.get("id") == item.get("key")
            && item.get("id") == Some(&place.into())));
    }

    #[test]
    fn loosely_compared_values_match_across_types() {
        let run = |id: Value, key: Value, fuzzy: bool| {
            let found = joined(
                json!([{ "id": id }]),
                json!([{ "key": key }]),
                &options("keepMatches", fuzzy),
            );
            found.as_array().unwrap().len() == 1
        };
        assert!(!run(json!(1), json!("1"), false) && run(json!(1), json!("1"), true));
        assert!(run(json!("true"), json!(true), true) && run(json!(false), json!(0), true));
        assert!(run(json!(""), Value::Null, true) && !run(json!("a"), json!("A"), true));
        assert!(run(json!({ "x": 1, "y": 2 }), json!({ "y": 2, "x": 1 }), false));
    }
}
