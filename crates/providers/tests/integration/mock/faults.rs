//! Each fault in each format ends in a complete turn or in an error with a code, within a
//! limit, and never hangs.
//!
//! | case | test |
//! | --- | --- |
//! | no reply, a byte at a time, resets, everything about SSE, 429 with each pause, 500 then 200, model gone, usage missing or negative | `every_fault_of_…`, by `expected` |
//! | 401 in mid-run | `a_key_that_expires_in_the_middle_of_a_run_is_told_as_such` |
//! | a storm of 429 on 100 runs | `a_hundred_runs_that_are_too_many_do_not_come_back_together` (`models/storm.rs`), `limiter.rs` |
//! | a clock that jumps | `a_clock_that_jumps_makes_nobody_wait_for_years` (`src/models/retry.rs`); waits are on a clock that never goes back (`pace.rs`) |
//! | limits to the millisecond | `src/models/ask/tests.rs` |

use super::clients::{KEY, ask, model, request};
use heddle_providers::models::Delivery;
use model::Code;
use node_api::ai::{ChatEvent, StopReason};
use serde_json::json;
use std::collections::HashSet;
use std::time::Duration;
use testkit::{MockModels, NetFault, RetryAfter, ScriptedReply, WireFormat};

/// More than the client's own limit on everything together, also on a slow machine.
const LIMIT: Duration = Duration::from_secs(30);

const WORDS: &str = "Grüße 😀 from the mock";

/// How a fault ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// With the whole answer, as if nothing had been.
    Whole,
    /// With what was said up to where the server said that it is over.
    Cut,
    /// With the answer to a second request.
    Healed,
    Error(Code),
}

fn expected(fault: NetFault, format: WireFormat) -> End {
    match (fault, format) {
        (
            NetFault::NoReply
            | NetFault::ResetAfterHeaders
            | NetFault::ResetMidToken
            | NetFault::CommentsOnly
            | NetFault::ServerError,
            _,
        ) => End::Healed,
        (NetFault::TooMany(RetryAfter::AnHour), _) => End::Error(Code::MODEL_RATE_LIMIT),
        (NetFault::TooMany(_), _) => End::Healed,
        (NetFault::ByteEvery(_), _) => End::Error(Code::MODEL_TIMEOUT),
        (NetFault::ResetBeforeEnd | NetFault::LongLine(_) | NetFault::ErrorInside200, _) => {
            End::Error(Code::MODEL_ERROR)
        }
        // What ends the answer is the same event that marks the end.
        (NetFault::DoneMissing, WireFormat::OpenAiResponses | WireFormat::Ollama) => {
            End::Error(Code::MODEL_ERROR)
        }
        // Whoever says that it is over is taken at the word; what the responses API says at the end
        // holds all there was.
        (
            NetFault::DoneEarly,
            WireFormat::OpenAiChat | WireFormat::Anthropic | WireFormat::Ollama,
        ) => End::Cut,
        (NetFault::Unauthorized, _) => End::Error(Code::INVALID_CREDENTIALS),
        (NetFault::ModelGone, _) => End::Error(Code::MODEL_NOT_FOUND),
        _ => End::Whole,
    }
}

async fn check(format: WireFormat, fault: NetFault) {
    let calls_tools = matches!(
        fault,
        NetFault::ArgumentsByByte | NetFault::DuplicatedIndex | NetFault::OutOfOrderBlocks
    );
    let reply = match calls_tools {
        true => ScriptedReply::text("One moment.")
            .and_call("add", json!({ "a": "é", "n": [1, 2] }))
            .and_call("subtract", json!({ "b": "\"quoted\"" }))
            .with_fault(fault),
        false => ScriptedReply::text(WORDS).with_fault(fault),
    };
    let mock = MockModels::start([reply, ScriptedReply::text("healed")]).unwrap();
    let model = model(format, &mock, Delivery::Stream);
    let name = format!("{format:?} {fault:?}");
    let (told, turn) = tokio::time::timeout(LIMIT, ask(&*model, request()))
        .await
        .unwrap_or_else(|_| panic!("{name} hangs"));
    let n_asked = mock.requests().len();
    let end = match &turn {
        Err(error) => {
            assert!(!format!("{error:?}").contains(KEY), "{name}: {error:?}");
            End::Error(error.code)
        }
        Ok(turn) if turn.message.text() == "healed" => End::Healed,
        Ok(turn) if calls_tools || turn.message.text() == WORDS => End::Whole,
        Ok(_) => End::Cut,
    };
    assert_eq!(end, expected(fault, format), "{name}: {turn:?}");
    let retries = told.iter().filter(|event| matches!(event, ChatEvent::Retry { .. })).count();
    assert_eq!(
        (n_asked, retries),
        if end == End::Healed { (2, 1) } else { (1, 0) },
        "{name}: {told:?}"
    );
    let Ok(turn) = turn else { return };
    if matches!(fault, NetFault::UsageMissing | NetFault::UsageNegative) {
        assert_eq!((turn.usage.input, turn.usage.output), (0, 0), "{name}");
    }
    if calls_tools {
        let mut calls: Vec<_> = turn
            .message
            .tool_calls()
            .map(|call| format!("{} {}", call.name, call.arguments.to_text()))
            .collect();
        calls.sort();
        assert_eq!(
            calls,
            [r#"add {"a":"é","n":[1,2]}"#, r#"subtract {"b":"\"quoted\""}"#],
            "{name}"
        );
        let ids: HashSet<_> = turn.message.tool_calls().map(|call| call.id.clone()).collect();
        assert_eq!((ids.len(), &turn.stop), (2, &StopReason::ToolCalls), "{name}");
    }
}

async fn check_all(format: WireFormat) {
    for fault in NetFault::ALL {
        check(format, *fault).await;
    }
}

#[tokio::test]
async fn every_fault_of_chat_completions_ends_well_or_with_a_code() {
    check_all(WireFormat::OpenAiChat).await;
}

#[tokio::test]
async fn every_fault_of_responses_ends_well_or_with_a_code() {
    check_all(WireFormat::OpenAiResponses).await;
}

#[tokio::test]
async fn every_fault_of_anthropic_ends_well_or_with_a_code() {
    check_all(WireFormat::Anthropic).await;
}

#[tokio::test]
async fn every_fault_of_gemini_ends_well_or_with_a_code() {
    check_all(WireFormat::Gemini).await;
}

#[tokio::test]
async fn every_fault_of_ollama_ends_well_or_with_a_code() {
    check_all(WireFormat::Ollama).await;
}

#[tokio::test]
async fn a_key_that_expires_in_the_middle_of_a_run_is_told_as_such() {
    for format in WireFormat::ALL {
        let mock = MockModels::start([
            ScriptedReply::text("first"),
            ScriptedReply::fault(NetFault::Unauthorized),
        ])
        .unwrap();
        let model = model(*format, &mock, Delivery::Stream);
        assert_eq!(ask(&*model, request()).await.1.unwrap().message.text(), "first");
        let error = ask(&*model, request()).await.1.unwrap_err();
        assert_eq!(
            (error.code, error.status, error.may_pass),
            (Code::INVALID_CREDENTIALS, Some(401), true),
            "{format:?}"
        );
    }
}
