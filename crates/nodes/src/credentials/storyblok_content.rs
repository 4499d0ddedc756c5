//! Storyblok.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("storyblokContentApi", "Storyblok")
        .fields([Field::secret("apiKey", "API key").required()])
        .query("token", "{apiKey}")
        .hosts(&["*.storyblok.com"])
}
