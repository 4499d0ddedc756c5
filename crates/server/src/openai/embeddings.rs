//! `/v1/embeddings`: the embeddings nodes of active workflows, each a model `WORKFLOW/NODE`.

use super::OpenAiError;
use super::models::{check_may_run, embedding_nodes, model_not_found};
use crate::App;
use crate::access::Principal;
use crate::api::RequestJson;
use crate::error::ApiError;
use crate::response::json;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Object, Str, Value};

/// Texts in one request, as OpenAI has it.
const MAX_TEXTS: usize = 2048;

pub(super) async fn create(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    body: Result<RequestJson, ApiError>,
) -> Result<Response, OpenAiError> {
    let body = body?.0.into_json()?;
    let name = body
        .get("model")
        .and_then(Value::as_str)
        .ok_or_else(|| OpenAiError::invalid_param("model", "is missing"))?;
    if body.get("dimensions").is_some_and(|value| !value.is_nullish()) {
        return Err(OpenAiError::invalid_param(
            "dimensions",
            "is not supported: the workflow's embeddings node sets the vector length",
        ));
    }
    let in_base64 = match body.get("encoding_format").and_then(Value::as_str).unwrap_or("float") {
        "float" => false,
        "base64" => true,
        _ => {
            return Err(OpenAiError::invalid_param(
                "encoding_format",
                "must be 'float' or 'base64'",
            ));
        }
    };
    let texts = texts(&body)?;
    let is_meant = |id: &Str, node: &Str| {
        name == id
            || name.strip_prefix(id.as_str()).and_then(|rest| rest.strip_prefix('/')) == Some(node)
    };
    let found = embedding_nodes(&app, &who)
        .into_iter()
        .find(|(workflow, node)| is_meant(&workflow.id, node));
    let (workflow, node) = found.ok_or_else(|| model_not_found(name))?;
    check_may_run(&app, &who, &workflow).await?;
    let outcome = app.runtime.embed(&workflow.id, &node, app.embedding_caller, texts).await?;
    if let Some(error) = &outcome.error {
        return Err(OpenAiError::run_failed(error.code, error.message.clone()));
    }
    let items = outcome.last_items().into_iter().flat_map(model::Items::iter);
    let data = items.enumerate().map(|(index, item)| {
        let vector = item.json.get("embedding").cloned().unwrap_or_default();
        let embedding = if in_base64 { to_base64(&vector) } else { vector };
        Value::from(Object::from_iter([
            ("object", Value::from("embedding")),
            ("index", index.into()),
            ("embedding", embedding),
        ]))
    });
    // Embeddings nodes do not tell how many tokens they used.
    let usage = Object::from_iter([("prompt_tokens", 0), ("total_tokens", 0)]);
    let answer = Object::from_iter([
        ("object", Value::from("list")),
        ("data", Value::array(data.collect())),
        ("model", name.into()),
        ("usage", usage.into()),
    ]);
    Ok(json(StatusCode::OK, &answer.into()))
}

fn texts(body: &Value) -> Result<Vec<Str>, OpenAiError> {
    let wrong = || {
        OpenAiError::invalid_param(
            "input",
            format!(
                "must be a string, or a list of 1 to {MAX_TEXTS} strings; lists of tokens are \
                     not supported"
            ),
        )
    };
    let texts = match body.get("input") {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(list)) => list
            .iter()
            .map(|text| text.as_str().map(Str::from).ok_or_else(wrong))
            .collect::<Result<Vec<_>, _>>()?,
        _ => return Err(wrong()),
    };
    if (1..=MAX_TEXTS).contains(&texts.len()) { Ok(texts) } else { Err(wrong()) }
}

/// A vector as the bytes of its numbers.
fn to_base64(vector: &Value) -> Value {
    let numbers = vector.as_array().unwrap_or_default().iter().filter_map(Value::as_f64);
    let bytes: Vec<u8> = numbers.flat_map(|number| (number as f32).to_le_bytes()).collect();
    STANDARD.encode(bytes).into()
}
