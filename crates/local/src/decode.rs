//! Decoding: letting the language model choose between given texts, or write freely.
//!
//! A small model that may write anything writes anything. Where the answer must be one of a few
//! texts (a label, a number of the request, some words of it), it only ever chooses the next token
//! among those by which one of them goes on.

use crate::llama::{KvCache, Llama};

/// How much less likely a token gets that was written not long ago: small models repeat themselves
/// without end.
const REPEATED: f32 = 1.15;
const REMEMBERED: usize = 64;

/// What ends a text in a prompt of examples.
const END_OF_LINE: &str = "\n";

/// The place of the text by which the prompt goes on best. Each text is followed by the end of its
/// line, so that a short one is not chosen just because a longer one begins with it. `None` if
/// there are no texts.
pub(crate) fn choose(llama: &Llama, prompt: &str, texts: &[String]) -> Option<usize> {
    let ways: Vec<Vec<u32>> =
        texts.iter().map(|text| llama.words.encode(&format!(" {text}{END_OF_LINE}"))).collect();
    let mut alive: Vec<usize> = (0..ways.len()).collect();
    let mut read = KvCache::default();
    let mut last: Option<Vec<f32>> = None;
    for at in 0.. {
        let mut next: Vec<u32> =
            alive.iter().filter_map(|way| ways[*way].get(at).copied()).collect();
        next.sort_unstable();
        next.dedup();
        let chosen = match next.as_slice() {
            [] => return alive.first().copied(),
            [only] => *only,
            several => {
                // The prompt is read only once a choice is to be made, and so is what was chosen
                // since.
                let last = last.take().unwrap_or_else(|| {
                    let tokens =
                        [llama.words.encode(prompt), ways[alive[0]][..at].to_vec()].concat();
                    llama.forward(&mut read, &tokens)
                });
                let scores = llama.logits_of(&last, several);
                let best = scores
                    .iter()
                    .enumerate()
                    .max_by(|(_, one), (_, other)| one.total_cmp(other))
                    .map_or(0, |(place, _)| place);
                several[best]
            }
        };
        alive.retain(|way| ways[*way].get(at) == Some(&chosen));
        if let [only] = alive.as_slice() {
            return Some(*only);
        }
        if read.n_tokens() > 0 {
            last = Some(llama.forward(&mut read, &[chosen]));
        }
    }
    None
}

/// How likely the prompt goes on with each of the texts, as logarithms.
pub(crate) fn likelihoods(llama: &Llama, prompt: &str, texts: &[String]) -> Vec<f32> {
    let mut read = KvCache::default();
    let last = llama.forward(&mut read, &llama.words.encode(prompt));
    let likelihood = |text: &String| {
        let (mut read, mut last) = (read.clone(), last.clone());
        let mut sum = 0.0;
        for token in llama.words.encode(&format!(" {text}{END_OF_LINE}")) {
            let scores = llama.logits(&last);
            let most = scores.iter().fold(f32::MIN, |most, score| most.max(*score));
            let all: f32 = scores.iter().map(|score| (score - most).exp()).sum();
            sum += scores[token as usize] - most - all.ln();
            last = llama.forward(&mut read, &[token]);
        }
        sum
    };
    texts.iter().map(likelihood).collect()
}

/// How free writing goes on.
pub(crate) enum WriteControl {
    Continue,
    Stop,
}

/// Why free writing has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteEnd {
    End,
    Limit,
}

/// Writes freely behind the tokens of a conversation, telling each piece of text as it is whole;
/// gives how many tokens it wrote, and why it ended.
pub(crate) fn write(
    llama: &Llama,
    conversation: &[u32],
    limit: usize,
    mut tell: impl FnMut(&str) -> WriteControl,
) -> (usize, WriteEnd) {
    let mut read = KvCache::default();
    let mut last = llama.forward(&mut read, conversation);
    let mut written: Vec<u32> = Vec::new();
    let mut bytes: Vec<u8> = Vec::new();
    while written.len() < limit && read.n_tokens() < llama.context() {
        let mut scores = llama.logits(&last);
        for token in written.iter().rev().take(REMEMBERED) {
            let score = &mut scores[*token as usize];
            *score = if *score > 0.0 { *score / REPEATED } else { *score * REPEATED };
        }
        let best = scores
            .iter()
            .enumerate()
            .max_by(|(_, one), (_, other)| one.total_cmp(other))
            .map_or(0, |(token, _)| token);
        let token = best as u32;
        if token == llama.words.end || token == 0 {
            return (written.len(), WriteEnd::End);
        }
        written.push(token);
        bytes.extend_from_slice(llama.words.bytes(token));
        // A letter of several bytes may come in several tokens.
        let whole = match std::str::from_utf8(&bytes) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        if whole > 0 {
            let text = String::from_utf8_lossy(&bytes[..whole]).into_owned();
            bytes.drain(..whole);
            if matches!(tell(&text), WriteControl::Stop) {
                return (written.len(), WriteEnd::End);
            }
        }
        last = llama.forward(&mut read, &[token]);
    }
    (written.len(), WriteEnd::Limit)
}
