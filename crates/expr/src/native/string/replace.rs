//! `replace` and `replaceAll`, with a text or a function for what comes in.

use super::super::eval::{Args, Machine};
use super::super::value::{Js, UNDEFINED};
use super::super::{EvalResult, Interrupt, meter, text};
use super::patterns::{GROUP_BYTES, for_each_match, search};
use model::Str;
use regex::Captures;
use smallvec::smallvec;

/// What was found in a text.
#[derive(Default)]
struct TextMatches {
    found: Vec<TextMatch>,
    /// For each group of the pattern, the name it may have.
    names: Vec<Option<Str>>,
}

/// One match: where it is, and its groups.
struct TextMatch {
    start: usize,
    end: usize,
    groups: Vec<Option<Str>>,
}

pub(super) fn replace(
    machine: &mut Machine<'_>,
    subject: &Str,
    all: bool,
    args: &[Js],
) -> EvalResult<Js> {
    let [pattern, replacement] = args else { return Err(Interrupt::Declined) };
    let TextMatches { found, names } = matches(subject, pattern, all)?;
    if found.is_empty() {
        return Ok(subject.clone().into());
    }
    machine.spend(found.len())?;
    machine.allocate(subject.len())?;
    let fixed = if replacement.is_function() { None } else { Some(replacement.to_text()?) };
    if fixed.is_none() && names.iter().any(Option::is_some) {
        return Err(Interrupt::Declined);
    }
    let mut out = String::with_capacity(subject.len());
    let (mut from, mut units) = (0, 0);
    for found in &found {
        out.push_str(&subject[from..found.start]);
        match &fixed {
            Some(template) => expand(&mut out, template, subject, found, &names)?,
            None => {
                units += text::length(&subject[from..found.start]);
                let whole = &subject[found.start..found.end];
                meter::allocate_text(whole.len())?;
                let mut call_args: Args = smallvec![Js::from(whole)];
                call_args.extend(
                    found.groups.iter().map(|group| group.clone().map_or(UNDEFINED, Js::from)),
                );
                call_args.push(units.into());
                call_args.push(subject.clone().into());
                let text = machine.call(replacement, call_args)?.to_text()?;
                push_charged(&mut out, &text)?;
                units += text::length(whole);
            }
        }
        from = found.end;
    }
    out.push_str(&subject[from..]);
    Ok(Js::from(out))
}

fn matches(subject: &str, pattern: &Js, all: bool) -> EvalResult<TextMatches> {
    match pattern {
        Js::RegExp(regexp) => {
            // `replaceAll` with an expression that is not global is an error.
            if all && !regexp.global {
                return Err(Interrupt::Declined);
            }
            let search = search(regexp, subject, regexp.global)?;
            let has_groups = search.has_groups();
            let names = if has_groups {
                search.regex.capture_names().skip(1).map(|name| name.map(Str::from)).collect()
            } else {
                Vec::new()
            };
            let mut found = Vec::new();
            if regexp.global {
                for_each_match(&search, subject, |whole, captures| {
                    found.push(TextMatch {
                        start: whole.start,
                        end: whole.end,
                        groups: captures.map_or(Ok(Vec::new()), groups)?,
                    });
                    meter::allocate(size_of::<TextMatch>())
                })?;
            } else if let Some(captures) = search.regex.captures(subject)
                && let Some(whole) = captures.get(0)
            {
                found.push(TextMatch {
                    start: whole.start(),
                    end: whole.end(),
                    groups: groups(&captures)?,
                });
            }
            Ok(TextMatches { found, names })
        }
        other => {
            let wanted = other.to_text()?;
            if wanted.is_empty() && all {
                return Err(Interrupt::Declined);
            }
            if all {
                meter::allocate(subject.matches(wanted.as_str()).count() * size_of::<TextMatch>())?;
            }
            let found = |(start, part): (usize, &str)| TextMatch {
                start,
                end: start + part.len(),
                groups: Vec::new(),
            };
            let found = subject
                .match_indices(wanted.as_str())
                .take(if all { usize::MAX } else { 1 })
                .map(found)
                .collect();
            Ok(TextMatches { found, ..TextMatches::default() })
        }
    }
}

fn groups(captures: &Captures<'_>) -> EvalResult<Vec<Option<Str>>> {
    let texts: usize = captures.iter().skip(1).flatten().map(|group| group.len()).sum();
    meter::allocate((captures.len() - 1) * GROUP_BYTES + texts)?;
    Ok(captures.iter().skip(1).map(|group| group.map(|group| Str::from(group.as_str()))).collect())
}

fn push_charged(out: &mut String, text: &str) -> EvalResult<()> {
    meter::allocate(text.len())?;
    out.push_str(text);
    Ok(())
}

/// Writes a replacement with its `$1`, `$&`, `$<name>` filled in.
fn expand(
    out: &mut String,
    template: &str,
    subject: &str,
    found: &TextMatch,
    names: &[Option<Str>],
) -> EvalResult<()> {
    let mut rest = template;
    meter::spend(template.len() / 64)?;
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
            Some('<') if names.iter().any(Option::is_some) => {
                meter::spend(names.len())?;
                let end = after.find('>').ok_or(Interrupt::Declined)?;
                let name = &after[1..end];
                let index = names.iter().position(|candidate| candidate.as_deref() == Some(name));
                if let Some(Some(group)) = index.and_then(|index| found.groups.get(index)) {
                    push_charged(out, group)?;
                }
                &after[end + 1..]
            }
            Some('0'..='9') => {
                let digits = after.bytes().take(2).take_while(u8::is_ascii_digit).count();
                let number = |digits: usize| {
                    after[..digits]
                        .parse::<usize>()
                        .ok()
                        .filter(|number| (1..=found.groups.len()).contains(number))
                };
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
