//! Fetches page after page: changes the request by expressions that see the last answer, until there is no more.

use super::super::auth::{Credentials, Session};
use super::super::draft::{Draft, DraftBody, text_of};
use super::super::failure::Failure;
use super::response::{body_for_expressions, headers};
use node_api::prelude::*;

/// Even without a limit of its own a node stops here.
const MOST_PAGES: usize = 10_000;
/// The parameter that says where the next page is.
const NEXT_URL: &str = "options.pagination.pagination.nextURL";
/// So many answers in a row that are the same mean that the pages never end.
const SAME_ANSWERS: usize = 4;

/// The settings as they stand in the workflow: expressions are evaluated anew for each page.
#[derive(Clone, Debug)]
pub(super) struct Pagination {
    change: Change,
    complete: Complete,
    most: Option<Value>,
    pause: Value,
}

#[derive(Clone, Debug)]
enum Change {
    Parameters(Vec<Changed>),
    NextUrl(Value),
}

#[derive(Clone, Debug)]
struct Changed {
    place: Str,
    name: Value,
    value: Value,
}

#[derive(Clone, Debug)]
enum Complete {
    EmptyBody,
    Statuses(Value),
    Expression(Str),
}

impl Pagination {
    /// Reads the options; `None` if there is no pagination.
    pub(super) fn read(raw: Option<&Value>) -> Result<Option<Self>, NodeError> {
        let Some(raw) = raw.and_then(Value::as_object) else { return Ok(None) };
        let text = |name: &str| raw.get(name).and_then(Value::as_str).unwrap_or_default();
        let mode = raw.get("paginationMode").and_then(Value::as_str).unwrap_or("updateAParameterInEachRequest");
        let change = match mode {
            "off" => return Ok(None),
            "responseContainsNextURL" => Change::NextUrl(raw.get("nextURL").cloned().unwrap_or_default()),
            _ => Change::Parameters(changed_parameters(raw.get("parameters").and_then(|group| group.get("parameters")))?),
        };
        let complete = match raw.get("paginationCompleteWhen").and_then(Value::as_str).unwrap_or("responseIsEmpty") {
            "receiveSpecificStatusCodes" => Complete::Statuses(raw.get("statusCodesWhenComplete").cloned().unwrap_or_default()),
            "other" if !text("completeExpression").starts_with('=') => {
                return Err(NodeError::parameter("completeExpression", "Invalid or empty Complete Expression"));
            }
            "other" => Complete::Expression(text("completeExpression").into()),
            _ => Complete::EmptyBody,
        };
        let is_limited = raw.get("limitPagesFetched").is_some_and(Value::is_truthy);
        let most = is_limited.then(|| raw.get("maxRequests").cloned().unwrap_or(Value::Number(100.0)));
        Ok(Some(Self { change, complete, most, pause: raw.get("requestInterval").cloned().unwrap_or_default() }))
    }

    /// All pages for one item.
    pub(super) async fn fetch(
        &self,
        ctx: &Ctx<'_>,
        session: &Session,
        credentials: &Credentials,
        draft: &Draft,
        item: usize,
        never_error: bool,
    ) -> Result<Vec<HttpResponse>, Failure> {
        let mut pages: Vec<HttpResponse> = Vec::new();
        let mut same_in_a_row = 0;
        loop {
            let names = names(draft, pages.last(), pages.len());
            let mut request = self.changed(ctx, draft, item, &names, pages.is_empty())?;
            if !stays_at(&draft.url, &request.url) {
                if credentials.signs() && !draft.credentials_cross_origins {
                    return Err(leads_elsewhere(&request.url).into());
                }
                request = request.chosen_in(ctx, NEXT_URL, item);
            }
            let response = credentials.send(ctx, session, request).await?;
            let is_same = pages.last().is_some_and(|last| last.status == response.status && last.body == response.body);
            same_in_a_row = if is_same { same_in_a_row + 1 } else { 0 };
            if same_in_a_row >= SAME_ANSWERS {
                let error = NodeError::failed("The returned response was identical 5x, so requests got stopped");
                return Err(error.describe("Check if \"Pagination Completed When\" has been configured correctly.").into());
            }
            pages.push(response);
            let names = self::names(draft, pages.last(), pages.len());
            let most = self.most.as_ref().map(|most| number(ctx, most, item, &names)).transpose()?.filter(|most| *most > 0.0);
            let limit = most.map_or(MOST_PAGES, |most| most as usize).min(MOST_PAGES);
            let Some(last) = pages.last() else { return Ok(pages) };
            let is_complete = self.is_complete(ctx, last, item, &names)?;
            // An expression that says "complete" to an error answer most likely found nothing in it.
            let is_masked = is_complete && matches!(self.complete, Complete::Expression(_)) && !last.is_success() && !never_error;
            if pages.len() >= limit || (is_complete && !is_masked) {
                return Ok(pages);
            }
            // Any status may end the pages, but only a good one lets them go on.
            if !last.is_success()
                && let Some(failed) = pages.pop()
            {
                return Err(Failure::Status(failed));
            }
            let pause = number(ctx, &self.pause, item, &names)?;
            if pause > 0.0 {
                ctx.host().sleep(pause as u64).await?;
            }
            if ctx.host().is_cancelled() {
                return Err(NodeError::cancelled().into());
            }
        }
    }

    fn is_complete(&self, ctx: &Ctx<'_>, last: &HttpResponse, item: usize, names: &Object) -> Result<bool, NodeError> {
        Ok(match &self.complete {
            Complete::EmptyBody => match body_for_expressions(last) {
                Value::Array(values) => values.is_empty(),
                body => !body.is_truthy(),
            },
            Complete::Statuses(list) => {
                let list = text_of(&resolve(ctx, list, item, names)?);
                list.split(',').filter_map(|status| status.trim().parse::<u16>().ok()).any(|status| status == last.status)
            }
            Complete::Expression(text) => ctx.host().evaluate(text, item, names)?.is_truthy(),
        })
    }

    fn changed(&self, ctx: &Ctx<'_>, draft: &Draft, item: usize, names: &Object, is_first: bool) -> Result<Draft, NodeError> {
        let mut draft = draft.clone();
        // Before the first answer an expression may reach into nothing; that leaves the request as it is.
        let value_of = |value: &Value| match resolve(ctx, value, item, names) {
            Err(_) if is_first => Ok(Value::Undefined),
            resolved => resolved,
        };
        match &self.change {
            Change::NextUrl(url) => match value_of(url)? {
                Value::Undefined => {}
                Value::Null if is_first => {}
                Value::String(url) if url.is_empty() && is_first => {}
                next => {
                    let text = text_of(&next);
                    let is_url = url::Url::parse(&text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
                    if !is_url {
                        let shown: String = text.split('?').next().unwrap_or_default().chars().take(200).collect();
                        let error = NodeError::parameter("nextURL", format!("'{shown}' is not a valid URL."));
                        return Err(error.describe("Make sure the \"Next URL\" parameter evaluates to a valid URL."));
                    }
                    // The next URL carries its own query; the given one would double it.
                    draft.query.retain(|name, _| !has_query_field(&text, name));
                    draft.url = text;
                }
            },
            Change::Parameters(parameters) => {
                for parameter in parameters {
                    let name = text_of(&value_of(&parameter.name)?);
                    let value = value_of(&parameter.value)?;
                    if value.is_undefined() {
                        continue;
                    }
                    match parameter.place.as_str() {
                        "headers" if name.trim().eq_ignore_ascii_case("host") => {
                            return Err(NodeError::parameter("parameters", "Pagination cannot change the Host header"));
                        }
                        "headers" => draft.set_header(&name, text_of(&value)),
                        "body" => set_in_body(&mut draft.body, &name, value)?,
                        _ => {
                            draft.query.insert(name, value);
                        }
                    }
                }
            }
        }
        Ok(draft)
    }
}

/// Whether a further page is where the first one was; from http to https is no other place.
fn stays_at(first: &str, next: &str) -> bool {
    let (Ok(first), Ok(next)) = (url::Url::parse(first), url::Url::parse(next)) else { return false };
    let is_upgrade = first.scheme() == "http" && next.scheme() == "https" && first.host() == next.host();
    first.origin() == next.origin() || is_upgrade
}

/// An answer must not be able to send the credential to a place of its choice.
fn leads_elsewhere(url: &str) -> NodeError {
    let host = url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    NodeError::parameter("nextURL", format!("The next page is at another place ({host}), and credentials are not sent there"))
        .hint("Switch on 'Send credentials on cross-origin redirect' in the options if that place may have them.")
}

fn changed_parameters(entries: Option<&Value>) -> Result<Vec<Changed>, NodeError> {
    let entries = entries.and_then(Value::as_array).unwrap_or_default();
    let is_blank = |value: Option<&Value>| value.is_none_or(|value| value.is_nullish() || value.as_str() == Some(""));
    if entries.is_empty() || matches!(entries, [one] if is_blank(one.get("name")) && is_blank(one.get("value"))) {
        let message = "At least one entry with 'Name' and 'Value' filled must be included in 'Parameters' to use 'Update a Parameter in Each Request' mode ";
        return Err(NodeError::parameter("parameters", message));
    }
    let mut parameters = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let at = index + 1;
        if is_blank(entry.get("name")) {
            return Err(NodeError::parameter(
                "parameters",
                format!("Parameter name must be set for parameter [{at}] in pagination settings"),
            ));
        }
        if is_blank(entry.get("value")) {
            let message = format!(
                "Some value must be provided for parameter [{at}] in pagination settings, omitting it will result in an infinite loop"
            );
            return Err(NodeError::parameter("parameters", message));
        }
        let field = |name: &str| entry.get(name).cloned().unwrap_or_default();
        let place = entry.get("type").and_then(Value::as_str).unwrap_or("qs").into();
        parameters.push(Changed { place, name: field("name"), value: field("value") });
    }
    Ok(parameters)
}

/// What pagination expressions see: `$request`, `$response` and `$pageCount`.
fn names(draft: &Draft, last: Option<&HttpResponse>, n_pages: usize) -> Object {
    let body = match &draft.body {
        DraftBody::Json(value) => value.clone(),
        DraftBody::Form(fields) => Value::object(fields.clone()),
        DraftBody::None | DraftBody::Multipart(_) | DraftBody::Raw { .. } => Value::Undefined,
    };
    let request = Object::from_iter([
        ("uri", Value::from(draft.url.as_str())),
        ("url", Value::from(draft.url.as_str())),
        ("method", Value::from(draft.method.clone())),
        ("headers", Value::object(draft.headers_as_object())),
        ("qs", Value::object(draft.query.clone())),
        ("body", body),
    ]);
    let response = last.map_or_else(Object::new, |last| {
        Object::from_iter([
            ("body", body_for_expressions(last)),
            ("headers", Value::object(headers(last))),
            ("statusCode", Value::from(last.status)),
            ("statusMessage", Value::from(last.status_text.clone())),
        ])
    });
    Object::from_iter([("$request", Value::object(request)), ("$response", Value::object(response)), ("$pageCount", Value::from(n_pages))])
}

/// The value of a setting: texts that start with `=` are evaluated.
fn resolve(ctx: &Ctx<'_>, value: &Value, item: usize, names: &Object) -> Result<Value, NodeError> {
    match value {
        Value::String(text) if text.starts_with('=') => ctx.host().evaluate(text, item, names),
        value => Ok(value.clone()),
    }
}

fn number(ctx: &Ctx<'_>, value: &Value, item: usize, names: &Object) -> Result<f64, NodeError> {
    Ok(match resolve(ctx, value, item, names)? {
        Value::Number(number) => number,
        Value::String(text) => text.trim().parse().unwrap_or(0.0),
        _ => 0.0,
    })
}

fn set_in_body(body: &mut DraftBody, name: &str, value: Value) -> Result<(), NodeError> {
    match body {
        DraftBody::None => *body = DraftBody::Json(Value::object(Object::from_iter([(name, value)]))),
        DraftBody::Json(json) => json.put_path(name, value)?,
        DraftBody::Form(fields) => {
            fields.insert(name, value);
        }
        DraftBody::Multipart(parts) => {
            parts.retain(|part| part.name != name);
            parts.extend(super::super::draft::form_parts(&Object::from_iter([(name, value)])));
        }
        DraftBody::Raw { .. } => {}
    }
    Ok(())
}

fn has_query_field(url: &str, name: &str) -> bool {
    url::Url::parse(url).is_ok_and(|url| url.query_pairs().any(|(key, _)| key == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(raw: Value) -> Result<Option<Pagination>, NodeError> {
        Pagination::read(Some(&raw))
    }

    #[test]
    fn further_pages_stay_at_the_origin_of_the_first() {
        assert!(stays_at("https://a.test/1", "https://a.test:443/2?x"));
        assert!(stays_at("http://a.test/1", "https://a.test/2"));
        for next in ["https://b.test/", "http://a.test/", "https://a.test:8443/", "https://a.test.b.test/", "x"] {
            assert!(!stays_at("https://a.test/1", next), "{next}");
        }
    }

    #[test]
    fn incomplete_settings_are_told() {
        let message = |raw: Value| read(raw).unwrap_err().message().to_string();
        assert!(message(json!({ "parameters": { "parameters": [{ "name": "", "value": "" }] } })).starts_with("At least one entry"));
        let named = json!({ "parameters": { "parameters": [{ "name": "a", "value": "1" }, { "name": "", "value": "x" }] } });
        assert_eq!(message(named), "Parameter name must be set for parameter [2] in pagination settings");
        let valued = json!({ "parameters": { "parameters": [{ "name": "a", "value": "" }] } });
        assert!(message(valued).starts_with("Some value must be provided for parameter [1]"));
        let other = json!({ "paginationMode": "responseContainsNextURL", "nextURL": "=x", "paginationCompleteWhen": "other" });
        assert_eq!(message(other), "Invalid or empty Complete Expression");
        assert!(read(json!({ "paginationMode": "off" })).unwrap().is_none());
        assert!(Pagination::read(None).unwrap().is_none());
    }
}
