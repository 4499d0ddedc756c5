//! Starts a run by hand.

use node_api::prelude::*;

pub(crate) struct ManualTrigger;

impl Node for ManualTrigger {
    fn spec() -> Spec {
        Spec::trigger(
            "n8n-nodes-base.manualTrigger",
            &[1.0],
            "Manual Trigger",
            "Start the workflow manually",
        )
        .icon("mouse-pointer-click")
        .triggered_by(TriggerKind::Manual)
        .param(Param::notice(
            "notice",
            "The workflow starts here when it is run from the editor or with `heddle run`.",
        ))
        .hint(
            "Use it while building, and replace it with a real trigger when the workflow is done.",
        )
        .repeatable()
        .started_by(StartCause::Hand)
        .example("Start with an empty item", "{}", "[{}]", "[[{}]]")
    }

    async fn run(_ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        Ok(vec![items])
    }
}

/// The manual trigger of n8n's early days.
pub(crate) struct StartTrigger;

impl Node for StartTrigger {
    fn spec() -> Spec {
        Spec::trigger("n8n-nodes-base.start", &[1.0], "Start", "Start the workflow manually")
            .legacy()
            .icon("mouse-pointer-click")
            .triggered_by(TriggerKind::Manual)
            .param(Param::notice(
                "notice",
                "This is where the execution starts. New workflows use the Manual Trigger.",
            ))
            .hint("Only in old workflows; use the Manual Trigger in new ones.")
            .repeatable()
            .started_by(StartCause::Hand)
            .example("Start with an empty item", "{}", "[{}]", "[[{}]]")
    }

    async fn run(_ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        Ok(vec![items])
    }
}
