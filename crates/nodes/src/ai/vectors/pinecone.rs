//! n8n's Pinecone Vector Store.

use super::{StorePurpose, VectorBackend, VectorStoreSpec, chosen, filter_param};
use crate::ai::models::secret;
use node_api::ai::VectorStore;
use node_api::prelude::*;
use providers::vectors::{PINECONE_URL, Pinecone};
use std::sync::Arc;

pub(crate) struct PineconeStore;

impl VectorBackend for PineconeStore {
    fn store_spec() -> VectorStoreSpec {
        let namespace = || {
            Param::text("pineconeNamespace", "Pinecone namespace", "")
                .help("Namespace of the index.")
        };
        let clear = Param::flag("clearNamespace", "Clear namespace", false)
            .help("Whether to clear the namespace first.");
        VectorStoreSpec {
            node: "vectorStorePinecone",
            name: "Pinecone Vector Store",
            summary: "Store vectors in a Pinecone index",
            credential: Some("pineconeApi"),
            shared: vec![
                Param::locator("pineconeIndex", "Pinecone index", &["list", "id"])
                    .required()
                    .help("The index."),
            ],
            insert_options: vec![clear, namespace()],
            search_options: vec![namespace(), filter_param()],
            can_update: true,
        }
    }

    async fn open(
        ctx: &Ctx<'_>,
        item: usize,
        purpose: StorePurpose,
    ) -> Result<Arc<dyn VectorStore>, NodeError> {
        let credential = ctx.host().credential("pineconeApi", item)?;
        let http = ctx
            .host()
            .shared_http()
            .ok_or_else(|| NodeError::failed("HTTP access to Pinecone is not available"))?;
        let namespace = ctx.text("options.pineconeNamespace", item)?;
        let index = chosen(ctx, "pineconeIndex", item)?;
        let store = Pinecone::new(
            http,
            PINECONE_URL,
            &secret(&credential, "apiKey"),
            index,
            namespace.clone(),
        );
        // Without a namespace the whole index would go.
        if purpose == StorePurpose::InsertFirst
            && !namespace.is_empty()
            && ctx.flag("options.clearNamespace", item)?
        {
            store.clear_namespace().await?;
        }
        Ok(Arc::new(store))
    }
}
