//! Puts the credentials of known services into requests, as the table of types says.

use super::super::draft::text_of;
use super::{CredentialPlacement, basic};
use node_api::credential::AuthPlacement::{Basic, Header, Query};
use node_api::credential::service;
use node_api::prelude::*;

/// What a credential of this type adds to a request; `None` if the type is not in the table.
pub(super) fn placement(
    kind: &str,
    fields: &Object,
) -> Result<Option<CredentialPlacement>, NodeError> {
    let Some(service) = service(kind) else { return Ok(None) };
    let places = service.placements;
    let mut made = CredentialPlacement::default();
    for place in places {
        match place {
            Header(name, template) => {
                if let Some(value) = fill(template, fields) {
                    made.headers.push(((*name).to_owned(), value));
                }
            }
            Query(name, template) => {
                if let Some(value) = fill(template, fields) {
                    made.query.insert(*name, value);
                }
            }
            Basic(user, password) => {
                let part = |template: &str| fill(template, fields).unwrap_or_default();
                made.headers
                    .push(("Authorization".to_owned(), basic(&part(user), &part(password))));
            }
        }
    }
    if made == CredentialPlacement::default() && !places.is_empty() && kind != "ollamaApi" {
        return Err(NodeError::credential(format!("The credential of type '{kind}' is empty"))
            .hint("Open the credential and fill it in."));
    }
    Ok(Some(made))
}

/// The template with its `{field}`s put in; `None` if one of them is empty.
fn fill(template: &str, fields: &Object) -> Option<String> {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}')?;
        let value = fields.get(name).map(text_of).filter(|value| !value.is_empty())?;
        out.push_str(before);
        out.push_str(&value);
        rest = behind;
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(kind: &str, fields: Value) -> Option<CredentialPlacement> {
        placement(kind, fields.as_object().unwrap()).unwrap()
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
        assert_eq!(placed("strangeApi", json!({})), None);
    }

    #[test]
    fn an_empty_credential_is_an_error() {
        assert!(placement("openAiApi", &Object::new()).is_err());
    }
}
