//! Starts a run again and again after the same span of time: an early form of the Schedule Trigger.

use super::schedule;
use super::schedule_trigger::validate_schedule;
use node_api::prelude::*;
use node_api::trigger::{Trigger, TriggerListener, TriggerSetup};

pub(crate) struct Interval;

impl Node for Interval {
    fn spec() -> Spec {
        let units = [("seconds", "Seconds"), ("minutes", "Minutes"), ("hours", "Hours")];
        Spec::trigger(
            "n8n-nodes-base.interval",
            &[1.0],
            "Interval",
            "Start the workflow at a fixed interval",
        )
        .legacy()
        .icon("calendar-clock")
        .triggered_by(TriggerKind::Schedule)
        .param(Param::notice("notice", "The first interval starts when the workflow is activated."))
        .param(
            Param::number("interval", "Interval", 1).at_least(1.0).help("Length of the interval."),
        )
        .param(Param::choice("unit", "Unit", &units).help("Unit of the interval."))
        .hint("Only in old workflows; use the Schedule Trigger in new ones.")
        .repeatable()
        .example(
            "Start with an empty item",
            r#"{ "interval": 5, "unit": "minutes" }"#,
            "[{}]",
            "[[{}]]",
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        validate_schedule(ctx)?;
        Ok(vec![items])
    }
}

impl Trigger for Interval {
    fn listeners(setup: &TriggerSetup<'_>) -> Result<Vec<TriggerListener>, NodeError> {
        schedule::schedule_listeners(setup)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    #[tokio::test]
    async fn a_span_of_nothing_is_refused() {
        assert_eq!(
            run::<Interval>(json!({ "interval": 0 }), json!([{}])).await.unwrap_err().code(),
            Code::NODE_PARAMETER
        );
    }
}
