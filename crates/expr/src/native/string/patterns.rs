//! Searching in texts, by text or by regular expression.

use super::super::eval::{Args, Machine};
use super::super::regexp::{RegExp, Search};
use super::super::value::{Js, UNDEFINED};
use super::super::{EvalResult, Interrupt, meter, text};
use model::{Str, Value};
use regex::Captures;
use std::ops::Range;
use std::sync::Arc;

/// What a list with the groups of a match takes, and each of them beside its text.
const MATCH_BYTES: usize = 64;
pub(super) const GROUP_BYTES: usize = 48;

/// Prepares for the first match in a text, or for going through all of them.
pub(super) fn search<'a>(regexp: &'a RegExp, subject: &str, all: bool) -> EvalResult<Search<'a>> {
    if all && regexp.may_be_empty {
        return Err(Interrupt::Declined);
    }
    regexp.search(subject)
}

/// Calls a function for each match, one after the other, with where it is and the groups that there
/// may be. Each search is paid for before it is done.
pub(super) fn for_each_match(
    search: &Search<'_>,
    subject: &str,
    mut work: impl FnMut(Range<usize>, Option<&Captures<'_>>) -> EvalResult<()>,
) -> EvalResult<()> {
    if !search.has_groups() {
        for one in search.regex.find_iter(subject) {
            work(one.range(), None)?;
            search.go_on(subject.len() - one.end())?;
        }
        return Ok(());
    }
    for captures in search.regex.captures_iter(subject) {
        let Some(whole) = captures.get(0) else { continue };
        work(whole.range(), Some(&captures))?;
        search.go_on(subject.len() - whole.end())?;
    }
    Ok(())
}

/// `regexp.test(text)`.
pub(in super::super) fn regexp_call(regexp: &RegExp, name: &str, args: &Args) -> EvalResult<Js> {
    // A global expression remembers where it was between calls.
    if regexp.global {
        return Err(Interrupt::Declined);
    }
    let subject = args.first().unwrap_or(&UNDEFINED).to_text()?;
    let search = search(regexp, &subject, false)?;
    match name {
        "test" => Ok(search.regex.is_match(&subject).into()),
        "exec" => first_groups(&search, &subject),
        _ => Err(Interrupt::Declined),
    }
}

fn first_groups(search: &Search<'_>, subject: &str) -> EvalResult<Js> {
    match search.regex.captures(subject) {
        Some(captures) => groups(&captures).map(Js::from),
        None => Ok(Js::Value(Value::Null)),
    }
}

fn groups(captures: &Captures<'_>) -> EvalResult<Vec<Value>> {
    let texts: usize = captures.iter().flatten().map(|group| group.len()).sum();
    meter::allocate(MATCH_BYTES + captures.len() * GROUP_BYTES + texts)?;
    Ok(captures
        .iter()
        .map(|group| group.map_or(Value::Undefined, |group| Value::from(group.as_str())))
        .collect())
}

pub(super) fn find(subject: &str, pattern: Option<&Js>) -> EvalResult<Js> {
    let Some(Js::RegExp(regexp)) = pattern else { return Err(Interrupt::Declined) };
    let search = search(regexp, subject, regexp.global)?;
    if !regexp.global {
        return first_groups(&search, subject);
    }
    let mut found: Vec<Value> = Vec::new();
    for one in search.regex.find_iter(subject) {
        meter::allocate(size_of::<Value>() + meter::text_bytes(one.len()))?;
        found.push(one.as_str().into());
        search.go_on(subject.len() - one.end())?;
    }
    Ok(if found.is_empty() { Js::Value(Value::Null) } else { found.into() })
}

pub(super) fn find_all(subject: &str, pattern: Option<&Js>) -> EvalResult<Js> {
    let Some(Js::RegExp(regexp)) = pattern else { return Err(Interrupt::Declined) };
    if !regexp.global {
        return Err(Interrupt::Declined);
    }
    let mut found = Vec::new();
    for_each_match(&search(regexp, subject, true)?, subject, |whole, captures| {
        let texts = match captures {
            Some(captures) => groups(captures)?,
            None => {
                meter::allocate(MATCH_BYTES + GROUP_BYTES + whole.len())?;
                vec![Value::from(&subject[whole])]
            }
        };
        found.push(Value::array(texts));
        Ok(())
    })?;
    Ok(Js::Iterator(Arc::new(found)))
}

/// `text.search(regexp)`.
pub(super) fn position(subject: &str, pattern: Option<&Js>) -> EvalResult<Js> {
    let Some(Js::RegExp(regexp)) = pattern else { return Err(Interrupt::Declined) };
    let found = search(regexp, subject, false)?.regex.find(subject);
    Ok(found.map_or(-1.0, |found| text::units_before(subject, found.start()) as f64).into())
}

pub(super) fn split(machine: &mut Machine<'_>, subject: &str, args: &[Js]) -> EvalResult<Js> {
    let mut parts: Vec<Value> = match args.first() {
        None | Some(Js::Value(Value::Undefined)) => vec![part(subject)?],
        Some(Js::RegExp(regexp)) => split_by_pattern(regexp, subject)?,
        Some(separator) => {
            let separator = separator.to_text()?;
            if separator.is_empty() {
                if !text::is_single_units(subject) {
                    return Err(Interrupt::Declined);
                }
                meter::allocate(subject.len() * size_of::<Value>())?;
                subject
                    .chars()
                    .map(|character| Value::String(Str::from_iter([character])))
                    .collect()
            } else {
                meter::allocate(subject.matches(separator.as_str()).count() * size_of::<Value>())?;
                subject.split(separator.as_str()).map(part).collect::<EvalResult<_>>()?
            }
        }
    };
    match args.get(1) {
        None | Some(Js::Value(Value::Undefined)) => {}
        Some(Js::Value(limit)) => parts.truncate(limit.as_usize().ok_or(Interrupt::Declined)?),
        Some(_) => return Err(Interrupt::Declined),
    }
    machine.spend(parts.len())?;
    Ok(parts.into())
}

/// What stands between the matches, and the groups of each.
fn split_by_pattern(regexp: &RegExp, subject: &str) -> EvalResult<Vec<Value>> {
    let mut parts = Vec::new();
    let mut from = 0;
    for_each_match(&search(regexp, subject, true)?, subject, |whole, captures| {
        meter::allocate(size_of::<Value>())?;
        parts.push(part(&subject[from..whole.start])?);
        if let Some(captures) = captures {
            parts.extend(groups(captures)?.into_iter().skip(1));
        }
        from = whole.end;
        Ok(())
    })?;
    parts.push(part(&subject[from..])?);
    Ok(parts)
}

fn part(text: &str) -> EvalResult<Value> {
    meter::allocate_text(text.len())?;
    Ok(Value::from(text))
}
