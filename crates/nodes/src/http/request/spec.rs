//! The forms of HTTP Request: the one from v3 on, and the older one.

use super::recovery_check::{CHECK_DELAY_SECONDS, CHECK_URL};
use node_api::prelude::*;
use node_api::{CredentialChoice, KeyRule};

const ID: &str = "n8n-nodes-base.httpRequest";
const SUMMARY: &str = "Make an HTTP request and return the response";
const METHODS: &[(&str, &str)] = &[
    ("GET", "GET"),
    ("POST", "POST"),
    ("PUT", "PUT"),
    ("PATCH", "PATCH"),
    ("DELETE", "DELETE"),
    ("HEAD", "HEAD"),
    ("OPTIONS", "OPTIONS"),
];
const FIELDS_OR_JSON: &[(&str, &str)] =
    &[("keypair", "Using fields below"), ("json", "Using JSON")];
const HINT: &str = "Use it for any service without its own node. Put secrets in a credential, never in the URL or \
     a header field.";
const CREDENTIALS: &[&str] = &[
    "httpBasicAuth",
    "httpBearerAuth",
    "httpCustomAuth",
    "httpDigestAuth",
    "httpHeaderAuth",
    "httpQueryAuth",
    "oAuth1Api",
    "oAuth2Api",
    "httpSslAuth",
];
const GENERIC_KINDS: &[(&str, &str)] = &[
    ("httpBasicAuth", "Basic Auth"),
    ("httpBearerAuth", "Bearer Auth"),
    ("httpCustomAuth", "Custom Auth"),
    ("httpDigestAuth", "Digest Auth"),
    ("httpHeaderAuth", "Header Auth"),
    ("httpQueryAuth", "Query Auth"),
    ("oAuth1Api", "OAuth1 API"),
    ("oAuth2Api", "OAuth2 API"),
];

/// The option that names the header of the idempotency key.
pub(super) const KEY_OPTION: &str = "options.idempotencyKeyHeader";

/// The option that fetches page after page.
pub(super) const PAGINATION: &str = "options.pagination";

/// v3, 4, 4.1 … 4.5.
pub(super) fn new_form() -> Spec {
    let spec = Spec::new(ID, &[3.0, 4.0, 4.1, 4.2, 4.3, 4.4, 4.5], "HTTP Request", SUMMARY)
        .icon("globe")
        .subtitle(&["{method?GET} {url:url}"])
        .untrusted()
        .sends_to("url")
        .sends_to("options.proxy")
        .sends_to(CHECK_URL)
        .group(NodeGroup::Integration)
        .alias(&["api", "rest", "curl", "fetch", "download"])
        .stands_in(json!({
            "method": "{method} | {requestMethod} | {httpMethod}",
            "url": "{url} | {endpoint} | {uri} | {baseUrl}",
            "authentication": "{credential=predefinedCredentialType}",
            "nodeCredentialType": "{credential}"
        }))
        .param(Param::choice("method", "Method", METHODS).help("The HTTP method of the request."))
        .param(Param::text("url", "URL", "").required().help("URL of the request, starting with http:// or https://."))
        .params(authentication())
        .param(Param::flag("provideSslCertificates", "SSL certificates", false).help("Send a client certificate."))
        .params(query())
        .params(headers())
        .params(body())
        .param(options())
        .repeatable_when("method", &["GET", "HEAD", "OPTIONS"])
        .sends_key(key_rule())
        .verified_by(CHECK_URL)
        .hint(HINT)
        .note("Requests to private and local addresses are rejected unless allowed with \
             HEDDLE_EGRESS_ALLOW.")
        .note("Redirects to another origin drop credentials in all versions, not only from 4.4 on.")
        .note("Pages at another origin are not fetched with credentials unless the option for cross-origin redirects is on.")
        .note("A refreshed OAuth2 token is used for the run and not saved to the credential.")
        .note("Redirects to another origin drop the client certificate, like all credentials.")
        .note("Credential values in a response are masked in the output.");
    CREDENTIALS.iter().fold(spec, |spec, kind| spec.credential(kind, false))
}

fn authentication() -> [Param; 3] {
    [
        Param::choice(
            "authentication",
            "Authentication",
            &[
                ("none", "None"),
                ("predefinedCredentialType", "Predefined credential type"),
                ("genericCredentialType", "Generic credential type"),
            ],
        )
        .help("How to authenticate the request."),
        Param::credential_kind("nodeCredentialType", "Credential type")
            .show("authentication", &["predefinedCredentialType"])
            .help("Service whose credential to use."),
        Param::choice("genericAuthType", "Generic auth type", GENERIC_KINDS)
            .preset("")
            .show("authentication", &["genericCredentialType"])
            .help("Type of authentication."),
    ]
}

fn name_and_value(what: &str) -> [Param; 2] {
    [
        Param::text("name", "Name", "").help(&format!("The name of the {what}.")),
        Param::text("value", "Value", "").help(&format!("The value of the {what}.")),
    ]
}

fn query() -> [Param; 4] {
    [
        Param::flag("sendQuery", "Send query parameters", false)
            .help("Whether to send query parameters."),
        Param::choice("specifyQuery", "Specify query parameters", FIELDS_OR_JSON)
            .show("sendQuery", &[true])
            .help("Whether the query is given field by field or as JSON."),
        Param::repeated(
            "queryParameters",
            "Query parameters",
            [FieldGroup::new("parameters", "Parameter", name_and_value("parameter"))],
        )
        .show("sendQuery", &[true])
        .show("specifyQuery", &["keypair"])
        .help("Query parameters."),
        Param::json("jsonQuery", "JSON", "")
            .show("sendQuery", &[true])
            .show("specifyQuery", &["json"])
            .help("Query parameters as a JSON object."),
    ]
}

fn headers() -> [Param; 4] {
    [
        Param::flag("sendHeaders", "Send headers", false).help("Whether to send custom headers."),
        Param::choice("specifyHeaders", "Specify headers", FIELDS_OR_JSON)
            .show("sendHeaders", &[true])
            .help("Whether the headers are given field by field or as JSON."),
        Param::repeated(
            "headerParameters",
            "Headers",
            [FieldGroup::new("parameters", "Parameter", name_and_value("header"))],
        )
        .show("sendHeaders", &[true])
        .show("specifyHeaders", &["keypair"])
        .help("The headers to send."),
        Param::json("jsonHeaders", "JSON", "")
            .show("sendHeaders", &[true])
            .show("specifyHeaders", &["json"])
            .help("The headers as a JSON object."),
    ]
}

fn body() -> Vec<Param> {
    let kinds = [
        ("json", "JSON"),
        ("form-urlencoded", "Form urlencoded"),
        ("multipart-form-data", "Form-data"),
        ("binaryData", "Binary file"),
        ("raw", "Raw"),
    ];
    let form_field = [
        Param::choice(
            "parameterType",
            "Parameter type",
            &[("formData", "Form data"), ("formBinaryData", "Binary file")],
        )
        .help("Whether the part is text or a binary field of the item."),
        Param::text("name", "Name", "").help("The name of the part."),
        Param::text("value", "Value", "")
            .show("parameterType", &["formData"])
            .help("The text of the part."),
        Param::text("inputDataFieldName", "Input data field name", "")
            .show("parameterType", &["formBinaryData"])
            .help("Binary field of the input item."),
    ];
    let shown =
        |param: Param, kind: &str| param.show("sendBody", &[true]).show("contentType", &[kind]);
    vec![
        Param::flag("sendBody", "Send body", false).help("Whether to send a body."),
        Param::choice("contentType", "Body content type", &kinds)
            .show("sendBody", &[true])
            .help("Format of the body."),
        shown(Param::choice("specifyBody", "Specify body", FIELDS_OR_JSON), "json")
            .help("Whether the body is given field by field or as JSON."),
        shown(
            Param::repeated(
                "bodyParameters",
                "Body parameters",
                [FieldGroup::new("parameters", "Parameter", name_and_value("field"))],
            ),
            "json",
        )
        .show("specifyBody", &["keypair"])
        .help("Fields of the body. From v4 on, a name such as a.b sets nested fields."),
        shown(Param::json("jsonBody", "JSON", ""), "json")
            .show("specifyBody", &["json"])
            .help("The body as JSON."),
        shown(
            Param::repeated(
                "bodyParameters",
                "Body parameters",
                [FieldGroup::new("parameters", "Parameter", form_field)],
            ),
            "multipart-form-data",
        )
        .help("The parts of the form."),
        shown(
            Param::choice(
                "specifyBody",
                "Specify body",
                &[("keypair", "Using fields below"), ("string", "Using single field")],
            ),
            "form-urlencoded",
        )
        .help("Whether the form is given field by field or as one text."),
        shown(
            Param::repeated(
                "bodyParameters",
                "Body parameters",
                [FieldGroup::new("parameters", "Parameter", name_and_value("field"))],
            ),
            "form-urlencoded",
        )
        .show("specifyBody", &["keypair"])
        .help("The fields of the form."),
        shown(Param::text("body", "Body", ""), "form-urlencoded")
            .show("specifyBody", &["string"])
            .help("The form as text: field1=value1&field2=value2."),
        shown(Param::text("inputDataFieldName", "Input data field name", ""), "binaryData")
            .help("Binary field of the input item."),
        shown(Param::text("rawContentType", "Content type", ""), "raw")
            .help("The content type of the body, such as text/html."),
        shown(Param::long_text("body", "Body", ""), "raw").help("Raw body to send."),
    ]
}

fn options() -> Param {
    let batching = [
        Param::number("batchSize", "Items per batch", 50)
            .at_least(-1.0)
            .help("Number of items per batch. -1 disables batching, 0 is treated as 1."),
        Param::number("batchInterval", "Batch interval (ms)", 1000)
            .at_least(0.0)
            .help("The pause between two batches; 0 for none."),
    ];
    let redirect = [
        Param::flag("followRedirects", "Follow redirects", true)
            .help("Whether to follow redirects."),
        Param::number("maxRedirects", "Max redirects", 21)
            .help("Maximum number of redirects to follow."),
    ];
    let response = [
        Param::flag("fullResponse", "Include response headers and status", false)
            .help("Return the status and headers in addition to the body."),
        Param::flag("neverError", "Never error", false).help("Treat any status code as success."),
        Param::choice(
            "responseFormat",
            "Response format",
            &[("autodetect", "Autodetect"), ("file", "File"), ("json", "JSON"), ("text", "Text")],
        )
        .help("How to parse the response. Autodetect uses its content type."),
        Param::text("outputPropertyName", "Put output in field", "data")
            .show("responseFormat", &["file", "text"])
            .help("Field for text or a file."),
    ];
    Param::collection(
        "options",
        "Options",
        [
            Param::group("batching", "Batching", [FieldGroup::new("batch", "Batching", batching)])
                .help("Send the requests in batches."),
            Param::flag("allowUnauthorizedCerts", "Ignore SSL issues", false)
                .help("Accept certificates that cannot be verified."),
            Param::choice(
                "queryParameterArrays",
                "Array format in query parameters",
                &[
                    ("brackets", "Brackets only"),
                    ("repeat", "No brackets"),
                    ("indices", "Brackets with indices"),
                ],
            )
            .help("How to encode lists in the query: foo[]=a, foo=a or foo[0]=a."),
            Param::text("idempotencyKeyHeader", "Idempotency key header", "Idempotency-Key").help(
                "Send a key in this header, so that the service recognizes repeated requests. \
                     After a crash the step runs again with the same key instead of waiting for a \
                     decision. The key is also available as $idempotencyKey. Some credential types, \
                     such as Stripe, send it by default; add this option and leave it empty to send \
                     none. Not available with pagination or as a tool.",
            ),
            Param::group(
                "recoveryCheck",
                "Check after a crash",
                [FieldGroup::new("check", "Check", recovery_check())],
            )
            .help(
                "Ask the service whether the request took effect, if a crash interrupted it. Status \
                     2xx: it did, and the response becomes the output. Status 404: it did not, and \
                     the request is sent again. Anything else: the execution waits for a decision.",
            ),
            Param::flag("lowercaseHeaders", "Lowercase headers", true)
                .help("Header names are always sent in lower case."),
            Param::group(
                "redirect",
                "Redirects",
                [FieldGroup::new("redirect", "Redirect", redirect)],
            )
            .help("Redirect options."),
            Param::flag(
                "sendCredentialsOnCrossOriginRedirect",
                "Send credentials on cross-origin redirect",
                false,
            )
            .help("Keep credentials on redirects to another host."),
            Param::group(
                "response",
                "Response",
                [FieldGroup::new("response", "Response", response)],
            )
            .help("What to return of the response."),
            Param::group(
                "pagination",
                "Pagination",
                [FieldGroup::new("pagination", "Pagination", pagination())],
            )
            .help("Fetch several pages."),
            Param::text("proxy", "Proxy", "")
                .help("The HTTP proxy to use, such as http://myproxy:3128."),
            Param::number("timeout", "Timeout", 10_000)
                .at_least(1.0)
                .help("Timeout for the whole request, in milliseconds."),
        ],
    )
    .help("Batching, redirects, response format, pagination and more.")
}

/// Keys go into the header that the author names, or the one of a service that is known to take
/// them.
fn key_rule() -> KeyRule {
    KeyRule {
        header: KEY_OPTION.into(),
        unless: PAGINATION.into(),
        credential: Some(CredentialChoice {
            kind: "nodeCredentialType".into(),
            param: "authentication".into(),
            equals: "predefinedCredentialType".into(),
        }),
    }
}

fn recovery_check() -> [Param; 2] {
    [
        Param::text("url", "URL", "").help(
            "URL for a GET request that finds what the node's request made, with the same headers \
             and credential. $idempotencyKey is the key of the item.",
        ),
        Param::number("delay", "Delay (seconds)", CHECK_DELAY_SECONDS)
            .at_least(0.0)
            .help("Wait this long after the restart, as the request may still be in progress."),
    ]
}

fn pagination() -> Vec<Param> {
    let parameter = [
        Param::choice("type", "Type", &[("qs", "Query"), ("body", "Body"), ("headers", "Header")])
            .help("Location of the parameter."),
        Param::text("name", "Name", "").help("The name of the parameter."),
        Param::text("value", "Value", "")
            .help("Value for each page. $pageCount, $request and $response are available."),
    ];
    vec![
        Param::choice(
            "paginationMode",
            "Pagination mode",
            &[
                ("updateAParameterInEachRequest", "Update a parameter in each request"),
                ("responseContainsNextURL", "Response contains next URL"),
                ("off", "Off"),
            ],
        )
        .help("How to request the next page."),
        Param::text("nextURL", "Next URL", "")
            .show("paginationMode", &["responseContainsNextURL"])
            .help("An expression for the URL of the next page, such as {{ $response.body.next }}."),
        Param::repeated(
            "parameters",
            "Parameters",
            [FieldGroup::new("parameters", "Parameter", parameter)],
        )
        .show("paginationMode", &["updateAParameterInEachRequest"])
        .help("Parameters that change from page to page."),
        Param::choice(
            "paginationCompleteWhen",
            "Pagination complete when",
            &[
                ("responseIsEmpty", "Response is empty"),
                ("receiveSpecificStatusCodes", "Receive specific status code(s)"),
                ("other", "Other"),
            ],
        )
        .hide("paginationMode", &["off"])
        .help("When to stop."),
        Param::text("statusCodesWhenComplete", "Status code(s) when complete", "")
            .show("paginationCompleteWhen", &["receiveSpecificStatusCodes"])
            .help("Comma-separated status codes of the last page."),
        Param::text("completeExpression", "Complete expression", "")
            .show("paginationCompleteWhen", &["other"])
            .help("An expression that is true on the last page, using $response."),
        Param::flag("limitPagesFetched", "Limit pages fetched", false)
            .hide("paginationMode", &["off"])
            .help("Whether to stop after a number of pages."),
        Param::number("maxRequests", "Max pages", 100)
            .show("limitPagesFetched", &[true])
            .help("Maximum number of pages to fetch."),
        Param::number("requestInterval", "Interval between requests (ms)", 0)
            .hide("paginationMode", &["off"])
            .help("The pause before each further page."),
    ]
}

/// v1 and v2.
pub(super) fn old_form() -> Spec {
    let ui = |name: &str, label: &str, what: &str| {
        Param::repeated(
            name,
            label,
            [FieldGroup::new("parameter", "Parameter", name_and_value(what))],
        )
        .show("jsonParameters", &[false])
    };
    let json =
        |name: &str, label: &str| Param::json(name, label, "").show("jsonParameters", &[true]);
    let with_body = |param: Param| param.show("requestMethod", &["PATCH", "POST", "PUT", "DELETE"]);
    let spec = Spec::new(ID, &[1.0, 2.0], "HTTP Request", SUMMARY)
        .icon("globe")
        .subtitle(&["{requestMethod?GET} {url:url}"])
        .untrusted()
        .sends_to("url")
        .sends_to("options.proxy")
        .group(NodeGroup::Integration)
        .param(
            Param::choice(
                "authentication",
                "Authentication",
                &[
                    ("none", "None"),
                    ("basicAuth", "Basic Auth"),
                    ("digestAuth", "Digest Auth"),
                    ("headerAuth", "Header Auth"),
                    ("oAuth1", "OAuth1"),
                    ("oAuth2", "OAuth2"),
                    ("queryAuth", "Query Auth"),
                ],
            )
            .until(1.0)
            .help("How to authenticate the request."),
        )
        .params(authentication().into_iter().map(|param| param.since(2.0)))
        .param(
            Param::choice("requestMethod", "Request method", METHODS)
                .help("The HTTP method of the request."),
        )
        .param(
            Param::text("url", "URL", "")
                .required()
                .help("URL of the request, starting with http:// or https://."),
        )
        .param(
            Param::flag("allowUnauthorizedCerts", "Ignore SSL issues", false)
                .help("Accept certificates that cannot be verified."),
        )
        .param(
            Param::choice(
                "responseFormat",
                "Response format",
                &[("json", "JSON"), ("file", "File"), ("string", "String")],
            )
            .help("How to parse the response."),
        )
        .param(
            Param::text("dataPropertyName", "Property name", "data")
                .show("responseFormat", &["string", "file"])
                .help("Name of the field or file for the response."),
        )
        .param(
            Param::flag("jsonParameters", "JSON/RAW parameters", false)
                .help("Define query, headers and body as JSON or raw text."),
        )
        .param(old_options())
        .param(
            with_body(
                Param::flag("sendBinaryData", "Send binary file", false)
                    .show("jsonParameters", &[true]),
            )
            .help("Send a file of the item."),
        )
        .param(
            with_body(
                Param::text("binaryPropertyName", "Input binary field", "data")
                    .show("sendBinaryData", &[true]),
            )
            .help("Binary field to send. For a form, a list of name:file pairs."),
        )
        .param(
            with_body(json("bodyParametersJson", "Body parameters"))
                .help("The body as JSON or raw text."),
        )
        .param(
            with_body(ui("bodyParametersUi", "Body parameters", "field"))
                .help("The fields of the body."),
        )
        .param(json("headerParametersJson", "Headers").help("The headers as a JSON object."))
        .param(ui("headerParametersUi", "Headers", "header").help("The headers to send."))
        .param(
            json("queryParametersJson", "Query parameters")
                .help("Query parameters as a JSON object."),
        )
        .param(ui("queryParametersUi", "Query parameters", "parameter").help("Query parameters."))
        .repeatable_when("requestMethod", &["GET", "HEAD", "OPTIONS"])
        .hint(HINT)
        .note(
            "Requests to private and local addresses are rejected unless allowed with \
             HEDDLE_EGRESS_ALLOW.",
        )
        .note("Redirects to another origin drop credentials.");
    CREDENTIALS
        .iter()
        .filter(|kind| **kind != "httpSslAuth")
        .fold(spec, |spec, kind| spec.credential(kind, false))
}

fn old_options() -> Param {
    let kinds = [
        ("json", "JSON"),
        ("raw", "RAW/Custom"),
        ("form-urlencoded", "Form urlencoded"),
        ("multipart-form-data", "Form-data multipart"),
    ];
    Param::collection(
        "options",
        "Options",
        [
            Param::number("batchInterval", "Batch interval", 1000)
                .at_least(0.0)
                .help("The pause between two batches in milliseconds; 0 for none."),
            Param::number("batchSize", "Batch size", 50)
                .at_least(-1.0)
                .help("Number of items per batch. -1 disables batching."),
            Param::choice("bodyContentType", "Body content type", &kinds)
                .help("Format of the body."),
            Param::flag("fullResponse", "Full response", false)
                .help("Return the status and headers in addition to the body."),
            Param::flag("followAllRedirects", "Follow all redirects", false)
                .help("Follow redirects of methods other than GET, too."),
            Param::flag("followRedirect", "Follow GET redirect", true)
                .help("Follow redirects of GET requests."),
            Param::flag("ignoreResponseCode", "Ignore response code", false)
                .help("Treat any status code as success."),
            Param::text("bodyContentCustomMimeType", "MIME type", "")
                .help("The content type of a raw body."),
            Param::text("proxy", "Proxy", "").help("The HTTP proxy to use."),
            Param::flag("splitIntoItems", "Split into items", false)
                .help("Return one item per element of a list."),
            Param::number("timeout", "Timeout", 10_000)
                .at_least(1.0)
                .help("Timeout for the whole request, in milliseconds."),
            Param::flag("useStream", "Use stream", false)
                .help("Has no effect here: responses are always streamed."),
        ],
    )
    .help("Batching, redirects, body type and more.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_api::is_key_header;

    /// The header of a request with these parameters.
    fn header(params: Value) -> Option<Str> {
        let types = crate::credentials::registry();
        let rule = new_form().sends_key.unwrap();
        rule.header(&params, |kind| types.get(kind).idempotency_header.clone())
    }

    #[test]
    fn services_that_are_known_to_take_keys_get_them_by_default() {
        let predefined = |kind: &str, options: Value| json!({ "authentication": "predefinedCredentialType", "nodeCredentialType": (kind), "options": (options) });
        assert_eq!(header(predefined("stripeApi", json!({}))).as_deref(), Some("Idempotency-Key"));
        let off = json!({ "idempotencyKeyHeader": "" });
        assert_eq!(header(predefined("stripeApi", off)), None);
        assert_eq!(header(predefined("slackApi", json!({}))), None);
        assert_eq!(header(json!({ "authentication": "none", "options": {} })), None);
        let pages = json!({ "idempotencyKeyHeader": "X-Key", "pagination": { "pagination": {} } });
        assert_eq!(header(json!({ "options": (pages) })), None);
    }

    #[test]
    fn headers_of_credential_types_can_take_keys() {
        let types = crate::credentials::registry();
        let named = types.all().iter().filter_map(|spec| spec.idempotency_header.as_ref());
        assert!(named.clone().count() > 0 && named.clone().all(|name| is_key_header(name)));
    }

    #[test]
    fn a_check_request_is_a_place_that_data_is_sent_to() {
        let spec = new_form();
        assert!(spec.flow.sends_to.iter().any(|place| place.param == CHECK_URL));
        let asks = |url: &str| {
            spec.verifies(&json!({ "options": { "recoveryCheck": { "check": { "url": (url) } } } }))
        };
        assert!(asks("=https://x.test/{{ $idempotencyKey }}") && !asks(" "));
        assert!(!spec.verifies(&json!({ "options": {} })));
    }
}
