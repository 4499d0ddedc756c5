//! The `heddle` command: wires the rooms together and talks to the person at the terminal.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

mod allocator;
mod chat_session;
mod cli;
mod collections;
mod commands;
#[expect(clippy::disallowed_methods, reason = "cases are files, and each has its own folder")]
mod conformance;
mod conversations;
mod credentials;
mod logs;
mod long_term_memory;
mod mcp_servers;
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "runs pip, and puts weights into their folder"
)]
mod model_packages;
mod progress;
mod settings;
mod tables;
mod terminal;
mod tool_files;
mod traces;
mod wiring;

use clap::{CommandFactory as _, FromArgMatches as _};
use std::process::ExitCode;

fn main() -> ExitCode {
    // A shell asks for suggestions; this ends the process then.
    clap_complete::CompleteEnv::with_factory(cli::Cli::command)
        .var(commands::COMPLETION_VARIABLE)
        .complete();
    let matches = cli::Cli::command().get_matches();
    let arguments = cli::Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let folder = cli::DataFolder::of(&matches);
    match commands::dispatch(arguments, &folder) {
        Ok(code) => code,
        Err(error) => {
            terminal::print_error(&error);
            ExitCode::from(2)
        }
    }
}
