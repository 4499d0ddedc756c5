//! A small mail server for tests: speaks SMTP, asks for a sign-in, keeps what it gets.

#![expect(clippy::unwrap_used, reason = "a helper of a test may stop it")]

use base64::Engine as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    pub(crate) signed_in_as: String,
    pub(crate) from: String,
    pub(crate) to: Vec<String>,
    pub(crate) source: String,
}

pub(crate) struct SmtpServer {
    pub(crate) port: u16,
    taken: Arc<Mutex<Vec<Taken>>>,
}

impl SmtpServer {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let taken: Arc<Mutex<Vec<Taken>>> = Arc::default();
        let kept = taken.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = kept.clone();
                std::thread::spawn(move || drop(serve(stream, &kept)));
            }
        });
        Self { port, taken }
    }

    pub(crate) fn taken(&self) -> Vec<Taken> {
        self.taken.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, taken: &Mutex<Vec<Taken>>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let mut mail = Taken::default();
    stream.write_all(b"220 test ESMTP\r\n")?;
    while let Some(line) = lines.next().transpose()? {
        let word = line.split(' ').next().unwrap_or_default().to_ascii_uppercase();
        let address =
            || line.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map(|(inner, _)| inner.to_owned()).unwrap_or_default();
        let answer = match word.as_str() {
            "EHLO" => "250-test\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 AUTH PLAIN LOGIN",
            "AUTH" => {
                let given = line.split(' ').nth(2).unwrap_or_default();
                let decoded = base64::engine::general_purpose::STANDARD.decode(given).unwrap_or_default();
                let parts: Vec<String> = decoded.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned()).collect();
                match parts.as_slice() {
                    [_, user, password] if password == "canary-s3cret" => {
                        mail.signed_in_as = user.clone();
                        "235 welcome"
                    }
                    _ => "535 5.7.8 authentication failed",
                }
            }
            _ if mail.signed_in_as.is_empty() && !matches!(word.as_str(), "QUIT" | "NOOP" | "RSET") => "530 sign in first",
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
                while let Some(line) = lines.next().transpose()? {
                    if line == "." {
                        break;
                    }
                    mail.source.push_str(line.strip_prefix('.').unwrap_or(&line));
                    mail.source.push_str("\r\n");
                }
                let kept = Taken { signed_in_as: mail.signed_in_as.clone(), ..Taken::default() };
                taken.lock().unwrap().push(std::mem::replace(&mut mail, kept));
                "250 2.0.0 queued"
            }
            "QUIT" => {
                stream.write_all(b"221 bye\r\n")?;
                return Ok(());
            }
            _ => "250 ok",
        };
        stream.write_all(format!("{answer}\r\n").as_bytes())?;
    }
    Ok(())
}
