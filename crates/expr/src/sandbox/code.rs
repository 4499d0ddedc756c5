//! Code nodes: a program over the items of a run, with promises, timers and requests.

use super::clock::GuestClock;
use super::guest::{Raw, RawKind};
use super::loops::count_loops;
use super::session::{GuestFailure, InstanceMode, LiveInstance, SandboxSession};
use super::source::READING_BYTES;
use super::{SCOPE, SINK, encode, messages};
use crate::{ExprError, Scope};
use compute::SectionPermit;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use model::{Object, Str, Value};
use std::time::{Duration, Instant};

/// A program to run.
#[derive(Clone, Debug)]
pub struct SandboxJob {
    pub source: Str,
    pub flavour: Flavour,
    pub static_data: CodeStaticData,
    /// In the flavours for each item: the item to begin with.
    pub first: usize,
    /// Names the program sees beyond the usual ones, such as a tool's `query`.
    pub names: Object,
}

/// What a program is run as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Code node, once for all items; the Function node too.
    AllItems,
    /// Code node, once for each item.
    EachItem,
    /// Function Item node: `item` is the JSON, and so is what comes back.
    FunctionItem,
    /// Code that a model wrote: `fetch`, `workspace`, `getSecret`, `uuid`, `sleep`, no items.
    Tool,
}

/// `$getWorkflowStaticData('global')` and `('node')`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CodeStaticData {
    pub global: Option<Value>,
    pub node: Option<Value>,
}

/// What a program gave back, in the order it came.
#[derive(Clone, Debug, PartialEq)]
pub enum SandboxOutput {
    /// The program returned something that is not a list.
    Whole(Value),
    /// It returned a list of this length, whose elements follow.
    List {
        len: usize,
    },
    Element {
        index: usize,
        value: Value,
    },
    /// What it returned for one item.
    ForItem {
        index: usize,
        value: Value,
    },
}

/// What else came of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CodeOutcome {
    pub logs: Vec<LogLine>,
    /// Lines beyond the limit.
    pub dropped_logs: usize,
    /// The static data that the program asked for, as it left it.
    pub static_data: CodeStaticData,
    /// `$execution.customData`.
    pub custom_data: Vec<(Str, Str)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LogLine {
    /// `log`, `info`, `warn`, `error` or `debug`.
    pub level: Str,
    pub text: Str,
}

/// Why a program did not end well.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{error}")]
pub struct CodeFailure {
    /// The message of a thrown error carries the line, as n8n shows it: `x is not defined [line
    /// 2]`.
    pub error: ExprError,
    /// Line of the author's source, counted from 1.
    pub line: Option<usize>,
    /// The item that was being worked on.
    pub item_index: Option<usize>,
    pub logs: Vec<LogLine>,
}

/// What a program reaches outside of its heap. Implemented by the engine; called once per request
/// the program makes.
///
/// Names and arguments: `fetch { url, method, headers, body?, bodyBase64?, timeoutMs, maxBytes,
/// redirects }` answers `{ status, statusText, url, headers, body | bodyBase64 }`; `httpRequest`,
/// `request` (n8n's options) answer what n8n's helper returns; `httpRequestWithAuthentication {
/// type, options }`; for tools `getSecret { name }`, `workspace.read { path }`, `workspace.write {
/// path, content }`, `workspace.list { path }`. An unknown name is an error.
pub trait CodeHost: Send + Sync {
    fn request<'a>(
        &'a self,
        name: &'a str,
        argument: Value,
    ) -> BoxFuture<'a, Result<Value, ExprError>>;
}

/// What the calls of a program left behind for the loop that drives it.
#[derive(Default)]
pub(super) struct CodeState {
    /// The item of this turn, where there is one.
    pub(super) index: Option<usize>,
    pub(super) for_each: bool,
    pub(super) holds_output: bool,
    pub(super) requests: Vec<GuestRequest>,
    pub(super) timers: Vec<(f64, u64)>,
    pub(super) open: usize,
    pub(super) fetches: u32,
    pub(super) given: CodeStaticData,
    pub(super) outcome: CodeOutcome,
    pub(super) finished: bool,
    /// What the two kinds of static data take as the program left them.
    pub(super) static_bytes: [usize; 2],
    /// The description of the exception that ended the program.
    pub(super) failure: Option<Value>,
}

pub(super) struct GuestRequest {
    pub(super) id: f64,
    pub(super) name: String,
    pub(super) argument: Value,
    /// What it takes in memory until it is answered.
    pub(super) bytes: usize,
}

/// An answer for the program.
struct GuestResponse {
    id: f64,
    /// What the request took.
    bytes: usize,
    result: Result<Value, ExprError>,
}

impl SandboxSession {
    /// Runs a program to its end in an instance of its own. What it returns goes to `sink` piece by
    /// piece.
    pub async fn run_code(
        &mut self,
        job: &SandboxJob,
        scope: &(dyn Scope + Sync),
        host: &dyn CodeHost,
        sink: &mut (dyn FnMut(SandboxOutput) + Send),
    ) -> Result<CodeOutcome, CodeFailure> {
        self.reset();
        // Boxed, so that the futures of callers do not have the whole of it in them.
        let driving: BoxFuture<'_, _> = Box::pin(self.drive(job, scope, host, sink));
        let result = driving.await;
        let (outcome, index) = match self.live(InstanceMode::Code) {
            Ok(live) => {
                let code = &mut live.store.data_mut().code;
                (std::mem::take(&mut code.outcome), code.index)
            }
            Err(_) => (CodeOutcome::default(), None),
        };
        self.reset();
        let error = match result {
            Ok(()) => return Ok(outcome),
            Err(failure) => failure.into_error(),
        };
        let place = messages::place(&error);
        let item_index =
            index.filter(|_| matches!(job.flavour, Flavour::EachItem | Flavour::FunctionItem));
        let error = messages::complete(error, &job.source, place, item_index);
        Err(CodeFailure {
            error,
            line: place.map(|place| place.line),
            item_index,
            logs: outcome.logs,
        })
    }

    async fn drive(
        &mut self,
        job: &SandboxJob,
        scope: &(dyn Scope + Sync),
        host: &dyn CodeHost,
        sink: &mut (dyn FnMut(SandboxOutput) + Send),
    ) -> Result<(), GuestFailure> {
        let limits = *self.limits();
        let live = self.live(InstanceMode::Code).map_err(GuestFailure::Broken)?;
        let mut left = Duration::from_millis(limits.time_ms);
        live.stretch(SectionPermit::wait().await, scope, sink, &mut left, |live| {
            live.start_code(job, scope)
        })?;
        let mut open: FuturesUnordered<BoxFuture<'_, GuestResponse>> = FuturesUnordered::new();
        loop {
            let code = &mut live.store.data_mut().code;
            if let Some(parts) = code.failure.take() {
                return Err(live.error_from(&parts));
            }
            if code.finished {
                return Ok(());
            }
            for (id, delay_ms) in std::mem::take(&mut code.timers) {
                open.push(Box::pin(async move {
                    tokio::time::sleep(Duration::from_millis(delay_ms)).await;
                    GuestResponse { id, bytes: 0, result: Ok(Value::Undefined) }
                }));
            }
            for request in std::mem::take(&mut code.requests) {
                let timeout = Duration::from_millis(limits.fetch_timeout_ms);
                open.push(Box::pin(async move {
                    let result = match tokio::time::timeout(
                        timeout,
                        host.request(&request.name, request.argument),
                    )
                    .await
                    {
                        Ok(result) => result,
                        Err(_) => {
                            Err(thrown("TimeoutError", "The operation was aborted due to timeout"))
                        }
                    };
                    GuestResponse { id: request.id, bytes: request.bytes, result }
                }));
            }
            if open.is_empty() {
                return Err(GuestFailure::Thrown(thrown(
                    "Error",
                    "The code awaits a promise that never settles",
                )));
            }
            let asked = Instant::now();
            let Ok(Some(answer)) = tokio::time::timeout(left, open.next()).await else {
                return Err(GuestFailure::Broken(ExprError::Time { limit_ms: limits.time_ms }));
            };
            left = left.saturating_sub(asked.elapsed());
            if let Ok(value) = &answer.result
                && body_len(value) > limits.fetch_body_bytes
            {
                return Err(GuestFailure::Broken(ExprError::FetchBody {
                    limit_bytes: limits.fetch_body_bytes,
                }));
            }
            if let Err(error @ (ExprError::FetchBody { .. } | ExprError::Fetches { .. })) =
                answer.result
            {
                return Err(GuestFailure::Broken(error));
            }
            live.stretch(SectionPermit::wait().await, scope, sink, &mut left, |live| {
                live.settle(answer)
            })?;
        }
    }
}

/// Where turns of loops count, there is no program but the one whose loops were made to count:
/// texts do not become code.
const NO_OTHER_PROGRAMS: &str = "(() => {
  const fixed = (target, name, value) => Object.defineProperty(target, name, { value, writable: false, enumerable: false, configurable: false });
  const refuse = function Function() { throw new EvalError('Code cannot be made of text here'); };
  refuse.prototype = Function.prototype;
  for (const made of [() => {}, function* () {}, async () => {}, async function* () {}]) fixed(Object.getPrototypeOf(made), 'constructor', refuse);
  fixed(globalThis, 'Function', refuse);
  fixed(globalThis, 'eval', refuse);
  fixed(globalThis, '$evaluateExpression', refuse);
})()";

impl LiveInstance {
    /// Runs a stretch of the program, until it ends or waits, off the threads that serve others.
    /// What it took is taken from what is left of its time.
    fn stretch<T>(
        &mut self,
        room: SectionPermit,
        scope: &(dyn Scope + Sync),
        sink: &mut (dyn FnMut(SandboxOutput) + Send),
        left: &mut Duration,
        work: impl FnOnce(&mut Self) -> Result<T, GuestFailure>,
    ) -> Result<T, GuestFailure> {
        let limit_ms = self.store.data().limits.time_ms;
        room.interruptible(|| {
            let began = compute::cpu_used();
            let _running = self.start_clock(GuestClock::with_left(*left, limit_ms))?;
            let done = SCOPE.set(scope, || SINK.set(sink, || work(self)));
            *left = left.saturating_sub(compute::cpu_used().saturating_sub(began));
            done
        })
    }

    fn start_code(&mut self, job: &SandboxJob, scope: &dyn Scope) -> Result<(), GuestFailure> {
        let limits = self.store.data().limits;
        let state = self.store.data_mut();
        state.copies = true;
        let before = state.host_memory.transient();
        // Its tokens, and those of the copy whose loops count.
        let paid = state.reserve(job.source.len().saturating_mul(2 * READING_BYTES));
        paid.map_err(|trap| self.trapped(trap))?;
        let state = self.store.data_mut();
        state.code.given = job.static_data.clone();
        state.code.for_each = matches!(job.flavour, Flavour::EachItem | Flavour::FunctionItem);
        state.code.holds_output = job.flavour == Flavour::Tool;
        self.set_zone(scope.timezone())?;
        for name in super::source::tokens(&job.source)
            .iter()
            .map(|token| token.text(&job.source))
            .filter(|text| text.starts_with('$'))
        {
            self.call_with_text(self.entries.declare_variable, name)?;
        }
        let counted = limits
            .loop_iterations
            .map(|_| count_loops(&job.source))
            .transpose()
            .map_err(GuestFailure::Thrown)?;
        self.store.data_mut().host_memory.release_transient(before);
        if counted.is_some() {
            self.eval("limits", NO_OTHER_PROGRAMS)?;
        }
        let body = counted.as_deref().unwrap_or(&job.source);
        let program = self.eval("code", &format!("(async function () {{\n{body}\n}})"))?;
        let names = self.import(&Value::object(job.names.clone()))?;
        let flavour = match job.flavour {
            Flavour::AllItems => "all",
            Flavour::EachItem => "each",
            Flavour::FunctionItem => "functionItem",
            Flavour::Tool => "tool",
        };
        let guest = self.guest.clone();
        let flavour = guest.string(&mut self.store, flavour).map_err(|trap| self.trapped(trap))?;
        let started = guest.call(
            &mut self.store,
            self.entries.start_code,
            Raw::UNDEFINED,
            &[program, flavour, names, Raw::number(job.first as f64)],
        );
        self.checked(started)?;
        self.run_jobs()
    }

    fn settle(&mut self, answer: GuestResponse) -> Result<(), GuestFailure> {
        let state = self.store.data_mut();
        state.code.open = state.code.open.saturating_sub(1);
        state.host_memory.free(answer.bytes);
        let (value, failed) = match answer.result {
            Ok(value) => (value, false),
            Err(error) => {
                let error = error.shortened();
                let mut fields = Object::new();
                fields.insert("message", error.to_string());
                if let ExprError::Thrown { name, .. } = &error {
                    fields.insert("name", name.clone());
                }
                fields.insert("number", state.remember(error).map_err(GuestFailure::Broken)?);
                (Value::object(fields), true)
            }
        };
        let value = self.import(&value)?;
        let guest = self.guest.clone();
        let arguments = [Raw::number(answer.id), value, Raw::bool(failed)];
        let settled = guest.call(&mut self.store, self.entries.settle, Raw::UNDEFINED, &arguments);
        self.checked(settled)?;
        guest.drop_value(&mut self.store, value).map_err(|trap| self.trapped(trap))?;
        self.run_jobs()
    }

    /// Runs what promises have queued up.
    fn run_jobs(&mut self) -> Result<(), GuestFailure> {
        let guest = self.guest.clone();
        loop {
            match guest.is_job_pending.call(&mut self.store, ()) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(trap) => return Err(self.trapped(trap)),
            }
            match guest.run_job.call(&mut self.store, ()) {
                Ok(code) if code < 0 => return Err(self.exception()),
                Ok(_) => {}
                Err(trap) => return Err(self.trapped(trap)),
            }
        }
    }

    /// A value of ours as a JavaScript value, which the caller owns.
    fn import(&mut self, value: &Value) -> Result<Raw, GuestFailure> {
        let parcel = encode::value_parcel(value);
        let guest = self.guest.clone();
        let parsed = guest.parse_json(&mut self.store, &parcel.json);
        let parsed = self.checked(parsed)?;
        if !parcel.marked {
            return Ok(parsed);
        }
        let revived = guest.call(&mut self.store, self.entries.revive, Raw::UNDEFINED, &[parsed]);
        self.checked(revived)
    }

    fn checked(&mut self, result: wasmtime::Result<Raw>) -> Result<Raw, GuestFailure> {
        match result {
            Err(trap) => Err(self.trapped(trap)),
            Ok(value) if value.kind() == RawKind::Exception => Err(self.exception()),
            Ok(value) => Ok(value),
        }
    }
}

fn thrown(name: &str, message: &str) -> ExprError {
    ExprError::Thrown { name: name.into(), message: message.into(), stack: None }
}

/// How large the answer to a request is.
fn body_len(value: &Value) -> usize {
    match (value.get("bodyBase64").and_then(Value::as_str), value.get("body")) {
        (Some(encoded), _) => {
            encoded.len() / 4 * 3
                - encoded.bytes().rev().take_while(|byte| *byte == b'=').count().min(2)
        }
        (None, Some(Value::String(body))) => body.len(),
        (None, Some(body)) => body.estimated_bytes(),
        (None, None) => match value {
            Value::String(text) => text.len(),
            other => other.estimated_bytes(),
        },
    }
}
