//! Methods of texts: JavaScript's own. n8n's follow in `string/extensions.rs`, those that search in
//! `string/patterns.rs`.

mod extensions;
mod patterns;
mod replace;

pub(super) use patterns::regexp_call;

use super::eval::{Args, Machine};
use super::value::{Js, UNDEFINED};
use super::{EvalResult, Interrupt, meter, number, text};
use model::{Str, Value};

/// Longest text that `repeat` and padding make at once.
const MAX_TEXT: f64 = (16 << 20) as f64;

pub(super) fn call(
    machine: &mut Machine<'_>,
    subject: Str,
    name: &str,
    args: Args,
) -> EvalResult<Js> {
    machine.spend(subject.len() / 64)?;
    let first = args.first();
    let part = |from: usize, to: usize| {
        text::part(&subject, from, to).ok_or(Interrupt::Declined).and_then(copied)
    };
    // A regular expression where a text is expected is an error, and anything else is written out.
    let wanted = || match first {
        Some(Js::RegExp(_)) => Err(Interrupt::Declined),
        Some(arg) => arg.to_text(),
        None => Ok("undefined".into()),
    };
    let position = |at: usize, default: f64| match args.get(at) {
        None | Some(Js::Value(Value::Undefined)) => Ok(default),
        Some(arg) => arg.to_number().map(number::to_integer),
    };
    match name {
        "toLowerCase" | "toLocaleLowerCase" if args.is_empty() || name == "toLowerCase" => {
            lower(&subject).map(Js::from)
        }
        "toUpperCase" | "toLocaleUpperCase" if args.is_empty() || name == "toUpperCase" => {
            upper(&subject).map(Js::from)
        }
        "trim" => copied(subject.trim_matches(text::is_js_whitespace)),
        "trimStart" | "trimLeft" => copied(subject.trim_start_matches(text::is_js_whitespace)),
        "trimEnd" | "trimRight" => copied(subject.trim_end_matches(text::is_js_whitespace)),
        "toString" | "valueOf" if args.is_empty() => Ok(subject.into()),
        "includes" => match position(1, 0.0)? {
            from if from <= 0.0 => Ok(subject.contains(wanted()?.as_str()).into()),
            _ => Err(Interrupt::Declined),
        },
        "startsWith" => match position(1, 0.0)? {
            from if from <= 0.0 => Ok(subject.starts_with(wanted()?.as_str()).into()),
            _ => Err(Interrupt::Declined),
        },
        "endsWith" if args.len() < 2 => Ok(subject.ends_with(wanted()?.as_str()).into()),
        "indexOf" => {
            let length = text::length(&subject);
            let from = position(1, 0.0)?.clamp(0.0, length as f64) as usize;
            let found = text::find_from(&subject, &wanted()?, from).ok_or(Interrupt::Declined)?;
            Ok(found.map_or(-1.0, |at| at as f64).into())
        }
        "lastIndexOf" if args.len() < 2 => {
            let found =
                subject.rfind(wanted()?.as_str()).map(|at| text::units_before(&subject, at));
            Ok(found.map_or(-1.0, |at| at as f64).into())
        }
        "slice" => {
            let length = text::length(&subject);
            part(
                number::relative_position(position(0, 0.0)?, length),
                number::relative_position(position(1, length as f64)?, length),
            )
        }
        "substring" => {
            let length = text::length(&subject) as f64;
            let (from, to) =
                (position(0, 0.0)?.clamp(0.0, length), position(1, length)?.clamp(0.0, length));
            part(from.min(to) as usize, from.max(to) as usize)
        }
        "substr" => {
            let length = text::length(&subject);
            let from = number::relative_position(position(0, 0.0)?, length);
            let count = position(1, length as f64)?.clamp(0.0, (length - from) as f64) as usize;
            part(from, from + count)
        }
        "charAt" => {
            let at = position(0, 0.0)?;
            if at < 0.0 || at >= text::length(&subject) as f64 {
                Ok("".into())
            } else {
                part(at as usize, at as usize + 1)
            }
        }
        "at" => {
            let length = text::length(&subject) as f64;
            let at = position(0, 0.0)?;
            let at = if at < 0.0 { at + length } else { at };
            if at < 0.0 || at >= length {
                Ok(UNDEFINED)
            } else {
                part(at as usize, at as usize + 1)
            }
        }
        "charCodeAt" => {
            let at = position(0, 0.0)?;
            let unit = if at < 0.0 { None } else { subject.encode_utf16().nth(at as usize) };
            Ok(unit.map_or(f64::NAN, f64::from).into())
        }
        "concat" => {
            let mut out = subject;
            meter::allocate_text(out.len())?;
            for arg in &args {
                let text = arg.to_text()?;
                machine.allocate(text.len())?;
                out.push_str(&text);
            }
            Ok(out.into())
        }
        "repeat" => {
            let count = position(0, 0.0)?;
            if count < 0.0 || count.is_infinite() {
                return Err(Interrupt::Declined);
            }
            let bytes = count * subject.len() as f64;
            machine.allocate(if bytes > MAX_TEXT {
                usize::MAX
            } else {
                meter::text_bytes(bytes as usize)
            })?;
            Ok(if subject.is_empty() { subject } else { subject.repeat(count as usize) }.into())
        }
        "padStart" | "padEnd" => pad(machine, &subject, name == "padStart", &args),
        "split" => patterns::split(machine, &subject, &args),
        "replace" | "replaceAll" => {
            replace::replace(machine, &subject, name == "replaceAll", &args)
        }
        "match" => patterns::find(&subject, first),
        "matchAll" => patterns::find_all(&subject, first),
        "search" => patterns::position(&subject, first),
        _ => extensions::call(machine, &subject, name, &args),
    }
}

/// A part of a text as a text of its own.
fn copied(part: &str) -> EvalResult<Js> {
    meter::allocate_text(part.len())?;
    Ok(part.into())
}

fn lower(subject: &str) -> EvalResult<Str> {
    meter::allocate_text(subject.len())?;
    Ok(if subject.is_ascii() {
        Str::from(subject.to_ascii_lowercase())
    } else {
        Str::from(subject.to_lowercase())
    })
}

fn upper(subject: &str) -> EvalResult<Str> {
    meter::allocate_text(subject.len())?;
    Ok(if subject.is_ascii() {
        Str::from(subject.to_ascii_uppercase())
    } else {
        Str::from(subject.to_uppercase())
    })
}

fn pad(machine: &mut Machine<'_>, subject: &str, at_start: bool, args: &[Js]) -> EvalResult<Js> {
    let target = number::to_integer(args.first().unwrap_or(&UNDEFINED).to_number()?);
    let filler = match args.get(1) {
        None | Some(Js::Value(Value::Undefined)) => Str::from(" "),
        Some(filler) => filler.to_text()?,
    };
    let missing = target - text::length(subject) as f64;
    if missing <= 0.0 || filler.is_empty() {
        return Ok(subject.into());
    }
    machine.allocate(if missing > MAX_TEXT {
        usize::MAX
    } else {
        subject.len() + missing as usize * 4
    })?;
    if !text::is_single_units(&filler) {
        return Err(Interrupt::Declined);
    }
    let padding: String = filler.chars().cycle().take(missing as usize).collect();
    Ok(if at_start { format!("{padding}{subject}") } else { format!("{subject}{padding}") }.into())
}
