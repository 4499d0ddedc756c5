//! When a call is answered: at the start of its run, by a node, at the end, or in chunks.

use super::EndpointResponse;
use super::outcome_body::{
    approval_pending, chunks_of, encode_chunk, internal_error, outcome_response, received,
    with_content_type, with_route_headers,
};
use crate::Error;
use crate::execute::journal::{Durability, RunJournal};
use crate::execute::run_handle::RunHandle;
use crate::execute::runner::Runner;
use crate::execute::start::AcceptedRun;
use crate::listen::routes::TriggerEndpoint;
use engine::RunOutcome;
use model::RunStatus;
use node_api::trigger::{ResponseBody, ResponseMode};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

/// Whoever is answered when a run begins waits so long for its end, which is then written together
/// with its beginning.
const SHORT_RUN: Duration = Duration::from_millis(20);

pub(crate) async fn wait_for_response(
    runner: &Arc<Runner>,
    hook: &TriggerEndpoint,
    run: AcceptedRun,
) -> Result<EndpointResponse, Error> {
    let route = &hook.route;
    let answer = match route.answer {
        ResponseMode::Received => {
            let AcceptedRun { mut outcome, log, .. } = run;
            // A run that only computes is over at once, and its end is written together with its
            // beginning. Any other writes its steps too, and this caller waits for no more than the
            // beginning.
            let progress = match log.durability() {
                Durability::Ends if hook.workflow.plan.computes() => {
                    outcome.detach();
                    tokio::time::timeout(SHORT_RUN, &mut outcome)
                        .await
                        .map_or(Poll::Pending, Poll::Ready)
                }
                Durability::Ends => outcome.poll_once().await,
                Durability::EachStep => Poll::Pending,
            };
            match progress {
                Poll::Ready(ended) => drop(unless_refused(ended, &log)?),
                Poll::Pending if log.is_over() => drop(outcome_of(outcome, &log).await?),
                Poll::Pending => {
                    outcome.detach();
                    runner.wait_accepted(&log).await?;
                }
            }
            with_route_headers(hook, received(&route.data))
        }
        ResponseMode::Streaming if run.chunks.is_some() => {
            return stream(runner, hook, run.detach()).await;
        }
        ResponseMode::LastNode | ResponseMode::Streaming => {
            let AcceptedRun { mut answer, outcome, log, .. } = run;
            let ended = outcome_of(outcome, &log).await?;
            // In a chat, what was said before the run went to sleep is the answer.
            let waits_in_chat = hook.chat.is_some()
                && ended.as_ref().is_some_and(|outcome| outcome.status == RunStatus::Waiting);
            match (ended, answer.try_recv()) {
                (Some(_), Ok(sent)) if waits_in_chat => sent,
                (Some(outcome), _) => outcome_response(hook, &outcome),
                (None, _) => internal_error(),
            }
        }
        ResponseMode::ResponseNode => {
            let AcceptedRun { mut answer, mut outcome, log, .. } = run;
            let mut sent = None;
            let ended = tokio::select! {
                biased;
                ended = &mut outcome => Some(ended),
                received = &mut answer => {
                    sent = received.ok();
                    None
                }
            };
            let sent = sent.or_else(|| answer.try_recv().ok());
            // What the answer is about is on disk before it leaves. A
            // run that is over sees to it itself.
            if ended.is_none()
                && !log.is_over()
                && let Some(answer) = sent
            {
                outcome.detach();
                runner.flush_journal(&log).await?;
                return Ok(EndpointResponse::Whole(answer));
            }
            let ended = match ended {
                Some(ended) => unless_refused(ended, &log)?,
                None => outcome_of(outcome, &log).await?,
            };
            match (sent, ended) {
                (Some(answer), Some(_)) => answer,
                (None, Some(outcome)) if outcome.asks => approval_pending(hook, &outcome),
                (None, Some(outcome)) if outcome.error.is_none() => {
                    with_route_headers(hook, ResponseBody::Empty)
                }
                _ => internal_error(),
            }
        }
    };
    Ok(EndpointResponse::Whole(answer))
}

/// How a run ended, unless it was rejected; `None` if that is unknown.
async fn outcome_of(outcome: RunHandle, log: &RunJournal) -> Result<Option<RunOutcome>, Error> {
    unless_refused(outcome.await, log)
}

fn unless_refused(
    outcome: Option<RunOutcome>,
    log: &RunJournal,
) -> Result<Option<RunOutcome>, Error> {
    match log.refusal() {
        Some(error) => Err(error.into()),
        None => Ok(outcome),
    }
}

/// Pieces as they come. A node that answers before the first one is heard too, and if there are
/// none at all, the items of the last node are the pieces.
async fn stream(
    runner: &Runner,
    hook: &TriggerEndpoint,
    run: AcceptedRun,
) -> Result<EndpointResponse, Error> {
    runner.wait_accepted(&run.log).await?;
    let AcceptedRun { mut answer, outcome, log, chunks, .. } = run;
    let Some(mut chunks) = chunks else { return Ok(EndpointResponse::Whole(internal_error())) };
    let (status, headers) = (hook.route.status, hook.route.headers.clone());
    let first = tokio::select! {
        biased;
        first = chunks.next() => first,
        Ok(answer) = &mut answer => {
            runner.flush_journal(&log).await?;
            return Ok(EndpointResponse::Whole(answer));
        }
    };
    if let Some(Ok(first)) = first {
        return Ok(EndpointResponse::Stream {
            status,
            headers,
            first: Box::new(first),
            rest: chunks,
        });
    }
    if let Ok(answer) = answer.try_recv() {
        runner.flush_journal(&log).await?;
        return Ok(EndpointResponse::Whole(answer));
    }
    let answer = match outcome.await {
        Some(outcome) if outcome.asks => approval_pending(hook, &outcome),
        Some(outcome) if outcome.error.is_none() => {
            let lines: String = chunks_of(hook, &outcome).iter().map(encode_chunk).collect();
            with_content_type(
                with_route_headers(hook, ResponseBody::Bytes(lines.into())),
                "application/json; charset=utf-8",
            )
        }
        Some(_) | None => internal_error(),
    };
    Ok(EndpointResponse::Whole(answer))
}
