//! Calls of the guest that only code makes: output, logs, timers, requests.

use super::SINK;
use super::code::{GuestRequest, LogLine, SandboxOutput};
use super::host::{HostCall, HostError, HostReply, unknown_call};
use super::memory::text_bytes;
use crate::ExprError;
use crate::error::shorten;
use model::{Str, Value};

pub(super) fn answer(operation: u32, call: &mut HostCall<'_>) -> Result<HostReply, HostError> {
    match operation {
        60 => {
            let index = call.index(0);
            // What a tool returns is held as a whole; items go on one by one.
            let before = call.caller.data().host_memory.transient();
            let paid = call.caller.data_mut().spend(1, size_of::<Value>());
            paid.map_err(|error| HostError::Trap(call.caller.data_mut().stop(error)))?;
            let value = call.output(1)?;
            if call.caller.data().code.holds_output {
                call.caller.data_mut().host_memory.retain_since(before);
            }
            give(match index {
                None => SandboxOutput::Whole(value),
                Some(index) if call.caller.data().code.for_each => {
                    SandboxOutput::ForItem { index, value }
                }
                Some(index) => SandboxOutput::Element { index, value },
            });
        }
        61 => log(call)?,
        62 => give(SandboxOutput::List { len: call.index(0).unwrap_or_default() }),
        63 => call.caller.data_mut().code.finished = true,
        64 => {
            let (parts, _) = retained(call, |call| call.value(0))?;
            call.caller.data_mut().code.failure = Some(parts);
        }
        65 => call.caller.data_mut().code.index = call.index(0),
        66 => request(call)?,
        67 => {
            opened(call)?;
            let (id, delay) =
                (call.number(0).unwrap_or_default(), call.number(1).unwrap_or_default());
            call.caller.data_mut().code.timers.push((id, delay.clamp(0.0, 1e12) as u64));
        }
        68 => {
            let (index, property) = (call.index(0).unwrap_or(usize::MAX), call.required_text(1)?);
            let item = call.scope(|scope| scope.input().get(index))?;
            let Some(file) = item.and_then(|item| item.binary(&property).cloned()) else {
                return Ok(HostReply::Undefined);
            };
            call.hold(file.data.len())?;
            return Ok(HostReply::Bytes(file.data.to_vec()));
        }
        69 => {
            let name = call.required_text(0)?;
            let given = &call.caller.data().code.given;
            let value = if name == "global" { &given.global } else { &given.node };
            return Ok(HostReply::value(&value.clone().unwrap_or_else(Value::empty_object)));
        }
        70 => {
            let name = call.required_text(0)?;
            let (value, bytes) = retained(call, |call| call.value(1))?;
            let state = call.caller.data_mut();
            let (data, [global, node]) =
                (&mut state.code.outcome.static_data, &mut state.code.static_bytes);
            let (place, before) =
                if name == "global" { (&mut data.global, global) } else { (&mut data.node, node) };
            *place = Some(value);
            state.host_memory.free(std::mem::replace(before, bytes));
        }
        71 => custom_data(call)?,
        other => return Err(unknown_call(other).into()),
    }
    Ok(HostReply::Undefined)
}

fn give(returned: SandboxOutput) {
    if SINK.is_set() {
        SINK.with(|sink| sink(returned));
    }
}

/// Does something whose memory the host goes on holding after the call. Tells how much that is.
fn retained<T>(
    call: &mut HostCall<'_>,
    read: impl FnOnce(&mut HostCall<'_>) -> Result<T, HostError>,
) -> Result<(T, usize), HostError> {
    let before = call.caller.data().host_memory.transient();
    let value = read(call)?;
    Ok((value, call.caller.data_mut().host_memory.retain_since(before)))
}

/// `$execution.customData`. n8n keeps ten short entries for an execution; a flood must not fill our
/// memory.
fn custom_data(call: &mut HostCall<'_>) -> Result<(), HostError> {
    const MAX_ENTRIES: usize = 1000;
    let (mut key, mut value) =
        (Str::from(call.required_text(0)?), Str::from(call.required_text(1)?));
    shorten(&mut key);
    shorten(&mut value);
    let size = |key: &Str, value: &Str| {
        size_of::<(Str, Str)>() + text_bytes(key.len()) + text_bytes(value.len())
    };
    retained(call, |call| call.hold(size(&key, &value)))?;
    let state = call.caller.data_mut();
    let entries = &mut state.code.outcome.custom_data;
    if let Some((_, known)) = entries.iter_mut().find(|(known, _)| *known == key) {
        state.host_memory.free(size(&key, known));
        *known = value;
    } else if entries.len() < MAX_ENTRIES {
        entries.push((key, value));
    } else {
        state.host_memory.free(size(&key, &value));
    }
    Ok(())
}

fn log(call: &mut HostCall<'_>) -> Result<(), HostError> {
    let (level, text) = (call.required_text(0)?, call.required_text(1)?);
    let state = call.caller.data_mut();
    if state.code.outcome.logs.len() >= state.limits.log_lines {
        state.code.outcome.dropped_logs += 1;
        return Ok(());
    }
    let before = state.host_memory.transient();
    let paid = state
        .spend(text.len(), size_of::<LogLine>() + text_bytes(level.len()) + text_bytes(text.len()));
    paid.map_err(|error| HostError::Trap(state.stop(error)))?;
    state.host_memory.retain_since(before);
    state.code.outcome.logs.push(LogLine { level: level.into(), text: text.into() });
    Ok(())
}

fn request(call: &mut HostCall<'_>) -> Result<(), HostError> {
    let (id, name) = (call.number(0).unwrap_or_default(), call.required_text(1)?);
    let (mut argument, bytes) = retained(call, |call| call.value(2))?;
    opened(call)?;
    let state = call.caller.data_mut();
    let limits = state.limits;
    if name == "fetch" || name.to_ascii_lowercase().contains("request") {
        state.code.fetches += 1;
        if state.code.fetches > limits.fetch_calls {
            return Err(HostError::Trap(
                state.stop(ExprError::Fetches { limit: limits.fetch_calls }),
            ));
        }
    }
    if name == "fetch" {
        let fields = argument.make_object();
        fields.insert("timeoutMs", limits.fetch_timeout_ms);
        fields.insert("maxBytes", limits.fetch_body_bytes);
        fields.insert("redirects", limits.fetch_redirects);
    }
    state.code.requests.push(GuestRequest { id, name, argument, bytes });
    Ok(())
}

/// Counts a timer or request that is open.
fn opened(call: &mut HostCall<'_>) -> Result<(), HostError> {
    let state = call.caller.data_mut();
    state.code.open += 1;
    let limit = state.limits.open_calls;
    if state.code.open > limit {
        let message = format!("more than {limit} timers and requests are open at once");
        return Err(ExprError::Thrown {
            name: "RangeError".into(),
            message: message.into(),
            stack: None,
        }
        .into());
    }
    Ok(())
}
