//! A chain of models: the first that answers wins, and one that failed is left alone for a while.

use super::event_stream::event_stream;
use super::timing::TimingSource;
use futures::StreamExt as _;
use model::{Code, Str};
use node_api::ai::{ChatEvent, ChatModel, ChatRequest, ChatStream, ModelError, ModelInfo};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many rests are remembered before those that are over are forgotten.
const MAX_TRACKED: usize = 4_096;

/// Which models rest, and until when.
#[derive(Default)]
pub struct Cooldowns {
    until: Mutex<HashMap<Str, Duration>>,
}

impl Cooldowns {
    /// Those that all runs of the process share.
    pub fn shared() -> &'static Arc<Self> {
        static SHARED: LazyLock<Arc<Cooldowns>> = LazyLock::new(Arc::default);
        &SHARED
    }

    /// How long a model still rests.
    fn left(&self, name: &str, now: Duration) -> Duration {
        self.state().get(name).map_or(Duration::ZERO, |until| until.saturating_sub(now))
    }

    fn begin(&self, name: Str, until: Duration, now: Duration) {
        let mut state = self.state();
        if state.len() >= MAX_TRACKED {
            state.retain(|_, until| *until > now);
        }
        state.insert(name, until);
    }

    fn end(&self, name: &str) {
        self.state().remove(name);
    }

    fn state(&self) -> MutexGuard<'_, HashMap<Str, Duration>> {
        self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The chain. A stream that began to answer is never switched: what was said cannot be taken back.
pub struct FallbackChain {
    info: ModelInfo,
    links: Vec<FallbackModel>,
    cooldowns: Arc<Cooldowns>,
    pace: Arc<dyn TimingSource>,
    cool_down: Duration,
}

/// A model of a chain, and the name under which it rests.
pub struct FallbackModel {
    pub name: Str,
    pub model: Arc<dyn ChatModel>,
}

impl FallbackChain {
    /// At least one model is needed to make a chain.
    pub fn new(
        links: Vec<FallbackModel>,
        rests: Arc<Cooldowns>,
        pace: Arc<dyn TimingSource>,
        cool_down: Duration,
    ) -> Option<Self> {
        let info = common_info(&links)?;
        Some(Self { info, links, cooldowns: rests, pace, cool_down })
    }

    /// In their order; those that rest come last, the one that has rested longest first.
    fn order(&self) -> Vec<&FallbackModel> {
        let now = self.pace.now();
        let mut links: Vec<_> =
            self.links.iter().map(|link| (self.cooldowns.left(&link.name, now), link)).collect();
        links.sort_by_key(|(left, _)| *left);
        links.into_iter().map(|(_, link)| link).collect()
    }
}

impl ChatModel for FallbackChain {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn stream(&self, request: ChatRequest) -> ChatStream<'_> {
        event_stream(move |teller| async move {
            let mut last = ModelError::new(Code::MODEL_ERROR, "No model is available");
            let order = self.order();
            let n_links = order.len();
            for (number, link) in order.into_iter().enumerate() {
                let mut stream = link.model.stream(request.clone());
                let mut said_something = false;
                let error = loop {
                    match stream.next().await {
                        Some(Ok(event @ ChatEvent::Done(_))) => {
                            self.cooldowns.end(&link.name);
                            teller.send(event).await;
                            return Ok(());
                        }
                        Some(Ok(event)) => {
                            said_something |= !matches!(event, ChatEvent::Retry { .. });
                            teller.send(event).await;
                        }
                        Some(Err(error)) => break error,
                        None => {
                            break ModelError {
                                may_pass: true,
                                ..ModelError::new(
                                    Code::MODEL_ERROR,
                                    "The model's response was cut off",
                                )
                            };
                        }
                    }
                };
                if error.may_pass {
                    let now = self.pace.now();
                    self.cooldowns.begin(link.name.clone(), now + self.cool_down, now);
                }
                if said_something || !error.may_pass {
                    return Err(error);
                }
                if number + 1 < n_links {
                    let cause = format!("{} failed: {}", link.model.info().model, error.message);
                    teller
                        .send(ChatEvent::Retry {
                            attempt: number as u32 + 1,
                            wait_ms: 0,
                            cause: cause.into(),
                        })
                        .await;
                }
                last = error;
            }
            Err(last)
        })
    }
}

/// What holds for the chain whichever of its models answers.
fn common_info(links: &[FallbackModel]) -> Option<ModelInfo> {
    let mut common = links.first()?.model.info().clone();
    for info in links.iter().map(|link| link.model.info()) {
        let (ours, theirs) = (&mut common.capabilities, info.capabilities);
        ours.tools &= theirs.tools;
        ours.vision &= theirs.vision;
        ours.streaming &= theirs.streaming;
        ours.sampling &= theirs.sampling;
        ours.forced_tool &= theirs.forced_tool;
        ours.json_schema &= theirs.json_schema;
        ours.context = least(ours.context, theirs.context);
        ours.max_output = least(ours.max_output, theirs.max_output);
        if common.price != info.price {
            common.price = None;
        }
    }
    Some(common)
}

fn least(one: Option<u64>, two: Option<u64>) -> Option<u64> {
    match (one, two) {
        (Some(one), Some(two)) => Some(one.min(two)),
        (one, two) => one.or(two),
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalog::Catalog;
    use super::super::timing::testing::TestTiming;
    use super::*;
    use node_api::ai::{Message, ModelReply, StopReason, TokenUsage};

    /// Says its words and then answers or fails.
    struct Scripted {
        info: ModelInfo,
        said: Vec<&'static str>,
        end: Mutex<Vec<Result<(), ModelError>>>,
        asked: Arc<Mutex<Vec<&'static str>>>,
        name: &'static str,
    }

    impl ChatModel for Scripted {
        fn info(&self) -> &ModelInfo {
            &self.info
        }

        fn stream(&self, _request: ChatRequest) -> ChatStream<'_> {
            self.asked.lock().unwrap().push(self.name);
            let said = self.said.iter().map(|word| Ok(ChatEvent::Text((*word).into())));
            let mut ends = self.end.lock().unwrap();
            let end = if ends.len() > 1 { ends.remove(0) } else { ends[0].clone() };
            let end = end.map(|()| {
                let message = Message::assistant(self.name);
                ChatEvent::Done(Box::new(ModelReply {
                    message,
                    stop: StopReason::Stop,
                    usage: TokenUsage::default(),
                    model: self.name.into(),
                }))
            });
            Box::pin(futures::stream::iter(said.chain([end]).collect::<Vec<_>>()))
        }
    }

    type Asked = Arc<Mutex<Vec<&'static str>>>;
    type Script = (&'static str, Vec<&'static str>, Vec<Result<(), ModelError>>);

    fn failing(may_pass: bool) -> Result<(), ModelError> {
        Err(ModelError { may_pass, ..ModelError::new(Code::MODEL_ERROR, "no") })
    }

    fn chain(scripts: Vec<Script>) -> (FallbackChain, Asked, Arc<TestTiming>) {
        let asked = Asked::default();
        let pace = Arc::new(TestTiming::new());
        let link = |(name, said, end): Script| {
            let info = Catalog::shipped().find("openai", "gpt-4o").info;
            let model = Scripted { info, said, end: Mutex::new(end), asked: asked.clone(), name };
            FallbackModel { name: name.into(), model: Arc::new(model) }
        };
        let links = scripts.into_iter().map(link).collect();
        let fallback =
            FallbackChain::new(links, Arc::default(), pace.clone(), Duration::from_secs(60))
                .unwrap();
        (fallback, asked, pace)
    }

    async fn ask(chain: &FallbackChain) -> Result<Str, ModelError> {
        chain.chat(ChatRequest::default()).await.map(|turn| turn.model)
    }

    #[tokio::test]
    async fn the_first_that_answers_wins_and_one_that_failed_rests() {
        let (chain, asked, pace) =
            chain(vec![("a", vec![], vec![failing(true), Ok(())]), ("b", vec![], vec![Ok(())])]);
        assert_eq!(ask(&chain).await.unwrap(), "b");
        assert_eq!(ask(&chain).await.unwrap(), "b");
        assert_eq!(*asked.lock().unwrap(), ["a", "b", "b"]);
        pace.sleep(Duration::from_secs(61)).await;
        assert_eq!(ask(&chain).await.unwrap(), "a");
    }

    #[tokio::test]
    async fn a_request_that_is_wrong_is_not_asked_of_another() {
        let (chain, asked, _) =
            chain(vec![("a", vec![], vec![failing(false)]), ("b", vec![], vec![Ok(())])]);
        assert!(ask(&chain).await.is_err());
        assert!(ask(&chain).await.is_err());
        assert_eq!(*asked.lock().unwrap(), ["a", "a"]);
    }

    #[tokio::test]
    async fn an_answer_that_began_is_never_switched() {
        let (chain, asked, _) =
            chain(vec![("a", vec!["Hel"], vec![failing(true)]), ("b", vec![], vec![Ok(())])]);
        assert!(ask(&chain).await.is_err());
        assert_eq!(*asked.lock().unwrap(), ["a"]);
        assert_eq!(ask(&chain).await.unwrap(), "b");
    }

    #[tokio::test]
    async fn when_all_rest_the_one_that_has_rested_longest_is_asked_first() {
        let (chain, asked, pace) = chain(vec![
            ("a", vec![], vec![failing(true), Ok(())]),
            ("b", vec![], vec![failing(true)]),
        ]);
        assert_eq!(ask(&chain).await.unwrap_err().message, "no");
        pace.sleep(Duration::from_secs(1)).await;
        assert_eq!(ask(&chain).await.unwrap(), "a");
        assert_eq!(*asked.lock().unwrap(), ["a", "b", "a"]);
    }

    #[tokio::test]
    async fn whoever_watches_hears_of_the_switch() {
        let (chain, _, _) =
            chain(vec![("a", vec![], vec![failing(true)]), ("b", vec!["x"], vec![Ok(())])]);
        let told: Vec<_> = chain.stream(ChatRequest::default()).collect().await;
        assert!(
            matches!(&told[0], Ok(ChatEvent::Retry { attempt: 1, cause, .. }) if cause.contains("gpt-4o failed: no")),
            "{told:?}"
        );
        assert_eq!(told.len(), 3);
    }
}
