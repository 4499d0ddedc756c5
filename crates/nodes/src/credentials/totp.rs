//! One-time passwords (TOTP).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("totpApi", "One-time passwords (TOTP)", CredentialGroup::Generic)
        .fields([Field::secret("secret", "Secret").required(), Field::plain("label", "Label")])
}
