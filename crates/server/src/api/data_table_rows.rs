//! `/api/v1/data-tables/{id}/rows`: the rows of a data table, and all of them as CSV.

use super::data_tables::{offset, sorting};
use super::operation::{CURSOR, LIMIT, Param};
use super::{
    Body, JsonBody, Operation, Query, Text, flag, invalid, limit, number_from_cursor, page,
    request, to_cursor,
};
use crate::App;
use crate::access::{Need, Principal};
use crate::answer::json;
use crate::error::ApiError;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::{delete, get, patch, post};
use model::{Object, Value};
use node_api::tables::{Effect, Filter, Returning, RowQuery, Sort, Table, Tables as _};

const FILTER: Param = Param("filter", "string");
const SORT: Param = Param("sortBy", "string");
const SEARCH: Param = Param("search", "string");

/// Rows that are read at once for a file.
const FILE_PAGE: usize = 1000;

#[rustfmt::skip]
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("GET", "/data-tables/{id}/rows", "dataTable:readRow", "listDataTableRows", "Rows of a data table", || get(list))
        .query(&[LIMIT, CURSOR, FILTER, SORT, SEARCH]).gives(200, "dataTableRowList"),
    Operation::new("POST", "/data-tables/{id}/rows", "dataTable:writeRow", "insertDataTableRows", "Insert rows", || post(insert))
        .takes("dataTableInsert").gives(200, "dataTableInserted"),
    Operation::new("PATCH", "/data-tables/{id}/rows/update", "dataTable:writeRow", "updateDataTableRows", "Change the rows that fit a filter", || {
        patch(update)
    }).takes("dataTableChange").gives(200, "dataTableChanged"),
    Operation::new("POST", "/data-tables/{id}/rows/upsert", "dataTable:writeRow", "upsertDataTableRow", "Change the rows that fit, or insert one", || {
        post(upsert)
    }).takes("dataTableChange").gives(200, "dataTableChanged"),
    Operation::new("DELETE", "/data-tables/{id}/rows/delete", "dataTable:writeRow", "deleteDataTableRows", "Remove the rows that fit a filter", || {
        delete(remove)
    }).query(&[FILTER, Param("returnData", "boolean"), Param("dryRun", "boolean")]).gives(200, "dataTableChanged"),
    Operation::new("DELETE", "/data-tables/{id}/rows/clear", "dataTable:writeRow", "clearDataTableRows", "Remove all rows", || delete(clear))
        .gives(200, "dataTableCleared"),
    Operation::new("GET", "/data-tables/{id}/rows/csv", "dataTable:readRow", "exportDataTableRows", "All rows as CSV", || get(export))
        .query(&[FILTER, SORT, SEARCH]),
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: Query,
) -> Result<Response, ApiError> {
    let limit = limit(&query)?;
    let mut wanted = wanted(&query)?;
    match wanted.sort {
        // In the order of ids a page begins behind the last row, whatever was added or removed
        // meanwhile.
        None => wanted.after = number_from_cursor(&query)?,
        Some(_) => wanted.skip = offset(&query)?,
    }
    wanted.limit = limit + 1;
    let (is_sorted, skip) = (wanted.sort.is_some(), wanted.skip);
    who.table(&app, &id, Need::See).await?;
    let mut rows = app.store.rows(&id, wanted).await?;
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let place = if is_sorted { Some((skip + limit) as i64) } else { rows.last().and_then(id_of) };
    let next = place.filter(|_| has_more).map(|place| to_cursor(&place.to_string()));
    Ok(json(StatusCode::OK, &page(rows.into_iter().map(Value::from).collect(), next)))
}

async fn insert(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    Text(body): Text,
) -> Result<Response, ApiError> {
    let body = Body::read(&body, &["data", "returnType"])?;
    let returning = match body.optional_text("returnType", 1, 20)? {
        None | Some("count") => Returning::Nothing,
        Some("id") => Returning::Ids,
        Some("all") => Returning::Rows,
        Some(_) => return Err(invalid("returnType", "can be count, id and all")),
    };
    let list = body.get("data").and_then(Value::as_array).filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| invalid("data", "must be a list with at least one row"))?;
    let row = |row: &Value| {
        row.as_object().cloned().ok_or_else(|| invalid("data", "must be a list of objects"))
    };
    let rows = list.iter().map(row).collect::<Result<Vec<Object>, ApiError>>()?;
    who.table(&app, &id, Need::Change).await?;
    let inserted = app.store.insert_rows(&id, rows, returning).await?;
    let told = match returning {
        Returning::Nothing => Object::from_iter([("count", inserted.count)]).into(),
        Returning::Ids => Value::array(inserted.ids.into_iter().map(Value::from).collect()),
        Returning::Rows => Value::array(inserted.rows.into_iter().map(Value::from).collect()),
    };
    Ok(json(StatusCode::OK, &told))
}

async fn update(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    Text(body): Text,
) -> Result<Response, ApiError> {
    let (filter, data, effect) = change(&body)?;
    who.table(&app, &id, Need::Change).await?;
    let changed = app.store.update_rows(&id, filter, data, effect).await?;
    Ok(told(effect, changed.rows))
}

async fn upsert(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    Text(body): Text,
) -> Result<Response, ApiError> {
    let (filter, data, effect) = change(&body)?;
    who.table(&app, &id, Need::Change).await?;
    let changed = app.store.upsert_row(&id, filter, data, effect).await?;
    Ok(told(effect, changed.rows))
}

async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: Query,
) -> Result<Response, ApiError> {
    let text = query.get("filter").ok_or_else(|| invalid("filter", "is missing"))?;
    let filter = filter(text)?;
    let is_set = |name: &str| Ok::<_, ApiError>(flag(&query, name)?.unwrap_or(false));
    let effect = effect(is_set("dryRun")?, is_set("returnData")?);
    who.table(&app, &id, Need::Change).await?;
    let changed = app.store.delete_rows(&id, filter, effect).await?;
    Ok(told(effect, changed.rows))
}

async fn clear(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    who.table(&app, &id, Need::Change).await?;
    let count = app.store.clear_rows(&id).await?;
    Ok(json(StatusCode::OK, &Object::from_iter([("deletedCount", count)]).into()))
}

async fn export(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: Query,
) -> Result<Response, ApiError> {
    let table = who.table(&app, &id, Need::See).await?;
    let mut wanted = wanted(&query)?;
    wanted.limit = if wanted.sort.is_some() { usize::MAX >> 1 } else { FILE_PAGE };
    let mut text = line(names(&table).map(Value::from));
    loop {
        let rows = app.store.rows(&id, wanted.clone()).await?;
        for row in &rows {
            text.push_str(&line(
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

fn wanted(query: &Query) -> Result<RowQuery, ApiError> {
    let sort = query.get("sortBy").map(|text| sorting(text)).transpose()?;
    Ok(RowQuery {
        filter: query.get("filter").map(|text| filter(text)).transpose()?.unwrap_or_default(),
        search: query.get("search").map(|text| text.as_str().into()),
        sort: sort.map(|(column, order)| Sort { column: column.into(), order }),
        ..RowQuery::default()
    })
}

fn filter(text: &str) -> Result<Filter, ApiError> {
    let value = request::json(text).map_err(|_| invalid("filter", "is not JSON"))?;
    Ok(Filter::from_value(&value)?)
}

fn change(body: &JsonBody) -> Result<(Filter, Object, Effect), ApiError> {
    let body = Body::read(body, &["filter", "data", "returnData", "dryRun"])?;
    let is_set = |name: &str| match body.get(name) {
        None => Ok(false),
        Some(value) => value.as_bool().ok_or_else(|| invalid(name, "must be true or false")),
    };
    let filter =
        Filter::from_value(body.get("filter").ok_or_else(|| invalid("filter", "is missing"))?)?;
    let data = body
        .get("data")
        .and_then(Value::as_object)
        .cloned()
        .ok_or_else(|| invalid("data", "must be an object"))?;
    Ok((filter, data, effect(is_set("dryRun")?, is_set("returnData")?)))
}

fn effect(is_dry_run: bool, returns_data: bool) -> Effect {
    match (is_dry_run, returns_data) {
        (true, _) => Effect::DryRun,
        (false, true) => Effect::Returning,
        (false, false) => Effect::Silent,
    }
}

fn told(effect: Effect, rows: Vec<Object>) -> Response {
    let value = match effect {
        Effect::Silent => Value::from(true),
        Effect::Returning | Effect::DryRun => {
            Value::array(rows.into_iter().map(Value::from).collect())
        }
    };
    json(StatusCode::OK, &value)
}

fn id_of(row: &Object) -> Option<i64> {
    row.get("id").and_then(Value::as_f64).map(|id| id as i64)
}

fn names(table: &Table) -> impl Iterator<Item = &str> {
    let columns = table.columns.iter().map(|column| column.name.as_str());
    ["id"].into_iter().chain(columns).chain(["createdAt", "updatedAt"])
}

/// A line of CSV. A text that a spreadsheet would take for a formula gets an apostrophe before it.
fn line(values: impl Iterator<Item = Value>) -> String {
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
        let made = line(values.into_iter().chain([Value::from(-3), Value::Null]));
        assert_eq!(made, "\"a,b\",\"say \"\"hi\"\"\",'=1+1,plain,\"two\nlines\",-3,\r\n");
    }
}
