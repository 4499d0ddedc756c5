//! OAuth 1.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("oAuth1Api", "OAuth 1", CredentialGroup::Generic).fields([
        Field::destination("authUrl", "Auth URL"),
        Field::destination("accessTokenUrl", "Access token URL"),
        Field::destination("requestTokenUrl", "Request token URL"),
        Field::plain("consumerKey", "Consumer key").required(),
        Field::secret("consumerSecret", "Consumer secret").required(),
        Field::destination("signatureMethod", "Signature method").choices(&[
            "HMAC-SHA1",
            "HMAC-SHA256",
            "HMAC-SHA512",
        ]),
        Field::secret("oauthTokenData", "Oauth token data").kind(FieldKind::Hidden),
    ])
}
