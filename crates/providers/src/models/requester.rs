//! One conversation with a provider from the first attempt to the last event: limits, pauses, the
//! door of the key, the decoder.

use super::event_stream::{EventSender, event_stream};
use super::failure::{ModelFailure, RetryHint};
use super::limiter::{Limiter, Limiters};
use super::retry::{RetryCount, RetryPolicy};
use super::secret::Secret;
use super::timing::{SystemTiming, TimingSource};
use super::wire::{Wire, WireError, WireLimits, WireRequest, WireResponse};
use node_api::ai::{ChatEvent, ChatStream, ModelError, ModelReply};
use node_api::http::Http;
use std::sync::Arc;
use std::time::Duration;

/// Reads the body of one successful answer. A wire format implements it; each attempt gets a new
/// one.
pub trait ReplyDecoder: Send {
    /// Takes the next bytes, tells what they say, and whether the answer is complete.
    fn feed(
        &mut self,
        bytes: &[u8],
        events: &mut Vec<ChatEvent>,
    ) -> Result<DecodeProgress, ModelFailure>;
    /// The answer, once it is complete or the bytes have ended.
    fn finish(&mut self, events: &mut Vec<ChatEvent>) -> Result<ModelReply, ModelFailure>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeProgress {
    More,
    Complete,
}

/// What the answers of a provider with an error status mean.
pub trait ErrorDecoder: Send + Sync {
    fn decode_error(
        &self,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
        unix_ms: i64,
    ) -> ModelFailure;
}

/// A wire format as far as asking needs it.
pub trait ChatFormat: ErrorDecoder {
    fn decoder(&self) -> Box<dyn ReplyDecoder>;
}

/// How the outside is reached: the same for every model of a run, whatever its provider.
#[derive(Clone)]
pub struct ModelAccess {
    pub http: Arc<dyn Http>,
    pub pace: Arc<dyn TimingSource>,
    pub limits: WireLimits,
    pub retry: RetryPolicy,
}

impl ModelAccess {
    /// With the machine's clock and the usual limits.
    pub fn new(http: Arc<dyn Http>) -> Self {
        Self {
            http,
            pace: Arc::new(SystemTiming),
            limits: WireLimits::default(),
            retry: RetryPolicy::default(),
        }
    }

    /// For requests to this place with this key. All that are alike in both share a door, also with
    /// other runs. The secrets are in no message of an error.
    pub fn requester(&self, place: &str, credential: &str, secrets: Vec<Secret>) -> ModelRequester {
        let wire = Wire::new(self.http.clone(), self.pace.clone(), self.limits);
        ModelRequester {
            wire,
            retry: self.retry,
            limiter: Limiters::shared().of(place, credential),
            secrets,
        }
    }
}

/// Everything that asking needs besides the request itself.
#[derive(Clone)]
pub struct ModelRequester {
    pub wire: Wire,
    pub retry: RetryPolicy,
    pub limiter: Arc<Limiter>,
    pub secrets: Vec<Secret>,
}

impl ModelRequester {
    /// The answer as a stream of events.
    pub fn stream<'a>(&'a self, call: WireRequest, format: &'a dyn ChatFormat) -> ChatStream<'a> {
        event_stream(move |teller| async move {
            let deadline = self.wire.deadline();
            let mut pause = Duration::ZERO;
            let mut tries = RetryCount::default();
            loop {
                let mut said_something = false;
                let failure = match self
                    .attempt(&call, format, deadline, pause, &teller, &mut said_something)
                    .await
                {
                    Ok(turn) => {
                        teller.send(ChatEvent::Done(Box::new(turn))).await;
                        return Ok(());
                    }
                    Err(failure) => failure.without(&self.secrets),
                };
                // What was said cannot be taken back.
                let next = if said_something {
                    None
                } else {
                    self.next_pause(&failure, &mut tries, deadline)
                };
                let Some(next) = next else { return Err(failure.error) };
                pause = next;
                let cause = failure.error.message;
                teller
                    .send(ChatEvent::Retry {
                        attempt: tries.total(),
                        wait_ms: pause.as_millis() as u64,
                        cause,
                    })
                    .await;
            }
        })
    }

    /// The whole body of an answer, for requests that are not streams.
    pub async fn whole(
        &self,
        call: &WireRequest,
        format: &dyn ErrorDecoder,
    ) -> Result<Vec<u8>, ModelError> {
        let deadline = self.wire.deadline();
        let mut pause = Duration::ZERO;
        let mut tries = RetryCount::default();
        loop {
            let failure = match self.accepted(call, format, deadline, pause).await {
                Ok(mut answer) => match answer.read_all().await {
                    Ok(body) => return Ok(body),
                    Err(error) => ModelFailure::from(error),
                },
                Err(failure) => failure.without(&self.secrets),
            };
            match self.next_pause(&failure, &mut tries, deadline) {
                Some(next) => pause = next,
                None => return Err(failure.error),
            }
        }
    }

    async fn attempt(
        &self,
        call: &WireRequest,
        format: &dyn ChatFormat,
        deadline: Duration,
        pause: Duration,
        teller: &EventSender,
        said_something: &mut bool,
    ) -> Result<ModelReply, ModelFailure> {
        let mut answer = self.accepted(call, format, deadline, pause).await?;
        let mut decoder = format.decoder();
        let mut events = Vec::new();
        loop {
            let piece = answer.next_chunk().await;
            let fed = match &piece {
                Ok(Some(bytes)) => decoder.feed(bytes, &mut events),
                // A connection that breaks after the last word has lost nothing.
                Ok(None) | Err(_) => Ok(DecodeProgress::Complete),
            };
            for event in events.drain(..) {
                *said_something = true;
                teller.send(event).await;
            }
            if fed? == DecodeProgress::More {
                continue;
            }
            let turn = decoder.finish(&mut events);
            for event in events.drain(..) {
                *said_something = true;
                teller.send(event).await;
            }
            return match (turn, piece) {
                (Ok(turn), _) => Ok(turn),
                (Err(_), Err(error)) => Err(broken_off(error)),
                (Err(failure), Ok(_)) => Err(failure),
            };
        }
    }

    /// Waits for its turn, asks, and gives the answer if the provider took the request.
    async fn accepted(
        &self,
        call: &WireRequest,
        format: &dyn ErrorDecoder,
        deadline: Duration,
        pause: Duration,
    ) -> Result<WireResponse, ModelFailure> {
        let pace = &*self.wire.pace;
        let entering = self.limiter.acquire_after(pause, pace);
        let leave =
            self.wire.within("whole", self.wire.limits.whole_ms, deadline, entering).await?;
        let mut answer = self.wire.ask(call, deadline).await?;
        if answer.is_success() {
            leave.accepted(pace);
            return Ok(answer);
        }
        // Words that cannot be read are no reason to forget the status.
        let body = answer.read_all().await.unwrap_or_default();
        let failure = format.decode_error(answer.status, &answer.headers, &body, pace.unix_ms());
        if failure.rate_limited {
            let longest = Duration::from_millis(self.retry.max_retry_after_ms);
            match failure.retry {
                RetryHint::After(wait) if wait <= longest => leave.rate_limited(wait, pace),
                RetryHint::After(_) | RetryHint::Never => {}
                RetryHint::Soon => {
                    leave.rate_limited(Duration::from_millis(self.retry.initial_pause_ms), pace)
                }
            }
        }
        Err(failure)
    }

    fn next_pause(
        &self,
        failure: &ModelFailure,
        tries: &mut RetryCount,
        deadline: Duration,
    ) -> Option<Duration> {
        let pause = self.retry.pause(failure, tries, &*self.wire.pace)?;
        (self.wire.pace.now() + pause < deadline).then_some(pause)
    }
}

fn broken_off(error: WireError) -> ModelFailure {
    let mut failure = ModelFailure::from(error);
    if failure.error.code == model::Code::MODEL_ERROR {
        failure.error.message =
            format!("The model's response was cut off: {}", failure.error.message).into();
    }
    failure
}

#[cfg(test)]
mod tests;
