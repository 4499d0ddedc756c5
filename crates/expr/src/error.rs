//! Why an expression has no value.

use model::{Code, Str};

/// Longer texts of errors are cut off here.
const MAX_TEXT_BYTES: usize = 16 << 10;

/// An error of an expression or of sandboxed JavaScript, in words for the author of the workflow.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExprError {
    /// Not valid JavaScript.
    #[error("invalid syntax")]
    Syntax { detail: Str },
    /// A data reference that cannot be followed: no such node, not executed, no paired item.
    #[error("{message}")]
    Data { message: Str, description: Option<Str>, kind: Option<Str> },
    /// JavaScript threw.
    #[error("{message}")]
    Thrown { name: Str, message: Str, stack: Option<Str> },
    /// Something expressions may not reach for.
    #[error("{message}")]
    Forbidden { message: Str },
    #[error("JavaScript timed out after {limit_ms} ms")]
    Time { limit_ms: u64 },
    #[error("JavaScript exceeded its memory limit of {limit_bytes} bytes")]
    Memory { limit_bytes: usize },
    #[error(
        "JavaScript of all runs exceeded the memory limit of {limit_bytes} bytes; another run \
             may be using most of it"
    )]
    SharedMemory { limit_bytes: usize },
    #[error("JavaScript exceeded its call stack limit")]
    Stack,
    #[error("JavaScript returned or logged more than {limit_bytes} bytes")]
    Output { limit_bytes: usize },
    #[error("JavaScript looped more than {limit} times")]
    Loops { limit: u64 },
    #[error("JavaScript made more than {limit} requests")]
    Fetches { limit: u32 },
    #[error("a response to a request from JavaScript was larger than {limit_bytes} bytes")]
    FetchBody { limit_bytes: usize },
    /// More long computations are under way than there is room for.
    #[error(
        "the expression takes too long, and {limit} other long ones are already being evaluated"
    )]
    Busy { limit: usize },
    /// The sandbox itself broke; a bug of ours.
    #[error("the JavaScript sandbox failed: {detail}")]
    Sandbox { detail: Str },
}

impl ExprError {
    pub fn code(&self) -> Code {
        match self {
            ExprError::Syntax { .. } => Code::EXPRESSION_SYNTAX,
            ExprError::Data { .. } | ExprError::Thrown { .. } => Code::EXPRESSION_FAILED,
            ExprError::Forbidden { .. } => Code::EXPRESSION_FORBIDDEN,
            ExprError::Time { .. } => Code::SANDBOX_TIME,
            ExprError::Memory { .. } | ExprError::SharedMemory { .. } => Code::SANDBOX_MEMORY,
            ExprError::Stack => Code::SANDBOX_STACK,
            ExprError::Output { .. } => Code::SANDBOX_OUTPUT,
            ExprError::Loops { .. } => Code::SANDBOX_LOOPS,
            ExprError::Fetches { .. } | ExprError::FetchBody { .. } => Code::SANDBOX_FETCH,
            ExprError::Busy { .. } => Code::SANDBOX_BUSY,
            ExprError::Sandbox { .. } => Code::SANDBOX_FAILED,
        }
    }

    pub fn data(message: impl Into<Str>) -> Self {
        ExprError::Data { message: message.into(), description: None, kind: None }
    }

    /// The same with texts that are worth keeping: they may quote data, and somebody may make them
    /// pile up.
    #[must_use]
    pub(crate) fn shortened(mut self) -> Self {
        self.texts_mut().into_iter().flatten().for_each(shorten);
        self
    }

    /// How many bytes its texts have.
    pub(crate) fn text_bytes(&self) -> usize {
        let sum =
            |texts: [Option<&Str>; 3]| texts.into_iter().flatten().map(|text| text.len()).sum();
        match self {
            ExprError::Syntax { detail } | ExprError::Sandbox { detail } => detail.len(),
            ExprError::Data { message, description, kind } => {
                sum([Some(message), description.as_ref(), kind.as_ref()])
            }
            ExprError::Thrown { name, message, stack } => {
                sum([Some(name), Some(message), stack.as_ref()])
            }
            ExprError::Forbidden { message } => message.len(),
            _ => 0,
        }
    }

    fn texts_mut(&mut self) -> [Option<&mut Str>; 3] {
        match self {
            ExprError::Syntax { detail } | ExprError::Sandbox { detail } => {
                [Some(detail), None, None]
            }
            ExprError::Data { message, description, kind } => {
                [Some(message), description.as_mut(), kind.as_mut()]
            }
            ExprError::Thrown { name, message, stack } => {
                [Some(name), Some(message), stack.as_mut()]
            }
            ExprError::Forbidden { message } => [Some(message), None, None],
            _ => [None, None, None],
        }
    }
}

/// Cuts off what is longer than a person reads.
pub(crate) fn shorten(text: &mut Str) {
    if text.len() > MAX_TEXT_BYTES {
        let end = text.floor_char_boundary(MAX_TEXT_BYTES);
        let mut short = Str::from(&text[..end]);
        short.push('…');
        *text = short;
    }
}

impl From<compute::Overloaded> for ExprError {
    fn from(_: compute::Overloaded) -> Self {
        ExprError::Busy { limit: compute::MAX_SECTIONS }
    }
}

impl From<compute::Exceeded> for ExprError {
    fn from(exceeded: compute::Exceeded) -> Self {
        ExprError::Time { limit_ms: exceeded.limit.as_millis() as u64 }
    }
}
