//! Runs that a person starts from the editor: of the workflow as it is drawn, to a node or from
//! one, with the results of an earlier run where they still hold.

use crate::execute::start::{RunRequest, StartContext};
use crate::execute::steps::JournalSteps;
use crate::listen::test_listener::takes_test_calls;
use crate::{AcceptedRun, Error, LoadedWorkflow, Runtime, TestAddresses};
use engine::{Plan, RecordedStep};
use model::{Items, Kind, RunEvent, RunRange, Str, TaskData, TaskStatus, Value};
use node_api::StartCause;
use node_api::trigger::TriggerListener;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use store::workflows::StoredWorkflow;

/// What a person asks for.
#[derive(Clone, Debug, Default)]
pub struct ManualRun {
    /// The workflow as it is drawn; as it was last saved otherwise.
    pub document: Option<Value>,
    /// The trigger that starts it; one that leads to where the run is to go otherwise.
    pub trigger: Option<Str>,
    /// What the trigger gives; what `from` is fed with, if no trigger is named.
    pub items: Option<Items>,
    /// The node that is run anew, with all that comes after it.
    pub from: Option<Str>,
    /// The node that the run ends with.
    pub until: Option<Str>,
    /// The execution whose results are taken over where they still hold.
    pub reuse: Option<i64>,
}

/// What came of it.
pub enum ManualStart {
    Run(Box<AcceptedRun>),
    /// The trigger waits for a call; the run begins with it.
    Waits(TestAddresses),
}

/// What an earlier run has to offer.
#[derive(Default)]
struct ReusableRun {
    start_node: Option<Str>,
    results: Vec<RecordedStep>,
    served: Vec<(Str, Arc<TaskData>)>,
}

impl Runtime {
    pub async fn run_manually(
        self: &Arc<Self>,
        stored: &StoredWorkflow,
        wanted: ManualRun,
    ) -> Result<ManualStart, Error> {
        let loaded = Arc::new(match &wanted.document {
            Some(document) => LoadedWorkflow::draft(document, stored, &self.engine)?,
            None => LoadedWorkflow::new(stored, &self.engine)?,
        });
        self.check_credentials(&loaded.project_id, loaded.credentials()).await?;
        let plan = &loaded.plan;
        check_names(plan, &wanted)?;
        let is_fed = wanted.items.is_some();
        // Whoever says what a node is fed with does not want what others gave it.
        let feeds_from = is_fed && wanted.trigger.is_none() && wanted.from.is_some();
        let extent = RunRange {
            from: wanted.from.clone().filter(|_| !feeds_from),
            until: wanted.until.clone(),
        };
        let earlier = match wanted.reuse.filter(|_| !is_fed) {
            Some(id) => self.results_of(id, &loaded, &extent).await?,
            None => ReusableRun::default(),
        };
        let start = match (&wanted.trigger, feeds_from) {
            (Some(trigger), _) => plan.index_of(trigger),
            (None, true) => wanted.from.as_ref().and_then(|from| plan.index_of(from)),
            (None, false) => start_of(plan, &extent, earlier.start_node.as_ref()),
        };
        let start = start.ok_or(Error::NoTrigger)?;
        let recorded = plan.reusable_steps(start, &extent, earlier.results);
        if recorded.is_empty()
            && !is_fed
            && let Some(waits) = self.wait_for_call(&loaded, start, &extent).await?
        {
            return Ok(ManualStart::Waits(waits));
        }
        let served = served_for(&recorded, earlier.served);
        let request = RunRequest {
            workflow: loaded.clone(),
            cause: StartCause::Hand,
            node: Some(plan.nodes[start].info.name.clone()),
            items: wanted.items,
            mode: StartCause::Hand.mode(),
            retry_of: None,
            extent,
            request_id: Str::new(),
        };
        let context = StartContext { recorded, served, ..StartContext::default() };
        let run = self.runner.start_with(request, context)?;
        self.runner.wait_accepted(&run.log).await?;
        Ok(ManualStart::Run(Box::new(run)))
    }

    /// Lets a trigger that is called from outside listen for one call; `None` if the node is none.
    async fn wait_for_call(
        &self,
        loaded: &Arc<LoadedWorkflow>,
        start: usize,
        extent: &RunRange,
    ) -> Result<Option<TestAddresses>, Error> {
        let node = &loaded.plan.nodes[start];
        if node.disabled || node.pinned.is_some() || !node.is_trigger() {
            return Ok(None);
        }
        let listens =
            loaded.listens_of(&node.info.name, &self.listen_scope(&loaded.project_id).await?)?;
        if listens.iter().any(takes_test_calls) {
            return self.listen_with(loaded, Some(&node.info.name), extent.clone()).await.map(Some);
        }
        match listens.iter().any(|listen| matches!(listen, TriggerListener::Chat(_))) {
            true => Err(Error::Field {
                name: "items",
                problem: format!(
                    "must have a message because '{}' starts with one",
                    node.info.name
                )
                .into(),
            }),
            false => Ok(None),
        }
    }

    /// The results of an execution that still hold for a workflow.
    async fn results_of(
        &self,
        id: i64,
        loaded: &LoadedWorkflow,
        extent: &RunRange,
    ) -> Result<ReusableRun, Error> {
        self.flush_run(id).await?;
        let execution = self.store.execution(id).await?.ok_or(Error::NoExecution { id })?;
        if execution.started.workflow_id != loaded.id {
            return Err(Error::Field {
                name: "reuse",
                problem: "is an execution of another workflow".into(),
            });
        }
        let earlier = self.workflow_of(&execution).await?;
        let holds = loaded.plan.unchanged_since(&earlier.plan, extent);
        let events = self.store.journal(id).await?;
        let served = events.iter().filter_map(|event| match event {
            RunEvent::SubNodeCalled { node, task } => Some((node.clone(), task.clone())),
            _ => None,
        });
        let served = served.collect();
        let steps = JournalSteps::read(events);
        let start_node = steps.start_node.clone();
        Ok(ReusableRun {
            start_node,
            results: results(steps, &loaded.plan, &holds, &id.to_string()),
            served,
        })
    }
}

/// Refuses names that no node has, and nodes that only serve others.
fn check_names(plan: &Plan, wanted: &ManualRun) -> Result<(), Error> {
    for (name, node) in
        [("trigger", &wanted.trigger), ("start", &wanted.from), ("until", &wanted.until)]
    {
        let Some(node) = node else { continue };
        let index = plan
            .index_of(node)
            .ok_or(Error::Field { name, problem: "is not a node of the workflow".into() })?;
        let serves = plan
            .nodes
            .iter()
            .any(|other| other.suppliers.iter().any(|supplier| supplier.node == index));
        let found = &plan.nodes[index];
        if serves && found.inputs.iter().chain(&found.outputs).all(Vec::is_empty) {
            return Err(Error::Field {
                name,
                problem: "is a sub-node; name the node that uses it".into(),
            });
        }
    }
    if wanted.from.is_some() && wanted.reuse.is_none() && wanted.items.is_none() {
        return Err(Error::Field {
            name: "start",
            problem: "needs 'reuse' or 'items' as the node's input".into(),
        });
    }
    Ok(())
}

/// Where a run begins if nobody says so: where the earlier one did, if that leads to where it is to
/// go.
fn start_of(plan: &Plan, extent: &RunRange, earlier: Option<&Str>) -> Option<usize> {
    let target = extent.until.as_ref().or(extent.from.as_ref());
    let leads = |start: &usize| target.is_none_or(|target| plan.leads_to(*start, target));
    let same = earlier
        .and_then(|name| plan.index_of(name))
        .filter(|index| !plan.nodes[*index].disabled && leads(index));
    same.or_else(|| match target {
        Some(target) => plan.start_towards(target),
        None => plan.start_node(StartCause::Hand),
    })
}

/// The steps that hold, as results of their run. After the first of a node that cannot be used none
/// of the node is: the next run of it would not be the same.
fn results(steps: JournalSteps, plan: &Plan, holds: &[bool], run: &str) -> Vec<RecordedStep> {
    let mut spoilt: HashSet<Str> = HashSet::new();
    let mut results = Vec::new();
    let n_steps = steps.all.len();
    for (index, step) in steps.all.into_iter().enumerate() {
        let still_holds = plan.index_of(&step.node).is_some_and(|index| holds[index]);
        if !still_holds || spoilt.contains(&step.node) {
            continue;
        }
        match step.recorded.and_then(|recorded| finished(recorded, index + 1 == n_steps, run)) {
            Some(result) => results.push(result),
            None => {
                spoilt.insert(step.node);
            }
        }
    }
    results
}

/// A step that has come to its end without an error.
fn finished(recorded: RecordedStep, is_last: bool, run: &str) -> Option<RecordedStep> {
    let mut task = Arc::unwrap_or_clone(recorded.task?);
    if task.error.is_some() {
        return None;
    }
    match (task.status, recorded.woken_by) {
        (TaskStatus::Success, _) => {}
        // What the waiting node put out is what woke the run.
        (TaskStatus::Waiting, Some(items)) => {
            drop(task.data.insert(Kind::Main, vec![Some(items.paired_with(0))]))
        }
        (TaskStatus::Waiting, None) if !is_last => {}
        _ => return None,
    }
    task.status = TaskStatus::Success;
    let changed = recorded.changed;
    Some(RecordedStep {
        node: recorded.node,
        task: Some(Arc::new(task.mark_reused_from(run))),
        changed,
        woken_by: None,
        redo: None,
    })
}

/// What nodes did for the steps that are taken over.
fn served_for(
    steps: &[RecordedStep],
    served: Vec<(Str, Arc<TaskData>)>,
) -> Vec<(Str, Arc<TaskData>)> {
    let mut runs: HashMap<&Str, usize> = HashMap::new();
    steps.iter().for_each(|step| *runs.entry(&step.node).or_default() += 1);
    let is_for_one = |task: &TaskData| {
        let above = task.source.first().and_then(Option::as_ref);
        above.is_some_and(|above| runs.get(&above.node).is_some_and(|count| above.run < *count))
    };
    let origin =
        steps.first().and_then(|step| step.task.as_ref()?.reused_from()).unwrap_or_default();
    let mark = |task: &TaskData| Arc::new(task.clone().mark_reused_from(origin));
    served
        .iter()
        .filter(|(_, task)| is_for_one(task))
        .map(|(node, task)| (node.clone(), mark(task)))
        .collect()
}
