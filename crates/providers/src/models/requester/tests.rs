//! Pauses and limits to the millisecond, on a clock that moves only when somebody waits.

use super::super::failure::node_error;
use super::super::timing::testing::TestTiming;
use super::super::wire::WireLimits;
use super::*;
use bytes::Bytes;
use futures::StreamExt as _;
use model::Code;
use node_api::ai::{Message, StopReason, TokenUsage};
use node_api::http::{Http, HttpError, HttpRequest, HttpResponse, HttpStream};
use std::collections::VecDeque;
use std::sync::Mutex;

/// One answer: a status with headers, the pieces of its body, and what happens after them.
struct Script {
    status: u16,
    headers: Vec<(&'static str, &'static str)>,
    pieces: Vec<&'static str>,
    then: Then,
}

#[derive(Clone, Copy, PartialEq)]
enum Then {
    Ends,
    Breaks,
    Hangs,
    /// It does not even begin.
    NeverBegins,
}

struct Scripted(Mutex<VecDeque<Script>>);

#[async_trait::async_trait]
impl Http for Scripted {
    async fn send(&self, _: HttpRequest) -> Result<HttpResponse, HttpError> {
        Err(HttpError::Unreachable { reason: "only streams are opened here".into(), errno: None })
    }

    async fn open(&self, request: HttpRequest) -> Result<HttpStream, HttpError> {
        assert_eq!(request.header("accept-encoding"), Some("identity"));
        let script =
            self.0.lock().unwrap().pop_front().expect("nobody asks more often than the test says");
        if script.then == Then::NeverBegins {
            std::future::pending::<()>().await;
        }
        let pieces = futures::stream::iter(
            script.pieces.into_iter().map(|piece| Ok(Bytes::from_static(piece.as_bytes()))),
        );
        let broken = || {
            Err(HttpError::Unreachable {
                reason: "read ECONNRESET".into(),
                errno: Some("ECONNRESET"),
            })
        };
        let body = match script.then {
            Then::Hangs => pieces.chain(futures::stream::pending()).boxed(),
            Then::Breaks => {
                pieces.chain(futures::stream::once(std::future::ready(broken()))).boxed()
            }
            Then::Ends | Then::NeverBegins => pieces.boxed(),
        };
        let headers = script
            .headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        Ok(HttpStream {
            status: script.status,
            status_text: "".into(),
            headers,
            url: String::new(),
            body,
        })
    }
}

/// A format in which a full stop ends an answer.
struct Words;

struct WordsDecoder(String);

impl ErrorDecoder for Words {
    fn decode_error(
        &self,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
        unix_ms: i64,
    ) -> ModelFailure {
        let code = if status == 429 { Code::MODEL_RATE_LIMIT } else { Code::MODEL_ERROR };
        ModelFailure::of_status(status, code, &String::from_utf8_lossy(body), headers, unix_ms)
    }
}

impl ChatFormat for Words {
    fn decoder(&self) -> Box<dyn ReplyDecoder> {
        Box::new(WordsDecoder(String::new()))
    }
}

impl ReplyDecoder for WordsDecoder {
    fn feed(
        &mut self,
        bytes: &[u8],
        events: &mut Vec<ChatEvent>,
    ) -> Result<DecodeProgress, ModelFailure> {
        let text = String::from_utf8_lossy(bytes);
        self.0.push_str(&text);
        events.push(ChatEvent::Text(text.as_ref().into()));
        Ok(if text.ends_with('.') { DecodeProgress::Complete } else { DecodeProgress::More })
    }

    fn finish(&mut self, _: &mut Vec<ChatEvent>) -> Result<ModelReply, ModelFailure> {
        if !self.0.ends_with('.') {
            return Err(ModelFailure::unreadable("no full stop"));
        }
        Ok(ModelReply {
            message: Message::assistant(self.0.as_str()),
            stop: StopReason::Stop,
            usage: TokenUsage::default(),
            model: "m".into(),
        })
    }
}

const LIMITS: WireLimits = WireLimits {
    connect_ms: 1_000,
    first_byte_ms: 30_000,
    idle_ms: 10_000,
    whole_ms: 100_000,
    answer_bytes: 1 << 20,
    line_bytes: 1 << 20,
};

fn says(pieces: &[&'static str], then: Then) -> Script {
    Script { status: 200, headers: Vec::new(), pieces: pieces.to_vec(), then }
}

fn refuses(status: u16, headers: &[(&'static str, &'static str)]) -> Script {
    Script { status, headers: headers.to_vec(), pieces: vec!["no"], then: Then::Ends }
}

struct Outcome {
    told: Vec<ChatEvent>,
    end: Result<String, ModelError>,
    pace: Arc<TestTiming>,
    left: usize,
}

async fn ask(scripts: Vec<Script>, limits: WireLimits) -> Outcome {
    let http = Arc::new(Scripted(Mutex::new(scripts.into())));
    let pace = Arc::new(TestTiming::new());
    let asker = ModelRequester {
        wire: Wire::new(http.clone(), pace.clone(), limits),
        retry: RetryPolicy::default(),
        limiter: Arc::default(),
        secrets: Vec::new(),
    };
    let mut told = Vec::new();
    let mut end = None;
    {
        let mut stream = asker.stream(WireRequest::get("http://h.test/".into()), &Words);
        while let Some(event) = stream.next().await {
            match event {
                Ok(ChatEvent::Done(turn)) => end = Some(Ok(turn.message.text().to_string())),
                Ok(event) => told.push(event),
                Err(error) => end = Some(Err(error)),
            }
        }
    }
    let left = http.0.lock().unwrap().len();
    Outcome { told, end: end.expect("a stream has an end"), pace, left }
}

fn pauses(outcome: &Outcome) -> Vec<u64> {
    outcome
        .told
        .iter()
        .filter_map(|event| {
            if let ChatEvent::Retry { wait_ms, .. } = event { Some(*wait_ms) } else { None }
        })
        .collect()
}

#[tokio::test]
async fn pauses_double_and_end() {
    let outcome = ask(
        vec![refuses(500, &[]), refuses(502, &[]), says(&["Good", " day."], Then::Hangs)],
        LIMITS,
    )
    .await;
    assert_eq!(pauses(&outcome), [500, 1_000]);
    assert_eq!(outcome.end.unwrap(), "Good day.");
    let outcome = ask(
        vec![refuses(500, &[]), refuses(500, &[]), refuses(503, &[]), says(&["late."], Then::Ends)],
        LIMITS,
    )
    .await;
    assert_eq!((outcome.end.unwrap_err().status, outcome.left), (Some(503), 1));
}

#[tokio::test]
async fn the_pause_that_was_asked_for_is_waited_for_and_not_less() {
    let outcome =
        ask(vec![refuses(429, &[("retry-after", "7")]), says(&["ok."], Then::Ends)], LIMITS).await;
    assert_eq!(pauses(&outcome), [7_125]);
    assert!(outcome.pace.slept_ms().contains(&7_125));
    let date = ("retry-after", "Tue, 14 Nov 2023 22:13:30 GMT");
    let outcome = ask(vec![refuses(429, &[date]), says(&["ok."], Then::Ends)], LIMITS).await;
    assert_eq!(pauses(&outcome), [10_125]);
    let outcome =
        ask(vec![refuses(429, &[("retry-after", "3600")]), says(&["ok."], Then::Ends)], LIMITS)
            .await;
    assert_eq!((outcome.end.unwrap_err().code, outcome.left), (Code::MODEL_RATE_LIMIT, 1));
}

#[tokio::test]
async fn a_pause_that_does_not_fit_into_the_whole_is_not_begun() {
    let limits = WireLimits { whole_ms: 5_000, ..LIMITS };
    let outcome =
        ask(vec![refuses(429, &[("retry-after", "7")]), says(&["ok."], Then::Ends)], limits).await;
    assert_eq!((outcome.end.unwrap_err().code, outcome.left), (Code::MODEL_RATE_LIMIT, 1));
    assert!(outcome.pace.slept_ms().is_empty());
}

#[tokio::test]
async fn each_limit_is_waited_for_exactly() {
    for (script, slept, name) in [
        (says(&[], Then::NeverBegins), 30_000, "first byte"),
        (says(&[], Then::Hangs), 30_000, "first byte"),
        (says(&["a"], Then::Hangs), 10_000, "idle"),
    ] {
        let outcome = ask(vec![script, says(&["ok."], Then::Ends)], LIMITS).await;
        assert_eq!(outcome.pace.slept_ms().first(), Some(&slept), "{name}");
        match outcome.end {
            // Nothing had been said, so it was asked again.
            Ok(text) => assert_eq!((text.as_str(), name), ("ok.", "first byte")),
            Err(error) => assert!(
                error.code == Code::MODEL_TIMEOUT && error.message.contains(name),
                "{error:?}"
            ),
        }
    }
    let limits = WireLimits { whole_ms: 4_000, ..LIMITS };
    let error = ask(vec![says(&["a"], Then::Hangs)], limits).await.end.unwrap_err();
    assert!(error.message.contains("'whole' is 4 s"), "{error:?}");
    assert_eq!(node_error(error).code(), Code::MODEL_TIMEOUT);
}

#[tokio::test]
async fn what_breaks_is_asked_again_only_before_the_first_word() {
    let outcome = ask(vec![says(&[], Then::Breaks), says(&["ok."], Then::Ends)], LIMITS).await;
    assert_eq!(outcome.end.unwrap(), "ok.");
    let outcome = ask(vec![says(&["o"], Then::Breaks), says(&["ok."], Then::Ends)], LIMITS).await;
    let error = outcome.end.unwrap_err();
    assert!(
        error.may_pass && error.message.starts_with("The model's response was cut off"),
        "{error:?}"
    );
    assert_eq!((outcome.told, outcome.left), (vec![ChatEvent::Text("o".into())], 1));
    let outcome = ask(vec![says(&["o"], Then::Ends), says(&["ok."], Then::Ends)], LIMITS).await;
    assert_eq!((outcome.end.unwrap_err().message.as_str(), outcome.left), ("no full stop", 1));
}
