//! `heddle export`: reads a workflow and prints it as Heddle saves it.

use super::read_workflow;
use crate::cli;
use crate::terminal::say;
use anyhow::Result;
use std::process::ExitCode;

pub(super) fn run(arguments: &cli::Export) -> Result<ExitCode> {
    say(&read_workflow(&arguments.file)?.to_text());
    Ok(ExitCode::SUCCESS)
}
