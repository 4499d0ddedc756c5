//! What is answered to whom at every way in, written down a second time on purpose.

/// The people of the matrix, in the order of the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Person {
    /// Shows nothing.
    Anonymous,
    /// Is an editor of the instance, and the admin of another project.
    Outsider,
    /// Is an editor of the instance, and a viewer of the project.
    Viewer,
    Editor,
    /// The admin of the project; an editor of the instance.
    Admin,
    /// The owner of the instance.
    Owner,
}

pub(super) const PEOPLE: [Person; 6] = [
    Person::Anonymous,
    Person::Outsider,
    Person::Viewer,
    Person::Editor,
    Person::Admin,
    Person::Owner,
];

/// A way in, what is sent there, and a letter for each person: `+` is let in and done, the others
/// are what the status ends with (401, 403, 404).
pub(super) struct MatrixRow {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) body: &'static str,
    pub(super) expected: &'static str,
    /// Whoever is let in may be told that what they sent does not fit, or does not go at the
    /// moment.
    pub(super) may_be_refused: bool,
    /// Only a session lets in; whoever shows a key is refused.
    pub(super) by_session: bool,
}

const fn row(
    method: &'static str,
    path: &'static str,
    body: &'static str,
    answers: &'static str,
) -> MatrixRow {
    MatrixRow { method, path, body, expected: answers, may_be_refused: false, by_session: false }
}

impl MatrixRow {
    /// For what takes more to be done than this test has: another service, a model, a step in
    /// doubt, a password.
    const fn or_refused(self) -> Self {
        Self { may_be_refused: true, ..self }
    }

    const fn by_session(self) -> Self {
        Self { by_session: true, ..self }
    }
}

//                         anonymous, outsider, viewer, editor, admin, owner
const ALL: &str = "++++++";
const SIGNED_IN: &str = "1+++++";
const SEE: &str = "14++++";
const CHANGE: &str = "143+++";
const MANAGE: &str = "1433++";
/// Admins and owners of the instance.
const INSTANCE: &str = "13333+";
/// It takes a secret that nobody here has.
const SECRET: &str = "111111";
/// Within bodies and paths, `{workflow}`, `{team}` and the like stand for what the project has. In
/// the API, `{id}` is whatever stands before it.
#[rustfmt::skip]
pub(super) const ROWS: &[MatrixRow] = &[
    // The editor's pages, and what operators look at.
    row("GET", "/", "", ALL),
    row("GET", "/healthz", "", ALL),
    row("GET", "/healthz/readiness", "", ALL),
    row("GET", "/metrics", "", SIGNED_IN),
    // Addresses of workflows. Whom they answer is up to the workflow.
    row("ANY", "/webhook/{*path}", "", ALL),
    row("ANY", "/webhook-test/{*path}", "", ALL),
    row("ANY", "/webhook-waiting/{ticket}", "", ALL),
    row("ANY", "/webhook-waiting/{ticket}/{*suffix}", "", ALL),
    row("ANY", "/form/{*path}", "", ALL),
    row("ANY", "/form-test/{*path}", "", ALL),
    row("ANY", "/form-waiting/{ticket}", "", ALL),
    row("ANY", "/mcp/{*path}", "{}", ALL).or_refused(),
    row("ANY", "/mcp-test/{*path}", "{}", ALL).or_refused(),
    row("GET", "/mcp", "", SIGNED_IN).or_refused(),
    row("POST", "/mcp", "{}", SIGNED_IN).or_refused(),
    row("DELETE", "/mcp", "", SIGNED_IN).or_refused(),
    // Signing in, and what belongs to oneself.
    row("GET", "/api/setup", "", ALL),
    row("POST", "/api/setup", r#"{"token":"x","email":"a@b.c","password":"long enough"}"#, SECRET),
    row("POST", "/api/login", r#"{"email":"nobody@x.y","password":"x"}"#, SECRET),
    row("POST", "/api/invitation", r#"{"token":"x","password":"long enough"}"#, SECRET),
    row("GET", "/invitation", "", ALL),
    row("GET", "/password-reset", "", ALL),
    row("GET", "/api/me", "", SIGNED_IN),
    row("POST", "/api/me/name", r#"{"firstName":1}"#, SIGNED_IN).or_refused().by_session(),
    row("POST", "/api/me/email", r#"{"currentPassword":"","email":""}"#, SIGNED_IN).or_refused().by_session(),
    row("POST", "/api/me/password", r#"{"currentPassword":"","password":""}"#, SIGNED_IN).or_refused().by_session(),
    row("GET", "/api/me/two-factor", "", SIGNED_IN).by_session(),
    row("POST", "/api/me/two-factor", r#"{"currentPassword":1}"#, SIGNED_IN).or_refused().by_session(),
    row("POST", "/api/me/two-factor/enable", r#"{"code":""}"#, SIGNED_IN).or_refused().by_session(),
    row("POST", "/api/me/two-factor/disable", r#"{"currentPassword":1}"#, SIGNED_IN).or_refused().by_session(),
    row("POST", "/api/me/two-factor/recovery-codes", r#"{"currentPassword":1}"#, SIGNED_IN).or_refused().by_session(),
    row("GET", "/api/oidc/sign-in", "", "444444"),
    row("GET", "/api/oidc/callback", "", "444444"),
    row("GET", "/api/me/oidc", "", SIGNED_IN).by_session(),
    row("DELETE", "/api/me/oidc", "", SIGNED_IN).by_session(),
    row("POST", "/api/me/oidc/connect", r#"{"currentPassword":1}"#, SIGNED_IN).or_refused().by_session(),
    row("GET", "/api/me/api-keys", "", SIGNED_IN).by_session(),
    row("POST", "/api/me/api-keys", r#"{"label":""}"#, SIGNED_IN).or_refused().by_session(),
    row("DELETE", "/api/me/api-keys/{id}", "", "144444").by_session(),
    row("POST", "/api/logout", "", SIGNED_IN).or_refused(),
    // OpenAI's API. Whoever has a workflow run through it may run it by hand.
    row("GET", "/v1/models", "", SIGNED_IN),
    row("GET", "/v1/models/{*id}", "", SEE),
    row("POST", "/v1/chat/completions", r#"{"model":"{chat}","messages":[{"role":"user","content":"hi"}]}"#, CHANGE),
    row("POST", "/v1/embeddings", r#"{"model":"{chat}/Vectors","input":"hi"}"#, CHANGE).or_refused(),
    row("POST", "/api/v1/client-errors", r#"{"message":"x"}"#, SIGNED_IN).or_refused(),
    // Workflows.
    row("GET", "/api/v1/workflows", "", SIGNED_IN),
    row("POST", "/api/v1/workflows", r#"{"name":"n","nodes":[],"connections":{},"settings":{},"projectId":"{team}"}"#, CHANGE),
    row("GET", "/api/v1/workflows/{id}", "", SEE),
    row("PUT", "/api/v1/workflows/{id}", r#"{"name":"n","nodes":[],"connections":{},"settings":{}}"#, CHANGE),
    row("PATCH", "/api/v1/workflows/{id}", r#"{"parentFolderId":null}"#, CHANGE).or_refused(),
    row("DELETE", "/api/v1/workflows/{id}", "", CHANGE),
    row("POST", "/api/v1/workflows/{id}/activate", "", CHANGE),
    row("POST", "/api/v1/workflows/{id}/publish", "", CHANGE).or_refused(),
    row("POST", "/api/v1/workflows/{id}/unpublish", "", CHANGE).or_refused(),
    row("POST", "/api/v1/workflows/{id}/deactivate", "", CHANGE),
    row("POST", "/api/v1/workflows/{id}/archive", "", CHANGE),
    row("POST", "/api/v1/workflows/{id}/unarchive", "", CHANGE).or_refused(),
    row("PUT", "/api/v1/workflows/{id}/transfer", r#"{"destinationProjectId":"{team}"}"#, MANAGE).or_refused(),
    row("GET", "/api/v1/workflows/{id}/history", "", SEE),
    row("GET", "/api/v1/workflows/{id}/versions/{versionId}", "", SEE),
    row("GET", "/api/v1/workflows/{id}/{versionId}", "", SEE),
    row("GET", "/api/v1/workflows/{id}/tags", "", SEE),
    row("PUT", "/api/v1/workflows/{id}/tags", "[]", CHANGE),
    row("POST", "/api/v1/workflows/{id}/test-webhook", "{}", CHANGE),
    row("DELETE", "/api/v1/workflows/{id}/test-webhook", "", "143444"),
    row("POST", "/api/v1/workflows/{id}/run", "{}", CHANGE).or_refused(),
    row("POST", "/api/v1/workflows/check", r#"{"nodes":[],"connections":{}}"#, SIGNED_IN),
    row("POST", "/api/v1/workflows/expression",
        r#"{"workflow":{"nodes":[{"id":"a","name":"a","type":"n8n-nodes-base.noOp","typeVersion":1,"position":[0,0],"parameters":{}}],"connections":{}},"workflowId":"{workflow}","executionId":"{execution}","node":"a","expression":"={{ $execution.id }}"}"#, SEE),
    row("POST", "/api/v1/workflows/tools",
        r#"{"workflow":{"nodes":[{"id":"a","name":"a","type":"n8n-nodes-base.noOp","typeVersion":1,"position":[0,0],"parameters":{}}],"connections":{}},"workflowId":"{workflow}","node":"a"}"#, SEE),
    row("POST", "/api/v1/workflows/fetch", r#"{"url":"http://127.0.0.1:1/"}"#, SIGNED_IN).or_refused(),
    row("POST", "/api/v1/api-descriptions", r#"{"document":"openapi: 3.0.0"}"#, SIGNED_IN),
    row("GET", "/api/v1/folders", "", SIGNED_IN),
    row("POST", "/api/v1/folders", r#"{"name":"f","projectId":"{team}"}"#, CHANGE),
    row("PATCH", "/api/v1/folders/{id}", r#"{"name":"g"}"#, CHANGE),
    row("DELETE", "/api/v1/folders/{id}", "", CHANGE),
    // Executions, their live events and their files.
    row("GET", "/api/v1/executions", "", SIGNED_IN),
    row("POST", "/api/v1/executions/stop", r#"{"status":["waiting"],"workflowId":"{workflow}"}"#, SIGNED_IN),
    row("GET", "/api/v1/executions/uncertain", "", SIGNED_IN),
    row("POST", "/api/v1/executions/resume", r#"{"decision":"again","workflowId":"{workflow}"}"#, SIGNED_IN),
    row("DELETE", "/api/v1/executions/resume/{batch}", "", SIGNED_IN),
    row("GET", "/api/v1/executions/{id}", "", SEE),
    row("DELETE", "/api/v1/executions/{id}", "", CHANGE),
    row("GET", "/api/v1/executions/{id}/binary/{reference}", "", SEE),
    row("GET", "/api/v1/executions/{id}/events", "", SEE),
    row("GET", "/api/v1/events", "", SIGNED_IN),
    row("GET", "/api/v1/executions/{id}/trace", "", SEE),
    row("GET", "/api/v1/executions/{id}/trace/otlp", "", SEE),
    row("GET", "/api/v1/executions/{id}/trace/events", "", SEE),
    row("GET", "/api/v1/trace/events", "", SIGNED_IN),
    row("POST", "/api/v1/executions/{id}/retry", "", CHANGE),
    row("POST", "/api/v1/executions/{id}/fork", r#"{"from":"Hook"}"#, CHANGE).or_refused(),
    row("POST", "/api/v1/executions/{id}/resume", "", CHANGE).or_refused(),
    row("POST", "/api/v1/executions/{id}/stop", "", CHANGE),
    row("POST", "/api/v1/executions/{id}/approve", "{}", CHANGE).or_refused(),
    row("GET", "/api/v1/approvals", "", SIGNED_IN),
    row("GET", "/api/v1/executions/{id}/tags", "", SEE),
    row("PUT", "/api/v1/executions/{id}/tags", "[]", CHANGE),
    row("GET", "/api/v1/executions/{id}/outline", "", SEE),
    row("GET", "/api/v1/executions/{id}/document", "", SEE),
    row("GET", "/api/v1/executions/{id}/items?node=Hook", "", SEE),
    row("GET", "/api/v1/executions/{id}/schema?node=Hook", "", SEE),
    row("GET", "/api/v1/executions/{id}/agent?node=Hook", "", SEE).or_refused(),
    row("GET", "/api/v1/insights", "", SIGNED_IN),
    row("GET", "/api/v1/spending", "", SIGNED_IN),
    // Credentials.
    row("GET", "/api/v1/credentials", "", SIGNED_IN),
    row("POST", "/api/v1/credentials", r#"{"name":"c","type":"httpHeaderAuth","data":{"name":"a","value":"b"},"projectId":"{team}"}"#, CHANGE),
    row("GET", "/api/v1/credentials/{id}", "", SEE),
    row("PATCH", "/api/v1/credentials/{id}", r#"{"name":"d"}"#, CHANGE),
    row("DELETE", "/api/v1/credentials/{id}", "", CHANGE),
    row("POST", "/api/v1/credentials/{id}/test", "", CHANGE).or_refused(),
    row("GET", "/api/v1/credentials/{id}/models", "", CHANGE).or_refused(),
    row("GET", "/api/v1/credentials/schema/{kind}", "", SIGNED_IN),
    row("PUT", "/api/v1/credentials/{id}/transfer", r#"{"destinationProjectId":"{team}"}"#, MANAGE).or_refused(),
    row("PUT", "/api/v1/credentials/{id}/share", r#"{"shareWithIds":[]}"#, MANAGE).or_refused(),
    // Tags and variables.
    row("GET", "/api/v1/tags", "", SIGNED_IN),
    row("POST", "/api/v1/tags", r#"{"name":"{new}"}"#, SIGNED_IN),
    row("GET", "/api/v1/tags/{id}", "", SEE),
    row("PUT", "/api/v1/tags/{id}", r#"{"name":"{new}"}"#, CHANGE),
    row("DELETE", "/api/v1/tags/{id}", "", CHANGE),
    row("GET", "/api/v1/variables", "", SIGNED_IN),
    row("POST", "/api/v1/variables", r#"{"key":"{new}","value":"v","projectId":"{team}"}"#, CHANGE),
    row("PUT", "/api/v1/variables/{id}", r#"{"key":"{new}","value":"w"}"#, CHANGE),
    row("DELETE", "/api/v1/variables/{id}", "", CHANGE),
    // Data tables.
    row("GET", "/api/v1/data-tables", "", SIGNED_IN),
    row("POST", "/api/v1/data-tables", r#"{"name":"{new}","columns":[{"name":"word","type":"string"}],"projectId":"{team}"}"#, CHANGE),
    row("GET", "/api/v1/data-tables/{id}", "", SEE),
    row("PATCH", "/api/v1/data-tables/{id}", r#"{"name":"{new}"}"#, CHANGE),
    row("DELETE", "/api/v1/data-tables/{id}", "", CHANGE),
    row("GET", "/api/v1/data-tables/{id}/columns", "", SEE),
    row("POST", "/api/v1/data-tables/{id}/columns", r#"{"name":"more","type":"string"}"#, CHANGE),
    row("PATCH", "/api/v1/data-tables/{id}/columns/{columnId}", r#"{"name":"other"}"#, CHANGE).or_refused(),
    row("DELETE", "/api/v1/data-tables/{id}/columns/{columnId}", "", CHANGE).or_refused(),
    row("GET", "/api/v1/data-tables/{id}/rows", "", SEE),
    row("GET", "/api/v1/data-tables/{id}/rows/csv", "", SEE),
    row("POST", "/api/v1/data-tables/{id}/rows", r#"{"data":[{}]}"#, CHANGE).or_refused(),
    row("PATCH", "/api/v1/data-tables/{id}/rows/update", r#"{"filter":{"filters":[]},"data":{}}"#, CHANGE).or_refused(),
    row("POST", "/api/v1/data-tables/{id}/rows/upsert", r#"{"filter":{"filters":[]},"data":{}}"#, CHANGE).or_refused(),
    row("DELETE", "/api/v1/data-tables/{id}/rows/delete?filter=%7B%22filters%22%3A%5B%5D%7D", "", CHANGE).or_refused(),
    row("DELETE", "/api/v1/data-tables/{id}/rows/clear", "", CHANGE),
    // Collections of knowledge.
    row("GET", "/api/v1/collections", "", SIGNED_IN),
    row("POST", "/api/v1/collections", r#"{"name":"{new}","projectId":"{team}"}"#, CHANGE),
    row("GET", "/api/v1/collections/{id}", "", SEE),
    row("PATCH", "/api/v1/collections/{id}", r#"{"name":"{new}"}"#, CHANGE),
    row("DELETE", "/api/v1/collections/{id}", "", CHANGE),
    row("GET", "/api/v1/local-models", "", SIGNED_IN),
    row("POST", "/api/v1/local-models/{name}/download", "", INSTANCE).or_refused(),
    row("GET", "/api/v1/collections/{id}/sources", "", SEE),
    row("DELETE", "/api/v1/collections/{id}/sources?source=x", "", CHANGE).or_refused(),
    row("GET", "/api/v1/collections/{id}/chunks", "", SEE).or_refused(),
    row("POST", "/api/v1/collections/{id}/files", "", CHANGE).or_refused(),
    row("POST", "/api/v1/collections/{id}/texts", "{}", CHANGE).or_refused(),
    row("POST", "/api/v1/collections/{id}/search", "{}", CHANGE).or_refused(),
    // Long-term memory.
    row("GET", "/api/v1/memories", "", SIGNED_IN),
    row("GET", "/api/v1/memories/{id}", "", SEE),
    row("DELETE", "/api/v1/memories/{id}", "", CHANGE),
    row("GET", "/api/v1/memories/{id}/entries", "", SEE),
    row("POST", "/api/v1/memories/{id}/search", "{}", SEE),
    row("PATCH", "/api/v1/memories/{id}/entries/{entryId}", r#"{"version":1,"text":"corrected"}"#, CHANGE),
    row("DELETE", "/api/v1/memories/{id}/entries/{entryId}", "", CHANGE),
    row("DELETE", "/api/v1/memories/{id}/subjects?subject=ada", "", CHANGE),
    // MCP servers and the definitions of their tools.
    row("GET", "/api/v1/mcp/servers", "", SIGNED_IN),
    row("DELETE", "/api/v1/mcp/servers?projectId={team}&server=none", "", CHANGE),
    row("POST", "/api/v1/mcp/servers/test", r#"{"projectId":"{team}","server":"none"}"#, CHANGE),
    row("GET", "/api/v1/mcp/tools?projectId={team}&server=none", "", SEE),
    row("POST", "/api/v1/mcp/tools/decision", r#"{"projectId":"{team}","server":"none","tool":"none","digest":"0000000000000000000000000000000000000000000000000000000000000000","decision":"approve"}"#, CHANGE).or_refused(),
    // Registered tools.
    row("GET", "/api/v1/tools?projectId={team}", "", SEE),
    row("GET", "/api/v1/tools/{name}?projectId={team}", "", SEE),
    row("POST", "/api/v1/tools/{name}/call", r#"{"projectId":"{team}","arguments":{}}"#, CHANGE),
    row("POST", "/api/v1/tools/check", r#"{"projectId":"{team}","text":""}"#, SEE),
    row("PUT", "/api/v1/tools/manifests/{name}", r#"{"projectId":"{team}","text":"version: 1\ntools: []","version":0}"#, CHANGE),
    row("DELETE", "/api/v1/tools/manifests/{name}?projectId={team}", "", CHANGE),
    // Projects, people and the instance.
    row("GET", "/api/v1/projects", "", SIGNED_IN),
    row("POST", "/api/v1/projects", r#"{"name":"{new}"}"#, INSTANCE),
    row("GET", "/api/v1/projects/{id}", "", SEE),
    row("PUT", "/api/v1/projects/{id}", r#"{"name":"{new}"}"#, MANAGE),
    row("DELETE", "/api/v1/projects/{id}", "", MANAGE).or_refused(),
    row("GET", "/api/v1/projects/{id}/users", "", SEE),
    row("POST", "/api/v1/projects/{id}/users", r#"{"relations":[{"userId":"{user}","role":"project:viewer"}]}"#, MANAGE),
    row("PATCH", "/api/v1/projects/{id}/users/{userId}", r#"{"role":"project:editor"}"#, MANAGE),
    row("DELETE", "/api/v1/projects/{id}/users/{userId}", "", MANAGE),
    row("GET", "/api/v1/users", "", INSTANCE),
    row("POST", "/api/v1/users", r#"[{"email":"{new}@x.y"}]"#, INSTANCE).or_refused(),
    row("GET", "/api/v1/users/{id}", "", INSTANCE),
    row("DELETE", "/api/v1/users/{id}", "", INSTANCE).or_refused(),
    row("PATCH", "/api/v1/users/{id}/role", r#"{"newRoleName":"global:viewer"}"#, INSTANCE).or_refused(),
    row("POST", "/api/v1/users/{id}/password-reset", "", INSTANCE).or_refused(),
    row("DELETE", "/api/v1/users/{id}/two-factor", "", INSTANCE).or_refused(),
    row("POST", "/api/v1/audit", "", INSTANCE),
    row("GET", "/api/v1/policy", "", INSTANCE),
    row("PUT", "/api/v1/policy", r#"{"text":"","version":0}"#, INSTANCE).or_refused(),
    row("POST", "/api/v1/policy/dry-run", "{}", INSTANCE),
    row("POST", "/api/v1/policy/stops", r#"{"tool":"nothing_has_this_name"}"#, INSTANCE),
    row("DELETE", "/api/v1/policy/stops?name=none", "", INSTANCE).or_refused(),
    row("POST", "/api/v1/source-control/pull", "{}", INSTANCE).or_refused(),
    row("GET", "/api/v1/instance", "", SIGNED_IN),
    row("GET", "/api/v1/credential-types", "", SIGNED_IN),
    row("GET", "/api/v1/node-types", "", SIGNED_IN),
    row("GET", "/api/v1/node-types/{type}/docs", "", SIGNED_IN),
    row("GET", "/api/v1/openapi.json", "", SIGNED_IN),
];

/// What every key opens, whatever its scopes: whose it is, and what is the same for everybody.
pub(super) const FOR_ANY_KEY: &[(&str, &str)] = &[
    ("GET", "/api/me"),
    ("POST", "/api/logout"),
    ("POST", "/api/v1/client-errors"),
    ("GET", "/api/v1/credentials/schema/{kind}"),
    ("GET", "/api/v1/instance"),
    ("GET", "/api/v1/local-models"),
    ("GET", "/api/v1/credential-types"),
    ("GET", "/api/v1/node-types"),
    ("GET", "/api/v1/node-types/{type}/docs"),
    ("GET", "/api/v1/openapi.json"),
    // Each of its tools needs scopes of its own.
    ("GET", "/mcp"),
    ("POST", "/mcp"),
    ("DELETE", "/mcp"),
];

/// Pages of the editor: one file, whatever is behind them, and nothing of it needs a session.
pub(super) fn pages() -> Vec<String> {
    let list = include_str!("../../../../../../web/src/app/pages.json");
    let rows: Vec<serde_json::Value> = serde_json::from_str(list).unwrap();
    assert!(rows.len() >= 14, "the list of pages is not read");
    rows.iter().map(|row| row["path"].as_str().unwrap().to_owned()).collect()
}
