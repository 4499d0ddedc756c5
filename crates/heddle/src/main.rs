//! The `heddle` command: wires the rooms together and talks to the person at the terminal.

mod cli;
mod collections;
mod commands;
mod conformance;
mod conversations;
mod credentials;
mod logs;
mod settings;
mod tables;
mod talk;
mod terminal;
mod traces;
mod watching;
mod world;

use clap::{CommandFactory as _, FromArgMatches as _};
use std::process::ExitCode;

/// A run is many small allocations that end together: the system's own takes a fifth longer for a whole webhook.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let matches = cli::Cli::command().get_matches();
    let arguments = cli::Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let folder = cli::DataFolder::of(&matches);
    match commands::dispatch(arguments, &folder) {
        Ok(code) => code,
        Err(error) => {
            terminal::complain(&error);
            ExitCode::from(2)
        }
    }
}
