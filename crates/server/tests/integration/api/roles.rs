//! Which role may use which route, written down a second time on purpose.

use crate::app::{TestApp, operations};
use store::users::{UserRole, UserStore as _};

/// The least role for each operation.
#[rustfmt::skip]
const LEAST: &[(UserRole, &[&str])] = &[
    (UserRole::Viewer, &[
        "getWorkflows", "getWorkflow", "getWorkflowHistory", "getWorkflowVersion", "getDeprecatedWorkflowVersion", "getExecutions", "getUncertainSteps", "getExecution", "getApprovals", "getCredentials",
        "getCredential", "getCredentialType",
        "getCredentialTypes", "getTags", "getTag", "getSpending", "getWorkflowTags", "getExecutionTags", "getVariables", "getProjects",
        "getProject", "getProjectUsers",
        "checkWorkflow", "evaluateExpression", "listConnectedTools", "getExecutionOutline", "getExecutionDocument", "getExecutionItems", "getExecutionSchema", "getExecutionAgent", "getInsights", "getFolders",
        "getOpenApi", "getNodeTypes", "getInstance", "listLocalModels", "getNodeTypeDocs", "followExecution", "followExecutions", "getExecutionTrace", "exportExecutionTrace", "followExecutionTrace", "followTraces", "getExecutionFile", "listDataTables", "getDataTable", "listDataTableColumns", "listDataTableRows",
        "reportClientError", "exportDataTableRows", "listCollections", "getCollection", "listCollectionSources", "listCollectionChunks",
        "listMemories", "getMemory", "listMemoryEntries", "searchMemory", "listMcpServers", "listMcpTools", "listTools", "getTool", "checkToolManifest",
    ]),
    (UserRole::Editor, &[
        "createWorkflow", "updateWorkflow", "runWorkflow", "moveWorkflow", "fetchWorkflow", "readApiDescription", "createFolder", "updateFolder", "deleteFolder", "deleteWorkflow", "activateWorkflow", "deactivateWorkflow", "publishWorkflow", "unpublishWorkflow", "deleteExecution",
        "retryExecution", "forkExecution", "resumeExecution", "approveExecution", "stopExecution", "stopManyExecutions", "resumeManyExecutions", "undoResumeManyExecutions", "createCredential", "updateCredential", "deleteCredential", "createTag",
        "updateTag", "deleteTag", "listenForTestWebhook", "stopTestWebhook", "updateWorkflowTags", "updateExecutionTags", "transferWorkflow", "transferCredential",
        "createDataTable", "updateDataTable", "deleteDataTable", "createDataTableColumn", "updateDataTableColumn", "deleteDataTableColumn",
        "createCollection", "updateCollection", "deleteCollection", "addCollectionFile", "addCollectionText", "searchCollection",
        "deleteCollectionSource",
        "insertDataTableRows", "updateDataTableRows", "upsertDataTableRow", "deleteDataTableRows", "clearDataTableRows",
        "archiveWorkflow", "unarchiveWorkflow", "testCredential", "getCredentialModels", "shareCredential", "createVariable", "updateVariable", "deleteVariable",
        "deleteMemory", "updateMemoryEntry", "deleteMemoryEntry", "deleteMemorySubject", "forgetMcpServer", "testMcpServer", "decideMcpTool", "callTool", "setToolManifest", "deleteToolManifest",
        "updateProject", "deleteProject", "addUsersToProject", "changeUserRoleInProject", "deleteUserFromProject",
    ]),
    (UserRole::Admin, &[
        "createProject", "getUsers", "getUser", "createUser", "deleteUser", "changeRole", "createPasswordReset", "deleteTwoFactor", "generateAudit", "pull", "downloadLocalModel", "getPolicy", "setPolicy", "dryRunPolicy", "stopTools", "removeStop",
    ]),
];

#[tokio::test]
async fn every_role_may_do_what_the_table_says_and_nothing_else() {
    let app = TestApp::start().await;
    let all = operations(&app).await;
    for role in UserRole::ALL {
        let email = format!("{}@x.y", role.name());
        app.user(&email, role).await;
        let key = app.key(&email, &["*"]).await;
        let session = app.log_in(&email).await;
        for operation in &all {
            let row = LEAST.iter().find(|(_, ids)| ids.contains(&operation.id.as_str()));
            let least = row.unwrap_or_else(|| panic!("{} is not in the table", operation.id)).0;
            let call = || app.call(&operation.method, &operation.path).json("{}");
            for reply in [call().key(&key).send().await, call().session(&session).send().await] {
                let is_let_in = reply.status != 403;
                assert_eq!(
                    is_let_in,
                    role >= least,
                    "{} as {}: {} {}",
                    operation.id,
                    role.name(),
                    reply.status,
                    reply.body
                );
                assert!(reply.status < 500, "{}: {}", operation.id, reply.body);
            }
        }
    }
}

#[tokio::test]
async fn a_key_allows_only_its_scopes() {
    let app = TestApp::start().await;
    let all = operations(&app).await;
    let key = app.key("owner@localhost", &["tag:list", "workflow:read"]).await;
    for operation in &all {
        let reply = app.call(&operation.method, &operation.path).key(&key).json("{}").send().await;
        let is_allowed =
            matches!(operation.scope.as_deref(), None | Some("tag:list" | "workflow:read"));
        assert_eq!(
            reply.status != 403,
            is_allowed,
            "{}: {} {}",
            operation.id,
            reply.status,
            reply.body
        );
    }
}

#[tokio::test]
async fn a_changed_role_counts_from_the_next_request() {
    let app = TestApp::start().await;
    let user = app.user("e@x.y", UserRole::Editor).await;
    let (key, session) = (app.key("e@x.y", &["*"]).await, app.log_in("e@x.y").await);
    let make =
        |name: &str| app.call("POST", "/api/v1/tags").json(&format!(r#"{{"name":"{name}"}}"#));
    assert_eq!(make("a").key(&key).send().await.status, 201);
    assert_eq!(make("b").session(&session).send().await.status, 201);
    app.store.set_role(&user.id, UserRole::Viewer).await.unwrap();
    assert_eq!(make("c").key(&key).send().await.status, 403);
    assert_eq!(make("d").session(&session).send().await.status, 403);
}

#[tokio::test]
async fn keys_and_sessions_end_with_their_person() {
    let app = TestApp::start().await;
    let owner = app.owner_key().await;
    let user = app.user("e@x.y", UserRole::Editor).await;
    let (key, session) = (app.key("e@x.y", &["*"]).await, app.log_in("e@x.y").await);
    assert_eq!(app.call("GET", "/api/v1/tags").key(&key).send().await.status, 200);
    let reply = app.call("DELETE", &format!("/api/v1/users/{}", user.id)).key(&owner).send().await;
    assert_eq!((reply.status, reply.body.as_str()), (204, ""));
    assert_eq!(app.call("GET", "/api/v1/tags").key(&key).send().await.status, 401);
    assert_eq!(app.call("GET", "/api/v1/tags").session(&session).send().await.status, 401);
}

#[tokio::test]
async fn nobody_rises_above_themselves() {
    let app = TestApp::start().await;
    let owner = app.user("owner@x.y", UserRole::Owner).await;
    let admin = app.user("admin@x.y", UserRole::Admin).await;
    app.user("e@x.y", UserRole::Editor).await;
    let key = app.key("admin@x.y", &["*"]).await;
    let role = |id: &str, name: &str| {
        app.call("PATCH", &format!("/api/v1/users/{id}/role"))
            .key(&key)
            .json(&format!(r#"{{"newRoleName":"{name}"}}"#))
    };
    assert_eq!(role("e@x.y", "global:owner").send().await.status, 403);
    assert_eq!(role(&admin.id, "global:owner").send().await.status, 403);
    assert_eq!(role(&admin.id, "global:admin").send().await.status, 403);
    assert_eq!(role(&owner.id, "global:member").send().await.status, 403);
    assert_eq!(role("e@x.y", "global:root").send().await.status, 400);
    assert_eq!(role("e@x.y", "global:viewer").send().await.status, 204);
    assert_eq!(app.call("DELETE", "/api/v1/users/owner@x.y").key(&key).send().await.status, 403);
    let invite = app
        .call("POST", "/api/v1/users")
        .key(&key)
        .json(r#"[{"email":"n@x.y","role":"global:owner"}]"#)
        .send()
        .await;
    assert_eq!(invite.status, 403);
    let shown = app.call("GET", "/api/v1/users/e@x.y?includeRole=true").key(&key).send().await;
    assert_eq!(shown.text("role"), "global:viewer");
}

#[tokio::test]
async fn fields_that_are_the_servers_cannot_be_set() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    for (method, path, body) in [
        ("POST", "/api/v1/tags", r#"{"name":"a","ownerId":"x"}"#),
        ("POST", "/api/v1/variables", r#"{"key":"a","value":"b","isSecret":true}"#),
        ("POST", "/api/v1/projects", r#"{"name":"a","role":"admin"}"#),
        ("POST", "/api/v1/users", r#"[{"email":"a@b.c","isPending":false}]"#),
        ("POST", "/api/v1/users", r#"[{"email":"a@b.c","password":"x"}]"#),
        (
            "POST",
            "/api/v1/credentials",
            r#"{"name":"a","type":"httpBearerAuth","data":{"token":"t"},"id":"mine"}"#,
        ),
        (
            "POST",
            "/api/v1/credentials",
            r#"{"name":"a","type":"httpBearerAuth","data":{"token":"t","__proto__":{}}}"#,
        ),
        (
            "POST",
            "/api/v1/workflows",
            r#"{"name":"a","nodes":[],"connections":{},"settings":{},"ownedBy":"x"}"#,
        ),
        ("POST", "/api/v1/audit", r#"{"additionalOptions":{"all":true}}"#),
        ("POST", "/api/v1/executions/stop", r#"{"status":["running"],"force":true}"#),
    ] {
        let reply = app.call(method, path).key(&key).json(body).send().await;
        assert_eq!(reply.status, 400, "{path} {body}: {}", reply.body);
    }
    let body = format!(
        r#"{{"token":"{}","email":"a@b.c","password":"long enough","role":"owner"}}"#,
        app.setup_token
    );
    assert_eq!(app.call("POST", "/api/setup").json(&body).send().await.status, 400);
    assert_eq!(
        app.call("POST", "/api/login")
            .json(r#"{"email":"a@b.c","password":"x","role":"owner"}"#)
            .send()
            .await
            .status,
        400
    );
}
