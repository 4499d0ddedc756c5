//! How many tools of one turn run at the same time.

use crate::support::{ScriptedModel, TestAgentHost, answers, calls};
use heddle_agent::{AgentOptions, ToolGuard, ToolsAgent};
use model::{Object, json};
use ports::ai::{
    DataFlow, Message, Tool, ToolCallContext, ToolDefinition, ToolEffect, ToolFailure, ToolOutput,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Barrier;

/// Answers once so many calls are under way that the barrier opens.
struct Meeting {
    definition: ToolDefinition,
    barrier: Barrier,
    running: AtomicUsize,
    most: AtomicUsize,
}

impl Meeting {
    fn of(size: usize) -> Arc<Self> {
        let definition = ToolDefinition {
            name: "meet".into(),
            description: "Waits for the others.".into(),
            parameters: json!({ "type": "object" }),
            effect: ToolEffect::None,
            flow: DataFlow::default(),
        };
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self { definition, barrier: Barrier::new(size), running, most })
    }
}

#[async_trait::async_trait]
impl Tool for Meeting {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn call(
        &self,
        arguments: Object,
        _context: &ToolCallContext,
    ) -> Result<ToolOutput, ToolFailure> {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        self.barrier.wait().await;
        self.running.fetch_sub(1, Ordering::SeqCst);
        Ok(ToolOutput::new(arguments.get("number").cloned().unwrap_or_default()))
    }
}

/// Calls that can only end together end, in the order in which they were made, and no more than the
/// bound are under way.
#[tokio::test]
async fn issue_17_01_the_calls_of_a_turn_run_at_the_same_time_within_a_bound() {
    let meeting = Meeting::of(3);
    let asked: Vec<_> = (0..9).map(|number| ("meet", json!({ "number": number }))).collect();
    let script = ScriptedModel::of([calls(&asked), answers("met")]);
    let guard = ToolGuard::new(vec![meeting.clone() as Arc<dyn Tool>], 1000).unwrap();
    let options = AgentOptions { parallel_tools: 3, ..AgentOptions::default() };
    let agent = ToolsAgent { model: script, guard, memory: None, options };
    let outcome = agent.run(&TestAgentHost::default(), Message::user("go")).await.unwrap();
    assert_eq!(meeting.most.load(Ordering::SeqCst), 3);
    let results: Vec<&str> =
        outcome.record.tool_uses.iter().map(|used| used.content.as_str()).collect();
    assert_eq!(results, ["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
}
