//! n8n's memories that cannot be used here: known, so that checks and the editor can say what to use
//! instead.

use super::spec;
use node_api::ai::Supply;
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use std::marker::PhantomData;

/// What tells one of them from the others.
pub(crate) struct UnavailableMemorySpec {
    /// The end of n8n's type.
    node: &'static str,
    versions: &'static [f64],
    name: &'static str,
    /// Why, and what to use instead.
    why: &'static str,
}

/// One of them as a type.
pub(crate) trait UnavailableMemory: 'static {
    const SPEC: UnavailableMemorySpec;
}

pub(crate) struct Xata;

impl UnavailableMemory for Xata {
    const SPEC: UnavailableMemorySpec = UnavailableMemorySpec {
        node: "memoryXata",
        versions: &[1.0, 1.1, 1.2, 1.3, 1.4],
        name: "Xata",
        why: "Not available: Xata has discontinued the API that this memory uses. Use SQLite Memory \
              or Postgres Chat Memory.",
    };
}

pub(crate) struct Zep;

impl UnavailableMemory for Zep {
    const SPEC: UnavailableMemorySpec = UnavailableMemorySpec {
        node: "memoryZep",
        versions: &[1.0, 1.1, 1.2, 1.3],
        name: "Zep",
        why: "Not available: Zep has discontinued its Community Edition and the API that this memory \
              uses. Use SQLite Memory, Postgres Chat Memory or Hybrid Memory.",
    };
}

pub(crate) struct ZepV2;

impl UnavailableMemory for ZepV2 {
    const SPEC: UnavailableMemorySpec = UnavailableMemorySpec {
        node: "memoryZepV2",
        versions: &[1.0],
        name: "Zep v2",
        ..Zep::SPEC
    };
}

/// The node of a memory.
pub(crate) struct UnavailableMemoryNode<M>(PhantomData<M>);

impl<M: UnavailableMemory> Supplier for UnavailableMemoryNode<M> {
    fn spec() -> Spec {
        let row = M::SPEC;
        let id = format!("@n8n/n8n-nodes-langchain.{}", row.node);
        spec(&id, row.versions, row.name, "Known from n8n, not available here")
            .legacy()
            .differs(row.why)
            .hint("Do not use it. Choose another memory.")
    }

    async fn supply(_ctx: SupplyCtx) -> Result<Supply, NodeError> {
        Err(unavailable(M::SPEC.name, M::SPEC.why))
    }
}

/// What a node says that is known and does not run.
pub(in crate::ai) fn unavailable(name: &str, why: &str) -> NodeError {
    let (told, instead) = why.split_once(". ").unwrap_or((why, ""));
    NodeError::failed(format!("'{name}': {told}")).hint(instead)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_says_why_and_what_to_use_instead() {
        for row in [Xata::SPEC, Zep::SPEC, ZepV2::SPEC] {
            let error = unavailable(row.name, row.why);
            assert!(error.message().contains("Not available: "), "{error}");
            let hint = error.to_run_error("Memory").hint.unwrap_or_default();
            assert!(hint.starts_with("Use "), "{hint}");
        }
    }
}
