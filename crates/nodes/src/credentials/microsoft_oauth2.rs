//! Microsoft (OAuth2).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("microsoftOAuth2Api", "Microsoft (OAuth2)")
        .fields([Field::destination("tenantId", "Tenant ID")])
        .oauth2(
            "https://login.microsoftonline.com/{tenantId|common}/oauth2/v2.0/authorize",
            "https://login.microsoftonline.com/{tenantId|common}/oauth2/v2.0/token",
            &["microsoft"],
        )
        .base_url("https://graph.microsoft.com")
        .hosts(&[
            "graph.microsoft.com",
            "outlook.office.com",
            "outlook.office365.com",
            "login.microsoftonline.com",
            "management.azure.com",
            "*.sharepoint.com",
            "*.dynamics.com",
            "api.powerbi.com",
            "*.vault.azure.net",
        ])
        .help_url("https://portal.azure.com")
}
