//! Forms that were sent, and what a person sees after each: the next page, also one of a run that
//! was called on the way, and behind it those of the runs that called it.

use crate::execute::start::{AcceptedRun, Admission, RunRequest};
use crate::listen::routes::TriggerEndpoint;
use crate::resume::journal_state::JournalState;
use crate::resume::waiting_run::WaitingRun;
use crate::{Error, Runtime, lock};
use model::{Item, Object, RunStatus, Str, Value};
use node_api::trigger::{
    FormCompletion, FormPage, FormRoute, ResponseBody, ResponseMode, TriggerListener,
    WebhookResponse,
};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::executions::Execution;
use tokio::sync::oneshot;

/// How long a form that is answered at once waits for a further page, and any form for the run that
/// called its own to go on.
const NEXT_PAGE_TIMEOUT: Duration = Duration::from_secs(5);

/// Runs whose next step somebody with a form is waiting to see.
#[derive(Default)]
pub(crate) struct PendingPages(Mutex<HashMap<i64, oneshot::Sender<AcceptedRun>>>);

impl PendingPages {
    /// Hands a run that was woken to the form that waits for its next page.
    pub(crate) fn deliver(&self, id: i64, run: Option<AcceptedRun>) {
        if let (Some(waiting), Some(run)) = (lock(&self.0).remove(&id), run) {
            // They may have gone.
            let _ = waiting.send(run);
        }
    }
}

/// A form as it was sent: texts by field, and files.
pub struct FormSubmission {
    pub fields: Object,
    pub files: Vec<(Str, model::Binary)>,
    /// How much memory the body takes as it was read, about.
    pub length: usize,
}

impl Runtime {
    /// Takes a form that was sent: starts the workflow, or wakes the run that waits for it.
    pub async fn submit(
        self: &Arc<Self>,
        hook: &TriggerEndpoint,
        waiting: Option<&WaitingRun>,
        sent: FormSubmission,
    ) -> Result<WebhookResponse, Error> {
        let mode = if hook.test_run.is_some() { "test" } else { "production" };
        let mut item = Item::new(Object::from_iter([
            ("$form", Value::from(sent.fields)),
            ("formMode", mode.into()),
        ]));
        if !sent.files.is_empty() {
            item.binary = Some(Arc::new(sent.files));
        }
        let (run, callers) = match waiting {
            Some(waiting) => {
                let callers = self.callers_by_form(waiting.id).await?;
                (self.wake_with_item(waiting, item).await?, callers)
            }
            None => {
                self.check_listens(hook)?;
                let admission = Admission { bytes: sent.length, ..Admission::default() };
                (self.runner.accept(RunRequest::from_call(hook, item), admission)?.detach(), None)
            }
        };
        self.runner.wait_accepted(&run.log).await?;
        self.page_after(hook, run, callers).await
    }

    /// What a person sees next: the next page, what a node answers, or the end.
    async fn page_after(
        self: &Arc<Self>,
        hook: &TriggerEndpoint,
        mut run: AcceptedRun,
        mut callers: Option<CallerChain>,
    ) -> Result<WebhookResponse, Error> {
        // The end is the one that the form promises with which all of it began.
        let page = callers.as_ref().map_or_else(
            || hook.form.clone().unwrap_or_default(),
            |callers| callers.form.page.clone(),
        );
        let mut answer = hook.route.answer;
        loop {
            let id = run.id;
            let status = match await_page(run, answer).await {
                PageOutcome::Answer(answer) => return Ok(answer),
                PageOutcome::Called(called) => match self.page_of_called(called).await? {
                    Some(address) => return Ok(see_other(&address)),
                    None => RunStatus::Running,
                },
                PageOutcome::Ended(RunStatus::Waiting) => {
                    let journal = JournalState::read(self.store.outline(id).await?);
                    return Ok(see_other(&self.address_of(id, journal.current_wait(0).0)));
                }
                PageOutcome::Ended(status) => status,
                PageOutcome::Asks => return Ok(waiting_page_response(&page)),
                PageOutcome::Broken => return Ok(error_page(&page)),
            };
            let next = match callers.as_mut().filter(|_| status.is_over()) {
                Some(callers) => callers.next().await.map(|next| (next, callers.form.route.answer)),
                None => None,
            };
            match next {
                Some(next) => (run, answer) = next,
                None if status == RunStatus::Error && answer != ResponseMode::Received => {
                    return Ok(error_page(&page));
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
        format!("/form-waiting/{}", self.runner.resume_tokens.sign_wait(&id.to_string(), wait))
    }

    /// The form that a run or the first of its callers began with, and the callers that wait for
    /// it: whoever sent that form is shown what follows. `None` if no form was the beginning.
    async fn callers_by_form(self: &Arc<Self>, id: i64) -> Result<Option<CallerChain>, Error> {
        let Some(mut execution) = self.store.execution(id).await? else { return Ok(None) };
        let mut ids = Vec::new();
        while let Some(caller) = execution.started.parent {
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
        let mut expected = lock(&self.pending_pages.0);
        let mut above = VecDeque::with_capacity(ids.len());
        for id in ids {
            let (sender, receiver) = oneshot::channel();
            expected.insert(id, sender);
            above.push_back((id, receiver));
        }
        Ok(Some(CallerChain { runtime: self.clone(), above, form }))
    }

    async fn form_that_began(&self, execution: &Execution) -> Result<Option<FormRoute>, Error> {
        let started =
            JournalState::read(self.store.first_event(execution.id).await?.into_iter().collect())
                .started;
        let Some(node) = started.and_then(|started| started.node) else { return Ok(None) };
        let workflow = self.workflow_of(execution).await?;
        let listens = workflow.listens(&self.listen_scope(&workflow.project_id).await?)?;
        Ok(listens.into_iter().find_map(|(name, listen)| match listen {
            TriggerListener::Form(form) if name == node => Some(*form),
            _ => None,
        }))
    }
}

/// The runs above one, the nearest first, each of which goes on when the one below is over.
struct CallerChain {
    runtime: Arc<Runtime>,
    above: VecDeque<(i64, oneshot::Receiver<AcceptedRun>)>,
    /// The form that all of it began with.
    form: FormRoute,
}

impl CallerChain {
    async fn next(&mut self) -> Option<AcceptedRun> {
        let (_, woken) = self.above.pop_front()?;
        tokio::time::timeout(NEXT_PAGE_TIMEOUT, woken).await.ok()?.ok()
    }
}

impl Drop for CallerChain {
    fn drop(&mut self) {
        let mut expected = lock(&self.runtime.pending_pages.0);
        for (id, _) in &self.above {
            expected.remove(id);
        }
    }
}

enum PageOutcome {
    Answer(WebhookResponse),
    /// It sleeps until a run that it called is over.
    Called(i64),
    /// It asks a person who is not the one before the form.
    Asks,
    Ended(RunStatus),
    Broken,
}

async fn await_page(run: AcceptedRun, when: ResponseMode) -> PageOutcome {
    let AcceptedRun { answer, outcome, .. } = run;
    let settled = async {
        match answer.await {
            Ok(answer) => PageOutcome::Answer(answer),
            Err(_) => outcome.await.map_or(PageOutcome::Broken, |outcome| {
                match outcome.waits_for.and_then(|id| id.parse().ok()) {
                    Some(called) => PageOutcome::Called(called),
                    None if outcome.asks => PageOutcome::Asks,
                    None => PageOutcome::Ended(outcome.status),
                }
            }),
        }
    };
    match when {
        ResponseMode::Received => tokio::time::timeout(NEXT_PAGE_TIMEOUT, settled)
            .await
            .unwrap_or(PageOutcome::Ended(RunStatus::Running)),
        ResponseMode::LastNode | ResponseMode::ResponseNode | ResponseMode::Streaming => {
            settled.await
        }
    }
}

fn completion(page: FormPage) -> WebhookResponse {
    match &page.completion {
        FormCompletion::Redirect(url) => see_other(url),
        FormCompletion::Message { .. } | FormCompletion::Html(_) => WebhookResponse {
            status: 200,
            headers: Vec::new(),
            body: ResponseBody::Page(Box::new(page)),
        },
    }
}

fn waiting_page_response(page: &FormPage) -> WebhookResponse {
    let completion = FormCompletion::Message {
        title: "Waiting for approval".into(),
        text:
            "Your response was received. A person must approve the next step before this continues."
                .into(),
    };
    let page = FormPage { completion, ..page.clone() };
    WebhookResponse { status: 200, headers: Vec::new(), body: ResponseBody::Page(Box::new(page)) }
}

fn error_page(page: &FormPage) -> WebhookResponse {
    let completion = FormCompletion::Message {
        title: "Problem submitting response".into(),
        text: "Something went wrong on our side. Please try again later.".into(),
    };
    let page = FormPage { completion, ..page.clone() };
    WebhookResponse { status: 200, headers: Vec::new(), body: ResponseBody::Page(Box::new(page)) }
}

fn see_other(address: &str) -> WebhookResponse {
    WebhookResponse {
        status: 303,
        headers: vec![("location".into(), address.into())],
        body: ResponseBody::Empty,
    }
}
