//! Servers that are slow, break off, lie, or say no.

use super::server::{
    END, HELLO, KEY, Server, answer, ask, chunk, chunked, good, head, limits, model, send,
};
use heddle_providers::models::wire::WireLimits;
use model::Code;
use node_api::ai::{ChatEvent, ModelError, StopReason};
use std::time::{Duration, Instant};
use testkit::FakeStep;

fn retries(told: &[ChatEvent]) -> usize {
    told.iter().filter(|event| matches!(event, ChatEvent::Retry { .. })).count()
}

/// A server that fails once like this and is well afterwards: the answer comes, after one retry
/// that was told.
async fn heals(first: Vec<FakeStep>) -> u64 {
    let server = Server::start(vec![first, good()]);
    let (told, turn) = server.ask().await;
    assert_eq!(turn.unwrap().message.text(), "Hello");
    assert_eq!((retries(&told), server.requests().len()), (1, 2), "{told:?}");
    match &told[0] {
        ChatEvent::Retry { attempt: 1, wait_ms, cause } => {
            assert!(!cause.is_empty() && !cause.contains(KEY));
            *wait_ms
        }
        other => panic!("{other:?}"),
    }
}

/// A server that always fails like this.
async fn fails(script: Vec<FakeStep>) -> (usize, ModelError) {
    let server = Server::start(vec![script]);
    let (told, turn) = server.ask().await;
    let error = turn.unwrap_err();
    assert!(!format!("{error:?}").contains(KEY), "{error:?}");
    assert_eq!(server.requests().len(), retries(&told) + 1);
    (retries(&told), error)
}

#[tokio::test]
async fn what_passes_is_asked_again() {
    heals(vec![answer(500, "", "oops")]).await;
    heals(vec![answer(408, "", "")]).await;
    heals(vec![answer(409, "", "")]).await;
    heals(vec![FakeStep::Reset]).await;
    heals(vec![head(), FakeStep::Reset]).await;
    heals(vec![head()]).await;
    heals(vec![head(), send(": ping\n\n: ping\n\n")]).await;
    heals(vec![head(), send("data: {\"error\":{\"message\":\"overloaded\",\"code\":503}}\n\n")])
        .await;
    heals(vec![chunked(), FakeStep::Reset]).await;
    heals(vec![answer(400, "x-should-retry: true\r\n", "{}")]).await;
}

#[tokio::test]
async fn what_does_not_pass_is_not_asked_again() {
    for (status, headers, body, code) in [
        (400, "", r#"{"error":{"message":"bad"}}"#, Code::MODEL_REQUEST),
        (400, "", r#"{"error":{"code":"context_length_exceeded"}}"#, Code::MODEL_CONTEXT),
        (
            401,
            "",
            r#"{"error":{"message":"Incorrect API key provided: sk-canary-0123456789"}}"#,
            Code::INVALID_CREDENTIALS,
        ),
        (404, "", r#"{"error":{"code":"model_not_found"}}"#, Code::MODEL_NOT_FOUND),
        (
            429,
            "retry-after: 1\r\n",
            r#"{"error":{"code":"insufficient_quota"}}"#,
            Code::MODEL_QUOTA,
        ),
        (429, "retry-after: 3600\r\n", "{}", Code::MODEL_RATE_LIMIT),
        (500, "x-should-retry: false\r\n", "{}", Code::MODEL_ERROR),
    ] {
        let (retries, error) = fails(vec![answer(status, headers, body)]).await;
        assert_eq!((retries, error.code, error.status), (0, code, Some(status)), "{body}");
    }
    let (retries, error) = fails(vec![answer(503, "", "<html>")]).await;
    assert_eq!((retries, error.code, error.may_pass), (2, Code::MODEL_ERROR, true));
}

#[tokio::test]
async fn pauses_that_servers_ask_for_are_kept() {
    assert!(heals(vec![answer(429, "retry-after-ms: 40\r\n", "{}")]).await >= 40);
    assert!(heals(vec![answer(429, "retry-after: 0\r\n", "{}")]).await <= 5);
    assert!(heals(vec![answer(429, "retry-after: soon\r\n", "{}")]).await <= 5);
    assert!(
        heals(vec![answer(429, "retry-after: Wed, 21 Oct 2015 07:28:00 GMT\r\n", "{}")]).await <= 5
    );
}

#[tokio::test]
async fn what_was_said_is_not_said_again() {
    for broken in [
        vec![head(), send(HELLO), FakeStep::Reset],
        vec![head(), send(HELLO)],
        vec![head(), send(HELLO), send("data: {\"choices\":[{\"delta\":{\"con")],
        vec![chunked(), chunk(HELLO)],
        vec![
            head(),
            send(HELLO),
            send("data: {\"error\":{\"message\":\"overloaded\",\"code\":503}}\n\n"),
        ],
    ] {
        let server = Server::start(vec![broken, good()]);
        let (told, turn) = server.ask().await;
        assert_eq!(told, [ChatEvent::Text("Hel".into())]);
        let error = turn.unwrap_err();
        assert_eq!(
            (error.code, error.may_pass, server.requests().len()),
            (Code::MODEL_ERROR, true, 1),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn a_connection_that_breaks_after_the_last_word_has_lost_nothing() {
    let ended = END.replace("data: [DONE]\n\n", "");
    for broken in [
        vec![chunked(), chunk(HELLO), chunk(&ended)],
        vec![chunked(), chunk(HELLO), chunk(&ended), FakeStep::Reset],
    ] {
        let server = Server::start(vec![broken]);
        let (told, turn) = server.ask().await;
        assert_eq!((turn.unwrap().message.text().as_str(), told.len()), ("Hello", 2));
    }
}

#[tokio::test]
async fn bytes_that_trickle_one_by_one_make_the_same_answer() {
    let text = "data: {\"choices\":[{\"delta\":{\"content\":\"Grüße 😀\"}}]}\r\n\r\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\
                \"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":\\\"ä\\\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}\r\n\r\ndata: [DONE]";
    let mut script = vec![head()];
    for byte in text.as_bytes() {
        script.push(FakeStep::Send(vec![*byte]));
        script.push(FakeStep::Wait(Duration::from_micros(200)));
    }
    let server = Server::start(vec![script]);
    let turn = server.ask().await.1.unwrap();
    assert_eq!(
        (turn.message.text().as_str(), turn.stop.clone()),
        ("Grüße 😀", StopReason::ToolCalls)
    );
    assert_eq!(turn.message.tool_calls().next().unwrap().arguments.to_text(), r#"{"a":"ä"}"#);
}

#[tokio::test]
async fn each_wait_has_its_own_limit_with_a_name() {
    let wide = WireLimits { first_byte_ms: 30_000, idle_ms: 30_000, whole_ms: 30_000, ..limits() };
    let (first_byte, idle, whole) = (
        WireLimits { first_byte_ms: 150, ..wide },
        WireLimits { idle_ms: 150, ..wide },
        WireLimits { whole_ms: 600, ..wide },
    );
    let slowly: Vec<FakeStep> = [head()]
        .into_iter()
        .chain((0..100).flat_map(|_| [send(HELLO), FakeStep::Wait(Duration::from_millis(50))]))
        .collect();
    for (name, tight, script) in [
        ("first byte", first_byte, vec![FakeStep::Hang]),
        ("first byte", first_byte, vec![head(), FakeStep::Hang]),
        ("idle", idle, vec![head(), send(HELLO), FakeStep::Hang]),
        ("whole", whole, slowly),
    ] {
        let server = Server::start(vec![script]);
        let begin = Instant::now();
        let error = ask(&model(server.settings(), tight)).await.1.unwrap_err();
        assert_eq!(error.code, Code::MODEL_TIMEOUT, "{error:?}");
        assert!(error.message.contains(&format!("'{name}'")), "{error:?}");
        assert!(begin.elapsed() < Duration::from_secs(25), "{name} took {:?}", begin.elapsed());
    }
}

#[tokio::test]
async fn endless_lines_and_endless_answers_are_cut() {
    let small = WireLimits { line_bytes: 10_000, answer_bytes: 100_000, ..limits() };
    let line = format!("data: {}", "x".repeat(20_000));
    let many = HELLO.repeat(4_000);
    for (script, words) in [
        (vec![head(), send(&line), FakeStep::Hang], "longer than 10000"),
        (vec![head(), send(&many), FakeStep::Hang], "exceeds the limit of 100000"),
    ] {
        let server = Server::start(vec![script]);
        let error = ask(&model(server.settings(), small)).await.1.unwrap_err();
        assert_eq!(
            (error.code, error.message.contains(words)),
            (Code::MODEL_ERROR, true),
            "{error:?}"
        );
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn closed_addresses_stay_closed_and_redirects_lose_the_key() {
    let other = Server::start(vec![good()]);
    let location = format!("Location: http://{}/v1/chat/completions\r\n", other.address);
    let server = Server::start(vec![vec![answer(307, &location, "")]]);
    let mut settings = server.settings();
    settings.headers.push((
        "x-team-key".into(),
        heddle_providers::models::secret::Secret::new("team-canary-77"),
    ));
    ask(&model(settings, limits())).await.1.unwrap();
    assert!(server.requests()[0].contains(KEY) && server.requests()[0].contains("team-canary-77"));
    assert!(
        !other.requests()[0].contains(KEY) && !other.requests()[0].contains("team-canary-77"),
        "{}",
        other.requests()[0]
    );
    let inside =
        Server::start(vec![vec![answer(307, "Location: http://169.254.169.254/latest\r\n", "")]]);
    let (told, turn) = inside.ask().await;
    assert_eq!((turn.unwrap_err().code, told.len()), (Code::EGRESS_BLOCKED, 0));
}
