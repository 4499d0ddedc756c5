//! `POST /api/v1/audit`: what in this instance deserves a second look.

use super::{Body, Operation, Text, invalid};
use crate::App;
use crate::answer::json;
use crate::error::ApiError;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::post;
use model::{Object, Str, Value};
use std::collections::HashSet;
use store::workflows::WorkflowFilter;
use store::{Credentials as _, Workflows as _};

pub(super) const OPERATIONS: &[Operation] =
    &[Operation::new("POST", "/audit", "securityAudit:generate", "generateAudit", "Look for risks", || post(generate))
        .may_take("auditInput")
        .gives(200, "audit")];

const CATEGORIES: [(&str, &str); 5] = [
    ("credentials", "Credentials Risk Report"),
    ("database", "Database Risk Report"),
    ("filesystem", "Filesystem Risk Report"),
    ("nodes", "Nodes Risk Report"),
    ("instance", "Instance Risk Report"),
];

const SQL_NODES: [&str; 6] = ["postgres", "mySql", "microsoftSql", "snowflake", "questDb", "timescaleDb"];
const FILE_NODES: [&str; 5] = ["readWriteFile", "readBinaryFile", "readBinaryFiles", "writeBinaryFile", "localFileTrigger"];
const STRONG_NODES: [&str; 7] = ["executeCommand", "code", "function", "functionItem", "httpRequest", "ssh", "ftp"];

/// A workflow, opened.
struct Opened {
    id: Str,
    name: Str,
    active: bool,
    nodes: Vec<Value>,
}

async fn generate(State(app): State<App>, Text(body): Text) -> Result<Response, ApiError> {
    let wanted = wanted(&body)?;
    let workflows = opened(&app).await?;
    let mut reports = Object::new();
    for (category, title) in CATEGORIES.into_iter().filter(|(category, _)| wanted.iter().any(|name| name == category)) {
        let sections: Vec<Value> = match category {
            "credentials" => credentials(&app, &workflows).await?,
            "database" => database(&workflows),
            "filesystem" => filesystem(&workflows),
            "nodes" => strong_nodes(&workflows),
            _ => instance(&workflows),
        };
        if !sections.is_empty() {
            let report = [("risk", Value::from(category)), ("sections", Value::array(sections))];
            reports.insert(title, Object::from_iter(report));
        }
    }
    // An empty report is a list, as callers know it.
    let answer = if reports.is_empty() { Value::array(Vec::new()) } else { reports.into() };
    Ok(json(StatusCode::OK, &answer))
}

fn wanted(body: &str) -> Result<Vec<String>, ApiError> {
    let all = || CATEGORIES.iter().map(|(name, _)| (*name).to_owned()).collect();
    if body.trim().is_empty() {
        return Ok(all());
    }
    let body = Body::read(body, &["additionalOptions"])?;
    let Some(options) = body.get("additionalOptions") else { return Ok(all()) };
    let options = Body::of(options, &["categories", "daysAbandonedWorkflow"])?;
    let days = options.get("daysAbandonedWorkflow");
    if days.is_some_and(|days| days.as_usize().is_none()) {
        return Err(invalid("daysAbandonedWorkflow", "must be a number of days"));
    }
    let Some(list) = options.get("categories") else { return Ok(all()) };
    let list = list.as_array().ok_or_else(|| invalid("categories", "must be a list"))?;
    let known = |value: &Value| value.as_str().filter(|name| CATEGORIES.iter().any(|(known, _)| known == name)).map(str::to_owned);
    list.iter().map(|value| known(value).ok_or_else(|| invalid("categories", "has one that is not known"))).collect()
}

async fn opened(app: &App) -> Result<Vec<Opened>, ApiError> {
    let filter = WorkflowFilter { limit: usize::MAX >> 1, ..WorkflowFilter::default() };
    let stored = app.store.workflows(filter).await?;
    let open = stored.into_iter().map(|stored| {
        let document = model::json::parse(&stored.document).unwrap_or_default();
        let nodes = document.get("nodes").and_then(Value::as_array).unwrap_or_default().to_vec();
        Opened { id: stored.id, name: stored.name, active: stored.active, nodes }
    });
    Ok(open.collect())
}

async fn credentials(app: &App, workflows: &[Opened]) -> Result<Vec<Value>, ApiError> {
    let used = |only_active: bool| -> HashSet<&str> {
        let nodes = workflows.iter().filter(|workflow| workflow.active || !only_active).flat_map(|workflow| &workflow.nodes);
        let chosen = nodes.filter_map(|node| node.get("credentials").and_then(Value::as_object)).flat_map(Object::values);
        chosen.filter_map(|chosen| chosen.get("id").and_then(Value::as_str)).collect()
    };
    let (anywhere, in_active) = (used(false), used(true));
    let (mut unused, mut idle) = (Vec::new(), Vec::new());
    for credential in app.store.credentials(None, usize::MAX >> 1).await? {
        let fields = [("kind", Value::from("credential")), ("id", credential.id.clone().into()), ("name", credential.name.into())];
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
            "No workflow refers to these credentials; each one that lies around can still leak.",
            "Delete those that nobody needs any more.",
            unused,
        ),
        section(
            "Credentials not used in any active workflow",
            "Only workflows that do not listen refer to these credentials.",
            "Delete them, or activate the workflows that they are meant for.",
            idle,
        ),
    ];
    Ok(sections.into_iter().flatten().collect())
}

fn database(workflows: &[Opened]) -> Vec<Value> {
    let has_expression = |node: &Value| {
        let query = node.get("parameters").and_then(|parameters| parameters.get("query")).and_then(Value::as_str);
        query.is_some_and(|query| query.starts_with('=') && query.contains("{{"))
    };
    section(
        "Expressions in the queries of SQL nodes",
        "These queries are put together from data; whoever controls the data may change what the query does.",
        "Hand values over as query parameters.",
        places(workflows, |node| is_one_of(node, &SQL_NODES) && has_expression(node)),
    )
    .into_iter()
    .collect()
}

fn filesystem(workflows: &[Opened]) -> Vec<Value> {
    section(
        "Nodes that read or write files",
        "These nodes use files in the folder that workflows may use.",
        "Keep nothing in that folder that workflows should not see.",
        places(workflows, |node| is_one_of(node, &FILE_NODES)),
    )
    .into_iter()
    .collect()
}

fn strong_nodes(workflows: &[Opened]) -> Vec<Value> {
    section(
        "Nodes that can do almost anything",
        "These nodes run code or programs, or call any address.",
        "Look at what they do, and at where their data comes from.",
        places(workflows, |node| is_one_of(node, &STRONG_NODES)),
    )
    .into_iter()
    .collect()
}

fn instance(workflows: &[Opened]) -> Vec<Value> {
    let is_open = |node: &Value| {
        let authentication = node.get("parameters").and_then(|parameters| parameters.get("authentication")).and_then(Value::as_str);
        is_one_of(node, &["webhook"]) && authentication.is_none_or(|kind| kind == "none")
    };
    section(
        "Unprotected webhooks in instance",
        "Whoever knows the address of these webhooks can start their workflows.",
        "Choose an authentication in the webhook, or check what arrives in the node behind it.",
        places(workflows, is_open),
    )
    .into_iter()
    .collect()
}

fn is_one_of(node: &Value, names: &[&str]) -> bool {
    let kind = node.get("type").and_then(Value::as_str).unwrap_or_default();
    kind.rsplit_once('.').is_some_and(|(_, name)| names.contains(&name))
}

fn places(workflows: &[Opened], is_meant: impl Fn(&Value) -> bool) -> Vec<Value> {
    let mut found = Vec::new();
    for workflow in workflows {
        for node in workflow.nodes.iter().filter(|node| is_meant(node)) {
            let text = |key: &str| node.get(key).and_then(Value::as_str).unwrap_or_default();
            let fields = [
                ("kind", Value::from("node")),
                ("workflowId", workflow.id.clone().into()),
                ("workflowName", workflow.name.clone().into()),
                ("nodeId", text("id").into()),
                ("nodeName", text("name").into()),
                ("nodeType", text("type").into()),
            ];
            found.push(Object::from_iter(fields).into());
        }
    }
    found
}

fn section(title: &str, description: &str, recommendation: &str, places: Vec<Value>) -> Option<Value> {
    let fields = [
        ("title", Value::from(title)),
        ("description", description.into()),
        ("recommendation", recommendation.into()),
        ("location", Value::array(places.clone())),
    ];
    (!places.is_empty()).then(|| Object::from_iter(fields).into())
}
