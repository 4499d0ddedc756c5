//! Starts a run with each call of an address.

use node_api::prelude::*;
use node_api::{Choice, ParamKind, PortRule};

pub(crate) struct Webhook;

/// The field of a start item in which the server tells the request's method to a webhook that takes several.
pub const METHOD_FIELD: &str = "$method";

const METHODS: &[(&str, &str)] =
    &[("DELETE", "DELETE"), ("GET", "GET"), ("HEAD", "HEAD"), ("PATCH", "PATCH"), ("POST", "POST"), ("PUT", "PUT")];

impl Node for Webhook {
    fn spec() -> Spec {
        let mut spec = Spec::trigger("n8n-nodes-base.webhook", &[1.0, 1.1, 2.0, 2.1], "Webhook", "Start when an address is called")
            .params(request_params())
            .params(response_params())
            .param(
                Param::collection("options", "Options", option_params())
                    .help("How calls are read and answered, and whose calls are taken."),
            );
        for kind in ["httpBasicAuth", "httpHeaderAuth", "jwtAuth"] {
            spec = spec.credential(kind, false);
        }
        spec.hint("Use it to be called by other services; read `$json.body`, `$json.query` and `$json.headers` after it.")
            .alias(&["http", "api", "endpoint", "callback", "rest"])
            .output_rule(PortRule::entries("httpMethod", ""))
            .repeatable()
            .example(
                "A call",
                r#"{ "httpMethod": "POST", "path": "orders" }"#,
                r#"[{ "headers": { "host": "localhost" }, "params": {}, "query": { "page": "2" }, "body": { "id": 7 } }]"#,
                r#"[[{ "headers": { "host": "localhost" }, "params": {}, "query": { "page": "2" }, "body": { "id": 7 } }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let methods = ctx.param("httpMethod", 0)?;
        let several = match methods.as_array() {
            Some(methods) if ctx.flag("multipleMethods", 0)? => methods,
            _ => return Ok(vec![items]),
        };
        let mut outputs: Vec<ItemsBuilder> = several.iter().map(|_| ctx.builder()).collect();
        for (index, mut item) in items.iter().enumerate() {
            let called = item.json.get(METHOD_FIELD).cloned();
            if called.is_some() {
                item.json.make_object().remove(METHOD_FIELD);
            }
            // A run by hand has no method; its item leaves by the first output.
            let place = called.and_then(|called| several.iter().position(|method| *method == called)).unwrap_or(0);
            if let Some(output) = outputs.get_mut(place) {
                output.push(item.paired_with(index));
            }
        }
        Ok(outputs.into_iter().map(ItemsBuilder::finish).collect())
    }
}

fn request_params() -> Vec<Param> {
    let methods: Vec<Choice> =
        METHODS.iter().map(|(method, label)| Choice { value: Value::from(*method), label: (*label).into(), help: Str::new() }).collect();
    let ways = [("basicAuth", "Basic auth"), ("headerAuth", "Header auth"), ("jwtAuth", "JWT auth"), ("none", "None")];
    vec![
        Param::flag("multipleMethods", "Allow multiple HTTP methods", false)
            .since(2.0)
            .help("Take several methods, each with an output of its own."),
        Param::choice("httpMethod", "HTTP method", METHODS).preset("GET").hide("multipleMethods", &[true]).help("The method of the calls."),
        Param {
            kind: ParamKind::MultiChoice { options: methods },
            ..Param::text("httpMethod", "HTTP methods", "")
                .preset(json!(["GET", "POST"]))
                .show("multipleMethods", &[true])
                .help("The methods of the calls; each has an output of its own.")
        },
        Param::text("path", "Path", "")
            .required()
            .help("The last part of the address; parts such as `:id` take any value and appear in `params`."),
        Param::choice("authentication", "Authentication", &ways).preset("none").raw().help("How callers show who they are."),
    ]
}

fn response_params() -> Vec<Param> {
    let modes = [
        ("onReceived", "Immediately"),
        ("lastNode", "When last node finishes"),
        ("responseNode", "Using 'Respond to Webhook' node"),
        ("streaming", "Streaming"),
    ];
    let data = [
        ("allEntries", "All entries"),
        ("firstEntryJson", "First entry JSON"),
        ("firstEntryBinary", "First entry binary"),
        ("noData", "No response body"),
    ];
    vec![
        Param::choice("responseMode", "Respond", modes.get(..3).unwrap_or_default()).until(2.0).help("When the caller is answered."),
        Param::choice("responseMode", "Respond", &modes).since(2.1).help("When the caller is answered; streaming sends as it comes."),
        Param::number("responseCode", "Response code", 200)
            .between(100.0, 599.0)
            .until(1.1)
            .hide("responseMode", &["responseNode"])
            .help("The status of the answer."),
        Param::choice("responseData", "Response data", &data)
            .preset("firstEntryJson")
            .show("responseMode", &["lastNode"])
            .help("What of the last node's items is sent back."),
        Param::text("responseBinaryPropertyName", "Property name", "data")
            .required()
            .show("responseData", &["firstEntryBinary"])
            .help("The field of the file that is sent back."),
        Param::notice("webhookNotice", "Put a 'Respond to Webhook' node where the answer is known.")
            .show("responseMode", &["responseNode"]),
    ]
}

fn option_params() -> Vec<Param> {
    let codes = [200, 201, 204, 301, 302, 304, 400, 401, 403, 404];
    let mut codes: Vec<Choice> =
        codes.iter().map(|code| Choice { value: (*code).into(), label: code.to_string().into(), help: Str::new() }).collect();
    codes.push(Choice { value: "customCode".into(), label: "Custom code".into(), help: Str::new() });
    let code = Param {
        kind: ParamKind::Choice { options: codes },
        ..Param::number("responseCode", "Response code", 200).help("The status of the answer.")
    };
    let custom = Param::number("customCode", "Code", 200).at_least(100.0).show("responseCode", &["customCode"]).help("Any other status.");
    let header =
        [Param::text("name", "Name", "").help("The header's name."), Param::text("value", "Value", "").help("The header's value.")];
    vec![
        Param::text("allowedOrigins", "Allowed origins (CORS)", "*").help("Pages of these origins may call it; several with commas."),
        Param::flag("binaryData", "Binary file", false)
            .versions(&[1.0])
            .show("/httpMethod", &["PATCH", "PUT", "POST"])
            .help("The body of a call is a file."),
        Param::text("binaryPropertyName", "Put output file in field", "data")
            .help("The field for files; those of a form are numbered from 0 behind it."),
        Param::flag("ignoreBots", "Ignore bots", false).help("Calls of crawlers and link previews start nothing."),
        Param::text("ipWhitelist", "IP(s) allowlist", "").help("Only calls from these addresses or ranges are taken; several with commas."),
        Param::flag("noResponseBody", "No response body", false)
            .show("/responseMode", &["onReceived"])
            .hide("rawBody", &[true])
            .help("The answer has no body."),
        Param::text("onlyRunIf", "Only run if", "").help("An expression over the call; the workflow runs only if it gives true."),
        Param::flag("rawBody", "Raw body", false).help("The body is kept as the file `data`, byte for byte."),
        Param::group("responseCode", "Response code", [FieldGroup::new("values", "Values", [code, custom])])
            .since(2.0)
            .hide("/responseMode", &["responseNode"])
            .preset(json!({ "values": { "responseCode": 200 } }))
            .help("The status of the answer."),
        Param::text("responseContentType", "Response content-type", "")
            .show("/responseData", &["firstEntryJson"])
            .show("/responseMode", &["lastNode"])
            .help("The type of the answer, if it is not JSON."),
        Param::text("responseData", "Response data", "")
            .show("/responseMode", &["onReceived"])
            .help("What is answered at once, instead of the usual message."),
        Param::repeated("responseHeaders", "Response headers", [FieldGroup::new("entries", "Entries", header)])
            .help("Headers of the answer."),
        Param::text("responsePropertyName", "Property name", "data")
            .show("/responseData", &["firstEntryJson"])
            .show("/responseMode", &["lastNode"])
            .help("Only this field of the item is sent back."),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_api::testing::run;

    #[tokio::test]
    async fn each_method_has_an_output_of_its_own() {
        let parameters = json!({ "multipleMethods": true, "path": "x" });
        let call = |method: &str| json!([{ "body": 1, METHOD_FIELD: method }]);
        assert_eq!(run::<Webhook>(parameters.clone(), call("POST")).await.unwrap(), [json!([]), json!([{ "body": 1 }])]);
        assert_eq!(run::<Webhook>(parameters.clone(), call("GET")).await.unwrap(), [json!([{ "body": 1 }]), json!([])]);
        let labels = |parameters: &Value| Webhook::spec().outputs_with(parameters).len();
        assert_eq!((labels(&json!({ "httpMethod": ["GET", "PUT", "POST"] })), labels(&json!({ "httpMethod": "GET" }))), (3, 1));
        assert_eq!(run::<Webhook>(parameters, json!([{}])).await.unwrap(), [json!([{}]), json!([])]);
    }
}
