//! What the triggers of the clock listen to.

use crate::triggers::cron::Cron;
use crate::triggers::interval::Interval;
use crate::triggers::schedule_trigger::ScheduleTrigger;
use model::{Code, Value, json};
use node_api::trigger::{Timetable, Trigger, TriggerListener, TriggerSetup};
use node_api::{NodeError, NodeInfo};
use std::sync::Arc;

/// 2024-01-01T00:00:00Z, a Monday.
const START: i64 = 1_704_067_200_000;
const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

fn clocks<T: Trigger>(params: Value) -> Result<Vec<Arc<dyn Timetable>>, NodeError> {
    let spec = T::spec();
    let params = spec.complete(spec.newest_version(), params.as_object().unwrap());
    let node = NodeInfo { id: "n1".into(), type_name: spec.id, ..NodeInfo::default() };
    let listens = T::listeners(&TriggerSetup {
        node: &node,
        params: &params,
        webhook_id: None,
        workflow_id: "w1",
        now_ms: 0,
        timezone: "UTC",
    })?;
    let clock = |listen: TriggerListener| match listen {
        TriggerListener::Clock(timetable) => timetable,
        _ => panic!("a schedule listens to the clock"),
    };
    Ok(listens.into_iter().map(clock).collect())
}

#[test]
fn each_rule_is_a_clock_of_its_own() {
    let every_three_days = json!({ "field": "days", "daysInterval": 3, "triggerAtHour": 6 });
    let mut params = json!({ "rule": { "interval": [{ "field": "cronExpression", "expression": "0 30 9 * * 1-5" }] } });
    params.set_path("rule.interval[1]", every_three_days);
    let clocks = clocks::<ScheduleTrigger>(params).unwrap();
    assert_eq!(clocks.len(), 2);
    assert_eq!(clocks[0].next_after(START, None, "UTC"), Some(START + 9 * HOUR + HOUR / 2));
    assert_eq!(
        clocks[0].next_after(START, None, "Europe/Berlin"),
        Some(START + 8 * HOUR + HOUR / 2)
    );
    let day_of = |at: Option<i64>| at.map(|at| (at - START) / DAY);
    assert_eq!(day_of(clocks[1].next_after(START, None, "UTC")), Some(0));
    assert_eq!(
        day_of(clocks[1].next_after(START + 7 * HOUR, Some(START + 6 * HOUR), "UTC")),
        Some(3)
    );
}

#[test]
fn a_default_schedule_fires_at_midnight() {
    let clocks = clocks::<ScheduleTrigger>(json!({})).unwrap();
    let next = clocks[0].next_after(START + HOUR, None, "UTC").unwrap();
    assert!((START + DAY..START + DAY + 60_000).contains(&next), "{next}");
}

#[test]
fn old_nodes_listen_to_the_clock_too() {
    let times = json!({ "triggerTimes": { "item": [{ "mode": "custom", "cronExpression": "0 0 14 * * *" }, { "mode": "everyMinute" }] } });
    let found = clocks::<Cron>(times).unwrap();
    assert_eq!(
        (found.len(), found[0].next_after(START, None, "UTC")),
        (2, Some(START + 14 * HOUR))
    );
    let found = clocks::<Interval>(json!({ "interval": 90, "unit": "minutes" })).unwrap();
    assert_eq!(found[0].next_after(START, None, "UTC"), Some(START + 90 * 60_000));
    assert_eq!(
        found[0].next_after(START + 1, Some(START - 60_000), "UTC"),
        Some(START + 89 * 60_000)
    );
}

#[test]
fn a_broken_rule_is_told_when_the_workflow_becomes_active() {
    let broken = json!({ "rule": { "interval": [{ "field": "cronExpression", "expression": "61 * * * *" }] } });
    assert_eq!(
        clocks::<ScheduleTrigger>(broken).err().map(|error| error.code()),
        Some(Code::NODE_PARAMETER)
    );
    assert_eq!(
        clocks::<Interval>(json!({ "interval": 0 })).err().map(|error| error.code()),
        Some(Code::NODE_PARAMETER)
    );
    assert!(clocks::<Cron>(json!({})).unwrap().is_empty());
}
