//! The form of n8n's node for Anthropic.

use node_api::prelude::*;

const ROLES: [(&str, &str); 2] = [("user", "User"), ("assistant", "Assistant")];

pub(super) fn params() -> Vec<Param> {
    let resources = [
        ("text", "Text"),
        ("document", "Document"),
        ("image", "Image"),
        ("file", "File"),
        ("prompt", "Prompt"),
    ];
    let operation = |resource: &str, choices: &[(&str, &str)]| {
        Param::choice("operation", "Operation", choices)
            .raw()
            .show("resource", &[resource])
            .help("Operation to perform.")
    };
    let mut params = vec![
        Param::choice("resource", "Resource", &resources).raw().help("Resource to use."),
        operation("text", &[("message", "Message a model")]),
        operation("document", &[("analyze", "Analyze document")]),
        operation("image", &[("analyze", "Analyze image")]),
        operation(
            "file",
            &[
                ("upload", "Upload a file"),
                ("get", "Get file metadata"),
                ("list", "List files"),
                ("delete", "Delete a file"),
            ],
        ),
        operation(
            "prompt",
            &[
                ("generate", "Generate a prompt"),
                ("improve", "Improve a prompt"),
                ("templatize", "Templatize a prompt"),
            ],
        ),
        Param::locator("modelId", "Model", &["list", "id"])
            .show("resource", &["text", "document", "image"])
            .help("From the list, or by ID."),
    ];
    params.extend(conversation());
    params.extend(sources());
    params.extend(stored_files());
    params.extend([
        Param::long_text("task", "Task", "")
            .show("resource", &["prompt"])
            .show("operation", &["generate"])
            .help("What the prompt is for."),
        Param::flag("simplify", "Simplify output", true)
            .hide("resource", &["file"])
            .help("Return only the content of the response."),
        Param::collection("options", "Options", options()).help("Additional options."),
    ]);
    params
}

fn conversation() -> Vec<Param> {
    let message = [
        Param::long_text("content", "Prompt", "").help("Text of the message."),
        Param::choice("role", "Role", &ROLES).help("Role of the message."),
    ];
    let attached = |param: Param| param.show("resource", &["text"]).show("addAttachments", &[true]);
    vec![
        Param::repeated("messages", "Messages", [FieldGroup::new("values", "Values", message)])
            .show("resource", &["text", "prompt"])
            .hide("operation", &["generate"])
            .help("The conversation."),
        Param::flag("addAttachments", "Add attachments", false)
            .show("resource", &["text"])
            .help("Whether to send files with the message."),
        attached(Param::choice(
            "attachmentsInputType",
            "Attachments input type",
            &[("url", "URL(s)"), ("binary", "Binary file(s)")],
        ))
        .help("Source of the files."),
        attached(Param::text("attachmentsUrls", "Attachment URL(s)", ""))
            .show("attachmentsInputType", &["url"])
            .help("Comma-separated URLs of images or PDF files."),
    ]
}

/// What is analyzed.
fn sources() -> Vec<Param> {
    let question = |resource: &str, preset: &str| {
        Param::long_text("text", "Text input", preset)
            .show("resource", &[resource])
            .help("Prompt about the file.")
    };
    let urls = |resource: &str, name: &str| {
        Param::text(name, "URL(s)", "")
            .show("resource", &[resource])
            .show("inputType", &["url"])
            .help("Comma-separated.")
    };
    vec![
        question("document", "What's in this document?"),
        question("image", "What's in this image?"),
        Param::choice(
            "inputType",
            "Input type",
            &[("url", "URL(s)"), ("binary", "Binary file(s)")],
        )
        .show("resource", &["document", "image", "file"])
        .help("Source of the files."),
        urls("document", "documentUrls"),
        urls("image", "imageUrls"),
        Param::text("binaryPropertyName", "Input data field name", "data")
            .hide("resource", &["prompt"])
            .help("Binary field of the item. Separate several with commas."),
    ]
}

fn stored_files() -> Vec<Param> {
    let of_file = |param: Param, operations: &[&str]| {
        param.show("resource", &["file"]).show("operation", operations)
    };
    vec![
        of_file(Param::text("fileUrl", "URL", ""), &["upload"])
            .show("inputType", &["url"])
            .help("URL of the file."),
        of_file(Param::text("fileId", "File ID", ""), &["get", "delete"])
            .help("ID of the file at the provider."),
        of_file(Param::flag("returnAll", "Return all", false), &["list"])
            .help("Whether to return all files."),
        of_file(Param::number("limit", "Limit", 50), &["list"])
            .between(1.0, 1000.0)
            .show("returnAll", &[false])
            .help("Maximum number of files."),
    ]
}

fn options() -> Vec<Param> {
    vec![
        Param::flag("includeMergedResponse", "Include merged response", false)
            .help("Also return all text of the response as one text."),
        Param::long_text("system", "System message", "")
            .help("System message sent to the model first."),
        Param::flag("codeExecution", "Code execution", false)
            .help("The provider runs code written by the model."),
        Param::flag("webSearch", "Web search", false).help("The provider searches the web."),
        Param::number("maxUses", "Web search max uses", 5)
            .at_least(0.0)
            .help("Maximum number of searches in a request."),
        Param::text("allowedDomains", "Web search allowed domains", "")
            .help("Comma-separated. If empty, all are searched."),
        Param::text("blockedDomains", "Web search blocked domains", "")
            .help("Comma-separated. Cannot be combined with allowed domains."),
        Param::number("maxTokens", "Max tokens", 1024)
            .at_least(1.0)
            .help("Maximum response length in tokens."),
        Param::number("temperature", "Temperature", 1)
            .between(0.0, 1.0)
            .help("How much responses vary. Not sent to models that do not support it."),
        Param::number("topP", "Top P", 0.7)
            .between(0.0, 1.0)
            .help("Cumulative probability of the tokens to consider."),
        Param::number("topK", "Top K", 5).at_least(0.0).help("Number of tokens to consider."),
        Param::number("maxToolsIterations", "Max tool calls iterations", 15)
            .help("Maximum number of tool call iterations. 0 for the operator's limit."),
        Param::text("fileName", "File name", "").help("Name of the uploaded file."),
        Param::long_text("feedback", "Feedback", "").help("How the prompt is to be improved."),
    ]
}
