//! Twilio.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("twilioApi", "Twilio")
        .fields([
            Field::plain("accountSid", "Account SID").required(),
            Field::secret("authToken", "Auth token").required(),
        ])
        .basic("{accountSid}", "{authToken}")
        .base_url("https://api.twilio.com")
        .hosts(&["*.twilio.com"])
        .test_get("/2010-04-01/Accounts/{accountSid}.json")
}
