//! What an answer is based on: entries of memory, documents, tool calls, MCP servers, and whether
//! the answer repeats their words.

use crate::guard::ToolGuard;
use crate::record::ToolUse;
use model::{Object, Str, Value};
use std::collections::HashSet;

/// Of each text, this much is compared.
const MAX_COMPARED_BYTES: usize = 64 << 10;

/// Of all texts together; what comes later is not said to be quoted or not.
const MAX_COMPARED_TOTAL: usize = 1 << 20;

/// So many words in a row count as repeated.
const WORDS_IN_A_ROW: usize = 4;

/// More sources than this are not named.
const MAX_SOURCES: usize = 200;

/// Where the record of a call has what its result is taken from.
const SOURCES: &str = "sources";

/// Notes what the result of a call is taken from.
pub(crate) fn keep_sources(kept: &mut Object, sources: &[Value]) {
    if !sources.is_empty() {
        kept.insert(SOURCES, Value::array(sources.to_vec()));
    }
}

pub(crate) fn recorded_sources(kept: &Value) -> Vec<Value> {
    kept.get(SOURCES).and_then(Value::as_array).map(<[Value]>::to_vec).unwrap_or_default()
}

/// The sources of an answer: what the memory recalled, and what each call brought.
pub(crate) fn answer_sources(
    recalled: &[Value],
    uses: &[ToolUse],
    guard: &ToolGuard,
    answer: &str,
) -> Vec<Value> {
    let mut all = recalled.to_vec();
    if !uses.is_empty() {
        let answer = ComparedText::new(answer);
        let mut left = MAX_COMPARED_TOTAL;
        for used in uses.iter().filter(|used| !used.is_error) {
            if all.len() >= MAX_SOURCES {
                break;
            }
            all.extend(sources_of(used, guard, &answer, &mut left));
        }
    }
    all.truncate(MAX_SOURCES);
    all
}

fn sources_of(
    used: &ToolUse,
    guard: &ToolGuard,
    answer: &ComparedText,
    left: &mut usize,
) -> Vec<Value> {
    let mut placed = |mut source: Object, text: &str| -> Value {
        source.insert("tool", used.name.clone());
        source.insert("callId", used.call_id.clone());
        source.insert("iteration", used.iteration);
        if let Some(rest) = left.checked_sub(cut(text).len()) {
            *left = rest;
            source.insert("isQuoted", answer.repeats(text));
        }
        source.into()
    };
    if used.sources.is_empty() {
        let source = match guard.server_of(&used.name) {
            Some(server) => {
                Object::from_iter([("type", Value::from("mcp")), ("server", server.into())])
            }
            None => Object::from_iter([("type", Value::from("tool"))]),
        };
        return vec![placed(source, &used.content)];
    }
    let objects = used.sources.iter().filter_map(Value::as_object);
    objects
        .map(|source| {
            let text: Str = source.get("text").and_then(Value::as_str).unwrap_or_default().into();
            placed(source.clone(), &text)
        })
        .collect()
}

/// A text whose words and figures are looked for in others.
struct ComparedText {
    figures: HashSet<String>,
    words: Vec<String>,
    runs: HashSet<String>,
}

impl ComparedText {
    fn new(text: &str) -> Self {
        let text = cut(text);
        let words = words(text);
        let runs = words.windows(WORDS_IN_A_ROW).map(|run| run.join(" ")).collect();
        Self { figures: figures(text).collect(), words, runs }
    }

    /// Whether it repeats another text: a figure of at least two digits, or some words in a row.
    fn repeats(&self, other: &str) -> bool {
        let other = cut(other);
        if figures(other).any(|figure| self.figures.contains(&figure)) {
            return true;
        }
        let known = words(other);
        if known.len() >= WORDS_IN_A_ROW {
            return known.windows(WORDS_IN_A_ROW).any(|run| self.runs.contains(&run.join(" ")));
        }
        let letters: usize = known.iter().map(|word| word.chars().count()).sum();
        letters > 3 && self.words.windows(known.len().max(1)).any(|run| run == known)
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_COMPARED_BYTES)]
}

fn words(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Numbers of at least two digits, as they are written.
fn figures(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|letter: char| !letter.is_ascii_digit() && letter != '.' && letter != ',')
        .map(|figure| figure.trim_matches(['.', ',']))
        .filter(|figure| figure.len() >= 2)
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeats(answer: &str, source: &str) -> bool {
        ComparedText::new(answer).repeats(source)
    }

    #[test]
    fn figures_and_words_in_a_row_count_and_single_words_do_not() {
        assert!(repeats("It is 42.", "42"));
        assert!(repeats("Yes: the cat sat on the mat.", "THE CAT SAT ON a chair"));
        assert!(!repeats("the cat sat on the mat", "a dog and the cat"));
        assert!(repeats("It is noon.", "noon"));
        assert!(!repeats("It is noon.", "no"));
        assert!(!repeats("", "x") && !repeats("x", ""));
    }

    #[test]
    fn long_texts_are_compared_as_far_as_the_limit() {
        let long = "word ".repeat(1 << 20);
        assert!(repeats("word word word word", &long));
        assert!(!repeats("end of the text", &format!("{long} end of the text")));
    }
}
