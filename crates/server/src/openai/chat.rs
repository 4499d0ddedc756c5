//! `/v1/chat/completions`.

use super::completion::{CompletionHead, ReplyCollector, final_text};
use super::models::{chat, check_may_run};
use super::request::CompletionRequest;
use super::{OpenAiError, stream, tools};
use crate::App;
use crate::access::Principal;
use crate::api::RequestJson;
use crate::error::ApiError;
use crate::response::json;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use model::{Object, Str, Value};
use node_api::ai::MAX_SESSION_ID_BYTES;

pub(super) async fn completions(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    body: Result<RequestJson, ApiError>,
) -> Result<Response, OpenAiError> {
    let RequestJson(sent) = body?;
    let length = sent.length;
    let body = sent.into_json()?;
    let CompletionRequest {
        model,
        mut message,
        is_streaming: streams,
        include_usage: tells_usage,
        include_steps: tells_steps,
    } = CompletionRequest::parse(&body)?;
    let hook = chat(&app, &who, &model)?;
    check_may_run(&app, &who, &hook.workflow).await?;
    message.session = message.session.map(|user| session_of(&who, &user)).transpose()?;
    message.length = length;
    if let Some(tools) = message.callers_tools.take() {
        message.callers_tools = Some(tools::restore_turn(&app, &hook, tools).await?);
    }
    let mut taken = app.runtime.converse(&hook, message).await?;
    let ticket = app.runtime.runner.resume_tokens.sign_turn(taken.id);
    let head = CompletionHead {
        execution: taken.id,
        ticket,
        model,
        created: jiff::Timestamp::now().as_second(),
    };
    if streams {
        let told = stream::StreamOptions { usage: tells_usage, steps: tells_steps };
        return stream::stream_response(taken, head, told).await;
    }
    let mut heard = ReplyCollector::default();
    if let Some(mut pieces) = taken.chunks.take() {
        while let Some(Ok(chunk)) = pieces.next().await {
            heard.add_chunk(&chunk);
        }
    }
    let words = final_text(taken, &heard).await?;
    let mut message = Object::from_iter([
        ("role", Value::from("assistant")),
        ("content", words.into()),
        ("refusal", Value::Null),
    ]);
    if let Some((text, calls)) = heard.client_calls() {
        message.insert("content", Some(text.clone()).filter(|text| !text.is_empty()));
        message.insert(
            "tool_calls",
            Value::array(
                calls.iter().map(|call| tools::to_value(&head.ticket, None, call)).collect(),
            ),
        );
    }
    let choice = Object::from_iter([
        ("index", Value::from(0)),
        ("message", message.into()),
        ("logprobs", Value::Null),
        ("finish_reason", heard.finish_reason().into()),
    ]);
    let mut answer = head.to_object("chat.completion");
    answer.insert("choices", Value::array(vec![choice.into()]));
    answer.insert("usage", heard.usage());
    Ok(json(StatusCode::OK, &answer.into()).into_response())
}

/// The conversation of one of the caller's users. Those of different callers never meet, whatever
/// they call their users.
fn session_of(who: &Principal, user: &str) -> Result<Str, OpenAiError> {
    let session = format!("{}:{user}", who.user_id);
    match session.len() <= MAX_SESSION_ID_BYTES {
        true => Ok(session.into()),
        false => Err(OpenAiError::invalid_param(
            "user",
            format!("is too long; the limit is {MAX_SESSION_ID_BYTES} bytes"),
        )),
    }
}
