//! `heddle executions approve | reject`: a person decides about a call that an agent asks for.

use super::actions::{self, ExecutionAction};
use super::open;
use crate::cli::DataFolder;
use crate::commands::local_server::owner_of;
use crate::commands::{block_on, with_code};
use crate::terminal::{Colour, eprint_line, paint, printable};
use anyhow::{Context as _, Result, bail};
use model::RunEvent;
use node_api::checkpoints::ApprovalVerdict;
use runtime::{ApprovalCall, ApprovalDecision, approval_calls};
use std::process::ExitCode;
use store::Store;

pub(super) fn decide(
    data: &DataFolder,
    id: i64,
    call: Option<&str>,
    verdict: ApprovalVerdict,
    reason: Option<String>,
) -> Result<ExitCode> {
    let store = open(data)?;
    let (meant, by) = block_on(async {
        store
            .execution(id)
            .await
            .map_err(with_code)?
            .with_context(|| format!("execution {id} does not exist (EXECUTION_NOT_FOUND)"))?;
        let asked = approval_calls(&events_of(&*store, id).await?);
        Ok::<_, anyhow::Error>((find_call(id, asked, call)?, owner_of(&*store).await?))
    })??;
    drop(store);
    // What is decided about is what was read here: should it have changed by then, the digest says
    // so.
    eprint_line(&format!("{}: {}", verdict.name(), format_call(&meant)));
    let reason = reason
        .map(|reason| reason.trim().to_owned())
        .filter(|reason| !reason.is_empty())
        .map(Into::into);
    let ruling = ApprovalDecision { verdict, digest: meant.asked.digest, reason, by };
    actions::run(data, id, &ExecutionAction::Decide { call: meant.call, ruling })
}

/// Tells which calls of an execution wait for a person.
pub(super) async fn print_pending(store: &dyn Store, id: i64) -> Result<()> {
    let open: Vec<ApprovalCall> = approval_calls(&events_of(store, id).await?)
        .into_iter()
        .filter(ApprovalCall::is_open)
        .collect();
    let is_over = store
        .execution(id)
        .await
        .map_err(with_code)?
        .is_none_or(|execution| execution.state.status.is_over());
    for asked in open.iter().filter(|_| !is_over) {
        let until = jiff::Timestamp::from_millisecond(asked.asked.until_ms)
            .map_or_else(|_| String::new(), |time| format!("{time:.0}"));
        eprint_line(&format!(
            "{} {} (until {until})",
            paint("asks:", Colour::Yellow),
            format_call(asked)
        ));
    }
    if !open.is_empty() && !is_over {
        eprint_line(&format!(
            "decide with `heddle executions approve {id}` or `heddle executions reject {id}`; \
                 add --call CALL if several calls are waiting"
        ));
    }
    Ok(())
}

async fn events_of(store: &dyn Store, id: i64) -> Result<Vec<RunEvent>> {
    store.outline(id).await.map_err(with_code)
}

/// The call with everything that it would be given.
fn format_call(asked: &ApprovalCall) -> String {
    format!(
        "{} {} [{}]",
        asked.asked.tool,
        printable(&model::json::to_string(&asked.asked.arguments)),
        asked.call
    )
}

/// The call that somebody means: the one they name, or the only one. One that is not open any more
/// is left to whoever says why.
fn find_call(id: i64, asked: Vec<ApprovalCall>, call: Option<&str>) -> Result<ApprovalCall> {
    let is_named = |asked: &ApprovalCall| {
        call.is_none_or(|name| {
            asked.call == name
                || asked.call.strip_suffix(name).is_some_and(|start| start.ends_with(": "))
        })
    };
    let (open, over): (Vec<ApprovalCall>, Vec<ApprovalCall>) =
        asked.into_iter().partition(ApprovalCall::is_open);
    let names: Vec<&str> = open.iter().map(|asked| asked.call.as_str()).collect();
    let names = names.join(", ");
    let mut found: Vec<ApprovalCall> = open.into_iter().filter(is_named).collect();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 if call.is_some() && !names.is_empty() => {
            bail!(
                "no call with this name is waiting for approval; waiting calls: {names} \
                 (APPROVAL_CALL)"
            )
        }
        0 => over
            .into_iter()
            .rfind(is_named)
            .with_context(|| format!("execution {id} is not waiting for approval (APPROVAL_NONE)")),
        _ => bail!(
            "several calls are waiting for approval; choose one with --call: {names} \
             (APPROVAL_CALL)"
        ),
    }
}
