//! Certificates for servers on this machine.

use super::{run_to_end, write};
use std::path::Path;
use std::process::Command;

/// The certificate of an authority that nobody knows, which has signed the server's.
pub const AUTHORITY: &str = "ca.pem";
pub(super) const CERTIFICATE: &str = "server.pem";
pub(super) const KEY: &str = "server.key";

/// Puts a certificate and its key into the folder of a server.
pub(super) fn certify(folder: &Path, user: Option<&str>) {
    let made = SignedCertificate::generate();
    write(&folder.join(AUTHORITY), &made.authority, user);
    write(&folder.join(CERTIFICATE), &made.certificate, user);
    write(&folder.join(KEY), &made.key, user);
    run_to_end(Command::new("chmod").arg("600").arg(folder.join(KEY)));
}

/// A certificate for this machine, signed by an authority of its own.
pub struct SignedCertificate {
    pub authority: String,
    pub certificate: String,
    pub key: String,
}

impl SignedCertificate {
    pub fn generate() -> Self {
        let mut params = rcgen::CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        params.distinguished_name.push(rcgen::DnType::CommonName, "An authority of these tests");
        let authority_key = rcgen::KeyPair::generate().unwrap();
        let authority = params.self_signed(&authority_key).unwrap();
        let issuer = rcgen::Issuer::from_params(&params, &authority_key);
        let key = rcgen::KeyPair::generate().unwrap();
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let certificate =
            rcgen::CertificateParams::new(names).unwrap().signed_by(&key, &issuer).unwrap();
        Self {
            authority: authority.pem(),
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        }
    }
}
