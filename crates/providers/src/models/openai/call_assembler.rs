//! Puts the calls of tools together from the fragments in which they come.

use model::{Str, Value};
use node_api::ai::{ChatEvent, ToolArguments, ToolCall};
use std::collections::HashSet;

/// No model means so many calls in one answer.
pub(super) const MAX_CALLS: usize = 1_000;

/// The calls of one answer, in the order in which they began.
#[derive(Default)]
pub(super) struct CallAssembler {
    slots: Vec<PartialCall>,
    announced: usize,
}

#[derive(Default)]
struct PartialCall {
    index: Option<usize>,
    id: Str,
    name: Str,
    arguments: String,
}

impl CallAssembler {
    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Takes one entry of `tool_calls`, whole or a fragment. Servers leave out the index, repeat
    /// the id or the name with each fragment, or give all calls the same index.
    pub(super) fn take(&mut self, fragment: &Value, events: &mut Vec<ChatEvent>) {
        let index = fragment.get("index").and_then(Value::as_usize);
        let id = fragment.get("id").and_then(Value::as_str).unwrap_or_default();
        let function = fragment.get("function").unwrap_or(fragment);
        let name = function.get("name").and_then(Value::as_str).unwrap_or_default();
        let at = match self.find(index, id, name) {
            Some(at) => at,
            None => {
                self.announce(self.slots.len(), events);
                self.slots.push(PartialCall { index, ..PartialCall::default() });
                self.slots.len() - 1
            }
        };
        let slot = &mut self.slots[at];
        if slot.id.is_empty() {
            slot.id = id.into();
        }
        // A name may come in fragments, or whole with each of them.
        if !name.is_empty() && slot.name != name && slot.arguments.is_empty() {
            slot.name.push_str(name);
        }
        match function.get("arguments") {
            Some(Value::String(text)) => slot.arguments.push_str(text),
            // An object where the format wants a text of one.
            Some(object @ Value::Object(_)) => {
                slot.arguments.push_str(&model::json::to_string(object))
            }
            _ => {}
        }
        if !slot.arguments.is_empty() {
            self.announce(at + 1, events);
        }
    }

    /// Tells of the calls that nothing was said about yet.
    pub(super) fn announce_all(&mut self, events: &mut Vec<ChatEvent>) {
        self.announce(self.slots.len(), events);
    }

    /// The calls, each with an id that no other has.
    pub(super) fn finish(&mut self) -> Vec<ToolCall> {
        let mut ids = HashSet::new();
        let mut calls = Vec::with_capacity(self.slots.len());
        for (number, slot) in std::mem::take(&mut self.slots).into_iter().enumerate() {
            let mut id = slot.id;
            let mut next = number;
            while id.is_empty() || !ids.insert(id.clone()) {
                id = format!("call_{next}").into();
                next += 1;
            }
            calls.push(ToolCall {
                id,
                name: slot.name,
                arguments: ToolArguments::parse(&slot.arguments),
                opaque: None,
            });
        }
        calls
    }

    /// The call that a fragment belongs to; none if it begins a new one.
    fn find(&self, index: Option<usize>, id: &str, name: &str) -> Option<usize> {
        let same_index = |slot: &PartialCall| index.is_some() && slot.index == index;
        if let Some(at) = self.slots.iter().rposition(same_index) {
            let slot = &self.slots[at];
            let is_another =
                !id.is_empty() && !slot.id.is_empty() && slot.id != id && !name.is_empty();
            return (!is_another).then_some(at);
        }
        if index.is_some() {
            return None;
        }
        if !id.is_empty() {
            return self.slots.iter().rposition(|slot| slot.id == id);
        }
        if name.is_empty() { self.slots.len().checked_sub(1) } else { None }
    }

    fn announce(&mut self, until: usize, events: &mut Vec<ChatEvent>) {
        while self.announced < until {
            events.push(ChatEvent::CallBegins {
                index: self.announced,
                name: self.slots[self.announced].name.clone(),
            });
            self.announced += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each call as `id name arguments`.
    fn read(fragments: &[&str]) -> Vec<String> {
        let mut calls = CallAssembler::default();
        let mut events = Vec::new();
        for fragment in fragments {
            calls.take(&model::json::parse(fragment).unwrap(), &mut events);
        }
        calls.announce_all(&mut events);
        let calls = calls.finish();
        let names: Vec<_> = events
            .iter()
            .map(|event| {
                if let ChatEvent::CallBegins { name, .. } = event {
                    name.clone()
                } else {
                    Str::new()
                }
            })
            .collect();
        assert_eq!(
            names,
            calls.iter().map(|call| call.name.clone()).collect::<Vec<_>>(),
            "every call is told once, in order"
        );
        calls
            .iter()
            .map(|call| format!("{} {} {}", call.id, call.name, call.arguments.to_text()))
            .collect()
    }

    #[test]
    fn fragments_come_together_by_index() {
        let calls = read(&[
            r#"{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}"#,
            r#"{"index":0,"function":{"arguments":"{\"x\""}}"#,
            r#"{"index":1,"id":"b","function":{"name":"g","arguments":""}}"#,
            r#"{"index":0,"function":{"arguments":":1}"}}"#,
            r#"{"index":1,"function":{"arguments":"{}"}}"#,
        ]);
        assert_eq!(calls, [r#"a f {"x":1}"#, "b g {}"]);
    }

    #[test]
    fn the_index_may_be_missing() {
        let calls = read(&[
            r#"{"id":"a","function":{"name":"f","arguments":"{\"x\""}}"#,
            r#"{"function":{"arguments":":1}"}}"#,
            r#"{"id":"b","function":{"name":"f","arguments":"{}"}}"#,
            r#"{"function":{"name":"h","arguments":{"y":2}}}"#,
        ]);
        assert_eq!(calls, [r#"a f {"x":1}"#, "b f {}", r#"call_2 h {"y":2}"#]);
    }

    #[test]
    fn an_id_and_a_name_may_come_with_every_fragment() {
        let calls = read(&[
            r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}"#,
            r#"{"index":0,"id":"a","function":{"name":"f","arguments":":1}"}}"#,
            r#"{"index":0,"id":"","function":{"name":null,"arguments":null}}"#,
        ]);
        assert_eq!(calls, [r#"a f {"x":1}"#]);
    }

    #[test]
    fn calls_that_share_an_index_are_told_apart_by_their_ids() {
        let calls = read(&[
            r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}"#,
            r#"{"index":0,"id":"b","function":{"name":"g","arguments":"{"}}"#,
            r#"{"index":0,"function":{"arguments":"}"}}"#,
        ]);
        assert_eq!(calls, ["a f {}", "b g {}"]);
    }

    #[test]
    fn ids_become_unique() {
        let calls = read(&[
            r#"{"index":0,"id":"call_1","function":{"name":"f","arguments":"{}"}}"#,
            r#"{"index":1,"id":"call_1","function":{"name":"g","arguments":"{}"}}"#,
            r#"{"index":2,"function":{"name":"h","arguments":""}}"#,
        ]);
        assert_eq!(calls, ["call_1 f {}", "call_2 g {}", "call_3 h {}"]);
    }

    #[test]
    fn a_name_may_come_in_fragments() {
        let fragments = [
            r#"{"index":0,"id":"a","function":{"name":"get_"}}"#,
            r#"{"index":0,"function":{"name":"weather","arguments":"{}"}}"#,
        ];
        assert_eq!(read(&fragments), ["a get_weather {}"]);
    }
}
