//! Searching and replacing in texts, by text or by regular expression.

use super::super::eval::{Args, Machine};
use super::super::regexp::RegExp;
use super::super::value::{Js, UNDEFINED};
use super::super::{Run, Stop, meter, text};
use model::{Str, Value};
use regex::{Captures, Regex};
use smallvec::smallvec;
use std::sync::Arc;

/// The engine for a text, also for going through all matches.
fn engine<'a>(regexp: &'a RegExp, subject: &str, all: bool) -> Run<&'a Regex> {
    if all && regexp.may_be_empty {
        return Err(Stop::Declined);
    }
    // A linear engine still looks at each character, with a cost that grows with the pattern.
    meter::spend(subject.len() / 4 * (1 + regexp.source.len() / 32))?;
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
        let mut found: Vec<Value> = Vec::new();
        for one in regex.find_iter(subject) {
            meter::allocate(size_of::<Value>() + one.len())?;
            found.push(one.as_str().into());
        }
        return Ok(if found.is_empty() { Js::Value(Value::Null) } else { found.into() });
    }
    Ok(regex.captures(subject).map_or(Js::Value(Value::Null), |captures| groups(&captures).into()))
}

pub(super) fn find_all(machine: &mut Machine<'_>, subject: &str, pattern: Option<&Js>) -> Run<Js> {
    let Some(Js::RegExp(regexp)) = pattern else { return Err(Stop::Declined) };
    if !regexp.global {
        return Err(Stop::Declined);
    }
    let mut found = Vec::new();
    for captures in engine(regexp, subject, true)?.captures_iter(subject) {
        machine.allocate(captures.len() * 64)?;
        found.push(Value::array(groups(&captures)));
    }
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
                meter::allocate(captures.len() * 64)?;
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
                meter::allocate(subject.len() * size_of::<Value>())?;
                subject.chars().map(|character| Value::String(Str::from_iter([character]))).collect()
            } else {
                meter::allocate(subject.matches(separator.as_str()).count() * size_of::<Value>())?;
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
    machine.allocate(subject.len())?;
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
    machine.allocate(subject.len())?;
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
                let mut call_args: Args = smallvec![Js::from(&subject[found.start..found.end])];
                call_args.extend(found.groups.iter().map(|group| group.clone().map_or(UNDEFINED, Js::from)));
                call_args.push(text::units_before(subject, found.start).into());
                call_args.push(subject.into());
                let text = machine.call(replacement, call_args)?.to_text()?;
                meter::allocate(text.len())?;
                out.push_str(&text);
            }
        }
        from = found.end;
    }
    out.push_str(&subject[from..]);
    Ok(Js::from(out))
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
            let mut found = Vec::new();
            for captures in regex.captures_iter(subject).take(if regexp.global { usize::MAX } else { 1 }) {
                let Some(whole) = captures.get(0) else { continue };
                meter::allocate(captures.len() * 64)?;
                let groups = captures.iter().skip(1).map(|group| group.map(|group| Str::from(group.as_str()))).collect();
                found.push(Found { start: whole.start(), end: whole.end(), groups, names: names.clone() });
            }
            Ok(found)
        }
        other => {
            let wanted = other.to_text()?;
            if wanted.is_empty() && all {
                return Err(Stop::Declined);
            }
            if all {
                meter::allocate(subject.matches(wanted.as_str()).count() * size_of::<Found>())?;
            }
            let found = |(start, part): (usize, &str)| Found { start, end: start + part.len(), groups: Vec::new(), names: Vec::new() };
            Ok(subject.match_indices(wanted.as_str()).take(if all { usize::MAX } else { 1 }).map(found).collect())
        }
    }
}

fn push_charged(out: &mut String, text: &str) -> Run<()> {
    meter::allocate(text.len())?;
    out.push_str(text);
    Ok(())
}

/// Writes a replacement with its `$1`, `$&`, `$<name>` filled in.
fn expand(out: &mut String, template: &str, subject: &str, found: &Found) -> Run<()> {
    let mut rest = template;
    meter::allocate(template.len())?;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        rest = match after.chars().next() {
            Some('$') => {
                out.push('$');
                &after[1..]
            }
            Some('&') => {
                push_charged(out, &subject[found.start..found.end])?;
                &after[1..]
            }
            Some('`') => {
                push_charged(out, &subject[..found.start])?;
                &after[1..]
            }
            Some('\'') => {
                push_charged(out, &subject[found.end..])?;
                &after[1..]
            }
            Some('<') if found.names.iter().any(Option::is_some) => {
                let end = after.find('>').ok_or(Stop::Declined)?;
                let name = &after[1..end];
                let index = found.names.iter().position(|candidate| candidate.as_deref() == Some(name));
                if let Some(Some(group)) = index.and_then(|index| found.groups.get(index)) {
                    push_charged(out, group)?;
                }
                &after[end + 1..]
            }
            Some('0'..='9') => {
                let digits = after.bytes().take(2).take_while(u8::is_ascii_digit).count();
                let number =
                    |digits: usize| after[..digits].parse::<usize>().ok().filter(|number| (1..=found.groups.len()).contains(number));
                match (number(digits), number(1)) {
                    (Some(group), _) if digits == 2 => {
                        push_charged(out, found.groups[group - 1].as_deref().unwrap_or_default())?;
                        &after[2..]
                    }
                    (_, Some(group)) => {
                        push_charged(out, found.groups[group - 1].as_deref().unwrap_or_default())?;
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
