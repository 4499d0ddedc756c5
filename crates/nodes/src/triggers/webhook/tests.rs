//! Calls of a webhook: what its parameters say about the route, and where an item leaves.

use super::*;
use model::OnError;
use node_api::NodeInfo;
use node_api::trigger::{BodyMode, ResponseData, ResponseMode, WebhookAuth, WebhookRoute};
use node_testing::{TestHost, items, run, run_on, to_json};

fn listens(version: f64, params: Value) -> Result<WebhookRoute, NodeError> {
    let params = Webhook::spec().complete(version, params.as_object().unwrap());
    let node = NodeInfo { version, ..NodeInfo::default() };
    let listens = Webhook::listeners(&TriggerSetup {
        node: &node,
        params: &params,
        webhook_id: Some("u-1"),
        workflow_id: "w1",
        now_ms: 0,
        timezone: "UTC",
    })?;
    match listens.as_slice() {
        [TriggerListener::Webhook(route)] => Ok(route.clone()),
        _ => panic!("a webhook listens to one address"),
    }
}

fn route() -> WebhookRoute {
    WebhookRoute::new("GET", "hook")
}

#[test]
fn parameters_and_options_make_the_route() {
    let last = |data| WebhookRoute { answer: ResponseMode::LastNode, data, ..route() };
    let first = |field: Option<&str>, content_type: Option<&str>| ResponseData::FirstItem {
        field: field.map(Str::from),
        content_type: content_type.map(Str::from),
    };
    let text = |text: &str| ResponseData::Text(text.into());
    let cases = [
        (2.1, json!({}), route()),
        (2.1, json!({ "path": "" }), WebhookRoute { path: "u-1".into(), ..route() }),
        (
            2.1,
            json!({ "path": "/user/:id/" }),
            WebhookRoute { path: "u-1/user/:id".into(), ..route() },
        ),
        (
            1.0,
            json!({ "httpMethod": "POST" }),
            WebhookRoute { methods: vec!["POST".into()], ..route() },
        ),
        (
            2.0,
            json!({ "multipleMethods": true }),
            WebhookRoute { methods: vec!["GET".into(), "POST".into()], ..route() },
        ),
        (
            2.0,
            json!({ "httpMethod": ["PUT", "put", "HEAD"] }),
            WebhookRoute { methods: vec!["PUT".into(), "HEAD".into()], ..route() },
        ),
        (
            1.0,
            json!({ "authentication": "basicAuth" }),
            WebhookRoute { auth: WebhookAuth::Basic, ..route() },
        ),
        (
            2.0,
            json!({ "authentication": "headerAuth" }),
            WebhookRoute { auth: WebhookAuth::Header, ..route() },
        ),
        (
            2.0,
            json!({ "authentication": "jwtAuth" }),
            WebhookRoute { auth: WebhookAuth::Jwt, ..route() },
        ),
        (1.1, json!({ "responseCode": 201 }), WebhookRoute { status: 201, ..route() }),
        (
            2.0,
            json!({ "options": { "responseCode": { "values": { "responseCode": 404 } } } }),
            WebhookRoute { status: 404, ..route() },
        ),
        (
            2.1,
            json!({ "options": { "responseCode": { "values": { "responseCode": "customCode", "customCode": 418 } } } }),
            WebhookRoute { status: 418, ..route() },
        ),
        (
            2.0,
            json!({ "responseMode": "responseNode" }),
            WebhookRoute { answer: ResponseMode::ResponseNode, ..route() },
        ),
        (
            2.1,
            json!({ "responseMode": "streaming" }),
            WebhookRoute {
                answer: ResponseMode::Streaming,
                data: ResponseData::AllItems,
                ..route()
            },
        ),
        (2.0, json!({ "responseMode": "lastNode" }), last(first(None, None))),
        (
            2.0,
            json!({ "responseMode": "lastNode", "responseData": "allEntries" }),
            last(ResponseData::AllItems),
        ),
        (
            2.0,
            json!({ "responseMode": "lastNode", "responseData": "noData" }),
            last(ResponseData::Nothing),
        ),
        (
            2.0,
            json!({ "responseMode": "lastNode", "responseData": "firstEntryBinary", "responseBinaryPropertyName": "pdf" }),
            last(ResponseData::FirstFile { field: "pdf".into() }),
        ),
        (
            2.0,
            json!({ "responseMode": "lastNode", "options": { "responsePropertyName": "a.b", "responseContentType": "text/csv" } }),
            last(first(Some("a.b"), Some("text/csv"))),
        ),
        (
            2.0,
            json!({ "options": { "responseData": "thanks" } }),
            WebhookRoute { data: text("thanks"), ..route() },
        ),
        (
            2.0,
            json!({ "options": { "responseData": { "ok": true } } }),
            WebhookRoute { data: text(r#"{"ok":true}"#), ..route() },
        ),
        (
            2.0,
            json!({ "options": { "noResponseBody": true } }),
            WebhookRoute { data: ResponseData::Nothing, ..route() },
        ),
        (
            2.0,
            json!({ "options": { "responseHeaders": { "entries": [{ "name": "X-A", "value": "b" }] } } }),
            WebhookRoute { headers: vec![("x-a".into(), "b".into())], ..route() },
        ),
        (
            2.0,
            json!({ "options": { "rawBody": true } }),
            WebhookRoute { body: BodyMode::ParsedAndRaw, ..route() },
        ),
        (
            1.0,
            json!({ "options": { "binaryData": true, "binaryPropertyName": "file" } }),
            WebhookRoute { body: BodyMode::File, binary_field: "file".into(), ..route() },
        ),
        (
            2.0,
            json!({ "options": { "allowedOrigins": "*" } }),
            WebhookRoute { allowed_origins: "*".into(), ..route() },
        ),
        (2.0, json!({ "options": { "allowedOrigins": "" } }), route()),
        (
            2.0,
            json!({ "options": { "allowedOrigins": "https://a.example, https://b.example" } }),
            WebhookRoute {
                allowed_origins: "https://a.example,https://b.example".into(),
                ..route()
            },
        ),
        (
            2.0,
            json!({ "options": { "ipWhitelist": "192.0.2.7, 198.51.100.0/24,2001:db8::/32" } }),
            WebhookRoute {
                allowed_ips: vec![
                    "192.0.2.7".into(),
                    "198.51.100.0/24".into(),
                    "2001:db8::/32".into(),
                ],
                ..route()
            },
        ),
        (
            2.0,
            json!({ "options": { "ignoreBots": true } }),
            WebhookRoute { ignores_bots: true, ..route() },
        ),
        (
            2.0,
            json!({ "options": { "deliveryHeader": "X-GitHub-Delivery" } }),
            WebhookRoute { delivery_header: Some("x-github-delivery".into()), ..route() },
        ),
    ];
    for (version, mut params, wanted) in cases {
        if params.get("path").is_none() {
            params.set_path("path", "hook");
        }
        assert_eq!(listens(version, params.clone()).unwrap(), wanted, "{params:?}");
    }
}

#[test]
fn mistakes_are_told_when_the_workflow_becomes_active() {
    let option = |name: &str, value: Value| {
        let mut params = json!({ "path": "hook", "options": {} });
        params.put_path(&format!("options.{name}"), value).unwrap();
        params
    };
    let cases = [
        json!({ "path": "a//b" }),
        json!({ "path": "hook", "httpMethod": "CONNECT" }),
        json!({ "path": "hook", "httpMethod": [], "multipleMethods": true }),
        json!({ "path": "hook", "authentication": "magic" }),
        json!({ "path": "hook", "authentication": "" }),
        json!({ "path": "hook", "authentication": Value::Null }),
        json!({ "path": "hook", "authentication": "={{ $vars.mode }}" }),
        json!({ "path": "hook", "responseMode": "lastNode", "responseData": "some" }),
        json!({ "path": "hook", "responseMode": "later" }),
        json!({ "path": "hook", "responseCode": 99 }),
        json!({ "path": "hook", "responseCode": "many" }),
        option("responseHeaders.entries", json!([{ "name": "x", "value": "a\r\nb: c" }])),
        option("allowedOrigins", json!("https://a.example\r\nx: y")),
        option("ipWhitelist", json!("192.168.")),
        option("ipWhitelist", json!("192.0.2.0/33")),
        option("deliveryHeader", json!("X Delivery")),
    ];
    for params in cases {
        assert_eq!(
            listens(2.0, params.clone()).unwrap_err().code(),
            Code::NODE_PARAMETER,
            "{params:?}"
        );
    }
}

#[tokio::test]
async fn each_method_has_an_output_of_its_own() {
    let parameters = json!({ "multipleMethods": true, "path": "x" });
    let call = |method: &str| json!([{ "body": 1, METHOD_FIELD: method }]);
    assert_eq!(
        run::<Webhook>(parameters.clone(), call("POST")).await.unwrap(),
        [json!([]), json!([{ "body": 1 }])]
    );
    assert_eq!(
        run::<Webhook>(parameters.clone(), call("GET")).await.unwrap(),
        [json!([{ "body": 1 }]), json!([])]
    );
    let labels = |parameters: &Value| {
        Webhook::spec().outputs_with(2.0, parameters.as_object().unwrap()).len()
    };
    assert_eq!(
        (
            labels(&json!({ "httpMethod": ["GET", "PUT", "POST"] })),
            labels(&json!({ "httpMethod": "GET" }))
        ),
        (3, 1)
    );
    assert_eq!(run::<Webhook>(parameters, json!([{}])).await.unwrap(), [json!([{}]), json!([])]);
    assert_eq!(
        run::<Webhook>(json!({ "path": "x" }), call("GET")).await.unwrap(),
        [json!([{ "body": 1 }])]
    );
}

#[tokio::test]
async fn a_call_that_the_condition_refuses_starts_nothing() {
    for (condition, count) in
        [(json!("false"), 0), (json!(false), 0), (json!(true), 1), (json!(""), 1)]
    {
        let mut params = json!({ "path": "x", "options": {} });
        params.set_path("options.onlyRunIf", condition.clone());
        let host = TestHost::new(&Webhook::spec(), 2.1, &params);
        let outputs =
            run_on::<Webhook>(&host, 2.1, vec![items(&json!([{ "body": 1 }]))], OnError::Stop)
                .await
                .unwrap();
        assert_eq!(to_json(&outputs[0]).as_array().unwrap().len(), count, "{condition:?}");
    }
}
