//! Calls that wake a waiting run, and forms, whose pages follow each other.

use crate::hooks::{self, Call, Reply};
use crate::recovery::Story;
use crate::routes::Hook;
use crate::runner::{Demand, Start, Taken};
use crate::{Error, Runtime, auth};
use model::{Item, Items, Object, RunStatus, Str, Value};
use node_api::trigger::{Answer, AnswerBody, AnswerWhen, FormCompletion, FormPage, Listen};
use std::sync::Arc;
use std::time::Duration;

/// How long a form that is answered at once waits for a further page.
const FURTHER_PAGE: Duration = Duration::from_secs(5);

/// A run that waits for a call, and the address it waits at.
pub struct Waiting {
    pub id: i64,
    pub hook: Hook,
    params: Value,
}

/// A form as it was sent: texts by field, and files.
pub struct Sent {
    pub fields: Object,
    pub files: Vec<(Str, model::Binary)>,
    /// How long the body was.
    pub length: usize,
}

impl Runtime {
    /// The run that waits behind a ticket. `None`: the ticket is none of ours, or the run waits for something else.
    pub async fn waiting(self: &Arc<Self>, ticket: &str, suffix: &str) -> Result<Option<Waiting>, Error> {
        let Some(id) = self.runner.tickets.read(ticket) else { return Ok(None) };
        let execution = self.store.execution(id).await?.ok_or(Error::NoExecution { id })?;
        if execution.state.status != RunStatus::Waiting {
            return Err(Error::WrongStatus { id, status: execution.state.status.name() });
        }
        let story = Story::read(self.store.outline(id).await?);
        let Some((node, params)) = story.asleep else { return Ok(None) };
        let workflow = self.workflow_of(&execution).await?;
        let zone = self.zone_of(&workflow).to_owned();
        let listens = workflow.with_trigger(&node, &params, self.now_ms(), &zone, |node_type, setup| node_type.listens(setup))?;
        let found = listens.unwrap_or_default().into_iter().find_map(|listen| match listen {
            Listen::Webhook(route) => Some((route, None)),
            Listen::Form(form) => Some((form.route, Some(form.page))),
            Listen::Chat(_) | Listen::Clock(_) | Listen::Poll(_) => None,
        });
        let Some((route, form)) = found.filter(|(route, _)| route.path.trim_matches('/') == suffix.trim_matches('/')) else {
            return Ok(None);
        };
        Ok(Some(Waiting { id, hook: Hook { workflow, node, route, form, chat: None, trial: None }, params }))
    }

    /// Wakes a run with a call, and answers the call.
    pub async fn wake_with(self: &Arc<Self>, waiting: &Waiting, call: Call) -> Result<Reply, Error> {
        if let Some(refusal) = auth::refusal(&self.runner, &waiting.hook, &call) {
            return Ok(Reply::Whole(refusal));
        }
        let taken = self.wake_with_item(waiting, call.into_item()).await?;
        hooks::wait_for_answer(&self.runner, &waiting.hook, taken).await
    }

    /// The answer to a call that an address does not take.
    pub fn refusal(&self, hook: &Hook, call: &Call) -> Option<Answer> {
        auth::refusal(&self.runner, hook, call)
    }

    async fn wake_with_item(self: &Arc<Self>, waiting: &Waiting, sent: Item) -> Result<Taken, Error> {
        let Waiting { id, hook, params } = waiting;
        let zone = self.zone_of(&hook.workflow).to_owned();
        let ask = |node_type: &node_api::NodeType, setup: &node_api::trigger::Setup<'_>| node_type.woken_by(setup, sent.clone());
        let item = hook.workflow.with_trigger(&hook.node, params, self.now_ms(), &zone, ask)?;
        let taken = self.wake(*id, Some(Items::one(item.unwrap_or(sent)))).await?;
        taken.ok_or(Error::WrongStatus { id: *id, status: RunStatus::Uncertain.name() })
    }

    /// Takes a form that was sent: starts the workflow, or wakes the run that waits for it.
    pub async fn submit(self: &Arc<Self>, hook: &Hook, waiting: Option<&Waiting>, sent: Sent) -> Result<Answer, Error> {
        let mode = if hook.trial.is_some() { "test" } else { "production" };
        let mut item = Item::new(Object::from_iter([("$form", Value::from(sent.fields)), ("formMode", mode.into())]));
        if !sent.files.is_empty() {
            item.binary = Some(Arc::new(sent.files));
        }
        let taken = match waiting {
            Some(waiting) => self.wake_with_item(waiting, item).await?,
            None => self.runner.take_on(Start::of_call(hook, item), Demand { weight: sent.length, ..Demand::default() })?.let_go(),
        };
        self.runner.accepted(&taken.log).await?;
        Ok(self.page_after(hook, taken).await)
    }

    /// What a person sees after sending a form: the next page, what a node answers, or the end.
    async fn page_after(self: &Arc<Self>, hook: &Hook, taken: Taken) -> Answer {
        let page = hook.form.clone().unwrap_or_default();
        let Taken { id, answer, outcome, .. } = taken;
        let settled = async {
            match answer.await {
                Ok(answer) => Settled::Answer(answer),
                Err(_) => outcome.await.map_or(Settled::Broken, |outcome| match outcome.waits_for {
                    // No page of its own follows.
                    Some(_) => Settled::Ended(RunStatus::Running),
                    None => Settled::Ended(outcome.status),
                }),
            }
        };
        let settled = match hook.route.answer {
            AnswerWhen::Received => tokio::time::timeout(FURTHER_PAGE, settled).await.unwrap_or(Settled::Ended(RunStatus::Running)),
            _ => settled.await,
        };
        match settled {
            Settled::Answer(answer) => answer,
            Settled::Ended(RunStatus::Waiting) => see_other(&format!("/form-waiting/{}", self.runner.tickets.of(id))),
            Settled::Ended(RunStatus::Error) if hook.route.answer != AnswerWhen::Received => broken(&page),
            Settled::Ended(_) => completion(page),
            Settled::Broken => broken(&page),
        }
    }
}

enum Settled {
    Answer(Answer),
    Ended(RunStatus),
    Broken,
}

fn completion(page: FormPage) -> Answer {
    match &page.completion {
        FormCompletion::Redirect(url) => see_other(url),
        _ => Answer { status: 200, headers: Vec::new(), body: AnswerBody::Page(Box::new(page)) },
    }
}

fn broken(page: &FormPage) -> Answer {
    let completion = FormCompletion::Message {
        title: "Problem submitting response".into(),
        text: "Something went wrong on our side. Please try again later.".into(),
    };
    let page = FormPage { completion, ..page.clone() };
    Answer { status: 200, headers: Vec::new(), body: AnswerBody::Page(Box::new(page)) }
}

fn see_other(address: &str) -> Answer {
    Answer { status: 303, headers: vec![("location".into(), address.into())], body: AnswerBody::Empty }
}
