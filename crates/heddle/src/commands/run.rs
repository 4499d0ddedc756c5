//! `heddle run`: runs a workflow file and shows how it goes.

use super::{block_on, read_text, read_workflow};
use crate::cli;
use crate::collections::FolderCollections;
use crate::conversations;
use crate::long_term_memory::FolderMemory;
use crate::mcp_servers::{self, FolderPins};
use crate::settings::Settings;
use crate::tables::FolderTables;
use crate::terminal::{Colour, eprint_line, paint, print_line};
use crate::tool_files;
use crate::wiring;
use anyhow::{Context as _, Result};
use engine::{Journal, PendingRecord, RunOptions, RunOutcome, RunStart};
use indicatif::{ProgressBar, ProgressStyle};
use model::json::Elements;
use model::{
    Item, Items, ItemsBuilder, Kind, RunEvent, RunRange, RunStatus, Spill, Str, TaskStatus, Value,
};
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

pub(super) fn run(arguments: &cli::RunArgs) -> Result<ExitCode> {
    let settings = Settings::load()?;
    let workflow = read_workflow(&arguments.file)?;
    let mut engine = wiring::engine(&settings)?;
    let progress = Arc::new(RunProgress::new(arguments));
    engine.ports.journal = progress.clone();
    engine.ports.collections =
        Arc::new(FolderCollections::new(arguments.data.path(), settings.collections));
    engine.ports.long_term_memory = Arc::new(FolderMemory::new(arguments.data.path()));
    engine.ports.mcp = mcp_servers::from_folder(
        &arguments.data.path(),
        &settings,
        Arc::new(FolderPins::new(arguments.data.path())),
    );
    engine.ports.tools = tool_files::for_command(&arguments.data.path(), &engine.registry);
    engine.ports.tables =
        Arc::new(FolderTables::new(arguments.data.path(), settings.table_limits()));
    engine.ports.conversations =
        conversations::from_folder(arguments.data.path(), &engine.ports.conversations);
    // Input and run count against one limit.
    let spill = engine.ports.spill.as_ref().map(|make| make());
    if let Some(spill) = spill.clone() {
        engine.ports.spill = Some(Arc::new(move || spill.clone()));
    }
    let start = RunStart {
        node: arguments.start.as_deref().map(Str::from),
        items: arguments.input.as_deref().map(|input| read_items(input, spill)).transpose()?,
        ..RunStart::default()
    };
    let mut options = RunOptions {
        extent: RunRange::until(arguments.until.as_deref().map(Str::from)),
        use_pin_data: !arguments.no_pins,
        pinned_outputs: arguments
            .from
            .as_deref()
            .map(read_previous_outputs)
            .transpose()?
            .unwrap_or_default(),
        ..wiring::run_options(&settings)
    };
    options.limits.timeout_ms = arguments.timeout.map(|seconds| (seconds.max(0.0) * 1000.0) as u64);
    let plan = Arc::new(engine.plan(&workflow));
    let outcome = block_on(async move {
        let cancel = CancellationToken::new();
        let on_interrupt = cancel.clone();
        tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                on_interrupt.cancel();
            }
        });
        engine.run(plan, start, options, cancel).await
    })?;
    progress.done();
    if arguments.stats {
        eprint_line(&stats(&outcome));
    }
    if arguments.json {
        print_json(&outcome)?;
    } else {
        report(&outcome, arguments.quiet);
    }
    Ok(if outcome.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// What the run took, on one line of JSON: the run's wall time, and the process's processor time
/// and peak memory.
fn stats(outcome: &RunOutcome) -> String {
    let field = |file: &str, name: &str| -> Option<u64> {
        let text = std::fs::read_to_string(file).ok()?;
        text.lines()
            .find_map(|line| line.strip_prefix(name))?
            .split_whitespace()
            .next()?
            .parse()
            .ok()
    };
    let peak_kb = field("/proc/self/status", "VmHWM:").unwrap_or(0);
    // Fields 14 and 15 of this line are processor time in hundredths of a second; the name before
    // them ends with `)`.
    let ticks = std::fs::read_to_string("/proc/self/stat").ok().and_then(|line| {
        let rest = line
            .rsplit_once(')')?
            .1
            .split_whitespace()
            .skip(11)
            .take(2)
            .map(str::parse::<u64>)
            .collect::<Result<Vec<_>, _>>()
            .ok()?;
        Some(rest.iter().sum::<u64>())
    });
    let items: usize = outcome
        .run_data
        .iter()
        .flat_map(|(_, runs)| runs)
        .filter_map(|task| task.output(0))
        .map(Items::len)
        .sum();
    format!(
        r#"{{"wall_ms":{},"cpu_ms":{},"peak_mb":{},"items_out":{items}}}"#,
        outcome.finished_ms - outcome.started_ms,
        ticks.unwrap_or(0) * 10,
        peak_kb / 1024,
    )
}

/// Items from JSON text, from a file named after `@`, or from standard input for `-`: an object is
/// one item, a list several.
#[expect(clippy::disallowed_types, reason = "a file named on the command line")]
fn read_items(input: &str, spill: Option<Arc<dyn Spill>>) -> Result<Items> {
    let source: Box<dyn BufRead> = match input.strip_prefix('@') {
        Some(path) => Box::new(BufReader::new(
            std::fs::File::open(path)
                .with_context(|| format!("--input: {path} cannot be opened"))?,
        )),
        None if input == "-" => Box::new(BufReader::new(std::io::stdin())),
        None => Box::new(input.as_bytes()),
    };
    let mut items = ItemsBuilder::new(spill);
    for element in Elements::new(source) {
        items.push(Item::from_value(&element.context("--input is not JSON")?));
    }
    Ok(items.finish())
}

/// The outputs of every node of a former execution.
fn read_previous_outputs(path: &Path) -> Result<HashMap<Str, Vec<Items>>> {
    let execution = model::json::parse_within(&read_text(path)?, usize::MAX)
        .with_context(|| format!("{} is not JSON", path.display()))?;
    let run_data = execution.get_path("data.resultData.runData").and_then(Value::as_object);
    let run_data = run_data.with_context(|| {
        format!("{} is not an execution: it has no data.resultData.runData", path.display())
    })?;
    let outputs_of = |runs: &Value| -> Option<Vec<Items>> {
        let outputs = runs.as_array()?.last()?.get_path("data.main")?.as_array()?;
        Some(
            outputs
                .iter()
                .map(|items| {
                    items.as_array().unwrap_or_default().iter().map(Item::from_value).collect()
                })
                .collect(),
        )
    };
    Ok(run_data.iter().filter_map(|(node, runs)| Some((node.clone(), outputs_of(runs)?))).collect())
}

/// Writes the execution node by node, so that a big one needs no second copy in memory.
fn print_json(outcome: &RunOutcome) -> Result<()> {
    use std::io::Write as _;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    outcome
        .write_json(&mut out)
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush())
        .context("the execution could not be printed")
}

fn report(outcome: &RunOutcome, quiet: bool) {
    if let Some(error) = &outcome.error {
        let place = error.node.as_ref().map(|node| format!(" in '{node}'")).unwrap_or_default();
        let item = error.item.map(|item| format!(", item {item}")).unwrap_or_default();
        eprint_line(&format!(
            "{} {}{place}{item} [{}]",
            paint("failed:", Colour::Red),
            error.message,
            error.code
        ));
        for text in [&error.description, &error.hint].into_iter().flatten() {
            eprint_line(&format!("  {text}"));
        }
        return;
    }
    if outcome.status == RunStatus::Waiting {
        let until =
            outcome.wait_till_ms.and_then(|moment| jiff::Timestamp::from_millisecond(moment).ok());
        let until =
            until.map_or_else(|| "a call from outside".to_owned(), |moment| moment.to_string());
        let until = if outcome.asks { "a person's approval".to_owned() } else { until };
        eprint_line(&format!(
            "{} for {until}; a run from the command line stops here",
            paint("waiting", Colour::Yellow)
        ));
    }
    if quiet {
        return;
    }
    if let Some(items) = outcome.last_items() {
        /// More items than this are of no use on a screen.
        const MAX_SHOWN_ITEMS: usize = 20;
        for item in items.iter().take(MAX_SHOWN_ITEMS) {
            print_line(&model::json::to_string(&item.json));
        }
        if items.len() > MAX_SHOWN_ITEMS {
            eprint_line(&format!(
                "… and {} more; --json prints them all",
                items.len() - MAX_SHOWN_ITEMS
            ));
        }
    }
}

/// Shows each node as it starts and ends.
struct RunProgress {
    bar: Option<ProgressBar>,
    quiet: bool,
}

impl RunProgress {
    fn new(arguments: &cli::RunArgs) -> Self {
        let quiet = arguments.quiet || arguments.json;
        let bar = (!quiet && std::io::IsTerminal::is_terminal(&std::io::stderr())).then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(150));
            bar
        });
        Self { bar, quiet }
    }

    fn line(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprint_line(line)),
            None => eprint_line(line),
        }
    }

    fn done(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Journal for RunProgress {
    fn append<'a>(&'a self, _run_id: &str, event: RunEvent) -> Option<PendingRecord<'a>> {
        if self.quiet {
            return None;
        }
        match event {
            RunEvent::NodeStarted { node, .. } => {
                if let Some(bar) = &self.bar {
                    bar.set_message(node.to_string());
                }
            }
            RunEvent::StepRecorded { node, key, .. } => {
                self.line(&format!("  {} {key}", paint(&format!("{node}:"), Colour::Dim)))
            }
            RunEvent::NodeLog { node, line } => {
                self.line(&format!("  {} {line}", paint(&format!("{node}:"), Colour::Dim)))
            }
            RunEvent::NodeRetried { node, attempt, error } => {
                self.line(&format!(
                    "{} {node}: try {attempt} failed, {}",
                    paint("↻", Colour::Yellow),
                    error.message
                ));
            }
            RunEvent::NodeFinished { node, task, .. } => {
                let mark = match task.status {
                    TaskStatus::Success => paint("✓", Colour::Green),
                    TaskStatus::Error => paint("✗", Colour::Red),
                    TaskStatus::Waiting | TaskStatus::Cancelled => paint("…", Colour::Yellow),
                };
                let counts: Vec<String> = task
                    .data
                    .get(&Kind::Main)
                    .into_iter()
                    .flatten()
                    .map(|items| items.as_ref().map_or(0, Items::len).to_string())
                    .collect();
                let counts = if counts.is_empty() { "no".to_owned() } else { counts.join(" | ") };
                let noun = if counts == "1" { "item" } else { "items" };
                let tail = format!("{counts} {noun}, {} ms", task.execution_time_ms);
                self.line(&format!(
                    "{mark} {} {}",
                    paint(&node, Colour::Bold),
                    paint(&tail, Colour::Dim)
                ));
            }
            RunEvent::RunStarted { .. }
            | RunEvent::SubNodeCalled { .. }
            | RunEvent::ModelUsed { .. }
            | RunEvent::StageReached { .. }
            | RunEvent::NodeSilent { .. }
            | RunEvent::RunPaused { .. }
            | RunEvent::RunResumed { .. }
            | RunEvent::RunFinished { .. } => {}
        }
        None
    }
}
