//! Tries a credential out: the request by which its service tells who is calling, or a connection
//! that signs in and does nothing.

use crate::App;
use engine::{CredentialSource, Engine, NoJournal, NoWorkflows, RunOptions, RunOutcome, RunStart};
use model::{Object, Str, Value, Workflow};
use node_api::NodeError;
use node_api::connect::{RemoteServer, Security};
use node_api::credential::is_public_field;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const TIMEOUT_MS: u64 = 15_000;

/// Where each service tells whether a key is good; `{field}` is a field of the credential,
/// `{field|default}` one that may be empty.
#[rustfmt::skip]
const REQUESTS: &[(&str, &str)] = &[
    ("openAiApi", "{url|https://api.openai.com/v1}/models"),
    ("anthropicApi", "{url|https://api.anthropic.com}/v1/models"),
    ("mistralCloudApi", "https://api.mistral.ai/v1/models"),
    ("openRouterApi", "{url|https://openrouter.ai/api/v1}/key"),
    ("groqApi", "https://api.groq.com/openai/v1/models"),
    ("deepSeekApi", "{url|https://api.deepseek.com}/models"),
    ("xAiApi", "{url|https://api.x.ai/v1}/models"),
    ("cohereApi", "{url|https://api.cohere.ai}/v1/models?page_size=1"),
    ("huggingFaceApi", "https://huggingface.co/api/whoami-v2"),
    ("googlePalmApi", "{host|https://generativelanguage.googleapis.com}/v1beta/models"),
    ("ollamaApi", "{baseUrl|http://localhost:11434}/api/tags"),
    ("qdrantApi", "{qdrantUrl}/collections"),
    ("weaviateApi", "{weaviate_cloud_endpoint}/v1/meta"),
    ("supabaseApi", "{host}/rest/v1/"),
    ("notionApi", "https://api.notion.com/v1/users/me"),
    ("airtableTokenApi", "https://api.airtable.com/v0/meta/whoami"),
    ("githubApi", "{server|https://api.github.com}/user"),
    ("gitlabApi", "{server|https://gitlab.com}/api/v4/personal_access_tokens/self"),
    ("hubspotAppToken", "https://api.hubapi.com/account-info/v3/details"),
    ("stripeApi", "https://api.stripe.com/v1/balance"),
    ("sendGridApi", "https://api.sendgrid.com/v3/scopes"),
    ("mailgunApi", "https://{apiDomain|api.mailgun.net}/v3/domains"),
    ("sendInBlueApi", "https://api.brevo.com/v3/account"),
    ("twilioApi", "https://api.twilio.com/2010-04-01/Accounts/{accountSid}.json"),
    ("telegramApi", "{baseUrl|https://api.telegram.org}/bot{accessToken}/getMe"),
    ("discordBotApi", "https://discord.com/api/v10/users/@me"),
    ("jiraSoftwareCloudApi", "{domain}/rest/api/2/myself"),
    ("jiraSoftwareServerApi", "{domain}/rest/api/2/myself"),
    ("asanaApi", "https://app.asana.com/api/1.0/users/me"),
    ("clickUpApi", "https://api.clickup.com/api/v2/user"),
    ("todoistApi", "https://api.todoist.com/api/v1/projects?limit=1"),
    ("pipedriveApi", "https://api.pipedrive.com/v1/users/me"),
    ("typeformApi", "https://api.typeform.com/me"),
    ("calendlyApi", "https://api.calendly.com/users/me"),
    ("intercomApi", "https://api.intercom.io/me"),
    ("zendeskApi", "https://{subdomain}.zendesk.com/api/v2/users/me.json"),
    ("elasticsearchApi", "{baseUrl}/_security/_authenticate"),
    ("grafanaApi", "{baseUrl}/api/folders"),
    ("cloudflareApi", "https://api.cloudflare.com/client/v4/user/tokens/verify"),
    ("digitalOceanApi", "https://api.digitalocean.com/v2/account"),
    ("netlifyApi", "https://api.netlify.com/api/v1/user"),
    ("n8nApi", "{baseUrl}/workflows?limit=1"),
    ("wordpressApi", "{url}/wp-json/wp/v2/users/me"),
    ("homeAssistantApi", "{host}/api/"),
    ("mattermostApi", "{baseUrl}/api/v4/users/me"),
    ("strapiTokenApi", "{url}/api/users/me"),
    ("directusApi", "{url}/users/me"),
];

/// Nodes that reach a server without leaving a trace there.
#[rustfmt::skip]
const STATEMENTS: &[(&str, &str, f64, &str)] = &[
    ("postgres", "n8n-nodes-base.postgres", 2.6, r#"{"operation":"executeQuery","query":"SELECT 1"}"#),
    ("mySql", "n8n-nodes-base.mySql", 2.4, r#"{"operation":"executeQuery","query":"SELECT 1"}"#),
    ("redis", "n8n-nodes-base.redis", 1.0, r#"{"operation":"info"}"#),
];

/// Why a credential does not work, in words that hold none of it.
pub(super) async fn run(app: &App, kind: &str, fields: Object) -> Result<(), String> {
    let secrets = secret_texts(&fields);
    let tested = match kind {
        "smtp" => mail_server(app, &fields).await,
        "imap" => mailbox(app, &fields).await,
        _ => test_with_node(app, kind, fields).await,
    };
    tested.map_err(|reason| redact(reason, &secrets))
}

async fn test_with_node(app: &App, kind: &str, fields: Object) -> Result<(), String> {
    let statement = STATEMENTS.iter().find(|(known, ..)| *known == kind);
    let request = REQUESTS.iter().find(|(known, _)| *known == kind);
    let (node_type, version, parameters) = match (statement, request) {
        (Some((_, node_type, version, parameters)), _) => {
            (*node_type, *version, model::json::parse(parameters).unwrap_or_default())
        }
        (None, Some((_, address))) => (
            "n8n-nodes-base.httpRequest",
            4.2,
            request_parameters(kind, &fill_template(address, &fields)?),
        ),
        (None, None) => return Err("Credentials of this type have no test".to_owned()),
    };
    run_node(app, kind, fields, node_type, version, parameters).await.map(drop)
}

/// What one node alone puts out with a credential that is not stored.
async fn run_node(
    app: &App,
    kind: &str,
    fields: Object,
    node_type: &str,
    version: f64,
    parameters: Value,
) -> Result<RunOutcome, String> {
    let chosen =
        Object::from_iter([(kind, Object::from_iter([("id", "tested"), ("name", "tested")]))]);
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
    ports.credentials = Arc::new(TestedCredential(fields));
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

/// The body of an answer to a request that is signed with a credential.
pub(super) async fn fetch_body(
    app: &App,
    kind: &str,
    fields: Object,
    address: &str,
) -> Result<Str, String> {
    let secrets = secret_texts(&fields);
    let asked = async {
        let parameters = request_parameters(kind, &fill_template(address, &fields)?);
        let outcome =
            run_node(app, kind, fields, "n8n-nodes-base.httpRequest", 4.2, parameters).await?;
        let first = outcome.last_items().and_then(|items| items.iter().next());
        Ok(first
            .and_then(|item| item.json.get("data").map(Value::to_js_string))
            .unwrap_or_default())
    };
    asked.await.map_err(|reason| redact(reason, &secrets))
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

/// An address with the fields of a credential in it.
fn fill_template(template: &str, fields: &Object) -> Result<String, String> {
    let mut address = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (place, behind) = after.split_once('}').unwrap_or((after, ""));
        let (name, default) = place.split_once('|').unwrap_or((place, ""));
        let value = fields
            .get(name)
            .and_then(Value::as_str)
            .map(str::trim)
            .filter(|value| !value.is_empty())
            .unwrap_or(default);
        if value.is_empty() {
            return Err(format!("The field '{name}' is empty"));
        }
        address.push_str(before);
        address.push_str(value.trim_end_matches('/'));
        rest = behind;
    }
    address.push_str(rest);
    // What begins with `=` would be an expression.
    if !address.starts_with("http://") && !address.starts_with("https://") {
        return Err(
            "The address in the credential does not start with http:// or https://".to_owned()
        );
    }
    Ok(address)
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

/// The texts of a credential that must not come back in a message. Addresses and the like may: they
/// are what the message is about.
fn secret_texts(fields: &Object) -> Vec<String> {
    let hidden = fields.iter().filter(|(name, _)| !is_public_field(name));
    hidden
        .filter_map(|(_, value)| value.as_str())
        .filter(|text| text.len() >= 3)
        .map(str::to_owned)
        .collect()
}

fn redact(reason: String, secrets: &[String]) -> String {
    secrets.iter().fold(reason, |reason, secret| reason.replace(secret.as_str(), "…"))
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
    use crate::api::credential_kinds;

    #[test]
    fn an_address_is_made_of_the_fields_of_the_credential() {
        let fields = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| (*name, Value::from(*value))).collect::<Object>()
        };
        assert_eq!(
            fill_template("{url|https://a.b/v1}/models", &fields(&[])).unwrap(),
            "https://a.b/v1/models"
        );
        assert_eq!(
            fill_template("{url|https://a.b/v1}/models", &fields(&[("url", "http://own/")]))
                .unwrap(),
            "http://own/models"
        );
        assert!(fill_template("{host}/x", &fields(&[])).is_err());
        assert!(fill_template("{host}/x", &fields(&[("host", "={{ 1 }}")])).is_err());
        assert!(fill_template("{host}/x", &fields(&[("host", "file:///etc/passwd")])).is_err());
    }

    #[test]
    fn every_kind_with_a_test_is_known() {
        let kinds =
            REQUESTS.iter().map(|(kind, _)| *kind).chain(STATEMENTS.iter().map(|(kind, ..)| *kind));
        for kind in kinds {
            assert!(credential_kinds::is_known(kind), "{kind}");
        }
    }

    #[test]
    fn issue_14_08_a_test_stays_within_the_hosts_of_its_credential() {
        for (kind, template) in REQUESTS.iter().chain(crate::api::credential_models::LISTS) {
            // Once with every field empty that may be, and once with all of them set.
            for address in ["https://own.test", ""] {
                let names =
                    template.split('{').skip(1).filter_map(|rest| rest.split(['}', '|']).next());
                let value = |name: &str| match name {
                    "subdomain" => "own",
                    "apiDomain" if !address.is_empty() => "own.test",
                    "accountSid" | "accessToken" => "x",
                    _ => address,
                };
                let fields: Object = names.map(|name| (name, Value::from(value(name)))).collect();
                let Ok(url) = fill_template(template, &fields) else { continue };
                let hosts = node_api::Credential::new(kind, fields).hosts();
                assert!(
                    !hosts.is_any() && hosts.allow(&reqwest::Url::parse(&url).unwrap()),
                    "{kind}: {url} is not in {hosts}"
                );
            }
        }
    }

    #[test]
    fn a_message_holds_no_secret() {
        let fields = Object::from_iter([("password", "hunter2"), ("host", "db.example")]);
        assert_eq!(
            redact("db.example refused hunter2".to_owned(), &secret_texts(&fields)),
            "db.example refused …"
        );
    }
}
