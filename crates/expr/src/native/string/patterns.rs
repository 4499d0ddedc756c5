//! Searching and replacing in texts, by text or by regular expression.

use super::super::eval::{Args, Machine};
use super::super::regexp::RegExp;
use super::super::value::{Js, UNDEFINED};
use super::super::{Run, Stop, text};
use model::{Str, Value};
use regex::{Captures, Regex};
use std::sync::Arc;

/// The engine for a text, also for going through all matches.
fn engine<'a>(regexp: &'a RegExp, subject: &str, all: bool) -> Run<&'a Regex> {
    if all && regexp.may_be_empty {
        return Err(Stop::Declined);
    }
    regexp.for_text(subject).ok_or(Stop::Declined)
}

/// `regexp.test(text)`.
pub(in super::super) fn regexp_call(regexp: &RegExp, name: &str, args: &Args) -> Run<Js> {
    // A global expression remembers where it was between calls.
    if regexp.global {
        return Err(Stop::Declined);
    }
    let subject = args.first().unwrap_or(&UNDEFINED).to_text()?;
    let regex = engine(regexp, &subject, false)?;
    match name {
        "test" => Ok(regex.is_match(&subject).into()),
        "exec" => Ok(regex.captures(&subject).map_or(Js::Value(Value::Null), |captures| groups(&captures).into())),
        _ => Err(Stop::Declined),
    }
}

fn groups(captures: &Captures<'_>) -> Vec<Value> {
    captures.iter().map(|group| group.map_or(Value::Undefined, |group| Value::from(group.as_str()))).collect()
}

pub(super) fn find(subject: &str, pattern: Option<&Js>) -> Run<Js> {
    let Some(Js::RegExp(regexp)) = pattern else { return Err(Stop::Declined) };
    let regex = engine(regexp, subject, regexp.global)?;
    if regexp.global {
        let found: Vec<Value> = regex.find_iter(subject).map(|found| Value::from(found.as_str())).collect();
        return Ok(if found.is_empty() { Js::Value(Value::Null) } else { found.into() });
    }
    Ok(regex.captures(subject).map_or(Js::Value(Value::Null), |captures| groups(&captures).into()))
}

pub(super) fn find_all(machine: &mut Machine<'_>, subject: &str, pattern: Option<&Js>) -> Run<Js> {
    let Some(Js::RegExp(regexp)) = pattern else { return Err(Stop::Declined) };
    if !regexp.global {
        return Err(Stop::Declined);
    }
    let found: Vec<Value> = engine(regexp, subject, true)?.captures_iter(subject).map(|captures| Value::array(groups(&captures))).collect();
    machine.allocate(found.len() * 128)?;
    Ok(Js::Iterator(Arc::new(found)))
}

pub(super) fn search(subject: &str, pattern: Option<&Js>) -> Run<Js> {
    let Some(Js::RegExp(regexp)) = pattern else { return Err(Stop::Declined) };
    let found = engine(regexp, subject, false)?.find(subject);
    Ok(found.map_or(-1.0, |found| text::units_before(subject, found.start()) as f64).into())
}

pub(super) fn split(machine: &mut Machine<'_>, subject: &str, args: &[Js]) -> Run<Js> {
    let mut parts: Vec<Value> = match args.first() {
        None | Some(Js::Value(Value::Undefined)) => vec![subject.into()],
        Some(Js::RegExp(regexp)) => {
            let regex = engine(regexp, subject, true)?;
            let mut parts = Vec::new();
            let mut from = 0;
            for captures in regex.captures_iter(subject) {
                let Some(whole) = captures.get(0) else { continue };
                parts.push(Value::from(&subject[from..whole.start()]));
                parts.extend(groups(&captures).into_iter().skip(1));
                from = whole.end();
            }
            parts.push(Value::from(&subject[from..]));
            parts
        }
        Some(separator) => {
            let separator = separator.to_text()?;
            if separator.is_empty() {
                if !text::is_single_units(subject) {
                    return Err(Stop::Declined);
                }
                subject.chars().map(|character| Value::String(Str::from_iter([character]))).collect()
            } else {
                subject.split(separator.as_str()).map(Value::from).collect()
            }
        }
    };
    match args.get(1) {
        None | Some(Js::Value(Value::Undefined)) => {}
        Some(Js::Value(limit)) => parts.truncate(limit.as_usize().ok_or(Stop::Declined)?),
        Some(_) => return Err(Stop::Declined),
    }
    machine.spend(parts.len())?;
    machine.allocate(subject.len() + parts.len() * size_of::<Value>())?;
    Ok(parts.into())
}

/// One match: where it is, and its groups.
struct Found {
    start: usize,
    end: usize,
    groups: Vec<Option<Str>>,
    names: Vec<Option<Str>>,
}

pub(super) fn replace(machine: &mut Machine<'_>, subject: &str, all: bool, args: &[Js]) -> Run<Js> {
    let [pattern, replacement] = args else { return Err(Stop::Declined) };
    let found = matches(subject, pattern, all)?;
    if found.is_empty() {
        return Ok(subject.into());
    }
    machine.spend(found.len())?;
    let fixed = if replacement.is_function() { None } else { Some(replacement.to_text()?) };
    let mut out = String::with_capacity(subject.len());
    let mut from = 0;
    for found in &found {
        out.push_str(&subject[from..found.start]);
        match &fixed {
            Some(template) => expand(&mut out, template, subject, found)?,
            None => {
                if found.names.iter().any(Option::is_some) {
                    return Err(Stop::Declined);
                }
                let mut call_args: Args = vec![Js::from(&subject[found.start..found.end])];
                call_args.extend(found.groups.iter().map(|group| group.clone().map_or(UNDEFINED, Js::from)));
                call_args.push(text::units_before(subject, found.start).into());
                call_args.push(subject.into());
                out.push_str(&machine.call(replacement, call_args)?.to_text()?);
            }
        }
        from = found.end;
        machine.allocate(out.len() / found_share(&out))?;
    }
    out.push_str(&subject[from..]);
    machine.allocate(out.len())?;
    Ok(Js::from(out))
}

/// Growing output is charged a little at each match, so that a bomb stops before it is built.
fn found_share(out: &str) -> usize {
    (out.len() / 4096).max(1) * 64
}

fn matches(subject: &str, pattern: &Js, all: bool) -> Run<Vec<Found>> {
    match pattern {
        Js::RegExp(regexp) => {
            // `replaceAll` with an expression that is not global is an error.
            if all && !regexp.global {
                return Err(Stop::Declined);
            }
            let regex = engine(regexp, subject, regexp.global)?;
            let names: Vec<Option<Str>> = regex.capture_names().skip(1).map(|name| name.map(Str::from)).collect();
            let found = |captures: Captures<'_>| {
                let whole = captures.get(0)?;
                let groups = captures.iter().skip(1).map(|group| group.map(|group| Str::from(group.as_str()))).collect();
                Some(Found { start: whole.start(), end: whole.end(), groups, names: names.clone() })
            };
            let count = if regexp.global { usize::MAX } else { 1 };
            Ok(regex.captures_iter(subject).take(count).filter_map(found).collect())
        }
        other => {
            let wanted = other.to_text()?;
            if wanted.is_empty() && all {
                return Err(Stop::Declined);
            }
            let found = |(start, part): (usize, &str)| Found { start, end: start + part.len(), groups: Vec::new(), names: Vec::new() };
            Ok(subject.match_indices(wanted.as_str()).take(if all { usize::MAX } else { 1 }).map(found).collect())
        }
    }
}

/// Writes a replacement with its `$1`, `$&`, `$<name>` filled in.
fn expand(out: &mut String, template: &str, subject: &str, found: &Found) -> Run<()> {
    let mut rest = template;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        rest = match after.chars().next() {
            Some('$') => {
                out.push('$');
                &after[1..]
            }
            Some('&') => {
                out.push_str(&subject[found.start..found.end]);
                &after[1..]
            }
            Some('`') => {
                out.push_str(&subject[..found.start]);
                &after[1..]
            }
            Some('\'') => {
                out.push_str(&subject[found.end..]);
                &after[1..]
            }
            Some('<') if found.names.iter().any(Option::is_some) => {
                let end = after.find('>').ok_or(Stop::Declined)?;
                let name = &after[1..end];
                let index = found.names.iter().position(|candidate| candidate.as_deref() == Some(name));
                if let Some(Some(group)) = index.and_then(|index| found.groups.get(index)) {
                    out.push_str(group);
                }
                &after[end + 1..]
            }
            Some('0'..='9') => {
                let digits = after.bytes().take(2).take_while(u8::is_ascii_digit).count();
                let number =
                    |digits: usize| after[..digits].parse::<usize>().ok().filter(|number| (1..=found.groups.len()).contains(number));
                match (number(digits), number(1)) {
                    (Some(group), _) if digits == 2 => {
                        out.push_str(found.groups[group - 1].as_deref().unwrap_or_default());
                        &after[2..]
                    }
                    (_, Some(group)) => {
                        out.push_str(found.groups[group - 1].as_deref().unwrap_or_default());
                        &after[1..]
                    }
                    _ => {
                        out.push('$');
                        after
                    }
                }
            }
            _ => {
                out.push('$');
                after
            }
        };
    }
    out.push_str(rest);
    Ok(())
}
