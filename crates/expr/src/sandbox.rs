//! The JavaScript sandbox: QuickJS in a WebAssembly heap of its own.
//!
//! One prepared image (Luxon, the extension functions, frozen globals; see `crates/expr/js`) is
//! built by `cargo xtask sandbox` and embedded. A [`SandboxSession`] is an instance of it: its own memory,
//! no host object, only the calls listed in `host`.
//!
//! Invariant: whatever the guest does, it ends: at the deadline of its limits, by a named error,
//! without harm to the host.

mod analysis;
mod calls;
mod clock;
mod code;
mod code_calls;
mod decode;
mod encode;
mod engine_config;
mod entries;
mod guest;
mod host;
mod image;
mod limits;
mod loops;
pub(crate) mod memory;
mod messages;
#[rustfmt::skip]
mod names;
#[cfg(test)]
mod code_tests;
#[cfg(test)]
mod host_tests;
mod scope_calls;
mod session;
mod slots;
mod source;
mod stack;
mod state;
#[cfg(test)]
mod tests;
mod ticker;

pub use code::{
    CodeFailure, CodeHost, CodeOutcome, CodeStaticData, Flavour, LogLine, SandboxJob, SandboxOutput,
};
pub use limits::SandboxLimits;
pub use memory::limit_shared_memory;
pub use session::SandboxSession;

use crate::{ExprError, Scope};
use model::Str;

scoped_tls_hkt::scoped_thread_local!(
    /// The scope of the evaluation that runs on this thread, for the calls that the guest makes.
    static SCOPE: for<'a> &'a (dyn Scope + 'a)
);

scoped_tls_hkt::scoped_thread_local!(
    /// Where the code that runs on this thread puts what it returns.
    static mut SINK: for<'a> &'a mut (dyn FnMut(SandboxOutput) + Send + 'a)
);

/// A handle to the process's sandbox. Cheap to copy; the image is loaded on first use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sandbox;

impl Sandbox {
    pub fn new() -> Self {
        Sandbox
    }

    /// A session for one run. Nothing is loaded before it is used.
    pub fn session(&self, limits: SandboxLimits) -> SandboxSession {
        SandboxSession::new(limits)
    }

    /// Loads the image now instead of on first use.
    pub fn load(&self) -> Result<(), ExprError> {
        image::pooled().map(|_| ())
    }
}

/// The JavaScript of one `{{ … }}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExpressionCode {
    pub source: Str,
    pub thrown: Thrown,
}

/// What becomes of an exception that the expression's own JavaScript throws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Thrown {
    /// As in n8n: the expression has no value. Errors of data references and extensions are
    /// reported all the same.
    #[default]
    BecomesUndefined,
    /// Reported as [`ExprError::Thrown`].
    IsReported,
}

impl ExpressionCode {
    pub fn new(source: impl Into<Str>) -> Self {
        Self { source: source.into(), thrown: Thrown::default() }
    }
}
