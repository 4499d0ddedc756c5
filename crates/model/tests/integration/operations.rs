//! Operations on a workflow: what each does to nodes, names, connections and the rest of the
//! document.

use heddle_model::{
    Code, Operation, OperationError, Str, UndoHistory, Value, Workflow, apply, json,
};

fn workflow() -> Workflow {
    Workflow::parse(
        r#"{
          "name": "Test", "meta": { "kept": 12345678901234567890 },
          "nodes": [
            { "id": "t", "name": "Start", "type": "n8n-nodes-base.manualTrigger", "typeVersion": 1, "position": [0, 0], "parameters": {} },
            { "id": "a", "name": "Set", "type": "n8n-nodes-base.set", "typeVersion": 3.40, "position": [240, 0], "parameters": {}, "x-ours": { "n": 1.0 } },
            { "id": "b", "name": "Agent", "type": "agent", "typeVersion": 1, "position": [480, 0], "big": 98765432109876543210,
              "parameters": { "text": "={{ $('Set').item.json.a }} and $('Set')", "plain": "$('Set')", "options": [{ "deep": "={{ $node[\"Set\"].json.b + $items('Set')[0] }}" }] } },
            { "id": "c", "name": "Code", "type": "n8n-nodes-base.code", "typeVersion": 2, "position": [720, 0],
              "parameters": { "jsCode": "return $('Set').all(); // $node.Set.json" } },
            { "id": "m", "name": "Model", "type": "model", "typeVersion": 1, "position": [480, 200], "parameters": {} }
          ],
          "connections": {
            "Start": { "main": [[{ "node": "Set", "type": "main", "index": 0, "x-kept": true }]] },
            "Set": { "main": [[{ "node": "Agent", "type": "main", "index": 0 }, { "node": "Code", "type": "main", "index": 0 }]] },
            "Agent": { "main": [[], [{ "node": "Set", "type": "main", "index": 0 }], [{ "node": "Code", "type": "main", "index": 0 }]] },
            "Model": { "ai_languageModel": [[{ "node": "Agent", "type": "ai_languageModel", "index": 0 }]], "x_unknown": [[{ "node": "Agent" }]] }
          },
          "pinData": { "Set": [{ "json": { "n": 1.50 } }] },
          "staticData": { "node:Set": { "seen": 1 }, "global": {} }
        }"#,
    )
    .unwrap()
}

fn try_apply(workflow: &Workflow, operations: Value) -> Result<Workflow, OperationError> {
    let operations: Vec<Operation> = heddle_model::from_value(&operations).unwrap();
    let mut count = 0;
    apply(workflow, &operations, &mut || {
        count += 1;
        Str::from(format!("new-{count}"))
    })
}

#[track_caller]
fn applied(operations: Value) -> Workflow {
    let before = workflow();
    let text = before.to_text();
    let after = try_apply(&before, operations).unwrap();
    assert_eq!(before.to_text(), text, "the input was changed");
    after
}

#[track_caller]
fn refused(operations: Value, index: usize, node: &str) -> OperationError {
    let error = try_apply(&workflow(), operations).unwrap_err();
    assert_eq!(
        (error.index, error.node(), error.code()),
        (index, node, Code::OPERATION_INVALID),
        "{error}"
    );
    assert!(!error.hint().is_empty());
    error
}

fn names(workflow: &Workflow) -> Vec<&str> {
    workflow.nodes().map(|node| node.name()).collect()
}

fn at(workflow: &Workflow, path: &str) -> Value {
    workflow.to_value().get_path(path).cloned().unwrap_or_default()
}

#[test]
fn defect_s4_15_removing_by_id_removes_connections_that_are_keyed_by_name() {
    let after = applied(json!([{ "type": "removeNode", "nodeIds": ["a"] }]));
    assert_eq!(names(&after), ["Start", "Agent", "Code", "Model"]);
    assert_eq!(
        at(&after, "connections"),
        json!({
            "Agent": { "main": [[], [], [{ "node": "Code", "type": "main", "index": 0 }]] },
            "Model": { "ai_languageModel": [[{ "node": "Agent", "type": "ai_languageModel", "index": 0 }]], "x_unknown": [[{ "node": "Agent" }]] }
        })
    );
    assert_eq!(at(&after, "pinData"), json!({}));
    assert_eq!(at(&after, "staticData"), json!({ "global": {} }));
}

#[test]
fn removing_a_node_removes_connections_of_every_kind_and_leaves_nothing_empty_behind() {
    let after = applied(json!([{ "type": "removeNode", "nodeIds": ["b", "c"] }]));
    assert_eq!(
        at(&after, "connections"),
        json!({ "Start": { "main": [[{ "node": "Set", "type": "main", "index": 0, "x-kept": true }]] } })
    );
}

#[test]
fn what_a_name_leads_to_stays_while_another_node_has_it() {
    let text = r#"{"nodes":[{"id":"1","name":"X"},{"id":"2","name":"X"},{"id":"3","name":"Y"}],"connections":{"X":{"main":[[{"node":"Y","type":"main","index":0}]]}}}"#;
    let before = Workflow::parse(text).unwrap();
    let after = try_apply(&before, json!([{ "type": "removeNode", "nodeIds": ["2"] }])).unwrap();
    assert_eq!(after.edges().len(), 1);
    let after =
        try_apply(&before, json!([{ "type": "renameNode", "nodeId": "2", "name": "Z" }])).unwrap();
    assert_eq!(after.edges()[0].from, "X");
    let after =
        try_apply(&before, json!([{ "type": "renameNode", "nodeId": "1", "name": "Z" }])).unwrap();
    assert_eq!(after.edges()[0].from, "Z");
}

#[test]
fn a_rename_is_followed_by_connections_data_expressions_and_code() {
    let after = applied(json!([{ "type": "renameNode", "nodeId": "a", "name": "It's new" }]));
    let text = after.to_text();
    assert_eq!(
        at(&after, "connections.Start.main[0][0]"),
        json!({ "node": "It's new", "type": "main", "index": 0, "x-kept": true })
    );
    assert_eq!(at(&after, "connections.Agent.main[1][0].node"), json!("It's new"));
    assert_eq!(after.edges().iter().filter(|edge| edge.from == "It's new").count(), 2);
    assert!(after.pin_data("It's new").is_some() && after.pin_data("Set").is_none());
    assert_eq!(at(&after, "staticData['node:It's new']"), json!({ "seen": 1 }));
    let agent = after.node("Agent").unwrap();
    assert_eq!(
        agent.parameter("text").unwrap().as_str(),
        Some("={{ $('It\\'s new').item.json.a }} and $('Set')")
    );
    assert_eq!(agent.parameter("plain").unwrap().as_str(), Some("$('Set')"));
    assert_eq!(
        agent.parameter("options").unwrap(),
        &json!([{ "deep": "={{ $node[\"It\\'s new\"].json.b + $items('It\\'s new')[0] }}" }])
    );
    let code = after.node("Code").unwrap().parameter("jsCode").unwrap().as_str();
    assert_eq!(code, Some("return $('It\\'s new').all(); // $node[\"It\\'s new\"].json"));
    assert!(text.contains("1.50"), "the pinned number is spelled as before: {text}");
}

#[test]
fn a_rename_onto_an_existing_name_is_refused() {
    refused(
        json!([{ "type": "setName", "name": "x" }, { "type": "renameNode", "nodeId": "a", "name": "Agent" }]),
        1,
        "a",
    );
    refused(
        json!([{ "type": "updateNode", "nodeId": "a", "updates": { "name": "Agent" } }]),
        0,
        "a",
    );
    refused(json!([{ "type": "renameNode", "nodeId": "a", "name": "" }]), 0, "a");
    assert_eq!(
        applied(json!([{ "type": "renameNode", "nodeId": "a", "name": "Set" }])).to_text(),
        workflow().to_text()
    );
}

#[test]
fn added_nodes_get_free_names_and_ids_and_expressions_among_them_follow() {
    let after = applied(json!([{ "type": "addNodes", "nodes": [
        { "id": "a", "name": "Set", "type": "n8n-nodes-base.set", "unknown": null },
        { "name": "Set", "type": "n8n-nodes-base.set" },
        { "id": "own", "name": "Last", "type": "x", "parameters": { "v": "={{ $('Set').first() }}" }, "color": "red" }
    ] }]));
    assert_eq!(names(&after)[5..], ["Set1", "Set2", "Last"]);
    let ids: Vec<_> = after.nodes().skip(5).map(|node| node.id().unwrap()).collect();
    assert_eq!(ids, ["new-1", "new-2", "own"]);
    assert_eq!(at(&after, "nodes[7].color"), json!("red"));
    assert_eq!(
        at(&after, "nodes[5]"),
        json!({ "id": "new-1", "name": "Set1", "type": "n8n-nodes-base.set", "unknown": null, "typeVersion": 1, "position": [0, 0], "parameters": {} })
    );
    assert!(at(&after, "nodes[7].parameters.v").as_str().unwrap().contains("$('Set2')"));
    let numbered =
        try_apply(&after, json!([{ "type": "addNodes", "nodes": [{ "name": "Set2", "type": "x" }, { "name": "Set", "type": "x" }] }]))
            .unwrap();
    assert_eq!(names(&numbered)[8..], ["Set3", "Set4"]);
}

#[test]
fn a_generator_that_repeats_itself_is_an_error_and_no_endless_loop() {
    let node = heddle_model::from_value(
        &json!([{ "type": "addNodes", "nodes": [{ "name": "X", "type": "x" }] }]),
    )
    .unwrap();
    let operations: Vec<Operation> = node;
    assert!(apply(&workflow(), &operations, &mut || "a".into()).is_err());
}

#[test]
fn updates_replace_fields_and_null_takes_one_out() {
    let after = applied(
        json!([{ "type": "updateNode", "nodeId": "a", "updates": { "parameters": { "p": 1 }, "disabled": true, "x-new": [1], "position": null, "name": "Renamed" } }]),
    );
    let node = after.node("Renamed").unwrap();
    assert!(node.is_disabled());
    assert_eq!(node.parameter("p"), Some(&json!(1)));
    assert_eq!(node.fields().get("x-ours"), Some(&json!({ "n": 1 })));
    assert_eq!(node.fields().get("position"), None);
    assert_eq!(after.edges().iter().filter(|edge| edge.from == "Renamed").count(), 2);
}

#[test]
fn updates_of_the_wrong_type_are_refused() {
    for (field, value) in [
        ("parameters", json!([])),
        ("type", json!(3)),
        ("name", json!(null)),
        ("disabled", json!("yes")),
        ("id", json!("other")),
    ] {
        let updates = Value::object([(field, value)].into_iter().collect());
        refused(
            json!([{ "type": "updateNode", "nodeId": "a", "updates": heddle_model::json::serde_json::to_value(&updates).unwrap() }]),
            0,
            "a",
        );
    }
    refused(json!([{ "type": "addNodes", "nodes": [{ "name": "X" }] }]), 0, "X");
    refused(json!([{ "type": "addNodes", "nodes": [{ "type": "x" }] }]), 0, "");
}

#[test]
fn merged_connections_are_deduplicated_and_keep_their_fields() {
    let merge = json!([{ "type": "mergeConnections", "connections": {
        "Start": { "main": [[{ "node": "Set", "type": "main", "index": 0 }, { "node": "Code", "type": "main", "index": 0, "x-new": 1 }, { "node": "Code", "index": 0 }]] },
        "Model": { "model": [[{ "node": "Agent", "type": "model", "index": 0 }]] },
        "c": { "main": [null, [{ "node": "b", "type": "main", "index": 0 }]] }
    } }]);
    let after = applied(merge.clone());
    assert_eq!(
        at(&after, "connections.Start.main"),
        json!([[{ "node": "Set", "type": "main", "index": 0, "x-kept": true }, { "node": "Code", "type": "main", "index": 0, "x-new": 1 }]])
    );
    assert_eq!(at(&after, "connections.Model.ai_languageModel[0]").as_array().unwrap().len(), 1);
    assert_eq!(
        at(&after, "connections.Code"),
        json!({ "main": [[], [{ "node": "Agent", "type": "main", "index": 0 }]] })
    );
    assert_eq!(try_apply(&after, merge).unwrap().to_text(), after.to_text());
}

#[test]
fn connections_can_be_replaced_and_removed() {
    let one = json!({ "Start": { "main": [[{ "node": "Code", "type": "main", "index": 0 }]] } });
    let set = json!([{ "type": "setConnections", "connections": { "Start": { "main": [[{ "node": "Code", "type": "main", "index": 0 }]] } } }]);
    assert_eq!(at(&applied(set), "connections"), one);
    let gone = json!([{ "type": "removeConnections", "connections": { "Agent": { "main": [null, null, [{ "node": "Code", "type": "main", "index": 0 }]] }, "Start": { "main": [[{ "node": "Set" }]] } } }]);
    let after = applied(gone);
    assert_eq!(
        at(&after, "connections.Agent"),
        json!({ "main": [[], [{ "node": "Set", "type": "main", "index": 0 }]] })
    );
    assert_eq!(at(&after, "connections.Start"), Value::Undefined);
}

#[test]
fn connections_that_cannot_be_are_refused() {
    let merge = |from: &str, kind: &str, target: Value| {
        let target = heddle_model::json::serde_json::to_value(&target).unwrap();
        json!([{ "type": "mergeConnections", "connections": { from: { kind: [[target]] } } }])
    };
    refused(merge("Gone", "main", json!({ "node": "Set" })), 0, "Gone");
    refused(merge("Set", "main", json!({ "node": "Gone" })), 0, "Gone");
    refused(merge("Set", "ai_nonsense", json!({ "node": "Code" })), 0, "Set");
    for target in [
        json!(1),
        json!({}),
        json!({ "node": "Code", "index": -1 }),
        json!({ "node": "Code", "index": 1e9 }),
        json!({ "node": "Code", "type": 1 }),
    ] {
        refused(merge("Set", "main", target), 0, "Set");
    }
    refused(json!([{ "type": "setConnections", "connections": { "Set": [] } }]), 0, "Set");
}

#[test]
fn clearing_keeps_settings_and_fields_we_do_not_know() {
    let after = applied(json!([{ "type": "clear" }]));
    assert_eq!((names(&after).len(), after.edges().len(), after.name()), (0, 0, ""));
    assert!(after.to_text().contains("12345678901234567890"));
    assert_eq!(at(&after, "pinData"), json!({}));
}

#[test]
fn all_or_nothing() {
    let before = workflow();
    let text = before.to_text();
    let error = try_apply(
        &before,
        json!([{ "type": "clear" }, { "type": "removeNode", "nodeIds": ["a"] }]),
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "operation 1 (removeNode) cannot be applied: node 'a' does not exist"
    );
    assert_eq!(before.to_text(), text);
}

#[test]
fn nodes_without_an_id_are_found_by_name_and_shared_ids_are_refused() {
    let before = Workflow::parse(
        r#"{"nodes":[{"name":"Old","type":"x"},{"id":"1","name":"A"},{"id":"1","name":"B"}]}"#,
    )
    .unwrap();
    assert!(try_apply(&before, json!([{ "type": "removeNode", "nodeIds": ["Old"] }])).is_ok());
    assert!(try_apply(&before, json!([{ "type": "removeNode", "nodeIds": ["1"] }])).is_err());
    assert!(try_apply(&before, json!([{ "type": "removeNode", "nodeIds": ["A"] }])).is_err());
}

#[test]
fn numbers_are_spelled_as_before_wherever_their_node_went() {
    let text = applied(json!([{ "type": "removeNode", "nodeIds": ["t"] }])).to_text();
    for spelled in ["3.40", "\"n\": 1.0", "98765432109876543210", "12345678901234567890"] {
        assert!(text.contains(spelled), "{spelled} in {text}");
    }
}

#[test]
fn undo_gives_the_same_bytes_and_redo_leads_back() {
    let mut history = UndoHistory::new(workflow());
    let mut texts = vec![history.workflow().to_text()];
    let turns = json!([
        [{ "type": "renameNode", "nodeId": "a", "name": "Other" }, { "type": "removeNode", "nodeIds": ["c"] }],
        [{ "type": "addNodes", "nodes": [{ "name": "Other", "type": "x" }] }],
        [{ "type": "clear" }]
    ]);
    for turn in turns.as_array().unwrap() {
        let operations: Vec<Operation> = heddle_model::from_value(turn).unwrap();
        history.apply(&operations, &mut || "fresh".into()).unwrap();
        texts.push(history.workflow().to_text());
    }
    for text in texts.iter().rev().skip(1) {
        assert!(history.undo());
        assert_eq!(&history.workflow().to_text(), text);
    }
    assert!(!history.undo());
    for text in &texts[1..] {
        assert!(history.redo());
        assert_eq!(&history.workflow().to_text(), text);
    }
    assert!(!history.redo());
}

#[test]
fn operations_have_the_builders_json_form() {
    let forms = json!([
        { "type": "clear" },
        { "type": "removeNode", "nodeIds": ["a"] },
        { "type": "addNodes", "nodes": [{ "name": "X" }] },
        { "type": "updateNode", "nodeId": "a", "updates": { "parameters": {} } },
        { "type": "renameNode", "nodeId": "a", "name": "B" },
        { "type": "setConnections", "connections": {} },
        { "type": "mergeConnections", "connections": {} },
        { "type": "removeConnections", "connections": {} },
        { "type": "setName", "name": "N" }
    ]);
    let operations: Vec<Operation> = heddle_model::from_value(&forms).unwrap();
    assert_eq!(heddle_model::to_value(&operations).unwrap(), forms);
    for operation in &operations {
        assert_eq!(
            heddle_model::to_value(operation).unwrap().get("type").unwrap().as_str(),
            Some(operation.name())
        );
    }
}

#[test]
fn ten_thousand_operations_take_no_squared_time() {
    let add = |_| Operation::AddNodes {
        nodes: vec![[("name", "Same"), ("type", "x")].into_iter().collect()],
    };
    let operations: Vec<Operation> = (0..10_000).map(add).collect();
    let mut count = 0;
    let after = apply(&Workflow::default(), &operations, &mut || {
        count += 1;
        format!("id{count}").into()
    })
    .unwrap();
    assert_eq!(after.nodes().last().unwrap().name(), "Same9999");
}
