//! The words of entries in memory, by their hashes, with the usual weights (BM25).

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Words of a question that are looked for.
const MAX_WORDS: usize = 32;

/// How soon more of the same word counts less, and how much long texts count less.
const SATURATION: f32 = 1.2;
const LENGTH_WEIGHT: f32 = 0.75;

#[derive(Default)]
pub(super) struct KeywordIndex {
    /// Where a word is, and how often.
    postings: HashMap<u64, Vec<(u32, u8)>>,
    /// Words by slot.
    lengths: Vec<u16>,
    n_words: u64,
    n_postings: usize,
}

impl KeywordIndex {
    /// Adds the text of the next slot.
    pub(super) fn push(&mut self, text: &str) {
        let slot = self.lengths.len() as u32;
        let mut counts: HashMap<u64, u8> = HashMap::new();
        let mut n_words = 0_u16;
        for word in words(text) {
            n_words = n_words.saturating_add(1);
            let count = counts.entry(word).or_default();
            *count = count.saturating_add(1);
        }
        self.lengths.push(n_words);
        self.n_words += u64::from(n_words);
        self.n_postings += counts.len();
        for (word, count) in counts {
            self.postings.entry(word).or_default().push((slot, count));
        }
    }

    pub(super) fn bytes(&self) -> usize {
        // What a table takes for an entry besides its list.
        const WORD_BYTES: usize = 48;
        self.postings.len() * WORD_BYTES
            + self.n_postings * 2 * size_of::<(u32, u8)>()
            + self.lengths.capacity() * size_of::<u16>()
    }

    /// How well slots fit the words of a question; those that have none of them are left out.
    pub(super) fn scores(&self, question: &str, allows: impl Fn(u32) -> bool) -> Vec<(u32, f32)> {
        let mut asked: Vec<u64> = words(question).collect();
        asked.sort_unstable();
        asked.dedup();
        let n_slots = self.lengths.len();
        let mean = (self.n_words as f32 / n_slots.max(1) as f32).max(1.0);
        let mut lists: Vec<&Vec<(u32, u8)>> =
            asked.iter().filter_map(|word| self.postings.get(word)).collect();
        // The rarest words say most.
        lists.sort_by_key(|list| list.len());
        lists.truncate(MAX_WORDS);
        let mut sums: HashMap<u32, f32> = HashMap::new();
        for list in lists {
            let rarity =
                (1.0 + (n_slots as f32 - list.len() as f32 + 0.5) / (list.len() as f32 + 0.5)).ln();
            // A word that is everywhere only orders what other words have found.
            let only_adds = !sums.is_empty() && list.len() > n_slots / 4 && n_slots > 1000;
            for (slot, count) in list {
                let count = f32::from(*count);
                let length = f32::from(self.lengths[*slot as usize]) / mean;
                let weight = rarity * count * (SATURATION + 1.0)
                    / (count + SATURATION * (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length));
                if only_adds {
                    if let Some(sum) = sums.get_mut(slot) {
                        *sum += weight;
                    }
                } else if allows(*slot) {
                    *sums.entry(*slot).or_default() += weight;
                }
            }
        }
        sums.into_iter().collect()
    }
}

/// The words of a text in lower case, hashed. Scripts without spaces go letter by letter.
fn words(text: &str) -> impl Iterator<Item = u64> {
    let mut hashes = Vec::new();
    let mut word = String::new();
    let flush = |word: &mut String, hashes: &mut Vec<u64>| {
        if !word.is_empty() {
            hashes.push(hash(word));
            word.clear();
        }
    };
    for letter in text.chars() {
        if !letter.is_alphanumeric() {
            flush(&mut word, &mut hashes);
        } else if is_without_spaces(letter) {
            flush(&mut word, &mut hashes);
            word.push(letter);
            flush(&mut word, &mut hashes);
        } else {
            word.extend(letter.to_lowercase());
        }
    }
    flush(&mut word, &mut hashes);
    hashes.into_iter()
}

fn is_without_spaces(letter: char) -> bool {
    matches!(letter, '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn hash(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_count_more_than_common_ones() {
        let mut index = KeywordIndex::default();
        for text in ["the red house", "the blue house", "the invoice ZX-81 is paid", "東京に住む"]
        {
            index.push(text);
        }
        let best = |question: &str| {
            let mut found = index.scores(question, |_| true);
            found.sort_by(|one, other| other.1.total_cmp(&one.1));
            found.first().map(|(slot, _)| *slot)
        };
        assert_eq!(best("where is the zx invoice?"), Some(2));
        assert_eq!(best("the BLUE one"), Some(1));
        assert_eq!(best("東京"), Some(3));
        assert_eq!(best("nothing of it"), None);
        assert_eq!(index.scores("house", |slot| slot == 0).len(), 1);
    }
}
