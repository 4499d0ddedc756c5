//! Makes what the program embeds: the image of the JavaScript sandbox and the editor. `make run`
//! builds this instead of all of `xtask`, which depends on it.

pub mod example;
pub mod sandbox;
pub mod web;

use anyhow::bail;
use std::process::ExitCode;

/// Does things side by side, and fails if one of them does.
pub fn at_once<const N: usize>(
    jobs: [&(dyn Fn() -> anyhow::Result<()> + Sync); N],
) -> anyhow::Result<()> {
    std::thread::scope(|scope| {
        let ended = jobs
            .map(|job| scope.spawn(job))
            .map(|job| job.join().unwrap_or_else(|_| bail!("a thread has panicked")));
        ended.into_iter().collect()
    })
}

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
