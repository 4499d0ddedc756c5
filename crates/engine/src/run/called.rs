//! A node's host while a model calls it as a tool.

use super::host::NodeHost;
use crate::scope::Called;
use model::{Code, Items, Object};
use node_api::NodeError;
use node_api::ai::ToolCallContext;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A call of a node as a tool.
pub(super) struct CallAsTool {
    pub(super) called: Called,
    /// The agent's item.
    pub(super) item: usize,
    /// Where the numbers of the workflows that it calls begin.
    calls_from: usize,
    n_calls: AtomicUsize,
    /// How many agents deep it is made.
    depth: usize,
}

/// Agents that are tools of agents that are tools.
const MAX_DEPTH_OF_AGENTS: usize = 10;

impl NodeHost {
    /// The host for one call of the node as a tool.
    pub(super) fn called(&self, arguments: &Object, context: &ToolCallContext) -> Result<Self, NodeError> {
        let above = self.call.as_ref();
        let depth = above.map_or(1, |above| above.depth + 1);
        if depth > MAX_DEPTH_OF_AGENTS {
            let message = format!("Agents call each other more than {MAX_DEPTH_OF_AGENTS} deep");
            return Err(NodeError::new(Code::AGENT_DEPTH, message).hint("Let fewer agents hand their task down."));
        }
        let item = match above {
            Some(above) => Some(above.called.item.clone()),
            None => self.inputs().iter().flatten().find(|items| !items.is_empty()).and_then(|items| items.get(context.item)),
        };
        let call = CallAsTool {
            called: Called::new(arguments.clone(), item),
            item: above.map_or(context.item, |above| above.item),
            calls_from: place_of(&context.key, self.run.tries.load(Ordering::Relaxed)),
            n_calls: AtomicUsize::new(0),
            depth,
        };
        Ok(self.again(Some(call)))
    }

    /// What a node that is called as a tool works on.
    pub(super) fn called_items(&self) -> Items {
        self.call.as_ref().map(|call| Items::one(call.called.item.clone().paired_with(call.item))).unwrap_or_default()
    }

    /// The place of the next workflow that the node calls among all that its step calls.
    pub(super) fn number_of_next_call(&self) -> usize {
        match &self.call {
            Some(call) => call.calls_from + call.n_calls.fetch_add(1, Ordering::Relaxed),
            None => self.run.calls.fetch_add(1, Ordering::Relaxed),
        }
    }
}

impl CallAsTool {
    /// What the nodes that serve a called one see of the call: their own `$fromAI` is for their own callers.
    pub(super) fn seen_below(&self) -> Self {
        Self {
            called: Called { arguments: Object::new(), item: self.called.item.clone() },
            item: self.item,
            calls_from: self.calls_from,
            n_calls: AtomicUsize::new(0),
            depth: self.depth,
        }
    }
}

/// Where the numbers of the workflows begin that a call of a tool calls: the same number for the same call, far from those of other
/// calls and from the small ones that count through a step.
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
        let places = [place_of("item 0: tool 1.1", 1), place_of("item 0: tool 1.2", 1), place_of("item 0: tool 1.1", 2)];
        assert_eq!(places[0], place_of("item 0: tool 1.1", 1));
        assert!(places[0].abs_diff(places[1]) >= 4096 && places[0].abs_diff(places[2]) >= 4096);
        assert!(places.iter().all(|place| i64::try_from(*place).is_ok_and(|place| place > 1 << 59)));
    }
}
