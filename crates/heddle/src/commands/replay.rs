//! `heddle replay`: does again what an execution did, from its journal alone, and says where it
//! came out otherwise.

use super::executions::actions::{self, ExecutionAction};
use super::{block_on, with_code};
use crate::cli::ReplayArgs;
use crate::settings::Settings;
use crate::terminal::{Colour, eprint_line, paint, print_line};
use crate::wiring;
use anyhow::{Context as _, Result};
use engine::{Clock, CredentialSource, Journal, PendingRecord, RunOptions, RunOutcome, RunStart};
use model::{Kind, Object, RunEvent, TaskData, Value, Workflow};
use node_api::http::{Http, HttpError, HttpRequest, HttpResponse};
use node_api::{NodeError, StartCause};
use runtime::Fork;
use runtime::steps::{JournalStep, JournalSteps};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;
use store::Store;
use tokio_util::sync::CancellationToken;

/// How much of a text is shown.
const MAX_SHOWN: usize = 160;

pub(super) fn run(arguments: ReplayArgs) -> Result<ExitCode> {
    let ReplayArgs { data, id, from, model } = arguments;
    match from {
        Some(from) => actions::run(
            &data,
            id,
            &ExecutionAction::Fork(Fork { from: from.into(), model: model.map(Into::into) }),
        ),
        None => block_on(replay(&*wiring::open_store(&data.path()).map_err(with_code)?, id))?,
    }
}

async fn replay(store: &dyn Store, id: i64) -> Result<ExitCode> {
    let execution = store.execution(id).await.map_err(with_code)?;
    let execution = execution
        .with_context(|| format!("execution '{id}' does not exist (EXECUTION_NOT_FOUND)"))?;
    let version = &execution.started.version_id;
    let document =
        if version.is_empty() { store.document(id).await } else { store.version(version).await };
    let document = document
        .map_err(with_code)?
        .context("the workflow it ran no longer exists (WORKFLOW_NOT_FOUND)")?;
    let workflow =
        Workflow::parse(&document).context("the workflow cannot be read (WORKFLOW_JSON)")?;
    let steps = JournalSteps::read(store.journal(id).await.map_err(with_code)?);
    let outcome = rerun(&workflow, &steps).await?;
    Ok(compare(&steps, &outcome))
}

/// Takes the steps again: those of agents with what they noted, all others as they are written
/// down.
async fn rerun(workflow: &Workflow, steps: &JournalSteps) -> Result<RunOutcome> {
    let settings = Settings::load()?;
    let mut engine = wiring::engine(&settings)?;
    let mut plan = engine.plan(workflow);
    // Nothing leaves a replay, so that it does not matter which credential a node had.
    plan.choose_credentials("replay");
    let plan = Arc::new(plan);
    let takes_again = |step: &JournalStep| {
        plan.node(&step.node).is_some_and(engine::PlanNode::resumes) && !step.notes.is_empty()
    };
    let known: Vec<&JournalStep> =
        steps.all.iter().take_while(|step| step.recorded.is_some()).collect();
    let cancel = CancellationToken::new();
    let moments = Arc::new(RecordedClock {
        times: known.iter().filter(|step| takes_again(step)).map(|step| step.started_ms).collect(),
        next: AtomicUsize::new(0),
        now: AtomicI64::new(0),
        end: cancel.clone(),
    });
    engine.ports.clock = moments.clone();
    engine.ports.journal = moments;
    engine.ports.http = Arc::new(OfflineHttp);
    engine.ports.connections = Arc::new(node_api::connect::NoConnections);
    engine.ports.credentials = Arc::new(PlaceholderCredentials);
    let redone = |step: &&JournalStep| {
        let mut recorded = step.recorded.clone()?;
        recorded.redo = takes_again(step).then(|| step.notes());
        Some(recorded)
    };
    let options = RunOptions {
        run_id: "replay".into(),
        mode: steps.mode.clone(),
        extent: steps.extent.clone(),
        called_by_model: steps.called_by_model,
        recorded: known.iter().filter_map(redone).collect(),
        use_pin_data: steps.mode == "manual",
        ..wiring::run_options(&settings)
    };
    let start = RunStart {
        cause: StartCause::Hand,
        node: steps.start_node.clone(),
        items: steps.items.clone(),
    };
    Ok(engine.run(plan, start, options, cancel).await)
}

/// Shows each step, and whether it came out as it did then.
fn compare(steps: &JournalSteps, outcome: &RunOutcome) -> ExitCode {
    let mut seen: std::collections::HashMap<&str, usize> = std::collections::HashMap::new();
    let mut differing = 0;
    for step in &steps.all {
        let run = seen.entry(step.node.as_str()).or_insert(0);
        let now =
            outcome.runs_of(&step.node).iter().filter(|task| task.serves().is_none()).nth(*run);
        *run += 1;
        let then = step.recorded.as_ref().and_then(|recorded| recorded.task.as_ref());
        let is_same = match (then, now) {
            (Some(then), Some(now)) => outputs(then) == outputs(now),
            (None, now) => now.is_none() || step.recorded.is_none(),
            (Some(_), None) => false,
        };
        let mark = if is_same { paint("✓", Colour::Green) } else { paint("≠", Colour::Red) };
        print_line(&format!("{mark} {}", step.node));
        for (key, value) in &step.notes {
            print_line(&paint(&format!("    {key}  {}", summarize(value)), Colour::Dim));
        }
        if !is_same {
            differing += 1;
            print_line(&format!(
                "    then  {}",
                then.map(|task| truncate(&outputs(task))).unwrap_or_default()
            ));
            let error =
                now.and_then(|task| task.error.as_ref()).map(|error| error.message.to_string());
            print_line(&format!(
                "    now   {}",
                error.or_else(|| now.map(|task| truncate(&outputs(task)))).unwrap_or_default()
            ));
        }
    }
    match differing {
        0 => eprint_line(&format!("{} steps, all identical.", steps.all.len())),
        _ => eprint_line(&format!("{differing} of {} steps differ.", steps.all.len())),
    }
    if differing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn outputs(task: &TaskData) -> String {
    let items =
        task.data.get(&Kind::Main).into_iter().flatten().flatten().flat_map(|items| items.iter());
    let values: Vec<Value> = items.map(|item| item.json).collect();
    let error = task.error.as_ref().map(|error| format!(" {}", error.message)).unwrap_or_default();
    format!("{}{error}", model::json::to_string(&Value::array(values)))
}

/// What a note says, in a few words: what a model answered or called, what a tool gave.
fn summarize(value: &Value) -> String {
    let words = match value.get("content") {
        Some(content) => content.to_js_string().to_string(),
        None => model::json::to_string(value),
    };
    truncate(&words.replace('\n', " "))
}

fn truncate(text: &str) -> String {
    if text.chars().count() <= MAX_SHOWN {
        text.to_owned()
    } else {
        format!("{}…", text.chars().take(MAX_SHOWN).collect::<String>())
    }
}

/// The time as it was when each step began.
struct RecordedClock {
    times: Vec<i64>,
    next: AtomicUsize,
    now: AtomicI64,
    /// Where the journal ends, the replay does.
    end: CancellationToken,
}

#[async_trait::async_trait]
impl Clock for RecordedClock {
    fn now_ms(&self) -> i64 {
        self.now.load(Ordering::Relaxed)
    }

    async fn sleep(&self, milliseconds: u64) {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    }
}

impl Journal for RecordedClock {
    fn append<'a>(&'a self, _run_id: &str, event: RunEvent) -> Option<PendingRecord<'a>> {
        if let RunEvent::NodeStarted { .. } = event {
            let next = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(moment) = self.times.get(next) else {
                self.end.cancel();
                return Some(Box::pin(std::future::pending()));
            };
            self.now.store(*moment, Ordering::Relaxed);
        }
        None
    }
}

/// Secrets are of no use where nobody is asked. Nodes want their fields filled in all the same, so
/// each leads to a place that there can never be.
struct PlaceholderCredentials;

/// The fields of credentials without which nodes do not begin.
const CREDENTIAL_FIELDS: [(&str, &str); 9] = [
    ("host", "replay.invalid"),
    ("url", "http://replay.invalid"),
    ("baseUrl", "http://replay.invalid"),
    ("apiUrl", "http://replay.invalid"),
    ("endpoint", "http://replay.invalid"),
    ("resourceName", "replay"),
    ("database", "replay"),
    ("user", "replay"),
    ("apiKey", "replay"),
];

impl CredentialSource for PlaceholderCredentials {
    fn get(&self, _stands_for: &str, kind: &str, _id: &str) -> Result<Object, NodeError> {
        // The databases of Redis have numbers.
        let fits = |(field, _): &&(&str, &str)| kind != "redis" || *field != "database";
        Ok(CREDENTIAL_FIELDS.iter().filter(fits).map(|(field, place)| (*field, *place)).collect())
    }
}

struct OfflineHttp;

#[async_trait::async_trait]
impl Http for OfflineHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        Err(HttpError::Blocked {
            host: request.url,
            reason: "a replay makes no requests, and this one was not recorded".into(),
        })
    }
}
