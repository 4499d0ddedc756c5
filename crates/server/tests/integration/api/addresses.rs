//! An address belongs to the workflow that claimed it first, whatever others save, activate, try
//! out or call their parts.

use crate::app::{Reply, TestApp, TestOptions};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};
use store::WorkflowStore as _;
use store::addresses::EndpointKind;
use store::users::UserRole;
use store::workflows::ActivatedVersion;

/// Two people, each with a project of their own.
pub(crate) struct AddressHarness {
    pub(crate) app: TestApp,
    pub(crate) victim: String,
    pub(crate) attacker: String,
}

impl AddressHarness {
    pub(crate) async fn new() -> Self {
        Self::on(TestOptions::default()).await
    }

    pub(crate) async fn on(options: TestOptions) -> Self {
        let app = TestApp::start_with(options).await;
        app.user("victim@x.y", UserRole::Editor).await;
        app.user("attacker@x.y", UserRole::Editor).await;
        let (victim, attacker) =
            (app.key("victim@x.y", &["*"]).await, app.key("attacker@x.y", &["*"]).await);
        Self { app, victim, attacker }
    }

    pub(crate) async fn api(&self, key: &str, method: &str, path: &str, body: &Value) -> Reply {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.app.call(method, &format!("/api/v1{path}")).key(key).json(&body).send().await
    }

    pub(crate) async fn save(&self, key: &str, document: &Value) -> String {
        let made = self.api(key, "POST", "/workflows", document).await;
        assert_eq!(made.status, 200, "{}", made.body);
        made.text("id")
    }

    pub(crate) async fn activate(&self, key: &str, id: &str) -> Reply {
        self.api(key, "POST", &format!("/workflows/{id}/activate"), &Value::Null).await
    }

    pub(crate) async fn active(&self, key: &str, document: &Value) -> String {
        let id = self.save(key, document).await;
        let reply = self.activate(key, &id).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        id
    }

    /// Whose workflow answers there.
    pub(crate) async fn answers(&self, path: &str) -> String {
        self.app.call("POST", path).send().await.body
    }
}

/// A webhook that answers with the name of its workflow.
pub(crate) fn hook(name: &str, path: &str, webhook_id: Option<&str>) -> Value {
    let parameters =
        json!({ "httpMethod": "POST", "path": path, "options": { "responseData": name } });
    let mut node = json!({ "id": "n", "name": format!("Hook of {name}"), "type": "n8n-nodes-base.webhook", "typeVersion": 2.1, "position": [0, 0] });
    node["parameters"] = parameters;
    if let Some(id) = webhook_id {
        node["webhookId"] = json!(id);
    }
    json!({ "name": name, "nodes": [node], "connections": {}, "settings": {} })
}

fn form(name: &str, path: &str) -> Value {
    let parameters = json!({ "formTitle": name, "formFields": { "values": [{ "fieldLabel": "a" }] }, "options": { "path": path } });
    let mut node = json!({ "id": "n", "name": "Form", "type": "n8n-nodes-base.formTrigger", "typeVersion": 2.2, "position": [0, 0] });
    node["parameters"] = parameters;
    json!({ "name": name, "nodes": [node], "connections": {}, "settings": {} })
}

fn chat(name: &str, webhook_id: &str) -> Value {
    let mut node = json!({ "id": "n", "name": "Chat", "type": "@n8n/n8n-nodes-langchain.chatTrigger", "typeVersion": 1.4, "position": [0, 0] });
    node["parameters"] = json!({ "public": true });
    node["webhookId"] = json!(webhook_id);
    json!({ "name": name, "nodes": [node], "connections": {}, "settings": {} })
}

#[tokio::test]
async fn issue_14_03_a_save_that_is_refused_stores_nothing_and_takes_no_address() {
    let world = AddressHarness::new().await;
    world.active(&world.victim, &hook("victim", "orders", None)).await;
    let mine = world.active(&world.attacker, &hook("attacker", "mine", None)).await;
    let before =
        world.api(&world.attacker, "GET", &format!("/workflows/{mine}"), &Value::Null).await.json();
    let refused = world
        .api(
            &world.attacker,
            "PUT",
            &format!("/workflows/{mine}"),
            &hook("attacker", "orders", None),
        )
        .await;
    assert_eq!((refused.status, refused.text("code")), (409, "WEBHOOK_TAKEN".to_owned()));
    assert!(
        !refused.body.contains("victim"),
        "the answer names what is out of reach: {}",
        refused.body
    );
    let after =
        world.api(&world.attacker, "GET", &format!("/workflows/{mine}"), &Value::Null).await.json();
    assert_eq!(after, before, "what is refused is not stored");
    let history = world
        .api(&world.attacker, "GET", &format!("/workflows/{mine}/history"), &Value::Null)
        .await
        .json();
    assert_eq!(history.as_array().unwrap().len(), 1);
    // Anything that makes the server read its workflows again.
    world.save(&world.attacker, &hook("other", "other", None)).await;
    world.app.runtime.reload().await.unwrap();
    assert_eq!(world.answers("/webhook/orders").await, "victim");
    assert_eq!(world.answers("/webhook/mine").await, "attacker");
    let restarted = world.app.restarted().await;
    assert_eq!(restarted.n_active(), 2);
    match restarted.find(EndpointKind::Webhook, "POST", "orders") {
        runtime::RouteMatch::Hook(hook, _) => assert_eq!(hook.workflow.name, "victim"),
        _ => panic!("nobody listens after the start"),
    }
}

#[tokio::test]
async fn issue_14_03_a_save_that_cannot_listen_leaves_the_version_that_does() {
    let world = AddressHarness::new().await;
    let id = world.active(&world.victim, &hook("victim", "orders", None)).await;
    let path = format!("/workflows/{id}");
    let without_trigger = json!({ "name": "victim", "nodes": [], "connections": {}, "settings": {}, "parentFolderId": Value::Null });
    for document in [without_trigger, hook("victim", "a//b", None), hook("victim", "", Some(":a"))]
    {
        assert_eq!(world.api(&world.victim, "PUT", &path, &document).await.status, 422);
        assert_eq!(world.answers("/webhook/orders").await, "victim");
    }
    // Moving on gives the old address up.
    assert_eq!(
        world.api(&world.victim, "PUT", &path, &hook("victim", "moved", None)).await.status,
        200
    );
    assert_eq!(world.answers("/webhook/moved").await, "victim");
    world.active(&world.attacker, &hook("attacker", "orders", None)).await;
    assert_eq!(world.answers("/webhook/orders").await, "attacker");
}

#[tokio::test]
async fn issue_14_03_no_path_that_varies_catches_the_calls_of_others() {
    let world = AddressHarness::new().await;
    world.active(&world.victim, &hook("victim", "user/:id", Some("vid-1"))).await;
    world.active(&world.victim, &hook("fixed", "vid-2/list", None)).await;
    assert_eq!(world.answers("/webhook/vid-1/user/7").await, "victim");
    for (path, id, status) in [
        (":b/:c", Some(":a"), 422),
        ("b/:c", Some(":a/x"), 422),
        ("", Some(":a"), 422),
        ("", Some("vid-1/user/7"), 422),
        (":b/:c", Some("vid-1"), 409),
        ("user/:other", Some("vid-1"), 409),
        (":x/7", Some("vid-1"), 409),
        ("vid-1/user/7", None, 409),
        ("/vid-1/user/7/", None, 409),
        (":list", Some("vid-2"), 409),
        // These take calls of nobody else.
        ("user/:id", Some("own"), 200),
        (":b", Some("vid-1"), 200),
        ("vid-1/User/7", None, 200),
        ("vid-1%2Fuser%2F7", None, 200),
    ] {
        let id = world.save(&world.attacker, &hook("attacker", path, id)).await;
        let reply = world.activate(&world.attacker, &id).await;
        assert_eq!(reply.status, status, "{path} of {id:?}: {}", reply.body);
        assert!(!reply.body.contains("victim") && !reply.body.contains("fixed"), "{}", reply.body);
    }
    for (path, wanted) in [
        ("/webhook/vid-1/user/7", "victim"),
        ("/webhook/vid-1/user/7/", "victim"),
        ("/webhook//vid-1/user/7", "victim"),
        ("/webhook/vid-1%2Fuser%2F7", "victim"),
        ("/webhook/vid-1/user/%37", "victim"),
        ("/webhook/vid-2/list", "fixed"),
    ] {
        assert_eq!(world.answers(path).await, wanted, "{path}");
    }
}

#[tokio::test]
async fn issue_14_03_forms_and_chats_keep_their_addresses_too() {
    let world = AddressHarness::new().await;
    world.active(&world.victim, &form("victim", "sign-up")).await;
    world.active(&world.victim, &chat("talk", "talk-1")).await;
    for document in [
        form("attacker", "sign-up"),
        chat("attacker", "talk-1"),
        hook("attacker", "talk-1/chat", None),
    ] {
        let id = world.save(&world.attacker, &document).await;
        let refused = world.activate(&world.attacker, &id).await;
        assert_eq!(
            (refused.status, refused.text("code")),
            (409, "WEBHOOK_TAKEN".to_owned()),
            "{}",
            refused.body
        );
    }
    let page = world.app.call("GET", "/form/sign-up").send().await;
    assert!(page.body.contains("victim") && !page.body.contains("attacker"));
}

#[tokio::test]
async fn issue_14_03_of_many_activations_at_once_one_has_the_address() {
    let world = AddressHarness::new().await;
    for round in 0..5 {
        let path = format!("orders-{round}");
        let mut ids = Vec::new();
        for number in 0..8 {
            ids.push(world.save(&world.attacker, &hook(&format!("w{number}"), &path, None)).await);
        }
        let all =
            futures::future::join_all(ids.iter().map(|id| world.activate(&world.attacker, id)))
                .await;
        let won: Vec<_> = all.iter().filter(|reply| reply.status == 200).collect();
        assert_eq!(won.len(), 1, "{:?}", all.iter().map(|reply| reply.status).collect::<Vec<_>>());
        assert!(all.iter().all(|reply| matches!(reply.status, 200 | 409)));
        assert_eq!(world.answers(&format!("/webhook/{path}")).await, won[0].text("name"));
    }
}

#[tokio::test]
async fn issue_14_03_activating_while_somebody_saves_leaves_no_address_without_its_owner() {
    let world = AddressHarness::new().await;
    let victim = world.active(&world.victim, &hook("victim", "orders", None)).await;
    for round in 0..10 {
        let id = world
            .save(&world.attacker, &hook("attacker", &format!("harmless-{round}"), None))
            .await;
        let path = format!("/workflows/{id}");
        let document = hook("attacker", "orders", None);
        let (activated, saved) = tokio::join!(
            world.activate(&world.attacker, &id),
            world.api(&world.attacker, "PUT", &path, &document)
        );
        // Either the save came first, and the activation is refused, or it came second and is
        // refused itself.
        assert_eq!(
            [activated.status, saved.status].iter().filter(|status| **status == 409).count(),
            1,
            "{} {}",
            activated.body,
            saved.body
        );
        assert_eq!(world.answers("/webhook/orders").await, "victim");
    }
    let held = world.app.store.addresses().await.unwrap();
    let orders: Vec<_> = held.iter().filter(|(_, address)| address.pattern() == "orders").collect();
    assert!(matches!(orders.as_slice(), [(owner, _)] if *owner == *victim));
    // Whoever gives up an address leaves it to others.
    assert_eq!(
        world
            .api(&world.victim, "POST", &format!("/workflows/{victim}/archive"), &Value::Null)
            .await
            .status,
        200
    );
    assert!(world.app.store.addresses().await.unwrap().iter().all(|(owner, _)| *owner != *victim));
}

#[tokio::test]
async fn issue_14_03_of_two_that_were_active_before_the_older_one_keeps_the_address() {
    let world = AddressHarness::new().await;
    let older = world.save(&world.victim, &hook("victim", "orders", None)).await;
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    let newer = world.save(&world.attacker, &hook("attacker", "orders", None)).await;
    // The newer one was changed last, as it is after an upgrade from a version that gave addresses
    // to whoever came last.
    for id in [&older, &newer] {
        let version = world.app.store.workflow(id).await.unwrap().unwrap().version_id;
        assert!(
            world
                .app
                .store
                .activate(id, ActivatedVersion::Newest(version), Vec::new())
                .await
                .unwrap()
                .done()
                .is_some()
        );
    }
    let restarted = world.app.restarted().await;
    match restarted.find(EndpointKind::Webhook, "POST", "orders") {
        runtime::RouteMatch::Hook(hook, _) => assert_eq!(hook.workflow.id, *older),
        _ => panic!("nobody listens"),
    }
    assert!(!world.app.store.workflow(&newer).await.unwrap().unwrap().active);
    let lost = world.app.store.lost_addresses().await.unwrap();
    assert_eq!(
        (lost.len(), lost[0].workflow_id.as_str(), lost[0].path.as_str()),
        (1, newer.as_str(), "orders")
    );
    let owner = world.app.owner_key().await;
    let audit = world.api(&owner, "POST", "/audit", &Value::Null).await.body;
    assert!(
        audit.contains("deactivated because of an address conflict") && audit.contains(&newer),
        "{audit}"
    );
    // It is told until the workflow listens again.
    assert_eq!(
        world
            .api(
                &world.attacker,
                "PUT",
                &format!("/workflows/{newer}"),
                &hook("attacker", "other", None)
            )
            .await
            .status,
        200
    );
    assert_eq!(world.activate(&world.attacker, &newer).await.status, 200);
    assert!(world.app.store.lost_addresses().await.unwrap().is_empty());
}

#[tokio::test]
async fn issue_14_03_a_path_that_becomes_another_one_later_takes_no_address_either() {
    let later_ms = Arc::new(AtomicI64::new(0));
    let world =
        AddressHarness::on(TestOptions { later_ms: later_ms.clone(), ..TestOptions::default() })
            .await;
    world.active(&world.victim, &hook("victim", "orders", None)).await;
    let soon =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis()
            as i64
            + 3_600_000;
    let path = format!("={{{{ $now.toMillis() > {soon} ? 'orders' : 'mine' }}}}");
    let mine = world.active(&world.attacker, &hook("attacker", &path, None)).await;
    assert_eq!(world.answers("/webhook/mine").await, "attacker");
    later_ms.store(7_200_000, Ordering::Relaxed);
    world.save(&world.attacker, &hook("other", "other", None)).await;
    world.app.runtime.reload().await.unwrap();
    assert_eq!(world.answers("/webhook/orders").await, "victim");
    assert!(!world.app.store.workflow(&mine).await.unwrap().unwrap().active);
}

#[tokio::test]
async fn issue_14_06_triggers_that_compute_for_long_hold_up_neither_others_nor_a_restart() {
    let later_ms = Arc::new(AtomicI64::new(0));
    let world =
        AddressHarness::on(TestOptions { later_ms: later_ms.clone(), ..TestOptions::default() })
            .await;
    let soon =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis()
            as i64
            + 3_600_000;
    let endless =
        format!("={{{{ (() => {{ while ($now.toMillis() > {soon}) {{}} return 'x' }})() }}}}");
    for number in 0..6 {
        let mut slow = hook("attacker", &format!("slow-{number}"), None);
        let headers: Vec<Value> = (0..100)
            .map(|number| json!({ "name": format!("X-{number}"), "value": endless }))
            .collect();
        slow["nodes"][0]["parameters"]["options"]["responseHeaders"] =
            json!({ "entries": headers });
        world.active(&world.attacker, &slow).await;
    }
    world.active(&world.victim, &hook("victim", "orders", None)).await;
    let other = world.save(&world.victim, &hook("other", "other", None)).await;
    later_ms.store(7_200_000, Ordering::Relaxed);
    let began = Instant::now();
    assert_eq!(world.activate(&world.victim, &other).await.status, 200);
    assert!(began.elapsed() < Duration::from_secs(90), "{:?}", began.elapsed());
    assert_eq!(
        (world.answers("/webhook/orders").await, world.answers("/webhook/other").await),
        ("victim".into(), "other".into())
    );
    let key = world.app.owner_key().await;
    let audit = world.api(&key, "POST", "/audit", &Value::Null).await.body;
    assert!(
        audit.contains("their triggers exceed the CPU time limit")
            && audit.contains("Hook of attacker"),
        "{audit}"
    );
    let began = Instant::now();
    let restarted = world.app.restarted().await;
    assert!(began.elapsed() < Duration::from_secs(90), "{:?}", began.elapsed());
    for path in ["orders", "other"] {
        assert!(
            matches!(
                restarted.find(EndpointKind::Webhook, "POST", path),
                runtime::RouteMatch::Hook(..)
            ),
            "{path}"
        );
    }
}

#[tokio::test]
async fn issue_14_00_triggers_that_compute_for_long_keep_no_other_project_silent_after_a_start() {
    let later_ms = Arc::new(AtomicI64::new(0));
    let world =
        AddressHarness::on(TestOptions { later_ms: later_ms.clone(), ..TestOptions::default() })
            .await;
    let soon =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis()
            as i64
            + 3_600_000;
    for number in 0..6 {
        let path = format!(
            "={{{{ (() => {{ while ($now.toMillis() > {soon}) {{}} return 'slow-{number}' }})() }}}}"
        );
        world.active(&world.attacker, &hook("attacker", &path, None)).await;
    }
    world.active(&world.victim, &hook("victim", "={{ 'or' + 'ders' }}", None)).await;
    later_ms.store(7_200_000, Ordering::Relaxed);
    let restarted = world.app.restarted().await;
    assert!(
        matches!(
            restarted.find(EndpointKind::Webhook, "POST", "orders"),
            runtime::RouteMatch::Hook(..)
        ),
        "it computes too, but not for long"
    );
    // The others have their turns later.
    let began = Instant::now();
    while restarted.silent_workflows().len() < 6 {
        assert!(
            began.elapsed() < Duration::from_secs(180),
            "{}",
            restarted.silent_workflows().len()
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(matches!(
        restarted.find(EndpointKind::Webhook, "POST", "orders"),
        runtime::RouteMatch::Hook(..)
    ));
}

#[tokio::test]
async fn issue_14_03_a_test_listens_at_no_address_of_another_workflow() {
    let world = AddressHarness::new().await;
    world.active(&world.victim, &hook("victim", "orders", None)).await;
    world.active(&world.victim, &hook("varies", "user/:id", Some("vid-1"))).await;
    let tried = world.save(&world.victim, &hook("tried", "trying/:id", Some("vid-3"))).await;
    let listen = async |key: &str, id: &str| {
        world.api(key, "POST", &format!("/workflows/{id}/test-webhook"), &json!({})).await
    };
    assert_eq!(listen(&world.victim, &tried).await.status, 200);
    for (path, id) in [
        ("orders", None),
        ("vid-1/user/7", None),
        (":a/:b", Some("vid-1")),
        ("vid-3/trying/7", None),
        (":a/7", Some("vid-3")),
    ] {
        let id = world.save(&world.attacker, &hook("attacker", path, id)).await;
        let refused = listen(&world.attacker, &id).await;
        assert_eq!(
            (refused.status, refused.text("code")),
            (409, "WEBHOOK_TAKEN".to_owned()),
            "{path}"
        );
        assert!(
            !refused.body.contains("victim") && !refused.body.contains("tried"),
            "{}",
            refused.body
        );
    }
    // One's own address may be tried while it listens.
    let own = world.active(&world.attacker, &hook("attacker", "own", None)).await;
    assert_eq!(listen(&world.attacker, &own).await.status, 200);
    assert_eq!(world.answers("/webhook-test/own").await, "attacker");
    assert_eq!(world.answers("/webhook-test/vid-3/trying/7").await, "tried");
}
