//! n8n's Postgres PGVector Store.

use super::{StorePurpose, VectorBackend, VectorStoreSpec, chosen, filter_param};
use crate::integrations::postgres_server;
use node_api::ai::VectorStore;
use node_api::prelude::*;
use providers::vectors::{Columns, Distance, PostgresVectors, UsedCollection};
use std::sync::Arc;

pub(crate) struct PgVectorStore;

impl VectorBackend for PgVectorStore {
    fn store_spec() -> VectorStoreSpec {
        let distance = Param::choice(
            "distanceStrategy",
            "Distance strategy",
            &[("cosine", "Cosine"), ("innerProduct", "Inner product"), ("euclidean", "Euclidean")],
        )
        .help("Distance function.");
        VectorStoreSpec {
            node: "vectorStorePGVector",
            name: "Postgres PGVector Store",
            summary: "Store vectors in a Postgres table with pgvector",
            credential: Some("postgres"),
            shared: vec![
                Param::text("tableName", "Table name", "n8n_vectors")
                    .help("Table name. It is created if it does not exist."),
                Param::flag("createExtension", "Create extension", false).help(
                    "Whether to create the extension in the database if it does not exist. The \
                         role needs permission to do so.",
                ),
            ],
            insert_options: vec![collection_param(), columns_param()],
            search_options: vec![distance, collection_param(), columns_param(), filter_param()],
            can_update: false,
        }
    }

    async fn open(
        ctx: &Ctx<'_>,
        item: usize,
        _purpose: StorePurpose,
    ) -> Result<Arc<dyn VectorStore>, NodeError> {
        let connections = ctx
            .host()
            .shared_connections()
            .ok_or_else(|| NodeError::failed("Access to Postgres is not available"))?;
        let mut store = PostgresVectors::new(
            connections,
            postgres_server(ctx)?,
            &chosen(ctx, "tableName", item)?,
        );
        store.makes_extension = ctx.flag("createExtension", item)?;
        store.distance = match ctx.text("options.distanceStrategy", item)?.as_str() {
            "innerProduct" => Distance::InnerProduct,
            "euclidean" => Distance::Euclidean,
            _ => Distance::Cosine,
        };
        let text = |path: &str, usual: &str| {
            let given = ctx.text(&format!("options.{path}"), item)?;
            Ok::<Str, NodeError>(if given.is_empty() { usual.into() } else { given })
        };
        if ctx.flag("options.collection.values.useCollection", item)? {
            store.collection = Some(UsedCollection {
                name: text("collection.values.collectionName", "n8n")?,
                table: text("collection.values.collectionTableName", "n8n_vector_collections")?,
            });
        }
        store.columns = Columns {
            id: text("columnNames.values.idColumnName", "id")?,
            vector: text("columnNames.values.vectorColumnName", "embedding")?,
            content: text("columnNames.values.contentColumnName", "text")?,
            metadata: text("columnNames.values.metadataColumnName", "metadata")?,
        };
        Ok(Arc::new(store))
    }
}

fn collection_param() -> Param {
    let fields = [
        Param::flag("useCollection", "Use collection", false)
            .help("Whether to use a collection within the table."),
        Param::text("collectionName", "Collection name", "n8n").help("Name of the collection."),
        Param::text("collectionTableName", "Collection table name", "n8n_vector_collections")
            .help("Table with the collections."),
    ];
    Param::group(
        "collection",
        "Collection",
        [FieldGroup::new("values", "Collection settings", fields)],
    )
    .help("Collection options.")
}

fn columns_param() -> Param {
    let fields = [
        Param::text("idColumnName", "ID column name", "id").help("The column with the IDs."),
        Param::text("vectorColumnName", "Vector column name", "embedding")
            .help("The column with the vectors."),
        Param::text("contentColumnName", "Content column name", "text")
            .help("The column with the texts."),
        Param::text("metadataColumnName", "Metadata column name", "metadata")
            .help("The column with the metadata."),
    ];
    Param::group(
        "columnNames",
        "Column names",
        [FieldGroup::new("values", "Column name settings", fields)],
    )
    .help("Names of the columns.")
}
