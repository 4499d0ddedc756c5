//! n8n's Zep Vector Store: known, so that checks and the editor can say what to use instead.

use super::{StorePurpose, VectorBackend, VectorStoreSpec};
use crate::ai::memory::unavailable::unavailable;
use node_api::ai::VectorStore;
use node_api::prelude::*;
use std::sync::Arc;

const WHY: &str = "Not available: Zep has discontinued document collections. Use Qdrant Vector Store, \
                   PGVector Vector Store or a Knowledge Base.";

pub(crate) struct ZepStore;

impl VectorBackend for ZepStore {
    const UNAVAILABLE: Option<&'static str> = Some(WHY);

    fn store_spec() -> VectorStoreSpec {
        VectorStoreSpec {
            node: "vectorStoreZep",
            name: "Zep Vector Store",
            summary: "Known from n8n, not available here",
            credential: None,
            shared: vec![
                Param::text("collectionName", "Collection name", "")
                    .help("Name of the collection."),
            ],
            insert_options: Vec::new(),
            search_options: Vec::new(),
            can_update: false,
        }
    }

    async fn open(
        _ctx: &Ctx<'_>,
        _item: usize,
        _purpose: StorePurpose,
    ) -> Result<Arc<dyn VectorStore>, NodeError> {
        Err(unavailable("Zep Vector Store", WHY))
    }
}
