//! The world of an agent that runs in a node.

use agent::{AgentEvent, World};
use model::{Str, Value};
use node_api::trigger::ChunkKind;
use node_api::{Ctx, NodeError};

/// Where notes of an item go: a node may work on several items in one run.
pub(super) struct NodeWorld<'c> {
    ctx: &'c Ctx<'c>,
    item: usize,
    /// What every key begins with.
    prefix: Str,
    /// Whether whoever waits for the run hears the model word by word. Those of an agent that another one asks are not the answer.
    is_heard: bool,
}

impl<'c> NodeWorld<'c> {
    pub(super) fn new(ctx: &'c Ctx<'c>, item: usize) -> Self {
        Self { ctx, item, prefix: format!("item {item}").into(), is_heard: true }
    }

    /// The world of an agent that works within the call of another one's tool.
    pub(super) fn within(ctx: &'c Ctx<'c>, call: Str) -> Self {
        Self { ctx, item: 0, prefix: call, is_heard: false }
    }

    /// The same where the model's words are not the answer: a judgement, or data.
    pub(super) fn unheard(ctx: &'c Ctx<'c>, item: usize) -> Self {
        Self { is_heard: false, ..Self::new(ctx, item) }
    }

    /// Says that an answer begins or has ended, to whoever hears it.
    pub(super) async fn announce(&self, kind: ChunkKind) {
        if self.is_heard {
            self.ctx.send_chunk(kind, self.item, None).await;
        }
    }

    /// When the agent first began on the item, also after a crash.
    pub(super) async fn began(&self) -> Result<Str, NodeError> {
        if let Some(Value::String(kept)) = self.note("began") {
            return Ok(kept);
        }
        let now = jiff::Timestamp::from_millisecond(self.now_ms()).unwrap_or_default();
        let began = Str::from(now.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string());
        self.keep("began", began.clone().into()).await?;
        Ok(began)
    }

    fn key(&self, key: &str) -> String {
        format!("{}: {key}", self.prefix)
    }
}

#[async_trait::async_trait]
impl World for NodeWorld<'_> {
    fn now_ms(&self) -> i64 {
        self.ctx.host().now_ms()
    }

    async fn sleep(&self, milliseconds: u64) {
        if self.ctx.host().sleep(milliseconds).await.is_err() {
            // The run is cancelled; whoever drives it lets go of the node.
            std::future::pending().await
        }
    }

    fn is_cancelled(&self) -> bool {
        self.ctx.host().is_cancelled()
    }

    fn note(&self, key: &str) -> Option<Value> {
        self.ctx.host().note(&self.key(key))
    }

    fn full_key(&self, key: &str) -> Str {
        self.key(key).into()
    }

    async fn keep(&self, key: &str, value: Value) -> Result<(), NodeError> {
        self.ctx.host().keep_note(&self.key(key), value).await
    }

    async fn tell(&self, event: AgentEvent) {
        match event {
            AgentEvent::Token(text) if self.is_heard => self.ctx.send_chunk(ChunkKind::Item, self.item, Some(text.into())).await,
            AgentEvent::Warning(words) => self.ctx.host().warn(words),
            _ => {}
        }
    }
}
