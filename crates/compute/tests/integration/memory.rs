//! The memory limit for long work. It is one limit for the process, so the test has a process of its
//! own.

use heddle_compute::{
    Allowance, Exceeded, interruptible, is_memory_short, limit_memory, tick, within,
};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Works until it is told to end, and counts how often it went on.
fn work(ends: &AtomicBool, count: &AtomicUsize) -> Result<(), Exceeded> {
    while !ends.load(Ordering::Relaxed) {
        tick()?;
        count.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// Which of them went on within some time.
fn going(counts: &[AtomicUsize]) -> Vec<usize> {
    let before: Vec<_> = counts.iter().map(|count| count.load(Ordering::Relaxed)).collect();
    std::thread::sleep(Duration::from_millis(300));
    (0..counts.len())
        .filter(|number| counts[*number].load(Ordering::Relaxed) > before[*number])
        .collect()
}

fn wait_until(done: impl Fn() -> bool) {
    while !done() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn issue_14_06_when_memory_is_short_only_a_few_long_ones_go_on() {
    testkit::isolated(|| {
        let few = std::thread::available_parallelism().map_or(2, usize::from);
        let counts: Vec<AtomicUsize> = (0..few + 3).map(|_| AtomicUsize::new(0)).collect();
        let ends: Vec<AtomicBool> = counts.iter().map(|_| AtomicBool::new(false)).collect();
        let stop = CancellationToken::new();
        let hour = Duration::from_secs(3_600);
        let allowance = Allowance::new(hour, hour).until(stop.clone());
        std::thread::scope(|scope| {
            let all: Vec<_> = counts
                .iter()
                .zip(&ends)
                .map(|(count, end)| {
                    let allowance = allowance.clone();
                    scope.spawn(move || within(&allowance, || work(end, count)).unwrap())
                })
                .collect();
            wait_until(|| going(&counts).len() == counts.len());
            assert!(!is_memory_short());
            limit_memory(32 << 20);
            let held = vec![1u8; 48 << 20];
            wait_until(is_memory_short);
            wait_until(|| going(&counts).len() == few);
            // Short work is done all the same.
            assert_eq!(interruptible(|| tick().map(|()| 1)), Ok(Ok(1)));
            // One that ends makes room for the next.
            let first = going(&counts)[0];
            ends[first].store(true, Ordering::Relaxed);
            wait_until(|| !going(&counts).contains(&first));
            wait_until(|| going(&counts).len() == few);
            // In the end there is only one.
            let more = vec![1u8; 48 << 20];
            wait_until(|| going(&counts).len() == 1);
            // What nobody wants any more does not wait.
            stop.cancel();
            let ended =
                all.into_iter().map(|one| one.join().unwrap()).filter(Result::is_ok).count();
            assert_eq!((ended, held.len() + more.len()), (1, 96 << 20));
        });
        // Nothing long is under way.
        assert!(!is_memory_short());
    });
}
