//! What fits a recorded answer and what does not.

use super::*;
use model::json;

fn recorded(list: Value) -> RecordedHttp {
    RecordedHttp::from_value(&list).unwrap()
}

async fn get(http: &RecordedHttp, url: &str) -> Result<String, HttpError> {
    http.send(HttpRequest::new("GET", url))
        .await
        .map(|response| String::from_utf8(response.body.to_vec()).unwrap())
}

#[tokio::test]
async fn each_answer_is_given_once_unless_it_says_otherwise() {
    let http = recorded(json!([
        { "method": "GET", "baseUrl": "https://a.test/", "path": "/x", "status": 200, "responseBody": "first" },
        { "method": "GET", "baseUrl": "https://a.test", "path": "/x", "status": 200, "responseBody": "next", "times": 2 },
        { "method": "GET", "baseUrl": "https://a.test", "path": "/y", "status": 200, "responseBody": { "n": 1 }, "times": "any" },
    ]));
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(get(&http, "https://a.test/x").await.unwrap_or_else(|error| error.to_string()));
    }
    assert_eq!(seen[..3], ["first", "next", "next"]);
    assert!(seen[3].contains("no recorded response"), "{}", seen[3]);
    for _ in 0..3 {
        assert_eq!(get(&http, "https://a.test/y").await.unwrap(), r#"{"n":1}"#);
    }
}

#[tokio::test]
async fn queries_must_be_equal_unless_any_is_fine() {
    let http = recorded(json!([
        { "method": "GET", "baseUrl": "https://a.test", "path": "/p?limit=2&skip=10", "status": 200, "responseBody": "path", "times": "any" },
        { "method": "GET", "baseUrl": "https://a.test", "path": "/o", "query": { "n": 1, "tags": ["a", "b"] }, "status": 200, "responseBody": "object", "times": "any" },
        { "method": "GET", "baseUrl": "https://a.test", "path": "/any", "query": true, "status": 200, "responseBody": "any", "times": "any" },
        { "method": "GET", "baseUrl": "https://a.test", "path": { "$regex": "^/r/\\d+$" }, "status": 200, "responseBody": "regex", "times": "any" },
    ]));
    assert_eq!(get(&http, "https://a.test/p?skip=10&limit=2").await.unwrap(), "path");
    assert_eq!(get(&http, "https://a.test/o?n=1&tags=a&tags=b").await.unwrap(), "object");
    assert_eq!(get(&http, "https://a.test/o?n=1&tags[]=a&tags[]=b").await.unwrap(), "object");
    assert_eq!(get(&http, "https://a.test/o?n=1&tags[0]=a&tags[1]=b").await.unwrap(), "object");
    assert_eq!(get(&http, "https://a.test/any?x=1").await.unwrap(), "any");
    assert_eq!(get(&http, "https://a.test/r/12").await.unwrap(), "regex");
    for url in [
        "https://a.test/p?limit=2",
        "https://a.test/p",
        "https://a.test/o?n=1",
        "https://a.test/r/x",
        "https://b.test/any",
        "http://a.test/any",
    ] {
        assert!(get(&http, url).await.is_err(), "{url}");
    }
}

#[tokio::test]
async fn bodies_headers_and_sign_in_are_compared() {
    let http = recorded(json!([
        { "method": "POST", "baseUrl": "https://a.test", "path": "/json", "requestBody": { "a": 1 }, "status": 201 },
        { "method": "POST", "baseUrl": "https://a.test", "path": "/form", "requestBody": { "a": 1 }, "basicAuth": { "user": "u", "pass": "p" }, "status": 202 },
        { "method": "POST", "baseUrl": "https://a.test", "path": "/text", "requestBody": "{\"a\":1}", "requestHeaders": { "x-k": "v", "content-length": "7" }, "status": 203 },
    ]));
    let send = |url: &str, body: &str, headers: &[(&str, &str)]| {
        let mut request = HttpRequest::new("POST", url);
        request.body = HttpBody::Bytes(Bytes::from(body.to_owned()));
        for (name, value) in headers {
            request.set_header(name, *value);
        }
        http.send(request)
    };
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    assert!(send("https://a.test/json", r#"{"a":2}"#, &[]).await.is_err());
    assert_eq!(send("https://a.test/json", r#"{ "a": 1 }"#, &[]).await.unwrap().status, 201);
    assert!(send("https://a.test/form", "a=1", &[form]).await.is_err());
    assert_eq!(send("https://u:p@a.test/form", "a=1", &[form]).await.unwrap().status, 202);
    assert!(send("https://a.test/text", r#"{"a":1}"#, &[]).await.is_err());
    assert_eq!(
        send("https://a.test/text", r#"{"a":1}"#, &[("X-K", "v")]).await.unwrap().status,
        203
    );
}

#[tokio::test]
async fn network_errors_and_redirects_are_played_back() {
    let http = recorded(json!([
        { "method": "GET", "baseUrl": "https://a.test", "path": "/down", "status": 200, "networkError": { "code": "ECONNREFUSED", "message": "no" } },
        { "method": "GET", "baseUrl": "https://a.test", "path": "/from", "status": 302, "responseHeaders": { "Location": "/to" } },
        { "method": "GET", "baseUrl": "https://a.test", "path": "/to", "status": 200, "responseBody": { "$base64": "aGk=" } },
    ]));
    let error = get(&http, "https://a.test/down").await.unwrap_err();
    assert!(matches!(error, HttpError::Unreachable { errno: Some("ECONNREFUSED"), .. }));
    assert_eq!(get(&http, "https://a.test/from").await.unwrap(), "hi");
    assert!(RecordedHttp::from_value(&json!([{ "times": "many", "baseUrl": "x" }])).is_err());
}
