//! Parameters of nodes that answer calls.

use node_api::prelude::*;
use node_api::{Choice, ParamKind};

pub(crate) fn response_params() -> Vec<Param> {
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
        Param::choice("responseMode", "Respond", modes.get(..3).unwrap_or_default())
            .until(2.0)
            .help("When to respond to the caller."),
        Param::choice("responseMode", "Respond", &modes)
            .since(2.1)
            .help("When to respond to the caller. Streaming sends data as it becomes available."),
        Param::number("responseCode", "Response code", 200)
            .between(100.0, 599.0)
            .until(1.1)
            .hide("responseMode", &["responseNode"])
            .help("Status code of the response."),
        Param::choice("responseData", "Response data", &data)
            .preset("firstEntryJson")
            .show("responseMode", &["lastNode"])
            .guard()
            .help("Which data of the last node's items to return."),
        Param::text("responseBinaryPropertyName", "Property name", "data")
            .required()
            .show("responseData", &["firstEntryBinary"])
            .help("Binary field with the file to return."),
        Param::notice(
            "webhookNotice",
            "Add a 'Respond to Webhook' node where the response is known.",
        )
        .show("responseMode", &["responseNode"]),
    ]
}

pub(crate) fn option_params() -> Vec<Param> {
    let codes = [200, 201, 204, 301, 302, 304, 400, 401, 403, 404];
    let mut codes: Vec<Choice> = codes
        .iter()
        .map(|code| Choice {
            value: (*code).into(),
            label: code.to_string().into(),
            help: Str::new(),
        })
        .collect();
    codes.push(Choice {
        value: "customCode".into(),
        label: "Custom code".into(),
        help: Str::new(),
    });
    let code = Param {
        kind: ParamKind::Choice { options: codes },
        ..Param::number("responseCode", "Response code", 200).help("Status code of the response.")
    };
    let custom = Param::number("customCode", "Code", 200)
        .at_least(100.0)
        .show("responseCode", &["customCode"])
        .help("Any other status.");
    let header = [
        Param::text("name", "Name", "").help("Name of the header."),
        Param::text("value", "Value", "").help("Value of the header."),
    ];
    vec![
        Param::text("allowedOrigins", "Allowed origins (CORS)", "*")
            .guard()
            .help("Comma-separated origins whose pages may call it."),
        Param::flag("binaryData", "Binary file", false)
            .versions(&[1.0])
            .show("/httpMethod", &["PATCH", "PUT", "POST"])
            .help("Treat the body as a file."),
        Param::text("binaryPropertyName", "Put output file in field", "data")
            .help("Binary field for files. Form files get a number appended, starting at 0."),
        Param::text("deliveryHeader", "Delivery header", "").guard().help(
            "Heddle only: a header that identifies deliveries, such as `X-GitHub-Delivery`. A \
                 repeated call with the same value does not start a run.",
        ),
        Param::flag("ignoreBots", "Ignore bots", false)
            .guard()
            .help("Ignore calls from crawlers and link previews."),
        Param::text("ipWhitelist", "IP(s) allowlist", "")
            .guard()
            .help("Comma-separated IP addresses or networks whose calls are accepted."),
        Param::flag("noResponseBody", "No response body", false)
            .show("/responseMode", &["onReceived"])
            .hide("rawBody", &[true])
            .help("Send a response without a body."),
        Param::text("onlyRunIf", "Only run if", "").help(
            "An expression on the call, such as `{{ $json.body.type === 'paid' }}`. Unless it is \
             true, the call gets a response but no run starts.",
        ),
        Param::flag("rawBody", "Raw body", false)
            .help("Store the body as a file, byte for byte, without parsing it."),
        Param::group(
            "responseCode",
            "Response code",
            [FieldGroup::new("values", "Values", [code, custom])],
        )
        .since(2.0)
        .hide("/responseMode", &["responseNode"])
        .preset(json!({ "values": { "responseCode": 200 } }))
        .help("Status code of the response."),
        Param::text("responseContentType", "Response content-type", "")
            .show("/responseData", &["firstEntryJson"])
            .show("/responseMode", &["lastNode"])
            .help("Content type of the response, if it is not JSON."),
        Param::text("responseData", "Response data", "")
            .show("/responseMode", &["onReceived"])
            .help("Immediate response, instead of the default message."),
        Param::repeated(
            "responseHeaders",
            "Response headers",
            [FieldGroup::new("entries", "Entries", header)],
        )
        .help("Headers of the response."),
        Param::text("responsePropertyName", "Property name", "data")
            .show("/responseData", &["firstEntryJson"])
            .show("/responseMode", &["lastNode"])
            .guard()
            .help("Return only this field of the item."),
    ]
}
