//! Starts a run because another workflow failed.

use node_api::prelude::*;

pub(crate) struct ErrorTrigger;

impl Node for ErrorTrigger {
    fn spec() -> Spec {
        Spec::trigger("n8n-nodes-base.errorTrigger", &[1.0], "Error Trigger", "Start when another workflow fails").icon("bug").triggered_by(TriggerKind::Error)
            .untrusted()
            .param(Param::notice(
                "notice",
                "Runs when a workflow that uses this one as its error workflow fails. It does \
                     not need to be active.",
            ))
            .hint("Use it to send notifications about failures. Select this workflow as the error \
                 workflow in the settings of others.")
            .alias(&["failure", "alert", "catch"])
            .repeatable()
            .started_by(StartCause::Error)
            .example(
                "A failure",
                "{}",
                r#"[{ "execution": { "id": "7", "error": { "message": "No answer" } }, "workflow": { "id": "1", "name": "Orders" } }]"#,
                r#"[[{ "execution": { "id": "7", "error": { "message": "No answer" } }, "workflow": { "id": "1", "name": "Orders" } }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let is_blank = |item: &Item| {
            item.json.as_object().is_none_or(Object::is_empty) && item.binary.is_none()
        };
        if ctx.host().execution().mode == "manual"
            && items.len() == 1
            && items.iter().all(|item| is_blank(&item))
        {
            return Ok(vec![Items::one(Item::from_value(&sample()))]);
        }
        Ok(vec![items])
    }
}

/// What a run by hand gets, so that an error workflow can be built without a failure. Its address
/// leads nowhere.
fn sample() -> Value {
    json!({
        "execution": {
            "id": 231,
            "url": "http://localhost/execution/workflow/1/231",
            "retryOf": "34",
            "error": { "message": "Example Error Message", "stack": "Stacktrace" },
            "lastNodeExecuted": "Node With Error",
            "mode": "manual"
        },
        "workflow": { "id": "1", "name": "Example Workflow" }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    #[tokio::test]
    async fn a_run_by_hand_gets_an_example() {
        let outputs = run::<ErrorTrigger>(json!({}), json!([{}])).await.unwrap();
        assert_eq!(outputs[0].get_path("[0].workflow.name"), Some(&json!("Example Workflow")));
        assert_eq!(
            outputs[0].get_path("[0].execution.lastNodeExecuted"),
            Some(&json!("Node With Error"))
        );
    }
}
