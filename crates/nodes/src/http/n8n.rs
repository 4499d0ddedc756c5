//! Calls the public API of an instance, this one or another: workflows, executions, credentials and
//! the audit.

mod api_call;
mod params;

use super::auth::{AuthSession, HttpCredentials};
use super::draft::{DraftBody, RequestDraft, text_of};
use super::failure::RequestFailure;
use super::secrets::Secrets;
use api_call::{ApiCall, ResultShape};
use node_api::prelude::*;

pub(crate) struct N8n;

/// A list that goes on for longer than this goes in circles.
const MAX_PAGES: usize = 10_000;

impl Node for N8n {
    fn spec() -> Spec {
        Spec::new(
            "n8n-nodes-base.n8n",
            &[1.0],
            "n8n",
            "Manage workflows, executions and credentials over the public API",
        )
        .untrusted()
        .group(NodeGroup::Integration)
        .credential("n8nApi", true)
        .params(params::params())
        .hint(
            "Use it to back up or activate workflows, or to inspect failed executions. The base \
                 URL ends with /api/v1.",
        )
        .alias(&["heddle", "api", "backup", "workflows", "executions"])
        .repeatable_when("operation", &["get", "getAll", "getVersion", "getSchema", "generate"])
        .note(
            "An instance on the same machine or in a private network must be allowed with \
                 HEDDLE_EGRESS_ALLOW.",
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let credentials = HttpCredentials::predefined(ctx, "n8nApi", 0)?;
        let base_url =
            ctx.host().credential("n8nApi", 0)?.get("baseUrl").map(text_of).unwrap_or_default();
        let base_url = base_url.trim().trim_end_matches('/');
        if base_url.is_empty() {
            return Err(NodeError::credential("The credential 'n8nApi' has no base URL")
                .hint("Enter a base URL, such as https://host/api/v1."));
        }
        let session = AuthSession::default();
        let secrets = credentials.secrets(&session).await;
        let mut output = ctx.builder();
        for index in 0..items.len() {
            let made = match api_call::read(ctx, index) {
                Ok(call) => {
                    ApiSender { ctx, credentials: &credentials, session: &session, base_url, index }
                        .fetch_results(call)
                        .await
                }
                Err(error) => Err(error.into()),
            };
            match made {
                Ok(values) => values.into_iter().for_each(|value| {
                    output.push(Item::new(mask_value(value, &secrets)).paired_with(index))
                }),
                Err(failure) => output.push(ctx.failed_item(index, failure.into_error(&secrets))?),
            }
        }
        Ok(vec![output.finish()])
    }
}

fn mask_value(value: Value, secrets: &Secrets) -> Value {
    let value = if value.is_object() { value } else { Object::from_iter([("data", value)]).into() };
    secrets.hide_in(value)
}

struct ApiSender<'a> {
    ctx: &'a Ctx<'a>,
    credentials: &'a HttpCredentials,
    session: &'a AuthSession,
    base_url: &'a str,
    index: usize,
}

impl ApiSender<'_> {
    /// What becomes of an item: one object, or the rows of one or of all pages.
    async fn fetch_results(&self, mut call: ApiCall) -> Result<Vec<Value>, RequestFailure> {
        if call.shape == ResultShape::One {
            return Ok(match self.send(&call).await? {
                Value::Array(list) => (*list).clone(),
                value => vec![value],
            });
        }
        let mut rows = Vec::new();
        for _ in 0..MAX_PAGES {
            let page = self.send(&call).await?;
            rows.extend_from_slice(page.get("data").and_then(Value::as_array).unwrap_or_default());
            let next = page.get("nextCursor").filter(|next| next.is_truthy());
            match next {
                Some(next)
                    if call.shape == ResultShape::AllPages && !self.ctx.host().is_cancelled() =>
                {
                    if call.query.get("cursor") == Some(next) {
                        return Err(NodeError::failed(
                            "The instance returned the same page cursor twice",
                        )
                        .into());
                    }
                    call.query.insert("cursor", next.clone());
                }
                _ => return Ok(rows),
            }
        }
        Err(NodeError::failed(format!("The list exceeds the limit of {MAX_PAGES} pages")).into())
    }

    async fn send(&self, call: &ApiCall) -> Result<Value, RequestFailure> {
        let mut draft = RequestDraft::new(call.method, &format!("{}{}", self.base_url, call.path));
        draft.query = call.query.clone();
        draft.set_header("accept", "application/json");
        if let Some(body) = &call.body {
            draft.body = DraftBody::Json(body.clone());
        }
        draft.allow_invalid_certificates =
            self.ctx.flag("requestOptions.allowUnauthorizedCerts", self.index)?;
        if !self.ctx.param("requestOptions.timeout", self.index)?.is_nullish() {
            draft.timeout_ms =
                self.ctx.number("requestOptions.timeout", self.index)?.max(1.0) as u64;
        }
        let response = self.credentials.send(self.ctx, self.session, draft).await?;
        if !response.is_success() {
            return Err(RequestFailure::Status(response));
        }
        let text = String::from_utf8_lossy(&response.body);
        if text.trim().is_empty() {
            return Ok(Object::from_iter([("success", true)]).into());
        }
        let parsed = model::json::parse(&text).map_err(|_| {
            NodeError::failed("The instance did not return JSON")
                .hint("Check that the base URL of the credential ends with /api/v1.")
        })?;
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests;
