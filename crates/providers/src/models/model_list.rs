//! Lists of models as providers write them.

use model::{Code, Str, Value};
use node_api::ai::ModelError;

/// The list in the body of an answer.
pub(super) fn listed(
    body: &[u8],
    names: impl FnOnce(&Value) -> Option<Vec<Str>>,
) -> Result<Vec<Str>, ModelError> {
    let answer = model::json::parse(&String::from_utf8_lossy(body)).unwrap_or_default();
    names(&answer).ok_or_else(|| {
        ModelError::new(Code::MODEL_ERROR, "The server's list of models cannot be read")
    })
}
