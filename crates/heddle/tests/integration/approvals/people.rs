//! Who may see and decide what an agent asks.

use super::{ApprovalHarness, send};
use crate::support::request;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Command, Stdio};
use testkit::ScriptedReply;

impl ApprovalHarness {
    /// A key of somebody new with a role.
    fn somebody(&self, email: &str, role: &str) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
        command.args(["users", "create", email, "--role", role]).env("HEDDLE_DATA", &self.folder.0);
        let mut creating = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        creating.stdin.take().unwrap().write_all(b"a long pass phrase\n").unwrap();
        assert!(creating.wait().unwrap().success());
        crate::support::heddle(&self.folder.0, &["api-keys", "create", "--user", email])
            .trim()
            .to_owned()
    }

    fn api_as(&self, key: Option<&str>, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let headers: Vec<(&str, &str)> = key
            .map(|key| ("x-n8n-api-key", key))
            .into_iter()
            .chain([("content-type", "application/json")])
            .collect();
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let reply = request(
            &self.server.address,
            method,
            &format!("/api/v1{path}"),
            &headers,
            body.as_bytes(),
        )
        .unwrap();
        (reply.status, reply.json())
    }
}

#[test]
fn only_editors_of_the_project_decide() {
    let scene = ApprovalHarness::start("people", vec![send("ada"), ScriptedReply::text("done")]);
    let id = scene.ask(1);
    let asked = scene.open_approval("ada");
    let (path, body) = (
        format!("/executions/{id}/approve"),
        json!({ "call": asked["call"], "digest": asked["digest"], "decision": "approve" }),
    );
    let list = |key: Option<&str>| scene.api_as(key, "GET", "/approvals", &Value::Null);
    let decide = |key: Option<&str>| scene.api_as(key, "POST", &path, &body);

    let (status, refused) = decide(None);
    assert_eq!((status, &refused["code"]), (401, &json!("ACCESS_DENIED")), "without login");
    assert_eq!(list(None).0, 401);
    for (email, role, expected) in [("viewer@x.y", "viewer", 403), ("editor@x.y", "editor", 404)] {
        let key = scene.somebody(email, role);
        let (status, refused) = decide(Some(&key));
        assert_eq!(status, expected, "{role} of another project: {refused}");
        assert_eq!(
            list(Some(&key)),
            (200, json!({ "data": [], "nextCursor": null })),
            "{role} sees nothing of it"
        );
        assert_eq!(
            scene
                .api_as(Some(&key), "GET", &format!("/approvals?executionId={id}"), &Value::Null)
                .1["data"],
            json!([])
        );
    }
    let reader = crate::support::heddle(
        &scene.folder.0,
        &["api-keys", "create", "--scope", "execution:list"],
    );
    let (status, refused) = decide(Some(reader.trim()));
    assert_eq!(
        (status, &refused["code"]),
        (403, &json!("ACCESS_FORBIDDEN")),
        "a key that only lists"
    );
    assert_eq!(list(Some(reader.trim())).1["data"].as_array().unwrap().len(), 1);

    // A viewer and an editor of the project itself.
    let keys = ["in-viewer@x.y", "in-editor@x.y"].map(|email| scene.somebody(email, "editor"));
    let project =
        scene.server.api("POST", "/projects", Some(&json!({ "name": "Team" }))).json()["id"]
            .as_str()
            .unwrap()
            .to_owned();
    let moved = scene.server.api(
        "PUT",
        "/workflows/asks/transfer",
        Some(&json!({ "destinationProjectId": project })),
    );
    assert!(moved.status < 300, "{}", moved.text());
    let people = scene.server.api("GET", "/users?limit=100", None).json();
    let user = |email: &str| {
        people["data"].as_array().unwrap().iter().find(|user| user["email"] == email).unwrap()["id"]
            .clone()
    };
    let relations = json!({ "relations": [
        { "userId": user("in-viewer@x.y"), "role": "project:viewer" }, { "userId": user("in-editor@x.y"), "role": "project:editor" } ] });
    let added = scene.server.api("POST", &format!("/projects/{project}/users"), Some(&relations));
    assert!(added.status < 300, "{}", added.text());
    let (status, refused) = decide(Some(&keys[0]));
    assert_eq!((status, &refused["code"]), (403, &json!("ACCESS_FORBIDDEN")));
    assert_eq!(
        list(Some(&keys[0])).1["data"].as_array().unwrap().len(),
        1,
        "a viewer sees what is asked"
    );
    assert_eq!((scene.sent("ada"), scene.pending_approvals().len()), (0, 1));
    assert_eq!(decide(Some(&keys[1])).0, 200);
    scene.wait_for(&id, "success");
    assert_eq!(scene.sent("ada"), 1);
    let timeline =
        scene.server.api("GET", &format!("/executions/{id}/agent?node=Agent"), None).json();
    assert_eq!(timeline["approvals"][0]["by"], "in-editor@x.y", "who decided is on record");
}

#[test]
fn the_list_comes_by_the_page_and_by_execution() {
    let scene = ApprovalHarness::start("pages", vec![send("ada"), send("bob"), send("eve")]);
    for number in 1..=3 {
        assert_eq!(scene.call().status, 200);
        scene.wait_for_questions(number);
    }
    let page =
        |more: &str| scene.server.api("GET", &format!("/approvals?limit=2{more}"), None).json();
    let names = |page: &Value| -> Vec<String> {
        page["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|asked| asked["arguments"]["to"].as_str().unwrap().to_owned())
            .collect()
    };
    let first = page("");
    assert_eq!(names(&first), ["eve", "bob"]);
    let second = page(&format!("&cursor={}", first["nextCursor"].as_str().unwrap()));
    assert_eq!((names(&second), &second["nextCursor"]), (vec!["ada".to_owned()], &Value::Null));
    assert_eq!(names(&page("&executionId=2")), ["bob"]);
    assert_eq!(names(&page("&workflowId=asks&executionId=3")), ["eve"]);
    assert!(names(&page("&workflowId=other")).is_empty());
    for odd in ["&cursor=%21", "&executionId=x", "&status=open"] {
        assert_eq!(page(odd)["code"], "REQUEST_INVALID", "{odd}");
    }
}
