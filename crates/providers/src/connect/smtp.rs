//! Sending mail: composes the message and hands it to the server at a checked address.

use super::dial::{Dialer, connect_to};
use lettre::message::header::{ContentTransferEncoding, ContentType};
use lettre::message::{
    Attachment as Attached, Body, Mailbox, Mailboxes, Message, MultiPart, SinglePart,
};
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor};
use node_api::connect::{Attachment, ConnectError, Mail, MailReceipt, RemoteServer, Security};
use std::error::Error as _;
use std::net::IpAddr;
use std::time::Duration;

pub(super) async fn send(
    dialler: &Dialer,
    server: &RemoteServer,
    mail: Mail,
) -> Result<MailReceipt, ConnectError> {
    let message = compose(mail)?;
    let mut receipt = MailReceipt {
        message_id: message.headers().get_raw("Message-ID").unwrap_or_default().trim().to_owned(),
        from: message.envelope().from().map(ToString::to_string).unwrap_or_default(),
        accepted: message.envelope().to().iter().map(ToString::to_string).collect(),
        response: String::new(),
    };
    let transport = transport(server, address(dialler, server).await?)?;
    let answer = transport.send(message).await.map_err(|error| connect_error(server, &error))?;
    receipt.response =
        format!("{} {}", answer.code(), answer.message().collect::<Vec<_>>().join(" "));
    Ok(receipt)
}

/// Connects and signs in as for a mail, and sends none.
pub(super) async fn check_login(
    dialler: &Dialer,
    server: &RemoteServer,
) -> Result<(), ConnectError> {
    let transport = transport(server, address(dialler, server).await?)?;
    match transport.test_connection().await.map_err(|error| connect_error(server, &error))? {
        true => Ok(()),
        false => Err(ConnectError::Unreachable {
            place: server.authority(),
            reason: "the server's response is not that of a mail server".into(),
        }),
    }
}

async fn address(dialler: &Dialer, server: &RemoteServer) -> Result<IpAddr, ConnectError> {
    Ok(match dialler.addresses(server).await?.as_slice() {
        [only] => only.ip(),
        // Which of several addresses answers is found out with a connection of our own; the mail
        // then goes to that one.
        several => connect_to(server, several).await?.1.ip(),
    })
}

fn transport(
    server: &RemoteServer,
    address: IpAddr,
) -> Result<AsyncSmtpTransport<Tokio1Executor>, ConnectError> {
    let broken = |error: &dyn std::fmt::Display| ConnectError::Unreachable {
        place: server.authority(),
        reason: error.to_string(),
    };
    let tls = || -> Result<TlsParameters, ConnectError> {
        let name = server.host.trim().trim_matches(['[', ']']).to_owned();
        let mut parameters = TlsParameters::builder(name)
            .dangerous_accept_invalid_certs(server.allow_invalid_certificates);
        if let Some(own) = &server.certificates
            && !own.authorities.trim().is_empty()
        {
            let authority = Certificate::from_pem(own.authorities.as_bytes())
                .map_err(|error| broken(&error))?;
            parameters = parameters.add_root_certificate(authority);
        }
        parameters.build_rustls().map_err(|error| broken(&error))
    };
    let tls = match server.security {
        Security::Plain => Tls::None,
        Security::IfOffered => Tls::Opportunistic(tls()?),
        Security::Tls => Tls::Wrapper(tls()?),
        Security::StartTls => Tls::Required(tls()?),
    };
    let name = match server.client_name.trim() {
        "" => ClientId::Domain("localhost".into()),
        name => ClientId::Domain(name.to_owned()),
    };
    let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(address.to_string())
        .port(server.port)
        .tls(tls)
        .hello_name(name)
        .timeout(Some(Duration::from_millis(server.timeout_ms)));
    if !server.user.is_empty() || !server.password.is_empty() {
        builder = builder
            .credentials(Credentials::new(server.user.clone(), server.password.clone()))
            .authentication(vec![Mechanism::Plain, Mechanism::Login]);
    }
    Ok(builder.build())
}

fn compose(mail: Mail) -> Result<Message, ConnectError> {
    let mut builder = Message::builder().subject(mail.subject).message_id(None).date_now();
    builder = builder.from(mailbox(&mail.from)?);
    for entry in mailboxes(&mail.to)? {
        builder = builder.to(entry);
    }
    for entry in mailboxes(&mail.cc)? {
        builder = builder.cc(entry);
    }
    for entry in mailboxes(&mail.bcc)? {
        builder = builder.bcc(entry);
    }
    for entry in mailboxes(&mail.reply_to)? {
        builder = builder.reply_to(entry);
    }
    if !mail.in_reply_to.is_empty() {
        builder = builder.in_reply_to(mail.in_reply_to.clone()).references(mail.in_reply_to);
    }
    let (inline, attached): (Vec<_>, Vec<_>) =
        mail.attachments.into_iter().partition(|file| file.content_id.is_some());
    let html = mail.html.map(SinglePart::html);
    let html: Option<MailContent> = match (html, inline.is_empty()) {
        (Some(html), false) => {
            let mut related = MultiPart::related().singlepart(html);
            for file in inline {
                let id = file.content_id.clone().unwrap_or_default();
                let part = Attached::new_inline_with_name(id, file.file_name.clone());
                related =
                    related.singlepart(part.body(file_body(&file), content_type(&file.mime_type)));
            }
            Some(MailContent::Several(related))
        }
        (html, _) => html.map(MailContent::One),
    };
    let text = mail.text.map(SinglePart::plain);
    let body = match (text, html) {
        (Some(text), Some(MailContent::One(html))) => {
            MailContent::Several(MultiPart::alternative().singlepart(text).singlepart(html))
        }
        (Some(text), Some(MailContent::Several(html))) => {
            MailContent::Several(MultiPart::alternative().singlepart(text).multipart(html))
        }
        (None, Some(html)) => html,
        (text, None) => MailContent::One(text.unwrap_or_else(|| SinglePart::plain(String::new()))),
    };
    let made = if attached.is_empty() {
        match body {
            MailContent::One(part) => builder.singlepart(part),
            MailContent::Several(parts) => builder.multipart(parts),
        }
    } else {
        let mut mixed = match body {
            MailContent::One(part) => MultiPart::mixed().singlepart(part),
            MailContent::Several(parts) => MultiPart::mixed().multipart(parts),
        };
        for file in attached {
            let part = Attached::new(file.file_name.clone());
            mixed = mixed.singlepart(part.body(file_body(&file), content_type(&file.mime_type)));
        }
        builder.multipart(mixed)
    };
    made.map_err(|error| ConnectError::Unsendable {
        message: format!("The email could not be composed: {error}"),
    })
}

/// A file's bytes stay what they are: any other encoding would change the ends of its lines.
fn file_body(file: &Attachment) -> Body {
    let encoded = Body::new_with_encoding(file.data.to_vec(), ContentTransferEncoding::Base64);
    encoded.unwrap_or_else(Body::new)
}

enum MailContent {
    One(SinglePart),
    Several(MultiPart),
}

fn content_type(mime_type: &str) -> ContentType {
    ContentType::parse(mime_type).unwrap_or_else(|_| {
        ContentType::parse("application/octet-stream").unwrap_or(ContentType::TEXT_PLAIN)
    })
}

fn mailbox(text: &str) -> Result<Mailbox, ConnectError> {
    text.trim().parse().map_err(|_| ConnectError::Unsendable {
        message: format!("'{}' is not an email address", text.trim()),
    })
}

/// Addresses, each entry possibly several of them with commas between.
fn mailboxes(entries: &[String]) -> Result<Vec<Mailbox>, ConnectError> {
    let mut found = Vec::new();
    for entry in entries
        .iter()
        .map(|entry| entry.trim().trim_end_matches(','))
        .filter(|entry| !entry.is_empty())
    {
        let several: Mailboxes = entry.parse().map_err(|_| ConnectError::Unsendable {
            message: format!("'{entry}' is not an email address or a list of them"),
        })?;
        found.extend(several);
    }
    Ok(found)
}

fn connect_error(server: &RemoteServer, error: &lettre::transport::smtp::Error) -> ConnectError {
    if let Some(untrusted) = super::tls::untrusted(server, error) {
        return untrusted;
    }
    let place = server.authority();
    let reason = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    match error.status().map(|code| code.to_string()) {
        _ if error.is_timeout() => ConnectError::Timeout { place, timeout_ms: server.timeout_ms },
        Some(code) if matches!(code.as_str(), "530" | "534" | "535" | "538") => {
            ConnectError::SignIn { place, reason: format!("{code} {reason}") }
        }
        Some(code) => {
            ConnectError::Refused { message: format!("{code} {reason}"), detail: None, state: code }
        }
        None => ConnectError::Unreachable { place, reason },
    }
}
