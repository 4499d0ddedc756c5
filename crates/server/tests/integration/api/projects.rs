//! Projects keep people apart: what is out of reach looks like what is not there, whichever door is
//! tried.

use crate::app::{Reply, TestApp, operations};
use store::ExecutionStore as _;
use store::projects::{ProjectRole, ProjectStore as _};
use store::users::{UserRole, UserStore as _};

/// Two people, a team that only one of them is in, and things of the team.
struct ProjectHarness {
    app: TestApp,
    owner: String,
    inside: String,
    outside: String,
    team: String,
    workflow: String,
    credential: String,
    table: String,
    collection: String,
    column: String,
    execution: i64,
}

async fn send(app: &TestApp, key: &str, method: &str, path: &str, body: &str) -> Reply {
    app.call(method, &format!("/api/v1{path}")).key(key).json(body).send().await
}

fn hook(name: &str, path: &str, credential: Option<&str>, project: Option<&str>) -> String {
    let guard = credential.map_or(String::new(), |id| {
        format!(r#","credentials":{{"httpHeaderAuth":{{"id":"{id}","name":"c"}}}}"#)
    });
    let authentication = if credential.is_some() { "headerAuth" } else { "none" };
    let parameters = format!(r#"{{"path":"{path}","authentication":"{authentication}"}}"#);
    let kind = r#""type":"n8n-nodes-base.webhook","typeVersion":2,"position":[0,0]"#;
    let node = format!(r#"{{"id":"n","name":"Hook",{kind},"parameters":{parameters}{guard}}}"#);
    let project = project.map_or(String::new(), |id| format!(r#","projectId":"{id}""#));
    format!(r#"{{"name":"{name}","nodes":[{node}],"connections":{{}},"settings":{{}}{project}}}"#)
}

const SECRET: &str = r#""type":"httpHeaderAuth","data":{"name":"X-Key","value":"s"}"#;

impl ProjectHarness {
    async fn new() -> Self {
        let app = TestApp::start().await;
        let owner = app.owner_key().await;
        let member = app.user("in@x.y", UserRole::Editor).await;
        app.user("out@x.y", UserRole::Editor).await;
        let (inside, outside) = (app.key("in@x.y", &["*"]).await, app.key("out@x.y", &["*"]).await);
        let team = send(&app, &owner, "POST", "/projects", r#"{"name":"Team"}"#).await.text("id");
        let relations =
            format!(r#"{{"relations":[{{"userId":"{}","role":"project:editor"}}]}}"#, member.id);
        assert_eq!(
            send(&app, &owner, "POST", &format!("/projects/{team}/users"), &relations).await.status,
            201
        );
        let body = format!(r#"{{"name":"c",{SECRET},"projectId":"{team}"}}"#);
        let credential = send(&app, &inside, "POST", "/credentials", &body).await.text("id");
        let body = format!(
            r#"{{"name":"t","columns":[{{"name":"word","type":"string"}}],"projectId":"{team}"}}"#
        );
        let made = send(&app, &inside, "POST", "/data-tables", &body).await;
        assert_eq!(made.status, 201, "{}", made.body);
        let table = made.text("id");
        let column = made.json().get("columns").unwrap().as_array().unwrap()[0]
            .get("id")
            .unwrap()
            .as_str()
            .unwrap()
            .to_owned();
        let body = format!(r#"{{"name":"docs","projectId":"{team}"}}"#);
        let collection = send(&app, &inside, "POST", "/collections", &body).await.text("id");
        let made = send(
            &app,
            &inside,
            "POST",
            "/workflows",
            &hook("w", "team", Some(&credential), Some(&team)),
        )
        .await;
        assert_eq!(made.status, 200, "{}", made.body);
        let workflow = made.text("id");
        assert_eq!(
            send(&app, &inside, "POST", &format!("/workflows/{workflow}/activate"), "")
                .await
                .status,
            200
        );
        let called = app.call("GET", "/webhook/team").header("X-Key", "s").send().await;
        assert_eq!(called.status, 200, "{}", called.body);
        let execution = app
            .store
            .executions(store::executions::ExecutionFilter { limit: 1, ..Default::default() })
            .await
            .unwrap()[0]
            .id;
        Self {
            app,
            owner,
            inside,
            outside,
            team,
            workflow,
            credential,
            table,
            collection,
            column,
            execution,
        }
    }

    /// The path of an operation with real ids in it.
    fn resolve_path(&self, path: &str) -> String {
        path.replace("workflows/nope", &format!("workflows/{}", self.workflow))
            .replace("credentials/nope", &format!("credentials/{}", self.credential))
            .replace("executions/nope", &format!("executions/{}", self.execution))
            .replace("projects/nope", &format!("projects/{}", self.team))
            .replace("data-tables/nope", &format!("data-tables/{}", self.table))
            .replace("collections/nope", &format!("collections/{}", self.collection))
            .replace("columns/nope", &format!("columns/{}", self.column))
    }

    async fn set_role(&self, email: &str, role: ProjectRole) {
        let user = self.app.store.user(email).await.unwrap().unwrap();
        self.app.store.set_members(&self.team, vec![(user.id, role)]).await.unwrap();
    }
}

#[tokio::test]
async fn a_foreign_id_is_answered_like_one_that_is_not_there() {
    let world = ProjectHarness::new().await;
    for operation in operations(&world.app).await {
        let real = world.resolve_path(&operation.path);
        if real == operation.path || operation.path.contains("credentials/schema") {
            continue;
        }
        let body = match operation.id.as_str() {
            "updateWorkflow" => hook("x", "x", None, None),
            "transferWorkflow" | "transferCredential" => {
                format!(r#"{{"destinationProjectId":"{}"}}"#, world.team)
            }
            "updateWorkflowTags" | "updateExecutionTags" => "[]".to_owned(),
            "shareCredential" => r#"{"shareWithIds":[]}"#.to_owned(),
            "updateProject" => r#"{"name":"Mine"}"#.to_owned(),
            "addUsersToProject" => {
                r#"{"relations":[{"userId":"u","role":"project:admin"}]}"#.to_owned()
            }
            "changeUserRoleInProject" => r#"{"role":"project:admin"}"#.to_owned(),
            "updateDataTable" => r#"{"name":"Mine"}"#.to_owned(),
            "createDataTableColumn" => r#"{"name":"mine","type":"string"}"#.to_owned(),
            "updateDataTableColumn" => r#"{"name":"mine"}"#.to_owned(),
            "insertDataTableRows" => r#"{"data":[{}]}"#.to_owned(),
            "updateDataTableRows" | "upsertDataTableRow" => {
                r#"{"filter":{"filters":[]},"data":{}}"#.to_owned()
            }
            _ => "{}".to_owned(),
        };
        let query = if operation.id == "deleteDataTableRows" {
            "?filter=%7B%22filters%22%3A%5B%5D%7D"
        } else {
            ""
        };
        let (real, unknown) = (format!("{real}{query}"), format!("{}{query}", operation.path));
        let call = |path: &str| {
            world.app.call(&operation.method, path).key(&world.outside).json(&body).send()
        };
        let (foreign, unknown) = (call(&real).await, call(&unknown).await);
        assert_eq!(
            (foreign.status, unknown.status),
            (404, 404),
            "{}: {} / {}",
            operation.id,
            foreign.body,
            unknown.body
        );
        let told = |reply: &Reply| {
            (reply.text("code"), reply.text("message").split('\'').next().unwrap().to_owned())
        };
        assert_eq!(told(&foreign), told(&unknown), "{}", operation.id);
    }
    assert_eq!(
        send(&world.app, &world.inside, "GET", &format!("/workflows/{}", world.workflow), "")
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn lists_have_only_what_is_within_reach() {
    let world = ProjectHarness::new().await;
    for (path, for_owner, for_member, for_stranger) in [
        ("/workflows".to_owned(), 1, 1, 0),
        ("/executions".to_owned(), 1, 1, 0),
        ("/credentials".to_owned(), 1, 1, 0),
        (format!("/workflows?projectId={}", world.team), 1, 1, 0),
        (format!("/executions?projectId={}", world.team), 1, 1, 0),
        (format!("/executions?workflowId={}", world.workflow), 1, 1, 0),
        ("/data-tables".to_owned(), 1, 1, 0),
        ("/collections".to_owned(), 1, 1, 0),
        ("/projects".to_owned(), 4, 2, 1),
    ] {
        for (key, expected) in
            [(&world.owner, for_owner), (&world.inside, for_member), (&world.outside, for_stranger)]
        {
            let rows = send(&world.app, key, "GET", &path, "").await.rows();
            assert_eq!(rows.len(), expected, "{path}");
        }
    }
    let stopped = send(
        &world.app,
        &world.outside,
        "POST",
        "/executions/stop",
        r#"{"status":["running","waiting"]}"#,
    )
    .await;
    assert_eq!(stopped.body, r#"{"stopped":0}"#);
}

/// One decision about many reaches only what its maker may change, and so does taking it back.
#[tokio::test]
async fn nobody_decides_about_uncertain_executions_of_others() {
    let world = ProjectHarness::new().await;
    world.app.store.set_status(world.execution, model::RunStatus::Uncertain).await.unwrap();
    let decide = async |key: &str, body: &str| {
        let reply = send(&world.app, key, "POST", "/executions/resume", body).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        (reply.json().get("executions").unwrap().as_f64().unwrap(), reply.text("batch"))
    };
    let everything = r#"{"decision":"again","holdSeconds":3600}"#;
    let by_id =
        format!(r#"{{"decision":"again","ids":["{}"],"holdSeconds":3600}}"#, world.execution);
    let steps =
        async |key: &str| send(&world.app, key, "GET", "/executions/uncertain", "").await.json();
    for body in [everything, &by_id] {
        assert_eq!(decide(&world.outside, body).await.0, 0.0, "{body}");
    }
    assert_eq!(steps(&world.outside).await, model::json!({ "data": [], "batches": [] }));
    world.set_role("in@x.y", ProjectRole::Viewer).await;
    for body in [everything, &by_id] {
        assert_eq!(decide(&world.inside, body).await.0, 0.0, "whoever only looks: {body}");
    }
    world.set_role("in@x.y", ProjectRole::Editor).await;
    let (decided, batch) = decide(&world.inside, &by_id).await;
    assert_eq!(decided, 1.0);
    let undo = async |key: &str| {
        let path = format!("/executions/resume/{batch}");
        send(&world.app, key, "DELETE", &path, "").await.body
    };
    assert_eq!(steps(&world.outside).await, model::json!({ "data": [], "batches": [] }));
    assert_eq!(undo(&world.outside).await, r#"{"executions":0}"#);
    assert_eq!(undo(&world.inside).await, r#"{"executions":1}"#);
    for (body, what) in [
        (r#"{"decision":"again","result":"x"}"#, "a result of what is done again"),
        (r#"{"result":"x"}"#, "no decision"),
        (r#"{"decision":"again","holdSeconds":3601}"#, "a hold that is too long"),
        (r#"{"decision":"again","ids":[]}"#, "no id"),
        (r#"{"decision":"again","all":true}"#, "an unknown field"),
    ] {
        let reply = send(&world.app, &world.inside, "POST", "/executions/resume", body).await;
        assert_eq!(reply.status, 400, "{what}: {}", reply.body);
    }
}

#[tokio::test]
async fn each_role_in_a_project_may_do_what_the_table_says() {
    let world = ProjectHarness::new().await;
    let path = |rest: &str| world.resolve_path(rest);
    let relations =
        |id: &str| format!(r#"{{"relations":[{{"userId":"{id}","role":"project:viewer"}}]}}"#);
    let member = world.app.store.user("in@x.y").await.unwrap().unwrap();
    let table: Vec<(&str, String, String, ProjectRole)> = vec![
        ("GET", path("/workflows/nope"), String::new(), ProjectRole::Viewer),
        ("GET", path("/workflows/nope/history"), String::new(), ProjectRole::Viewer),
        ("GET", path("/workflows/nope/tags"), String::new(), ProjectRole::Viewer),
        ("GET", path("/executions/nope"), String::new(), ProjectRole::Viewer),
        ("GET", path("/executions/nope/events"), String::new(), ProjectRole::Viewer),
        ("GET", path("/credentials/nope"), String::new(), ProjectRole::Viewer),
        ("GET", path("/projects/nope/users"), String::new(), ProjectRole::Viewer),
        ("GET", path("/collections/nope/chunks"), String::new(), ProjectRole::Viewer),
        (
            "PATCH",
            path("/collections/nope"),
            r#"{"description":"x"}"#.to_owned(),
            ProjectRole::Editor,
        ),
        (
            "PUT",
            path("/workflows/nope"),
            hook("w", "team", Some(&world.credential), None),
            ProjectRole::Editor,
        ),
        ("PUT", path("/workflows/nope/tags"), "[]".to_owned(), ProjectRole::Editor),
        ("POST", path("/workflows/nope/deactivate"), String::new(), ProjectRole::Editor),
        ("POST", path("/workflows/nope/activate"), String::new(), ProjectRole::Editor),
        (
            "POST",
            "/workflows".to_owned(),
            hook("new", "new", None, Some(&world.team)),
            ProjectRole::Editor,
        ),
        (
            "POST",
            "/credentials".to_owned(),
            format!(r#"{{"name":"n",{SECRET},"projectId":"{}"}}"#, world.team),
            ProjectRole::Editor,
        ),
        (
            "PATCH",
            path("/credentials/nope"),
            r#"{"name":"renamed"}"#.to_owned(),
            ProjectRole::Editor,
        ),
        ("POST", path("/credentials/nope/test"), String::new(), ProjectRole::Editor),
        ("GET", path("/credentials/nope/models"), String::new(), ProjectRole::Editor),
        (
            "POST",
            "/variables".to_owned(),
            format!(r#"{{"key":"k","value":"v","projectId":"{}"}}"#, world.team),
            ProjectRole::Editor,
        ),
        ("PUT", path("/executions/nope/tags"), "[]".to_owned(), ProjectRole::Editor),
        (
            "PUT",
            path("/credentials/nope/share"),
            r#"{"shareWithIds":[]}"#.to_owned(),
            ProjectRole::Admin,
        ),
        (
            "PUT",
            path("/credentials/nope/transfer"),
            format!(r#"{{"destinationProjectId":"{}"}}"#, world.team),
            ProjectRole::Admin,
        ),
        (
            "PUT",
            path("/workflows/nope/transfer"),
            format!(r#"{{"destinationProjectId":"{}"}}"#, world.team),
            ProjectRole::Admin,
        ),
        ("PUT", path("/projects/nope"), r#"{"name":"Team"}"#.to_owned(), ProjectRole::Admin),
        ("POST", path("/projects/nope/users"), relations("nobody"), ProjectRole::Admin),
        (
            "PATCH",
            path("/projects/nope/users/nobody"),
            r#"{"role":"project:viewer"}"#.to_owned(),
            ProjectRole::Admin,
        ),
        ("DELETE", path("/projects/nope/users/nobody"), String::new(), ProjectRole::Admin),
    ];
    for role in ProjectRole::ALL {
        world.set_role("in@x.y", role).await;
        for (method, path, body, least) in &table {
            let reply = send(&world.app, &world.inside, method, path, body).await;
            assert_eq!(
                reply.status != 403,
                role >= *least,
                "{method} {path} as {}: {} {}",
                role.name(),
                reply.status,
                reply.body
            );
            assert!(reply.status < 500, "{method} {path}: {}", reply.body);
        }
    }
    assert!(world.app.store.remove_member(&world.team, &member.id).await.unwrap());
    for (method, path, body, _) in &table {
        let reply = send(&world.app, &world.inside, method, path, body).await;
        assert_eq!(reply.status, 404, "{method} {path} from outside: {}", reply.body);
    }
}

#[tokio::test]
async fn a_viewer_of_the_instance_changes_nothing_in_any_project() {
    let world = ProjectHarness::new().await;
    world.app.user("v@x.y", UserRole::Viewer).await;
    world.set_role("v@x.y", ProjectRole::Admin).await;
    let key = world.app.key("v@x.y", &["*"]).await;
    assert_eq!(
        send(&world.app, &key, "GET", &world.resolve_path("/workflows/nope"), "").await.status,
        200
    );
    assert_eq!(
        send(&world.app, &key, "DELETE", &world.resolve_path("/workflows/nope"), "").await.status,
        403
    );
    assert_eq!(
        send(&world.app, &key, "PUT", &world.resolve_path("/projects/nope"), r#"{"name":"x"}"#)
            .await
            .status,
        403
    );
}

#[tokio::test]
async fn a_workflow_cannot_be_saved_moved_or_run_with_a_foreign_credential() {
    let world = ProjectHarness::new().await;
    let (app, credential) = (&world.app, world.credential.as_str());
    let mine = send(app, &world.outside, "POST", "/workflows", &hook("mine", "mine", None, None))
        .await
        .text("id");
    for (method, path) in [("POST", "/workflows".to_owned()), ("PUT", format!("/workflows/{mine}"))]
    {
        let reply =
            send(app, &world.outside, method, &path, &hook("mine", "mine", Some(credential), None))
                .await;
        assert_eq!((reply.status, reply.text("code")), (422, "CREDENTIAL_FOREIGN".to_owned()));
    }
    // The second door: whoever writes into the store itself gets no further.
    let document = hook("mine", "mine", Some(credential), None);
    let version = store::workflows::NewVersion {
        id: mine.as_str().into(),
        name: "mine".into(),
        document: document.into(),
        author: None,
        static_data: None,
    };
    let saved = store::WorkflowStore::save_workflow(&app.store, version).await.unwrap();
    let refused =
        send(app, &world.outside, "POST", &format!("/workflows/{mine}/activate"), "").await;
    assert_eq!((refused.status, refused.text("code")), (422, "CREDENTIAL_FOREIGN".to_owned()));
    let version = store::workflows::ActivatedVersion::Newest(saved.version_id);
    assert!(
        store::WorkflowStore::activate(&app.store, &mine, version, Vec::new())
            .await
            .unwrap()
            .done()
            .is_some()
    );
    app.runtime.reload().await.unwrap();
    let called = app.call("GET", "/webhook/mine").header("X-Key", "s").send().await;
    assert!(called.status >= 400, "a foreign credential opened a webhook: {}", called.body);
    // Moving the team's workflow away from its credential.
    let to = |id: &str| format!(r#"{{"destinationProjectId":"{id}"}}"#);
    let moved = send(
        app,
        &world.owner,
        "PUT",
        &world.resolve_path("/workflows/nope/transfer"),
        &to("personal"),
    )
    .await;
    assert_eq!((moved.status, moved.text("code")), (422, "CREDENTIAL_FOREIGN".to_owned()));
    // Sharing opens it, and taking the share back closes it.
    let home = send(app, &world.outside, "GET", "/projects", "").await.rows()[0]
        .get("id")
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned();
    let put = async |ids: &str| {
        send(
            app,
            &world.owner,
            "PUT",
            &world.resolve_path("/credentials/nope/share"),
            &format!(r#"{{"shareWithIds":[{ids}]}}"#),
        )
        .await
        .status
    };
    assert_eq!(put(&format!(r#""{home}""#)).await, 204);
    assert_eq!(app.call("GET", "/webhook/mine").header("X-Key", "s").send().await.status, 200);
    let shared =
        send(app, &world.outside, "GET", &world.resolve_path("/credentials/nope"), "").await;
    assert_eq!(shared.status, 200, "{}", shared.body);
    assert_eq!(
        send(app, &world.outside, "DELETE", &world.resolve_path("/credentials/nope"), "")
            .await
            .status,
        403
    );
    assert_eq!(put("").await, 204);
    assert!(app.call("GET", "/webhook/mine").header("X-Key", "s").send().await.status >= 400);
    assert_eq!(
        send(app, &world.outside, "GET", &world.resolve_path("/credentials/nope"), "").await.status,
        404
    );
}

#[tokio::test]
async fn variables_of_a_project_are_for_its_people() {
    let world = ProjectHarness::new().await;
    let (app, team) = (&world.app, &world.team);
    assert_eq!(
        send(app, &world.inside, "POST", "/variables", r#"{"key":"A","value":"all"}"#).await.status,
        403
    );
    assert_eq!(
        send(app, &world.owner, "POST", "/variables", r#"{"key":"A","value":"all"}"#).await.status,
        201
    );
    let body = format!(r#"{{"key":"A","value":"team","projectId":"{team}"}}"#);
    assert_eq!(send(app, &world.outside, "POST", "/variables", &body).await.status, 404);
    let made = send(app, &world.inside, "POST", "/variables", &body).await;
    assert_eq!(made.status, 201, "{}", made.body);
    assert_eq!(send(app, &world.inside, "POST", "/variables", &body).await.status, 409);
    let path = format!("/variables/{}", made.text("id"));
    assert_eq!(send(app, &world.outside, "PUT", &path, &body).await.status, 404);
    assert_eq!(send(app, &world.outside, "DELETE", &path, "").await.status, 404);
    assert_eq!(send(app, &world.inside, "GET", "/variables", "").await.rows().len(), 2);
    assert_eq!(send(app, &world.outside, "GET", "/variables", "").await.rows().len(), 1);
    assert_eq!(send(app, &world.inside, "DELETE", &path, "").await.status, 204);
}

#[tokio::test]
async fn what_belonged_to_somebody_who_leaves_goes_to_the_owner() {
    let app = TestApp::start().await;
    let owner = app.owner_key().await;
    let user = app.user("e@x.y", UserRole::Editor).await;
    let key = app.key("e@x.y", &["*"]).await;
    let id = send(&app, &key, "POST", "/workflows", &hook("w", "w", None, None)).await.text("id");
    assert_eq!(
        send(&app, &owner, "GET", "/workflows?projectId=personal", "").await.rows().len(),
        0
    );
    assert_eq!(send(&app, &owner, "DELETE", &format!("/users/{}", user.id), "").await.status, 204);
    assert_eq!(send(&app, &owner, "GET", &format!("/workflows/{id}"), "").await.status, 200);
    assert_eq!(
        send(&app, &owner, "GET", "/workflows?projectId=personal", "").await.rows().len(),
        1
    );
    assert_eq!(send(&app, &owner, "GET", "/projects", "").await.rows().len(), 1);
}

#[tokio::test]
async fn personal_projects_belong_to_their_person_alone() {
    let app = TestApp::start().await;
    let owner = app.owner_key().await;
    let user = app.user("e@x.y", UserRole::Editor).await;
    let key = app.key("e@x.y", &["*"]).await;
    let own = app.store.personal_project(&user.id).await.unwrap().unwrap();
    let relations =
        format!(r#"{{"relations":[{{"userId":"{}","role":"project:admin"}}]}}"#, user.id);
    for key in [&owner, &key] {
        assert_eq!(
            send(&app, key, "POST", &format!("/projects/{own}/users"), &relations).await.status,
            400
        );
        assert_eq!(send(&app, key, "DELETE", &format!("/projects/{own}"), "").await.status, 400);
    }
    let members = send(&app, &key, "GET", &format!("/projects/{own}/users"), "").await.rows();
    assert_eq!(members[0].get("role").unwrap().as_str(), Some("project:personalOwner"));
}

#[tokio::test]
async fn a_stream_of_events_has_only_runs_within_reach_and_ends_with_the_right_to_it() {
    let world = ProjectHarness::new().await;
    let app = &world.app;
    let (mut inside, mut outside) = (
        app.stream("/api/v1/events", &world.inside).await,
        app.stream("/api/v1/events", &world.outside).await,
    );
    app.call("GET", "/webhook/team").header("X-Key", "s").send().await;
    assert!(inside.hears("executionStarted").await);
    assert!(!outside.overhears(0, "executionStarted").await, "a stranger hears of the run");
    let member = app.store.user("in@x.y").await.unwrap().unwrap();
    app.store.remove_member(&world.team, &member.id).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
    let before = inside.received();
    app.call("GET", "/webhook/team").header("X-Key", "s").send().await;
    assert!(
        !inside.overhears(before, "executionStarted").await,
        "whoever has left still hears of runs"
    );
    let foreign = app
        .call("GET", "/api/v1/events")
        .key(&world.inside)
        .header("Origin", "http://evil.example")
        .send()
        .await;
    assert_eq!(foreign.status, 403);
    assert_eq!(
        app.call("GET", &format!("/api/v1/events?workflowId={}", world.workflow))
            .key(&world.outside)
            .send()
            .await
            .status,
        404
    );
}

/// A workflow whose webhook calls another one.
fn calling(path: &str, parameters: &str, settings: &str) -> String {
    let hook = format!(
        r#"{{"id":"a","name":"Hook","type":"n8n-nodes-base.webhook","typeVersion":2,"position":[0,0],"parameters":{{"path":"{path}","responseMode":"lastNode"}}}}"#
    );
    let call = format!(
        r#"{{"id":"b","name":"Call","type":"n8n-nodes-base.executeWorkflow","typeVersion":1.2,"position":[1,0],"parameters":{parameters}}}"#
    );
    let connections = r#"{"Hook":{"main":[[{"node":"Call","type":"main","index":0}]]}}"#;
    format!(
        r#"{{"name":"{path}","nodes":[{hook},{call}],"connections":{connections},"settings":{settings}}}"#
    )
}

#[tokio::test]
async fn no_workflow_borrows_the_rights_of_another_project_by_calling_into_it() {
    let world = ProjectHarness::new().await;
    let (app, team) = (&world.app, &world.team);
    let start = r#"{"id":"s","name":"Start","type":"n8n-nodes-base.executeWorkflowTrigger","typeVersion":1,"position":[0,0],"parameters":{}}"#;
    let called = |policy: &str| {
        format!(
            r#"{{"name":"called","nodes":[{start}],"connections":{{}},"settings":{{{policy}}},"projectId":"{team}"}}"#
        )
    };
    let make = async |key: &str, body: &str| {
        let made = send(app, key, "POST", "/workflows", body).await;
        assert_eq!(made.status, 200, "{}", made.body);
        made.text("id")
    };
    let by_id = |id: &str| {
        format!(r#"{{"workflowId":{{"__rl":true,"mode":"id","value":"{id}"}},"options":{{}}}}"#)
    };
    let (closed, open) = (
        make(&world.inside, &called("")).await,
        make(&world.inside, &called(r#""callerPolicy":"any""#)).await,
    );
    let mut number = 0;
    let mut status_of = async |key: &str, parameters: String, settings: &str| {
        number += 1;
        let path = format!("call{number}");
        let id = make(key, &calling(&path, &parameters, settings)).await;
        let activated = send(app, key, "POST", &format!("/workflows/{id}/activate"), "").await;
        assert_eq!(activated.status, 200, "{}", activated.body);
        app.call("GET", &format!("/webhook/{path}")).send().await.status
    };
    assert!(
        status_of(&world.outside, by_id(&closed), "{}").await >= 400,
        "a foreign workflow was called"
    );
    assert_eq!(status_of(&world.outside, by_id(&open), "{}").await, 200);
    // A workflow that comes as text claims the id of one that has the credential.
    let node = format!(
        r#"{{"id":"g","name":"Get","type":"n8n-nodes-base.httpRequest","typeVersion":4.2,"position":[1,0],"parameters":{{"url":"http://127.0.0.1:1/","authentication":"genericCredentialType","genericAuthType":"httpHeaderAuth"}},"credentials":{{"httpHeaderAuth":{{"id":"{}","name":"c"}}}}}}"#,
        world.credential
    );
    let text = format!(
        r#"{{"id":"{}","name":"w","nodes":[{start},{node}],"connections":{{"Start":{{"main":[[{{"node":"Get","type":"main","index":0}}]]}}}}}}"#,
        world.workflow
    );
    let inline = format!(
        r#"{{"source":"parameter","workflowJson":{},"options":{{}}}}"#,
        model::json::to_string(&text.into())
    );
    assert!(status_of(&world.outside, inline, "{}").await >= 400);
    let told =
        send(app, &world.outside, "GET", "/executions?includeData=true&limit=1", "").await.body;
    assert!(told.contains("CREDENTIAL_MISSING"), "the text was given the credential: {told}");
    // A foreign workflow that is to hear of failures hears nothing.
    let before = send(app, &world.owner, "GET", &format!("/executions?workflowId={closed}"), "")
        .await
        .rows()
        .len();
    status_of(&world.outside, by_id("nothing"), &format!(r#"{{"errorWorkflow":"{closed}"}}"#))
        .await;
    assert_eq!(
        send(app, &world.owner, "GET", &format!("/executions?workflowId={closed}"), "")
            .await
            .rows()
            .len(),
        before
    );
}

#[tokio::test]
async fn a_workflow_reaches_only_the_data_tables_of_its_project() {
    let world = ProjectHarness::new().await;
    let app = &world.app;
    let reader = |(mode, table): (&str, &str), path: &str, project: Option<&str>| {
        let hook = hook("reader", path, None, project)
            .replace(r#""path""#, r#""responseMode":"lastNode","path""#);
        let node = format!(
            r#",{{"id":"t","name":"Table","type":"n8n-nodes-base.dataTable","typeVersion":1,"position":[0,0],
                "parameters":{{"operation":"get","dataTableId":{{"__rl":true,"mode":"{mode}","value":"{table}"}},"returnAll":true}}}}],
                "connections":{{"Hook":{{"main":[[{{"node":"Table","type":"main","index":0}}]]}}}}"#
        );
        hook.replace(r#"],"connections":{}"#, &node)
    };
    let rows = r#"{"data":[{"word":"kept"}]}"#;
    assert_eq!(
        send(app, &world.inside, "POST", &format!("/data-tables/{}/rows", world.table), rows)
            .await
            .status,
        200
    );
    for (key, path, project, sees) in [
        (&world.inside, "ours", Some(world.team.as_str()), true),
        (&world.outside, "theirs", None, false),
    ] {
        for (named, path) in [
            (("id", world.table.as_str()), path.to_owned()),
            (("name", "t"), format!("{path}-by-name")),
        ] {
            let document = reader(named, &path, project);
            let made = send(app, key, "POST", "/workflows", &document).await;
            assert_eq!(made.status, 200, "{}", made.body);
            assert_eq!(
                send(app, key, "POST", &format!("/workflows/{}/activate", made.text("id")), "")
                    .await
                    .status,
                200
            );
            let called = app.call("GET", &format!("/webhook/{path}")).send().await;
            assert_eq!(called.body.contains("kept"), sees, "{path}: {}", called.body);
        }
    }
    // A name is free in every other project.
    let taken = r#"{"name":"t","columns":[]}"#;
    assert_eq!(send(app, &world.outside, "POST", "/data-tables", taken).await.status, 201);
    assert_eq!(send(app, &world.outside, "POST", "/data-tables", taken).await.status, 409);
}
