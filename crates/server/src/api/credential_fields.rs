//! The fields of a credential as callers send them: their JSON schema and their check, both from
//! the description of the type.

use super::invalid;
use crate::error::ApiError;
use model::{Object, Value};
use node_api::credential::{CredentialField, CredentialSpec, FieldKind};

/// The JSON schema of a type's fields.
pub(super) fn schema(spec: &CredentialSpec) -> Value {
    let properties: Object =
        spec.all_fields().map(|field| (field.name.clone(), field_schema(field))).collect();
    let required = spec
        .all_fields()
        .filter(|field| field.required)
        .map(|field| Value::from(field.name.clone()));
    Object::from_iter([
        ("additionalProperties", Value::from(spec.allows_other_fields)),
        ("type", "object".into()),
        ("properties", properties.into()),
        ("required", Value::array(required.collect())),
    ])
    .into()
}

fn field_schema(field: &CredentialField) -> Value {
    let name = match field.kind {
        FieldKind::Text | FieldKind::LongText | FieldKind::Json | FieldKind::Choice => "string",
        FieldKind::Flag => "boolean",
        FieldKind::Number => "number",
        FieldKind::Hidden => return Value::empty_object(),
    };
    Object::from_iter([("type", name)]).into()
}

/// Whether fields are those of a type. An error never repeats what they hold.
pub(super) fn check(
    spec: &CredentialSpec,
    fields: &Object,
    may_be_partial: bool,
) -> Result<(), ApiError> {
    let id = &spec.id;
    for (name, value) in fields.iter() {
        match spec.field(name) {
            Some(field) if !field.accepts(value) => {
                return Err(invalid(name, "has the wrong type for this credential"));
            }
            None if !spec.allows_other_fields => {
                return Err(invalid(
                    name,
                    &format!("is not a field of a credential of type '{id}'"),
                ));
            }
            _ => {}
        }
    }
    let missing =
        spec.all_fields().find(|field| field.required && !fields.contains_key(&field.name));
    match missing {
        Some(field) if !may_be_partial => {
            Err(invalid(&field.name, &format!("is missing in a credential of type '{id}'")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;
    use node_api::credential::CredentialGroup;

    fn bearer() -> CredentialSpec {
        CredentialSpec::new("httpBearerAuth", "Bearer token", CredentialGroup::Generic)
            .fields([CredentialField::secret("token", "Token").required()])
    }

    #[test]
    fn a_schema_names_fields_and_which_are_required() {
        let shown = schema(&bearer());
        assert_eq!(shown.get("required"), Some(&json!(["token"])));
        assert_eq!(
            shown.get("properties").and_then(|fields| fields.get("token")),
            Some(&json!({ "type": "string" }))
        );
    }

    #[test]
    fn fields_are_checked_and_never_repeated() {
        let outcome = |fields: Value| {
            check(&bearer(), fields.as_object().unwrap(), false)
                .map_err(|error| error.message.to_string())
        };
        assert!(outcome(json!({ "token": "t" })).is_ok());
        assert!(outcome(json!({})).unwrap_err().contains("'token' is missing"));
        assert!(outcome(json!({ "token": 3 })).unwrap_err().contains("wrong type"));
        let error = outcome(json!({ "token": "t", "x": "canary" })).unwrap_err();
        assert!(error.contains("'x'") && !error.contains("canary"));
    }
}
