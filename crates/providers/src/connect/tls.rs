//! Encryption of connections, with the system's authorities or the credential's own.

use node_api::connect::{ConnectError, RemoteServer};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};
use rustls_platform_verifier::BuilderVerifierExt as _;
use std::error::Error;
use std::io;
use std::sync::Arc;
use tokio_rustls::TlsConnector;

pub(super) fn connector(server: &RemoteServer) -> Result<TlsConnector, ConnectError> {
    let broken = |what: &str| ConnectError::Unsendable {
        message: format!("The {what} of the credential is invalid"),
    };
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| ConnectError::Unreachable {
            place: server.authority(),
            reason: error.to_string(),
        })?;
    let own = server.certificates.as_deref();
    let authorities = own.map(|own| own.authorities.as_str()).filter(|pem| !pem.trim().is_empty());
    let builder = match (server.allow_invalid_certificates, authorities) {
        (true, _) => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate { provider })),
        (false, Some(pem)) => {
            let mut roots = RootCertStore::empty();
            for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
                let certificate = certificate.map_err(|_| broken("CA certificate"))?;
                roots.add(certificate).map_err(|_| broken("CA certificate"))?;
            }
            if roots.is_empty() {
                return Err(broken("CA certificate"));
            }
            builder.with_root_certificates(roots)
        }
        (false, None) => builder.with_platform_verifier().map_err(|error| {
            ConnectError::Unreachable { place: server.authority(), reason: error.to_string() }
        })?,
    };
    let identity = own.map(|own| own.identity.as_str()).filter(|pem| !pem.trim().is_empty());
    let config = match identity {
        None => builder.with_no_client_auth(),
        Some(pem) => {
            let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
            let key =
                PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| broken("client key"))?;
            builder
                .with_client_auth_cert(chain.map_err(|_| broken("client certificate"))?, key)
                .map_err(|_| broken("client certificate"))?
        }
    };
    Ok(TlsConnector::from(Arc::new(config)))
}

pub(super) fn server_name(server: &RemoteServer) -> Result<ServerName<'static>, ConnectError> {
    let host = server.host.trim().trim_matches(['[', ']']).trim_end_matches('.').to_owned();
    ServerName::try_from(host).map_err(|_| ConnectError::Unreachable {
        place: server.authority(),
        reason: "the host is not a valid name for a certificate".into(),
    })
}

/// Why a server's certificate was not taken, if that is what is at the bottom of a failure.
pub(super) fn untrusted(
    server: &RemoteServer,
    error: &(dyn Error + 'static),
) -> Option<ConnectError> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(rustls::Error::InvalidCertificate(problem)) = error.downcast_ref() {
            let reason = match problem {
                CertificateError::UnknownIssuer => {
                    "it is self-signed or signed by an unknown authority".to_owned()
                }
                CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                    "it has expired".to_owned()
                }
                CertificateError::NotValidForName
                | CertificateError::NotValidForNameContext { .. } => {
                    "it was issued for another name".to_owned()
                }
                CertificateError::Revoked => "it was revoked".to_owned(),
                other => other.to_string(),
            };
            return Some(ConnectError::Untrusted { place: server.authority(), reason });
        }
        // What an I/O error wraps is not what it names as its source.
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        cause = wrapped.map(|inner| inner as &(dyn Error + 'static)).or_else(|| error.source());
    }
    None
}

/// Takes any certificate: for servers whose credential says that theirs cannot be verified.
#[derive(Debug)]
struct AnyCertificate {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
