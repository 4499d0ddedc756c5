//! The settings of signing in with OpenID Connect.

use super::{invalid_value, read};
use anyhow::{Context as _, Result, bail};
use store::users::UserRole;
use url::Url;

/// An OpenID Connect provider.
#[derive(Clone)]
pub(crate) struct OidcSettings {
    pub(crate) issuer: String,
    /// The host and port of the issuer, which may be private.
    pub(crate) destination: String,
    pub(crate) client_id: String,
    pub(crate) client_secret: Option<String>,
    pub(crate) name: String,
    pub(crate) new_users: Option<UserRole>,
}

impl std::fmt::Debug for OidcSettings {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "OidcSettings({})", self.issuer)
    }
}

impl OidcSettings {
    pub(super) fn load() -> Result<Option<Self>> {
        let issuer = read("HEDDLE_OIDC_ISSUER").trim().to_owned();
        let client_id = read("HEDDLE_OIDC_CLIENT_ID").trim().to_owned();
        match (issuer.is_empty(), client_id.is_empty()) {
            (true, true) => return Ok(None),
            (false, false) => {}
            _ => bail!(
                "HEDDLE_OIDC_ISSUER and HEDDLE_OIDC_CLIENT_ID belong together, and one is empty \
                 (SETTING_INVALID)"
            ),
        }
        let wrong = || invalid_value("HEDDLE_OIDC_ISSUER", "which is not an http or https URL");
        let url = Url::parse(&issuer).with_context(wrong)?;
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            bail!(wrong());
        };
        if !matches!(url.scheme(), "http" | "https") || url.query().is_some() {
            bail!(wrong());
        }
        let new_users = match read("HEDDLE_OIDC_NEW_USERS").trim() {
            "" => None,
            name => match UserRole::from_name(name).filter(|role| *role < UserRole::Owner) {
                Some(role) => Some(role),
                None => bail!(invalid_value(
                    "HEDDLE_OIDC_NEW_USERS",
                    "which is not viewer, editor or admin",
                )),
            },
        };
        Ok(Some(Self {
            destination: format!("{host}:{port}"),
            client_id,
            client_secret: Some(read("HEDDLE_OIDC_CLIENT_SECRET"))
                .filter(|secret| !secret.is_empty()),
            name: read("HEDDLE_OIDC_NAME"),
            new_users,
            issuer,
        }))
    }
}
