//! Joins two inputs where fields have the same value, like a database does.

use super::clash::{Clash, join_files, with_suffix};
use super::pairs_of;
use node_api::prelude::*;
use std::collections::{HashMap, HashSet};

/// Fields that must be equal for two items to match.
pub(super) struct FieldPair {
    pub(super) first: Str,
    pub(super) second: Str,
}

pub(super) struct JoinOptions {
    pub(super) mode: Str,
    pub(super) output_from: Str,
    pub(super) clash: Clash,
    pub(super) fuzzy: bool,
    pub(super) plain_names: bool,
    pub(super) first_match_only: bool,
}

impl JoinOptions {
    pub(super) fn read(ctx: &Ctx<'_>) -> Result<Self, NodeError> {
        let or = |path: &str, fallback: &str| -> Result<Str, NodeError> {
            Ok(Some(ctx.text(path, 0)?).filter(|text| !text.is_empty()).unwrap_or_else(|| fallback.into()))
        };
        Ok(Self {
            mode: or("joinMode", "keepMatches")?,
            output_from: or("outputDataFrom", "both")?,
            clash: Clash::read(ctx)?,
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
    check_pairs(pairs.map(|pair| FieldPair { first: text(pair, "field1"), second: text(pair, "field2") }).collect())
}

pub(super) fn check_pairs(pairs: Vec<FieldPair>) -> Result<Vec<FieldPair>, NodeError> {
    if let [pair] = pairs.as_slice()
        && pair.first.is_empty()
        && pair.second.is_empty()
    {
        let message = "You need to define at least one pair of fields in \"Fields to Match\" to match on";
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
pub(super) fn check_fields(items: &[Item], fields: &[&Str], options: &JoinOptions, label: &str) -> Result<(), NodeError> {
    for field in fields {
        if !items.iter().any(|item| options.value(item, field).is_some()) {
            return Err(NodeError::input(format!("Field '{field}' is not present in any of items in '{label}'")));
        }
    }
    Ok(())
}

/// The joined items.
pub(super) fn join(first: Vec<Item>, second: Vec<Item>, pairs: &[FieldPair], options: &JoinOptions) -> Vec<Item> {
    let (mode, from) = (options.mode.as_str(), options.output_from.as_str());
    if first.is_empty() || second.is_empty() {
        let nothing = match mode {
            "keepMatches" => true,
            "enrichInput1" => first.is_empty(),
            "enrichInput2" => second.is_empty(),
            "keepNonMatches" => (first.is_empty() && from == "input1") || (second.is_empty() && from == "input2"),
            _ => false,
        };
        return if nothing { Vec::new() } else { first.into_iter().chain(second).collect() };
    }
    if pairs.is_empty() {
        return if matches!(mode, "keepMatches" | "keepEverything" | "enrichInput2") { Vec::new() } else { first };
    }
    let Matches { matched, unmatched_first, matched_second, unmatched_second } = find_matches(&first, &second, pairs, options);
    let pick = |list: &[Item], indexes: &[usize]| indexes.iter().filter_map(|index| list.get(*index).cloned()).collect::<Vec<_>>();
    let suffixed = |items: Vec<Item>, number: usize| match options.clash.is("addSuffix") {
        true => items.into_iter().map(|item| with_suffix(item, number)).collect(),
        false => items,
    };
    let merged = || {
        let pairs = matched.iter().flat_map(|(one, others)| others.iter().map(move |other| (one, other)));
        pairs.filter_map(|(one, other)| Some(merge(first.get(*one)?, second.get(*other)?, options, mode))).collect::<Vec<_>>()
    };
    match mode {
        "keepNonMatches" => {
            let (one, two) = (pick(&first, &unmatched_first), pick(&second, &unmatched_second));
            match from {
                "input1" => one,
                "input2" => two,
                _ => one
                    .into_iter()
                    .map(|item| with_source(item, "input1"))
                    .chain(two.into_iter().map(|item| with_source(item, "input2")))
                    .collect(),
            }
        }
        "enrichInput1" => merged().into_iter().chain(suffixed(pick(&first, &unmatched_first), 1)).collect(),
        "enrichInput2" => merged().into_iter().chain(suffixed(pick(&second, &unmatched_second), 2)).collect(),
        _ => {
            let mut output = match from {
                "input1" => matched.iter().filter_map(|(one, _)| first.get(*one).cloned()).collect(),
                "input2" => pick(&second, &matched_second),
                _ => merged(),
            };
            if mode == "keepEverything" {
                output.extend(suffixed(pick(&first, &unmatched_first), 1));
                output.extend(suffixed(pick(&second, &unmatched_second), 2));
            }
            output
        }
    }
}

struct Matches {
    /// Items of the first input with the items of the second that fit them.
    matched: Vec<(usize, Vec<usize>)>,
    unmatched_first: Vec<usize>,
    matched_second: Vec<usize>,
    unmatched_second: Vec<usize>,
}

fn find_matches(first: &[Item], second: &[Item], pairs: &[FieldPair], options: &JoinOptions) -> Matches {
    let keys: Vec<Vec<String>> =
        second.iter().map(|item| pairs.iter().map(|pair| key(options.value(item, &pair.second))).collect()).collect();
    let mut by_first_field: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, keys) in keys.iter().enumerate() {
        by_first_field.entry(keys.first().map_or("", String::as_str)).or_default().push(index);
    }
    let (mut matched, mut unmatched_first, mut used) = (Vec::new(), Vec::new(), HashSet::new());
    for (index, item) in first.iter().enumerate() {
        let values: Option<Vec<&Value>> = pairs.iter().map(|pair| options.value(item, &pair.first)).collect();
        let mut found: Vec<usize> = Vec::new();
        if let Some(values) = values {
            let wanted: Vec<Vec<String>> = values.into_iter().map(|value| equal_keys(value, options.fuzzy)).collect();
            let candidates = wanted.first().into_iter().flatten().filter_map(|key| by_first_field.get(key.as_str())).flatten();
            found.extend(candidates.copied().filter(|index| {
                let keys = keys.get(*index).map_or(&[] as &[String], Vec::as_slice);
                keys.iter().zip(&wanted).skip(1).all(|(key, wanted)| wanted.contains(key))
            }));
            found.sort_unstable();
            found.dedup();
            if options.first_match_only {
                found.truncate(1);
            }
        }
        if found.is_empty() {
            unmatched_first.push(index);
        } else {
            used.extend(found.iter().copied());
            matched.push((index, found));
        }
    }
    let (matched_second, unmatched_second) = (0..second.len()).partition(|index| used.contains(index));
    Matches { matched, unmatched_first, matched_second, unmatched_second }
}

const MISSING: &str = "missing";

/// A text that is the same for equal values and no others.
fn key(value: Option<&Value>) -> String {
    match value {
        None => MISSING.into(),
        // Zero and minus zero are one number.
        Some(Value::Number(number)) => model::number_to_string(*number + 0.0),
        Some(value @ (Value::Object(_) | Value::Array(_))) => model::json::to_string(&sorted(value)),
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
            let spellings = if *flag { ["1", "true", "True", "TRUE"] } else { ["0", "false", "False", "FALSE"] };
            spellings.into_iter().for_each(|text| add(text.into()));
        }
        Value::Object(_) => add(model::json::to_string(value).into()),
        Value::Array(values) if !values.is_empty() => add(model::json::to_string(value).into()),
        _ => {}
    }
    let is_empty = value.is_null() || value.as_str() == Some("") || value.as_array().is_some_and(<[Value]>::is_empty);
    if is_empty {
        keys = [Value::Null, "".into(), Value::array(Vec::new())].iter().map(|value| key(Some(value))).collect();
        keys.push(MISSING.into());
    }
    keys
}

/// The value with the keys of its objects in order, so that equal objects are spelled alike.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut fields: Vec<(Str, Value)> = object.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            fields.sort_by(|one, two| one.0.cmp(&two.0));
            Value::object(fields.into_iter().collect())
        }
        Value::Array(values) => Value::array(values.iter().map(sorted).collect()),
        value => value.clone(),
    }
}

fn merge(one: &Item, two: &Item, options: &JoinOptions, mode: &str) -> Item {
    let clash = &options.clash;
    let prefers_first = clash.is("preferInput1") || (clash.resolve.is_none() && mode == "enrichInput2");
    if clash.is("addSuffix") {
        let (one, two) = (with_suffix(one.clone(), 1), with_suffix(two.clone(), 2));
        return merged(&one, &two, clash);
    }
    if prefers_first { merged(two, one, clash) } else { merged(one, two, clash) }
}

/// Both items in one; the second wins.
pub(super) fn merged(one: &Item, two: &Item, clash: &Clash) -> Item {
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
        let clash = Clash::default();
        JoinOptions { mode: mode.into(), output_from: "both".into(), clash, fuzzy, plain_names: false, first_match_only: false }
    }

    fn joined(first: Value, second: Value, options: &JoinOptions) -> Value {
        let items = |list: &Value| node_api::testing::items(list).to_vec();
        let pairs = [FieldPair { first: "id".into(), second: "key".into() }];
        Value::array(join(items(&first), items(&second), &pairs, options).into_iter().map(|item| item.json).collect())
    }

    #[test]
    fn each_way_to_join_keeps_its_part() {
        let (one, two) = (json!([{ "id": 1, "a": 1 }, { "id": 2, "a": 2 }]), json!([{ "key": 1, "b": 1 }, { "key": 3, "b": 3 }]));
        let run = |mode: &str| joined(one.clone(), two.clone(), &options(mode, false));
        let both = json!({ "id": 1, "a": 1, "key": 1, "b": 1 });
        assert_eq!(run("keepMatches"), json!([both]));
        assert_eq!(run("enrichInput1"), json!([both, { "id": 2, "a": 2 }]));
        assert_eq!(run("enrichInput2"), json!([both, { "key": 3, "b": 3 }]));
        assert_eq!(run("keepEverything"), json!([both, { "id": 2, "a": 2 }, { "key": 3, "b": 3 }]));
        assert_eq!(run("keepNonMatches"), json!([{ "id": 2, "a": 2, "_source": "input1" }, { "key": 3, "b": 3, "_source": "input2" }]));
    }

    #[test]
    fn loosely_compared_values_match_across_types() {
        let run = |id: Value, key: Value, fuzzy: bool| {
            let found = joined(json!([{ "id": id }]), json!([{ "key": key }]), &options("keepMatches", fuzzy));
            found.as_array().unwrap().len() == 1
        };
        assert!(!run(json!(1), json!("1"), false) && run(json!(1), json!("1"), true));
        assert!(run(json!("true"), json!(true), true) && run(json!(false), json!(0), true));
        assert!(run(json!(""), Value::Null, true) && !run(json!("a"), json!("A"), true));
        assert!(run(json!({ "x": 1, "y": 2 }), json!({ "y": 2, "x": 1 }), false));
    }
}
