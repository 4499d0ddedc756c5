//! Words that a text must not hold.

use super::{Check, pattern};
use node_api::prelude::*;

/// Whole words only, whatever their case; `words` has commas between them.
pub(super) fn check(text: &str, words: &str) -> Result<Check, NodeError> {
    let mut found: Vec<String> = Vec::new();
    for word in words.split(',').map(|word| word.trim().trim_end_matches(['.', ',', '!', '?', ';', ':'])).filter(|word| !word.is_empty()) {
        let search = pattern(word, &format!("(?i){}", regex::escape(word)))?;
        for hit in search.find_iter(text) {
            let is_new = !found.iter().any(|known| known.to_lowercase() == hit.as_str().to_lowercase());
            if is_new && stands_alone(text, hit.start(), hit.end()) {
                found.push(hit.as_str().to_owned());
            }
        }
    }
    let matched: Vec<Value> = found.iter().map(|word| word.as_str().into()).collect();
    Ok(Check {
        name: "keywords".into(),
        is_triggered: !found.is_empty(),
        info: Object::from_iter([("matchedKeywords", matched)]),
        ..Check::default()
    })
}

/// Whether no word goes on over the ends of a match.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let is_letter = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    let (before, inside, after) = (&text[..start], &text[start..end], &text[end..]);
    let begins_inside = is_letter(before.chars().next_back()) && is_letter(inside.chars().next());
    let ends_inside = is_letter(inside.chars().next_back()) && is_letter(after.chars().next());
    !begins_inside && !ends_inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_found_in_every_script_and_told_once() {
        let matched = |text: &str, words: &str| check(text, words).unwrap().info.get("matchedKeywords").cloned().unwrap_or_default();
        assert_eq!(matched("Über über überall", "über"), json!(["Über"]));
        assert_eq!(matched("use C++ now", "c++"), json!(["C++"]));
        assert_eq!(matched("bombastic", "bomb"), json!([]));
    }
}
