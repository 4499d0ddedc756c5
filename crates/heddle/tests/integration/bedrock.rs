//! Amazon Bedrock and Hugging Face behind n8n's nodes: signed requests, binary streams, and what goes
//! wrong with them.

use crate::support::in_process::{KEY, answers, n8n, node, run_document, workflow};
use model::{Code, Object, Value};
use serde_json::{Value as Json, json as js};
use testkit::{FakeHttp, FakeResponse, aws_event, aws_frame};

const SECRET: &str = "wJalr-canary-secret-0123456789";
const TOKEN: &str = "session-canary-token-0123456789";
const MODEL: &str = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";

fn aws(server: &FakeHttp) -> Object {
    Object::from_iter([
        ("region", Value::from("eu-central-1")),
        ("accessKeyId", "AKIDCANARY0123456789".into()),
        ("secretAccessKey", SECRET.into()),
        ("temporaryCredentials", true.into()),
        ("sessionToken", TOKEN.into()),
        ("customEndpoints", true.into()),
        ("bedrockRuntimeEndpoint", server.url("").into()),
    ])
}

fn streamed(events: &[Vec<u8>]) -> FakeResponse {
    FakeResponse::new(200, "application/vnd.amazon.eventstream", events.concat())
}

fn text(words: &str) -> FakeResponse {
    streamed(&[
        aws_event("messageStart", &js!({ "role": "assistant" })),
        aws_event(
            "contentBlockDelta",
            &js!({ "contentBlockIndex": 0, "delta": { "text": words } }),
        ),
        aws_event("messageStop", &js!({ "stopReason": "end_turn" })),
        aws_event("metadata", &js!({ "usage": { "inputTokens": 5, "outputTokens": 2 } })),
    ])
}

fn agent(parameters: Json) -> Json {
    workflow(
        node("Agent", "ai-agent", 1.0, js!({ "userMessage": "2+2?" })),
        &[
            (n8n("Model", "lmChatAwsBedrock", 1.1, parameters), "ai_languageModel", "Agent"),
            (node("Calculator", "calculator-tool", 1.0, js!({})), "ai_tool", "Agent"),
        ],
    )
}

fn model() -> Json {
    js!({ "modelSource": "inferenceProfile", "model": MODEL, "options": { "maxRetries": 0 } })
}

#[tokio::test]
async fn an_agent_on_bedrock_uses_its_tools_with_signed_requests() {
    let call = streamed(&[
        aws_event(
            "contentBlockStart",
            &js!({ "contentBlockIndex": 0, "start": { "toolUse": { "toolUseId": "t1", "name": "calculator" } } }),
        ),
        aws_event(
            "contentBlockDelta",
            &js!({ "contentBlockIndex": 0, "delta": { "toolUse": { "input": "{\"expression\":\"2+2\"}" } } }),
        ),
        aws_event("messageStop", &js!({ "stopReason": "tool_use" })),
        aws_event("metadata", &js!({ "usage": { "inputTokens": 5, "outputTokens": 2 } })),
    ]);
    let server = FakeHttp::scripted(vec![call, text("It is 4.")]);
    let outcome = run_document(aws(&server), &agent(model()), js!([{}])).await;
    assert_eq!(answers(&outcome)[0].get("response").unwrap().to_js_string(), "It is 4.");
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(
        requests[0].path,
        "/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream"
    );
    let head = &requests[0].head;
    assert!(
        head.contains("AWS4-HMAC-SHA256 Credential=AKIDCANARY0123456789/")
            && head.contains("/eu-central-1/bedrock/aws4_request")
            && head.contains("SignedHeaders=content-type;host;x-amz-date;x-amz-security-token"),
        "{head}"
    );
    let second: Json = serde_json::from_slice(&requests[1].body).unwrap();
    let result = &second["messages"][2]["content"][0]["toolResult"];
    assert_eq!((&result["toolUseId"], &result["content"][0]["text"]), (&js!("t1"), &js!("4")));
    assert!(!server.received().contains(SECRET), "the key itself is never sent");
    assert!(!format!("{:?}", outcome.run_data).contains(TOKEN));
}

#[tokio::test]
async fn a_refused_signature_is_told_without_what_was_signed() {
    let words = js!({ "message": format!("The Canonical String should have been 'x-amz-security-token:{TOKEN}' {SECRET}") });
    let server = FakeHttp::fixed(FakeResponse::new(403, "application/json", words.to_string()));
    let error = run_document(aws(&server), &agent(model()), js!([{}])).await.error.unwrap();
    assert_eq!(error.code, Code::INVALID_CREDENTIALS);
    assert!(!error.message.contains(TOKEN) && !error.message.contains(SECRET), "{}", error.message);
}

#[tokio::test]
async fn a_signed_request_is_not_led_elsewhere() {
    let other = FakeHttp::fixed(text("caught"));
    for status in [301, 302, 307, 308] {
        let server = FakeHttp::fixed(FakeResponse::redirect(status, &other.url("/x")));
        let outcome = run_document(aws(&server), &agent(model()), js!([{}])).await;
        assert!(outcome.error.is_some(), "{status}");
    }
    assert_eq!(other.n_requests(), 0);
}

#[tokio::test]
async fn damaged_streams_and_exceptions_are_told() {
    let mut damaged = aws_event("messageStart", &js!({ "role": "assistant" }));
    damaged[20] ^= 0x40;
    let slow = [(":message-type", "exception"), (":exception-type", "throttlingException")];
    for (body, code) in [
        (damaged, Code::MODEL_ERROR),
        (vec![0; 64], Code::MODEL_ERROR),
        (aws_event("messageStart", &js!({ "role": "assistant" })), Code::MODEL_ERROR),
        (aws_frame(&slow, br#"{"message":"Slow down."}"#), Code::MODEL_RATE_LIMIT),
        (b"<html>".to_vec(), Code::MODEL_ERROR),
    ] {
        let server = FakeHttp::fixed(streamed(&[body]));
        let error = run_document(aws(&server), &agent(model()), js!([{}])).await.error.unwrap();
        assert_eq!(error.code, code, "{}", error.message);
    }
}

#[tokio::test]
async fn what_cannot_be_signed_or_leads_elsewhere_is_refused() {
    let server = FakeHttp::fixed(text("no"));
    let mut role = model();
    role["authentication"] = js!("assumeRole");
    let error = run_document(aws(&server), &agent(role), js!([{}])).await.error.unwrap();
    assert!(error.message.contains("Assuming a role"), "{}", error.message);
    let mut elsewhere = aws(&server);
    elsewhere.insert("region", "x.evil.test/?");
    let error = run_document(elsewhere, &agent(model()), js!([{}])).await.error.unwrap();
    assert!(error.message.contains("is not an AWS region"), "{}", error.message);
    let mut fields = model();
    fields["options"]["additionalModelRequestFields"] = js!("[1]");
    let error = run_document(aws(&server), &agent(fields), js!([{}])).await.error.unwrap();
    assert_eq!(error.code, Code::NODE_PARAMETER);
    assert_eq!(server.n_requests(), 0);
}

/// Embeds the texts of two items.
fn embeds(kind: &str, parameters: Json) -> Json {
    workflow(
        node("Embed", "embed-texts", 1.0, js!({})),
        &[(n8n("Vectors", kind, 1.0, parameters), "ai_embedding", "Embed")],
    )
}

#[tokio::test]
async fn texts_become_vectors_on_bedrock() {
    let titan = FakeHttp::fixed(FakeResponse::json(
        &js!({ "embedding": [0.5, 0.25], "inputTextTokenCount": 3 }),
    ));
    let document = embeds("embeddingsAwsBedrock", js!({ "model": "amazon.titan-embed-text-v2:0" }));
    let items = js!([{ "text": "titan one" }, { "text": "titan two" }]);
    let found = answers(&run_document(aws(&titan), &document, items).await);
    assert_eq!(found[1].get("embedding"), Some(&model::json!([0.5, 0.25])));
    let sent: Vec<Json> = titan
        .requests()
        .iter()
        .map(|request| serde_json::from_slice(&request.body).unwrap())
        .collect();
    assert_eq!(sent, [js!({ "inputText": "titan one" }), js!({ "inputText": "titan two" })]);
    assert_eq!(titan.requests()[0].path, "/model/amazon.titan-embed-text-v2%3A0/invoke");
    assert!(titan.requests()[0].head.contains("AWS4-HMAC-SHA256"));
    let cohere = FakeHttp::fixed(FakeResponse::json(&js!({ "embeddings": [[1, 2], [3, 4]] })));
    let document = embeds("embeddingsAwsBedrock", js!({ "model": "cohere.embed-english-v3" }));
    let items = js!([{ "text": "cohere one" }, { "text": "cohere two" }]);
    let found = answers(&run_document(aws(&cohere), &document, items).await);
    assert_eq!(found[1].get("embedding"), Some(&model::json!([3, 4])));
    assert_eq!(cohere.n_requests(), 1);
}

#[tokio::test]
async fn hugging_face_embeds_at_an_endpoint_that_the_owner_allows() {
    let server = FakeHttp::fixed(FakeResponse::json(&js!([[0.5, 1], [0.25, 2]])));
    let options = js!({ "endpointUrl": server.url("/embed") });
    let document = embeds(
        "embeddingsHuggingFaceInference",
        js!({ "modelName": "BAAI/bge-small-en", "options": options }),
    );
    let items = js!([{ "text": "face one" }, { "text": "face two" }]);
    let mut credential = Object::from_iter([("apiKey", KEY)]);
    let error = run_document(credential.clone(), &document, items.clone()).await.error.unwrap();
    assert_eq!((error.code, server.n_requests()), (Code::CREDENTIAL_HOST, 0), "{}", error.message);
    credential.insert("allowedHttpRequestDomains", "domains");
    credential.insert("allowedDomains", "127.0.0.1");
    let found = answers(&run_document(credential.clone(), &document, items.clone()).await);
    assert_eq!(found[1].get("embedding"), Some(&model::json!([0.25, 2])));
    assert_eq!(server.requests()[0].path, "/embed");
    let sent: Json = serde_json::from_slice(&server.requests()[0].body).unwrap();
    assert_eq!(sent, js!({ "inputs": ["face one", "face two"] }));
    for body in ["{}", "[[1]]", "[[1],[2,3]]", "[[\"x\"],[1]]", "[[[1]],[[2]]]", "null", "["] {
        let server = FakeHttp::fixed(FakeResponse::new(200, "application/json", body));
        let options = js!({ "endpointUrl": server.url("/embed") });
        let document = embeds("embeddingsHuggingFaceInference", js!({ "options": options }));
        let error = run_document(credential.clone(), &document, items.clone()).await.error.unwrap();
        assert_eq!(error.code, Code::MODEL_ERROR, "{body}: {}", error.message);
    }
    let other =
        embeds("embeddingsHuggingFaceInference", js!({ "options": { "provider": "nebius" } }));
    let error = run_document(credential, &other, items).await.error.unwrap();
    assert_eq!(error.code, Code::NODE_PARAMETER);
}
