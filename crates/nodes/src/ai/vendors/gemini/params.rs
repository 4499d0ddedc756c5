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
            .help("What is done.")
    };
    let message = [
        Param::long_text("content", "Prompt", "").help("What is said."),
        Param::choice("role", "Role", &[("user", "User"), ("model", "Model")]).help("Who says it."),
    ];
    let image = Param::text("binaryPropertyName", "Input data field name", "data")
        .help("The file of the item.");
    let urls = |resource: &str, name: &str| {
        Param::text(name, "URL(s)", "")
            .show("resource", &[resource])
            .show("inputType", &["url"])
            .help("With commas between.")
    };
    vec![
        Param::choice("resource", "Resource", &resources).raw().help("What is worked with."),
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
        Param::locator("modelId", "Model", &["list", "id"]).help("From the list, or by its id."),
        Param::repeated("messages", "Messages", [FieldGroup::new("values", "Values", message)])
            .show("resource", &["text"])
            .help("The conversation."),
        Param::long_text("text", "Text input", "What's in this file?")
            .show("operation", &["analyze"])
            .help("What is asked about the file."),
        Param::choice(
            "inputType",
            "Input type",
            &[("url", "URL(s)"), ("binary", "Binary file(s)")],
        )
        .help("Where the files are."),
        urls("audio", "audioUrls"),
        urls("document", "documentUrls"),
        urls("image", "imageUrls"),
        urls("video", "videoUrls"),
        Param::text("binaryPropertyName", "Input data field name", "data")
            .help("The file of the item; several with commas between."),
        Param::text("fileUrl", "URL", "")
            .show("resource", &["file"])
            .show("inputType", &["url"])
            .help("Where the file is fetched from."),
        Param::long_text("prompt", "Prompt", "")
            .show("operation", &["generate", "edit"])
            .help("What the image or video shows."),
        Param::repeated("images", "Images", [FieldGroup::new("values", "Image", [image])])
            .preset(json!({ "values": [{ "binaryPropertyName": "data" }] }))
            .show("resource", &["image"])
            .show("operation", &["edit"])
            .help("The files of the item that are worked on."),
        Param::choice("returnAs", "Return as", &[("video", "Video"), ("url", "URL")])
            .show("resource", &["video"])
            .show("operation", &["generate"])
            .help("A file, or the address where the provider keeps it for a while."),
        Param::text("url", "URL", "")
            .show("operation", &["download"])
            .help("Where the provider keeps the video."),
        Param::flag("simplify", "Simplify output", true)
            .help("Put out the answer without what is around it."),
        Param::flag("jsonOutput", "Output content as JSON", false)
            .show("resource", &["text"])
            .help("Have the answer as JSON."),
        Param::collection("builtInTools", "Built-in tools", built_in_tools())
            .show("resource", &["text"])
            .since(1.1)
            .help("Tools that the provider runs itself."),
        Param::collection("options", "Options", options()).help("How it is done."),
    ]
}

fn built_in_tools() -> Vec<Param> {
    vec![
        Param::flag("googleSearch", "Google Search", true).help("The provider searches the web."),
        Param::flag("urlContext", "URL context", true)
            .help("The provider reads addresses in the prompt."),
        Param::flag("codeExecution", "Code execution", true)
            .help("The provider runs code of the model."),
    ]
}

fn options() -> Vec<Param> {
    vec![
        Param::long_text("systemMessage", "System message", "")
            .help("What the model is told before everything else."),
        Param::number("temperature", "Temperature", 1)
            .between(0.0, 2.0)
            .help("How much answers vary."),
        Param::number("topP", "Top P", 1)
            .between(0.0, 1.0)
            .help("How much answers vary, by likelihood."),
        Param::number("topK", "Top K", 1).help("How many words are weighed."),
        Param::number("maxOutputTokens", "Maximum number of tokens", 16)
            .help("The longest answer."),
        Param::number("frequencyPenalty", "Frequency penalty", 0)
            .between(-2.0, 2.0)
            .help("Against repetition."),
        Param::number("presencePenalty", "Presence penalty", 0)
            .between(-2.0, 2.0)
            .help("For new subjects."),
        Param::number("candidateCount", "Number of completions", 1).help("Texts are made once."),
        Param::flag("codeExecution", "Code execution", false)
            .help("The provider runs code of the model."),
        Param::number("maxToolsIterations", "Max tool calls iterations", 15)
            .help("How often tools may be called; 0 for no limit."),
        Param::number("sampleCount", "Number of results", 1)
            .help("How many images an Imagen model makes, or videos a Veo model."),
        Param::number("durationSeconds", "Duration", 8).help("Seconds of a video."),
        Param::text("aspectRatio", "Aspect ratio", "16:9").help("Of a video: 16:9 or 9:16."),
        Param::text("personGeneration", "Person generation", "dont_allow")
            .help("Whether people are in a video: dont_allow, allow_adult or allow_all."),
        Param::text("binaryPropertyOutput", "Put output in field", "data")
            .help("The name of the file that is put out."),
        Param::text("startTime", "Start time", "")
            .help("From where a recording is written down, as MM:SS."),
        Param::text("endTime", "End time", "")
            .help("Up to where a recording is written down, as MM:SS."),
    ]
}
