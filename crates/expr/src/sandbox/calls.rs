//! Calls of the guest that compute something: sums, dates, randomness, encodings.

use super::host::{HostCall, HostError, HostReply, unknown_call};
use crate::{ExprError, host_functions};
use model::Value;

/// How many numbers for `Math.random` are handed over at a time.
const RANDOM_NUMBERS: usize = 64;

/// As much may become of a byte or a letter in another encoding, with what is needed on the way.
const MAX_EXPANSION: usize = 3;

pub(super) fn answer(operation: u32, call: &mut HostCall<'_>) -> Result<HostReply, HostError> {
    match operation {
        30 => {
            let (algorithm, data) = (call.required_text(0)?, call.bytes(1)?);
            Ok(host_functions::hash(&algorithm, &data)
                .map_or(HostReply::Undefined, HostReply::Bytes))
        }
        32 => {
            let (zone, epoch_ms) = (call.required_text(0)?, call.number(1).unwrap_or_default());
            let Some(offset) = host_functions::zone_offset(&zone, epoch_ms) else {
                return Ok(HostReply::Undefined);
            };
            let parts = [
                offset.minutes.into(),
                offset.valid_from_ms.into(),
                offset.valid_until_ms.into(),
                offset.abbreviation.into(),
            ];
            Ok(HostReply::value(&Value::array(parts.to_vec())))
        }
        33 => Ok(HostReply::Bytes(
            host_functions::random_numbers(RANDOM_NUMBERS).flat_map(f64::to_le_bytes).collect(),
        )),
        34 => Ok(HostReply::Text(host_functions::random_uuid())),
        35 => Ok(HostReply::Bytes(host_functions::random_bytes(
            call.index(0).unwrap_or_default().min(1 << 20),
        ))),
        36 => {
            let (encoding, bytes) = (call.required_text(0)?, call.bytes(1)?);
            call.hold(bytes.len() * MAX_EXPANSION)?;
            Ok(host_functions::bytes_to_text(&encoding, &bytes)
                .map_or(HostReply::Undefined, HostReply::Text))
        }
        37 => {
            let (encoding, text) = (call.required_text(0)?, call.required_text(1)?);
            call.hold(text.len() * MAX_EXPANSION)?;
            Ok(host_functions::text_to_bytes(&encoding, &text)
                .map_or(HostReply::Undefined, HostReply::Bytes))
        }
        38 => {
            let (address, base) = (call.required_text(0)?, call.text(1)?);
            Ok(host_functions::parse_url(&address, base.as_deref())
                .map_or(HostReply::Undefined, |parts| HostReply::value(&parts)))
        }
        39 => {
            let (algorithm, key, data) = (call.required_text(0)?, call.bytes(1)?, call.bytes(2)?);
            Ok(host_functions::hmac(&algorithm, &key, &data)
                .map_or(HostReply::Undefined, HostReply::Bytes))
        }
        40 => {
            let limit = call.caller.data().limits.loop_iterations.unwrap_or_default();
            Err(HostError::Trap(call.caller.data_mut().stop(ExprError::Loops { limit })))
        }
        41 => {
            let (zone, offset) = (call.required_text(0)?, call.number(1).unwrap_or_default());
            Ok(HostReply::Bool(host_functions::zone_is_dst(&zone, offset)))
        }
        42 => {
            let text = call.required_text(0)?;
            Ok(HostReply::Number(crate::date_text::parse(&text).unwrap_or(f64::NAN)))
        }
        other => Err(unknown_call(other).into()),
    }
}
