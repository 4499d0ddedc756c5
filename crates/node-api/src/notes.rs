//! Notes about calls that change something: that one was begun, and what a person says about one
//! that was cut off.
//!
//! A node that keeps notes writes [`begun`] before such a call and the key itself after it. If only
//! the first is there, nobody knows whether the call happened. What a person says about it is a
//! note as well: [`happened`] stands for the result, and [`withdrawn`] takes the note of the
//! beginning back, so that the call is made again and is in doubt again should that be cut off too.
//! Where a person is to be asked before a call, that and what they decide is noted before the
//! beginning ([`approval`]).

mod approval;

pub use approval::{Asked, Decided, Verdict, approval, ask_anew, asked_about, digest, undecided};

use model::{Object, Str, Value};

/// What the key of a call that was begun ends with.
const BEGUN: &str = " begun";

/// The note of a step of JavaScript that has begun to reach outside: taken again, it might do twice
/// what it did.
pub const REACHED_OUT: &str = "reached out";

/// The field of a note that holds what a person says came of a call.
const HAPPENED: &str = "happened";

/// The key under which it is noted that a call is about to be made.
pub fn begun(key: &str) -> String {
    format!("{key}{BEGUN}")
}

/// Whether a note says that a call was begun, and nobody has taken it back.
pub fn is_begun(note: Option<&Value>) -> bool {
    note.is_some_and(|note| !note.is_null())
}

/// The calls of which nobody knows whether they happened, in the order in which they were begun.
pub fn in_doubt(notes: &Object) -> Vec<Str> {
    let is_open = |(key, note): (&Str, &Value)| {
        let call = key
            .strip_suffix(BEGUN)
            .filter(|call| is_begun(Some(note)) && notes.get(call).is_none())?;
        Some(Str::from(call))
    };
    notes.iter().filter_map(is_open).collect()
}

/// The note of a call that a person says happened, with what came of it.
pub fn happened(result: &str) -> Value {
    Object::from_iter([(HAPPENED, Value::from(result))]).into()
}

/// What a person says came of a call, if the note is one of those.
pub fn said_of(note: &Value) -> Option<Str> {
    note.get(HAPPENED).and_then(Value::as_str).map(Str::from)
}

/// The note of the beginning of a call that a person wants made again.
pub fn withdrawn() -> Value {
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
        assert_eq!(in_doubt(&notes), ["item 0: tool 1.1"]);
        notes.insert("item 0: tool 1.1 begun", withdrawn());
        assert!(in_doubt(&notes).is_empty(), "it is made again");
        notes.insert("item 0: tool 1.1 begun", json!({ "name": "send" }));
        notes.insert("item 0: tool 1.1", happened("sent"));
        assert!(in_doubt(&notes).is_empty(), "it has a result");
        assert_eq!(notes.get("item 0: tool 1.1").and_then(said_of).as_deref(), Some("sent"));
        assert_eq!(
            said_of(&json!({ "content": "sent" })),
            None,
            "a result that was seen is none that was told"
        );
    }
}
