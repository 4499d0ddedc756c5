//! Asks the service whether a request that a crash cut off has taken effect, before it is made
//! again.
//!
//! All items are asked about before anything is sent: if one answer is unclear, nothing has been
//! done that a person would have to know of.

use super::super::auth::AuthSession;
use super::super::draft::RequestDraft;
use super::super::secrets::Secrets;
use super::v3::{apply_options, credentials, options, set_headers};
use super::{MAX_CONCURRENT, check_url};
use futures::StreamExt as _;
use node_api::prelude::*;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The option with the address that is asked.
pub(super) const CHECK_URL: &str = "options.recoveryCheck.check.url";
const CHECK_DELAY: &str = "options.recoveryCheck.check.delay";

/// How long after a crash the service is asked: what was under way may still be arriving there.
pub(super) const CHECK_DELAY_SECONDS: f64 = 5.0;
const MAX_CHECK_DELAY_SECONDS: f64 = 3600.0;

/// How often a service is asked that does not say.
const CHECK_TRIES: usize = 3;
const CHECK_PAUSE_MS: u64 = 2000;

/// The status of an answer by which a service says that nothing has happened.
const NOT_FOUND: u16 = 404;

const UNCLEAR_HINT: &str =
    "Check the service. Then resume the execution: repeat the step, or enter its result.";

/// The answers for the items whose request has taken effect.
#[derive(Default)]
pub(super) struct KnownAnswers(Mutex<HashMap<usize, (HttpResponse, RequestDraft)>>);

impl KnownAnswers {
    /// What is known of the requests of a step that was cut off; nothing of any other.
    pub(super) async fn find(
        ctx: &Ctx<'_>,
        session: &AuthSession,
        n_items: usize,
    ) -> Result<Self, NodeError> {
        let is_asked = ctx
            .raw_param(CHECK_URL)
            .as_ref()
            .and_then(Value::as_str)
            .is_some_and(|url| !url.trim().is_empty());
        if !is_asked || !ctx.host().was_interrupted() {
            return Ok(Self::default());
        }
        ctx.host().sleep(delay_ms(ctx)).await?;
        let mut asked = futures::stream::iter(0..n_items)
            .map(|index| ask(ctx, session, index))
            .buffered(MAX_CONCURRENT);
        let (mut known, mut index) = (HashMap::new(), 0);
        while let Some(answer) = asked.next().await {
            if let Some(answer) = answer? {
                known.insert(index, answer);
            }
            index += 1;
        }
        if !known.is_empty() {
            let (n_known, n_items) = (known.len(), n_items);
            ctx.host().warn(format!("The step was interrupted by a crash. The check request found that {n_known} of {n_items} requests had taken effect; they were not repeated.").into());
        }
        Ok(Self(Mutex::new(known)))
    }

    pub(super) fn take(&self, index: usize) -> Option<(HttpResponse, RequestDraft)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&index)
    }
}

/// The answer for an item whose request has taken effect; `None` if it has not.
async fn ask(
    ctx: &Ctx<'_>,
    session: &AuthSession,
    index: usize,
) -> Result<Option<(HttpResponse, RequestDraft)>, NodeError> {
    let answer = match ask_until_clear(ctx, session, index).await {
        Ok(CheckAnswer::Unclear(reason)) => Err(reason),
        Err(error) if error.code() == Code::RUN_CANCELLED => return Err(error),
        Err(error) => Err(error.message().clone()),
        Ok(answer) => Ok(answer),
    };
    match answer {
        Ok(CheckAnswer::Happened(answer)) => {
            let (response, _) = &*answer;
            record(ctx, index, json!({ "status": (f64::from(response.status)), "happened": true }))
                .await?;
            Ok(Some(*answer))
        }
        Ok(CheckAnswer::NotHappened | CheckAnswer::Unclear(_)) => {
            record(ctx, index, json!({ "status": (f64::from(NOT_FOUND)), "happened": false }))
                .await?;
            Ok(None)
        }
        Err(reason) => {
            record(ctx, index, json!({ "unclear": (reason.clone()) })).await?;
            let message = format!(
                "The step was interrupted, and its check request did not tell whether it took effect: {reason}"
            );
            Err(NodeError::new(Code::RUN_UNCERTAIN, message).hint(UNCLEAR_HINT).on_item(index))
        }
    }
}

enum CheckAnswer {
    Happened(Box<(HttpResponse, RequestDraft)>),
    NotHappened,
    Unclear(Str),
}

async fn ask_until_clear(
    ctx: &Ctx<'_>,
    session: &AuthSession,
    index: usize,
) -> Result<CheckAnswer, NodeError> {
    let credentials = credentials(ctx, index)?;
    let draft = draft(ctx, index)?;
    let mut reason = Str::new();
    for attempt in 0..CHECK_TRIES {
        if attempt > 0 {
            ctx.host().sleep(CHECK_PAUSE_MS).await?;
        }
        reason = match credentials.send(ctx, session, draft.clone()).await {
            Ok(response) if response.is_success() => {
                return Ok(CheckAnswer::Happened(Box::new((response, draft))));
            }
            Ok(response) if response.status == NOT_FOUND => return Ok(CheckAnswer::NotHappened),
            Ok(response) => format!("it answered with status {}", response.status).into(),
            Err(failure) => {
                let secrets: Secrets = credentials.secrets(session).await;
                failure.into_error(&secrets).message().clone()
            }
        };
    }
    Ok(CheckAnswer::Unclear(reason))
}

/// The request that asks: with the headers, options and credential of the node, and without a key.
fn draft(ctx: &Ctx<'_>, index: usize) -> Result<RequestDraft, NodeError> {
    let url = check_url(&ctx.param(CHECK_URL, index)?, index)?;
    let mut draft = RequestDraft::new("GET", &url).chosen_in(ctx, CHECK_URL, index);
    set_headers(ctx, &mut draft, index)?;
    draft.set_header_if_missing("accept", "application/json,text/*;q=0.9,*/*;q=0.8");
    apply_options(&mut draft, &options(ctx, index)?, ctx.version());
    draft.proxy_chosen_in(ctx, "options.proxy", index);
    Ok(draft.pin_to_host(ctx))
}

/// For whoever looks at the journal: the answer itself is asked for again after another crash.
async fn record(ctx: &Ctx<'_>, index: usize, answer: Value) -> Result<(), NodeError> {
    ctx.host().record_step(&format!("item {index}: check"), answer).await
}

fn delay_ms(ctx: &Ctx<'_>) -> u64 {
    let seconds = ctx.number(CHECK_DELAY, 0).unwrap_or(CHECK_DELAY_SECONDS);
    (seconds.clamp(0.0, MAX_CHECK_DELAY_SECONDS) * 1000.0) as u64
}
