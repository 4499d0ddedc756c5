//! Puts the credentials of known services into requests, as the description of their type says.

use super::super::draft::text_of;
use super::{CredentialPlacement, basic};
use node_api::Credential;
use node_api::credential::{AuthPlacement, template};
use node_api::prelude::*;

/// What a credential adds to a request.
pub(super) fn placement(
    credential: &Credential,
    placements: &[AuthPlacement],
) -> Result<CredentialPlacement, NodeError> {
    let fill = |text: &str| template::fill(text, |name| credential.get(name).map(text_of)).ok();
    let mut made = CredentialPlacement::default();
    for placement in placements {
        match placement {
            AuthPlacement::Header { name, value } => {
                if let Some(value) = fill(value) {
                    made.headers.push((name.to_string(), value));
                }
            }
            AuthPlacement::Query { name, value } => {
                if let Some(value) = fill(value) {
                    made.query.insert(name.clone(), value);
                }
            }
            AuthPlacement::Basic { user, password } => {
                let [user, password] = [user, password].map(|text| fill(text).unwrap_or_default());
                made.headers.push(("Authorization".to_owned(), basic(&user, &password)));
            }
        }
    }
    let needs_a_field = credential.spec().fields.iter().any(|field| field.required);
    if made == CredentialPlacement::default() && needs_a_field {
        let message = format!("The credential of type '{}' is empty", credential.kind());
        return Err(NodeError::credential(message).hint("Open the credential and fill it in."));
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_api::credential::CredentialAuth;

    fn placed(kind: &str, fields: Value) -> Result<CredentialPlacement, NodeError> {
        let types = crate::credentials::registry();
        let credential = types.open(kind, fields.as_object().cloned().unwrap());
        let CredentialAuth::Request(placements) = &credential.spec().auth else {
            panic!("{kind} has no placements")
        };
        placement(&credential, placements)
    }

    #[test]
    fn secrets_go_where_each_service_wants_them() {
        let openai = placed("openAiApi", json!({ "apiKey": "k" })).unwrap();
        assert_eq!(openai.headers, [("Authorization".to_owned(), "Bearer k".to_owned())]);
        let gemini = placed("googlePalmApi", json!({ "apiKey": "k" })).unwrap();
        assert_eq!(gemini.query.get("key"), Some(&json!("k")));
        let jira =
            placed("jiraSoftwareCloudApi", json!({ "email": "a@b.c", "apiToken": "t" })).unwrap();
        assert_eq!(jira.headers[0].1, basic("a@b.c", "t"));
    }

    #[test]
    fn an_empty_credential_is_an_error_unless_nothing_is_required() {
        assert!(placed("openAiApi", json!({})).is_err());
        assert_eq!(placed("ollamaApi", json!({})).unwrap(), CredentialPlacement::default());
    }
}
