//! Whatever a model calls, and whatever a tool gives back, is checked before it goes on;
//! and tools stay within their limits.
//!
//! | case | test |
//! | --- | --- |
//! | unknown tool, a name that differs by case or a letter that looks alike | `a_name_is_the_tools_to_the_letter` |
//! | arguments that are no JSON, or JSON in a text | `arguments_that_are_no_object_are_refused` |
//! | wrong type, extra, missing and duplicate keys, `{}`, 1e999, `__proto__` | `arguments_that_do_not_fit_are_refused_with_the_reason`, `keys_of_other_languages_are_only_keys` |
//! | 5 MB, a depth of 10,000 | `huge_and_deep_arguments_are_refused_in_few_words` |
//! | duplicate ids of calls | `calls_with_one_id_are_told_apart_or_made_once` |
//! | 500 calls in one reply | `of_five_hundred_calls_in_one_reply_a_few_are_made_and_all_are_answered`, `the_same_call_many_times_in_one_reply_is_made_three_times` |
//! | a second call in agent-core | `a_second_call_in_one_reply_ends_it_before_anything_runs` (`react.rs`) |
//! | a result of 50 MB, control characters | `results_are_cut_and_cleaned` |
//! | a schema with a loop, with a remote reference, with a bad pattern | `a_schema_that_cannot_be_checked_is_no_tool` |
//!
//! The table of limits is in `heddle/tests/integration/agent_limits.rs`.

use crate::support::{CallLedger, ScriptedModel, TestAgentHost, answers, calls, tool, tool_with};
use heddle_agent::{AgentError, AgentOptions, OnLimit, ToolGuard, ToolsAgent};
use model::{Code, Object, Value, json};
use ports::ai::{ChatRole, Message, MessagePart, Tool, ToolArguments, ToolCall, ToolEffect};
use std::sync::Arc;

fn strict_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "city": { "type": "string" }, "days": { "type": "number" } },
        "required": ["city"],
        "additionalProperties": false
    })
}

fn guard(ledger: &Arc<CallLedger>) -> ToolGuard {
    let weather =
        tool_with("get_weather", strict_schema(), ToolEffect::None, ledger, |_| Ok("sunny".into()));
    ToolGuard::new(
        vec![weather, tool("open", ToolEffect::None, ledger, |_| Ok("done".into()))],
        1000,
    )
    .unwrap()
}

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: "1".into(),
        name: name.into(),
        arguments: ToolArguments::parse(arguments),
        opaque: None,
    }
}

/// Why a call is not made.
#[track_caller]
fn refusal(name: &str, arguments: &str) -> String {
    match guard(&CallLedger::new()).admit(&call(name, arguments)) {
        Ok(_) => panic!("{name} {arguments} was let through"),
        Err(refused) => refused.0.to_string(),
    }
}

#[test]
fn a_name_is_the_tools_to_the_letter() {
    for name in [
        "get_time",
        "Get_Weather",
        "GET_WEATHER",
        "get_wеather",
        "get_weather ",
        "get_weather\u{200b}",
        "",
        "../get_weather",
    ] {
        assert!(
            refusal(name, r#"{ "city": "Lyon" }"#)
                .starts_with(&format!("There is no tool '{name}'. The tools are: ")),
            "{name:?}"
        );
    }
}

#[test]
fn arguments_that_are_no_object_are_refused() {
    for arguments in [
        "Lyon",
        r#""Lyon""#,
        "[]",
        "null",
        "{",
        r#"{ "city": "#,
        r#""{ \"city\": \"Lyon\" }""#,
        "NaN",
        r#"{ city: 'Lyon' }"#,
    ] {
        assert!(refusal("get_weather", arguments).contains("are not a JSON object"), "{arguments}");
    }
}

#[test]
fn arguments_that_do_not_fit_are_refused_with_the_reason() {
    for (arguments, reason) in [
        ("{}", "\"city\" is a required property"),
        ("", "\"city\" is a required property"),
        (r#"{ "city": 5 }"#, "/city: 5 is not of type \"string\""),
        (r#"{ "city": null }"#, "/city: null is not of type \"string\""),
        (r#"{ "city": "Lyon", "days": "3" }"#, "/days: \"3\" is not of type \"number\""),
        (r#"{ "city": "Lyon", "days": 1e999 }"#, "/days: "),
        (r#"{ "city": "Lyon", "admin": true }"#, "admin"),
        (r#"{ "city": "Lyon", "__proto__": { "admin": true } }"#, "__proto__"),
        (r#"{ "city": "Lyon", "city": 5 }"#, "/city: 5 is not of type \"string\""),
    ] {
        let told = refusal("get_weather", arguments);
        assert!(
            told.starts_with("The arguments of 'get_weather' ") && told.contains(reason),
            "{arguments}: {told}"
        );
    }
}

#[test]
fn keys_of_other_languages_are_only_keys() {
    let guard = guard(&CallLedger::new());
    let (_, arguments) =
        guard.admit(&call("open", r#"{ "__proto__": { "a": 1 }, "constructor": 2 }"#)).unwrap();
    assert_eq!(Value::from(arguments.clone()).get("a"), None);
    assert_eq!(arguments.get("constructor"), Some(&json!(2)));
}

#[test]
fn huge_and_deep_arguments_are_refused_in_few_words() {
    let huge = format!(r#"{{ "city": "{}" }}"#, "x".repeat(5 << 20));
    let told = refusal("get_weather", &huge);
    assert!(told.contains("the limit is 1048576") && told.len() < 200, "{}", told.len());
    let wrong = format!(r#"{{ "city": [{}] }}"#, "\"x\",".repeat(100_000) + "1");
    assert!(refusal("get_weather", &wrong).len() < 600);
    for depth in [200, 10_000] {
        let deep = format!(r#"{{ "a": {}{} }}"#, "[".repeat(depth), "]".repeat(depth));
        let told = refusal("open", &deep);
        assert!(told.starts_with("The arguments of 'open' "), "{told}");
    }
}

#[test]
fn a_schema_that_cannot_be_checked_is_no_tool() {
    let schemas = [
        json!({ "$ref": "#" }),
        json!({ "type": "object", "properties": { "a": { "$ref": "https://example.com/a.json" } } }),
        json!({ "type": "object", "properties": { "a": { "type": "string", "pattern": "(" } } }),
    ];
    for schema in schemas {
        let tool = tool_with("odd", schema.clone(), ToolEffect::None, &CallLedger::new(), |_| {
            Ok(Value::Null)
        });
        let error = ToolGuard::new(vec![tool], 1000).err().unwrap();
        assert!(matches!(&error, AgentError::Schema { tool, .. } if tool == "odd"), "{error}");
    }
}

#[test]
fn results_are_cut_and_cleaned() {
    let guard = guard(&CallLedger::new());
    let cut = guard.capped("é".repeat(25 << 20).into());
    assert!(
        cut.len() < 1100 && cut.ends_with("[cut: 1000 of 52428800 bytes]"),
        "{}",
        &cut[cut.len() - 40..]
    );
    assert_eq!(guard.capped("a\u{0}b\u{1b}[31m\u{7}\tc\n".into()), "ab[31m\tc\n");
}

fn agent(
    script: &Arc<ScriptedModel>,
    tools: Vec<Arc<dyn Tool>>,
    options: AgentOptions,
) -> ToolsAgent {
    ToolsAgent {
        model: script.clone(),
        guard: ToolGuard::new(tools, 1000).unwrap(),
        memory: None,
        options,
    }
}

fn turn(calls: &[(&str, &str)]) -> Message {
    let part = |(id, name): &(&str, &str)| {
        MessagePart::ToolCall(ToolCall {
            id: (*id).into(),
            name: (*name).into(),
            arguments: ToolArguments::Parsed(Object::new()),
            opaque: None,
        })
    };
    Message::new(ChatRole::Assistant, calls.iter().map(part).collect())
}

#[tokio::test]
async fn calls_with_one_id_are_told_apart_or_made_once() {
    let script =
        ScriptedModel::of([turn(&[("c", "one"), ("c", "one"), ("c", "two")]), answers("done")]);
    let ledger = CallLedger::new();
    let tools = ["one", "two"]
        .map(|name| tool(name, ToolEffect::Changes, &ledger, move |_| Ok(name.into())))
        .to_vec();
    agent(&script, tools, AgentOptions::default())
        .run(&TestAgentHost::default(), Message::user("go"))
        .await
        .unwrap();
    assert_eq!((ledger.of("one"), ledger.of("two")), (1, 1));
    let asked = script.request(1).messages;
    let ids: Vec<String> = asked[2].tool_calls().map(|call| call.id.to_string()).collect();
    let answered: Vec<String> =
        asked[3].tool_results().map(|result| result.id.to_string()).collect();
    assert_eq!(ids, ["c", "c-2"]);
    assert_eq!(answered, ids);
}

#[tokio::test]
async fn of_five_hundred_calls_in_one_reply_a_few_are_made_and_all_are_answered() {
    let many: Vec<(&str, Value)> = (0..500).map(|n| ("look", json!({ "n": n }))).collect();
    let script = ScriptedModel::of([calls(&many), answers("done")]);
    let ledger = CallLedger::new();
    let tools = vec![tool("look", ToolEffect::None, &ledger, |_| Ok("x".into()))];
    agent(&script, tools, AgentOptions::default())
        .run(&TestAgentHost::default(), Message::user("go"))
        .await
        .unwrap();
    assert_eq!(ledger.count(), 32);
    let results: Vec<_> = script.request(1).messages[3].tool_results().cloned().collect();
    assert_eq!(results.len(), 500);
    assert!(
        results[499].is_error
            && results[499].content.starts_with("Only 32 calls per turn are made")
    );
}

#[tokio::test]
async fn the_same_call_many_times_in_one_reply_is_made_three_times() {
    let many: Vec<(&str, Value)> = (0..10).map(|_| ("look", json!({}))).collect();
    let script = ScriptedModel::of([calls(&many), answers("done")]);
    let ledger = CallLedger::new();
    let tools = vec![tool("look", ToolEffect::None, &ledger, |_| Ok("x".into()))];
    agent(&script, tools, AgentOptions::default())
        .run(&TestAgentHost::default(), Message::user("go"))
        .await
        .unwrap();
    assert_eq!(ledger.count(), 3);
}

#[tokio::test]
async fn a_model_that_never_stops_calling_is_stopped() {
    for names in [&["one"][..], &["one", "two"]] {
        let endless = (0..200).map(|n| calls(&[(names[n % names.len()], json!({ "n": n }))]));
        let (script, ledger) = (ScriptedModel::of(endless), CallLedger::new());
        let tools = ["one", "two"]
            .map(|name| tool(name, ToolEffect::None, &ledger, |_| Ok("more".into())))
            .to_vec();
        let error = agent(&script, tools, AgentOptions::default())
            .run(&TestAgentHost::default(), Message::user("go"))
            .await
            .unwrap_err();
        assert_eq!(error.into_node_error().code(), Code::AGENT_LIMIT);
        assert_eq!((script.n_requests(), ledger.count()), (10, 10));
    }
}

#[tokio::test]
async fn two_calls_in_turns_with_the_same_arguments_come_to_an_end() {
    let endless = (0..200).map(|n| calls(&[(["one", "two"][n % 2], json!({}))]));
    let (script, ledger) = (ScriptedModel::of(endless), CallLedger::new());
    let tools = ["one", "two"]
        .map(|name| tool(name, ToolEffect::None, &ledger, |_| Ok("more".into())))
        .to_vec();
    let options =
        AgentOptions { max_iterations: 100, on_limit: OnLimit::Error, ..AgentOptions::default() };
    let error = agent(&script, tools, options)
        .run(&TestAgentHost::default(), Message::user("go"))
        .await
        .unwrap_err();
    assert_eq!(
        error.into_node_error().code(),
        Code::MODEL_ERROR,
        "it is told, and stopped when it does not listen"
    );
    assert_eq!((ledger.of("one"), ledger.of("two")), (3, 3));
}

#[tokio::test]
async fn a_failure_goes_back_to_the_model_in_words() {
    let script = ScriptedModel::of([calls(&[("fail", json!({}))]), answers("sorry")]);
    let ledger = CallLedger::new();
    let tools =
        vec![tool("fail", ToolEffect::Changes, &ledger, |_| Err("no such\u{0} city".into()))];
    let outcome = agent(&script, tools, AgentOptions::default())
        .run(&TestAgentHost::default(), Message::user("go"))
        .await
        .unwrap();
    assert_eq!(outcome.record.tool_uses[0].content, "Tool 'fail' failed: no such city");
}
