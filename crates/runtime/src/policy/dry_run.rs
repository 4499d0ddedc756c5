//! What a policy would have done to the last tool calls, as journals have them. Nothing is called or
//! counted.

use super::{LoadedPolicy, Policy, PolicyError, document};
use model::{Exposure, Object, RunEvent, Str, Value};
use node_api::policy::words::FACTS;
use node_api::policy::{
    PolicyCall, PolicyDecision, PolicyRules, PolicySubject, SideEffect, ToolSource,
};
use std::collections::HashMap;
use std::sync::Arc;
use store::Store;
use store::executions::{Execution, ExecutionFilter};

/// Calls that one dry run looks at.
pub const MAX_DRY_RUN_CALLS: usize = 1_000;

/// Executions that it looks for calls in.
const MAX_EXECUTIONS: usize = 20_000;

/// The largest journal that it reads, by what it takes in memory. Larger ones are left out.
const MAX_JOURNAL_BYTES: usize = 32 << 20;

/// Rows that are read at once.
const PAGE: usize = 200;

/// What a policy would have done.
#[derive(Debug, Default)]
pub struct DryRun {
    pub calls: usize,
    /// How many of them would have been allowed, sent to a person, and refused.
    pub allowed: usize,
    pub approvals: usize,
    pub denied: usize,
    /// Executions whose journals are too large to be read for this.
    pub skipped: usize,
    /// The calls about which it says something else than the policy in force.
    pub changed: Vec<ChangedCall>,
}

/// A call about which two policies differ.
#[derive(Debug)]
pub struct ChangedCall {
    pub execution: i64,
    pub workflow_id: Str,
    pub agent: Str,
    pub tool: Str,
    pub effect: SideEffect,
    pub now: PolicyDecision,
    pub then: PolicyDecision,
}

impl Policy {
    /// Tries a text on the newest calls; without one, the policy in force.
    pub async fn dry_run(&self, text: Option<&str>, calls: usize) -> Result<DryRun, PolicyError> {
        let current = self.current();
        let proposed = match text {
            Some(text) => document::parse(text)?,
            None => current.rules.clone(),
        };
        dry_run(&*self.store, &current, &proposed, calls.min(MAX_DRY_RUN_CALLS))
            .await
            .map_err(PolicyError::Store)
    }
}

async fn dry_run(
    store: &dyn Store,
    current: &Arc<LoadedPolicy>,
    proposed: &PolicyRules,
    max_calls: usize,
) -> Result<DryRun, store::Error> {
    let mut result = DryRun::default();
    let mut has_tools: HashMap<Str, bool> = HashMap::new();
    let mut before = None;
    let mut n_executions = 0;
    while result.calls < max_calls && n_executions < MAX_EXECUTIONS {
        let filter = ExecutionFilter { before, limit: PAGE, ..ExecutionFilter::default() };
        let page = store.executions(filter).await?;
        let Some(last) = page.last() else { break };
        before = Some(last.id);
        n_executions += page.len();
        for execution in page {
            if result.calls >= max_calls {
                break;
            }
            let workflow = &execution.started.workflow_id;
            let worth_reading = match has_tools.get(workflow) {
                Some(known) => *known,
                None => {
                    let found = uses_tools(store, workflow).await?;
                    has_tools.insert(workflow.clone(), found);
                    found
                }
            };
            if !worth_reading {
                continue;
            }
            if store.outline_bytes(execution.id).await? > MAX_JOURNAL_BYTES {
                result.skipped += 1;
                continue;
            }
            let events = store.journal(execution.id).await?;
            result.examine(&execution, &events, current, proposed, max_calls);
        }
    }
    Ok(result)
}

/// Whether a workflow has tools now, or is gone.
async fn uses_tools(store: &dyn Store, id: &str) -> Result<bool, store::Error> {
    let Some(found) = store.workflow(id).await? else { return Ok(true) };
    // Only to leave out what cannot have called a tool: some of these names are aliases.
    Ok(["\"ai_tool\"", "\"tool\"", "\"tools\""].iter().any(|kind| found.document.contains(kind)))
}

impl DryRun {
    fn examine(
        &mut self,
        execution: &Execution,
        events: &[RunEvent],
        current: &LoadedPolicy,
        proposed: &PolicyRules,
        max_calls: usize,
    ) {
        for event in events {
            let RunEvent::StepRecorded { node, value, .. } = event else { continue };
            let Some(recorded) = RecordedCall::read(value) else { continue };
            if self.calls >= max_calls {
                return;
            }
            let subject = PolicySubject {
                workflow_id: execution.started.workflow_id.clone(),
                agent: node.clone(),
                session: recorded.session.clone(),
            };
            let call = recorded.call(&subject);
            let (now, then) = (current.rules.decide(&call), proposed.decide(&call));
            self.calls += 1;
            match &then {
                PolicyDecision::Allow { .. } => self.allowed += 1,
                PolicyDecision::Approve { .. } => self.approvals += 1,
                PolicyDecision::Deny { .. } => self.denied += 1,
            }
            if now != then {
                let effect = proposed.effect_of(&call);
                let (agent, tool) = (node.clone(), recorded.tool.clone());
                self.changed.push(ChangedCall {
                    execution: execution.id,
                    workflow_id: subject.workflow_id.clone(),
                    agent,
                    tool,
                    effect,
                    now,
                    then,
                });
            }
        }
    }
}

/// A call as its record has it.
struct RecordedCall {
    tool: Str,
    arguments: Object,
    source: ToolSource,
    effect: SideEffect,
    session: Str,
    exposure: Exposure,
}

impl RecordedCall {
    fn read(record: &Value) -> Option<Self> {
        let facts = record.get(FACTS)?;
        let text = |name: &str| facts.get(name).and_then(Value::as_str).unwrap_or_default();
        let flag = |name: &str| facts.get(name).and_then(Value::as_bool).unwrap_or_default();
        Some(Self {
            tool: record.get("name")?.as_str()?.into(),
            arguments: record.get("arguments")?.as_object().cloned().unwrap_or_default(),
            source: ToolSource {
                node_type: text("nodeType").into(),
                server: text("server").into(),
            },
            effect: SideEffect::from_name(text("effect"))?,
            session: text("session").into(),
            exposure: Exposure { untrusted: flag("untrusted"), private: flag("private") },
        })
    }

    fn call<'c>(&'c self, subject: &'c PolicySubject) -> PolicyCall<'c> {
        PolicyCall {
            subject,
            tool: &self.tool,
            source: &self.source,
            effect: self.effect,
            arguments: &self.arguments,
            exposure: self.exposure,
        }
    }
}
