//! A mail as an item, in the three forms that n8n knows.

use crate::binary::prepare;
use base64::Engine as _;
use mail_parser::{Addr, Address, HeaderValue, Message, MessageParser, MimeHeaders as _};
use node_api::connect::FetchedMail;
use node_api::prelude::*;

/// What the item is to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MailFormat {
    /// Text, HTML and headers.
    Simple,
    /// Everything taken apart.
    Resolved,
    /// The source.
    Raw,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttachmentMode {
    Include,
    Skip,
}

pub(super) fn item_of(
    mail: &FetchedMail,
    format: MailFormat,
    files: AttachmentMode,
    prefix: &str,
) -> Item {
    if format == MailFormat::Raw {
        let raw = base64::engine::general_purpose::STANDARD.encode(&mail.source);
        return Item::new(Object::from_iter([
            ("raw", Value::from(raw)),
            ("attributes", attributes(mail)),
        ]));
    }
    let Some(message) = MessageParser::default().parse(mail.source.as_ref()) else {
        return Item::new(Object::from_iter([("attributes", attributes(mail))]));
    };
    let mut json = match format {
        MailFormat::Simple => simple(&message),
        _ => resolved(&message),
    };
    json.insert("attributes", attributes(mail));
    let mut item = Item::new(json);
    if files == AttachmentMode::Include {
        for (place, part) in message.attachments().enumerate() {
            let mime_type = part.content_type().map(|kind| match kind.subtype() {
                Some(subtype) => format!("{}/{subtype}", kind.ctype()),
                None => kind.ctype().to_owned(),
            });
            let file =
                prepare(part.contents().to_vec(), part.attachment_name(), mime_type.as_deref());
            item.set_binary(format!("{prefix}{place}"), file);
        }
    }
    item
}

fn attributes(mail: &FetchedMail) -> Value {
    let flags: Vec<Value> = mail.flags.iter().map(|flag| Value::from(flag.as_str())).collect();
    Object::from_iter([("uid", Value::from(mail.uid)), ("flags", flags.into())]).into()
}

fn simple(message: &Message<'_>) -> Object {
    let mut json = Object::new();
    if let Some(html) = html_of(message) {
        json.insert("textHtml", html);
    }
    if let Some(text) = text_of(message) {
        json.insert("textPlain", text);
    }
    let mut metadata = Object::new();
    for header in message.headers() {
        let name = header.name.as_str().to_ascii_lowercase();
        let value = header_text(
            &header.value,
            header.offset_start as usize,
            header.offset_end as usize,
            message,
        );
        match name.as_str() {
            "from" | "to" | "cc" | "subject" | "date" => drop(json.insert(name, value)),
            _ => drop(metadata.insert(name, value)),
        }
    }
    json.insert("metadata", metadata);
    json
}

fn resolved(message: &Message<'_>) -> Object {
    let mut json = Object::new();
    let mut headers = Object::new();
    for header in message.headers() {
        let source = message
            .raw_message
            .get(header.offset_field as usize..header.offset_end as usize)
            .unwrap_or_default();
        headers.insert(
            header.name.as_str().to_ascii_lowercase(),
            String::from_utf8_lossy(source).trim().to_owned(),
        );
    }
    json.insert("headers", headers);
    if let Some(html) = html_of(message) {
        json.insert("html", html);
    }
    if let Some(text) = text_of(message) {
        json.insert("text", text);
    }
    for (name, addresses) in [
        ("from", message.from()),
        ("to", message.to()),
        ("cc", message.cc()),
        ("bcc", message.bcc()),
        ("replyTo", message.reply_to()),
    ] {
        if let Some(addresses) = addresses {
            json.insert(name, addressees(addresses));
        }
    }
    if let Some(subject) = message.subject() {
        json.insert("subject", subject);
    }
    if let Some(date) = message.date() {
        json.insert(
            "date",
            jiff::Timestamp::from_second(date.to_timestamp()).map_or_else(
                |_| date.to_rfc3339(),
                |moment| moment.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string(),
            ),
        );
    }
    if let Some(id) = message.message_id() {
        json.insert("messageId", format!("<{id}>"));
    }
    if let Some(id) = message.in_reply_to().as_text() {
        json.insert("inReplyTo", format!("<{id}>"));
    }
    json
}

/// The HTML that the mail really has; none is made of its text.
fn html_of(message: &Message<'_>) -> Option<String> {
    let part = message
        .html_body
        .iter()
        .find_map(|id| message.parts.get(*id as usize).filter(|part| part.is_text_html()))?;
    part.text_contents().map(str::to_owned)
}

fn text_of(message: &Message<'_>) -> Option<String> {
    let part = message
        .text_body
        .iter()
        .find_map(|id| message.parts.get(*id as usize).filter(|part| !part.is_text_html()))?;
    part.text_contents().map(|text| text.trim_end_matches(['\r', '\n']).to_owned())
}

fn header_text(value: &HeaderValue<'_>, start: usize, end: usize, message: &Message<'_>) -> String {
    match value {
        HeaderValue::Text(text) => text.to_string(),
        HeaderValue::Address(address) => address_text(address),
        _ => String::from_utf8_lossy(message.raw_message.get(start..end).unwrap_or_default())
            .trim()
            .to_owned(),
    }
}

fn address_text(address: &Address<'_>) -> String {
    address.iter().map(one_address).collect::<Vec<_>>().join(", ")
}

fn one_address(address: &Addr<'_>) -> String {
    match (address.name(), address.address()) {
        (Some(name), Some(address)) => format!("{name} <{address}>"),
        (_, address) => address.unwrap_or_default().to_owned(),
    }
}

fn addressees(address: &Address<'_>) -> Value {
    let entry = |one: &Addr<'_>| {
        Value::from(Object::from_iter([
            ("address", one.address().unwrap_or_default()),
            ("name", one.name().unwrap_or_default()),
        ]))
    };
    let value: Vec<Value> = address.iter().map(entry).collect();
    Object::from_iter([("value", Value::from(value)), ("text", address_text(address).into())])
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIL: &str = "From: Ada <ada@example.com>\r\nTo: bo@example.com, \"C D\" <cd@example.com>\r\nSubject: =?utf-8?q?Caf=C3=A9?=\r\n\
        Date: Tue, 02 Jan 2024 10:00:00 +0100\r\nMessage-ID: <m1@example.com>\r\nX-Own: yes\r\nMIME-Version: 1.0\r\n\
        Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nHello\r\n--b\r\n\
        Content-Type: text/csv; name=a.csv\r\nContent-Disposition: attachment; filename=a.csv\r\nContent-Transfer-Encoding: base64\r\n\r\nYSxiCg==\r\n--b--\r\n";

    fn fetched() -> FetchedMail {
        FetchedMail { uid: 7, flags: vec!["\\Recent".into()], source: MAIL.into() }
    }

    #[test]
    fn the_simple_form_has_texts_headers_and_files() {
        let item = item_of(&fetched(), MailFormat::Simple, AttachmentMode::Include, "attachment_");
        assert_eq!(item.json.get("textPlain"), Some(&json!("Hello")));
        assert_eq!(item.json.get("textHtml"), None);
        assert_eq!(item.json.get("subject"), Some(&json!("Café")));
        assert_eq!(item.json.get("from"), Some(&json!("Ada <ada@example.com>")));
        assert_eq!(item.json.get("date"), Some(&json!("Tue, 02 Jan 2024 10:00:00 +0100")));
        assert_eq!(item.json.get_path("metadata.x-own"), Some(&json!("yes")));
        assert_eq!(item.json.get_path("attributes.uid"), Some(&json!(7)));
        let file = item.binary("attachment_0").unwrap();
        assert_eq!(
            (file.file_name.as_deref(), file.mime_type.as_str()),
            (Some("a.csv"), "text/csv")
        );
    }

    #[test]
    fn the_resolved_form_takes_addresses_and_dates_apart() {
        let item = item_of(&fetched(), MailFormat::Resolved, AttachmentMode::Skip, "attachment_");
        assert_eq!(
            item.json.get_path("to.value[1]"),
            Some(&json!({ "address": "cd@example.com", "name": "C D" }))
        );
        assert_eq!(item.json.get("date"), Some(&json!("2024-01-02T09:00:00.000Z")));
        assert_eq!(item.json.get("messageId"), Some(&json!("<m1@example.com>")));
        assert!(item.binary.is_none());
    }

    #[test]
    fn the_raw_form_is_the_source() {
        let item = item_of(&fetched(), MailFormat::Raw, AttachmentMode::Skip, "");
        let raw = item.json.get("raw").and_then(Value::as_str).unwrap();
        assert_eq!(base64::engine::general_purpose::STANDARD.decode(raw).unwrap(), MAIL.as_bytes());
    }
}
