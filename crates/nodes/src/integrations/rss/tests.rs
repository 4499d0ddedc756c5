//! Feeds as sites write them.

use super::*;
use node_api::http::{Http, HttpError};
use node_testing::{TestHost, items, run_on, to_json};
use std::sync::{Arc, Mutex};

/// Answers every request with the feed of the moment.
struct Feeds(Arc<Mutex<String>>);

#[async_trait::async_trait]
impl Http for Feeds {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let body = self.0.lock().unwrap().clone();
        Ok(HttpResponse {
            status: 200,
            status_text: "OK".into(),
            headers: Vec::new(),
            body: body.into(),
            url: request.url,
            reservation: Default::default(),
        })
    }
}

const RSS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:dc="d" xmlns:content="c"><channel><title>News</title>
<item><title>Second &amp; last</title><link>https://example.com/2</link><pubDate>Tue, 02 Jan 2024 10:00:00 +0100</pubDate>
<dc:creator>Ada</dc:creator><guid isPermaLink="false">id-2</guid><category>a</category><category domain="x">b</category>
<description><![CDATA[<p>One</p><p>Two &amp; <b>three</b></p>]]></description><media:thing url="u">T</media:thing>
<enclosure url="https://example.com/a.mp3" length="5" type="audio/mpeg"/></item>
<item><title>First</title><pubDate>Mon, 01 Jan 2024 00:00:00 GMT</pubDate></item>
</channel></rss>"#;

fn host(node: &Spec, params: Value) -> (TestHost, Arc<Mutex<String>>) {
    let feed = Arc::new(Mutex::new(RSS.to_owned()));
    let mut host = TestHost::new(node, node.newest_version(), &params);
    host.http = Box::new(Feeds(feed.clone()));
    (host, feed)
}

#[tokio::test]
async fn entries_have_the_fields_that_workflows_know() {
    let params =
        json!({ "url": "https://example.com/feed", "options": { "customFields": "media:thing" } });
    let (host, _) = host(&RssFeedRead::spec(), params);
    let outputs = run_on::<RssFeedRead>(&host, 1.2, vec![items(&json!([{}]))], Default::default())
        .await
        .unwrap();
    let expected = json!([
        {
            "creator": "Ada", "title": "Second & last", "link": "https://example.com/2", "pubDate": "Tue, 02 Jan 2024 10:00:00 +0100",
            "dc:creator": "Ada", "enclosure": { "url": "https://example.com/a.mp3", "length": "5", "type": "audio/mpeg" },
            "contentSnippet": "One\nTwo & three", "content": "<p>One</p><p>Two &amp; <b>three</b></p>", "guid": "id-2",
            "categories": ["a", "b"], "isoDate": "2024-01-02T09:00:00.000Z", "media:thing": { "$": { "url": "u" }, "_": "T" }
        },
        { "title": "First", "pubDate": "Mon, 01 Jan 2024 00:00:00 GMT", "isoDate": "2024-01-01T00:00:00.000Z" }
    ]);
    assert_eq!(to_json(&outputs[0]), expected);
}

#[tokio::test]
async fn atom_is_read_as_well() {
    let (host, feed) = host(&RssFeedRead::spec(), json!({ "url": "https://example.com/atom" }));
    *feed.lock().unwrap() = r#"<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>tag:1</id><title type="html">T</title>
        <link rel="self" href="/self"/><link rel="alternate" href="https://example.com/e"/><updated>2024-03-01T00:00:00Z</updated>
        <author><name>Bo</name></author><content type="html">&lt;b&gt;x&lt;/b&gt;</content></entry></feed>"#
        .to_owned();
    let outputs = run_on::<RssFeedRead>(&host, 1.2, vec![items(&json!([{}]))], Default::default())
        .await
        .unwrap();
    let expected = json!([{
        "title": "T", "link": "https://example.com/e", "pubDate": "2024-03-01T00:00:00.000Z", "author": "Bo", "contentSnippet": "x",
        "content": "<b>x</b>", "id": "tag:1", "isoDate": "2024-03-01T00:00:00.000Z"
    }]);
    assert_eq!(to_json(&outputs[0]), expected);
}

#[tokio::test]
async fn a_web_page_is_no_feed() {
    let (host, feed) = host(&RssFeedRead::spec(), json!({ "url": "https://example.com/" }));
    *feed.lock().unwrap() = "<html><body>hello</body></html>".into();
    let error = run_on::<RssFeedRead>(&host, 1.2, vec![items(&json!([{}]))], Default::default())
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::UPSTREAM_STATUS);
}

#[tokio::test]
async fn the_trigger_tells_each_entry_once() {
    let (mut host, feed) =
        host(&RssFeedReadTrigger::spec(), json!({ "feedUrl": "https://example.com/feed" }));
    host.execution.mode = "trigger".into();
    let poll = async || {
        let outputs =
            run_on::<RssFeedReadTrigger>(&host, 1.0, vec![items(&json!([{}]))], Default::default())
                .await
                .unwrap();
        outputs.first().map(|items| {
            items.iter().filter_map(|item| item.json.get("title").cloned()).collect::<Vec<_>>()
        })
    };
    assert_eq!(poll().await, None, "the first look only remembers");
    assert_eq!(poll().await, None);
    let newer = r#"<channel><item><title>Third</title><pubDate>Wed, 03 Jan 2024 00:00:00 GMT</pubDate></item><item><title>Undated</title><guid>u</guid></item>"#;
    let text = feed.lock().unwrap().replace("<channel>", newer);
    *feed.lock().unwrap() = text;
    assert_eq!(poll().await, Some(vec![json!("Third"), json!("Undated")]));
    assert_eq!(poll().await, None);
}
