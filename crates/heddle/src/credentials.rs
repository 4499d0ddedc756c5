//! The vault behind the engine's door to credentials.

use engine::Credentials;
use model::Object;
use node_api::NodeError;
use store::Sqlite;
use store::credentials::{Chosen, Credentials as _};

/// The credentials of a data folder, for the nodes of running workflows.
pub(crate) struct StoredCredentials(pub(crate) Sqlite);

impl Credentials for StoredCredentials {
    fn get(&self, stands_for: &str, kind: &str, id: Option<&str>) -> Result<Object, NodeError> {
        match self.0.credential_for_node(stands_for, kind, id.filter(|id| !id.is_empty())) {
            Ok(Chosen::Found(secret)) => Ok(secret.reveal()),
            Ok(Chosen::Missing) => {
                let which = id.map(|id| format!(" with the id '{id}'")).unwrap_or_default();
                Err(NodeError::credential(format!("There is no credential of type '{kind}'{which}")))
            }
            Ok(Chosen::Several) => {
                Err(NodeError::credential(format!("There are several credentials of type '{kind}'; choose one in the node")))
            }
            Err(error) => Err(NodeError::credential(format!("The credential of type '{kind}' cannot be opened: {error}"))),
        }
    }
}
