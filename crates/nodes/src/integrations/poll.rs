//! Triggers that look for news at set times.

use crate::triggers::cron::time_params;
use crate::triggers::schedule::rules_of_node;
use node_api::prelude::*;
use node_api::trigger::{TriggerListener, TriggerSetup};
use std::sync::Arc;

/// The times at which a trigger looks.
pub(super) fn times_param() -> Param {
    Param::repeated("pollTimes", "Poll times", [FieldGroup::new("item", "Time", time_params())])
        .preset(json!({ "item": [{ "mode": "everyMinute" }] }))
        .help("When to poll for new items.")
}

/// What a trigger with poll times listens to.
pub(super) fn poll_listeners(setup: &TriggerSetup<'_>) -> Result<Vec<TriggerListener>, NodeError> {
    let times = setup.params.get("pollTimes").filter(|times| times.get("item").is_some()).cloned();
    let times = times.unwrap_or_else(|| json!({ "item": [{ "mode": "everyMinute" }] }));
    let parameters = Object::from_iter([("triggerTimes", times)]);
    let identity = format!("{}/{}", setup.workflow_id, setup.node.id);
    // Poll times are written as the times of the Cron node are.
    match rules_of_node("n8n-nodes-base.cron", &parameters, &identity) {
        Some(Ok(rules)) => {
            Ok(rules.into_iter().map(|rule| TriggerListener::Poll(Arc::new(rule.timing))).collect())
        }
        Some(Err(error)) => {
            Err(NodeError::parameter("pollTimes", error.to_string())
                .hint("Correct the poll times."))
        }
        None => Ok(Vec::new()),
    }
}

/// Whether a person runs the workflow to see what it does.
pub(super) fn is_manual_run(ctx: &Ctx<'_>) -> bool {
    ctx.host().execution().mode == "manual"
}

/// Items that were handed in, such as those of an earlier run, stay what they are.
pub(super) fn are_supplied(items: &Items) -> bool {
    items.iter().any(|item| item.json.as_object().is_some_and(|json| !json.is_empty()))
}
