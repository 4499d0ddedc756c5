//! Contentful.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("contentfulApi", "Contentful")
        .fields([
            Field::secret("ContentDeliveryaccessToken", "Content delivery access token").required()
        ])
        .header("Authorization", "Bearer {ContentDeliveryaccessToken}")
        .base_url("https://cdn.contentful.com")
        .hosts(&["cdn.contentful.com", "preview.contentful.com"])
}
