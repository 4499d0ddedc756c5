//! Starts a run with each call of an address.

pub(crate) mod headers;
pub(crate) mod params;
pub(crate) mod path;
pub(crate) mod route;

use crate::triggers::node_params::NodeParams;
use node_api::prelude::*;
use node_api::trigger::{Trigger, TriggerListener, TriggerSetup, rejected_headers};
use node_api::{Choice, ParamKind, PortRule};
use params::{option_params, response_params};
use route::{CONDITION, METHODS};

pub(crate) struct Webhook;

/// The field of a start item in which the server tells the request's method to a webhook that takes
/// several.
pub const METHOD_FIELD: &str = "$method";

impl Node for Webhook {
    fn spec() -> Spec {
        let mut spec = Spec::trigger(
            "n8n-nodes-base.webhook",
            &[1.0, 1.1, 2.0, 2.1],
            "Webhook",
            "Start when a webhook URL is called",
        )
        .icon("webhook")
        .subtitle(&["{httpMethod?GET:list} /{path:name}", "{httpMethod?GET:list}"])
        .triggered_by(TriggerKind::Webhook)
        .initial(json!({ "path": "{id}", "options": {} }))
        .untrusted()
        .params(request_params())
        .params(response_params())
        .param(
            Param::collection("options", "Options", option_params())
                .help("Request, response and access options."),
        )
        .note(
            "The IP allowlist matches whole addresses or networks. n8n also matches parts of an \
                 address.",
        )
        .note("`deliveryHeader` is specific to Heddle; n8n ignores it.");
        for kind in ["httpBasicAuth", "httpHeaderAuth", "jwtAuth"] {
            spec = spec.credential(kind, false);
        }
        spec.hint("Use it to receive calls from other services. Read `$json.body`, `$json.query` and \
             `$json.headers` in the next nodes.")
            .alias(&["http", "api", "endpoint", "callback", "rest"])
            .output_rule(PortRule::entries("httpMethod", ""))
            .per_call(CONDITION)
            .repeatable()
            .example(
                "A call",
                r#"{ "httpMethod": "POST", "path": "orders" }"#,
                r#"[{ "headers": { "host": "localhost" }, "params": {}, "query": { "page": "2" }, "body": { "id": 7 } }]"#,
                r#"[[{ "headers": { "host": "localhost" }, "params": {}, "query": { "page": "2" }, "body": { "id": 7 } }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let items = filter_calls(ctx, items)?;
        warn_about_headers(ctx);
        let methods = ctx.param("httpMethod", 0)?;
        let several =
            methods.as_array().filter(|_| matches!(ctx.flag("multipleMethods", 0), Ok(true)));
        let several = several.unwrap_or(std::slice::from_ref(&Value::Undefined));
        let mut outputs: Vec<ItemsBuilder> = several.iter().map(|_| ctx.builder()).collect();
        for (index, mut item) in items.iter().enumerate() {
            let called = item.json.get(METHOD_FIELD).cloned();
            if called.is_some() {
                item.json.make_object().remove(METHOD_FIELD);
            }
            // A run by hand has no method; its item leaves by the first output.
            let place = called
                .and_then(|called| several.iter().position(|method| *method == called))
                .unwrap_or(0);
            if let Some(output) = outputs.get_mut(place) {
                output.push(item.paired_with(index));
            }
        }
        Ok(outputs.into_iter().map(ItemsBuilder::finish).collect())
    }
}

impl Trigger for Webhook {
    fn listeners(setup: &TriggerSetup<'_>) -> Result<Vec<TriggerListener>, NodeError> {
        let given = NodeParams::new(setup.params);
        let path = path::path_of(setup, "path", &given.text("path"))?;
        Ok(vec![TriggerListener::Webhook(route::route_of(&given, path, "authentication")?)])
    }
}

/// The calls that the option `onlyRunIf` lets through.
fn filter_calls(ctx: &Ctx<'_>, items: Items) -> Result<Items, NodeError> {
    if ctx.raw_param(CONDITION).is_none_or(|raw| raw.is_nullish() || raw.as_str() == Some("")) {
        return Ok(items);
    }
    let mut kept = ctx.builder();
    for (index, item) in items.iter().enumerate() {
        if ctx.flag(CONDITION, index)? {
            kept.push(item);
        }
    }
    Ok(kept.finish())
}

/// Says which headers of the response are not sent.
fn warn_about_headers(ctx: &Ctx<'_>) {
    const ENTRIES: &str = "options.responseHeaders.entries";
    if ctx.raw_param(ENTRIES).is_none() {
        return;
    }
    // A workflow whose headers cannot be read does not listen, so nobody waits for them.
    let Ok(entries) = ctx.param(ENTRIES, 0) else { return };
    let headers =
        headers::headers_of("options.responseHeaders", entries.as_array().unwrap_or_default())
            .unwrap_or_default();
    rejected_headers(&headers).for_each(|words| ctx.host().warn(words.into()));
}

fn request_params() -> Vec<Param> {
    let methods: Vec<Choice> = METHODS
        .iter()
        .map(|(method, label)| Choice {
            value: Value::from(*method),
            label: (*label).into(),
            help: Str::new(),
        })
        .collect();
    let ways = [
        ("basicAuth", "Basic auth"),
        ("headerAuth", "Header auth"),
        ("jwtAuth", "JWT auth"),
        ("none", "None"),
    ];
    vec![
        Param::flag("multipleMethods", "Allow multiple HTTP methods", false)
            .since(2.0)
            .help("Accept several methods, each with its own output."),
        Param::choice("httpMethod", "HTTP method", METHODS)
            .preset("GET")
            .hide("multipleMethods", &[true])
            .help("HTTP method of the calls."),
        Param {
            kind: ParamKind::MultiChoice { options: methods },
            ..Param::text("httpMethod", "HTTP methods", "")
                .preset(json!(["GET", "POST"]))
                .show("multipleMethods", &[true])
                .help("HTTP methods of the calls. Each has its own output.")
        },
        Param::text("path", "Path", "").required().help(
            "Last part of the URL. Segments such as `:id` match any value and appear in \
                 `params`.",
        ),
        Param::choice("authentication", "Authentication", &ways)
            .preset("none")
            .raw()
            .help("How callers authenticate."),
    ]
}

#[cfg(test)]
mod tests;
