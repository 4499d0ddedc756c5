//! Turns an answer into items.

use super::super::draft::RequestDraft;
use super::super::secrets::Secrets;
use super::{binary, text};
use node_api::http::MAX_FILE_BYTES;
use node_api::prelude::*;
use node_api::untrusted::{UntrustedError, read_json, reserve};

/// What the workflow wants to see of an answer.
#[derive(Clone, Debug)]
pub(super) struct ResponseOptions {
    pub(super) format: ResponseFormat,
    /// Status and headers, too.
    pub(super) full: bool,
    /// Where text and files go.
    pub(super) property: Str,
    pub(super) never_error: bool,
    /// A list becomes one item for each of its elements.
    pub(super) split_lists: bool,
    /// What the form calls the format that takes anything, for the error that recommends it.
    pub(super) text_label: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResponseFormat {
    Detect,
    Json,
    Text,
    File,
}

impl ResponseOptions {
    /// Lets an answer be as large as what becomes of it may be.
    pub(super) fn limit(&self, draft: &mut RequestDraft) {
        // What is more than this would only be refused when it is read.
        let most_of = |content_type: &str| {
            if binary::is_file_type(content_type) {
                MAX_FILE_BYTES
            } else {
                compute::largest_intake()
            }
        };
        draft.max_response_bytes = Some(MAX_FILE_BYTES);
        draft.max_bytes_of = match self.format {
            ResponseFormat::File => None,
            ResponseFormat::Detect => Some(most_of),
            ResponseFormat::Json | ResponseFormat::Text => Some(|_| compute::largest_intake()),
        };
    }

    /// The items of one answer.
    pub(super) async fn items(
        &self,
        response: &mut HttpResponse,
        draft: &RequestDraft,
        input: &Item,
        secrets: &Secrets,
    ) -> Result<Vec<Item>, NodeError> {
        let content_type = &content_type(response);
        let format = match self.format {
            ResponseFormat::Detect if content_type.contains("application/json") => {
                ResponseFormat::Json
            }
            ResponseFormat::Detect if binary::is_file_type(content_type) => ResponseFormat::File,
            ResponseFormat::Detect => ResponseFormat::Text,
            chosen => chosen,
        };
        match format {
            ResponseFormat::File => Ok(vec![self.file_item(response, draft, input, secrets)]),
            ResponseFormat::Text | ResponseFormat::Detect => {
                let bytes = response.body.clone();
                let body = text::decode(&bytes, content_type);
                reserve(body.len(), &mut response.reservation)
                    .await
                    .map_err(|error| refused(&error, "choose the response format File"))?;
                // An answer that was only taken for text and is empty gives no field at all.
                let is_absent = body.is_empty() && self.format == ResponseFormat::Detect;
                let value = if is_absent {
                    Value::Undefined
                } else {
                    secrets.hide_in(Value::from(body.as_ref()))
                };
                let mut json = Object::new();
                json.insert(self.property.clone(), value);
                if self.full {
                    json.extend(frame(response, secrets));
                }
                Ok(vec![Item::new(json)])
            }
            ResponseFormat::Json => {
                let body = secrets.hide_in(self.json_body(response, content_type).await?);
                if self.full {
                    let mut json = Object::from_iter([("body", body)]);
                    json.extend(frame(response, secrets));
                    return Ok(vec![Item::new(json)]);
                }
                Ok(match body {
                    Value::Array(values) if self.split_lists => {
                        values.iter().map(|value| Item::new(or_empty(value.clone()))).collect()
                    }
                    value => vec![Item::new(or_empty(value))],
                })
            }
        }
    }

    async fn json_body(
        &self,
        response: &mut HttpResponse,
        content_type: &str,
    ) -> Result<Value, NodeError> {
        let bytes = response.body.clone();
        let body = text::decode(&bytes, content_type);
        if body.trim().is_empty() {
            return Ok(Value::empty_object());
        }
        match read_json(&body, &mut response.reservation).await {
            Ok(value) => Ok(value),
            Err(UntrustedError::NotJson(_))
                if self.format == ResponseFormat::Detect && self.never_error =>
            {
                Ok(Value::empty_object())
            }
            Err(UntrustedError::NotJson(problem)) if self.format == ResponseFormat::Detect => {
                Err(NodeError::failed("Invalid JSON in response body")
                    .hint(format!("{problem}. Choose the response format Text to see the body.")))
            }
            Err(UntrustedError::NotJson(_)) => {
                let message = format!(
                    "Response body is not valid JSON. Change \"Response Format\" to \"{}\"",
                    self.text_label
                );
                Err(NodeError::failed(message))
            }
            Err(error) => Err(refused(&error, "choose the response format Text or File")),
        }
    }

    fn file_item(
        &self,
        response: &HttpResponse,
        draft: &RequestDraft,
        input: &Item,
        secrets: &Secrets,
    ) -> Item {
        let mut item = match self.full {
            true => Item::new(frame(response, secrets)),
            false => Item::new(input.json.clone()),
        };
        item.binary = input.binary.clone();
        item.set_binary(
            self.property.clone(),
            binary::to_file(response, draft, &self.property, secrets),
        );
        item
    }
}

fn content_type(response: &HttpResponse) -> String {
    response.header("content-type").unwrap_or_default().to_owned()
}

/// An answer for which there is no memory.
fn refused(error: &UntrustedError, instead: &str) -> NodeError {
    let refusal = error
        .to_node_error("The answer", Code::UPSTREAM_TOO_LARGE)
        .unwrap_or_else(|| NodeError::failed(error.to_string()));
    match error {
        UntrustedError::TooLarge { .. } => refusal.hint(format!(
            "Request less data at a time, {instead}, or increase HEDDLE_RUN_MEMORY_LIMIT."
        )),
        _ => refusal,
    }
}

/// Headers and status of an answer in the order n8n shows them.
fn frame(response: &HttpResponse, secrets: &Secrets) -> Object {
    let mut frame = Object::new();
    frame.insert("headers", secrets.hide_in(Value::object(headers(response))));
    frame.insert("statusCode", response.status);
    frame.insert("statusMessage", response.status_text.clone());
    frame
}

/// The headers by name; cookies are a list, other repeated headers are joined.
pub(in crate::http) fn headers(response: &HttpResponse) -> Object {
    let mut headers = Object::new();
    for (name, value) in &response.headers {
        let name = name.to_ascii_lowercase();
        match headers.get_mut(&name) {
            Some(Value::Array(values)) => {
                std::sync::Arc::make_mut(values).push(value.as_str().into())
            }
            Some(known) => *known = Value::from(format!("{}, {value}", known.to_js_string())),
            None if name == "set-cookie" => {
                headers.insert(name, vec![Value::from(value.as_str())]);
            }
            None => {
                headers.insert(name, value.as_str());
            }
        }
    }
    headers
}

/// The body as text, if it is none of a file.
pub(in crate::http) fn body_text(response: &HttpResponse) -> Result<String, NodeError> {
    let content_type = response.header("content-type").unwrap_or_default();
    if binary::is_file_type(content_type) || response.body.contains(&0) {
        return Err(NodeError::failed(
            "The service returned a file, which cannot be shown to a model",
        ));
    }
    Ok(text::decode(&response.body, content_type).into_owned())
}

/// The body as pagination expressions see it.
pub(super) async fn body_for_expressions(response: &mut HttpResponse) -> Result<Value, NodeError> {
    let (bytes, content_type) = (response.body.clone(), content_type(response));
    let body = text::decode(&bytes, &content_type);
    let read = match content_type.contains("application/json") {
        true => read_json(&body, &mut response.reservation).await,
        false => reserve(body.len(), &mut response.reservation)
            .await
            .map(|()| Value::from(body.as_ref())),
    };
    match read {
        Err(UntrustedError::NotJson(_)) => Ok(Value::empty_object()),
        read => read.map_err(|error| refused(&error, "use smaller pages")),
    }
}

fn or_empty(value: Value) -> Value {
    if value.is_nullish() { Value::empty_object() } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;

    fn wanted(format: ResponseFormat) -> ResponseOptions {
        ResponseOptions {
            format,
            full: false,
            property: "data".into(),
            never_error: false,
            split_lists: true,
            text_label: "Text",
        }
    }

    fn answer(content_type: &str, body: &str) -> HttpResponse {
        let headers = vec![("Content-Type".to_owned(), content_type.to_owned())];
        HttpResponse {
            status: 200,
            status_text: "OK".into(),
            headers,
            body: body.to_owned().into(),
            url: "https://x.test/a".into(),
            reservation: Default::default(),
        }
    }

    fn items(wanted: &ResponseOptions, response: &mut HttpResponse) -> Result<Value, NodeError> {
        let input = Item::new(json!({ "in": 1 }));
        let draft = RequestDraft::new("GET", "https://x.test/a");
        let made =
            wanted.items(response, &draft, &input, &Secrets::default()).now_or_never().unwrap()?;
        Ok(Value::array(made.into_iter().map(|item| item.json).collect()))
    }

    #[test]
    fn the_content_type_decides_when_asked_to_detect() {
        let detect = wanted(ResponseFormat::Detect);
        assert_eq!(
            items(&detect, &mut answer("application/json; charset=utf-8", r#"{"a":1}"#)).unwrap(),
            json!([{ "a": 1 }])
        );
        assert_eq!(
            items(&detect, &mut answer("application/json", r#"[{"a":1},{"a":2}]"#)).unwrap(),
            json!([{ "a": 1 }, { "a": 2 }])
        );
        assert_eq!(items(&detect, &mut answer("application/json", "null")).unwrap(), json!([{}]));
        assert_eq!(items(&detect, &mut answer("application/json", "")).unwrap(), json!([{}]));
        assert_eq!(items(&detect, &mut answer("application/json", "[]")).unwrap(), json!([]));
        assert_eq!(
            items(&detect, &mut answer("text/html", "<p>")).unwrap(),
            json!([{ "data": "<p>" }])
        );
        assert_eq!(items(&detect, &mut answer("", "")).unwrap(), json!([{}]));
        assert_eq!(items(&detect, &mut answer("image/png", "x")).unwrap(), json!([{ "in": 1 }]));
        assert_eq!(
            items(&detect, &mut answer("application/json", "{oops")).unwrap_err().message(),
            "Invalid JSON in response body"
        );
    }

    #[test]
    fn a_chosen_format_wins_over_the_content_type() {
        assert_eq!(
            items(&wanted(ResponseFormat::Text), &mut answer("application/json", r#"{"a":1}"#))
                .unwrap(),
            json!([{ "data": r#"{"a":1}"# }])
        );
        assert_eq!(
            items(&wanted(ResponseFormat::Json), &mut answer("text/plain", "[1]")).unwrap(),
            json!([1])
        );
        let error =
            items(&wanted(ResponseFormat::Json), &mut answer("text/html", "<p>")).unwrap_err();
        assert_eq!(
            error.message(),
            "Response body is not valid JSON. Change \"Response Format\" to \"Text\""
        );
    }

    #[test]
    fn a_full_answer_has_four_fields() {
        let full = ResponseOptions { full: true, ..wanted(ResponseFormat::Detect) };
        let mut response = answer("application/json", "[1]");
        for cookie in ["a=1", "b=2"] {
            response.headers.push(("Set-Cookie".into(), cookie.into()));
        }
        let expected = json!([{
            "body": [1],
            "headers": { "content-type": "application/json", "set-cookie": ["a=1", "b=2"] },
            "statusCode": 200,
            "statusMessage": "OK"
        }]);
        assert_eq!(items(&full, &mut response).unwrap(), expected);
    }
}
