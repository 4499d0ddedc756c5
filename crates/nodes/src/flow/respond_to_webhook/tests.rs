//! What callers get.

use super::*;
use model::OnError;
use node_testing::{TestHost, items, run_on, to_json};

async fn answered(
    version: f64,
    params: Value,
    input: Items,
) -> Result<(WebhookResponse, Outputs), NodeError> {
    let mut host = TestHost::new(&RespondToWebhook::spec(), version, &params);
    let secret =
        Object::from_iter([("keyType", "passphrase"), ("secret", "s"), ("algorithm", "HS256")]);
    host.credentials = Object::from_iter([("jwtAuth", secret)]);
    let outputs = match version == 1.3 {
        true => run_on::<RespondToWebhookV13>(&host, version, vec![input], OnError::Stop).await?,
        false => run_on::<RespondToWebhook>(&host, version, vec![input], OnError::Stop).await?,
    };
    let answer = host.answered.lock().unwrap().clone().expect("an answer");
    Ok((answer, outputs))
}

async fn answer(params: Value) -> WebhookResponse {
    let input = items(&json!([{ "id": 1 }, { "id": 2 }]));
    let (answer, outputs) = answered(1.5, params, input).await.unwrap();
    assert_eq!(
        outputs.iter().map(to_json).collect::<Vec<_>>(),
        [json!([{ "id": 1 }, { "id": 2 }])]
    );
    answer
}

fn json_answer(value: Value) -> WebhookResponse {
    WebhookResponse { status: 200, headers: Vec::new(), body: ResponseBody::Json(value) }
}

fn html(text: &str) -> WebhookResponse {
    let headers = vec![("content-type".into(), "text/html; charset=utf-8".into())];
    WebhookResponse {
        status: 200,
        headers,
        body: ResponseBody::Bytes(Bytes::copy_from_slice(text.as_bytes())),
    }
}

#[tokio::test]
async fn each_way_of_responding_has_its_answer() {
    let location = |status: u16| WebhookResponse {
        status,
        headers: vec![("location".into(), "https://a.example/x".into())],
        body: ResponseBody::Empty,
    };
    let cases = [
        (json!({}), json_answer(json!({ "id": 1 }))),
        (
            json!({ "respondWith": "allIncomingItems" }),
            json_answer(json!([{ "id": 1 }, { "id": 2 }])),
        ),
        (
            json!({ "options": { "responseKey": "data.first" } }),
            json_answer(json!({ "data": { "first": { "id": 1 } } })),
        ),
        (
            json!({ "respondWith": "json", "responseBody": "{ \"a\": [1] }" }),
            json_answer(json!({ "a": [1] })),
        ),
        (
            json!({ "respondWith": "json", "responseBody": { "a": 1 } }),
            json_answer(json!({ "a": 1 })),
        ),
        (json!({ "respondWith": "json", "responseBody": "\"text\"" }), json_answer(json!("text"))),
        (json!({ "respondWith": "text", "responseBody": "<b>hi</b>" }), html("<b>hi</b>")),
        (
            json!({ "respondWith": "noData" }),
            WebhookResponse { status: 200, headers: Vec::new(), body: ResponseBody::Empty },
        ),
        (json!({ "respondWith": "redirect", "redirectURL": "https://a.example/x" }), location(307)),
        (
            json!({ "respondWith": "redirect", "redirectURL": "https://a.example/x", "options": { "responseCode": 303 } }),
            location(303),
        ),
    ];
    for (params, wanted) in cases {
        assert_eq!(answer(params.clone()).await, wanted, "{params:?}");
    }
}

#[tokio::test]
async fn options_set_the_status_and_the_headers() {
    let entries =
        json!([{ "name": "Content-Type", "value": "text/plain" }, { "name": "X-N", "value": 5 }]);
    let mut params =
        json!({ "respondWith": "text", "responseBody": "hi", "options": { "responseCode": 201 } });
    params.set_path("options.responseHeaders.entries", entries);
    let found = answer(params).await;
    assert_eq!(
        (found.status, found.headers),
        (201, vec![("content-type".into(), "text/plain".into()), ("x-n".into(), "5".into())])
    );
}

#[tokio::test]
async fn a_token_is_signed_with_the_credential() {
    let found =
        answer(json!({ "respondWith": "jwt", "payload": "{ \"sub\": \"me\", \"iat\": 1 }" })).await;
    let ResponseBody::Json(body) = found.body else { panic!("{found:?}") };
    let token = body.get("token").and_then(Value::as_str).unwrap();
    assert!(
        token.starts_with("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJtZSIsImlhdCI6MX0."),
        "{token}"
    );
}

#[tokio::test]
async fn a_file_is_sent_with_its_type() {
    let mut item = Item::new(json!({}));
    item.set_binary("first", Binary::new("one", "text/csv", None));
    item.set_binary("second", Binary::new(vec![0xff, 0], "image/png", None));
    let input = Items::one(item);
    let sent = |params: Value| answered(1.5, params, input.clone());
    let (found, _) = sent(json!({ "respondWith": "binary" })).await.unwrap();
    assert_eq!(
        (found.headers, found.body),
        (vec![("content-type".into(), "text/csv".into())], ResponseBody::Bytes("one".into()))
    );
    let (found, _) = sent(
        json!({ "respondWith": "binary", "responseDataSource": "set", "inputFieldName": "second" }),
    )
    .await
    .unwrap();
    assert_eq!(found.body, ResponseBody::Bytes(vec![0xff, 0].into()));
    let missing = sent(
        json!({ "respondWith": "binary", "responseDataSource": "set", "inputFieldName": "third" }),
    )
    .await;
    assert_eq!(missing.unwrap_err().code(), Code::NODE_INPUT);
}

#[tokio::test]
async fn the_second_output_tells_the_answer_where_there_is_one() {
    let input = || items(&json!([{ "id": 1 }, { "id": 2 }]));
    let response =
        json!([{ "response": { "body": { "id": 1 }, "headers": {}, "statusCode": 200 } }]);
    for (version, params, count) in [
        (1.0, json!({}), 1),
        (1.2, json!({ "enableResponseOutput": true }), 1),
        (1.3, json!({}), 2),
        (1.4, json!({}), 1),
        (1.5, json!({ "enableResponseOutput": true }), 2),
    ] {
        let (_, outputs) = answered(version, params, input()).await.unwrap();
        assert_eq!(outputs.len(), count, "{version}");
        assert_eq!(to_json(&outputs[0]), json!([{ "id": 1 }, { "id": 2 }]));
        if let Some(second) = outputs.get(1) {
            assert_eq!(to_json(second), response, "{version}");
        }
    }
    let count = |params: Value| {
        RespondToWebhook::spec().outputs_with(1.5, params.as_object().unwrap()).len()
    };
    assert_eq!(count(json!({ "enableResponseOutput": true })), 2);
    assert_eq!(count(json!({})), 1);
}

#[tokio::test]
async fn an_answer_cannot_be_split_and_mistakes_are_told() {
    let header = json!({ "options": { "responseHeaders": { "entries": [{ "name": "x", "value": "a\r\nSet-Cookie: b=c" }] } } });
    let cases = [
        header,
        json!({ "respondWith": "redirect", "redirectURL": "https://a.example/\r\nSet-Cookie: b=c" }),
        json!({ "respondWith": "redirect", "redirectURL": "" }),
        json!({ "respondWith": "json", "responseBody": "{ broken" }),
        json!({ "options": { "responseCode": 99 } }),
        json!({ "options": { "responseCode": 600 } }),
    ];
    for params in cases {
        let error = answered(1.5, params.clone(), items(&json!([{}]))).await.unwrap_err();
        assert_eq!(error.code(), Code::NODE_PARAMETER, "{params:?}");
    }
}

#[tokio::test]
async fn a_file_whose_type_has_a_line_break_is_not_sent() {
    let mut item = Item::new(json!({}));
    item.set_binary("data", Binary::new("x", "text/csv\r\nx: y", None));
    let error =
        answered(1.5, json!({ "respondWith": "binary" }), Items::one(item)).await.unwrap_err();
    assert_eq!(error.code(), Code::NODE_PARAMETER);
}

#[tokio::test]
async fn the_first_version_sends_text_that_is_no_json_as_it_stands() {
    let params = json!({ "respondWith": "json", "responseBody": "plain" });
    let (found, _) = answered(1.0, params, items(&json!([{}]))).await.unwrap();
    assert_eq!(found, html("plain"));
}

#[tokio::test]
async fn a_failing_answer_goes_on_where_the_node_is_told_to() {
    let params = json!({ "respondWith": "json", "responseBody": "{ broken" });
    let host = TestHost::new(&RespondToWebhook::spec(), 1.5, &params);
    let outputs =
        run_on::<RespondToWebhook>(&host, 1.5, vec![items(&json!([{}]))], OnError::ContinueRegular)
            .await
            .unwrap();
    assert!(outputs[0].first().unwrap().error.is_some() && host.answered.lock().unwrap().is_none());
}

#[tokio::test]
async fn in_a_run_that_streams_the_answer_goes_out_in_pieces() {
    use node_api::trigger::ChunkKind::{Begin, End, Item};
    let chunks = async |version: f64, params: Value| {
        let mut host = TestHost::new(&RespondToWebhook::spec(), version, &params);
        host.is_streaming = true;
        let input = items(&json!([{ "id": 1 }, { "id": 2 }]));
        run_on::<RespondToWebhook>(&host, version, vec![input], OnError::Stop).await.unwrap();
        let streamed = host.streamed.lock().unwrap();
        let pieces: Vec<_> =
            streamed.iter().map(|chunk| (chunk.kind, chunk.item, chunk.content.clone())).collect();
        (pieces, host.answered.lock().unwrap().is_some())
    };
    let whole = |index: usize, content: Value| {
        [(Begin, index, None), (Item, index, Some(content)), (End, index, None)]
    };
    assert_eq!(chunks(1.5, json!({})).await, (whole(0, json!({ "id": 1 })).to_vec(), false));
    let all = [whole(0, json!({ "id": 1 })), whole(1, json!({ "id": 2 }))].concat();
    assert_eq!(chunks(1.5, json!({ "respondWith": "allIncomingItems" })).await, (all, false));
    assert_eq!(
        chunks(1.5, json!({ "respondWith": "text", "responseBody": "hi" })).await,
        (whole(0, json!("hi")).to_vec(), false)
    );
    for (version, params) in [
        (1.4, json!({})),
        (1.5, json!({ "options": { "enableStreaming": false } })),
        (1.5, json!({ "respondWith": "noData" })),
    ] {
        assert_eq!(
            chunks(version, params.clone()).await,
            (Vec::new(), true),
            "{version} {params:?}"
        );
    }
}
