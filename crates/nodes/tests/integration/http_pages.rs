//! Pagination of HTTP Request: settings are evaluated anew for each page, with the last answer at
//! hand.

use model::{Items, Object, OnError, Source, Spill, Value, json};
use node_api::files::FileStorage;
use node_api::host::{
    CodeOutput, CodeRequest, ExecutionInfo, Feature, Host, NodeState, Pause, StaticScope,
    WorkflowCall,
};
use node_api::http::Http;
use node_api::{Ctx, NodeError, NodeInfo};
use node_testing::{TestHost, items};
use providers::http::RecordedHttp;
use std::sync::Arc;

/// A world whose only expressions are paths: `={{ $response.body.next }}`, and `={{ !… }}` for
/// their opposite.
struct PathHost {
    inner: TestHost,
}

#[async_trait::async_trait]
impl Host for PathHost {
    fn parameter(&self, path: &str, item: usize) -> Result<Value, NodeError> {
        let value = self.inner.parameter(path, item)?;
        // The engine evaluates all that a parameter holds, and there is no `$response` yet.
        match model::json::to_string(&value).contains("$response") {
            true => Err(NodeError::failed("$response is not defined")),
            false => Ok(value),
        }
    }
    fn evaluate(&self, text: &str, _item: usize, extra: &Object) -> Result<Value, NodeError> {
        let path = text.trim_start_matches("={{").trim_end_matches("}}").trim();
        let (negated, path) = path.strip_prefix('!').map_or((false, path), |path| (true, path));
        let (holder, _) = path.rsplit_once('.').unwrap_or((path, ""));
        let extra = Value::object(extra.clone());
        if extra.get_path(holder).is_none_or(Value::is_nullish) {
            return Err(NodeError::failed(format!("{holder} is undefined")));
        }
        let value = extra.get_path(path).cloned().unwrap_or_default();
        Ok(if negated { Value::from(!value.is_truthy()) } else { value })
    }
    fn raw_parameter(&self, path: &str) -> Option<Value> {
        self.inner.raw_parameter(path)
    }
    fn has_expression(&self, path: &str) -> bool {
        self.inner.has_expression(path)
    }
    async fn run_code(
        &self,
        job: CodeRequest,
        each: &mut (dyn FnMut(CodeOutput) -> Result<(), NodeError> + Send),
    ) -> Result<(), NodeError> {
        self.inner.run_code(job, each).await
    }
    async fn run_workflow(&self, call: WorkflowCall) -> Result<Vec<Items>, NodeError> {
        self.inner.run_workflow(call).await
    }
    fn http(&self) -> &dyn Http {
        self.inner.http()
    }
    fn connections(&self) -> &dyn node_api::connect::Connections {
        self.inner.connections()
    }
    fn files(&self) -> &dyn FileStorage {
        self.inner.files()
    }
    fn tables(&self) -> std::sync::Arc<dyn node_api::tables::Tables> {
        self.inner.tables()
    }
    fn credential(&self, kind: &str, item: usize) -> Result<node_api::Credential, NodeError> {
        self.inner.credential(kind, item)
    }
    fn state(&self) -> NodeState {
        self.inner.state()
    }
    fn set_state(&self, state: NodeState) {
        self.inner.set_state(state);
    }
    fn static_data(&self, scope: StaticScope) -> Value {
        self.inner.static_data(scope)
    }
    fn set_static_data(&self, scope: StaticScope, data: Value) {
        self.inner.set_static_data(scope, data);
    }
    fn set_custom_data(&self, key: &str, value: &str) {
        self.inner.set_custom_data(key, value);
    }
    fn respond(&self, answer: node_api::trigger::WebhookResponse) {
        self.inner.respond(answer);
    }
    fn pause(&self, until: Pause) {
        self.inner.pause(until);
    }
    fn execution(&self) -> &ExecutionInfo {
        self.inner.execution()
    }
    fn input_source(&self, input: usize) -> Option<Source> {
        self.inner.input_source(input)
    }
    fn now_ms(&self) -> i64 {
        self.inner.now_ms()
    }
    fn timezone(&self) -> &str {
        self.inner.timezone()
    }
    fn fill_random(&self, bytes: &mut [u8]) {
        self.inner.fill_random(bytes);
    }
    async fn sleep(&self, milliseconds: u64) -> Result<(), NodeError> {
        self.inner.sleep(milliseconds).await
    }
    fn is_cancelled(&self) -> bool {
        self.inner.is_cancelled()
    }
    fn allows(&self, feature: Feature) -> bool {
        self.inner.allows(feature)
    }
    fn spill(&self) -> Option<Arc<dyn Spill>> {
        self.inner.spill()
    }
}

async fn fetch(params: Value, answers: Value, credentials: Value) -> Result<Value, NodeError> {
    let registry = heddle_nodes::registry();
    let node = registry.find("n8n-nodes-base.httpRequest", 4.2).unwrap();
    let mut inner = TestHost::new(&node.spec, 4.2, &params);
    inner.credential_types = registry.credentials.clone();
    inner.http = Box::new(RecordedHttp::from_value(&answers).unwrap());
    inner.credentials = credentials.as_object().cloned().unwrap_or_default();
    let host = PathHost { inner };
    let info = NodeInfo { version: 4.2, on_error: OnError::Stop, ..NodeInfo::default() };
    let input = items(&json!([{}]));
    let inputs = [Some(input.clone())];
    let outputs = node.run(&Ctx::new(&info, &inputs, 0, &host), input).await?;
    Ok(Value::array(outputs[0].iter().map(|item| item.json).collect()))
}

fn next_url_params() -> Value {
    let pagination = json!({
        "paginationMode": "responseContainsNextURL", "nextURL": "={{ $response.body.next }}",
        "paginationCompleteWhen": "other", "completeExpression": "={{ !$response.body.next }}"
    });
    json!({
        "url": "https://api.test/list", "sendQuery": true, "queryParameters": { "parameters": [{ "name": "size", "value": "2" }] },
        "authentication": "genericCredentialType", "genericAuthType": "httpBearerAuth",
        "options": { "pagination": { "pagination": pagination } }
    })
}

fn page(path: &str, status: u16, body: Value) -> Value {
    let mut entry = json!({ "method": "GET", "baseUrl": "https://api.test", "path": path, "status": status, "requestHeaders": { "authorization": "Bearer t" } });
    entry.make_object().insert("responseBody", body);
    entry
}

fn credentials() -> Value {
    json!({ "httpBearerAuth": { "token": "t" } })
}

#[tokio::test]
async fn the_next_url_of_each_answer_is_followed() {
    let answers = Value::array(vec![
        page("/list?size=2", 200, json!({ "n": 1, "next": "https://api.test/list?size=2&page=2" })),
        page("/list?size=2&page=2", 200, json!({ "n": 2, "next": null })),
    ]);
    let found = fetch(next_url_params(), answers, credentials()).await.unwrap();
    assert_eq!(
        found,
        json!([{ "n": 1, "next": "https://api.test/list?size=2&page=2" }, { "n": 2, "next": null }])
    );
}

#[tokio::test]
async fn issue_14_08_expressions_see_no_secret_that_an_answer_sends_back() {
    let token = "token-that-nobody-sees";
    let entry = |path: &str, body: Value| {
        let mut entry = page(path, 200, body);
        entry
            .make_object()
            .insert("requestHeaders", json!({ "authorization": (format!("Bearer {token}")) }));
        entry
    };
    let pagination = json!({
        "parameters": { "parameters": [{ "type": "qs", "name": "said", "value": "={{ $response.body.echo }}" }] },
        "limitPagesFetched": true, "maxRequests": 2
    });
    let params = json!({
        "url": "https://api.test/list", "authentication": "genericCredentialType", "genericAuthType": "httpBearerAuth",
        "options": { "pagination": { "pagination": pagination } }
    });
    let answers = Value::array(vec![
        entry("/list", json!({ "n": 1, "echo": (format!("Bearer {token}")) })),
        entry("/list?said=Bearer%20**hidden**", json!({ "n": 2 })),
    ]);
    let found =
        fetch(params, answers, json!({ "httpBearerAuth": { "token": token } })).await.unwrap();
    assert_eq!(found, json!([{ "n": 1, "echo": "Bearer **hidden**" }, { "n": 2 }]));
}

#[tokio::test]
async fn issue_14_08_a_next_url_with_the_key_in_it_is_followed_with_the_key_of_the_credential() {
    let mut params = next_url_params();
    params.set_path("genericAuthType", "httpQueryAuth");
    let entry = |path: &str, body: Value| {
        let mut entry = page(path, 200, body);
        entry.make_object().remove("requestHeaders");
        entry
    };
    let answers = Value::array(vec![
        entry(
            "/list?size=2&key=k-12345678",
            json!({ "n": 1, "next": "https://api.test/list?size=2&key=k-12345678&page=2" }),
        ),
        entry("/list?size=2&page=2&key=k-12345678", json!({ "n": 2, "next": null })),
    ]);
    let key = json!({ "httpQueryAuth": { "name": "key", "value": "k-12345678" } });
    let found = fetch(params, answers, key).await.unwrap();
    assert_eq!(found.at(1).and_then(|page| page.get("n")), Some(&json!(2)), "{found:?}");
}

#[tokio::test]
async fn an_answer_cannot_send_the_credential_to_another_host() {
    let answers =
        Value::array(vec![page("/list?size=2", 200, json!({ "next": "https://evil.test/steal" }))]);
    let error = fetch(next_url_params(), answers, credentials()).await.unwrap_err();
    assert!(
        error.message().contains("evil.test")
            && error.message().contains("credentials are not sent"),
        "{error}"
    );
}

#[tokio::test]
async fn a_next_url_that_is_none_is_told() {
    let answers = Value::array(vec![page("/list?size=2", 200, json!({ "next": "page two" }))]);
    let error = fetch(next_url_params(), answers, credentials()).await.unwrap_err();
    assert_eq!(error.message(), "'page two' is not a valid URL.");
    assert_eq!(
        error.description().unwrap(),
        "Make sure the \"Next URL\" parameter evaluates to a valid URL."
    );
}

#[tokio::test]
async fn an_error_answer_does_not_pass_for_the_last_page() {
    let answers = Value::array(vec![
        page("/list?size=2", 200, json!({ "n": 1, "next": "https://api.test/two" })),
        page("/two?size=2", 500, json!({ "message": "broken" })),
    ]);
    let error = fetch(next_url_params(), answers, credentials()).await.unwrap_err();
    assert_eq!(error.message(), "The service was not able to process your request");
}
