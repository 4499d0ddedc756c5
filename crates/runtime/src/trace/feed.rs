//! The trace events of this process as they happen, for many watchers at once.
//!
//! An event is kept once, and written once for all who read it in the same format. Watchers take
//! what has gathered since they last looked, at most some times a second, so that an agent does not
//! pay for who watches it. One that is too slow misses events and is told how many.

use super::TraceEvent;
use crate::lock;
use bytes::Bytes;
use model::{RunEvent, Str};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use tokio::sync::Notify;

/// Events that a slow watcher may be behind before it misses some.
const MAX_EVENTS: usize = 32 << 10;

/// What they may take together, about.
const MAX_BYTES: usize = 32 << 20;

/// How long events gather before a watcher takes them.
const GATHER: Duration = Duration::from_millis(20);

/// Events that a watcher takes at once.
const MAX_BATCH: usize = 2048;

/// A trace event and the run it is of.
#[derive(Debug)]
pub struct TraceRecord {
    pub run_id: Str,
    pub workflow_id: Str,
    pub event: TraceEvent,
    /// How it is written, once somebody has read it in that format.
    pub json: OnceLock<Bytes>,
    pub protobuf: OnceLock<Bytes>,
}

impl TraceRecord {
    pub fn new(run_id: Str, workflow_id: Str, event: TraceEvent) -> Self {
        Self { run_id, workflow_id, event, json: OnceLock::new(), protobuf: OnceLock::new() }
    }
}

/// What has happened since a watcher last looked.
#[derive(Debug, Default)]
pub struct TraceBatch {
    pub events: Vec<Arc<TraceRecord>>,
    /// Events that were gone before the watcher came for them.
    pub missed: u64,
}

#[derive(Default)]
struct Gathered {
    events: VecDeque<(Arc<TraceRecord>, usize)>,
    bytes: usize,
    /// How many there were before the first that is kept.
    first: u64,
}

/// Where trace events go while somebody watches.
#[derive(Default)]
pub struct TraceFeed {
    gathered: Mutex<Gathered>,
    watchers: AtomicUsize,
    news: Notify,
}

impl TraceFeed {
    pub(crate) fn has_watchers(&self) -> bool {
        self.watchers.load(Ordering::Relaxed) > 0
    }

    /// Takes an event in, if it says something about an agent.
    pub(crate) fn take(
        &self,
        (run_id, workflow_id): (&Str, &Str),
        seq: u64,
        event: &RunEvent,
        run: usize,
    ) {
        let Some(event) = TraceEvent::read(seq, event, run) else { return };
        let bytes = event.bytes();
        let record = Arc::new(TraceRecord::new(run_id.clone(), workflow_id.clone(), event));
        let mut gathered = lock(&self.gathered);
        gathered.bytes += bytes;
        gathered.events.push_back((record, bytes));
        while gathered.events.len() > MAX_EVENTS || gathered.bytes > MAX_BYTES {
            let Some((_, bytes)) = gathered.events.pop_front() else { break };
            gathered.bytes -= bytes;
            gathered.first += 1;
        }
        drop(gathered);
        self.news.notify_waiters();
    }

    /// Watches from now on.
    pub fn subscribe(self: &Arc<Self>) -> TraceSubscription {
        self.watchers.fetch_add(1, Ordering::Relaxed);
        let gathered = lock(&self.gathered);
        let next = gathered.first + gathered.events.len() as u64;
        TraceSubscription { feed: self.clone(), next }
    }
}

/// Somebody who watches.
pub struct TraceSubscription {
    feed: Arc<TraceFeed>,
    next: u64,
}

impl TraceSubscription {
    /// What has happened since this was last asked, once there is something.
    pub async fn next(&mut self) -> TraceBatch {
        loop {
            let feed = self.feed.clone();
            let news = feed.news.notified();
            if self.is_behind() {
                break;
            }
            news.await;
        }
        tokio::time::sleep(GATHER).await;
        self.take()
    }

    fn is_behind(&self) -> bool {
        let gathered = lock(&self.feed.gathered);
        gathered.first + (gathered.events.len() as u64) > self.next
    }

    fn take(&mut self) -> TraceBatch {
        let gathered = lock(&self.feed.gathered);
        let missed = gathered.first.saturating_sub(self.next);
        let from = self.next.max(gathered.first) - gathered.first;
        let events: Vec<Arc<TraceRecord>> = gathered
            .events
            .range(usize::try_from(from).unwrap_or(usize::MAX).min(gathered.events.len())..)
            .take(MAX_BATCH)
            .map(|(record, _)| record.clone())
            .collect();
        self.next = gathered.first + from + events.len() as u64;
        TraceBatch { events, missed }
    }
}

impl Drop for TraceSubscription {
    fn drop(&mut self) {
        if self.feed.watchers.fetch_sub(1, Ordering::Relaxed) == 1 {
            let mut gathered = lock(&self.feed.gathered);
            gathered.first += gathered.events.len() as u64;
            gathered.events = VecDeque::new();
            gathered.bytes = 0;
        }
    }
}
