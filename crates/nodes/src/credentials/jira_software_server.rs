//! Jira Server.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("jiraSoftwareServerApi", "Jira Server")
        .fields([
            Field::plain("email", "Email").required(),
            Field::secret("password", "Password").required(),
            Field::destination("domain", "Domain"),
        ])
        .basic("{email}", "{password}")
        .base_url("{domain}")
        .hosts(&["{domain}"])
        .test_get("/rest/api/2/myself")
}
