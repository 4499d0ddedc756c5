//! Shopify (API key).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("shopifyApi", "Shopify (API key)")
        .fields([
            Field::secret("apiKey", "API key").required(),
            Field::secret("password", "Password").required(),
            Field::destination("shopSubdomain", "Shop subdomain"),
        ])
        .basic("{apiKey}", "{password}")
        .base_url("https://{shopSubdomain}.myshopify.com")
        .hosts(&["{shopSubdomain}.myshopify.com"])
}
