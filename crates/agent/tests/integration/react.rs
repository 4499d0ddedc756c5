//! The strict agent: its contract to the letter.

use crate::support::{CallLedger, Crash, ScriptedModel, TestAgentHost, answers, tool};
use heddle_agent::react::{Config, ContractViolation, ReactAgent, ReactOutcome, SCHEMA};
use heddle_agent::{AgentError, AgentEvent, EndReason, ToolGuard};
use model::{Value, json};
use ports::ai::ToolEffect;
use ports::checkpoints;
use std::sync::Arc;

fn config(more: &str) -> Config {
    let text = format!(
        r#"{{ "strategy": "react", "maxIterations": 5, "allowedTools": ["add", "send"]{more} }}"#
    );
    Config::read(&model::json::parse(&text).unwrap()).unwrap()
}

fn agent(script: &Arc<ScriptedModel>, ledger: &Arc<CallLedger>, config: Config) -> ReactAgent {
    let sum = |arguments: &model::Object| {
        let number = |key: &str| arguments.get(key).and_then(Value::as_f64).unwrap_or_default();
        Ok((number("a") + number("b")).into())
    };
    let tools = vec![
        tool("add", ToolEffect::None, ledger, sum),
        tool("send", ToolEffect::Changes, ledger, |_| Ok("sent".into())),
        tool("other", ToolEffect::None, ledger, |_| Ok("x".into())),
    ];
    ReactAgent {
        model: script.clone(),
        guard: ToolGuard::new(tools, 1000).unwrap(),
        config,
        item: 0,
    }
}

async fn run(agent: &ReactAgent, world: &TestAgentHost) -> Result<ReactOutcome, AgentError> {
    agent
        .run(
            world,
            json!({ "question": "2+2" }),
            None,
            "trace-1".into(),
            "2026-01-02T03:04:05.000Z".into(),
        )
        .await
}

const ADD: &str =
    r#"{ "action": "tool", "tool": "add", "input": { "a": 2, "b": 2 }, "confidence": 0.4 }"#;
const FINAL: &str = r#"{ "action": "final", "message": "4", "confidence": 0.9 }"#;

#[tokio::test]
async fn a_second_call_in_one_reply_ends_it_before_anything_runs() {
    let two = format!("{ADD}\n{ADD}");
    let (script, ledger) = (ScriptedModel::of([answers(&two)]), CallLedger::new());
    let outcome =
        run(&agent(&script, &ledger, config("")), &TestAgentHost::default()).await.unwrap();
    assert!(outcome.fault.is_some() && outcome.answer.is_none());
    assert_eq!(ledger.count(), 0);
}

#[tokio::test]
async fn a_tool_and_a_final_answer_make_this_envelope() {
    let (script, ledger) = (ScriptedModel::of([answers(ADD), answers(FINAL)]), CallLedger::new());
    let outcome =
        run(&agent(&script, &ledger, config("")), &TestAgentHost::default()).await.unwrap();
    assert_eq!((outcome.answer, outcome.fault), (Some(json!("4")), None));
    let mut envelope = outcome.envelope.to_value();
    let prompt = envelope.remove_path("model.lastPrompt").unwrap().to_js_string();
    assert_eq!(
        envelope,
        json!({
            "input": { "question": "2+2" },
            "state": { "iteration": 2, "lastAction": "final", "lastTool": "add", "completed": true },
            "model": { "lastResponse": { "action": "final", "message": "4", "confidence": 0.9 } },
            "tools": {
                "available": ["add", "send"],
                "history": [{ "iteration": 1, "tool": "add", "input": { "a": 2, "b": 2 }, "result": { "success": true, "data": 4 } }]
            },
            "observability": {
                "traceId": "trace-1",
                "startedAt": "2026-01-02T03:04:05.000Z",
                "events": [
                    { "iteration": 1, "action": "tool", "tool": "add", "durationMs": 0, "confidence": 0.4 },
                    { "iteration": 2, "action": "final", "durationMs": 0, "confidence": 0.9 }
                ]
            }
        })
    );
    assert!(prompt.starts_with("You are an execution agent.\n\nYou must decide ONE action per iteration.\n\nAvailable tools:\n- add: "));
    assert!(prompt.ends_with("\"message\": \"optional\"\n}"));
    assert!(!prompt.contains("other"), "only what is allowed is offered");
    assert!(script.request(0).tools.is_empty(), "tools are called by JSON in text alone");
}

#[tokio::test]
async fn whoever_listens_hears_the_tools_the_cost_and_the_answer() {
    let (script, world) =
        (ScriptedModel::of([answers(ADD), answers(FINAL)]), TestAgentHost::default());
    run(&agent(&script, &CallLedger::new(), config("")), &world).await.unwrap();
    let events: Vec<AgentEvent> = world
        .events()
        .into_iter()
        .filter(|event| !matches!(event, AgentEvent::Iteration { .. }))
        .collect();
    let [began, cost, started, ended, again, words, done] = events.as_slice() else {
        panic!("{events:?}")
    };
    assert_eq!((began, words), (&AgentEvent::Started, &AgentEvent::Token("4".into())));
    assert!(
        matches!((cost, again), (AgentEvent::Cost { .. }, AgentEvent::Cost { .. })),
        "{events:?}"
    );
    let (call_id, name) = ("tool 1".into(), "add".into());
    assert_eq!(
        *started,
        AgentEvent::ToolStarted { call_id, name, arguments: json!({ "a": 2, "b": 2 }) }
    );
    let (call_id, name, content) = ("tool 1".into(), "add".into(), "4".into());
    assert_eq!(
        *ended,
        AgentEvent::ToolEnded { call_id, name, content, is_error: false, duration_ms: 0 }
    );
    let source = json!({
        "type": "tool", "tool": "add", "callId": "tool 1", "iteration": 1, "isQuoted": false
    });
    let ended = EndReason::Completed;
    assert_eq!(
        *done,
        AgentEvent::Done { ended, iterations: 2, duration_ms: 0, sources: vec![source] }
    );
    let world = TestAgentHost::default();
    run(&agent(&ScriptedModel::of([answers("no")]), &CallLedger::new(), config("")), &world)
        .await
        .unwrap();
    assert_eq!(world.events().last(), Some(&AgentEvent::Failed));
}

#[tokio::test]
async fn a_reply_that_breaks_the_contract_ends_the_run_and_is_told() {
    for (reply, wanted) in [
        ("I think it is 4", ContractViolation::InvalidJson),
        ("[1]", ContractViolation::InvalidJson),
        (r#"{ "action": "think" }"#, ContractViolation::InvalidAction),
        (
            r#"{ "action": "tool", "tool": "other", "input": {}, "confidence": 1 }"#,
            ContractViolation::ToolNotAllowed,
        ),
        (
            r#"{ "action": "tool", "tool": "add", "input": { "a": "two" }, "confidence": 1 }"#,
            ContractViolation::InvalidInput,
        ),
        (
            r#"{ "action": "tool", "tool": "add", "input": [], "confidence": 1 }"#,
            ContractViolation::InvalidInput,
        ),
        (
            r#"{ "action": "tool", "tool": "add", "input": { "a": 1, "b": 2 }, "confidence": 1.5 }"#,
            ContractViolation::InvalidConfidence,
        ),
        (
            r#"{ "action": "tool", "tool": "add", "input": { "a": 1, "b": 2 } }"#,
            ContractViolation::InvalidConfidence,
        ),
        (
            r#"{ "action": "final", "message": "x", "confidence": "high" }"#,
            ContractViolation::InvalidConfidence,
        ),
    ] {
        let (script, ledger) = (ScriptedModel::of([answers(reply)]), CallLedger::new());
        let outcome =
            run(&agent(&script, &ledger, config("")), &TestAgentHost::default()).await.unwrap();
        assert_eq!(outcome.fault.as_ref().map(|(fault, _)| *fault), Some(wanted), "{reply}");
        assert_eq!((script.n_requests(), ledger.count()), (1, 0), "{reply}");
        let last =
            outcome.envelope.to_value().get_path("observability.events[0]").cloned().unwrap();
        assert_eq!(last.get_path("error.type"), Some(&json!(wanted.name())), "{reply}");
        assert!(!outcome.envelope.completed);
    }
}

#[tokio::test]
async fn it_ends_at_a_stop_condition_or_at_its_last_iteration() {
    let sure =
        r#"{ "action": "tool", "tool": "add", "input": { "a": 2, "b": 2 }, "confidence": 0.95 }"#;
    let script = ScriptedModel::of([answers(ADD), answers(sure), answers(FINAL)]);
    let stop = config(r#", "stopConditions": [{ "type": "confidence_threshold", "value": 0.9 }]"#);
    let outcome =
        run(&agent(&script, &CallLedger::new(), stop), &TestAgentHost::default()).await.unwrap();
    assert_eq!(
        (outcome.envelope.iteration, outcome.envelope.completed, outcome.fault),
        (2, false, None)
    );
    let script = ScriptedModel::of((0..9).map(|_| answers(ADD)));
    let outcome = run(&agent(&script, &CallLedger::new(), config("")), &TestAgentHost::default())
        .await
        .unwrap();
    assert_eq!(
        (script.n_requests(), outcome.fault.map(|(fault, _)| fault)),
        (5, Some(ContractViolation::IterationOverflow))
    );
    let script = ScriptedModel::of((0..9).map(|_| answers(ADD)));
    let stop = config(r#", "stopConditions": [{ "type": "iteration_limit", "value": 2 }]"#);
    run(&agent(&script, &CallLedger::new(), stop), &TestAgentHost::default()).await.unwrap();
    assert_eq!(script.n_requests(), 2);
}

#[test]
fn a_configuration_is_checked_against_the_published_schema() {
    let read = |text: &str| Config::read(&model::json::parse(text).unwrap());
    assert!(read(r#"{ "strategy": "react", "maxIterations": 20, "allowedTools": ["a"] }"#).is_ok());
    for text in [
        r#"{ "strategy": "plan", "maxIterations": 5, "allowedTools": ["a"] }"#,
        r#"{ "strategy": "react", "maxIterations": 21, "allowedTools": ["a"] }"#,
        r#"{ "strategy": "react", "maxIterations": 0, "allowedTools": ["a"] }"#,
        r#"{ "strategy": "react", "maxIterations": 2.5, "allowedTools": ["a"] }"#,
        r#"{ "strategy": "react", "maxIterations": 5, "allowedTools": [] }"#,
        r#"{ "strategy": "react", "allowedTools": ["a"] }"#,
        r#"{ "strategy": "react", "maxIterations": 5, "allowedTools": ["a"], "stopConditions": [{ "type": "mood" }] }"#,
        r#"{ "strategy": "react", "maxIterations": 5, "allowedTools": ["a"], "stopConditions": [{ "type": "confidence_threshold" }] }"#,
    ] {
        assert!(read(text).is_err(), "{text}");
    }
    assert!(SCHEMA.contains("\"const\": \"react\""));
}

/// Cut off anywhere and begun again, the envelope is the same to the byte, and nothing is sent
/// twice.
#[tokio::test]
async fn a_run_that_was_cut_off_ends_with_the_same_envelope() {
    let send = r#"{ "action": "tool", "tool": "send", "input": {}, "confidence": 0.5 }"#;
    let turns = || [answers(ADD), answers(send), answers(FINAL)];
    let whole = run(
        &agent(&ScriptedModel::of(turns()), &CallLedger::new(), config("")),
        &TestAgentHost::default(),
    )
    .await
    .unwrap();
    let wanted = model::json::to_string(&whole.envelope.to_value());
    for cut in 0..6 {
        for crash in [Crash::Before(cut), Crash::After(cut)] {
            let (ledger, world) = (CallLedger::new(), TestAgentHost::default());
            world.crash(crash);
            assert!(
                run(&agent(&ScriptedModel::of(turns()), &ledger, config("")), &world)
                    .await
                    .is_err(),
                "{crash:?}"
            );
            let again = world.after_a_crash();
            let rest = ScriptedModel::of(turns().into_iter().skip(again.n_kept("model ")));
            match run(&agent(&rest, &ledger, config("")), &again).await {
                Ok(outcome) => {
                    assert_eq!(
                        model::json::to_string(&outcome.envelope.to_value()),
                        wanted,
                        "{crash:?}"
                    );
                    assert_eq!(ledger.of("send"), 1, "{crash:?}");
                }
                Err(AgentError::Uncertain { tool, .. }) => {
                    assert_eq!((tool.as_str(), ledger.of("send") <= 1), ("send", true), "{crash:?}")
                }
                Err(other) => {
                    assert!(matches!(other, AgentError::Uncertain { .. }), "{crash:?}: {other}")
                }
            }
        }
    }
}

#[tokio::test]
async fn a_strict_agent_takes_a_persons_word_for_a_call_in_doubt() {
    let send = r#"{ "action": "tool", "tool": "send", "input": {}, "confidence": 0.5 }"#;
    for (note, key, sent) in [
        (checkpoints::confirmed_result("{ \"id\": 7 }"), "tool 1", 1),
        (checkpoints::retracted(), "tool 1 begun", 2),
    ] {
        let (ledger, world) = (CallLedger::new(), TestAgentHost::default());
        world.crash(Crash::Before(2));
        assert!(
            run(&agent(&ScriptedModel::of([answers(send)]), &ledger, config("")), &world)
                .await
                .is_err()
        );
        let world = world.after_a_crash();
        let doubt =
            run(&agent(&ScriptedModel::of([]), &ledger, config("")), &world).await.unwrap_err();
        assert!(matches!(doubt, AgentError::Uncertain { call, .. } if call == "tool 1"));
        let ended = run(
            &agent(&ScriptedModel::of([answers(FINAL)]), &ledger, config("")),
            &world.told_of(key, note),
        )
        .await
        .unwrap();
        assert!(ended.answer.is_some());
        assert_eq!(ledger.of("send"), sent);
        let history = model::json::to_string(&ended.envelope.to_value());
        assert!(sent == 2 || history.contains("\"data\":{\"id\":7}"), "{history}");
    }
}
