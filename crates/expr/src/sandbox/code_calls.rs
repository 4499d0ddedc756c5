//! Calls of the guest that only code makes: output, logs, timers, requests.

use super::host::{HostCall, Refusal, Reply, unknown_call};

pub(super) fn answer(operation: u32, _call: &mut HostCall<'_>) -> Result<Reply, Refusal> {
    Err(unknown_call(operation).into())
}
