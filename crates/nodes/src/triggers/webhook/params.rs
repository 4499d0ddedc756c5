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
            .help("When the caller is answered."),
        Param::choice("responseMode", "Respond", &modes)
            .since(2.1)
            .help("When the caller is answered; streaming sends as it comes."),
        Param::number("responseCode", "Response code", 200)
            .between(100.0, 599.0)
            .until(1.1)
            .hide("responseMode", &["responseNode"])
            .help("The status of the answer."),
        Param::choice("responseData", "Response data", &data)
            .preset("firstEntryJson")
            .show("responseMode", &["lastNode"])
            .guard()
            .help("What of the last node's items is sent back."),
        Param::text("responseBinaryPropertyName", "Property name", "data")
            .required()
            .show("responseData", &["firstEntryBinary"])
            .help("The field of the file that is sent back."),
        Param::notice(
            "webhookNotice",
            "Put a 'Respond to Webhook' node where the answer is known.",
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
        ..Param::number("responseCode", "Response code", 200).help("The status of the answer.")
    };
    let custom = Param::number("customCode", "Code", 200)
        .at_least(100.0)
        .show("responseCode", &["customCode"])
        .help("Any other status.");
    let header = [
        Param::text("name", "Name", "").help("The header's name."),
        Param::text("value", "Value", "").help("The header's value."),
    ];
    vec![
        Param::text("allowedOrigins", "Allowed origins (CORS)", "*")
            .guard()
            .help("Pages of these origins may call it; several with commas."),
        Param::flag("binaryData", "Binary file", false)
            .versions(&[1.0])
            .show("/httpMethod", &["PATCH", "PUT", "POST"])
            .help("The body of a call is a file."),
        Param::text("binaryPropertyName", "Put output file in field", "data")
            .help("The field for files; those of a form are numbered from 0 behind it."),
        Param::text("deliveryHeader", "Delivery header", "")
            .guard()
            .help("Heddle's own: a header that tells deliveries apart, such as `X-GitHub-Delivery`; a second call with the same value starts nothing."),
        Param::flag("ignoreBots", "Ignore bots", false).guard().help("Calls of crawlers and link previews start nothing."),
        Param::text("ipWhitelist", "IP(s) allowlist", "")
            .guard()
            .help("Only calls from these addresses or networks are taken; several with commas."),
        Param::flag("noResponseBody", "No response body", false)
            .show("/responseMode", &["onReceived"])
            .hide("rawBody", &[true])
            .help("The answer has no body."),
        Param::text("onlyRunIf", "Only run if", "").help("An expression over the call, such as `{{ $json.body.type === 'paid' }}`; unless it gives true, the call is answered and no run begins."),
        Param::flag("rawBody", "Raw body", false).help("The body is kept as a file, byte for byte, and not read."),
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
            .guard()
            .help("Only this field of the item is sent back."),
    ]
}
