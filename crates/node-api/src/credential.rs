//! What is known of types of credentials: their fields, which of these are secret, and where the
//! secrets may be sent.

mod blank;
mod services;

pub use blank::is_blank;
pub use services::{AuthPlacement, CredentialService, SERVICES};

use crate::hosts::{HostAllowlist, HostPattern, SecretBinding};
use model::{Object, Str, Value};
use services::OAUTH_FAMILIES;
use std::ops::Deref;
use std::sync::Arc;

/// A credential that somebody chose for a node, opened. Its fields never reach an expression, an
/// item or a log.
#[derive(Clone, Default)]
pub struct Credential {
    kind: Str,
    fields: Object,
}

/// How a credential may be used by requests that a workflow puts together itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestUse {
    Allowed,
    /// The owner wants it to be used by the service's own nodes only.
    Forbidden,
}

impl Credential {
    pub fn new(kind: &str, fields: Object) -> Self {
        Self { kind: kind.into(), fields }
    }

    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The hosts that it may be sent to.
    pub fn hosts(&self) -> HostAllowlist {
        hosts_of(&self.kind, &self.fields)
    }

    /// The binding that goes with whatever of it is put into a request.
    pub fn binding(&self) -> Arc<SecretBinding> {
        Arc::new(SecretBinding { kind: self.kind.clone(), hosts: self.hosts(), in_body: false })
    }

    /// Whether a request that a workflow puts together may be signed with it.
    pub fn request_use(&self) -> RequestUse {
        match self.fields.get(USE_FIELD).and_then(Value::as_str) {
            Some("none") => RequestUse::Forbidden,
            _ => RequestUse::Allowed,
        }
    }
}

/// The fields themselves.
impl Deref for Credential {
    type Target = Object;

    fn deref(&self) -> &Object {
        &self.fields
    }
}

impl std::fmt::Debug for Credential {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Credential({})", self.kind)
    }
}

/// n8n's two fields for hosts that requests may send a credential to: `all`, `domains` or `none`,
/// and the list.
const USE_FIELD: &str = "allowedHttpRequestDomains";
const LIST_FIELD: &str = "allowedDomains";

/// Types that fit any service, whole. They go to any host unless their owner lists some.
pub const GENERIC: &[(&str, &str)] = &[
    ("httpBasicAuth", "user? password?"),
    ("httpBearerAuth", "token"),
    ("httpDigestAuth", "user? password?"),
    ("httpHeaderAuth", "name? value?"),
    ("httpQueryAuth", "name? value?"),
    ("httpCustomAuth", "json"),
    ("httpSslAuth", "ca? cert? key? passphrase?"),
    ("jwtAuth", "keyType? secret? privateKey? publicKey? algorithm?"),
    ("totpApi", "secret label?"),
    ("crypto", "hmacSecret? signPrivateKey?"),
    (
        "oAuth1Api",
        "authUrl? accessTokenUrl? requestTokenUrl? consumerKey consumerSecret signatureMethod? oauthTokenData?:any",
    ),
    (
        "oAuth2Api",
        "grantType? authUrl? accessTokenUrl? clientId? clientSecret? scope? authQueryParameters? authentication? \
         sendAdditionalBodyProperties?:flag additionalBodyProperties? useDynamicClientRegistration?:flag serverUrl? \
         ignoreSSLIssues?:flag oauthTokenData?:any",
    ),
    (
        "googleApi",
        "email privateKey region? inpersonate?:flag delegatedEmail? httpNode?:flag scopes? httpWarning?",
    ),
    ("smtp", "user? password? host port?:number secure?:flag disableStartTls?:flag hostName?"),
    ("imap", "user? password? host port?:number secure?:flag allowUnauthorizedCerts?:flag"),
    (
        "postgres",
        "host? database? user? password? port?:number ssl? allowUnauthorizedCerts?:flag maxConnections?:number sshTunnel?:flag \
         sshAuthenticateWith? sshHost? sshPort?:number sshUser? sshPassword? privateKey? passphrase?",
    ),
    (
        "mySql",
        "host? database? user? password? port?:number connectTimeout?:number ssl?:flag caCertificate? clientPrivateKey? \
         clientCertificate? sshTunnel?:flag sshAuthenticateWith? sshHost? sshPort?:number sshUser? sshPassword? privateKey? passphrase?",
    ),
    (
        "redis",
        "password? user? host? port?:number database?:number ssl?:flag disableTlsVerification?:flag",
    ),
];

/// Fields that every type has: the hosts of its owner's choice.
pub const HOST_FIELDS: &str = "allowedHttpRequestDomains? allowedDomains?";

/// Fields that are neither secret nor say where a secret goes. All others of a type that are not
/// named here or in [`DESTINATION_FIELDS`] count as secret.
const PLAIN_FIELDS: &[&str] = &[
    "user",
    "username",
    "email",
    "delegatedEmail",
    "label",
    "database",
    "scope",
    "scopes",
    "organizationId",
    "version",
    "apiVersion",
    "keyType",
    "algorithm",
    "grantType",
    "clientId",
    "authentication",
    "header",
    "publicKey",
    "inpersonate",
    "impersonate",
    "httpNode",
    "httpWarning",
    "maxConnections",
    "connectTimeout",
    "sshUser",
    "sshAuthenticateWith",
    "accountSid",
    "userId",
    "consumerKey",
    "sendAdditionalBodyProperties",
    "useDynamicClientRegistration",
    "authQueryParameters",
    "cert",
    "clientCertificate",
];

/// Fields that decide where the secrets of a credential go, or who on the way can read them. The
/// name of a header is one: there are headers whose values are shown, logged or send a request
/// elsewhere. So is the way of signing, of which one sends the secrets as text.
const DESTINATION_FIELDS: &[&str] = &[
    "name",
    "headerName",
    "signatureMethod",
    "allowedHttpRequestDomains",
    "allowedDomains",
    "host",
    "port",
    "url",
    "baseUrl",
    "apiUrl",
    "server",
    "serverUrl",
    "domain",
    "subdomain",
    "shopSubdomain",
    "apiDomain",
    "endpoint",
    "resourceName",
    "qdrantUrl",
    "weaviate_cloud_endpoint",
    "custom_connection_http_host",
    "authUrl",
    "accessTokenUrl",
    "requestTokenUrl",
    "tenantId",
    "region",
    "hostName",
    "sshTunnel",
    "sshHost",
    "sshPort",
    "ssl",
    "secure",
    "disableStartTls",
    "allowUnauthorizedCerts",
    "ignoreSSLIssues",
    "disableTlsVerification",
    "ca",
    "caCertificate",
];

/// A service by the type of its credentials.
pub fn service(kind: &str) -> Option<&'static CredentialService> {
    SERVICES.iter().find(|service| service.kind == kind)
}

/// Whether a field may be told to somebody who may see the credential.
pub fn is_public_field(name: &str) -> bool {
    PLAIN_FIELDS.contains(&name) || DESTINATION_FIELDS.contains(&name)
}

/// Where a type with these fields may be sent: what its owner lists, or else the hosts of its
/// service. What the owner has set as the address of the service always belongs to them.
fn hosts_of(kind: &str, fields: &Object) -> HostAllowlist {
    let templates = match service(kind) {
        Some(service) => service.hosts,
        None => OAUTH_FAMILIES
            .iter()
            .find(|(family, _)| kind.starts_with(family) && kind.contains("OAuth2"))
            .map(|(_, hosts)| *hosts)
            .or((kind == "googleApi").then_some("*.googleapis.com"))
            .unwrap_or_default(),
    };
    let listed = match fields.get(USE_FIELD).and_then(Value::as_str) {
        Some("domains") => Some(HostAllowlist::parse_list(
            fields.get(LIST_FIELD).and_then(Value::as_str).unwrap_or_default(),
        )),
        _ => None,
    };
    let templates = templates.split_whitespace();
    match listed {
        Some(HostAllowlist::Only(mut patterns)) => {
            patterns.extend(
                templates
                    .filter(|template| template.starts_with('{'))
                    .filter_map(|template| fill_template(template, fields)),
            );
            HostAllowlist::Only(patterns)
        }
        _ if { templates.clone() }.next().is_none() => HostAllowlist::Any,
        _ => HostAllowlist::Only(
            templates.filter_map(|template| fill_template(template, fields)).collect(),
        ),
    }
}

/// A host of the table with the fields of a credential in it; nothing if a field is empty or would
/// make another host of it.
fn fill_template(template: &str, fields: &Object) -> Option<HostPattern> {
    let Some(rest) = template.strip_prefix('{') else {
        return if template.contains("://") {
            HostPattern::of_url(template)
        } else {
            HostPattern::of_service(template)
        };
    };
    let (name, behind) = rest.split_once('}')?;
    let value = fields
        .get(name)
        .and_then(Value::as_str)
        .map(str::trim)
        .filter(|value| !value.is_empty())?;
    if behind.is_empty() {
        // An address without a scheme is the name of a host.
        return if value.contains("://") {
            HostPattern::of_url(value)
        } else {
            HostPattern::parse(value)
        };
    }
    let is_label = value.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    is_label.then(|| HostPattern::of_service(&format!("{value}{behind}"))).flatten()
}

/// Which stored secrets have to be given again with a change of some fields: all that are kept, if
/// the change may lead them elsewhere. Whoever may change a credential but not read it could
/// otherwise have it sent to themselves.
pub fn secrets_to_reenter(kind: &str, before: &Object, change: &Object) -> Vec<Str> {
    let is_changed =
        |name: &Str, value: &Value| before.get(name).is_none_or(|known| known != value);
    let known: Vec<&str> = fields_of(kind);
    // Of a field that nobody has described, nobody knows that it leads nowhere.
    let leads = |name: &str| match name {
        USE_FIELD | LIST_FIELD => false,
        _ => {
            DESTINATION_FIELDS.contains(&name)
                || !(PLAIN_FIELDS.contains(&name) || known.contains(&name))
        }
    };
    let leads_elsewhere = change.iter().any(|(name, value)| is_changed(name, value) && leads(name));
    if !leads_elsewhere && !is_widened(kind, before, change) {
        return Vec::new();
    }
    let is_kept_secret = |name: &Str, value: &Value| {
        let is_empty =
            value.is_nullish() || value.as_str() == Some("") || value.as_bool().is_some();
        !is_empty && !is_public_field(name) && !change.contains_key(name)
    };
    before
        .iter()
        .filter(|(name, value)| is_kept_secret(name, value))
        .map(|(name, _)| name.clone())
        .collect()
}

/// Whether a change of the owner's list lets the secrets go where they could not go before. A
/// shorter list does not.
fn is_widened(kind: &str, before: &Object, change: &Object) -> bool {
    if ![USE_FIELD, LIST_FIELD].iter().any(|name| change.contains_key(name)) {
        return false;
    }
    let mut after = before.clone();
    after.extend(change.clone());
    let [old, new] = [before, &after].map(|fields| Credential::new(kind, fields.clone()));
    let is_opened =
        old.request_use() == RequestUse::Forbidden && new.request_use() == RequestUse::Allowed;
    is_opened || !new.hosts().is_within(&old.hosts())
}

/// The names of the fields that a type has.
fn fields_of(kind: &str) -> Vec<&'static str> {
    let generic = GENERIC.iter().find(|(known, _)| *known == kind).map(|(_, fields)| *fields);
    let fields =
        generic.or_else(|| service(kind).map(|service| service.fields)).unwrap_or_default();
    fields
        .split_whitespace()
        .map(|field| field.split([':', '?']).next().unwrap_or_default())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;
    use url::Url;

    fn allows(kind: &str, fields: Value, url: &str) -> bool {
        let credential = Credential::new(kind, fields.as_object().cloned().unwrap());
        credential.hosts().allow(&Url::parse(url).unwrap())
    }

    #[test]
    fn a_credential_of_a_service_goes_to_its_service_and_to_the_owners_own_address() {
        let openai = |fields: Value, url: &str| allows("openAiApi", fields, url);
        assert!(openai(json!({}), "https://api.openai.com/v1/models"));
        assert!(!openai(json!({}), "http://api.openai.com/v1/models"), "not without encryption");
        assert!(!openai(json!({}), "https://evil.test/v1"));
        assert!(
            !openai(json!({ "allowedHttpRequestDomains": "all" }), "https://evil.test/v1"),
            "what n8n writes by itself"
        );
        assert!(openai(
            json!({ "url": "http://127.0.0.1:8080/v1" }),
            "http://127.0.0.1:8080/v1/models"
        ));
        assert!(!openai(
            json!({ "url": "http://127.0.0.1:8080/v1" }),
            "http://127.0.0.1:8081/v1/models"
        ));
        let listed =
            || json!({ "allowedHttpRequestDomains": "domains", "allowedDomains": "gateway.test" });
        assert!(
            openai(listed(), "https://gateway.test/v1")
                && !openai(listed(), "https://api.openai.com/v1")
        );
        assert!(allows("zendeskApi", json!({ "subdomain": "me" }), "https://me.zendesk.com/api"));
        assert!(!allows(
            "zendeskApi",
            json!({ "subdomain": "evil.test/" }),
            "https://evil.test/.zendesk.com"
        ));
        assert!(
            !allows("qdrantApi", json!({}), "https://anything.test/"),
            "without an address there is no host"
        );
        assert!(allows("googleSheetsOAuth2Api", json!({}), "https://sheets.googleapis.com/v4"));
        assert!(!allows("googleSheetsOAuth2Api", json!({}), "https://evil.test/"));
    }

    #[test]
    fn credentials_that_fit_any_service_go_anywhere_unless_bound() {
        assert!(allows("httpHeaderAuth", json!({}), "https://anything.test/"));
        let bound = json!({ "allowedHttpRequestDomains": "domains", "allowedDomains": "a.test" });
        assert!(!allows("httpHeaderAuth", bound, "https://anything.test/"));
        assert!(!allows(
            "httpHeaderAuth",
            json!({ "allowedHttpRequestDomains": "domains" }),
            "https://anything.test/"
        ));
    }

    #[test]
    fn a_new_destination_needs_the_secret_again() {
        let object = |value: Value| value.as_object().cloned().unwrap();
        let repeat = |kind: &str, before: Value, change: Value| {
            secrets_to_reenter(kind, &object(before), &object(change))
        };
        let openai = || json!({ "apiKey": "k", "url": "https://a.test", "organizationId": "o" });
        assert_eq!(
            repeat("openAiApi", openai(), json!({ "url": "https://evil.test" })),
            ["apiKey"]
        );
        let listed = |hosts: &str| json!({ "allowedHttpRequestDomains": "domains", "allowedDomains": hosts });
        assert_eq!(repeat("openAiApi", openai(), listed("evil.test")), ["apiKey"]);
        assert_eq!(repeat("openAiApi", openai(), json!({ "unheardOf": "evil.test" })), ["apiKey"]);
        assert!(
            repeat(
                "openAiApi",
                openai(),
                json!({ "url": "https://a.test", "organizationId": "p" })
            )
            .is_empty()
        );
        assert!(
            repeat("openAiApi", openai(), json!({ "url": "https://b.test", "apiKey": "new" }))
                .is_empty()
        );
        assert!(repeat("openAiApi", openai(), json!({ "apiKey": "new" })).is_empty());
        let database =
            json!({ "host": "db", "user": "u", "password": "p", "port": 5432, "ssl": "require" });
        for change in [
            json!({ "host": "evil" }),
            json!({ "port": 1 }),
            json!({ "ssl": "disable" }),
            json!({ "sshHost": "evil" }),
        ] {
            assert_eq!(repeat("postgres", database.clone(), change), ["password"]);
        }
        let header = || json!({ "name": "X", "value": "v" });
        assert_eq!(
            repeat("httpHeaderAuth", header(), json!({ "name": "Host" })),
            ["value"],
            "issue_14_08"
        );
        let oauth = json!({ "consumerSecret": "s", "signatureMethod": "HMAC-SHA1" });
        assert_eq!(
            repeat("oAuth1Api", oauth, json!({ "signatureMethod": "PLAINTEXT" })),
            ["consumerSecret"],
            "issue_14_08"
        );
        let token = json!({ "clientSecret": "s", "oauthTokenData": { "access_token": "t" } });
        assert_eq!(
            repeat("oAuth2Api", token, json!({ "accessTokenUrl": "https://evil.test" })),
            ["clientSecret", "oauthTokenData"]
        );
    }

    #[test]
    fn a_shorter_list_of_hosts_does_not_need_the_secret() {
        let object = |value: Value| value.as_object().cloned().unwrap();
        let with = |name: &str, hosts: &str| json!({ "value": "v", "allowedHttpRequestDomains": name, "allowedDomains": hosts });
        let repeat = |before: Value, change: Value| {
            secrets_to_reenter("httpHeaderAuth", &object(before), &object(change))
        };
        assert!(
            repeat(
                with("all", ""),
                json!({ "allowedHttpRequestDomains": "domains", "allowedDomains": "a.test" })
            )
            .is_empty()
        );
        assert!(
            repeat(with("domains", "a.test, b.test"), json!({ "allowedDomains": "b.test" }))
                .is_empty()
        );
        for (before, change) in [
            (with("domains", "a.test"), json!({ "allowedDomains": "a.test, b.test" })),
            (with("domains", "a.test"), json!({ "allowedHttpRequestDomains": "all" })),
            (with("domains", "a.test"), json!({ "allowedHttpRequestDomains": "none" })),
            (
                with("none", ""),
                json!({ "allowedHttpRequestDomains": "domains", "allowedDomains": "a.test" }),
            ),
        ] {
            assert_eq!(repeat(before, change), ["value"]);
        }
    }

    #[test]
    fn each_service_stands_in_the_table_once_and_every_host_can_be_read() {
        let mut kinds: Vec<_> = SERVICES
            .iter()
            .map(|service| service.kind)
            .chain(GENERIC.iter().map(|(kind, _)| *kind))
            .collect();
        kinds.sort_unstable();
        let count = kinds.len();
        kinds.dedup();
        assert_eq!(kinds.len(), count);
        let families = OAUTH_FAMILIES.iter().map(|(family, hosts)| (*family, *hosts));
        for (kind, hosts) in
            SERVICES.iter().map(|service| (service.kind, service.hosts)).chain(families)
        {
            assert!(!hosts.is_empty(), "{kind}");
            for template in hosts.split_whitespace() {
                let fields = match template.strip_prefix('{').and_then(|rest| rest.split_once('}'))
                {
                    Some((name, "")) => Object::from_iter([(name, "https://x.test/")]),
                    Some((name, _)) => Object::from_iter([(name, "x")]),
                    None => Object::new(),
                };
                assert!(fill_template(template, &fields).is_some(), "{kind}: {template}");
            }
        }
    }
}
