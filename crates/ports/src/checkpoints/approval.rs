//! Notes about calls that a person is asked about before they are made.
//!
//! Such a note stands beside the call that it is about, under [`approval_key`] of its key: what is
//! asked, and once somebody has decided, the same with their decision. It counts for the very call
//! that was asked about, which [`call_digest`] tells from any other.

use aws_lc_rs::digest::{SHA256, digest as hashed};
use model::{Object, Str, Value};

/// What the key of a note about an approval ends with.
const APPROVAL: &str = " approval";

/// A call that a person is asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalRequest {
    pub tool: Str,
    pub arguments: Value,
    pub digest: Str,
    pub requested_ms: i64,
    /// When it is too late to decide.
    pub until_ms: i64,
    pub decision: Option<DecisionRecord>,
}

/// What a person has decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionRecord {
    pub verdict: ApprovalVerdict,
    pub reason: Option<Str>,
    /// Who it was.
    pub by: Str,
    pub decided_ms: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalVerdict {
    Approved,
    Rejected,
}

impl ApprovalVerdict {
    pub fn name(self) -> &'static str {
        match self {
            ApprovalVerdict::Approved => "approved",
            ApprovalVerdict::Rejected => "rejected",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [ApprovalVerdict::Approved, ApprovalVerdict::Rejected]
            .into_iter()
            .find(|verdict| verdict.name() == name)
    }
}

/// The key under which it is noted that a person is asked about a call.
pub fn approval_key(key: &str) -> String {
    format!("{key}{APPROVAL}")
}

/// The call that a note is about, if it is one of those.
pub fn approval_target(key: &str) -> Option<&str> {
    key.strip_suffix(APPROVAL)
}

/// The sum of a tool's name and its arguments, in whatever order those stand.
pub fn call_digest(tool: &str, arguments: &Value) -> Str {
    let text = format!("{tool}\n{}", model::json::to_string(&sort_keys(arguments)));
    hex::encode(hashed(&SHA256, text.as_bytes())).into()
}

/// The calls that wait for a decision, in the order in which they were asked about.
pub fn undecided_calls(notes: &Object) -> Vec<(Str, ApprovalRequest)> {
    let open = notes.iter().filter_map(|(key, note)| {
        let call = approval_target(key).filter(|call| notes.get(call).is_none())?;
        ApprovalRequest::from_value(note)
            .filter(|asked| asked.decision.is_none())
            .map(|asked| (Str::from(call), asked))
    });
    open.collect()
}

/// Takes back what was asked and decided about calls that were not made: whoever goes another way
/// from here asks anew.
pub fn discard_unused_approvals(notes: &mut Object) {
    let is_made = |key: &str| approval_target(key).is_none_or(|call| notes.get(call).is_some());
    let kept: Object = notes
        .iter()
        .filter(|(key, _)| is_made(key))
        .map(|(key, note)| (key.clone(), note.clone()))
        .collect();
    *notes = kept;
}

impl ApprovalRequest {
    pub fn new(tool: Str, arguments: Value, asked_ms: i64, until_ms: i64) -> Self {
        let digest = call_digest(&tool, &arguments);
        Self { tool, arguments, digest, requested_ms: asked_ms, until_ms, decision: None }
    }

    pub fn to_value(&self) -> Value {
        let mut fields = Object::from_iter([
            ("name", Value::from(self.tool.clone())),
            ("arguments", self.arguments.clone()),
            ("digest", self.digest.clone().into()),
            ("askedMs", self.requested_ms.into()),
            ("untilMs", self.until_ms.into()),
        ]);
        if let Some(DecisionRecord { verdict, reason, by, decided_ms }) = &self.decision {
            fields.insert("decision", verdict.name());
            fields.insert("reason", reason.clone().map_or(Value::Null, Value::from));
            fields.insert("by", by.clone());
            fields.insert("decidedMs", *decided_ms);
        }
        fields.into()
    }

    /// What a note says; `None` if it is of another kind.
    pub fn from_value(note: &Value) -> Option<Self> {
        let text = |key: &str| note.get(key).and_then(Value::as_str).map(Str::from);
        let moment = |key: &str| note.get(key).and_then(Value::as_f64).map(|moment| moment as i64);
        let decided = match text("decision") {
            Some(name) => {
                let (verdict, reason) = (ApprovalVerdict::from_name(&name)?, text("reason"));
                Some(DecisionRecord {
                    verdict,
                    reason,
                    by: text("by").unwrap_or_default(),
                    decided_ms: moment("decidedMs")?,
                })
            }
            None => None,
        };
        Some(Self {
            tool: text("name")?,
            arguments: note.get("arguments")?.clone(),
            digest: text("digest")?,
            requested_ms: moment("askedMs")?,
            until_ms: moment("untilMs")?,
            decision: decided,
        })
    }
}

/// The same value with the keys of all its objects in order.
fn sort_keys(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut sorted: Vec<(&Str, &Value)> = fields.iter().collect();
            sorted.sort_by_key(|(key, _)| key.as_str());
            sorted
                .into_iter()
                .map(|(key, value)| (key.clone(), sort_keys(value)))
                .collect::<Object>()
                .into()
        }
        Value::Array(values) => Value::array(values.iter().map(sort_keys).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn a_digest_tells_calls_apart_and_not_the_order_of_their_arguments() {
        let one = call_digest("send", &json!({ "to": "ada", "more": { "a": 1, "b": [1, 2] } }));
        assert_eq!(
            one,
            call_digest(
                "send",
                &model::json::parse(r#"{"more":{"b":[1,2],"a":1.0},"to":"ada"}"#).unwrap()
            )
        );
        assert_eq!(one.len(), 64);
        for (tool, arguments) in [
            ("sent", json!({ "to": "ada", "more": { "a": 1, "b": [1, 2] } })),
            ("send", json!({ "to": "Ada", "more": { "a": 1, "b": [1, 2] } })),
            ("send", json!({ "to": "ada", "more": { "a": 1, "b": [2, 1] } })),
            ("send", json!({ "to": "ada", "more": { "a": "1", "b": [1, 2] } })),
            ("send", json!({ "to": "ada", "more": { "a": 1, "b": [1, 2] }, "cc": null })),
        ] {
            assert_ne!(one, call_digest(tool, &arguments), "{tool} {arguments:?}");
        }
    }

    #[test]
    fn what_is_asked_and_decided_comes_back_as_it_was() {
        let mut asked = ApprovalRequest::new("send".into(), json!({ "to": "ada" }), 5, 9);
        assert_eq!(ApprovalRequest::from_value(&asked.to_value()), Some(asked.clone()));
        for reason in [None, Some(Str::from("too late"))] {
            asked.decision = Some(DecisionRecord {
                verdict: ApprovalVerdict::Rejected,
                reason,
                by: "ada@example.com".into(),
                decided_ms: 7,
            });
            assert_eq!(ApprovalRequest::from_value(&asked.to_value()), Some(asked.clone()));
        }
        assert_eq!(
            ApprovalRequest::from_value(
                &json!({ "name": "send", "arguments": {}, "content": "approved" })
            ),
            None
        );
        let mut odd = asked.to_value();
        odd.make_object().insert("decision", "maybe");
        assert_eq!(ApprovalRequest::from_value(&odd), None, "what cannot be read grants nothing");
    }

    #[test]
    fn a_call_waits_for_a_decision_until_there_is_one_or_a_result() {
        let open = ApprovalRequest::new("send".into(), json!({}), 5, 9);
        let decided = DecisionRecord {
            verdict: ApprovalVerdict::Approved,
            reason: None,
            by: "ada".into(),
            decided_ms: 6,
        };
        let approved = ApprovalRequest { decision: Some(decided), ..open.clone() };
        let mut notes = Object::from_iter([
            ("item 0: model 1", json!({})),
            ("item 0: tool 1.1 approval", open.to_value()),
            ("item 0: tool 1.2 approval", approved.to_value()),
            ("item 0: tool 1.3 approval", open.to_value()),
            ("item 0: tool 1.3", json!({ "content": "Nobody approved it" })),
        ]);
        assert_eq!(undecided_calls(&notes), [(Str::from("item 0: tool 1.1"), open)]);
        discard_unused_approvals(&mut notes);
        let left: Vec<&str> = notes.keys().map(Str::as_str).collect();
        assert_eq!(
            left,
            ["item 0: model 1", "item 0: tool 1.3 approval", "item 0: tool 1.3"],
            "an approval is good for one run"
        );
    }
}
