//! Text that somebody else wrote: how it becomes values without taking more memory than there is
//! for it.

use crate::NodeError;
use compute::{IntakeExhausted, MemoryReservation};
use model::json::JsonError;
use model::{Code, Value, json, memory_estimate};

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UntrustedError {
    #[error("{0}")]
    NotJson(JsonError),
    #[error("needs more than {limit} bytes of memory")]
    TooLarge { limit: usize },
    #[error("{0}")]
    NoCapacity(IntakeExhausted),
}

/// Reads JSON. What it becomes is added to what is held; it may be dropped once the value has been
/// passed on.
pub async fn read_json(text: &str, held: &mut MemoryReservation) -> Result<Value, UntrustedError> {
    let limit = compute::largest_intake();
    // Of a short text the reader itself finds out soon enough.
    if text.len() > compute::LARGE_BYTES {
        reserve(memory_estimate::estimate_json(text), held).await?;
    }
    json::parse_within(text, limit).map_err(|error| match error.is_too_large() {
        true => UntrustedError::TooLarge { limit },
        false => UntrustedError::NotJson(error),
    })
}

/// Adds room for something that takes so much.
pub async fn reserve(bytes: usize, held: &mut MemoryReservation) -> Result<(), UntrustedError> {
    let limit = compute::largest_intake();
    if bytes > limit {
        return Err(UntrustedError::TooLarge { limit });
    }
    held.grow_by(bytes).await.map_err(UntrustedError::NoCapacity)
}

impl UntrustedError {
    /// The node's error for text that may well be JSON: `what` begins a sentence, and the code says
    /// whose it is. `None` if it is no JSON, which nodes tell in their own words.
    pub fn to_node_error(&self, what: &str, code: Code) -> Option<NodeError> {
        match self {
            UntrustedError::NotJson(_) => None,
            UntrustedError::TooLarge { limit } => Some(
                NodeError::new(code, format!("{what} needs more than {limit} bytes of memory"))
                    .hint(
                        "Process it in smaller parts, or ask the operator to raise \
                         HEDDLE_RUN_MEMORY_LIMIT.",
                    ),
            ),
            UntrustedError::NoCapacity(full) => Some(
                NodeError::new(Code::OVERLOAD, format!("Not enough memory to read it: {full}"))
                    .hint(
                        "Try again in a moment, or ask the operator to raise \
                             HEDDLE_RUN_MEMORY_TOTAL.",
                    ),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;

    fn read(text: &str) -> Result<Value, UntrustedError> {
        read_json(text, &mut MemoryReservation::default()).now_or_never().unwrap()
    }

    #[test]
    fn issue_14_09_json_that_would_take_too_much_memory_is_refused_before_it_is_read() {
        let limit = compute::largest_intake();
        let text = format!("[{}0]", "[0],".repeat(limit / 150));
        let error = read(&text).unwrap_err();
        assert_eq!(error, UntrustedError::TooLarge { limit });
        let refusal = error.to_node_error("The answer", Code::UPSTREAM_TOO_LARGE).unwrap();
        assert_eq!(refusal.code(), Code::UPSTREAM_TOO_LARGE);
        assert_eq!(
            refusal.message(),
            &format!("The answer needs more than {limit} bytes of memory")
        );
        assert!(read("[").unwrap_err().to_node_error("", Code::NODE_INPUT).is_none());
        assert_eq!(
            read(&format!("[{}0]", "0,".repeat(50_000))).unwrap().as_array().map(<[_]>::len),
            Some(50_001)
        );
    }
}
