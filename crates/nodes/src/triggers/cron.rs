//! Starts a run at set times: the schedule of n8n's early days.

use super::schedule::{self, MODES, UNITS};
use super::schedule_trigger::validate_schedule;
use node_api::prelude::*;
use node_api::trigger::{Trigger, TriggerListener, TriggerSetup};

pub(crate) struct Cron;

impl Node for Cron {
    fn spec() -> Spec {
        Spec::trigger("n8n-nodes-base.cron", &[1.0], "Cron", "Start the workflow at set times")
            .legacy()
            .icon("calendar-clock")
            .triggered_by(TriggerKind::Schedule)
            .param(Param::notice(
                "notice",
                "The schedule runs while the workflow is active, in the workflow's time zone.",
            ))
            .param(
                Param::repeated(
                    "triggerTimes",
                    "Trigger times",
                    [FieldGroup::new("item", "Time", time_params())],
                )
                .help("The workflow starts at each of these times."),
            )
            .hint("Only in old workflows; use the Schedule Trigger in new ones.")
            .repeatable()
            .example(
                "Start with an empty item",
                r#"{ "triggerTimes": { "item": [{ "hour": 8 }] } }"#,
                "[{}]",
                "[[{}]]",
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        validate_schedule(ctx)?;
        Ok(vec![items])
    }
}

impl Trigger for Cron {
    fn listeners(setup: &TriggerSetup<'_>) -> Result<Vec<TriggerListener>, NodeError> {
        schedule::schedule_listeners(setup)
    }
}

pub(crate) fn time_params() -> Vec<Param> {
    let weekdays = [
        ("1", "Monday"),
        ("2", "Tuesday"),
        ("3", "Wednesday"),
        ("4", "Thursday"),
        ("5", "Friday"),
        ("6", "Saturday"),
        ("0", "Sunday"),
    ];
    vec![
        Param::choice("mode", "Mode", MODES)
            .preset("everyDay")
            .help("How often the workflow starts."),
        Param::number("hour", "Hour", 14)
            .between(0.0, 23.0)
            .hide("mode", &["custom", "everyHour", "everyMinute", "everyX"])
            .help("The hour of the day, from 0 to 23."),
        Param::number("minute", "Minute", 0)
            .between(0.0, 59.0)
            .hide("mode", &["custom", "everyMinute", "everyX"])
            .help("The minute past the hour."),
        Param::number("dayOfMonth", "Day of month", 1)
            .between(1.0, 31.0)
            .show("mode", &["everyMonth"])
            .help("Day of the month. Months without this day are skipped."),
        Param::choice("weekday", "Weekday", &weekdays)
            .show("mode", &["everyWeek"])
            .help("The day of the week."),
        Param::text("cronExpression", "Cron expression", "* * * * * *")
            .show("mode", &["custom"])
            .help("Seconds (optional), minute, hour, day of month, month and weekday."),
        Param::number("value", "Value", 2)
            .between(1.0, 1000.0)
            .show("mode", &["everyX"])
            .help("Number of minutes or hours between two runs."),
        Param::choice("unit", "Unit", UNITS)
            .preset("hours")
            .show("mode", &["everyX"])
            .help("The unit of the value."),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    #[tokio::test]
    async fn a_broken_expression_is_told() {
        let times = json!({ "triggerTimes": { "item": [{ "mode": "custom", "cronExpression": "61 * * * *" }] } });
        assert_eq!(run::<Cron>(times, json!([{}])).await.unwrap_err().code(), Code::NODE_PARAMETER);
    }
}
