//! Stripe.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("stripeApi", "Stripe")
        .fields([Field::secret("secretKey", "Secret key").required()])
        .header("Authorization", "Bearer {secretKey}")
        .base_url("https://api.stripe.com")
        .hosts(&["api.stripe.com", "files.stripe.com"])
        .idempotency_header("Idempotency-Key")
        .test_get("/v1/balance")
        .help_url("https://dashboard.stripe.com/apikeys")
}
