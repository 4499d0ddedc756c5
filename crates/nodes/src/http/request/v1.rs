//! HTTP Request v1 and v2: the older form of the node, which many workflows still use.

use super::super::auth::{AuthSession, HttpCredentials};
use super::super::draft::{
    DEFAULT_REDIRECTS, DEFAULT_TIMEOUT_MS, DraftBody, RequestDraft, file_part, form_parts, text_of,
};
use super::super::failure::RequestFailure;
use super::response::{ResponseFormat, ResponseOptions};
use super::v3::positive;
use super::{ItemCollector, ItemResult, RequestBatching, fields_of, run_all, spec};
use node_api::prelude::*;

pub(crate) struct HttpRequestV1;

impl Node for HttpRequestV1 {
    fn spec() -> Spec {
        spec::old_form()
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let options = ctx.param("options", 0)?;
        let is_batched =
            options.get("batchSize").is_some() || options.get("batchInterval").is_some();
        let size = options.get("batchSize").and_then(Value::as_f64).unwrap_or(50.0);
        let batching = RequestBatching {
            size: (is_batched && size >= 0.0).then_some((size as usize).max(1)),
            pause_ms: positive(options.get("batchInterval")).unwrap_or(1000),
        };
        let session = AuthSession::default();
        let inputs = items.to_vec();
        run_all(ctx, inputs.len(), batching, |index| {
            run_item(ctx, &session, inputs.get(index).cloned().unwrap_or_default(), index)
        })
        .await
    }
}

async fn run_item(ctx: &Ctx<'_>, session: &AuthSession, input: Item, index: usize) -> ItemResult {
    let credentials =
        credentials(ctx, index).map_err(|error| (error.into(), Default::default()))?;
    let made = async {
        let options = ctx.param("options", index)?;
        let flag = |name: &str| options.get(name).is_some_and(Value::is_truthy);
        let format = match ctx.text("responseFormat", index)?.as_str() {
            "file" => ResponseFormat::File,
            "string" => ResponseFormat::Text,
            _ => ResponseFormat::Json,
        };
        let property = ctx.text("dataPropertyName", index)?;
        let wanted = ResponseOptions {
            format,
            full: flag("fullResponse"),
            property: if property.is_empty() { "data".into() } else { property },
            never_error: flag("ignoreResponseCode"),
            split_lists: flag("splitIntoItems"),
            text_label: "String",
        };
        let mut draft = draft(ctx, &input, index, &options, format)?;
        wanted.limit(&mut draft);
        let mut response = credentials.send(ctx, session, draft.clone()).await?;
        if !response.is_success() && !wanted.never_error {
            return Err(RequestFailure::Status(response));
        }
        let items = wanted
            .items(&mut response, &draft, &input, &credentials.secrets(session).await)
            .await?;
        let mut made = ItemCollector::new(ctx);
        made.add(items, response.body.len());
        Ok(made.finish())
    };
    match made.await {
        Ok(made) => Ok(made),
        Err(failure) => Err((failure, credentials.secrets(session).await)),
    }
}

fn credentials(ctx: &Ctx<'_>, index: usize) -> Result<HttpCredentials, NodeError> {
    let kind = match ctx.text("authentication", index)?.as_str() {
        "basicAuth" => "httpBasicAuth",
        "digestAuth" => "httpDigestAuth",
        "headerAuth" => "httpHeaderAuth",
        "queryAuth" => "httpQueryAuth",
        "customAuth" => "httpCustomAuth",
        "oAuth1" => "oAuth1Api",
        "oAuth2" => "oAuth2Api",
        "genericCredentialType" => {
            return HttpCredentials::generic(ctx, &ctx.text("genericAuthType", index)?, index);
        }
        "predefinedCredentialType" => {
            return HttpCredentials::predefined(
                ctx,
                &ctx.text("nodeCredentialType", index)?,
                index,
            );
        }
        _ => return Ok(HttpCredentials::default()),
    };
    HttpCredentials::generic(ctx, kind, index)
}

fn draft(
    ctx: &Ctx<'_>,
    input: &Item,
    index: usize,
    options: &Value,
    format: ResponseFormat,
) -> Result<RequestDraft, NodeError> {
    let url = super::check_url(&ctx.param("url", index)?, index)?;
    let method = ctx.text("requestMethod", index)?.to_uppercase();
    let mut draft = RequestDraft::new(if method.is_empty() { "GET" } else { &method }, &url)
        .chosen_in(ctx, "url", index);
    let content_kind = options.get("bodyContentType").and_then(Value::as_str).unwrap_or("json");
    let as_json = ctx.flag("jsonParameters", index)?;
    let has_body = matches!(draft.method.as_str(), "PATCH" | "POST" | "PUT" | "DELETE");

    let query = part(ctx, "queryParameters", "Query Parameters", as_json, index)?;
    draft.query = query.as_object().cloned().unwrap_or_default();
    let headers = part(ctx, "headerParameters", "Headers", as_json, index)?;
    for (name, value) in headers.as_object().cloned().unwrap_or_default() {
        draft.set_header(&name, text_of(&value));
    }
    let pairs = |fields: Value| fields.as_object().map(texts_of).unwrap_or_default();
    match as_json {
        true => {
            draft.check_host_header(ctx, "headerParametersJson", index, |value| {
                pairs(value.as_str().map_or_else(
                    || value.clone(),
                    |text| model::json::parse(text).unwrap_or_default(),
                ))
            })?
        }
        false => draft.check_host_header(ctx, "headerParametersUi.parameter", index, |value| {
            fields_of(Some(value))
                .map(|(name, value, _)| (name.to_owned(), text_of(value)))
                .collect()
        })?,
    }
    if has_body {
        draft.body = body(ctx, input, index, content_kind, as_json)?;
        if let (DraftBody::Raw { .. }, Some(kind)) =
            (&draft.body, options.get("bodyContentCustomMimeType").map(text_of))
            && !kind.is_empty()
        {
            draft.set_header("content-type", kind);
        }
    }
    let accept = match format {
        ResponseFormat::Json => "application/json,text/*;q=0.99",
        ResponseFormat::Text => {
            "application/json,text/html,application/xhtml+xml,application/xml,text/*;q=0.9, */*;q=0.1"
        }
        ResponseFormat::File | ResponseFormat::Detect => {
            "application/json,text/html,application/xhtml+xml,application/xml,text/*;q=0.9, image/*;q=0.8, */*;q=0.7"
        }
    };
    draft.set_header_if_missing("accept", accept);

    draft.allow_invalid_certificates = ctx.flag("allowUnauthorizedCerts", index)?;
    draft.proxy = options.get("proxy").map(text_of).filter(|proxy| !proxy.trim().is_empty());
    draft.timeout_ms = positive(options.get("timeout"))
        .filter(|timeout| *timeout > 0)
        .unwrap_or(DEFAULT_TIMEOUT_MS);
    let follow = options.get("followRedirect").map(Value::is_truthy);
    let follow_all = options.get("followAllRedirects").map(Value::is_truthy);
    let follows = match draft.method.as_str() {
        "GET" | "HEAD" => follow.unwrap_or(true) || follow_all == Some(true),
        _ => follow_all.unwrap_or(follow.unwrap_or(true)),
    };
    draft.redirects = follows.then_some(DEFAULT_REDIRECTS);
    draft.proxy_chosen_in(ctx, "options.proxy", index);
    Ok(draft.pin_to_host(ctx))
}

fn texts_of(fields: &Object) -> Vec<(String, String)> {
    fields.iter().map(|(name, value)| (name.to_string(), text_of(value))).collect()
}

/// Query, headers or body: written as JSON or as a list of fields.
fn part(
    ctx: &Ctx<'_>,
    name: &str,
    label: &str,
    as_json: bool,
    index: usize,
) -> Result<Value, NodeError> {
    if !as_json {
        let entries = ctx.param(&format!("{name}Ui.parameter"), index)?;
        let mut fields = Object::new();
        for (name, value, _) in fields_of(Some(&entries)) {
            fields.insert(name, value.clone());
        }
        return Ok(Value::object(fields));
    }
    match ctx.param(&format!("{name}Json"), index)? {
        Value::String(text) if text.trim().is_empty() => Ok(Value::Undefined),
        Value::String(text) => model::json::parse(&text).map_err(|_| {
            let advice = if name == "bodyParameters" {
                " Set \"Body Content Type\" to \"RAW/Custom\" for XML or other types of payloads"
            } else {
                ""
            };
            NodeError::parameter(name, format!("The data in \"{label}\" is no valid JSON.{advice}"))
                .on_item(index)
        }),
        value => Ok(value),
    }
}

fn body(
    ctx: &Ctx<'_>,
    input: &Item,
    index: usize,
    kind: &str,
    as_json: bool,
) -> Result<DraftBody, NodeError> {
    if ctx.flag("sendBinaryData", index)? {
        let property = ctx.text("binaryPropertyName", index)?;
        return match kind {
            "raw" => {
                let file = ctx.binary(input, index, property.trim())?;
                Ok(DraftBody::Raw { data: file.data.clone(), content_type: Some(file.mime_type.to_string()) })
            }
            "multipart-form-data" => {
                let fields = part(ctx, "bodyParameters", "Body Parameters", as_json, index)?;
                let mut parts = form_parts(fields.as_object().unwrap_or(&Object::new()));
                for entry in property.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
                    let (name, source) = entry.split_once(':').unwrap_or(("", entry));
                    let source = source.trim();
                    parts.push(file_part(if name.is_empty() { source } else { name.trim() }, ctx.binary(input, index, source)?));
                }
                Ok(DraftBody::Multipart(parts))
            }
            _ => Err(NodeError::parameter(
                "sendBinaryData",
                "Sending binary data is only supported when option \"Body Content Type\" is set to \"RAW/CUSTOM\" or \"FORM-DATA/MULTIPART\"!",
            )
            .on_item(index)),
        };
    }
    if kind == "raw" && as_json {
        return Ok(match ctx.param("bodyParametersJson", index)? {
            Value::String(text) if text.is_empty() => DraftBody::None,
            Value::String(text) => {
                DraftBody::Raw { data: text.to_string().into(), content_type: None }
            }
            value => DraftBody::Json(value),
        });
    }
    let fields = part(ctx, "bodyParameters", "Body Parameters", as_json, index)?;
    let as_object = || fields.as_object().cloned().unwrap_or_default();
    Ok(match kind {
        _ if fields.is_undefined() => DraftBody::None,
        "form-urlencoded" => DraftBody::Form(as_object()),
        "multipart-form-data" => DraftBody::Multipart(form_parts(&as_object())),
        _ if fields.as_object().is_some_and(Object::is_empty) && !as_json => DraftBody::None,
        _ => DraftBody::Json(fields),
    })
}
