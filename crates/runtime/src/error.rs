//! What can go wrong in the runtime.

use crate::resume::backoff::ResumeFailure;
use model::{Code, Str};
use node_api::NodeError;

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("workflow '{id}' does not exist")]
    NoWorkflow { id: Str },
    #[error("execution '{id}' does not exist")]
    NoExecution { id: i64 },
    #[error("the workflow cannot be read: {cause}")]
    Unreadable { cause: Str },
    /// A trigger's parameters cannot be used, or its address is taken.
    #[error("{}", error.message())]
    Trigger { node: Str, error: NodeError },
    #[error("the workflow has no trigger that can start it")]
    NoTrigger,
    #[error("the workflow is archived")]
    Archived,
    /// It was deactivated or removed while somebody sent their call.
    #[error("the workflow is no longer active")]
    NotListening,
    /// It names credentials that its project does not have.
    #[error("the workflow's project may not use the credential '{id}'")]
    OutOfReach { id: Str },
    /// Somebody has saved it since it was read.
    #[error("the workflow was changed since it was read; its version is now '{version}'")]
    NewerVersion { version: Str },
    #[error("another user is changing the workflow")]
    Contended,
    /// It was cancelled and has not ended yet, or another call is changing it.
    #[error("execution {id} is busy and has not finished yet")]
    Busy { id: i64 },
    #[error("too many runs are queued")]
    Overload,
    #[error("this instance is shutting down")]
    Stopping,
    #[error("an internal error occurred in Heddle")]
    Panicked,
    /// The run has gone on since, or waits somewhere else.
    #[error("this link belongs to another wait of execution {id}")]
    StaleLink { id: i64 },
    /// Somebody else has decided meanwhile, and it may have come to another doubt.
    #[error("execution {id} has continued since it was viewed")]
    RunAdvanced { id: i64 },
    /// Nobody has said what became of this step.
    #[error("'{node}' was interrupted and may have taken effect")]
    Undecided { node: Str },
    /// A step that is named does not exist.
    #[error("{problem}")]
    NoStep { problem: Str },
    /// Something that was asked for cannot be.
    #[error("'{name}' {problem}")]
    Field { name: &'static str, problem: Str },
    #[error("execution {id} is {status} and not waiting for approval")]
    NoApproval { id: i64, status: &'static str },
    /// No call of this name asks for approval.
    #[error("{problem}")]
    NoApprovalCall { problem: Str },
    /// What somebody has seen is not what they decide about.
    #[error("the call '{call}' of '{tool}' is not the call that was reviewed")]
    ApprovalMismatch { call: Str, tool: Str },
    #[error("the deadline to decide about '{call}' passed at {until}")]
    ApprovalExpired { call: Str, until: Str },
    #[error("'{call}' was {verdict} by {by} at {when}")]
    AlreadyDecided { call: Str, verdict: &'static str, by: Str, when: Str },
    #[error("execution {id} is {status}")]
    WrongStatus { id: i64, status: &'static str },
}

impl Error {
    pub fn code(&self) -> Code {
        match self {
            Error::Store(error) => error.code(),
            Error::NoWorkflow { .. } => Code::WORKFLOW_NOT_FOUND,
            Error::NoExecution { .. } => Code::EXECUTION_NOT_FOUND,
            Error::Unreadable { .. } => Code::WORKFLOW_JSON,
            Error::Trigger { error, .. } => error.code(),
            Error::NoTrigger => Code::WORKFLOW_NO_START,
            Error::Archived => Code::WORKFLOW_ARCHIVED,
            Error::NotListening => Code::WEBHOOK_NOT_FOUND,
            Error::OutOfReach { .. } => Code::CREDENTIAL_FOREIGN,
            Error::NewerVersion { .. } => Code::WORKFLOW_CHANGED,
            Error::Contended | Error::Busy { .. } | Error::Overload | Error::Stopping => {
                Code::OVERLOAD
            }
            Error::Panicked => Code::RUN_PANICKED,
            Error::WrongStatus { .. } | Error::StaleLink { .. } | Error::RunAdvanced { .. } => {
                Code::EXECUTION_STATUS
            }
            Error::NoApproval { .. } => Code::APPROVAL_NONE,
            Error::NoApprovalCall { .. } => Code::APPROVAL_CALL,
            Error::ApprovalMismatch { .. } => Code::APPROVAL_CHANGED,
            Error::ApprovalExpired { .. } => Code::APPROVAL_EXPIRED,
            Error::AlreadyDecided { .. } => Code::APPROVAL_DECIDED,
            Error::Field { .. } => Code::REQUEST_INVALID,
            Error::NoStep { .. } => Code::EXECUTION_STEP,
            Error::Undecided { .. } => Code::RUN_UNCERTAIN,
        }
    }

    /// What becomes of a run that could not be resumed because of it. No kind of error is left
    /// out: a new one is thought about.
    pub(crate) fn resume_failure(&self) -> ResumeFailure {
        match self {
            Error::WrongStatus { .. }
            | Error::NoExecution { .. }
            | Error::StaleLink { .. }
            | Error::RunAdvanced { .. } => ResumeFailure::Superseded,
            Error::Store(error) => fate_by_store(error),
            // One that breaks each time is left to a person.
            Error::Contended
            | Error::Busy { .. }
            | Error::Overload
            | Error::Stopping
            | Error::Panicked => ResumeFailure::Transient,
            Error::NoWorkflow { .. }
            | Error::Unreadable { .. }
            | Error::Trigger { .. }
            | Error::NoTrigger
            | Error::Archived
            | Error::NotListening
            | Error::OutOfReach { .. }
            | Error::NewerVersion { .. }
            | Error::Undecided { .. }
            | Error::NoStep { .. }
            | Error::Field { .. }
            | Error::NoApproval { .. }
            | Error::NoApprovalCall { .. }
            | Error::ApprovalMismatch { .. }
            | Error::ApprovalExpired { .. }
            | Error::AlreadyDecided { .. } => ResumeFailure::Permanent,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<Str> {
        match self {
            Error::NewerVersion { .. } => {
                Some("Read the workflow again, and apply the change to the newest version.".into())
            }
            Error::NoTrigger => Some("Add a trigger such as Webhook or Schedule Trigger.".into()),
            Error::Panicked => {
                Some("Please report this with the code location from the log.".into())
            }
            Error::Contended | Error::Busy { .. } | Error::Overload | Error::Stopping => {
                Some("Try again in a moment.".into())
            }
            Error::Undecided { .. } => Some(
                "Check the service, then decide: 'again' repeats the step, 'done' treats it as \
                     done."
                    .into(),
            ),
            Error::StaleLink { .. } => {
                Some("Use the link of the step that the execution is waiting at now.".into())
            }
            Error::RunAdvanced { .. } => Some("View it again before you decide.".into()),
            Error::Archived => Some("Unarchive it first.".into()),
            Error::OutOfReach { .. } => Some(
                "Share the credential with the project, or choose another one in the node.".into(),
            ),
            Error::ApprovalMismatch { .. } => Some("View the call again before you decide.".into()),
            Error::ApprovalExpired { .. } => Some(
                "The agent was told that nobody decided; it may request approval again.".into(),
            ),
            Error::Trigger { error, .. } => error.to_run_error("").hint,
            _ => None,
        }
    }
}

fn fate_by_store(error: &store::Error) -> ResumeFailure {
    use store::Error;
    match error {
        Error::Gone { .. } => ResumeFailure::Superseded,
        Error::Full | Error::Busy | Error::Unwritable { .. } | Error::Unsynced { .. } => {
            ResumeFailure::Outage
        }
        // Too many open files, a disk that cannot be read for a moment, a key that is being put
        // back.
        Error::Database { .. }
        | Error::File { .. }
        | Error::Stopped
        | Error::Key
        | Error::Locked { .. }
        | Error::Newer { .. }
        | Error::MigrationBackup { .. }
        | Error::Older { .. }
        | Error::OtherVersion { .. } => ResumeFailure::Transient,
        // A version that can read it goes on with it.
        Error::NewerJournal { .. } => ResumeFailure::Incompatible,
        Error::Corrupt { .. }
        | Error::LostFile { .. }
        | Error::SecretNeeded { .. }
        | Error::Taken { .. }
        | Error::Needed { .. }
        | Error::Table(_)
        | Error::Collection(_)
        | Error::LongTerm(_)
        | Error::Backup { .. }
        | Error::Used { .. } => ResumeFailure::Permanent,
    }
}

/// A moment as messages and logs show it.
pub(crate) fn format_time(milliseconds: i64) -> Str {
    jiff::Timestamp::from_millisecond(milliseconds)
        .map_or_else(|_| Str::new(), |time| format!("{time:.0}").into())
}
