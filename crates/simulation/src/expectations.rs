//! What is known of a history from outside, and what must be true because of it.
//!
//! Everything that somebody was promised is noted here when they are told, and everything that
//! happened when it happens. What a person may have removed is allowed to be gone, and nothing else
//! is.

use crate::workflows::effects;
use model::{RunStatus, Str};
use std::collections::{BTreeMap, BTreeSet};
use store::simulation::ExecutionRow;

#[derive(Default)]
pub(crate) struct Expectations {
    pub(crate) calls: BTreeMap<u64, SentCall>,
    pub(crate) runs: BTreeMap<i64, KnownRun>,
    /// Those that were taken.
    pub(crate) resumes: Vec<SentResume>,
    n_resumes: u64,
    /// Workflows that somebody is about to delete.
    deleting: BTreeSet<String>,
    /// Deliveries that somebody was told were taken before.
    pub(crate) taken_before: BTreeSet<String>,
    /// The first thing that should not have happened.
    broken: Option<String>,
}

/// A call that starts a run.
pub(crate) struct SentCall {
    pub(crate) workflow: &'static str,
    pub(crate) delivery: Option<String>,
    /// Its sender was told that it was taken, or that it was not.
    pub(crate) was_taken: Option<bool>,
    pub(crate) may_be_gone: bool,
}

/// A call that is to wake a run from one of its waits.
pub(crate) struct SentResume {
    pub(crate) run: i64,
    pub(crate) wait: u64,
    pub(crate) token: u64,
}

#[derive(Default)]
pub(crate) struct KnownRun {
    pub(crate) workflow: Str,
    started_ms: i64,
    pub(crate) ended: Option<RunStatus>,
    happened: BTreeMap<Str, u32>,
    /// How often a person said that a step is to be taken again.
    again: u32,
    was_decided: bool,
    may_be_gone: bool,
    is_gone: bool,
}

impl Expectations {
    pub(crate) fn fail(&mut self, what: impl Into<String>) {
        self.broken.get_or_insert(what.into());
    }

    pub(crate) fn broken(&self) -> Option<String> {
        self.broken.clone()
    }

    /// A call is on its way; gives back what names it.
    pub(crate) fn sends(&mut self, workflow: &'static str, delivery: Option<String>) -> u64 {
        let token = self.calls.len() as u64 + 1;
        let may_be_gone = self.deleting.contains(workflow);
        self.calls.insert(token, SentCall { workflow, delivery, was_taken: None, may_be_gone });
        token
    }

    pub(crate) fn is_answered(&mut self, token: u64, was_taken: bool) {
        let Some(call) = self.calls.get_mut(&token) else { return };
        call.was_taken = Some(was_taken);
        call.may_be_gone |= self.deleting.contains(call.workflow);
    }

    /// What names the next call that wakes a run.
    pub(crate) fn next_resume(&mut self) -> u64 {
        self.n_resumes += 1;
        self.n_resumes
    }

    /// Somebody begins to delete a workflow, or has come to an end with it.
    pub(crate) fn deletes_workflow(&mut self, workflow: &str, is_under_way: bool) {
        match is_under_way {
            true => self.deleting.insert(workflow.to_owned()),
            false => self.deleting.remove(workflow),
        };
        for call in self.calls.values_mut().filter(|call| call.workflow == workflow) {
            call.may_be_gone = true;
        }
        for run in self.runs.values_mut().filter(|run| run.workflow == workflow) {
            run.may_be_gone = true;
        }
    }

    /// Somebody deletes a run, which began with this call.
    pub(crate) fn deletes(&mut self, id: i64, token: Option<u64>) {
        if let Some(call) = token.and_then(|token| self.calls.get_mut(&token)) {
            call.may_be_gone = true;
        }
        self.runs.entry(id).or_default().may_be_gone = true;
    }

    pub(crate) fn decides(&mut self, id: i64, is_again: bool) {
        let run = self.runs.entry(id).or_default();
        run.was_decided = true;
        run.again += u32::from(is_again);
    }

    /// Whoever was at deleting something is gone; nobody knows how far they came.
    pub(crate) fn end_process(&mut self) {
        for workflow in std::mem::take(&mut self.deleting) {
            self.deletes_workflow(&workflow, false);
        }
    }

    /// A node does something outside.
    pub(crate) fn happens(&mut self, id: i64, node: &Str) {
        let run = self.runs.entry(id).or_default();
        let times = run.happened.entry(node.clone()).or_default();
        *times += 1;
        let broken = match () {
            () if *times > 1 + run.again => {
                Some(format!("run {id} does '{node}' {times} times, and nobody has decided so"))
            }
            () if run.is_gone => Some(format!("run {id} does '{node}' after it was removed")),
            () => run
                .ended
                .map(|status| format!("run {id} does '{node}' after its end as {}", status.name())),
        };
        if let Some(broken) = broken {
            self.fail(broken);
        }
    }

    /// Looks at the rows on disk.
    pub(crate) fn observe(&mut self, rows: &[ExecutionRow]) {
        for row in rows {
            let run = self.runs.entry(row.id).or_default();
            if run.workflow.is_empty() {
                (run.workflow, run.started_ms) = (row.workflow_id.clone(), row.started_ms);
            }
            run.may_be_gone |= self.deleting.contains(row.workflow_id.as_str());
            let is_same = run.workflow == row.workflow_id && run.started_ms == row.started_ms;
            let broken = match run.ended {
                _ if run.is_gone => {
                    Some(format!("run {} is there again after it was removed", row.id))
                }
                _ if !is_same => Some(format!("two runs have the number {}", row.id)),
                Some(ended) if ended != row.status => Some(format!(
                    "run {} had ended as {} and is {}",
                    row.id,
                    ended.name(),
                    row.status.name()
                )),
                _ => None,
            };
            run.ended = Some(row.status).filter(|status| status.is_over());
            if let Some(broken) = broken {
                self.fail(broken);
            }
        }
        let there: BTreeSet<i64> = rows.iter().map(|row| row.id).collect();
        let gone: Vec<i64> = self
            .runs
            .iter()
            .filter(|(id, run)| !run.workflow.is_empty() && !there.contains(id))
            .map(|(id, _)| *id)
            .collect();
        for id in gone {
            let Some(run) = self.runs.get_mut(&id) else { continue };
            run.is_gone = true;
            if !run.may_be_gone {
                self.fail(format!("run {id} has vanished"));
            }
        }
    }

    /// What must be true of a run that is over.
    pub(crate) fn check_effects(&self, row: &ExecutionRow) -> Result<(), String> {
        let Some(run) = self
            .runs
            .get(&row.id)
            .filter(|run| row.status == RunStatus::Success && !run.was_decided)
        else {
            return Ok(());
        };
        match effects(&row.workflow_id).iter().find(|node| !run.happened.contains_key(**node)) {
            Some(missing) => {
                Err(format!("run {} has succeeded and '{missing}' never happened", row.id))
            }
            None => Ok(()),
        }
    }
}
