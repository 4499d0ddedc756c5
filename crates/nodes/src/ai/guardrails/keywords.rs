//! Words that a text must not hold.

use super::CheckResult;
use super::patterns::PatternCache;
use formats::ticker::{LoopTicker, tick};
use node_api::prelude::*;
use std::collections::HashSet;

/// Whole words only, whatever their case; `words` has commas between them.
pub(super) fn check(
    text: &str,
    words: &str,
    patterns: &mut PatternCache,
) -> Result<CheckResult, NodeError> {
    let (mut found, mut known, ticker) = (Vec::new(), HashSet::new(), LoopTicker::default());
    for word in words
        .split(',')
        .map(|word| word.trim().trim_end_matches(['.', ',', '!', '?', ';', ':']))
        .filter(|word| !word.is_empty())
    {
        tick()?;
        for hit in patterns.get(word, &format!("(?i){}", regex::escape(word)))?.find_iter(text) {
            ticker.tick()?;
            if is_whole_word(text, hit.start(), hit.end())
                && known.insert(hit.as_str().to_lowercase())
            {
                found.push(hit.as_str().to_owned());
            }
        }
    }
    let matched: Vec<Value> = found.iter().map(|word: &String| word.as_str().into()).collect();
    Ok(CheckResult {
        name: "keywords".into(),
        is_triggered: !found.is_empty(),
        info: Object::from_iter([("matchedKeywords", matched)]),
        ..CheckResult::default()
    })
}

/// Whether no word goes on over the ends of a match.
fn is_whole_word(text: &str, start: usize, end: usize) -> bool {
    let is_letter = |letter: Option<char>| {
        letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
    };
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
        let matched = |text: &str, words: &str| {
            check(text, words, &mut PatternCache::default())
                .unwrap()
                .info
                .get("matchedKeywords")
                .cloned()
                .unwrap_or_default()
        };
        assert_eq!(matched("Über über überall", "über"), json!(["Über"]));
        assert_eq!(matched("use C++ now", "c++"), json!(["C++"]));
        assert_eq!(matched("bombastic", "bomb"), json!([]));
    }
}
