//! `/metrics`: what this instance does, in Prometheus' text format.

use crate::App;
use crate::observe::HttpMetrics;
use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use node_api::ai::MemoryStatistics;
use std::fmt::Write as _;
use std::sync::Arc;

pub(crate) async fn metrics(
    State(app): State<App>,
    Extension(http): Extension<Arc<HttpMetrics>>,
) -> Response {
    let mut text = String::with_capacity(16 << 10);
    let _ = writeln!(
        text,
        "# HELP heddle_build_info Version of the running build.\n# TYPE heddle_build_info \
             gauge\nheddle_build_info{{version=\"{}\"}} 1",
        env!("CARGO_PKG_VERSION")
    );
    gauge(&mut text, "heddle_active_workflows", "Active workflows.", app.runtime.n_active() as f64);
    let (in_progress, at_work) =
        (app.runtime.runner.in_progress(), app.runtime.runner.slots_in_use());
    gauge(&mut text, "heddle_executions_running", "Runs in progress.", at_work as f64);
    gauge(
        &mut text,
        "heddle_executions_queued",
        "Queued runs.",
        in_progress.saturating_sub(at_work) as f64,
    );
    // A store that cannot be read has its own sign: readiness. What is known without it is told all
    // the same.
    if let Ok(asleep) = app.store.n_unfinished().await {
        gauge(
            &mut text,
            "heddle_executions_waiting",
            "Suspended runs, waiting for a time or a call.",
            asleep.waiting as f64,
        );
        gauge(
            &mut text,
            "heddle_executions_uncertain",
            "Uncertain runs that need a person's decision.",
            asleep.uncertain as f64,
        );
    }
    if let Ok(spaces) = app.store.spaces().await {
        let sum = |figure: fn(&MemoryStatistics) -> usize| -> f64 {
            spaces.iter().map(|space| figure(&space.statistics) as f64).sum()
        };
        let (entries, bytes) = (sum(|known| known.entries), sum(|known| known.bytes));
        gauge(&mut text, "heddle_memory_entries", "Entries of long-term memory.", entries);
        gauge(&mut text, "heddle_memory_bytes", "Size of long-term memory.", bytes);
    }
    app.runtime.recorder.metrics.write(&mut text);
    http.write(&mut text);
    store(&app, &mut text);
    process(&mut text);
    let mut response = text.into_response();
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"),
    );
    response
}

fn store(app: &App, text: &mut String) {
    gauge(text, "heddle_store_backlog", "Queued writes.", app.store.backlog() as f64);
    let room = app.store.disk_space();
    gauge(text, "heddle_store_bytes", "Size of the database.", room.database as f64);
    gauge(text, "heddle_store_wal_bytes", "Size of the write-ahead log.", room.write_ahead as f64);
    if let Some(free) = room.free {
        gauge(text, "heddle_store_free_bytes", "Free disk space.", free as f64);
    }
    let figures = app.store.writer_metrics();
    text.push_str(
        "# HELP heddle_store_commit_seconds Duration of a commit.\n# TYPE \
         heddle_store_commit_seconds histogram\n",
    );
    figures.commit.write(text, "heddle_store_commit_seconds", "", 6..=24, 1e6);
    text.push_str(
        "# HELP heddle_store_group_size Writes per commit.\n# TYPE heddle_store_group_size \
         histogram\n",
    );
    figures.group.write(text, "heddle_store_group_size", "", 0..=8, 1.0);
}

fn gauge(text: &mut String, name: &str, help: &str, value: f64) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
}

/// What the system says about this process; nothing where it does not tell in Linux' way.
fn process(text: &mut String) {
    // The kernel counts in hundredths of a second, on every machine that we run on.
    const TICKS: f64 = 100.0;
    if let Ok(stat) = std::fs::read_to_string("/proc/self/stat")
        && let Some((_, fields)) = stat.rsplit_once(')')
    {
        let ticks: f64 = fields
            .split_whitespace()
            .skip(11)
            .take(2)
            .filter_map(|field| field.parse::<f64>().ok())
            .sum();
        let _ = writeln!(
            text,
            "# HELP process_cpu_seconds_total CPU time.\n# TYPE process_cpu_seconds_total \
                 counter\nprocess_cpu_seconds_total {}",
            ticks / TICKS
        );
        if let Some(threads) =
            fields.split_whitespace().nth(17).and_then(|field| field.parse::<f64>().ok())
        {
            gauge(text, "process_threads", "Threads.", threads);
        }
    }
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        if let Some(kilobytes) = kilobytes {
            gauge(text, "process_resident_memory_bytes", "Memory in use.", kilobytes * 1024.0);
        }
    }
    if let Ok(files) = std::fs::read_dir("/proc/self/fd") {
        gauge(text, "process_open_fds", "Open files and connections.", files.count() as f64);
    }
}
