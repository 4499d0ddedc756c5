//! Several headers.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("httpMultipleHeadersAuth", "Multiple headers", CredentialGroup::Generic)
        .fields([Field::secret("headers", "Headers")
            .kind(FieldKind::Json)
            .hint("The headers: { \"values\": [{ \"name\": \"X-Key\", \"value\": \"…\" }] }")
            .required()])
}
