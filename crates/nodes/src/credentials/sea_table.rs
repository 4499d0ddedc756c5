//! SeaTable.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("seaTableApi", "SeaTable")
        .fields([
            Field::secret("token", "Token").required(),
            Field::destination("domain", "Domain"),
        ])
        .header("Authorization", "Token {token}")
        .base_url("{domain|https://cloud.seatable.io}")
        .hosts(&["cloud.seatable.io", "{domain}"])
}
