//! What runs have done since the process started, in numbers.

use super::agent_metrics::AgentMetrics;
use model::metrics::{Counter, Histogram};
use model::{ModelUsage, RunEvent, RunStatus};
use std::fmt::Write as _;
use std::time::Duration;

/// n8n's words for what started a run; others count as the last.
const MODES: [&str; 9] =
    ["webhook", "chat", "trigger", "manual", "retry", "error", "integrated", "cli", "other"];

/// How a run can stop, for good or for now.
const STATUSES: [RunStatus; 5] = [
    RunStatus::Success,
    RunStatus::Error,
    RunStatus::Cancelled,
    RunStatus::Waiting,
    RunStatus::Uncertain,
];

/// Counts runs by what started them and how they ended. Cheap enough for every run.
#[derive(Default)]
pub struct RunMetrics {
    started: [Counter; MODES.len()],
    finished: [[Counter; STATUSES.len()]; MODES.len()],
    seconds: Histogram,
    model_calls: Counter,
    tokens_in: Counter,
    tokens_out: Counter,
    /// Millionths of a dollar.
    micro_dollars: Counter,
    agents: AgentMetrics,
}

/// What started a run, as a place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ModeIndex(usize);

impl Default for ModeIndex {
    fn default() -> Self {
        ModeIndex(MODES.len() - 1)
    }
}

impl ModeIndex {
    pub(crate) fn of(name: &str) -> Self {
        MODES.iter().position(|mode| *mode == name).map_or_else(Self::default, ModeIndex)
    }
}

impl RunMetrics {
    pub(crate) fn started(&self, mode: ModeIndex) {
        self.started[mode.0].add_one();
    }

    pub(crate) fn finished(&self, mode: ModeIndex, status: RunStatus, took: Duration) {
        if let Some(index) = STATUSES.iter().position(|known| *known == status) {
            self.finished[mode.0][index].add_one();
        }
        self.seconds.record_time(took);
    }

    /// Counts what an event says about agents and errors.
    pub(crate) fn take(&self, event: &RunEvent) {
        self.agents.take(event);
    }

    pub(crate) fn model_called(&self, spent: &ModelUsage) {
        self.model_calls.add_one();
        self.tokens_in.add(spent.input);
        self.tokens_out.add(spent.output);
        self.micro_dollars.add((spent.dollars.unwrap_or(0.0) * 1e6).round() as u64);
    }

    /// Writes them in Prometheus' text format; what never happened is left out.
    pub fn write(&self, out: &mut String) {
        out.push_str(
            "# HELP heddle_executions_started_total Runs started.\n# TYPE \
             heddle_executions_started_total counter\n",
        );
        for (mode, counter) in
            MODES.iter().zip(&self.started).filter(|(_, counter)| counter.get() > 0)
        {
            let _ = writeln!(
                out,
                "heddle_executions_started_total{{mode=\"{mode}\"}} {}",
                counter.get()
            );
        }
        out.push_str(
            "# HELP heddle_executions_finished_total Runs finished or suspended (waiting).\n# TYPE \
             heddle_executions_finished_total counter\n",
        );
        for (mode, counters) in MODES.iter().zip(&self.finished) {
            for (status, counter) in
                STATUSES.iter().zip(counters).filter(|(_, counter)| counter.get() > 0)
            {
                let status = status.name();
                let _ = writeln!(
                    out,
                    "heddle_executions_finished_total{{mode=\"{mode}\",status=\"{status}\"}} {}",
                    counter.get()
                );
            }
        }
        out.push_str(
            "# HELP heddle_execution_seconds Duration of runs, excluding time spent suspended.\n# \
             TYPE heddle_execution_seconds histogram\n",
        );
        self.seconds.write(out, "heddle_execution_seconds", "", 6..=26, 1e6);
        if self.model_calls.get() > 0 {
            self.write_models(out);
        }
        self.agents.write(out);
    }

    fn write_models(&self, out: &mut String) {
        let (calls, input, output) =
            (self.model_calls.get(), self.tokens_in.get(), self.tokens_out.get());
        let dollars = self.micro_dollars.get() as f64 / 1e6;
        let _ = writeln!(
            out,
            "# HELP heddle_model_answers_total Model responses.\n# TYPE \
                 heddle_model_answers_total counter"
        );
        let _ = writeln!(out, "heddle_model_answers_total {calls}");
        let _ = writeln!(
            out,
            "# HELP heddle_model_tokens_total Tokens read and written by models.\n# TYPE \
                 heddle_model_tokens_total counter"
        );
        let _ = writeln!(out, "heddle_model_tokens_total{{direction=\"in\"}} {input}");
        let _ = writeln!(out, "heddle_model_tokens_total{{direction=\"out\"}} {output}");
        let _ = writeln!(
            out,
            "# HELP heddle_model_dollars_total Cost of model calls in US dollars, where prices \
                 are known.\n# TYPE heddle_model_dollars_total counter"
        );
        let _ = writeln!(out, "heddle_model_dollars_total {dollars}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_counted_by_mode_and_status() {
        let metrics = RunMetrics::default();
        metrics.started(ModeIndex::of("webhook"));
        metrics.started(ModeIndex::of("something new"));
        metrics.finished(ModeIndex::of("webhook"), RunStatus::Error, Duration::from_millis(1));
        let mut text = String::new();
        metrics.write(&mut text);
        for line in [
            "heddle_executions_started_total{mode=\"webhook\"} 1",
            "heddle_executions_started_total{mode=\"other\"} 1",
            "heddle_executions_finished_total{mode=\"webhook\",status=\"error\"} 1",
            "heddle_execution_seconds_count 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is missing in\n{text}");
        }
        assert!(!text.contains("manual"));
    }
}
