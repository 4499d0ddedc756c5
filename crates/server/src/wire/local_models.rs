//! The models that run on this machine.

use node_api::ai::{ModelPackage, ModelPackageState};
use schemars::JsonSchema;
use serde::Serialize;

/// A built-in model and how it stands.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LocalModel<'a> {
    pub(crate) name: &'a str,
    /// What it is for.
    pub(crate) purpose: &'a str,
    pub(crate) licence: &'a str,
    /// The size of its weights.
    pub(crate) bytes: u64,
    pub(crate) state: LocalModelState,
    /// Bytes that have been downloaded, while it is.
    pub(crate) downloaded_bytes: Option<u64>,
    /// Why the last download failed; only for administrators.
    pub(crate) error: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum LocalModelState {
    Missing,
    Downloading,
    Ready,
    Failed,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct LocalModelList<'a> {
    pub(crate) data: Vec<LocalModel<'a>>,
}

impl<'a> LocalModel<'a> {
    /// Messages of failed downloads name folders of the server, so only administrators see them.
    pub(crate) fn new(package: &'a ModelPackage, for_admin: bool) -> Self {
        let (state, downloaded_bytes, error) = match &package.state {
            ModelPackageState::Missing => (LocalModelState::Missing, None, None),
            ModelPackageState::Downloading { done, .. } => {
                (LocalModelState::Downloading, Some(*done), None)
            }
            ModelPackageState::Ready => (LocalModelState::Ready, None, None),
            ModelPackageState::Failed { message } => {
                (LocalModelState::Failed, None, Some(message.as_str()).filter(|_| for_admin))
            }
        };
        Self {
            name: &package.name,
            purpose: &package.purpose,
            licence: &package.licence,
            bytes: package.bytes,
            state,
            downloaded_bytes,
            error,
        }
    }
}
