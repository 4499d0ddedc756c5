//! How agents end: what an item says that has no final answer, and which way it takes.

use crate::support::in_process::{credential, node, openai, run_document, workflow};
use engine::RunOutcome;
use model::{Code, Value};
use serde_json::{Value as Json, json as js};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use testkit::{MockModels, NetFault, ScriptedReply};

/// A model that calculates and talks, and never comes to an end.
fn endless() -> MockModels {
    let number = AtomicUsize::new(0);
    MockModels::with_replies(move |_| knowing(number.fetch_add(1, Ordering::Relaxed))).unwrap()
}

/// Some words, and a call.
fn knowing(number: usize) -> ScriptedReply {
    let call = ScriptedReply::call("calculator", js!({ "expression": format!("{number}+1") }));
    ScriptedReply { text: format!("I know {number} so far."), ..call }
}

fn with_calculator(agent: Json) -> Json {
    let calculator = node("Calculator", "calculator-tool", 1.0, js!({}));
    workflow(
        agent,
        &[(openai("Model"), "ai_languageModel", "Agent"), (calculator, "ai_tool", "Agent")],
    )
}

async fn run(mock: &MockModels, document: &Json) -> RunOutcome {
    run_document(credential(mock, mock.v1()), document, js!([{ "chatInput": "go" }])).await
}

/// The JSON of the only item of an output.
fn only(outcome: &RunOutcome, output: usize) -> Value {
    let items = outcome.runs_of("Agent")[0].output(output).unwrap();
    assert_eq!(items.len(), 1);
    items.first().unwrap().json
}

fn field(item: &Value, name: &str) -> Json {
    js!(item
        .get(name)
        .map(|value| serde_json::from_str::<Json>(&model::json::to_string(value)).unwrap()))
}

#[tokio::test]
async fn issue_17_01_an_answer_at_the_limit_is_marked_with_or_without_an_error_output() {
    for (kind, version, text, answer) in [
        ("ai-agent", 1.0, "userMessage", "response"),
        ("@n8n/n8n-nodes-langchain.agent", 2.0, "text", "output"),
    ] {
        let mut agent = node(
            "Agent",
            kind,
            version,
            js!({ "promptType": "define", text: "go", "maxIterations": 2,
                  "options": { "onLimit": "partial", "maxIterations": 2 } }),
        );
        let outcome = run(&endless(), &with_calculator(agent.clone())).await;
        assert!(outcome.error.is_none(), "{kind}: {:?}", outcome.error);
        let item = only(&outcome, 0);
        assert_eq!(field(&item, "finishReason"), js!("max_iterations"), "{kind}");
        assert_eq!(field(&item, "partial"), js!(true), "{kind}");
        assert!(item.get(answer).is_some(), "{kind}: {item:?}");

        agent["onError"] = js!("continueErrorOutput");
        let outcome = run(&endless(), &with_calculator(agent)).await;
        let item = only(&outcome, 1);
        assert!(outcome.runs_of("Agent")[0].output(0).is_none_or(model::Items::is_empty), "{kind}");
        assert_eq!(field(&item, "finishReason"), js!("max_iterations"), "{kind}");
        assert!(item.get("error").is_some() && item.get(answer).is_some(), "{kind}: {item:?}");
    }
}

#[tokio::test]
async fn issue_17_01_what_there_was_at_the_limit_goes_to_the_error_output() {
    for (kind, version, text, answer) in [
        ("ai-agent", 1.0, "userMessage", "response"),
        ("@n8n/n8n-nodes-langchain.agent", 3.0, "text", "output"),
    ] {
        let mut agent = node(
            "Agent",
            kind,
            version,
            js!({ "promptType": "define", text: "go", "maxIterations": 2, "options": { "maxIterations": 2 } }),
        );
        agent["onError"] = js!("continueErrorOutput");
        let outcome = run(&endless(), &with_calculator(agent)).await;
        let item = only(&outcome, 1);
        assert_eq!(field(&item, "error"), js!("Max iterations (2) reached"), "{kind}");
        assert_eq!(field(&item, "finishReason"), js!("max_iterations"), "{kind}");
        assert_eq!(field(&item, answer), js!("I know 1 so far."), "{kind}");
    }
}

#[tokio::test]
async fn issue_17_11_what_there_was_when_the_time_was_over_goes_to_the_error_output() {
    let number = AtomicUsize::new(0);
    let mock = MockModels::with_replies(move |_| match number.fetch_add(1, Ordering::Relaxed) {
        0 => knowing(0),
        _ => ScriptedReply::text("too late").with_fault(NetFault::NoReply),
    })
    .unwrap();
    let mut agent = node(
        "Agent",
        "ai-agent",
        1.0,
        js!({ "userMessage": "go", "options": { "timeout": 1500 } }),
    );
    agent["onError"] = js!("continueErrorOutput");
    let outcome = run(&mock, &with_calculator(agent)).await;
    let item = only(&outcome, 1);
    assert_eq!(field(&item, "finishReason"), js!("timeout"), "{item:?}");
    assert_eq!(field(&item, "response"), js!("I know 0 so far."), "{item:?}");
    assert_eq!(field(&item, "partial"), js!(true), "{item:?}");
}

/// Retries do not spend again what is used up.
#[tokio::test]
async fn issue_17_01_an_agent_at_its_limit_with_an_error_output_is_not_tried_again() {
    for on_limit in ["error", "partial"] {
        let mock = endless();
        let mut agent = node(
            "Agent",
            "ai-agent",
            1.0,
            js!({ "userMessage": "go", "maxIterations": 2, "options": { "onLimit": on_limit } }),
        );
        for (key, value) in [
            ("onError", js!("continueErrorOutput")),
            ("retryOnFail", js!(true)),
            ("maxTries", js!(4)),
            ("waitBetweenTries", js!(0)),
        ] {
            agent[key] = value;
        }
        let outcome = run(&mock, &with_calculator(agent)).await;
        assert_eq!((mock.requests().len(), outcome.runs_of("Agent").len()), (2, 1), "{on_limit}");
    }
}

/// A reply of the strict contract.
fn action(fields: Json) -> ScriptedReply {
    ScriptedReply::text(&fields.to_string())
}

fn strict(parameters: Json, on_error: &str) -> Json {
    let mut agent = node("Agent", "agent-core-react", 1.0, parameters);
    agent["onError"] = js!(on_error);
    with_calculator(agent)
}

#[tokio::test]
async fn issue_17_01_a_strict_agent_that_breaks_its_contract_leaves_its_envelope_on_the_error_output()
 {
    let first = js!({ "action": "tool", "tool": "calculator", "input": { "expression": "1+1" }, "confidence": 0.5 });
    let mock = MockModels::start([action(first), ScriptedReply::text("It is 2.")]).unwrap();
    let outcome = run(&mock, &strict(js!({ "strategy": "react" }), "continueErrorOutput")).await;
    let item = only(&outcome, 1);
    assert_eq!(field(&item, "reason"), js!("invalid_json"));
    let history = field(&item, "envelope")["tools"]["history"].clone();
    assert_eq!(history[0]["tool"], "calculator", "{item:?}");
}

#[tokio::test]
async fn issue_17_01_a_stop_condition_is_named_and_is_not_a_success() {
    let sure = js!({ "action": "tool", "tool": "calculator", "input": { "expression": "1+1" }, "confidence": 0.95 });
    let parameters = js!({
        "strategy": "react",
        "stopConditions": { "values": [{ "type": "confidence_threshold", "value": 0.9 }] }
    });
    for (on_error, output) in [("stopWorkflow", 0), ("continueErrorOutput", 1)] {
        let mock = MockModels::start([action(sure.clone())]).unwrap();
        let outcome = run(&mock, &strict(parameters.clone(), on_error)).await;
        let item = only(&outcome, output);
        assert_eq!(field(&item, "finishReason"), js!("confidence_threshold"), "{on_error}");
        assert_eq!(field(&item, "partial"), js!(true), "{on_error}");
        assert_eq!(field(&item, "state")["completed"], false, "{on_error}");
    }
}

/// Neither the envelope nor the record of the model has what no rule asks for.
#[tokio::test]
async fn issue_17_01_thoughts_of_a_strict_agents_model_are_not_kept() {
    let told =
        js!({ "thought": "CANARY of my own", "action": "final", "message": "2", "confidence": 1 });
    let mock = MockModels::start([action(told)]).unwrap();
    let outcome =
        run(&mock, &strict(js!({ "strategy": "react", "debug": true }), "stopWorkflow")).await;
    assert_eq!(field(&only(&outcome, 0), "model")["lastResponse"]["message"], "2");
    for node in ["Agent", "Model"] {
        let records = format!("{:?}", outcome.runs_of(node));
        assert!(!records.is_empty() && !records.contains("CANARY"), "{node}: {records}");
    }
}

#[tokio::test]
async fn issue_17_01_the_output_names_its_tools_iterations_and_status() {
    let call =
        |expression: &str| ScriptedReply::call("calculator", js!({ "expression": expression }));
    let mock = MockModels::start([call("1+1"), call("2+2"), ScriptedReply::text("4")]).unwrap();
    let agent = node("Agent", "ai-agent", 1.0, js!({ "userMessage": "go" }));
    let item = only(&run(&mock, &with_calculator(agent)).await, 0);
    assert_eq!(field(&item, "response"), js!("4"));
    assert_eq!(field(&item, "toolsUsed"), js!(["calculator"]));
    assert_eq!((field(&item, "iterations"), field(&item, "status")), (js!(3), js!("completed")));
    assert!(item.get("partial").is_none());
}

#[tokio::test]
async fn issue_17_01_json_is_asked_for_and_repaired() {
    let schema =
        r#"{ "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"] }"#;
    for (parameters, format) in [
        (js!({ "outputFormat": "json" }), js!("json_object")),
        (js!({ "outputFormat": "json", "jsonSchema": schema }), js!("json_schema")),
    ] {
        let agent = |options: Json| {
            node("Agent", "ai-agent", 1.0, js!({ "userMessage": "go", "options": options }))
        };
        let mock = MockModels::start([
            ScriptedReply::text("nearly"),
            ScriptedReply::text(r#"{ "n": 4 }"#),
        ])
        .unwrap();
        let item = only(&run(&mock, &with_calculator(agent(parameters.clone()))).await, 0);
        assert_eq!(field(&item, "response"), js!({ "n": 4 }));
        assert_eq!(mock.requests()[0].body["response_format"]["type"], format);

        let mut stopping = parameters;
        stopping["onInvalid"] = js!("stop");
        let mock = MockModels::start([ScriptedReply::text("nearly")]).unwrap();
        let outcome = run(&mock, &with_calculator(agent(stopping))).await;
        assert!(outcome.error.is_some() && mock.requests().len() == 1, "{format}");
    }
}

#[tokio::test]
async fn issue_17_01_a_tool_that_takes_too_long_is_given_up() {
    let slow = node(
        "Slow",
        "@n8n/n8n-nodes-langchain.toolCode",
        1.3,
        js!({ "name": "Slow", "description": "Slow", "jsCode": "await new Promise(done => setTimeout(done, 20000)); return 'late'" }),
    );
    let mock = MockModels::start([
        ScriptedReply::call("Slow", js!({ "query": "x" })),
        ScriptedReply::text("done"),
    ])
    .unwrap();
    let parameters = js!({ "userMessage": "go", "options": { "toolTimeout": 300 } });
    let document = workflow(
        node("Agent", "ai-agent", 1.0, parameters),
        &[(openai("Model"), "ai_languageModel", "Agent"), (slow, "ai_tool", "Agent")],
    );
    let began = std::time::Instant::now();
    let outcome = run(&mock, &document).await;
    assert!(began.elapsed() < Duration::from_secs(15));
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    let told = mock.requests()[1].body["messages"].as_array().unwrap().last().unwrap().to_string();
    assert!(told.contains("timed out after 300 ms"), "{told}");
}

/// The operator's limit is above that of the node.
#[tokio::test]
async fn issue_17_01_no_node_calls_its_model_more_often_than_the_operator_allows() {
    let mock = endless();
    let agent = node("Agent", "ai-agent", 1.0, js!({ "userMessage": "go", "maxIterations": 5000 }));
    let error = run(&mock, &with_calculator(agent)).await.error.unwrap();
    let most = node_api::ai::AgentLimits::default().max_iterations;
    assert_eq!((error.code, mock.requests().len()), (Code::AGENT_LIMIT, most), "{}", error.message);
}
