//! Calls of endpoints, and the executions that come of them.

use crate::harness::{BASE_URL, Process, eventually};
use engine::Addresses as _;
use heddle_runtime::endpoint::{EndpointRequest, EndpointResponse};
use heddle_runtime::{EndpointKind, Error, RouteMatch, TriggerEndpoint, WaitingRun};
use model::{Object, RunEvent, RunStatus, Value, json};
use node_api::trigger::{ResponseBody, WebhookResponse};
use std::sync::Arc;
use store::ExecutionStore as _;
use store::executions::{Execution, ExecutionFilter};

pub(crate) fn request() -> EndpointRequest {
    EndpointRequest {
        method: "POST".into(),
        url: format!("{BASE_URL}/webhook/x").into(),
        headers: Object::new(),
        params: Object::new(),
        query: Object::new(),
        body: json!({}),
        files: Vec::new(),
        remote: None,
        user: None,
        request_id: "".into(),
        is_test: false,
        length: 2,
    }
}

/// The response, which must be whole.
pub(crate) fn whole(response: EndpointResponse) -> WebhookResponse {
    match response {
        EndpointResponse::Whole(response) => response,
        EndpointResponse::Stream { .. } => panic!("the response is a stream"),
    }
}

pub(crate) fn json_body(response: &WebhookResponse) -> Value {
    match &response.body {
        ResponseBody::Json(body) => body.clone(),
        other => panic!("{other:?}"),
    }
}

/// The part of a link that names the wait.
fn token_of(link: &str) -> &str {
    link.rsplit('/').next().unwrap()
}

impl Process {
    /// The endpoint at a path.
    pub(crate) fn endpoint(&self, path: &str) -> Arc<TriggerEndpoint> {
        match self.runtime.find(EndpointKind::Webhook, "POST", path) {
            RouteMatch::Hook(endpoint, _) => endpoint,
            RouteMatch::OtherMethods(methods) => panic!("/{path} has other methods: {methods:?}"),
            RouteMatch::Nothing => panic!("nothing listens at /{path}"),
        }
    }

    pub(crate) fn listens(&self, method: &str, path: &str) -> bool {
        matches!(self.runtime.find(EndpointKind::Webhook, method, path), RouteMatch::Hook(..))
    }

    pub(crate) fn call(&self, path: &str) -> Result<WebhookResponse, Error> {
        self.call_with(path, request())
    }

    pub(crate) fn call_with(
        &self,
        path: &str,
        request: EndpointRequest,
    ) -> Result<WebhookResponse, Error> {
        let endpoint = self.endpoint(path);
        self.run(self.runtime.answer(&endpoint, request)).map(whole)
    }

    /// The executions of a workflow, the oldest first.
    pub(crate) fn executions(&self, workflow: &str) -> Vec<Execution> {
        self.run(executions_of(&self.store, workflow))
    }

    pub(crate) fn execution(&self, id: i64) -> Option<Execution> {
        self.run(self.store.execution(id)).unwrap()
    }

    /// Waits until an execution has a status and no run of it is under way.
    pub(crate) fn wait_for(&self, id: i64, status: RunStatus) -> Execution {
        self.run(eventually(&format!("execution {id} is not {}", status.name()), async || {
            let found = self.store.execution(id).await.unwrap();
            found
                .filter(|found| found.state.status == status && !self.runtime.runner.is_running(id))
        }))
    }

    /// Waits until the only execution of a workflow has a status.
    pub(crate) fn wait_for_only(&self, workflow: &str, status: RunStatus) -> Execution {
        let id = self.run(eventually(&format!("{workflow} has no execution"), async || {
            executions_of(&self.store, workflow).await.first().map(|execution| execution.id)
        }));
        let execution = self.wait_for(id, status);
        assert_eq!(self.executions(workflow).len(), 1);
        execution
    }

    pub(crate) fn journal(&self, id: i64) -> Vec<RunEvent> {
        self.run(self.store.journal(id)).unwrap()
    }

    /// The output of a node, as the journal has it.
    pub(crate) fn output(&self, id: i64, node: &str) -> Vec<Value> {
        let finished = self.journal(id).into_iter().rev().find_map(|event| match event {
            RunEvent::NodeFinished { node: name, task, .. } if name == node => Some(task),
            _ => None,
        });
        let task = finished.unwrap_or_else(|| panic!("'{node}' has not finished"));
        let items = task.output(0).unwrap_or_else(|| panic!("'{node}' has no output"));
        items.iter().map(|item| item.json).collect()
    }

    /// The token of the link that wakes a run from one of its waits.
    pub(crate) fn token(&self, id: i64, wait: usize) -> String {
        let link = self.runtime.runner.resume_tokens.webhook(&id.to_string(), wait);
        token_of(&link).to_owned()
    }

    pub(crate) fn find_waiting(&self, token: &str) -> Result<Option<WaitingRun>, Error> {
        self.run(self.runtime.waiting(token, ""))
    }

    /// Calls the link of a wait.
    pub(crate) fn wake(&self, token: &str) -> Result<WebhookResponse, Error> {
        let waiting = self.find_waiting(token)?.expect("the token is not valid");
        self.run(self.runtime.wake_with(&waiting, request())).map(whole)
    }
}

async fn executions_of(store: &store::Sqlite, workflow: &str) -> Vec<Execution> {
    let filter = ExecutionFilter {
        workflow_id: Some(workflow.into()),
        limit: 1_000,
        ..ExecutionFilter::default()
    };
    let mut found = store.executions(filter).await.unwrap();
    found.sort_by_key(|execution| execution.id);
    found
}
