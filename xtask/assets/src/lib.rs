//! Makes what the program embeds: the image of the JavaScript sandbox and the editor. `make run`
//! builds this instead of all of `xtask`, which depends on it.

pub mod example;
pub mod sandbox;
pub mod web;

use std::process::ExitCode;

/// Ends a tool: an error is one line. Without a backtrace, even if the environment asks for it: the
/// last lines of a log say what failed.
pub fn exit_code(done: anyhow::Result<()>) -> ExitCode {
    done.map_or_else(
        |error| {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}
