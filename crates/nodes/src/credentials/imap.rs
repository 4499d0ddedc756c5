//! Email reading (IMAP).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("imap", "Email reading (IMAP)", CredentialGroup::Servers)
        .fields([
            Field::plain("user", "User"),
            Field::secret("password", "Password"),
            Field::destination("host", "Host").required(),
            Field::destination("port", "Port").number().placeholder("993"),
            Field::destination("secure", "Secure").flag(),
            Field::destination("allowUnauthorizedCerts", "Allow unauthorized certs")
                .flag()
                .advanced(),
        ])
        .test(CredentialTest::Imap)
}
