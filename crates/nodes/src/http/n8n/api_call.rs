//! What an operation asks of the API.

use super::super::query::escape;
use node_api::prelude::*;

/// One request, or the first of several pages.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ApiCall {
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) query: Object,
    pub(super) body: Option<Value>,
    pub(super) shape: ResultShape,
}

/// What the answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultShape {
    One,
    FirstPage,
    AllPages,
}

impl ApiCall {
    fn new(method: &'static str, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            query: Object::new(),
            body: None,
            shape: ResultShape::One,
        }
    }

    fn with_body(self, body: impl Into<Value>) -> Self {
        Self { body: Some(body.into()), ..self }
    }
}

pub(super) fn read(ctx: &Ctx<'_>, index: usize) -> Result<ApiCall, NodeError> {
    let (resource, operation) = (ctx.text("resource", 0)?, ctx.text("operation", 0)?);
    match resource.as_str() {
        "workflow" => workflow(ctx, &operation, index),
        "execution" => execution(ctx, &operation, index),
        "credential" => credential(ctx, &operation, index),
        "audit" => {
            let mut options =
                ctx.param("additionalOptions", index)?.as_object().cloned().unwrap_or_default();
            options.retain(|_, value| !value.is_nullish());
            Ok(ApiCall::new("POST", "/audit")
                .with_body(Object::from_iter([("additionalOptions", options)])))
        }
        other => Err(NodeError::parameter("resource", format!("Unknown resource '{other}'"))),
    }
}

fn workflow(ctx: &Ctx<'_>, operation: &str, index: usize) -> Result<ApiCall, NodeError> {
    let id = || {
        workflow_id(ctx, "workflowId", index)?
            .ok_or_else(|| NodeError::parameter("workflowId", "No workflow is chosen"))
    };
    let path = |suffix: &str| {
        Ok::<_, NodeError>(format!("/workflows/{}{suffix}", segment("workflowId", &id()?)?))
    };
    Ok(match operation {
        "getAll" => {
            let mut call = listed(ctx, "/workflows", index)?;
            let filters = ctx.param("filters", index)?;
            let names = [
                ("activeWorkflows", "active"),
                ("tags", "tags"),
                ("name", "name"),
                ("projectId", "projectId"),
                ("excludePinnedData", "excludePinnedData"),
            ];
            for (field, name) in names {
                add(&mut call.query, name, filters.get(field));
            }
            call
        }
        "get" => ApiCall::new("GET", path("")?),
        "delete" => ApiCall::new("DELETE", path("")?),
        "activate" => {
            let mut details =
                ctx.param("additionalFields", index)?.as_object().cloned().unwrap_or_default();
            details.retain(|_, value| value.as_str() != Some("") && !value.is_nullish());
            let call = ApiCall::new("POST", path("/activate")?);
            if details.is_empty() { call } else { call.with_body(details) }
        }
        "deactivate" => ApiCall::new("POST", path("/deactivate")?),
        "getVersion" => {
            let version = segment("versionId", &ctx.text("versionId", index)?)?;
            ApiCall::new("GET", path(&format!("/{version}"))?)
        }
        "create" => {
            let given = json_param(ctx, "workflowObject", index)?;
            let mut body = Object::new();
            let defaults = [
                ("name", Value::from("My workflow")),
                ("nodes", Value::array(Vec::new())),
                ("connections", Value::empty_object()),
                ("settings", Value::empty_object()),
                ("staticData", Value::Null),
            ];
            for (field, otherwise) in defaults {
                body.insert(
                    field,
                    given
                        .get(field)
                        .filter(|value| value.is_truthy())
                        .cloned()
                        .unwrap_or(otherwise),
                );
            }
            ApiCall::new("POST", "/workflows").with_body(body)
        }
        "update" => {
            let mut body = json_param(ctx, "workflowObject", index)?;
            body.retain(|field, value| {
                ["name", "nodes", "connections", "settings", "staticData"].contains(&field)
                    && value.is_truthy()
            });
            ApiCall::new("PUT", path("")?).with_body(body)
        }
        other => return Err(no_operation(other)),
    })
}

fn execution(ctx: &Ctx<'_>, operation: &str, index: usize) -> Result<ApiCall, NodeError> {
    let mut call = match operation {
        "getAll" => {
            let mut call = listed(ctx, "/executions", index)?;
            if let Some(id) = workflow_id(ctx, "filters.workflowId", index)? {
                call.query.insert("workflowId", id);
            }
            add(&mut call.query, "status", ctx.param("filters", index)?.get("status"));
            call
        }
        "get" | "delete" => {
            let id = segment("executionId", &ctx.text("executionId", index)?)?;
            ApiCall::new(
                if operation == "get" { "GET" } else { "DELETE" },
                format!("/executions/{id}"),
            )
        }
        other => return Err(no_operation(other)),
    };
    if operation != "delete" {
        add(&mut call.query, "includeData", ctx.param("options", index)?.get("activeWorkflows"));
    }
    Ok(call)
}

fn credential(ctx: &Ctx<'_>, operation: &str, index: usize) -> Result<ApiCall, NodeError> {
    let id = || segment("credentialId", &ctx.text("credentialId", index)?);
    Ok(match operation {
        "create" => {
            let body = Object::from_iter([
                ("name", Value::from(ctx.text("name", index)?)),
                ("type", ctx.text("credentialTypeName", index)?.into()),
                ("data", json_param(ctx, "data", index)?.into()),
            ]);
            ApiCall::new("POST", "/credentials").with_body(body)
        }
        "update" => {
            let mut body = Object::new();
            let name = ctx.text("name", index)?;
            if !name.is_empty() {
                body.insert("name", name);
            }
            if !ctx.text("data", index)?.trim().is_empty() {
                body.insert("data", json_param(ctx, "data", index)?);
            }
            ApiCall::new("PATCH", format!("/credentials/{}", id()?)).with_body(body)
        }
        "delete" => ApiCall::new("DELETE", format!("/credentials/{}", id()?)),
        "getSchema" => {
            let kind = segment("credentialTypeName", &ctx.text("credentialTypeName", index)?)?;
            ApiCall::new("GET", format!("/credentials/schema/{kind}"))
        }
        other => return Err(no_operation(other)),
    })
}

fn listed(ctx: &Ctx<'_>, path: &str, index: usize) -> Result<ApiCall, NodeError> {
    let mut call = ApiCall::new("GET", path);
    call.shape =
        if ctx.flag("returnAll", index)? { ResultShape::AllPages } else { ResultShape::FirstPage };
    if call.shape == ResultShape::FirstPage {
        call.query.insert("limit", ctx.number("limit", index)?);
    }
    Ok(call)
}

fn add(query: &mut Object, name: &str, value: Option<&Value>) {
    if let Some(value) = value.filter(|value| !value.is_nullish() && value.as_str() != Some("")) {
        query.insert(name, value.clone());
    }
}

/// The id behind a locator; of a URL, what follows `/workflow/`.
fn workflow_id(ctx: &Ctx<'_>, path: &str, index: usize) -> Result<Option<Str>, NodeError> {
    let locator = ctx.param(path, index)?;
    let text = match locator.get("value").unwrap_or(&locator) {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => model::number_to_string(*number),
        _ => String::new(),
    };
    if locator.get("mode").and_then(Value::as_str) != Some("url") || text.is_empty() {
        return Ok(Some(text).filter(|text| !text.is_empty()).map(Into::into));
    }
    let id = text
        .rsplit_once("/workflow/")
        .map(|(_, rest)| rest.split(|letter: char| !letter.is_ascii_alphanumeric()).next());
    match id.flatten().filter(|id| !id.is_empty()) {
        Some(id) => Ok(Some(id.into())),
        None => Err(NodeError::parameter(path, "Not a valid Workflow URL")
            .hint("Use a URL such as https://host/workflow/id.")),
    }
}

/// A part of a path: whatever it holds, it stays one part.
fn segment(name: &str, text: &str) -> Result<String, NodeError> {
    match text.trim() {
        "" => Err(NodeError::parameter(name, format!("The parameter '{name}' is empty"))
            .hint("Enter a value.")),
        "." | ".." => {
            Err(NodeError::parameter(name, format!("The parameter '{name}' cannot be '{text}'")))
        }
        text => Ok(escape(text)),
    }
}

fn json_param(ctx: &Ctx<'_>, name: &str, index: usize) -> Result<Object, NodeError> {
    let value = match ctx.param(name, index)? {
        Value::String(text) => model::json::parse(&text).unwrap_or_default(),
        value => value,
    };
    value.as_object().cloned().ok_or_else(|| {
        NodeError::parameter(
            name,
            format!("The '{name}' property must be valid JSON, but cannot be parsed"),
        )
        .hint("Enter an object, such as { \"name\": \"x\" }.")
    })
}

fn no_operation(operation: &str) -> NodeError {
    NodeError::parameter("operation", format!("Unknown operation '{operation}'"))
}
