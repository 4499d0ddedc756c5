//! Client certificate.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("httpSslAuth", "Client certificate", CredentialGroup::Generic).fields([
        Field::destination("ca", "CA certificate").long(),
        Field::plain("cert", "Client certificate").long(),
        Field::secret("key", "Private key").long(),
        Field::secret("passphrase", "Passphrase").advanced(),
    ])
}
