//! Supabase.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("supabaseApi", "Supabase")
        .group(CredentialGroup::Servers)
        .fields([
            Field::secret("serviceRole", "Service role").required(),
            Field::destination("host", "Host"),
        ])
        .header("apikey", "{serviceRole}")
        .header("Authorization", "Bearer {serviceRole}")
        .base_url("{host}")
        .hosts(&["{host}"])
        .test_get("/rest/v1/")
        .help_url("https://supabase.com/dashboard/projects")
}
