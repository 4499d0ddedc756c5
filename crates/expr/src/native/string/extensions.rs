//! n8n's extension functions of texts.

use super::super::date::{self, DateTime};
use super::super::eval::Machine;
use super::super::nodes::local_zone;
use super::super::statics::instant;
use super::super::value::Js;
use super::super::{EvalResult, Interrupt, hash, json, text};
use crate::ExprError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Str, Value};
use std::sync::Arc;

/// Longer than nine names of less than 60 letters, with the points between them.
const MAX_HOST_BYTES: usize = 600;

/// No algorithm has a longer name.
const MAX_ALGORITHM_BYTES: usize = 32;

pub(super) fn call(
    machine: &mut Machine<'_>,
    subject: &Str,
    name: &str,
    args: &[Js],
) -> EvalResult<Js> {
    let flag = |at: usize| match args.get(at) {
        None | Some(Js::Value(Value::Undefined)) => Ok(false),
        Some(Js::Value(Value::Bool(flag))) => Ok(*flag),
        Some(_) => Err(Interrupt::Declined),
    };
    match (name, args) {
        ("isEmpty", []) => Ok(subject.is_empty().into()),
        ("isNotEmpty", []) => Ok((!subject.is_empty()).into()),
        ("base64Encode", []) => {
            machine.allocate(subject.len() * 2)?;
            Ok(STANDARD.encode(subject).into())
        }
        ("base64Decode", []) => {
            machine.allocate(subject.len())?;
            let bytes = STANDARD.decode(subject).map_err(|_| Interrupt::Declined)?;
            String::from_utf8(bytes).map(Js::from).map_err(|_| Interrupt::Declined)
        }
        ("hash", algorithm) => {
            let algorithm = match algorithm {
                [] => "md5",
                [Js::Value(Value::String(algorithm))] => algorithm.as_str(),
                _ => return Err(Interrupt::Declined),
            };
            if algorithm.len() > MAX_ALGORITHM_BYTES {
                return Err(Interrupt::Declined);
            }
            machine.spend(subject.len() / 16)?;
            machine.allocate(if algorithm.eq_ignore_ascii_case("base64") {
                subject.len() * 2
            } else {
                0
            })?;
            hash::hash(subject, algorithm).map(Js::from).ok_or(Interrupt::Declined)
        }
        ("urlEncode", _) => {
            let kept = if flag(0)? { text::URI_KEEPS } else { text::COMPONENT_KEEPS };
            machine.allocate(subject.len() * 2)?;
            Ok(text::percent_encode(subject, kept).into())
        }
        ("urlDecode", _) => {
            let kept = if flag(0)? { ";/?:@&=+$,#" } else { "" };
            machine.allocate(subject.len())?;
            text::percent_decode(subject, kept).map(Js::from).ok_or(Interrupt::Declined)
        }
        ("parseJson", []) => json::parse(machine, subject),
        ("toJsonString", []) => {
            json::text_of(machine, &Value::String(subject.clone()), "").map(Js::from)
        }
        ("quote", mark) => {
            let mark = match mark {
                [] => '"',
                [Js::Value(Value::String(mark))] if mark == "'" || mark == "\"" => {
                    mark.chars().next().ok_or(Interrupt::Declined)?
                }
                _ => return Err(Interrupt::Declined),
            };
            quoted(machine, subject, mark).map(Js::from)
        }
        ("isNumeric", []) if !subject.contains(text::is_js_whitespace) => {
            Ok((!subject.is_empty() && !text::to_number(subject).is_nan()).into())
        }
        ("toBoolean", []) => {
            Ok((!["false", "no", "0", ""].iter().any(|no| subject.eq_ignore_ascii_case(no))).into())
        }
        ("toInt" | "toWholeNumber", []) if is_plain_number(subject) => {
            Ok(text::parse_int(subject, 10.0).ok_or(Interrupt::Declined)?.into())
        }
        ("toFloat" | "toDecimalNumber" | "toNumber", []) if is_plain_number(subject) => {
            Ok(text::parse_float(subject).into())
        }
        ("isEmail", []) => is_email(subject).map(Js::from),
        ("isUrl", []) => is_url(subject).map(Js::from),
        ("isDomain", []) => is_domain(subject).map(Js::from),
        ("extractDomain", []) => extract_domain(subject).map(Js::from),
        ("removeTags", []) => {
            machine.allocate(subject.len())?;
            Ok(remove_tags(subject).into())
        }
        ("toDateTime", []) => to_date_time(machine, subject),
        ("toDateTime", [Js::Value(Value::String(format))]) => {
            let read = date::from_format(subject, format).ok_or(Interrupt::Declined)?;
            let zone = local_zone(machine)?;
            Ok(Js::DateTime(Arc::new(instant(machine, read, zone, false)?)))
        }
        ("toDate", []) => match date::parse_js(subject) {
            // Without a time of day it is midnight, whatever zone the text names.
            Some(ms) if !names_hour(subject) => Js::date((ms / DAY_MS).floor() * DAY_MS),
            Some(ms) => Js::date(ms),
            None => Err(Interrupt::Declined),
        },
        _ => Err(Interrupt::Declined),
    }
}

const DAY_MS: f64 = 86_400_000.0;

/// Whether there is a colon between digits.
fn names_hour(text: &str) -> bool {
    text.as_bytes()
        .windows(3)
        .any(|part| part[0].is_ascii_digit() && part[1] == b':' && part[2].is_ascii_digit())
}

/// The text between quotes, with a backslash in front of those and of backslashes.
fn quoted(machine: &mut Machine<'_>, subject: &str, mark: char) -> EvalResult<String> {
    let is_escaped = |letter: char| letter == '\\' || letter == mark;
    let length = subject.len() + subject.chars().filter(|letter| is_escaped(*letter)).count() + 2;
    machine.allocate(length)?;
    let mut out = String::with_capacity(length);
    out.push(mark);
    let mut from = 0;
    for (at, _) in subject.match_indices(is_escaped) {
        out.push_str(&subject[from..at]);
        out.push('\\');
        from = at;
    }
    out.push_str(&subject[from..]);
    out.push(mark);
    Ok(out)
}

/// Digits with at most a sign in front and one point inside.
fn is_plain_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |part: &str| {
        !part.is_empty() && part.len() <= 15 && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    all_digits(whole) && all_digits(decimals)
}

/// `name@host.tld` of the plainest kind; without an `@` it is none. What lies between is the
/// sandbox's to judge.
fn is_email(text: &str) -> EvalResult<bool> {
    let Some((name, host)) = text.split_once('@') else { return Ok(false) };
    let is_plain = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'+')
    };
    if text.contains(' ') {
        return if text.contains(['"', '[']) { Err(Interrupt::Declined) } else { Ok(false) };
    }
    if name.split('.').all(is_plain) && is_host(host) { Ok(true) } else { Err(Interrupt::Declined) }
}

/// `host.tld` in lower-case letters, digits and inner dashes.
fn is_host(text: &str) -> bool {
    if text.len() > MAX_HOST_BYTES {
        return false;
    }
    let labels: Vec<&str> = text.split('.').collect();
    let is_label = |label: &&str| {
        let bytes = label.as_bytes();
        let is_inner =
            |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
        !bytes.is_empty()
            && bytes.len() < 60
            && bytes.iter().all(is_inner)
            && bytes[0] != b'-'
            && bytes[bytes.len() - 1] != b'-'
    };
    let is_tld = |label: &&str| {
        label.len() >= 2 && label.len() <= 10 && label.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    labels.len() >= 2
        && labels.len() < 10
        && labels.iter().all(is_label)
        && labels.last().is_some_and(is_tld)
}

/// The host of a plain web address, and what follows it.
fn web_host(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let (host, tail) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let is_plain_tail =
        tail.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/?#&=._~-%".contains(&byte))
            && !tail.contains('@');
    (is_host(host) && is_plain_tail).then_some((host, tail))
}

fn is_url(text: &str) -> EvalResult<bool> {
    if !text.contains(':') {
        return Ok(false);
    }
    if web_host(text).is_some() { Ok(true) } else { Err(Interrupt::Declined) }
}

fn is_domain(text: &str) -> EvalResult<bool> {
    if is_host(text) {
        return Ok(true);
    }
    let is_name = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_name && !text.eq_ignore_ascii_case("localhost") || text.starts_with(' ') {
        Ok(false)
    } else {
        Err(Interrupt::Declined)
    }
}

fn extract_domain(text: &str) -> EvalResult<String> {
    if let Some((host, _)) = web_host(text) {
        return Ok(host.into());
    }
    match text.split_once('@') {
        Some((_, host)) if is_email(text)? => Ok(host.into()),
        _ => Err(Interrupt::Declined),
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
fn to_date_time(machine: &mut Machine<'_>, subject: &str) -> EvalResult<Js> {
    let trimmed = subject.trim_matches(text::is_js_whitespace);
    if let Some(read) = date::parse_iso(trimmed) {
        let zone = local_zone(machine)?;
        let found: DateTime = instant(machine, read, zone, true)?;
        return Ok(Js::DateTime(Arc::new(found)));
    }
    // A word without a single digit is no date in any format.
    if !trimmed.is_empty() && !trimmed.contains(|character: char| character.is_numeric()) {
        let message = "cannot convert to Luxon DateTime".into();
        return Err(ExprError::Thrown {
            name: "ExpressionExtensionError".into(),
            message,
            stack: None,
        }
        .into());
    }
    Err(Interrupt::Declined)
}
