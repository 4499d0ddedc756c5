//! Triggers that look for news, with a real server and a real feed: news starts one run each, and
//! nothing else does.

use crate::support::feed::Feed;
use crate::support::workflow::node;
use crate::support::{Server, TempFolder, heddle, wait_until};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A workflow that looks at a feed every second, and one that hears of its failures.
fn workflows(feed: &Feed) -> [Value; 2] {
    let every_second = json!({ "item": [{ "mode": "custom", "cronExpression": "* * * * * *" }] });
    let rss =
        json!({ "feedUrl": format!("http://{}/feed", feed.address), "pollTimes": every_second });
    let counts = json!({ "jsCode": "const kept = $getWorkflowStaticData('global'); kept.runs = (kept.runs ?? 0) + 1; return $input.all();" });
    let news = json!({
        "id": "news", "name": "News",
        "nodes": [node("RSS", "rssFeedReadTrigger", 1.0, rss), node("Count", "code", 2.0, counts)],
        "connections": { "RSS": { "main": [[{ "node": "Count", "type": "main", "index": 0 }]] } },
        "settings": { "executionOrder": "v1", "errorWorkflow": "alarm" }
    });
    let alarm = json!({
        "id": "alarm", "name": "Alarm",
        "nodes": [node("Error", "errorTrigger", 1.0, json!({}))],
        "connections": {}, "settings": { "executionOrder": "v1" }
    });
    [news, alarm]
}

fn set_up(name: &str) -> (Feed, TempFolder) {
    let feed = Feed::start();
    feed.publish(0);
    let data = TempFolder::new(name);
    let [news, alarm] = workflows(&feed);
    let (news, alarm) = (data.write_json("news", &news), data.write_json("alarm", &alarm));
    heddle(&data.0, &["import", alarm.to_str().unwrap()]);
    heddle(&data.0, &["import", "--activate", news.to_str().unwrap()]);
    (feed, data)
}

fn serve(feed: &Feed, data: &TempFolder) -> Server {
    Server::start(&data.0, &[("HEDDLE_EGRESS_ALLOW", feed.address.as_str()), ("HEDDLE_LOG", "off")])
}

fn titles(execution: &Value) -> Vec<String> {
    let items = &execution["data"]["resultData"]["runData"]["RSS"][0]["data"]["main"][0];
    let title = |item: &Value| item["json"]["title"].as_str().unwrap_or_default().to_owned();
    items.as_array().map(|items| items.iter().map(title).collect()).unwrap_or_default()
}

/// Runs of one workflow with a status.
fn runs(server: &Server, workflow: &str, status: &str) -> Vec<Value> {
    let all = server.executions().into_iter();
    all.filter(|execution| execution["workflowId"] == workflow && execution["status"] == status)
        .collect()
}

#[test]
fn news_starts_one_run_and_a_look_without_news_starts_none() {
    let (feed, data) = set_up("polling-news");
    let server = serve(&feed, &data);
    feed.wait_for_looks(2);
    assert!(server.executions().is_empty(), "the first look only remembers");
    feed.publish(1);
    feed.publish(2);
    wait_until("the news was taken", || {
        runs(&server, "news", "success").iter().map(|run| titles(run).len()).sum::<usize>() == 2
    });
    feed.wait_for_looks(2);
    let before = server.executions().len();
    feed.wait_for_looks(1);
    assert_eq!(server.executions().len(), before);
    server.stop();

    // What is known outlives the process, and so does what the runs themselves keep.
    feed.publish(3);
    let server = serve(&feed, &data);
    wait_until("the news was taken", || runs(&server, "news", "success").len() == before + 1);
    feed.wait_for_looks(1);
    let mut seen: Vec<String> = runs(&server, "news", "success").iter().flat_map(titles).collect();
    seen.sort();
    assert_eq!(seen, ["1", "2", "3"]);
    assert_eq!(server.executions().len(), before + 1);
}

#[test]
fn kill_9_loses_no_news_and_repeats_none() {
    let (feed, data) = set_up("polling-crash");
    let mut server = serve(&feed, &data);
    feed.wait_for_looks(1);
    let mut moment = 0x9e37_79b9_7f4a_7c15_u64;
    for entry in 1..=8 {
        feed.publish(entry);
        moment =
            moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if entry % 2 == 0 {
            // Right after a look has read the feed, when it is between the two steps.
            let seen = feed.site.n_served.load(Ordering::SeqCst);
            wait_until("the feed was read", || feed.site.n_served.load(Ordering::SeqCst) > seen);
            std::thread::sleep(Duration::from_millis((moment >> 33) % 12));
        } else {
            std::thread::sleep(Duration::from_millis((moment >> 33) % 1200));
        }
        server.kill();
        server = serve(&feed, &data);
    }
    wait_until("everything was taken", || {
        server.executions().iter().flat_map(titles).any(|title| title == "8")
    });
    feed.wait_for_looks(1);
    // A run that was cut off in the middle of its Code node waits for a person; its news is there
    // all the same.
    let stands =
        |execution: &Value| execution["status"] == "success" || execution["status"] == "uncertain";
    wait_until("every run is over", || server.executions().iter().all(stands));
    let mut seen: Vec<String> = server.executions().iter().flat_map(titles).collect();
    seen.sort();
    assert_eq!(seen, ["1", "2", "3", "4", "5", "6", "7", "8"]);
}

#[test]
fn a_feed_that_is_down_is_told_once_and_its_news_is_taken_when_it_is_back() {
    let (feed, data) = set_up("polling-down");
    let server = serve(&feed, &data);
    feed.wait_for_looks(1);
    feed.site.is_down.store(true, Ordering::SeqCst);
    wait_until("the failure was told", || runs(&server, "alarm", "success").len() == 1);
    let failed = runs(&server, "news", "error");
    assert_eq!(failed.len(), 1);
    let error = &failed[0]["data"]["resultData"]["error"];
    assert_eq!(
        (error["code"].as_str(), error["node"].as_str()),
        (Some("UPSTREAM_STATUS"), Some("RSS")),
        "{error}"
    );
    let heard = &runs(&server, "alarm", "success")[0]["data"]["resultData"]["runData"]["Error"][0]
        ["data"]["main"][0][0]["json"];
    assert_eq!(heard["execution"]["id"], failed[0]["id"], "{heard}");
    feed.publish(1);
    feed.wait_for_looks(2);
    assert_eq!(server.executions().len(), 2, "a failure that goes on is not told again");
    feed.site.is_down.store(false, Ordering::SeqCst);
    wait_until("the news was taken", || {
        runs(&server, "news", "success").iter().flat_map(titles).eq(["1"])
    });
    feed.site.is_down.store(true, Ordering::SeqCst);
    wait_until("the next failure was told", || runs(&server, "alarm", "success").len() == 2);
}

#[test]
fn looks_of_one_trigger_do_not_overlap() {
    let (feed, data) = set_up("polling-slow");
    feed.site.delay_ms.store(2_500, Ordering::SeqCst);
    let server = serve(&feed, &data);
    feed.wait_for_looks(0);
    feed.publish(1);
    wait_until("the news was taken", || {
        runs(&server, "news", "success").iter().flat_map(titles).eq(["1"])
    });
    assert_eq!(feed.site.most_at_once.load(Ordering::SeqCst), 1);
}
