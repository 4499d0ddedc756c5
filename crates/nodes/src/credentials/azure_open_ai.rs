//! Azure OpenAI.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("azureOpenAiApi", "Azure OpenAI")
        .group(CredentialGroup::Models)
        .fields([
            Field::secret("apiKey", "API key").required(),
            Field::destination("resourceName", "Resource name"),
            Field::plain("apiVersion", "API version"),
            Field::destination("endpoint", "Endpoint"),
        ])
        .header("api-key", "{apiKey}")
        .base_url("https://{resourceName}.openai.azure.com")
        .hosts(&["{resourceName}.openai.azure.com", "{endpoint}"])
        .help_url("https://portal.azure.com")
}
