//! The limits of what an MCP server may send, and how long it may take. `docs/security.md` lists
//! them.

use std::time::Duration;

/// One message of a server: a result with its files, or a page of a list.
pub const MAX_MESSAGE_BYTES: usize = 8 << 20;
/// What the values of one message may take in memory.
pub(super) const MAX_MESSAGE_MEMORY: usize = 128 << 20;
/// One HTTP response, with all events of its stream.
pub(super) const MAX_STREAM_BYTES: usize = 64 << 20;
/// What a server may send of its own accord after each of our requests.
pub const MAX_UNASKED_MESSAGES: i64 = 10_000;
/// Lines of a process that are no messages, before it is given up.
pub(super) const MAX_GARBAGE_LINES: usize = 1000;

pub const MAX_TOOLS: usize = 1000;
/// Resources, templates or prompts.
pub const MAX_LISTED: usize = 10_000;
pub const MAX_PAGES: usize = 100;
/// One tool's name, description, schema and hints as JSON.
pub const MAX_DEFINITION_BYTES: usize = 64 << 10;
/// All definitions of a server together.
pub const MAX_DEFINITIONS_BYTES: usize = 4 << 20;
pub(super) const MAX_TOOL_NAME_CHARS: usize = 128;
pub const MAX_SCHEMA_DEPTH: usize = 32;
/// Longer descriptions are cut.
pub const MAX_DESCRIPTION_CHARS: usize = 4000;
pub(super) const MAX_INSTRUCTIONS_CHARS: usize = 8000;
/// Parts of one result.
pub const MAX_RESULT_PARTS: usize = 1000;

/// How long it may take until a server can be asked, its start included.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a page of a list may take.
pub(super) const LIST_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a call may take, if nobody says otherwise.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(60);
/// The most that anybody can say.
pub const MAX_CALL_TIMEOUT: Duration = Duration::from_secs(3600);

/// A process that nothing has used for so long is stopped.
pub(super) const IDLE_TIME: Duration = Duration::from_secs(600);
/// The pause before a process that failed is started again; doubled each time.
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(500);
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// A process that ran for so long did not fail at its start.
pub(super) const STEADY_TIME: Duration = Duration::from_secs(60);
/// What is kept of a process's standard error.
pub(super) const MAX_STDERR_BYTES: usize = 16 << 10;
/// Memory of a process, if its entry does not say otherwise.
pub(super) const PROCESS_MEMORY: u64 = 4 << 30;
/// Files and sockets that a process may have open.
pub(super) const PROCESS_FILES: u64 = 1024;
