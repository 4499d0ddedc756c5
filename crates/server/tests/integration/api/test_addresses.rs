//! A test address belongs to one project: that of the workflow that is active there, or else the
//! one that has listened there of late.

use super::addresses::{AddressHarness, hook};
use crate::app::{Reply, TestOptions};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

async fn listen(world: &AddressHarness, key: &str, id: &str) -> Reply {
    world.api(key, "POST", &format!("/workflows/{id}/test-webhook"), &json!({})).await
}

fn is_taken(reply: &Reply) -> bool {
    assert!(!reply.body.contains("victim"), "{}", reply.body);
    reply.status == 409 && reply.text("code") == "WEBHOOK_TAKEN"
}

/// Versions that are saved in the same millisecond are of the same age.
async fn a_moment() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

#[tokio::test]
async fn issue_14_03_a_test_address_stays_with_the_project_that_listened_there() {
    let later_ms = Arc::new(AtomicI64::new(0));
    let world =
        AddressHarness::on(TestOptions { later_ms: later_ms.clone(), ..TestOptions::default() })
            .await;
    let theirs = world.save(&world.victim, &hook("victim", "orders", None)).await;
    a_moment().await;
    let own = world.save(&world.attacker, &hook("attacker", "orders", None)).await;
    assert_eq!(listen(&world, &world.victim, &theirs).await.status, 200);
    assert!(is_taken(&listen(&world, &world.attacker, &own).await));
    assert_eq!(world.answers("/webhook-test/orders").await, "victim");
    // The test is over, and those who call the address still mean the same workflow.
    assert!(is_taken(&listen(&world, &world.attacker, &own).await));
    later_ms.store(DAY_MS / 2, Ordering::Relaxed);
    assert!(is_taken(&listen(&world, &world.attacker, &own).await));
    let sibling = world.save(&world.victim, &hook("sibling", "orders", None)).await;
    assert_eq!(
        listen(&world, &world.victim, &sibling).await.status,
        200,
        "workflows of one project take turns"
    );
    assert_eq!(world.answers("/webhook-test/orders").await, "sibling");
    later_ms.store(DAY_MS * 2, Ordering::Relaxed);
    assert_eq!(
        listen(&world, &world.attacker, &own).await.status,
        200,
        "nobody has used it for a day"
    );
}

#[tokio::test]
async fn issue_14_03_who_has_named_a_test_address_for_longer_gets_it_back() {
    let world = AddressHarness::new().await;
    // Their workflow is the older one, but it had another path.
    let own = world.save(&world.attacker, &hook("attacker", "mine", None)).await;
    a_moment().await;
    let theirs = world.save(&world.victim, &hook("victim", "orders", None)).await;
    a_moment().await;
    let two = json!({ "name": "attacker", "connections": {}, "settings": {}, "nodes": [
        hook("attacker", "orders", None)["nodes"][0], hook("other", "mine", None)["nodes"][0]
    ] });
    assert_eq!(
        world.api(&world.attacker, "PUT", &format!("/workflows/{own}"), &two).await.status,
        200
    );
    assert_eq!(
        listen(&world, &world.attacker, &own).await.status,
        200,
        "nobody has listened there yet"
    );
    assert_eq!(listen(&world, &world.victim, &theirs).await.status, 200);
    assert!(is_taken(&listen(&world, &world.attacker, &own).await));
    assert_eq!(world.answers("/webhook-test/orders").await, "victim");
    // What is drawn and not saved has named it for no time at all.
    let drawn =
        json!({ "workflow": hook("attacker", "orders", None), "trigger": "Hook of attacker" });
    let reply = world.api(&world.attacker, "POST", &format!("/workflows/{own}/run"), &drawn).await;
    assert!(is_taken(&reply), "{} {}", reply.status, reply.body);
    assert_eq!(listen(&world, &world.victim, &theirs).await.status, 200);
    assert_eq!(world.answers("/webhook-test/orders").await, "victim");
}

#[tokio::test]
async fn issue_14_03_a_claim_holds_for_tests_too_whether_or_not_its_workflow_listens() {
    let world = AddressHarness::new().await;
    let owner = world.app.owner_key().await;
    let made = world
        .api(&owner, "POST", "/variables", &json!({ "key": "OFFICE", "value": "127.0.0.1" }))
        .await;
    let mut guarded = hook("victim", "orders", None);
    guarded["nodes"][0]["parameters"]["options"]["ipWhitelist"] = json!("={{ $vars.OFFICE }}");
    let theirs = world.active(&world.victim, &guarded).await;
    let own = world.save(&world.attacker, &hook("attacker", "orders", None)).await;
    assert_eq!(
        world
            .api(&owner, "DELETE", &format!("/variables/{}", made.text("id")), &Value::Null)
            .await
            .status,
        204
    );
    assert_eq!(
        world.app.call("POST", "/webhook/orders").send().await.status,
        404,
        "it does not know whose calls it takes"
    );
    assert!(is_taken(&listen(&world, &world.attacker, &own).await));
    world
        .api(&owner, "POST", "/variables", &json!({ "key": "OFFICE", "value": "127.0.0.1" }))
        .await;
    assert_eq!(world.answers("/webhook/orders").await, "victim");
    // Whoever deactivates a workflow means to mend it and try it out.
    assert_eq!(
        world
            .api(&world.victim, "POST", &format!("/workflows/{theirs}/deactivate"), &Value::Null)
            .await
            .status,
        200
    );
    assert!(is_taken(&listen(&world, &world.attacker, &own).await));
    assert_eq!(listen(&world, &world.victim, &theirs).await.status, 200);
    assert_eq!(world.answers("/webhook-test/orders").await, "victim");
}
