//! Starts a run by the clock: at intervals, at times of day, or by a cron expression.

use super::schedule;
use formats::dates::{Moment, to_moment_format};
use node_api::prelude::*;
use node_api::trigger::{Trigger, TriggerListener, TriggerSetup};
use node_api::{Choice, ParamKind};

pub(crate) struct ScheduleTrigger;

impl Node for ScheduleTrigger {
    fn spec() -> Spec {
        let versions = [1.0, 1.1, 1.2, 1.3];
        Spec::trigger("n8n-nodes-base.scheduleTrigger", &versions, "Schedule Trigger", "Start the workflow on a schedule").icon("calendar-clock").subtitle(&["{rule.interval:schedule}"]).triggered_by(TriggerKind::Schedule)
            .param(Param::notice("notice", "The schedule runs while the workflow is active, in the workflow's time zone."))
            .param(
                Param::repeated("rule", "Trigger rules", [FieldGroup::new("interval", "Trigger interval", interval_params())])
                    .preset(json!({ "interval": [{ "field": "days" }] }))
                    .help("The workflow starts whenever one of the rules matches."),
            )
            .hint("Use it for anything that happens regularly. You can add several rules.")
            .alias(&["cron", "timer", "every", "daily", "hourly"])
            .repeatable()
            .example(
                "The item it starts with",
                r#"{ "rule": { "interval": [{ "field": "hours" }] } }"#,
                "[{}]",
                r#"[[{
                    "timestamp": "2024-01-01T00:00:00.000+00:00", "Readable date": "January 1st 2024, 12:00:00 am",
                    "Readable time": "12:00:00 am", "Day of week": "Monday", "Year": "2024", "Month": "January", "Day of month": "01",
                    "Hour": "00", "Minute": "00", "Second": "00", "Timezone": "UTC (UTC+00:00)"
                }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        validate_schedule(ctx)?;
        // Items that were handed in, such as those of an earlier run, stay what they are.
        if items.iter().any(|item| item.json.as_object().is_some_and(|json| !json.is_empty())) {
            return Ok(vec![items]);
        }
        let zone = ctx.host().timezone();
        let now = Moment::new(ctx.host().now_ms() as f64, zone)
            .ok_or_else(|| NodeError::failed(format!("Unknown time zone '{zone}'")))?;
        Ok(vec![Items::one(Item::new(moment_fields(&now, zone)))])
    }
}

impl Trigger for ScheduleTrigger {
    fn listeners(setup: &TriggerSetup<'_>) -> Result<Vec<TriggerListener>, NodeError> {
        schedule::schedule_listeners(setup)
    }
}

/// Tells a mistake in a schedule already when the workflow is run by hand.
pub(super) fn validate_schedule(ctx: &Ctx<'_>) -> Result<(), NodeError> {
    let parameters = ctx.param("", 0)?;
    let empty = Object::new();
    let identity = format!("{}/{}", ctx.host().execution().workflow_id, ctx.node().id);
    match schedule::rules_of_node(
        &ctx.node().type_name,
        parameters.as_object().unwrap_or(&empty),
        &identity,
    ) {
        Some(Err(error)) => Err(NodeError::parameter("rule", error.to_string())),
        _ => Ok(()),
    }
}

/// A moment in the words of the trigger's item.
fn moment_fields(now: &Moment, zone: &str) -> Object {
    let part = |format: &str| Value::from(to_moment_format(now, format));
    Object::from_iter([
        ("timestamp", part("YYYY-MM-DD[T]HH:mm:ss.SSSZ")),
        ("Readable date", part("MMMM Do YYYY, h:mm:ss a")),
        ("Readable time", part("h:mm:ss a")),
        ("Day of week", part("dddd")),
        ("Year", part("YYYY")),
        ("Month", part("MMMM")),
        ("Day of month", part("DD")),
        ("Hour", part("HH")),
        ("Minute", part("mm")),
        ("Second", part("ss")),
        ("Timezone", format!("{zone} (UTC{})", to_moment_format(now, "Z")).into()),
    ])
}

fn interval_params() -> Vec<Param> {
    let fields = [
        ("seconds", "Seconds"),
        ("minutes", "Minutes"),
        ("hours", "Hours"),
        ("days", "Days"),
        ("weeks", "Weeks"),
        ("months", "Months"),
        ("cronExpression", "Custom (cron)"),
    ];
    let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
    let days = days.iter().enumerate().map(|(number, name)| Choice {
        value: number.into(),
        label: (*name).into(),
        help: Str::new(),
    });
    vec![
        Param::choice("field", "Trigger interval", &fields).preset("days").help("The unit of time between two runs."),
        Param::number("secondsInterval", "Seconds between triggers", 30)
            .between(1.0, 86_400.0)
            .show("field", &["seconds"])
            .help("Number of seconds between two runs. Up to 59, runs are aligned to the clock."),
        Param::number("minutesInterval", "Minutes between triggers", 5)
            .between(1.0, 100_000.0)
            .show("field", &["minutes"])
            .help("Number of minutes between two runs. Up to 59, runs are aligned to the clock."),
        Param::number("hoursInterval", "Hours between triggers", 1)
            .between(1.0, 1000.0)
            .show("field", &["hours"])
            .help("Number of hours between two runs, counted from midnight."),
        Param::number("daysInterval", "Days between triggers", 1)
            .between(1.0, 1000.0)
            .show("field", &["days"])
            .help("Number of days between two runs."),
        Param::number("weeksInterval", "Weeks between triggers", 1)
            .between(1.0, 1000.0)
            .show("field", &["weeks"])
            .help("Number of weeks between two runs. Weeks start on Sunday."),
        Param::number("monthsInterval", "Months between triggers", 1)
            .between(1.0, 1000.0)
            .show("field", &["months"])
            .help("Number of months between two runs, counted from January if it divides the year \
                 evenly."),
        Param::number("triggerAtDayOfMonth", "Trigger at day of month", 1)
            .between(1.0, 31.0)
            .show("field", &["months"])
            .help("Day of the month. Months without this day are skipped."),
        Param {
            kind: ParamKind::MultiChoice { options: days.collect() },
            ..Param::text("triggerAtDay", "Trigger on weekdays", "")
                .preset(json!([0]))
                .show("field", &["weeks"])
                .help("Days of the week. If empty, every day.")
        },
        Param::number("triggerAtHour", "Trigger at hour", 0)
            .between(0.0, 23.0)
            .show("field", &["days", "weeks", "months"])
            .help("The hour of the day, from 0 to 23."),
        Param::number("triggerAtMinute", "Trigger at minute", 0)
            .between(0.0, 59.0)
            .show("field", &["hours", "days", "weeks", "months"])
            .help("The minute past the hour."),
        Param::notice("notice", "Minute, hour, day of month, month and weekday, with seconds in front if there are six fields.")
            .show("field", &["cronExpression"]),
        Param::text("expression", "Expression", "")
            .show("field", &["cronExpression"])
            .help("A cron expression such as `0 9 * * 1-5`. Names, `L`, `W` and `#` are supported."),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::{TestHost, items, run, run_on, to_json};

    #[tokio::test]
    async fn the_item_tells_the_time_in_the_zone_of_the_workflow() {
        let mut host = TestHost::new(&ScheduleTrigger::spec(), 1.2, &json!({}));
        host.timezone = "Asia/Yerevan".into();
        host.now_ms = 1_761_501_659_025;
        let outputs =
            run_on::<ScheduleTrigger>(&host, 1.2, vec![items(&json!([{}]))], Default::default())
                .await
                .unwrap();
        let expected = json!([{
            "timestamp": "2025-10-26T22:00:59.025+04:00", "Readable date": "October 26th 2025, 10:00:59 pm",
            "Readable time": "10:00:59 pm", "Day of week": "Sunday", "Year": "2025", "Month": "October", "Day of month": "26",
            "Hour": "22", "Minute": "00", "Second": "59", "Timezone": "Asia/Yerevan (UTC+04:00)"
        }]);
        assert_eq!(to_json(&outputs[0]), expected);
    }

    #[tokio::test]
    async fn a_broken_expression_is_told() {
        let parameters = json!({ "rule": { "interval": [{ "field": "cronExpression", "expression": "* * *" }] } });
        let error = run::<ScheduleTrigger>(parameters, json!([{}])).await.unwrap_err();
        assert!(error.message().contains("'* * *'"), "{error}");
    }

    #[tokio::test]
    async fn items_that_are_handed_in_stay() {
        let outputs =
            run::<ScheduleTrigger>(json!({}), json!([{ "timestamp": "then" }])).await.unwrap();
        assert_eq!(outputs, [json!([{ "timestamp": "then" }])]);
    }
}
