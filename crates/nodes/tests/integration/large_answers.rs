//! HTTP Request and large answers: what they become is bounded, and much of it does not change the
//! order of the items. The limit is one for the process, so each test has its own.

use model::{OnError, PairedItem, Pairs};
use node_api::prelude::*;
use node_api::{Ctx, NodeInfo};
use node_testing::TestHost;
use providers::http::RecordedHttp;

/// What one item may become in this process.
const LARGEST: usize = 4 << 20;

fn answer(path: &str, body: Value) -> Value {
    let mut entry = Object::from_iter([
        ("method", Value::from("GET")),
        ("baseUrl", format!("https://api.test/{path}").into()),
    ]);
    entry.insert("status", 200);
    entry.insert("times", "any");
    entry.insert("query", true);
    entry.insert("responseHeaders", json!({ "content-type": "application/json" }));
    entry.insert("responseBody", body);
    entry.into()
}

async fn run(
    version: f64,
    params: Value,
    answers: Vec<Value>,
    n_items: usize,
) -> Result<Items, NodeError> {
    compute::limit_intake(64 << 20, LARGEST);
    let registry = heddle_nodes::registry();
    let node = registry.find("n8n-nodes-base.httpRequest", version).unwrap();
    let mut host = TestHost::new(&node.spec, version, &params);
    host.http = Box::new(RecordedHttp::from_value(&answers.into()).unwrap());
    let info = NodeInfo {
        name: "HTTP".into(),
        type_name: "n8n-nodes-base.httpRequest".into(),
        version,
        on_error: OnError::Stop,
        ..NodeInfo::default()
    };
    let input: Items = (0..n_items).map(|number| Item::new(json!({ "number": number }))).collect();
    let inputs = [Some(input.clone())];
    let ctx = Ctx::new(&info, &inputs, 0, &host);
    Ok(node.run(&ctx, input).await?.remove(0))
}

#[test]
fn issue_14_09_an_answer_of_many_small_lists_is_refused_before_it_is_read() {
    testkit::isolated_async(async {
        let lists = format!("[{}0]", "[0],".repeat(LARGEST / 150));
        for version in [2.0, 4.2] {
            let answers = vec![answer("lists", lists.as_str().into())];
            let error =
                run(version, json!({ "url": "https://api.test/lists", "options": {} }), answers, 1)
                    .await
                    .unwrap_err();
            assert_eq!(error.code(), Code::UPSTREAM_TOO_LARGE, "{version}: {error}");
            assert_eq!(error.message(), "The answer needs more than 4194304 bytes of memory");
        }
        // As a text it is only as large as it is.
        let text = json!({ "url": "https://api.test/lists", "options": { "response": { "response": { "responseFormat": "text" } } } });
        let items = run(4.2, text, vec![answer("lists", lists.as_str().into())], 1).await.unwrap();
        assert_eq!(
            items.first().unwrap().json.get("data").and_then(Value::as_str).map(str::len),
            Some(lists.len())
        );
    });
}

#[test]
fn issue_14_09_an_answer_may_be_larger_if_it_is_a_file() {
    testkit::isolated_async(async {
        let body = "x".repeat(LARGEST + 1);
        let get = async |format: &str, content_type: &str| {
            let params = json!({ "url": "https://api.test/file", "options": { "response": { "response": { "responseFormat": format } } } });
            let mut answer = answer("file", body.as_str().into());
            answer.make_object().insert("responseHeaders", json!({ "content-type": content_type }));
            run(4.2, params, vec![answer], 1).await.map_err(|error| error.code())
        };
        for (format, content_type) in
            [("file", "text/plain"), ("file", "application/json"), ("autodetect", "image/png")]
        {
            let items = get(format, content_type).await.unwrap();
            assert_eq!(
                items.first().unwrap().binary("data").unwrap().data.len(),
                body.len(),
                "{format} {content_type}"
            );
        }
        for (format, content_type) in
            [("text", "image/png"), ("json", "application/json"), ("autodetect", "text/plain")]
        {
            assert_eq!(
                get(format, content_type).await.unwrap_err(),
                Code::UPSTREAM_TOO_LARGE,
                "{format} {content_type}"
            );
        }
    });
}

#[test]
fn issue_14_09_large_and_small_answers_stay_in_the_order_of_the_items() {
    testkit::isolated_async(async {
        let large: Vec<Value> = (0..1000)
            .map(|number| json!({ "number": number, "text": ("x".repeat(100)) }))
            .collect();
        for version in [1.0, 4.2] {
            let params =
                json!({ "url": "https://api.test/large", "options": { "splitIntoItems": true } });
            let items =
                run(version, params, vec![answer("large", large.clone().into())], 3).await.unwrap();
            assert_eq!(items.len(), 3000, "{version}");
            for (index, item) in items.iter().enumerate() {
                assert_eq!(item.json.get("number").and_then(Value::as_usize), Some(index % 1000));
                assert_eq!(
                    item.paired,
                    Pairs::One(PairedItem { item: (index / 1000) as u32, input: 0, source: None })
                );
            }
        }
    });
}
