//! Credentials: the descriptions of their types, and what may be done with an opened one.

mod blank;
mod registry;
mod spec;
pub mod template;

pub use blank::is_blank;
pub use registry::CredentialRegistry;
pub use spec::{
    AuthPlacement, CredentialAuth, CredentialField, CredentialGroup, CredentialSpec,
    CredentialTest, EnvVariable, FieldKind, FieldRole, ModelProvider, OAuth2Endpoints,
};

use crate::hosts::{HostAllowlist, HostPattern, SecretBinding};
use model::{Object, Str, Value};
use std::ops::Deref;
use std::sync::Arc;

/// A credential that somebody chose for a node, opened. Its fields never reach an expression, an
/// item or a log.
#[derive(Clone, Default)]
pub struct Credential {
    spec: Arc<CredentialSpec>,
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
    /// A credential of a type, which may be one of several that share a description.
    pub fn new(spec: Arc<CredentialSpec>, kind: &str, fields: Object) -> Self {
        Self { spec, kind: kind.into(), fields }
    }

    pub fn kind(&self) -> &str {
        &self.kind
    }

    pub fn spec(&self) -> &CredentialSpec {
        &self.spec
    }

    /// The hosts that it may be sent to: what its owner lists, or else the hosts of its service.
    /// What the owner has set as the address of the service always belongs to them.
    pub fn hosts(&self) -> HostAllowlist {
        allowed_hosts(&self.spec, &self.fields)
    }

    /// The binding that goes with whatever of it is put into a request.
    pub fn binding(&self) -> Arc<SecretBinding> {
        Arc::new(SecretBinding { kind: self.kind.clone(), hosts: self.hosts(), in_body: false })
    }

    /// Whether a request that a workflow puts together may be signed with it.
    pub fn request_use(&self) -> RequestUse {
        request_use(&self.fields)
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

fn allowed_hosts(spec: &CredentialSpec, fields: &Object) -> HostAllowlist {
    let listed = match fields.get(USE_FIELD).and_then(Value::as_str) {
        Some("domains") => Some(HostAllowlist::parse_list(
            fields.get(LIST_FIELD).and_then(Value::as_str).unwrap_or_default(),
        )),
        _ => None,
    };
    let templates = spec.hosts.iter().map(Str::as_str);
    match listed {
        Some(HostAllowlist::Only(mut patterns)) => {
            patterns.extend(
                templates
                    .filter(|template| template.starts_with('{'))
                    .filter_map(|template| host_pattern(template, fields)),
            );
            HostAllowlist::Only(patterns)
        }
        _ if spec.hosts.is_empty() => HostAllowlist::Any,
        _ => HostAllowlist::Only(
            templates.filter_map(|template| host_pattern(template, fields)).collect(),
        ),
    }
}

/// Whether a request that a workflow puts together may carry a credential with these fields.
fn request_use(fields: &Object) -> RequestUse {
    match fields.get(USE_FIELD).and_then(Value::as_str) {
        Some("none") => RequestUse::Forbidden,
        _ => RequestUse::Allowed,
    }
}

/// A host of a description with the fields of a credential in it; nothing if a field is empty or would
/// make another host of it.
fn host_pattern(template: &str, fields: &Object) -> Option<HostPattern> {
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
pub fn secrets_to_reenter(spec: &CredentialSpec, before: &Object, change: &Object) -> Vec<Str> {
    let is_changed =
        |name: &Str, value: &Value| before.get(name).is_none_or(|known| known != value);
    // Of a field that nobody has described, nobody knows that it leads nowhere.
    let leads = |name: &str| match name {
        USE_FIELD | LIST_FIELD => false,
        _ => spec.field(name).is_none_or(|field| field.role == FieldRole::Destination),
    };
    let leads_elsewhere = change.iter().any(|(name, value)| is_changed(name, value) && leads(name));
    if !leads_elsewhere && !is_widened(spec, before, change) {
        return Vec::new();
    }
    let is_kept_secret = |name: &Str, value: &Value| {
        let is_empty =
            value.is_nullish() || value.as_str() == Some("") || value.as_bool().is_some();
        !is_empty && !spec.is_public(name) && !change.contains_key(name)
    };
    before
        .iter()
        .filter(|(name, value)| is_kept_secret(name, value))
        .map(|(name, _)| name.clone())
        .collect()
}

/// Whether a change of the owner's list lets the secrets go where they could not go before. A
/// shorter list does not.
fn is_widened(spec: &CredentialSpec, before: &Object, change: &Object) -> bool {
    if ![USE_FIELD, LIST_FIELD].iter().any(|name| change.contains_key(name)) {
        return false;
    }
    let mut after = before.clone();
    after.extend(change.clone());
    let is_opened =
        request_use(before) == RequestUse::Forbidden && request_use(&after) == RequestUse::Allowed;
    is_opened || !allowed_hosts(spec, &after).is_within(&allowed_hosts(spec, before))
}
