//! A site with a feed, for triggers that look for news.

use super::wait_until;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use testkit::{FakeHttp, FakeResponse};

/// A site with a feed.
#[derive(Default)]
pub(crate) struct Site {
    pub(crate) entries: Mutex<Vec<usize>>,
    pub(crate) is_down: AtomicBool,
    pub(crate) delay_ms: AtomicUsize,
    pub(crate) n_served: AtomicUsize,
    pub(crate) n_at_once: AtomicUsize,
    pub(crate) most_at_once: AtomicUsize,
}

pub(crate) struct Feed {
    pub(crate) address: String,
    pub(crate) site: Arc<Site>,
    _server: FakeHttp,
}

impl Feed {
    pub(crate) fn start() -> Self {
        let site = Arc::new(Site::default());
        let served = site.clone();
        let server = FakeHttp::unrecorded(move |_| served.respond());
        Self { address: server.address.to_string(), site, _server: server }
    }

    pub(crate) fn publish(&self, entry: usize) {
        self.site.entries.lock().unwrap().push(entry);
    }

    /// Waits until the feed was read so many times from now on, by looks that began after this
    /// moment.
    pub(crate) fn wait_for_looks(&self, count: usize) {
        let until = self.site.n_served.load(Ordering::SeqCst) + count + 1;
        wait_until("the feed was read", || self.site.n_served.load(Ordering::SeqCst) >= until);
    }
}

impl Site {
    fn respond(&self) -> FakeResponse {
        let at_once = self.n_at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_once.fetch_max(at_once, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(self.delay_ms.load(Ordering::SeqCst) as u64));
        let (status, body) = match self.is_down.load(Ordering::SeqCst) {
            true => (503, String::new()),
            false => (200, self.text()),
        };
        self.n_at_once.fetch_sub(1, Ordering::SeqCst);
        self.n_served.fetch_add(1, Ordering::SeqCst);
        FakeResponse::new(status, "application/rss+xml", body)
    }

    fn text(&self) -> String {
        let entry = |number: &usize| {
            let (hour, minute) = (number / 60, number % 60);
            format!(
                "<item><title>{number}</title><guid>{number}</guid><pubDate>Mon, 01 Jan 2024 {hour:02}:{minute:02}:00 GMT</pubDate></item>"
            )
        };
        let entries: String = self.entries.lock().unwrap().iter().rev().map(entry).collect();
        format!(
            r#"<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>{entries}</channel></rss>"#
        )
    }
}
