//! The vault behind the engine's door to credentials.

use engine::CredentialSource;
use model::Object;
use node_api::NodeError;
use std::sync::Arc;
use store::Store;

/// The credentials of a data folder, for the nodes of running workflows.
pub(crate) struct StoredCredentials(pub(crate) Arc<dyn Store>);

impl CredentialSource for StoredCredentials {
    #[expect(
        clippy::disallowed_methods,
        reason = "the only way for running nodes to read a credential's data"
    )]
    fn get(&self, stands_for: &str, kind: &str, id: &str) -> Result<Object, NodeError> {
        match self.0.credential_for_node(stands_for, kind, id) {
            Ok(Some(secret)) => Ok(secret.reveal()),
            Ok(None) => Err(NodeError::credential_not_found(kind, id)),
            Err(error) => Err(NodeError::credential(format!(
                "The credential of type '{kind}' cannot be decrypted: {error}"
            ))),
        }
    }
}
