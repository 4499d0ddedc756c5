//! Words that look like keys: by how they begin, or by how little sense they make.

use super::CheckResult;
use super::patterns::FindingCounter;
use formats::sensitive::KEY_PREFIXES;
use formats::ticker::LoopTicker;
use node_api::prelude::*;
use std::collections::HashMap;

/// Names of files look random but are none.
const FILES: [&str; 43] = [
    "py", "js", "html", "css", "json", "md", "txt", "csv", "xml", "yaml", "yml", "ini", "conf",
    "config", "log", "sql", "sh", "bat", "dll", "so", "dylib", "jar", "war", "php", "rb", "go",
    "rs", "ts", "jsx", "vue", "cpp", "c", "h", "cs", "doc", "docx", "xls", "xlsx", "ppt", "pptx",
    "pdf", "jpg", "png",
];

/// From when on a word is taken for a key.
struct Level {
    min_length: usize,
    min_entropy: f64,
    min_kinds: usize,
    ignores_files: bool,
}

pub(super) fn check(text: &str, permissiveness: &str) -> Result<CheckResult, NodeError> {
    let level = match permissiveness {
        "strict" => Level { min_length: 10, min_entropy: 3.0, min_kinds: 2, ignores_files: false },
        "permissive" => {
            Level { min_length: 30, min_entropy: 4.0, min_kinds: 2, ignores_files: true }
        }
        _ => Level { min_length: 10, min_entropy: 3.8, min_kinds: 3, ignores_files: true },
    };
    let (mut found, mut findings, ticker) =
        (Vec::new(), FindingCounter::default(), LoopTicker::default());
    for word in text.split_whitespace().map(|word| word.replace(['*', '#'], "")) {
        ticker.tick()?;
        if level.matches(&word) {
            findings.add()?;
            found.push(word);
        }
    }
    let shown: Vec<Value> = found.iter().map(|word| word.as_str().into()).collect();
    Ok(CheckResult {
        name: "secretKeys".into(),
        is_triggered: !found.is_empty(),
        info: Object::from_iter([("detectedSecrets", shown)]),
        masks: found.into_iter().map(|word| ("SECRET".into(), word)).collect(),
        ..CheckResult::default()
    })
}

impl Level {
    fn matches(&self, word: &str) -> bool {
        if self.ignores_files && (is_address(word) || is_file(word)) {
            return false;
        }
        let begins = KEY_PREFIXES.iter().any(|beginning| word.starts_with(beginning));
        begins
            || (word.chars().count() >= self.min_length
                && char_classes(word) >= self.min_kinds
                && entropy(word) >= self.min_entropy)
    }
}

fn is_address(word: &str) -> bool {
    let rest = word.strip_prefix("https://").or_else(|| word.strip_prefix("http://"));
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "./_-".contains(letter);
    rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(is_plain))
        && !KEY_PREFIXES.iter().any(|beginning| word.contains(beginning))
}

fn is_file(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(_, ending)| FILES.contains(&ending.to_lowercase().as_str()))
}

/// How many sorts of letters a word has: small, capital, digits, others.
fn char_classes(word: &str) -> usize {
    let has = |is: fn(char) -> bool| usize::from(word.chars().any(is));
    has(char::is_lowercase)
        + has(char::is_uppercase)
        + has(|letter| letter.is_ascii_digit())
        + has(|letter| !letter.is_alphanumeric() && letter != '_')
}

/// Shannon's, in bits for a letter.
fn entropy(word: &str) -> f64 {
    let mut counts: HashMap<char, usize> = HashMap::new();
    let mut n_letters = 0.0;
    for letter in word.chars() {
        *counts.entry(letter).or_default() += 1;
        n_letters += 1.0;
    }
    counts.values().map(|count| *count as f64 / n_letters).map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_and_files_and_sentences_are_not() {
        let found = |text: &str, level: &str| check(text, level).unwrap().is_triggered;
        assert!(found("my key is sk-1", "permissive"));
        assert!(found("token: aB3dE5fG7hI9jK1", "balanced"));
        assert!(!found("token: aB3dE5fG7hI9jK1", "permissive"), "it is too short");
        assert!(!found("open Quarterly-Report_2024-v3.xlsx please", "balanced"));
        assert!(found("open Quarterly-Report_2024-v3.xlsx please", "strict"));
        assert!(!found("https://example.com/some/Page_1-2", "balanced"));
        assert!(!found("The quick brown fox jumps over the lazy dog.", "balanced"));
    }
}
