//! BERT's tokeniser: lower-case words without accents, cut into the longest pieces that the
//! vocabulary knows.

use std::collections::HashMap;
use unicode_general_category::{GeneralCategory as Category, get_general_category};
use unicode_normalization::UnicodeNormalization as _;

/// Longer words are unknown ones.
const MAX_WORD_CHARS: usize = 100;

/// The tokens that every vocabulary of this kind has.
const UNKNOWN: &str = "[UNK]";
const BEGIN: &str = "[CLS]";
const END: &str = "[SEP]";

pub(crate) struct WordPiece {
    /// Pieces that begin a word; those that go on with one are kept without their `##`.
    begins: HashMap<String, u32>,
    goes_on: HashMap<String, u32>,
    unknown: u32,
    begin: u32,
    end: u32,
}

impl WordPiece {
    /// From a file with one token a line; `None` if it is no such vocabulary.
    pub(crate) fn read(vocabulary: &str) -> Option<Self> {
        let (mut begins, mut goes_on) = (HashMap::new(), HashMap::new());
        for (id, token) in (0..).zip(vocabulary.lines()) {
            match token.strip_prefix("##") {
                Some(rest) => goes_on.insert(rest.to_owned(), id),
                None => begins.insert(token.to_owned(), id),
            };
        }
        let (unknown, begin, end) = (*begins.get(UNKNOWN)?, *begins.get(BEGIN)?, *begins.get(END)?);
        Some(Self { begins, goes_on, unknown, begin, end })
    }

    /// How many tokens there are.
    pub(crate) fn size(&self) -> usize {
        self.begins.len() + self.goes_on.len()
    }

    /// The tokens of a text between those for its begin and its end, at most `limit` of them; what
    /// is beyond is left out.
    pub(crate) fn encode(&self, text: &str, limit: usize) -> Vec<u32> {
        let mut tokens = vec![self.begin];
        for word in words(text) {
            self.pieces(&word, &mut tokens);
            if tokens.len() >= limit.saturating_sub(1) {
                tokens.truncate(limit.saturating_sub(1));
                break;
            }
        }
        tokens.push(self.end);
        tokens
    }

    fn pieces(&self, word: &str, tokens: &mut Vec<u32>) {
        let before = tokens.len();
        let mut start = 0;
        if word.chars().count() > MAX_WORD_CHARS {
            return tokens.push(self.unknown);
        }
        while start < word.len() {
            let known = if start == 0 { &self.begins } else { &self.goes_on };
            let ends =
                word[start..].char_indices().map(|(at, letter)| start + at + letter.len_utf8());
            let longest =
                ends.rev().find_map(|end| known.get(&word[start..end]).map(|id| (end, *id)));
            let Some((end, id)) = longest else {
                tokens.truncate(before);
                return tokens.push(self.unknown);
            };
            tokens.push(id);
            start = end;
        }
    }
}

/// The words of a text; each sign of punctuation and each Chinese character is one of its own.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let is_accent = |letter: &char| get_general_category(*letter) == Category::NonspacingMark;
    for letter in
        text.chars().filter(|letter| !is_dropped(*letter)).nfd().filter(|letter| !is_accent(letter))
    {
        let stands_alone = is_punctuation(letter) || is_chinese(letter);
        if (letter.is_whitespace() || stands_alone) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        match stands_alone {
            true => words.push(letter.to_string()),
            false if letter.is_whitespace() => {}
            false => word.extend(letter.to_lowercase()),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Characters that nobody sees.
fn is_dropped(letter: char) -> bool {
    match letter {
        '\t' | '\n' | '\r' => false,
        '\0' | '\u{fffd}' => true,
        _ => matches!(
            get_general_category(letter),
            Category::Control | Category::Format | Category::PrivateUse
        ),
    }
}

fn is_punctuation(letter: char) -> bool {
    use Category::{
        ClosePunctuation, ConnectorPunctuation, DashPunctuation, FinalPunctuation,
        InitialPunctuation, OpenPunctuation, OtherPunctuation,
    };
    letter.is_ascii_punctuation()
        || matches!(
            get_general_category(letter),
            ClosePunctuation
                | ConnectorPunctuation
                | DashPunctuation
                | FinalPunctuation
                | InitialPunctuation
                | OpenPunctuation
                | OtherPunctuation
        )
}

/// The blocks of Chinese characters that BERT was trained with, each a word.
fn is_chinese(letter: char) -> bool {
    matches!(
        u32::from(letter),
        0x4e00..=0x9fff | 0x3400..=0x4dbf | 0x20000..=0x2a6df | 0x2a700..=0x2b73f | 0x2b740..=0x2b81f | 0x2b820..=0x2ceaf
            | 0xf900..=0xfaff | 0x2f800..=0x2fa1f
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_without_accents_and_apart_from_punctuation() {
        let cut = |text: &str| words(text).join("|");
        assert_eq!(cut("Héllo,  Wörld!\tIt's"), "hello|,|world|!|it|'|s");
        assert_eq!(cut("北京 is_a city\u{200b}\0"), "北|京|is|_|a|city");
        assert_eq!(cut(" \n "), "");
        assert_eq!(cut("«naïve» – ÀÉÎ"), "«|naive|»|–|aei");
    }

    #[test]
    fn the_longest_known_pieces_are_taken() {
        let pieces =
            WordPiece::read("[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\n##a\n").unwrap();
        assert_eq!(pieces.encode("unaffable", 10), [2, 4, 5, 6, 3]);
        assert_eq!(pieces.encode("una unb un", 10), [2, 4, 7, 1, 4, 3]);
        assert_eq!(pieces.encode(&"u".repeat(101), 10), [2, 1, 3]);
        assert_eq!(
            pieces.encode("un un un un", 4),
            [2, 4, 4, 3],
            "what is beyond the limit is left out"
        );
        assert_eq!(pieces.encode("", 4), [2, 3]);
        assert!(WordPiece::read("a\nb\n").is_none());
    }
}
