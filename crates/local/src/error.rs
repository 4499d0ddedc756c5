//! How local models fail.

use crate::weights::WeightsError;
use model::{Code, Str};
use ports::NodeError;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    #[error("The weights of the built-in model '{name}' are not in {}", folder.display())]
    Missing { name: &'static str, folder: PathBuf },
    #[error(
        "The built-in model '{name}' does not exist; available models: {}",
        crate::registry::names()
    )]
    Unknown { name: String },
    /// It is neither the package of a model nor its weights.
    #[error("{} is not the file of a built-in model: its checksum is {sum}", path.display())]
    Foreign { path: PathBuf, sum: String },
    #[error("{what} is damaged: its checksum is {found}, expected {wanted}")]
    Damaged { what: String, wanted: &'static str, found: String },
    #[error("The weights of the built-in model '{name}' cannot be read")]
    Weights {
        name: &'static str,
        #[source]
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("{}: {source}", path.display())]
    Disk {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The thread that computed has ended without a result.
    #[error("The built-in model '{name}' stopped")]
    Stopped { name: &'static str },
}

impl LocalError {
    pub(crate) fn disk(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        |source| LocalError::Disk { path, source }
    }

    pub(crate) fn weights(name: &'static str) -> impl FnOnce(WeightsError) -> Self {
        move |broken| LocalError::Weights { name, cause: Box::new(broken) }
    }

    pub fn code(&self) -> Code {
        match self {
            LocalError::Missing { .. } => Code::LOCAL_MODEL_MISSING,
            LocalError::Unknown { .. } => Code::MODEL_NOT_FOUND,
            LocalError::Foreign { .. }
            | LocalError::Damaged { .. }
            | LocalError::Weights { .. } => Code::LOCAL_MODEL_DAMAGED,
            LocalError::Disk { source, .. } if source.kind() == std::io::ErrorKind::StorageFull => {
                Code::STORE_FULL
            }
            LocalError::Disk { .. } => Code::FILE_IO,
            LocalError::Stopped { .. } => Code::MODEL_ERROR,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            LocalError::Missing { name, .. } => Some(format!(
                "Download it in the editor under Settings, Instance, or with `heddle models pull \
                 {name}` on the server's machine. Or connect a provider's node."
            )),
            LocalError::Damaged { .. } | LocalError::Weights { .. } => Some(
                "Download it again in the editor under Settings, Instance, or with `heddle \
                     models pull`."
                    .to_owned(),
            ),
            LocalError::Foreign { .. } => Some(
                "`heddle models list` shows the packages; `heddle models pull` downloads them."
                    .to_owned(),
            ),
            LocalError::Unknown { .. } | LocalError::Disk { .. } | LocalError::Stopped { .. } => {
                None
            }
        }
    }
}

impl From<LocalError> for NodeError {
    fn from(error: LocalError) -> Self {
        let told = NodeError::new(error.code(), Str::from(error.to_string()));
        let told = match std::error::Error::source(&error) {
            Some(cause) => told.describe(Str::from(cause.to_string())),
            None => told,
        };
        match error.hint() {
            Some(hint) => told.hint(hint),
            None => told,
        }
    }
}
