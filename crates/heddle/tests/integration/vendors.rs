//! n8n's nodes for OpenAI and Gemini: conversations with mock models, and everything else with a
//! server that keeps what it is sent.

use crate::support::in_process;
use crate::support::in_process::{
    answers, credential, n8n, node, run_cut_off, run_document, workflow,
};
use model::{Code, Object, json};
use serde_json::{Value as Json, json as js};
use testkit::{FakeHttp, FakeRequest, FakeResponse, MockModels, ScriptedReply};

/// A request: method and path, headers, body.
type SentRequest = (String, String, Vec<u8>);

/// Answers every request with the same body and records what it was sent.
struct FixedServer {
    address: String,
    server: FakeHttp,
}

impl FixedServer {
    fn start(status: u16, kind: &'static str, answer: impl AsRef<[u8]>) -> Self {
        Self::with(FakeResponse::new(status, kind, answer))
    }

    /// Says where a file is to be sent.
    fn with_upload_url(url: &str) -> Self {
        Self::with(FakeResponse::with_headers(200, &[("x-goog-upload-url", url)], ""))
    }

    fn with(response: FakeResponse) -> Self {
        let server = FakeHttp::fixed(response);
        Self { address: server.url(""), server }
    }

    fn credential(&self) -> Object {
        Object::from_iter([
            ("apiKey", in_process::KEY),
            ("url", &format!("{}/v1", self.address)),
            ("host", &self.address),
        ])
    }

    fn requests(&self) -> Vec<SentRequest> {
        let sent = |request: FakeRequest| {
            let line = format!("{} {}", request.method, request.path);
            (line, request.head.to_lowercase(), request.body)
        };
        self.server.requests().into_iter().map(sent).collect()
    }

    fn body(&self) -> Json {
        serde_json::from_slice(&self.requests()[0].2).unwrap()
    }
}

fn openai(version: f64, parameters: Json) -> Json {
    workflow(n8n("OpenAI", "openAi", version, parameters), &[])
}

fn gemini(version: f64, parameters: Json) -> Json {
    workflow(n8n("Gemini", "googleGemini", version, parameters), &[])
}

fn listed(name: &str) -> Json {
    js!({ "__rl": true, "mode": "list", "value": name })
}

fn with_file(kind: &str, name: &str) -> Json {
    js!([{ "json": {}, "binary": { "data": { "data": "aGVsbG8=", "mimeType": kind, "fileName": name } } }])
}

#[tokio::test]
async fn a_message_to_openai_gives_a_choice_in_its_form() {
    let mock =
        MockModels::start([ScriptedReply::text("Hello."), ScriptedReply::text("{ \"n\": 1 }")])
            .unwrap();
    let messages = js!({ "values": [{ "role": "system", "content": "Be brief." }, { "content": "={{ $json.q }}" }] });
    let document = openai(
        1.8,
        js!({ "modelId": listed("gpt-4o-mini"), "messages": messages, "options": { "temperature": 0.1 } }),
    );
    let answer =
        answers(&run_document(credential(&mock, mock.v1()), &document, js!([{ "q": "hi" }])).await)
            [0]
        .clone();
    assert_eq!(
        (answer.get_path("message.content"), answer.get_path("message.role")),
        (Some(&json!("Hello.")), Some(&json!("assistant")))
    );
    let asked = mock.requests()[0].body.clone();
    assert_eq!(
        (&asked["messages"][0]["content"], &asked["messages"][1]["content"], &asked["temperature"]),
        (&js!("Be brief."), &js!("hi"), &js!(0.1))
    );
    let document = openai(
        1.8,
        js!({ "modelId": listed("gpt-4o-mini"), "messages": { "values": [{ "content": "n?" }] }, "jsonOutput": true }),
    );
    let answer =
        answers(&run_document(credential(&mock, mock.v1()), &document, js!([{}])).await)[0].clone();
    assert_eq!(answer.get_path("message.content"), Some(&json!({ "n": 1 })));
    assert_eq!(mock.requests()[1].body["response_format"]["type"], "json_object");
}

#[tokio::test]
async fn a_response_of_openai_gives_its_messages() {
    let mock =
        MockModels::start([ScriptedReply::text("Hello."), ScriptedReply::text("{ \"n\": 1 }")])
            .unwrap();
    let responses =
        js!({ "values": [{ "content": "hi" }, { "role": "system", "content": "Be brief." }] });
    let document = openai(
        2.1,
        js!({ "modelId": listed("gpt-4.1-mini"), "responses": responses, "options": {} }),
    );
    let answer =
        answers(&run_document(credential(&mock, mock.v1()), &document, js!([{}])).await)[0].clone();
    assert_eq!(answer.get_path("output[0].content[0].text"), Some(&json!("Hello.")));
    assert_eq!(mock.requests()[0].path, "/v1/responses");
    let options = js!({ "textFormat": { "textOptions": { "type": "json_object" } } });
    let document = openai(
        2.0,
        js!({ "modelId": listed("gpt-4.1-mini"), "responses": { "values": [{ "content": "n?" }] }, "options": options }),
    );
    let answer =
        answers(&run_document(credential(&mock, mock.v1()), &document, js!([{}])).await)[0].clone();
    assert_eq!(answer.get_path("output[0].content[0].text.n"), Some(&json!(1)));
}

#[tokio::test]
async fn vendors_use_the_tools_that_are_connected() {
    for (kind, version, messages) in [
        ("openAi", 1.8, "messages"),
        ("openAi", 2.1, "responses"),
        ("googleGemini", 1.1, "messages"),
    ] {
        let mock = MockModels::start([
            ScriptedReply::call("calculator", js!({ "expression": "2+2" })),
            ScriptedReply::text("It is 4."),
        ])
        .unwrap();
        let model = if kind == "openAi" { "gpt-4o-mini" } else { "models/gemini-2.5-flash" };
        let first = n8n(
            "Vendor",
            kind,
            version,
            js!({ "modelId": listed(model), messages: { "values": [{ "content": "2+2?" }] } }),
        );
        let document = workflow(
            first,
            &[(node("Calculator", "calculator-tool", 1.0, js!({})), "ai_tool", "Vendor")],
        );
        let answer =
            answers(&run_document(credential(&mock, mock.v1()), &document, js!([{}])).await)[0]
                .clone();
        assert!(
            model::json::to_string(&answer).contains("It is 4.") && mock.requests().len() == 2,
            "{kind} {version}"
        );
    }
}

#[tokio::test]
async fn issue_17_01_a_vendor_that_calls_tools_for_ever_ends_at_its_limit() {
    for (given, most) in [(2, 2), (0, 100)] {
        let sum = |number: usize| {
            ScriptedReply::call("calculator", js!({ "expression": format!("{number}+1") }))
        };
        let mock = MockModels::start((0..150).map(sum)).unwrap();
        let parameters = js!({ "modelId": listed("gpt-4o-mini"), "messages": { "values": [{ "content": "go" }] },
                               "options": { "maxToolsIterations": given } });
        let document = workflow(
            n8n("Vendor", "openAi", 1.8, parameters),
            &[(node("Calculator", "calculator-tool", 1.0, js!({})), "ai_tool", "Vendor")],
        );
        let outcome = run_document(credential(&mock, mock.v1()), &document, js!([{}])).await;
        let error = outcome.error.unwrap();
        assert_eq!(
            (error.code, mock.requests().len()),
            (Code::AGENT_LIMIT, most),
            "{}",
            error.message
        );
    }
}

#[tokio::test]
async fn images_are_looked_at_and_made() {
    let mock =
        MockModels::start([ScriptedReply::text("A cat."), ScriptedReply::text("A cat.")]).unwrap();
    let parameters = js!({ "resource": "image", "operation": "analyze", "modelId": listed("gpt-4o"), "inputType": "base64" });
    for (version, place) in [(1.8, "content"), (2.1, "0.content[0].text")] {
        let document = openai(version, parameters.clone());
        let answer = answers(
            &run_document(
                credential(&mock, mock.v1()),
                &document,
                with_file("image/png", "cat.png"),
            )
            .await,
        )[0]
        .clone();
        assert_eq!(answer.get_path(place), Some(&json!("A cat.")), "{version} {answer:?}");
    }
    assert!(
        mock.requests()
            .iter()
            .all(|asked| asked.body.to_string().contains("data:image/png;base64,aGVsbG8="))
    );
    let plain = FixedServer::start(
        200,
        "application/json",
        js!({ "data": [{ "b64_json": "aGVsbG8=" }] }).to_string(),
    );
    let document = openai(
        1.8,
        js!({ "resource": "image", "prompt": "a cat", "options": { "size": "1024x1024", "dalleQuality": "hd" } }),
    );
    let outcome = run_document(plain.credential(), &document, js!([{}])).await;
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    let item = outcome.last_items().unwrap().get(0).unwrap();
    assert_eq!(
        (item.binary("data").unwrap().data.as_ref(), item.json.get("mimeType")),
        (b"hello".as_ref(), Some(&json!("image/png")))
    );
    assert_eq!(plain.requests()[0].0, "POST /v1/images/generations");
    assert_eq!(
        plain.body(),
        js!({ "prompt": "a cat", "model": "dall-e-3", "response_format": "b64_json", "size": "1024x1024", "quality": "hd" })
    );
    assert!(plain.requests()[0].1.contains(&format!("authorization: bearer {}", in_process::KEY)));
}

#[tokio::test]
async fn speech_texts_and_judgements_go_to_their_places() {
    let spoken = FixedServer::start(200, "audio/mpeg", *b"sound");
    let outcome = run_document(
        spoken.credential(),
        &openai(1.8, js!({ "resource": "audio", "input": "hi" })),
        js!([{}]),
    )
    .await;
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    let item = outcome.last_items().unwrap().get(0).unwrap();
    assert_eq!(
        (item.binary("data").unwrap().data.as_ref(), spoken.requests()[0].0.as_str()),
        (b"sound".as_ref(), "POST /v1/audio/speech")
    );
    for (operation, path) in
        [("transcribe", "/v1/audio/transcriptions"), ("translate", "/v1/audio/translations")]
    {
        let heard = FixedServer::start(200, "application/json", r#"{ "text": "hello" }"#);
        let document = openai(
            1.8,
            js!({ "resource": "audio", "operation": operation, "options": { "language": "de" } }),
        );
        assert_eq!(
            answers(
                &run_document(heard.credential(), &document, with_file("audio/mpeg", "a.mp3"))
                    .await
            ),
            [json!({ "text": "hello" })]
        );
        let (place, _, body) = heard.requests()[0].clone();
        let body = String::from_utf8_lossy(&body).into_owned();
        assert!(
            place == format!("POST {path}")
                && body.contains("whisper-1")
                && body.contains("a.mp3")
                && body.contains("hello"),
            "{body}"
        );
    }
    let judged = FixedServer::start(
        200,
        "application/json",
        r#"{ "results": [{ "flagged": true, "categories": {} }] }"#,
    );
    let document =
        openai(1.8, js!({ "operation": "classify", "input": "bad words", "simplify": true }));
    assert_eq!(
        answers(&run_document(judged.credential(), &document, js!([{}])).await),
        [json!({ "flagged": true })]
    );
    assert_eq!(judged.body()["input"], "bad words");
    let kept = FixedServer::start(200, "application/json", r#"{ "id": "file-1" }"#);
    let document = openai(1.8, js!({ "resource": "file", "options": { "purpose": "fine-tune" } }));
    assert_eq!(
        answers(
            &run_document(kept.credential(), &document, with_file("text/plain", "a.jsonl")).await
        ),
        [json!({ "id": "file-1" })]
    );
    assert!(String::from_utf8_lossy(&kept.requests()[0].2).contains("fine-tune"));
}

#[tokio::test]
async fn gemini_answers_listens_and_draws() {
    let mock = MockModels::start([
        ScriptedReply::text("Hello."),
        ScriptedReply::text("A cat."),
        ScriptedReply::text("Words."),
    ])
    .unwrap();
    let model = listed("models/gemini-2.5-flash");
    let messages = js!({ "values": [{ "content": "Yes?", "role": "model" }, { "content": "hi" }] });
    let documents = [
        (
            gemini(
                1.1,
                js!({ "modelId": model, "messages": messages, "options": { "systemMessage": "Be brief." } }),
            ),
            js!([{}]),
            "Hello.",
        ),
        (
            gemini(
                1.0,
                js!({ "resource": "image", "operation": "analyze", "modelId": model, "inputType": "binary", "text": "What?" }),
            ),
            with_file("image/png", "a.png"),
            "A cat.",
        ),
        (
            gemini(1.2, js!({ "resource": "audio", "modelId": model, "inputType": "binary" })),
            with_file("audio/mpeg", "a.mp3"),
            "Words.",
        ),
    ];
    for (document, items, wanted) in documents {
        let answer =
            answers(&run_document(credential(&mock, mock.v1()), &document, items).await)[0].clone();
        assert_eq!(answer.get_path("content.parts[0].text"), Some(&json!(wanted)), "{answer:?}");
    }
    let asked: Vec<String> = mock.requests().iter().map(|asked| asked.body.to_string()).collect();
    assert!(
        asked[0].contains("Be brief.")
            && asked[1].contains("aGVsbG8=")
            && asked[2].contains("audio/mpeg"),
        "{asked:?}"
    );
    let drawn = js!({ "candidates": [{ "content": { "parts": [{ "text": "here" }, { "inlineData": { "mimeType": "image/png", "data": "aGVsbG8=" } }] } }] });
    let plain = FixedServer::start(200, "application/json", drawn.to_string());
    let document = gemini(
        1.1,
        js!({ "resource": "image", "modelId": listed("models/gemini-2.5-flash-image"), "prompt": "a cat" }),
    );
    let outcome = run_document(plain.credential(), &document, js!([{}])).await;
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    assert_eq!(
        outcome.last_items().unwrap().get(0).unwrap().binary("data").unwrap().data.as_ref(),
        b"hello"
    );
    assert_eq!(plain.requests()[0].0, "POST /v1beta/models/gemini-2.5-flash-image:generateContent");
}

#[tokio::test]
async fn issue_17_12_newer_versions_choose_their_image_models_from_a_list() {
    let made = || {
        FixedServer::start(
            200,
            "application/json",
            js!({ "data": [{ "b64_json": "aGVsbG8=" }] }).to_string(),
        )
    };
    let generate = |more: Json| {
        let mut parameters = js!({ "resource": "image", "prompt": "a cat" });
        parameters.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        parameters
    };
    for (version, parameters, model) in [
        (2.1, generate(js!({ "model": "dall-e-2", "modelId": listed("gpt-4o") })), "dall-e-2"),
        (2.2, generate(js!({ "model": "dall-e-2" })), "gpt-image-1-mini"),
        (2.3, generate(js!({ "modelId": listed("gpt-image-1.5") })), "gpt-image-1.5"),
    ] {
        let server = made();
        let outcome =
            run_document(server.credential(), &openai(version, parameters), js!([{}])).await;
        assert!(outcome.error.is_none(), "{version}: {:?}", outcome.error);
        assert_eq!(server.body()["model"], model, "{version}");
        assert_eq!(server.body().get("response_format").is_some(), model.starts_with("dall-e"));
    }
    for (version, chosen, model) in [
        (2.2, js!({ "model": "dall-e-2", "modelId": listed("gpt-image-1") }), "dall-e-2"),
        (2.3, js!({ "modelId": listed("gpt-image-1.5") }), "gpt-image-1.5"),
        (2.3, js!({}), "gpt-image-1"),
    ] {
        let server = made();
        let mut parameters = js!({ "resource": "image", "operation": "edit", "prompt": "a hat" });
        parameters.as_object_mut().unwrap().extend(chosen.as_object().unwrap().clone());
        let document = openai(version, parameters);
        run_document(server.credential(), &document, with_file("image/png", "cat.png")).await;
        let body = String::from_utf8_lossy(&server.requests()[0].2).into_owned();
        assert!(body.contains(&format!("name=\"model\"\r\n\r\n{model}\r\n")), "{version} {body}");
    }
}

#[tokio::test]
async fn issue_17_12_a_response_takes_a_file_by_its_address() {
    let mock = MockModels::start([ScriptedReply::text("A contract.")]).unwrap();
    let responses = js!({ "values": [
        { "content": "What is it?" }, { "type": "file", "fileUrl": "https://a.example/b.pdf" }
    ] });
    let options = js!({ "include": ["reasoning.encrypted_content"], "truncation": true });
    let document = openai(
        2.3,
        js!({ "modelId": listed("gpt-4.1-mini"), "responses": responses, "options": options }),
    );
    let outcome = run_document(credential(&mock, mock.v1()), &document, js!([{}])).await;
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    let body = mock.requests()[0].body.clone();
    assert!(body.to_string().contains("https://a.example/b.pdf"), "{body}");
    assert_eq!(
        (&body["truncation"], &body["include"][0]),
        (&js!("auto"), &js!("reasoning.encrypted_content"))
    );
}

#[tokio::test]
async fn images_are_changed_by_either_provider() {
    let plain = FixedServer::start(
        200,
        "application/json",
        js!({ "data": [{ "b64_json": "aGVsbG8=" }] }).to_string(),
    );
    let options = js!({ "imageMask": "data", "background": "transparent" });
    let document = openai(
        2.1,
        js!({ "resource": "image", "operation": "edit", "prompt": "a hat", "outputFormat": "webp", "options": options }),
    );
    let outcome =
        run_document(plain.credential(), &document, with_file("image/png", "cat.png")).await;
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    assert_eq!(
        outcome.last_items().unwrap().get(0).unwrap().binary("data").unwrap().data.as_ref(),
        b"hello"
    );
    let (place, _, body) = plain.requests()[0].clone();
    let body = String::from_utf8_lossy(&body).into_owned();
    let sent =
        |name: &str, value: &str| body.contains(&format!("name=\"{name}\"\r\n\r\n{value}\r\n"));
    assert_eq!(place, "POST /v1/images/edits");
    assert!(
        sent("model", "gpt-image-1")
            && sent("prompt", "a hat")
            && sent("size", "1024x1024")
            && sent("background", "transparent"),
        "{body}"
    );
    assert!(
        sent("output_format", "webp")
            && sent("output_compression", "100")
            && !body.contains("response_format"),
        "{body}"
    );
    assert!(
        body.contains("name=\"image[]\"; filename=\"cat.png\"")
            && body.contains("name=\"mask\"; filename=\"cat.png\""),
        "{body}"
    );
    let plain = FixedServer::start(
        200,
        "application/json",
        js!({ "data": [{ "url": "https://a.example/b.png" }] }).to_string(),
    );
    let document = openai(
        2.1,
        js!({ "resource": "image", "operation": "edit", "model": "dall-e-2", "prompt": "a hat" }),
    );
    let answer = answers(
        &run_document(plain.credential(), &document, with_file("image/png", "cat.png")).await,
    );
    assert_eq!(answer, [json!({ "url": "https://a.example/b.png" })]);
    assert!(String::from_utf8_lossy(&plain.requests()[0].2).contains("name=\"image\"; filename"));
    let drawn = js!({ "candidates": [{ "content": { "parts": [{ "inlineData": { "mimeType": "image/png", "data": "aGVsbG8=" } }] } }] });
    let plain = FixedServer::start(200, "application/json", drawn.to_string());
    let model = listed("models/gemini-2.5-flash-image");
    let document = gemini(
        1.1,
        js!({ "resource": "image", "operation": "edit", "modelId": model, "prompt": "a hat" }),
    );
    let outcome =
        run_document(plain.credential(), &document, with_file("image/png", "cat.png")).await;
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    assert_eq!(
        plain.body()["contents"][0]["parts"],
        js!([{ "inlineData": { "mimeType": "image/png", "data": "aGVsbG8=" } }, { "text": "a hat" }])
    );
}

#[tokio::test]
async fn a_video_is_waited_for_and_its_key_goes_to_the_provider_alone() {
    let mock = MockModels::start([]).unwrap();
    let parameters = js!({ "resource": "video", "modelId": listed("models/veo-3.0-generate-preview"), "prompt": "a cat", "returnAs": "url", "options": { "aspectRatio": "9:16" } });
    let found = answers(
        &run_document(credential(&mock, mock.v1()), &gemini(1.0, parameters), js!([{}])).await,
    );
    let address = found[0].get("url").unwrap().to_js_string();
    assert!(address.contains("video-1:download"), "{found:?}");
    let asked: Vec<(String, Json)> =
        mock.requests().iter().map(|asked| (asked.path.clone(), asked.body.clone())).collect();
    assert!(
        asked[0].0.ends_with("models/veo-3.0-generate-preview:predictLongRunning"),
        "{asked:?}"
    );
    assert_eq!(
        asked[0].1,
        js!({ "instances": [{ "prompt": "a cat" }], "parameters": { "aspectRatio": "9:16" } })
    );
    assert!(asked[1].0.ends_with("/v1beta/operations/1"), "{asked:?}");
    let (provider, other) = (
        FixedServer::start(200, "video/mp4", *b"film"),
        FixedServer::start(200, "video/mp4", *b"film"),
    );
    for (place, is_provider) in [(&provider, true), (&other, false)] {
        let document = gemini(
            1.0,
            js!({ "resource": "video", "operation": "download", "url": format!("{}/v1beta/files/1:download", place.address) }),
        );
        let outcome = run_document(provider.credential(), &document, js!([{}])).await;
        assert!(outcome.error.is_none(), "{:?}", outcome.error);
        assert_eq!(
            outcome.last_items().unwrap().get(0).unwrap().binary("data").unwrap().data.as_ref(),
            b"film"
        );
        assert_eq!(
            place.requests()[0].1.contains(in_process::KEY),
            is_provider,
            "{}",
            place.requests()[0].1
        );
    }
    let refused = gemini(
        1.0,
        js!({ "resource": "video", "modelId": listed("models/gemini-2.5-pro"), "prompt": "a cat" }),
    );
    assert!(
        run_document(provider.credential(), &refused, js!([{}]))
            .await
            .error
            .unwrap()
            .message
            .contains("does not generate videos")
    );
}

#[tokio::test]
async fn a_file_goes_to_the_place_that_the_provider_names_and_is_used_when_it_is_read() {
    let store = FixedServer::start(
        200,
        "application/json",
        js!({ "file": { "name": "files/1", "uri": "https://g.example/files/1", "mimeType": "video/mp4", "state": "ACTIVE" } }).to_string(),
    );
    let place = FixedServer::with_upload_url(&format!("{}/put", store.address));
    let document = gemini(1.0, js!({ "resource": "file", "inputType": "binary" }));
    let found = answers(
        &run_document(place.credential(), &document, with_file("video/mp4", "a.mp4")).await,
    );
    assert_eq!(found, [json!({ "fileUri": "https://g.example/files/1", "mimeType": "video/mp4" })]);
    let (begun, headers, body) = place.requests()[0].clone();
    assert_eq!(
        (begun.as_str(), String::from_utf8_lossy(&body).contains("a.mp4")),
        ("POST /upload/v1beta/files", true)
    );
    assert!(
        headers.contains("x-goog-upload-header-content-length: 5")
            && headers.contains("x-goog-upload-protocol: resumable"),
        "{headers}"
    );
    let (sent, headers, body) = store.requests()[0].clone();
    assert_eq!((sent.as_str(), body.as_slice()), ("POST /put", b"hello".as_slice()));
    assert!(
        headers.contains("upload, finalize") && !headers.contains(in_process::KEY),
        "{headers}"
    );
}

#[tokio::test]
async fn what_is_not_there_is_told_with_what_to_do_instead() {
    let mock = MockModels::start([]).unwrap();
    for (document, word) in [
        (openai(1.8, js!({ "resource": "assistant" })), "AI Agent"),
        (openai(2.1, js!({ "resource": "video" })), "HTTP Request"),
        (
            gemini(1.0, js!({ "resource": "cache", "modelId": listed("models/gemini-2.5-pro") })),
            "HTTP Request",
        ),
    ] {
        let error =
            run_document(credential(&mock, mock.v1()), &document, js!([{}])).await.error.unwrap();
        assert!(
            error.message.contains("is not available here") && error.hint.unwrap().contains(word),
            "{}",
            error.message
        );
    }
}

#[tokio::test]
async fn a_refusal_has_a_code_and_no_key_in_it() {
    let plain = FixedServer::start(
        401,
        "application/json",
        format!(r#"{{ "error": {{ "message": "Incorrect API key: {}" }} }}"#, in_process::KEY),
    );
    let document = openai(1.8, js!({ "operation": "classify", "input": "x" }));
    let outcome = run_document(plain.credential(), &document, js!([{}])).await;
    let error = outcome.error.unwrap();
    assert_eq!(error.code, model::Code::INVALID_CREDENTIALS);
    assert!(!error.message.contains(in_process::KEY), "{}", error.message);
}

#[tokio::test]
async fn a_process_that_ends_pays_for_nothing_twice() {
    for (n_notes, wanted) in [(0, 2), (1, 1)] {
        let plain = FixedServer::start(
            200,
            "application/json",
            r#"{ "data": [{ "b64_json": "aGVsbG8=" }] }"#,
        );
        let document = openai(1.8, js!({ "resource": "image", "prompt": "a cat" }));
        let outcome = run_cut_off(plain.credential(), &document, js!([{}]), n_notes).await;
        assert!(
            outcome.error.is_none() && plain.requests().len() == wanted,
            "{n_notes}: {:?}",
            outcome.error
        );
    }
    let plain = FixedServer::start(200, "application/json", r#"{ "id": "file-1" }"#);
    let outcome = run_cut_off(
        plain.credential(),
        &openai(1.8, js!({ "resource": "file" })),
        with_file("text/plain", "a.txt"),
        1,
    )
    .await;
    assert_eq!(
        outcome.error.unwrap().code,
        model::Code::RUN_UNCERTAIN,
        "nobody knows whether the file is there"
    );
    assert_eq!(plain.requests().len(), 1);
}
