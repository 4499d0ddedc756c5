//! How requests are authenticated.

use super::references::{Reader, text_field};
use model::{Object, Str, Value};

const MAX_NAME: usize = 200;
const MAX_URL: usize = 2_000;
const MAX_SCHEMES: usize = 100;
const MAX_REQUIREMENTS: usize = 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecurityScheme {
    pub name: Str,
    pub description: Str,
    pub kind: SecurityKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecurityKind {
    ApiKey {
        place: ApiKeyPlace,
        name: Str,
    },
    Basic,
    Bearer,
    Digest,
    OAuth2 {
        flows: Vec<OAuthFlow>,
    },
    OpenIdConnect {
        url: Str,
    },
    MutualTls,
    /// One that is not known here, by its name.
    Other(Str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKeyPlace {
    Header,
    Query,
    Cookie,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OAuthFlow {
    /// `authorizationCode`, `clientCredentials`, `implicit` or `password`.
    pub grant: Str,
    pub authorization_url: Str,
    pub token_url: Str,
    pub scopes: Vec<Str>,
}

/// Schemes that are needed together, with their scopes; none for no authentication at all.
pub type SecurityRequirement = Vec<(Str, Vec<Str>)>;

pub(super) fn read_schemes<'a>(
    reader: &mut Reader<'a>,
    schemes: Option<&'a Value>,
) -> Vec<SecurityScheme> {
    let listed = schemes.and_then(Value::as_object);
    let mut found = Vec::new();
    for (name, scheme) in listed.into_iter().flat_map(Object::iter).take(MAX_SCHEMES) {
        reader.place =
            format!("security scheme {}", super::references::clipped(name, MAX_NAME)).into();
        let Some(fields) = reader.object(scheme, "The scheme") else { continue };
        let kind = kind(fields);
        if let SecurityKind::Other(kind) = &kind {
            reader.report(format!("'{kind}' is not supported"));
        }
        let description = text_field(fields, "description", 500);
        found.push(SecurityScheme { name: name.clone(), description, kind });
    }
    reader.place = "document".into();
    found
}

fn kind(fields: &Object) -> SecurityKind {
    let kind = text_field(fields, "type", 50);
    match kind.as_str() {
        "apiKey" => {
            let place = match text_field(fields, "in", 20).as_str() {
                "query" => ApiKeyPlace::Query,
                "cookie" => ApiKeyPlace::Cookie,
                _ => ApiKeyPlace::Header,
            };
            SecurityKind::ApiKey { place, name: text_field(fields, "name", MAX_NAME) }
        }
        "basic" => SecurityKind::Basic,
        "http" => match text_field(fields, "scheme", 50).to_ascii_lowercase().as_str() {
            "basic" => SecurityKind::Basic,
            "bearer" => SecurityKind::Bearer,
            "digest" => SecurityKind::Digest,
            other => SecurityKind::Other(other.into()),
        },
        "oauth2" => SecurityKind::OAuth2 { flows: flows(fields) },
        "openIdConnect" => {
            SecurityKind::OpenIdConnect { url: text_field(fields, "openIdConnectUrl", MAX_URL) }
        }
        "mutualTLS" => SecurityKind::MutualTls,
        _ => SecurityKind::Other(kind),
    }
}

/// Those of OpenAPI 3, or the one of Swagger 2.
fn flows(fields: &Object) -> Vec<OAuthFlow> {
    match fields.get("flows").and_then(Value::as_object) {
        Some(flows) => flows
            .iter()
            .filter_map(|(grant, flow)| Some(oauth_flow(grant, flow.as_object()?)))
            .take(10)
            .collect(),
        None => {
            let grant = match text_field(fields, "flow", 50).as_str() {
                "accessCode" => Str::from("authorizationCode"),
                "application" => Str::from("clientCredentials"),
                other => Str::from(other),
            };
            vec![oauth_flow(&grant, fields)]
        }
    }
}

fn oauth_flow(grant: &Str, fields: &Object) -> OAuthFlow {
    let scopes = fields.get("scopes").and_then(Value::as_object);
    OAuthFlow {
        grant: grant.clone(),
        authorization_url: text_field(fields, "authorizationUrl", MAX_URL),
        token_url: text_field(fields, "tokenUrl", MAX_URL),
        scopes: scopes.into_iter().flat_map(Object::keys).take(500).cloned().collect(),
    }
}

/// The ways of which one is enough; nothing if it is not said.
pub(super) fn read_requirements(value: Option<&Value>) -> Option<Vec<SecurityRequirement>> {
    let listed = value?.as_array()?.iter().take(MAX_REQUIREMENTS).filter_map(Value::as_object);
    Some(listed.map(|together| together.iter().map(scheme_and_scopes).collect()).collect())
}

fn scheme_and_scopes((name, scopes): (&Str, &Value)) -> (Str, Vec<Str>) {
    let scopes = scopes.as_array().unwrap_or_default();
    (name.clone(), scopes.iter().filter_map(Value::as_str).take(500).map(Str::from).collect())
}
