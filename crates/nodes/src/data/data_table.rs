//! Keeps rows in data tables and finds them again, in this run and in later ones.

mod filter;
mod locate;
mod params;
mod row_operations;
mod table_operations;

use node_api::prelude::*;

pub(crate) struct DataTable;

impl Node for DataTable {
    fn spec() -> Spec {
        Spec::new(
            "n8n-nodes-base.dataTable",
            &[1.0, 1.1],
            "Data table",
            "Store rows in a table across executions",
        )
        .icon("table-2")
        .untrusted()
        .private()
        .group(NodeGroup::Data)
        .params(params::params())
        .hint(
            "Use it for state between runs: lookups, processed IDs, small results. Upsert by \
                 your own key.",
        )
        .alias(&["database", "storage", "rows", "state", "memory"])
        .repeatable_when("operation", &["get", "rowExists", "rowNotExists", "list"])
        .differs(
            "Table names are unique within the instance. If no table has the given ID, it is \
                 looked up by name.",
        )
        .note(
            "A table can store at most 50 MB unless HEDDLE_TABLE_BYTES is set. Column types are \
                 text, number, boolean and date.",
        )
        .note("All changes are validated before the first one is applied.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let operation = ctx.text("operation", 0)?;
        match (ctx.text("resource", 0)?.as_str(), operation.as_str()) {
            ("row", "insert") => row_operations::insert(ctx, &items).await,
            ("row", "get") => row_operations::get(ctx, &items).await,
            ("row", "rowExists") => {
                row_operations::exists(ctx, &items, row_operations::ExistenceFilter::Existing).await
            }
            ("row", "rowNotExists") => {
                row_operations::exists(ctx, &items, row_operations::ExistenceFilter::Missing).await
            }
            ("row", "update" | "upsert" | "deleteRows") => {
                row_operations::change(ctx, &items, &operation).await
            }
            ("table", "create" | "delete" | "list" | "update" | "clear") => {
                table_operations::run(ctx, &items, &operation).await
            }
            (resource, other) => Err(NodeError::parameter(
                "operation",
                format!("Unknown operation '{other}' for '{resource}'"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    #[test]
    fn only_reading_may_be_taken_again() {
        let spec = DataTable::spec();
        for (operation, expected) in [
            ("get", true),
            ("rowExists", true),
            ("list", true),
            ("insert", false),
            ("upsert", false),
        ] {
            assert_eq!(
                spec.may_repeat(&json!({ "operation": operation })),
                expected,
                "{operation}"
            );
        }
    }

    #[tokio::test]
    async fn without_a_data_folder_the_error_says_so() {
        let params = json!({ "operation": "get", "dataTableId": { "mode": "id", "value": "x" } });
        let error = run::<DataTable>(params, json!([{}])).await.unwrap_err();
        assert_eq!(error.code(), Code::TABLE_NOT_FOUND);
        assert!(error.to_run_error("n").hint.unwrap().contains("HEDDLE_DATA"));
    }

    #[tokio::test]
    async fn a_table_must_be_chosen() {
        let error = run::<DataTable>(json!({ "operation": "get" }), json!([{}])).await.unwrap_err();
        assert_eq!(error.code(), Code::NODE_PARAMETER);
    }
}
