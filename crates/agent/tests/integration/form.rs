//! Answers in a form: how they are asked for, repaired and kept, alone and at the end of a loop.

use crate::support;
use crate::support::{CallLedger, Crash, ScriptedModel, TestAgentHost, answers, calls, tool};
use heddle_agent::{
    AgentError, AgentOptions, MAX_REPAIRS, SchemaCheck, ToolGuard, ToolsAgent, ask_structured,
};
use model::{Str, Value, json};
use ports::NodeError;
use ports::ai::{ChatRole, Message, OutputFormat, OutputParser, ToolEffect};
use std::sync::Arc;

/// A number in a field `n`.
struct Numbers(Value);

fn numbers() -> Numbers {
    Numbers(
        json!({ "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"] }),
    )
}

#[async_trait::async_trait]
impl OutputParser for Numbers {
    fn instructions(&self) -> Str {
        "a number".into()
    }

    fn schema(&self) -> Option<&Value> {
        Some(&self.0)
    }

    async fn parse(&self, answer: &Message) -> Result<Value, NodeError> {
        let value = model::json::parse(&answer.text())
            .map_err(|error| NodeError::failed(error.to_string()))?;
        let problems = SchemaCheck::new(&self.0).unwrap().problems(&value);
        if problems.is_empty() {
            Ok(value)
        } else {
            Err(NodeError::failed("does not match").describe(problems.join(";")))
        }
    }
}

/// The same without a schema.
struct InWords;

#[async_trait::async_trait]
impl OutputParser for InWords {
    fn instructions(&self) -> Str {
        "Say it in capitals.".into()
    }

    fn schema(&self) -> Option<&Value> {
        None
    }

    async fn parse(&self, answer: &Message) -> Result<Value, NodeError> {
        Ok(answer.text().into())
    }
}

fn agent(script: &Arc<ScriptedModel>, ledger: &Arc<CallLedger>) -> ToolsAgent {
    let sender = tool("send", ToolEffect::Changes, ledger, |_| Ok("sent".into()));
    ToolsAgent {
        model: script.clone(),
        guard: ToolGuard::new(vec![sender], 1000).unwrap(),
        memory: None,
        options: AgentOptions::default(),
    }
}

#[tokio::test]
async fn a_model_is_told_what_does_not_fit_and_asked_again() {
    let script =
        ScriptedModel::of([answers("none"), answers(r#"{"n":"x"}"#), answers(r#"{"n":1}"#)]);
    let world = TestAgentHost::default();
    let found = ask_structured(
        &world,
        script.as_ref(),
        "answer",
        vec![Message::user("n?")],
        &numbers(),
        MAX_REPAIRS,
    )
    .await
    .unwrap();
    assert_eq!(found, json!({ "n": 1 }));
    assert!(matches!(script.request(0).format, OutputFormat::Schema { .. }));
    let last = script.request(2).messages.last().unwrap().clone();
    assert!(
        last.role == ChatRole::User && last.text().contains("is not of type \"number\""),
        "{}",
        last.text()
    );
}

#[tokio::test]
async fn a_model_that_never_fits_is_an_error_after_two_repairs() {
    let script =
        ScriptedModel::of([answers("a"), answers("b"), answers("c"), answers(r#"{"n":1}"#)]);
    let error = ask_structured(
        &TestAgentHost::default(),
        script.as_ref(),
        "answer",
        vec![Message::user("n?")],
        &numbers(),
        MAX_REPAIRS,
    )
    .await
    .unwrap_err();
    assert!(matches!(error, AgentError::Format(_)) && script.n_requests() == 3, "{error}");
}

#[tokio::test]
async fn a_form_without_a_schema_is_asked_for_in_words() {
    let script = ScriptedModel::of([answers("YES")]);
    let found = ask_structured(
        &TestAgentHost::default(),
        script.as_ref(),
        "answer",
        vec![Message::user("well?")],
        &InWords,
        MAX_REPAIRS,
    )
    .await
    .unwrap();
    assert_eq!(found, json!("YES"));
    assert_eq!(script.request(0).messages[0].text(), "well?\nSay it in capitals.");
}

#[tokio::test]
async fn after_a_crash_nothing_that_was_kept_is_asked_again() {
    for (crash, first, asked) in [
        (Crash::Before(0), r#"{"n":1}"#, 2),
        (Crash::After(0), r#"{"n":1}"#, 1),
        (Crash::Before(1), r#"{"n":1}"#, 1),
        (Crash::After(1), r#"{"n":1}"#, 1),
        (Crash::After(0), "none", 2),
        (Crash::After(1), "none", 2),
        (Crash::After(2), "none", 2),
    ] {
        let script = ScriptedModel::of([answers(first), answers(r#"{"n":1}"#)]);
        let world = TestAgentHost::default();
        world.crash(crash);
        let question = || vec![Message::user("n?")];
        let error =
            ask_structured(&world, script.as_ref(), "answer", question(), &numbers(), MAX_REPAIRS)
                .await
                .unwrap_err();
        assert!(matches!(error, AgentError::RecordFailed(_)), "{crash:?} {first}: {error}");
        let found = ask_structured(
            &world.after_a_crash(),
            script.as_ref(),
            "answer",
            question(),
            &numbers(),
            MAX_REPAIRS,
        )
        .await
        .unwrap();
        assert_eq!((found, script.n_requests()), (json!({ "n": 1 }), asked), "{crash:?} {first}");
    }
}

#[tokio::test]
async fn an_agent_gives_its_answer_by_the_tool_of_the_form() {
    let form = "format_final_json_response";
    let script = ScriptedModel::of([
        calls(&[("send", json!({}))]),
        calls(&[(form, json!({ "n": "x" })), ("send", json!({}))]),
        calls(&[(form, json!({ "n": 4 }))]),
    ]);
    let (ledger, world) = (CallLedger::new(), TestAgentHost::default());
    let outcome = agent(&script, &ledger)
        .run_structured(&world, Message::user("2+2?"), &numbers())
        .await
        .unwrap();
    assert_eq!(outcome.value, Some(json!({ "n": 4 })));
    assert_eq!(outcome.answer, r#"{"n":4}"#);
    assert_eq!(
        (ledger.of("send"), outcome.record.tool_uses.len()),
        (1, 1),
        "what comes with a final answer is not called"
    );
    let names: Vec<Str> = script.request(0).tools.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(names, ["send", form]);
    assert!(script.request(0).messages[0].text().contains(form));
    let corrections: Vec<Str> = script
        .request(2)
        .messages
        .last()
        .unwrap()
        .tool_results()
        .map(|result| result.content.clone())
        .collect();
    assert!(
        corrections[0].contains("is not of type \"number\"")
            && corrections[1].contains("Not called"),
        "{corrections:?}"
    );
    let last = outcome.record.messages.last().unwrap();
    assert!(
        last.tool_calls().next().is_none() && last.text() == r#"{"n":4}"#,
        "the memory gets the answer, not the call"
    );
}

#[tokio::test]
async fn an_agent_that_answers_in_words_is_read_too() {
    let script = ScriptedModel::of([answers("I think it is four."), answers(r#"{"n":4}"#)]);
    let outcome = agent(&script, &CallLedger::new())
        .run_structured(&TestAgentHost::default(), Message::user("2+2?"), &numbers())
        .await
        .unwrap();
    assert_eq!((outcome.value, script.n_requests()), (Some(json!({ "n": 4 })), 2));
    let script = ScriptedModel::of([answers("a"), answers("b"), answers("c")]);
    let error = agent(&script, &CallLedger::new())
        .run_structured(&TestAgentHost::default(), Message::user("2+2?"), &numbers())
        .await
        .unwrap_err();
    assert!(matches!(error, AgentError::Format(_)), "{error}");
}

#[tokio::test]
async fn only_the_newest_part_of_a_long_conversation_is_shown() {
    let script = ScriptedModel::of([answers("fine")]);
    let past: Vec<Message> = (0..10)
        .flat_map(|n| [Message::user(format!("question {n}")), Message::assistant("x".repeat(200))])
        .collect();
    let memory = Arc::new(support::ListMemory::default());
    memory.put(past);
    let options = AgentOptions { max_history_tokens: Some(150), ..AgentOptions::default() };
    let guard = ToolGuard::new(Vec::new(), 1000).unwrap();
    let agent = ToolsAgent {
        model: script.clone(),
        guard,
        memory: support::remembering(memory, "turn"),
        options,
    };
    agent.run(&TestAgentHost::default(), Message::user("and now?")).await.unwrap();
    let said: Vec<Str> = script.request(0).messages.iter().map(Message::text).collect();
    assert!(
        said.len() < 8 && said[1].starts_with("question ") && said.last().unwrap() == "and now?",
        "{said:?}"
    );
}
