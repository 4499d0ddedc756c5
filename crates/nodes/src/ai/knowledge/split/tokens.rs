//! Cuts texts by the tokens of OpenAI's models.

use super::ChunkLengths;
use model::Str;
use node_api::ai::Splitter;
use tiktoken_rs::cl100k_base_singleton;

/// Chunks of so many tokens of `cl100k_base`.
pub(crate) struct TiktokenSplitter(pub(crate) ChunkLengths);

impl Splitter for TiktokenSplitter {
    fn split(&self, text: &str) -> Vec<Str> {
        let encoding = cl100k_base_singleton();
        let tokens = encoding.encode_ordinary(text);
        let ChunkLengths { size, overlap } = self.0;
        let mut chunks = Vec::new();
        let mut end = 0;
        while end < tokens.len() {
            let start = if end > 0 { end - overlap } else { 0 };
            end = (start + size).min(tokens.len());
            // A token may be a part of a letter, which then cannot be shown.
            let bytes = encoding.decode_bytes(&tokens[start..end]).unwrap_or_default();
            chunks.push(String::from_utf8_lossy(&bytes).into_owned().into());
        }
        chunks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_have_so_many_tokens_and_overlap() {
        let splitter = |size, overlap| TiktokenSplitter(ChunkLengths::new(size, overlap).unwrap());
        assert_eq!(
            splitter(3.0, 0.0).split("The quick brown fox jumps over"),
            ["The quick brown", " fox jumps over"]
        );
        assert_eq!(
            splitter(3.0, 1.0).split("The quick brown fox jumps"),
            ["The quick brown", " brown fox jumps"]
        );
        assert!(splitter(3.0, 0.0).split("").is_empty());
        let whole = "😀 naïve 東京 ".repeat(50);
        assert_eq!(splitter(100_000.0, 0.0).split(&whole), [whole.as_str()]);
    }

    #[test]
    fn a_long_text_without_words_is_cut_in_good_time() {
        let chunks =
            TiktokenSplitter(ChunkLengths::new(1000.0, 0.0).unwrap()).split(&"a".repeat(200_000));
        assert!(chunks.len() > 10 && chunks.concat().len() == 200_000);
    }
}
