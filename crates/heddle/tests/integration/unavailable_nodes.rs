//! n8n's nodes that are known and cannot be used: they say so before anything is paid for.

use crate::support::in_process::{credential, n8n, node, run_document, workflow};
use serde_json::json as js;
use testkit::{MockModels, ScriptedReply};

#[tokio::test]
async fn what_n8n_has_and_is_not_available_says_what_to_use_instead() {
    let mock = MockModels::start([ScriptedReply::text("hi")]).unwrap();
    for kind in ["memoryZep", "memoryXata"] {
        let document = workflow(
            node("Agent", "ai-agent", 1.0, js!({ "userMessage": "hi" })),
            &[
                (
                    n8n("Model", "lmChatAnthropic", 1.2, js!({ "model": "mock" })),
                    "ai_languageModel",
                    "Agent",
                ),
                (n8n("Memory", kind, 1.0, js!({})), "ai_memory", "Agent"),
            ],
        );
        let error =
            run_document(credential(&mock, mock.v1()), &document, js!([{}])).await.error.unwrap();
        assert!(error.message.contains("Not available"), "{}", error.message);
        assert!(error.hint.unwrap().contains("SQLite Memory"), "{kind}");
    }
    assert!(mock.requests().is_empty());
}

#[tokio::test]
async fn a_vector_store_says_so_before_anything_is_embedded() {
    let mock = MockModels::start([]).unwrap();
    let document = workflow(
        n8n("Store", "vectorStoreZep", 1.3, js!({ "mode": "load", "prompt": "x" })),
        &[(
            n8n("Vectors", "embeddingsOpenAi", 1.2, js!({ "model": "mock" })),
            "ai_embedding",
            "Store",
        )],
    );
    let error =
        run_document(credential(&mock, mock.v1()), &document, js!([{}])).await.error.unwrap();
    assert!(error.message.contains("Not available"), "{}", error.message);
    assert!(error.hint.unwrap().starts_with("Use "));
    assert!(mock.requests().is_empty());
}
