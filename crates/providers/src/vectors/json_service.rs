//! One way to ask a service that speaks JSON: limits on time and size, and errors in words.

use crate::models::secret::Secret;
use bytes::Bytes;
use model::{Code, Str, Value};
use node_api::NodeError;
use node_api::http::{Http, HttpBody, HttpRequest};
use std::sync::Arc;

/// How long one request may take.
const TIMEOUT_MS: u64 = 60_000;

const MAX_ANSWER_BYTES: usize = 64 << 20;

/// Where a service is, and what it is told with every request.
#[derive(Clone)]
pub(super) struct JsonService {
    pub(super) http: Arc<dyn Http>,
    /// For messages.
    pub(super) name: &'static str,
    pub(super) base_url: String,
    /// Headers that hold the key go nowhere else.
    pub(super) secret_headers: Vec<(&'static str, Secret)>,
    pub(super) headers: Vec<(&'static str, String)>,
}

impl JsonService {
    pub(super) async fn ask(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, NodeError> {
        match self.try_ask(method, path, body).await? {
            (status, answer) if (200..300).contains(&status) => Ok(answer),
            (status, answer) => Err(self.refused(status, &answer)),
        }
    }

    /// The status and what was said, whatever it is.
    pub(super) async fn try_ask(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(u16, Value), NodeError> {
        let mut request =
            HttpRequest::new(method, format!("{}{path}", self.base_url.trim_end_matches('/')));
        request.timeout_ms = TIMEOUT_MS;
        request.max_response_bytes = MAX_ANSWER_BYTES;
        request.set_header("accept", "application/json");
        for (name, value) in &self.headers {
            request.set_header(name, value.clone());
        }
        for (name, value) in &self.secret_headers {
            request.set_header(name, value.reveal());
            request.credential_headers.push((*name).to_owned());
        }
        request.bound = Secret::binding_of(self.secret_headers.iter().map(|(_, value)| value));
        if let Some(body) = body {
            request.set_header("content-type", "application/json");
            request.body = HttpBody::Bytes(Bytes::from(model::json::to_string(body)));
        }
        let answer = self.http.send(request).await.map_err(|error| {
            NodeError::new(error.code(), format!("The request to {} failed: {error}", self.name))
                .hint("Check the address in the credential, and that the operator has allowed it.")
        })?;
        let text = String::from_utf8_lossy(&answer.body);
        let told = model::json::parse(&text)
            .unwrap_or_else(|_| Value::from(text.chars().take(300).collect::<String>()));
        Ok((answer.status, told))
    }

    pub(super) fn refused(&self, status: u16, answer: &Value) -> NodeError {
        let said = ["message", "error", "msg"].iter().find_map(|key| words(answer.get(key)?));
        let said = said
            .or_else(|| words(answer.get_path("status.error")?))
            .or_else(|| words(answer.get_path("error.message")?));
        let said = said.or_else(|| answer.as_str().filter(|text| !text.is_empty()).map(Str::from));
        let message = match said {
            Some(said) => format!("{} responded with status {status}: {said}", self.name),
            None => format!("{} answered with status {status}", self.name),
        };
        let code =
            if matches!(status, 401 | 403) { Code::NODE_CREDENTIAL } else { Code::UPSTREAM_STATUS };
        NodeError::new(code, message).with("httpCode", Str::from(status.to_string()))
    }
}

fn words(value: &Value) -> Option<Str> {
    value
        .as_str()
        .filter(|text| !text.is_empty())
        .map(|text| text.chars().take(500).collect::<String>().into())
}
