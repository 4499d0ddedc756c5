//! Which models a key may use.

use super::client::{OpenAiFormat, asker};
use super::settings::OpenAiSettings;
use crate::models::model_list::listed;
use crate::models::requester::ModelAccess;
use model::Str;
use node_api::ai::{ModelError, model_names};

/// The names of all models that the server has, in order.
pub async fn list_models(
    settings: &OpenAiSettings,
    access: &ModelAccess,
) -> Result<Vec<Str>, ModelError> {
    let format = OpenAiFormat::new(settings, "", access.limits);
    let answer = asker(settings, access).whole(&settings.get(&["models"])?, &format).await?;
    listed(&answer, model_names)
}
