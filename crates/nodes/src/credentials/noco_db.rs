//! NocoDB (user token).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("nocoDb", "NocoDB (user token)")
        .fields([
            Field::secret("apiToken", "API token").required(),
            Field::destination("host", "Host"),
        ])
        .header("xc-auth", "{apiToken}")
        .base_url("{host}")
        .hosts(&["{host}"])
}
