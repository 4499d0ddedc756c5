//! Makes a stream of events out of a future that tells them as it goes; dropping the stream drops
//! the future.

use futures::Stream;
use futures::future::BoxFuture;
use node_api::ai::{ChatEvent, ChatStream, ModelError};
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

/// Where the future tells its events.
#[derive(Clone, Default)]
pub(super) struct EventSender {
    told: Arc<Mutex<VecDeque<ChatEvent>>>,
}

/// The stream of what the future tells; its error, if it fails, comes last.
pub(super) fn event_stream<'a, F>(make: impl FnOnce(EventSender) -> F) -> ChatStream<'a>
where
    F: Future<Output = Result<(), ModelError>> + Send + 'a,
{
    let teller = EventSender::default();
    Box::pin(EventStream { told: teller.clone(), future: Some(Box::pin(make(teller))) })
}

impl EventSender {
    /// Tells an event and waits until it was heard, so that nothing piles up.
    pub(super) async fn send(&self, event: ChatEvent) {
        self.queue().push_back(event);
        // Whoever takes the event polls the future again, so nobody has to be woken.
        std::future::poll_fn(
            |_| if self.queue().is_empty() { Poll::Ready(()) } else { Poll::Pending },
        )
        .await;
    }

    fn queue(&self) -> std::sync::MutexGuard<'_, VecDeque<ChatEvent>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct EventStream<'a> {
    told: EventSender,
    future: Option<BoxFuture<'a, Result<(), ModelError>>>,
}

impl Stream for EventStream<'_> {
    type Item = Result<ChatEvent, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(future) = &mut self.future else {
            return Poll::Ready(None);
        };
        let ended = future.as_mut().poll(context);
        if ended.is_ready() {
            self.future = None;
        }
        let event = self.told.queue().pop_front();
        match (event, ended) {
            (Some(event), _) => Poll::Ready(Some(Ok(event))),
            (None, Poll::Ready(Err(error))) => Poll::Ready(Some(Err(error))),
            (None, Poll::Ready(Ok(()))) => Poll::Ready(None),
            (None, Poll::Pending) => Poll::Pending,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::StreamExt as _;
    use model::Code;

    #[tokio::test]
    async fn events_come_in_order_and_the_error_last() {
        let stream = event_stream(|teller| async move {
            for number in 0..5 {
                teller.send(ChatEvent::Text(number.to_string().into())).await;
                tokio::task::yield_now().await;
            }
            Err(ModelError::new(Code::MODEL_ERROR, "the end"))
        });
        let heard: Vec<_> =
            stream.map(|event| event.map_err(|error| error.message)).collect().await;
        let mut expected: Vec<_> =
            (0..5).map(|number| Ok(ChatEvent::Text(number.to_string().into()))).collect();
        expected.push(Err("the end".into()));
        assert_eq!(heard, expected);
    }

    #[tokio::test]
    async fn dropping_the_stream_ends_the_future() {
        let alive = Arc::new(());
        let held = alive.clone();
        let mut stream = event_stream(|teller| async move {
            teller.send(ChatEvent::Text("a".into())).await;
            std::future::pending::<()>().await;
            drop(held);
            Ok(())
        });
        stream.next().await.unwrap().unwrap();
        assert_eq!(Arc::strong_count(&alive), 2);
        drop(stream);
        assert_eq!(Arc::strong_count(&alive), 1);
    }
}
