//! Calls of the guest that only code makes: output, logs, timers, requests.

use super::SINK;
use super::code::{LogLine, Request, Returned};
use super::decode;
use super::host::{HostCall, Refusal, Reply, unknown_call};
use crate::Error;
use model::Value;

pub(super) fn answer(operation: u32, call: &mut HostCall<'_>) -> Result<Reply, Refusal> {
    match operation {
        60 => {
            let index = call.index(0);
            let value = output(call, 1)?;
            give(match index {
                None => Returned::Whole(value),
                Some(index) if call.caller.data().code.for_each => Returned::ForItem { index, value },
                Some(index) => Returned::Element { index, value },
            });
        }
        61 => log(call)?,
        62 => give(Returned::List { len: call.index(0).unwrap_or_default() }),
        63 => call.caller.data_mut().code.finished = true,
        64 => {
            let parts = call.value(0)?;
            call.caller.data_mut().code.failure = Some(parts);
        }
        65 => call.caller.data_mut().code.index = call.index(0),
        66 => request(call)?,
        67 => {
            opened(call)?;
            let (id, delay) = (call.number(0).unwrap_or_default(), call.number(1).unwrap_or_default());
            call.caller.data_mut().code.timers.push((id, delay.clamp(0.0, 1e12) as u64));
        }
        68 => {
            let (index, property) = (call.index(0).unwrap_or(usize::MAX), call.required_text(1)?);
            let item = call.scope(|scope| scope.input().get(index))?;
            let file = item.and_then(|item| item.binary(&property).map(|file| file.data.to_vec()));
            return Ok(file.map_or(Reply::Undefined, Reply::Bytes));
        }
        69 => {
            let name = call.required_text(0)?;
            let given = &call.caller.data().code.given;
            let value = if name == "global" { &given.global } else { &given.node };
            return Ok(Reply::value(&value.clone().unwrap_or_else(Value::empty_object)));
        }
        70 => {
            let (name, value) = (call.required_text(0)?, call.value(1)?);
            let data = &mut call.caller.data_mut().code.outcome.static_data;
            let place = if name == "global" { &mut data.global } else { &mut data.node };
            *place = Some(value);
        }
        71 => {
            let (key, value) = (call.required_text(0)?, call.required_text(1)?);
            let custom_data = &mut call.caller.data_mut().code.outcome.custom_data;
            custom_data.retain(|(known, _)| *known != key);
            // n8n keeps ten short entries for an execution; a flood must not fill our memory.
            if custom_data.len() < 1000 {
                custom_data.push((key.into(), value.into()));
            }
        }
        other => return Err(unknown_call(other).into()),
    }
    Ok(Reply::Undefined)
}

fn give(returned: Returned) {
    if SINK.is_set() {
        SINK.with(|sink| sink(returned));
    }
}

/// Reads a value that counts against the output limit for good.
fn output(call: &mut HostCall<'_>, position: usize) -> Result<Value, Refusal> {
    let raw = call.raw(position);
    let helpers = call.caller.data().entries()?.helpers();
    let mut budget = call.caller.data().output_left;
    let read = decode::read(&call.guest.clone(), &mut call.caller, helpers, raw, &mut budget);
    call.caller.data_mut().output_left = budget;
    call.read_result(read)
}

fn log(call: &mut HostCall<'_>) -> Result<(), Refusal> {
    let (level, text) = (call.required_text(0)?, call.required_text(1)?);
    let state = call.caller.data_mut();
    let limits = state.limits;
    if state.code.outcome.logs.len() >= limits.log_lines {
        state.code.outcome.dropped_logs += 1;
        return Ok(());
    }
    match state.output_left.checked_sub(text.len()) {
        Some(left) => state.output_left = left,
        None => return Err(Refusal::Trap(state.stop(Error::Output { limit_bytes: limits.output_bytes }))),
    }
    state.code.outcome.logs.push(LogLine { level: level.into(), text: text.into() });
    Ok(())
}

fn request(call: &mut HostCall<'_>) -> Result<(), Refusal> {
    let (id, name) = (call.number(0).unwrap_or_default(), call.required_text(1)?);
    let mut argument = call.value(2)?;
    opened(call)?;
    let state = call.caller.data_mut();
    let limits = state.limits;
    if name == "fetch" || name.to_ascii_lowercase().contains("request") {
        state.code.fetches += 1;
        if state.code.fetches > limits.fetch_calls {
            return Err(Refusal::Trap(state.stop(Error::Fetches { limit: limits.fetch_calls })));
        }
    }
    if name == "fetch" {
        let fields = argument.make_object();
        fields.insert("timeoutMs", limits.fetch_timeout_ms);
        fields.insert("maxBytes", limits.fetch_body_bytes);
        fields.insert("redirects", limits.fetch_redirects);
    }
    state.code.requests.push(Request { id, name, argument });
    Ok(())
}

/// Counts a timer or request that is open.
fn opened(call: &mut HostCall<'_>) -> Result<(), Refusal> {
    let state = call.caller.data_mut();
    state.code.open += 1;
    let limit = state.limits.open_calls;
    if state.code.open > limit {
        let message = format!("more than {limit} timers and requests are open at once");
        return Err(Error::Thrown { name: "RangeError".into(), message: message.into(), stack: None }.into());
    }
    Ok(())
}
