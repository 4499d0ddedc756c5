//! Fetches page after page: changes the request by expressions that see the last answer, until
//! there is no more.

mod pages;

pub(super) use pages::PageFetcher;

use super::super::draft::{DraftBody, RequestDraft, text_of};
use super::super::secrets::{MASK, Secrets};
use super::response::headers;
use node_api::prelude::*;

/// Even without a limit of its own a node stops here.
const MAX_PAGES: usize = 10_000;
/// The parameter that says where the next page is.
const NEXT_URL: &str = "options.pagination.pagination.nextURL";
/// So many answers in a row that are the same mean that the pages never end.
const MAX_SAME_ANSWERS: usize = 4;

/// The settings as they stand in the workflow: expressions are evaluated anew for each page.
#[derive(Clone, Debug)]
pub(super) struct Pagination {
    change: PageChange,
    complete: CompleteWhen,
    max_pages: Option<Value>,
    pause: Value,
}

#[derive(Clone, Debug)]
enum PageChange {
    Parameters(Vec<ChangedParameter>),
    NextUrl(Value),
}

#[derive(Clone, Debug)]
struct ChangedParameter {
    location: Str,
    name: Value,
    value: Value,
}

#[derive(Clone, Debug)]
enum CompleteWhen {
    EmptyBody,
    Statuses(Value),
    Expression(Str),
}

impl Pagination {
    /// Reads the options; `None` if there is no pagination.
    pub(super) fn read(raw: Option<&Value>) -> Result<Option<Self>, NodeError> {
        let Some(raw) = raw.and_then(Value::as_object) else { return Ok(None) };
        let text = |name: &str| raw.get(name).and_then(Value::as_str).unwrap_or_default();
        let mode = raw
            .get("paginationMode")
            .and_then(Value::as_str)
            .unwrap_or("updateAParameterInEachRequest");
        let change = match mode {
            "off" => return Ok(None),
            "responseContainsNextURL" => {
                PageChange::NextUrl(raw.get("nextURL").cloned().unwrap_or_default())
            }
            _ => PageChange::Parameters(changed_parameters(
                raw.get("parameters").and_then(|group| group.get("parameters")),
            )?),
        };
        let complete = match raw
            .get("paginationCompleteWhen")
            .and_then(Value::as_str)
            .unwrap_or("responseIsEmpty")
        {
            "receiveSpecificStatusCodes" => CompleteWhen::Statuses(
                raw.get("statusCodesWhenComplete").cloned().unwrap_or_default(),
            ),
            "other" if !text("completeExpression").starts_with('=') => {
                return Err(NodeError::parameter(
                    "completeExpression",
                    "Invalid or empty Complete Expression",
                ));
            }
            "other" => CompleteWhen::Expression(text("completeExpression").into()),
            _ => CompleteWhen::EmptyBody,
        };
        let is_limited = raw.get("limitPagesFetched").is_some_and(Value::is_truthy);
        let most =
            is_limited.then(|| raw.get("maxRequests").cloned().unwrap_or(Value::Number(100.0)));
        Ok(Some(Self {
            change,
            complete,
            max_pages: most,
            pause: raw.get("requestInterval").cloned().unwrap_or_default(),
        }))
    }

    fn is_complete(
        &self,
        ctx: &Ctx<'_>,
        status: u16,
        body: &Value,
        item: usize,
        names: &Object,
    ) -> Result<bool, NodeError> {
        Ok(match &self.complete {
            CompleteWhen::EmptyBody => match body {
                Value::Array(values) => values.is_empty(),
                body => !body.is_truthy(),
            },
            CompleteWhen::Statuses(list) => {
                let list = text_of(&resolve(ctx, list, item, names)?);
                list.split(',')
                    .filter_map(|code| code.trim().parse::<u16>().ok())
                    .any(|code| code == status)
            }
            CompleteWhen::Expression(text) => ctx.host().evaluate(text, item, names)?.is_truthy(),
        })
    }

    fn changed(
        &self,
        ctx: &Ctx<'_>,
        draft: &RequestDraft,
        item: usize,
        names: &Object,
        is_first: bool,
    ) -> Result<RequestDraft, NodeError> {
        let mut draft = draft.clone();
        // Before the first answer an expression may reach into nothing; that leaves the request as
        // it is.
        let value_of = |value: &Value| match resolve(ctx, value, item, names) {
            Err(_) if is_first => Ok(Value::Undefined),
            resolved => resolved,
        };
        match &self.change {
            PageChange::NextUrl(url) => match value_of(url)? {
                Value::Undefined => {}
                Value::Null if is_first => {}
                Value::String(url) if url.is_empty() && is_first => {}
                next => {
                    let text = text_of(&next);
                    let is_url = url::Url::parse(&text)
                        .is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
                    if !is_url {
                        let shown: String =
                            text.split('?').next().unwrap_or_default().chars().take(200).collect();
                        let error = NodeError::parameter(
                            "nextURL",
                            format!("'{shown}' is not a valid URL."),
                        );
                        return Err(error.describe(
                            "Make sure the \"Next URL\" parameter evaluates to a valid URL.",
                        ));
                    }
                    let text = without_masked(text)?;
                    // The next URL carries its own query; the given one would double it.
                    draft.query.retain(|name, _| !has_query_field(&text, name));
                    draft.url = text;
                }
            },
            PageChange::Parameters(parameters) => {
                for parameter in parameters {
                    let name = text_of(&value_of(&parameter.name)?);
                    let value = value_of(&parameter.value)?;
                    if value.is_undefined() {
                        continue;
                    }
                    match parameter.location.as_str() {
                        "headers" if name.trim().eq_ignore_ascii_case("host") => {
                            return Err(NodeError::parameter(
                                "parameters",
                                "Pagination cannot change the Host header",
                            ));
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
    let (Ok(first), Ok(next)) = (url::Url::parse(first), url::Url::parse(next)) else {
        return false;
    };
    let is_upgrade =
        first.scheme() == "http" && next.scheme() == "https" && first.host() == next.host();
    first.origin() == next.origin() || is_upgrade
}

/// A next URL without the query fields that are masked in it: the credential puts its own back.
fn without_masked(text: String) -> Result<String, NodeError> {
    if !text.contains(MASK) {
        return Ok(text);
    }
    let hidden = || {
        NodeError::parameter(
            "nextURL",
            "The next URL contains a secret of the credential, which expressions cannot access",
        )
        .hint("Choose 'Update a Parameter in Each Request' and set the parameter that changes.")
    };
    let mut url = url::Url::parse(&text).map_err(|_| hidden())?;
    let kept: Vec<String> = url
        .query()
        .unwrap_or_default()
        .split('&')
        .filter(|field| !field.contains(MASK))
        .map(str::to_owned)
        .collect();
    url.set_query((!kept.is_empty()).then(|| kept.join("&")).as_deref());
    if url.as_str().contains(MASK) { Err(hidden()) } else { Ok(url.into()) }
}

/// An answer must not be able to send the credential to a place of its choice.
fn leads_elsewhere(url: &str) -> NodeError {
    let host = url::Url::parse(url)
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned))
        .unwrap_or_default();
    NodeError::parameter(
        "nextURL",
        format!("The next page is on another origin ({host}), and credentials are not sent there"),
    )
    .hint(
        "If you trust that origin, turn on 'Send credentials on cross-origin redirect' in the \
             options.",
    )
}

fn changed_parameters(entries: Option<&Value>) -> Result<Vec<ChangedParameter>, NodeError> {
    let entries = entries.and_then(Value::as_array).unwrap_or_default();
    let is_blank = |value: Option<&Value>| {
        value.is_none_or(|value| value.is_nullish() || value.as_str() == Some(""))
    };
    if entries.is_empty()
        || matches!(entries, [one] if is_blank(one.get("name")) && is_blank(one.get("value")))
    {
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
        parameters.push(ChangedParameter {
            location: place,
            name: field("name"),
            value: field("value"),
        });
    }
    Ok(parameters)
}

/// What pagination expressions see: `$request`, `$response` and `$pageCount`. They see no secret,
/// for they can put it where it is shown.
fn names(
    draft: &RequestDraft,
    last: Option<(&HttpResponse, &Value)>,
    n_pages: usize,
    secrets: &Secrets,
) -> Object {
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
    let response = last.map_or_else(Object::new, |(last, body)| {
        Object::from_iter([
            ("body", body.clone()),
            ("headers", secrets.hide_in(Value::object(headers(last)))),
            ("statusCode", Value::from(last.status)),
            ("statusMessage", secrets.hide_in(Value::from(last.status_text.clone()))),
        ])
    });
    Object::from_iter([
        ("$request", Value::object(request)),
        ("$response", Value::object(response)),
        ("$pageCount", Value::from(n_pages)),
    ])
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
        DraftBody::None => {
            *body = DraftBody::Json(Value::object(Object::from_iter([(name, value)])))
        }
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
        for next in [
            "https://b.test/",
            "http://a.test/",
            "https://a.test:8443/",
            "https://a.test.b.test/",
            "x",
        ] {
            assert!(!stays_at("https://a.test/1", next), "{next}");
        }
    }

    #[test]
    fn issue_14_08_a_next_url_goes_on_without_what_is_masked_in_it() {
        let made = |text: &str| without_masked(text.to_owned());
        assert_eq!(made("https://a.test/2?x=%2F").unwrap(), "https://a.test/2?x=%2F");
        assert_eq!(made("https://a.test/2?key=**hidden**").unwrap(), "https://a.test/2");
        assert_eq!(
            made("https://a.test/2?page=2&key=**hidden**&x=%2F+1#a").unwrap(),
            "https://a.test/2?page=2&x=%2F+1#a"
        );
        for text in [
            "https://a.test/**hidden**/2",
            "https://**hidden**.test/2",
            "https://a.test/2#**hidden**",
        ] {
            assert_eq!(made(text).unwrap_err().code(), Code::NODE_PARAMETER, "{text}");
        }
    }

    #[test]
    fn incomplete_settings_are_told() {
        let message = |raw: Value| read(raw).unwrap_err().message().to_string();
        assert!(
            message(json!({ "parameters": { "parameters": [{ "name": "", "value": "" }] } }))
                .starts_with("At least one entry")
        );
        let named = json!({ "parameters": { "parameters": [{ "name": "a", "value": "1" }, { "name": "", "value": "x" }] } });
        assert_eq!(
            message(named),
            "Parameter name must be set for parameter [2] in pagination settings"
        );
        let valued = json!({ "parameters": { "parameters": [{ "name": "a", "value": "" }] } });
        assert!(message(valued).starts_with("Some value must be provided for parameter [1]"));
        let other = json!({ "paginationMode": "responseContainsNextURL", "nextURL": "=x", "paginationCompleteWhen": "other" });
        assert_eq!(message(other), "Invalid or empty Complete Expression");
        assert!(read(json!({ "paginationMode": "off" })).unwrap().is_none());
        assert!(Pagination::read(None).unwrap().is_none());
    }
}
