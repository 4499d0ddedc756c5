//! Operations of the API called from inside the server, as a caller outside would call them.

use crate::access::Principal;
use crate::error::ApiError;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::Response;
use model::{Code, Object, Str, Value};

/// The largest answer that is read.
const MAX_ANSWER_BYTES: usize = 32 << 20;

/// A call of an operation: its path is below `/api/v1`.
pub(crate) struct ApiRequest {
    method: Method,
    path: String,
    query: String,
    body: Option<Object>,
}

impl ApiRequest {
    fn new(method: Method, path: &'static str) -> Self {
        Self { method, path: path.to_owned(), query: String::new(), body: None }
    }

    pub(crate) fn get(path: &'static str) -> Self {
        Self::new(Method::GET, path)
    }

    pub(crate) fn post(path: &'static str) -> Self {
        Self::new(Method::POST, path)
    }

    pub(crate) fn put(path: &'static str) -> Self {
        Self::new(Method::PUT, path)
    }

    /// The same with one more part of the path.
    pub(crate) fn segment(mut self, segment: &str) -> Self {
        self.path.push('/');
        for byte in segment.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => {
                    self.path.push(byte.into())
                }
                other => self.path.push_str(&format!("%{other:02X}")),
            }
        }
        self
    }

    /// The same with a parameter, if it has a value.
    pub(crate) fn query(mut self, name: &str, value: Option<impl AsRef<str>>) -> Self {
        if let Some(value) = value {
            let pair = form_urlencoded::Serializer::new(String::new())
                .append_pair(name, value.as_ref())
                .finish();
            self.query.push(if self.query.is_empty() { '?' } else { '&' });
            self.query.push_str(&pair);
        }
        self
    }

    pub(crate) fn body(self, body: Object) -> Self {
        Self { body: Some(body), ..self }
    }

    pub(crate) fn into_request(self, who: &Principal) -> Result<Request, ApiError> {
        let body = match self.body {
            Some(body) => Body::from(model::json::to_string(&body.into())),
            None => Body::empty(),
        };
        Request::builder()
            .method(self.method)
            .uri(self.path + &self.query)
            .header(header::CONTENT_TYPE, "application/json")
            .extension(who.clone())
            .body(body)
            .map_err(|error| ApiError::new(Code::REQUEST_INVALID, error.to_string()))
    }
}

/// What an operation answered, or the error that it gave.
pub(crate) async fn read_answer(response: Response) -> Result<Value, ApiError> {
    let status = response.status();
    let retry_after = response
        .headers()
        .get(header::RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.parse().ok());
    let bytes =
        axum::body::to_bytes(response.into_body(), MAX_ANSWER_BYTES).await.map_err(|_| {
            ApiError::new(Code::REQUEST_TOO_LARGE, "The answer is too large to be shown here")
                .hint("Ask for less, or open it in the editor.")
        })?;
    let text = String::from_utf8_lossy(&bytes);
    let read = compute::for_size(bytes.len(), || model::json::parse(&text))?;
    let value = match read {
        Ok(value) => value,
        Err(_) if bytes.is_empty() => Value::Null,
        Err(_) => return Err(failed(status, &Value::Null)),
    };
    match status.is_success() {
        true => Ok(value),
        false => Err(ApiError { retry_after, ..failed(status, &value) }),
    }
}

fn failed(status: StatusCode, body: &Value) -> ApiError {
    let text = |key: &str| body.get(key).and_then(Value::as_str).map(Str::from);
    let code =
        text("code").and_then(|name| Code::from_name(&name)).unwrap_or(Code::REQUEST_INVALID);
    let message = text("message").unwrap_or_else(|| format!("The API answered {status}").into());
    let error = ApiError::new(code, message);
    text("hint").into_iter().fold(error, ApiError::hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_one_part_of_the_path_whatever_is_in_it() {
        let request = ApiRequest::get("/workflows").segment("../users?x=1#é");
        assert_eq!(request.path, "/workflows/%2E%2E%2Fusers%3Fx%3D1%23%C3%A9");
    }

    #[test]
    fn parameters_without_a_value_are_left_out() {
        let request = ApiRequest::get("/executions")
            .query("limit", Some("5"))
            .query("cursor", None::<String>)
            .query("status", Some("a&b=c"));
        assert_eq!(request.query, "?limit=5&status=a%26b%3Dc");
    }
}
