//! The descriptions of nodes: all of them at once, kept by the browser until they change, and a
//! page for each.

use crate::app::TestApp;
use model::Value;

#[tokio::test]
async fn every_node_is_described_and_a_browser_keeps_the_descriptions() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let first = app.call("GET", "/api/v1/node-types").key(&key).send().await;
    assert_eq!((first.status, first.header("content-encoding")), (200, None));
    let all = first.json();
    let all = all.as_array().unwrap();
    assert_eq!(all.len(), nodes::registry().all().len());
    let limit = all
        .iter()
        .find(|entry| entry.get("id").and_then(Value::as_str) == Some("n8n-nodes-base.limit"))
        .unwrap();
    let text = |key: &str| limit.get(key).and_then(Value::as_str);
    assert_eq!(
        (text("name"), text("docs")),
        (Some("Limit"), Some("/node-types/n8n-nodes-base.limit/docs"))
    );
    assert_eq!(limit.get("canBeTool").and_then(Value::as_bool), Some(true));
    let tool = limit.get("asTool").and_then(|form| form.get("id")).and_then(Value::as_str);
    assert_eq!(tool, Some("n8n-nodes-base.limitTool"));
    assert!(limit.get("params").and_then(Value::as_array).is_some_and(|params| params.len() == 2));

    let tag = first.header("etag").unwrap().to_owned();
    let again =
        app.call("GET", "/api/v1/node-types").key(&key).header("If-None-Match", &tag).send().await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    let packed = app
        .call("GET", "/api/v1/node-types")
        .key(&key)
        .header("Accept-Encoding", "gzip, br")
        .send()
        .await;
    assert_eq!((packed.status, packed.header("content-encoding")), (200, Some("gzip")));
    let length = |reply: &crate::app::Reply| {
        reply.header("content-length").unwrap().parse::<usize>().unwrap()
    };
    assert!(length(&packed) * 4 < length(&first), "{} of {}", length(&packed), length(&first));
    assert_eq!(app.call("GET", "/api/v1/node-types").send().await.status, 401);
}

#[tokio::test]
async fn a_node_has_a_page_of_all_its_versions_or_of_one() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let page = |path: &str| app.call("GET", &format!("/api/v1/node-types/{path}")).key(&key).send();
    let whole = page("n8n-nodes-base.merge/docs").await;
    assert_eq!(whole.status, 200, "{}", whole.body);
    assert!(whole.text("markdown").starts_with("# Merge\n"));
    let one = page("n8n-nodes-base.merge/docs?version=3.2").await;
    assert!(one.text("markdown").len() < whole.text("markdown").len());
    assert_eq!(page("%40n8n%2Fn8n-nodes-langchain.agent/docs").await.status, 200);
    for (path, status) in [
        ("n8n-nodes-base.merge/docs?version=99", 404),
        ("n8n-nodes-base.nope/docs", 404),
        ("x/docs?version=new", 400),
    ] {
        assert_eq!(page(path).await.status, status, "{path}");
    }
}

#[tokio::test]
async fn credential_types_are_described_and_an_alias_is_stored_as_its_type() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let types = app.call("GET", "/api/v1/credential-types").key(&key).send().await.json();
    let named = |list: &Value, key: &str, name: &str| {
        let is_it = |one: &&Value| one.get(key).and_then(Value::as_str) == Some(name);
        list.as_array().unwrap().iter().find(is_it).cloned().unwrap()
    };
    let openai = named(&types, "id", "openAiApi");
    let text = |value: &Value, key: &str| value.get(key).map(Value::to_js_string).unwrap();
    assert_eq!(
        (text(&openai, "name").as_str(), text(&openai, "group").as_str()),
        ("OpenAI", "Models")
    );
    let field = |name: &str| named(openai.get("fields").unwrap(), "name", name);
    assert_eq!(text(&field("apiKey"), "role"), "secret");
    assert_eq!(text(&field("url"), "role"), "destination");
    assert_eq!(text(&field("allowedDomains"), "advanced"), "true", "every type has it");
    let body = r#"{ "name": "K", "type": "openaiApi", "data": { "apiKey": "k" } }"#;
    let made = app.call("POST", "/api/v1/credentials").key(&key).json(body).send().await.json();
    assert_eq!(text(&made, "type"), "openAiApi");
}
