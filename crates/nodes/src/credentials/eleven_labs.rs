//! ElevenLabs.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("elevenLabsApi", "ElevenLabs")
        .fields([Field::secret("apiKey", "API key").required()])
        .header("xi-api-key", "{apiKey}")
        .base_url("https://api.elevenlabs.io")
        .hosts(&["api.elevenlabs.io", "*.elevenlabs.io"])
}
