//! `/v1/models`: the chats of active workflows, and their embeddings nodes.

use super::OpenAiError;
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::json;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use model::{Code, Kind, Object, Str, Value};
use runtime::{LoadedWorkflow, TriggerEndpoint};
use std::sync::Arc;

pub(super) async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
) -> Result<Response, OpenAiError> {
    let mut models = Vec::new();
    for hook in chats(&app, &who) {
        models.push(to_value(&app, &hook.workflow, &hook.workflow.id, &hook.workflow.name).await?);
    }
    for (workflow, node) in embedding_nodes(&app, &who) {
        let id = format!("{}/{node}", workflow.id);
        models.push(to_value(&app, &workflow, &id, &format!("{} / {node}", workflow.name)).await?);
    }
    Ok(json(
        StatusCode::OK,
        &Object::from_iter([("object", Value::from("list")), ("data", Value::array(models))])
            .into(),
    ))
}

pub(super) async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, OpenAiError> {
    let hook = chat(&app, &who, &id)?;
    Ok(json(
        StatusCode::OK,
        &to_value(&app, &hook.workflow, &hook.workflow.id, &hook.workflow.name).await?,
    ))
}

/// The chat that a model's name means: the id of its workflow, or the workflow's name where no
/// other has it.
pub(super) fn chat(
    app: &App,
    who: &Principal,
    name: &str,
) -> Result<Arc<TriggerEndpoint>, OpenAiError> {
    let chats = chats(app, who);
    if let Some(found) = chats.iter().find(|hook| hook.workflow.id == name) {
        return Ok(found.clone());
    }
    let mut named =
        chats.iter().filter(|hook| hook.workflow.name == name || slug(&hook.workflow.name) == name);
    match (named.next(), named.next()) {
        (Some(found), None) => Ok(found.clone()),
        (Some(_), Some(_)) => Err(OpenAiError::invalid_param(
            "model",
            "is the name of several workflows; use an ID instead",
        )),
        (None, _) => Err(model_not_found(name)),
    }
}

/// Whoever lets a workflow work through here may run it by hand, too.
pub(super) async fn check_may_run(
    app: &App,
    who: &Principal,
    workflow: &LoadedWorkflow,
) -> Result<(), OpenAiError> {
    who.workflow(app, &workflow.id, AccessLevel::Edit).await?;
    Ok(())
}

pub(super) fn model_not_found(name: &str) -> OpenAiError {
    let name: String = name.chars().take(100).collect();
    let error = ApiError::new(Code::NOT_FOUND, format!("Model '{name}' does not exist")).hint(
        "A model is an active workflow with a chat trigger. GET /v1/models lists the models.",
    );
    OpenAiError { param: Some("model"), is_final: true, ..error.into() }
}

/// The chats that somebody reaches; a workflow has one.
fn chats(app: &App, who: &Principal) -> Vec<Arc<TriggerEndpoint>> {
    let mut chats = app.runtime.chats();
    chats.retain(|hook| who.access.can_view(&hook.workflow.project_id));
    chats.dedup_by(|later, earlier| later.workflow.id == earlier.workflow.id);
    chats
}

/// Every node of active workflows that turns texts into vectors.
pub(super) fn embedding_nodes(app: &App, who: &Principal) -> Vec<(Arc<LoadedWorkflow>, Str)> {
    let workflows = app
        .runtime
        .active_workflows()
        .into_iter()
        .filter(|workflow| who.access.can_view(&workflow.project_id));
    let nodes = workflows.flat_map(|workflow| {
        let embeds = |node: &&engine::PlanNode| {
            let outputs = node
                .node_type
                .as_ref()
                .map(|found| found.spec.outputs.as_slice())
                .unwrap_or_default();
            !node.disabled && outputs.iter().any(|port| port.kind == Kind::AiEmbedding)
        };
        let names: Vec<Str> =
            workflow.plan.nodes.iter().filter(embeds).map(|node| node.info.name.clone()).collect();
        names.into_iter().map(move |name| (workflow.clone(), name))
    });
    nodes.collect()
}

async fn to_value(
    app: &App,
    workflow: &LoadedWorkflow,
    id: &str,
    name: &str,
) -> Result<Value, OpenAiError> {
    let created_ms = app.store.workflow(&workflow.id).await?.map_or(0, |stored| stored.created_ms);
    let fields = [
        ("id", Value::from(id)),
        ("object", "model".into()),
        ("created", ((created_ms / 1000) as f64).into()),
        ("owned_by", "heddle".into()),
        ("name", name.into()),
    ];
    Ok(Object::from_iter(fields).into())
}

/// `Support agent` as `support-agent`.
fn slug(name: &str) -> String {
    let letters = name
        .chars()
        .map(|letter| if letter.is_alphanumeric() { letter.to_ascii_lowercase() } else { '-' });
    letters
        .collect::<String>()
        .split('-')
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}
