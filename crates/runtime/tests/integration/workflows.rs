//! Workflows of a few nodes in a row.

use crate::harness::Process;
use heddle_runtime::{Error, VersionChoice};
use model::{Object, Value, json};
use store::projects::PERSONAL;
use store::workflows::{NewVersion, StoredWorkflow};

/// A node: its name, its type with its version, and its parameters.
pub(crate) type TestNode = (&'static str, &'static str, Value);

pub(crate) fn webhook(path: &str) -> TestNode {
    webhook_with(path, json!({}))
}

/// With parameters besides the path.
pub(crate) fn webhook_with(path: &str, parameters: Value) -> TestNode {
    let mut fields = json!({ "httpMethod": "POST", "path": (path), "options": {} });
    fields.make_object().extend(parameters.as_object().unwrap().clone());
    ("Webhook", "webhook@2", fields)
}

/// Answered with what the last node puts out.
pub(crate) fn answering_webhook(path: &str) -> TestNode {
    webhook_with(path, json!({ "responseMode": "lastNode" }))
}

pub(crate) fn effect(gate: &str) -> TestNode {
    ("Effect", "test.effect", json!({ "gate": (gate) }))
}

pub(crate) fn repeatable(gate: &str) -> TestNode {
    ("Step", "test.repeatable", json!({ "gate": (gate) }))
}

pub(crate) fn ask() -> TestNode {
    ("Ask", "test.ask", json!({}))
}

pub(crate) fn after() -> TestNode {
    ("After", "noOp", json!({}))
}

pub(crate) fn fail() -> TestNode {
    ("Fail", "stopAndError", json!({ "errorMessage": "on purpose" }))
}

/// Waits for a call.
pub(crate) fn wait_for_call(name: &'static str) -> TestNode {
    (name, "wait@1.1", json!({ "resume": "webhook", "httpMethod": "POST", "options": {} }))
}

/// Longer than what a run sits out in memory.
pub(crate) const WAIT_SECONDS: u64 = 66;

pub(crate) fn wait_for_time() -> TestNode {
    let parameters =
        json!({ "resume": "timeInterval", "amount": (WAIT_SECONDS), "unit": "seconds" });
    ("Wait", "wait@1.1", parameters)
}

/// Puts out what an expression gives.
pub(crate) fn set(expression: &str) -> TestNode {
    let field = json!({ "id": "1", "name": "value", "type": "string", "value": (expression) });
    ("Set", "set@3.4", json!({ "assignments": { "assignments": [(field)] }, "options": {} }))
}

pub(crate) fn call(workflow: &str) -> TestNode {
    let parameters = json!({ "source": "database", "workflowId": (workflow), "options": {} });
    ("Call", "executeWorkflow", parameters)
}

pub(crate) fn called() -> TestNode {
    ("Start", "executeWorkflowTrigger", json!({}))
}

pub(crate) fn document(nodes: &[TestNode]) -> Value {
    let mut connections = Object::new();
    for pair in nodes.windows(2) {
        let next = json!({ "main": [[{ "node": (pair[1].0), "type": "main", "index": 0 }]] });
        connections.insert(pair[0].0, next);
    }
    let nodes = nodes.iter().map(|(name, kind, parameters)| {
        let (kind, version) = kind.rsplit_once('@').unwrap_or((kind, "1"));
        let prefix = if kind.contains('.') { "" } else { "n8n-nodes-base." };
        json!({
            "id": (*name), "name": (*name), "type": (format!("{prefix}{kind}")),
            "typeVersion": (version.parse::<f64>().unwrap()), "position": [0, 0],
            "parameters": (parameters.clone())
        })
    });
    let nodes = Value::array(nodes.collect());
    let settings = json!({ "executionOrder": "v1" });
    json!({ "nodes": (nodes), "connections": (connections), "settings": (settings) })
}

impl Process {
    pub(crate) fn save(&self, id: &str, nodes: &[TestNode]) -> Result<StoredWorkflow, Error> {
        self.save_document(id, &document(nodes))
    }

    pub(crate) fn save_document(
        &self,
        id: &str,
        document: &Value,
    ) -> Result<StoredWorkflow, Error> {
        let version = NewVersion {
            id: id.into(),
            name: id.into(),
            document: model::json::to_string(document).into(),
            author: None,
            static_data: None,
        };
        self.run(self.runtime.save(version, PERSONAL))
    }

    pub(crate) fn activate(&self, id: &str) -> Result<(), Error> {
        self.run(self.runtime.activate(id, VersionChoice::Newest))
    }

    /// Saves a workflow that listens from now on.
    pub(crate) fn save_active(&self, id: &str, nodes: &[TestNode]) {
        self.save(id, nodes).unwrap();
        self.activate(id).unwrap();
    }
}
