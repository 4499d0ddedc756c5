//! Puts words in the place of everything that was found in a text.

use super::CheckResult;
use formats::ticker::{LoopTicker, tick};
use node_api::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// So few different texts of one length are looked for one after the other; more of them all at
/// once.
const MAX_LINEAR_TEXTS: usize = 4;

/// The text with a word in the place of everything that was found, wherever it stands, the longest
/// first, because one may be a part of another. What is inside of a word, or overlaps what was
/// longer, is not replaced again.
pub(super) fn mask_findings(text: &str, checks: &[CheckResult]) -> Result<Str, NodeError> {
    let places = find_replacements(text, checks)?;
    if places.is_empty() {
        return Ok(text.into());
    }
    let mut masked = String::with_capacity(text.len());
    let mut at = 0;
    for (start, (length, word)) in places {
        masked.push_str(&text[at..start]);
        masked.push('<');
        masked.push_str(word);
        masked.push('>');
        at = start + length;
    }
    masked.push_str(&text[at..]);
    Ok(masked.into())
}

/// What is replaced, by where it begins: its length and the word that stands there.
type Replacements<'c> = BTreeMap<usize, (usize, &'c str)>;

fn find_replacements<'c>(
    text: &str,
    checks: &'c [CheckResult],
) -> Result<Replacements<'c>, NodeError> {
    // The same text may be found thousands of times; the first word for it counts.
    let mut words: HashMap<&'c str, &'c str> = HashMap::new();
    let mut by_length: BTreeMap<usize, Vec<&'c str>> = BTreeMap::new();
    for (word, found) in
        checks.iter().flat_map(|check| &check.masks).filter(|(_, found)| !found.is_empty())
    {
        if !words.contains_key(found.as_str()) {
            words.insert(found, word);
            by_length.entry(found.len()).or_default().push(found);
        }
    }
    let mut places = Replacements::new();
    let whole = 0..text.len();
    let mut free = Vec::from([whole]);
    for (length, wanted) in by_length.into_iter().rev() {
        tick()?;
        for wanted in if wanted.len() > MAX_LINEAR_TEXTS {
            vec![wanted]
        } else {
            wanted.into_iter().map(|one| vec![one]).collect()
        } {
            let hits = free
                .iter()
                .filter(|free| free.len() >= length)
                .map(|free| find_hits(text, free.clone(), length, &wanted));
            let hits: Vec<usize> = hits.collect::<Result<Vec<_>, _>>()?.concat();
            if hits.is_empty() {
                continue;
            }
            let found =
                |start: usize| words.get(&text[start..start + length]).copied().unwrap_or_default();
            free = subtract_hits(&free, &hits, length);
            places.extend(hits.into_iter().map(|start| (start, (length, found(start)))));
        }
    }
    Ok(places)
}

/// Where texts of one length stand in a part of a text, each behind the one before it.
fn find_hits(
    text: &str,
    part: Range<usize>,
    length: usize,
    wanted: &[&str],
) -> Result<Vec<usize>, NodeError> {
    let ticker = LoopTicker::default();
    let mut hits = Vec::new();
    if let [wanted] = wanted {
        for (at, _) in text[part.clone()].match_indices(wanted) {
            ticker.tick()?;
            hits.push(part.start + at);
        }
        return Ok(hits);
    }
    let mut by_hash: HashMap<u64, Vec<&[u8]>> = HashMap::new();
    for wanted in wanted {
        by_hash.entry(RollingHash::of(wanted.as_bytes()).0).or_default().push(wanted.as_bytes());
    }
    let bytes = &text.as_bytes()[part.clone()];
    let leaving = RollingHash::weight(length);
    let (mut at, mut window) = (0, RollingHash::of(&bytes[..length]));
    loop {
        ticker.tick()?;
        let is_hit =
            by_hash.get(&window.0).is_some_and(|wanted| wanted.contains(&&bytes[at..at + length]));
        if is_hit {
            hits.push(part.start + at);
            at += length;
            let Some(next) = bytes.get(at..at + length) else { return Ok(hits) };
            window = RollingHash::of(next);
        } else {
            let Some(entering) = bytes.get(at + length) else { return Ok(hits) };
            window.roll(bytes[at], leaving, *entering);
            at += 1;
        }
    }
}

/// What is left of the free parts of a text once something stands at these places, which are in
/// order.
fn subtract_hits(free: &[Range<usize>], hits: &[usize], length: usize) -> Vec<Range<usize>> {
    let mut left = Vec::with_capacity(free.len() + hits.len());
    let mut hits = hits.iter().copied().peekable();
    for part in free {
        let mut start = part.start;
        while let Some(hit) = hits.next_if(|hit| *hit < part.end) {
            left.push(start..hit);
            start = hit + length;
        }
        left.push(start..part.end);
    }
    left.retain(|part| !part.is_empty());
    left
}

/// A number for a window of bytes that can be moved on by a byte. What shares one is compared.
struct RollingHash(u64);

impl RollingHash {
    const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

    fn of(bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(0, |hash: u64, byte| {
            hash.wrapping_mul(Self::BASE).wrapping_add(u64::from(*byte) + 1)
        }))
    }

    /// What the first byte of a window counts.
    fn weight(length: usize) -> u64 {
        (1..length).fold(1, |weight: u64, _| weight.wrapping_mul(Self::BASE))
    }

    fn roll(&mut self, leaving: u8, weight: u64, entering: u8) {
        let rest = self.0.wrapping_sub((u64::from(leaving) + 1).wrapping_mul(weight));
        self.0 = rest.wrapping_mul(Self::BASE).wrapping_add(u64::from(entering) + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn checks(masks: &[(&str, &str)]) -> Vec<CheckResult> {
        let masks =
            masks.iter().map(|(word, found)| (Str::from(*word), (*found).to_owned())).collect();
        vec![CheckResult { masks, ..CheckResult::default() }]
    }

    #[test]
    fn the_longest_goes_first_and_words_are_left_alone() {
        let found =
            checks(&[("A", "bcde"), ("B", "abc"), ("C", "x"), ("D", "x"), ("E", "A"), ("F", "")]);
        assert_eq!(mask_findings("abcde abc x A", &found).unwrap(), "a<A> <B> <C> <E>");
        assert_eq!(mask_findings("nothing", &[]).unwrap(), "nothing");
    }

    proptest! {
        /// Lower-case texts and upper-case words, so that no word holds what is looked for.
        #[test]
        fn it_is_as_if_one_were_replaced_after_the_other(text in "[abü]{0,60}", found in prop::collection::vec("[abü]{1,4}", 0..4)) {
            let masks: Vec<(&str, &str)> = found.iter().map(|found| ("W", found.as_str())).collect();
            let mut expected = text.clone();
            let mut sorted = found.clone();
            sorted.sort_by_key(|found| std::cmp::Reverse(found.len()));
            for found in sorted {
                expected = expected.replace(&found, "<W>");
            }
            prop_assert_eq!(mask_findings(&text, &checks(&masks)).unwrap(), expected);
        }

        #[test]
        fn many_at_once_are_found_where_one_of_them_is(text in "[ab]{0,200}", found in prop::collection::hash_set("[ab]{4}", 5..9)) {
            let wanted: Vec<&str> = found.iter().map(String::as_str).collect();
            let mut expected = Vec::new();
            let mut at = 0;
            while at + 4 <= text.len() {
                let is_hit = found.contains(&text[at..at + 4]);
                expected.extend(is_hit.then_some(at));
                at += if is_hit { 4 } else { 1 };
            }
            if text.len() >= 4 {
                prop_assert_eq!(find_hits(&text, 0..text.len(), 4, &wanted).unwrap(), expected);
            }
        }
    }

    #[test]
    fn issue_14_06_many_findings_are_masked_in_one_pass() {
        let texts: Vec<String> = (0..100_000).map(|number| format!("{number:08}")).collect();
        let text = texts.join(" ");
        // Each is found by several patterns, and several times.
        let masks: Vec<(&str, &str)> =
            texts.iter().chain(&texts).map(|text| ("N", text.as_str())).collect();
        let began = compute::cpu_used();
        let masked = mask_findings(&text, &checks(&masks)).unwrap();
        assert_eq!(masked, vec!["<N>"; texts.len()].join(" "));
        // One pass for each finding would read a hundred gigabytes.
        assert!(compute::cpu_used() - began < std::time::Duration::from_secs(10));
    }
}
