//! Certificates end to end: a server that wants to know its clients, and clients that choose whom
//! they trust.

use heddle_providers::http::{EgressPolicy, GuardedHttp};
use node_api::http::{Http, HttpError, HttpRequest, TlsCertificates};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Authority {
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(rcgen::DnType::CommonName, name);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

fn signed(by: &Authority, name: &str) -> (rcgen::Certificate, KeyPair) {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.distinguished_name.push(rcgen::DnType::CommonName, name);
    let certificate = params.signed_by(&key, by).unwrap();
    (certificate, key)
}

/// Answers every request of a client that shows a certificate of the authority, or of any client if
/// there is none.
async fn serve(own: &Authority, clients: Option<&Authority>) -> SocketAddr {
    let (certificate, key) = signed(own, "127.0.0.1");
    let builder = match clients {
        Some(clients) => {
            let mut roots = RootCertStore::empty();
            roots.add(clients.der().clone()).unwrap();
            ServerConfig::builder().with_client_cert_verifier(
                WebPkiClientVerifier::builder(Arc::new(roots)).build().unwrap(),
            )
        }
        None => ServerConfig::builder().with_no_client_auth(),
    };
    let config = builder.with_single_cert(vec![certificate.der().clone()], key.into()).unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream
                .write_all(
                    b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nwelcome",
                )
                .await;
            let _ = stream.shutdown().await;
        }
    });
    address
}

fn install_provider() {
    let _ = tokio_rustls::rustls::crypto::aws_lc_rs::default_provider().install_default();
}

fn client() -> GuardedHttp {
    GuardedHttp::new(EgressPolicy::parse("127.0.0.1").unwrap())
}

fn request(address: SocketAddr, certificates: Option<TlsCertificates>) -> HttpRequest {
    let mut request = HttpRequest::new("GET", format!("https://{address}/"));
    request.certificates = certificates.map(Arc::new);
    request
}

#[tokio::test]
async fn a_server_knows_its_client_by_the_certificate() {
    install_provider();
    let (servers, clients, strangers) =
        (authority("servers"), authority("clients"), authority("strangers"));
    let address = serve(&servers, Some(&clients)).await;
    let http = client();
    let shown = |by: &Authority| {
        let (certificate, key) = signed(by, "me");
        TlsCertificates {
            authorities: servers.pem(),
            identity: certificate.pem() + &key.serialize_pem(),
        }
    };
    let answer = http.send(request(address, Some(shown(&clients)))).await.unwrap();
    assert_eq!(answer.body, "welcome");
    for other in
        [TlsCertificates { authorities: servers.pem(), identity: String::new() }, shown(&strangers)]
    {
        assert!(matches!(
            http.send(request(address, Some(other))).await,
            Err(HttpError::Unreachable { .. })
        ));
    }
}

#[tokio::test]
async fn trust_is_chosen_for_each_request() {
    install_provider();
    let (servers, others) = (authority("servers"), authority("others"));
    let address = serve(&servers, None).await;
    let http = client();
    let trusting =
        |by: &Authority| Some(TlsCertificates { authorities: by.pem(), identity: String::new() });
    assert_eq!(http.send(request(address, trusting(&servers))).await.unwrap().status, 200);
    assert!(http.send(request(address, trusting(&others))).await.is_err());
    let refused = http.send(request(address, None)).await.unwrap_err();
    assert!(
        matches!(refused, HttpError::Unreachable { errno: Some("CERT_INVALID"), .. }),
        "{refused:?}"
    );
    let mut careless = request(address, None);
    careless.allow_invalid_certificates = true;
    assert_eq!(http.send(careless).await.unwrap().status, 200);
    // Having been careless once changes nothing for the next request.
    assert!(http.send(request(address, None)).await.is_err());
}

#[tokio::test]
async fn a_key_that_is_none_is_told() {
    install_provider();
    let certificates = TlsCertificates { authorities: String::new(), identity: "nonsense".into() };
    let address = "127.0.0.1:8443".parse().unwrap();
    assert!(matches!(
        client().send(request(address, Some(certificates))).await,
        Err(HttpError::Unreachable { .. })
    ));
}
