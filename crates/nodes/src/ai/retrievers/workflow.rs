//! n8n's Workflow Retriever: another workflow finds the documents.

use super::retriever_spec;
use crate::ai::tools::workflow::fields_param;
use crate::flow::execute_workflow::target;
use node_api::ai::{Document, Retriever, ScoredDocument, Supply};
use node_api::host::{WorkflowCall, WorkflowTarget};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use std::sync::Arc;

pub(crate) struct RetrieverWorkflow;

impl Supplier for RetrieverWorkflow {
    fn spec() -> Spec {
        let mut spec = retriever_spec(
            "retrieverWorkflow",
            "Workflow Retriever",
            "Let another workflow find documents",
        )
        .icon("workflow");
        spec.versions = vec![1.0, 1.1];
        spec.params([
            Param::choice(
                "source",
                "Source",
                &[("database", "Database"), ("parameter", "Define below")],
            )
            .help("Source of the workflow."),
            Param::text("workflowId", "Workflow ID", "")
                .versions(&[1.0])
                .show("source", &["database"])
                .help("The workflow to call."),
            Param::locator("workflowId", "Workflow", &["list", "id"])
                .since(1.1)
                .show("source", &["database"])
                .help("The workflow to call."),
            Param::json("workflowJson", "Workflow JSON", "")
                .show("source", &["parameter"])
                .help("The workflow as JSON."),
            fields_param(),
        ])
        .calls_workflows()
        .hint("The workflow receives the question as `query`. Each item it returns is a document.")
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        Ok(Supply::Retriever(Arc::new(WorkflowRetriever(ctx))))
    }
}

struct WorkflowRetriever(SupplyCtx);

#[async_trait::async_trait]
impl Retriever for WorkflowRetriever {
    async fn retrieve(&self, question: &str) -> Result<Vec<ScoredDocument>, NodeError> {
        let (ctx, item) = (self.0.ctx(), self.0.item());
        let target = target(&ctx, item).await?;
        let mut base = Object::from_iter([
            ("source", Value::from("workflow")),
            ("workflowSource", ctx.text("source", item)?.into()),
        ]);
        if let WorkflowTarget::Id(id) = &target {
            base.insert("workflowId", id.clone());
        }
        let json = crate::ai::tools::workflow::with_fields(
            &ctx,
            item,
            Object::from_iter([("query", question)]),
        )?;
        let items = Items::one(Item::new(json));
        let outputs = ctx.host().run_workflow(WorkflowCall { target, items, wait: true }).await?;
        let found = outputs.into_iter().next().unwrap_or_default();
        let documents = found.iter().enumerate().map(|(index, item)| {
            let mut content = format!("### {}. Context data:\n", index + 1);
            write_fields(&item.json, 0, &mut content);
            let mut metadata = base.clone();
            metadata.insert("itemIndex", index);
            ScoredDocument {
                id: index.to_string().into(),
                document: Document { content: content.into(), metadata },
                score: 1.0,
            }
        });
        Ok(documents.collect())
    }
}

/// The fields of an item as a list, those of inner objects further in.
fn write_fields(value: &Value, level: usize, content: &mut String) {
    let indent = "  ".repeat(level.min(100));
    let mut line = |key: &str, value: &Value| match value {
        Value::Object(_) | Value::Array(_) => {
            content.push_str(&format!("{indent}- \"{key}\":\n"));
            write_fields(value, level + 1, content);
        }
        other => content.push_str(&format!("{indent}- \"{key}\": \"{}\"\n", other.to_js_string())),
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| line(key, value)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(at, value)| line(&at.to_string(), value))
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_told_as_n8n_tells_them() {
        let mut content = String::new();
        write_fields(&json!({ "a": 1, "b": { "c": "x", "d": [true] } }), 0, &mut content);
        assert_eq!(
            content,
            "- \"a\": \"1\"\n- \"b\":\n  - \"c\": \"x\"\n  - \"d\":\n    - \"0\": \"true\"\n"
        );
    }
}
