//! Tools of whoever asks: what they are, which of them were called, and what they gave.

use super::OpenAiError;
use crate::App;
use model::{Object, Str, Value};
use node_api::ai::{ChatRole, Message, MessagePart, ToolArguments, ToolCall};
use runtime::TriggerEndpoint;
use runtime::chat::ClientTools;

/// Tools in one request, as OpenAI has it.
const MAX_TOOLS: usize = 128;

/// Letters of a tool's name, as providers have it.
const MAX_NAME_CHARS: usize = 64;

/// What the ids of calls begin with that this instance has handed over.
const CLIENT_CALL_PREFIX: &str = "call_";

/// The tools of a request, as agents take them.
pub(super) fn tools(fields: &Object) -> Result<Vec<Value>, OpenAiError> {
    if fields.get("tool_choice").and_then(Value::as_str) == Some("none") {
        return Ok(Vec::new());
    }
    let given = match fields.get("tools") {
        None | Some(Value::Null | Value::Undefined) => return Ok(Vec::new()),
        Some(Value::Array(given)) => given,
        Some(_) => return Err(OpenAiError::invalid_param("tools", "must be a list")),
    };
    if given.len() > MAX_TOOLS {
        return Err(OpenAiError::invalid_param(
            "tools",
            format!("may contain at most {MAX_TOOLS} tools"),
        ));
    }
    given.iter().map(tool).collect()
}

fn tool(given: &Value) -> Result<Value, OpenAiError> {
    let function = given
        .get("function")
        .filter(|_| given.get("type").and_then(Value::as_str) == Some("function"));
    let function = function.ok_or_else(|| {
        OpenAiError::invalid_param("tools", "may contain only tools of the type 'function'")
    })?;
    let is_name = |name: &&str| {
        (1..=MAX_NAME_CHARS).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    let name = function.get("name").and_then(Value::as_str).filter(is_name);
    let name = name.ok_or_else(|| {
        OpenAiError::invalid_param(
            "tools",
            format!("must have names of 1 to {MAX_NAME_CHARS} letters, digits, '_' and '-'"),
        )
    })?;
    let parameters = match function.get("parameters") {
        None | Some(Value::Null | Value::Undefined) => {
            Object::from_iter([("type", "object")]).into()
        }
        Some(schema @ Value::Object(_)) => schema.clone(),
        Some(_) => {
            return Err(OpenAiError::invalid_param("tools", "must have an object as 'parameters'"));
        }
    };
    let description = function.get("description").and_then(Value::as_str).unwrap_or_default();
    Ok(Object::from_iter([
        ("name", Value::from(name)),
        ("description", description.into()),
        ("parameters", parameters),
    ])
    .into())
}

/// Whether a tool must be called, and which.
pub(super) fn choice(fields: &Object) -> Result<Option<Value>, OpenAiError> {
    match fields.get("tool_choice") {
        None | Some(Value::Null | Value::Undefined) => Ok(None),
        Some(Value::String(word)) => match word.as_str() {
            "none" | "auto" => Ok(None),
            "required" => Ok(Some("required".into())),
            _ => Err(OpenAiError::invalid_param(
                "tool_choice",
                "must be 'none', 'auto', 'required' or a function",
            )),
        },
        Some(chosen) => match chosen.get_path("function.name").and_then(Value::as_str) {
            Some(name) => Ok(Some(Object::from_iter([("tool", name)]).into())),
            None => Err(OpenAiError::invalid_param(
                "tool_choice",
                "must be 'none', 'auto', 'required' or a function",
            )),
        },
    }
}

/// A message of the assistant with calls in it.
pub(super) fn assistant_with_calls(message: &Value, words: Str) -> Result<Message, OpenAiError> {
    let mut parts: Vec<MessagePart> =
        Some(MessagePart::Text(words.clone())).filter(|_| !words.is_empty()).into_iter().collect();
    for call in message.get("tool_calls").and_then(Value::as_array).unwrap_or_default() {
        let text = |path: &str| call.get_path(path).and_then(Value::as_str);
        let (Some(id), Some(name)) = (text("id"), text("function.name")) else {
            return Err(OpenAiError::invalid_param(
                "messages",
                "has a tool call without 'id' or 'function.name'",
            ));
        };
        let arguments = match model::json::parse(text("function.arguments").unwrap_or("{}")) {
            Ok(Value::Object(arguments)) => ToolArguments::Parsed((*arguments).clone()),
            _ => {
                return Err(OpenAiError::invalid_param(
                    "messages",
                    "has a tool call whose arguments are not a JSON object",
                ));
            }
        };
        parts.push(MessagePart::ToolCall(ToolCall {
            id: id.into(),
            name: name.into(),
            arguments,
            opaque: None,
        }));
    }
    Ok(Message::new(ChatRole::Assistant, parts))
}

/// The id of a call as the caller gets it: it leads back to the execution that handed it over.
pub(super) fn id_for_caller(ticket: &str, id: &str) -> String {
    format!("{CLIENT_CALL_PREFIX}{ticket}_{id}")
}

/// The ticket in such an id, and the id that the model gave the call.
fn parse_id(id: &str) -> Option<(&str, &str)> {
    id.strip_prefix(CLIENT_CALL_PREFIX)?.split_once('_').filter(|(ticket, _)| ticket.contains('-'))
}

/// What was said in a turn before it was handed over. The execution that did it knows what its own
/// tools gave, which its caller does not; where it is not kept, what the caller tells has to do.
pub(super) async fn restore_turn(
    app: &App,
    hook: &TriggerEndpoint,
    mut tools: ClientTools,
) -> Result<ClientTools, OpenAiError> {
    let ticket = tools.results.iter().rev().find_map(|result| {
        let id = result.get("id").and_then(Value::as_str)?;
        parse_id(id).map(|(ticket, _)| ticket.to_owned())
    });
    let Some(ticket) = ticket else { return Ok(tools) };
    let Some(id) = app.runtime.execution_by_token(&hook.workflow.id, &ticket).await? else {
        return Ok(tools);
    };
    let (weight, runtime) = (app.store.outline_bytes(id).await?, app.runtime.clone());
    // Callers of one workflow share what one person may read.
    let reading = async move { runtime.turn_messages(id).await };
    let (said, _room) = app.read_budget().read(&hook.workflow.id, weight, reading).await?;
    let Some(said) = said? else { return Ok(tools) };
    tools.said = said;
    for result in &mut tools.results {
        let own = result
            .get("id")
            .and_then(Value::as_str)
            .and_then(parse_id)
            .map(|(_, own)| Value::from(own));
        if let Some(own) = own {
            result.make_object().insert("id", own);
        }
    }
    Ok(tools)
}

/// A call as OpenAI's API tells it. Pieces of a stream have a place too.
pub(super) fn to_value(ticket: &str, place: Option<usize>, call: &Value) -> Value {
    let field = |key: &str| call.get(key).cloned().unwrap_or_default();
    let arguments = match field("arguments") {
        Value::String(text) => text,
        other => model::json::to_string(&other).into(),
    };
    let function = Object::from_iter([("name", field("name")), ("arguments", arguments.into())]);
    let id = id_for_caller(ticket, field("id").as_str().unwrap_or_default());
    let told =
        [("id", Value::from(id)), ("type", "function".into()), ("function", function.into())];
    let place = place.map(|place| ("index", Value::from(place)));
    place.into_iter().chain(told).collect::<Object>().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn an_id_leads_back_to_its_execution_and_other_ids_lead_nowhere() {
        let id = id_for_caller("7-abc", "call_1");
        assert_eq!(parse_id(&id), Some(("7-abc", "call_1")));
        assert_eq!(
            (parse_id("call_1"), parse_id("toolu_7-abc_1"), parse_id("call_1_2")),
            (None, None, None)
        );
    }

    #[test]
    fn tools_are_read_as_openai_has_them_and_others_are_refused() {
        let read = |tools: Value| {
            super::tools(&Object::from_iter([("tools", tools)]))
                .map_err(|refusal| refusal.error.message.to_string())
        };
        let tool = json!([{ "type": "function", "function": { "name": "look_up", "parameters": { "type": "object" }, "strict": true } }]);
        let found = read(tool).unwrap();
        assert_eq!(
            found,
            [json!({ "name": "look_up", "description": "", "parameters": { "type": "object" } })]
        );
        for (tools, words) in [
            (json!("look_up"), "must be a list"),
            (json!([{ "type": "web_search" }]), "type 'function'"),
            (json!([{ "type": "function", "function": { "name": "look up" } }]), "names of"),
            (
                json!([{ "type": "function", "function": { "name": "a", "parameters": [] } }]),
                "an object",
            ),
        ] {
            let refused = read(tools).unwrap_err();
            assert!(refused.contains(words), "{refused}");
        }
    }
}
