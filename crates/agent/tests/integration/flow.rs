//! Where data comes from and goes: what a loop does about calls that would lead private data out.

use crate::support::{
    CallLedger, Crash, ListMemory, ScriptedModel, TestAgentHost, answers, calls, remembering,
    tool_that_flows,
};
use heddle_agent::react::{Config, ReactAgent};
use heddle_agent::{
    AgentError, AgentEvent, AgentOptions, AgentOutcome, ApprovalPolicy, ToolGuard, ToolsAgent,
};
use model::{Object, json};
use ports::ai::{
    DataFlow, EgressTarget, Exposure, Message, Tool, ToolCallContext, ToolDefinition, ToolEffect,
    ToolFailure, ToolOutput,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const CHOSEN: DataFlow =
    DataFlow { untrusted: false, private: false, sends: EgressTarget::ModelChosen };

fn tools(ledger: &Arc<CallLedger>) -> Vec<Arc<dyn Tool>> {
    let tool = |name: &str, effect: ToolEffect, flow: DataFlow| {
        tool_that_flows(name, json!({ "type": "object" }), effect, flow, ledger, |_| {
            Ok("done".into())
        })
    };
    vec![
        tool("browse", ToolEffect::None, DataFlow::UNTRUSTED),
        tool("records", ToolEffect::None, DataFlow { private: true, ..DataFlow::default() }),
        tool("post", ToolEffect::None, CHOSEN),
        tool("api", ToolEffect::Changes, DataFlow::default().sending(EgressTarget::Declared)),
    ]
}

fn agent(
    script: &Arc<ScriptedModel>,
    ledger: &Arc<CallLedger>,
    options: AgentOptions,
) -> ToolsAgent {
    ToolsAgent {
        model: script.clone(),
        guard: ToolGuard::new(tools(ledger), 1000).unwrap(),
        memory: None,
        options,
    }
}

async fn run(agent: &ToolsAgent, world: &TestAgentHost) -> Result<AgentOutcome, AgentError> {
    agent.run(world, Message::user("go")).await
}

fn one(name: &str) -> Message {
    calls(&[(name, json!({}))])
}

#[tokio::test]
async fn issue_14_00_after_untrusted_content_a_place_of_the_models_choice_gets_nothing() {
    let ledger = CallLedger::new();
    let script = ScriptedModel::of([one("browse"), one("post"), one("api"), answers("end")]);
    let world = TestAgentHost::default();
    let outcome = run(&agent(&script, &ledger, AgentOptions::default()), &world).await.unwrap();
    assert_eq!((ledger.of("post"), ledger.of("api")), (0, 1), "what the author declared goes on");
    let refused = &outcome.record.tool_uses[1];
    assert!(refused.is_error && refused.content.contains("AGENT_OUTWARD"), "{}", refused.content);
    assert!(world.events().iter().any(
        |event| matches!(event, AgentEvent::Warning(words) if words.contains("AGENT_OUTWARD"))
    ));
}

#[tokio::test]
async fn issue_14_00_calls_before_it_and_tools_that_the_author_trusts_are_made() {
    let ledger = CallLedger::new();
    // The calls of one turn were thought of before any of them had a result.
    let both = calls(&[("browse", json!({})), ("post", json!({ "n": 1 }))]);
    run(
        &agent(
            &ScriptedModel::of([one("post"), both, answers("end")]),
            &ledger,
            AgentOptions::default(),
        ),
        &TestAgentHost::default(),
    )
    .await
    .unwrap();
    assert_eq!(ledger.of("post"), 2);
    let trusting = AgentOptions { trusted: vec!["post".into()], ..AgentOptions::default() };
    run(
        &agent(&ScriptedModel::of([one("browse"), one("post"), answers("end")]), &ledger, trusting),
        &TestAgentHost::default(),
    )
    .await
    .unwrap();
    assert_eq!(ledger.of("post"), 3);
}

#[tokio::test]
async fn issue_14_00_a_person_is_asked_where_the_author_wants_that() {
    let ledger = CallLedger::new();
    let options = AgentOptions { approval: ApprovalPolicy::Changes, ..AgentOptions::default() };
    let script = ScriptedModel::of([one("browse"), one("post"), answers("end")]);
    let asked = run(&agent(&script, &ledger, options), &TestAgentHost::default()).await;
    assert!(matches!(asked, Err(AgentError::Approval { .. })), "{asked:?}");
    assert_eq!(ledger.of("post"), 0);
}

#[tokio::test]
async fn issue_14_00_what_was_read_is_known_after_a_crash_at_any_note() {
    for at in 0..8 {
        for crash in [Crash::Before(at), Crash::After(at)] {
            let ledger = CallLedger::new();
            let turns = || [one("browse"), one("post"), one("post"), answers("end")];
            let world = TestAgentHost::default();
            world.crash(crash);
            let _ =
                run(&agent(&ScriptedModel::of(turns()), &ledger, AgentOptions::default()), &world)
                    .await;
            let n_left = world.notes().keys().filter(|key| key.starts_with("model ")).count();
            let script = ScriptedModel::of(turns().into_iter().skip(n_left));
            run(&agent(&script, &ledger, AgentOptions::default()), &world.after_a_crash())
                .await
                .unwrap();
            assert_eq!(ledger.of("post"), 0, "{crash:?}");
        }
    }
}

#[tokio::test]
async fn issue_14_00_what_came_before_the_loop_counts() {
    let turns = || [one("post"), answers("end")];
    let ledger = CallLedger::new();
    let met = Exposure { untrusted: true, private: false };
    let mut exposed = agent(&ScriptedModel::of(turns()), &ledger, AgentOptions::default());
    exposed.guard = ToolGuard::new(tools(&ledger), 1000).unwrap().exposed_to(met);
    run(&exposed, &TestAgentHost::default()).await.unwrap();
    assert_eq!(ledger.of("post"), 0, "the body of a webhook");
    let memory = Arc::new(ListMemory::default());
    memory.put(vec![Message::user("earlier"), Message::assistant("something that was read")]);
    let mut remembers = agent(&ScriptedModel::of(turns()), &ledger, AgentOptions::default());
    remembers.memory = remembering(memory, "turn");
    run(&remembers, &TestAgentHost::default()).await.unwrap();
    assert_eq!(ledger.of("post"), 0, "an earlier turn may have read it");
}

#[tokio::test]
async fn issue_14_00_the_strict_agent_knows_that_code_has_reached_outside() {
    let tool = |name: &str| {
        format!(r#"{{ "action": "tool", "tool": "{name}", "input": {{}}, "confidence": 0.4 }}"#)
    };
    let turns = || {
        [
            answers(&tool("code")),
            answers(&tool("post")),
            answers(r#"{ "action": "final", "message": "end", "confidence": 0.9 }"#),
        ]
    };
    let config = || {
        let text =
            r#"{ "strategy": "react", "maxIterations": 5, "allowedTools": ["code", "post"] }"#;
        Config::read(&model::json::parse(text).unwrap()).unwrap()
    };
    let strict = |turns: Vec<Message>, ledger: &Arc<CallLedger>, code: &Arc<Showing>| {
        let mut all = tools(ledger);
        all.push(code.clone());
        ReactAgent {
            model: ScriptedModel::of(turns),
            guard: ToolGuard::new(all, 1000).unwrap(),
            config: config(),
            item: 0,
        }
    };
    let go = async |agent: &ReactAgent, world: &TestAgentHost| {
        agent.run(world, json!({}), None, "trace".into(), "2026-01-02T03:04:05.000Z".into()).await
    };
    let (ledger, code, world) = (CallLedger::new(), showing(), TestAgentHost::default());
    go(&strict(turns().into(), &ledger, &code), &world).await.unwrap();
    assert_eq!(
        (code.sent.load(Ordering::Relaxed), ledger.of("post")),
        (1, 0),
        "what came back from outside is untrusted"
    );
    // Also when the call of the code is only known from its note.
    let (ledger, code, world) = (CallLedger::new(), showing(), TestAgentHost::default());
    world.crash(Crash::After(2));
    let _ = go(&strict(turns().into(), &ledger, &code), &world).await;
    let n_left = world.notes().keys().filter(|key| key.starts_with("model ")).count();
    let left = turns().into_iter().skip(n_left).collect();
    let _ = go(&strict(left, &ledger, &code), &world.after_a_crash()).await;
    assert_eq!(ledger.of("post"), 0);
}

/// A tool that reaches outside only in its second half.
struct Showing {
    definition: ToolDefinition,
    tries: AtomicUsize,
    sent: AtomicUsize,
}

#[async_trait::async_trait]
impl Tool for Showing {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn call(
        &self,
        _arguments: Object,
        context: &ToolCallContext,
    ) -> Result<ToolOutput, ToolFailure> {
        self.tries.fetch_add(1, Ordering::Relaxed);
        match context.allow_egress {
            true => self.sent.fetch_add(1, Ordering::Relaxed),
            false => return Err(ToolFailure { needs_egress: true, ..ToolFailure::new("not yet") }),
        };
        Ok(ToolOutput::new("sent"))
    }
}

fn showing() -> Arc<Showing> {
    let definition = ToolDefinition {
        name: "code".into(),
        description: "Runs.".into(),
        parameters: json!({ "type": "object" }),
        effect: ToolEffect::Dynamic,
        flow: DataFlow::default(),
    };
    Arc::new(Showing { definition, tries: AtomicUsize::new(0), sent: AtomicUsize::new(0) })
}

#[tokio::test]
async fn issue_14_00_a_tool_whose_effect_only_shows_is_judged_when_it_does() {
    for (turns, approval, sent, is_asked) in [
        (vec![one("code"), answers("end")], ApprovalPolicy::Never, 1, false),
        (vec![one("browse"), one("code"), answers("end")], ApprovalPolicy::Never, 0, false),
        (vec![one("code"), answers("end")], ApprovalPolicy::Changes, 0, true),
        (vec![one("code"), one("post"), answers("end")], ApprovalPolicy::Never, 1, false),
    ] {
        let (ledger, code, n_turns) = (CallLedger::new(), showing(), turns.len());
        let mut all = tools(&ledger);
        all.push(code.clone());
        let guard = ToolGuard::new(all, 1000).unwrap();
        let options = AgentOptions { approval, ..AgentOptions::default() };
        let agent = ToolsAgent { model: ScriptedModel::of(turns), guard, memory: None, options };
        let world = TestAgentHost::default();
        let outcome = run(&agent, &world).await;
        assert_eq!(matches!(outcome, Err(AgentError::Approval { .. })), is_asked, "{outcome:?}");
        assert_eq!(code.sent.load(Ordering::Relaxed), sent, "{n_turns} turns, {approval:?}");
        assert_eq!(ledger.of("post"), 0, "what came back from outside is untrusted");
        let begun = world.notes().keys().any(|key| key.ends_with(" begun"));
        assert_eq!(begun, sent == 1, "the beginning of what reaches out is on record");
    }
}
