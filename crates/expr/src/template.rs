//! Templates: text with `{{ … }}` parts, split once and evaluated any number of times.

use crate::native::{NativeFailure, Program};
use crate::{ExprError, Scope};
use model::{DateKind, Str, Value};

/// The text that the parts of one template make together.
const MAX_TEXT_BYTES: usize = 64 << 20;

/// A parameter's text, ready to evaluate. Reading one never fails: JavaScript that is none is an
/// error of evaluating it.
#[derive(Clone, Debug)]
pub struct Template {
    parts: Vec<TemplatePart>,
}

#[derive(Clone, Debug)]
pub enum TemplatePart {
    Text(Str),
    Code {
        source: Str,
        /// The compiled form, if the native evaluator takes it.
        native: Option<Program>,
    },
}

/// Whether a parameter's text is a template at all.
pub fn is_expression(text: &str) -> bool {
    text.starts_with('=')
}

impl Template {
    /// n8n's form: a template starts with `=`, any other text stands for itself.
    pub fn parse(text: &str) -> Template {
        let Some(template) = text.strip_prefix('=') else {
            return Template { parts: vec![TemplatePart::Text(text.into())] };
        };
        let mut segments = split(template);
        // Brackets that open at the very end say no more than that the value is a text.
        if matches!(segments.last(), Some(TemplateSegment::Code { source, is_closed: false }) if source.is_empty())
        {
            segments.pop();
            return Template {
                parts: [parts_of(segments), vec![TemplatePart::Text("".into())]].concat(),
            };
        }
        Template { parts: parts_of(segments) }
    }

    /// The short form `{{json.field}}` without `=` and `$` as well as n8n's.
    pub fn parse_loose(text: &str) -> Template {
        Template::parse(&strict_form(text))
    }

    pub fn parts(&self) -> &[TemplatePart] {
        &self.parts
    }

    /// The text, if there is nothing to evaluate.
    pub fn as_text(&self) -> Option<Str> {
        match self.parts.as_slice() {
            [] => Some(Str::new()),
            [TemplatePart::Text(text)] => Some(text.clone()),
            _ => None,
        }
    }

    /// Whether the native evaluator takes every part; it may still decline one at run time.
    pub fn is_native(&self) -> bool {
        self.parts.iter().all(|part| !matches!(part, TemplatePart::Code { native: None, .. }))
    }

    /// Evaluates with the native evaluator alone.
    pub fn evaluate_native(&self, scope: &dyn Scope) -> Result<Value, NativeFailure> {
        self.evaluate_parts(|_, native| native.ok_or(NativeFailure::Declined)?.evaluate(scope))
    }

    /// Evaluates natively where that is possible and hands the source of the other parts to
    /// `sandbox`.
    pub fn evaluate_with(
        &self,
        scope: &dyn Scope,
        mut sandbox: impl FnMut(&str) -> Result<Value, ExprError>,
    ) -> Result<Value, ExprError> {
        self.evaluate_parts(|source, native| match native.map(|program| program.evaluate(scope)) {
            Some(Ok(value)) => Ok(value),
            Some(Err(NativeFailure::Error(error))) => Err(error),
            Some(Err(NativeFailure::Declined)) | None => sandbox(source),
        })
    }

    /// Hands the source of every part to `sandbox`.
    pub fn evaluate_all_with(
        &self,
        mut sandbox: impl FnMut(&str) -> Result<Value, ExprError>,
    ) -> Result<Value, ExprError> {
        self.evaluate_parts(|source, _| sandbox(source))
    }

    /// One code part alone keeps its value; anything else becomes text. Where a part has none,
    /// nothing has a value.
    fn evaluate_parts<E: From<ExprError>>(
        &self,
        mut evaluate: impl FnMut(&str, Option<&Program>) -> Result<Value, E>,
    ) -> Result<Value, E> {
        if let [TemplatePart::Code { source, native }] = self.parts.as_slice() {
            return evaluate(source, native.as_ref());
        }
        if let [TemplatePart::Text(text)] = self.parts.as_slice() {
            return Ok(Value::String(text.clone()));
        }
        let mut out = String::new();
        let mut has_texts = true;
        for part in &self.parts {
            match part {
                TemplatePart::Text(text) => push_str(&mut out, text)?,
                TemplatePart::Code { source, native } => {
                    let value = evaluate(source, native.as_ref())?;
                    // A value that takes too much room as a text would take as long to look through.
                    push_value(&mut out, &value)?;
                    has_texts &= has_text(&value) && !WITHOUT_TEXT.contains(&source.trim());
                }
            }
        }
        Ok(if has_texts { out.into() } else { Value::Undefined })
    }
}

fn parts_of(segments: Vec<TemplateSegment>) -> Vec<TemplatePart> {
    let is_something =
        |part: &TemplateSegment| !matches!(part, TemplateSegment::Text(text) if text.is_empty());
    let part = |part| match part {
        TemplateSegment::Text(text) => TemplatePart::Text(text.into()),
        TemplateSegment::Code { source, .. } => {
            TemplatePart::Code { native: Program::compile(&source), source: source.into() }
        }
    };
    segments.into_iter().filter(is_something).map(part).collect()
}

/// Objects of n8n that cannot be written into a text.
const WITHOUT_TEXT: [&str; 3] = ["$prevNode", "$parameter", "$rawParameter"];

/// Whether JavaScript finds a text for a value. A field `toString` is in the way of it.
fn has_text(value: &Value) -> bool {
    match value {
        Value::Object(fields) => !fields.contains_key("toString"),
        Value::Array(values) => values.iter().all(has_text),
        _ => true,
    }
}

/// Adds a part's value to the text around it: nothing for what JavaScript takes for false, except
/// `0` and `false`.
fn push_value(out: &mut String, value: &Value) -> Result<(), ExprError> {
    match value {
        Value::Undefined | Value::Null => Ok(()),
        Value::Number(number) if number.is_nan() => Ok(()),
        Value::String(text) => push_str(out, text),
        other => push_text(out, other),
    }
}

fn push_text(out: &mut String, value: &Value) -> Result<(), ExprError> {
    match value {
        Value::Date(date) if date.kind == DateKind::Js => {
            push_str(out, &crate::native::date_text(date.epoch_ms))
        }
        Value::Array(values) => {
            for (position, element) in values.iter().enumerate() {
                if position > 0 {
                    push_str(out, ",")?;
                }
                if !element.is_nullish() {
                    push_text(out, element)?;
                }
            }
            Ok(())
        }
        other => push_str(out, &other.to_js_string()),
    }
}

/// Each part has limits of its own; what they make together has this one.
fn push_str(out: &mut String, text: &str) -> Result<(), ExprError> {
    if out.len() + text.len() > MAX_TEXT_BYTES {
        return Err(ExprError::Memory { limit_bytes: MAX_TEXT_BYTES });
    }
    out.push_str(text);
    Ok(())
}

/// A piece of a template before it is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateSegment {
    Text(String),
    Code { source: String, is_closed: bool },
}

/// Cuts a template (without its `=`) at `{{` and `}}` exactly as n8n does: a bracket pair after an
/// odd number of backslashes does not count, and quotes inside the code do not protect a `}}`.
pub fn split(template: &str) -> Vec<TemplateSegment> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut rest = template;
    let mut in_code = false;
    while !rest.is_empty() {
        let Some(at) = rest.find(if in_code { "}}" } else { "{{" }) else {
            piece.push_str(rest);
            pieces.push(finished(std::mem::take(&mut piece), in_code, false));
            return pieces;
        };
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        piece.push_str(before);
        let backslashes = before.len() - before.trim_end_matches('\\').len();
        if backslashes % 2 == 1 {
            piece.push_str(&rest[at..at + 2]);
        } else {
            pieces.push(finished(std::mem::take(&mut piece), in_code, true));
            in_code = !in_code;
        }
        rest = after;
    }
    if !piece.is_empty() || in_code {
        pieces.push(finished(piece, in_code, false));
    }
    pieces
}

fn finished(piece: String, is_code: bool, is_closed: bool) -> TemplateSegment {
    if is_code {
        TemplateSegment::Code { source: piece.replacen("\\}}", "}}", 1), is_closed }
    } else if is_closed {
        TemplateSegment::Text(piece.replace("\\\\", "\\"))
    } else {
        TemplateSegment::Text(piece)
    }
}

/// The n8n form of a text that may be in the short form: `Hi {{json.name}}` becomes `=Hi
/// {{$json.name}}`.
pub fn strict_form(text: &str) -> Str {
    if is_expression(text) || !text.contains("{{") {
        return text.into();
    }
    let mut out = Str::from("=");
    for piece in split(text) {
        match piece {
            TemplateSegment::Text(text) => out.push_str(&text),
            TemplateSegment::Code { source, is_closed } => {
                out.push_str("{{");
                out.push_str(&with_dollar_signs(&source));
                out.push_str(if is_closed { "}}" } else { "" });
            }
        }
    }
    out
}

/// Puts the `$` in front of names that stand alone, outside of quotes.
fn with_dollar_signs(source: &str) -> String {
    const NAMES: [&str; 9] =
        ["json", "binary", "input", "node", "vars", "workflow", "execution", "now", "today"];
    let mut out = String::with_capacity(source.len() + 4);
    let mut quote = None;
    let mut previous = ' ';
    let mut rest = source;
    while let Some(next) = rest.chars().next() {
        let is_word =
            |character: char| character.is_alphanumeric() || character == '_' || character == '$';
        if quote.is_none() && is_word(next) && !is_word(previous) {
            let end = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
            let word = &rest[..end];
            // `{ json: 1 }` names a field.
            let is_key = rest[end..].trim_start().starts_with(':');
            if previous != '.' && !is_key && NAMES.contains(&word) {
                out.push('$');
            }
            out.push_str(word);
            previous = 'a';
            rest = &rest[end..];
            continue;
        }
        match quote {
            None if matches!(next, '"' | '\'' | '`') => quote = Some(next),
            Some(open) if next == open && previous != '\\' => quote = None,
            _ => {}
        }
        out.push(next);
        previous = next;
        rest = &rest[next.len_utf8()..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::testing::TestScope;
    use model::{Object, json};
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, json: Value, expected: Value) {
        assert_eq!(
            Template::parse(text).evaluate_native(&TestScope::new(json)),
            Ok(expected),
            "{text}"
        );
    }

    #[test]
    fn one_part_alone_keeps_its_value() {
        check("={{ $json.n }}", json!({ "n": 3 }), json!(3));
        check("={{ $json.missing }}", json!({}), Value::Undefined);
        check("={{ $json.list }}", json!({ "list": [1, 2] }), json!([1, 2]));
        check("{{ $json.n }}", json!({}), json!("{{ $json.n }}"));
        check("=", json!({}), json!(""));
    }

    #[test]
    fn parts_in_text_are_written_out() {
        check("=n: {{ $json.n }}", json!({ "n": 0 }), json!("n: 0"));
        check("={{ $json.a }}{{ $json.b }}", json!({ "a": null, "b": false }), json!("false"));
        check("= {{ $json.list }}", json!({ "list": [1, [2, null], "x"] }), json!(" 1,2,,x"));
        check("={{ $json.o }}!", json!({ "o": {} }), json!("[object Object]!"));
        check("={{ $json.a.b.c }}!", json!({}), json!("!"));
        check(
            "=at {{ new Date(0) }}",
            json!({}),
            json!("at Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)"),
        );
        check("=at {{ $now }}", json!({}), json!("at 2026-01-15T07:34:56.789-05:00"));
    }

    #[test]
    fn issue_14_11_the_parts_of_a_template_together_have_an_end() {
        // About 64 KB of template that would make 11 GB of text.
        let text = format!("={}", "{{'x'.repeat(4194304)}}".repeat(2_700));
        let made = Template::parse(&text).evaluate_native(&TestScope::new(json!({})));
        assert_eq!(
            made,
            Err(NativeFailure::Error(ExprError::Memory { limit_bytes: MAX_TEXT_BYTES }))
        );
        let text = "x".repeat(10_000);
        let list = (0..40).fold(json!([text]), |inner, _| Value::array(vec![inner.clone(), inner]));
        let made = Template::parse("=a {{ $json.list }}")
            .evaluate_native(&TestScope::new(Value::from(Object::from_iter([("list", list)]))));
        assert_eq!(
            made,
            Err(NativeFailure::Error(ExprError::Memory { limit_bytes: MAX_TEXT_BYTES }))
        );
    }

    #[test]
    fn backslashes_protect_brackets() {
        check("=a \\{{ no code }}", json!({}), json!("a \\{{ no code }}"));
        check("={{ 'x\\}}' }}", json!({}), json!("x}}"));
        check("=C:\\\\{{ $json.f }}", json!({ "f": "f.txt" }), json!("C:\\f.txt"));
    }

    #[test]
    fn text_out_of_data_is_never_evaluated() {
        check("=hi {{ $json.name }}", json!({ "name": "{{ 1 + 1 }}" }), json!("hi {{ 1 + 1 }}"));
        check("={{ $json.name }}", json!({ "name": "={{ 1 + 1 }}" }), json!("={{ 1 + 1 }}"));
    }

    #[test]
    fn the_short_form_becomes_the_full_one() {
        assert_eq!(strict_form("Hi {{json.name}}!"), "=Hi {{$json.name}}!");
        assert_eq!(
            strict_form("{{ $json.a + json.b.json + 'json' }}"),
            "={{ $json.a + $json.b.json + 'json' }}"
        );
        assert_eq!(strict_form("plain"), "plain");
        assert_eq!(strict_form("={{ json }}"), "={{ json }}");
        let value =
            Template::parse_loose("{{json.n}}").evaluate_native(&TestScope::new(json!({ "n": 1 })));
        assert_eq!(value, Ok(json!(1)));
    }

    proptest! {
        #[test]
        fn splitting_loses_nothing_but_brackets(text in "[a{}\\\\ é'\"]{0,40}") {
            let _ = Template::parse(&format!("={text}"));
            let _ = strict_form(&text);
        }
    }
}
