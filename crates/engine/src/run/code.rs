//! JavaScript of Code nodes: runs it natively where it only computes, else in the sandbox, and
//! serves the requests it makes.

use super::host::NodeHost;
use crate::plan::CodeSource;
use crate::scope::RunView;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use expr::sandbox::{
    CodeHost, CodeStaticData, Flavour, LogLine, Sandbox, SandboxJob as Program, SandboxLimits,
    SandboxOutput as Piece,
};
use expr::{ExprError, Scope};
use futures::future::BoxFuture;
use model::{Object, RunEvent, Str, Value};
use node_api::checkpoints::REACHED_OUT;
use node_api::host::{CodeFlavour, CodeOutput, CodeRequest, Host, StaticScope};
use node_api::http::{HttpBody, HttpError, HttpRequest, HttpResponse};
use node_api::{ErrorClass, NodeError};
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{OnceCell, Semaphore};

/// Requests of one program that are under way; further ones wait.
const REQUESTS_AT_ONCE: usize = 32;

/// What an answer becomes as values may take this many times as much as its text may have: the
/// sandbox weighs it again.
const JSON_TIMES: usize = 2;

/// Items between two moments at which other work may go on.
const ITEMS_IN_A_ROW: usize = 8;

impl NodeHost {
    /// Runs what the native evaluator takes; gives back what is left for the sandbox, if anything
    /// is.
    pub(super) async fn run_natively(
        &self,
        job: CodeRequest,
        view: &RunView<'_>,
        each: &mut (dyn FnMut(CodeOutput) -> Result<(), NodeError> + Send),
    ) -> Result<Option<CodeRequest>, NodeError> {
        let known = self.plan_node().code.get_or_init(|| CodeSource::new(job.source.clone()));
        let read;
        let known = match known.source == job.source {
            true => known,
            false => {
                read = CodeSource::new(job.source.clone());
                &read
            }
        };
        let Some(code) = &known.native else { return Ok(Some(job)) };
        match job.flavour {
            CodeFlavour::AllItems => match code.for_all(view) {
                Some(Value::Array(values)) => {
                    each(CodeOutput::List { len: values.len() })?;
                    values.iter().try_for_each(|value| each(CodeOutput::Element(value.clone())))?;
                    Ok(None)
                }
                Some(value) => each(CodeOutput::Whole(value)).map(|()| None),
                None => Ok(Some(job)),
            },
            CodeFlavour::EachItem => {
                let items = job.items.clone();
                for (index, item) in items.iter().enumerate().skip(job.first) {
                    let Some(value) = code.for_item(item, &RunView { item_index: index, ..*view })
                    else {
                        return Ok(Some(CodeRequest { first: index, ..job }));
                    };
                    each(CodeOutput::ForItem { item: index, value })?;
                    if index % ITEMS_IN_A_ROW == ITEMS_IN_A_ROW - 1 {
                        tokio::task::yield_now().await;
                    }
                }
                Ok(None)
            }
            CodeFlavour::Function | CodeFlavour::FunctionItem | CodeFlavour::Tool => Ok(Some(job)),
        }
    }

    pub(super) async fn run_javascript(
        &self,
        job: &CodeRequest,
        scope: &(dyn Scope + Sync),
        each: &mut (dyn FnMut(CodeOutput) -> Result<(), NodeError> + Send),
    ) -> Result<(), NodeError> {
        let limits = if job.flavour == CodeFlavour::Tool {
            SandboxLimits::tool()
        } else {
            SandboxLimits::code_node()
        };
        let mut session = Sandbox::new().session(limits);
        let program = Program {
            source: job.source.clone(),
            flavour: match job.flavour {
                CodeFlavour::AllItems | CodeFlavour::Function => Flavour::AllItems,
                CodeFlavour::EachItem => Flavour::EachItem,
                CodeFlavour::FunctionItem => Flavour::FunctionItem,
                CodeFlavour::Tool => Flavour::Tool,
            },
            static_data: CodeStaticData {
                global: Some(self.static_data(StaticScope::Workflow)),
                node: Some(self.static_data(StaticScope::Node)),
            },
            first: job.first,
            names: job.names.clone(),
        };
        let mut refused = None;
        let mut sink = |piece: Piece| {
            let piece = match piece {
                Piece::Whole(value) => CodeOutput::Whole(value),
                Piece::List { len } => CodeOutput::List { len },
                Piece::Element { value, .. } => CodeOutput::Element(value),
                Piece::ForItem { index, value } => CodeOutput::ForItem { item: index, value },
            };
            if refused.is_none() {
                refused = each(piece).err();
            }
        };
        let turns = Semaphore::new(REQUESTS_AT_ONCE);
        let requests = CodeRequests {
            host: self,
            limits,
            turns,
            noted: OnceCell::new(),
            was_refused: AtomicBool::new(false),
        };
        let result = session.run_code(&program, scope, &requests, &mut sink).await;
        // Whatever the code made of the refusal, nothing of this try counts.
        if requests.was_refused.load(Ordering::Relaxed) {
            return Err(self.code_refusal());
        }
        match result {
            Ok(outcome) => {
                self.log(&outcome.logs).await;
                if let Some(data) = outcome.static_data.global {
                    self.set_static_data(StaticScope::Workflow, data);
                }
                if let Some(data) = outcome.static_data.node {
                    self.set_static_data(StaticScope::Node, data);
                }
                for (key, value) in &outcome.custom_data {
                    self.set_custom_data(key, value);
                }
                refused.map_or(Ok(()), Err)
            }
            Err(failure) => {
                self.log(&failure.logs).await;
                let mut error =
                    NodeError::new(failure.error.code(), Str::from(failure.error.to_string()))
                        .class(ErrorClass::Plain);
                if let Some(line) = failure.line {
                    error = error.with("lineNumber", line);
                }
                if let Some(item) = failure.item_index {
                    error = error.on_item(item);
                }
                Err(error)
            }
        }
    }

    async fn log(&self, lines: &[LogLine]) {
        for line in lines {
            // A log line that cannot be recorded is not worth the run; the node's result will meet
            // the same journal.
            let _ = self
                .record(RunEvent::NodeLog { node: self.name().clone(), line: line.text.clone() })
                .await;
        }
    }
}

/// The requests that JavaScript makes go through the same guarded client as every node's.
struct CodeRequests<'h> {
    host: &'h NodeHost,
    limits: SandboxLimits,
    turns: Semaphore,
    /// Whether it is on record that the step has begun to reach outside.
    noted: OnceCell<()>,
    /// Whether the code asked for something outside that it may not have.
    was_refused: AtomicBool,
}

impl CodeHost for CodeRequests<'_> {
    fn request<'a>(
        &'a self,
        name: &'a str,
        argument: Value,
    ) -> BoxFuture<'a, Result<Value, ExprError>> {
        Box::pin(async move {
            self.admit().await?;
            // It is never closed.
            let _turn = self.turns.acquire().await;
            match name {
                "fetch" => self.fetch(&argument).await,
                "httpRequest" | "request" => self.http_request(&argument, name == "request").await,
                other => Err(thrown(format!("{other} is not available in this node"))),
            }
        })
    }
}

impl CodeRequests<'_> {
    /// Everything that code asks for outside passes here, by whatever name it got at it.
    async fn admit(&self) -> Result<(), ExprError> {
        match &self.host.call {
            // An agent keeps its own record of calls.
            Some(call) if call.may_reach_out => Ok(()),
            Some(_) => {
                self.was_refused.store(true, Ordering::Relaxed);
                Err(thrown("This call may not access the network"))
            }
            // Nobody can tell which part of an address in code came with the call.
            None if self.host.serves_exposed_model() => {
                self.was_refused.store(true, Ordering::Relaxed);
                Err(thrown(
                    "This code may not access the network: a model that has read untrusted \
                         content called the workflow",
                ))
            }
            // Of several requests at once none goes out before that is on record.
            None => self.noted.get_or_try_init(|| self.note()).await.map(|_| ()),
        }
    }

    async fn note(&self) -> Result<(), ExprError> {
        self.host.run.reached_out.store(true, Ordering::Relaxed);
        self.host
            .record_step(REACHED_OUT, true.into())
            .await
            .map_err(|error| thrown(error.message().clone()))
    }

    /// Every request goes out here, whatever its name: an answer that is larger than the program
    /// may read is not taken in.
    async fn send(&self, mut request: HttpRequest) -> Result<HttpResponse, ExprError> {
        request.max_response_bytes = request.max_response_bytes.min(self.limits.fetch_body_bytes);
        self.host.http().send(request).await.map_err(|error| match error {
            HttpError::TooLarge { limit } => ExprError::FetchBody { limit_bytes: limit },
            other => thrown(other.to_string()),
        })
    }

    /// `fetch(url, init)`.
    async fn fetch(&self, argument: &Value) -> Result<Value, ExprError> {
        let text = |key: &str| argument.get(key).and_then(Value::as_str);
        let mut request =
            HttpRequest::new(text("method").unwrap_or("GET"), text("url").unwrap_or_default());
        request.headers = headers_of(argument.get("headers"));
        request.timeout_ms =
            argument.get("timeoutMs").and_then(Value::as_f64).unwrap_or(15_000.0) as u64;
        request.max_redirects = argument.get("redirects").and_then(Value::as_usize).unwrap_or(5);
        if let Some(limit) = argument.get("maxBytes").and_then(Value::as_usize) {
            request.max_response_bytes = limit;
        }
        request.body = match (text("bodyBase64"), text("body")) {
            (Some(encoded), _) => HttpBody::Bytes(
                STANDARD.decode(encoded).map_err(|error| thrown(error.to_string()))?.into(),
            ),
            (None, Some(body)) => HttpBody::Bytes(body.to_owned().into()),
            (None, None) => HttpBody::None,
        };
        let response = self.send(request).await?;
        let mut answer = Object::from_iter([
            ("status", Value::from(response.status)),
            ("statusText", response.status_text.clone().into()),
            ("url", response.url.clone().into()),
            ("headers", headers_value(&response)),
        ]);
        match std::str::from_utf8(&response.body) {
            Ok(body) => answer.insert("body", body),
            Err(_) => answer.insert("bodyBase64", STANDARD.encode(&response.body)),
        };
        Ok(answer.into())
    }

    /// `this.helpers.httpRequest(options)` and the older `this.helpers.request(options)`.
    async fn http_request(&self, options: &Value, older: bool) -> Result<Value, ExprError> {
        let text = |key: &str| options.get(key).and_then(Value::as_str);
        let flag = |key: &str| options.get(key).is_some_and(Value::is_truthy);
        let address =
            text("url").or_else(|| text("uri")).or_else(|| options.as_str()).unwrap_or_default();
        let address = match text("baseURL") {
            Some(base) => {
                format!("{}/{}", base.trim_end_matches('/'), address.trim_start_matches('/'))
            }
            None => address.to_owned(),
        };
        let mut url = url::Url::parse(&address)
            .map_err(|error| thrown(format!("Invalid URL: {address}: {error}")))?;
        for (key, value) in
            options.get("qs").and_then(Value::as_object).into_iter().flat_map(Object::iter)
        {
            url.query_pairs_mut().append_pair(key, &value.to_js_string());
        }
        let mut request = HttpRequest::new(text("method").unwrap_or("GET"), url);
        request.headers = headers_of(options.get("headers"));
        if let Some(timeout) = options.get("timeout").and_then(Value::as_f64) {
            request.timeout_ms = timeout as u64;
        }
        request.body = match options.get("body") {
            None | Some(Value::Undefined | Value::Null) => HttpBody::None,
            Some(Value::String(body)) => HttpBody::Bytes(body.as_bytes().to_vec().into()),
            Some(body) => {
                if request.header("content-type").is_none() {
                    request.set_header("content-type", "application/json");
                }
                HttpBody::Bytes(model::json::to_string(body).into())
            }
        };
        if let Some(auth) = options.get("auth") {
            let field = |keys: [&str; 2]| {
                keys.iter()
                    .find_map(|key| auth.get(key).and_then(Value::as_str))
                    .unwrap_or_default()
                    .to_owned()
            };
            let pair = format!("{}:{}", field(["username", "user"]), field(["password", "pass"]));
            request.set_header("authorization", format!("Basic {}", STANDARD.encode(pair)));
        }
        let response = self.send(request).await?;
        if !response.is_success()
            && !flag("ignoreHttpStatusErrors")
            && options.get("simple") != Some(&Value::Bool(false))
        {
            return Err(thrown(format!("Request failed with status code {}", response.status)));
        }
        let body = String::from_utf8_lossy(&response.body);
        let is_json = response.header("content-type").is_some_and(|kind| kind.contains("json"));
        let limit_bytes = self.limits.fetch_body_bytes;
        let body = match flag("json") || (is_json && !older) {
            true => {
                match model::json::parse_within(&body, limit_bytes.saturating_mul(JSON_TIMES)) {
                    Ok(value) => value,
                    Err(error) if error.is_too_large() => {
                        return Err(ExprError::FetchBody { limit_bytes });
                    }
                    Err(_) => body.as_ref().into(),
                }
            }
            false => body.as_ref().into(),
        };
        if !flag("returnFullResponse") && !flag("resolveWithFullResponse") {
            return Ok(body);
        }
        Ok(Object::from_iter([
            ("body", body),
            ("headers", headers_value(&response)),
            ("statusCode", response.status.into()),
            ("statusMessage", response.status_text.clone().into()),
        ])
        .into())
    }
}

fn headers_of(value: Option<&Value>) -> Vec<(String, String)> {
    let fields = value.and_then(Value::as_object).into_iter().flat_map(Object::iter);
    fields
        .filter(|(_, value)| !value.is_nullish())
        .map(|(key, value)| (key.to_string(), value.to_js_string().to_string()))
        .collect()
}

fn headers_value(response: &HttpResponse) -> Value {
    let mut headers = Object::new();
    for (key, value) in &response.headers {
        let key = key.to_lowercase();
        match headers.get_mut(&key) {
            Some(Value::String(before)) => *before = format!("{before}, {value}").into(),
            _ => {
                headers.insert(key, value.as_str());
            }
        }
    }
    headers.into()
}

fn thrown(message: impl Into<Str>) -> ExprError {
    ExprError::Thrown { name: "Error".into(), message: message.into(), stack: None }
}
