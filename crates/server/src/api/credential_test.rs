//! Tries a credential out: the request by which its service tells who is calling, or a connection
//! that signs in and does nothing. Lists the models that it may use in the same way.

use crate::App;
use engine::{CredentialSource, Engine, NoJournal, NoWorkflows, RunOptions, RunOutcome, RunStart};
use model::{Object, Str, Value, Workflow};
use node_api::ai::model_names;
use node_api::connect::{RemoteServer, Security};
use node_api::credential::CredentialTest;
use node_api::{Credential, NodeError};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const TIMEOUT_MS: u64 = 15_000;
/// Shorter ones would be found in innocent text.
const MIN_SECRET_LENGTH: usize = 3;

/// Why a credential does not work, in words that hold none of it.
pub(super) async fn run(app: &App, credential: &Credential) -> Result<(), String> {
    let tested = match &credential.spec().test {
        None => return Err("Credentials of this type have no test".to_owned()),
        Some(CredentialTest::Smtp) => mail_server(app, credential).await,
        Some(CredentialTest::Imap) => mailbox(app, credential).await,
        Some(CredentialTest::Get(path)) => request(app, credential, path).await.map(drop),
        Some(CredentialTest::Node { node_type, version, parameters }) => {
            let parameters = model::json::parse(parameters).unwrap_or_default();
            run_node(app, credential, node_type, *version, parameters).await.map(drop)
        }
    };
    tested.map_err(|reason| redact(reason, credential))
}

/// The names of the models that a credential may use, in order, or why there are none.
pub(super) async fn models(app: &App, credential: &Credential) -> Result<Vec<Str>, String> {
    let Some(path) = &credential.spec().models else {
        return Err("Credentials of this type have no list of models".to_owned());
    };
    let outcome = request(app, credential, path).await;
    let outcome = outcome.map_err(|reason| redact(reason, credential))?;
    let first = outcome.last_items().and_then(|items| items.iter().next());
    let body = first.and_then(|item| item.json.get("data").map(Value::to_js_string));
    let answer = model::json::parse(&body.unwrap_or_default()).unwrap_or_default();
    model_names(&answer).ok_or_else(|| "The list of models cannot be read".to_owned())
}

/// A GET request of a path of the service, signed with a credential.
async fn request(app: &App, credential: &Credential, path: &str) -> Result<RunOutcome, String> {
    let url = credential.spec().url(path, credential)?;
    let parameters = request_parameters(credential.kind(), &url);
    run_node(app, credential, "n8n-nodes-base.httpRequest", 4.2, parameters).await
}

/// What one node alone puts out with a credential that is not stored.
async fn run_node(
    app: &App,
    credential: &Credential,
    node_type: &str,
    version: f64,
    parameters: Value,
) -> Result<RunOutcome, String> {
    let choice = Object::from_iter([("id", "tested"), ("name", "tested")]);
    let chosen = Object::from_iter([(credential.kind(), choice)]);
    let node = Object::from_iter([
        ("id", Value::from("test")),
        ("name", "Test".into()),
        ("type", node_type.into()),
        ("typeVersion", version.into()),
        ("position", Value::array(vec![0.into(), 0.into()])),
        ("parameters", parameters),
        ("credentials", chosen.into()),
    ]);
    let document = Object::from_iter([
        ("name", Value::from("Test")),
        ("nodes", Value::array(vec![node.into()])),
        ("connections", Value::empty_object()),
    ]);
    let workflow = Workflow::from_value(&document.into()).ok_or("The test could not be run")?;
    let mut ports = app.runtime.engine.ports.clone();
    ports.credentials = Arc::new(TestedCredential((**credential).clone()));
    ports.journal = Arc::new(NoJournal);
    ports.workflows = Arc::new(NoWorkflows);
    ports.calls = None;
    let engine = Engine::new(app.runtime.engine.registry.clone(), ports);
    let mut options = RunOptions::default();
    options.limits.timeout_ms = Some(TIMEOUT_MS);
    let start = RunStart { node: Some("Test".into()), ..RunStart::default() };
    let outcome = engine
        .run(Arc::new(engine.plan(&workflow)), start, options, CancellationToken::new())
        .await;
    match &outcome.error {
        None => Ok(outcome),
        Some(error) => Err(error.message.to_string()),
    }
}

fn request_parameters(kind: &str, address: &str) -> Value {
    let response = Object::from_iter([(
        "response",
        Object::from_iter([("neverError", Value::from(false)), ("responseFormat", "text".into())]),
    )]);
    let options = Object::from_iter([
        ("response", Value::from(response)),
        ("timeout", (TIMEOUT_MS as f64).into()),
    ]);
    Object::from_iter([
        ("method", Value::from("GET")),
        ("url", address.into()),
        ("authentication", "predefinedCredentialType".into()),
        ("nodeCredentialType", kind.into()),
        ("options", options.into()),
    ])
    .into()
}

async fn mail_server(app: &App, fields: &Object) -> Result<(), String> {
    let mut server = server(fields, 465)?;
    server.security = match (flag(fields, "secure", true), flag(fields, "disableStartTls", false)) {
        (true, _) => Security::Tls,
        (false, true) => Security::Plain,
        (false, false) => Security::IfOffered,
    };
    server.client_name = text(fields, "hostName");
    app.runtime
        .engine
        .ports
        .connections
        .check_mail_server(&server)
        .await
        .map_err(|error| error.to_string())
}

async fn mailbox(app: &App, fields: &Object) -> Result<(), String> {
    let mut server = server(fields, 993)?;
    server.security = if flag(fields, "secure", true) { Security::Tls } else { Security::Plain };
    server.allow_invalid_certificates = flag(fields, "allowUnauthorizedCerts", false);
    app.runtime
        .engine
        .ports
        .connections
        .mailbox(&server)
        .await
        .map(drop)
        .map_err(|error| error.to_string())
}

fn server(fields: &Object, default_port: u16) -> Result<RemoteServer, String> {
    let port = fields.get("port").and_then(Value::as_f64).map_or(default_port, |port| port as u16);
    let host = text(fields, "host");
    if host.trim().is_empty() {
        return Err("The field 'host' is empty".to_owned());
    }
    let mut server = RemoteServer::new(host, port);
    server.user = text(fields, "user");
    server.password = text(fields, "password");
    server.timeout_ms = TIMEOUT_MS;
    Ok(server)
}

fn text(fields: &Object, name: &str) -> String {
    fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn flag(fields: &Object, name: &str, default: bool) -> bool {
    fields.get(name).and_then(Value::as_bool).unwrap_or(default)
}

/// A message without the secrets of a credential. Addresses and the like may stay: they are what
/// the message is about.
fn redact(reason: String, credential: &Credential) -> String {
    let hidden = credential.iter().filter(|(name, _)| !credential.spec().is_public(name));
    hidden
        .filter_map(|(_, value)| value.as_str())
        .filter(|secret| secret.len() >= MIN_SECRET_LENGTH)
        .fold(reason, |reason, secret| reason.replace(secret, "…"))
}

/// The one credential of a test.
struct TestedCredential(Object);

impl CredentialSource for TestedCredential {
    fn get(&self, _stands_for: &str, _kind: &str, _id: &str) -> Result<Object, NodeError> {
        Ok(self.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_holds_no_secret() {
        let fields = Object::from_iter([("password", "hunter2"), ("host", "db.example")]);
        let credential = nodes::credentials::registry().open("postgres", fields);
        assert_eq!(
            redact("db.example refused hunter2".to_owned(), &credential),
            "db.example refused …"
        );
    }
}
