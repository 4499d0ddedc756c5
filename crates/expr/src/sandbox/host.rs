//! What the guest can reach: one host function with numbered calls, a clock and nothing else.

use super::decode::{self, GuestReadError};
use super::guest::{Guest, Raw, RawKind};
use super::state::{GuestState, Parcel};
use super::{SCOPE, calls, code_calls, scope_calls};
use crate::{ExprError, Scope};
use model::{Str, Value};
#[cfg(test)]
use std::cell::RefCell;
#[cfg(test)]
use std::collections::BTreeSet;
use std::sync::Arc;
use wasmtime::{Caller, Engine, Linker};

/// The imports of the image.
pub(super) fn linker(engine: &Engine) -> wasmtime::Result<Linker<GuestState>> {
    let mut linker = Linker::new(engine);
    // JavaScript's `Date` lives in UTC; the zone of the workflow is Luxon's business.
    linker.func_wrap("env", "host_get_timezone_offset", |_: i32, _: i32| 0)?;
    linker.func_wrap("env", "host_interrupt", |mut caller: Caller<'_, GuestState>| {
        caller.data_mut().interrupted().map(|()| 0)
    })?;
    linker.func_wrap("env", "host_promise_rejection", |_: i32, _: i32, _: i32| {})?;
    linker.func_wrap("env", "host_module_normalize", |_: i32, _: i32| 0)?;
    linker.func_wrap("env", "host_module_load", |_: i32, _: i32| 0)?;
    linker.func_wrap(
        "env",
        "host_call",
        |caller: Caller<'_, GuestState>, _: i32, _: i32, _: i32, count: i32, values: i32| {
            answer(caller, count, values)
        },
    )?;
    let wasi = "wasi_snapshot_preview1";
    linker.func_wrap(wasi, "clock_time_get", clock_time_get)?;
    linker.func_wrap(
        wasi,
        "random_get",
        |mut caller: Caller<'_, GuestState>, out: i32, len: i32| -> wasmtime::Result<i32> {
            let bytes = crate::host_functions::random_bytes((len as u32 as usize).min(1 << 16));
            let guest = caller.data().guest()?;
            guest.memory.write(&mut caller, out as u32 as usize, &bytes)?;
            Ok(0)
        },
    )?;
    linker.func_wrap(wasi, "fd_close", |_: i32| 52)?;
    linker.func_wrap(wasi, "fd_fdstat_get", |_: i32, _: i32| 8)?;
    linker.func_wrap(wasi, "fd_seek", |_: i32, _: i64, _: i32, _: i32| 52)?;
    linker.func_wrap(wasi, "fd_write", |_: i32, _: i32, _: i32, _: i32| 8)?;
    Ok(linker)
}

/// The clock is the scope's, so that a replayed run sees the time it saw before.
fn clock_time_get(
    mut caller: Caller<'_, GuestState>,
    _clock: i32,
    _precision: i64,
    out: i32,
) -> wasmtime::Result<i32> {
    let now_ms = if SCOPE.is_set() { SCOPE.with(|scope| scope.now_ms()) } else { 0 };
    let guest = caller.data().guest()?;
    guest.memory.write(
        &mut caller,
        out as u32 as usize,
        &now_ms.saturating_mul(1_000_000).to_le_bytes(),
    )?;
    Ok(0)
}

/// One call of the guest, with its arguments.
pub(super) struct HostCall<'a> {
    pub(super) caller: Caller<'a, GuestState>,
    pub(super) guest: Arc<Guest>,
    arguments: [Raw; 5],
}

/// What the host answers.
pub(super) enum HostReply {
    Undefined,
    Bool(bool),
    Number(f64),
    Text(String),
    Bytes(Vec<u8>),
    Data(Parcel),
}

impl HostReply {
    pub(super) fn value(value: &Value) -> Self {
        match value {
            Value::Undefined => HostReply::Undefined,
            Value::Bool(flag) => HostReply::Bool(*flag),
            Value::Number(number) => HostReply::Number(*number),
            Value::String(text) => HostReply::Text(text.to_string()),
            other => HostReply::Data(super::encode::value_parcel(other)),
        }
    }
}

/// Why a call has no answer.
pub(super) enum HostError {
    /// Thrown into the guest, where the author's code may catch it.
    Throw(ExprError),
    /// The guest ends here.
    Trap(wasmtime::Error),
}

impl From<ExprError> for HostError {
    fn from(error: ExprError) -> Self {
        HostError::Throw(error)
    }
}

impl From<wasmtime::Error> for HostError {
    fn from(error: wasmtime::Error) -> Self {
        HostError::Trap(error)
    }
}

#[cfg(test)]
thread_local! {
    /// The calls that guests on this thread have made, for the test that makes all of them.
    pub(super) static SEEN: RefCell<BTreeSet<u32>> = const { RefCell::new(BTreeSet::new()) };
}

fn answer(mut caller: Caller<'_, GuestState>, count: i32, values: i32) -> wasmtime::Result<i32> {
    caller.data_mut().check_stack()?;
    let guest = caller.data().guest()?;
    let mut arguments = [Raw::UNDEFINED; 5];
    let mut operation = 0;
    for position in 0..count.clamp(0, 6) {
        let place = guest.read_u32(&caller, values + position * 4)? as i32;
        let raw = guest.read_raw(&caller, place)?;
        match (position, raw.kind()) {
            (0, RawKind::Number(number)) => operation = number as u32,
            (0, _) => {}
            (position, _) => arguments[position as usize - 1] = raw,
        }
    }
    #[cfg(test)]
    SEEN.with_borrow_mut(|seen| seen.insert(operation));
    let passing = caller.data().host_memory.transient();
    let mut call = HostCall { caller, guest, arguments };
    let reply = match operation {
        1..=29 => scope_calls::answer(operation, &mut call),
        30..=59 => calls::answer(operation, &mut call),
        _ => code_calls::answer(operation, &mut call),
    };
    let HostCall { guest, .. } = &call;
    let guest = guest.clone();
    caller = call.caller;
    let answered = match reply {
        Ok(reply) => reply_value(&guest, &mut caller, reply).and_then(|value| {
            if value.kind() == RawKind::Exception { Ok(0) } else { guest.boxed(&mut caller, value) }
        }),
        Err(HostError::Trap(trap)) => Err(trap),
        Err(HostError::Throw(error)) => throw(&guest, &mut caller, error.shortened()).map(|()| 0),
    };
    caller.data_mut().host_memory.release_transient(passing);
    answered
}

fn reply_value(
    guest: &Guest,
    caller: &mut Caller<'_, GuestState>,
    reply: HostReply,
) -> wasmtime::Result<Raw> {
    Ok(match reply {
        HostReply::Undefined => Raw::UNDEFINED,
        HostReply::Bool(flag) => Raw::bool(flag),
        HostReply::Number(number) => Raw::number(number),
        HostReply::Text(text) => guest.string(caller, &text)?,
        HostReply::Bytes(bytes) => guest.bytes(caller, &bytes)?,
        HostReply::Data(parcel) => {
            let parsed = guest.parse_json(&mut *caller, &parcel.json)?;
            if !parcel.marked || parsed.kind() == RawKind::Exception {
                return Ok(parsed);
            }
            let revive = caller.data().entries()?.revive;
            let revived = guest.call(&mut *caller, revive, Raw::UNDEFINED, &[parsed])?;
            guest.drop_value(caller, parsed)?;
            revived
        }
    })
}

/// Throws an error that comes back out as itself if nobody catches it.
fn throw(
    guest: &Guest,
    caller: &mut Caller<'_, GuestState>,
    error: ExprError,
) -> wasmtime::Result<()> {
    const CONFIGURABLE_WRITABLE: i32 = 3;
    let exception = Raw(guest.js_new_error.call(&mut *caller, guest.context)?);
    let message = guest.string(&mut *caller, &error.to_string())?;
    let remembered = caller.data_mut().remember(error);
    let number = remembered
        .map_err(|error| caller.data_mut().stop(error))?
        .map_or(Raw::UNDEFINED, |number| Raw::number(number as f64));
    let name = guest.string(&mut *caller, "ExpressionError")?;
    for (key, value) in [("message", message), ("name", name), ("heddleError", number)] {
        let key = guest.write(&mut *caller, key.as_bytes())?;
        guest.js_define.call(
            &mut *caller,
            (guest.context, exception.0, key, value.0, CONFIGURABLE_WRITABLE),
        )?;
        guest.free.call(&mut *caller, key)?;
    }
    guest.js_throw.call(&mut *caller, (guest.context, exception.0))?;
    Ok(())
}

impl HostCall<'_> {
    pub(super) fn raw(&self, position: usize) -> Raw {
        self.arguments.get(position).copied().unwrap_or(Raw::UNDEFINED)
    }

    /// The argument as text, if it is a string.
    pub(super) fn text(&mut self, position: usize) -> Result<Option<String>, HostError> {
        let raw = self.raw(position);
        match raw.kind() {
            RawKind::String => Ok(Some(self.guest.clone().text(&mut self.caller, raw)?)),
            _ => Ok(None),
        }
    }

    pub(super) fn required_text(&mut self, position: usize) -> Result<String, HostError> {
        Ok(self.text(position)?.unwrap_or_default())
    }

    pub(super) fn number(&self, position: usize) -> Option<f64> {
        match self.raw(position).kind() {
            RawKind::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The argument as a count or index.
    pub(super) fn index(&self, position: usize) -> Option<usize> {
        self.number(position)
            .filter(|number| *number >= 0.0 && *number < 9e15)
            .map(|number| number as usize)
    }

    pub(super) fn bytes(&mut self, position: usize) -> Result<Vec<u8>, HostError> {
        let raw = self.raw(position);
        match raw.kind() {
            RawKind::String => Ok(self.required_text(position)?.into_bytes()),
            RawKind::Object => {
                let scratch = self.caller.data().scratch;
                let guest = self.guest.clone();
                let at = guest.js_bytes.call(&mut self.caller, (guest.context, scratch, raw.0))?;
                let len = guest.read_u32(&self.caller, scratch)? as usize;
                if at == 0 && len > 0 {
                    return Err(HostError::Trap(wasmtime::Error::msg("bytes were expected")));
                }
                self.hold(len)?;
                Ok(guest.slice(&self.caller, at, len)?.to_vec())
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Pays for memory of the host until the call is over.
    pub(super) fn hold(&mut self, bytes: usize) -> Result<(), HostError> {
        Ok(self.caller.data_mut().reserve(bytes)?)
    }

    /// The argument as a value of ours, whatever it is. It does not count as output.
    pub(super) fn value(&mut self, position: usize) -> Result<Value, HostError> {
        let left = self.caller.data().output_left;
        let value = self.output(position);
        self.caller.data_mut().output_left = left;
        value
    }

    /// The same for what counts against the output limit for good.
    pub(super) fn output(&mut self, position: usize) -> Result<Value, HostError> {
        let raw = self.raw(position);
        let helpers = self.caller.data().entries()?.helpers();
        match decode::read(&self.guest.clone(), &mut self.caller, helpers, raw) {
            Ok(value) => Ok(value),
            Err(GuestReadError::Trap(trap)) => Err(HostError::Trap(trap)),
            Err(GuestReadError::Refused(
                error @ (ExprError::Output { .. }
                | ExprError::Memory { .. }
                | ExprError::SharedMemory { .. }),
            )) => Err(HostError::Trap(self.caller.data_mut().stop(error))),
            Err(GuestReadError::Refused(error)) => Err(HostError::Throw(error)),
            Err(GuestReadError::Thrown) => Err(HostError::Throw(ExprError::Thrown {
                name: "TypeError".into(),
                message: "the value could not be read".into(),
                stack: None,
            })),
        }
    }

    /// Asks the scope of the current evaluation.
    pub(super) fn scope<T>(&self, ask: impl FnOnce(&dyn Scope) -> T) -> Result<T, HostError> {
        if !SCOPE.is_set() {
            return Err(ExprError::data("There is no run").into());
        }
        Ok(SCOPE.with(|scope| ask(scope)))
    }
}

/// A text argument that may be left out.
pub(super) fn as_name(text: &Option<String>) -> Option<&str> {
    text.as_deref()
}

/// Makes the error of something that is not there.
pub(super) fn unknown_call(operation: u32) -> ExprError {
    ExprError::Sandbox { detail: Str::from(format!("the guest made the unknown call {operation}")) }
}
