//! The form of n8n's node for OpenAI.

use crate::ai::models::openai_n8n::built_in_tools;
use node_api::prelude::*;

/// What the provider returns only if asked for it.
const INCLUDED: [(&str, &str); 7] = [
    ("code_interpreter_call.outputs", "Code interpreter outputs"),
    ("computer_call_output.output.image_url", "Computer call image URLs"),
    ("file_search_call.results", "File search results"),
    ("message.input_image.image_url", "Input image URLs"),
    ("message.output_text.logprobs", "Token probabilities"),
    ("reasoning.encrypted_content", "Encrypted reasoning"),
    ("web_search_call.action.sources", "Web search sources"),
];

pub(super) fn params() -> Vec<Param> {
    let resources = [
        ("text", "Text"),
        ("image", "Image"),
        ("audio", "Audio"),
        ("file", "File"),
        ("assistant", "Assistant"),
        ("conversation", "Conversation"),
        ("video", "Video"),
    ];
    let mut params =
        vec![Param::choice("resource", "Resource", &resources).raw().help("Resource to use.")];
    params.extend(operations());
    params.extend(texts());
    params.extend(media());
    params.push(Param::collection("options", "Options", options()).help("Additional options."));
    params
}

fn operations() -> Vec<Param> {
    let operation = |resource: &str, choices: &[(&str, &str)]| {
        Param::choice("operation", "Operation", choices)
            .raw()
            .show("resource", &[resource])
            .help("Operation to perform.")
    };
    vec![
        operation(
            "text",
            &[("message", "Message a model"), ("classify", "Classify text for violations")],
        )
        .until(1.8),
        operation(
            "text",
            &[
                ("response", "Message a model"),
                ("message", "Generate a chat completion"),
                ("classify", "Classify text for violations"),
            ],
        )
        .since(2.0),
        operation(
            "image",
            &[
                ("generate", "Generate an image"),
                ("analyze", "Analyze image"),
                ("edit", "Edit image"),
            ],
        ),
        operation(
            "audio",
            &[
                ("generate", "Generate audio"),
                ("transcribe", "Transcribe a recording"),
                ("translate", "Translate a recording"),
            ],
        ),
        operation(
            "file",
            &[("upload", "Upload a file"), ("list", "List files"), ("deleteFile", "Delete a file")],
        ),
        operation(
            "assistant",
            &[
                ("message", "Message"),
                ("create", "Create"),
                ("deleteAssistant", "Delete"),
                ("list", "List"),
                ("update", "Update"),
            ],
        ),
        operation(
            "conversation",
            &[("create", "Create"), ("get", "Get"), ("remove", "Remove"), ("update", "Update")],
        ),
        operation("video", &[("generate", "Generate a video")]),
    ]
}

fn texts() -> Vec<Param> {
    let roles = [("user", "User"), ("assistant", "Assistant"), ("system", "System")];
    let message = [
        Param::long_text("content", "Prompt", "").help("Text of the message."),
        Param::choice("role", "Role", &roles).help("Role of the message."),
    ];
    let response = [
        Param::choice("type", "Type", &[("text", "Text"), ("image", "Image"), ("file", "File")])
            .help("Text of the message."),
        Param::choice("role", "Role", &roles).help("Role of the message."),
        Param::long_text("content", "Prompt", "").show("type", &["text"]).help("The words."),
        Param::choice(
            "imageType",
            "Image type",
            &[("url", "URL"), ("base64", "Binary file"), ("fileId", "File at the provider")],
        )
        .show("type", &["image"])
        .help("Source of the image."),
        Param::text("imageUrl", "Image URL", "")
            .show("imageType", &["url"])
            .help("URL of the image."),
        Param::choice(
            "fileType",
            "File type",
            &[("url", "URL"), ("base64", "Binary file"), ("fileId", "File at the provider")],
        )
        .show("type", &["file"])
        .help("Source of the file."),
        Param::text("fileUrl", "File URL", "").show("fileType", &["url"]).help("URL of the file."),
        Param::text("binaryPropertyName", "Input data field name", "data")
            .help("Binary field of the item."),
    ];
    let model =
        Param::locator("modelId", "Model", &["list", "id"]).help("From the list, or by ID.");
    vec![
        model.clone().show("resource", &["text"]).hide("operation", &["classify"]),
        model.show("resource", &["image"]).show("operation", &["analyze"]),
        Param::repeated("messages", "Messages", [FieldGroup::new("values", "Values", message)])
            .show("resource", &["text"])
            .show("operation", &["message"])
            .help("The conversation."),
        Param::repeated("responses", "Messages", [FieldGroup::new("values", "Values", response)])
            .show("operation", &["response"])
            .help("The conversation."),
        Param::flag("simplify", "Simplify output", true)
            .hide("operation", &["classify"])
            .help("Return only the content of the response."),
        Param::flag("simplify", "Simplify output", false)
            .show("operation", &["classify"])
            .help("Return only whether the text is flagged."),
        Param::flag("jsonOutput", "Output content as JSON", false)
            .show("operation", &["message"])
            .help("Return the response as JSON."),
        built_in_tools().show("operation", &["response"]),
        Param::hidden("hideTools", ""),
    ]
}

fn media() -> Vec<Param> {
    let edit = |param: Param| param.show("resource", &["image"]).show("operation", &["edit"]);
    let file = Param::text("binaryPropertyName", "Input data field name", "data")
        .help("Binary field of the item.");
    let voices = ["alloy", "echo", "fable", "nova", "onyx", "shimmer"].map(|voice| (voice, voice));
    vec![
        Param::long_text("input", "Text input", "")
            .show("operation", &["classify", "generate"])
            .help("Text to classify or speak."),
        Param::long_text("text", "Text input", "What's in this image?")
            .show("operation", &["analyze"])
            .help("Prompt about the image."),
        Param::choice(
            "inputType",
            "Input type",
            &[("url", "Image URL(s)"), ("base64", "Binary file(s)")],
        )
        .show("operation", &["analyze"])
        .help("URLs of the images."),
        Param::text("imageUrls", "URL(s)", "").show("inputType", &["url"]).help("Comma-separated."),
        Param::text("binaryPropertyName", "Input data field name", "data")
            .help("Binary field of the item. Separate several with commas."),
        Param::text("model", "Model", "dall-e-3")
            .show("resource", &["image"])
            .show("operation", &["generate"])
            .until(2.1)
            .help("The model for images."),
        edit(Param::text("model", "Model", "gpt-image-1"))
            .until(2.2)
            .help("Model that edits images."),
        image_model("gpt-image-1-mini")
            .show("resource", &["image"])
            .show("operation", &["generate"])
            .since(2.2)
            .help("The model for images, from the list or by ID."),
        edit(image_model("gpt-image-1"))
            .since(2.3)
            .help("Model that edits images, from the list or by ID."),
        Param::text("model", "Model", "tts-1")
            .show("resource", &["audio"])
            .help("Model that generates speech."),
        Param::long_text("prompt", "Prompt", "")
            .show("resource", &["image"])
            .help("Description of the image."),
        edit(Param::repeated("images", "Images", [FieldGroup::new("values", "Image", [file])]))
            .preset(json!({ "values": [{ "binaryPropertyName": "data" }] }))
            .help("Binary fields of the item to process."),
        edit(Param::number("n", "Number of images", 1))
            .between(1.0, 10.0)
            .help("Number of images to generate."),
        edit(Param::text("size", "Size", "1024x1024")).help("Such as 1024x1536, or auto."),
        edit(Param::text("quality", "Quality", "auto")).help("auto, high, medium or low."),
        edit(Param::text("responseFormat", "Response format", "url"))
            .help("Response format of DALL-E models: url or b64_json."),
        edit(Param::text("outputFormat", "Output format", "png")).help("png, jpeg or webp."),
        edit(Param::number("outputCompression", "Output compression", 100))
            .between(0.0, 100.0)
            .help("Compression for jpeg and webp, in percent."),
        Param::choice("voice", "Voice", &voices).show("resource", &["audio"]).help("Who speaks."),
        Param::locator("fileId", "File", &["list", "id"])
            .show("resource", &["file"])
            .help("ID of the file at the provider."),
    ]
}

/// Since these versions image models are chosen like those for text.
fn image_model(preset: &str) -> Param {
    let mut chosen = json!({ "__rl": true, "mode": "list" });
    chosen.make_object().insert("value", preset);
    Param::locator("modelId", "Model", &["list", "id"]).preset(chosen)
}

fn options() -> Vec<Param> {
    vec![
        Param::number("temperature", "Temperature", 1)
            .between(0.0, 2.0)
            .help("How much responses vary."),
        Param::number("topP", "Top P", 1)
            .between(0.0, 1.0)
            .help("Cumulative probability of the tokens to consider."),
        Param::number("maxTokens", "Max tokens", 16).help("Maximum response length in tokens."),
        Param::number("frequency_penalty", "Frequency penalty", 0)
            .between(-2.0, 2.0)
            .help("Against repetition."),
        Param::number("presence_penalty", "Presence penalty", 0)
            .between(-2.0, 2.0)
            .help("Encourages new topics."),
        Param::number("n", "Number of results", 1)
            .help("Number of images to generate. Only one completion is generated for text."),
        Param::number("maxToolsIterations", "Max tool calls iterations", 15)
            .help("Maximum number of tool call iterations. 0 for the operator's limit."),
        Param::long_text("instructions", "Instructions", "")
            .help("System message sent to the model first."),
        Param::text("conversationId", "Conversation id", "")
            .help("ID of a conversation stored at the provider."),
        Param::text("previousResponseId", "Previous response id", "")
            .help("Response to continue from."),
        Param::flag("store", "Store", true).help("Whether the provider stores the response."),
        Param::multi_choice("include", "Include additional data", &INCLUDED)
            .help("Further data that the provider returns."),
        Param::number("maxToolCalls", "Max built-in tool calls", 15)
            .help("Maximum number of calls of the provider's own tools."),
        Param::flag("parallelToolCalls", "Parallel tool calls", false)
            .help("Whether the model may call several tools at once."),
        Param::flag("truncation", "Truncation", false)
            .help("Whether the provider shortens input that exceeds the context window."),
        Param::group(
            "promptConfig",
            "Prompt",
            [FieldGroup::new(
                "promptOptions",
                "Prompt",
                [
                    Param::text("promptId", "Prompt ID", "").help("Prompt stored at the provider."),
                    Param::text("version", "Version", "").help("Version of the prompt."),
                    Param::json("variables", "Variables", "{}").help("Values for the prompt."),
                ],
            )],
        )
        .help("A prompt that is stored at the provider."),
        Param::group(
            "reasoning",
            "Reasoning",
            [FieldGroup::new(
                "reasoningOptions",
                "Reasoning",
                [Param::text("effort", "Effort", "medium").help("Reasoning effort of the model.")],
            )],
        )
        .help("Reasoning options."),
        Param::group(
            "textFormat",
            "Output format",
            [FieldGroup::new(
                "textOptions",
                "Text",
                [
                    Param::choice(
                        "type",
                        "Type",
                        &[
                            ("text", "Text"),
                            ("json_schema", "JSON Schema"),
                            ("json_object", "JSON object"),
                        ],
                    )
                    .help("The form."),
                    Param::text("name", "Name", "my_schema").help("Name of the format."),
                    Param::json("schema", "Schema", "{}").help("Format as JSON Schema."),
                    Param::flag("strict", "Strict", false).help("Enforce the schema strictly."),
                    Param::text("verbosity", "Verbosity", "medium")
                        .help("Verbosity of the response."),
                ],
            )],
        )
        .help("Format of the response."),
        Param::flag("useStableModel", "Use stable model", false)
            .help("Use a pinned version of the moderation model."),
        Param::text("size", "Resolution", "1024x1024").help("The size of an image."),
        Param::text("quality", "Quality", "").help("The quality of an image."),
        Param::text("dalleQuality", "Quality", "").help("Quality of the image (DALL-E models)."),
        Param::text("style", "Style", "").help("natural or vivid."),
        Param::flag("returnImageUrls", "Respond with image URL(s)", false)
            .help("Return URLs instead of files."),
        Param::text("binaryPropertyOutput", "Put output in field", "data")
            .help("Name of the output binary field."),
        Param::text("response_format", "Response format", "mp3")
            .help("Audio format: mp3, opus, aac or flac."),
        Param::number("speed", "Audio speed", 1).between(0.25, 4.0).help("Speed of the speech."),
        Param::text("language", "Language of the audio file", "")
            .help("Language code in ISO 639-1 format."),
        Param::text("user", "User", "").help("End-user ID sent to the provider."),
        Param::text("background", "Background", "auto").help("auto, transparent or opaque."),
        Param::text("inputFidelity", "Input fidelity", "low")
            .help("How closely an edited image matches the original: low or high."),
        Param::text("imageMask", "Image mask", "")
            .help("Binary field with the mask; its transparent areas are edited."),
        Param::text("purpose", "Purpose", "assistants").help("Purpose of the file."),
    ]
}
