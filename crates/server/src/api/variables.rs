//! `/api/v1/variables`.

use super::operation::{CURSOR, LIMIT, Param};
use super::{Body, Operation, Query, Text, from_cursor, invalid, limit, missing, page_of};
use crate::App;
use crate::answer::json;
use crate::error::ApiError;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post, put};
use model::{Object, Value};
use store::Variables as _;
use store::variables::Variable;

const LONGEST_KEY: usize = 50;
const LONGEST_VALUE: usize = 1000;

pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("GET", "/variables", "variable:list", "getVariables", "List variables", || get(list))
        .query(&[LIMIT, CURSOR, Param("state", "string")])
        .gives(200, "variableList"),
    Operation::new("POST", "/variables", "variable:create", "createVariable", "Make a variable", || post(create))
        .takes("variableInput")
        .gives(201, "variable"),
    Operation::new("PUT", "/variables/{id}", "variable:update", "updateVariable", "Change a variable", || put(update))
        .takes("variableInput")
        .gives_nothing(204),
    Operation::new("DELETE", "/variables/{id}", "variable:delete", "deleteVariable", "Remove a variable", || delete(remove))
        .gives_nothing(204),
];

async fn list(State(app): State<App>, query: Query) -> Result<Response, ApiError> {
    let (limit, after) = (limit(&query)?, from_cursor(&query)?);
    let only_empty = match query.get("state").map(String::as_str) {
        None => false,
        Some("empty") => true,
        Some(_) => return Err(invalid("state", "can only be 'empty'")),
    };
    let all = app.store.variables().await?.into_iter();
    let rest = all.filter(|variable| after.as_ref().is_none_or(|after| variable.key.as_str() > after.as_str()));
    let found = rest.filter(|variable| !only_empty || variable.value.is_empty()).take(limit + 1).collect();
    Ok(json(StatusCode::OK, &page_of(found, limit, |variable: &Variable| &variable.key, to_value)))
}

async fn create(State(app): State<App>, Text(body): Text) -> Result<Response, ApiError> {
    let (key, value) = read(&body)?;
    let made = app.store.add_variable(&key, &value).await?;
    Ok(json(StatusCode::CREATED, &to_value(&made)))
}

async fn update(State(app): State<App>, Path(id): Path<String>, Text(body): Text) -> Result<Response, ApiError> {
    let (key, value) = read(&body)?;
    match app.store.change_variable(&id, &key, &value).await? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(missing("variable", &id)),
    }
}

async fn remove(State(app): State<App>, Path(id): Path<String>) -> Result<Response, ApiError> {
    match app.store.delete_variable(&id).await? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(missing("variable", &id)),
    }
}

fn read(body: &str) -> Result<(String, String), ApiError> {
    let body = Body::read(body, &["key", "value", "id", "type"])?;
    let key = body.text("key", 1, LONGEST_KEY)?;
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if !key.chars().all(is_name) || key.starts_with(|letter: char| letter.is_ascii_digit()) {
        return Err(invalid("key", "may have letters, digits and _, and does not begin with a digit"));
    }
    Ok((key.to_owned(), body.text("value", 0, LONGEST_VALUE)?.to_owned()))
}

fn to_value(variable: &Variable) -> Value {
    let Variable { id, key, value } = variable.clone();
    Object::from_iter([("id", Value::from(id)), ("key", key.into()), ("value", value.into()), ("type", "string".into())]).into()
}
