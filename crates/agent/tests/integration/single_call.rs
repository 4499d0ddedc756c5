//! One call of a tool for a model outside: the rules are those of a loop.

use crate::support::{CallLedger, TestAgentHost, tool};
use heddle_agent::{AgentError, AgentOptions, ApprovalPolicy, ToolGuard, ToolUse, call_tool};
use model::{Value, json};
use ports::ai::{ToolArguments, ToolCall, ToolEffect};
use ports::checkpoints::{self, ApprovalRequest, ApprovalVerdict, DecisionRecord};
use std::sync::Arc;

async fn call(
    ledger: &Arc<CallLedger>,
    world: &TestAgentHost,
    approval: ApprovalPolicy,
    name: &str,
) -> Result<ToolUse, AgentError> {
    let sender = tool("send", ToolEffect::Changes, ledger, |_| Ok("sent".into()));
    let broken = tool("broken", ToolEffect::None, ledger, |_| Err("no luck".to_owned()));
    let guard = ToolGuard::new(vec![sender, broken], 1000).unwrap();
    let call = ToolCall {
        id: "call".into(),
        name: name.into(),
        arguments: ToolArguments::Parsed(json!({ "to": "ada" }).as_object().unwrap().clone()),
        opaque: None,
    };
    let options = AgentOptions { approval, ..AgentOptions::default() };
    call_tool(&guard, &options, world, &call).await
}

#[tokio::test]
async fn a_call_is_made_once_however_often_its_step_runs() {
    let (ledger, world) = (CallLedger::new(), TestAgentHost::default());
    let first = call(&ledger, &world, ApprovalPolicy::Never, "send").await.unwrap();
    assert_eq!((first.content.as_str(), first.is_error), ("sent", false));
    let again = call(&ledger, &world.taken_up(), ApprovalPolicy::Never, "send").await.unwrap();
    assert_eq!((again.content.as_str(), ledger.of("send")), ("sent", 1));
}

#[tokio::test]
async fn a_failure_and_an_unknown_tool_are_told_in_words() {
    let (ledger, world) = (CallLedger::new(), TestAgentHost::default());
    let failed = call(&ledger, &world, ApprovalPolicy::Never, "broken").await.unwrap();
    assert!(failed.is_error && failed.content.contains("no luck"), "{}", failed.content);
    let unknown = call(&ledger, &world, ApprovalPolicy::Never, "fly").await.unwrap();
    assert!(unknown.is_error && unknown.content.contains("'fly'"), "{}", unknown.content);
}

#[tokio::test]
async fn a_call_waits_for_approval_and_is_made_once_it_has_it() {
    let (ledger, world) = (CallLedger::new(), TestAgentHost::default());
    let asked = call(&ledger, &world, ApprovalPolicy::All, "send").await.unwrap_err();
    assert!(matches!(asked, AgentError::Approval { .. }) && ledger.count() == 0, "{asked}");
    let key = checkpoints::approval_key("tool 1.1");
    let request = ApprovalRequest::from_value(world.notes().get(&key).unwrap()).unwrap();
    let decision = Some(DecisionRecord {
        verdict: ApprovalVerdict::Approved,
        reason: None,
        by: "ada@example.com".into(),
        decided_ms: 1,
    });
    let note: Value = ApprovalRequest { decision, ..request }.to_value();
    let world = world.taken_up().told_of(&key, note);
    let made = call(&ledger, &world, ApprovalPolicy::All, "send").await.unwrap();
    assert_eq!((made.content.as_str(), ledger.of("send")), ("sent", 1));
}
