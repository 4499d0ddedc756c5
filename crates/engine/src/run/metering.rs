//! What calls of models cost: the budgets of the run are asked before each, and charged after it.
//! The same holds for models that are connected and for those that a node names itself.

use super::RunContext;
use super::host::NodeHost;
use super::subnode_record::message_line;
use super::suspend::{BusyGuard, SuspendState};
use crate::budget::{Spender, session_of};
use crate::budget_account::BudgetReservation;
use futures::{StreamExt as _, stream};
use model::{ModelUsage, RunEvent, SpendingTotal, Str};
use node_api::ai::{
    ChatEvent, ChatModel, ChatRequest, ChatStream, ModelError, ModelInfo, TokenUsage,
};
use node_api::host::Host as _;
use std::future::ready;
use std::sync::Arc;

/// What an answer takes at the most of a model that does not say how much it can answer.
const LONGEST_ANSWER_TOKENS: u64 = 16_384;

/// Pays for the models of one node from the budgets of its run.
#[derive(Clone)]
pub(super) struct Meter {
    run: Arc<RunContext>,
    node: Str,
    spender: Spender,
    parking: Arc<SuspendState>,
}

impl Meter {
    pub(super) fn new(host: &NodeHost, node: &Str) -> Self {
        let spender = Spender {
            session: session_of(host.trigger_data().as_ref(), host.run.options.addresses.as_ref()),
            ..host.run.spender.clone()
        };
        let (run, parking) = (host.run.clone(), host.parking.clone());
        Self { run, node: node.clone(), spender, parking }
    }

    pub(super) fn metered(self, model: Arc<dyn ChatModel>) -> Arc<dyn ChatModel> {
        Arc::new(MeteredModel { model, meter: self })
    }

    /// Lets a model be called, unless a budget is used up.
    pub(super) async fn reserve(
        &self,
        most: SpendingTotal,
    ) -> Result<BudgetReservation, ModelError> {
        self.spender.budgets.check()?;
        let mut claims = self.run.spending.claims();
        claims.extend(self.run.engine.ports.ledger.claims(&self.spender, self.run.now()).await?);
        BudgetReservation::open(&claims, most).await
    }

    /// Takes down what a call has cost.
    pub(super) async fn charge(
        &self,
        account: BudgetReservation,
        info: &ModelInfo,
        usage: &TokenUsage,
    ) {
        let spent = ModelUsage {
            provider: info.provider.clone(),
            model: info.model.clone(),
            session: self.spender.session.clone(),
            at_ms: self.run.now(),
            input: usage.input,
            cached: usage.cached_read,
            output: usage.output,
            dollars: info.price.map(|price| price.of(usage)),
        };
        account.spend(&spent);
        let _ = self.run.record(RunEvent::ModelUsed { node: self.node.clone(), spent }).await;
    }
}

/// What so many tokens of a model cost.
pub(super) fn cost_of(info: &ModelInfo, usage: &TokenUsage) -> SpendingTotal {
    let dollars = info.price.map_or(0.0, |price| price.of(usage));
    SpendingTotal { tokens: usage.input.saturating_add(usage.output), dollars }
}

/// A model whose answers are paid for.
struct MeteredModel {
    model: Arc<dyn ChatModel>,
    meter: Meter,
}

impl ChatModel for MeteredModel {
    fn info(&self) -> &ModelInfo {
        self.model.info()
    }

    fn stream(&self, request: ChatRequest) -> ChatStream<'_> {
        let busy = self.meter.parking.busy();
        let opening = async move {
            match self.meter.reserve(max_cost(&request, self.info())).await {
                Ok(account) => self.charged(request, account, busy),
                Err(error) => stream::once(ready(Err(error))).boxed(),
            }
        };
        Box::pin(stream::once(opening).flatten())
    }
}

impl MeteredModel {
    fn charged(
        &self,
        request: ChatRequest,
        account: BudgetReservation,
        busy: BusyGuard,
    ) -> ChatStream<'_> {
        let mut open = Some((account, busy));
        let events = self.model.stream(request).then(move |event| {
            let usage = match &event {
                Ok(ChatEvent::Done(turn)) => Some(turn.usage.clone()),
                _ => None,
            };
            let ended = usage.and_then(|usage| Some((open.take()?, usage)));
            async move {
                if let Some(((account, busy), usage)) = ended {
                    self.meter.charge(account, self.info(), &usage).await;
                    drop(busy);
                }
                event
            }
        });
        Box::pin(events)
    }
}

/// What a question and its answer cost at the most: no token is shorter than a byte.
fn max_cost(request: &ChatRequest, info: &ModelInfo) -> SpendingTotal {
    let said: usize = request.messages.iter().map(|message| message_line(message).len()).sum();
    let offered: usize = request
        .tools
        .iter()
        .map(|tool| model::json::to_string(&tool.parameters).len() + tool.description.len())
        .sum();
    let output = request
        .options
        .max_tokens
        .or(info.capabilities.max_output)
        .unwrap_or(LONGEST_ANSWER_TOKENS);
    cost_of(info, &TokenUsage { input: (said + offered) as u64, output, ..TokenUsage::default() })
}
