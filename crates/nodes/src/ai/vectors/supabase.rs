//! n8n's Supabase Vector Store.

use super::{StorePurpose, VectorBackend, VectorStoreSpec, chosen, filter_param};
use crate::ai::models::{field, secret};
use node_api::ai::VectorStore;
use node_api::prelude::*;
use providers::vectors::Supabase;
use std::sync::Arc;

pub(crate) struct SupabaseStore;

const QUERY: &str = "match_documents";

impl VectorBackend for SupabaseStore {
    fn store_spec() -> VectorStoreSpec {
        let query = || {
            Param::text("queryName", "Query name", QUERY)
                .help("Database function that finds documents.")
        };
        VectorStoreSpec {
            node: "vectorStoreSupabase",
            name: "Supabase Vector Store",
            summary: "Store vectors in a Supabase table",
            credential: Some("supabaseApi"),
            shared: vec![
                Param::locator("tableName", "Table name", &["list", "id"])
                    .required()
                    .help("The table with the documents."),
            ],
            insert_options: vec![query()],
            search_options: vec![query(), filter_param()],
            can_update: true,
        }
    }

    async fn open(
        ctx: &Ctx<'_>,
        item: usize,
        _purpose: StorePurpose,
    ) -> Result<Arc<dyn VectorStore>, NodeError> {
        let credential = ctx.host().credential("supabaseApi", item)?;
        let http = ctx
            .host()
            .shared_http()
            .ok_or_else(|| NodeError::failed("HTTP access to Supabase is not available"))?;
        let given = ctx.text("options.queryName", item)?;
        let query = if given.is_empty() { QUERY.into() } else { given };
        let table = chosen(ctx, "tableName", item)?;
        Ok(Arc::new(Supabase::new(
            http,
            &field(&credential, "host"),
            &secret(&credential, "serviceRole"),
            table,
            query,
        )))
    }
}
