//! A stored workflow, ready to run.

use crate::execute::journal::{Durability, RecordingPolicy};
use crate::listen::trigger_listeners::CachedListeners;
use crate::lock;
use engine::{Engine, Plan};
use model::{Object, Str, Value, Workflow};
use node_api::trigger::TriggerSetup;
use node_api::{NodeError, NodeType};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use store::executions::SavePolicy;
use store::workflows::{ListeningWorkflow, StaticDataChange, StoredWorkflow};

/// A version of a workflow with its plan. Shared by everything that may start it.
pub struct LoadedWorkflow {
    pub id: Str,
    pub name: Str,
    pub version_id: Str,
    pub project_id: Str,
    pub active: bool,
    /// How often it had been activated then.
    pub(crate) activations: i64,
    created_ms: i64,
    pub plan: Arc<Plan>,
    pub saving: SavePolicy,
    /// Whether runs by hand are kept.
    pub saves_manual: bool,
    pub durability: Durability,
    /// Which workflows may call it, in n8n's words.
    pub(crate) caller_policy: Str,
    pub(crate) caller_ids: Str,
    /// The workflow itself, if it is of no stored version and its runs are to keep it.
    pub(crate) document: Option<Str>,
    /// Whether there is a stored workflow that keeps its static data.
    pub(crate) is_stored: bool,
    /// One for all versions of the workflow, so that none goes on from what another has left
    /// behind.
    static_data: SharedStaticData,
    /// Whether what it listens to has to be computed, and may be something else the next time.
    pub(crate) computes_listens: bool,
    /// What its triggers listened to when they were last evaluated.
    pub(crate) listeners: Mutex<CachedListeners>,
    /// They need more than a moment to say so.
    pub(crate) is_slow: AtomicBool,
}

impl LoadedWorkflow {
    pub fn new(stored: &StoredWorkflow, engine: &Engine) -> Result<Self, crate::Error> {
        let unreadable = |cause: String| crate::Error::Unreadable { cause: cause.into() };
        let workflow =
            Workflow::parse(&stored.document).map_err(|error| unreadable(error.to_string()))?;
        let mut plan = engine.plan(&workflow).stored();
        plan.id = stored.id.clone();
        plan.name = stored.name.clone();
        plan.active = stored.active;
        let kept = stored.static_data.as_deref().and_then(|text| model::json::parse(text).ok());
        let kept = kept.unwrap_or_else(|| plan.static_data.clone());
        let version_id = stored.version_id.clone();
        Ok(Self {
            version_id,
            active: stored.active,
            is_stored: true,
            ..Self::made(&workflow, plan, stored, kept)
        })
    }

    /// A workflow that comes as text: it stands for the stored one that calls it, and keeps nothing
    /// between runs. The engine has taken the credentials out of it that the caller does not name.
    pub(crate) fn of_text(workflow: &Workflow, caller: &StoredWorkflow, engine: &Engine) -> Self {
        let plan = engine.plan(workflow);
        let kept = plan.static_data.clone();
        Self { name: plan.name.clone(), ..Self::made(workflow, plan, caller, kept) }
    }

    /// A stored workflow as somebody has drawn it without saving: it has the rights of the stored
    /// one.
    pub(crate) fn draft(
        document: &Value,
        stored: &StoredWorkflow,
        engine: &Engine,
    ) -> Result<Self, crate::Error> {
        let unreadable = || crate::Error::Unreadable { cause: "it is not an object".into() };
        let mut document = document.clone();
        let fields = document.make_object();
        fields.insert("id", stored.id.clone());
        if fields.get("name").and_then(Value::as_str).is_none_or(str::is_empty) {
            fields.insert("name", stored.name.clone());
        }
        if let Some(kept) =
            stored.static_data.as_deref().and_then(|text| model::json::parse(text).ok())
        {
            fields.insert("staticData", kept);
        }
        let workflow = Workflow::from_value(&document).ok_or_else(unreadable)?;
        let text = model::json::to_string(&document);
        Ok(Self { document: Some(text.into()), ..Self::of_text(&workflow, stored, engine) })
    }

    fn made(
        workflow: &Workflow,
        plan: Plan,
        stands_for: &StoredWorkflow,
        static_data: Value,
    ) -> Self {
        let setting = |key: &str| workflow.setting(key).and_then(Value::as_str).map(Str::from);
        Self {
            id: stands_for.id.clone(),
            name: stands_for.name.clone(),
            version_id: Str::new(),
            project_id: stands_for.project_id.clone(),
            active: false,
            activations: stands_for.activations,
            created_ms: stands_for.created_ms,
            is_stored: false,
            document: None,
            caller_policy: setting("callerPolicy").unwrap_or_default(),
            caller_ids: setting("callerIds").unwrap_or_default(),
            saving: SavePolicy {
                successes: setting("saveDataSuccessExecution").as_deref() != Some("none"),
                failures: setting("saveDataErrorExecution").as_deref() != Some("none"),
            },
            saves_manual: workflow
                .setting("saveManualExecutions")
                .is_none_or(|value| value.is_truthy() || value.as_str() == Some("DEFAULT")),
            durability: if plan.has_effects() { Durability::EachStep } else { Durability::Ends },
            static_data: SharedStaticData::new(static_data),
            computes_listens: plan
                .nodes
                .iter()
                .any(|node| !node.disabled && node.is_trigger() && node.has_expressions()),
            listeners: Mutex::default(),
            is_slow: AtomicBool::new(false),
            plan: Arc::new(plan),
        }
    }

    /// The ids of the credentials that its nodes name.
    pub fn credentials(&self) -> Vec<Str> {
        let chosen = self.plan.nodes.iter().flat_map(|node| node.credentials.values());
        chosen
            .filter_map(|chosen| chosen.get("id").and_then(Value::as_str))
            .map(Str::from)
            .collect()
    }

    /// Whether an active workflow is still the one that was read here.
    pub(crate) fn matches(&self, now: &ListeningWorkflow) -> bool {
        let ListeningWorkflow { id, version_id, project_id, created_ms: _, activations } = now;
        (&self.id, &self.version_id, &self.project_id, &self.activations)
            == (id, version_id, project_id, activations)
    }

    pub(crate) fn as_listening(&self) -> ListeningWorkflow {
        let (id, version_id, project_id) =
            (self.id.clone(), self.version_id.clone(), self.project_id.clone());
        ListeningWorkflow {
            id,
            version_id,
            project_id,
            created_ms: self.created_ms,
            activations: self.activations,
        }
    }

    pub fn static_data(&self) -> Value {
        self.static_data.get()
    }

    /// How a run of it is recorded that was begun in this way.
    pub(crate) fn recording_policy(&self, mode: &str) -> RecordingPolicy {
        let is_manual = mode == "manual";
        let saving = if is_manual && !self.saves_manual { SavePolicy::NONE } else { self.saving };
        let static_data = (self.is_stored && !is_manual).then(|| self.static_data.clone());
        RecordingPolicy { durability: self.durability, saving, static_data }
    }

    /// Lets a new version go on with what the one before it keeps.
    pub(crate) fn after(mut self, earlier: &LoadedWorkflow) -> Self {
        self.static_data = earlier.static_data.clone();
        self
    }

    /// Takes over what a run has changed; other runs may have changed other parts meanwhile.
    pub(crate) fn keep_static_data(&self, data: &StaticDataChange) {
        self.static_data.extend(&data.changed);
    }

    /// Puts the parts that were changed back to what they were.
    pub(crate) fn take_back_static_data(&self, data: &StaticDataChange, before: &Value) {
        let mut kept = lock(&self.static_data.0);
        let kept = kept.make_object();
        for key in data.changed.keys() {
            match before.get(key) {
                Some(value) => kept.insert(key.clone(), value.clone()),
                None => kept.remove(key),
            };
        }
    }

    /// Asks a node that listens; `None` if the node is not there or not known.
    pub(crate) fn with_trigger<T>(
        &self,
        name: &str,
        params: &Value,
        now_ms: i64,
        timezone: &str,
        ask: impl FnOnce(&NodeType, &TriggerSetup<'_>) -> Result<T, NodeError>,
    ) -> Result<Option<T>, crate::Error> {
        let Some(node) = self.plan.node(name) else { return Ok(None) };
        let Some(node_type) = &node.node_type else { return Ok(None) };
        let empty = model::Object::new();
        let setup = TriggerSetup {
            node: &node.info,
            params: params.as_object().unwrap_or(&empty),
            webhook_id: node.webhook_id.as_deref(),
            workflow_id: &self.id,
            now_ms,
            timezone,
        };
        ask(node_type, &setup)
            .map(Some)
            .map_err(|error| crate::Error::Trigger { node: name.into(), error })
    }
}

/// What a workflow keeps between runs.
#[derive(Clone)]
pub(crate) struct SharedStaticData(Arc<Mutex<Value>>);

impl SharedStaticData {
    fn new(data: Value) -> Self {
        Self(Arc::new(Mutex::new(data)))
    }

    fn get(&self) -> Value {
        lock(&self.0).clone()
    }

    /// Puts parts over those that are kept.
    pub(crate) fn extend(&self, parts: &Object) {
        lock(&self.0).make_object().extend(parts.clone());
    }

    /// Parts as they go to disk.
    pub(crate) fn with(&self, changed: Object) -> StaticDataChange {
        let mut whole = self.get();
        whole.make_object().extend(changed.clone());
        StaticDataChange { changed, whole }
    }
}

/// The parts that differ from what a run began with; `None` if there are none.
pub(crate) fn changes(before: &Value, after: &Value) -> Option<StaticDataChange> {
    let parts = after.as_object()?;
    let is_new = |key: &Str, value: &Value| before.get(key) != Some(value);
    let changed: Object = parts
        .iter()
        .filter(|(key, value)| is_new(key, value))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    (!changed.is_empty()).then(|| StaticDataChange { changed, whole: after.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn only_the_parts_of_static_data_that_a_run_changed_are_stored() {
        let before = json!({ "global": { "n": 1 }, "node:A": { "seen": 1 } });
        let after = json!({ "global": { "n": 2 }, "node:A": { "seen": 1 }, "node:B": {} });
        let change = changes(&before, &after).unwrap();
        let changed = json!({ "global": { "n": 2 }, "node:B": {} });
        assert_eq!(Value::from(change.changed), changed);
        assert_eq!(change.whole, after);
        assert!(changes(&after, &after).is_none() && changes(&after, &Value::Undefined).is_none());
    }

    #[test]
    fn runs_that_change_different_parts_of_static_data_keep_both() {
        let data = SharedStaticData::new(json!({ "a": 1, "b": 1 }));
        let shared = data.clone();
        shared.extend(&Object::from_iter([("a", 2)]));
        let written = data.with(Object::from_iter([("b", 2)]));
        assert_eq!(written.whole, json!({ "a": 2, "b": 2 }));
        assert_eq!(data.get(), json!({ "a": 2, "b": 1 }), "it is kept once it is written");
    }
}
