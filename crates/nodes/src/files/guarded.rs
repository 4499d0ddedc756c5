//! Runs a parser that may panic or never end on a bad file: on a thread of its own, with a time limit.

use model::Code;
use node_api::NodeError;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A parser that runs past its time cannot be stopped, only left behind; no more than this many may be.
const MAX_LEFT_BEHIND: usize = 4;
/// Parsers call themselves for nested things; the limits on nesting are chosen for this much stack.
pub(super) const STACK: usize = 64 << 20;

static RUNNING: AtomicUsize = AtomicUsize::new(0);
static LEFT_BEHIND: AtomicUsize = AtomicUsize::new(0);

/// Runs `work` and gives back what it made, or an error that names `what` if it panicked or took too long.
pub(crate) async fn guarded<T: Send + 'static>(
    what: &'static str,
    limit: Duration,
    work: impl FnOnce() -> Result<T, NodeError> + Send + 'static,
) -> Result<T, NodeError> {
    if LEFT_BEHIND.load(Ordering::Relaxed) >= MAX_LEFT_BEHIND {
        return Err(NodeError::new(Code::INPUT_BOMB, format!("Too many files of this kind could not be read in time: {what}"))
            .hint("Restart the process to try again, and check the files that took too long."));
    }
    let (send, receive) = tokio::sync::oneshot::channel();
    let number = RUNNING.fetch_add(1, Ordering::Relaxed);
    let started = std::thread::Builder::new().name(format!("{THREAD}{number}")).stack_size(STACK).spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(work));
        if send.send(outcome).is_err() {
            // Nobody waits any more: this one was counted as left behind.
            LEFT_BEHIND.fetch_sub(1, Ordering::Relaxed);
        }
    });
    if let Err(error) = started {
        return Err(NodeError::failed(format!("No thread could be started to read the {what}: {error}")));
    }
    match tokio::time::timeout(limit, receive).await {
        Ok(Ok(Ok(outcome))) => outcome,
        Ok(Ok(Err(panic))) => Err(NodeError::input(format!("The {what} is damaged and cannot be read: {}", words(panic.as_ref())))),
        Ok(Err(_)) => Err(NodeError::input(format!("The {what} is damaged and cannot be read"))),
        Err(_) => {
            LEFT_BEHIND.fetch_add(1, Ordering::Relaxed);
            Err(NodeError::new(Code::INPUT_BOMB, format!("The {what} could not be read within {} seconds", limit.as_secs())))
        }
    }
}

const THREAD: &str = "guarded-";

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned()).or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_default().chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_that_ends_well_gives_its_result() {
        assert_eq!(guarded("file", Duration::from_secs(60), || Ok(42)).await.unwrap(), 42);
    }

    #[tokio::test]
    async fn a_panic_is_an_error() {
        let error = guarded::<()>("file", Duration::from_secs(60), || panic!("index out of bounds")).await.unwrap_err();
        assert_eq!(error.message(), "The file is damaged and cannot be read: index out of bounds");
    }

    #[tokio::test]
    async fn work_without_end_is_left_behind() {
        let (stop, wait) = std::sync::mpsc::channel::<()>();
        let error = guarded("file", Duration::from_millis(20), move || {
            let _ = wait.recv();
            Ok(())
        })
        .await
        .unwrap_err();
        assert_eq!(error.code(), Code::INPUT_BOMB);
        drop(stop);
    }
}
