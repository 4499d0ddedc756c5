//! n8n's Qdrant Vector Store.

use super::{StorePurpose, VectorBackend, VectorStoreSpec, chosen};
use crate::ai::models::{field, secret};
use node_api::ai::VectorStore;
use node_api::prelude::*;
use providers::vectors::Qdrant;
use std::sync::Arc;

pub(crate) struct QdrantStore;

impl VectorBackend for QdrantStore {
    fn store_spec() -> VectorStoreSpec {
        let keys = || {
            [
                Param::text("contentPayloadKey", "Content payload key", "content")
                    .help("Payload field with the text."),
                Param::text("metadataPayloadKey", "Metadata payload key", "metadata")
                    .help("Payload field with the metadata."),
            ]
        };
        let config = Param::json("collectionConfig", "Collection config", "").help(
            "Settings for new collections, in Qdrant's format. Defaults to the vector size with \
                 cosine distance.",
        );
        let filter = Param::json("searchFilterJson", "Search filter", "")
            .help("A filter in Qdrant's format.");
        VectorStoreSpec {
            node: "vectorStoreQdrant",
            name: "Qdrant Vector Store",
            summary: "Store vectors in a Qdrant collection",
            credential: Some("qdrantApi"),
            shared: vec![
                Param::locator("qdrantCollection", "Qdrant collection", &["list", "id"])
                    .required()
                    .help("Collection name. It is created on insert if it does not exist."),
            ],
            insert_options: [config].into_iter().chain(keys()).collect(),
            search_options: [filter].into_iter().chain(keys()).collect(),
            can_update: false,
        }
    }

    async fn open(
        ctx: &Ctx<'_>,
        item: usize,
        _purpose: StorePurpose,
    ) -> Result<Arc<dyn VectorStore>, NodeError> {
        let credential = ctx.host().credential("qdrantApi", item)?;
        let http = ctx
            .host()
            .shared_http()
            .ok_or_else(|| NodeError::failed("HTTP access to Qdrant is not available"))?;
        let collection = chosen(ctx, "qdrantCollection", item)?;
        let mut store = Qdrant::new(
            http,
            &field(&credential, "qdrantUrl"),
            &secret(&credential, "apiKey"),
            collection,
        );
        store.collection_config = json_option(ctx, item, "collectionConfig")?;
        store.filter = json_option(ctx, item, "searchFilterJson")?;
        for (name, key) in [
            ("contentPayloadKey", &mut store.content_key),
            ("metadataPayloadKey", &mut store.metadata_key),
        ] {
            let given = ctx.text(&format!("options.{name}"), item)?;
            if !given.is_empty() {
                *key = given;
            }
        }
        Ok(Arc::new(store))
    }
}

/// JSON that was written, or that an expression made.
fn json_option(ctx: &Ctx<'_>, item: usize, name: &str) -> Result<Option<Value>, NodeError> {
    let path = format!("options.{name}");
    match ctx.param(&path, item)? {
        value @ Value::Object(_) => Ok(Some(value)),
        Value::String(text) if !text.trim().is_empty() => match model::json::parse(&text) {
            Ok(value @ Value::Object(_)) => Ok(Some(value)),
            _ => Err(NodeError::parameter(&path, format!("'{name}' must be a JSON object"))
                .on_item(item)),
        },
        _ => Ok(None),
    }
}
