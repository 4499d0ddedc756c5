//! Answers out of the results of tools: what they say is quoted as it is, and nothing is added to
//! it.

use super::route::dot;
use crate::bert::Bert;
use model::{Object, Str, Value};
use ports::ai::{ToolArguments, ToolCall, ToolResult};

/// Letters of a result that are shown whole, and of a passage that is quoted.
const MAX_SHOWN: usize = 1500;
const MAX_QUOTED: usize = 700;
/// How near to the question a passage must be to be quoted, and how much farther the others may be
/// than the best.
const NEAR: f32 = 0.25;
const MUCH_FARTHER: f32 = 0.12;
const MAX_QUOTES: usize = 2;
/// Passages that are compared with the question.
const MAX_PASSAGES: usize = 40;

/// The answer to a question from what tools gave.
pub(super) fn compose(
    question: &str,
    calls: &[ToolCall],
    results: &[ToolResult],
    bert: &Bert,
) -> Str {
    let answers: Vec<String> = results
        .iter()
        .map(|result| {
            let call = calls.iter().find(|call| call.id == result.id);
            one(question, call, result, bert)
        })
        .collect();
    answers.join("\n\n").into()
}

fn one(question: &str, call: Option<&ToolCall>, result: &ToolResult, bert: &Bert) -> String {
    if result.is_error {
        return format!(
            "The tool {} could not do it: {}",
            result.name,
            shortened(result.content.trim(), MAX_SHOWN)
        );
    }
    let read = model::json::parse(&result.content).ok();
    if let Some(found) =
        read.as_ref().and_then(|value| value.get("results")).and_then(Value::as_array)
    {
        return quoted(question, found, bert);
    }
    let text = result.content.trim();
    if let Some(expression) =
        call.and_then(calculated).filter(|_| text.len() <= 40 && !text.contains('\n'))
    {
        return format!("{expression} = {text}");
    }
    match read.as_ref() {
        Some(Value::Object(fields)) if is_flat(fields) => fields
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_js_string()))
            .collect::<Vec<_>>()
            .join("\n"),
        Some(Value::Object(_) | Value::Array(_)) => {
            format!("```json\n{}\n```", shortened(text, MAX_SHOWN))
        }
        _ => shortened(text, MAX_SHOWN),
    }
}

/// The calculation of a call that has nothing else in it.
fn calculated(call: &ToolCall) -> Option<String> {
    let ToolArguments::Parsed(arguments) = &call.arguments else { return None };
    let text = ["expression", "input"]
        .iter()
        .find_map(|name| arguments.get(name))
        .and_then(Value::as_str)?;
    let is_arithmetic =
        text.chars().all(|letter| letter.is_ascii_digit() || " +-*/^().".contains(letter));
    is_arithmetic.then(|| text.to_owned())
}

fn is_flat(fields: &Object) -> bool {
    fields.len() <= 12
        && fields.iter().all(|(_, value)| !matches!(value, Value::Object(_) | Value::Array(_)))
}

/// The passages that have most to do with the question, each with where it stands.
fn quoted(question: &str, found: &[Value], bert: &Bert) -> String {
    let wanted = bert.embed(question);
    let mut passages: Vec<(f32, String, String)> = Vec::new();
    for result in found {
        let Some(content) = result.get("content").and_then(Value::as_str) else { continue };
        let source = source(result);
        for passage in passages_of(content) {
            if passages.len() < MAX_PASSAGES
                && !passages.iter().any(|(_, known, _)| *known == passage)
            {
                passages.push((dot(&wanted, &bert.embed(&passage)), passage, source.clone()));
            }
        }
    }
    passages.sort_by(|one, other| other.0.total_cmp(&one.0));
    let Some(best) = passages.first().map(|passage| passage.0).filter(|best| *best >= NEAR) else {
        return "I found nothing about this in the documents.".to_owned();
    };
    let near = passages
        .into_iter()
        .take_while(|passage| passage.0 >= (best - MUCH_FARTHER).max(NEAR))
        .take(MAX_QUOTES);
    let quotes = near.map(|(_, passage, source)| {
        let quote = shortened(&passage, MAX_QUOTED)
            .lines()
            .map(|line| format!("> {line}"))
            .collect::<Vec<_>>()
            .join("\n");
        if source.is_empty() { quote } else { format!("{quote}\n\nSource: {source}") }
    });
    quotes.collect::<Vec<_>>().join("\n\n")
}

/// Where a result comes from, as its metadata say.
fn source(result: &Value) -> String {
    let metadata = result.get("metadata");
    let text = |name: &str| {
        metadata
            .and_then(|metadata| metadata.get(name))
            .map(|value| value.to_js_string().to_string())
    };
    match (text("source").or_else(|| text("url")), text("page")) {
        (Some(source), Some(page)) => format!("{source}, page {page}"),
        (Some(source), None) => source,
        _ => String::new(),
    }
}

/// The paragraphs of a text, each with the heading that stands before it; a list stays with the
/// words that announce it.
fn passages_of(content: &str) -> Vec<String> {
    let mut passages: Vec<String> = Vec::new();
    let mut heading: Option<String> = None;
    for block in content.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
        let is_heading = block.starts_with('#') && !block.contains('\n');
        if let Some(announcing) = passages
            .last_mut()
            .filter(|passage| passage.ends_with(':') && heading.is_none() && !is_heading)
        {
            announcing.push_str("\n\n");
            announcing.push_str(block);
            continue;
        }
        match heading.take() {
            _ if is_heading => heading = Some(block.to_owned()),
            Some(heading) => passages.push(format!("{heading}\n{block}")),
            None => passages.push(block.to_owned()),
        }
    }
    passages.extend(heading);
    passages
}

fn shortened(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((end, _)) => format!("{}… (shortened)", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_keep_their_headings() {
        assert_eq!(
            passages_of("# A\n\nfirst\n\nsecond\n\n## B\n- x\n- y"),
            ["# A\nfirst", "second", "## B\n- x\n- y"]
        );
        assert_eq!(
            passages_of("There are:\n\n- x\n- y\n\nlast"),
            ["There are:\n\n- x\n- y", "last"]
        );
        assert_eq!(passages_of("## alone"), ["## alone"]);
        assert!(passages_of(" \n\n ").is_empty());
    }

    #[test]
    fn only_arithmetic_is_shown_as_an_equation() {
        let call = |text: &str| ToolCall {
            id: "1".into(),
            name: "calculator".into(),
            arguments: ToolArguments::Parsed(Object::from_iter([("expression", text)])),
            opaque: None,
        };
        assert_eq!(calculated(&call("2 + 2")).as_deref(), Some("2 + 2"));
        assert_eq!(calculated(&call("what is it")), None);
    }

    #[test]
    fn long_texts_are_cut_between_letters() {
        assert_eq!(shortened("äöü", 2), "äö… (shortened)");
        assert_eq!(shortened("äö", 2), "äö");
    }
}
