//! Jira Server (personal access token).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("jiraSoftwareServerPatApi", "Jira Server (personal access token)")
        .fields([
            Field::secret("personalAccessToken", "Personal access token").required(),
            Field::destination("domain", "Domain"),
        ])
        .header("Authorization", "Bearer {personalAccessToken}")
        .base_url("{domain}")
        .hosts(&["{domain}"])
}
