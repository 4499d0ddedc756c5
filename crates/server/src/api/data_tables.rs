//! `/api/v1/data-tables`: the tables themselves and their columns.

use super::operation::{CURSOR, LIMIT, QueryParam};
use super::{
    ApiOperation, BodyFields, QueryParams, RequestJson, invalid, limit, not_found,
    number_from_cursor, request, to_cursor,
};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, patch, post};
use model::{Code, Object, Value};
use node_api::tables::{
    ColumnChange, ColumnKind, NewColumn, NewTable, SortOrder, TableError, TableRecord,
};

#[rustfmt::skip]
pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new("GET", "/data-tables", "dataTable:list", "listDataTables", "List data tables", || get(list))
        .query(&[LIMIT, CURSOR, QueryParam("filter", "string"), QueryParam("sortBy", "string")])
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
    query: QueryParams,
) -> Result<Response, ApiError> {
    let limit = limit(&query)?;
    let mut found = app.store.tables().await?;
    found.retain(|table| who.access.can_view(&table.project_id));
    if let Some(filter) = query.get("filter") {
        let wanted = TableFilter::parse(filter)?;
        found.retain(|table| wanted.matches(table));
    }
    sort(&mut found, query.get("sortBy").map_or("name:asc", String::as_str))?;
    let skip = offset(&query)?;
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
    let body = BodyFields::read(&body, &["name", "columns", "projectId"])?;
    let list = body
        .get("columns")
        .and_then(Value::as_array)
        .ok_or_else(|| invalid("columns", "must be a list"))?;
    let columns = list
        .iter()
        .map(|column| new_column(&BodyFields::of(column, &["name", "type"])?))
        .collect::<Result<_, ApiError>>()?;
    let project_id =
        Some(who.target_project(&app, body.optional_text("projectId", 1, 100)?).await?);
    let name = body.text("name", 1, 1000)?.trim().into();
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
    let body = BodyFields::read(&body, &["name"])?;
    who.table(&app, &id, AccessLevel::Edit).await?;
    let table = app.store.rename_table(&id, body.text("name", 1, 1000)?.trim()).await?;
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
    let body = BodyFields::read(&body, &["name", "type", "index"])?;
    who.table(&app, &id, AccessLevel::Edit).await?;
    let column = app.store.add_column(&id, new_column(&body)?, index(&body)?).await?;
    Ok(typed(StatusCode::CREATED, &wire::DataTableColumn::from(&column)))
}

async fn change_column(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path((id, column_id)): Path<(String, String)>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    has_column(&who.table(&app, &id, AccessLevel::Edit).await?, &column_id)?;
    let body = BodyFields::read(&body, &["name", "index"])?;
    let change = ColumnChange {
        name: body.optional_text("name", 1, 1000)?.map(Into::into),
        index: index(&body)?,
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

fn new_column(body: &BodyFields) -> Result<NewColumn, ApiError> {
    let kind = ColumnKind::from_name(body.text("type", 1, 20)?);
    let kind = kind.ok_or_else(|| invalid("type", "must be string, number, boolean or date"))?;
    Ok(NewColumn { name: body.text("name", 1, 1000)?.into(), kind })
}

fn index(body: &BodyFields) -> Result<Option<usize>, ApiError> {
    let whole =
        |value: &Value| value.as_usize().ok_or_else(|| invalid("index", "must be a whole number"));
    body.get("index").map(whole).transpose()
}

/// Where a list that is paged by count goes on.
pub(super) fn offset(query: &QueryParams) -> Result<usize, ApiError> {
    Ok(number_from_cursor::<u32>(query)?.unwrap_or(0) as usize)
}

/// `column:asc` or `column:desc`.
pub(super) fn sorting(text: &str) -> Result<(&str, SortOrder), ApiError> {
    match text.rsplit_once(':') {
        Some((column, "asc")) => Ok((column, SortOrder::Ascending)),
        Some((column, "desc")) => Ok((column, SortOrder::Descending)),
        _ => Err(invalid("sortBy", "must be a column name followed by :asc or :desc")),
    }
}

fn sort(tables: &mut [TableRecord], text: &str) -> Result<(), ApiError> {
    let (field, order) = sorting(text)?;
    match field {
        "name" => tables.sort_by_cached_key(|table| table.name.to_lowercase()),
        "createdAt" => tables.sort_by_key(|table| table.created_ms),
        "updatedAt" => tables.sort_by_key(|table| table.updated_ms),
        "size" | "sizeBytes" => tables.sort_by_key(|table| table.bytes),
        _ => return Err(invalid("sortBy", "must be name, createdAt, updatedAt or size")),
    }
    if order == SortOrder::Descending {
        tables.reverse();
    }
    Ok(())
}

/// Which tables a list is asked for: `{ "id", "name", "projectId" }`, each a text or a list of
/// them.
struct TableFilter(Object);

impl TableFilter {
    fn parse(text: &str) -> Result<Self, ApiError> {
        let value = request::json(text).map_err(|_| invalid("filter", "is not JSON"))?;
        let fields = value.as_object().ok_or_else(|| invalid("filter", "must be an object"))?;
        let is_text = |value: &Value| value.is_string();
        for (key, value) in fields.iter() {
            let is_known = ["id", "name", "projectId"].contains(&key.as_str());
            if !is_known
                || !(is_text(value)
                    || value.as_array().is_some_and(|list| list.iter().all(is_text)))
            {
                return Err(ApiError::new(
                    Code::REQUEST_INVALID,
                    "'filter' must have strings or lists of strings in id, name and projectId",
                ));
            }
        }
        Ok(Self(fields.clone()))
    }

    fn matches(&self, table: &TableRecord) -> bool {
        self.0.iter().all(|(key, wanted)| {
            let fits = |wanted: &Value| {
                let wanted = wanted.as_str().unwrap_or_default();
                match key.as_str() {
                    "id" => table.id == wanted,
                    "name" => table.name.to_lowercase().contains(&wanted.to_lowercase()),
                    _ => table.project_id == wanted,
                }
            };
            match wanted {
                Value::Array(list) => list.iter().any(fits),
                one => fits(one),
            }
        })
    }
}
