//! How much one piece of JavaScript may use.

/// Limits of one session. Every one of them ends in an error of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SandboxLimits {
    /// Wall time of one evaluation or one run of code, waiting for answers included.
    pub time_ms: u64,
    /// JavaScript heap; and as much again for what the host is handed: results, errors, logs,
    /// requests.
    pub memory_bytes: usize,
    /// Stack of nested JavaScript calls; QuickJS is built with room for 512 KB.
    pub stack_bytes: usize,
    /// Size of what comes back, in bytes of its JSON, and of what is logged. What it takes in
    /// memory is limited by `memory_bytes`.
    pub output_bytes: usize,
    /// Turns of all loops together; `None` counts nothing.
    pub loop_iterations: Option<u64>,
    pub fetch_calls: u32,
    pub fetch_body_bytes: usize,
    pub fetch_timeout_ms: u64,
    pub fetch_redirects: u32,
    /// Lines kept of `console.log`; later ones are counted and dropped.
    pub log_lines: usize,
    /// Timers and requests that may be open at once.
    pub open_calls: usize,
    /// Nesting of what comes back.
    pub depth: usize,
}

const MEGABYTE: usize = 1 << 20;
const MAX_STACK_BYTES: usize = 512 * 1024;

impl SandboxLimits {
    /// An expression in a parameter: short, but large data may pass through it.
    pub fn expression() -> Self {
        Self {
            time_ms: 5_000,
            memory_bytes: 256 * MEGABYTE,
            stack_bytes: MAX_STACK_BYTES,
            output_bytes: 256 * MEGABYTE,
            loop_iterations: None,
            fetch_calls: 0,
            fetch_body_bytes: 0,
            fetch_timeout_ms: 0,
            fetch_redirects: 0,
            log_lines: 0,
            open_calls: 0,
            depth: 512,
        }
    }

    /// A Code node: the author's own program over the items of a run.
    pub fn code_node() -> Self {
        Self {
            time_ms: 60_000,
            memory_bytes: 256 * MEGABYTE,
            stack_bytes: MAX_STACK_BYTES,
            output_bytes: 1024 * MEGABYTE,
            loop_iterations: None,
            fetch_calls: 10_000,
            fetch_body_bytes: 64 * MEGABYTE,
            fetch_timeout_ms: 60_000,
            fetch_redirects: 10,
            log_lines: 10_000,
            open_calls: 10_000,
            depth: 512,
        }
    }

    /// Code that a model wrote.
    pub fn tool() -> Self {
        Self {
            time_ms: 30_000,
            memory_bytes: 64 * MEGABYTE,
            stack_bytes: MAX_STACK_BYTES,
            output_bytes: 100 * 1024,
            loop_iterations: Some(10_000),
            fetch_calls: 20,
            fetch_body_bytes: MEGABYTE,
            fetch_timeout_ms: 15_000,
            fetch_redirects: 5,
            log_lines: 1_000,
            open_calls: 100,
            depth: 32,
        }
    }
}
