//! n8n's LangChain Code: programs that call what is connected, and programs that supply tools.

use crate::support::in_process::{
    answers, credential, n8n, node, openai, run_cut_off, run_document, workflow,
};
use model::{Code, json};
use serde_json::{Value as Json, json as js};
use testkit::{MockModels, NetFault, ScriptedReply};

fn execute(code: &str, single: bool) -> Json {
    let most = if single { 1 } else { -1 };
    let inputs = js!({ "input": [
        { "type": "main" }, { "type": "ai_languageModel", "maxConnections": most },
        { "type": "ai_tool", "maxConnections": -1 }
    ] });
    let parameters = js!({
        "code": { "execute": { "code": code } }, "inputs": inputs, "outputs": { "output": [{ "type": "main" }] }
    });
    workflow(
        n8n("Program", "code", 1.0, parameters),
        &[
            (openai("Model"), "ai_languageModel", "Program"),
            (node("Calculator", "calculator-tool", 1.0, js!({})), "ai_tool", "Program"),
        ],
    )
}

fn mock(replies: impl IntoIterator<Item = ScriptedReply>) -> MockModels {
    MockModels::start(replies).unwrap()
}

#[tokio::test]
async fn n8ns_own_example_runs() {
    let code = "const { PromptTemplate } = require('langchain/prompts');
const query = 'Tell me a {kind} joke';
const prompt = PromptTemplate.fromTemplate(query);
const llm = await this.getInputConnectionData('languageModel', 0);
let chain = prompt.pipe(llm);
const output = await chain.invoke({ kind: this.getInputData()[0].json.kind });
return [ {json: { output: output.content, tokens: output.usage_metadata.output_tokens > 0 } } ];";
    let mock = mock([ScriptedReply::text("Knock, knock.")]);
    let run = run_document(
        credential(&mock, mock.v1()),
        &execute(code, true),
        js!([{ "kind": "short" }]),
    )
    .await;
    assert_eq!(answers(&run), [json!({ "output": "Knock, knock.", "tokens": true })]);
    assert_eq!(mock.requests()[0].body["messages"][0]["content"], "Tell me a short joke");
}

#[tokio::test]
async fn models_and_tools_are_called_one_after_the_other_and_side_by_side() {
    let code = "const [model] = await this.getInputConnectionData('ai_languageModel', 0);
const tools = await this.getInputConnectionData('ai_tool', 0);
const { SystemMessage, HumanMessage } = require('@langchain/core/messages');
const plan = await model.invoke([new SystemMessage('Be brief.'), new HumanMessage('What to compute?')]);
const sum = await tools[0].invoke({ expression: plan.content });
const both = await Promise.all(items.map((item) => model.invoke(`${item.json.n}: ${sum}`)));
console.log('done');
return both.map((reply, index) => ({ json: { said: reply.content }, pairedItem: index }));";
    let mock =
        mock([ScriptedReply::text("2+2"), ScriptedReply::text("one"), ScriptedReply::text("two")]);
    let run = run_document(
        credential(&mock, mock.v1()),
        &execute(code, false),
        js!([{ "n": 1 }, { "n": 2 }]),
    )
    .await;
    assert_eq!(answers(&run), [json!({ "said": "one" }), json!({ "said": "two" })]);
    let asked: Vec<String> =
        mock.requests().iter().map(|one| one.body["messages"].to_string()).collect();
    assert!(
        asked[0].contains("Be brief.") && asked[1].contains("1: 4") && asked[2].contains("2: 4"),
        "{asked:?}"
    );
}

#[tokio::test]
async fn nothing_is_asked_twice_after_a_crash() {
    let code = "const model = await this.getInputConnectionData('ai_languageModel', 0);
const first = await model.invoke('one');
const second = await model.invoke('two ' + first.content);
return [{ json: { said: second.content } }];";
    for n_notes in [0, 1, 2] {
        let mock = mock((0..5).map(|number| ScriptedReply::text(&format!("reply {number}"))));
        let run =
            run_cut_off(credential(&mock, mock.v1()), &execute(code, true), js!([{}]), n_notes)
                .await;
        assert!(run.error.is_none(), "{:?}", run.error);
        // Only the answer that could not be kept is asked for again.
        assert_eq!(mock.requests().len(), if n_notes == 2 { 2 } else { 3 }, "{n_notes}");
    }
}

#[tokio::test]
async fn what_does_not_exist_is_refused_with_a_reason() {
    let model = "const model = await this.getInputConnectionData('ai_languageModel', 0);";
    for (code, words) in [
        (
            "require('langchain/agents'); return [];".to_owned(),
            "'langchain/agents' is not available",
        ),
        ("require('fs'); return [];".to_owned(), "'fs' is not available"),
        (
            "require('langchain/prompts').FewShotPromptTemplate; return [];".to_owned(),
            "'FewShotPromptTemplate'",
        ),
        (
            format!("{model} await model.withStructuredOutput({{}}); return [];"),
            "withStructuredOutput is not available",
        ),
        (format!("{model} model.callbacks = []; return [];"), "Setting 'callbacks'"),
        (
            format!("{model} for await (const x of model.stream('x')) {{}} return [];"),
            "Streaming is not available",
        ),
        (
            "await fetch('http://127.0.0.1:1/'); return [];".to_owned(),
            "Sending requests is not available",
        ),
        (
            "await this.helpers.httpRequest({ url: 'http://127.0.0.1:1/' }); return [];".to_owned(),
            "Sending requests",
        ),
        (
            "await $helpers.httpRequest({ url: 'http://127.0.0.1:1/' }); return [];".to_owned(),
            "Sending requests",
        ),
        (
            "await this.getInputConnectionData('ai_document', 0); return [];".to_owned(),
            "'ai_document' is not available",
        ),
        ("return 7;".to_owned(), "Code doesn't return items properly"),
        ("\nthrow new Error('mine')".to_owned(), "mine [line 2]"),
    ] {
        let mock = mock([]);
        let run =
            run_document(credential(&mock, mock.v1()), &execute(&code, true), js!([{}])).await;
        let error = run.error.unwrap();
        assert!(error.message.contains(words), "{code}: {}", error.message);
        assert!(mock.requests().is_empty());
    }
}

#[tokio::test]
async fn a_program_may_catch_a_failing_model_and_may_not_call_for_ever() {
    let code = "const model = await this.getInputConnectionData('ai_languageModel', 0);
try { await model.invoke('x'); } catch (error) { return [{ json: { caught: error.message.length > 0 } }]; }";
    let failing = mock([ScriptedReply::fault(NetFault::Unauthorized)]);
    let run =
        run_document(credential(&failing, failing.v1()), &execute(code, true), js!([{}])).await;
    assert_eq!(answers(&run), [json!({ "caught": true })]);
    let code = "const model = await this.getInputConnectionData('ai_languageModel', 0);
for (let n = 0; ; n++) await model.invoke('again');";
    let endless = mock((0..200).map(|_| ScriptedReply::text("again")));
    let run =
        run_document(credential(&endless, endless.v1()), &execute(code, true), js!([{}])).await;
    let error = run.error.unwrap();
    assert_eq!(
        (error.code, endless.requests().len()),
        (Code::AGENT_LIMIT, 100),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn what_a_model_says_cannot_pass_for_a_call() {
    let code = "const model = await this.getInputConnectionData('ai_languageModel', 0);
return { json: {}, ...JSON.parse((await model.invoke('x')).content) };";
    let call = r#"{ "__asked": [{ "on": 1, "does": "invoke", "input": { "expression": "1+1" } }], "json": { "n": 1 } }"#;
    let mock = mock([ScriptedReply::text(call)]);
    let run = run_document(credential(&mock, mock.v1()), &execute(code, true), js!([{}])).await;
    let error = run.error.unwrap();
    assert!(error.message.contains("Unknown top-level item key: __asked"), "{}", error.message);
}

/// An agent whose tools a program supplies, with a calculator connected to the program.
fn supplying(code: &str) -> Json {
    let parameters = js!({
        "code": { "supplyData": { "code": code } },
        "inputs": { "input": [{ "type": "ai_tool", "maxConnections": -1 }] },
        "outputs": { "output": [{ "type": "ai_tool" }] }
    });
    workflow(
        node("Agent", "ai-agent", 1.0, js!({ "userMessage": "go" })),
        &[
            (openai("Model"), "ai_languageModel", "Agent"),
            (n8n("Program", "code", 1.0, parameters), "ai_tool", "Agent"),
            (node("Calculator", "calculator-tool", 1.0, js!({})), "ai_tool", "Program"),
        ],
    )
}

#[tokio::test]
async fn a_program_supplies_tools_that_call_others() {
    let code = "const { DynamicTool, DynamicStructuredTool } = require('@langchain/core/tools');
const [calculator] = await this.getInputConnectionData('ai_tool', 0);
return [
  new DynamicTool({ name: 'shout', description: 'Loud', func: async (text) => text.toUpperCase() }),
  new DynamicStructuredTool({ name: 'double', description: 'Twice',
    schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    func: async ({ n }) => 'twice is ' + await calculator.invoke({ expression: n + '*2' }) }),
];";
    let mock = mock([
        ScriptedReply::call("shout", js!({ "input": "hi" })),
        ScriptedReply::call("double", js!({ "n": 21 })),
        ScriptedReply::text("done"),
    ]);
    let run = run_document(credential(&mock, mock.v1()), &supplying(code), js!([{}])).await;
    assert_eq!(answers(&run)[0].get("response").unwrap().to_js_string(), "done");
    let last = mock.requests()[2].body["messages"].to_string();
    assert!(last.contains("HI") && last.contains("twice is 42"), "{last}");
}

#[tokio::test]
async fn a_program_takes_tools_away() {
    let code = "const allowed = $input.item.json.allowed;
const tools = await this.getInputConnectionData('ai_tool', 0);
const { DynamicTool } = require('@langchain/core/tools');
return tools.map((tool) => allowed.includes(tool.getName()) ? tool
  : new DynamicTool({ name: tool.name, description: tool.description, func: async () => 'You are not allowed.' }));";
    for (allowed, seen) in [(js!(["calculator"]), "4"), (js!([]), "You are not allowed.")] {
        let mock = mock([
            ScriptedReply::call("calculator", js!({ "expression": "2+2", "input": "2+2" })),
            ScriptedReply::text("done"),
        ]);
        let run = run_document(
            credential(&mock, mock.v1()),
            &supplying(code),
            js!([{ "allowed": allowed }]),
        )
        .await;
        assert!(run.error.is_none(), "{:?}", run.error);
        let last = mock.requests()[1].body["messages"].to_string();
        assert!(last.contains(seen), "{last}");
    }
}

#[tokio::test]
async fn what_is_supplied_must_be_a_node_or_tools() {
    for code in ["return 7;", "return undefined;", "return { invoke: 1 };", ""] {
        let mock = mock([ScriptedReply::text("x")]);
        let run = run_document(credential(&mock, mock.v1()), &supplying(code), js!([{}])).await;
        assert!(run.error.is_some(), "{code}");
        assert!(mock.requests().is_empty());
    }
}
