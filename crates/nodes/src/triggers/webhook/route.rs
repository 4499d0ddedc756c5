//! How calls of an address are taken and answered, from the parameters that the Webhook and Wait
//! nodes share.

use super::headers::{checked_name, checked_value, headers_of};
use crate::triggers::node_params::{NodeParams, text_of, truncated_text};
use node_api::prelude::*;
use node_api::trigger::{
    BodyMode, ResponseData, ResponseMode, StreamDetail, WebhookAuth, WebhookRoute,
};
use std::net::IpAddr;

pub(crate) const METHODS: &[(&str, &str)] = &[
    ("DELETE", "DELETE"),
    ("GET", "GET"),
    ("HEAD", "HEAD"),
    ("PATCH", "PATCH"),
    ("POST", "POST"),
    ("PUT", "PUT"),
];

/// The option that says which calls start a run. It is evaluated for each call.
pub(crate) const CONDITION: &str = "options.onlyRunIf";

/// The route of a node that is called at a path. `auth_parameter` is where the node keeps how
/// callers show who they are.
pub(crate) fn route_of(
    given: &NodeParams<'_>,
    path: Str,
    auth_parameter: &str,
) -> Result<WebhookRoute, NodeError> {
    let answer = answer_when(given)?;
    Ok(WebhookRoute {
        methods: methods_of(given)?,
        path,
        auth: auth_of(given, auth_parameter)?,
        answer,
        status: status_of(given)?,
        headers: headers_of(
            "options.responseHeaders",
            given.list("options.responseHeaders.entries"),
        )?,
        data: data_of(given, answer)?,
        allowed_origins: origins_of(given)?,
        allowed_ips: ips_of(given)?,
        ignores_bots: given.flag("options.ignoreBots"),
        body: match (given.flag("options.binaryData"), given.flag("options.rawBody")) {
            (true, _) => BodyMode::File,
            (false, true) => BodyMode::ParsedAndRaw,
            (false, false) => BodyMode::Parsed,
        },
        binary_field: given.non_empty_text("options.binaryPropertyName").unwrap_or_default(),
        delivery_header: match given.non_empty_text("options.deliveryHeader") {
            Some(name) => Some(checked_name("options.deliveryHeader", name.trim())?),
            None => None,
        },
        is_conditional: given.non_empty_text(CONDITION).is_some(),
        detail: StreamDetail::default(),
    })
}

/// How callers show who they are, at a parameter that every node of this kind has: that nobody is
/// asked has to be said.
pub(crate) fn auth_of(given: &NodeParams<'_>, parameter: &str) -> Result<WebhookAuth, NodeError> {
    match given.text(parameter).as_str() {
        "none" => Ok(WebhookAuth::None),
        "basicAuth" => Ok(WebhookAuth::Basic),
        "headerAuth" => Ok(WebhookAuth::Header),
        "jwtAuth" => Ok(WebhookAuth::Jwt),
        other => {
            Err(unknown_auth(parameter, other, "'none', 'basicAuth', 'headerAuth' or 'jwtAuth'"))
        }
    }
}

/// Anything unknown must not leave the address open, and nothing at all neither.
pub(crate) fn unknown_auth(parameter: &str, given: &str, known: &str) -> NodeError {
    let start: String = given.chars().take(60).collect();
    let message = match start.chars().next() {
        None => "No authentication is chosen".to_owned(),
        Some('=') => "The authentication cannot be an expression".to_owned(),
        Some(_) => format!("Unknown authentication '{start}'"),
    };
    NodeError::parameter(parameter, message).hint(format!("Choose {known}."))
}

/// When a call is answered.
pub(crate) fn answer_when(given: &NodeParams<'_>) -> Result<ResponseMode, NodeError> {
    match given.text("responseMode").as_str() {
        "" | "onReceived" => Ok(ResponseMode::Received),
        "lastNode" => Ok(ResponseMode::LastNode),
        "responseNode" => Ok(ResponseMode::ResponseNode),
        "streaming" => Ok(ResponseMode::Streaming),
        other => {
            Err(NodeError::parameter("responseMode", format!("Unknown response mode '{other}'"))
                .hint("Choose 'onReceived', 'lastNode', 'responseNode' or 'streaming'."))
        }
    }
}

fn methods_of(given: &NodeParams<'_>) -> Result<Vec<Str>, NodeError> {
    let chosen: Vec<Str> = match given.value("httpMethod") {
        Some(Value::Array(methods)) => methods.iter().map(text_of).collect(),
        Some(method) => vec![text_of(method)],
        None => vec!["GET".into()],
    };
    let mut methods: Vec<Str> = Vec::new();
    for method in chosen.iter().map(|method| Str::from(method.trim().to_ascii_uppercase())) {
        if !METHODS.iter().any(|(known, _)| *known == method) {
            let known: Vec<&str> = METHODS.iter().map(|(known, _)| *known).collect();
            return Err(NodeError::parameter(
                "httpMethod",
                format!("The method {} is not supported", truncated_text(&method.into())),
            )
            .hint(format!("Choose one of {}.", known.join(", "))));
        }
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    match methods.is_empty() {
        true => Err(NodeError::parameter("httpMethod", "No method is chosen")
            .hint("Choose at least one method, such as POST.")),
        false => Ok(methods),
    }
}

/// The status: version 2 keeps it among the options, with a choice and a number; before it was a
/// parameter.
fn status_of(given: &NodeParams<'_>) -> Result<u16, NodeError> {
    let option = "options.responseCode.values.responseCode";
    let path = match given.text(option).as_str() {
        "" => "responseCode",
        "customCode" => "options.responseCode.values.customCode",
        _ => option,
    };
    Ok(given
        .whole_number(path, 200..=599)?
        .and_then(|status| u16::try_from(status).ok())
        .unwrap_or(200))
}

fn data_of(given: &NodeParams<'_>, answer: ResponseMode) -> Result<ResponseData, NodeError> {
    Ok(match answer {
        ResponseMode::Received if given.flag("options.noResponseBody") => ResponseData::Nothing,
        ResponseMode::Received => given
            .non_empty_text("options.responseData")
            .map_or(ResponseData::Started, ResponseData::Text),
        ResponseMode::ResponseNode => ResponseData::Started,
        ResponseMode::Streaming => ResponseData::AllItems,
        ResponseMode::LastNode => match given.text("responseData").as_str() {
            "allEntries" => ResponseData::AllItems,
            "noData" => ResponseData::Nothing,
            "firstEntryBinary" => ResponseData::FirstFile {
                field: given
                    .non_empty_text("responseBinaryPropertyName")
                    .unwrap_or_else(|| "data".into()),
            },
            "" | "firstEntryJson" => {
                let content_type = given.non_empty_text("options.responseContentType");
                let parameter = "options.responseContentType";
                ResponseData::FirstItem {
                    field: given.non_empty_text("options.responsePropertyName"),
                    content_type: content_type
                        .map(|kind| checked_value(parameter, "content-type", &kind))
                        .transpose()?,
                }
            }
            other => {
                return Err(NodeError::parameter(
                    "responseData",
                    format!("Unknown response data {}", truncated_text(&other.into())),
                )
                .hint("Choose 'allEntries', 'firstEntryJson', 'firstEntryBinary' or 'noData'."));
            }
        },
    })
}

pub(crate) fn origins_of(given: &NodeParams<'_>) -> Result<Str, NodeError> {
    let origins = given.text("options.allowedOrigins");
    let listed: Vec<&str> =
        origins.split(',').map(str::trim).filter(|origin| !origin.is_empty()).collect();
    match listed.contains(&"*") {
        true => Ok("*".into()),
        false => checked_value(
            "options.allowedOrigins",
            "access-control-allow-origin",
            &listed.join(","),
        ),
    }
}

fn ips_of(given: &NodeParams<'_>) -> Result<Vec<Str>, NodeError> {
    let text = given.text("options.ipWhitelist");
    let listed = text.split(',').map(str::trim).filter(|address| !address.is_empty());
    listed
        .map(|address| match is_address_or_network(address) {
            true => Ok(Str::from(address)),
            false => Err(NodeError::parameter(
                "options.ipWhitelist",
                format!("{} is not an IP address", truncated_text(&address.into())),
            )
            .hint(
                "Enter full addresses or networks, such as `192.0.2.7, 198.51.100.0/24, \
                     2001:db8::/32`.",
            )),
        })
        .collect()
}

fn is_address_or_network(text: &str) -> bool {
    let (address, length) =
        text.split_once('/').map_or((text, None), |(address, length)| (address, Some(length)));
    let fits = |longest: u8| {
        length.is_none_or(|length| length.parse::<u8>().is_ok_and(|length| length <= longest))
    };
    match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => fits(32),
        Ok(IpAddr::V6(_)) => fits(128),
        Err(_) => false,
    }
}
