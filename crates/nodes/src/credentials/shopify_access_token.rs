//! Shopify.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("shopifyAccessTokenApi", "Shopify")
        .fields([
            Field::secret("accessToken", "Access token").required(),
            Field::destination("shopSubdomain", "Shop subdomain"),
        ])
        .header("X-Shopify-Access-Token", "{accessToken}")
        .base_url("https://{shopSubdomain}.myshopify.com")
        .hosts(&["{shopSubdomain}.myshopify.com"])
}
