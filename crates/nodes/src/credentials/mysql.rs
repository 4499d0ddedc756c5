//! MySQL and MariaDB.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("mySql", "MySQL and MariaDB", CredentialGroup::Servers)
        .fields([
            Field::destination("host", "Host").placeholder("localhost"),
            Field::plain("database", "Database"),
            Field::plain("user", "User"),
            Field::secret("password", "Password"),
            Field::destination("port", "Port").number().placeholder("3306"),
            Field::plain("connectTimeout", "Connect timeout").number().advanced(),
            Field::destination("ssl", "SSL").flag(),
            Field::destination("caCertificate", "CA certificate").long(),
            Field::secret("clientPrivateKey", "Client private key").long(),
            Field::plain("clientCertificate", "Client certificate").long(),
            Field::destination("sshTunnel", "SSH tunnel").flag().advanced(),
            Field::plain("sshAuthenticateWith", "SSH authenticate with").advanced(),
            Field::destination("sshHost", "SSH host").advanced(),
            Field::destination("sshPort", "SSH port").number().advanced(),
            Field::plain("sshUser", "SSH user").advanced(),
            Field::secret("sshPassword", "SSH password").advanced(),
            Field::secret("privateKey", "SSH private key").long().advanced(),
            Field::secret("passphrase", "Passphrase").advanced(),
        ])
        .test_node(
            "n8n-nodes-base.mySql",
            2.4,
            r#"{"operation":"executeQuery","query":"SELECT 1"}"#,
        )
}
