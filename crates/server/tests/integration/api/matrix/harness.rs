//! A project with one of everything in it, made anew as often as it is needed, and people who are
//! in it or not.

use super::rows::{MatrixRow, PEOPLE, Person};
use crate::app::{Call, Reply, Session, TestApp, TestOptions};
use heddle_server::{AdmissionLimits, WebContent, WebFile};
use node_api::ai::{EntryQuery, LongTermMemory as _, NewEntry};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use store::projects::{ProjectRole, ProjectStore as _};
use store::users::UserRole;

/// Stands in the name of everything that the project has, and in no answer to those who are not in
/// it.
pub(super) const MARK: &str = "mark-of-the-team";

static EDITOR: &[WebFile] = &[WebFile {
    path: "index.html",
    kind: "text/html",
    tag: "\"1\"",
    content: WebContent::Plain(b"<title>Heddle</title>"),
}];

pub(super) struct MatrixHarness {
    pub(super) app: TestApp,
    people: Vec<(Person, Option<(String, Session)>)>,
    members: Vec<(model::Str, ProjectRole)>,
    owner: String,
    team: String,
    /// An active workflow with a chat and an embeddings node.
    chat: String,
    /// An execution with a file, and what the file is called there.
    execution: String,
    file: String,
}

/// What a wait listens to, and the expression that gives its address.
struct WaitFixture {
    parameters: Value,
    address: &'static str,
}

impl WaitFixture {
    fn webhook(suffix: &str) -> Self {
        let parameters = json!({ "resume": "webhook", "httpMethod": "POST", "options": { "webhookSuffix": suffix } });
        Self { parameters, address: "={{ $execution.resumeUrl }}" }
    }

    fn form() -> Self {
        let fields = json!({ "values": [{ "fieldLabel": "a" }] });
        let parameters =
            json!({ "resume": "form", "formTitle": "Form", "formFields": fields, "options": {} });
        Self { parameters, address: "={{ $execution.resumeFormUrl }}" }
    }
}

fn node(name: &str, kind: &str, version: f64, parameters: Value) -> Value {
    json!({ "id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters })
}

fn workflow(nodes: &[Value], team: &str) -> Value {
    json!({ "name": MARK, "nodes": nodes, "connections": {}, "settings": {}, "projectId": team })
}

fn form(path: &str) -> Value {
    let fields = json!({ "values": [{ "fieldLabel": "a" }] });
    node(
        "Form",
        "n8n-nodes-base.formTrigger",
        2.2,
        json!({ "formTitle": "Form", "formFields": fields, "options": { "path": path } }),
    )
}

fn hook(path: &str, options: Value) -> Value {
    node(
        "Hook",
        "n8n-nodes-base.webhook",
        2.1,
        json!({ "httpMethod": "POST", "path": path, "options": options }),
    )
}

fn mcp(path: &str) -> Value {
    node("Server", "@n8n/n8n-nodes-langchain.mcpTrigger", 2.0, json!({ "path": path }))
}

/// A word that was not used before.
fn fresh() -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    format!("fresh{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

impl MatrixHarness {
    pub(super) async fn new() -> Self {
        let admission = AdmissionLimits { per_second: 1_000_000, ..AdmissionLimits::default() };
        let app = TestApp::start_with(TestOptions {
            admission,
            editor: EDITOR,
            ..TestOptions::default()
        })
        .await;
        let owner = app.owner_key().await;
        let mut people = vec![(Person::Anonymous, None)];
        let mut members = Vec::new();
        for (person, role, within) in [
            (Person::Outsider, UserRole::Editor, None),
            (Person::Viewer, UserRole::Editor, Some(ProjectRole::Viewer)),
            (Person::Editor, UserRole::Editor, Some(ProjectRole::Editor)),
            (Person::Admin, UserRole::Editor, Some(ProjectRole::Admin)),
            (Person::Owner, UserRole::Owner, None),
        ] {
            let email = format!("{person:?}@x.y").to_lowercase();
            let user = app.user(&email, role).await;
            members.extend(within.map(|role| (user.id, role)));
            people.push((person, Some((app.key(&email, &["*"]).await, app.log_in(&email).await))));
        }
        assert!(people.iter().map(|(person, _)| *person).eq(PEOPLE));
        let mut world = Self {
            app,
            people,
            members,
            owner,
            team: String::new(),
            chat: String::new(),
            execution: String::new(),
            file: String::new(),
        };
        world.team = world.project().await;
        let outside = world.made("/projects", json!({ "name": "another" })).await;
        let user = store::UserStore::user(&world.app.store, "outsider@x.y").await.unwrap().unwrap();
        world.app.store.set_members(&outside, vec![(user.id, ProjectRole::Admin)]).await.unwrap();
        world.furnish().await;
        world
    }

    async fn furnish(&mut self) {
        // A chat that answers without a model, and an embeddings node.
        let mut chat =
            node("Chat", "@n8n/n8n-nodes-langchain.chatTrigger", 1.4, json!({ "public": true }));
        chat["webhookId"] = json!("talk");
        let vectors = node("Vectors", "@n8n/n8n-nodes-langchain.embeddingsOpenAi", 1.2, json!({}));
        self.chat = self.active(&workflow(&[chat, vectors], &self.team)).await;
        let mut members = node(
            "Chat",
            "@n8n/n8n-nodes-langchain.chatTrigger",
            1.4,
            json!({ "public": true, "authentication": "n8nUserAuth" }),
        );
        members["webhookId"] = json!("members");
        self.active(&workflow(&[members], &self.team)).await;
        self.active(&workflow(&[form("open")], &self.team)).await;
        self.active(&workflow(&[mcp("open")], &self.team)).await;
        self.active(&workflow(&[hook("open", json!({ "binaryData": true }))], &self.team)).await;
        self.execution = self.run_once().await;
        let items = self
            .api("GET", &format!("/executions/{}/items?node=Hook", self.execution), &Value::Null)
            .await
            .body;
        let (_, url) = items.split_once("/binary/").unwrap_or_else(|| panic!("no file in {items}"));
        self.file = url.split('"').next().unwrap().to_owned();
        self.leave_marks().await;
    }

    /// Puts the mark into every list that people see a part of.
    async fn leave_marks(&self) {
        for kind in ["credentials", "tags", "variables", "data-tables", "collections", "memories"] {
            self.one_of(kind).await;
        }
        let (_, execution, _) = self.waiting(WaitFixture::webhook("")).await;
        let raw = rusqlite::Connection::open(self.app.folder.0.join("heddle.db")).unwrap();
        raw.execute(
            "INSERT INTO approvals (execution_id, call, node, tool, arguments, digest, asked_ms, until_ms)
             VALUES (?1, 'tool 1.1', 'Agent', ?2, '{}', 'x', 1, 4102444800000)",
            (execution.parse::<i64>().unwrap(), MARK),
        )
        .unwrap();
        raw.execute(
            "INSERT INTO spending (day, workflow_id, session, provider, model, calls, input, cached, output, dollars)
             VALUES ('2026-01-31', ?1, '', ?2, 'm', 1, 1, 0, 1, 0.5)",
            (self.chat.as_str(), MARK),
        )
        .unwrap();
    }

    /// An execution that waits: its workflow, its id, and the path at which it is called.
    async fn waiting(&self, wait: WaitFixture) -> (String, String, String) {
        let path = fresh();
        let mut document = workflow(
            &[hook(&path, json!({})), node("Wait", "n8n-nodes-base.wait", 1.1, wait.parameters)],
            &self.team,
        );
        document["connections"] =
            json!({ "Hook": { "main": [[{ "node": "Wait", "type": "main", "index": 0 }]] } });
        let workflow = self.active(&document).await;
        assert_eq!(self.app.call("POST", &format!("/webhook/{path}")).send().await.status, 200);
        let began = Instant::now();
        let execution = loop {
            let rows = self
                .api(
                    "GET",
                    &format!("/executions?workflowId={workflow}&status=waiting"),
                    &Value::Null,
                )
                .await
                .rows();
            if let Some(row) = rows.first() {
                break row.get("id").unwrap().as_str().unwrap().to_owned();
            }
            assert!(began.elapsed() < Duration::from_secs(60), "it does not wait");
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        document.as_object_mut().unwrap().remove("projectId");
        let asked = json!({ "workflow": document, "workflowId": workflow, "executionId": execution, "node": "Wait", "expression": wait.address });
        let address = self.api("POST", "/workflows/expression", &asked).await.text("text");
        let path = format!(
            "/{}",
            address.splitn(4, '/').nth(3).unwrap_or_else(|| panic!("no address: {address}"))
        );
        (workflow, execution, path)
    }

    /// The path at which a workflow with this trigger listens for a test.
    async fn tested(&self, door: &str, trigger: impl FnOnce(&str) -> Value) -> String {
        let path = fresh();
        let id = self.made("/workflows", workflow(&[trigger(&path)], &self.team)).await;
        let listens = self.api("POST", &format!("/workflows/{id}/test-webhook"), &json!({})).await;
        assert_eq!(listens.status, 200, "{}", listens.body);
        format!("/{door}/{path}")
    }

    /// An execution that can be tried again.
    async fn stopped(&self) -> String {
        let (_, execution, _) = self.waiting(WaitFixture::webhook("")).await;
        assert_eq!(
            self.api("POST", &format!("/executions/{execution}/stop"), &Value::Null).await.status,
            200
        );
        execution
    }

    /// A workflow with an execution that waits, and the id of the latter.
    pub(super) async fn asleep(&self) -> (String, String) {
        let (workflow, execution, _) = self.waiting(WaitFixture::webhook("")).await;
        (workflow, execution)
    }

    /// A thing of the project that has the mark.
    async fn one_of(&self, kind: &str) -> String {
        let mark = || format!("{MARK} {}", fresh());
        match kind {
            "credentials" => {
                let data = json!({ "name": "a", "value": "b" });
                self.made("/credentials", json!({ "name": MARK, "type": "httpHeaderAuth", "data": data, "projectId": self.team })).await
            }
            "tags" => {
                let (tag, workflow) =
                    (self.made("/tags", json!({ "name": mark() })).await, self.workflow().await);
                let given = self
                    .api("PUT", &format!("/workflows/{workflow}/tags"), &json!([{ "id": tag }]))
                    .await;
                assert_eq!(given.status, 200, "{}", given.body);
                tag
            }
            "variables" => {
                self.made(
                    "/variables",
                    json!({ "key": fresh(), "value": MARK, "projectId": self.team }),
                )
                .await
            }
            "memories" => {
                let workflow = self.workflow().await;
                let memory = self.app.store.memory_of_workflow(&workflow).unwrap();
                let space = memory.open_space(&mark()).await.unwrap();
                let entry =
                    NewEntry { subject: "ada".into(), text: MARK.into(), ..NewEntry::default() };
                memory.add_entries(&space.id, vec![entry]).await.unwrap();
                space.id.to_string()
            }
            "folders" => {
                self.made("/folders", json!({ "name": MARK, "projectId": self.team })).await
            }
            "data-tables" => {
                let columns = json!([{ "name": "word", "type": "string" }]);
                self.made(
                    "/data-tables",
                    json!({ "name": mark(), "columns": columns, "projectId": self.team }),
                )
                .await
            }
            _ => {
                self.made(&format!("/{kind}"), json!({ "name": mark(), "projectId": self.team }))
                    .await
            }
        }
    }

    /// The key of somebody who is known.
    pub(super) fn key(&self, person: Person) -> &str {
        let known = self
            .people
            .iter()
            .find(|(known, _)| *known == person)
            .and_then(|(_, shown)| shown.as_ref());
        known.map_or_else(|| panic!("{person:?} has no key"), |(key, _)| key.as_str())
    }

    /// An execution that holds a file.
    async fn run_once(&self) -> String {
        let large = format!("\"{}\"", "x".repeat(40_000));
        let called = self.app.call("POST", "/webhook/open").json(&large).send().await;
        assert_eq!(called.status, 200, "{}", called.body);
        let rows = self.api("GET", "/executions?limit=1", &Value::Null).await.rows();
        rows[0].get("id").unwrap().as_str().unwrap().to_owned()
    }

    pub(super) fn team(&self) -> &str {
        &self.team
    }

    pub(super) async fn api(&self, method: &str, path: &str, body: &Value) -> Reply {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.app.call(method, &format!("/api/v1{path}")).key(&self.owner).json(&body).send().await
    }

    /// A tool of the team, in a manifest of the same name; or a name that no manifest has.
    async fn registered(&self, is_new: bool) -> String {
        let name = fresh();
        if !is_new {
            let text = format!(
                "version: 1\ntools:\n  - name: {name}\n    description: d\n    http: {{ url: 'http://127.0.0.1:9/' }}\n"
            );
            let body = json!({ "projectId": (self.team.as_str()), "text": text, "version": 0 });
            let reply = self.api("PUT", &format!("/tools/manifests/{name}"), &body).await;
            assert_eq!(reply.status, 200, "{}", reply.body);
        }
        name
    }

    async fn made(&self, path: &str, body: Value) -> String {
        let reply = self.api("POST", path, &body).await;
        assert!(reply.status < 300, "{path}: {}", reply.body);
        reply.text("id")
    }

    async fn active(&self, document: &Value) -> String {
        let id = self.made("/workflows", document.clone()).await;
        let reply = self.api("POST", &format!("/workflows/{id}/activate"), &Value::Null).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        id
    }

    async fn project(&self) -> String {
        let id = self.made("/projects", json!({ "name": format!("{MARK} {}", fresh()) })).await;
        assert!(self.app.store.set_members(&id, self.members.clone()).await.unwrap());
        id
    }

    async fn workflow(&self) -> String {
        self.made("/workflows", workflow(&[hook(&fresh(), json!({}))], &self.team)).await
    }

    /// A row with real things of the project in it, which were not there before.
    pub(super) async fn real(&self, row: &MatrixRow) -> (String, String) {
        let (mut path, mut body) = (row.path.to_owned(), row.body.to_owned());
        let of = |part: &str| path.contains(&format!("/api/v1/{part}/{{id}}"));
        let made = ["credentials", "tags", "variables", "folders", "collections", "memories"]
            .into_iter()
            .find(|kind| of(kind));
        let id = if let Some(kind) = made {
            let id = self.one_of(kind).await;
            if path.contains("{entryId}") {
                let query = EntryQuery { limit: 1, ..EntryQuery::default() };
                let entries = self.app.store.entries(&id, query).await.unwrap();
                path = path.replace("{entryId}", &entries[0].id);
            }
            id
        } else if of("workflows") {
            let id = self.workflow().await;
            if path.contains("{versionId}") {
                let version = self
                    .api("GET", &format!("/workflows/{id}"), &Value::Null)
                    .await
                    .text("versionId");
                path = path.replace("{versionId}", &version);
            }
            id
        } else if path.contains("/binary/") {
            path = path.replace("{reference}", &self.file);
            self.execution.clone()
        } else if path.ends_with("/executions/{id}/stop") {
            self.asleep().await.1
        } else if path.ends_with("/executions/{id}/retry") {
            self.stopped().await
        } else if of("executions") {
            self.run_once().await
        } else if of("data-tables") {
            let id = self.one_of("data-tables").await;
            let table = self.api("GET", &format!("/data-tables/{id}"), &Value::Null).await.json();
            let column = table.get("columns").unwrap().as_array().unwrap()[0]
                .get("id")
                .unwrap()
                .as_str()
                .unwrap()
                .to_owned();
            path = path.replace("{columnId}", &column);
            id
        } else if of("projects") {
            let id = self.project().await;
            if path.contains("{userId}") {
                let user = self.app.user(&format!("{}@x.y", fresh()), UserRole::Editor).await.id;
                self.app
                    .store
                    .set_members(&id, vec![(user.clone(), ProjectRole::Viewer)])
                    .await
                    .unwrap();
                path = path.replace("{userId}", &user);
            }
            id
        } else if of("users") {
            self.app.user(&format!("{}@x.y", fresh()), UserRole::Editor).await.id.to_string()
        } else {
            "nope".to_owned()
        };
        if path.contains("/api/v1/tools/") && path.contains("{name}") {
            path = path.replace("{name}", &self.registered(row.method == "PUT").await);
        }
        if body.contains("{user}") {
            body = body.replace(
                "{user}",
                &self.app.user(&format!("{}@x.y", fresh()), UserRole::Editor).await.id,
            );
        }
        path = match path.as_str() {
            "/v1/models/{*id}" => format!("/v1/models/{}", self.chat),
            "/webhook/{*path}" => "/webhook/open".to_owned(),
            "/webhook-test/{*path}" => {
                self.tested("webhook-test", |path| hook(path, json!({}))).await
            }
            "/webhook-waiting/{ticket}" => self.waiting(WaitFixture::webhook("")).await.2,
            "/webhook-waiting/{ticket}/{*suffix}" => {
                format!("{}/x", self.waiting(WaitFixture::webhook("x")).await.2)
            }
            "/mcp/{*path}" => "/mcp/open".to_owned(),
            "/mcp-test/{*path}" => self.tested("mcp-test", mcp).await,
            "/form/{*path}" => "/form/open".to_owned(),
            "/form-test/{*path}" => self.tested("form-test", form).await,
            "/form-waiting/{ticket}" => self.waiting(WaitFixture::form()).await.2,
            _ => path.replace("{id}", &id),
        };
        let path = path
            .replace("{kind}", "httpHeaderAuth")
            .replace("{type}", "n8n-nodes-base.webhook")
            .replace("{name}", "all-minilm-l6-v2")
            .replace("{batch}", "none")
            .replace("{team}", &self.team);
        let body = if body.contains("{workflow}") {
            body.replace("{workflow}", &self.workflow().await)
        } else {
            body
        };
        let body = body
            .replace("{team}", &self.team)
            .replace("{chat}", &self.chat)
            .replace("{execution}", &self.execution);
        (path, body.replace("{new}", &fresh()))
    }

    /// The ways in which somebody shows who they are: with a key and with a session.
    pub(super) fn calls<'w>(
        &'w self,
        person: Person,
        method: &str,
        path: &str,
        body: &str,
    ) -> Vec<Call<'w>> {
        let known = self
            .people
            .iter()
            .find(|(known, _)| *known == person)
            .and_then(|(_, shown)| shown.as_ref());
        let call = || {
            let call = self.app.call(if method == "ANY" { "POST" } else { method }, path);
            if body.is_empty() { call } else { call.json(body) }
        };
        match known {
            None => vec![
                call(),
                call().key("heddle_wrong"),
                call().header("Cookie", "heddle_session=wrong"),
            ],
            Some((key, session)) => vec![call().key(key), call().session(session)],
        }
    }
}
