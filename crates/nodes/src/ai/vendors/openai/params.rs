//! The form of n8n's node for OpenAI.

use crate::ai::models::openai_n8n::built_in_tools;
use node_api::prelude::*;

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
        vec![Param::choice("resource", "Resource", &resources).raw().help("What is worked with.")];
    params.extend(operations());
    params.extend(texts());
    params.extend(media());
    params.push(Param::collection("options", "Options", options()).help("How it is done."));
    params
}

fn operations() -> Vec<Param> {
    let operation = |resource: &str, choices: &[(&str, &str)]| {
        Param::choice("operation", "Operation", choices)
            .raw()
            .show("resource", &[resource])
            .help("What is done.")
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
        Param::long_text("content", "Prompt", "").help("What is said."),
        Param::choice("role", "Role", &roles).help("Who says it."),
    ];
    let response = [
        Param::choice("type", "Type", &[("text", "Text"), ("image", "Image"), ("file", "File")])
            .help("What is said."),
        Param::choice("role", "Role", &roles).help("Who says it."),
        Param::long_text("content", "Prompt", "").show("type", &["text"]).help("The words."),
        Param::choice(
            "imageType",
            "Image type",
            &[("url", "URL"), ("base64", "File of the item"), ("fileId", "File at the provider")],
        )
        .show("type", &["image"])
        .help("Where the image is."),
        Param::text("imageUrl", "Image URL", "")
            .show("imageType", &["url"])
            .help("Where the model finds it."),
        Param::choice(
            "fileType",
            "File type",
            &[
                ("base64", "File of the item"),
                ("fileUrl", "URL"),
                ("fileId", "File at the provider"),
            ],
        )
        .show("type", &["file"])
        .help("Where the file is."),
        Param::text("binaryPropertyName", "Input data field name", "data")
            .help("The file of the item."),
    ];
    let model =
        Param::locator("modelId", "Model", &["list", "id"]).help("From the list, or by its id.");
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
            .help("Put out the answer without what is around it."),
        Param::flag("simplify", "Simplify output", false)
            .show("operation", &["classify"])
            .help("Put out only whether the text is flagged."),
        Param::flag("jsonOutput", "Output content as JSON", false)
            .show("operation", &["message"])
            .help("Have the answer as JSON."),
        built_in_tools().show("operation", &["response"]),
        Param::hidden("hideTools", ""),
    ]
}

fn media() -> Vec<Param> {
    let edit = |param: Param| param.show("resource", &["image"]).show("operation", &["edit"]);
    let file = Param::text("binaryPropertyName", "Input data field name", "data")
        .help("The file of the item.");
    let voices = ["alloy", "echo", "fable", "nova", "onyx", "shimmer"].map(|voice| (voice, voice));
    vec![
        Param::long_text("input", "Text input", "")
            .show("operation", &["classify", "generate"])
            .help("The text that is judged or spoken."),
        Param::long_text("text", "Text input", "What's in this image?")
            .show("operation", &["analyze"])
            .help("What is asked about the image."),
        Param::choice(
            "inputType",
            "Input type",
            &[("url", "Image URL(s)"), ("base64", "Binary file(s)")],
        )
        .show("operation", &["analyze"])
        .help("Where the images are."),
        Param::text("imageUrls", "URL(s)", "")
            .show("inputType", &["url"])
            .help("With commas between."),
        Param::text("binaryPropertyName", "Input data field name", "data")
            .help("The file of the item; several with commas between."),
        Param::text("model", "Model", "dall-e-3")
            .show("resource", &["image"])
            .show("operation", &["generate"])
            .help("The model for images."),
        Param::text("model", "Model", "gpt-image-1")
            .show("resource", &["image"])
            .show("operation", &["edit"])
            .help("The model that changes images."),
        Param::text("model", "Model", "tts-1")
            .show("resource", &["audio"])
            .help("The model that speaks."),
        Param::long_text("prompt", "Prompt", "")
            .show("resource", &["image"])
            .help("What the image shows."),
        edit(Param::repeated("images", "Images", [FieldGroup::new("values", "Image", [file])]))
            .preset(json!({ "values": [{ "binaryPropertyName": "data" }] }))
            .help("The files of the item that are worked on."),
        edit(Param::number("n", "Number of images", 1))
            .between(1.0, 10.0)
            .help("How many images are made."),
        edit(Param::text("size", "Size", "1024x1024")).help("Such as 1024x1536, or auto."),
        edit(Param::text("quality", "Quality", "auto")).help("auto, high, medium or low."),
        edit(Param::text("responseFormat", "Response format", "url"))
            .help("What a DALL-E model gives: url or b64_json."),
        edit(Param::text("outputFormat", "Output format", "png")).help("png, jpeg or webp."),
        edit(Param::number("outputCompression", "Output compression", 100))
            .between(0.0, 100.0)
            .help("For jpeg and webp, in percent."),
        Param::choice("voice", "Voice", &voices).show("resource", &["audio"]).help("Who speaks."),
        Param::locator("fileId", "File", &["list", "id"])
            .show("resource", &["file"])
            .help("The file at the provider."),
    ]
}

fn options() -> Vec<Param> {
    vec![
        Param::number("temperature", "Temperature", 1)
            .between(0.0, 2.0)
            .help("How much answers vary."),
        Param::number("topP", "Top P", 1)
            .between(0.0, 1.0)
            .help("How much answers vary, by likelihood."),
        Param::number("maxTokens", "Maximum number of tokens", 16).help("The longest answer."),
        Param::number("frequency_penalty", "Frequency penalty", 0)
            .between(-2.0, 2.0)
            .help("Against repetition."),
        Param::number("presence_penalty", "Presence penalty", 0)
            .between(-2.0, 2.0)
            .help("For new subjects."),
        Param::number("n", "Number of results", 1)
            .help("How many images are made; texts are made once."),
        Param::number("maxToolsIterations", "Max tool calls iterations", 15)
            .help("How often tools may be called; 0 for no limit."),
        Param::long_text("instructions", "Instructions", "")
            .help("What the model is told before everything else."),
        Param::text("conversationId", "Conversation id", "")
            .help("A conversation that is kept at the provider."),
        Param::text("previousResponseId", "Previous response id", "")
            .help("The answer that this one goes on from."),
        Param::flag("store", "Store", true).help("Whether the provider keeps the answer."),
        Param::group(
            "reasoning",
            "Reasoning",
            [FieldGroup::new(
                "reasoningOptions",
                "Reasoning",
                [Param::text("effort", "Effort", "medium").help("How much the model thinks.")],
            )],
        )
        .help("How the model thinks."),
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
                    Param::text("name", "Name", "my_schema").help("What the form is called."),
                    Param::json("schema", "Schema", "{}").help("The form as JSON Schema."),
                    Param::flag("strict", "Strict", false).help("Hold the model to it."),
                    Param::text("verbosity", "Verbosity", "medium").help("How many words."),
                ],
            )],
        )
        .help("The form of the answer."),
        Param::flag("useStableModel", "Use stable model", false)
            .help("A fixed version of the model that judges texts."),
        Param::text("size", "Resolution", "1024x1024").help("The size of an image."),
        Param::text("quality", "Quality", "").help("The quality of an image."),
        Param::text("dalleQuality", "Quality", "")
            .help("The quality of an image of a DALL-E model."),
        Param::text("style", "Style", "").help("natural or vivid."),
        Param::flag("returnImageUrls", "Respond with image URL(s)", false)
            .help("Put out addresses in place of files."),
        Param::text("binaryPropertyOutput", "Put output in field", "data")
            .help("The name of the file that is put out."),
        Param::text("response_format", "Response format", "mp3")
            .help("The form of spoken words: mp3, opus, aac or flac."),
        Param::number("speed", "Audio speed", 1).between(0.25, 4.0).help("How fast it is spoken."),
        Param::text("language", "Language of the audio file", "").help("As ISO 639-1 writes it."),
        Param::text("user", "User", "").help("Whom the provider is told an image is for."),
        Param::text("background", "Background", "auto").help("auto, transparent or opaque."),
        Param::text("inputFidelity", "Input fidelity", "low")
            .help("How close a changed image stays: low or high."),
        Param::text("imageMask", "Image mask", "")
            .help("The file whose transparent parts say where an image is changed."),
        Param::text("purpose", "Purpose", "assistants").help("What a file is for."),
    ]
}
