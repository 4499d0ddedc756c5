//! Calls that wake a waiting run.

use crate::execute::start::AcceptedRun;
use crate::listen::auth;
use crate::listen::endpoint::{self, EndpointRequest, EndpointResponse};
use crate::listen::mcp::ToolListCache;
use crate::listen::routes::TriggerEndpoint;
use crate::loaded_workflow::LoadedWorkflow;
use crate::resume::journal_state::JournalState;
use crate::resume::tokens::WaitScope;
use crate::{Error, Runtime};
use model::{Item, RunStatus, Str, Value};
use node_api::NodeType;
use node_api::trigger::{ReplyMode, TriggerListener, TriggerSetup, WebhookResponse};
use std::sync::Arc;

/// A run that waits for a call, and the address it waits at.
pub struct WaitingRun {
    pub id: i64,
    pub hook: TriggerEndpoint,
    params: Value,
    /// Which of its waits it is, counted from zero.
    pub(crate) wait: usize,
}

/// A run that sleeps at a node.
pub(crate) struct SuspendedRun {
    workflow: Arc<LoadedWorkflow>,
    node: Str,
    params: Value,
    listens: Vec<TriggerListener>,
    pub(crate) wait: usize,
    /// Since when it was on its way to this wait.
    since_ms: i64,
}

impl Runtime {
    /// The run that a token resumes. `None`: the token is not valid, or the run waits for something
    /// else. A token is good for the wait that it was made for; those that were made
    /// before they named one, for where their run was then.
    pub async fn waiting(
        self: &Arc<Self>,
        token: &str,
        suffix: &str,
    ) -> Result<Option<WaitingRun>, Error> {
        let Some((id, scope)) = self.runner.resume_tokens.verify_wait(token) else {
            return Ok(None);
        };
        let Some(asleep) = self.asleep(id).await? else { return Ok(None) };
        let is_current = match scope {
            WaitScope::One(wait) => wait == asleep.wait,
            WaitScope::Any => asleep.since_ms < self.links_named_waits_ms,
        };
        if is_current { Ok(called(id, asleep, suffix)) } else { Err(Error::StaleLink { id }) }
    }

    /// The page that a run waits with, if it is one.
    pub(crate) async fn waiting_page(
        self: &Arc<Self>,
        id: i64,
    ) -> Result<Option<WaitingRun>, Error> {
        let found = self.asleep(id).await?.and_then(|asleep| called(id, asleep, ""));
        Ok(found.filter(|waiting| waiting.hook.form.is_some()))
    }

    /// The run of this number, if it waits for a message of a chat.
    pub(crate) async fn waiting_in_chat(
        self: &Arc<Self>,
        id: i64,
    ) -> Result<Option<WaitingRun>, Error> {
        let Some(SuspendedRun { workflow, node, params, listens, wait, .. }) =
            self.asleep(id).await?
        else {
            return Ok(None);
        };
        let chat = listens.into_iter().find_map(|listen| {
            if let TriggerListener::Chat(chat) = listen { Some(*chat) } else { None }
        });
        let hook = chat.map(|chat| TriggerEndpoint {
            workflow,
            node,
            route: chat.route.clone(),
            form: None,
            chat: Some(chat),
            test_run: None,
            tools: ToolListCache::default(),
        });
        Ok(hook.map(|hook| WaitingRun { id, hook, params, wait }))
    }

    /// Where a run sleeps, and what it listens to there. `None` if no call from outside wakes it.
    pub(crate) async fn asleep(self: &Arc<Self>, id: i64) -> Result<Option<SuspendedRun>, Error> {
        let execution = self.store.execution(id).await?.ok_or(Error::NoExecution { id })?;
        if execution.state.status != RunStatus::Waiting {
            return Err(Error::WrongStatus { id, status: execution.state.status.name() });
        }
        let journal = JournalState::read(self.store.outline(id).await?);
        let (wait, since_ms) = journal.current_wait(execution.started.started_ms);
        let Some((node, params)) = journal.asleep else { return Ok(None) };
        let workflow = self.workflow_of(&execution).await?;
        let zone = self.zone_of(&workflow).to_owned();
        let guarded = workflow.plan.node(&node).map_or(Ok(()), |found| found.check_guards(&params));
        guarded.map_err(|error| Error::Trigger { node: node.clone(), error })?;
        let listens =
            workflow.with_trigger(&node, &params, self.now_ms(), &zone, |node_type, setup| {
                node_type.listeners(setup)
            })?;
        Ok(Some(SuspendedRun {
            workflow,
            node,
            params,
            listens: listens.unwrap_or_default(),
            wait,
            since_ms,
        }))
    }

    /// Wakes a run with a call, and answers the call.
    pub async fn wake_with(
        self: &Arc<Self>,
        waiting: &WaitingRun,
        call: EndpointRequest,
    ) -> Result<EndpointResponse, Error> {
        if let Some(refusal) = auth::refusal(&self.runner, &waiting.hook, &call) {
            return Ok(EndpointResponse::Whole(refusal));
        }
        let run = self.wake_with_item(waiting, call.into_item()).await?;
        endpoint::wait_for_response(&self.runner, &waiting.hook, run).await
    }

    /// The answer to a call that an address does not take.
    pub fn refusal(
        &self,
        hook: &TriggerEndpoint,
        call: &EndpointRequest,
    ) -> Option<WebhookResponse> {
        auth::refusal(&self.runner, hook, call)
    }

    pub(crate) async fn wake_with_item(
        self: &Arc<Self>,
        waiting: &WaitingRun,
        sent: Item,
    ) -> Result<AcceptedRun, Error> {
        let item = self.woken_by(waiting, sent)?;
        self.wake_for(waiting, item, ReplyMode::Buffered).await
    }

    /// What the run goes on with, or what is wrong with what was sent.
    pub(crate) fn woken_by(&self, waiting: &WaitingRun, sent: Item) -> Result<Item, Error> {
        let WaitingRun { hook, params, .. } = waiting;
        let zone = self.zone_of(&hook.workflow).to_owned();
        let ask = |node_type: &NodeType, setup: &TriggerSetup<'_>| {
            node_type.resume_item(setup, sent.clone())
        };
        Ok(hook
            .workflow
            .with_trigger(&hook.node, params, self.now_ms(), &zone, ask)?
            .unwrap_or(sent))
    }
}

/// How a sleeping run takes calls at an address, if it does.
fn called(id: i64, asleep: SuspendedRun, suffix: &str) -> Option<WaitingRun> {
    let SuspendedRun { workflow, node, params, listens, wait, .. } = asleep;
    let (route, form) = listens.into_iter().find_map(|listen| match listen {
        TriggerListener::Webhook(route) => Some((route, None)),
        TriggerListener::Form(form) => Some((form.route, Some(form.page))),
        TriggerListener::Chat(_)
        | TriggerListener::Mcp(_)
        | TriggerListener::Clock(_)
        | TriggerListener::Poll(_) => None,
    })?;
    let is_there = route.path.trim_matches('/') == suffix.trim_matches('/');
    is_there.then(|| WaitingRun {
        id,
        hook: TriggerEndpoint {
            workflow,
            node,
            route,
            form,
            chat: None,
            test_run: None,
            tools: ToolListCache::default(),
        },
        params,
        wait,
    })
}
