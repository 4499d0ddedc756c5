//! Vercel AI Gateway.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("vercelAiGatewayApi", "Vercel AI Gateway")
        .group(CredentialGroup::Models)
        .fields([Field::secret("apiKey", "API key").required(), Field::destination("url", "URL")])
        .bearer_key()
        .base_url("{url|https://ai-gateway.vercel.sh}")
        .hosts(&["ai-gateway.vercel.sh", "{url}"])
}
