//! PostgreSQL.

use super::prelude::*;
use super::ssh_tunnel;

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
        ])
        .fields(ssh_tunnel::fields())
        .test_node(
            "n8n-nodes-base.postgres",
            2.6,
            r#"{"operation":"executeQuery","query":"SELECT 1"}"#,
        )
}
