//! What the table cannot tell by a status: addresses that a workflow guards, tickets that are
//! forged, lists and streams that show a part.

use super::MatrixHarness;
use super::harness::MARK;
use super::rows::{PEOPLE, Person};

/// Lists of which everybody who is signed in sees a part.
const LISTS: [&str; 10] = [
    "workflows",
    "approvals",
    "spending",
    "credentials",
    "tags",
    "variables",
    "data-tables",
    "collections",
    "memories",
    "projects",
];

#[tokio::test]
async fn issue_14_00_a_list_shows_what_is_there_to_those_of_the_project_and_to_nobody_else() {
    let world = MatrixHarness::new().await;
    for list in LISTS {
        let shown = async |person| {
            world.app.call("GET", &format!("/api/v1/{list}")).key(world.key(person)).send().await
        };
        let (inside, outside) = (shown(Person::Viewer).await, shown(Person::Outsider).await);
        assert!(inside.status == 200 && inside.body.contains(MARK), "{list}: {}", inside.body);
        assert!(outside.status == 200 && !outside.body.contains(MARK), "{list}: {}", outside.body);
    }
}

#[tokio::test]
async fn issue_14_00_live_events_are_heard_in_the_project_and_nowhere_else() {
    let world = MatrixHarness::new().await;
    let mut inside = world.app.stream("/api/v1/events", world.key(Person::Viewer)).await;
    let mut outside = world.app.stream("/api/v1/events", world.key(Person::Outsider)).await;
    assert!(inside.hears("\n:").await, "the body begins before anything happens");
    assert_eq!(world.app.call("POST", "/webhook/open").json("{}").send().await.status, 200);
    assert!(inside.hears(MARK).await, "it tells what happens");
    assert!(!outside.overhears(0, MARK).await && !outside.overhears(0, "executionStarted").await);
}

#[tokio::test]
async fn issue_14_00_many_executions_are_stopped_by_those_who_may_stop_each() {
    let world = MatrixHarness::new().await;
    for (person, expected) in
        PEOPLE.into_iter().zip([None, Some(0.0), Some(0.0), Some(1.0), Some(1.0), Some(1.0)])
    {
        let (workflow, execution) = world.asleep().await;
        let body = format!(r#"{{"status":["waiting"],"workflowId":"{workflow}"}}"#);
        let reply = world
            .calls(person, "POST", "/api/v1/executions/stop", &body)
            .swap_remove(0)
            .send()
            .await;
        let stopped = (reply.status == 200)
            .then(|| reply.json().get("stopped").and_then(model::Value::as_f64).unwrap());
        assert_eq!(stopped, expected, "{person:?}: {} {}", reply.status, reply.body);
        let status = world
            .api("GET", &format!("/executions/{execution}"), &serde_json::Value::Null)
            .await
            .text("status");
        assert_eq!(
            status,
            if expected == Some(1.0) { "canceled" } else { "waiting" },
            "{person:?}"
        );
    }
}

#[tokio::test]
async fn issue_14_00_nobody_makes_up_the_address_of_a_wait_or_a_test() {
    let world = MatrixHarness::new().await;
    let (_, execution) = world.asleep().await;
    let forged = format!("{execution}-0-{}", "0".repeat(32));
    let paths = [
        format!("/webhook-waiting/{forged}"),
        format!("/webhook-waiting/{forged}/x"),
        format!("/webhook-waiting/{execution}"),
        format!("/form-waiting/{forged}"),
        "/webhook-test/open".to_owned(),
        "/form-test/open".to_owned(),
    ];
    for path in paths {
        for person in PEOPLE {
            for call in world.calls(person, "POST", &path, "") {
                let reply = call.send().await;
                assert_eq!(reply.status, 404, "{person:?}: {path} gave {}", reply.body);
                assert!(!reply.body.contains(MARK), "{}", reply.body);
            }
        }
    }
}

#[tokio::test]
async fn issue_14_00_a_chat_answers_those_whom_its_workflow_names() {
    let world = MatrixHarness::new().await;
    let said = r#"{"action":"sendMessage","sessionId":"s","chatInput":"hi"}"#;
    let origin = format!("http://{}", world.app.address);
    for person in PEOPLE {
        for (method, body) in [("GET", ""), ("POST", said)] {
            for call in world.calls(person, method, "/webhook/talk/chat", body) {
                assert_eq!(call.send().await.status, 200, "{person:?}: {method}");
            }
            // The last call has the session of whoever has one.
            let call = world.calls(person, method, "/webhook/members/chat", body).pop().unwrap();
            let reply = call.header("Origin", &origin).send().await;
            let expected = if person == Person::Anonymous { 401 } else { 200 };
            assert_eq!(reply.status, expected, "{person:?}: {method} {}", reply.body);
        }
    }
}
