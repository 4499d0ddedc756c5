//! A large execution with its data, written as it is read: what leaves is never in memory as a
//! whole.

use super::executions::document_of;
use crate::App;
use crate::access::Principal;
use crate::error::ApiError;
use crate::paced::{PacedReceiver, PacedSender};
use crate::wire::{self, Json};
use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use engine::write_run_data;
use futures::stream;
use model::{Code, Items, Str, TaskData, Value};
use runtime::history;
use std::io::{self, Write};
use std::sync::Arc;
use store::executions::Execution;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

/// Executions of more bytes are written as they are read.
pub(super) const STREAMED_BYTES: i64 = 4 << 20;

/// How much leaves at once, and how many of these a slow reader may be behind.
const CHUNK_BYTES: usize = 64 << 10;
const MAX_CHUNKS: usize = 4;

/// Reading a list takes about this much memory, however large it is.
const LIST_MEMORY: usize = 32 << 20;

type Runs = Vec<(Str, Vec<Arc<TaskData>>)>;

/// The text of an answer with a mark in place of what the nodes did, and that.
struct FramedResponse {
    frame: String,
    mark: Str,
    runs: Runs,
}

pub(super) async fn stream_response(
    app: &App,
    who: &Principal,
    execution: Execution,
) -> Result<Response, ApiError> {
    let weight = app.store.outline_bytes(execution.id).await?.saturating_add(LIST_MEMORY);
    let (framed, room) = app
        .read_budget()
        .read(&who.user_id, weight, frame_response(app.clone(), execution))
        .await?;
    let FramedResponse { frame, mark, runs } = framed?;
    let (sender, receiver) = mpsc::channel(MAX_CHUNKS);
    let runtime = Handle::current();
    let sending = tokio::task::spawn_blocking(move || {
        let mut out = ChunkWriter {
            sender: PacedSender::new(sender),
            runtime,
            buffer: Vec::with_capacity(CHUNK_BYTES),
        };
        let written = write(&mut out, &frame, &mark, &runs).and_then(|()| out.flush());
        drop((runs, room));
        written
    });
    let pieces = PacedReceiver::new(receiver, sending);
    let body = stream::try_unfold(pieces, |mut pieces| async move {
        Ok::<_, io::Error>(pieces.next().await?.map(|piece| (piece, pieces)))
    });
    let mut response = Response::new(Body::from_stream(body));
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    Ok(response)
}

async fn frame_response(app: App, execution: Execution) -> Result<FramedResponse, ApiError> {
    let mut outcome = history::outcome(&execution, app.store.outline(execution.id).await?);
    let runs = std::mem::take(&mut outcome.run_data);
    let mark = store::new_id();
    let mut data = outcome.to_value().get("data").cloned().unwrap_or_default();
    data.make_object().entry("resultData").make_object().insert("runData", mark.clone());
    let mut row = wire::Execution::from(&execution);
    row.data = Some(Json(data));
    row.workflow_data = Some(Json(document_of(&app, &execution).await?.unwrap_or(Value::Null)));
    let frame = serde_json::to_string(&row).map_err(|error| {
        ApiError::new(Code::STORE_CORRUPT, format!("The execution cannot be written: {error}"))
    })?;
    Ok(FramedResponse { frame, mark, runs })
}

fn write(out: &mut dyn Write, frame: &str, mark: &str, runs: &Runs) -> io::Result<()> {
    let (before, after) = frame
        .split_once(&format!("\"{mark}\""))
        .ok_or_else(|| io::Error::other("the frame has no mark"))?;
    out.write_all(before.as_bytes())?;
    write_run_data(out, runs, |run| {
        let mut lists =
            run.data.values().flatten().flatten().chain(run.input_override.iter().flatten());
        match lists.any(|items: &Items| items.failure().is_some()) {
            true => Err(io::Error::other("a part of the journal is damaged")),
            false => Ok(()),
        }
    })?;
    out.write_all(after.as_bytes())
}

/// Gathers what is written and sends it on.
struct ChunkWriter {
    sender: PacedSender<Bytes>,
    runtime: Handle,
    buffer: Vec<u8>,
}

impl Write for ChunkWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= CHUNK_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let gathered = std::mem::replace(&mut self.buffer, Vec::with_capacity(CHUNK_BYTES));
        if gathered.is_empty() {
            return Ok(());
        }
        let bytes = gathered.len();
        self.runtime.block_on(self.sender.send(gathered.into(), bytes))
    }
}
