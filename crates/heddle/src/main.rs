//! The `heddle` command: wires the rooms together and talks to the person at the terminal.

mod cli;
mod commands;
mod conformance;
mod credentials;
mod settings;
mod tables;
mod terminal;
mod world;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = cli::Cli::parse();
    match commands::dispatch(arguments) {
        Ok(code) => code,
        Err(error) => {
            terminal::complain(&error);
            ExitCode::from(2)
        }
    }
}
