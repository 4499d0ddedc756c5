//! The good cases: what is sent, and what becomes of what comes.

use super::server::{self, HELLO, KEY, Server, answer, ask, good, limits, model, request, send};
use futures::StreamExt as _;
use heddle_providers::models::catalog::Catalog;
use heddle_providers::models::openai::{
    Encoding, OpenAiApi, OpenAiAuth, OpenAiEmbedder, OpenAiSettings, list_models,
};
use heddle_providers::models::secret::Secret;
use model::Code;
use node_api::ai::{ChatEvent, ChatModel as _, Embedder as _, StopReason};
use std::time::Duration;
use testkit::FakeStep;

#[tokio::test]
async fn an_answer_comes_word_by_word_and_then_as_a_whole() {
    let server = Server::start(vec![good()]);
    let (told, turn) = server.ask().await;
    assert_eq!(told, [ChatEvent::Text("Hel".into()), ChatEvent::Text("lo".into())]);
    let turn = turn.unwrap();
    assert_eq!(
        (turn.message.text().as_str(), turn.stop, turn.model.as_str()),
        ("Hello", StopReason::Stop, "gpt-x")
    );
    let seen = &server.requests()[0];
    assert!(seen.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{seen}");
    assert!(seen.contains(&format!("authorization: Bearer {KEY}\r\n")), "{seen}");
    assert!(seen.contains(r#""messages":[{"role":"user","content":"Hello"}]"#), "{seen}");
}

#[tokio::test]
async fn a_word_is_told_before_the_next_one_is_there() {
    let server = Server::start(vec![vec![server::head(), send(HELLO), FakeStep::Hang]]);
    let model = server.model();
    let mut stream = model.stream(request());
    let first = tokio::time::timeout(Duration::from_secs(60), stream.next())
        .await
        .expect("the word waits for nothing");
    assert_eq!(first.unwrap().unwrap(), ChatEvent::Text("Hel".into()));
    drop(stream);
    for _ in 0..3_000 {
        if server.n_closed() == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("dropping the stream did not end the connection");
}

#[tokio::test]
async fn a_server_without_streams_answers_whole() {
    let body = r#"{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#;
    let server = Server::start(vec![vec![answer(200, "Content-Type: application/json\r\n", body)]]);
    let mut settings = server.settings();
    settings.streams = false;
    let (told, turn) = ask(&model(settings, limits())).await;
    assert_eq!(told, [ChatEvent::Text("Hi".into())]);
    assert_eq!(turn.unwrap().usage.output, 2);
    assert!(!server.requests()[0].contains("\"stream\""));
}

#[tokio::test]
async fn azure_is_asked_in_its_own_way() {
    let server = Server::start(vec![good()]);
    let resource = format!("http://{}", server.address);
    let key = || OpenAiAuth::ApiKey(Secret::new(KEY));
    ask(&model(OpenAiSettings::azure_dated(&resource, "2024-10-21", key()), limits()))
        .await
        .1
        .unwrap();
    ask(&model(OpenAiSettings::azure(&resource, key()), limits())).await.1.unwrap();
    ask(&model(
        OpenAiSettings::azure(&resource, OpenAiAuth::Bearer(Secret::new("entra"))),
        limits(),
    ))
    .await
    .1
    .unwrap();
    let seen = server.requests();
    assert!(
        seen[0]
            .starts_with("POST /openai/deployments/gpt-x/chat/completions?api-version=2024-10-21 "),
        "{}",
        seen[0]
    );
    assert!(
        seen[0].contains(&format!("api-key: {KEY}\r\n"))
            && !seen[0].contains("authorization:")
            && !seen[0].contains(r#""model""#)
    );
    assert!(
        seen[1].starts_with("POST /openai/v1/chat/completions ")
            && seen[1].contains(r#""model":"gpt-x""#),
        "{}",
        seen[1]
    );
    assert!(seen[2].contains("authorization: Bearer entra\r\n"));
}

#[tokio::test]
async fn the_second_api_is_spoken_too() {
    let event = r#"{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi"}]}]}}"#;
    let server = Server::start(vec![vec![
        server::head(),
        send(&format!("event: response.completed\ndata: {event}\n\n")),
        FakeStep::Hang,
    ]]);
    let mut settings = server.settings();
    settings.api = OpenAiApi::Responses;
    let (_, turn) = ask(&model(settings, limits())).await;
    assert_eq!(turn.unwrap().message.text(), "Hi");
    assert!(server.requests()[0].starts_with("POST /v1/responses "));
}

#[tokio::test]
async fn models_are_listed() {
    let server = Server::start(vec![
        vec![answer(200, "", r#"{"data":[{"id":"b"},{"id":"a"}]}"#)],
        vec![answer(401, "", "{}")],
    ]);
    let list = || list_models_of(&server);
    assert_eq!(list().await.unwrap(), ["a", "b"]);
    assert!(server.requests()[0].starts_with("GET /v1/models "));
    assert_eq!(list().await.unwrap_err().code, Code::INVALID_CREDENTIALS);
}

async fn list_models_of(server: &Server) -> Result<Vec<model::Str>, node_api::ai::ModelError> {
    list_models(&server.settings(), &server::access(limits())).await
}

#[tokio::test]
async fn texts_are_embedded_in_batches_and_in_order() {
    let batches = vec![
        vec![answer(503, "", "{}")],
        vec![answer(
            200,
            "",
            r#"{"data":[{"index":1,"embedding":[2,0]},{"index":0,"embedding":[1,0]}]}"#,
        )],
        vec![answer(200, "", r#"{"data":[{"index":0,"embedding":"AABAQAAAAAA="}]}"#)],
    ];
    let server = Server::start(batches);
    let mut embedder = OpenAiEmbedder::new(
        Catalog::shipped().find("openai", "small").info,
        server.settings(),
        &server::access(limits()),
    );
    embedder.batch = 2;
    embedder.encoding = Encoding::Base64;
    embedder.dimensions = Some(2);
    let vectors = embedder.embed(&["a".into(), "b".into(), "c".into()]).await.unwrap();
    assert_eq!(vectors, [[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]);
    let seen = server.requests();
    assert!(
        seen[1].ends_with(
            r#"{"model":"small","input":["a","b"],"encoding_format":"base64","dimensions":2}"#
        ),
        "{}",
        seen[1]
    );
    assert!(seen[2].contains(r#""input":["c"]"#));
    assert!(embedder.embed(&[]).await.unwrap().is_empty());
    assert_eq!(server.requests().len(), 3);
}
