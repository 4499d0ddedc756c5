//! The allocator, and how a server makes it give back what is free.

use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// A run is many small allocations that end together: the system's own takes a fifth longer for a
/// whole webhook.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// For how many milliseconds the allocator keeps what is free.
const PURGE_DELAY: &str = "MIMALLOC_PURGE_DELAY";

/// Long enough that a server under load uses again what it has just freed: at once would cost each
/// webhook a third more.
const SOON: &str = "100";

/// Has free memory given back to the system soon. The allocator keeps it for a second, and
/// separately for each thread; with many large runs on many threads that is more than all that is
/// in use. It is told at the start of a process only, so this one is replaced by itself with the
/// setting, unless somebody has chosen one.
#[expect(
    clippy::disallowed_methods,
    reason = "does not start a process: this one re-executes itself"
)]
pub(crate) fn purge_soon() {
    if std::env::var_os(PURGE_DELAY).is_some() {
        return;
    }
    let mut arguments = std::env::args_os();
    let (Some(name), Ok(program)) = (arguments.next(), std::env::current_exe()) else { return };
    // It only comes back if that fails; then we serve with what there is.
    let _failure = Command::new(program).arg0(name).args(arguments).env(PURGE_DELAY, SOON).exec();
}
