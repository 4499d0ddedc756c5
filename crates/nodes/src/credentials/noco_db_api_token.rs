//! NocoDB.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("nocoDbApiToken", "NocoDB")
        .fields([
            Field::secret("apiToken", "API token").required(),
            Field::destination("host", "Host"),
        ])
        .header("xc-token", "{apiToken}")
        .base_url("{host}")
        .hosts(&["{host}"])
}
