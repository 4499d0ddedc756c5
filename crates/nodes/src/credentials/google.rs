//! Google service account.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("googleApi", "Google service account", CredentialGroup::Services)
        .fields([
            Field::plain("email", "Email").required(),
            Field::secret("privateKey", "Private key").long().required(),
            Field::destination("region", "Region"),
            Field::plain("inpersonate", "Impersonate a user").flag().advanced(),
            Field::plain("delegatedEmail", "Delegated email").advanced(),
            Field::plain("httpNode", "HTTP node").flag().advanced(),
            Field::plain("scopes", "Scopes").advanced(),
            Field::plain("httpWarning", "HTTP warning").kind(FieldKind::Hidden),
        ])
        .google_service_account()
        .hosts(&["*.googleapis.com"])
}
