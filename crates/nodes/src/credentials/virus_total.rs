//! VirusTotal.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("virusTotalApi", "VirusTotal")
        .fields([Field::secret("apiToken", "API token").required()])
        .header("x-apikey", "{apiToken}")
        .base_url("https://www.virustotal.com")
        .hosts(&["www.virustotal.com"])
}
