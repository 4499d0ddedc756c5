//! Forms that were sent, and what a person sees after each: the next page, also one of a run that
//! was called on the way, and behind it those of the runs that called it.

use crate::recovery::Story;
use crate::routes::Hook;
use crate::start::{Demand, Start, Taken};
use crate::waiting::Waiting;
use crate::{Error, Runtime, lock};
use model::{Item, Object, RunStatus, Str, Value};
use node_api::trigger::{
    Answer, AnswerBody, AnswerWhen, FormCompletion, FormPage, FormRoute, Listen,
};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::executions::Execution;
use tokio::sync::oneshot;

/// How long a form that is answered at once waits for a further page, and any form for the run that
/// called its own to go on.
const FURTHER_PAGE: Duration = Duration::from_secs(5);

/// Runs whose next step somebody with a form is waiting to see.
#[derive(Default)]
pub(crate) struct Expected(Mutex<HashMap<i64, oneshot::Sender<Taken>>>);

impl Expected {
    /// Gives a run that was woken to whoever waits to see it go on.
    pub(crate) fn hand_over(&self, id: i64, taken: Option<Taken>) {
        if let (Some(waiting), Some(taken)) = (lock(&self.0).remove(&id), taken) {
            // They may have gone.
            let _ = waiting.send(taken);
        }
    }
}

/// A form as it was sent: texts by field, and files.
pub struct Sent {
    pub fields: Object,
    pub files: Vec<(Str, model::Binary)>,
    /// How much memory the body takes as it was read, about.
    pub length: usize,
}

impl Runtime {
    /// Takes a form that was sent: starts the workflow, or wakes the run that waits for it.
    pub async fn submit(
        self: &Arc<Self>,
        hook: &Hook,
        waiting: Option<&Waiting>,
        sent: Sent,
    ) -> Result<Answer, Error> {
        let mode = if hook.trial.is_some() { "test" } else { "production" };
        let mut item = Item::new(Object::from_iter([
            ("$form", Value::from(sent.fields)),
            ("formMode", mode.into()),
        ]));
        if !sent.files.is_empty() {
            item.binary = Some(Arc::new(sent.files));
        }
        let (taken, callers) = match waiting {
            Some(waiting) => {
                let callers = self.callers_by_form(waiting.id).await?;
                (self.wake_with_item(waiting, item).await?, callers)
            }
            None => {
                self.check_listens(hook)?;
                let demand = Demand { weight: sent.length, ..Demand::default() };
                (self.runner.take_on(Start::of_call(hook, item), demand)?.let_go(), None)
            }
        };
        self.runner.accepted(&taken.log).await?;
        self.page_after(hook, taken, callers).await
    }

    /// What a person sees next: the next page, what a node answers, or the end.
    async fn page_after(
        self: &Arc<Self>,
        hook: &Hook,
        taken: Taken,
        mut callers: Option<Callers>,
    ) -> Result<Answer, Error> {
        // The end is the one that the form promises with which all of it began.
        let page = callers.as_ref().map_or_else(
            || hook.form.clone().unwrap_or_default(),
            |callers| callers.form.page.clone(),
        );
        let mut answer = hook.route.answer;
        let mut going = taken;
        loop {
            let id = going.id;
            let status = match settled(going, answer).await {
                Settled::Answer(answer) => return Ok(answer),
                Settled::Called(called) => match self.page_of_called(called).await? {
                    Some(address) => return Ok(see_other(&address)),
                    None => RunStatus::Running,
                },
                Settled::Ended(RunStatus::Waiting) => {
                    let story = Story::read(self.store.outline(id).await?);
                    return Ok(see_other(&self.address_of(id, story.way_to_wait(0).0)));
                }
                Settled::Ended(status) => status,
                Settled::Asks => return Ok(waiting(&page)),
                Settled::Broken => return Ok(broken(&page)),
            };
            let next = match callers.as_mut().filter(|_| status.is_over()) {
                Some(callers) => callers.next().await.map(|next| (next, callers.form.route.answer)),
                None => None,
            };
            match next {
                Some(next) => (going, answer) = next,
                None if status == RunStatus::Error && answer != AnswerWhen::Received => {
                    return Ok(broken(&page));
                }
                None => return Ok(completion(page)),
            }
        }
    }

    /// The page of a run that was called, or of one that it called, if a page is what it waits
    /// with.
    async fn page_of_called(self: &Arc<Self>, mut called: i64) -> Result<Option<String>, Error> {
        while let Some(execution) = self.store.execution(called).await? {
            match execution.state.waits_for {
                Some(deeper) => called = deeper,
                None if execution.state.status == RunStatus::Waiting => {
                    return Ok(self
                        .waiting_page(called)
                        .await?
                        .map(|waiting| self.address_of(called, waiting.wait)));
                }
                None => break,
            }
        }
        Ok(None)
    }

    fn address_of(&self, id: i64, wait: usize) -> String {
        format!("/form-waiting/{}", self.runner.tickets.of_wait(&id.to_string(), wait))
    }

    /// The form that a run or the first of its callers began with, and the callers that wait for
    /// it: whoever sent that form is shown what follows. `None` if no form was the beginning.
    async fn callers_by_form(self: &Arc<Self>, id: i64) -> Result<Option<Callers>, Error> {
        let Some(mut execution) = self.store.execution(id).await? else { return Ok(None) };
        let mut ids = Vec::new();
        while let Some(caller) = execution.begun.parent {
            let Some(above) = self.store.execution(caller.execution).await? else {
                return Ok(None);
            };
            if above.state.waits_for != Some(execution.id) {
                return Ok(None);
            }
            ids.push(above.id);
            execution = above;
        }
        let Some(form) = self.form_that_began(&execution).await? else { return Ok(None) };
        let mut expected = lock(&self.expected.0);
        let mut above = VecDeque::with_capacity(ids.len());
        for id in ids {
            let (sender, receiver) = oneshot::channel();
            expected.insert(id, sender);
            above.push_back((id, receiver));
        }
        Ok(Some(Callers { runtime: self.clone(), above, form }))
    }

    async fn form_that_began(&self, execution: &Execution) -> Result<Option<FormRoute>, Error> {
        let started =
            Story::read(self.store.beginning(execution.id).await?.into_iter().collect()).started;
        let Some(node) = started.and_then(|started| started.node) else { return Ok(None) };
        let workflow = self.workflow_of(execution).await?;
        let listens = workflow.listens(&self.listen_scope(&workflow.project_id).await?)?;
        Ok(listens.into_iter().find_map(|(name, listen)| match listen {
            Listen::Form(form) if name == node => Some(*form),
            _ => None,
        }))
    }
}

/// The runs above one, the nearest first, each of which goes on when the one below is over.
struct Callers {
    runtime: Arc<Runtime>,
    above: VecDeque<(i64, oneshot::Receiver<Taken>)>,
    /// The form that all of it began with.
    form: FormRoute,
}

impl Callers {
    async fn next(&mut self) -> Option<Taken> {
        let (_, woken) = self.above.pop_front()?;
        tokio::time::timeout(FURTHER_PAGE, woken).await.ok()?.ok()
    }
}

impl Drop for Callers {
    fn drop(&mut self) {
        let mut expected = lock(&self.runtime.expected.0);
        for (id, _) in &self.above {
            expected.remove(id);
        }
    }
}

enum Settled {
    Answer(Answer),
    /// It sleeps until a run that it called is over.
    Called(i64),
    /// It asks a person who is not the one before the form.
    Asks,
    Ended(RunStatus),
    Broken,
}

async fn settled(taken: Taken, when: AnswerWhen) -> Settled {
    let Taken { answer, outcome, .. } = taken;
    let settled = async {
        match answer.await {
            Ok(answer) => Settled::Answer(answer),
            Err(_) => outcome.await.map_or(Settled::Broken, |outcome| {
                match outcome.waits_for.and_then(|id| id.parse().ok()) {
                    Some(called) => Settled::Called(called),
                    None if outcome.asks => Settled::Asks,
                    None => Settled::Ended(outcome.status),
                }
            }),
        }
    };
    match when {
        AnswerWhen::Received => tokio::time::timeout(FURTHER_PAGE, settled)
            .await
            .unwrap_or(Settled::Ended(RunStatus::Running)),
        AnswerWhen::LastNode | AnswerWhen::ResponseNode | AnswerWhen::Streaming => settled.await,
    }
}

fn completion(page: FormPage) -> Answer {
    match &page.completion {
        FormCompletion::Redirect(url) => see_other(url),
        FormCompletion::Message { .. } | FormCompletion::Html(_) => {
            Answer { status: 200, headers: Vec::new(), body: AnswerBody::Page(Box::new(page)) }
        }
    }
}

fn waiting(page: &FormPage) -> Answer {
    let completion = FormCompletion::Message {
        title: "Waiting for approval".into(),
        text: "Your response was taken. A person has to allow the next step before this goes on."
            .into(),
    };
    let page = FormPage { completion, ..page.clone() };
    Answer { status: 200, headers: Vec::new(), body: AnswerBody::Page(Box::new(page)) }
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
    Answer {
        status: 303,
        headers: vec![("location".into(), address.into())],
        body: AnswerBody::Empty,
    }
}
