//! One conversation with a provider from the first attempt to the last event: limits, pauses, the
//! door of the key, the decoder.

use super::events::{Teller, told_by};
use super::failure::{Again, Failure};
use super::limiter::{Limiter, Limiters};
use super::pace::{Pace, SystemPace};
use super::retry::{RetryPolicy, Tries};
use super::secret::Secret;
use super::wire::{Answer, Call, Limits, Wire, WireError};
use node_api::ai::{ChatEvent, ChatStream, ModelError, Turn};
use node_api::http::Http;
use std::sync::Arc;
use std::time::Duration;

/// Reads the body of one successful answer. A wire format implements it; each attempt gets a new
/// one.
pub trait Decoder: Send {
    /// Takes the next bytes, tells what they say, and whether the answer is complete.
    fn feed(&mut self, bytes: &[u8], events: &mut Vec<ChatEvent>) -> Result<Flow, Failure>;
    /// The answer, once it is complete or the bytes have ended.
    fn finish(&mut self, events: &mut Vec<ChatEvent>) -> Result<Turn, Failure>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    More,
    Complete,
}

/// What the answers of a provider with an error status mean.
pub trait Refuses: Send + Sync {
    fn refused(
        &self,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
        unix_ms: i64,
    ) -> Failure;
}

/// A wire format as far as asking needs it.
pub trait Format: Refuses {
    fn decoder(&self) -> Box<dyn Decoder>;
}

/// How the outside is reached: the same for every model of a run, whatever its provider.
#[derive(Clone)]
pub struct Access {
    pub http: Arc<dyn Http>,
    pub pace: Arc<dyn Pace>,
    pub limits: Limits,
    pub retry: RetryPolicy,
}

impl Access {
    /// With the machine's clock and the usual limits.
    pub fn new(http: Arc<dyn Http>) -> Self {
        Self {
            http,
            pace: Arc::new(SystemPace),
            limits: Limits::default(),
            retry: RetryPolicy::default(),
        }
    }

    /// For requests to this place with this key. All that are alike in both share a door, also with
    /// other runs. The secrets are in no message of an error.
    pub fn asker(&self, place: &str, credential: &str, secrets: Vec<Secret>) -> Asker {
        let wire = Wire::new(self.http.clone(), self.pace.clone(), self.limits);
        Asker { wire, retry: self.retry, door: Limiters::shared().of(place, credential), secrets }
    }
}

/// Everything that asking needs besides the request itself.
#[derive(Clone)]
pub struct Asker {
    pub wire: Wire,
    pub retry: RetryPolicy,
    pub door: Arc<Limiter>,
    pub secrets: Vec<Secret>,
}

impl Asker {
    /// The answer as a stream of events.
    pub fn stream<'a>(&'a self, call: Call, format: &'a dyn Format) -> ChatStream<'a> {
        told_by(move |teller| async move {
            let deadline = self.wire.deadline();
            let mut pause = Duration::ZERO;
            let mut tries = Tries::default();
            loop {
                let mut said_something = false;
                let failure = match self
                    .attempt(&call, format, deadline, pause, &teller, &mut said_something)
                    .await
                {
                    Ok(turn) => {
                        teller.tell(ChatEvent::Done(Box::new(turn))).await;
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
                    .tell(ChatEvent::Retry {
                        attempt: tries.total(),
                        wait_ms: pause.as_millis() as u64,
                        cause,
                    })
                    .await;
            }
        })
    }

    /// The whole body of an answer, for requests that are not streams.
    pub async fn whole(&self, call: &Call, format: &dyn Refuses) -> Result<Vec<u8>, ModelError> {
        let deadline = self.wire.deadline();
        let mut pause = Duration::ZERO;
        let mut tries = Tries::default();
        loop {
            let failure = match self.accepted(call, format, deadline, pause).await {
                Ok(mut answer) => match answer.whole().await {
                    Ok(body) => return Ok(body),
                    Err(error) => Failure::from(error),
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
        call: &Call,
        format: &dyn Format,
        deadline: Duration,
        pause: Duration,
        teller: &Teller,
        said_something: &mut bool,
    ) -> Result<Turn, Failure> {
        let mut answer = self.accepted(call, format, deadline, pause).await?;
        let mut decoder = format.decoder();
        let mut events = Vec::new();
        loop {
            let piece = answer.piece().await;
            let fed = match &piece {
                Ok(Some(bytes)) => decoder.feed(bytes, &mut events),
                // A connection that breaks after the last word has lost nothing.
                Ok(None) | Err(_) => Ok(Flow::Complete),
            };
            for event in events.drain(..) {
                *said_something = true;
                teller.tell(event).await;
            }
            if fed? == Flow::More {
                continue;
            }
            let turn = decoder.finish(&mut events);
            for event in events.drain(..) {
                *said_something = true;
                teller.tell(event).await;
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
        call: &Call,
        format: &dyn Refuses,
        deadline: Duration,
        pause: Duration,
    ) -> Result<Answer, Failure> {
        let pace = &*self.wire.pace;
        let entering = self.door.enter_after(pause, pace);
        let leave =
            self.wire.within("whole", self.wire.limits.whole_ms, deadline, entering).await?;
        let mut answer = self.wire.ask(call, deadline).await?;
        if answer.is_success() {
            leave.was_taken(pace);
            return Ok(answer);
        }
        // Words that cannot be read are no reason to forget the status.
        let body = answer.whole().await.unwrap_or_default();
        let failure = format.refused(answer.status, &answer.headers, &body, pace.unix_ms());
        if failure.too_many {
            let longest = Duration::from_millis(self.retry.longest_asked_for_ms);
            match failure.again {
                Again::After(wait) if wait <= longest => leave.was_too_many(wait, pace),
                Again::After(_) | Again::Never => {}
                Again::Soon => {
                    leave.was_too_many(Duration::from_millis(self.retry.first_pause_ms), pace)
                }
            }
        }
        Err(failure)
    }

    fn next_pause(
        &self,
        failure: &Failure,
        tries: &mut Tries,
        deadline: Duration,
    ) -> Option<Duration> {
        let pause = self.retry.pause(failure, tries, &*self.wire.pace)?;
        (self.wire.pace.now() + pause < deadline).then_some(pause)
    }
}

fn broken_off(error: WireError) -> Failure {
    let mut failure = Failure::from(error);
    if failure.error.code == model::Code::MODEL_ERROR {
        failure.error.message =
            format!("The answer of the model broke off: {}", failure.error.message).into();
    }
    failure
}

#[cfg(test)]
mod tests;
