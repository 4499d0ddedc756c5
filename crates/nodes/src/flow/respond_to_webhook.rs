//! Answers the call that started the run, and passes its items on.

use crate::text::jwt::signed;
use crate::triggers::webhook::headers::{checked_value, encoded_address, has, headers_of};
use bytes::Bytes;
use node_api::prelude::*;
use node_api::trigger::{ChunkKind, ResponseBody, WebhookResponse, rejected_headers};

pub(crate) struct RespondToWebhook;

/// Version 1.3 always had a second output for the answer.
pub(crate) struct RespondToWebhookV13;

const OUTPUTS: [&str; 2] = ["Input Data", "Response"];
const RESPONSE_OUTPUT: &str = "enableResponseOutput";

impl Node for RespondToWebhook {
    fn spec() -> Spec {
        spec(&[1.0, 1.1, 1.2, 1.4, 1.5])
            .param(
                Param::flag(RESPONSE_OUTPUT, "Enable response output branch", false)
                    .since(1.4)
                    .help("Add a second output with the response as sent."),
            )
            .output_rule(PortRule::named(&OUTPUTS).when(RESPONSE_OUTPUT, "true"))
            .example("The first item", "{}", r#"[{ "id": 1 }, { "id": 2 }]"#, r#"[[{ "id": 1 }, { "id": 2 }]]"#)
            .example(
                "The sent response",
                r#"{ "respondWith": "json", "responseBody": "{ \"ok\": true }", "enableResponseOutput": true }"#,
                r#"[{ "id": 1 }]"#,
                r#"[[{ "id": 1 }], [{ "response": { "body": { "ok": true }, "headers": {}, "statusCode": 200 } }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let shows = match ctx.version() >= 1.4 && ctx.flag(RESPONSE_OUTPUT, 0)? {
            true => ResponseOutput::Shown,
            false => ResponseOutput::None,
        };
        respond(ctx, items, shows).await
    }
}

impl Node for RespondToWebhookV13 {
    fn spec() -> Spec {
        spec(&[1.3]).outputs(OUTPUTS.map(Port::named))
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        respond(ctx, items, ResponseOutput::Shown).await
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ResponseOutput {
    None,
    Shown,
}

async fn respond(
    ctx: &Ctx<'_>,
    items: Items,
    output: ResponseOutput,
) -> Result<Outputs, NodeError> {
    let answer = match answer_of(ctx, &items) {
        Ok(answer) => answer,
        Err(error) if ctx.continues_on_fail() => {
            let failed: Items = items
                .iter()
                .enumerate()
                .map(|(index, _)| ctx.failed_item(index, error.clone()))
                .collect::<Result<_, _>>()?;
            return Ok(if output == ResponseOutput::Shown {
                vec![failed, Items::new()]
            } else {
                vec![failed]
            });
        }
        Err(error) => return Err(error.on_item(0)),
    };
    rejected_headers(&answer.headers).for_each(|words| ctx.host().warn(words.into()));
    let shown = (output == ResponseOutput::Shown)
        .then(|| Items::one(Item::new(answer_fields(&answer)).paired_with(0)));
    match streamed_content(ctx, &answer, &items)? {
        Some(contents) => {
            for (index, content) in contents.into_iter().enumerate() {
                ctx.send_chunk(ChunkKind::Begin, index, None).await;
                ctx.send_chunk(ChunkKind::Item, index, Some(content)).await;
                ctx.send_chunk(ChunkKind::End, index, None).await;
            }
        }
        None => ctx.host().respond(answer),
    }
    Ok([items].into_iter().chain(shown).collect())
}

/// What goes out as pieces of a stream; `None` if the answer goes out whole.
fn streamed_content(
    ctx: &Ctx<'_>,
    answer: &WebhookResponse,
    items: &Items,
) -> Result<Option<Vec<Value>>, NodeError> {
    if ctx.version() < 1.5
        || !ctx.host().is_streaming()
        || ctx.param("options.enableStreaming", 0)?.as_bool() == Some(false)
    {
        return Ok(None);
    }
    let kind = ctx.text("respondWith", 0)?;
    Ok(match (&answer.body, kind.as_str()) {
        (ResponseBody::Json(_), "allIncomingItems") => {
            Some(items.iter().map(|item| item.json).collect())
        }
        (ResponseBody::Json(_), "firstIncomingItem") => {
            Some(items.first().into_iter().map(|item| item.json).collect())
        }
        (ResponseBody::Json(value), _) => Some(vec![value.clone()]),
        (ResponseBody::Bytes(bytes), "text" | "json") => {
            Some(vec![String::from_utf8_lossy(bytes).into_owned().into()])
        }
        (ResponseBody::Bytes(_) | ResponseBody::Empty | ResponseBody::Page(_), _) => None,
    })
}

fn answer_of(ctx: &Ctx<'_>, items: &Items) -> Result<WebhookResponse, NodeError> {
    let entries = ctx.param("options.responseHeaders.entries", 0)?;
    let mut headers =
        headers_of("options.responseHeaders", entries.as_array().unwrap_or_default())?;
    let add = |headers: &mut Vec<(Str, Str)>, name: &str, value: &str| -> Result<(), NodeError> {
        if !has(headers, name) {
            headers.push((name.into(), checked_value("respondWith", name, value)?));
        }
        Ok(())
    };
    let mut usual_status = 200;
    let body = match ctx.text("respondWith", 0)?.as_str() {
        "noData" => ResponseBody::Empty,
        "redirect" => {
            usual_status = 307;
            let address = encoded_address(&checked_value(
                "redirectURL",
                "location",
                &ctx.text("redirectURL", 0)?,
            )?);
            if address.is_empty() {
                return Err(NodeError::parameter("redirectURL", "The redirect URL is required")
                    .hint("Enter the redirect URL."));
            }
            headers.retain(|(name, _)| name != "location");
            headers.push(("location".into(), address));
            ResponseBody::Empty
        }
        "json" => match json_body(ctx)? {
            Value::String(text) if ctx.version() < 1.1 => {
                add(&mut headers, "content-type", "text/html; charset=utf-8")?;
                ResponseBody::Bytes(Bytes::copy_from_slice(text.as_bytes()))
            }
            value => ResponseBody::Json(value),
        },
        "jwt" => {
            let payload = json_param(ctx, "payload", "Payload")?;
            let credential = ctx.host().credential("jwtAuth", 0)?;
            let token = signed(&credential, payload, ctx.host().now_ms())?;
            ResponseBody::Json(Object::from_iter([("token", token)]).into())
        }
        "text" => {
            add(&mut headers, "content-type", "text/html; charset=utf-8")?;
            ResponseBody::Bytes(Bytes::copy_from_slice(ctx.text("responseBody", 0)?.as_bytes()))
        }
        "binary" => {
            let item = items.first().unwrap_or_default();
            let file = match ctx.text("responseDataSource", 0)?.as_str() {
                "set" => ctx.binary(&item, 0, &ctx.text("inputFieldName", 0)?)?.clone(),
                _ => item
                    .binary
                    .iter()
                    .flat_map(|files| files.iter())
                    .map(|(_, file)| file.clone())
                    .next()
                    .ok_or_else(|| {
                        NodeError::input("No binary data exists on the first item!")
                            .hint("Check that the previous node outputs a file.")
                    })?,
            };
            add(&mut headers, "content-type", &file.mime_type)?;
            ResponseBody::Bytes(file.data)
        }
        "allIncomingItems" => ResponseBody::Json(keyed(
            ctx,
            Value::array(items.iter().map(|item| item.json).collect()),
        )?),
        _ => {
            ResponseBody::Json(keyed(ctx, items.first().map(|item| item.json).unwrap_or_default())?)
        }
    };
    Ok(WebhookResponse { status: status(ctx, usual_status)?, headers, body })
}

fn status(ctx: &Ctx<'_>, usual: u16) -> Result<u16, NodeError> {
    let path = "options.responseCode";
    let given = ctx.param(path, 0)?;
    if given.is_nullish() || given.as_str() == Some("") {
        return Ok(usual);
    }
    let number = ctx.number(path, 0)?;
    // An answer with a status below 200 is not the last one, so the caller would go on waiting.
    match number.fract() == 0.0 && (200.0..600.0).contains(&number) {
        true => Ok(number as u16),
        false => Err(NodeError::parameter(
            path,
            format!("The response code must be a whole number from 200 to 599, but it is {number}"),
        )),
    }
}

/// The value, or an object with the value at the path that the option names.
fn keyed(ctx: &Ctx<'_>, value: Value) -> Result<Value, NodeError> {
    let key = ctx.text("options.responseKey", 0)?;
    if key.is_empty() {
        return Ok(value);
    }
    let mut object = Value::empty_object();
    object.put_path(&key, value)?;
    Ok(object)
}

/// The JSON body. The first version sent text that is no JSON as it stands.
fn json_body(ctx: &Ctx<'_>) -> Result<Value, NodeError> {
    match json_param(ctx, "responseBody", "Response Body") {
        Err(_) if ctx.version() < 1.1 => ctx.param("responseBody", 0),
        read => read,
    }
}

fn json_param(ctx: &Ctx<'_>, path: &str, label: &str) -> Result<Value, NodeError> {
    match ctx.param(path, 0)? {
        Value::Undefined | Value::Null => Ok(Value::empty_object()),
        Value::String(text) => model::json::parse(&text).map_err(|problem| {
            NodeError::parameter(path, format!("Invalid JSON in '{label}' field"))
                .describe(format!(
                    "Check that the syntax of the JSON in the '{label}' parameter is valid"
                ))
                .hint(format!("{problem}. In an expression, wrap values with JSON.stringify()."))
        }),
        value => Ok(value),
    }
}

/// The answer as the second output gives it.
fn answer_fields(answer: &WebhookResponse) -> Object {
    let body = match &answer.body {
        ResponseBody::Json(value) => value.clone(),
        ResponseBody::Bytes(bytes) => std::str::from_utf8(bytes).map_or_else(
            |_| Object::from_iter([("fileSize", Value::from(bytes.len()))]).into(),
            Value::from,
        ),
        ResponseBody::Empty | ResponseBody::Page(_) => Value::Null,
    };
    let headers: Object = answer.headers.iter().cloned().collect();
    let response = Object::from_iter([
        ("body", body),
        ("headers", headers.into()),
        ("statusCode", Value::from(usize::from(answer.status))),
    ]);
    Object::from_iter([("response", response)])
}

fn spec(versions: &[f64]) -> Spec {
    let kinds = [
        ("allIncomingItems", "All incoming items"),
        ("binary", "Binary file"),
        ("firstIncomingItem", "First incoming item"),
        ("json", "JSON"),
        ("jwt", "JWT token"),
        ("noData", "No data"),
        ("redirect", "Redirect"),
        ("text", "Text"),
    ];
    let sources = [("automatically", "Choose automatically from input"), ("set", "Specify myself")];
    let example = "{\n  \"myField\": \"value\"\n}";
    Spec::new(
        "n8n-nodes-base.respondToWebhook",
        versions,
        "Respond to Webhook",
        "Respond to the webhook call that started the workflow",
    )
    .answers(&[TriggerKind::Webhook])
    .icon("reply")
    .sends_to("redirectURL")
    .group(NodeGroup::Flow)
    .credential("jwtAuth", false)
    .params([
        Param::notice(
            "generalNotice",
            "Set the option 'Respond' of the Webhook node to 'Using Respond to Webhook node'.",
        ),
        Param::choice("respondWith", "Respond with", &kinds)
            .preset("firstIncomingItem")
            .help("What to respond with."),
        Param::notice(
            "webhookNotice",
            "The response is sent when this node runs. A second one in the same run is ignored.",
        )
        .show("respondWith", &["json", "text"]),
        Param::text("redirectURL", "Redirect URL", "")
            .required()
            .show("respondWith", &["redirect"])
            .help("URL to redirect the caller to."),
        Param::json("responseBody", "Response body", example)
            .show("respondWith", &["json"])
            .help("JSON to send."),
        Param::json("payload", "Payload", example)
            .show("respondWith", &["jwt"])
            .help("Claims of the token to send."),
        Param::text("responseBody", "Response body", "")
            .show("respondWith", &["text"])
            .help("Text to send, as HTML unless a header specifies otherwise."),
        Param::choice("responseDataSource", "Response data source", &sources)
            .show("respondWith", &["binary"])
            .help("Which file of the first item to send."),
        Param::text("inputFieldName", "Input field name", "data")
            .required()
            .show("respondWith", &["binary"])
            .show("responseDataSource", &["set"])
            .help("Binary field with the file."),
        Param::collection("options", "Options", option_params())
            .help("Status and headers of the response."),
    ])
    .hint(
        "Add it where the response is known. The Webhook node must be set to respond using this \
             node. The run continues after it.",
    )
    .alias(&["reply", "answer", "return", "response"])
    // After a crash the caller is gone, and an answer to nobody does nothing.
    .repeatable()
}

fn option_params() -> Vec<Param> {
    let header = [
        Param::text("name", "Name", "").help("Name of the header."),
        Param::text("value", "Value", "").help("Value of the header."),
    ];
    vec![
        Param::number("responseCode", "Response code", 200)
            .between(200.0, 599.0)
            .help("Status code of the response. Defaults to 307 for redirects."),
        Param::repeated(
            "responseHeaders",
            "Response headers",
            [FieldGroup::new("entries", "Entries", header)],
        )
        .help(
            "Headers of the response: standard response headers, and custom ones that start \
                 with `X-`.",
        ),
        Param::text("responseKey", "Put response in field", "")
            .show("/respondWith", &["allIncomingItems", "firstIncomingItem"])
            .help("Wrap the items in an object, as the value of this field."),
        Param::flag("enableStreaming", "Enable streaming", true)
            .since(1.5)
            .show("/respondWith", &["allIncomingItems", "firstIncomingItem", "text", "json", "jwt"])
            .help("In a streaming webhook, the response is sent as part of the stream."),
    ]
}

#[cfg(test)]
mod tests;
