//! Which credentials a node needs with the parameters that it has.

use crate::{Param, ParamKind, Spec};
use model::{Object, Str, Value};

/// Shorter values say nothing about a type of credential.
const MIN_MATCH_CHARS: usize = 3;

impl Spec {
    /// The types of credentials without which a node with these parameters fails. The parameters
    /// have their defaults.
    pub fn required_credentials(&self, version: f64, params: &Object) -> Vec<Str> {
        let required = self.credentials.iter().filter(|used| used.required);
        let mut kinds: Vec<Str> = required.map(|used| used.kind.clone()).collect();
        let mut add = |kind: &str| {
            if !kinds.iter().any(|known| known == kind) {
                kinds.push(kind.into());
            }
        };
        for param in self.shown(version, params) {
            let value = params.get(&param.name).and_then(Value::as_str).unwrap_or_default();
            if value.is_empty() || value.starts_with('=') {
                continue;
            }
            if names_credential(param) {
                add(value);
            } else if chooses_among(param, self) {
                let optional = self.credentials.iter().filter(|used| !used.required);
                optional
                    .filter(|used| matches_kind(value, &used.kind))
                    .for_each(|used| add(&used.kind));
            }
        }
        kinds
    }
}

/// HTTP requests name the type in a parameter.
fn names_credential(param: &Param) -> bool {
    matches!(param.kind, ParamKind::CredentialKind) || param.name == "genericAuthType"
}

/// A choice such as `basicAuth`, whose values speak of the optional types.
fn chooses_among(param: &Param, spec: &Spec) -> bool {
    let ParamKind::Choice { options } = &param.kind else { return false };
    param.name == "authentication"
        && options.iter().filter_map(|option| option.value.as_str()).any(|value| {
            spec.credentials.iter().any(|used| !used.required && matches_kind(value, &used.kind))
        })
}

fn matches_kind(value: &str, kind: &str) -> bool {
    value.chars().count() >= MIN_MATCH_CHARS && kind.to_lowercase().contains(&value.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn spec() -> Spec {
        Spec::new("test", &[1.0], "Test", "")
            .credential("httpBasicAuth", false)
            .credential("httpHeaderAuth", false)
            .params([
                Param::choice(
                    "authentication",
                    "Authentication",
                    &[("none", "None"), ("headerAuth", "Header"), ("predefined", "Predefined")],
                ),
                Param::credential_kind("nodeCredentialType", "Type")
                    .show("authentication", &["predefined"]),
            ])
    }

    fn kinds(spec: &Spec, params: Value) -> Vec<Str> {
        spec.required_credentials(1.0, &spec.complete(1.0, params.as_object().unwrap()))
    }

    #[test]
    fn a_choice_of_authentication_asks_for_its_credential() {
        assert!(kinds(&spec(), json!({})).is_empty());
        assert_eq!(kinds(&spec(), json!({ "authentication": "headerAuth" })), ["httpHeaderAuth"]);
    }

    #[test]
    fn a_parameter_names_the_credential_while_it_is_shown() {
        let hidden = json!({ "nodeCredentialType": "githubApi" });
        assert!(kinds(&spec(), hidden).is_empty());
        let shown = json!({ "authentication": "predefined", "nodeCredentialType": "githubApi" });
        assert_eq!(kinds(&spec(), shown), ["githubApi"]);
        let open = json!({ "authentication": "predefined", "nodeCredentialType": "={{ 1 }}" });
        assert!(kinds(&spec(), open).is_empty());
    }

    #[test]
    fn what_is_required_is_asked_for_once() {
        let spec = Spec::new("test", &[1.0], "Test", "")
            .credential("openAiApi", true)
            .params([Param::credential_kind("type", "Type")]);
        assert_eq!(kinds(&spec, json!({ "type": "openAiApi" })), ["openAiApi"]);
    }
}
