//! n8n's MongoDB Atlas Vector Store: known, so that checks and the editor can say what to use
//! instead.

use super::{StorePurpose, VectorBackend, VectorStoreSpec};
use crate::ai::memory::unavailable::unavailable;
use node_api::ai::VectorStore;
use node_api::prelude::*;
use std::sync::Arc;

const NAME: &str = "MongoDB Atlas Vector Store";
const WHY: &str = "Not available: MongoDB is not supported yet. Use PGVector Vector Store, Qdrant \
                   Vector Store or a Knowledge Base.";

pub(crate) struct MongoDbAtlasStore;

impl VectorBackend for MongoDbAtlasStore {
    const UNAVAILABLE: Option<&'static str> = Some(WHY);

    fn store_spec() -> VectorStoreSpec {
        VectorStoreSpec {
            node: "vectorStoreMongoDBAtlas",
            name: NAME,
            summary: "Known from n8n, not available here",
            credential: None,
            shared: vec![
                Param::locator("mongoCollection", "MongoDB collection", &["list", "name"])
                    .help("Name of the collection."),
                Param::text("embedding", "Embedding", "embedding").help("Field with the vector."),
                Param::text("metadata_field", "Metadata field", "text")
                    .help("Field with the text."),
                Param::text("vectorIndexName", "Vector index name", "")
                    .help("Name of the vector index."),
            ],
            insert_options: Vec::new(),
            search_options: Vec::new(),
            can_update: true,
        }
    }

    async fn open(
        _ctx: &Ctx<'_>,
        _item: usize,
        _purpose: StorePurpose,
    ) -> Result<Arc<dyn VectorStore>, NodeError> {
        Err(unavailable(NAME, WHY))
    }
}
