//! The timetables of active triggers, and when each is due.

use crate::Runtime;
use crate::loaded_workflow::LoadedWorkflow;
use model::Str;
use node_api::trigger::{Timetable, TriggerListener};
use std::collections::HashMap;
use std::sync::Arc;
use store::schedules::Schedule;

/// A trigger that goes by the clock.
#[derive(Clone)]
pub(crate) struct Timer {
    pub(crate) workflow: Arc<LoadedWorkflow>,
    pub(super) timetable: Arc<dyn Timetable>,
    pub(super) action: TimerAction,
}

/// What is done when the time has come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TimerAction {
    Start,
    /// A run starts only if the poll finds new items.
    Poll,
}

/// What is written down of triggers, by workflow and name.
pub(crate) type ScheduleRows = HashMap<(Str, Str), Schedule>;

impl Runtime {
    /// The timetables of a workflow's triggers, and when each is due, given what is written down of
    /// it.
    pub(crate) fn timers_of(
        &self,
        workflow: &Arc<LoadedWorkflow>,
        listens: &[(Str, TriggerListener)],
        known: &ScheduleRows,
    ) -> Vec<(Timer, Schedule)> {
        let (now, zone) = (self.now_ms(), self.zone_of(workflow));
        let mut counted: HashMap<&Str, usize> = HashMap::new();
        let mut timers = Vec::new();
        for (trigger, listen) in listens {
            let (timetable, action) = match listen {
                TriggerListener::Clock(timetable) => (timetable, TimerAction::Start),
                TriggerListener::Poll(timetable) => (timetable, TimerAction::Poll),
                TriggerListener::Webhook(_)
                | TriggerListener::Form(_)
                | TriggerListener::Chat(_)
                | TriggerListener::Mcp(_) => continue,
            };
            // A trigger with several rules has a row for each.
            let rule_index = counted.entry(trigger).and_modify(|index| *index += 1).or_insert(0);
            let node = row_name(trigger, *rule_index);
            let rule: Str = format!("{} {zone}", timetable.rule()).into();
            let known = known.get(&(workflow.id.clone(), node.clone()));
            let last_ms = known.and_then(|schedule| schedule.last_ms);
            let due = timetable.next_after(now, last_ms, zone);
            let is_same_rule =
                known.is_none_or(|known| known.rule.is_empty() || known.rule == rule);
            let next_ms = match (known.and_then(|schedule| schedule.next_ms), due) {
                // A moment that passed while nothing ran stays due. One that another rule has
                // planned does not count.
                (Some(planned), Some(due)) if is_same_rule || planned <= now => {
                    Some(planned.min(due))
                }
                (_, due) => due,
            };
            let schedule =
                Schedule { workflow_id: workflow.id.clone(), node, next_ms, last_ms, rule };
            timers.push((
                Timer { workflow: workflow.clone(), timetable: timetable.clone(), action },
                schedule,
            ));
        }
        timers
    }
}

/// The name of a rule's row: the node's, and for all but the first rule its index.
fn row_name(node: &Str, rule_index: usize) -> Str {
    if rule_index == 0 { node.clone() } else { format!("{node}\n{rule_index}").into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_of_a_trigger_has_its_name_and_no_other_rule_does() {
        let node = Str::from("Every day");
        let names: Vec<Str> = (0..3).map(|index| row_name(&node, index)).collect();
        assert_eq!(names, ["Every day", "Every day\n1", "Every day\n2"]);
        assert!(names.iter().all(|name| name.split('\n').next() == Some("Every day")));
    }
}
