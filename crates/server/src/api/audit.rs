//! `POST /api/v1/audit`: what in this instance deserves a second look.

use super::{ApiOperation, RequestJson};
use crate::App;
use crate::error::ApiError;
use crate::response::typed;
use crate::wire::{self, AuditCategory};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::post;
use compute::Allowance;
use model::{Code, Object, Str, Value};
use node_api::trigger::{TriggerListener, WebhookAuth};
use node_api::{NodeInfo, Registry};
use runtime::{LISTEN_CPU_TIME, ListenScope, LoadedWorkflow, is_cpu_timeout};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use store::workflows::{StoredWorkflow, WorkflowFilter};

pub(super) const OPERATIONS: &[ApiOperation] = &[ApiOperation::new(
    "POST",
    "/audit",
    "securityAudit:generate",
    "generateAudit",
    "Run a security audit",
    || post(generate),
)
.optional_body::<wire::AuditInput>()
.response::<wire::Audit>(200)];

/// CPU time that the expressions of all workflows may take for one audit.
const AUDIT_CPU_TIME: Duration = Duration::from_secs(5);

const CATEGORIES: [(AuditCategory, &str, &str); 5] = [
    (AuditCategory::Credentials, "credentials", "Credentials Risk Report"),
    (AuditCategory::Database, "database", "Database Risk Report"),
    (AuditCategory::Filesystem, "filesystem", "Filesystem Risk Report"),
    (AuditCategory::Nodes, "nodes", "Nodes Risk Report"),
    (AuditCategory::Instance, "instance", "Instance Risk Report"),
];

const SQL_NODES: [&str; 6] =
    ["postgres", "mySql", "microsoftSql", "snowflake", "questDb", "timescaleDb"];
const FILE_NODES: [&str; 5] =
    ["readWriteFile", "readBinaryFile", "readBinaryFiles", "writeBinaryFile", "localFileTrigger"];
const PRIVILEGED_NODES: [&str; 7] =
    ["executeCommand", "code", "function", "functionItem", "httpRequest", "ssh", "ftp"];

/// A workflow, opened.
struct AuditedWorkflow {
    id: Str,
    name: Str,
    active: bool,
    nodes: Vec<Value>,
    stored: Arc<StoredWorkflow>,
}

async fn generate(
    State(app): State<App>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let wire::AuditInput { additional_options } = body.read_or_default()?;
    let wanted = additional_options.and_then(|options| options.categories);
    let workflows = load_workflows(&app).await?;
    let mut reports = BTreeMap::new();
    for (category, risk, title) in CATEGORIES {
        if wanted.as_ref().is_some_and(|wanted| !wanted.contains(&category)) {
            continue;
        }
        let sections: Vec<Value> = match category {
            AuditCategory::Credentials => credentials(&app, &workflows).await?,
            AuditCategory::Database => database(&workflows),
            AuditCategory::Filesystem => filesystem(&workflows),
            AuditCategory::Nodes => privileged_nodes(&workflows),
            AuditCategory::Instance => instance(&app, &workflows).await?,
        };
        if !sections.is_empty() {
            let sections = sections.into_iter().map(wire::JsonObject).collect();
            reports.insert(title, wire::AuditReport { risk, sections });
        }
    }
    // An empty report is a list, as callers know it.
    let audit = match reports.is_empty() {
        true => wire::Audit::Nothing([]),
        false => wire::Audit::Reports(reports),
    };
    Ok(typed(StatusCode::OK, &audit))
}

async fn load_workflows(app: &App) -> Result<Vec<AuditedWorkflow>, ApiError> {
    let filter = WorkflowFilter { limit: usize::MAX >> 1, ..WorkflowFilter::default() };
    let stored = app.store.workflows(filter).await?;
    let open = stored.into_iter().map(|stored| {
        let document = model::json::parse(&stored.document).unwrap_or_default();
        let nodes = document.get("nodes").and_then(Value::as_array).unwrap_or_default().to_vec();
        AuditedWorkflow {
            id: stored.id.clone(),
            name: stored.name.clone(),
            active: stored.active,
            nodes,
            stored: Arc::new(stored),
        }
    });
    Ok(open.collect())
}

async fn credentials(app: &App, workflows: &[AuditedWorkflow]) -> Result<Vec<Value>, ApiError> {
    let used = |only_active: bool| -> HashSet<&str> {
        let nodes = workflows
            .iter()
            .filter(|workflow| workflow.active || !only_active)
            .flat_map(|workflow| &workflow.nodes);
        let chosen = nodes
            .filter_map(|node| node.get("credentials").and_then(Value::as_object))
            .flat_map(Object::values);
        chosen.filter_map(|chosen| chosen.get("id").and_then(Value::as_str)).collect()
    };
    let (anywhere, in_active) = (used(false), used(true));
    let (mut unused, mut idle) = (Vec::new(), Vec::new());
    for credential in app.store.credentials(None, usize::MAX >> 1).await? {
        let fields = [
            ("kind", Value::from("credential")),
            ("id", credential.id.clone().into()),
            ("name", credential.name.into()),
        ];
        let place: Value = Object::from_iter(fields).into();
        if !anywhere.contains(credential.id.as_str()) {
            unused.push(place.clone());
        }
        if !in_active.contains(credential.id.as_str()) {
            idle.push(place);
        }
    }
    let sections = [
        section(
            "Credentials not used in any workflow",
            "No workflow uses these credentials, but each can still leak.",
            "Delete those that are no longer needed.",
            unused,
        ),
        section(
            "Credentials not used in any active workflow",
            "Only inactive workflows use these credentials.",
            "Delete them, or activate their workflows.",
            idle,
        ),
        section(
            "Nodes without a required credential",
            "No credential is selected in these nodes, or the workflow was imported. They fail \
                 with CREDENTIAL_MISSING.",
            "Open each node and choose one.",
            locations(workflows, |node| lacks_credential(node, &app.runtime.engine.registry)),
        ),
    ];
    Ok(sections.into_iter().flatten().collect())
}

/// Whether a node lacks a credential that it needs, as the check of its workflow finds it.
fn lacks_credential(node: &Value, registry: &Registry) -> bool {
    let has = |kind: &str| {
        let id = node.get("credentials").and_then(|chosen| chosen.get(kind)?.get("id")?.as_str());
        id.is_some_and(|id| !id.is_empty())
    };
    let type_name = node.get("type").and_then(Value::as_str).unwrap_or_default();
    let version = node.get("typeVersion").and_then(Value::as_f64).unwrap_or(1.0);
    let Some(found) = registry.find(type_name, version) else { return false };
    let empty = Object::new();
    let given = node.get("parameters").and_then(Value::as_object).unwrap_or(&empty);
    let params = found.spec.complete(version, given);
    let is_disabled = node.get("disabled").is_some_and(Value::is_truthy);
    !is_disabled && found.spec.required_credentials(version, &params).iter().any(|kind| !has(kind))
}

fn database(workflows: &[AuditedWorkflow]) -> Vec<Value> {
    let has_expression = |node: &Value| {
        let query = node
            .get("parameters")
            .and_then(|parameters| parameters.get("query"))
            .and_then(Value::as_str);
        // They are evaluated also where no `=` stands before the query.
        query.is_some_and(|query| query.contains("{{"))
    };
    section(
        "Expressions in SQL queries",
        "These queries are built from data. Anyone who controls the data can change what the \
             query does.",
        "Pass values as query parameters.",
        locations(workflows, |node| is_one_of(node, &SQL_NODES) && has_expression(node)),
    )
    .into_iter()
    .collect()
}

fn filesystem(workflows: &[AuditedWorkflow]) -> Vec<Value> {
    section(
        "Nodes that read or write files",
        "These nodes access files in the folder that workflows may use.",
        "Do not store anything in that folder that workflows should not see.",
        locations(workflows, |node| is_one_of(node, &FILE_NODES)),
    )
    .into_iter()
    .collect()
}

fn privileged_nodes(workflows: &[AuditedWorkflow]) -> Vec<Value> {
    section(
        "Nodes with broad access",
        "These nodes run code or programs, or can call any address.",
        "Check what they do and where their data comes from.",
        locations(workflows, |node| is_one_of(node, &PRIVILEGED_NODES)),
    )
    .into_iter()
    .collect()
}

/// How somebody outside gets in without showing who they are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenEntry {
    Webhook,
    Form,
    Chat,
    Mcp,
    /// A call or a page that a run waits for: its address is told to some, and cannot be guessed.
    Link,
}

/// What is said about each of them: the title, what it means, and what to do about it.
const ENTRIES: [(OpenEntry, &str, &str, &str); 5] = [
    (
        OpenEntry::Webhook,
        "Unprotected webhooks in instance",
        "Anyone who knows the address of these webhooks can start their workflows.",
        "Set up authentication in the webhook, or validate its data in the next node.",
    ),
    (
        OpenEntry::Form,
        "Public forms",
        "Anyone who knows the address of these forms can start their workflows.",
        "Set up authentication in the form, or validate its data in the next node.",
    ),
    (
        OpenEntry::Chat,
        "Public chats",
        "Anyone who knows the address of these chats can talk to their workflows and incur \
             model costs.",
        "Set up authentication in the chat trigger, or make the chat private. Set a budget for \
             chats that stay public.",
    ),
    (
        OpenEntry::Mcp,
        "Public MCP servers",
        "Anyone who knows the address of these MCP servers can call their tools.",
        "Set up authentication in the MCP Server Trigger.",
    ),
    (
        OpenEntry::Link,
        "Resume links without authentication",
        "Anyone with such a link can resume the waiting execution.",
        "Set up authentication in the node, and send the link only to its intended recipients.",
    ),
];

async fn instance(app: &App, workflows: &[AuditedWorkflow]) -> Result<Vec<Value>, ApiError> {
    let listening = app.runtime.active_workflows();
    let stored: Vec<Arc<StoredWorkflow>> =
        workflows.iter().map(|workflow| workflow.stored.clone()).collect();
    let engine = app.runtime.engine.clone();
    let variables = app.store.variables().await?;
    // Many workflows take a moment, in which others want to be answered.
    let found = tokio::task::spawn_blocking(move || {
        let allowance = Allowance::new(LISTEN_CPU_TIME, AUDIT_CPU_TIME);
        let mut open = Vec::new();
        for stored in &stored {
            let active =
                listening.iter().find(|active| stored.active && active.id == stored.id).cloned();
            let Some(loaded) =
                active.or_else(|| LoadedWorkflow::new(stored, &engine).ok().map(Arc::new))
            else {
                continue;
            };
            let scope =
                ListenScope::new(engine.ports.clock.now_ms(), &variables, &loaded.project_id);
            open.extend(compute::within(&allowance, || open_nodes(&loaded, &scope))?);
        }
        Ok::<_, compute::Overloaded>(open)
    });
    let found =
        found.await.map_err(|_| ApiError::new(Code::OVERLOAD, "The audit was cancelled"))?;
    let found = found.map_err(|busy| {
        ApiError::new(Code::OVERLOAD, busy.to_string()).hint("Try again in a moment.")
    })?;
    let sections = ENTRIES.into_iter().filter_map(|(entry, title, meaning, advice)| {
        let places = found.iter().filter(|(of, _)| *of == entry).map(|(_, place)| place.clone());
        section(title, meaning, advice, places.collect())
    });
    let mut sections: Vec<Value> = sections.collect();
    sections.extend(lost_addresses(app, workflows).await?);
    sections.extend(not_listening(app, workflows));
    Ok(sections)
}

/// The nodes of a workflow at which anybody gets in.
fn open_nodes(workflow: &LoadedWorkflow, scope: &ListenScope) -> Vec<(OpenEntry, Value)> {
    let nodes = workflow.plan.nodes.iter().filter(|node| !node.disabled);
    let open = nodes.filter_map(|node| {
        let name = &node.info.name;
        let entry = match workflow.listens_of(name, scope) {
            Ok(listens) => open_entry(&listens),
            // A trigger that cannot listen lets nobody in.
            Err(error) if node.is_trigger() && !is_cpu_timeout(&error) => None,
            // What a node waits for is known once it does, and what is computed for long is not
            // known. Until then it is taken for open, unless it says otherwise.
            Err(_) => workflow
                .listens_as_written(name, scope.now_ms)
                .map_or(Some(OpenEntry::Link), |listens| open_entry(&listens)),
        };
        let entry = entry.map(|entry| if node.is_trigger() { entry } else { OpenEntry::Link })?;
        let NodeInfo { id, name, type_name, .. } = &node.info;
        Some((entry, location((&workflow.id, &workflow.name), id, name, type_name)))
    });
    open.collect()
}

fn open_entry(listens: &[TriggerListener]) -> Option<OpenEntry> {
    listens.iter().find_map(|listen| {
        let (entry, auth) = match listen {
            TriggerListener::Webhook(route) => (OpenEntry::Webhook, route.auth),
            TriggerListener::Form(form) => (OpenEntry::Form, form.route.auth),
            TriggerListener::Mcp(route) => (OpenEntry::Mcp, route.auth),
            TriggerListener::Chat(chat) if chat.is_public => (OpenEntry::Chat, chat.route.auth),
            TriggerListener::Chat(_) | TriggerListener::Clock(_) | TriggerListener::Poll(_) => {
                return None;
            }
        };
        (auth == WebhookAuth::None).then_some(entry)
    })
}

/// Workflows that were active until another one turned out to have their address.
async fn lost_addresses(
    app: &App,
    workflows: &[AuditedWorkflow],
) -> Result<Option<Value>, ApiError> {
    let lost = app.store.lost_addresses().await?;
    let places = lost.iter().filter_map(|lost| {
        let workflow = workflows.iter().find(|workflow| workflow.id == lost.workflow_id)?;
        let node = workflow
            .nodes
            .iter()
            .find(|node| node.get("name").and_then(Value::as_str) == Some(lost.node.as_str()));
        let text = |key: &str| {
            node.and_then(|node| node.get(key)).and_then(Value::as_str).unwrap_or_default()
        };
        Some(location((&workflow.id, &workflow.name), text("id"), &lost.node, text("type")))
    });
    Ok(section(
        "Workflows deactivated because of an address conflict",
        "Two active workflows listened at the same address. The older one keeps it.",
        "Choose another path, and activate the workflow again.",
        places.collect(),
    ))
}

/// Workflows that are active and whose triggers compute for too long to be listened with.
fn not_listening(app: &App, workflows: &[AuditedWorkflow]) -> Option<Value> {
    let places = app.runtime.silent_workflows().into_iter().filter_map(|(id, error)| {
        let runtime::Error::Trigger { node, .. } = &error else { return None };
        let workflow =
            workflows.iter().find(|workflow| is_cpu_timeout(&error) && workflow.id == id)?;
        let known = workflow
            .nodes
            .iter()
            .find(|known| known.get("name").and_then(Value::as_str) == Some(node.as_str()));
        let text = |key: &str| {
            known.and_then(|known| known.get(key)).and_then(Value::as_str).unwrap_or_default()
        };
        Some(location((&workflow.id, &workflow.name), text("id"), node, text("type")))
    });
    section(
        "Active workflows that do not listen because their triggers exceed the CPU time limit",
        "The expressions of all triggers of a workflow together may use one second of CPU time.",
        "Simplify the expressions in the triggers, and save the workflow.",
        places.collect(),
    )
}

fn is_one_of(node: &Value, names: &[&str]) -> bool {
    let kind = node.get("type").and_then(Value::as_str).unwrap_or_default();
    kind.rsplit_once('.').is_some_and(|(_, name)| names.contains(&name))
}

fn locations(workflows: &[AuditedWorkflow], is_meant: impl Fn(&Value) -> bool) -> Vec<Value> {
    let mut found = Vec::new();
    for workflow in workflows {
        for node in workflow.nodes.iter().filter(|node| is_meant(node)) {
            let text = |key: &str| node.get(key).and_then(Value::as_str).unwrap_or_default();
            found.push(location(
                (&workflow.id, &workflow.name),
                text("id"),
                text("name"),
                text("type"),
            ));
        }
    }
    found
}

fn location(
    (workflow_id, workflow_name): (&Str, &Str),
    node_id: &str,
    node_name: &str,
    node_type: &str,
) -> Value {
    let fields = [
        ("kind", Value::from("node")),
        ("workflowId", workflow_id.clone().into()),
        ("workflowName", workflow_name.clone().into()),
        ("nodeId", node_id.into()),
        ("nodeName", node_name.into()),
        ("nodeType", node_type.into()),
    ];
    Object::from_iter(fields).into()
}

fn section(
    title: &str,
    description: &str,
    recommendation: &str,
    places: Vec<Value>,
) -> Option<Value> {
    let fields = [
        ("title", Value::from(title)),
        ("description", description.into()),
        ("recommendation", recommendation.into()),
        ("location", Value::array(places.clone())),
    ];
    (!places.is_empty()).then(|| Object::from_iter(fields).into())
}
