//! Replies in a chat: the next message of a conversation goes to the run that waits for it.

use crate::execute::start::{AcceptedRun, SlotPolicy};
use crate::listen::auth;
use crate::listen::chat::{ChatMessage, asks_for_previous, item_of};
use crate::listen::endpoint::{self, EndpointRequest, EndpointResponse};
use crate::listen::routes::TriggerEndpoint;
use crate::resume::journal_state::JournalState;
use crate::resume::resumption::ResumeReason;
use crate::resume::waiting_run::WaitingRun;
use crate::task::spawn_detached;
use crate::{Error, Runtime, lock};
use model::{Item, Items, RunStatus, Str};
use node_api::ai::{caller_session, session_id_of, split_signed};
use node_api::trigger::{HISTORY_FIELD, REPLY_FIELD, ReplyMode, StreamDetail};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use store::executions::{Execution, ExecutionFilter};

/// Among how many waiting runs of a workflow a conversation is looked for, the newest first.
const MAX_WAITING: usize = 10_000;

/// Runs of which it is remembered whose conversation they are.
const MAX_CACHED: usize = 50_000;

/// How long it may take to put a reply into a memory.
const MEMORY_TIMEOUT_MS: u64 = 30_000;

/// The conversation that each run began with. It never changes, so that it is read once.
#[derive(Default)]
pub(crate) struct SessionCache(Mutex<HashMap<i64, Option<ConversationKey>>>);

/// A conversation: the trigger, its session, and where it is held. What is called the same
/// elsewhere is another one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ConversationKey {
    node: Str,
    session: Str,
    entry: ChatChannel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChatChannel {
    /// The address of the chat.
    Chat,
    /// OpenAI's API. Only there earlier messages come along, if only an empty list of them.
    OpenAi,
}

impl Runtime {
    /// Answers a call of an address. A message that a run of the same conversation waits for wakes
    /// that run; any other starts one.
    pub async fn answer(
        self: &Arc<Self>,
        hook: &TriggerEndpoint,
        call: EndpointRequest,
    ) -> Result<EndpointResponse, Error> {
        self.check_listens(hook)?;
        let is_message = hook.chat.is_some() && !asks_for_previous(hook, &call);
        if is_message
            && auth::refusal(&self.runner, hook, &call).is_none()
            && let Some(session) = session_id_of(&call.body).map(caller_session)
            && let Some(waiting) = self.waiting_for_reply(hook, session, ChatChannel::Chat).await?
        {
            let run = self.reply(waiting, item_of(call), endpoint::reply_mode(hook)).await?;
            return endpoint::wait_for_response(&self.runner, hook, run).await;
        }
        endpoint::handle(&self.runner, hook, call).await
    }

    /// Takes a message for somebody who hears everything that the agent does: as the reply to a run
    /// that waits for it, or as the beginning of a new one. Returns once it is on disk.
    pub async fn converse(
        self: &Arc<Self>,
        hook: &TriggerEndpoint,
        mut message: ChatMessage,
    ) -> Result<AcceptedRun, Error> {
        let waiting = match message.session.clone() {
            Some(session) => self.waiting_for_reply(hook, session, ChatChannel::OpenAi).await?,
            None => None,
        };
        message.session =
            message.session.map(|session| self.runner.resume_tokens.sign_session(&session));
        let run = match waiting {
            Some(waiting) => {
                self.reply(
                    waiting,
                    message.into_item(),
                    ReplyMode::Streamed(StreamDetail::Everything),
                )
                .await?
            }
            None => self.start_chat(hook, message)?,
        };
        self.runner.wait_accepted(&run.log).await?;
        Ok(run)
    }

    /// Nothing is remembered of a message that comes too late. One that was taken is remembered
    /// before the run goes on.
    async fn reply(
        self: &Arc<Self>,
        waiting: WaitingRun,
        sent: Item,
        reply: ReplyMode,
    ) -> Result<AcceptedRun, Error> {
        let item = self.woken_by(&waiting, sent.clone())?;
        let (id, wait) = (waiting.id, waiting.wait);
        let guard = self.lock_idle(id).await?;
        let runtime = self.clone();
        spawn_detached(async move {
            if runtime.asleep(id).await?.is_none_or(|asleep| asleep.wait != wait) {
                return Err(Error::StaleLink { id });
            }
            runtime.remember(&waiting, sent).await;
            let run = runtime
                .resume_locked(
                    &guard,
                    ResumeReason::Called { wait, item },
                    reply,
                    SlotPolicy::Acquire,
                )
                .await?;
            run.ok_or(Error::WrongStatus { id, status: RunStatus::Uncertain.name() })
        })
        .await
    }

    /// Lets the node that waits put the reply into a memory of its own. One that fails is done
    /// without.
    async fn remember(&self, waiting: &WaitingRun, mut sent: Item) {
        let text = sent.json.get("chatInput").cloned().unwrap_or_default();
        sent.json.make_object().insert(REPLY_FIELD, text);
        let hook = &waiting.hook;
        let stored = self
            .runner
            .ask_trigger(&hook.workflow, &hook.node, Items::one(sent), MEMORY_TIMEOUT_MS)
            .await;
        if let Some(error) = stored.error {
            tracing::warn!(
                execution = waiting.id,
                code = error.code.name(),
                "Could not store a chat reply in memory."
            );
        }
    }

    async fn waiting_for_reply(
        self: &Arc<Self>,
        hook: &TriggerEndpoint,
        session: Str,
        entry: ChatChannel,
    ) -> Result<Option<WaitingRun>, Error> {
        let nodes = hook.workflow.plan.nodes.iter();
        let mut types =
            nodes.filter(|node| !node.disabled).filter_map(|node| node.node_type.as_ref());
        if !types.any(|node_type| node_type.spec.hears_replies) {
            return Ok(None);
        }
        let conversation = ConversationKey { node: hook.node.clone(), session, entry };
        let (workflow_id, status) = (Some(hook.workflow.id.clone()), Some(RunStatus::Waiting));
        let filter = ExecutionFilter {
            workflow_id,
            status,
            within: None,
            limit: MAX_WAITING,
            ..ExecutionFilter::default()
        };
        for execution in self.store.executions(filter).await? {
            if self.conversation_of(&execution).await?.as_ref() != Some(&conversation) {
                continue;
            }
            match self.waiting_in_chat(execution.id).await {
                Ok(None) | Err(Error::WrongStatus { .. } | Error::NoExecution { .. }) => {}
                found => return found,
            }
        }
        Ok(None)
    }

    async fn conversation_of(
        &self,
        execution: &Execution,
    ) -> Result<Option<ConversationKey>, Error> {
        if let Some(cached) = lock(&self.sessions.0).get(&execution.id) {
            return Ok(cached.clone());
        }
        let started =
            JournalState::read(self.store.first_event(execution.id).await?.into_iter().collect())
                .started;
        let found = started.and_then(|started| {
            let item = started.items.as_ref().and_then(Items::first)?;
            let entry = if item.json.get(HISTORY_FIELD).is_some() {
                ChatChannel::OpenAi
            } else {
                ChatChannel::Chat
            };
            let name = session_id_of(&item.json)?;
            // What came from there was given its name by us; runs from before names were signed
            // have it plain.
            let session = match entry {
                ChatChannel::OpenAi => {
                    split_signed(&name).map_or(name.clone(), |(session, _)| session.into())
                }
                ChatChannel::Chat => name,
            };
            Some(ConversationKey { node: started.node?, session, entry })
        });
        let mut cached = lock(&self.sessions.0);
        if cached.len() >= MAX_CACHED {
            cached.clear();
        }
        cached.insert(execution.id, found.clone());
        Ok(found)
    }
}
