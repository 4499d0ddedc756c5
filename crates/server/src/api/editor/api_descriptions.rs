//! `POST /api/v1/api-descriptions`: the operations of an API that an OpenAPI document describes,
//! and the HTTP request that one of them becomes.

use super::fetch;
use crate::App;
use crate::access::Principal;
use crate::api::{ApiOperation, RequestJson, RequestQuery, invalid};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::post;
use formats::openapi::{
    self, ApiDocument, Call, Finding, KnownValues, MAX_DOCUMENT_BYTES, OperationSummary,
    SecurityScheme, ValueSource,
};
use model::{Object, Value};
use node_api::credential::CredentialRegistry;

pub(in crate::api) const OPERATIONS: &[ApiOperation] = &[ApiOperation::new(
    "POST",
    "/api-descriptions",
    "workflow:create",
    "readApiDescription",
    "Read an OpenAPI document",
    || post(read),
)
.query::<wire::ApiDescriptionQuery>()
.request_body::<wire::ApiDescriptionInput>()
.response::<wire::ApiDescription<'static>>(200)];

/// Writes a call down as the parameters of a node; told which credential type the node has used.
pub type RequestForm = fn(&Call, &CredentialRegistry, Option<&str>, ValueSource) -> Object;

/// A summary in a list is cut to so many letters.
const MAX_SUMMARY: usize = 300;
const ACCEPT: &str = "application/json, application/yaml, text/yaml, */*;q=0.5";

/// What was asked of a document.
struct Question {
    /// The field that errors about the document name.
    field: &'static str,
    text: String,
    url: Option<String>,
    /// What the listed operations must have.
    words: Vec<String>,
    choice: Option<Choice>,
}

/// An operation that becomes a request.
struct Choice {
    id: String,
    known: KnownValues,
    credential: Option<String>,
    source: ValueSource,
}

async fn read(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(search): RequestQuery<wire::ApiDescriptionQuery>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let input: wire::ApiDescriptionInput = body.read()?;
    drop(body);
    let (field, text, url) = match (input.document, input.url) {
        (Some(document), None) => ("document", document.into_string(), None),
        (None, Some(url)) => {
            let text = fetch::text(&app, &url, ACCEPT, MAX_DOCUMENT_BYTES).await?;
            ("url", text, Some(url.into_string()))
        }
        _ => return Err(invalid("document", "or 'url' is required, and not both")),
    };
    let words = search.query.map(wire::Text::into_string).unwrap_or_default().to_lowercase();
    let choice = input.operation.map(|id| {
        let values = input.values.map(wire::JsonObject::into_object).unwrap_or_default();
        Choice {
            id: id.into_string(),
            known: KnownValues::new(&values),
            credential: input.credential.map(wire::Text::into_string),
            source: if input.is_tool { ValueSource::Model } else { ValueSource::Item },
        }
    });
    let words = words.split_whitespace().map(str::to_owned).collect();
    let question = Question { field, text, url, words, choice };
    // A document has a limit of its own, so its size does not count here.
    let permit = app.previews().admit(&who.user_id, 0).await?;
    let answered =
        async move { compute::for_size(question.text.len(), || answer(&app, &question)) };
    permit.run(answered).await??
}

fn answer(app: &App, question: &Question) -> Result<Response, ApiError> {
    let document = openapi::read(&question.text)
        .map_err(|error| invalid(question.field, &format!("cannot be read: {error}")))?;
    let url = question.url.as_deref();
    let Some(choice) = &question.choice else {
        let found = document.operations.iter().filter(|one| has_words(one, &question.words));
        let described = describe(&document, url, found.map(operation).collect(), None);
        return Ok(typed(StatusCode::OK, &described));
    };
    let operation = document.operation(&choice.id).ok_or_else(|| {
        invalid("operation", &format!("is not in the document: there is no '{}'", choice.id))
    })?;
    let call = Call::of(&document, &operation, &choice.known, url);
    let parameters = (app.request_form)(
        &call,
        &app.runtime.engine.registry.credentials,
        choice.credential.as_deref(),
        choice.source,
    );
    let hints: Vec<String> = call.security.iter().map(SecurityScheme::hint).collect();
    let request = wire::DescribedRequest {
        parameters: wire::JsonObject(Value::object(parameters)),
        credential_hint: hints.join(" and "),
        left_out: call.left_out.iter().map(ToString::to_string).collect(),
    };
    let mut described = describe(&document, url, Vec::new(), Some(request));
    described.findings = findings(&call.findings);
    Ok(typed(StatusCode::OK, &described))
}

fn describe<'a>(
    document: &'a ApiDocument,
    url: Option<&str>,
    operations: Vec<wire::DescribedOperation<'a>>,
    request: Option<wire::DescribedRequest>,
) -> wire::ApiDescription<'a> {
    let servers = document.servers.iter().map(|server| wire::DescribedServer {
        url: server.address(url),
        description: &server.description,
    });
    let security = document
        .security_schemes
        .iter()
        .map(|scheme| wire::DescribedSecurity { name: &scheme.name, hint: scheme.hint() });
    wire::ApiDescription {
        title: &document.title,
        version: &document.version,
        servers: servers.collect(),
        security: security.collect(),
        operations,
        total: document.operations.len(),
        findings: findings(&document.findings),
        request,
    }
}

fn findings(findings: &[Finding]) -> Vec<wire::DescriptionFinding<'_>> {
    let each = findings
        .iter()
        .map(|Finding { place, problem }| wire::DescriptionFinding { place, problem });
    each.collect()
}

fn operation(operation: &OperationSummary) -> wire::DescribedOperation<'_> {
    let OperationSummary { id, method, path, summary, description, tags, deprecated } = operation;
    let text = if summary.is_empty() { description } else { summary };
    let end = text.char_indices().nth(MAX_SUMMARY).map_or(text.len(), |(end, _)| end);
    wire::DescribedOperation {
        id,
        method,
        path,
        summary: text.get(..end).unwrap_or_default(),
        tags: tags.iter().map(model::Str::as_str).collect(),
        deprecated: *deprecated,
    }
}

/// Whether all words occur in an operation.
fn has_words(operation: &OperationSummary, words: &[String]) -> bool {
    let OperationSummary { id, method, path, summary, description, tags, .. } = operation;
    let texts = [id, method, path, summary, description].into_iter().chain(tags);
    let text = texts.map(|text| text.to_lowercase()).collect::<Vec<_>>().join("\n");
    words.iter().all(|word| text.contains(word.as_str()))
}
