//! OAuth 2.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("oAuth2Api", "OAuth 2", CredentialGroup::Generic).fields([
        Field::plain("grantType", "Grant type").choices(&[
            "authorizationCode",
            "clientCredentials",
            "pkce",
        ]),
        Field::destination("authUrl", "Auth URL"),
        Field::destination("accessTokenUrl", "Access token URL"),
        Field::plain("clientId", "Client ID"),
        Field::secret("clientSecret", "Client secret"),
        Field::plain("scope", "Scope"),
        Field::plain("authQueryParameters", "Auth query parameters"),
        Field::plain("authentication", "Authentication").choices(&["header", "body"]),
        Field::plain("sendAdditionalBodyProperties", "Send additional body properties")
            .flag()
            .advanced(),
        Field::secret("additionalBodyProperties", "Additional body properties").long().advanced(),
        Field::plain("useDynamicClientRegistration", "Use dynamic client registration")
            .flag()
            .advanced(),
        Field::destination("serverUrl", "Server URL").advanced(),
        Field::destination("ignoreSSLIssues", "Ignore SSL issues").flag().advanced(),
        Field::secret("oauthTokenData", "Oauth token data").kind(FieldKind::Hidden),
    ])
}
