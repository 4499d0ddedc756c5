//! Agents that would never end, grow for ever or cost too much come to an end, each by a
//! limit with a name.
//!
//! | case | test |
//! | --- | --- |
//! | a model that always calls a tool, or two in turns | `a_model_that_never_stops_calling_is_stopped`, `two_calls_in_turns_with_the_same_arguments_come_to_an_end` (`agent/tests/integration/hostile_calls.rs`) |
//! | a model that never finishes its answer | `a_model_that_never_finishes_is_not_waited_for_longer_than_the_agent_may_take` |
//! | a context that grows | `a_conversation_grows_by_no_more_than_the_results_may_take` |
//! | a budget hit in the middle of parallel calls | `of_twenty_runs_at_once_…`, `of_twenty_items_at_once_…` (`budgets.rs`), `account.rs` of the engine |
//! | a tree of 50 agents | `a_tree_of_fifty_agents_ends_at_the_tenth` (`agent_tools.rs`) |
//! | a fan-out of a million items | `a_million_items_stop_where_the_budget_does` |
//! | a conclusion at 89, 90 and 91 % | `a_conclusion_is_asked_for_at_nine_tenths_of_the_budget` (`agent/tests/integration/budget.rs`) |
//! | retries × iterations | `an_agent_at_its_limit_is_not_tried_again` |
//! | what is fetched for a model | `a_tool_takes_in_no_more_than_32_megabytes` |
//!
//! Cycles and numbers of steps are a planner's, which is not there yet.

use crate::support::in_process::{credential, n8n, node, openai, run_document, workflow};
use model::Code;
use serde_json::{Value as Json, json as js};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use testkit::{FakeHttp, FakeResponse, MockModels, NetFault, ScriptedReply};

/// An agent with a calculator.
fn agent(parameters: Json) -> Json {
    let agent = node("Agent", "ai-agent", 1.0, parameters);
    workflow(
        agent,
        &[
            (openai("Model"), "ai_languageModel", "Agent"),
            (node("Calculator", "calculator-tool", 1.0, js!({})), "ai_tool", "Agent"),
        ],
    )
}

/// A model that always has something more to calculate.
fn endless() -> MockModels {
    let number = AtomicUsize::new(0);
    MockModels::with_replies(move |_| {
        let next = number.fetch_add(1, Ordering::Relaxed);
        ScriptedReply::call("calculator", js!({ "expression": format!("{next}+1") }))
    })
    .unwrap()
}

/// n8n#37779: a limit is a limit for all tries together.
#[tokio::test]
async fn an_agent_at_its_limit_is_not_tried_again() {
    let mock = endless();
    let mut document = agent(js!({ "userMessage": "go", "maxIterations": 3 }));
    document["nodes"][1]["retryOnFail"] = js!(true);
    document["nodes"][1]["maxTries"] = js!(5);
    document["nodes"][1]["waitBetweenTries"] = js!(0);
    let error =
        run_document(credential(&mock, mock.v1()), &document, js!([{}])).await.error.unwrap();
    assert_eq!((error.code, mock.requests().len()), (Code::AGENT_LIMIT, 3), "{}", error.message);
}

#[tokio::test]
async fn a_model_that_never_finishes_is_not_waited_for_longer_than_the_agent_may_take() {
    for fault in [NetFault::NoReply, NetFault::ByteEvery(50), NetFault::CommentsOnly] {
        let mock = MockModels::with_replies(move |_| {
            ScriptedReply::text(&"on and on ".repeat(100)).with_fault(fault)
        })
        .unwrap();
        let began = Instant::now();
        let document = agent(js!({ "userMessage": "go", "options": { "timeout": 700 } }));
        let error =
            run_document(credential(&mock, mock.v1()), &document, js!([{}])).await.error.unwrap();
        assert!(
            matches!(error.code, Code::RUN_TIMEOUT | Code::MODEL_TIMEOUT | Code::MODEL_ERROR),
            "{fault:?}: {}",
            error.message
        );
        assert!(began.elapsed() < Duration::from_secs(40), "{fault:?}");
    }
}

#[tokio::test]
async fn a_conversation_grows_by_no_more_than_the_results_may_take() {
    const RESULT: usize = 1000;
    const ROUNDS: usize = 8;
    let mock = MockModels::with_replies(|body| {
        let round = body["messages"].as_array().map_or(0, Vec::len);
        ScriptedReply::call("Grow", js!({ "query": round.to_string() }))
    })
    .unwrap();
    let grow = n8n(
        "Grow",
        "toolCode",
        1.3,
        js!({ "name": "Grow", "description": "Grows", "jsCode": "return 'x'.repeat(60000)" }),
    );
    let parameters = js!({ "userMessage": "go", "maxIterations": ROUNDS, "options": { "maxResultBytes": RESULT } });
    let document = workflow(
        node("Agent", "ai-agent", 1.0, parameters),
        &[(openai("Model"), "ai_languageModel", "Agent"), (grow, "ai_tool", "Agent")],
    );
    let error =
        run_document(credential(&mock, mock.v1()), &document, js!([{}])).await.error.unwrap();
    assert_eq!(error.code, Code::AGENT_LIMIT, "{}", error.message);
    let sizes: Vec<usize> =
        mock.requests().iter().map(|asked| asked.body.to_string().len()).collect();
    assert_eq!(sizes.len(), ROUNDS);
    assert!(sizes.windows(2).all(|pair| pair[1] - pair[0] < RESULT + 500), "{sizes:?}");
}

#[tokio::test]
async fn a_million_items_stop_where_the_budget_does() {
    let mock =
        MockModels::with_replies(|_| ScriptedReply::text("fine").with_usage(20, 10)).unwrap();
    let mut document = agent(js!({ "userMessage": "go" }));
    document["settings"]["budget"] = js!({ "run": { "tokens": 90 } });
    let items: Json = (0..1_000_000).map(|_| js!({})).collect();
    let error = run_document(credential(&mock, mock.v1()), &document, items).await.error.unwrap();
    assert_eq!((error.code, mock.requests().len()), (Code::BUDGET_REACHED, 3), "{}", error.message);
}

/// A service whose answers are larger than anything that fits into a conversation.
fn large_service(megabytes: usize) -> FakeHttp {
    // Without a length, so that only the bytes themselves tell.
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n";
    let body = vec![b'x'; megabytes << 20];
    FakeHttp::fixed(FakeResponse::raw([head.as_bytes(), &body].concat()))
}

#[tokio::test]
async fn a_tool_takes_in_no_more_than_32_megabytes() {
    assert_eq!(node_api::http::MAX_MODEL_BYTES, 32 << 20);
    for (megabytes, is_taken) in [(2, true), (40, false)] {
        let service = large_service(megabytes);
        let mock =
            MockModels::start([ScriptedReply::call("Fetch", js!({})), ScriptedReply::text("done")])
                .unwrap();
        let fetch = node(
            "Fetch",
            "n8n-nodes-base.httpRequestTool",
            4.2,
            js!({ "url": service.url("/"), "options": {} }),
        );
        let document = workflow(
            node("Agent", "ai-agent", 1.0, js!({ "userMessage": "go" })),
            &[(openai("Model"), "ai_languageModel", "Agent"), (fetch, "ai_tool", "Agent")],
        );
        let outcome = run_document(credential(&mock, mock.v1()), &document, js!([{}])).await;
        assert!(
            outcome.error.is_none(),
            "a tool that fails is the model's affair: {:?}",
            outcome.error
        );
        let told =
            mock.requests()[1].body["messages"].as_array().unwrap().last().unwrap()["content"]
                .to_string();
        assert_eq!(
            told.contains("The response exceeds the limit of 33554432 bytes"),
            !is_taken,
            "{}",
            &told[..told.len().min(300)]
        );
        let record = &outcome.runs_of("Fetch")[0];
        assert_eq!(record.error.is_none(), is_taken);
        if let Some(error) = &record.error {
            assert_eq!(
                error.description.as_deref(),
                Some("UPSTREAM_TOO_LARGE"),
                "the code stands in the record"
            );
        }
    }
}
