//! n8n's agent with output parsers, on mock models: what is asked, what is put out, and what
//! happens when it goes wrong.

use crate::support::in_process::{
    answers, credential, n8n, node, openai, outputs, run_cut_off, run_document, streamed, workflow,
};
use model::json;
use serde_json::{Value as Json, json as js};
use testkit::{MockModels, NetFault, ScriptedReply};

const FORM: &str = "format_final_json_response";

fn agent(version: f64, parameters: Json) -> Json {
    n8n("Agent", "agent", version, parameters)
}

fn with_calculator(agent: Json) -> Json {
    let calculator = node("Calculator", "calculator-tool", 1.0, js!({}));
    workflow(
        agent,
        &[(openai("Model"), "ai_languageModel", "Agent"), (calculator, "ai_tool", "Agent")],
    )
}

fn with_parser(agent: Json, parser: Json) -> Json {
    workflow(
        agent,
        &[(openai("Model"), "ai_languageModel", "Agent"), (parser, "ai_outputParser", "Agent")],
    )
}

fn structured(version: f64, parameters: Json) -> Json {
    n8n("Parser", "outputParserStructured", version, parameters)
}

fn mock(replies: impl IntoIterator<Item = ScriptedReply>) -> MockModels {
    MockModels::start(replies).unwrap()
}

fn system(mock: &MockModels, number: usize) -> Option<String> {
    let first = mock.requests()[number].body["messages"][0].clone();
    (first["role"] == "system").then(|| first["content"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn every_version_and_kind_answers_through_the_same_loop() {
    for (version, parameters, item) in [
        (1.0, js!({}), js!({ "input": "2+2?" })),
        (1.1, js!({ "agent": "openAiFunctionsAgent" }), js!({ "chat_input": "2+2?" })),
        (1.2, js!({ "agent": "planAndExecuteAgent" }), js!({ "chatInput": "2+2?" })),
        (1.4, js!({ "agent": "reActAgent" }), js!({ "chatInput": "2+2?" })),
        (1.6, js!({ "agent": "sqlAgent", "input": "={{ $json.q }}" }), js!({ "q": "2+2?" })),
        (1.7, js!({ "promptType": "define", "text": "={{ $json.q }}" }), js!({ "q": "2+2?" })),
        (2.2, js!({ "promptType": "guardrails" }), js!({ "guardrailsInput": "2+2?" })),
        (3.1, js!({ "promptType": "auto" }), js!({ "chatInput": "2+2?", "sessionId": "s" })),
    ] {
        let mock = mock([
            ScriptedReply::call("calculator", js!({ "expression": "2+2" })),
            ScriptedReply::text("It is 4."),
        ]);
        let outcome = run_document(
            credential(&mock, mock.v1()),
            &with_calculator(agent(version, parameters)),
            js!([item]),
        )
        .await;
        assert_eq!(answers(&outcome), [json!({ "output": "It is 4." })], "{version}");
        let asked = mock.requests();
        let user = asked[0].body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .find(|message| message["role"] == "user")
            .unwrap()
            .clone();
        assert_eq!((asked.len(), &user["content"]), (2, &js!("2+2?")), "{version}");
        assert_eq!(
            system(&mock, 0).as_deref(),
            (version < 1.9).then_some("You are a helpful assistant"),
            "{version}"
        );
    }
}

#[tokio::test]
async fn steps_are_put_out_in_langchains_form() {
    let mock = mock([
        ScriptedReply::call("calculator", js!({ "expression": "5*5" })),
        ScriptedReply::text("25"),
    ]);
    let options = js!({ "returnIntermediateSteps": true, "systemMessage": "Be brief." });
    let document = with_calculator(agent(
        3.1,
        js!({ "promptType": "define", "text": "5*5?", "options": options }),
    ));
    let answer =
        answers(&run_document(credential(&mock, mock.v1()), &document, js!([{}])).await)[0].clone();
    let step = answer.get_path("intermediateSteps[0]").unwrap().clone();
    assert_eq!(step.get_path("action.tool"), Some(&json!("calculator")));
    assert_eq!(step.get_path("action.toolInput"), Some(&json!({ "expression": "5*5" })));
    assert_eq!(
        (step.get_path("action.toolCallId"), step.get("observation")),
        (Some(&json!("call_1")), Some(&json!("25")))
    );
    assert_eq!(system(&mock, 0).as_deref(), Some("Be brief."));
}

#[tokio::test]
async fn a_parser_gives_the_answer_its_form() {
    let example = js!({ "schemaType": "fromJson", "jsonSchemaExample": "{ \"state\": \"x\", \"cities\": [\"y\"] }" });
    let manual = js!({ "schemaType": "manual", "inputSchema": "{ \"type\": \"object\", \"properties\": { \"state\": { \"type\": \"string\" } } }" });
    let old = js!({ "jsonSchema": "{ \"type\": \"object\", \"properties\": { \"state\": { \"type\": \"string\" } } }" });
    let found = js!({ "state": "California", "cities": ["LA"] });
    for (version, parameters, wanted) in [
        (1.3, example.clone(), json!({ "output": { "state": "California", "cities": ["LA"] } })),
        (1.2, manual, json!({ "output": { "state": "California", "cities": ["LA"] } })),
        (1.1, old.clone(), json!({ "output": { "state": "California", "cities": ["LA"] } })),
        (1.0, old, json!({ "state": "California", "cities": ["LA"] })),
    ] {
        let mock = mock([ScriptedReply::call(FORM, js!({ "output": found }))]);
        let agent = agent(
            3.1,
            js!({ "promptType": "define", "text": "California?", "hasOutputParser": true }),
        );
        let outcome = run_document(
            credential(&mock, mock.v1()),
            &with_parser(agent, structured(version, parameters)),
            js!([{}]),
        )
        .await;
        assert_eq!(answers(&outcome), [wanted], "{version}");
        assert_eq!(mock.requests()[0].body["tools"][0]["function"]["name"], FORM);
    }
    let mock = mock([ScriptedReply::text("It is sunny.")]);
    let unused = with_parser(
        agent(3.1, js!({ "promptType": "define", "text": "?" })),
        structured(1.3, example),
    );
    let outcome = run_document(credential(&mock, mock.v1()), &unused, js!([{}])).await;
    assert_eq!(
        answers(&outcome),
        [json!({ "output": "It is sunny." })],
        "a parser that is switched off is not used"
    );
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_repaired_twice_at_most() {
    let parser = || structured(1.3, js!({ "jsonSchemaExample": "{ \"n\": 1 }" }));
    let asks =
        || agent(2.0, js!({ "promptType": "define", "text": "n?", "hasOutputParser": true }));
    let lucky = mock([
        ScriptedReply::text("one"),
        ScriptedReply::call(FORM, js!({ "output": { "n": "one" } })),
        ScriptedReply::text(
            r#"```json
{ "n": 1 }
```"#,
        ),
    ]);
    let outcome =
        run_document(credential(&lucky, lucky.v1()), &with_parser(asks(), parser()), js!([{}]))
            .await;
    assert_eq!(answers(&outcome), [json!({ "output": { "n": 1 } })]);
    let hopeless =
        mock([ScriptedReply::text("a"), ScriptedReply::text("b"), ScriptedReply::text("c")]);
    let outcome = run_document(
        credential(&hopeless, hopeless.v1()),
        &with_parser(asks(), parser()),
        js!([{}]),
    )
    .await;
    let error = outcome.error.unwrap();
    assert_eq!(
        (error.message.as_str(), hopeless.requests().len()),
        ("Model output doesn't fit required format", 3)
    );
}

#[tokio::test]
async fn a_parser_may_have_answers_fixed_by_a_model_of_its_own() {
    for kind in ["autoFix", "autofixing"] {
        let (asked, fixer) = (
            mock([ScriptedReply::text("n is one")]),
            mock([ScriptedReply::text(r#"{ "output": { "n": 1 } }"#)]),
        );
        let fixing = node(
            "Fixer",
            "openai-compatible-model",
            1.0,
            js!({ "baseUrl": fixer.v1(), "model": "mock" }),
        );
        let model = (openai("Model"), "ai_languageModel", "Agent");
        let asks =
            agent(2.0, js!({ "promptType": "define", "text": "n?", "hasOutputParser": true }));
        let document = if kind == "autoFix" {
            let parser =
                structured(1.3, js!({ "jsonSchemaExample": "{ \"n\": 1 }", "autoFix": true }));
            workflow(
                asks,
                &[
                    model,
                    (parser, "ai_outputParser", "Agent"),
                    (fixing, "ai_languageModel", "Parser"),
                ],
            )
        } else {
            let outer = n8n("Fix", "outputParserAutofixing", 1.0, js!({}));
            let inner = structured(1.2, js!({ "jsonSchemaExample": "{ \"n\": 1 }" }));
            workflow(
                asks,
                &[
                    model,
                    (outer, "ai_outputParser", "Agent"),
                    (inner, "ai_outputParser", "Fix"),
                    (fixing, "ai_languageModel", "Fix"),
                ],
            )
        };
        let outcome = run_document(credential(&asked, asked.v1()), &document, js!([{}])).await;
        assert_eq!(answers(&outcome), [json!({ "output": { "n": 1 } })], "{kind}");
        assert_eq!((asked.requests().len(), fixer.requests().len()), (1, 1), "{kind}");
        assert!(fixer.requests()[0].body.to_string().contains("n is one"), "{kind}");
    }
}

#[tokio::test]
async fn the_second_model_is_asked_whatever_the_failure_of_the_first_is() {
    for fault in [NetFault::ServerError, NetFault::Unauthorized] {
        let (first, second) = (
            mock([ScriptedReply::fault(fault)]),
            mock([ScriptedReply::text("Hello from fallback!")]),
        );
        let other = node(
            "Other",
            "openai-compatible-model",
            1.0,
            js!({ "baseUrl": second.v1(), "model": "mock" }),
        );
        let asks = |needs: bool| {
            agent(3.1, js!({ "promptType": "define", "text": "Hello!", "needsFallback": needs }))
        };
        let models =
            [(openai("Model"), "ai_languageModel", "Agent"), (other, "ai_languageModel", "Agent")];
        let outcome =
            run_document(credential(&first, first.v1()), &workflow(asks(true), &models), js!([{}]))
                .await;
        assert_eq!(answers(&outcome), [json!({ "output": "Hello from fallback!" })]);
        let outcome = run_document(
            credential(&first, first.v1()),
            &workflow(asks(true), &models[..1]),
            js!([{}]),
        )
        .await;
        assert!(outcome.error.unwrap().message.contains("Fallback Model input"));
    }
}

#[tokio::test]
async fn at_the_limit_newer_versions_fail_and_older_ones_say_that_they_stopped() {
    for (version, wanted) in [
        (2.2, Ok("Agent stopped due to max iterations.")),
        (3.0, Err("Max iterations (1) reached")),
    ] {
        let mock = mock([ScriptedReply::call("calculator", js!({ "expression": "1" }))]);
        let parameters =
            js!({ "promptType": "define", "text": "?", "options": { "maxIterations": 1 } });
        let outcome = run_document(
            credential(&mock, mock.v1()),
            &with_calculator(agent(version, parameters)),
            js!([{}]),
        )
        .await;
        match wanted {
            Ok(words) => assert_eq!(answers(&outcome)[0].get("output"), Some(&json!(words))),
            Err(words) => assert!(outcome.error.unwrap().message.contains(words)),
        }
    }
}

#[tokio::test]
async fn the_images_of_an_item_are_shown_to_the_model() {
    let mock = mock([ScriptedReply::text("A cat."), ScriptedReply::text("Nothing.")]);
    let file = js!({ "data": "aGVsbG8=", "mimeType": "image/png", "fileName": "cat.png" });
    let item = js!({ "json": { "chatInput": "What is it?" }, "binary": { "data": file } });
    for passes in [true, false] {
        let document = workflow(
            agent(
                3.1,
                js!({ "promptType": "auto", "options": { "passthroughBinaryImages": passes } }),
            ),
            &[(openai("Model"), "ai_languageModel", "Agent")],
        );
        answers(&run_document(credential(&mock, mock.v1()), &document, js!([item])).await);
    }
    let shown = |number: usize| {
        mock.requests()[number].body.to_string().contains("data:image/png;base64,aGVsbG8=")
    };
    assert_eq!((shown(0), shown(1)), (true, false));
}

#[tokio::test]
async fn items_that_fail_are_sent_on_where_the_node_says_so() {
    let mock = mock([
        ScriptedReply::text("one"),
        ScriptedReply::fault(NetFault::ServerError),
        ScriptedReply::text("three"),
    ]);
    let mut asks = agent(2.0, js!({ "promptType": "define", "text": "={{ $json.q }}" }));
    asks["onError"] = js!("continueRegularOutput");
    let document = workflow(asks, &[(openai("Model"), "ai_languageModel", "Agent")]);
    let outcome = run_document(
        credential(&mock, mock.v1()),
        &document,
        js!([{ "q": "1" }, { "q": "2" }, { "q": "3" }]),
    )
    .await;
    let items = outputs(&outcome, "Agent")[0].clone();
    assert_eq!(
        (items.get_path("[0].output"), items.get_path("[2].output")),
        (Some(&json!("one")), Some(&json!("three")))
    );
    assert!(items.get_path("[1].error").is_some(), "{items:?}");
}

#[tokio::test]
async fn a_prompt_that_did_not_come_is_told() {
    let mock = mock([]);
    let document = workflow(agent(3.1, js!({})), &[(openai("Model"), "ai_languageModel", "Agent")]);
    let error = run_document(credential(&mock, mock.v1()), &document, js!([{ "text": "hi" }]))
        .await
        .error
        .unwrap();
    assert!(
        error.message == "No prompt specified" && error.description.unwrap().contains("chatInput")
    );
}

#[tokio::test]
async fn the_answer_is_streamed_where_the_caller_takes_it_so() {
    for (version, streams, wanted) in [(3.1, true, true), (3.1, false, false), (2.0, true, false)] {
        let mock = mock([ScriptedReply::text("Hello there.")]);
        let asks = agent(
            version,
            js!({ "promptType": "define", "text": "hi", "options": { "enableStreaming": streams } }),
        );
        let document = workflow(asks, &[(openai("Model"), "ai_languageModel", "Agent")]);
        let pieces = streamed(credential(&mock, mock.v1()), &document, js!([{}])).await;
        let words: String = pieces
            .iter()
            .filter(|(kind, _)| *kind == "item")
            .map(|(_, words)| words.as_str())
            .collect();
        assert_eq!(words, if wanted { "Hello there." } else { "" }, "{version} {streams}");
        assert_eq!(pieces.first().map(|(kind, _)| *kind), wanted.then_some("begin"));
    }
}

#[tokio::test]
async fn a_process_that_ends_anywhere_asks_nothing_twice() {
    for n_notes in 0..6 {
        // Without a script it calls the calculator and then gives an answer of the form.
        let mock = mock([]);
        let asks =
            agent(3.1, js!({ "promptType": "define", "text": "2+2?", "hasOutputParser": true }));
        let calculator = node("Calculator", "calculator-tool", 1.0, js!({}));
        let parser = structured(1.3, js!({ "jsonSchemaExample": "{ \"n\": 1 }" }));
        let suppliers = [
            (openai("Model"), "ai_languageModel", "Agent"),
            (calculator, "ai_tool", "Agent"),
            (parser, "ai_outputParser", "Agent"),
        ];
        let outcome = run_cut_off(
            credential(&mock, mock.v1()),
            &workflow(asks, &suppliers),
            js!([{}]),
            n_notes,
        )
        .await;
        assert_eq!(answers(&outcome), [json!({ "output": { "n": 1 } })], "{n_notes}");
        // An answer that was on its way when the process ended is asked for again; one that was
        // kept never is.
        let again = usize::from(n_notes == 0 || n_notes == 2);
        assert_eq!(mock.requests().len(), 2 + again, "{n_notes}");
    }
}
