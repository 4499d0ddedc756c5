//! Header.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("httpHeaderAuth", "Header", CredentialGroup::Generic)
        .alias("apiKey")
        .fields([
            Field::destination("name", "Header name").placeholder("X-Api-Key"),
            Field::secret("value", "Header value"),
        ])
}
