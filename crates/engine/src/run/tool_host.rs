//! A node's host while a model calls it as a tool.

use super::host::NodeHost;
use crate::scope::ToolCallScope;
use model::{Code, Item, Items, Object, Str, Value};
use node_api::NodeError;
use node_api::ai::{Exposure, ToolCallContext};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A call of a node as a tool.
pub(super) struct ToolCallHost {
    pub(super) called: ToolCallScope,
    /// The item that it works on, without anything that a model gave.
    own: Option<Item>,
    /// The agent's item.
    pub(super) item: usize,
    /// Where the numbers of the workflows that it calls begin.
    calls_from: usize,
    n_calls: AtomicUsize,
    /// How many agents deep it is made.
    depth: usize,
    /// Whether JavaScript that runs for it may reach outside.
    pub(super) may_reach_out: bool,
    /// What the agent that calls has come across.
    pub(super) exposure: Exposure,
}

/// Agents that are tools of agents that are tools.
const MAX_DEPTH_OF_AGENTS: usize = 10;

impl NodeHost {
    /// The host for one call of the node as a tool.
    pub(super) fn called(
        &self,
        arguments: &Object,
        context: &ToolCallContext,
    ) -> Result<Self, NodeError> {
        let above = self.call.as_ref();
        let depth = above.map_or(1, |above| above.depth + 1);
        if depth > MAX_DEPTH_OF_AGENTS {
            let message =
                format!("Agents call each other more than {MAX_DEPTH_OF_AGENTS} levels deep");
            return Err(NodeError::new(Code::AGENT_DEPTH, message)
                .hint("Reduce the number of agents that delegate to other agents."));
        }
        let item = match above {
            Some(above) => Some(above.called.item.clone()),
            None => self
                .inputs()
                .iter()
                .flatten()
                .find(|items| !items.is_empty())
                .and_then(|items| items.get(context.item)),
        };
        let own = above.map_or_else(|| item.clone(), |above| above.own.clone());
        let call = ToolCallHost {
            called: ToolCallScope::new(arguments.clone(), item, self.call_name(&context.key)),
            own,
            item: above.map_or(context.item, |above| above.item),
            calls_from: place_of(&context.key, self.run.tries.load(Ordering::Relaxed)),
            n_calls: AtomicUsize::new(0),
            depth,
            may_reach_out: context.allow_egress,
            exposure: context.exposure,
        };
        Ok(self.with_call(Some(call)))
    }

    /// What a call is named among all of the run: agents that share a tool name their calls alike.
    fn call_name(&self, key: &str) -> Str {
        format!("{}.{} {key}", self.step, self.run.tries.load(Ordering::Relaxed)).into()
    }

    /// A parameter as it would be with arguments that no model has chosen.
    pub(super) fn with_neutral_arguments(&self, path: &str, item: usize) -> Vec<Value> {
        let Some(call) = &self.call else { return Vec::new() };
        let resolved = |text: &str| {
            let neutral = call
                .called
                .arguments
                .iter()
                .map(|(key, value)| (key.clone(), neutral(value, text)));
            self.parameter_if_called(
                path,
                item,
                &ToolCallScope::new(neutral.collect(), call.own.clone(), call.called.call.clone()),
            )
            .ok()
        };
        // Texts that hold nothing of a model: whatever comes out of an expression with one of them
        // is its author's. A model that knew them could choose a place by giving the same ones.
        let mut random = [0; 8];
        self.run.engine.ports.random.fill(&mut random);
        let random = format!("x{:016x}", u64::from_le_bytes(random));
        ["", &random, &format!("/{random}")].into_iter().filter_map(resolved).collect()
    }

    /// What a node that is called as a tool works on.
    pub(super) fn called_items(&self) -> Items {
        self.call
            .as_ref()
            .map(|call| Items::one(call.called.item.clone().paired_with(call.item)))
            .unwrap_or_default()
    }

    /// The place of the next workflow that the node calls among all that its step calls.
    pub(super) fn number_of_next_call(&self) -> usize {
        match &self.call {
            Some(call) => call.calls_from + call.n_calls.fetch_add(1, Ordering::Relaxed),
            None => self.run.calls.fetch_add(1, Ordering::Relaxed),
        }
    }
}

impl ToolCallHost {
    /// What the nodes that serve a called one see of the call: their own `$fromAI` is for their own
    /// callers.
    pub(super) fn seen_below(&self) -> Self {
        Self {
            called: ToolCallScope { arguments: Object::new(), ..self.called.clone() },
            own: self.own.clone(),
            item: self.item,
            calls_from: self.calls_from,
            n_calls: AtomicUsize::new(0),
            depth: self.depth,
            may_reach_out: self.may_reach_out,
            exposure: self.exposure,
        }
    }
}

/// An argument of the same kind that says nothing.
fn neutral(value: &Value, text: &str) -> Value {
    match value {
        Value::String(_) => text.into(),
        Value::Number(_) => 0.into(),
        Value::Bool(_) => false.into(),
        Value::Object(_) => Value::empty_object(),
        Value::Array(_) => Value::array(Vec::new()),
        other => other.clone(),
    }
}

/// Where the numbers of the workflows begin that a call of a tool calls: the same number for the
/// same call, far from those of other calls and from the small ones that count through a step.
fn place_of(key: &str, attempt: usize) -> usize {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let bytes = key.bytes().chain(attempt.to_le_bytes());
    let sum = bytes.fold(OFFSET, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(PRIME));
    // Room for 4,096 workflows a call, below the largest number that the store takes.
    ((1 << 60) | ((sum >> 16) << 12)) as usize
}

#[cfg(test)]
mod tests {
    use super::place_of;

    #[test]
    fn a_call_keeps_its_place_and_shares_it_with_no_other() {
        let places = [
            place_of("item 0: tool 1.1", 1),
            place_of("item 0: tool 1.2", 1),
            place_of("item 0: tool 1.1", 2),
        ];
        assert_eq!(places[0], place_of("item 0: tool 1.1", 1));
        assert!(places[0].abs_diff(places[1]) >= 4096 && places[0].abs_diff(places[2]) >= 4096);
        assert!(
            places.iter().all(|place| i64::try_from(*place).is_ok_and(|place| place > 1 << 59))
        );
    }
}
