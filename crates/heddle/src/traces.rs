//! Traces of executions for OpenTelemetry: a span per run and per node, sent to a collector as OTLP
//! over HTTP.
//!
//! Nothing of this exists unless an endpoint is set. Spans are made from the events of runs, beside
//! the runs: a collector that is slow or gone costs spans, never a run.

mod open_run;
mod otlp;
mod spans;
mod trace_context;

use crate::settings;
use anyhow::{Context as _, Result};
use otlp::Exporter;
use runtime::Recorder;
use spans::SpanCollector;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// Events that may wait to become spans.
const WAITING_EVENTS: usize = 16_384;
/// How long finished spans wait for others to go along.
const BATCH_INTERVAL: Duration = Duration::from_secs(1);

/// The traces of this process, while it serves.
pub(crate) struct Traces {
    stop: oneshot::Sender<()>,
    work: JoinHandle<()>,
}

impl Traces {
    /// Starts making traces, if an endpoint is set.
    pub(crate) async fn start(recorder: &Recorder, store: &Arc<dyn Store>) -> Result<Option<Self>> {
        let endpoint = settings::read("OTEL_EXPORTER_OTLP_ENDPOINT");
        if endpoint.is_empty() {
            return Ok(None);
        }
        let share = settings::read("OTEL_TRACES_SAMPLER_ARG");
        let share: Option<f64> = share.parse().ok().filter(|share| (0.0..=1.0).contains(share));
        let share = share.with_context(|| {
            settings::invalid_value("OTEL_TRACES_SAMPLER_ARG", "which is not a number from 0 to 1")
        })?;
        let exporter = Exporter::new(
            &endpoint,
            &settings::read("OTEL_EXPORTER_OTLP_HEADERS"),
            &settings::read("OTEL_SERVICE_NAME"),
        )?;
        let spans = SpanCollector::new(
            store.clone(),
            store.secret("trace_ids").await.map_err(crate::commands::with_code)?,
            share,
        );
        let (sender, events) = mpsc::channel(WAITING_EVENTS);
        recorder.observe(sender);
        let (stop, stopped) = oneshot::channel();
        let work = tokio::spawn(follow(events, stopped, spans, exporter));
        Ok(Some(Self { stop, work }))
    }

    /// Sends what is left, within this time.
    pub(crate) async fn finish(self, patience: Duration) {
        let _ = self.stop.send(());
        let _ = tokio::time::timeout(patience, self.work).await;
    }
}

async fn follow(
    mut events: mpsc::Receiver<runtime::LiveEvent>,
    mut stopped: oneshot::Receiver<()>,
    mut spans: SpanCollector,
    exporter: Exporter,
) {
    let mut tick = tokio::time::interval(BATCH_INTERVAL);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Some(event) => spans.record(event).await,
                None => break,
            },
            _ = tick.tick() => exporter.send(spans.take_finished()).await,
            _ = &mut stopped => break,
        }
        if spans.n_finished() >= otlp::BATCH {
            exporter.send(spans.take_finished()).await;
        }
    }
    while let Ok(event) = events.try_recv() {
        spans.record(event).await;
    }
    exporter.send(spans.take_finished()).await;
}
