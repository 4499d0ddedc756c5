//! n8n's Simple Vector Store, in the memory of the process.

use super::{StorePurpose, VectorBackend, VectorStoreSpec, chosen};
use node_api::ai::VectorStore;
use node_api::prelude::*;
use providers::vectors::ProcessVectors;
use std::sync::Arc;

pub(crate) struct InMemoryStore;

const KEY: &str = "vector_store_key";

impl VectorBackend for InMemoryStore {
    fn store_spec() -> VectorStoreSpec {
        VectorStoreSpec {
            node: "vectorStoreInMemory",
            name: "Simple Vector Store",
            summary: "Store vectors in memory until the process exits",
            credential: None,
            shared: vec![
                Param::text("memoryKey", "Memory key", KEY)
                    .until(1.1)
                    .help("Name of the store. Each workflow has its own stores."),
                Param::locator("memoryKey", "Memory key", &["list", "id"])
                    .preset(json!({ "mode": "list", "value": "vector_store_key" }))
                    .since(1.2)
                    .help("Name of the store. The workflows of a project share it."),
                Param::flag("clearStore", "Clear store", false)
                    .help("Whether to clear the store before inserting.")
                    .show("mode", &["insert"]),
            ],
            insert_options: Vec::new(),
            search_options: Vec::new(),
            can_update: false,
        }
    }

    async fn open(
        ctx: &Ctx<'_>,
        item: usize,
        purpose: StorePurpose,
    ) -> Result<Arc<dyn VectorStore>, NodeError> {
        let key = chosen(ctx, "memoryKey", item)?;
        // n8n shares keys with everybody; here they end with the project.
        let project = ctx.host().collections().scoped_project().await?;
        let scope = if ctx.version() <= 1.1 {
            ctx.host().execution().workflow_id.clone()
        } else {
            Str::new()
        };
        let store = ProcessVectors::shared().store(
            model::json::to_string(&Value::array(vec![project.into(), scope.into(), key.into()]))
                .into(),
        );
        if purpose == StorePurpose::InsertFirst && ctx.flag("clearStore", item)? {
            store.clear();
        }
        Ok(Arc::new(store))
    }
}
