//! Random operations on a sound workflow leave a sound workflow, or none at all.

use heddle_model::{Object, Operation, Str, Value, Workflow, apply, json};
use proptest::prelude::*;
use std::collections::HashSet;

const NAMES: &[&str] = &["A", "B", "B1", "it's", "a\"b", "C}}", "ü", "node:x", "$('A')"];

fn any_name() -> impl Strategy<Value = Str> {
    prop_oneof![4 => proptest::sample::select(NAMES).prop_map(Str::from), 1 => "\\PC{0,6}".prop_map(Str::from)]
}

fn any_id() -> impl Strategy<Value = Str> {
    (0..8_u8).prop_map(|id| format!("id{id}").into())
}

fn any_json() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        Just(json!(true)),
        Just(json!(-1)),
        Just(json!(1e9)),
        Just(json!([[]])),
        Just(json!({ "main": [[{ "node": "A" }]] })),
        any_name().prop_map(|name| Value::from(format!("={{{{ $('{name}').item }}}}"))),
    ]
}

fn any_node() -> impl Strategy<Value = Object> {
    (any_id(), any_name(), any_json(), any::<bool>()).prop_map(|(id, name, value, is_plain)| {
        let mut node: Object =
            [("id", Value::from(id)), ("name", name.into()), ("type", "x".into())]
                .into_iter()
                .collect();
        node.insert("x-kept", "kept");
        node.insert("parameters", Object::from_iter([("p", value.clone())]));
        if !is_plain {
            node.insert("position", value);
        }
        node
    })
}

fn any_connections() -> impl Strategy<Value = Object> {
    let target = prop_oneof![
        9 => (any_name(), 0..3_usize).prop_map(|(node, index)| json!({ "node": node.as_str(), "type": "main", "index": index, "x-kept": 1 })),
        1 => any_json(),
    ];
    let kind = proptest::sample::select(&["main", "ai_tool", "tool", "nonsense"][..3]);
    let lists = proptest::collection::vec(
        proptest::collection::vec(target, 0..3).prop_map(Value::from),
        0..3,
    );
    proptest::collection::vec((any_name(), kind, lists), 0..3).prop_map(|all| {
        let mut connections = Object::new();
        for (from, kind, lists) in all {
            connections.entry(&from).make_object().insert(kind, lists);
        }
        connections
    })
}

fn any_operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        1 => Just(Operation::Clear {}),
        3 => proptest::collection::vec(any_id(), 0..3).prop_map(|node_ids| Operation::RemoveNode { node_ids }),
        6 => proptest::collection::vec(any_node(), 0..4).prop_map(|nodes| Operation::AddNodes { nodes }),
        3 => (any_id(), any_node()).prop_map(|(node_id, mut updates)| {
            updates.remove("id");
            Operation::UpdateNode { node_id, updates }
        }),
        3 => (any_id(), any_name()).prop_map(|(node_id, name)| Operation::RenameNode { node_id, name }),
        1 => any_connections().prop_map(|connections| Operation::SetConnections { connections }),
        4 => any_connections().prop_map(|connections| Operation::MergeConnections { connections }),
        2 => any_connections().prop_map(|connections| Operation::RemoveConnections { connections }),
        1 => any_name().prop_map(|name| Operation::SetName { name }),
    ]
}

fn check_sound(workflow: &Workflow) -> Result<(), TestCaseError> {
    let names: Vec<&str> = workflow.nodes().map(|node| node.name()).collect();
    let distinct: HashSet<&str> = names.iter().copied().collect();
    prop_assert_eq!(distinct.len(), names.len(), "names are unique: {:?}", names);
    let ids: HashSet<_> = workflow.nodes().map(|node| node.id().map(str::to_owned)).collect();
    prop_assert_eq!(ids.len(), names.len(), "ids are unique");
    let edges = workflow.edges();
    for edge in &edges {
        prop_assert!(
            distinct.contains(edge.from.as_str()) && distinct.contains(edge.to.as_str()),
            "{:?} leads nowhere",
            edge
        );
    }
    prop_assert_eq!(
        edges.iter().collect::<HashSet<_>>().len(),
        edges.len(),
        "no connection is there twice"
    );
    for node in workflow.nodes() {
        prop_assert_eq!(node.fields().get("x-kept"), Some(&json!("kept")));
    }
    prop_assert_eq!(workflow.doc().get("unknown"), Some(&json!({ "n": 1 })));
    let text = workflow.to_text();
    prop_assert!(text.contains("12345678901234567890"));
    prop_assert_eq!(Workflow::parse(&text).unwrap().to_text(), text);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn random_operations_keep_a_workflow_sound(turns in proptest::collection::vec(proptest::collection::vec(any_operation(), 1..4), 1..12)) {
        let mut workflow = Workflow::parse(r#"{"unknown":{"n":1},"big":12345678901234567890,"nodes":[],"connections":{}}"#).unwrap();
        let mut count = 0;
        for operations in turns {
            let before = workflow.to_text();
            let mut new_id = || {
                count += 1;
                Str::from(format!("new{count}"))
            };
            let outcome = apply(&workflow, &operations, &mut new_id);
            prop_assert_eq!(workflow.to_text(), before, "the input is never changed");
            match outcome {
                Ok(next) => {
                    check_sound(&next)?;
                    workflow = next;
                }
                Err(error) => {
                    prop_assert!(error.index < operations.len());
                    // Up to the failing one they can be applied; all or nothing was the failing
                    // one's doing.
                    prop_assert!(apply(&workflow, &operations[..error.index], &mut new_id).is_ok());
                }
            }
        }
    }

    #[test]
    fn operations_never_panic_on_a_document_of_any_form(
        nodes in any_json(), connections in any_json(), pinned in any_json(), operations in proptest::collection::vec(any_operation(), 1..6),
    ) {
        let mut doc = Object::new();
        doc.insert("nodes", Value::array(vec![nodes.clone(), json!({ "id": "id1", "name": 3 }), json!({ "id": "id2", "name": "A", "parameters": [] })]));
        doc.insert("connections", connections);
        doc.insert("pinData", pinned);
        let workflow = Workflow::from_value(&Value::object(doc)).unwrap();
        let _ = apply(&workflow, &operations, &mut || "same".into());
        let confused = Workflow::from_value(&Value::object([("nodes", nodes)].into_iter().collect())).unwrap();
        let _ = apply(&confused, &operations, &mut || "same".into());
    }
}
