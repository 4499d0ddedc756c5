//! What a run did: its outline, items by the page, their fields.

use super::{EditorHarness, code, row, text};
use model::{Value, json};

#[tokio::test]
async fn items_come_by_the_page_and_can_be_searched() {
    let editor = EditorHarness::new().await;
    let make = "return Array.from({ length: 120 }, (_, n) => ({ json: { n, word: n % 10 === 3 ? 'Needle' : 'hay' } }))";
    let workflow = row(&[
        ("Start", "manualTrigger", json!({})),
        ("Many", "code@2", code(make)),
        ("After", "noOp", json!({})),
    ]);
    let outline = editor.ran(&json!({ "workflow": (workflow) })).await;
    let many = outline.get("nodes").and_then(|nodes| nodes.get("Many")?.at(0).cloned()).unwrap();
    assert_eq!(many.get("outputs"), Some(&json!([{ "kind": "main", "index": 0, "items": 120 }])));
    assert!(!model::json::to_string(&outline).contains("Needle"), "an outline has no items");
    let path = format!("/executions/{}/items?node=Many", text(&outline, "id"));
    let page = async |more: &str| {
        let reply = editor.get(&format!("{path}{more}")).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        let found = reply.json();
        let numbers = found.get("items").and_then(Value::as_array).unwrap().iter();
        let numbers: Vec<usize> = numbers
            .map(|item| item.get("json").and_then(|json| json.get("n")?.as_usize()).unwrap())
            .collect();
        (found.get("total").and_then(Value::as_usize).unwrap(), numbers)
    };
    assert_eq!(page("").await, (120, (0..50).collect()));
    assert_eq!(page("&offset=110&limit=250").await, (120, (110..120).collect()));
    assert_eq!(page("&offset=500").await, (120, Vec::new()));
    assert_eq!(page("&search=needle&offset=2&limit=3").await, (12, vec![23, 33, 43]));
    assert_eq!(page("&search=nothing").await, (0, Vec::new()));
    let input = editor
        .get(&format!(
            "/executions/{}/items?node=After&direction=input&limit=1",
            text(&outline, "id")
        ))
        .await;
    assert_eq!(input.json().get("total").and_then(Value::as_usize), Some(120));
}

#[tokio::test]
async fn a_large_item_is_shown_by_its_beginning_and_files_by_their_address() {
    let editor = EditorHarness::new().await;
    let make = "return [{ json: { long: 'x'.repeat(300000) }, binary: {
        small: { data: 'aGVsbG8=', mimeType: 'text/plain', fileName: 'a.txt' },
        large: { data: 'QUFB'.repeat(10000), mimeType: 'application/pdf', fileName: 'b.pdf' } } }]";
    let workflow = row(&[("Start", "manualTrigger", json!({})), ("Make", "code@2", code(make))]);
    let outline = editor.ran(&json!({ "workflow": (workflow) })).await;
    let reply = editor.get(&format!("/executions/{}/items?node=Make", text(&outline, "id"))).await;
    assert!(reply.body.len() < 20_000, "{}", reply.body.len());
    let item = reply.json().get("items").and_then(|items| items.at(0).cloned()).unwrap();
    assert!(item.get("json").is_none() && text(&item, "preview").starts_with(r#"{"long":"xxx"#));
    assert_eq!(item.get("bytes").and_then(Value::as_usize), Some(300_011));
    let file = |name: &str| item.get("binary").and_then(|files| files.get(name).cloned()).unwrap();
    assert_eq!(text(&file("small"), "url"), "data:text/plain;base64,aGVsbG8=");
    let large = file("large");
    assert_eq!((text(&large, "fileName"), text(&large, "fileSize")), ("b.pdf", "30 kB"));
    let bytes = editor.app.call("GET", text(&large, "url")).key(&editor.key).send().await;
    assert_eq!((bytes.status, bytes.body.len()), (200, 30_000));
}

#[tokio::test]
async fn the_fields_of_items_are_told_with_samples() {
    let editor = EditorHarness::new().await;
    let make = "return [{ json: { a: null, tags: ['x'] } }, { json: { a: { b: 1.5 } } }]";
    let outline = editor.ran(&json!({ "workflow": (row(&[("Start", "manualTrigger", json!({})), ("Make", "code@2", code(make))])) })).await;
    let reply =
        editor.get(&format!("/executions/{}/schema?node=Make", text(&outline, "id"))).await.json();
    let expected = json!([
        { "path": ["a"], "type": "object", "sample": null },
        { "path": ["tags"], "type": "array", "sample": null },
        { "path": ["tags", "0"], "type": "string", "sample": "x" },
        { "path": ["a", "b"], "type": "number", "sample": 1.5 },
    ]);
    assert_eq!(reply.get("fields"), Some(&expected));
}

#[tokio::test]
async fn what_is_not_there_is_told_as_such() {
    let editor = EditorHarness::new().await;
    let outline =
        editor.ran(&json!({ "workflow": (row(&[("Start", "manualTrigger", json!({}))])) })).await;
    let id = text(&outline, "id");
    for (path, status) in [
        (format!("/executions/{id}/items"), 400),
        (format!("/executions/{id}/items?node=Nobody"), 404),
        (format!("/executions/{id}/items?node=Start&run=7"), 404),
        (format!("/executions/{id}/items?node=Start&run=-1"), 400),
        (format!("/executions/{id}/items?node=Start&output=x"), 400),
        (format!("/executions/{id}/items?node=Start&kind=odd"), 400),
        (format!("/executions/{id}/items?node=Start&direction=up"), 400),
        (format!("/executions/{id}/items?node=Start&limit=251"), 400),
        (format!("/executions/{id}/items?node=Start&output=9"), 200),
        (format!("/executions/{id}/schema?node=Nobody"), 404),
        ("/executions/999/outline".to_owned(), 404),
        ("/executions/x/document".to_owned(), 404),
        ("/executions/999/items?node=Start".to_owned(), 404),
    ] {
        let reply = editor.get(&path).await;
        assert_eq!(reply.status, status, "{path}: {}", reply.body);
    }
    editor.app.user("e@x.y", store::users::UserRole::Editor).await;
    let key = editor.app.key("e@x.y", &["*"]).await;
    for what in ["outline", "document", "items?node=Start", "schema?node=Start"] {
        let reply = editor
            .app
            .call("GET", &format!("/api/v1/executions/{id}/{what}"))
            .key(&key)
            .send()
            .await;
        assert_eq!(reply.status, 404, "{what} of somebody else's project");
    }
}
