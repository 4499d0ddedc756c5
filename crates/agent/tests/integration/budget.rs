//! An agent spends no more than it may, and what it has until then is not lost.

use crate::support::{CallLedger, ScriptedModel, TestAgentHost, calls, tool};
use futures::{StreamExt as _, stream};
use heddle_agent::{
    AgentError, AgentOptions, AgentOutcome, EndReason, OnLimit, ToolGuard, ToolsAgent,
};
use model::{Code, SpendingLimit, json};
use ports::ai::{
    ChatModel, ChatRequest, ChatStream, Message, MessagePart, ModelError, ModelInfo, ToolEffect,
};
use std::sync::Arc;

/// Never comes to an end; each of its turns takes 15 tokens and costs 30 millionths of a dollar.
fn endless() -> Arc<ScriptedModel> {
    ScriptedModel::of((0..50).map(|number| calls(&[("add", json!({ "a": number, "b": 1 }))])))
}

async fn run(
    model: Arc<dyn ChatModel>,
    budget: SpendingLimit,
    on_limit: OnLimit,
) -> Result<AgentOutcome, AgentError> {
    let sum = tool("add", ToolEffect::None, &CallLedger::new(), |_| Ok(json!(2)));
    let guard = ToolGuard::new(vec![sum], 1000).unwrap();
    let options = AgentOptions { max_iterations: 40, budget, on_limit, ..AgentOptions::default() };
    let agent = ToolsAgent { model, guard, memory: None, options };
    agent.run(&TestAgentHost::default(), Message::user("go")).await
}

fn tokens(most: u64) -> SpendingLimit {
    SpendingLimit { tokens: Some(most), dollars: None }
}

#[tokio::test]
async fn no_budget_is_passed_by_more_than_one_call() {
    let script = endless();
    let error = run(script.clone(), tokens(40), OnLimit::Error).await.unwrap_err();
    let error = error.into_node_error();
    assert_eq!(
        (error.code(), error.message().as_str()),
        (Code::AGENT_LIMIT, "The agent's budget is used up: 45 of 40 tokens used")
    );
    assert_eq!(script.n_requests(), 3);
    let script = endless();
    let dollars = SpendingLimit { tokens: None, dollars: Some(0.000_09) };
    let outcome = run(script.clone(), dollars, OnLimit::Partial).await.unwrap();
    assert_eq!((outcome.end_reason, script.n_requests()), (EndReason::Budget, 3));
}

#[tokio::test]
async fn a_conclusion_is_asked_for_at_nine_tenths_of_the_budget() {
    // Six turns take 90 tokens.
    for (budget, asked) in [(101, 8), (100, 7), (99, 7), (98, 7)] {
        let script = endless();
        let outcome = run(script.clone(), tokens(budget), OnLimit::Conclude).await.unwrap();
        assert_eq!(
            (outcome.end_reason, script.n_requests()),
            (EndReason::Budget, asked),
            "of {budget}"
        );
        assert!(script.request(asked - 1).tools.is_empty(), "the last question is the conclusion");
    }
}

/// Answers so often; then somebody else's budget is used up.
struct Paid {
    script: Arc<ScriptedModel>,
    answers: usize,
}

impl ChatModel for Paid {
    fn info(&self) -> &ModelInfo {
        self.script.info()
    }

    fn stream(&self, request: ChatRequest) -> ChatStream<'_> {
        if self.script.n_requests() < self.answers {
            return self.script.stream(request);
        }
        let refused =
            ModelError::new(Code::BUDGET_REACHED, "The budget of this workflow today is used up");
        stream::once(std::future::ready(Err(refused))).boxed()
    }
}

#[tokio::test]
async fn when_the_budget_of_the_day_is_used_up_what_was_said_is_not_lost() {
    let talking = || {
        let mut message = calls(&[("add", json!({ "a": 1, "b": 1 }))]);
        message.parts.insert(0, MessagePart::Text("I have the first half.".into()));
        ScriptedModel::of([message])
    };
    let model = || Arc::new(Paid { script: talking(), answers: 1 });
    let error = run(model(), SpendingLimit::default(), OnLimit::Error).await.unwrap_err();
    let AgentError::Limit { error, end_reason, partial } = error else { panic!("{error}") };
    assert_eq!((error.code, end_reason), (Code::BUDGET_REACHED, EndReason::Budget));
    assert_eq!(partial, "I have the first half.");
    for on_limit in [OnLimit::Partial, OnLimit::Conclude] {
        let outcome = run(model(), SpendingLimit::default(), on_limit).await.unwrap();
        assert_eq!(
            (outcome.answer.as_str(), outcome.end_reason),
            ("I have the first half.", EndReason::Budget)
        );
    }
}
