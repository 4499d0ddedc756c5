//! PostgreSQL.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("postgres", "PostgreSQL", CredentialGroup::Servers)
        .fields([
            Field::destination("host", "Host").placeholder("localhost"),
            Field::plain("database", "Database"),
            Field::plain("user", "User"),
            Field::secret("password", "Password"),
            Field::destination("port", "Port").number().placeholder("5432"),
            Field::destination("ssl", "SSL").choices(&["disable", "allow", "require"]),
            Field::destination("allowUnauthorizedCerts", "Allow unauthorized certs")
                .flag()
                .advanced(),
            Field::plain("maxConnections", "Max connections").number().advanced(),
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
            "n8n-nodes-base.postgres",
            2.6,
            r#"{"operation":"executeQuery","query":"SELECT 1"}"#,
        )
}
