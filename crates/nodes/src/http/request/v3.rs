//! HTTP Request from v3 on: calls any service and turns its answer into items.

use super::super::auth::{AuthSession, HttpCredentials};
use super::super::draft::{
    DEFAULT_REDIRECTS, DEFAULT_TIMEOUT_MS, DraftBody, RequestDraft, file_part, form_parts, text_of,
};
use super::super::failure::RequestFailure;
use super::super::query::{ArrayFormat, parse_form};
use super::super::tools::optimize_response::ResponseOptimizer;
use super::pagination::{PageFetcher, Pagination};
use super::recovery_check::KnownAnswers;
use super::response::{ResponseFormat, ResponseOptions, body_text};
use super::{
    ItemCollector, ItemResult, RequestBatching, check_url, collect_fields, fields_of, parse_json,
    run_all, spec,
};
use model::Gaps;
use node_api::prelude::*;
use node_api::{KEY_HEADER_HINT, MAX_KEY_HEADER};

pub(crate) struct HttpRequestV3;

impl Node for HttpRequestV3 {
    fn spec() -> Spec {
        spec::new_form()
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let session = AuthSession::default();
        let known = KnownAnswers::find(ctx, &session, items.len()).await?;
        let first = options(ctx, 0)?;
        let batch = first.get_path("batching.batch");
        let batching = RequestBatching {
            size: batch.map(|batch| batch_size(batch.get("batchSize"))),
            pause_ms: batch.map_or(0, |batch| positive(batch.get("batchInterval")).unwrap_or(1000)),
        };
        let pagination = Pagination::read(ctx.raw_param("options.pagination.pagination").as_ref())?;
        let inputs = items.to_vec();
        run_all(ctx, inputs.len(), batching, |index| {
            run_item(
                ctx,
                &session,
                pagination.as_ref(),
                &known,
                inputs.get(index).cloned().unwrap_or_default(),
                index,
            )
        })
        .await
    }
}

async fn run_item(
    ctx: &Ctx<'_>,
    session: &AuthSession,
    pagination: Option<&Pagination>,
    known: &KnownAnswers,
    input: Item,
    index: usize,
) -> ItemResult {
    let credentials =
        credentials(ctx, index).map_err(|error| (error.into(), Default::default()))?;
    let made = async {
        let options = options(ctx, index)?;
        let wanted = response_options(&options);
        let mut draft = draft(ctx, &input, index, &options)?;
        let accept = match wanted.format {
            ResponseFormat::Json => "application/json,text/*;q=0.99",
            ResponseFormat::Text => {
                "application/json,text/html,application/xhtml+xml,application/xml,text/*;q=0.9, */*;q=0.1"
            }
            ResponseFormat::Detect | ResponseFormat::File => {
                "application/json,text/html,application/xhtml+xml,application/xml,text/*;q=0.9, image/*;q=0.8, */*;q=0.7"
            }
        };
        draft.set_header_if_missing("accept", accept);
        wanted.limit(&mut draft);
        let mut answered = known.take(index);
        if let Some((_, asked)) = &answered {
            draft = asked.clone();
        }
        let shortened = ResponseOptimizer::read(ctx, index)?;
        let mut made = ItemCollector::new(ctx);
        let mut pages = match pagination {
            Some(pagination) if answered.is_none() => {
                Some(PageFetcher::new(pagination, ctx, session, &credentials, &draft, index).await?)
            }
            _ => None,
        };
        loop {
            let mut page = match &mut pages {
                Some(pages) => match pages.next(wanted.never_error).await? {
                    Some(page) => page,
                    None => break,
                },
                None => {
                    let response = match answered.take() {
                        Some((response, _)) => response,
                        None => credentials.send(ctx, session, draft.clone()).await?,
                    };
                    if !response.is_success() && !wanted.never_error {
                        return Err(RequestFailure::Status(response));
                    }
                    response
                }
            };
            let secrets = credentials.secrets(session).await;
            let items = match &shortened {
                Some(shortened) => shortened.items(secrets.hide_in(body_text(&page)?.into()))?,
                None => wanted.items(&mut page, &draft, &input, &secrets).await?,
            };
            made.add(items, page.body.len());
            if pages.is_none() {
                break;
            }
        }
        Ok(made.finish())
    };
    match made.await {
        Ok(made) => Ok(made),
        Err(failure) => Err((failure, credentials.secrets(session).await)),
    }
}

/// The options one by one: those of pagination can only be evaluated once there is an answer.
pub(super) fn options(ctx: &Ctx<'_>, index: usize) -> Result<Value, NodeError> {
    const NAMES: &[&str] = &[
        "batching",
        "allowUnauthorizedCerts",
        "queryParameterArrays",
        "redirect",
        "sendCredentialsOnCrossOriginRedirect",
        "response",
        "proxy",
        "timeout",
    ];
    let mut options = Object::new();
    for name in NAMES {
        let value = ctx.param(&format!("options.{name}"), index)?;
        if !value.is_undefined() {
            options.insert(*name, value);
        }
    }
    Ok(Value::object(options))
}

pub(in crate::http) fn credentials(
    ctx: &Ctx<'_>,
    index: usize,
) -> Result<HttpCredentials, NodeError> {
    let credentials = match ctx.text("authentication", index)?.as_str() {
        "genericCredentialType" => {
            HttpCredentials::generic(ctx, &ctx.text("genericAuthType", index)?, index)
        }
        "predefinedCredentialType" => {
            HttpCredentials::predefined(ctx, &ctx.text("nodeCredentialType", index)?, index)
        }
        // Workflows that were moved up from older versions still carry their names.
        "oAuth2" => HttpCredentials::generic(ctx, "oAuth2Api", index),
        _ => Ok(HttpCredentials::default()),
    }?;
    if ctx.flag("provideSslCertificates", index)? {
        credentials.with_client_certificate(ctx, index)
    } else {
        Ok(credentials)
    }
}

fn draft(
    ctx: &Ctx<'_>,
    input: &Item,
    index: usize,
    options: &Value,
) -> Result<RequestDraft, NodeError> {
    let url = check_url(&ctx.param("url", index)?, index)?;
    let method = ctx.text("method", index)?.to_uppercase();
    let mut draft = RequestDraft::new(if method.is_empty() { "GET" } else { &method }, &url)
        .chosen_in(ctx, "url", index);
    if ctx.flag("sendQuery", index)? {
        draft.query = query(ctx, index)?;
        if let Some(arrays) = options.get("queryParameterArrays").and_then(Value::as_str) {
            draft.arrays = ArrayFormat::from_name(arrays);
        }
    }
    if ctx.flag("sendBody", index)? {
        draft.body = body(ctx, input, index)?;
    }
    set_headers(ctx, &mut draft, index)?;
    // The type of a raw body has a field of its own, which wins over a header.
    let raw_type = match &draft.body {
        DraftBody::Raw { content_type: Some(content_type), .. }
            if ctx.text("contentType", index)? == "raw" =>
        {
            Some(content_type.clone())
        }
        _ => None,
    };
    if let Some(raw_type) = raw_type {
        draft.set_header("content-type", raw_type);
    }
    check_key_header(ctx, index)?;
    draft.key = ctx.host().request_key(index);
    apply_options(&mut draft, options, ctx.version());
    draft.proxy_chosen_in(ctx, "options.proxy", index);
    Ok(draft.pin_to_host(ctx))
}

/// Refuses a name that is none of a header for keys: the author relies on the key.
fn check_key_header(ctx: &Ctx<'_>, index: usize) -> Result<(), NodeError> {
    let named = ctx.raw_param(spec::KEY_OPTION).unwrap_or_default();
    let named = named.as_str().map(str::trim).unwrap_or_default();
    if named.is_empty() || node_api::is_key_header(named) {
        return Ok(());
    }
    let shown: String = named.chars().take(MAX_KEY_HEADER).collect();
    Err(NodeError::parameter(
        spec::KEY_OPTION,
        format!("'{shown}' cannot be the idempotency key header"),
    )
    .hint(KEY_HEADER_HINT)
    .on_item(index))
}

/// The headers that the author has written down.
pub(super) fn set_headers(
    ctx: &Ctx<'_>,
    draft: &mut RequestDraft,
    index: usize,
) -> Result<(), NodeError> {
    if !ctx.flag("sendHeaders", index)? {
        return Ok(());
    }
    let is_json = ctx.text("specifyHeaders", index)? == "json";
    let param = if is_json { "jsonHeaders" } else { "headerParameters.parameters" };
    for (name, value) in headers(&ctx.param(param, index)?, is_json, index)? {
        draft.set_header(&name, value);
    }
    draft.check_host_header(ctx, param, index, |value| {
        headers(value, is_json, index).unwrap_or_default()
    })
}

fn query(ctx: &Ctx<'_>, index: usize) -> Result<Object, NodeError> {
    if ctx.text("specifyQuery", index)? == "json" {
        let value = parse_json(&ctx.param("jsonQuery", index)?, "JSON Query Parameters", index)?;
        return Ok(value.as_object().cloned().unwrap_or_default());
    }
    let entries = ctx.param("queryParameters.parameters", index)?;
    Ok(collect_fields(&entries))
}

/// The headers that a parameter holds.
fn headers(given: &Value, is_json: bool, index: usize) -> Result<Vec<(String, String)>, NodeError> {
    if is_json {
        let value = parse_json(given, "JSON Headers", index)?;
        let object = value.as_object().cloned().unwrap_or_default();
        return Ok(object.iter().map(|(name, value)| (name.to_string(), text_of(value))).collect());
    }
    let text = |value: &Value| match value {
        // A header that is given twice has both values.
        Value::Array(values) => values.iter().map(text_of).collect::<Vec<_>>().join(", "),
        value => text_of(value),
    };
    Ok(collect_fields(given).iter().map(|(name, value)| (name.to_string(), text(value))).collect())
}

fn body(ctx: &Ctx<'_>, input: &Item, index: usize) -> Result<DraftBody, NodeError> {
    let kind = ctx.text("contentType", index)?;
    let entries = ctx.param("bodyParameters.parameters", index)?;
    Ok(match kind.as_str() {
        "binaryData" => {
            let file = ctx.binary(input, index, ctx.text("inputDataFieldName", index)?.trim())?;
            let mime_type = if file.mime_type.is_empty() {
                "application/octet-stream"
            } else {
                file.mime_type.as_str()
            };
            DraftBody::Raw { data: file.data.clone(), content_type: Some(mime_type.to_owned()) }
        }
        "raw" => {
            let content_type = Some(ctx.text("rawContentType", index)?.to_string())
                .filter(|kind| !kind.is_empty());
            DraftBody::Raw { data: ctx.text("body", index)?.to_string().into(), content_type }
        }
        "multipart-form-data" => {
            let mut parts = Vec::new();
            for (name, value, entry) in fields_of(Some(&entries)) {
                match entry.get("parameterType").and_then(Value::as_str) {
                    Some("formBinaryData") => {
                        let property =
                            entry.get("inputDataFieldName").map(text_of).unwrap_or_default();
                        if !property.is_empty() {
                            parts.push(file_part(name, ctx.binary(input, index, property.trim())?));
                        }
                    }
                    _ => parts.extend(form_parts(&Object::from_iter([(name, value.clone())]))),
                }
            }
            DraftBody::Multipart(parts)
        }
        "form-urlencoded" if ctx.text("specifyBody", index)? == "string" => {
            DraftBody::Form(parse_form(&ctx.text("body", index)?))
        }
        "form-urlencoded" => DraftBody::Form(collect_fields(&entries)),
        _ if ctx.text("specifyBody", index)? == "json" => {
            DraftBody::Json(parse_json(&ctx.param("jsonBody", index)?, "JSON Body", index)?)
        }
        // From v4 on a name such as `a.b` reaches into objects.
        _ if ctx.version() >= 4.0 => {
            let (mut json, mut gaps) = (Value::empty_object(), Gaps::default());
            for (name, value, _) in fields_of(Some(&entries)) {
                json.put_path_within(name, value.clone(), &mut gaps)?;
            }
            DraftBody::Json(json)
        }
        _ => DraftBody::Json(Value::object(collect_fields(&entries))),
    })
}

pub(super) fn apply_options(draft: &mut RequestDraft, options: &Value, version: f64) {
    draft.allow_invalid_certificates =
        options.get("allowUnauthorizedCerts").is_some_and(Value::is_truthy);
    draft.proxy = options.get("proxy").map(text_of).filter(|proxy| !proxy.trim().is_empty());
    draft.timeout_ms = positive(options.get("timeout"))
        .filter(|timeout| *timeout > 0)
        .unwrap_or(DEFAULT_TIMEOUT_MS);
    let redirect = options.get_path("redirect.redirect");
    let setting = |name: &str| redirect.and_then(|redirect| redirect.get(name));
    let follows = match (redirect, setting("followRedirects")) {
        // Following became the rule with v4, and stays it until someone says otherwise.
        (None, _) => version >= 4.0,
        (Some(_), Some(choice)) => choice.is_truthy(),
        (Some(_), None) => version >= 4.0,
    };
    draft.redirects = follows.then(|| {
        positive(setting("maxRedirects")).map_or(DEFAULT_REDIRECTS, |most| most.min(100) as usize)
    });
    draft.credentials_cross_origins =
        options.get("sendCredentialsOnCrossOriginRedirect").is_some_and(Value::is_truthy)
            || setting("sendCredentialsOnCrossOriginRedirect").is_some_and(Value::is_truthy);
}

fn response_options(options: &Value) -> ResponseOptions {
    let response = options.get_path("response.response");
    let setting = |name: &str| response.and_then(|response| response.get(name));
    let format = match setting("responseFormat").and_then(Value::as_str).unwrap_or("autodetect") {
        "json" => ResponseFormat::Json,
        "text" => ResponseFormat::Text,
        "file" => ResponseFormat::File,
        _ => ResponseFormat::Detect,
    };
    let property = setting("outputPropertyName")
        .map(text_of)
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "data".into());
    ResponseOptions {
        format,
        full: setting("fullResponse").is_some_and(Value::is_truthy),
        property: property.into(),
        never_error: setting("neverError").is_some_and(Value::is_truthy),
        split_lists: true,
        text_label: "Text",
    }
}

/// Items per batch: 0 counts as 1, a negative number as no batches at all.
fn batch_size(value: Option<&Value>) -> usize {
    match value.and_then(Value::as_f64) {
        None => 50,
        Some(size) if size < 0.0 => usize::MAX,
        Some(size) => (size as usize).max(1),
    }
}

pub(super) fn positive(value: Option<&Value>) -> Option<u64> {
    let number = match value? {
        Value::Number(number) => *number,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    (number >= 0.0).then_some(number as u64)
}
