//! The workflows of a history: small ones of real nodes, one for each way in which runs begin, wait
//! and call each other.

use model::Str;
use store::workflows::NewVersion;

/// Those that are called at an address of the same name.
pub(crate) const CALLED: [&str; 5] = ["plain", "steps", "pauses", "caller", "once"];

/// What a history is about: few workflows each, which have more to do with each other than many
/// would.
pub(crate) const SETS: [&[&str]; 7] = [
    &["plain", "steps"],
    &["pauses"],
    &["pauses", "once"],
    &["once", "plain"],
    &["caller", "called"],
    &["clock", "ticks"],
    &["plain", "steps", "pauses", "caller", "once", "called", "clock"],
];

/// The header that names a delivery.
pub(crate) const DELIVERY: &str = "x-delivery";

/// Waits until somebody has filled in which call this is, and for which wait of which run.
const FORM: &str = r#"{ "resume": "form", "formTitle": "Wait", "formFields": { "values": [
    { "fieldLabel": "token" }, { "fieldLabel": "run" }, { "fieldLabel": "wait" }] }, "options": {} }"#;

/// Those that begin by the clock.
pub(crate) const SCHEDULED: [&str; 2] = ["clock", "ticks"];

/// How often the clock starts a run, by the variant of its workflow.
pub(crate) const CLOCK_SECONDS: [u64; 3] = [2, 4, 5];

/// A version of a workflow; the variant changes what can be changed about it.
pub(crate) fn version(id: &str, variant: u64) -> NewVersion {
    let webhook = |answer: &str| {
        let parameters = format!(
            r#"{{ "httpMethod": "POST", "path": "{id}", "responseMode": "{answer}", "options": {{ "deliveryHeader": "{DELIVERY}" }} }}"#
        );
        node("Webhook", "n8n-nodes-base.webhook", 2.0, &parameters)
    };
    let effect = |name: &str| node(name, "simulation.effect", 1.0, "{}");
    let call = node(
        "Wait 1",
        "n8n-nodes-base.wait",
        1.1,
        r#"{ "resume": "webhook", "httpMethod": "POST", "options": {} }"#,
    );
    let form = node("Wait 2", "n8n-nodes-base.wait", 1.1, FORM);
    let wait = node(
        "Sleep",
        "n8n-nodes-base.wait",
        1.1,
        r#"{ "resume": "timeInterval", "amount": 66, "unit": "seconds" }"#,
    );
    let nodes = match id {
        "plain" => vec![webhook("onReceived"), node("After", "n8n-nodes-base.noOp", 1.0, "{}")],
        "steps" => vec![webhook("lastNode"), effect("First"), effect("Second")],
        "pauses" => {
            vec![webhook("onReceived"), call, effect("First"), form, wait, effect("Second")]
        }
        "caller" => {
            let parameters = r#"{ "source": "database", "workflowId": "called", "options": {} }"#;
            vec![
                webhook("lastNode"),
                node("Call", "n8n-nodes-base.executeWorkflow", 1.0, parameters),
                effect("First"),
            ]
        }
        "once" => vec![webhook("onReceived"), effect("First")],
        "called" => vec![
            node("Start", "n8n-nodes-base.executeWorkflowTrigger", 1.0, "{}"),
            effect("First"),
            wait,
            effect("Second"),
        ],
        _ => {
            let seconds = CLOCK_SECONDS[variant as usize % CLOCK_SECONDS.len()];
            let rule = format!(
                r#"{{ "rule": {{ "interval": [{{ "field": "seconds", "secondsInterval": {seconds} }}] }} }}"#
            );
            vec![
                node("Clock", "n8n-nodes-base.scheduleTrigger", 1.2, &rule),
                node("After", "n8n-nodes-base.noOp", 1.0, "{}"),
            ]
        }
    };
    let lines = nodes.windows(2).map(|pair| {
        format!(
            r#""{}": {{ "main": [[{{ "node": "{}", "type": "main", "index": 0 }}]] }}"#,
            pair[0].0, pair[1].0
        )
    });
    let lines = lines.collect::<Vec<_>>().join(", ");
    let nodes = nodes.into_iter().map(|(_, node)| node).collect::<Vec<_>>().join(", ");
    let document = format!(
        r#"{{ "id": "{id}", "name": "{id}", "nodes": [{nodes}], "connections": {{ {lines} }}, "settings": {{ "executionOrder": "v1" }} }}"#
    );
    NewVersion {
        id: id.into(),
        name: id.into(),
        document: document.into(),
        author: None,
        static_data: None,
    }
}

fn node(name: &str, kind: &str, version: f64, parameters: &str) -> (Str, String) {
    let text = format!(
        r#"{{ "id": "{name}", "name": "{name}", "type": "{kind}", "typeVersion": {version}, "position": [0, 0], "parameters": {parameters} }}"#
    );
    (name.into(), text)
}

/// The nodes of a workflow that do something outside.
pub(crate) fn effects(id: &str) -> &'static [&'static str] {
    match id {
        "steps" | "pauses" | "called" => &["First", "Second"],
        "caller" | "once" => &["First"],
        _ => &[],
    }
}
