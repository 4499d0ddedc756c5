//! The kinds of credentials that nodes use, and the fields of each.

use super::invalid;
use crate::error::ApiError;
use model::{Object, Value};
use node_api::credential::{GENERIC, HOST_FIELDS, service};

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FieldType {
    Text,
    Flag,
    Number,
    /// A token as a service gave it.
    Anything,
}

/// A kind of credential: `name` or `name?` for fields that may be left out, `:flag`, `:number` or
/// `:any` behind those that are no texts.
struct CredentialKind {
    fields: Vec<(&'static str, FieldType, Presence)>,
    /// The service may have fields that are not written down here.
    is_open: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Presence {
    Required,
    Optional,
}

/// The JSON schema of a kind, as callers see it.
pub(super) fn schema(kind: &str) -> Option<Value> {
    let found = find(kind)?;
    let properties: Object =
        found.fields.iter().map(|(name, holds, _)| (*name, holds.schema())).collect();
    let required = found
        .fields
        .iter()
        .filter(|(_, _, presence)| *presence == Presence::Required)
        .map(|(name, _, _)| Value::from(*name));
    Some(
        Object::from_iter([
            ("additionalProperties", Value::from(found.is_open)),
            ("type", "object".into()),
            ("properties", properties.into()),
            ("required", Value::array(required.collect())),
        ])
        .into(),
    )
}

pub(super) fn is_known(kind: &str) -> bool {
    find(kind).is_some()
}

/// Whether fields are those of a kind. What they hold is never told.
pub(super) fn check(kind: &str, fields: &Object, may_be_partial: bool) -> Result<(), ApiError> {
    let Some(found) = find(kind) else { return Ok(()) };
    for (name, value) in fields.iter() {
        match found.fields.iter().find(|(known, _, _)| known == name) {
            Some((_, holds, _)) if !holds.accepts(value) => {
                return Err(invalid(name, "has the wrong type for this credential"));
            }
            None if !found.is_open => {
                return Err(invalid(
                    name,
                    &format!("is not a field of a credential of type '{kind}'"),
                ));
            }
            _ => {}
        }
    }
    let missing = found
        .fields
        .iter()
        .find(|(name, _, presence)| *presence == Presence::Required && !fields.contains_key(name));
    match missing {
        Some((name, _, _)) if !may_be_partial => {
            Err(invalid(name, &format!("is missing in a credential of type '{kind}'")))
        }
        _ => Ok(()),
    }
}

fn find(kind: &str) -> Option<CredentialKind> {
    let generic =
        GENERIC.iter().find(|(name, _)| *name == kind).map(|(_, fields)| (*fields, false));
    let (fields, is_open) =
        generic.or_else(|| service(kind).map(|service| (service.fields, true)))?;
    let fields =
        fields.split_whitespace().chain(HOST_FIELDS.split_whitespace()).map(field).collect();
    Some(CredentialKind { fields, is_open })
}

fn field(text: &'static str) -> (&'static str, FieldType, Presence) {
    let (name, holds) = match text.split_once(':') {
        Some((name, "flag")) => (name, FieldType::Flag),
        Some((name, "number")) => (name, FieldType::Number),
        Some((name, _)) => (name, FieldType::Anything),
        None => (text, FieldType::Text),
    };
    match name.strip_suffix('?') {
        Some(name) => (name, holds, Presence::Optional),
        None => (name, holds, Presence::Required),
    }
}

impl FieldType {
    fn schema(self) -> Value {
        match self {
            FieldType::Text => Object::from_iter([("type", "string")]).into(),
            FieldType::Flag => Object::from_iter([("type", "boolean")]).into(),
            FieldType::Number => Object::from_iter([("type", "number")]).into(),
            FieldType::Anything => Value::empty_object(),
        }
    }

    fn accepts(self, value: &Value) -> bool {
        match self {
            FieldType::Text => value.is_string() || value.is_object(),
            FieldType::Flag => value.as_bool().is_some(),
            FieldType::Number => value.as_f64().is_some(),
            FieldType::Anything => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn a_schema_tells_fields_and_which_are_needed() {
        let shown = schema("httpBearerAuth").unwrap();
        assert_eq!(shown.get("required"), Some(&json!(["token"])));
        assert_eq!(
            shown.get("properties").and_then(|fields| fields.get("token")),
            Some(&json!({ "type": "string" }))
        );
        assert!(schema("noSuchApi").is_none());
    }

    #[test]
    fn fields_are_checked_and_never_repeated() {
        let told = |fields: Value| {
            check("httpBearerAuth", fields.as_object().unwrap(), false)
                .map_err(|error| error.message.to_string())
        };
        assert!(told(json!({ "token": "t" })).is_ok());
        assert!(told(json!({})).unwrap_err().contains("'token' is missing"));
        assert!(told(json!({ "token": 3 })).unwrap_err().contains("wrong type"));
        let error = told(json!({ "token": "t", "x": "canary" })).unwrap_err();
        assert!(error.contains("'x'") && !error.contains("canary"));
    }
}
