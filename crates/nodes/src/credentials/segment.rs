//! Segment.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("segmentApi", "Segment")
        .fields([Field::secret("writekey", "Write key").required()])
        .basic("{writekey}", "")
        .base_url("https://api.segment.io")
        .hosts(&["api.segment.io"])
}
