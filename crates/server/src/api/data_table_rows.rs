//! `/api/v1/data-tables/{id}/rows`: the rows of a data table, and all of them as CSV.

use super::{ApiOperation, QueryResult, RequestJson, RequestQuery, invalid, to_cursor};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::{delete, get, patch, post};
use model::{Object, Value};
use node_api::tables::{ChangeMode, Returning, RowFilter, RowQuery, TableRecord};

/// Rows that are read at once for a file.
const FILE_PAGE: usize = 1000;

#[rustfmt::skip]
pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new("GET", "/data-tables/{id}/rows", "dataTable:readRow", "listDataTableRows", "List the rows of a data table", || get(list))
        .query::<wire::DataTableRowQuery>().response::<wire::DataTableRowList>(200),
    ApiOperation::new("POST", "/data-tables/{id}/rows", "dataTable:writeRow", "insertDataTableRows", "Insert rows", || post(insert))
        .request_body::<wire::DataTableInsert>().response::<wire::DataTableInserted>(200),
    ApiOperation::new("PATCH", "/data-tables/{id}/rows/update", "dataTable:writeRow", "updateDataTableRows", "Update the rows that match a filter", || {
        patch(update)
    }).request_body::<wire::DataTableChange>().response::<wire::DataTableChanged>(200),
    ApiOperation::new("POST", "/data-tables/{id}/rows/upsert", "dataTable:writeRow", "upsertDataTableRow", "Update the matching rows, or insert one", || {
        post(upsert)
    }).request_body::<wire::DataTableChange>().response::<wire::DataTableChanged>(200),
    ApiOperation::new("DELETE", "/data-tables/{id}/rows/delete", "dataTable:writeRow", "deleteDataTableRows", "Delete the rows that match a filter", || {
        delete(remove)
    }).query::<wire::DataTableDeleteQuery>().response::<wire::DataTableChanged>(200),
    ApiOperation::new("DELETE", "/data-tables/{id}/rows/clear", "dataTable:writeRow", "clearDataTableRows", "Delete all rows", || delete(clear))
        .response::<wire::DataTableCleared>(200),
    ApiOperation::new("GET", "/data-tables/{id}/rows/csv", "dataTable:readRow", "exportDataTableRows", "Export all rows as CSV", || get(export))
        .query::<wire::DataTableExportQuery>(),
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestQuery(query): RequestQuery<wire::DataTableRowQuery>,
) -> Result<Response, ApiError> {
    let limit = query.limit.get();
    let mut wanted = row_query(query.filter, query.sort_by, query.search);
    match wanted.sort {
        // In the order of ids a page begins behind the last row, whatever was added or removed
        // meanwhile.
        None => wanted.after = query.cursor.0,
        Some(_) => wanted.skip = offset(query.cursor.0.unwrap_or(0))?,
    }
    wanted.limit = limit + 1;
    let (is_sorted, skip) = (wanted.sort.is_some(), wanted.skip);
    who.table(&app, &id, AccessLevel::View).await?;
    let mut rows = app.store.rows(&id, wanted).await?;
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let place = if is_sorted { Some((skip + limit) as i64) } else { rows.last().and_then(id_of) };
    let next = place.filter(|_| has_more).map(|place| to_cursor(&place.to_string()));
    let data = rows.into_iter().map(wire::DataTableRow).collect();
    Ok(typed(StatusCode::OK, &wire::DataTableRowList { data, next_cursor: next }))
}

async fn insert(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let wire::DataTableInsert { data, return_type } = body.read()?;
    let returning = match return_type {
        wire::InsertReturn::Count => Returning::Nothing,
        wire::InsertReturn::Id => Returning::Ids,
        wire::InsertReturn::All => Returning::Rows,
    };
    let rows = data.0.into_iter().map(wire::JsonObject::into_object).collect();
    who.table(&app, &id, AccessLevel::Edit).await?;
    let inserted = app.store.insert_rows(&id, rows, returning).await?;
    let told = match returning {
        Returning::Nothing => wire::DataTableInserted::Count { count: inserted.count },
        Returning::Ids => wire::DataTableInserted::Ids(inserted.ids),
        Returning::Rows => wire::DataTableInserted::Rows(
            inserted.rows.into_iter().map(wire::DataTableRow).collect(),
        ),
    };
    Ok(typed(StatusCode::OK, &told))
}

async fn update(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let (filter, data, effect) = change(body.read()?);
    who.table(&app, &id, AccessLevel::Edit).await?;
    let changed = app.store.update_rows(&id, filter, data, effect).await?;
    Ok(effect_response(effect, changed.rows))
}

async fn upsert(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let (filter, data, effect) = change(body.read()?);
    who.table(&app, &id, AccessLevel::Edit).await?;
    let changed = app.store.upsert_row(&id, filter, data, effect).await?;
    Ok(effect_response(effect, changed.rows))
}

async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestQuery(query): RequestQuery<wire::DataTableDeleteQuery>,
) -> Result<Response, ApiError> {
    let effect = effect(query.dry_run, query.return_data);
    who.table(&app, &id, AccessLevel::Edit).await?;
    let changed = app.store.delete_rows(&id, query.filter.0.into(), effect).await?;
    Ok(effect_response(effect, changed.rows))
}

async fn clear(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    who.table(&app, &id, AccessLevel::Edit).await?;
    let count = app.store.clear_rows(&id).await?;
    Ok(typed(StatusCode::OK, &wire::DataTableCleared { deleted_count: count }))
}

async fn export(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: QueryResult<wire::DataTableExportQuery>,
) -> Result<Response, ApiError> {
    let table = who.table(&app, &id, AccessLevel::View).await?;
    let RequestQuery(query) = query?;
    let mut wanted = row_query(query.filter, query.sort_by, query.search);
    wanted.limit = if wanted.sort.is_some() { usize::MAX >> 1 } else { FILE_PAGE };
    let mut text = csv_line(names(&table).map(Value::from));
    loop {
        let rows = app.store.rows(&id, wanted.clone()).await?;
        for row in &rows {
            text.push_str(&csv_line(
                names(&table).map(|name| row.get(name).cloned().unwrap_or_default()),
            ));
        }
        if rows.len() < wanted.limit {
            break;
        }
        wanted.after = rows.last().and_then(id_of);
    }
    let mut response = Response::new(text.into());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8"));
    headers.insert(
        header::CONTENT_DISPOSITION,
        HeaderValue::from_static("attachment; filename=\"rows.csv\""),
    );
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Ok(response)
}

fn row_query(
    filter: Option<wire::JsonText<wire::DataTableFilter>>,
    sort: Option<wire::SortBy>,
    search: Option<String>,
) -> RowQuery {
    RowQuery {
        filter: filter.map(|filter| filter.0.into()).unwrap_or_default(),
        search: search.map(Into::into),
        sort: sort.map(|sort| sort.0),
        ..RowQuery::default()
    }
}

/// Where a list that is paged by count goes on.
fn offset(place: i64) -> Result<usize, ApiError> {
    let offset = u32::try_from(place).ok().map(|offset| offset as usize);
    offset.ok_or_else(|| invalid("cursor", "must be a cursor returned by this list"))
}

fn change(body: wire::DataTableChange) -> (RowFilter, Object, ChangeMode) {
    let effect = effect(body.dry_run, body.return_data);
    (body.filter.into(), body.data.into_object(), effect)
}

fn effect(is_dry_run: bool, returns_data: bool) -> ChangeMode {
    match (is_dry_run, returns_data) {
        (true, _) => ChangeMode::DryRun,
        (false, true) => ChangeMode::Returning,
        (false, false) => ChangeMode::Silent,
    }
}

fn effect_response(effect: ChangeMode, rows: Vec<Object>) -> Response {
    let changed = match effect {
        ChangeMode::Silent => wire::DataTableChanged::Done(true),
        ChangeMode::Returning => {
            wire::DataTableChanged::Rows(rows.into_iter().map(wire::DataTableRow).collect())
        }
        ChangeMode::DryRun => {
            wire::DataTableChanged::DryRun(rows.into_iter().map(wire::DryRunRow).collect())
        }
    };
    typed(StatusCode::OK, &changed)
}

fn id_of(row: &Object) -> Option<i64> {
    row.get("id").and_then(Value::as_f64).map(|id| id as i64)
}

fn names(table: &TableRecord) -> impl Iterator<Item = &str> {
    let columns = table.columns.iter().map(|column| column.name.as_str());
    ["id"].into_iter().chain(columns).chain(["createdAt", "updatedAt"])
}

/// A line of CSV. A text that a spreadsheet would take for a formula gets an apostrophe before it.
fn csv_line(values: impl Iterator<Item = Value>) -> String {
    let cell = |value: Value| {
        let text = match value {
            Value::Undefined | Value::Null => return String::new(),
            Value::String(text) if text.starts_with(['=', '+', '-', '@', '\t', '\r']) => {
                format!("'{text}")
            }
            value => value.to_js_string().to_string(),
        };
        let needs_quotes = text.contains([',', '"', '\n', '\r']) || text.trim() != text;
        if needs_quotes { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
    };
    let mut line = values.map(cell).collect::<Vec<_>>().join(",");
    line.push_str("\r\n");
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_is_quoted_and_formulas_are_texts() {
        let values = ["a,b", "say \"hi\"", "=1+1", "plain", "two\nlines"].map(Value::from);
        let made = csv_line(values.into_iter().chain([Value::from(-3), Value::Null]));
        assert_eq!(made, "\"a,b\",\"say \"\"hi\"\"\",'=1+1,plain,\"two\nlines\",-3,\r\n");
    }
}
