//! What the descriptions of all credential types have to keep to.

use super::registry;
use model::{Object, Value, json};
use node_api::credential::{
    AuthPlacement, CredentialAuth, CredentialSpec, CredentialTest, FieldKind, FieldRole,
    secrets_to_reenter, template,
};
use std::collections::HashSet;
use std::sync::Arc;
use url::Url;

fn specs() -> Vec<Arc<CredentialSpec>> {
    registry().all().to_vec()
}

fn allows(kind: &str, fields: Value, url: &str) -> bool {
    let credential = registry().open(kind, fields.as_object().cloned().unwrap());
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
        secrets_to_reenter(&registry().get(kind), &object(before), &object(change))
    };
    let openai = || json!({ "apiKey": "k", "url": "https://a.test", "organizationId": "o" });
    assert_eq!(repeat("openAiApi", openai(), json!({ "url": "https://evil.test" })), ["apiKey"]);
    let listed =
        |hosts: &str| json!({ "allowedHttpRequestDomains": "domains", "allowedDomains": hosts });
    assert_eq!(repeat("openAiApi", openai(), listed("evil.test")), ["apiKey"]);
    assert_eq!(repeat("openAiApi", openai(), json!({ "unheardOf": "evil.test" })), ["apiKey"]);
    assert!(
        repeat("openAiApi", openai(), json!({ "url": "https://a.test", "organizationId": "p" }))
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
        secrets_to_reenter(&registry().get("httpHeaderAuth"), &object(before), &object(change))
    };
    assert!(
        repeat(
            with("all", ""),
            json!({ "allowedHttpRequestDomains": "domains", "allowedDomains": "a.test" })
        )
        .is_empty()
    );
    assert!(
        repeat(with("domains", "a.test, b.test"), json!({ "allowedDomains": "b.test" })).is_empty()
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
fn every_type_has_one_file_one_row_and_one_name() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/credentials");
    let shared = ["ssh_tunnel.rs", "tests.rs"];
    let files = std::fs::read_dir(folder).unwrap().count() - shared.len();
    assert_eq!(specs().len(), files, "a file without a row, or a row without a file");
    let (mut ids, mut names) = (HashSet::new(), HashSet::new());
    for spec in specs() {
        for id in spec.aliases.iter().chain([&spec.id]) {
            assert!(ids.insert(id.clone()), "{id} is declared twice");
        }
        assert!(names.insert(spec.name.clone()), "two types are called {}", spec.name);
    }
}

#[test]
fn every_field_explains_itself() {
    for spec in specs() {
        assert!(!spec.fields.is_empty(), "{}: no fields", spec.id);
        let mut names = HashSet::new();
        for field in spec.all_fields() {
            let place = format!("{}.{}", spec.id, field.name);
            assert!(names.insert(&field.name), "{place} is declared twice");
            assert!(!field.label.is_empty(), "{place}: no label");
            assert_eq!(field.kind == FieldKind::Choice, !field.options.is_empty(), "{place}");
            assert!(!(field.required && field.advanced), "{place}: required fields are shown");
        }
        let is_secret = |name: &str| !spec.is_public(name);
        for name in ["password", "secret", "apiKey", "accessToken", "privateKey"] {
            assert!(spec.field(name).is_none() || is_secret(name), "{}.{name}", spec.id);
        }
    }
}

/// Every template of a description, with where it stands.
fn templates(spec: &CredentialSpec) -> Vec<(&'static str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    found.push(("base_url", spec.base_url.to_string()));
    found.extend(spec.hosts.iter().map(|host| ("hosts", host.to_string())));
    if let Some(CredentialTest::Get(path)) = &spec.test {
        found.push(("test", path.to_string()));
    }
    found.extend(spec.models.iter().map(|path| ("models", path.to_string())));
    match &spec.auth {
        CredentialAuth::Request(placements) => {
            for placement in placements {
                let (one, other) = match placement {
                    AuthPlacement::Header { name, value }
                    | AuthPlacement::Query { name, value } => (name, value),
                    AuthPlacement::Basic { user, password } => (user, password),
                };
                found.extend([("auth", one.to_string()), ("auth", other.to_string())]);
            }
        }
        CredentialAuth::OAuth2(endpoints) => {
            found.push(("auth_url", endpoints.auth_url.to_string()));
            found.push(("token_url", endpoints.token_url.to_string()));
        }
        CredentialAuth::None | CredentialAuth::GoogleServiceAccount => {}
    }
    found
}

#[test]
fn every_template_names_fields_that_exist_and_addresses_name_destinations() {
    for spec in specs() {
        for (place, text) in templates(&spec) {
            for name in template::fields(&text) {
                let field = spec.field(name);
                let field = field.unwrap_or_else(|| panic!("{}: {place} names {name}", spec.id));
                if matches!(place, "base_url" | "hosts" | "token_url") {
                    assert_eq!(field.role, FieldRole::Destination, "{}: {place}: {name}", spec.id);
                }
            }
        }
        for variable in &spec.env {
            assert!(spec.field(&variable.field).is_some(), "{}: {}", spec.id, variable.name);
        }
    }
}

/// Fields for the templates of a type: addresses where it needs addresses.
fn sample_fields(spec: &CredentialSpec, address: &str) -> Object {
    let value = |name: &str| match name {
        "subdomain" | "shopSubdomain" | "resourceName" => "own",
        "domain" if spec.hosts.iter().any(|host| host.starts_with("{domain}.")) => "own",
        "apiDomain" if !address.is_empty() => "own.test",
        "accountSid" | "accessToken" => "x",
        _ => address,
    };
    let all = templates(spec);
    let names = all.iter().flat_map(|(_, text)| template::fields(text));
    names.map(|name| (name, Value::from(value(name)))).collect()
}

#[test]
fn issue_14_08_every_request_stays_within_the_hosts_of_its_credential() {
    for spec in specs() {
        let test = match &spec.test {
            Some(CredentialTest::Get(path)) => Some(path.as_str()),
            _ => None,
        };
        let paths = [Some(""), test, spec.models.as_deref()];
        for path in paths.into_iter().flatten().filter(|_| !spec.base_url.is_empty()) {
            // Once with every field empty that may be, and once with all of them set.
            for address in ["https://own.test", ""] {
                let fields = sample_fields(&spec, address);
                let Ok(url) = spec.url(path, &fields) else { continue };
                let hosts = registry().open(&spec.id, fields).hosts();
                assert!(
                    !hosts.is_any() && hosts.allow(&Url::parse(&url).unwrap()),
                    "{}: {url} is not in {hosts}",
                    spec.id
                );
            }
        }
        if let CredentialAuth::Request(_) = spec.auth {
            assert!(!spec.hosts.is_empty(), "{}: may be sent anywhere", spec.id);
        }
        let fields = sample_fields(&spec, "https://own.test");
        for host in &spec.hosts {
            let one = CredentialSpec { hosts: vec![host.clone()], ..(*spec).clone() };
            let hosts = node_api::Credential::new(Arc::new(one), &spec.id, fields.clone()).hosts();
            assert_ne!(hosts.to_string(), "", "{}: {host} cannot be read", spec.id);
        }
    }
}

#[test]
fn addresses_are_made_of_fields_and_nothing_else() {
    let openai = registry().get("openAiApi");
    let url = |value: &str| openai.url("/models", &Object::from_iter([("url", value)]));
    assert_eq!(url("").unwrap(), "https://api.openai.com/v1/models");
    assert_eq!(url(" http://own/ ").unwrap(), "http://own/models");
    for wrong in ["={{ 1 }}", "file:///etc/passwd", "javascript:1"] {
        assert!(url(wrong).is_err(), "{wrong}");
    }
    let qdrant = registry().get("qdrantApi");
    assert!(qdrant.url("", &Object::new()).unwrap_err().contains("qdrantUrl"));
}

#[test]
fn every_type_that_a_node_uses_is_described() {
    let registry = crate::registry();
    for node in registry.all() {
        for used in &node.spec.credentials {
            let spec = registry.credentials.find(&used.kind);
            assert!(
                spec.is_some_and(|spec| spec.id == used.kind),
                "{}: {}",
                node.spec.id,
                used.kind
            );
        }
    }
    for spec in specs() {
        if let Some(CredentialTest::Node { node_type, version, .. }) = &spec.test {
            assert!(registry.find(node_type, *version).is_some(), "{}: {node_type}", spec.id);
        }
        if let Some(provider) = &spec.provider {
            assert!(!registry.of_type(&provider.node_type).is_empty(), "{}", provider.name);
        }
    }
}

#[test]
fn an_alias_stands_for_its_type() {
    let registry = registry();
    for (alias, id) in
        [("openaiApi", "openAiApi"), ("redisConnection", "redis"), ("apiKey", "httpHeaderAuth")]
    {
        assert_eq!(registry.canonical_id(alias), id);
        assert_eq!(registry.find(alias).unwrap().id, id);
    }
    assert_eq!(registry.canonical_id("googleSheetsOAuth2Api"), "googleSheetsOAuth2Api");
    assert_eq!(registry.find("googleSheetsOAuth2Api").unwrap().id, "googleOAuth2Api");
    assert!(registry.find("strangeApi").is_none());
    assert!(!registry.get("strangeApi").is_public("user"), "unknown fields are secret");
}
