//! Answers that are held in memory while somebody takes them: whoever takes them too slowly is
//! left, so that others can read.

use crate::admission::MIN_BYTES_PER_SECOND;
use std::io;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::SendTimeoutError;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// How long a whole answer may be waited for, besides a second for each 16 KB that were sent.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a reader may take nothing, however fast they were before.
const STALL_TIMEOUT: Duration = Duration::from_secs(60);

/// Hands on the pieces of an answer.
pub(crate) struct PacedSender<T> {
    sender: mpsc::Sender<T>,
    sent: u64,
    /// How long the reader was waited for so far. What it takes to make the pieces does not count.
    waited: Duration,
}

impl<T> PacedSender<T> {
    pub(crate) fn new(sender: mpsc::Sender<T>) -> Self {
        Self { sender, sent: 0, waited: Duration::ZERO }
    }

    /// Waits until there is a place for a piece of so many bytes.
    pub(crate) async fn send(&mut self, piece: T, bytes: usize) -> io::Result<()> {
        let allowed = RESPONSE_TIMEOUT + Duration::from_secs(self.sent / MIN_BYTES_PER_SECOND);
        let patience = allowed.saturating_sub(self.waited).min(STALL_TIMEOUT);
        let began = Instant::now();
        let sent = self.sender.send_timeout(piece, patience).await;
        self.waited += began.elapsed();
        self.sent += bytes as u64;
        sent.map_err(|error| match error {
            SendTimeoutError::Timeout(_) => io::ErrorKind::TimedOut.into(),
            SendTimeoutError::Closed(_) => io::ErrorKind::BrokenPipe.into(),
        })
    }
}

/// The pieces of an answer, and whether they are all of it.
pub(crate) struct PacedReceiver<T> {
    chunks: mpsc::Receiver<T>,
    sending: JoinHandle<io::Result<()>>,
}

impl<T> PacedReceiver<T> {
    /// `sending` is what sends the pieces.
    pub(crate) fn new(pieces: mpsc::Receiver<T>, sending: JoinHandle<io::Result<()>>) -> Self {
        Self { chunks: pieces, sending }
    }

    /// The next piece, and none once after the last one. Fails where the answer was cut, so that
    /// nobody takes it for whole.
    pub(crate) async fn next(&mut self) -> io::Result<Option<T>> {
        match self.chunks.recv().await {
            Some(piece) => Ok(Some(piece)),
            None => (&mut self.sending)
                .await
                .unwrap_or_else(|stopped| Err(io::Error::other(stopped)))
                .map(|()| None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends so many pieces to somebody who takes one at a time and rests in between. Gives how
    /// many came, how it ended and when.
    async fn send(
        n_pieces: usize,
        bytes: usize,
        rest: Duration,
    ) -> (usize, Result<(), io::ErrorKind>, Duration) {
        let (sender, pieces) = mpsc::channel(1);
        let began = Instant::now();
        let sending = tokio::spawn(async move {
            let mut sender = PacedSender::new(sender);
            for _ in 0..n_pieces {
                sender.send((), bytes).await?;
            }
            Ok::<(), io::Error>(())
        });
        let (mut answer, mut n_taken) = (PacedReceiver::new(pieces, sending), 0);
        loop {
            tokio::time::sleep(rest).await;
            match answer.next().await {
                Ok(Some(())) => n_taken += 1,
                Ok(None) => return (n_taken, Ok(()), began.elapsed()),
                Err(error) => return (n_taken, Err(error.kind()), began.elapsed()),
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn issue_14_09_an_answer_that_is_taken_too_slowly_is_cut_and_not_taken_for_whole() {
        // Never so slow that a single piece would stall.
        let (n_taken, end, took) = send(1000, 1 << 10, Duration::from_secs(20)).await;
        assert_eq!((n_taken, end), (2, Err(io::ErrorKind::TimedOut)));
        assert!(took < Duration::from_secs(90), "{took:?}");
        // Nor may a single piece stall for long, however much was sent before it.
        let (n_taken, end, _) = send(10, 64 << 20, STALL_TIMEOUT + Duration::from_secs(1)).await;
        assert_eq!((n_taken, end), (1, Err(io::ErrorKind::TimedOut)));
    }

    #[tokio::test(start_paused = true)]
    async fn issue_14_09_a_slow_line_gets_all_of_a_large_answer() {
        let (n_taken, end, took) = send(200, 64 << 10, Duration::from_secs(3)).await;
        assert_eq!((n_taken, end), (200, Ok(())));
        assert!(took > Duration::from_secs(600), "{took:?}");
    }
}
