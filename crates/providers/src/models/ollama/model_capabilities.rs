//! What a server of Ollama says that its models can do, asked once for each.

use super::OllamaSettings;
use crate::models::client::{ModelProvider as _, ProviderErrors};
use crate::models::endpoint::ModelEndpoint;
use crate::models::object_ext::ObjectExt;
use crate::models::requester::ModelAccess;
use model::{Value, json};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// A server that does not tell soon is not worth waiting for: the model is then taken at its best.
const TIMEOUT_MS: u64 = 5_000;

/// How many answers are remembered before all are forgotten.
const KEPT: usize = 1_024;

/// What a model can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OllamaCapabilities {
    pub tools: bool,
    pub vision: bool,
}

/// What the server says of a model; nothing where it does not say, or cannot be asked.
pub async fn abilities(
    model: &str,
    place: &ModelEndpoint,
    access: &ModelAccess,
) -> Option<OllamaCapabilities> {
    static KNOWN: LazyLock<Mutex<HashMap<(String, String), OllamaCapabilities>>> =
        LazyLock::new(Mutex::default);
    let key = (place.base_url.clone(), model.to_owned());
    if let Some(known) = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Some(*known);
    }
    let found = ask(model, place, access).await?;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.len() >= KEPT {
        known.clear();
    }
    known.insert(key, found);
    Some(found)
}

async fn ask(
    model: &str,
    place: &ModelEndpoint,
    access: &ModelAccess,
) -> Option<OllamaCapabilities> {
    let mut access = access.clone();
    access.limits.whole_ms = access.limits.whole_ms.min(TIMEOUT_MS);
    access.retry.max_retries = 0;
    let headers = OllamaSettings::default().headers(place.key.reveal());
    let call = place.post("/api/show", headers, &json!({}).with("model", model)).ok()?;
    let answer = place
        .requester(&access)
        .whole(&call, &ProviderErrors::<OllamaSettings>::default())
        .await
        .ok()?;
    read(&model::json::parse(&String::from_utf8_lossy(&answer)).ok()?)
}

/// Older servers have no list.
fn read(answer: &Value) -> Option<OllamaCapabilities> {
    let list = answer.get("capabilities")?.as_array()?;
    let has = |name: &str| list.iter().any(|entry| entry.as_str() == Some(name));
    Some(OllamaCapabilities { tools: has("tools"), vision: has("vision") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_says_nothing_is_not_taken_to_say_no() {
        assert_eq!(
            read(&json!({ "capabilities": ["completion", "tools"] })),
            Some(OllamaCapabilities { tools: true, vision: false })
        );
        assert_eq!(
            read(&json!({ "capabilities": ["completion"] })),
            Some(OllamaCapabilities { tools: false, vision: false })
        );
        assert_eq!(read(&json!({ "details": {} })), None);
    }
}
