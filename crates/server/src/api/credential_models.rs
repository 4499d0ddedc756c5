//! Which models a credential of a provider may use, for a list to choose from; any other name may
//! be written beside it.

use super::credential_test::fetch_body;
use crate::App;
use model::{Object, Str};
use node_api::ai::model_names;

/// Where each provider lists its models.
#[rustfmt::skip]
pub(super) const LISTS: &[(&str, &str)] = &[
    ("openAiApi", "{url|https://api.openai.com/v1}/models"),
    ("anthropicApi", "{url|https://api.anthropic.com}/v1/models?limit=1000"),
    ("googlePalmApi", "{host|https://generativelanguage.googleapis.com}/v1beta/models?pageSize=1000"),
    ("mistralCloudApi", "https://api.mistral.ai/v1/models"),
    ("openRouterApi", "{url|https://openrouter.ai/api/v1}/models"),
    ("groqApi", "https://api.groq.com/openai/v1/models"),
    ("deepSeekApi", "{url|https://api.deepseek.com}/models"),
    ("xAiApi", "{url|https://api.x.ai/v1}/models"),
    ("cohereApi", "{url|https://api.cohere.com}/v1/models?page_size=1000"),
    ("ollamaApi", "{baseUrl|http://localhost:11434}/api/tags"),
];

/// The names, in order, or why there are none.
pub(super) async fn list(app: &App, kind: &str, fields: Object) -> Result<Vec<Str>, String> {
    let Some((_, address)) = LISTS.iter().find(|(known, _)| *known == kind) else {
        return Err("Credentials of this type have no list of models".to_owned());
    };
    let body = fetch_body(app, kind, fields, address).await?;
    let answer = model::json::parse(&body).unwrap_or_default();
    model_names(&answer).ok_or_else(|| "The list of models cannot be read".to_owned())
}
