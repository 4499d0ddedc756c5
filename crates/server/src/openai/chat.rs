//! `/v1/chat/completions`.

use super::answer::{Head, Heard, last_words};
use super::models::{chat, check_may_run};
use super::request::Asked;
use super::{Refusal, stream, tools};
use crate::App;
use crate::access::Principal;
use crate::answer::json;
use crate::api::Text;
use crate::error::ApiError;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use model::{Object, Str, Value};
use node_api::ai::MAX_SESSION_ID_BYTES;

pub(super) async fn completions(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    body: Result<Text, ApiError>,
) -> Result<Response, Refusal> {
    let Text(sent) = body?;
    let length = sent.length;
    let body = sent.into_json()?;
    let Asked { model, mut message, streams, tells_usage, tells_steps } = Asked::read(&body)?;
    let hook = chat(&app, &who, &model)?;
    check_may_run(&app, &who, &hook.workflow).await?;
    message.session = message.session.map(|user| session_of(&who, &user)).transpose()?;
    message.length = length;
    if let Some(tools) = message.callers_tools.take() {
        message.callers_tools = Some(tools::with_what_was_said(&app, &hook, tools).await?);
    }
    let mut taken = app.runtime.converse(&hook, message).await?;
    let ticket = app.runtime.runner.tickets.of_turn(taken.id);
    let head =
        Head { execution: taken.id, ticket, model, created: jiff::Timestamp::now().as_second() };
    if streams {
        let told = stream::Told { usage: tells_usage, steps: tells_steps };
        return stream::answer(taken, head, told).await;
    }
    let mut heard = Heard::default();
    if let Some(mut pieces) = taken.pieces.take() {
        while let Some(Ok(chunk)) = pieces.next().await {
            heard.hear(&chunk);
        }
    }
    let words = last_words(taken, &heard).await?;
    let mut message = Object::from_iter([
        ("role", Value::from("assistant")),
        ("content", words.into()),
        ("refusal", Value::Null),
    ]);
    if let Some((text, calls)) = heard.handed_over() {
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
fn session_of(who: &Principal, user: &str) -> Result<Str, Refusal> {
    let session = format!("{}:{user}", who.user_id);
    match session.len() <= MAX_SESSION_ID_BYTES {
        true => Ok(session.into()),
        false => Err(Refusal::of(
            "user",
            format!("is too long; at most {MAX_SESSION_ID_BYTES} bytes are taken"),
        )),
    }
}
