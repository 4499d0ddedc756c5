//! Replies in a chat: the next message of a conversation goes to the run that waits for it.

use crate::chat::{ChatMessage, asks_for_previous, item_of};
use crate::hooks::{self, Call, Reply};
use crate::recovery::Story;
use crate::routes::Hook;
use crate::runner::Taken;
use crate::waiting::Waiting;
use crate::{Error, Runtime, auth, lock};
use model::{Item, Items, RunStatus, Str};
use node_api::ai::session_of;
use node_api::trigger::{Detail, REPLY_FIELD, Takes};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use store::executions::{Execution, ExecutionFilter};

/// Among how many waiting runs of a workflow a conversation is looked for, the newest first.
const MOST_WAITING: usize = 10_000;

/// Runs of which it is remembered whose conversation they are.
const MOST_KNOWN: usize = 50_000;

/// How long it may take to put a reply into a memory.
const LONGEST_REMEMBERING_MS: u64 = 30_000;

/// The conversation that each run began with, by the trigger and its session. It never changes, so that it is read once.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<i64, Option<(Str, Str)>>>);

impl Runtime {
    /// Answers a call of an address. A message that a run of the same conversation waits for wakes that run; any other starts one.
    pub async fn answer(self: &Arc<Self>, hook: &Hook, call: Call) -> Result<Reply, Error> {
        let is_message = hook.chat.is_some() && !asks_for_previous(hook, &call);
        if is_message
            && auth::refusal(&self.runner, hook, &call).is_none()
            && let Some(session) = session_of(&call.body)
            && let Some(waiting) = self.waiting_for_reply(hook, &session).await?
        {
            let taken = self.reply(&waiting, item_of(call), hooks::taken_by(hook)).await?;
            return hooks::wait_for_answer(&self.runner, hook, taken).await;
        }
        hooks::answer(&self.runner, hook, call).await
    }

    /// Takes a message for somebody who hears everything that the agent does: as the reply to a run that waits for it, or as the
    /// beginning of a new one. Returns once it is on disk.
    pub async fn converse(self: &Arc<Self>, hook: &Hook, message: ChatMessage) -> Result<Taken, Error> {
        let waiting = match &message.session {
            Some(session) => self.waiting_for_reply(hook, session).await?,
            None => None,
        };
        let taken = match waiting {
            Some(waiting) => self.reply(&waiting, message.into_item(), Takes::Pieces(Detail::Everything)).await?,
            None => self.begin_with(hook, message)?,
        };
        self.runner.accepted(&taken.log).await?;
        Ok(taken)
    }

    async fn reply(self: &Arc<Self>, waiting: &Waiting, sent: Item, takes: Takes) -> Result<Taken, Error> {
        let item = self.woken_by(waiting, sent.clone())?;
        self.remember(waiting, sent).await;
        self.wake_for(waiting.id, item, takes).await
    }

    /// Lets the node that waits put the reply into a memory of its own. One that fails is done without.
    async fn remember(&self, waiting: &Waiting, mut sent: Item) {
        let words = sent.json.get("chatInput").cloned().unwrap_or_default();
        sent.json.make_object().insert(REPLY_FIELD, words);
        let hook = &waiting.hook;
        let told = self.runner.ask_trigger(&hook.workflow, &hook.node, Items::one(sent), LONGEST_REMEMBERING_MS).await;
        if let Some(error) = told.error {
            tracing::warn!(execution = waiting.id, code = error.code.name(), "A reply in a chat could not be remembered.");
        }
    }

    async fn waiting_for_reply(self: &Arc<Self>, hook: &Hook, session: &str) -> Result<Option<Waiting>, Error> {
        let nodes = hook.workflow.plan.nodes.iter();
        let mut types = nodes.filter(|node| !node.disabled).filter_map(|node| node.node_type.as_ref());
        if !types.any(|node_type| node_type.spec.hears_replies) {
            return Ok(None);
        }
        let (workflow_id, status) = (Some(hook.workflow.id.clone()), Some(RunStatus::Waiting));
        let filter = ExecutionFilter { workflow_id, status, within: None, limit: MOST_WAITING, ..ExecutionFilter::default() };
        for execution in self.store.executions(filter).await? {
            let is_it = self.conversation_of(&execution).await?.is_some_and(|(node, of)| node == hook.node && of == session);
            if !is_it {
                continue;
            }
            match self.waiting_in_chat(execution.id).await {
                Ok(None) | Err(Error::WrongStatus { .. } | Error::NoExecution { .. }) => {}
                found => return found,
            }
        }
        Ok(None)
    }

    async fn conversation_of(&self, execution: &Execution) -> Result<Option<(Str, Str)>, Error> {
        if let Some(known) = lock(&self.sessions.0).get(&execution.id) {
            return Ok(known.clone());
        }
        let started = Story::read(self.store.beginning(execution.id).await?.into_iter().collect()).started;
        let found = started.and_then(|started| {
            let item = started.items.as_ref().and_then(Items::first)?;
            Some((started.node?, session_of(&item.json)?))
        });
        let mut known = lock(&self.sessions.0);
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(execution.id, found.clone());
        Ok(found)
    }
}
