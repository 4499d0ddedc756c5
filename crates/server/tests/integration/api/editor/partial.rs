//! Partial runs: results of an earlier run are taken over where they still hold, and are there
//! again after the run has slept.

use super::{EditorHarness, code, dice, order, row, text};
use model::{Value, json};

/// Start → Dice → Add → End, of which Dice gives something else each time.
fn line(add: &str) -> Value {
    row(&[
        ("Start", "manualTrigger", json!({})),
        ("Dice", "code@2", dice()),
        ("Add", "code@2", code(add)),
        ("End", "noOp", json!({})),
    ])
}

const ADD: &str = "return [{ json: { ...$input.first().json, added: true } }]";

#[tokio::test]
async fn only_what_has_changed_runs_again() {
    let editor = EditorHarness::new().await;
    let first = editor.ran(&json!({ "workflow": (line(ADD)) })).await;
    let id = text(&first, "id").to_owned();
    let thrown = editor.first(&first, "Dice").await;

    let again = editor
        .ran(&json!({ "workflow": (line(ADD)), "until": "End", "reuse": (id.as_str()) }))
        .await;
    assert_eq!(order(&again), ["Start*", "Dice*", "Add*", "End"]);
    assert_eq!(editor.first(&again, "Dice").await, thrown);
    let reused =
        again.get("nodes").and_then(|nodes| nodes.get("Dice")?.at(0)?.get("reused").cloned());
    assert_eq!(reused, Some(id.as_str().into()));

    let changed = editor.ran(&json!({ "workflow": (line("return [{ json: { other: 1 } }]")), "reuse": (id.as_str()) })).await;
    assert_eq!(order(&changed), ["Start*", "Dice*", "Add", "End"]);
    assert_eq!(editor.first(&changed, "End").await, json!({ "other": 1 }));

    let from = editor
        .ran(&json!({ "workflow": (line(ADD)), "start": "Dice", "reuse": (id.as_str()) }))
        .await;
    assert_eq!(order(&from), ["Start*", "Dice", "Add", "End"]);
    assert_ne!(editor.first(&from, "Dice").await, thrown);

    // What was taken over keeps its origin, however often it is.
    let twice = editor
        .ran(&json!({ "workflow": (line(ADD)), "until": "Add", "reuse": (text(&again, "id")) }))
        .await;
    assert_eq!(order(&twice), ["Start*", "Dice*", "Add"]);
    let reused =
        twice.get("nodes").and_then(|nodes| nodes.get("Dice")?.at(0)?.get("reused").cloned());
    assert_eq!(reused, Some(id.as_str().into()));
}

#[tokio::test]
async fn a_result_holds_only_while_nothing_before_it_has_changed() {
    let editor = EditorHarness::new().await;
    let first = editor.ran(&json!({ "workflow": (line(ADD)) })).await;
    let id = text(&first, "id").to_owned();
    let node = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut workflow = line(ADD);
        change(workflow.make_object().entry("nodes").make_array());
        workflow
    };
    let moved = node(&|nodes| drop(nodes[1].make_object().insert("position", json!([7, 9]))));
    let disabled = node(&|nodes| drop(nodes[1].make_object().insert("disabled", true)));
    let once = node(&|nodes| drop(nodes[2].make_object().insert("executeOnce", true)));
    let mut pinned = line(ADD);
    pinned.make_object().insert("pinData", json!({ "Dice": [{ "json": { "thrown": "six" } }] }));
    let mut zone = line(ADD);
    zone.make_object()
        .insert("settings", json!({ "executionOrder": "v1", "timezone": "Asia/Tokyo" }));
    for (workflow, expected) in [
        (moved, ["Start*", "Dice*", "Add*", "End"]),
        (disabled, ["Start*", "Dice", "Add", "End"]),
        (once, ["Start*", "Dice*", "Add", "End"]),
        (pinned, ["Start*", "Dice", "Add", "End"]),
        (zone, ["Start", "Dice", "Add", "End"]),
    ] {
        let run = editor
            .ran(&json!({ "workflow": (workflow), "until": "End", "reuse": (id.as_str()) }))
            .await;
        assert_eq!(order(&run), expected);
    }
}

#[tokio::test]
async fn a_failed_step_is_taken_again_and_those_before_it_are_not() {
    let editor = EditorHarness::new().await;
    let failed = editor.ran(&json!({ "workflow": (line("throw new Error('no')")) })).await;
    assert_eq!(text(&failed, "status"), "error");
    assert_eq!(
        failed.get("error").and_then(|error| error.get("node").cloned()),
        Some("Add".into())
    );
    let mended =
        editor.ran(&json!({ "workflow": (line(ADD)), "reuse": (text(&failed, "id")) })).await;
    assert_eq!(
        (text(&mended, "status"), order(&mended)),
        ("success", vec!["Start*".into(), "Dice*".into(), "Add".into(), "End".into()])
    );
}

/// Start leads to Left and Right, which meet in Meet.
fn diamond(right: &str) -> Value {
    let node = |name: &str, kind: &str, version: f64, parameters: Value, at: [i32; 2]| json!({ "name": (name), "type": (format!("n8n-nodes-base.{kind}")), "typeVersion": (version), "position": [(at[0]), (at[1])], "parameters": (parameters) });
    let to = |node: &str, index: i32| json!({ "node": (node), "type": "main", "index": (index) });
    json!({
        "nodes": [
            (node("Start", "manualTrigger", 1.0, json!({}), [0, 0])),
            (node("Left", "code", 2.0, dice(), [200, 0])),
            (node("Right", "code", 2.0, code(right), [200, 200])),
            (node("Meet", "merge", 3.0, json!({ "mode": "append" }), [400, 100])),
            (node("End", "noOp", 1.0, json!({}), [600, 100])),
        ],
        "connections": {
            "Start": { "main": [[(to("Left", 0)), (to("Right", 0))]] },
            "Left": { "main": [[(to("Meet", 0))]] },
            "Right": { "main": [[(to("Meet", 1))]] },
            "Meet": { "main": [[(to("End", 0))]] },
        },
        "settings": { "executionOrder": "v1" }
    })
}

#[tokio::test]
async fn branches_that_meet_are_fed_by_old_and_new_results_alike() {
    let editor = EditorHarness::new().await;
    let first =
        editor.ran(&json!({ "workflow": (diamond("return [{json: {side: 'right'}}]")) })).await;
    let thrown = editor.first(&first, "Left").await;
    let changed = json!({ "workflow": (diamond("return [{json: {side: 'other'}}]")), "reuse": (text(&first, "id")) });
    let run = editor.ran(&changed).await;
    assert_eq!(order(&run), ["Start*", "Left*", "Right", "Meet", "End"]);
    let items =
        editor.get(&format!("/executions/{}/items?node=Meet", text(&run, "id"))).await.json();
    let all: Vec<Value> = items
        .get("items")
        .and_then(Value::as_array)
        .unwrap()
        .iter()
        .map(|item| item.get("json").cloned().unwrap())
        .collect();
    assert_eq!(all, [thrown, json!({ "side": "other" })]);
    let from = json!({ "workflow": (diamond("return [{json: {side: 'right'}}]")), "start": "Right", "reuse": (text(&first, "id")) });
    assert_eq!(order(&editor.ran(&from).await), ["Start*", "Left*", "Right", "Meet", "End"]);
}

#[tokio::test]
async fn a_partial_run_that_slept_goes_on_with_what_it_had_taken_over() {
    let editor = EditorHarness::new().await;
    let nodes = |until: &str| {
        row(&[
            ("Start", "manualTrigger", json!({})),
            ("Dice", "code@2", dice()),
            ("Wait", "wait@1.1", json!({ "resume": "timeInterval", "amount": 5, "unit": until })),
            ("One", "noOp", json!({})),
            ("Two", "noOp", json!({})),
        ])
    };
    let first = editor.ran(&json!({ "workflow": (nodes("minutes")), "until": "Dice" })).await;
    let thrown = editor.first(&first, "Dice").await;
    let asleep = editor.ran(&json!({ "workflow": (nodes("minutes")), "until": "One", "reuse": (text(&first, "id")) })).await;
    assert_eq!(text(&asleep, "status"), "waiting");
    let id = text(&asleep, "id").to_owned();
    // Waking reads the run from its journal, as the start of another process does.
    let row = editor.app.runtime.store.execution(id.parse().unwrap()).await.unwrap().unwrap();
    editor.app.runtime.wake(&row).await.unwrap();
    let ended = editor.outline(&id).await;
    assert_eq!(
        order(&ended),
        ["Start*", "Dice*", "Wait", "One"],
        "it still ends where it was to end"
    );
    assert_eq!(editor.first(&ended, "One").await, thrown);
}

#[tokio::test]
async fn steps_of_a_loop_are_taken_over_one_by_one() {
    let editor = EditorHarness::new().await;
    let workflow = |end: &str| {
        let node = |name: &str, kind: &str, version: f64, parameters: Value| json!({ "name": (name), "type": (format!("n8n-nodes-base.{kind}")), "typeVersion": (version), "position": [0, 0], "parameters": (parameters) });
        let to = |node: &str| json!({ "node": (node), "type": "main", "index": 0 });
        json!({
            "nodes": [
                (node("Start", "manualTrigger", 1.0, json!({}))),
                (node("List", "code", 2.0, code("return [1, 2, 3].map(n => ({ json: { n } }))"))),
                (node("Loop", "splitInBatches", 3.0, json!({ "batchSize": 1, "options": {} }))),
                (node("Dice", "code", 2.0, dice())),
                (node("End", "code", 2.0, code(end))),
            ],
            "connections": {
                "Start": { "main": [[(to("List"))]] },
                "List": { "main": [[(to("Loop"))]] },
                "Loop": { "main": [[(to("End"))], [(to("Dice"))]] },
                "Dice": { "main": [[(to("Loop"))]] },
            },
            "settings": { "executionOrder": "v1" }
        })
    };
    let first = editor.ran(&json!({ "workflow": (workflow("return $input.all()")) })).await;
    let again = editor.ran(&json!({ "workflow": (workflow("return $input.all().reverse()")), "reuse": (text(&first, "id")) })).await;
    let names = order(&again);
    assert_eq!(names.iter().filter(|name| *name == "Dice*").count(), 3, "{names:?}");
    assert_eq!(names.iter().filter(|name| *name == "Loop*").count(), 4, "{names:?}");
    assert_eq!(names.last().map(String::as_str), Some("End"));
    let throws = |id: &Value| format!("/executions/{}/items?node=End", text(id, "id"));
    let list = |reply: Value| {
        reply
            .get("items")
            .and_then(Value::as_array)
            .unwrap()
            .iter()
            .map(|item| item.get("json").cloned().unwrap())
            .collect::<Vec<_>>()
    };
    let (mut before, after) = (
        list(editor.get(&throws(&first)).await.json()),
        list(editor.get(&throws(&again)).await.json()),
    );
    before.reverse();
    assert_eq!(before, after);
}
