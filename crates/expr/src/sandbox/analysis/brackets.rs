//! Which bracket closes which, found once for all that asks.

use super::super::source::{SourceToken, TokenKind};

/// For every token that opens or closes a bracket, the position of the other one.
pub(super) struct Brackets {
    partners: Vec<u32>,
    all_match: bool,
}

const NONE: u32 = u32::MAX;

impl Brackets {
    pub(super) fn new(tokens: &[SourceToken], source: &str) -> Self {
        let mut partners = vec![NONE; tokens.len()];
        let mut open: Vec<usize> = Vec::new();
        let mut all_match = true;
        for (at, token) in tokens.iter().enumerate() {
            let (closes, opens) = match token.kind {
                TokenKind::Punctuation(b'(' | b'[' | b'{') => (false, true),
                TokenKind::Punctuation(b')' | b']' | b'}') => (true, false),
                TokenKind::Template => {
                    let text = token.text(source);
                    (text.starts_with('}'), text.ends_with("${"))
                }
                _ => (false, false),
            };
            if closes {
                let Some(start) = open.pop() else {
                    all_match = false;
                    continue;
                };
                all_match &= match (tokens.get(start).map(|token| token.kind), token.kind) {
                    (Some(TokenKind::Punctuation(first)), TokenKind::Punctuation(last)) => {
                        matches!((first, last), (b'(', b')') | (b'[', b']') | (b'{', b'}'))
                    }
                    (first, last) => first == Some(last),
                };
                // A piece of a template may close one bracket and open another: as a start it is
                // found by its end.
                partners[at] = start as u32;
                partners[start] = at as u32;
            }
            if opens {
                open.push(at);
            }
        }
        let all_match = all_match && open.is_empty();
        Self { partners, all_match }
    }

    /// Whether each bracket has one of its kind that belongs to it.
    pub(super) fn all_match(&self) -> bool {
        self.all_match
    }

    /// The bracket that belongs to the one at a position.
    pub(super) fn partner(&self, at: usize) -> Option<usize> {
        self.partners.get(at).filter(|partner| **partner != NONE).map(|partner| *partner as usize)
    }

    /// Where the list that opens at a position ends, and where its elements begin: behind the
    /// bracket and behind each comma of its own.
    pub(super) fn elements(
        &self,
        tokens: &[SourceToken],
        open: usize,
    ) -> Option<(Vec<usize>, usize)> {
        let end = self.partner(open).filter(|end| *end > open)?;
        let mut starts = vec![open + 1];
        let mut at = open + 1;
        while at < end {
            if tokens.get(at)?.is(b',') {
                starts.push(at + 1);
            }
            at = self.partner(at).filter(|partner| *partner > at).unwrap_or(at) + 1;
        }
        Some((starts, end))
    }
}
