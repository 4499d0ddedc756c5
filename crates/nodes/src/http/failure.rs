//! What a node says when a request fails, in n8n's words.

use super::secrets::Secrets;
use model::ItemError;
use node_api::ErrorClass;
use node_api::prelude::*;
use std::sync::Arc;

/// Why a request gave no result.
#[derive(Debug)]
pub(super) enum RequestFailure {
    /// No answer at all.
    Network(HttpError),
    /// An answer with an error status.
    Status(HttpResponse),
    /// Something about the node itself.
    Node(NodeError),
}

impl From<HttpError> for RequestFailure {
    fn from(error: HttpError) -> Self {
        RequestFailure::Network(error)
    }
}

impl From<NodeError> for RequestFailure {
    fn from(error: NodeError) -> Self {
        RequestFailure::Node(error)
    }
}

const SPACING: &str = "Try spacing your requests out using the batching settings under 'Options'";

impl RequestFailure {
    /// The error that stops the run.
    pub(super) fn into_error(self, secrets: &Secrets) -> NodeError {
        match self {
            RequestFailure::Node(error) => masked(error, secrets),
            RequestFailure::Network(error) => network_error(&error, secrets),
            RequestFailure::Status(response) => status_error(&response, secrets),
        }
    }

    /// The item that stands for the failed one where the run goes on.
    pub(super) fn into_item(
        self,
        ctx: &Ctx<'_>,
        index: usize,
        secrets: &Secrets,
    ) -> Result<Item, NodeError> {
        let details = match &self {
            RequestFailure::Node(_) => None,
            RequestFailure::Network(error) => Some(network_details(error, secrets)),
            RequestFailure::Status(response) => Some(status_details(response, secrets)),
        };
        let error = self.into_error(secrets);
        let description = error.description().cloned();
        let mut item = ctx.failed_item(index, error)?;
        if let Some(details) = details {
            let message =
                details.get("message").and_then(Value::as_str).map(Str::from).unwrap_or_default();
            item.json = Value::object(Object::from_iter([("error", details)]));
            item.error = Some(Arc::new(ItemError { message, description, ..ItemError::default() }));
        }
        Ok(item)
    }
}

/// What went wrong while signing may be told in the words of a service, and those may hold what it
/// was sent.
fn masked(error: NodeError, secrets: &Secrets) -> NodeError {
    let message = secrets.hide(error.message());
    let error = match error.description().map(|description| secrets.hide(description)) {
        Some(description) => error.describe(description),
        None => error,
    };
    error.reword(message)
}

fn status_error(response: &HttpResponse, secrets: &Secrets) -> NodeError {
    let description = match response.status {
        429 => SPACING.to_owned(),
        _ => body_message(response).unwrap_or_else(|| status_line(response, secrets)),
    };
    let message = status_message(response.status);
    let error = NodeError::api(response.status, message).describe(secrets.hide(&description));
    let body = secrets.hide_in(body_value(response));
    let error = if body.is_undefined() { error } else { error.with("data", body) };
    match response.status {
        401 | 403 => error.hint("Check the credential chosen for this node."),
        429 => error.hint("Set Batching in the node's options, or turn on Retry on Fail."),
        _ => error,
    }
}

/// n8n's sentence for a status.
pub(super) fn status_message(status: u16) -> &'static str {
    match status {
        400 => "Bad request - please check your parameters",
        401 => "Authorization failed - please check your credentials",
        402 => "Payment required - perhaps check your payment details?",
        403 => "Forbidden - perhaps check your credentials?",
        404 => "The resource you are requesting could not be found",
        405 => "Method not allowed - please check you are using the right HTTP method",
        429 => "The service is receiving too many requests from you",
        500 => "The service was not able to process your request",
        502 => "Bad gateway - the service failed to handle your request",
        503 => {
            "Service unavailable - try again later or consider setting this node to retry automatically (in the node settings)"
        }
        504 => "Gateway timed out - perhaps try again later?",
        status if (400..500).contains(&status) => {
            "Your request is invalid or could not be processed by the service"
        }
        status if (500..600).contains(&status) => "The service failed to process your request",
        _ => "UNKNOWN ERROR - check the detailed error for more information",
    }
}

fn network_error(error: &HttpError, secrets: &Secrets) -> NodeError {
    let shown = secrets.hide(&error.to_string());
    match error {
        HttpError::Unreachable { reason, errno } => {
            let reason = secrets.hide(reason);
            let message = errno.map_or(reason.as_str(), errno_message);
            let made = NodeError::new(error.code(), message)
                .class(ErrorClass::Api)
                .describe(reason.as_str());
            match errno {
                Some(errno) => made.with("errorCode", *errno),
                None => made,
            }
        }
        HttpError::Timeout { timeout_ms } => {
            NodeError::new(error.code(), errno_message("ECONNABORTED"))
                .class(ErrorClass::Api)
                .describe(format!("timeout of {timeout_ms}ms exceeded"))
                .hint("Increase Timeout in the node's options, or turn on Retry on Fail.")
                .with("errorCode", "ECONNABORTED")
        }
        HttpError::TooManyRedirects { .. } => {
            NodeError::new(error.code(), "Maximum number of redirects exceeded")
                .class(ErrorClass::Api)
                .describe(shown)
        }
        HttpError::TooLarge { .. } => NodeError::new(error.code(), shown)
            .class(ErrorClass::Api)
            .hint("Request less data at a time, for example in pages."),
        HttpError::NoCapacity { .. } => {
            NodeError::new(error.code(), shown).class(ErrorClass::Api).hint(
                "Set Batching in the node's options, turn on Retry on Fail, or increase \
                 HEDDLE_RUN_MEMORY_TOTAL.",
            )
        }
        HttpError::Blocked { .. } => {
            NodeError::new(error.code(), shown).with("parameter", "url").hint(
                "Whoever operates this instance can allow it. Settings shows what is allowed now.",
            )
        }
        HttpError::Url { .. } | HttpError::HostNotAllowed { .. } => {
            NodeError::new(error.code(), shown).with("parameter", "url")
        }
        HttpError::Method { .. } => NodeError::new(error.code(), shown)
            .with("parameter", "method")
            .hint("Choose another method, such as GET or POST."),
        HttpError::Bound { kind, .. } => NodeError::new(error.code(), shown)
            .hint(
                "If the credential is meant for this host, ask its owner to add the host under \
                 Allowed hosts.",
            )
            .with("credentialType", kind.clone()),
    }
}

fn errno_message(errno: &str) -> &str {
    match errno {
        "ECONNREFUSED" => "The service refused the connection - perhaps it is offline",
        "ECONNRESET" => {
            "The connection to the server was closed unexpectedly, perhaps it is offline. You can retry the request immediately or wait and retry later."
        }
        "ENOTFOUND" => {
            "The connection cannot be established, this usually occurs due to an incorrect host (domain) value"
        }
        "ETIMEDOUT" | "ESOCKETTIMEDOUT" => {
            "The connection timed out, consider setting the 'Retry on Fail' option in the node settings"
        }
        "EADDRNOTAVAIL" => {
            "The address is not available, ensure that you have the right IP address"
        }
        "ECONNABORTED" => "The connection was aborted, perhaps the server is offline",
        "EHOSTUNREACH" | "EHOSTDOWN" | "ENETUNREACH" => {
            "The host is unreachable, perhaps the server is offline"
        }
        "EAI_AGAIN" => "The DNS server returned an error, perhaps the server is offline",
        "EPIPE" => "The connection was closed while the request was being sent",
        "CERT_INVALID" => "The service's certificate could not be verified",
        other => other,
    }
}

fn status_details(response: &HttpResponse, secrets: &Secrets) -> Object {
    let message =
        if response.status == 429 { SPACING.to_owned() } else { status_line(response, secrets) };
    let code = if response.status < 500 { "ERR_BAD_REQUEST" } else { "ERR_BAD_RESPONSE" };
    let mut details = Object::new();
    details.insert("message", message);
    details.insert("name", "AxiosError");
    details.insert("code", code);
    details.insert("status", response.status);
    details
}

fn network_details(error: &HttpError, secrets: &Secrets) -> Object {
    let (message, name, code) = match error {
        HttpError::Timeout { timeout_ms } => {
            (format!("timeout of {timeout_ms}ms exceeded"), "AxiosError", "ECONNABORTED")
        }
        HttpError::TooManyRedirects { .. } => (
            "Maximum number of redirects exceeded".to_owned(),
            "AxiosError",
            "ERR_FR_TOO_MANY_REDIRECTS",
        ),
        HttpError::Unreachable { errno: Some("ECONNRESET"), .. } => {
            ("socket hang up".to_owned(), "Error", "ECONNRESET")
        }
        HttpError::Unreachable { reason, errno } => {
            (reason.clone(), "AxiosError", errno.unwrap_or("ERR_NETWORK"))
        }
        HttpError::Url { .. }
        | HttpError::Blocked { .. }
        | HttpError::TooLarge { .. }
        | HttpError::NoCapacity { .. }
        | HttpError::Bound { .. }
        | HttpError::HostNotAllowed { .. }
        | HttpError::Method { .. } => (error.to_string(), "Error", error.code().name()),
    };
    Object::from_iter([
        ("message", Value::from(secrets.hide(&message))),
        ("name", name.into()),
        ("code", code.into()),
    ])
}

/// `404 - "the body"`, as the HTTP library under n8n puts it. It is cut when nothing is left in it
/// of which a part must not be seen.
fn status_line(response: &HttpResponse, secrets: &Secrets) -> String {
    let body: String =
        secrets.hide(&String::from_utf8_lossy(&response.body)).chars().take(4000).collect();
    format!("{} - {}", response.status, model::json::to_string(&Value::from(body)))
}

/// What the body of an error may become; of a larger one only the beginning is told.
const MAX_ERROR_BYTES: usize = 4 << 20;

fn body_value(response: &HttpResponse) -> Value {
    let text = String::from_utf8_lossy(&response.body);
    model::json::parse_within(&text, MAX_ERROR_BYTES)
        .ok()
        .filter(|value| value.is_object() || value.is_array())
        .unwrap_or_default()
}

/// The sentence in an error body that is meant for people.
fn body_message(response: &HttpResponse) -> Option<String> {
    find_message(&body_value(response), 0)
}

const MESSAGE_KEYS: &[&str] = &[
    "cause",
    "error",
    "message",
    "Message",
    "msg",
    "messages",
    "description",
    "reason",
    "detail",
    "details",
    "errors",
    "errorMessage",
    "errorMessages",
    "ErrorMessage",
    "error_message",
    "_error_message",
    "errorDescription",
    "error_description",
    "error_summary",
    "error_info",
    "title",
    "text",
    "field",
    "err",
    "type",
];

fn find_message(value: &Value, depth: usize) -> Option<String> {
    if depth > 8 {
        return None;
    }
    match value {
        Value::String(text) if !text.is_empty() => Some(text.to_string()),
        Value::Number(_) if depth > 0 => Some(value.to_js_string().into()),
        Value::Array(values) => {
            let found: Vec<String> =
                values.iter().filter_map(|value| find_message(value, depth + 1)).collect();
            (!found.is_empty()).then(|| found.join("\n"))
        }
        Value::Object(object) => MESSAGE_KEYS
            .iter()
            .find_map(|key| object.get(key).and_then(|value| find_message(value, depth + 1))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str) -> HttpResponse {
        HttpResponse {
            status,
            status_text: "".into(),
            headers: Vec::new(),
            body: body.to_owned().into(),
            url: String::new(),
            reservation: Default::default(),
        }
    }

    #[test]
    fn a_status_gives_its_sentence_and_the_body_the_description() {
        for (body, description) in [
            (r#"{"message":"no such thing"}"#, "no such thing"),
            (r#"{"error":{"message":"inner","code":1}}"#, "inner"),
            (r#"{"errors":[{"detail":"one"},{"detail":"two"}]}"#, "one\ntwo"),
            ("plain", "404 - \"plain\""),
            ("", "404 - \"\""),
        ] {
            let error = RequestFailure::Status(answer(404, body)).into_error(&Secrets::default());
            assert_eq!(error.message(), "The resource you are requesting could not be found");
            assert_eq!(error.description().unwrap(), description);
            assert_eq!(error.context().get("httpCode"), Some(&json!("404")));
        }
        assert_eq!(
            status_message(418),
            "Your request is invalid or could not be processed by the service"
        );
        assert_eq!(status_message(599), "The service failed to process your request");
    }

    #[test]
    fn network_errors_have_their_sentences() {
        let refused = HttpError::Unreachable {
            reason: "connect ECONNREFUSED 1.2.3.4:80".into(),
            errno: Some("ECONNREFUSED"),
        };
        let error = RequestFailure::Network(refused).into_error(&Secrets::default());
        assert_eq!(error.message(), "The service refused the connection - perhaps it is offline");
        assert_eq!(error.code(), Code::UPSTREAM_UNREACHABLE);
        let timeout = RequestFailure::Network(HttpError::Timeout { timeout_ms: 5 })
            .into_error(&Secrets::default());
        assert_eq!(timeout.description().unwrap(), "timeout of 5ms exceeded");
    }

    #[test]
    fn issue_14_08_no_part_of_a_secret_is_left_where_a_long_body_is_cut() {
        let mut secrets = Secrets::default();
        secrets.add("top-secret-value");
        for before in 3985..4001 {
            let body = format!("{}top-secret-value", "x".repeat(before));
            let error = RequestFailure::Status(answer(400, &body)).into_error(&secrets);
            assert!(!format!("{error:?}").contains("top"), "{before}");
        }
    }

    #[test]
    fn secrets_do_not_reach_the_error() {
        let mut secrets = Secrets::default();
        secrets.add("top-secret-value");
        let error =
            RequestFailure::Status(answer(400, r#"{"message":"bad key top-secret-value"}"#))
                .into_error(&secrets);
        let all = format!("{error:?}");
        assert!(!all.contains("top-secret-value"), "{all}");
    }
}
