//! WordPress.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("wordpressApi", "WordPress")
        .fields([
            Field::plain("username", "Username").required(),
            Field::secret("password", "Password").required(),
            Field::destination("url", "URL"),
        ])
        .basic("{username}", "{password}")
        .base_url("{url}")
        .hosts(&["{url}"])
        .test_get("/wp-json/wp/v2/users/me")
}
