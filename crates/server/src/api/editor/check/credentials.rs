//! Whether the credentials that a workflow names are there for the person who draws it.

use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use engine::check::{CheckProblem, Severity};
use model::{Code, Object, Str, Value};
use node_api::Registry;
use std::collections::HashMap;

/// More choices than this are not looked up.
const MAX_CHOICES: usize = 500;

/// A credential that a node names by its id.
pub(super) struct ChosenCredential {
    node: usize,
    node_name: Str,
    kind: Str,
    id: Str,
    name: Str,
}

/// The credentials that enabled nodes of a known type name, as far as they are looked up.
pub(super) fn chosen(document: &Value, registry: &Registry) -> Vec<ChosenCredential> {
    let nodes = document.get("nodes").and_then(Value::as_array).unwrap_or_default();
    let mut found = Vec::new();
    for (node, value) in nodes.iter().enumerate() {
        let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
        let is_disabled = value.get("disabled").is_some_and(Value::is_truthy);
        if is_disabled || registry.of_type(text("type")).is_empty() {
            continue;
        }
        let choices = value.get("credentials").and_then(Value::as_object);
        for (kind, choice) in choices.into_iter().flat_map(Object::iter) {
            let of = |name: &str| choice.get(name).and_then(Value::as_str).unwrap_or_default();
            if found.len() < MAX_CHOICES && !of("id").is_empty() {
                let kind = registry.credentials.canonical_id(kind).into();
                let (id, name) = (of("id").into(), of("name").into());
                found.push(ChosenCredential {
                    node,
                    node_name: text("name").into(),
                    kind,
                    id,
                    name,
                });
            }
        }
    }
    found
}

/// A problem for each choice that this person cannot use: the credential does not exist, is not
/// shared, or is of another type.
pub(super) async fn unavailable(
    app: &App,
    who: &Principal,
    chosen: Vec<ChosenCredential>,
) -> Result<Vec<CheckProblem>, ApiError> {
    let mut kinds: HashMap<Str, Option<Str>> = HashMap::new();
    let mut problems = Vec::new();
    for choice in chosen {
        if !kinds.contains_key(&choice.id) {
            kinds.insert(choice.id.clone(), kind_of(app, who, &choice.id).await?);
        }
        let types = &app.runtime.engine.registry.credentials;
        let is_there = kinds
            .get(&choice.id)
            .and_then(Option::as_ref)
            .is_some_and(|kind| types.canonical_id(kind) == choice.kind.as_str());
        if !is_there {
            problems.push(problem(&choice));
        }
    }
    Ok(problems)
}

/// The type of a credential; `None` if this person must not know of it.
async fn kind_of(app: &App, who: &Principal, id: &str) -> Result<Option<Str>, ApiError> {
    match who.credential(app, id, AccessLevel::View).await {
        Ok(found) => Ok(Some(found.kind)),
        Err(error) if error.code == Code::NOT_FOUND => Ok(None),
        Err(error) => Err(error),
    }
}

fn problem(choice: &ChosenCredential) -> CheckProblem {
    let ChosenCredential { node, node_name, kind, name, .. } = choice;
    CheckProblem {
        severity: Severity::Warning,
        code: Code::CREDENTIAL_MISSING,
        place: format!("nodes[{node}].credentials.{kind}").into(),
        node: Some(node_name.clone()),
        message: format!(
            "The credential '{}' of '{}' is not available",
            short(name),
            short(node_name)
        )
        .into(),
        hint: Some("Choose another credential, or ask its owner to share it.".into()),
    }
}

/// Names are as long as whoever wrote the document liked.
fn short(text: &str) -> String {
    const MAX_CHARS: usize = 80;
    text.chars().take(MAX_CHARS).collect()
}
