//! The services behind small fakes that speak their wire formats: what is asked of them, and what
//! is made of their answers.

use super::*;
use crate::http::{EgressPolicy, GuardedHttp};
use crate::models::secret::Secret;
use model::{Object, json};
use node_api::ai::{Reranker as _, ScoredDocument, VectorQuery, VectorStore};
use node_api::http::Http;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// A request as the fake heard it.
#[derive(Clone, Debug)]
struct Heard {
    line: String,
    headers: Vec<String>,
    body: Value,
}

impl Heard {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find_map(|line| {
            line.split_once(": ")
                .filter(|(key, _)| key.eq_ignore_ascii_case(name))
                .map(|(_, value)| value)
        })
    }
}

/// A service that answers each path with what a function says.
struct Fake {
    url: String,
    heard: Arc<Mutex<Vec<Heard>>>,
}

impl Fake {
    fn start(answer: impl Fn(&str, &Value, &str) -> (u16, Value) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let heard: Arc<Mutex<Vec<Heard>>> = Arc::default();
        let (all, own) = (heard.clone(), url.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let mut lines: Vec<String> = Vec::new();
                loop {
                    let mut line = String::new();
                    if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
                        break;
                    }
                    lines.push(line.trim().to_owned());
                }
                let Some(line) = lines.first().cloned() else { continue };
                let length = lines
                    .iter()
                    .find_map(|line| {
                        line.to_lowercase().strip_prefix("content-length: ")?.parse().ok()
                    })
                    .unwrap_or(0);
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                let body =
                    model::json::parse(&String::from_utf8(body).unwrap()).unwrap_or_default();
                let line = line.trim_end_matches(" HTTP/1.1").to_owned();
                let (status, told) = answer(&line, &body, &own);
                all.lock().unwrap().push(Heard { line, headers: lines.split_off(1), body });
                let text = model::json::to_string(&told);
                let mut stream = stream;
                let head = format!(
                    "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                    text.len()
                );
                stream
                    .write_all(head.as_bytes())
                    .and_then(|()| stream.write_all(text.as_bytes()))
                    .unwrap();
            }
        });
        Self { url, heard }
    }

    fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }

    fn lines(&self) -> Vec<String> {
        self.heard().into_iter().map(|heard| heard.line).collect()
    }
}

fn http() -> Arc<dyn Http> {
    Arc::new(GuardedHttp::new(EgressPolicy::parse("127.0.0.1").unwrap()))
}

fn refunds() -> Vec<Document> {
    vec![Document {
        content: "Refunds".into(),
        metadata: json!({ "lang": "en", "loc": { "line": 1 }, "none": null })
            .as_object()
            .cloned()
            .unwrap(),
    }]
}

fn wanted() -> VectorQuery {
    VectorQuery { limit: 2, min_score: None, metadata: Object::from_iter([("lang", "en")]) }
}

#[tokio::test]
async fn qdrant_makes_a_collection_and_finds_what_fits_both_filters() {
    let fake = Fake::start(|line, _, _| match line {
        "GET /collections/my%20docs" => (404, json!({ "status": { "error": "Not found" } })),
        "POST /collections/my%20docs/points/search" => (
            200,
            json!({ "result": [{ "id": "a", "score": 0.9, "payload": { "content": "Refunds", "metadata": { "lang": "en" } } }] }),
        ),
        _ => (200, json!({ "result": true })),
    });
    let mut store =
        Qdrant::new(http(), &format!("{}/", fake.url), &Secret::new("k3y"), "my docs".into());
    store.filter = Some(json!({ "should": [] }));
    let ids = store.insert(refunds(), vec![vec![0.5, 1.0]]).await.unwrap();
    let found = store.search(&[1.0, 0.0], &wanted()).await.unwrap();
    assert_eq!(found[0].document.content, "Refunds");
    assert_eq!(found[0].score, 0.9);
    store.delete(&ids).await.unwrap();
    let heard = fake.heard();
    assert_eq!(heard[1].line, "PUT /collections/my%20docs");
    assert_eq!(heard[1].body, json!({ "vectors": { "size": 2, "distance": "Cosine" } }));
    let point =
        heard[2].body.get_path("points").and_then(|points| points.as_array()).unwrap()[0].clone();
    assert_eq!((point.get("id").unwrap().to_js_string(), ids[0].len()), (ids[0].clone(), 36));
    assert_eq!(point.get_path("payload.content"), Some(&json!("Refunds")));
    let filter = json!({ "must": [{ "key": "metadata.lang", "match": { "value": "en" } }, { "should": [] }] });
    assert_eq!(heard[3].body.get("filter"), Some(&filter));
    assert!(heard.iter().all(|heard| heard.header("api-key") == Some("k3y")));
    assert_eq!(heard[4].line, "POST /collections/my%20docs/points/delete?wait=true");
}

#[tokio::test]
async fn a_service_that_refuses_is_told_in_words_without_its_key() {
    let fake = Fake::start(|_, _, _| (401, json!({ "status": { "error": "Invalid API key" } })));
    let store = Qdrant::new(http(), &fake.url, &Secret::new("canary"), "c".into());
    let error = store.search(&[1.0], &wanted()).await.unwrap_err();
    assert_eq!(error.code(), model::Code::NODE_CREDENTIAL);
    assert!(
        error.message().contains("401: Invalid API key")
            && !format!("{error:?}").contains("canary"),
        "{error:?}"
    );
    let closed = Qdrant::new(
        Arc::new(GuardedHttp::new(EgressPolicy::parse("").unwrap())),
        &fake.url,
        &Secret::new("canary"),
        "c".into(),
    );
    assert_eq!(
        closed.search(&[1.0], &wanted()).await.unwrap_err().code(),
        model::Code::EGRESS_BLOCKED
    );
}

#[tokio::test]
async fn supabase_asks_the_function_of_the_database() {
    let fake = Fake::start(|line, _, _| match line {
        "POST /rest/v1/documents" => (201, json!([{ "id": 7 }])),
        "POST /rest/v1/rpc/match_documents" => (
            200,
            json!([{ "id": 7, "content": "Refunds", "metadata": { "a": 1 }, "similarity": 0.8 }]),
        ),
        "POST /rest/v1/nothing" => (404, json!({})),
        _ => (204, json!(null)),
    });
    let store = |table: &str| {
        Supabase::new(
            http(),
            &fake.url,
            &Secret::new("role"),
            table.into(),
            "match_documents".into(),
        )
    };
    assert_eq!(store("documents").insert(refunds(), vec![vec![0.5]]).await.unwrap(), ["7"]);
    let found = store("documents").search(&[1.0], &wanted()).await.unwrap();
    assert_eq!((found[0].id.as_str(), found[0].score), ("7", 0.8));
    store("documents").update("7", refunds().remove(0), vec![1.0]).await.unwrap();
    store("documents").delete(&["7&x=1".into()]).await.unwrap();
    let error = store("nothing").insert(refunds(), vec![vec![0.5]]).await.unwrap_err();
    assert_eq!(error.message().as_str(), "Table nothing not found");
    let heard = fake.heard();
    assert_eq!(
        (heard[0].header("apikey"), heard[0].header("authorization")),
        (Some("role"), Some("Bearer role"))
    );
    assert_eq!(
        heard[1].body,
        json!({ "query_embedding": [1], "filter": { "lang": "en" }, "match_count": 2 })
    );
    assert_eq!(heard[2].body.as_array().unwrap()[0].get("id"), Some(&json!("7")));
    assert_eq!(heard[3].line, "DELETE /rest/v1/documents?id=eq.7%26x%3D1");
}

#[tokio::test]
async fn pinecone_is_asked_where_its_index_is_and_keeps_flat_metadata() {
    let fake = Fake::start(|line, _, url| match line {
        "GET /indexes/idx" => (200, json!({ "name": "idx", "host": url })),
        "GET /indexes/none" => (404, json!({ "error": { "message": "not found" } })),
        "POST /query" => (
            200,
            json!({ "matches": [{ "id": "a", "score": 0.7, "metadata": { "text": "Refunds", "loc.line": 1 } }] }),
        ),
        _ => (200, json!({})),
    });
    let store = Pinecone::new(http(), &fake.url, &Secret::new("k3y"), "idx".into(), "ns".into());
    store.clear_namespace().await.unwrap();
    store.insert(refunds(), vec![vec![0.5]]).await.unwrap();
    let found = store.search(&[1.0], &wanted()).await.unwrap();
    assert_eq!(
        found[0].document,
        Document { content: "Refunds".into(), metadata: Object::from_iter([("loc.line", 1)]) }
    );
    let missing = Pinecone::new(http(), &fake.url, &Secret::new("k3y"), "none".into(), Str::new());
    assert_eq!(
        missing.search(&[1.0], &wanted()).await.unwrap_err().message().as_str(),
        "Index none not found"
    );
    assert_eq!(
        fake.lines(),
        [
            "GET /indexes/idx",
            "POST /vectors/delete",
            "POST /vectors/upsert",
            "POST /query",
            "GET /indexes/none"
        ]
    );
    let heard = fake.heard();
    assert_eq!(heard[1].body, json!({ "deleteAll": true, "namespace": "ns" }));
    let vector =
        heard[2].body.get("vectors").and_then(|vectors| vectors.as_array()).unwrap()[0].clone();
    assert_eq!(
        vector.get("metadata"),
        Some(&json!({ "lang": "en", "loc.line": 1, "text": "Refunds" }))
    );
    assert_eq!(
        heard[3].body,
        json!({ "vector": [1], "topK": 2, "includeMetadata": true, "filter": { "lang": "en" }, "namespace": "ns" })
    );
    assert_eq!(heard[3].header("api-key"), Some("k3y"));
}

#[tokio::test]
async fn cohere_puts_documents_into_its_order() {
    let fake = Fake::start(|_, _, _| {
        (
            200,
            json!({ "results": [{ "index": 1, "relevance_score": 0.9 }, { "index": 0, "relevance_score": 0.2 }, { "index": 9, "relevance_score": 0.1 }] }),
        )
    });
    let found = |content: &str| ScoredDocument {
        id: content.into(),
        document: Document { content: content.into(), metadata: Object::new() },
        score: 0.5,
    };
    let reranker =
        CohereReranker::new(http(), &fake.url, &Secret::new("k3y"), "rerank-v3.5".into(), 2);
    let ranked = reranker.rerank("why?", vec![found("a"), found("b")]).await.unwrap();
    assert_eq!(
        ranked.iter().map(|found| (found.id.as_str(), found.score)).collect::<Vec<_>>(),
        [("b", 0.9), ("a", 0.2)]
    );
    let heard = fake.heard();
    assert_eq!(heard[0].line, "POST /v2/rerank");
    assert_eq!(
        heard[0].body,
        json!({ "model": "rerank-v3.5", "query": "why?", "documents": ["a", "b"], "top_n": 2 })
    );
}

#[test]
fn parts_of_addresses_stay_parts() {
    assert_eq!(
        (part("a/b?c=../d").as_str(), part("..").as_str(), part("v1.2").as_str()),
        ("a%2Fb%3Fc%3D..%2Fd", "%2E%2E", "v1.2")
    );
}
