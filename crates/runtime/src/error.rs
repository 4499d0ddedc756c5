//! How keeping workflows alive fails.

use model::{Code, Str};
use node_api::NodeError;

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("there is no workflow with the id '{id}'")]
    NoWorkflow { id: Str },
    #[error("there is no execution with the id '{id}'")]
    NoExecution { id: i64 },
    #[error("the workflow cannot be read: {cause}")]
    Unreadable { cause: Str },
    /// A trigger's parameters cannot be used, or its address is taken.
    #[error("{}", error.message())]
    Trigger { node: Str, error: NodeError },
    #[error("the workflow has nothing that could start it by itself")]
    NoTrigger,
    #[error("the workflow is archived")]
    Archived,
    /// It names credentials that its project does not have.
    #[error("the project of the workflow may not use the credential '{id}'")]
    OutOfReach { id: Str },
    #[error("too many runs are waiting")]
    Overload,
    #[error("this instance is stopping")]
    Stopping,
    /// A step that is named does not exist.
    #[error("{problem}")]
    NoStep { problem: Str },
    /// Something that was asked for cannot be.
    #[error("'{name}' {problem}")]
    Field { name: &'static str, problem: Str },
    #[error("execution {id} is {status} and asks nobody for approval")]
    NoApproval { id: i64, status: &'static str },
    /// No call of this name asks for approval.
    #[error("{problem}")]
    NoAskedCall { problem: Str },
    /// What somebody has seen is not what they decide about.
    #[error("the call '{call}' of '{tool}' is not the one that was looked at")]
    RuledOther { call: Str, tool: Str },
    #[error("the time to decide about '{call}' was over at {until}")]
    RuledTooLate { call: Str, until: Str },
    #[error("'{call}' was {verdict} by {by} at {when}")]
    RuledAlready { call: Str, verdict: &'static str, by: Str, when: Str },
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
            Error::OutOfReach { .. } => Code::CREDENTIAL_FOREIGN,
            Error::Overload | Error::Stopping => Code::OVERLOAD,
            Error::WrongStatus { .. } => Code::EXECUTION_STATUS,
            Error::NoApproval { .. } => Code::APPROVAL_NONE,
            Error::NoAskedCall { .. } => Code::APPROVAL_CALL,
            Error::RuledOther { .. } => Code::APPROVAL_CHANGED,
            Error::RuledTooLate { .. } => Code::APPROVAL_EXPIRED,
            Error::RuledAlready { .. } => Code::APPROVAL_DECIDED,
            Error::Field { .. } => Code::REQUEST_INVALID,
            Error::NoStep { .. } => Code::EXECUTION_STEP,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<Str> {
        match self {
            Error::NoTrigger => Some("Add a trigger such as Webhook or Schedule Trigger.".into()),
            Error::Overload | Error::Stopping => Some("Try again in a moment.".into()),
            Error::Archived => Some("Unarchive it first.".into()),
            Error::OutOfReach { .. } => Some("Share the credential with the project, or choose another one in the node.".into()),
            Error::RuledOther { .. } => Some("Look at the call again, and decide about what you see.".into()),
            Error::RuledTooLate { .. } => Some("The agent was told that nobody decided; it may ask again.".into()),
            Error::Trigger { error, .. } => error.to_run_error("").hint,
            _ => None,
        }
    }
}
