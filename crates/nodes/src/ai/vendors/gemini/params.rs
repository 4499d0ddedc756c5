//! The form of n8n's node for Google's Gemini.

use node_api::prelude::*;

pub(super) fn params() -> Vec<Param> {
    let resources = [
        ("text", "Text"),
        ("audio", "Audio"),
        ("document", "Document"),
        ("image", "Image"),
        ("video", "Video"),
        ("file", "File"),
        ("fileSearch", "File search"),
        ("cache", "Cache"),
    ];
    let operation = |resource: &str, choices: &[(&str, &str)]| {
        Param::choice("operation", "Operation", choices)
            .raw()
            .show("resource", &[resource])
            .help("Operation to perform.")
    };
    let message = [
        Param::long_text("content", "Prompt", "").help("Text of the message."),
        Param::choice("role", "Role", &[("user", "User"), ("model", "Model")])
            .help("Role of the message."),
    ];
    let image = Param::text("binaryPropertyName", "Input data field name", "data")
        .help("Binary field of the item.");
    let urls = |resource: &str, name: &str| {
        Param::text(name, "URL(s)", "")
            .show("resource", &[resource])
            .show("inputType", &["url"])
            .help("Comma-separated.")
    };
    vec![
        Param::choice("resource", "Resource", &resources).raw().help("Resource to use."),
        operation("text", &[("message", "Message a model")]),
        operation(
            "audio",
            &[("transcribe", "Transcribe a recording"), ("analyze", "Analyze audio")],
        ),
        operation("document", &[("analyze", "Analyze document")]),
        operation(
            "image",
            &[
                ("generate", "Generate an image"),
                ("analyze", "Analyze image"),
                ("edit", "Edit image"),
            ],
        ),
        operation(
            "video",
            &[
                ("generate", "Generate a video"),
                ("analyze", "Analyze video"),
                ("download", "Download video"),
            ],
        ),
        operation("file", &[("upload", "Upload media file")]),
        operation(
            "fileSearch",
            &[
                ("uploadToStore", "Upload"),
                ("createStore", "Create"),
                ("deleteStore", "Delete"),
                ("listStores", "List"),
            ],
        ),
        operation(
            "cache",
            &[
                ("create", "Create"),
                ("get", "Get"),
                ("list", "List"),
                ("update", "Update"),
                ("delete", "Delete"),
            ],
        ),
        Param::locator("modelId", "Model", &["list", "id"]).help("From the list, or by ID."),
        Param::repeated("messages", "Messages", [FieldGroup::new("values", "Values", message)])
            .show("resource", &["text"])
            .help("The conversation."),
        Param::long_text("text", "Text input", "What's in this file?")
            .show("operation", &["analyze"])
            .help("Prompt about the file."),
        Param::choice(
            "inputType",
            "Input type",
            &[("url", "URL(s)"), ("binary", "Binary file(s)")],
        )
        .help("URLs of the files."),
        urls("audio", "audioUrls"),
        urls("document", "documentUrls"),
        urls("image", "imageUrls"),
        urls("video", "videoUrls"),
        Param::text("binaryPropertyName", "Input data field name", "data")
            .help("Binary field of the item. Separate several with commas."),
        Param::text("fileUrl", "URL", "")
            .show("resource", &["file"])
            .show("inputType", &["url"])
            .help("URL of the file."),
        Param::long_text("prompt", "Prompt", "")
            .show("operation", &["generate", "edit"])
            .help("Description of the image or video."),
        Param::repeated("images", "Images", [FieldGroup::new("values", "Image", [image])])
            .preset(json!({ "values": [{ "binaryPropertyName": "data" }] }))
            .show("resource", &["image"])
            .show("operation", &["edit"])
            .help("Binary fields of the item to process."),
        Param::choice("returnAs", "Return as", &[("video", "Video"), ("url", "URL")])
            .show("resource", &["video"])
            .show("operation", &["generate"])
            .help("A file, or its temporary URL at the provider."),
        Param::text("url", "URL", "")
            .show("operation", &["download"])
            .help("URL of the video at the provider."),
        Param::flag("simplify", "Simplify output", true)
            .help("Return only the content of the response."),
        Param::flag("jsonOutput", "Output content as JSON", false)
            .show("resource", &["text"])
            .help("Return the response as JSON."),
        Param::collection("builtInTools", "Built-in tools", built_in_tools())
            .show("resource", &["text"])
            .since(1.1)
            .help("Tools executed by the provider."),
        Param::collection("options", "Options", options()).help("Additional options."),
    ]
}

fn built_in_tools() -> Vec<Param> {
    vec![
        Param::flag("googleSearch", "Google Search", true).help("The provider searches the web."),
        Param::flag("urlContext", "URL context", true)
            .help("The provider reads the URLs in the prompt."),
        Param::flag("codeExecution", "Code execution", true)
            .help("The provider runs code written by the model."),
    ]
}

fn options() -> Vec<Param> {
    vec![
        Param::long_text("systemMessage", "System message", "")
            .help("System message sent to the model first."),
        Param::number("temperature", "Temperature", 1)
            .between(0.0, 2.0)
            .help("How much responses vary."),
        Param::number("topP", "Top P", 1)
            .between(0.0, 1.0)
            .help("Cumulative probability of the tokens to consider."),
        Param::number("topK", "Top K", 1).help("Number of tokens to consider."),
        Param::number("maxOutputTokens", "Max tokens", 16)
            .help("Maximum response length in tokens."),
        Param::number("frequencyPenalty", "Frequency penalty", 0)
            .between(-2.0, 2.0)
            .help("Against repetition."),
        Param::number("presencePenalty", "Presence penalty", 0)
            .between(-2.0, 2.0)
            .help("Encourages new topics."),
        Param::flag("codeExecution", "Code execution", false)
            .help("The provider runs code written by the model."),
        Param::number("maxToolsIterations", "Max tool calls iterations", 15)
            .help("Maximum number of tool call iterations. 0 for the operator's limit."),
        Param::number("sampleCount", "Number of results", 1)
            .help("Number of images (Imagen models) or videos (Veo models)."),
        Param::number("durationSeconds", "Duration", 8).help("Length of the video in seconds."),
        Param::text("aspectRatio", "Aspect ratio", "16:9").help("Of a video: 16:9 or 9:16."),
        Param::text("personGeneration", "Person generation", "dont_allow")
            .help("Whether people can appear in a video: dont_allow, allow_adult or allow_all."),
        Param::text("binaryPropertyOutput", "Put output in field", "data")
            .help("Name of the output binary field."),
        Param::text("startTime", "Start time", "").help("Start of the transcription, as MM:SS."),
        Param::text("endTime", "End time", "").help("End of the transcription, as MM:SS."),
    ]
}
