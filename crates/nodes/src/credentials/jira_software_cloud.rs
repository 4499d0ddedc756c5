//! Jira.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("jiraSoftwareCloudApi", "Jira")
        .fields([
            Field::plain("email", "Email").required(),
            Field::secret("apiToken", "API token").required(),
            Field::destination("domain", "Domain"),
        ])
        .basic("{email}", "{apiToken}")
        .base_url("{domain}")
        .hosts(&["{domain}", "api.atlassian.com"])
        .test_get("/rest/api/2/myself")
        .help_url("https://id.atlassian.com/manage-profile/security/api-tokens")
}
