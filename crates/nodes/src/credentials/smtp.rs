//! Email sending (SMTP).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("smtp", "Email sending (SMTP)", CredentialGroup::Servers)
        .fields([
            Field::plain("user", "User"),
            Field::secret("password", "Password"),
            Field::destination("host", "Host").required(),
            Field::destination("port", "Port").number().placeholder("465"),
            Field::destination("secure", "Secure").flag(),
            Field::destination("disableStartTls", "Disable start TLS").flag().advanced(),
            Field::destination("hostName", "Host name").advanced(),
        ])
        .test(CredentialTest::Smtp)
}
