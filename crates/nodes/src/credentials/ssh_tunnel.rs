//! The fields by which a database is reached through an SSH server.

use super::prelude::*;

pub(super) fn fields() -> [Field; 8] {
    [
        Field::destination("sshTunnel", "SSH tunnel").flag().advanced(),
        Field::plain("sshAuthenticateWith", "SSH authenticate with").advanced(),
        Field::destination("sshHost", "SSH host").advanced(),
        Field::destination("sshPort", "SSH port").number().advanced(),
        Field::plain("sshUser", "SSH user").advanced(),
        Field::secret("sshPassword", "SSH password").advanced(),
        Field::secret("privateKey", "SSH private key").long().advanced(),
        Field::secret("passphrase", "Passphrase").advanced(),
    ]
}
