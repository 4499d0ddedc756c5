//! MySQL and MariaDB.

use super::prelude::*;
use super::ssh_tunnel;

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
        ])
        .fields(ssh_tunnel::fields())
        .test_node(
            "n8n-nodes-base.mySql",
            2.4,
            r#"{"operation":"executeQuery","query":"SELECT 1"}"#,
        )
}
