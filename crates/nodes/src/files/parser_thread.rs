//! Runs a parser that may panic or never end on a bad file: on a thread of its own, with a time
//! limit.

use model::Code;
use node_api::NodeError;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;

/// A parser that runs past its time cannot be stopped, only left behind; no more than this many may
/// be.
const MAX_ABANDONED: isize = 4;
/// Parsers call themselves for nested things; the limits on nesting are chosen for this much stack.
pub(super) const STACK: usize = 64 << 20;

static RUNNING: AtomicUsize = AtomicUsize::new(0);
/// Below zero for a moment, if one ends just as it is left.
static ABANDONED: AtomicIsize = AtomicIsize::new(0);

/// Parsers at the same time; those that were left behind are among them.
const MAX_THREADS: usize = 8;

static THREADS: Semaphore = Semaphore::const_new(MAX_THREADS);

/// Whether a parser runs that nobody waits for any more.
pub(crate) fn has_abandoned_threads() -> bool {
    ABANDONED.load(Ordering::Relaxed) > 0
}

/// Runs `work` and gives back what it made, or an error that names `what` if it panicked or took
/// too long.
pub(crate) async fn run_guarded<T: Send + 'static>(
    what: &'static str,
    limit: Duration,
    work: impl FnOnce() -> Result<T, NodeError> + Send + 'static,
) -> Result<T, NodeError> {
    if ABANDONED.load(Ordering::Relaxed) >= MAX_ABANDONED {
        return Err(NodeError::new(
            Code::INPUT_BOMB,
            format!("Too many {what} files could not be read in time"),
        )
        .hint("Restart the process to try again, and check the files that took too long."));
    }
    // The semaphore is never closed. A parser keeps its place until it has ended, whoever waits for
    // it.
    let place = THREADS.acquire().await.ok();
    let (send, receive) = tokio::sync::oneshot::channel();
    let one_is_done = Arc::new(AtomicBool::new(false));
    let waiter = Waiter { one_is_done: one_is_done.clone() };
    let number = RUNNING.fetch_add(1, Ordering::Relaxed);
    let started = std::thread::Builder::new()
        .name(format!("{THREAD}{number}"))
        .stack_size(STACK)
        .spawn(move || {
            let outcome = catch_unwind(AssertUnwindSafe(work));
            drop(place);
            if one_is_done.swap(true, Ordering::Relaxed) {
                // Nobody waits any more: this one was counted as left behind.
                ABANDONED.fetch_sub(1, Ordering::Relaxed);
            }
            let _ = send.send(outcome);
        });
    if let Err(error) = started {
        waiter.one_is_done.store(true, Ordering::Relaxed);
        return Err(NodeError::failed(format!(
            "Could not start a thread to read the {what}: {error}"
        )));
    }
    let received = tokio::time::timeout(limit, receive).await;
    drop(waiter);
    match received {
        Ok(Ok(Ok(outcome))) => outcome,
        Ok(Ok(Err(panic))) => Err(NodeError::input(format!(
            "The {what} is damaged and cannot be read: {}",
            panic_message(panic.as_ref())
        ))),
        Ok(Err(_)) => Err(NodeError::input(format!("The {what} is damaged and cannot be read"))),
        Err(_) => Err(NodeError::new(
            Code::INPUT_BOMB,
            format!("The {what} could not be read within {} seconds", limit.as_secs()),
        )),
    }
}

/// Somebody who waits for a parser. If it goes first, the parser is left behind: its time was over,
/// or the run was stopped.
struct Waiter {
    one_is_done: Arc<AtomicBool>,
}

impl Drop for Waiter {
    fn drop(&mut self) {
        if !self.one_is_done.swap(true, Ordering::Relaxed) {
            ABANDONED.fetch_add(1, Ordering::Relaxed);
        }
    }
}

const THREAD: &str = "guarded-";

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_default().chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_that_ends_well_gives_its_result() {
        assert_eq!(run_guarded("file", Duration::from_secs(60), || Ok(42)).await.unwrap(), 42);
    }

    #[tokio::test]
    async fn a_panic_is_an_error() {
        let error =
            run_guarded::<()>("file", Duration::from_secs(60), || panic!("index out of bounds"))
                .await
                .unwrap_err();
        assert_eq!(error.message(), "The file is damaged and cannot be read: index out of bounds");
    }

    #[tokio::test]
    async fn work_without_end_is_left_behind() {
        let (stop, wait) = std::sync::mpsc::channel::<()>();
        let error = run_guarded("file", Duration::from_millis(20), move || {
            let _ = wait.recv();
            Ok(())
        })
        .await
        .unwrap_err();
        assert_eq!(error.code(), Code::INPUT_BOMB);
        drop(stop);
    }

    #[tokio::test]
    async fn issue_14_08_a_run_that_is_stopped_leaves_its_parser_behind_until_it_ends() {
        // However often: what is counted is counted back.
        for _ in 0..2 * MAX_ABANDONED {
            let (stop, wait) = std::sync::mpsc::channel::<()>();
            let reading = run_guarded("file", Duration::from_secs(60), move || {
                let _ = wait.recv();
                Ok(())
            });
            assert!(tokio::time::timeout(Duration::from_millis(5), reading).await.is_err());
            drop(stop);
            while has_abandoned_threads() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        assert_eq!(run_guarded("file", Duration::from_secs(60), || Ok(42)).await.unwrap(), 42);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn issue_14_08_only_so_many_parsers_run_at_the_same_time() {
        static NOW: AtomicUsize = AtomicUsize::new(0);
        static MOST: AtomicUsize = AtomicUsize::new(0);
        let work = || {
            MOST.fetch_max(NOW.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(5));
            NOW.fetch_sub(1, Ordering::Relaxed);
            Ok(())
        };
        let all: Vec<_> = (0..50)
            .map(|_| tokio::spawn(run_guarded("file", Duration::from_secs(60), work)))
            .collect();
        for one in all {
            one.await.unwrap().unwrap();
        }
        assert!(MOST.load(Ordering::Relaxed) <= MAX_THREADS);
    }
}
