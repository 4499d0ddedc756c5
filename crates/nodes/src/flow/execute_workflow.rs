//! Runs another workflow, once for all items or once for each.

use node_api::host::{WorkflowCall, WorkflowOrigin, WorkflowTarget};
use node_api::prelude::*;

pub(crate) struct ExecuteWorkflow;

/// Beyond this many, "made from all of them" says nothing any more.
const MAX_PAIRS: usize = 1000;
const MAX_DOCUMENT_BYTES: usize = 16 << 20;

impl Node for ExecuteWorkflow {
    fn spec() -> Spec {
        let old = [
            ("database", "Database"),
            ("localFile", "Local file"),
            ("parameter", "Parameter"),
            ("url", "URL"),
        ];
        let new = [
            ("database", "Database"),
            ("parameter", "Define below"),
            ("localFile", "Local file"),
            ("url", "URL"),
        ];
        let versions = [1.0, 1.1, 1.2, 1.3];
        Spec::new(
            "n8n-nodes-base.executeWorkflow",
            &versions,
            "Execute Sub-workflow",
            "Run another workflow",
        )
        .icon("workflow")
        .subtitle(&["{workflowId:locator}"])
        .untrusted()
        .private()
        // Whoever writes a workflow says where it sends what it is given, and one host may have
        // workflows of many.
        .sends_to_exact("workflowUrl")
        .sends_to_exact("workflowPath")
        .sends_to_exact("workflowJson")
        .group(NodeGroup::Flow)
        .params([
            Param::hidden("operation", "call_workflow"),
            Param::choice("source", "Source", &old).until(1.1).help("Source of the workflow."),
            Param::choice("source", "Source", &new).since(1.2).help("Source of the workflow."),
            Param::text("workflowId", "Workflow ID", "")
                .required()
                .until(1.0)
                .show("source", &["database"])
                .help("ID of the workflow. Expressions are evaluated for the first item."),
            Param::locator("workflowId", "Workflow", &["list", "id"])
                .required()
                .since(1.1)
                .show("source", &["database"])
                .help("The workflow. Expressions are evaluated for the first item."),
            Param::text("workflowPath", "Workflow path", "")
                .required()
                .show("source", &["localFile"])
                .help("Path of a workflow file, inside the folder that workflows may use."),
            Param::json("workflowJson", "Workflow JSON", "")
                .required()
                .show("source", &["parameter"])
                .help("The workflow as JSON."),
            Param::text("workflowUrl", "Workflow URL", "")
                .required()
                .show("source", &["url"])
                .help("URL of the workflow."),
            Param::mapper("workflowInputs", "Workflow inputs")
                .since(1.2)
                .show("source", &["database"])
                .help("Values for the inputs that the workflow declares."),
            Param::choice(
                "mode",
                "Mode",
                &[("once", "Run once with all items"), ("each", "Run once for each item")],
            )
            .help("How many times to run the workflow."),
            Param::collection(
                "options",
                "Options",
                [Param::flag("waitForSubWorkflow", "Wait for sub-workflow completion", true)
                    .help("Wait until the workflow finishes, and continue with its items.")],
            )
            .help("Call options."),
        ])
        .hint(
            "Use it to share steps between workflows. The called workflow starts with an \
                 Execute Workflow Trigger.",
        )
        .alias(&["subworkflow", "call", "reuse"])
        .note(
            "If the called workflow waits, its caller waits too. Neither uses memory \
                     meanwhile, and the caller continues with the returned items. Each call is a \
                     separate execution. After a crash a call is resumed, not repeated.",
        )
        .calls_workflows()
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let given = inputs(ctx, &items)?;
        if ctx.text("mode", 0)? == "each" {
            run_each(ctx, &given).await
        } else {
            run_once(ctx, given).await
        }
    }
}

async fn run_once(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
    let result = async {
        let wait = waits(ctx, 0)?;
        let target = target(ctx, 0).await?;
        let outputs =
            ctx.host().run_workflow(WorkflowCall { target, items: items.clone(), wait }).await?;
        Ok::<_, NodeError>((wait, outputs))
    };
    match result.await {
        Ok((false, _)) => Ok(vec![items]),
        Ok((true, outputs)) => {
            Ok(outputs.iter().map(|output| pair(ctx, output, items.len())).collect())
        }
        Err(error) => {
            let item = ctx.failed_item(0, error)?;
            Ok(vec![Items::one(item.with_pairs(all_pairs(items.len())))])
        }
    }
}

async fn run_each(ctx: &Ctx<'_>, items: &Items) -> Result<Outputs, NodeError> {
    let mut outputs: Vec<ItemsBuilder> = Vec::new();
    let put = |outputs: &mut Vec<ItemsBuilder>, output: usize, item: Item| {
        while outputs.len() <= output {
            outputs.push(ctx.builder());
        }
        if let Some(place) = outputs.get_mut(output) {
            place.push(item);
        }
    };
    for (index, item) in items.iter().enumerate() {
        let result = async {
            let wait = waits(ctx, index)?;
            let target = target(ctx, index).await?;
            let call = WorkflowCall { target, items: Items::one(item.clone()), wait };
            Ok::<_, NodeError>((wait, ctx.host().run_workflow(call).await?))
        };
        match result.await {
            Ok((false, _)) => put(&mut outputs, 0, item),
            Ok((true, lists)) => {
                for (output, list) in lists.iter().enumerate() {
                    for made in list.iter() {
                        put(&mut outputs, output, made.paired_with(index));
                    }
                }
            }
            Err(error) if ctx.continues_on_fail() => {
                put(&mut outputs, 0, ctx.failed_item(index, error)?)
            }
            Err(error) => {
                let reason = error.message().clone();
                let message = format!("Error executing workflow with item at index {index}");
                return Err(error.reword(message).describe(reason).on_item(index));
            }
        }
    }
    Ok(outputs.into_iter().map(ItemsBuilder::finish).collect())
}

fn waits(ctx: &Ctx<'_>, index: usize) -> Result<bool, NodeError> {
    Ok(ctx.param("options.waitForSubWorkflow", index)?.as_bool() != Some(false))
}

/// The items for the other workflow: the mapped inputs over the item's own fields.
fn inputs(ctx: &Ctx<'_>, items: &Items) -> Result<Items, NodeError> {
    let has_mapping = ctx.raw_param("workflowInputs.value").is_some_and(|value| value.is_object());
    let schema = ctx.param("workflowInputs.schema", 0)?;
    let removed: Vec<&str> = schema
        .as_array()
        .unwrap_or_default()
        .iter()
        .filter_map(|field| {
            let is_removed = field.get("removed").is_some_and(Value::is_truthy);
            field.get("displayName").and_then(Value::as_str).filter(|_| is_removed)
        })
        .collect();
    let mut given = ctx.builder();
    for (index, mut item) in items.iter().enumerate() {
        if has_mapping {
            let values = ctx.param("workflowInputs.value", index)?;
            let json = item.json.make_object();
            for (key, value) in values.as_object().into_iter().flat_map(Object::iter) {
                json.insert(key.clone(), value.clone());
            }
        }
        if !removed.is_empty() {
            item.json.make_object().retain(|key, _| !removed.contains(&key));
        }
        given.push(item.paired_with(index));
    }
    Ok(given.finish())
}

pub(crate) async fn target(ctx: &Ctx<'_>, index: usize) -> Result<WorkflowTarget, NodeError> {
    let missing = |path: &str, what: &str| {
        NodeError::parameter(path, format!("No {what} is set")).on_item(index)
    };
    match ctx.text("source", 0)?.as_str() {
        "localFile" => {
            let path = ctx.text("workflowPath", index)?;
            if path.is_empty() {
                Err(missing("workflowPath", "workflow file"))
            } else {
                Ok(WorkflowTarget::File(path))
            }
        }
        "parameter" => {
            let source = if ctx.host().has_expression("workflowJson") {
                WorkflowOrigin::Made
            } else {
                WorkflowOrigin::Written
            };
            match ctx.param("workflowJson", index)? {
                document @ Value::Object(_) => Ok(WorkflowTarget::Text(document, source)),
                text => document(&text.to_js_string(), source, "workflowJson"),
            }
        }
        "url" => {
            let mut request = HttpRequest::new("GET", ctx.text("workflowUrl", index)?.to_string());
            request.max_response_bytes = MAX_DOCUMENT_BYTES;
            let answer = ctx.host().http().send(request).await;
            let answer = answer.map_err(|error| NodeError::new(error.code(), error.to_string()))?;
            if !answer.is_success() {
                return Err(NodeError::api(
                    answer.status,
                    format!("Could not download the workflow: status {}", answer.status),
                ));
            }
            document(&String::from_utf8_lossy(&answer.body), WorkflowOrigin::Fetched, "workflowUrl")
        }
        _ => {
            let value = ctx.param("workflowId", index)?;
            let id = value.get("value").unwrap_or(&value);
            if id.is_nullish() || id.as_str() == Some("") || id.is_object() {
                return Err(missing("workflowId", "workflow"));
            }
            Ok(WorkflowTarget::Id(id.to_js_string()))
        }
    }
}

fn document(text: &str, source: WorkflowOrigin, path: &str) -> Result<WorkflowTarget, NodeError> {
    let read = model::json::parse(text).ok().filter(Value::is_object);
    let read =
        read.ok_or_else(|| NodeError::parameter(path, "The text is not valid workflow JSON"))?;
    Ok(WorkflowTarget::Text(read, source))
}

/// Items of the other workflow know nothing of ours: by position if there are as many, else made
/// from all.
fn pair(ctx: &Ctx<'_>, output: &Items, given: usize) -> Items {
    let mut paired = ctx.builder();
    let same = output.len() == given;
    let all = all_pairs(given);
    paired.extend(output.iter().enumerate().map(|(index, item)| {
        if same { item.paired_with(index) } else { item.with_pairs(all.clone()) }
    }));
    paired.finish()
}

fn all_pairs(count: usize) -> Pairs {
    if count > MAX_PAIRS { Pairs::None } else { (0..count).map(PairedItem::new).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    #[tokio::test]
    async fn a_workflow_must_be_named() {
        let error = run::<ExecuteWorkflow>(
            json!({ "workflowId": { "__rl": true, "value": "", "mode": "list" } }),
            json!([{}]),
        )
        .await
        .unwrap_err();
        assert_eq!(error.message(), "No workflow is set");
    }

    #[tokio::test]
    async fn the_error_of_one_item_names_it() {
        let error =
            run::<ExecuteWorkflow>(json!({ "workflowId": "7", "mode": "each" }), json!([{}]))
                .await
                .unwrap_err();
        assert_eq!(error.message(), "Error executing workflow with item at index 0");
        assert_eq!(error.description().unwrap(), "no other workflows here");
    }

    #[tokio::test]
    async fn text_that_is_no_workflow_is_refused() {
        let error = run::<ExecuteWorkflow>(
            json!({ "source": "parameter", "workflowJson": "[]" }),
            json!([{}]),
        )
        .await
        .unwrap_err();
        assert_eq!(error.message(), "The text is not valid workflow JSON");
    }
}
