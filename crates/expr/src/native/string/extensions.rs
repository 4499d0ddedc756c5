//! n8n's extension functions of texts.

use super::super::date::{self, DateTime};
use super::super::eval::Machine;
use super::super::nodes::local_zone;
use super::super::statics::instant;
use super::super::value::Js;
use super::super::{Run, Stop, hash, json, text};
use crate::Error;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::Value;
use std::sync::Arc;

pub(super) fn call(machine: &mut Machine<'_>, subject: &str, name: &str, args: &[Js]) -> Run<Js> {
    let flag = |at: usize| match args.get(at) {
        None | Some(Js::Value(Value::Undefined)) => Ok(false),
        Some(Js::Value(Value::Bool(flag))) => Ok(*flag),
        Some(_) => Err(Stop::Declined),
    };
    match (name, args) {
        ("isEmpty", []) => Ok(subject.is_empty().into()),
        ("isNotEmpty", []) => Ok((!subject.is_empty()).into()),
        ("base64Encode", []) => {
            machine.allocate(subject.len() * 2)?;
            Ok(STANDARD.encode(subject).into())
        }
        ("base64Decode", []) => {
            let bytes = STANDARD.decode(subject).map_err(|_| Stop::Declined)?;
            String::from_utf8(bytes).map(Js::from).map_err(|_| Stop::Declined)
        }
        ("hash", algorithm) => {
            let algorithm = match algorithm {
                [] => "md5",
                [Js::Value(Value::String(algorithm))] => algorithm.as_str(),
                _ => return Err(Stop::Declined),
            };
            hash::hash(subject, algorithm).map(Js::from).ok_or(Stop::Declined)
        }
        ("urlEncode", _) => Ok(text::percent_encode(subject, if flag(0)? { text::URI_KEEPS } else { text::COMPONENT_KEEPS }).into()),
        ("urlDecode", _) => text::percent_decode(subject, if flag(0)? { ";/?:@&=+$,#" } else { "" }).map(Js::from).ok_or(Stop::Declined),
        ("parseJson", []) => json::parse(machine, subject),
        ("toJsonString", []) => json::text_of(machine, &Value::from(subject), "").map(Js::from),
        ("quote", mark) => {
            let mark = match mark {
                [] => "\"",
                [Js::Value(Value::String(mark))] if mark == "'" || mark == "\"" => mark.as_str(),
                _ => return Err(Stop::Declined),
            };
            let inner = subject.replace('\\', "\\\\").replace(mark, &format!("\\{mark}"));
            Ok(format!("{mark}{inner}{mark}").into())
        }
        ("isNumeric", []) if !subject.contains(text::is_js_whitespace) => {
            Ok((!subject.is_empty() && !text::to_number(subject).is_nan()).into())
        }
        ("toBoolean", []) => Ok((!matches!(subject.to_lowercase().as_str(), "false" | "no" | "0" | "")).into()),
        ("toInt" | "toWholeNumber", []) if is_plain_number(subject) => Ok(text::parse_int(subject, 10.0).ok_or(Stop::Declined)?.into()),
        ("toFloat" | "toDecimalNumber" | "toNumber", []) if is_plain_number(subject) => Ok(text::parse_float(subject).into()),
        ("isEmail", []) => is_email(subject).map(Js::from),
        ("isUrl", []) => is_url(subject).map(Js::from),
        ("isDomain", []) => is_domain(subject).map(Js::from),
        ("extractDomain", []) => extract_domain(subject).map(Js::from),
        ("removeTags", []) => Ok(remove_tags(subject).into()),
        ("toDateTime", []) => to_date_time(machine, subject),
        ("toDateTime", [Js::Value(Value::String(format))]) => {
            let read = date::from_format(subject, format).ok_or(Stop::Declined)?;
            let zone = local_zone(machine)?;
            Ok(Js::DateTime(Arc::new(instant(machine, read, zone, false)?)))
        }
        ("toDate", []) => match date::parse_js(subject) {
            Some(ms) => Js::date(ms),
            None => Err(Stop::Declined),
        },
        _ => Err(Stop::Declined),
    }
}

/// Digits with at most a sign in front and one point inside.
fn is_plain_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |part: &str| !part.is_empty() && part.len() <= 15 && part.bytes().all(|byte| byte.is_ascii_digit());
    all_digits(whole) && all_digits(decimals)
}

/// `name@host.tld` of the plainest kind; without an `@` it is none. What lies between is the sandbox's to judge.
fn is_email(text: &str) -> Run<bool> {
    let Some((name, host)) = text.split_once('@') else { return Ok(false) };
    let is_plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'+');
    if text.contains(' ') {
        return if text.contains(['"', '[']) { Err(Stop::Declined) } else { Ok(false) };
    }
    if name.split('.').all(is_plain) && is_host(host) { Ok(true) } else { Err(Stop::Declined) }
}

/// `host.tld` in lower-case letters, digits and inner dashes.
fn is_host(text: &str) -> bool {
    let labels: Vec<&str> = text.split('.').collect();
    let is_label = |label: &&str| {
        let bytes = label.as_bytes();
        let is_inner = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
        !bytes.is_empty() && bytes.len() < 60 && bytes.iter().all(is_inner) && bytes[0] != b'-' && bytes[bytes.len() - 1] != b'-'
    };
    let is_tld = |label: &&str| label.len() >= 2 && label.len() <= 10 && label.bytes().all(|byte| byte.is_ascii_lowercase());
    labels.len() >= 2 && labels.len() < 10 && labels.iter().all(is_label) && labels.last().is_some_and(is_tld)
}

/// The host of a plain web address, and what follows it.
fn web_host(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let (host, tail) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let is_plain_tail = tail.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/?#&=._~-%".contains(&byte)) && !tail.contains('@');
    (is_host(host) && is_plain_tail).then_some((host, tail))
}

fn is_url(text: &str) -> Run<bool> {
    if !text.contains(':') {
        return Ok(false);
    }
    if web_host(text).is_some() { Ok(true) } else { Err(Stop::Declined) }
}

fn is_domain(text: &str) -> Run<bool> {
    if is_host(text) {
        return Ok(true);
    }
    if !text.contains('.') || text.contains([' ', '/']) || text.contains("..") { Ok(false) } else { Err(Stop::Declined) }
}

fn extract_domain(text: &str) -> Run<String> {
    if let Some((host, _)) = web_host(text) {
        return Ok(host.into());
    }
    match text.split_once('@') {
        Some((_, host)) if is_email(text)? => Ok(host.into()),
        _ => Err(Stop::Declined),
    }
}

fn remove_tags(subject: &str) -> String {
    let mut out = String::with_capacity(subject.len());
    let mut rest = subject;
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        rest = rest[start..].find('>').map_or("", |end| &rest[start + end + 1..]);
    }
    out.push_str(rest);
    out
}

/// ISO texts; a text's own offset stays with it. Other formats are left to the sandbox.
fn to_date_time(machine: &mut Machine<'_>, subject: &str) -> Run<Js> {
    let trimmed = subject.trim_matches(text::is_js_whitespace);
    if let Some(read) = date::parse_iso(trimmed) {
        let zone = local_zone(machine)?;
        let found: DateTime = instant(machine, read, zone, true)?;
        return Ok(Js::DateTime(Arc::new(found)));
    }
    // A word without a single digit is no date in any format.
    if !trimmed.is_empty() && !trimmed.contains(|character: char| character.is_numeric()) {
        let message = "cannot convert to Luxon DateTime".into();
        return Err(Error::Thrown { name: "ExpressionExtensionError".into(), message, stack: None }.into());
    }
    Err(Stop::Declined)
}
