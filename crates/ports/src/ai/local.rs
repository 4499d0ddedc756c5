//! Models on this machine, as a port.

use super::chat::ChatModel;
use super::knowledge::Embedder;
use crate::NodeError;
use model::Code;
use std::sync::Arc;

/// What collections call the embedding model on this machine.
pub const LOCAL_EMBEDDING_MODEL: &str = "all-minilm-l6-v2";

/// The models that come with Heddle and need no key. Implemented by `local`; asked by nodes through
/// `Host::local_models`, and by whatever fills collections. Nothing is loaded before
/// the model is used.
pub trait LocalModels: Send + Sync {
    /// The embedding model, or an error that says how its weights get here.
    fn embedder(&self) -> Result<Arc<dyn Embedder>, NodeError>;
    /// The demo model, or an error that says how its weights get here.
    fn chat_model(&self) -> Result<Arc<dyn ChatModel>, NodeError>;
}

/// A world without them.
pub struct NoLocalModels;

impl LocalModels for NoLocalModels {
    fn embedder(&self) -> Result<Arc<dyn Embedder>, NodeError> {
        Err(none())
    }
    fn chat_model(&self) -> Result<Arc<dyn ChatModel>, NodeError> {
        Err(none())
    }
}

fn none() -> NodeError {
    NodeError::new(Code::LOCAL_MODEL_MISSING, "Built-in models are not available here")
}
