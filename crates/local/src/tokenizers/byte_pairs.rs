//! The tokeniser of GPT-2's kind, as SmolLM2 has it: bytes that are put together pair by pair, in
//! the order in which training found them.

use crate::weights::WeightsError;
use crate::weights::gguf::Gguf;
use fancy_regex::Regex;
use std::collections::HashMap;

/// Where a text is cut before bytes are put together: words with the space before them, single
/// digits, punctuation, runs of space.
const CUTS: &str =
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+";

pub(crate) struct BytePairs {
    /// The bytes of each token.
    tokens: Vec<Vec<u8>>,
    /// The token of a single byte, where the vocabulary has one.
    bytes: [Option<u32>; 256],
    /// What two tokens become, and how early.
    merges: HashMap<(u32, u32), (usize, u32)>,
    cuts: Regex,
    /// Ends what somebody says.
    pub(crate) end: u32,
    begin: u32,
}

impl BytePairs {
    pub(crate) fn read(gguf: &Gguf) -> Result<Self, WeightsError> {
        let (tokens, merges) =
            (gguf.texts("tokenizer.ggml.tokens")?, gguf.texts("tokenizer.ggml.merges")?);
        let ids: HashMap<&str, u32> = tokens.iter().map(String::as_str).zip(0..).collect();
        let wrong = || WeightsError::Shape("tokenizer.ggml.merges".to_owned());
        let mut pairs = HashMap::new();
        for (rank, merge) in merges.iter().enumerate() {
            let (left, right) = merge.split_once(' ').ok_or_else(wrong)?;
            let id = |text: &str| ids.get(text).copied().ok_or_else(wrong);
            pairs.insert((id(left)?, id(right)?), (rank, id(&format!("{left}{right}"))?));
        }
        let alphabet = alphabet();
        let of_letter: HashMap<char, u8> = alphabet.iter().copied().zip(0..=255).collect();
        // Special tokens are no bytes of a text: they stay as they are written, and no text is ever
        // encoded as one.
        let bytes_of = |token: &String| match token
            .chars()
            .map(|letter| of_letter.get(&letter).copied())
            .collect::<Option<Vec<u8>>>()
        {
            Some(bytes) => bytes,
            None => token.clone().into_bytes(),
        };
        let mut buffer = [0; 4];
        let bytes = alphabet.map(|letter| ids.get(&*letter.encode_utf8(&mut buffer)).copied());
        Ok(Self {
            tokens: tokens.iter().map(bytes_of).collect(),
            bytes,
            merges: pairs,
            cuts: Regex::new(CUTS).map_err(|_| WeightsError::Form("GGUF"))?,
            end: *ids
                .get("<|im_end|>")
                .ok_or_else(|| WeightsError::Missing("<|im_end|>".to_owned()))?,
            begin: *ids
                .get("<|im_start|>")
                .ok_or_else(|| WeightsError::Missing("<|im_start|>".to_owned()))?,
        })
    }

    pub(crate) fn size(&self) -> usize {
        self.tokens.len()
    }

    /// The tokens of a text. Bytes that the vocabulary does not have are left out; no text has
    /// special tokens in it.
    pub(crate) fn encode(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        for piece in self.cuts.find_iter(text).flatten() {
            let mut parts: Vec<u32> =
                piece.as_str().bytes().filter_map(|byte| self.bytes[usize::from(byte)]).collect();
            while let Some((at, merged)) = self.earliest(&parts) {
                parts[at] = merged;
                parts.remove(at + 1);
            }
            tokens.extend(parts);
        }
        tokens
    }

    /// The pair that is put together first, and what it becomes.
    fn earliest(&self, parts: &[u32]) -> Option<(usize, u32)> {
        let found = parts
            .windows(2)
            .enumerate()
            .filter_map(|(at, pair)| Some((self.merges.get(&(pair[0], pair[1]))?, at)));
        found.min().map(|((_, merged), at)| (at, *merged))
    }

    /// What somebody says in a conversation, between the marks that the model was trained with.
    pub(crate) fn encode_message(&self, role: &str, text: &str) -> Vec<u32> {
        let mut tokens = vec![self.begin];
        tokens.extend(self.encode(&format!("{role}\n{text}")));
        tokens.push(self.end);
        tokens.extend(self.encode("\n"));
        tokens
    }

    /// The begin of the assistant's message, which the model goes on with.
    pub(crate) fn encode_turn(&self) -> Vec<u32> {
        let mut tokens = vec![self.begin];
        tokens.extend(self.encode("assistant\n"));
        tokens
    }

    /// The bytes of a token; nothing for one that is not there.
    pub(crate) fn bytes(&self, token: u32) -> &[u8] {
        self.tokens.get(token as usize).map_or(&[], Vec::as_slice)
    }
}

/// How GPT-2 writes bytes as letters: visible ones as themselves, the others from U+0100 on.
fn alphabet() -> [char; 256] {
    let mut next = 256_u32;
    std::array::from_fn(|byte| {
        let byte = byte as u8;
        match byte {
            b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff => char::from(byte),
            _ => {
                let letter = char::from_u32(next).unwrap_or('\u{fffd}');
                next += 1;
                letter
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_gpt_2_writes_them() {
        let letters = alphabet();
        assert_eq!(
            (letters[usize::from(b' ')], letters[usize::from(b'\n')], letters[usize::from(b'a')]),
            ('Ġ', 'Ċ', 'a')
        );
        assert_eq!(letters.iter().collect::<std::collections::HashSet<_>>().len(), 256);
    }

    #[test]
    fn texts_are_cut_at_words_digits_and_spaces() {
        let cuts = Regex::new(CUTS).unwrap();
        let cut = |text: &str| {
            cuts.find_iter(text)
                .map(|piece| piece.unwrap().as_str().to_owned())
                .collect::<Vec<_>>()
                .join("|")
        };
        assert_eq!(cut("It's 250 apples, isn't it?"), "It|'s| |2|5|0| apples|,| isn|'t| it|?");
        assert_eq!(cut("a  b   7\n\n"), "a| | b|   |7|\n\n");
    }
}
