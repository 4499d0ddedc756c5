//! `heddle executions trace`: what the agents of an execution did and why.

use super::open;
use crate::cli::TraceArgs;
use crate::commands::block_on;
use crate::terminal::print_line;
use crate::terminal::table::{Cell, Table};
use anyhow::{Context as _, Result};
use formats::sensitive::Redaction;
use model::Value;
use runtime::trace::{TraceEvent, gen_ai};
use std::process::ExitCode;

/// The name of the service in exported spans.
const SERVICE: &str = "heddle";

/// Of a detail, a row shows this much.
const MAX_DETAIL_CHARS: usize = 80;

pub(super) fn run(arguments: &TraceArgs) -> Result<ExitCode> {
    let TraceArgs { data, output, otlp, redact_personal_data, id } = arguments;
    let store = open(data)?;
    let missing = || format!("execution {id} does not exist (EXECUTION_NOT_FOUND)");
    let (events, secret) = block_on(async {
        store.execution(*id).await?.with_context(missing)?;
        anyhow::Ok((store.outline(*id).await?, store.secret("trace_ids").await?))
    })??;
    let redaction = Redaction { personal_data: *redact_personal_data };
    let events: Vec<TraceEvent> =
        TraceEvent::read_all(&events).iter().map(|event| event.redacted(redaction)).collect();
    let run_id = id.to_string();
    if *otlp {
        print_line(&gen_ai::export(&secret, SERVICE, &run_id, &events).to_string());
        return Ok(ExitCode::SUCCESS);
    }
    if output.json {
        let all = events.iter().map(|event| event.to_value(&run_id)).collect();
        print_line(&model::json::to_string(&Value::array(all)));
        return Ok(ExitCode::SUCCESS);
    }
    if events.iter().all(|event| event.sub_node.is_none()) {
        output.note("No agent or other AI node ran in this execution.");
    }
    let mut table =
        Table::new(&[">place", "stage", "kind", "node", "by", ">milliseconds", "detail"]);
    for event in &events {
        table.row([
            Cell::text(event.seq.to_string()),
            Cell::text(event.stage.name()),
            Cell::text(event.kind.name()),
            Cell::text(event.node.clone()),
            Cell::optional(event.sub_node.clone()),
            Cell::optional(event.duration_ms.map(|took| took.to_string())),
            Cell::text(summary(event)),
        ]);
    }
    table.print(*output);
    Ok(ExitCode::SUCCESS)
}

/// The error, or the beginning of what the event says.
fn summary(event: &TraceEvent) -> String {
    let told = match &event.error {
        Some(error) => format!("{}: {}", error.code.name(), error.message),
        None => model::json::to_string(&event.detail.clone().into()),
    };
    match told.char_indices().nth(MAX_DETAIL_CHARS) {
        Some((end, _)) => format!("{}…", &told[..end]),
        None => told,
    }
}
