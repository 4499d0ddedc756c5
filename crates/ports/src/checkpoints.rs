//! Notes about calls that change something: that one was begun, and what a person says about one
//! that was cut off.
//!
//! A node that keeps notes writes [`started_key`] before such a call and the key itself after it. If only
//! the first is there, nobody knows whether the call happened. What a person says about it is a
//! note as well: [`confirmed_result`] stands for the result, and [`retracted`] takes the note of the
//! beginning back, so that the call is made again and is in doubt again should that be cut off too.
//! Where a person is to be asked before a call, that and what they decide is noted before the
//! beginning ([`approval_key`]).

mod approval;

pub use approval::{
    ApprovalRequest, ApprovalVerdict, DecisionRecord, approval_key, approval_target, call_digest,
    discard_unused_approvals, undecided_calls,
};

use model::{Object, Str, Value};

/// What the key of a call that was begun ends with.
const STARTED_SUFFIX: &str = " begun";

/// The note of a step of JavaScript that has begun to reach outside: taken again, it might do twice
/// what it did.
pub const REACHED_OUT: &str = "reached out";

/// The note of the header in which the requests of a step carry keys: by these the other side knows
/// them again, so that the step may be taken again.
pub const REQUEST_KEY: &str = "idempotency key";

/// The field of the note of a call that says when it ended.
pub const ENDED_MS: &str = "endedMs";

/// The field of a note that holds what a person says came of a call.
const CONFIRMED_FIELD: &str = "happened";

/// The key under which it is noted that a call is about to be made.
pub fn started_key(key: &str) -> String {
    format!("{key}{STARTED_SUFFIX}")
}

/// Whether a note says that a call was begun, and nobody has taken it back.
pub fn is_started(note: Option<&Value>) -> bool {
    note.is_some_and(|note| !note.is_null())
}

/// The calls of which nobody knows whether they happened, in the order in which they were begun.
pub fn uncertain_calls(notes: &Object) -> Vec<Str> {
    let is_open = |(key, note): (&Str, &Value)| {
        let call = key
            .strip_suffix(STARTED_SUFFIX)
            .filter(|call| is_started(Some(note)) && notes.get(call).is_none())?;
        Some(Str::from(call))
    };
    notes.iter().filter_map(is_open).collect()
}

/// The note of a call that a person says happened, with what came of it.
pub fn confirmed_result(result: &str) -> Value {
    Object::from_iter([(CONFIRMED_FIELD, Value::from(result))]).into()
}

/// What a person says came of a call, if the note is one of those.
pub fn confirmed_text(note: &Value) -> Option<Str> {
    note.get(CONFIRMED_FIELD).and_then(Value::as_str).map(Str::from)
}

/// The note of the beginning of a call that a person wants made again.
pub fn retracted() -> Value {
    Value::Null
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn a_call_is_in_doubt_from_its_beginning_to_its_result() {
        let mut notes = Object::from_iter([
            ("item 0: model 1", json!({})),
            ("item 0: tool 1.1 begun", json!({ "name": "send" })),
        ]);
        assert_eq!(uncertain_calls(&notes), ["item 0: tool 1.1"]);
        notes.insert("item 0: tool 1.1 begun", retracted());
        assert!(uncertain_calls(&notes).is_empty(), "it is made again");
        notes.insert("item 0: tool 1.1 begun", json!({ "name": "send" }));
        notes.insert("item 0: tool 1.1", confirmed_result("sent"));
        assert!(uncertain_calls(&notes).is_empty(), "it has a result");
        assert_eq!(notes.get("item 0: tool 1.1").and_then(confirmed_text).as_deref(), Some("sent"));
        assert_eq!(
            confirmed_text(&json!({ "content": "sent" })),
            None,
            "a result that was seen is none that was told"
        );
    }
}
