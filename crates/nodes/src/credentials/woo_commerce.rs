//! WooCommerce.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("wooCommerceApi", "WooCommerce")
        .fields([
            Field::plain("consumerKey", "Consumer key").required(),
            Field::secret("consumerSecret", "Consumer secret").required(),
            Field::destination("url", "URL"),
        ])
        .basic("{consumerKey}", "{consumerSecret}")
        .base_url("{url}")
        .hosts(&["{url}"])
}
