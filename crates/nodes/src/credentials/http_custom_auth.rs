//! Custom (JSON).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("httpCustomAuth", "Custom (JSON)", CredentialGroup::Generic).fields([
        Field::secret("json", "JSON")
            .kind(FieldKind::Json)
            .hint("An object with headers, qs or body: { \"headers\": { \"X-Key\": \"…\" } }")
            .required(),
    ])
}
