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
        [("basicAuth", "Basic auth"), ("n8nUserAuth", "People of this instance"), ("none", "None")];
    vec![
        Param::flag("public", "Make chat publicly available", false)
            .help("Whether the chat has an address of its own on the web."),
        Param::choice("mode", "Mode", &modes).show("public", &[true]).help(
            "A page that is served here, or a chat in a page of your own that calls the address.",
        ),
        Param::notice(
            "hostedChatNotice",
            "Open the address in a browser once the workflow is active.",
        )
        .show("mode", &["hostedChat"])
        .show("public", &[true]),
        Param::notice(
            "embeddedChatNotice",
            "Give the address to n8n's chat widget, or call it, once the workflow is active.",
        )
        .show("mode", &["webhook"])
        .show("public", &[true]),
        Param::choice("authentication", "Authentication", &ways)
            .preset("none")
            .show("public", &[true])
            .raw()
            .help("How visitors show who they are."),
        Param::long_text("initialMessages", "Initial message(s)", GREETING)
            .show("mode", &["hostedChat"])
            .show("public", &[true])
            .help("Shown at the start of the chat, one message for each line."),
        Param::flag("availableInChat", "Make available in n8n chat", false)
            .raw()
            .help("For n8n's own chat; here it only makes answers stream."),
        Param::hidden("agentIcon", Value::Undefined),
        Param::hidden("agentName", ""),
        Param::hidden("agentDescription", ""),
        Param::collection("options", "Options", options())
            .help("How the chat looks, what it takes and how it answers."),
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
            .help("Pages of these origins may call it; several with commas."),
        Param::flag("allowFileUploads", "Allow file uploads", false).help("Whether files may be sent with a message."),
        Param::text("allowedFilesMimeTypes", "Allowed file MIME types", "*")
            .guard()
            .help("Kinds of files that are taken, such as `image/*, application/pdf`."),
        Param::text("inputPlaceholder", "Input placeholder", PLACEHOLDER).help("Shown in the empty field for messages."),
        Param::choice("loadPreviousSession", "Load previous session", &previous)
            .help("Where a conversation comes from that is opened again: nowhere, the memory connected here, or the workflow."),
        Param::flag("showWelcomeScreen", "Require button click to start chat", false).help("Whether a conversation begins with a button."),
        Param::text("getStarted", "Start conversation button text", WELCOME)
            .show("showWelcomeScreen", &[true])
            .help("The label of that button."),
        Param::text("subtitle", "Subtitle", SUBTITLE).help("Shown under the title."),
        Param::text("title", "Title", TITLE).help("Shown at the top of the chat."),
        Param::long_text("customCss", "Custom chat styling", "").help("Styles for the page; n8n's `--chat--…` variables count."),
        response_mode(&[LAST_NODE, RESPONSE_NODE]).until(1.1),
        response_mode(&[LAST_NODE, RESPONSE_NODE, STREAMING]).versions(&[1.2]),
        response_mode(&[LAST_NODE, STREAMING, RESPONSE_NODE, RESPONSE_NODES]).since(1.3),
        Param::choice("eventDetail", "Steps shown", &details)
            .preset("steps")
            .guard()
            .help("Heddle's own: what people see of an agent's tools while answers stream."),
    ]
}

fn response_mode(modes: &[(&str, &str)]) -> Param {
    Param::choice("responseMode", "Response mode", modes)
        .help("When and how a message is answered.")
}
