//! Query parameter.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("httpQueryAuth", "Query parameter", CredentialGroup::Generic).fields([
        Field::destination("name", "Parameter name").placeholder("api_key"),
        Field::secret("value", "Parameter value"),
    ])
}
