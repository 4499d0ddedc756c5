//! A small mail server for tests: speaks SMTP, asks for a sign-in, keeps what it gets; encrypted if
//! it is to be.

use base64::Engine as _;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use testkit::services::SignedCertificate;

#[derive(Clone, Debug, Default)]
pub(crate) struct ReceivedMail {
    pub(crate) signed_in_as: String,
    pub(crate) from: String,
    pub(crate) to: Vec<String>,
    pub(crate) source: String,
    pub(crate) was_encrypted: bool,
}

pub(crate) struct SmtpServer {
    pub(crate) port: u16,
    received: Arc<Mutex<Vec<ReceivedMail>>>,
}

/// When a connection becomes encrypted.
#[derive(Clone)]
enum SmtpEncryption {
    Never,
    /// When the client says STARTTLS.
    WhenAsked(Arc<ServerConfig>),
    FromTheFirstByte(Arc<ServerConfig>),
}

impl SmtpServer {
    pub(crate) fn start() -> Self {
        Self::serving(SmtpEncryption::Never)
    }

    pub(crate) fn with_start_tls(certified: &SignedCertificate) -> Self {
        Self::serving(SmtpEncryption::WhenAsked(config(certified)))
    }

    pub(crate) fn with_tls(certified: &SignedCertificate) -> Self {
        Self::serving(SmtpEncryption::FromTheFirstByte(config(certified)))
    }

    fn serving(encryption: SmtpEncryption) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let received: Arc<Mutex<Vec<ReceivedMail>>> = Arc::default();
        let kept = received.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, encryption) = (kept.clone(), encryption.clone());
                std::thread::spawn(move || drop(serve(stream, &kept, &encryption)));
            }
        });
        Self { port, received }
    }

    pub(crate) fn received(&self) -> Vec<ReceivedMail> {
        self.received.lock().unwrap().clone()
    }
}

fn config(certified: &SignedCertificate) -> Arc<ServerConfig> {
    let chain = vec![CertificateDer::from_pem_slice(certified.certificate.as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(certified.key.as_bytes()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap();
    Arc::new(builder.with_no_client_auth().with_single_cert(chain, key).unwrap())
}

fn serve(
    mut stream: TcpStream,
    received: &Mutex<Vec<ReceivedMail>>,
    encryption: &SmtpEncryption,
) -> std::io::Result<()> {
    let encrypted = |config: &Arc<ServerConfig>, stream: TcpStream| {
        ServerConnection::new(config.clone())
            .map(|connection| StreamOwned::new(connection, stream))
            .map_err(std::io::Error::other)
    };
    match encryption {
        SmtpEncryption::Never => {
            stream.write_all(b"220 test ESMTP\r\n")?;
            talk(&mut stream, received, ReceivedMail::default(), "").map(drop)
        }
        SmtpEncryption::FromTheFirstByte(config) => {
            let mut stream = encrypted(config, stream)?;
            stream.write_all(b"220 test ESMTP\r\n")?;
            talk(
                &mut stream,
                received,
                ReceivedMail { was_encrypted: true, ..ReceivedMail::default() },
                "",
            )
            .map(drop)
        }
        SmtpEncryption::WhenAsked(config) => {
            stream.write_all(b"220 test ESMTP\r\n")?;
            if talk(&mut stream, received, ReceivedMail::default(), "250-STARTTLS\r\n")?
                == SessionEnd::StartTls
            {
                talk(
                    &mut encrypted(config, stream)?,
                    received,
                    ReceivedMail { was_encrypted: true, ..ReceivedMail::default() },
                    "",
                )?;
            }
            Ok(())
        }
    }
}

/// How a conversation ended.
#[derive(PartialEq, Eq)]
enum SessionEnd {
    Bye,
    StartTls,
}

fn talk(
    stream: &mut (impl Read + Write),
    received: &Mutex<Vec<ReceivedMail>>,
    mut mail: ReceivedMail,
    offers: &str,
) -> std::io::Result<SessionEnd> {
    while let Some(line) = line(stream)? {
        let word = line.split(' ').next().unwrap_or_default().to_ascii_uppercase();
        let address = || {
            line.split_once('<')
                .and_then(|(_, rest)| rest.split_once('>'))
                .map(|(inner, _)| inner.to_owned())
                .unwrap_or_default()
        };
        let hello =
            format!("250-test\r\n{offers}250-8BITMIME\r\n250-SMTPUTF8\r\n250 AUTH PLAIN LOGIN");
        let answer = match word.as_str() {
            "EHLO" => hello.as_str(),
            "STARTTLS" if !offers.is_empty() => {
                stream.write_all(b"220 go on\r\n")?;
                return Ok(SessionEnd::StartTls);
            }
            "AUTH" => {
                let given = line.split(' ').nth(2).unwrap_or_default();
                let decoded =
                    base64::engine::general_purpose::STANDARD.decode(given).unwrap_or_default();
                let parts: Vec<String> = decoded
                    .split(|byte| *byte == 0)
                    .map(|part| String::from_utf8_lossy(part).into_owned())
                    .collect();
                match parts.as_slice() {
                    [_, user, password] if password == "canary-s3cret" => {
                        mail.signed_in_as = user.clone();
                        "235 welcome"
                    }
                    _ => "535 5.7.8 authentication failed",
                }
            }
            _ if mail.signed_in_as.is_empty()
                && !matches!(word.as_str(), "QUIT" | "NOOP" | "RSET") =>
            {
                "530 sign in first"
            }
            "MAIL" => {
                mail.from = address();
                "250 ok"
            }
            "RCPT" if address().starts_with("refused") => "550 no such user here",
            "RCPT" => {
                mail.to.push(address());
                "250 ok"
            }
            "DATA" => {
                stream.write_all(b"354 go on\r\n")?;
                while let Some(line) = self::line(stream)?.filter(|line| line != ".") {
                    mail.source.push_str(line.strip_prefix('.').unwrap_or(&line));
                    mail.source.push_str("\r\n");
                }
                let kept = ReceivedMail {
                    signed_in_as: mail.signed_in_as.clone(),
                    was_encrypted: mail.was_encrypted,
                    ..ReceivedMail::default()
                };
                received.lock().unwrap().push(std::mem::replace(&mut mail, kept));
                "250 2.0.0 queued"
            }
            "QUIT" => {
                stream.write_all(b"221 bye\r\n")?;
                return Ok(SessionEnd::Bye);
            }
            _ => "250 ok",
        };
        stream.write_all(format!("{answer}\r\n").as_bytes())?;
    }
    Ok(SessionEnd::Bye)
}

/// The next line, without its end. Read byte by byte, so that nothing of what follows STARTTLS is
/// received along.
fn line(stream: &mut impl Read) -> std::io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut byte = [0];
    while stream.read(&mut byte)? > 0 {
        match byte[0] {
            b'\n' => {
                return Ok(Some(String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned()));
            }
            other => line.push(other),
        }
    }
    Ok(None)
}
