//! Calls of other workflows: by whoever keeps runs, or in memory where nobody does.

use super::host::NodeHost;
use super::{ActiveRun, Engine, RunStart, journal_failed};
use crate::inline_workflow;
use crate::options::RunOptions;
use crate::ports::{CallReply, CallSite, CallTarget, SubworkflowCall};
use model::{Code, Items, Object, RunEvent, RunRange, RunStatus, Str, Workflow};
use node_api::host::{Host as _, WorkflowCall, WorkflowOrigin, WorkflowTarget};
use node_api::{NodeError, StartCause};
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Why a node cannot go on in this run of the engine: the run it called has not ended, or a person
/// has not decided.
#[derive(Clone, Debug)]
pub(super) enum Suspended {
    Asleep {
        run_id: Str,
    },
    Uncertain {
        run_id: Str,
    },
    /// A person is asked before something is done.
    Asking,
}

impl Engine {
    /// Makes a call. `caller` says how a run in memory is to go; one that is kept goes as its
    /// keeper says.
    pub(super) fn call<'a>(
        &'a self,
        call: SubworkflowCall,
        caller: &'a RunOptions,
    ) -> Pin<Box<dyn Future<Output = Result<CallReply, NodeError>> + Send + 'a>> {
        Box::pin(async move {
            match &self.ports.calls {
                Some(calls) => calls.call(call).await,
                None => self.call_in_memory(call, caller).await,
            }
        })
    }

    async fn call_in_memory(
        &self,
        call: SubworkflowCall,
        caller: &RunOptions,
    ) -> Result<CallReply, NodeError> {
        let (plan, stands_for) = match call.target {
            CallTarget::Stored(id) => {
                let found = self
                    .ports
                    .workflows
                    .get(&call.caller, &id)
                    .await
                    .ok_or_else(|| CallTarget::missing(&id))?;
                (self.plan(&found).stored(), id)
            }
            CallTarget::Text(workflow) => (self.plan(&workflow), call.caller),
        };
        let plan = Arc::new(plan);
        let start = RunStart { cause: call.cause, node: None, items: Some(call.items) };
        let options = RunOptions {
            run_id: call.place.to_string().into(),
            acting_workflow: stands_for,
            mode: call.cause.mode().into(),
            extent: RunRange::default(),
            pinned_outputs: HashMap::new(),
            recorded: VecDeque::new(),
            notes: Object::new(),
            supplied_output: None,
            account: None,
            spends_for: Some(call.spending),
            start_recorded: false,
            static_data: None,
            responder: None,
            use_pin_data: false,
            depth: call.depth,
            called_by_model: call.called_by_model,
            ..caller.clone()
        };
        let (engine, cancel) = (self.clone(), call.cancel);
        if !call.waits {
            tokio::spawn(async move { engine.run(plan, start, options, cancel).await });
            return Ok(CallReply::Started);
        }
        // A task of its own, so that calls within calls do not pile up on one stack; it ends when
        // nobody waits for it any more.
        let mut run = JoinSet::new();
        run.spawn(async move { engine.run(plan, start, options, cancel).await });
        match run.join_next().await {
            Some(Ok(outcome)) => Ok(CallReply::of(outcome)),
            _ => Err(NodeError::failed("The called run was interrupted")),
        }
    }
}

impl NodeHost {
    pub(super) async fn call_workflow(&self, call: WorkflowCall) -> Result<Vec<Items>, NodeError> {
        let run = &self.run;
        let depth = run.options.depth + 1;
        if depth > run.options.limits.max_depth {
            let limit = run.options.limits.max_depth;
            return Err(NodeError::new(
                Code::RUN_DEPTH,
                format!("Workflows call each other more than {limit} levels deep"),
            )
            .hint("Check for a workflow that calls itself."));
        }
        let made = SubworkflowCall {
            place: CallSite {
                run_id: run.options.run_id.clone(),
                step: self.step,
                number: self.number_of_next_call(),
            },
            caller: run.options.acting_workflow.clone(),
            target: self.target_of(&call.target).await?,
            items: call.items.unwatched(),
            cause: StartCause::Workflow,
            waits: call.wait,
            depth,
            called_by_model: self.model_exposure(),
            spending: run.spending.clone(),
            // Whoever is not waited for does not end with its caller.
            cancel: if call.wait { run.cancel.child_token() } else { CancellationToken::new() },
        };
        // Another call of the step may go to sleep meanwhile: the step is not let go of, which
        // would end this one.
        let busy = self.parking.busy();
        let replied = run.engine.call(made, &run.options).await?;
        drop(busy);
        let outcome = match replied {
            CallReply::Started => return Ok(Vec::new()),
            CallReply::Suspended { run_id } => {
                match self.parking.suspend(Suspended::Asleep { run_id }).await {}
            }
            CallReply::Finished(outcome) => outcome,
        };
        let run_id = outcome.run_id.clone();
        match (outcome.status, &outcome.error) {
            (RunStatus::Uncertain, _) => {
                match self.parking.suspend(Suspended::Uncertain { run_id }).await {}
            }
            (RunStatus::Cancelled, _) if run.cancel.is_cancelled() => Err(NodeError::cancelled()),
            (RunStatus::Cancelled, _) => Err(NodeError::new(
                Code::SUBWORKFLOW_STOPPED,
                format!("Execution {run_id}, which the node called, was stopped"),
            )
            .with("workflow", outcome.workflow_name.clone())
            .with("executionId", run_id)),
            (_, Some(error)) => Err(NodeError::new(error.code, error.message.clone())
                .with("workflow", outcome.workflow_name.clone())
                .with("failedNode", error.node.clone())),
            (_, None) => Ok(vec![outcome.last_items().cloned().unwrap_or_default()]),
        }
    }

    async fn target_of(&self, target: &WorkflowTarget) -> Result<CallTarget, NodeError> {
        let (workflow, source) = match target {
            WorkflowTarget::Id(id) => return Ok(CallTarget::Stored(id.clone())),
            WorkflowTarget::Text(document, source) => {
                let workflow = Workflow::from_value(document).ok_or_else(|| {
                    NodeError::new(
                        Code::WORKFLOW_JSON,
                        format!(
                            "A workflow must be a JSON object, but this is {}",
                            document.kind_name()
                        ),
                    )
                })?;
                (workflow, *source)
            }
            WorkflowTarget::File(path) => {
                let bytes = self.files().read(path).await?;
                let workflow =
                    Workflow::parse(&String::from_utf8_lossy(&bytes)).map_err(|error| {
                        NodeError::new(Code::WORKFLOW_JSON, format!("{path}: {error}"))
                    })?;
                (workflow, WorkflowOrigin::Fetched)
            }
        };
        Ok(CallTarget::Text(Box::new(inline_workflow::restrict_credentials(
            workflow,
            source,
            &self.run.plan,
        ))))
    }
}

impl ActiveRun {
    /// Ends this run of the engine at a node that is not done. People who are asked something have
    /// time until `until_ms`.
    pub(super) async fn suspend(&mut self, node: usize, parked: Suspended, until_ms: Option<i64>) {
        match parked {
            Suspended::Asleep { run_id } => self.pause(node, Some(run_id), until_ms).await,
            Suspended::Asking => self.pause(node, None, until_ms).await,
            Suspended::Uncertain { run_id } => {
                let message = format!(
                    "Execution {run_id}, which the node called, is uncertain: one of its steps \
                         may have taken effect"
                );
                let hint = format!(
                    "Check execution {run_id} and resume or stop it. Then resume this one."
                );
                self.fail(
                    Some(node),
                    NodeError::new(Code::RUN_UNCERTAIN, message)
                        .hint(hint)
                        .with("executionId", run_id),
                );
                self.outcome.status = RunStatus::Uncertain;
            }
        }
    }

    async fn pause(&mut self, node: usize, waits_for: Option<Str>, until_ms: Option<i64>) {
        self.outcome.status = RunStatus::Waiting;
        self.outcome.wait_till_ms = until_ms;
        self.outcome.asks = until_ms.is_some();
        self.outcome.waits_for = waits_for.clone();
        let name = self.plan.nodes[node].info.name.clone();
        let paused = RunEvent::RunPaused {
            node: name,
            until_ms,
            params: None,
            waits_for,
            asks: until_ms.is_some(),
        };
        if let Err(error) = self.record(paused).await {
            self.fail(Some(node), journal_failed(error));
        }
    }
}
