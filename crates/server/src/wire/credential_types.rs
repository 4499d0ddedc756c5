//! Descriptions of credential types on the wire.

use node_api::credential::{CredentialField, CredentialSpec, FieldKind, FieldRole};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CredentialType<'a> {
    pub(crate) id: &'a str,
    /// Other names that workflows use for the type.
    pub(crate) aliases: Vec<&'a str>,
    pub(crate) name: &'a str,
    pub(crate) group: &'a str,
    pub(crate) fields: Vec<CredentialTypeField<'a>>,
    pub(crate) allows_other_fields: bool,
    /// Where a key is created; empty if that is not known.
    pub(crate) help_url: &'a str,
    /// Where its requests go; empty if a field of the credential decides that.
    pub(crate) base_url: String,
    /// OAuth2 types whose names begin like this belong to the same service.
    pub(crate) prefixes: Vec<&'a str>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct CredentialTypes<'a>(pub(crate) Vec<CredentialType<'a>>);

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CredentialTypeField<'a> {
    pub(crate) name: &'a str,
    pub(crate) label: &'a str,
    pub(crate) kind: CredentialFieldKind,
    pub(crate) role: CredentialFieldRole,
    pub(crate) required: bool,
    /// Few people need it; it is hidden at first.
    pub(crate) advanced: bool,
    pub(crate) hint: &'a str,
    pub(crate) placeholder: &'a str,
    pub(crate) options: Vec<&'a str>,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum CredentialFieldKind {
    Text,
    LongText,
    Json,
    Flag,
    Number,
    Choice,
    Hidden,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum CredentialFieldRole {
    Secret,
    Plain,
    Destination,
}

impl<'a> From<&'a CredentialSpec> for CredentialType<'a> {
    fn from(spec: &'a CredentialSpec) -> Self {
        Self {
            id: &spec.id,
            aliases: spec.aliases.iter().map(|alias| alias.as_str()).collect(),
            name: &spec.name,
            group: spec.group.name(),
            fields: spec.all_fields().map(CredentialTypeField::from).collect(),
            allows_other_fields: spec.allows_other_fields,
            help_url: &spec.help_url,
            base_url: spec.fixed_base_url().unwrap_or_default(),
            prefixes: spec.prefixes.iter().map(|prefix| prefix.as_str()).collect(),
        }
    }
}

impl<'a> From<&'a CredentialField> for CredentialTypeField<'a> {
    fn from(field: &'a CredentialField) -> Self {
        Self {
            name: &field.name,
            label: &field.label,
            kind: field.kind.into(),
            role: field.role.into(),
            required: field.required,
            advanced: field.advanced,
            hint: &field.hint,
            placeholder: &field.placeholder,
            options: field.options.iter().map(|option| option.as_str()).collect(),
        }
    }
}

impl From<FieldKind> for CredentialFieldKind {
    fn from(kind: FieldKind) -> Self {
        match kind {
            FieldKind::Text => Self::Text,
            FieldKind::LongText => Self::LongText,
            FieldKind::Json => Self::Json,
            FieldKind::Flag => Self::Flag,
            FieldKind::Number => Self::Number,
            FieldKind::Choice => Self::Choice,
            FieldKind::Hidden => Self::Hidden,
        }
    }
}

impl From<FieldRole> for CredentialFieldRole {
    fn from(role: FieldRole) -> Self {
        match role {
            FieldRole::Secret => Self::Secret,
            FieldRole::Plain => Self::Plain,
            FieldRole::Destination => Self::Destination,
        }
    }
}
