//! The server's log: lines of text for people, or JSON for whatever collects them.

use crate::settings::{LogFormat, ServerSettings};
use crate::terminal::eprint_line;
use tracing_subscriber::EnvFilter;

/// What others tell about each request is for whoever looks for it; what is named later counts.
const QUIETER: &str = "rmcp=error";

/// Starts logging to standard error.
pub(crate) fn start(serving: &ServerSettings) {
    let wanted = |log: &str| format!("{QUIETER},{log}");
    let filter = EnvFilter::try_new(wanted(&serving.log)).unwrap_or_else(|_| wanted("info").into());
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // One that has been started already, by a test, is as good.
    let _ = match serving.log_format {
        LogFormat::Text => log.try_init(),
        LogFormat::Json => {
            log.json().flatten_event(true).with_current_span(true).with_span_list(false).try_init()
        }
    };
}

/// Words for the person who starts the server; a line of the log where that is to be JSON.
pub(crate) fn announce(serving: &ServerSettings, line: &str) {
    match serving.log_format {
        LogFormat::Text => eprint_line(line),
        LogFormat::Json => tracing::info!("{line}"),
    }
}
