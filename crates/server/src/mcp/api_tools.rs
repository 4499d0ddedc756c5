//! The table of management tools. Each is one operation of the API, or a few.

use super::arguments::{read, schema};
use super::handler::McpRequest;
use super::results::structured;
use super::{explain, node_tools, run_tools};
use crate::App;
use crate::access::Principal;
use crate::api::{ApiRequest, operation};
use crate::error::ApiError;
use crate::routes::ApiCaller;
use crate::wire::mcp as wire;
use futures::future::BoxFuture;
use model::{Object, Str, Value};
use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};

/// A row of the table.
pub(super) struct ApiTool {
    pub(super) name: &'static str,
    title: &'static str,
    description: &'static str,
    /// The operations of the API that it is made of, by their IDs. A caller needs what each needs.
    operations: &'static [&'static str],
    effect: Effect,
    schema: fn() -> JsonObject,
    pub(super) call: ToolCall,
}

type ToolCall =
    for<'a> fn(ToolContext<'a>, Object) -> BoxFuture<'a, Result<CallToolResult, ApiError>>;

/// What a tool does to the instance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Reads,
    /// It adds something.
    Adds,
    /// It changes what is there; the same again changes nothing more.
    Changes,
    /// It runs a workflow, which may do anything.
    Runs,
}

/// What a tool is called with besides its arguments.
#[derive(Clone, Copy)]
pub(super) struct ToolContext<'a> {
    pub(super) app: &'a App,
    pub(super) api: &'a ApiCaller,
    pub(super) who: &'a Principal,
    pub(super) request: &'a McpRequest,
}

impl ToolContext<'_> {
    /// Calls an operation of the API.
    pub(super) async fn send(&self, request: ApiRequest) -> Result<Value, ApiError> {
        self.api.call(self.who, request).await
    }
}

pub(super) const API_TOOLS: &[ApiTool] = &[
    ApiTool {
        name: "list_workflows",
        title: "List workflows",
        description: "List workflows with their IDs, last updated first.",
        operations: &["getWorkflows"],
        effect: Effect::Reads,
        schema: schema::<wire::ListWorkflowsTool>,
        call: |context, arguments| Box::pin(list_workflows(context, arguments)),
    },
    ApiTool {
        name: "get_workflow",
        title: "Get a workflow",
        description: "Show a workflow: its nodes, connections, settings and versionId.",
        operations: &["getWorkflow"],
        effect: Effect::Reads,
        schema: schema::<wire::WorkflowTool>,
        call: |context, arguments| Box::pin(get_workflow(context, arguments)),
    },
    ApiTool {
        name: "search_nodes",
        title: "Search nodes",
        description: "Find node types by name, service or purpose.",
        operations: &["getNodeTypes"],
        effect: Effect::Reads,
        schema: schema::<wire::SearchNodesTool>,
        call: |context, arguments| Box::pin(node_tools::search(context, arguments)),
    },
    ApiTool {
        name: "get_node",
        title: "Get a node type",
        description: "Show a node type: its parameters with defaults, inputs and examples.",
        operations: &["getNodeTypeDocs"],
        effect: Effect::Reads,
        schema: schema::<wire::GetNodeTool>,
        call: |context, arguments| Box::pin(node_tools::get(context, arguments)),
    },
    ApiTool {
        name: "validate_workflow",
        title: "Validate a workflow",
        description: "Check a workflow that is not saved for problems. Saves nothing.",
        operations: &["checkWorkflow"],
        effect: Effect::Reads,
        schema: schema::<wire::ValidateWorkflowTool>,
        call: |context, arguments| Box::pin(validate_workflow(context, arguments)),
    },
    ApiTool {
        name: "create_workflow",
        title: "Create a workflow",
        description: "Save a new workflow. It is not active yet.",
        operations: &["createWorkflow"],
        effect: Effect::Adds,
        schema: schema::<wire::CreateWorkflowTool>,
        call: |context, arguments| Box::pin(create_workflow(context, arguments)),
    },
    ApiTool {
        name: "update_workflow",
        title: "Update a workflow",
        description: "Save a new version of a workflow, based on the version that was read. An \
                      active workflow runs it from then on.",
        operations: &["updateWorkflow", "getWorkflow"],
        effect: Effect::Changes,
        schema: schema::<wire::UpdateWorkflowTool>,
        call: |context, arguments| Box::pin(update_workflow(context, arguments)),
    },
    ApiTool {
        name: "activate_workflow",
        title: "Activate a workflow",
        description: "Make a workflow's triggers live: webhooks, schedules, forms and chats.",
        operations: &["activateWorkflow"],
        effect: Effect::Changes,
        schema: schema::<wire::WorkflowTool>,
        call: |context, arguments| Box::pin(set_active(context, arguments, "activate")),
    },
    ApiTool {
        name: "deactivate_workflow",
        title: "Deactivate a workflow",
        description: "Stop a workflow's triggers.",
        operations: &["deactivateWorkflow"],
        effect: Effect::Changes,
        schema: schema::<wire::WorkflowTool>,
        call: |context, arguments| Box::pin(set_active(context, arguments, "deactivate")),
    },
    ApiTool {
        name: "run_workflow",
        title: "Run a workflow",
        description: "Run a saved workflow and wait for its result. Its side effects are real.",
        operations: &["runWorkflow", "getExecutionOutline"],
        effect: Effect::Runs,
        schema: schema::<wire::RunWorkflowTool>,
        call: |context, arguments| Box::pin(run_tools::run(context, arguments)),
    },
    ApiTool {
        name: "list_executions",
        title: "List executions",
        description: "List executions, newest first.",
        operations: &["getExecutions"],
        effect: Effect::Reads,
        schema: schema::<wire::ListExecutionsTool>,
        call: |context, arguments| Box::pin(run_tools::list(context, arguments)),
    },
    ApiTool {
        name: "get_execution",
        title: "Get an execution",
        description: "Show an execution: status, steps and, for one node, its items.",
        operations: &["getExecutionOutline", "getExecutionItems"],
        effect: Effect::Reads,
        schema: schema::<wire::GetExecutionTool>,
        call: |context, arguments| Box::pin(run_tools::get(context, arguments)),
    },
    ApiTool {
        name: "explain_execution",
        title: "Explain an execution",
        description: "Say where and why an execution failed or waits: the node, its error code and \
                      hint, its parameters and what went into it.",
        operations: &["getExecutionOutline", "getExecutionItems", "getExecutionDocument"],
        effect: Effect::Reads,
        schema: schema::<wire::ExecutionTool>,
        call: |context, arguments| Box::pin(explain::explain(context, arguments)),
    },
];

impl ApiTool {
    /// Whether somebody may call all operations that it is made of.
    pub(super) fn is_allowed(&self, who: &Principal) -> bool {
        self.operations.iter().all(|id| {
            operation(id)
                .is_some_and(|found| found.scope.is_none_or(|scope| who.require(scope).is_ok()))
        })
    }

    pub(super) fn to_wire(&self) -> Tool {
        let mut annotations = ToolAnnotations::with_title(self.title);
        annotations.read_only_hint = Some(self.effect == Effect::Reads);
        if self.effect != Effect::Reads {
            annotations.destructive_hint =
                Some(matches!(self.effect, Effect::Changes | Effect::Runs));
            annotations.idempotent_hint = Some(self.effect == Effect::Changes);
        }
        annotations.open_world_hint = Some(self.effect == Effect::Runs);
        Tool::new(self.name, self.description, (self.schema)())
            .with_title(self.title)
            .with_annotations(annotations)
    }
}

/// Fields of an object, in this order; what is absent is left out.
pub(super) fn pick(value: &Value, keys: &[&'static str]) -> Object {
    let kept = keys.iter().filter_map(|key| Some((*key, value.get(key)?.clone())));
    Object::from_iter(kept.filter(|(_, value)| !value.is_nullish()))
}

/// A page with only some fields of each entry.
pub(super) fn pick_rows(page: &Value, keys: &[&'static str]) -> Value {
    let rows = page.get("data").and_then(Value::as_array).unwrap_or_default();
    let rows = rows.iter().map(|row| Value::from(pick(row, keys))).collect();
    let mut picked = Object::from_iter([("data", Value::array(rows))]);
    if let Some(next) = page.get("nextCursor").filter(|next| !next.is_nullish()) {
        picked.insert("nextCursor", next.clone());
    }
    picked.into()
}

async fn list_workflows(
    context: ToolContext<'_>,
    arguments: Object,
) -> Result<CallToolResult, ApiError> {
    let wire::ListWorkflowsTool { query, active, project_id, limit, cursor } = read(&arguments)?;
    let request = ApiRequest::get("/workflows")
        .query("excludePinnedData", Some("true"))
        .query("name", query)
        .query("active", active.map(|active| active.to_string()))
        .query("projectId", project_id.as_deref())
        .query("limit", limit.map(|limit| limit.get().to_string()))
        .query("cursor", cursor);
    let page = context.send(request).await?;
    let keys = ["id", "name", "active", "isArchived", "updatedAt", "projectId", "tags"];
    Ok(structured(&pick_rows(&page, &keys)))
}

async fn get_workflow(
    context: ToolContext<'_>,
    arguments: Object,
) -> Result<CallToolResult, ApiError> {
    let wire::WorkflowTool { id } = read(&arguments)?;
    Ok(structured(&workflow(context, &id).await?))
}

async fn workflow(context: ToolContext<'_>, id: &str) -> Result<Value, ApiError> {
    let request =
        ApiRequest::get("/workflows").segment(id).query("excludePinnedData", Some("true"));
    context.send(request).await
}

async fn validate_workflow(
    context: ToolContext<'_>,
    arguments: Object,
) -> Result<CallToolResult, ApiError> {
    let wire::ValidateWorkflowTool { name, nodes, connections, settings } = read(&arguments)?;
    let mut draft = Object::from_iter([("nodes", nodes.0), ("connections", connections.0)]);
    if let Some(name) = name {
        draft.insert("name", name);
    }
    if let Some(settings) = settings {
        draft.insert("settings", settings.0);
    }
    let report = context.send(ApiRequest::post("/workflows").segment("check").body(draft)).await?;
    let problems = report.get("problems").cloned().unwrap_or_default();
    let is_error =
        |problem: &Value| problem.get("severity").and_then(Value::as_str) == Some("error");
    let is_valid = !problems.as_array().unwrap_or_default().iter().any(is_error);
    let told = [("valid", Value::from(is_valid)), ("problems", problems)];
    Ok(structured(&Object::from_iter(told).into()))
}

async fn create_workflow(
    context: ToolContext<'_>,
    arguments: Object,
) -> Result<CallToolResult, ApiError> {
    let wire::CreateWorkflowTool { name, nodes, connections, settings, project_id } =
        read(&arguments)?;
    let settings = settings.map_or_else(Value::empty_object, |settings| settings.0);
    let mut body = Object::from_iter([
        ("name", Value::from(Str::from(name))),
        ("nodes", nodes.0),
        ("connections", connections.0),
        ("settings", settings),
    ]);
    if let Some(project) = project_id {
        body.insert("projectId", Str::from(project));
    }
    let saved = context.send(ApiRequest::post("/workflows").body(body)).await?;
    Ok(saved_workflow(&saved))
}

async fn update_workflow(
    context: ToolContext<'_>,
    arguments: Object,
) -> Result<CallToolResult, ApiError> {
    let wire::UpdateWorkflowTool { id, version_id, name, nodes, connections, settings } =
        read(&arguments)?;
    let before = context.send(ApiRequest::get("/workflows").segment(&id)).await?;
    let mut body = Object::from_iter([
        ("name", Value::from(Str::from(name))),
        ("nodes", nodes.0),
        ("connections", connections.0),
    ]);
    let settings = settings.map(|settings| settings.0).or_else(|| before.get("settings").cloned());
    body.insert("settings", settings.unwrap_or_else(Value::empty_object));
    // What an assistant does not see stays.
    for key in ["pinData", "meta"] {
        if let Some(kept) = before.get(key).filter(|kept| kept.is_object()) {
            body.insert(key, kept.clone());
        }
    }
    let request = ApiRequest::put("/workflows")
        .segment(&id)
        .query("versionId", Some(&*version_id))
        .body(body);
    Ok(saved_workflow(&context.send(request).await?))
}

async fn set_active(
    context: ToolContext<'_>,
    arguments: Object,
    action: &'static str,
) -> Result<CallToolResult, ApiError> {
    let wire::WorkflowTool { id } = read(&arguments)?;
    let request = ApiRequest::post("/workflows").segment(&id).segment(action);
    Ok(saved_workflow(&context.send(request).await?))
}

/// What is told of a workflow that was changed; its nodes are known to whoever changed them.
fn saved_workflow(saved: &Value) -> CallToolResult {
    let keys = ["id", "name", "active", "versionId", "updatedAt", "projectId"];
    structured(&pick(saved, &keys).into())
}
