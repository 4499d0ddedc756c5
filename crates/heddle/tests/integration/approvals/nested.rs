//! Agents within tools, workflows that are tools, and several items: all of them ask through to the
//! run.

use super::{ApprovalHarness, node, option, send, to};
use crate::support::heddle;
use serde_json::{Value, json};
use testkit::ScriptedReply;

/// The agent gets another one as its tool, which has `Send` and asks before it.
fn with_agent_tool(document: &mut Value) {
    option(document, "askBefore", json!("never"));
    let parameters = json!({ "toolDescription": "Sends things", "text": "={{ $fromAI('what', 'what to do', 'string') }}", "options": { "askBefore": "changes" } });
    let nodes = document["nodes"].as_array_mut().unwrap();
    let model = nodes[2]["parameters"].clone();
    nodes.push(node("Helper", "@n8n/n8n-nodes-langchain.agentTool", 2.2, parameters));
    nodes.push(node("Helpers model", "openai-compatible-model", 1.0, model));
    document["connections"]["Helper"] = to("Agent", "ai_tool");
    document["connections"]["Helpers model"] = to("Helper", "ai_languageModel");
    document["connections"]["Send"] = to("Helper", "ai_tool");
}

#[test]
fn an_agent_within_a_tool_asks_through_to_the_run() {
    let help = ScriptedReply::call("Helper", json!({ "what": "send it" }))
        .and_call("Look", json!({ "at": "sky" }));
    let replies =
        vec![help, send("ada"), ScriptedReply::text("It is sent."), ScriptedReply::text("done")];
    let mut scene = ApprovalHarness::start_with("within-agent", replies, with_agent_tool);
    let id = scene.ask(1);
    scene.wait_for(&id, "waiting");
    let asked = scene.open_approval("ada");
    assert_eq!(
        (&asked["call"], &asked["node"]),
        (&json!("item 0: tool 1.1: tool 1.1"), &json!("Helper"))
    );
    assert_eq!(scene.ledger.all().get("/look/sky"), Some(&1));
    scene.restart();
    assert_eq!(scene.decide(&asked, "approve").status, 200);
    scene.wait_for(&id, "success");
    assert_eq!(
        (scene.sent("ada"), scene.answer(&id), scene.models.requests().len()),
        (1, json!("done"), 4)
    );
    assert_eq!(
        scene.ledger.all().get("/look/sky"),
        Some(&1),
        "what was done beside it is not done again"
    );
    let timeline =
        scene.server.api("GET", &format!("/executions/{id}/agent?node=Agent"), None).json();
    assert_eq!(timeline["approvals"][0]["call"], "item 0: tool 1.1: tool 1.1", "{timeline}");
}

/// An agent that is connected as an ordinary node cannot be let go of: it says so before it does
/// anything.
#[test]
fn an_agent_that_is_used_as_an_ordinary_tool_refuses_to_ask() {
    let replies = vec![ScriptedReply::call("Inner", json!({})), ScriptedReply::text("It cannot.")];
    let scene = ApprovalHarness::start_with("within-ordinary", replies, |document| {
        option(document, "askBefore", json!("never"));
        let nodes = document["nodes"].as_array_mut().unwrap();
        let model = nodes[2]["parameters"].clone();
        nodes.push(node(
            "Inner",
            "ai-agent",
            1.0,
            json!({ "userMessage": "send it", "options": { "askBefore": "all" } }),
        ));
        nodes.push(node("Inner model", "openai-compatible-model", 1.0, model));
        document["connections"]["Inner"] = to("Agent", "ai_tool");
        document["connections"]["Inner model"] = to("Inner", "ai_languageModel");
        document["connections"]["Send"] = to("Inner", "ai_tool");
        document["nodes"][0]["parameters"]["responseMode"] = json!("lastNode");
    });
    assert_eq!(scene.call().json()["response"], "It cannot.");
    assert!(scene.results(1)[0].contains("cannot wait for approval"), "{:?}", scene.results(1));
}

/// A workflow that is a tool and whose own agent asks: the called run waits, and its caller waits
/// for it.
#[test]
fn a_workflow_that_is_a_tool_asks_in_a_run_of_its_own() {
    let replies = vec![
        ScriptedReply::call("Work", json!({})),
        send("ada"),
        ScriptedReply::text("It is sent."),
        ScriptedReply::text("done"),
    ];
    let mut scene = ApprovalHarness::start_with("within-workflow", replies, |document| {
        let nodes = document["nodes"].as_array_mut().unwrap();
        let tool = json!({ "description": "Does the work", "source": "database", "workflowId": { "__rl": true, "mode": "id", "value": "called" } });
        nodes.push(node("Work", "@n8n/n8n-nodes-langchain.toolWorkflow", 2.2, tool));
        document["connections"]["Work"] = to("Agent", "ai_tool");
    });
    let mut called = super::workflow(&scene.models.v1(), &scene.ledger.address);
    called["id"] = json!("called");
    called["name"] = json!("Called");
    called["nodes"][0] = node("Webhook", "n8n-nodes-base.executeWorkflowTrigger", 1.0, json!({}));
    called["nodes"][1]["parameters"]["userMessage"] = json!("send it");
    let file = scene.folder.write_json("called", &called);
    heddle(&scene.folder.0, &["import", file.to_str().unwrap()]);
    assert_eq!(scene.call().status, 200);
    scene.wait_for_questions(1);
    let asked = scene.open_approval("ada");
    assert_eq!((&asked["workflowId"], &asked["executionId"]), (&json!("called"), &json!("2")));
    scene.wait_for("1", "waiting");
    scene.restart();
    assert_eq!(scene.decide(&asked, "approve").status, 200);
    scene.wait_for("2", "success");
    scene.wait_for("1", "success");
    assert_eq!((scene.sent("ada"), scene.answer("1")), (1, json!("done")));
}

#[test]
fn n8ns_agent_asks_for_several_items_at_once() {
    let replies =
        vec![send("ada"), send("bob"), ScriptedReply::text("one"), ScriptedReply::text("two")];
    let scene = ApprovalHarness::start_with("within-items", replies, |document| {
        let split = json!({ "fieldToSplitOut": "body.all", "options": {} });
        document["nodes"].as_array_mut().unwrap().push(node(
            "Each",
            "n8n-nodes-base.splitOut",
            1.0,
            split,
        ));
        let options = json!({ "askBefore": "changes", "batching": { "batchSize": 2 } });
        let parameters = json!({ "promptType": "define", "text": "={{ $json['body.all'] }}", "options": options });
        document["nodes"][1] = node("Agent", "@n8n/n8n-nodes-langchain.agent", 2.2, parameters);
        document["connections"]["Webhook"] = to("Each", "main");
        document["connections"]["Each"] = to("Agent", "main");
    });
    let started =
        scene.server.call("POST", "/webhook/ask", Some(&json!({ "all": ["first", "second"] })));
    assert_eq!(started.status, 200);
    scene.wait_for_questions(2);
    let (ada, bob) = (scene.open_approval("ada"), scene.open_approval("bob"));
    let id = ada["executionId"].as_str().unwrap().to_owned();
    let mut calls = [ada["call"].as_str().unwrap(), bob["call"].as_str().unwrap()];
    calls.sort_unstable();
    assert_eq!(calls, ["item 0: tool 1.1", "item 1: tool 1.1"]);
    let short = scene
        .decide_with(
            &ada,
            json!({ "call": "tool 1.1", "digest": ada["digest"], "decision": "approve" }),
        )
        .json();
    assert_eq!(short["code"], "APPROVAL_CALL", "that names two: {short}");
    assert_eq!(scene.decide(&ada, "approve").status, 200);
    assert_eq!(scene.decide(&bob, "approve").status, 200);
    scene.wait_for(&id, "success");
    assert_eq!((scene.sent("ada"), scene.sent("bob"), scene.models.requests().len()), (1, 1, 4));
}
