//! ActiveCampaign.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("activeCampaignApi", "ActiveCampaign")
        .fields([
            Field::secret("apiKey", "API key").required(),
            Field::destination("apiUrl", "API URL"),
        ])
        .header("Api-Token", "{apiKey}")
        .base_url("{apiUrl}")
        .hosts(&["{apiUrl}"])
}
