//! A workflow as a tool. Each call is an execution of its own, which is found again after a crash
//! or a sleep.

use super::fn_tool::{ToolInvocation, name_from_param, supply_tool, text_schema, tool_spec};
use super::schema;
use crate::field_type::parse_loose_json;
use crate::flow::execute_workflow::target;
use model::Gaps;
use node_api::ai::{DataFlow, EgressTarget, Supply, ToolDefinition, ToolEffect};
use node_api::host::WorkflowCall;
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx, tool_name_of};

const DURABLE: &str = "If the workflow waits, the agent waits with it. After a crash a call is resumed, not repeated.";

/// n8n's node up to version 1.3: the workflow gets what the model gave as `query`.
pub(crate) struct ToolWorkflowOld;

impl Supplier for ToolWorkflowOld {
    fn spec() -> Spec {
        let versions = [1.0, 1.1, 1.2, 1.3];
        spec_of(&versions)
            .params([
                name_param(),
                description_param(),
                source_param(),
                Param::text("workflowId", "Workflow ID", "")
                    .until(1.1)
                    .show("source", &["database"])
                    .required()
                    .help("ID of the workflow."),
                workflow_param().since(1.2),
                json_param(),
                Param::text("responsePropertyName", "Field to return", "response")
                    .until(1.2)
                    .required()
                    .help("Field of the workflow's last node that is returned to the model."),
                fields_param(),
            ])
            .params(schema::params())
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let name = name_from_param(&ctx, "name")?;
        let schema = schema::argument_schema(&ctx, false)?;
        let takes_text = schema.is_none();
        let parameters = schema.unwrap_or_else(|| text_schema("Input for the workflow", false));
        let definition = definition(&ctx, name, parameters)?;
        Ok(supply_tool(ctx, definition, move |call| run_old(call, takes_text)))
    }
}

async fn run_old(call: ToolInvocation, takes_text: bool) -> Result<Value, NodeError> {
    let inner = call.ctx.ctx();
    let query =
        if takes_text { call.text("input").into() } else { Value::from(call.arguments.clone()) };
    let json = with_fields(&inner, call.ctx.item(), Object::from_iter([("query", query)]))?;
    let answer = call_workflow(&call, json)
        .await?
        .first()
        .map(|item| item.json)
        .ok_or_else(no_reply_error)?;
    let property = inner.text("responsePropertyName", call.ctx.item())?;
    let chosen = answer.get(&property).filter(|_| inner.version() < 1.3).cloned();
    Ok(chosen.unwrap_or(answer))
}

/// Fields that a called workflow gets beside the question.
pub(in crate::ai) fn fields_param() -> Param {
    let kinds = [
        ("stringValue", "String"),
        ("numberValue", "Number"),
        ("booleanValue", "Boolean"),
        ("arrayValue", "Array"),
        ("objectValue", "Object"),
    ];
    let values = [
        Param::text("name", "Name", "").help("Name of the field."),
        Param::choice("type", "Type", &kinds).help("Type of the field."),
        Param::text("stringValue", "Value", "")
            .show("type", &["stringValue"])
            .help("Value of the field."),
        Param::text("numberValue", "Value", "")
            .show("type", &["numberValue"])
            .help("Value of the field."),
        Param::choice("booleanValue", "Value", &[("true", "True"), ("false", "False")])
            .show("type", &["booleanValue"])
            .help("Value of the field."),
        Param::text("arrayValue", "Value", "")
            .show("type", &["arrayValue"])
            .help("Value of the field."),
        Param::json("objectValue", "Value", "={}")
            .show("type", &["objectValue"])
            .help("Value of the field."),
    ];
    Param::repeated(
        "fields",
        "Extra workflow inputs",
        [FieldGroup::new("values", "Values", values)],
    )
    .help("Additional fields passed to the workflow.")
}

/// An item with those fields.
pub(in crate::ai) fn with_fields(
    ctx: &Ctx<'_>,
    item: usize,
    json: Object,
) -> Result<Object, NodeError> {
    let (mut wrapped, mut gaps) = (Value::from(json), Gaps::default());
    for field in ctx.param("fields.values", item)?.as_array().unwrap_or_default() {
        let name = field.get("name").map(Value::to_js_string).unwrap_or_default();
        let kind = field.get("type").and_then(Value::as_str).unwrap_or("stringValue");
        wrapped.put_path_within(
            &name,
            typed(kind, field.get(kind).cloned().unwrap_or_default())?,
            &mut gaps,
        )?;
    }
    Ok(wrapped.as_object().cloned().unwrap_or_default())
}

fn typed(kind: &str, value: Value) -> Result<Value, NodeError> {
    let Some(text) = value.as_str() else { return Ok(value) };
    let wrong = || {
        NodeError::parameter("fields", format!("'{text}' does not match the type of this field"))
    };
    match kind {
        "numberValue" => text.trim().parse::<f64>().map(Value::from).map_err(|_| wrong()),
        "booleanValue" => Ok((text == "true").into()),
        "arrayValue" | "objectValue" => parse_loose_json(text).ok_or_else(wrong),
        _ => Ok(value),
    }
}

/// n8n's node from version 2 on: the model fills in the inputs that the workflow declares.
pub(crate) struct ToolWorkflow;

impl Supplier for ToolWorkflow {
    fn spec() -> Spec {
        spec_of(&[2.0, 2.1, 2.2]).model_fills(&["workflowInputs"]).params([
            name_param().until(2.1),
            description_param(),
            source_param(),
            workflow_param(),
            Param::mapper("workflowInputs", "Workflow inputs").help(
                "Values for the inputs that the workflow declares. The model fills in those \
                     with `$fromAI`.",
            ),
            json_param(),
        ])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let name = if ctx.node().version < 2.2 {
            name_from_param(&ctx, "name")?
        } else {
            tool_name_of(ctx.node())
        };
        let declared = ctx.ctx().raw_param("workflowInputs.schema");
        let is_mapped =
            declared.as_ref().and_then(Value::as_array).is_some_and(|fields| !fields.is_empty());
        let asked = ctx.host().ai_input_schema()?;
        let asks_nothing =
            asked.get("properties").and_then(Value::as_object).is_none_or(Object::is_empty);
        let parameters = if !is_mapped || asks_nothing {
            text_schema("Input for the workflow", false)
        } else {
            asked
        };
        let definition = definition(&ctx, name, parameters)?;
        Ok(supply_tool(ctx, definition, move |call| run(call, is_mapped)))
    }
}

async fn run(call: ToolInvocation, is_mapped: bool) -> Result<Value, NodeError> {
    let inner = call.ctx.ctx();
    let json = match is_mapped {
        true => mapped(&inner, call.ctx.item())?,
        false => Object::from_iter([("query", call.text("input"))]),
    };
    let items = call_workflow(&call, json).await?;
    match inner.version() > 2.0 {
        true if items.is_empty() => Err(no_reply_error()),
        true => Ok(Value::array(items.iter().map(|item| item.json).collect())),
        false => items.first().map(|item| item.json).ok_or_else(no_reply_error),
    }
}

/// The values of the inputs that are still in the form.
fn mapped(ctx: &Ctx<'_>, item: usize) -> Result<Object, NodeError> {
    let declared = ctx.param("workflowInputs.schema", item)?;
    let is_removed = |key: &str| {
        declared.as_array().unwrap_or_default().iter().any(|field| {
            field.get("id").and_then(Value::as_str) == Some(key)
                && field.get("removed").is_some_and(Value::is_truthy)
        })
    };
    let values = ctx.param("workflowInputs.value", item)?;
    let kept =
        values.as_object().into_iter().flat_map(Object::iter).filter(|(key, _)| !is_removed(key));
    Ok(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// Heddle's own: the workflow gets the model's arguments as the fields of its item.
pub(crate) struct WorkflowTool;

impl Supplier for WorkflowTool {
    fn spec() -> Spec {
        tool_spec("workflow-tool", &[1.0], "Workflow", "Let an agent call a workflow")
            .recommended()
            .icon("workflow")
            .subtitle(&["{workflowId:locator}"])
            .params([
                name_param(),
                description_param().required(),
                source_param(),
                workflow_param(),
                json_param(),
            ])
            .params(schema::params())
            .calls_workflows()
            .hint(
                "For tasks that take several nodes or wait for approval. The workflow starts with \
                 an Execute Workflow Trigger.",
            )
            .alias(&["subworkflow", "call"])
            .note(DURABLE)
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let name = name_from_param(&ctx, "name")?;
        let parameters = schema::argument_schema(&ctx, true)?
            .unwrap_or_else(|| text_schema("Input for the workflow", false));
        let definition = definition(&ctx, name, parameters)?;
        let work = |call: ToolInvocation| async move {
            let items = call_workflow(&call, call.arguments.clone()).await?;
            let mut values: Vec<Value> = items.iter().map(|item| item.json).collect();
            Ok(if values.len() == 1 { values.remove(0) } else { Value::array(values) })
        };
        Ok(supply_tool(ctx, definition, work))
    }
}

fn spec_of(versions: &[f64]) -> Spec {
    tool_spec(
        "@n8n/n8n-nodes-langchain.toolWorkflow",
        versions,
        "Call n8n Workflow Tool",
        "Let an agent call a workflow, compatible with n8n",
    )
    .compatible()
    .icon("workflow")
    .subtitle(&["{workflowId:locator}"])
    .calls_workflows()
    .hint(
        "For tasks that take several nodes or wait for approval. The workflow starts with an \
             Execute Workflow Trigger.",
    )
    .alias(&["subworkflow", "call"])
    .note(DURABLE)
}

fn name_param() -> Param {
    Param::text("name", "Name", "")
        .help("Name of the tool for the model. Defaults to the node name.")
}

fn description_param() -> Param {
    Param::long_text("description", "Description", "")
        .help("Tells the model when to call the tool and what to pass to it.")
}

fn source_param() -> Param {
    Param::choice("source", "Source", &[("database", "Database"), ("parameter", "Define below")])
        .help("Source of the workflow.")
}

fn workflow_param() -> Param {
    Param::locator("workflowId", "Workflow", &["list", "id"])
        .show("source", &["database"])
        .required()
        .help("The workflow to call.")
}

fn json_param() -> Param {
    Param::json("workflowJson", "Workflow JSON", "")
        .show("source", &["parameter"])
        .required()
        .help("The workflow as JSON.")
}

fn definition(ctx: &SupplyCtx, name: Str, parameters: Value) -> Result<ToolDefinition, NodeError> {
    let description = ctx.ctx().text("description", ctx.item())?;
    // Where a workflow sends what it is given is ruled on in its own run, which knows that a model
    // called it. A workflow that the model may have a say in itself is another matter.
    let texts = ["workflowJson", "workflowUrl", "workflowPath"];
    let sends = if texts.iter().any(|text| ctx.host().has_expression(text)) {
        EgressTarget::ModelChosen
    } else {
        EgressTarget::Declared
    };
    Ok(ToolDefinition {
        name,
        description,
        parameters,
        effect: ToolEffect::Resumes,
        flow: DataFlow::STORED.sending(sends),
    })
}

/// The items that the workflow ends with.
async fn call_workflow(call: &ToolInvocation, json: Object) -> Result<Items, NodeError> {
    let inner = call.ctx.ctx();
    let target = target(&inner, call.ctx.item()).await?;
    let items = Items::one(Item::new(json));
    let outputs = inner.host().run_workflow(WorkflowCall { target, items, wait: true }).await?;
    Ok(outputs.into_iter().next().unwrap_or_default())
}

fn no_reply_error() -> NodeError {
    NodeError::failed("The workflow did not return a response")
        .hint("Make sure its last node outputs an item.")
}
