//! Reads a credential into the server it is for.

use node_api::Credential;
use node_api::connect::RemoteServer;
use node_api::prelude::*;

/// A credential's fields, in n8n's names.
pub(super) struct CredentialFields {
    kind: &'static str,
    fields: Credential,
}

impl CredentialFields {
    pub(super) fn of(ctx: &Ctx<'_>, kind: &'static str) -> Result<Self, NodeError> {
        Ok(Self { kind, fields: ctx.host().credential(kind, 0)? })
    }

    pub(super) fn text(&self, name: &str) -> String {
        self.fields
            .get(name)
            .filter(|value| !value.is_nullish())
            .map_or_else(String::new, |value| value.to_js_string().to_string())
    }

    pub(super) fn flag(&self, name: &str, otherwise: bool) -> bool {
        self.fields
            .get(name)
            .map_or(otherwise, |value| value.as_str() != Some("false") && value.is_truthy())
    }

    pub(super) fn number(&self, name: &str, otherwise: f64) -> Result<f64, NodeError> {
        let text = self.text(name);
        if text.trim().is_empty() {
            return Ok(otherwise);
        }
        text.trim().parse().map_err(|_| self.wrong(name, "a number"))
    }

    /// The server with its host, port, user and password.
    pub(super) fn server(&self, usual_port: u16) -> Result<RemoteServer, NodeError> {
        let host = self.text("host");
        if host.trim().is_empty() {
            return Err(NodeError::credential(format!(
                "The credential '{}' has no host",
                self.kind
            ))
            .hint("Enter a host in the credential."));
        }
        if self.flag("sshTunnel", Default::default()) {
            return Err(NodeError::credential(format!(
                "The credential '{}' uses an SSH tunnel, which is not supported",
                self.kind
            ))
            .hint(
                "Connect to the server directly, or open the tunnel externally and use its local \
                 end as the host.",
            ));
        }
        let port = self.number("port", f64::from(usual_port))?;
        if port.fract() != 0.0 || !(1.0..=65_535.0).contains(&port) {
            return Err(self.wrong("port", "a whole number from 1 to 65535"));
        }
        Ok(RemoteServer {
            user: self.text("user"),
            password: self.text("password"),
            ..RemoteServer::new(host.trim(), port as u16)
        })
    }

    fn wrong(&self, name: &str, wanted: &str) -> NodeError {
        NodeError::credential(format!(
            "The field '{name}' of the credential '{}' must be {wanted}",
            self.kind
        ))
        .hint("Correct the field in the credential.")
    }
}
