//! One file per command.

mod agent;
mod api_keys;
mod backup;
mod chat;
mod check;
mod credentials;
#[expect(clippy::disallowed_methods, reason = "works on files named on the command line")]
mod doctor;
mod executions;
#[expect(clippy::disallowed_methods, reason = "works on files named on the command line")]
mod export;
mod expr;
mod import;
#[expect(clippy::disallowed_methods, reason = "works on files named on the command line")]
mod knowledge;
mod local_server;
mod mcp;
mod memory;
mod migrate;
#[expect(clippy::disallowed_methods, reason = "works on files named on the command line")]
mod models;
mod new_folder;
#[expect(clippy::disallowed_methods, reason = "works on files named on the command line")]
mod node_docs;
mod nodes;
#[expect(clippy::disallowed_methods, reason = "works on files named on the command line")]
mod policy;
mod replay;
mod restore;
#[expect(clippy::disallowed_methods, reason = "works on files named on the command line")]
mod run;
mod serve;
#[expect(clippy::disallowed_methods, reason = "works on files named on the command line")]
mod tools;
mod users;
mod workflows;

use crate::cli::{Cli, Command, DataFolder};
use crate::{conformance, settings};
use anyhow::{Context as _, Result};
use model::Workflow;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the command that was given; settings come from the folder that it names, too.
pub(crate) fn dispatch(arguments: Cli, folder: &DataFolder) -> Result<ExitCode> {
    // A child of ours confines itself before it reads anything, so it has no settings.
    if !arguments.is_child() {
        settings::use_sources(settings::Sources::load(&arguments.global, &folder.path())?);
        ::nodes::use_child_program(current_program());
    }
    let command = arguments.into_command();
    new_folder::confirm(&command, folder)?;
    match command {
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Import(arguments) => import::run(&arguments),
        Command::List(arguments) => workflows::list(&arguments.data, arguments.output),
        Command::Activate(arguments) => workflows::set_active(&arguments, true),
        Command::Deactivate(arguments) => workflows::set_active(&arguments, false),
        Command::Executions(arguments) => executions::run(arguments),
        Command::ApiKeys(arguments) => api_keys::run(arguments),
        Command::Credentials(arguments) => credentials::run(arguments),
        Command::Users(arguments) => users::run(arguments),
        Command::Policy(arguments) => policy::run(arguments),
        Command::Tools(arguments) => tools::run(arguments),
        Command::Knowledge(arguments) => knowledge::run(arguments),
        Command::Memory(arguments) => memory::run(arguments),
        Command::Models(arguments) => models::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Replay(arguments) => replay::run(arguments),
        Command::Chat(arguments) => chat::run(&arguments),
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Agent(arguments) => agent::run(&arguments),
        Command::Expr(arguments) => expr::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Conformance(arguments) => conformance::run(&arguments),
        Command::Nodes(arguments) => nodes::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Backup(arguments) => backup::run(&arguments),
        Command::Restore(arguments) => restore::run(&arguments),
        Command::Migrate(arguments) => migrate::run(&arguments),
        Command::ReadPdf => {
            ::nodes::files::serve_pdf_reader(std::io::stdin(), std::io::stdout())?;
            Ok(ExitCode::SUCCESS)
        }
        Command::MergeSql => {
            ::nodes::flow::serve_merge_sql(std::io::stdin(), std::io::stdout())?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Completions(arguments) => print_completions(arguments.shell),
    }
}

/// What a shell sets when it asks for suggestions.
pub(crate) const COMPLETION_VARIABLE: &str = "HEDDLE_COMPLETE";

/// The script with which a shell asks this program for suggestions.
fn print_completions(shell: clap_complete::Shell) -> Result<ExitCode> {
    let shells = clap_complete::env::Shells::builtins();
    let script = shells
        .completer(&shell.to_string())
        .with_context(|| format!("{shell} is not supported"))?;
    let name = "heddle";
    script
        .write_registration(COMPLETION_VARIABLE, name, name, name, &mut std::io::stdout())
        .context("the script could not be printed")?;
    Ok(ExitCode::SUCCESS)
}

/// The program that does work for us that cannot be trusted: this one again, so that the work can
/// be stopped. It is the link that the system keeps to it: after an upgrade the file of the same
/// name is another version, which speaks otherwise.
fn current_program() -> PathBuf {
    let link = PathBuf::from("/proc/self/exe");
    if cfg!(target_os = "linux") { link } else { std::env::current_exe().unwrap_or(link) }
}

/// A file's text, or that of standard input for `-`; at most 100 MB.
#[expect(clippy::disallowed_types, reason = "a file named on the command line")]
pub(crate) fn read_text(path: &Path) -> Result<String> {
    const MAX_BYTES: u64 = 100 << 20;
    let mut text = String::new();
    let source: Box<dyn std::io::Read> = match path.to_str() {
        Some("-") => Box::new(std::io::stdin()),
        _ => Box::new(
            std::fs::File::open(path)
                .with_context(|| format!("{} cannot be opened", path.display()))?,
        ),
    };
    source
        .take(MAX_BYTES + 1)
        .read_to_string(&mut text)
        .with_context(|| format!("{} cannot be read as text", path.display()))?;
    anyhow::ensure!(
        text.len() as u64 <= MAX_BYTES,
        "{} is larger than 100 MB (WORKFLOW_TOO_LARGE)",
        path.display()
    );
    Ok(text)
}

/// Reads a workflow file. A list with one workflow in it, as n8n's export writes, counts as that
/// workflow.
pub(crate) fn read_workflow(path: &Path) -> Result<Workflow> {
    let text = read_text(path)?;
    match Workflow::parse(&text) {
        Ok(workflow) => Ok(workflow),
        Err(error) => {
            let list = model::json::parse(&text)
                .ok()
                .and_then(|value| value.as_array().map(<[_]>::to_vec))
                .unwrap_or_default();
            match list.as_slice() {
                [one] if one.is_object() => {
                    Workflow::from_value(one).context("the workflow in the list cannot be read")
                }
                _ => Err(error).with_context(|| {
                    format!("{} is not a workflow (WORKFLOW_JSON)", path.display())
                }),
            }
        }
    }
}

/// An error of the store with its code, as the terminal shows it.
pub(crate) fn with_code(error: store::Error) -> anyhow::Error {
    let (text, code) = (error.to_string(), error.code().name());
    if text.contains(code) { anyhow::anyhow!(text) } else { anyhow::anyhow!("{text} ({code})") }
}

/// Runs a future to its end on this thread, with others for blocking work.
pub(crate) fn block_on<F: Future>(future: F) -> Result<F::Output> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    // Long computations and reads of files take a thread each; what serves connections must find
    // one besides them.
    let runtime = builder
        .worker_threads(2)
        .max_blocking_threads(1024)
        .enable_all()
        .build()
        .context("the runtime could not start")?;
    Ok(runtime.block_on(future))
}
