//! What each format says and is asked when nothing goes wrong.

use super::clients::{KEY, access, ask, model, place, request, tool};
use heddle_providers::models::catalog::Catalog;
use heddle_providers::models::client::{EmbeddingClient, list_models};
use heddle_providers::models::openai::{self, OpenAiEmbedder, OpenAiSettings};
use heddle_providers::models::secret::Secret;
use heddle_providers::models::{Delivery, anthropic, cohere, gemini, ollama};
use model::Str;
use node_api::ai::{ChatEvent, ChatRequest, Embedder, Embeddings, Message, StopReason, ToolResult};
use serde_json::json;
use testkit::{MockModels, ScriptedReply, WireFormat};

#[tokio::test]
async fn an_answer_is_the_same_in_every_format_whole_or_in_pieces() {
    for format in WireFormat::ALL {
        for delivery in [Delivery::Stream, Delivery::Whole] {
            let name = format!("{format:?} {delivery:?}");
            let mock =
                MockModels::start([ScriptedReply::text("Guten Tag, 😀!").with_usage(120, 34)])
                    .unwrap();
            let (told, turn) = ask(&*model(*format, &mock, delivery), request()).await;
            let turn = turn.unwrap();
            assert_eq!(
                (turn.message.text().as_str(), &turn.stop),
                ("Guten Tag, 😀!", &StopReason::Stop),
                "{name}"
            );
            assert_eq!(
                (turn.usage.input, turn.usage.output, turn.model.as_str()),
                (120, 34, "mock"),
                "{name}"
            );
            let said: String = told
                .iter()
                .filter_map(|event| {
                    if let ChatEvent::Text(piece) = event { Some(piece.as_str()) } else { None }
                })
                .collect();
            assert_eq!(said, "Guten Tag, 😀!", "{name}");
            assert_eq!(told.len() > 1, delivery == Delivery::Stream, "{name}: {told:?}");
            let asked = &mock.requests()[0];
            assert!(
                asked.headers.iter().any(|(_, value)| value.contains(KEY))
                    && !asked.path.contains(KEY),
                "{name}: {asked:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_tool_is_called_and_its_result_goes_back_in_every_format() {
    for format in WireFormat::ALL {
        let calls = ScriptedReply::text("Let me see.")
            .and_call("calculator", json!({ "expression": "2+2" }));
        let mock = MockModels::start([calls, ScriptedReply::text("It is 4.")]).unwrap();
        let model = model(*format, &mock, Delivery::Stream);
        let first = ChatRequest { tools: vec![tool()], ..request() };
        let (told, turn) = ask(&*model, first.clone()).await;
        let turn = turn.unwrap();
        let call = turn.message.tool_calls().next().unwrap().clone();
        assert_eq!(
            (call.name.as_str(), call.arguments.to_text().as_str()),
            ("calculator", r#"{"expression":"2+2"}"#),
            "{format:?}"
        );
        assert_eq!(turn.stop, StopReason::ToolCalls, "{format:?}");
        assert!(told.iter().any(|event| matches!(event, ChatEvent::CallBegins { index: 0, name } if name == "calculator")), "{format:?}");
        let result =
            ToolResult { id: call.id, name: call.name, content: "4".into(), is_error: false };
        let messages = first
            .messages
            .iter()
            .cloned()
            .chain([turn.message, Message::results([result])])
            .collect();
        let answer = ask(&*model, ChatRequest { messages, ..first }).await.1.unwrap();
        assert_eq!(answer.message.text(), "It is 4.", "{format:?}");
        let body = mock.requests()[1].body.to_string();
        assert!(
            body.contains("calculator") && body.contains("2+2") && body.contains('4'),
            "{format:?}: {body}"
        );
    }
}

#[tokio::test]
async fn an_answer_that_was_too_long_says_so() {
    for format in WireFormat::ALL {
        let mock = MockModels::start([ScriptedReply::text("And then").stopped("length")]).unwrap();
        let turn = ask(&*model(*format, &mock, Delivery::Stream), request()).await.1.unwrap();
        assert_eq!(turn.stop, StopReason::Length, "{format:?}");
    }
}

#[tokio::test]
async fn every_provider_lists_its_models() {
    let mock = MockModels::start([]).unwrap();
    let (place, access) = (place(&mock), access());
    let wanted: [Str; 2] = ["mock".into(), "mock-large".into()];
    assert_eq!(
        list_models(&anthropic::AnthropicSettings::default(), &place, &access).await.unwrap(),
        wanted
    );
    assert_eq!(
        list_models(&gemini::GeminiSettings::default(), &place, &access).await.unwrap(),
        wanted
    );
    assert_eq!(
        list_models(&ollama::OllamaSettings::default(), &place, &access).await.unwrap(),
        wanted
    );
    assert_eq!(
        openai::list_models(&OpenAiSettings::compatible(&mock.v1(), Secret::new(KEY)), &access)
            .await
            .unwrap(),
        wanted
    );
}

#[tokio::test]
async fn vectors_come_in_the_order_of_the_texts_also_over_several_requests() {
    let mock = MockModels::start([]).unwrap();
    let (place, access) = (place(&mock), access());
    let info = |provider: &str, model: &str| Catalog::shipped().find(provider, model).info;
    let embedders: Vec<Box<dyn Embedder>> = vec![
        Box::new(OpenAiEmbedder::new(
            info("openai", "mock"),
            OpenAiSettings::compatible(&mock.v1(), Secret::new(KEY)),
            &access,
        )),
        Box::new(EmbeddingClient::new(
            info("gemini", "models/mock"),
            gemini::GeminiSettings::default(),
            place.clone(),
            &access,
        )),
        Box::new(EmbeddingClient::new(
            info("ollama", "mock"),
            ollama::OllamaSettings::default(),
            place.clone(),
            &access,
        )),
        Box::new(EmbeddingClient::new(
            info("cohere", "mock"),
            cohere::CohereSettings::default(),
            place,
            &access,
        )),
    ];
    let texts: Vec<Str> = (0..205).map(|number| Str::from(format!("zebra {number}"))).collect();
    // A server of which nothing is kept yet.
    let other = MockModels::start([]).unwrap();
    let settings = OpenAiSettings::compatible(&other.v1(), Secret::new(KEY));
    let one_by_one = OpenAiEmbedder::new(info("openai", "mock"), settings, &access);
    for embedder in embedders {
        let Embeddings { vectors, tokens } = embedder.embeddings(&texts).await.unwrap();
        assert_eq!(vectors.len(), texts.len());
        assert!(tokens >= texts.len() as u64, "{tokens}");
        for at in [0, 1, 203, 204] {
            let alone = one_by_one.embed(&texts[at..=at]).await.unwrap();
            assert!(vectors[at] == alone[0] && vectors[at] != vectors[2], "{at}");
        }
        assert_eq!(embedder.embeddings(&texts).await.unwrap().tokens, 0, "asked once more");
    }
    let paths: Vec<String> = mock.requests().into_iter().map(|asked| asked.path).collect();
    assert_eq!(
        paths.iter().filter(|path| path.contains("batchEmbedContents")).count(),
        3,
        "{paths:?}"
    );
    assert!(paths.iter().any(|path| path == "/v1beta/models/mock:batchEmbedContents"), "{paths:?}");
}
