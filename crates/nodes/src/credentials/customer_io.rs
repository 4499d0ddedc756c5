//! Customer.io.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("customerIoApi", "Customer.io")
        .fields([Field::secret("appApiKey", "App API key").required()])
        .header("Authorization", "Bearer {appApiKey}")
        .hosts(&["*.customer.io"])
}
