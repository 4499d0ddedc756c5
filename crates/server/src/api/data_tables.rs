//! `/api/v1/data-tables`: the tables themselves and their columns.

use super::{ApiOperation, RequestJson, RequestQuery, invalid, not_found, to_cursor};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire::{self, TableSort, TableSortField};
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, patch, post};
use model::Str;
use node_api::tables::{ColumnChange, NewColumn, NewTable, SortOrder, TableError, TableRecord};

#[rustfmt::skip]
pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new("GET", "/data-tables", "dataTable:list", "listDataTables", "List data tables", || get(list))
        .query::<wire::DataTableQuery>()
        .response::<wire::DataTableList>(200),
    ApiOperation::new("POST", "/data-tables", "dataTable:create", "createDataTable", "Create a data table", || post(create))
        .request_body::<wire::DataTableInput>().response::<wire::DataTable>(201),
    ApiOperation::new("GET", "/data-tables/{id}", "dataTable:read", "getDataTable", "Show a data table", || get(show)).response::<wire::DataTable>(200),
    ApiOperation::new("PATCH", "/data-tables/{id}", "dataTable:update", "updateDataTable", "Rename a data table", || patch(rename))
        .request_body::<wire::DataTableName>().response::<wire::DataTable>(200),
    ApiOperation::new("DELETE", "/data-tables/{id}", "dataTable:delete", "deleteDataTable", "Delete a data table and its rows", || {
        delete(remove)
    }).empty_response(204),
    ApiOperation::new("GET", "/data-tables/{id}/columns", "dataTable:read", "listDataTableColumns", "List the columns of a data table", || {
        get(columns)
    }).response::<wire::DataTableColumns>(200),
    ApiOperation::new("POST", "/data-tables/{id}/columns", "dataTable:update", "createDataTableColumn", "Add a column", || post(add_column))
        .request_body::<wire::DataTableColumnInput>().response::<wire::DataTableColumn>(201),
    ApiOperation::new("PATCH", "/data-tables/{id}/columns/{columnId}", "dataTable:update", "updateDataTableColumn", "Rename or move a column", || {
        patch(change_column)
    }).request_body::<wire::DataTableColumnChange>().response::<wire::DataTableColumn>(200),
    ApiOperation::new("DELETE", "/data-tables/{id}/columns/{columnId}", "dataTable:update", "deleteDataTableColumn", "Delete a column and its values", || {
        delete(remove_column)
    }).empty_response(204),
];

impl From<TableError> for ApiError {
    fn from(error: TableError) -> Self {
        let told = ApiError::new(error.code(), error.to_string());
        match error.hint() {
            Some(hint) => told.hint(hint),
            None => told,
        }
    }
}

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::DataTableQuery>,
) -> Result<Response, ApiError> {
    let limit = query.limit.get();
    let mut found = app.store.tables().await?;
    found.retain(|table| who.access.can_view(&table.project_id));
    if let Some(wire::JsonText(wanted)) = query.filter {
        found.retain(|table| wanted.matches(table));
    }
    sort(&mut found, query.sort_by.unwrap_or_default());
    let skip = query.cursor.0.unwrap_or(0) as usize;
    let rest = found.get(skip..).unwrap_or_default();
    let next = (rest.len() > limit).then(|| to_cursor(&(skip + limit).to_string()));
    let data = rest.iter().take(limit).map(Into::into).collect();
    Ok(typed(StatusCode::OK, &wire::DataTableList { data, next_cursor: next }))
}

async fn create(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let wire::DataTableInput { name, columns, project_id } = body.read()?;
    let columns = columns
        .into_iter()
        .map(|column| NewColumn { name: column.name.0.into(), kind: column.kind.into() })
        .collect();
    let project_id = Some(who.target_project(&app, project_id.as_deref()).await?);
    let name = name.into();
    let table = app.store.create_table(NewTable { name, columns, project_id }).await?;
    Ok(typed(StatusCode::CREATED, &wire::DataTable::from(&table)))
}

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let table = who.table(&app, &id, AccessLevel::View).await?;
    Ok(typed(StatusCode::OK, &wire::DataTable::from(&table)))
}

async fn rename(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let wire::DataTableName { name } = body.read()?;
    who.table(&app, &id, AccessLevel::Edit).await?;
    let table = app.store.rename_table(&id, &Str::from(name)).await?;
    Ok(typed(StatusCode::OK, &wire::DataTable::from(&table)))
}

async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    who.table(&app, &id, AccessLevel::Edit).await?;
    app.store.delete_table(&id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn columns(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let table = who.table(&app, &id, AccessLevel::View).await?;
    let columns = wire::DataTableColumns(table.columns.iter().map(Into::into).collect());
    Ok(typed(StatusCode::OK, &columns))
}

async fn add_column(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let wire::DataTableColumnInput { name, kind, index } = body.read()?;
    who.table(&app, &id, AccessLevel::Edit).await?;
    let column = NewColumn { name: name.0.into(), kind: kind.into() };
    let column = app.store.add_column(&id, column, index.map(wire::Count::as_usize)).await?;
    Ok(typed(StatusCode::CREATED, &wire::DataTableColumn::from(&column)))
}

async fn change_column(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path((id, column_id)): Path<(String, String)>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    has_column(&who.table(&app, &id, AccessLevel::Edit).await?, &column_id)?;
    let wire::DataTableColumnChange { name, index } = body.read()?;
    let change = ColumnChange {
        name: name.map(|name| name.0.into()),
        index: index.map(wire::Count::as_usize),
    };
    if change.name.is_none() && change.index.is_none() {
        return Err(invalid("body", "must have a name or an index"));
    }
    let column = app.store.change_column(&id, &column_id, change).await?;
    Ok(typed(StatusCode::OK, &wire::DataTableColumn::from(&column)))
}

async fn remove_column(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path((id, column_id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    has_column(&who.table(&app, &id, AccessLevel::Edit).await?, &column_id)?;
    app.store.delete_column(&id, &column_id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

fn has_column(table: &TableRecord, column_id: &str) -> Result<(), ApiError> {
    match table.columns.iter().any(|column| column.id == column_id) {
        true => Ok(()),
        false => Err(not_found("column", column_id)),
    }
}

fn sort(tables: &mut [TableRecord], sort: TableSort) {
    match sort.field {
        TableSortField::Name => tables.sort_by_cached_key(|table| table.name.to_lowercase()),
        TableSortField::CreatedAt => tables.sort_by_key(|table| table.created_ms),
        TableSortField::UpdatedAt => tables.sort_by_key(|table| table.updated_ms),
        TableSortField::Size => tables.sort_by_key(|table| table.bytes),
    }
    if sort.order == SortOrder::Descending {
        tables.reverse();
    }
}
