//! Remembers values between executions, to let each of them through only once.

use crate::data::fields::in_object_order;
use crate::field_type::to_number;
use formats::dates::parse_js_date;
use node_api::host::StaticScope;
use node_api::prelude::*;
use std::collections::{HashMap, HashSet};

pub(super) const SEEN: &str = "removeItemsWithAlreadySeenKeyValues";
pub(super) const INCREMENT: &str = "removeItemsUpToStoredIncrementalKey";
pub(super) const DATE: &str = "removeItemsUpToStoredDate";

/// Where in the static data the history lies; the name keeps clear of what workflows store
/// themselves.
const KEY: &str = "__deduplication";

/// Lets new values through on the first output and sends known ones to the second.
pub(super) fn remove_seen(ctx: &Ctx<'_>, items: &Items) -> Result<Outputs, NodeError> {
    let logic = ctx.text("logic", 0)?;
    let (mode, param) = match logic.as_str() {
        SEEN => ("entries", "dedupeField"),
        INCREMENT => ("latestIncrementalKey", "incrementalDedupeField"),
        DATE | "RemoveItemsUpToStoredDate" => ("latestDate", "dateDedupeField"),
        _ => return Ok(vec![items.clone()]),
    };
    let scope = scope(ctx)?;
    let mut places: HashMap<Str, usize> = HashMap::new();
    let mut groups: Vec<(Str, Vec<(usize, Item)>)> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let key = key_of(&ctx.param(param, index)?, mode).map_err(|error| error.on_item(index))?;
        let place = *places.entry(key.clone()).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push((index, item));
    }

    let mut store = SeenValues::open(ctx, scope, mode)?;
    let is_new: HashSet<Str> = if mode == "entries" {
        let most = match ctx.param("options.historySize", 0)? {
            Value::Undefined => 10_000.0,
            given => to_number(&given),
        };
        if (store.values.len() + items.len()) as f64 > most {
            return Err(NodeError::failed(
                "The number of items to be processed exceeds the maximum history size. Please increase the history size or reduce the number of items to be processed.",
            ));
        }
        let known: HashSet<Str> = store.values.iter().cloned().collect();
        let new: Vec<Str> =
            groups.iter().map(|(key, _)| key.clone()).filter(|key| !known.contains(key)).collect();
        store.values.extend(new.iter().cloned());
        new.into_iter().collect()
    } else {
        let rank = |key: &Str| {
            if mode == "latestDate" {
                parse_js_date(key).unwrap_or(f64::NAN)
            } else {
                to_number(&Value::String(key.clone()))
            }
        };
        let latest = store.values.first().map(rank);
        let new: Vec<Str> = groups
            .iter()
            .map(|(key, _)| key.clone())
            .filter(|key| latest.is_none_or(|latest| rank(key) > latest))
            .collect();
        if let Some(highest) = new.iter().max_by(|one, two| rank(one).total_cmp(&rank(two))) {
            store.values = vec![highest.clone()];
        }
        new.into_iter().collect()
    };
    store.close(ctx);

    let (mut kept, mut discarded) = (ctx.builder(), ctx.builder());
    for (key, members) in in_object_order(groups) {
        let output = if is_new.contains(&key) { &mut kept } else { &mut discarded };
        output.extend(members.into_iter().map(|(index, item)| item.paired_with(index)));
    }
    Ok(vec![kept.finish(), discarded.finish()])
}

/// Forgets everything.
pub(super) fn clear(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
    if ctx.text("mode", 0)? == "cleanDatabase" {
        let scope = scope(ctx)?;
        let mut data = ctx.host().static_data(scope);
        if data.get(KEY).is_some() {
            data.make_object().remove(KEY);
            ctx.host().set_static_data(scope, data);
        }
    }
    Ok(vec![items])
}

fn scope(ctx: &Ctx<'_>) -> Result<StaticScope, NodeError> {
    match ctx.text("options.scope", 0)?.as_str() {
        "" | "node" => Ok(StaticScope::Node),
        "workflow" => Ok(StaticScope::Workflow),
        other => {
            let message = format!(
                "The scope '{other}' is not supported. Please select either \"node\" or \"workflow\"."
            );
            Err(NodeError::parameter("options.scope", message))
        }
    }
}

/// The value of an item in the form in which it is remembered.
fn key_of(value: &Value, mode: &str) -> Result<Str, NodeError> {
    let text = if value.is_nullish() { Str::new() } else { value.to_js_string() };
    match mode {
        "latestIncrementalKey" => {
            let number = to_number(value);
            if number.is_nan() {
                return Err(NodeError::parameter(
                    "incrementalDedupeField",
                    format!("The value '{text}' is not a number. Please provide a number."),
                ));
            }
            Ok(model::number_to_string(number).into())
        }
        "latestDate" if parse_js_date(&text).is_none() => Err(NodeError::parameter(
            "dateDedupeField",
            format!("The value '{text}' is not a valid date. Please provide a valid date."),
        )),
        _ => Ok(text),
    }
}

struct SeenValues {
    scope: StaticScope,
    mode: &'static str,
    values: Vec<Str>,
}

impl SeenValues {
    fn open(ctx: &Ctx<'_>, scope: StaticScope, mode: &'static str) -> Result<Self, NodeError> {
        let data = ctx.host().static_data(scope);
        let Some(history) = data.get(KEY) else {
            return Ok(Self { scope, mode, values: Vec::new() });
        };
        if history.get("mode").and_then(Value::as_str) != Some(mode) {
            return Err(NodeError::failed(
                "Deduplication data was originally saved with an incompatible setting of the ‘Keep Items Where’ parameter. Try ’Clean Database’ operation to reset.",
            ));
        }
        let values = history.get("values").and_then(Value::as_array).unwrap_or_default();
        Ok(Self {
            scope,
            mode,
            values: values.iter().filter_map(Value::as_str).map(Str::from).collect(),
        })
    }

    fn close(self, ctx: &Ctx<'_>) {
        let mut history = Object::new();
        history.insert("mode", self.mode);
        history.insert("values", self.values.into_iter().map(Value::from).collect::<Vec<_>>());
        let mut data = ctx.host().static_data(self.scope);
        data.make_object().insert(KEY, history);
        ctx.host().set_static_data(self.scope, data);
    }
}

#[cfg(test)]
mod tests {
    use super::super::RemoveDuplicates;
    use super::*;
    use model::OnError;
    use node_testing::{TestHost, items, run_on, to_json};

    /// Every item gets the same value, because the test host knows no expressions.
    async fn pass(host: &TestHost) -> Result<usize, NodeError> {
        let outputs =
            run_on::<RemoveDuplicates>(host, 2.0, vec![items(&json!([{ "n": 1 }]))], OnError::Stop)
                .await?;
        Ok(to_json(&outputs[0]).as_array().unwrap().len())
    }

    fn host(params: Value) -> TestHost {
        TestHost::new(&RemoveDuplicates::spec(), 2.0, &params)
    }

    #[tokio::test]
    async fn a_value_passes_once_until_the_history_is_cleared() {
        let seen =
            host(json!({ "operation": "removeItemsSeenInPreviousExecutions", "dedupeField": "a" }));
        assert_eq!(pass(&seen).await.unwrap(), 1);
        assert_eq!(pass(&seen).await.unwrap(), 0);
        let data = node_api::host::Host::static_data(&seen, StaticScope::Node);
        assert_eq!(data.get_path("__deduplication.values"), Some(&json!(["a"])));
        let cleaner = host(json!({ "operation": "clearDeduplicationHistory" }));
        node_api::host::Host::set_static_data(&cleaner, StaticScope::Node, data);
        pass(&cleaner).await.unwrap();
        assert_eq!(node_api::host::Host::static_data(&cleaner, StaticScope::Node), json!({}));
    }

    #[tokio::test]
    async fn only_growing_values_pass_in_incremental_mode() {
        let params = |value: &str| json!({ "operation": "removeItemsSeenInPreviousExecutions", "logic": INCREMENT, "incrementalDedupeField": value });
        let first = host(params("10"));
        assert_eq!(pass(&first).await.unwrap(), 1);
        let second = host(params("9"));
        node_api::host::Host::set_static_data(
            &second,
            StaticScope::Node,
            node_api::host::Host::static_data(&first, StaticScope::Node),
        );
        assert_eq!(pass(&second).await.unwrap(), 0);
        assert!(pass(&host(params("x"))).await.unwrap_err().message().contains("is not a number"));
    }

    #[tokio::test]
    async fn the_history_has_a_largest_size() {
        let full = host(
            json!({ "operation": "removeItemsSeenInPreviousExecutions", "dedupeField": "a", "options": { "historySize": 0 } }),
        );
        assert!(
            pass(&full)
                .await
                .unwrap_err()
                .message()
                .starts_with("The number of items to be processed exceeds")
        );
    }
}
