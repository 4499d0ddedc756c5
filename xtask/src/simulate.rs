//! Histories of the runtime and its store from seeds, and the bugs that they must find.

use crate::{call, clippy};
use anyhow::{Context as _, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = "target/debug/simulation";

/// How long CI looks for a history that goes wrong, and among how many at most: on a fast machine
/// it is the same ones each time.
const CI_SECONDS: &str = "60";
const CI_HISTORIES: &str = "2000";

/// Within so many histories each bug must be found.
const BUG_HISTORIES: &str = "10000";

/// A bug that was there once, as changes of the code.
struct Bug {
    name: &'static str,
    /// File, what it says, and what it said with the bug.
    changes: &'static [(&'static str, &'static str, &'static str)],
}

/// Each is put back, and must be found.
const BUGS: &[Bug] = &[
    Bug {
        name: "late calls skip the status check",
        changes: &[
            (
                "crates/runtime/src/resume/resumption.rs",
                "Self::Called { .. } | Self::ApprovalRecorded => state.status == RunStatus::Waiting,",
                "Self::Called { .. } => true,\n            Self::ApprovalRecorded => state.status == RunStatus::Waiting,",
            ),
            (
                "crates/runtime/src/resume/resumption.rs",
                "ResumeReason::Called { wait, .. } if !journal.sleeps_at(*wait) =>",
                "ResumeReason::Called { wait, .. } if *wait == usize::MAX =>",
            ),
        ],
    },
    Bug {
        name: "acknowledged deliveries without a run",
        changes: &[(
            "crates/runtime/src/execute/accept.rs",
            "let guard = self.delivery_locks.lock(key).await;",
            "let Some(guard) = self.delivery_locks.try_lock(key) else { return Ok(None) };",
        )],
    },
    Bug {
        name: "a caller that hangs up leaves its run locked",
        changes: &[(
            "crates/runtime/src/resume/resumption.rs",
            "let runtime = self.clone();
        spawn_detached(async move {
            runtime.resume_locked(&guard, reason, reply, SlotPolicy::Acquire).await
        })
        .await",
            "let guard = std::mem::ManuallyDrop::new(guard);
        let run = self.resume_locked(&guard, reason, reply, SlotPolicy::Acquire).await;
        drop(std::mem::ManuallyDrop::into_inner(guard));
        run",
        )],
    },
    Bug {
        name: "ids are given again after a restart",
        changes: &[(
            "crates/store/src/sqlite/executions.rs",
            "Ok(used.max(reserved_ids::noted(connection)?) + 1)",
            "Ok(used.max(reserved_ids::noted(connection)?.min(0)) + 1)",
        )],
    },
    Bug {
        name: "pieces of runs that are gone are written",
        changes: &[(
            "crates/store/src/sqlite/executions.rs",
            "if is_there { Ok(()) } else { Err(Error::Gone { execution: piece.execution }) }",
            "if is_there || piece.execution > 0 { Ok(()) } else { Err(Error::Gone { execution: piece.execution }) }",
        )],
    },
    Bug {
        name: "schedules vanish",
        changes: &[(
            "crates/runtime/src/schedule/clock.rs",
            "let Some(timer) = timer else { continue };",
            "let Some(timer) = timer else {
                self.store.change_schedules(Vec::new(), vec![(schedule.workflow_id, schedule.node)]).await?;
                continue;
            };",
        )],
    },
];

/// `cargo xtask simulate [COUNT | --seed SEED | bugs]`: many histories, one of them told line by
/// line, or the bugs put back one by one.
pub(crate) fn run() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(2).collect();
    if words.first().is_some_and(|word| word == "bugs") {
        return find_bugs();
    }
    build()?;
    call(PROGRAM, &words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The same histories each time, as far as the time suffices. Whoever looks for new ones gives
/// another first seed.
pub(crate) fn run_in_ci() -> Result<()> {
    build()?;
    call(PROGRAM, &[CI_HISTORIES, "--first", "1", "--seconds", CI_SECONDS])
}

fn build() -> Result<()> {
    // The whole workspace at once: on its own, the program would have its dependencies built again
    // with fewer features.
    clippy(&["build", "--quiet", "--workspace", "--bin", "simulation"])
}

/// Puts the bugs back in a copy of the code, one at a time, and sees that each is found.
fn find_bugs() -> Result<()> {
    build()?;
    let copy = std::env::current_dir()?.join("target/bugs");
    let target = copy.join("target");
    take_dependencies(Path::new("target/debug"), &target.join("debug"))?;
    let parts = ["Cargo.toml", "Cargo.lock", ".cargo", "clippy.toml", "crates", "fuzz", "xtask"];
    call(
        "cp",
        &["--archive", "--update"]
            .into_iter()
            .chain(parts)
            .chain([&*copy.to_string_lossy()])
            .collect::<Vec<_>>(),
    )?;
    let mut missed = Vec::new();
    for bug in BUGS {
        if !is_found(bug, &copy, &target)? {
            missed.push(bug.name);
        }
    }
    ensure!(missed.is_empty(), "not found within {BUG_HISTORIES} histories: {}", missed.join(", "));
    Ok(())
}

/// Takes over what is built of other people's crates. Of ours nothing: theirs and those with bugs
/// have the same names.
fn take_dependencies(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        std::fs::remove_dir_all(to)?;
    }
    for (folder, how) in
        [(".fingerprint", "--recursive"), ("build", "--recursive"), ("deps", "--link")]
    {
        std::fs::create_dir_all(to.join(folder))?;
        let mut command = Command::new("cp");
        command.args(["--archive", how, "--target-directory"]).arg(to.join(folder));
        for entry in std::fs::read_dir(from.join(folder))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_ours =
                ["heddle", "libheddle", "xtask"].iter().any(|start| name.starts_with(start));
            // The others in this folder are programs.
            if !is_ours && (folder != "deps" || name.starts_with("lib")) {
                command.arg(entry.path());
            }
        }
        ensure!(
            command.status().context("cp cannot be started")?.success(),
            "{folder} cannot be copied"
        );
    }
    Ok(())
}

fn is_found(bug: &Bug, copy: &Path, target: &Path) -> Result<bool> {
    let mut before: Vec<(PathBuf, String)> = Vec::new();
    for (file, now, with_bug) in bug.changes {
        let path = copy.join(file);
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("{file} cannot be read"))?;
        ensure!(
            text.matches(now).count() == 1,
            "{file}: what the bug '{}' changes is not there once",
            bug.name
        );
        std::fs::write(&path, text.replace(now, with_bug))?;
        before.push((path, text));
    }
    let built = Command::new("cargo")
        .args(["build", "--quiet", "--workspace", "--bin", "simulation"])
        .env("CARGO_TARGET_DIR", target)
        .current_dir(copy)
        .status();
    for (path, text) in before.iter().rev() {
        std::fs::write(path, text)?;
    }
    if !built?.success() {
        bail!("the bug '{}' does not compile", bug.name);
    }
    let found = Command::new(target.join("debug/simulation")).arg(BUG_HISTORIES).output()?;
    let said = String::from_utf8_lossy(&found.stderr);
    let line = said.lines().find(|line| line.starts_with("seed ")).unwrap_or("not found");
    eprintln!("{}: {line}", bug.name);
    Ok(!found.status.success() && line != "not found")
}
