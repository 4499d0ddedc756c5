//! Parameters of the chat trigger.

use node_api::prelude::*;

/// The greeting of a page whose author has written none.
pub(super) const GREETING: &str = "Hi there! 👋\nHow can I help you today?";
pub(super) const TITLE: &str = "Hi there! 👋";
pub(super) const SUBTITLE: &str = "Start a chat. We're here to help you 24/7.";
pub(super) const PLACEHOLDER: &str = "Type your question..";
pub(super) const WELCOME: &str = "New Conversation";

const LAST_NODE: (&str, &str) = ("lastNode", "When last node finishes");
const RESPONSE_NODE: (&str, &str) = ("responseNode", "Using 'Respond to Webhook' node");
const STREAMING: (&str, &str) = ("streaming", "Streaming");
const RESPONSE_NODES: (&str, &str) = ("responseNodes", "Using response nodes");

pub(super) fn params() -> Vec<Param> {
    let modes = [("hostedChat", "Hosted chat"), ("webhook", "Embedded chat")];
    let ways =
        [("basicAuth", "Basic auth"), ("n8nUserAuth", "Users of this instance"), ("none", "None")];
    vec![
        Param::flag("public", "Make chat publicly available", false)
            .help("Whether the chat has a public URL."),
        Param::choice("mode", "Mode", &modes).show("public", &[true]).help(
            "A chat page served here, or a chat embedded in your own page that calls the URL.",
        ),
        Param::notice("hostedChatNotice", "Open the URL in a browser once the workflow is active.")
            .show("mode", &["hostedChat"])
            .show("public", &[true]),
        Param::notice(
            "embeddedChatNotice",
            "Use the URL in n8n's chat widget, or call it directly, once the workflow is active.",
        )
        .show("mode", &["webhook"])
        .show("public", &[true]),
        Param::choice("authentication", "Authentication", &ways)
            .preset("none")
            .show("public", &[true])
            .raw()
            .help("How visitors authenticate."),
        Param::long_text("initialMessages", "Initial message(s)", GREETING)
            .show("mode", &["hostedChat"])
            .show("public", &[true])
            .help("Shown at the start of the chat, one message for each line."),
        Param::flag("availableInChat", "Make available in n8n chat", false)
            .raw()
            .help("For n8n's own chat. Here it only enables streaming."),
        Param::hidden("agentIcon", Value::Undefined),
        Param::hidden("agentName", ""),
        Param::hidden("agentDescription", ""),
        Param::collection("options", "Options", options())
            .help("Appearance, input and response options of the chat."),
    ]
}

fn options() -> Vec<Param> {
    let previous = [("notSupported", "Off"), ("memory", "From memory"), ("manually", "Manually")];
    let details = [
        ("answer", "Only the answer"),
        ("steps", "Which tools are used"),
        ("everything", "Tools with arguments and results"),
    ];
    vec![
        Param::text("allowedOrigins", "Allowed origins (CORS)", "*")
            .guard()
            .help("Comma-separated origins whose pages may call it."),
        Param::flag("allowFileUploads", "Allow file uploads", false)
            .help("Whether files can be attached to a message."),
        Param::text("allowedFilesMimeTypes", "Allowed file MIME types", "*")
            .guard()
            .help("Accepted file types, such as `image/*, application/pdf`."),
        Param::text("inputPlaceholder", "Input placeholder", PLACEHOLDER)
            .help("Placeholder of the message field."),
        Param::choice("loadPreviousSession", "Load previous session", &previous).help(
            "Source of a reopened conversation: none, the memory connected here, or the \
                 workflow.",
        ),
        Param::flag("showWelcomeScreen", "Require button click to start chat", false)
            .help("Whether a conversation begins with a button."),
        Param::text("getStarted", "Start conversation button text", WELCOME)
            .show("showWelcomeScreen", &[true])
            .help("Label of the start button."),
        Param::text("subtitle", "Subtitle", SUBTITLE).help("Shown under the title."),
        Param::text("title", "Title", TITLE).help("Shown at the top of the chat."),
        Param::long_text("customCss", "Custom chat styling", "")
            .help("CSS for the page. n8n's `--chat--…` variables are supported."),
        response_mode(&[LAST_NODE, RESPONSE_NODE]).until(1.1),
        response_mode(&[LAST_NODE, RESPONSE_NODE, STREAMING]).versions(&[1.2]),
        response_mode(&[LAST_NODE, STREAMING, RESPONSE_NODE, RESPONSE_NODES]).since(1.3),
        Param::choice("eventDetail", "Steps shown", &details)
            .preset("steps")
            .guard()
            .help("Heddle only: what users see of an agent's tool calls while the answer streams."),
    ]
}

fn response_mode(modes: &[(&str, &str)]) -> Param {
    Param::choice("responseMode", "Response mode", modes)
        .help("When and how to respond to a message.")
}
