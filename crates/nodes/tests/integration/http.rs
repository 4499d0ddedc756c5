//! HTTP Request and GraphQL on recorded answers: what they send, what they make of the answers, how
//! they fail.

use model::{Item, Items, Object, OnError, Value, json};
use node_api::http::{Http, HttpBody, HttpError, HttpRequest, HttpResponse};
use node_api::{Ctx, NodeError, NodeInfo, Outputs};
use node_testing::{TestHost, items};
use providers::http::RecordedHttp;
use std::sync::{Arc, Mutex};

/// Recorded answers that remember what was asked.
struct RecordingHttp {
    answers: RecordedHttp,
    seen: Arc<Mutex<Vec<HttpRequest>>>,
}

#[async_trait::async_trait]
impl Http for RecordingHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        self.seen.lock().unwrap().push(request.clone());
        self.answers.send(request).await
    }
}

/// One node with its world.
struct HttpCase {
    kind: &'static str,
    version: f64,
    params: Value,
    credentials: Value,
    answers: Value,
    on_error: OnError,
    input: Items,
}

struct HttpCaseResult {
    outputs: Result<Outputs, NodeError>,
    requests: Vec<HttpRequest>,
}

fn http(version: f64, params: Value, answers: Value) -> HttpCase {
    let input = items(&json!([{ "json": { "in": 1 } }]));
    HttpCase {
        kind: "n8n-nodes-base.httpRequest",
        version,
        params,
        credentials: json!({}),
        answers,
        on_error: OnError::Stop,
        input,
    }
}

fn graphql(params: Value, answers: Value) -> HttpCase {
    HttpCase { kind: "n8n-nodes-base.graphql", ..http(1.1, params, answers) }
}

/// One answer to any request for a URL.
fn always(method: &str, url: &str, status: u16, body: Value) -> Value {
    let mut list = json!([{ "method": method, "baseUrl": url, "query": true, "status": status, "times": "any" }]);
    if let Value::Object(entry) = &mut list.make_array()[0] {
        Arc::make_mut(entry).insert("responseBody", body);
    }
    list
}

impl HttpCase {
    fn with_credentials(mut self, credentials: Value) -> Self {
        self.credentials = credentials;
        self
    }

    fn continuing(mut self) -> Self {
        self.on_error = OnError::ContinueRegular;
        self
    }

    fn on(mut self, list: Value) -> Self {
        self.input = items(&list);
        self
    }

    async fn run(self) -> HttpCaseResult {
        let registry = heddle_nodes::registry();
        let node = registry.find(self.kind, self.version).unwrap();
        let mut host = TestHost::new(&node.spec, self.version, &self.params);
        host.credential_types = registry.credentials.clone();
        let seen = Arc::new(Mutex::new(Vec::new()));
        host.http = Box::new(RecordingHttp {
            answers: RecordedHttp::from_value(&self.answers).unwrap(),
            seen: seen.clone(),
        });
        host.credentials = self.credentials.as_object().cloned().unwrap_or_default();
        let (type_name, version, on_error) = (self.kind.into(), self.version, self.on_error);
        let info = NodeInfo {
            id: "1".into(),
            name: "HTTP".into(),
            type_name,
            version,
            on_error,
            ..NodeInfo::default()
        };
        let inputs = [Some(self.input.clone())];
        let ctx = Ctx::new(&info, &inputs, 0, &host);
        let outputs = node.run(&ctx, self.input).await;
        let requests = seen.lock().unwrap().clone();
        HttpCaseResult { outputs, requests }
    }

    async fn json(self) -> Value {
        let outputs = self.run().await.outputs.unwrap();
        Value::array(outputs[0].iter().map(|item| item.json).collect())
    }

    async fn error(self) -> NodeError {
        self.run().await.outputs.unwrap_err()
    }

    async fn request(self) -> HttpRequest {
        let ran = self.run().await;
        if let Err(error) = &ran.outputs {
            panic!("{error} {:?}", error.description());
        }
        ran.requests[0].clone()
    }
}

fn body_text(request: &HttpRequest) -> String {
    match &request.body {
        HttpBody::Bytes(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
        other => format!("{other:?}"),
    }
}

const URL: &str = "https://api.test/x";

#[tokio::test]
async fn every_version_gets_an_answer() {
    for version in [1.0, 2.0, 3.0, 4.0, 4.1, 4.2, 4.3, 4.4] {
        assert_eq!(
            http(version, json!({ "url": URL }), always("GET", URL, 200, json!({ "a": 1 })))
                .json()
                .await,
            json!([{ "a": 1 }]),
            "{version}"
        );
    }
}

#[tokio::test]
async fn fields_keep_their_types_and_reach_into_objects_from_v4_on() {
    let params = json!({
        "method": "POST", "url": URL, "sendBody": true,
        "bodyParameters": { "parameters": [{ "name": "a.b", "value": false }, { "name": "c", "value": "5" }, { "name": "", "value": "" }] }
    });
    let answers = || always("POST", URL, 200, json!({}));
    assert_eq!(
        body_text(&http(3.0, params.clone(), answers()).request().await),
        r#"{"a.b":false,"c":"5"}"#
    );
    let request = http(4.2, params, answers()).request().await;
    assert_eq!(body_text(&request), r#"{"a":{"b":false},"c":"5"}"#);
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("user-agent"), Some("n8n"));
}

#[tokio::test]
async fn bodies_are_sent_in_every_kind() {
    let send = |more: Value| {
        let mut params = json!({ "method": "POST", "url": URL, "sendBody": true });
        params.make_object().extend(more.as_object().unwrap().clone());
        let file = json!([{ "json": {}, "binary": { "data": { "data": "aGk=", "mimeType": "text/plain", "fileName": "a.txt" } } }]);
        http(4.2, params, always("POST", URL, 200, json!({}))).on(file).request()
    };
    let fields = json!({ "parameters": [{ "name": "a", "value": "x y" }, { "name": "b", "value": [1, 2] }] });
    let form = send(json!({ "contentType": "form-urlencoded", "bodyParameters": fields })).await;
    assert_eq!(body_text(&form), "a=x%20y&b%5B0%5D=1&b%5B1%5D=2");
    assert_eq!(form.header("content-type"), Some("application/x-www-form-urlencoded"));
    let text = send(
        json!({ "contentType": "form-urlencoded", "specifyBody": "string", "body": "a=1&b=2" }),
    )
    .await;
    assert_eq!(body_text(&text), "a=1&b=2");
    let raw =
        send(json!({ "contentType": "raw", "rawContentType": "text/html", "body": "<p>" })).await;
    assert_eq!((body_text(&raw).as_str(), raw.header("content-type")), ("<p>", Some("text/html")));
    let file = send(json!({ "contentType": "binaryData", "inputDataFieldName": "data" })).await;
    assert_eq!(
        (body_text(&file).as_str(), file.header("content-type")),
        ("hi", Some("text/plain"))
    );
    let json_text =
        send(json!({ "specifyBody": "json", "jsonBody": "{ \"n\" : [1, 2.50] }" })).await;
    assert_eq!(body_text(&json_text), r#"{"n":[1,2.5]}"#);
    let parts = json!({ "parameters": [
        { "parameterType": "formBinaryData", "name": "f", "inputDataFieldName": "data" },
        { "parameterType": "formData", "name": "t", "value": "text" }
    ] });
    let multipart =
        send(json!({ "contentType": "multipart-form-data", "bodyParameters": parts })).await;
    let HttpBody::Multipart(parts) = &multipart.body else { panic!("{multipart:?}") };
    assert_eq!(
        (parts[0].name.as_str(), parts[0].file_name.as_deref(), parts[0].mime_type.as_deref()),
        ("f", Some("a.txt"), Some("text/plain"))
    );
    assert_eq!(
        (parts[1].name.as_str(), parts[1].file_name.as_deref(), parts[1].data.as_ref()),
        ("t", None, &b"text"[..])
    );
}

#[tokio::test]
async fn a_body_that_is_no_json_names_its_field() {
    let params = json!({ "method": "POST", "url": URL, "sendBody": true, "specifyBody": "json", "jsonBody": "{ \"q\": \"abc\", }" });
    let ran = http(4.2, params, json!([])).run().await;
    assert_eq!(
        ran.outputs.unwrap_err().message(),
        "The value in the \"JSON Body\" field is not valid JSON"
    );
    assert!(ran.requests.is_empty());
}

#[tokio::test]
async fn queries_and_headers_come_from_fields_or_json() {
    let params = json!({
        "url": "https://api.test/x?z=0", "sendQuery": true, "specifyQuery": "json", "jsonQuery": "{ \"a\": [1, 2], \"b\": \"ü\" }",
        "sendHeaders": true, "headerParameters": { "parameters": [{ "name": "X-One", "value": 1 }, { "name": "", "value": "no" }] },
        "options": { "queryParameterArrays": "repeat" }
    });
    let request = http(4.2, params, always("GET", URL, 200, json!({}))).request().await;
    assert_eq!(request.url, "https://api.test/x?z=0&a=1&a=2&b=%C3%BC");
    assert_eq!(request.header("x-one"), Some("1"));
    assert!(request.header("accept").unwrap().starts_with("application/json,text/html"));
}

#[tokio::test]
async fn urls_must_be_text_with_a_scheme() {
    for (url, message) in [
        (
            json!("api.test/x"),
            "Invalid URL: api.test/x. URL must start with \"http\" or \"https\".",
        ),
        (
            json!("file:///etc/passwd"),
            "Invalid URL: file:///etc/passwd. URL must start with \"http\" or \"https\".",
        ),
        (json!(5), "URL parameter must be a string, got number"),
    ] {
        assert_eq!(http(4.2, json!({ "url": url }), json!([])).error().await.message(), message);
    }
}

#[tokio::test]
async fn answers_take_the_chosen_form() {
    let ask = |response: Value, body: Value| {
        http(
            4.2,
            json!({ "url": URL, "options": { "response": { "response": response } } }),
            always("GET", URL, 200, body),
        )
    };
    assert_eq!(
        ask(json!({}), json!([{ "a": 1 }, { "a": 2 }])).json().await,
        json!([{ "a": 1 }, { "a": 2 }])
    );
    assert_eq!(ask(json!({}), json!("plain")).json().await, json!([{ "data": "plain" }]));
    assert_eq!(
        ask(json!({ "responseFormat": "text", "outputPropertyName": "t" }), json!("x"))
            .json()
            .await,
        json!([{ "t": "x" }])
    );
    let full = ask(json!({ "fullResponse": true }), json!({ "a": 1 })).json().await;
    assert_eq!(
        full,
        json!([{ "body": { "a": 1 }, "headers": { "content-type": "application/json" }, "statusCode": 200, "statusMessage": "OK" }])
    );
    let error = ask(json!({ "responseFormat": "json" }), json!("<html>")).error().await;
    assert_eq!(
        error.message(),
        "Response body is not valid JSON. Change \"Response Format\" to \"Text\""
    );
}

#[tokio::test]
async fn a_file_joins_the_item_it_was_fetched_for() {
    let answers = json!([{ "method": "GET", "baseUrl": "https://api.test", "path": "/img/pic.png", "status": 200,
        "responseBody": { "$base64": "iVBORw0KGgo=" }, "responseHeaders": { "Content-Type": "image/png" } }]);
    let outputs = http(4.2, json!({ "url": "https://api.test/img/pic.png" }), answers)
        .run()
        .await
        .outputs
        .unwrap();
    let item = outputs[0].first().unwrap();
    assert_eq!(item.json, json!({ "in": 1 }));
    let file = item.binary("data").unwrap();
    assert_eq!(
        (file.file_name.as_deref(), file.mime_type.as_str(), file.data.len()),
        (Some("pic.png"), "image/png", 8)
    );
}

#[tokio::test]
async fn statuses_become_errors_with_n8ns_words() {
    let error = http(
        4.2,
        json!({ "url": URL }),
        always("GET", URL, 404, json!({ "message": "nothing here" })),
    )
    .error()
    .await;
    assert_eq!(error.message(), "The resource you are requesting could not be found");
    assert_eq!(error.description().unwrap(), "nothing here");
    assert_eq!(error.context().get("httpCode"), Some(&json!("404")));
    assert_eq!(error.to_run_error("HTTP").name, "NodeApiError");
    let never =
        json!({ "url": URL, "options": { "response": { "response": { "neverError": true } } } });
    assert_eq!(
        http(4.2, never, always("GET", URL, 404, json!({ "message": "m" }))).json().await,
        json!([{ "message": "m" }])
    );
}

#[tokio::test]
async fn failed_items_go_on_with_the_error_and_the_others_unharmed() {
    let answers = json!([
        { "method": "GET", "baseUrl": URL, "status": 500, "responseBody": "broken" },
        { "method": "GET", "baseUrl": URL, "status": 200, "responseBody": { "ok": 1 } },
        { "method": "GET", "baseUrl": URL, "status": 429 },
        { "method": "GET", "baseUrl": URL, "status": 200, "networkError": { "code": "ECONNREFUSED", "message": "connect ECONNREFUSED" } },
    ]);
    let case = http(4.2, json!({ "url": URL }), answers).continuing().on(json!([{}, {}, {}, {}]));
    let outputs = case.run().await.outputs.unwrap();
    let found: Vec<Item> = outputs[0].iter().collect();
    assert_eq!(
        found[0].json,
        json!({ "error": { "message": "500 - \"broken\"", "name": "AxiosError", "code": "ERR_BAD_RESPONSE", "status": 500 } })
    );
    assert_eq!(found[1].json, json!({ "ok": 1 }));
    let spacing = "Try spacing your requests out using the batching settings under 'Options'";
    assert_eq!(found[2].json.get_path("error.message"), Some(&json!(spacing)));
    assert_eq!(found[3].json.get_path("error.code"), Some(&json!("ECONNREFUSED")));
    assert!(found[0].error.is_some() && found[1].error.is_none());
    assert_eq!(found.iter().map(|item| item.paired[0].item).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[tokio::test]
async fn all_requests_are_made_before_the_first_failure_stops_the_run() {
    let answers = json!([
        { "method": "GET", "baseUrl": URL, "status": 400 },
        { "method": "GET", "baseUrl": URL, "status": 200, "times": 2 },
    ]);
    let ran = http(4.2, json!({ "url": URL }), answers).on(json!([{}, {}, {}])).run().await;
    assert_eq!(ran.requests.len(), 3);
    assert_eq!(ran.outputs.unwrap_err().item(), Some(0));
}

#[tokio::test]
async fn credentials_are_put_where_they_belong() {
    let sign = |kind: &'static str, fields: Value| {
        let mut credentials = Object::new();
        credentials.insert(kind, fields);
        let params = json!({ "url": URL, "authentication": "genericCredentialType", "genericAuthType": kind });
        http(4.2, params, always("GET", URL, 200, json!({})))
            .with_credentials(Value::object(credentials))
            .request()
    };
    let basic = sign("httpBasicAuth", json!({ "user": "u", "password": "p" })).await;
    assert_eq!(basic.header("authorization"), Some("Basic dTpw"));
    let header = sign("httpHeaderAuth", json!({ "name": "X-Key", "value": "secret" })).await;
    assert_eq!(header.header("x-key"), Some("secret"));
    assert_eq!(header.credential_headers, ["x-key"]);
    let query = sign("httpQueryAuth", json!({ "name": "key", "value": "a b" })).await;
    assert_eq!(query.url, "https://api.test/x?key=a%20b");
    let bearer = sign("httpBearerAuth", json!({ "token": "t" })).await;
    assert_eq!(bearer.header("authorization"), Some("Bearer t"));
    let custom = sign(
        "httpCustomAuth",
        json!({ "json": "{ \"headers\": { \"X-C\": \"c\" }, \"qs\": { \"q\": 1 } }" }),
    )
    .await;
    assert_eq!((custom.header("x-c"), custom.url.as_str()), (Some("c"), "https://api.test/x?q=1"));
    let oauth = sign("oAuth2Api", json!({ "oauthTokenData": { "access_token": "token" } })).await;
    assert_eq!(oauth.header("authorization"), Some("Bearer token"));
    let oauth1 = sign("oAuth1Api", json!({ "consumerKey": "c", "consumerSecret": "s", "oauthTokenData": { "oauth_token": "t" } })).await;
    assert!(oauth1.header("authorization").unwrap().starts_with("OAuth oauth_consumer_key=\"c\""));
}

#[tokio::test]
async fn services_have_their_own_credentials_and_unknown_ones_are_named() {
    let case = |kind: &str, url: &str| {
        let mut params = json!({ "authentication": "predefinedCredentialType" });
        params.set_path("nodeCredentialType", kind);
        params.set_path("url", url);
        http(4.2, params, always("GET", url, 200, json!({})))
    };
    let credentials = json!({ "openAiApi": { "apiKey": "sk-1" }, "strangeApi": { "x": "y" }, "gmailOAuth2": { "oauthTokenData": { "access_token": "g" } } });
    let openai = case("openAiApi", "https://api.openai.com/v1/models")
        .with_credentials(credentials.clone())
        .request()
        .await;
    assert_eq!(openai.header("authorization"), Some("Bearer sk-1"));
    let gmail = case("gmailOAuth2", "https://gmail.googleapis.com/x")
        .with_credentials(credentials.clone())
        .request()
        .await;
    assert_eq!(gmail.header("authorization"), Some("Bearer g"));
    for kind in ["openAiApi", "gmailOAuth2"] {
        let error = case(kind, URL).with_credentials(credentials.clone()).error().await;
        assert_eq!(
            error.code(),
            model::Code::CREDENTIAL_HOST,
            "issue 14: {kind} goes to its own service only: {error}"
        );
    }
    let error = case("strangeApi", URL).with_credentials(credentials).error().await;
    assert!(error.message().contains("strangeApi"), "{error}");
}

#[tokio::test]
async fn a_digest_challenge_is_answered() {
    let answers = json!([
        { "method": "GET", "baseUrl": URL, "status": 401, "responseHeaders": { "WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"" } },
        { "method": "GET", "baseUrl": URL, "status": 200, "responseBody": { "ok": 1 }, "requestHeaders": { "authorization": { "$regex": "^Digest username=\"u\"" } } },
    ]);
    let params = json!({ "url": URL, "authentication": "digestAuth" });
    let case = http(1.0, params, answers)
        .with_credentials(json!({ "httpDigestAuth": { "user": "u", "password": "p" } }));
    assert_eq!(case.json().await, json!([{ "ok": 1 }]));
}

#[tokio::test]
async fn requests_side_by_side_share_one_refreshed_token() {
    let answers = json!([
        { "method": "GET", "baseUrl": URL, "status": 401, "requestHeaders": { "authorization": "Bearer old-token" }, "times": "any" },
        { "method": "POST", "baseUrl": "https://api.test/token", "status": 200, "responseBody": { "access_token": "new-token" },
          "requestBody": { "grant_type": "refresh_token", "refresh_token": "refresh-1" }, "basicAuth": { "user": "id", "pass": "client-secret" } },
        { "method": "GET", "baseUrl": URL, "status": 200, "responseBody": { "ok": 1 }, "requestHeaders": { "authorization": "Bearer new-token" }, "times": "any" },
    ]);
    let credential = json!({ "oAuth2Api": { "accessTokenUrl": "https://api.test/token", "clientId": "id", "clientSecret": "client-secret",
        "oauthTokenData": { "access_token": "old-token", "refresh_token": "refresh-1" } } });
    let params = json!({ "url": URL, "authentication": "genericCredentialType", "genericAuthType": "oAuth2Api" });
    let case = http(4.2, params, answers).with_credentials(credential).on(json!([{}, {}, {}]));
    assert_eq!(case.json().await, json!([{ "ok": 1 }, { "ok": 1 }, { "ok": 1 }]));
}

#[tokio::test]
async fn secrets_are_in_no_error_and_no_output() {
    let credential =
        || json!({ "httpHeaderAuth": { "name": "X-Key", "value": "canary-0123456789" } });
    let params = |response: Value| json!({ "url": URL, "authentication": "genericCredentialType", "genericAuthType": "httpHeaderAuth", "options": { "response": { "response": response } } });
    let echo = json!({ "headers": { "X-Key": "canary-0123456789" }, "message": "no access for canary-0123456789" });
    for status in [200, 403] {
        for response in
            [json!({}), json!({ "fullResponse": true }), json!({ "responseFormat": "text" })]
        {
            let stopped =
                http(4.2, params(response.clone()), always("GET", URL, status, echo.clone()))
                    .with_credentials(credential())
                    .run()
                    .await;
            let went_on = http(4.2, params(response), always("GET", URL, status, echo.clone()))
                .with_credentials(credential())
                .continuing()
                .run()
                .await;
            let shown = format!("{:?} {:?}", stopped.outputs, went_on.outputs);
            assert!(
                !shown.contains("canary-0123456789") && shown.contains("**hidden**"),
                "{shown}"
            );
        }
    }
}

#[tokio::test]
async fn issue_14_08_a_file_shows_no_secret_either() {
    // `u:canary-0123456789`, as it is sent.
    let basic = "dTpjYW5hcnktMDEyMzQ1Njc4OQ==";
    for (version, params) in [
        (4.2, json!({ "options": { "response": { "response": { "responseFormat": "file" } } } })),
        (1.0, json!({ "responseFormat": "file" })),
    ] {
        let mut params = params;
        let by = if version < 3.0 { json!("basicAuth") } else { json!("genericCredentialType") };
        for (name, value) in [
            ("url", json!(URL)),
            ("authentication", by),
            ("genericAuthType", json!("httpBasicAuth")),
        ] {
            params.set_path(name, value);
        }
        let echo = json!(format!("GET /x HTTP/1.1\r\nAuthorization: Basic {basic}\r\n\r\n"));
        let credential =
            json!({ "httpBasicAuth": { "user": "u", "password": "canary-0123456789" } });
        let made = http(version, params, always("GET", URL, 200, echo))
            .with_credentials(credential)
            .run()
            .await
            .outputs
            .unwrap();
        let file = made[0].first().unwrap().binary("data").unwrap().data.clone();
        let text = String::from_utf8_lossy(&file);
        assert!(
            text.contains("Authorization: Basic **hidden**") && !text.contains(basic),
            "{version}: {text}"
        );
    }
}

#[tokio::test]
async fn redirects_follow_the_version_and_the_options() {
    let follows = |version: f64, options: Value| async move {
        let request = http(
            version,
            json!({ "url": URL, "options": options }),
            always("GET", URL, 200, json!({})),
        )
        .request()
        .await;
        request.follow_redirects.then_some(request.max_redirects)
    };
    assert_eq!(follows(3.0, json!({})).await, None);
    assert_eq!(follows(4.2, json!({})).await, Some(21));
    assert_eq!(
        follows(
            3.0,
            json!({ "redirect": { "redirect": { "followRedirects": true, "maxRedirects": 3 } } })
        )
        .await,
        Some(3)
    );
    assert_eq!(
        follows(4.2, json!({ "redirect": { "redirect": { "followRedirects": false } } })).await,
        None
    );
    assert_eq!(follows(1.0, json!({})).await, Some(21));
    assert_eq!(follows(1.0, json!({ "followRedirect": false })).await, None);
}

#[tokio::test]
async fn pages_are_fetched_until_one_is_empty_or_a_status_ends_them() {
    let page = |number: u32, status: u16, body: Value| json!({ "method": "GET", "baseUrl": URL, "query": { "page": "x" }, "status": status, "responseBody": body, "n": number });
    let params = |more: Value| {
        let mut pagination = json!({ "parameters": { "parameters": [{ "type": "qs", "name": "page", "value": "x" }] } });
        pagination.make_object().extend(more.as_object().unwrap().clone());
        json!({ "url": URL, "options": { "pagination": { "pagination": pagination } } })
    };
    let answers = Value::array(vec![
        page(1, 200, json!([{ "n": 1 }])),
        page(2, 200, json!([{ "n": 2 }])),
        page(3, 200, json!([])),
    ]);
    assert_eq!(
        http(4.2, params(json!({})), answers.clone()).json().await,
        json!([{ "n": 1 }, { "n": 2 }])
    );
    let limited = params(json!({ "limitPagesFetched": true, "maxRequests": 1 }));
    assert_eq!(http(4.2, limited, answers).json().await, json!([{ "n": 1 }]));
    let until_404 = || {
        params(
            json!({ "paginationCompleteWhen": "receiveSpecificStatusCodes", "statusCodesWhenComplete": "404, 410" }),
        )
    };
    let answers =
        Value::array(vec![page(1, 200, json!({ "n": 1 })), page(2, 404, json!({ "end": true }))]);
    assert_eq!(http(4.2, until_404(), answers).json().await, json!([{ "n": 1 }, { "end": true }]));
    let answers = Value::array(vec![page(1, 200, json!({ "n": 1 })), page(2, 500, json!({}))]);
    assert_eq!(
        http(4.2, until_404(), answers).error().await.message(),
        "The service was not able to process your request"
    );
    let mut forever = page(1, 200, json!({ "n": 1 }));
    forever.make_object().insert("times", "any");
    let error = http(4.2, params(json!({})), Value::array(vec![forever])).error().await;
    assert!(error.message().starts_with("The returned response was identical 5x"), "{error}");
}

#[tokio::test]
async fn the_old_form_sends_json_raw_and_forms() {
    let send = |params: Value| {
        let mut all = json!({ "requestMethod": "POST", "url": URL });
        all.make_object().extend(params.as_object().unwrap().clone());
        http(1.0, all, always("POST", URL, 200, json!([{ "a": 1 }])))
    };
    let fields = json!({ "parameter": [{ "name": "a", "value": "1" }] });
    let json_fields =
        send(json!({ "bodyParametersUi": fields, "queryParametersUi": fields, "headerParametersUi": fields })).request().await;
    assert_eq!(
        (body_text(&json_fields).as_str(), json_fields.url.as_str(), json_fields.header("a")),
        (r#"{"a":"1"}"#, "https://api.test/x?a=1", Some("1"))
    );
    let text = send(json!({ "jsonParameters": true, "bodyParametersJson": "{ \"n\": 1 }" }))
        .request()
        .await;
    assert_eq!(body_text(&text), r#"{"n":1}"#);
    let raw = send(json!({ "jsonParameters": true, "bodyParametersJson": "<x/>", "options": { "bodyContentType": "raw", "bodyContentCustomMimeType": "text/xml" } })).request().await;
    assert_eq!((body_text(&raw).as_str(), raw.header("content-type")), ("<x/>", Some("text/xml")));
    let form = send(
        json!({ "bodyParametersUi": fields, "options": { "bodyContentType": "form-urlencoded" } }),
    )
    .request()
    .await;
    assert_eq!(body_text(&form), "a=1");
    let error = send(json!({ "jsonParameters": true, "bodyParametersJson": "{" })).error().await;
    assert!(
        error.message().starts_with("The data in \"Body Parameters\" is no valid JSON."),
        "{error}"
    );
    assert_eq!(
        send(json!({ "options": { "splitIntoItems": true } })).json().await,
        json!([{ "a": 1 }])
    );
    assert_eq!(send(json!({})).json().await, json!([[{ "a": 1 }]]));
}

#[tokio::test]
async fn graphql_sends_queries_and_reads_errors() {
    let url = "https://api.test/graphql";
    let params = json!({ "endpoint": url, "query": "query { foo }", "variables": "{ \"a\": 1 }" });
    let request =
        graphql(params.clone(), always("POST", url, 200, json!({ "data": 1 }))).request().await;
    assert_eq!(
        body_text(&request),
        r#"{"query":"query { foo }","variables":{"a":1},"operationName":null}"#
    );
    assert_eq!(request.header("accept"), Some("application/json"));
    let raw = graphql(
        json!({ "endpoint": url, "query": "{ foo }", "requestFormat": "graphql" }),
        always("POST", url, 200, json!({})),
    )
    .request()
    .await;
    assert_eq!(
        (body_text(&raw).as_str(), raw.header("content-type")),
        ("{ foo }", Some("application/graphql"))
    );
    let get = graphql(
        json!({ "endpoint": url, "query": "{ foo }", "requestMethod": "GET" }),
        always("GET", url, 200, json!({})),
    )
    .request()
    .await;
    assert_eq!(get.url, "https://api.test/graphql?query=%7B%20foo%20%7D");
    let text = json!({ "endpoint": url, "query": "q", "responseFormat": "string", "dataPropertyName": "out" });
    assert_eq!(
        graphql(text, always("POST", url, 200, json!({ "data": 1 }))).json().await,
        json!([{ "out": "{\"data\":1}" }])
    );
    let failing = json!({ "errors": [{ "message": "one" }, { "message": "two" }] });
    let error = graphql(params.clone(), always("POST", url, 200, failing.clone())).error().await;
    assert_eq!(
        (error.message().as_str(), error.to_run_error("x").name.as_str()),
        ("one, two", "NodeApiError")
    );
    assert_eq!(
        graphql(params, always("POST", url, 200, failing)).continuing().json().await,
        json!([{ "error": "one, two" }])
    );
    let broken = json!({ "endpoint": url, "query": "q", "variables": "{" });
    assert!(
        graphql(broken, json!([])).error().await.message().starts_with("Using variables failed:")
    );
}

#[tokio::test]
async fn a_name_that_occurs_twice_has_both_values() {
    let twice =
        json!({ "parameters": [{ "name": "a", "value": "1" }, { "name": "a", "value": "2" }] });
    let params = json!({
        "method": "POST", "url": URL, "sendQuery": true, "queryParameters": twice, "sendHeaders": true, "headerParameters": twice,
        "sendBody": true, "contentType": "form-urlencoded", "bodyParameters": twice, "options": { "queryParameterArrays": "repeat" }
    });
    let request = http(4.2, params, always("POST", URL, 200, json!({}))).request().await;
    assert_eq!(
        (request.url.as_str(), request.header("a")),
        ("https://api.test/x?a=1&a=2", Some("1, 2"))
    );
    assert_eq!(body_text(&request), "a%5B0%5D=1&a%5B1%5D=2");
}

#[tokio::test]
async fn a_credential_bound_to_a_host_is_sent_nowhere_else() {
    let credential = json!({ "httpBearerAuth": { "token": "t", "allowedHttpRequestDomains": "domains", "allowedDomains": "other.test" } });
    let params = json!({ "url": URL, "authentication": "genericCredentialType", "genericAuthType": "httpBearerAuth" });
    let ran = http(4.2, params, always("GET", URL, 200, json!({})))
        .with_credentials(credential)
        .run()
        .await;
    let error = ran.outputs.unwrap_err();
    assert!(error.message().starts_with("Domain not allowed"), "{error}");
    assert_eq!(error.code(), model::Code::CREDENTIAL_HOST);
}

#[tokio::test]
async fn a_client_certificate_comes_from_its_credential() {
    let block = |label: &str, body: &str| {
        format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
    };
    let (certificate, key) = (block("CERTIFICATE", "AQID"), block("PRIVATE KEY", "BAUG"));
    let params = json!({ "url": "https://x.test/", "provideSslCertificates": true });
    let mut credentials = json!({ "httpSslAuth": {} });
    credentials.set_path("httpSslAuth.cert", certificate.replace('\n', " "));
    credentials.set_path("httpSslAuth.key", key.clone());
    let case = |credentials| {
        http(4.2, params.clone(), always("GET", "https://x.test", 200, json!({ "a": 1 })))
            .with_credentials(credentials)
    };
    let ran = case(credentials).run().await;
    ran.outputs.unwrap();
    let sent = ran.requests[0].certificates.clone().unwrap();
    assert_eq!((sent.identity.clone(), sent.authorities.as_str()), (certificate + &key, ""));
    let error =
        case(json!({ "httpSslAuth": { "cert": "not one" } })).run().await.outputs.unwrap_err();
    assert_eq!(error.code(), model::Code::NODE_CREDENTIAL);
}
