//! MCP servers, with OAuth 2.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("mcpOAuth2Api", "MCP OAuth 2", CredentialGroup::Generic)
        .fields([
            Field::destination("serverUrl", "Server URL"),
            Field::plain("useDynamicClientRegistration", "Use dynamic client registration")
                .flag()
                .advanced(),
            Field::plain("grantType", "Grant type").choices(&["authorizationCode", "pkce"]),
            Field::destination("authUrl", "Auth URL"),
            Field::destination("accessTokenUrl", "Access token URL"),
            Field::plain("clientId", "Client ID"),
            Field::secret("clientSecret", "Client secret"),
            Field::plain("scope", "Scope"),
            Field::secret("oauthTokenData", "Oauth token data").kind(FieldKind::Hidden),
        ])
        .hosts(&["{serverUrl}"])
}
