//! Calls of a provider beside conversations: what came back is on record before it is used.

use crate::ai::agent_host::NodeAgentHost;
use agent::AgentHost as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use node_api::checkpoints;
use node_api::hosts::SecretBinding;
use node_api::prelude::*;
use providers::models::secret::{Secret, without_secrets};

/// A place of a provider and the key to it.
pub(super) struct VendorApi {
    base_url: String,
    headers: Vec<(String, Secret)>,
}

/// What a call may do at the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallEffect {
    /// It only looks or makes something anew: a call that was cut off is made again.
    None,
    /// Something is there afterwards, or gone: a call that was cut off leaves the run uncertain.
    Changes,
}

impl VendorApi {
    pub(super) fn new(base_url: &str, headers: Vec<(String, Secret)>) -> Self {
        Self { base_url: base_url.trim_end_matches('/').to_owned(), headers }
    }

    pub(super) async fn json(
        &self,
        ctx: &Ctx<'_>,
        index: usize,
        effect: CallEffect,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, NodeError> {
        let body = body
            .map_or(HttpBody::None, |body| HttpBody::Bytes(model::json::to_string(&body).into()));
        let answer = self.call(ctx, index, effect, method, path, body).await?;
        model::json::parse(&String::from_utf8_lossy(&answer)).map_err(|error| {
            NodeError::new(Code::MODEL_ERROR, "The provider's response is not valid JSON")
                .describe(error.to_string())
                .on_item(index)
        })
    }

    /// The body of the answer to a call; each item makes one call at most.
    pub(super) async fn call(
        &self,
        ctx: &Ctx<'_>,
        index: usize,
        effect: CallEffect,
        method: &str,
        path: &str,
        body: HttpBody,
    ) -> Result<Bytes, NodeError> {
        let world = NodeAgentHost::silent(ctx, index);
        let key = format!("{method} {path}");
        let begun = checkpoints::started_key(&key);
        if let Some(kept) = world.recorded_step(&key) {
            return recorded_body(&kept);
        }
        if effect == CallEffect::Changes {
            if checkpoints::is_started(world.recorded_step(&begun).as_ref()) {
                return Err(NodeError::new(
                    Code::RUN_UNCERTAIN,
                    format!("The call '{key}' was interrupted and may have succeeded"),
                )
                .hint(
                    "Check whether it took effect, then resume the execution with the result, \
                         or stop it.",
                )
                .with("call", world.full_key(&key)));
            }
            world.record_step(&begun, true.into()).await?;
        }
        let answer =
            self.send(ctx, method, path, body).await.map_err(|error| error.on_item(index))?;
        world.record_step(&key, STANDARD.encode(&answer).into()).await?;
        Ok(answer)
    }

    /// How something stands at the provider. It is asked anew each time, and nothing of it is
    /// noted.
    pub(super) async fn poll(&self, ctx: &Ctx<'_>, path: &str) -> Result<Value, NodeError> {
        let answer = self.send(ctx, "GET", path, HttpBody::None).await?;
        let no_json = |error: String| {
            NodeError::new(Code::MODEL_ERROR, "The provider's response is not valid JSON")
                .describe(error)
        };
        model::json::parse(&String::from_utf8_lossy(&answer))
            .map_err(|error| no_json(error.to_string()))
    }

    /// A request to any address. The key goes along only to the provider itself.
    pub(super) async fn exchange(
        &self,
        ctx: &Ctx<'_>,
        mut request: HttpRequest,
    ) -> Result<HttpResponse, NodeError> {
        if self.is_own(&request.url) {
            for (name, value) in &self.headers {
                request.set_header(name, value.reveal());
                request.credential_headers.push(name.clone());
            }
            request.bound = Secret::binding_of(self.headers.iter().map(|(_, value)| value));
        } else {
            request.bound = Some(SecretBinding::deny_all());
        }
        let answer = ctx.host().http().send(request).await;
        let answer = answer
            .map_err(|error| NodeError::new(error.code(), self.mask_secrets(&error.to_string())))?;
        if answer.is_success() { Ok(answer) } else { Err(self.error_from_response(&answer)) }
    }

    pub(super) fn address(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }

    fn is_own(&self, address: &str) -> bool {
        let origin = |address: &str| url::Url::parse(address).map(|url| url.origin()).ok();
        origin(address).is_some_and(|found| Some(found) == origin(&self.base_url))
    }

    async fn send(
        &self,
        ctx: &Ctx<'_>,
        method: &str,
        path: &str,
        body: HttpBody,
    ) -> Result<Bytes, NodeError> {
        let mut request = HttpRequest::new(method, self.address(path));
        if matches!(body, HttpBody::Bytes(_)) {
            request.set_header("content-type", "application/json");
        }
        request.body = body;
        Ok(self.exchange(ctx, request).await?.body)
    }

    fn error_from_response(&self, answer: &HttpResponse) -> NodeError {
        let body = String::from_utf8_lossy(&answer.body);
        let read = model::json::parse(&body).unwrap_or_default();
        let said = read
            .get_path("error.message")
            .and_then(Value::as_str)
            .unwrap_or(answer.status_text.as_str());
        let code = match answer.status {
            401 | 403 => Code::INVALID_CREDENTIALS,
            402 => Code::MODEL_QUOTA,
            404 => Code::MODEL_NOT_FOUND,
            408 | 504 => Code::MODEL_TIMEOUT,
            413 => Code::MODEL_CONTEXT,
            429 => Code::MODEL_RATE_LIMIT,
            400..=499 => Code::MODEL_REQUEST,
            _ => Code::MODEL_ERROR,
        };
        NodeError::new(code, self.mask_secrets(said))
            .with("httpCode", Str::from(answer.status.to_string()))
    }

    fn mask_secrets(&self, message: &str) -> String {
        without_secrets(
            message,
            self.headers.iter().map(|(_, value)| value.reveal().trim_start_matches("Bearer ")),
        )
    }
}

/// The body of an answer that was noted: what came, or what a person says came. Where they say
/// nothing it is an empty object.
fn recorded_body(note: &Value) -> Result<Bytes, NodeError> {
    match (checkpoints::confirmed_text(note), note) {
        (Some(said), _) => Ok(if said.is_empty() {
            Bytes::from_static(b"{}")
        } else {
            Bytes::copy_from_slice(said.as_bytes())
        }),
        (None, Value::String(kept)) => STANDARD
            .decode(kept.as_bytes())
            .map(Bytes::from)
            .map_err(|error| NodeError::failed(error.to_string())),
        (None, other) => Err(NodeError::new(
            Code::RUN_RECORD,
            format!("The recorded call has an unexpected type: {}", other.kind_name()),
        )),
    }
}
