//! Cuts texts into chunks. The rules are LangChain's, whose splitters n8n has, so that a text gives
//! the same chunks here and there.

mod languages;
mod tokens;

pub(crate) use languages::{LANGUAGES, separators_of};
pub(crate) use tokens::TiktokenSplitter;

use formats::ticker::tick;
use model::{Object, Str, Value};
use node_api::NodeError;
use node_api::ai::{Document, Splitter};

/// Where texts are cut that are in no language in particular, the best place first.
pub(crate) const DEFAULT_SEPARATORS: &[&str] = &["\n\n", "\n", " ", ""];

/// How long chunks are, and how much of one is repeated in the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ChunkLengths {
    size: usize,
    overlap: usize,
}

impl ChunkLengths {
    /// What n8n's loader uses where nobody says otherwise.
    pub(crate) const DEFAULT: Self = Self { size: 1000, overlap: 200 };

    pub(crate) fn new(size: f64, overlap: f64) -> Result<Self, NodeError> {
        if size < 1.0 {
            return Err(NodeError::parameter("chunkSize", "The chunk size must be at least 1"));
        }
        if overlap >= size {
            return Err(NodeError::parameter(
                "chunkOverlap",
                "Cannot have chunkOverlap >= chunkSize",
            ));
        }
        Ok(Self { size: size as usize, overlap: overlap.max(0.0) as usize })
    }
}

/// Cuts at the best place that makes chunks short enough, and goes on to the next best within
/// pieces that are still too long.
pub(crate) struct RecursiveSplitter {
    pub(crate) separators: &'static [&'static str],
    pub(crate) lengths: ChunkLengths,
    /// Whether a piece begins with what it was cut at.
    pub(crate) keeps_separators: bool,
}

impl Splitter for RecursiveSplitter {
    fn split(&self, text: &str) -> Vec<Str> {
        let mut chunks = Vec::new();
        self.split_at(text, self.separators, &mut chunks);
        chunks
    }
}

impl RecursiveSplitter {
    fn split_at(&self, text: &str, separators: &[&str], chunks: &mut Vec<Str>) {
        let at = separators
            .iter()
            .position(|separator| separator.is_empty() || text.contains(separator));
        let (separator, rest) = match at {
            Some(at) => (separators[at], &separators[at + 1..]),
            None => (separators.last().copied().unwrap_or_default(), &[][..]),
        };
        let joint = if self.keeps_separators { "" } else { separator };
        let mut short = Vec::new();
        for piece in split_at_separator(text, separator, self.keeps_separators) {
            if length(piece) < self.lengths.size {
                short.push(piece);
                continue;
            }
            merge_pieces(&std::mem::take(&mut short), joint, self.lengths, chunks);
            match rest.is_empty() {
                true => chunks.push(piece.into()),
                false => self.split_at(piece, rest, chunks),
            }
        }
        merge_pieces(&short, joint, self.lengths, chunks);
    }
}

/// Cuts at one separator and puts the pieces together again until they are long enough.
pub(crate) struct CharacterSplitter {
    pub(crate) separator: Str,
    pub(crate) lengths: ChunkLengths,
}

impl Splitter for CharacterSplitter {
    fn split(&self, text: &str) -> Vec<Str> {
        let mut chunks = Vec::new();
        merge_pieces(
            &split_at_separator(text, &self.separator, false),
            &self.separator,
            self.lengths,
            &mut chunks,
        );
        chunks
    }
}

/// The chunks of documents, each with the metadata of its document and the lines that it stands on.
pub(crate) fn split_documents(
    splitter: &dyn Splitter,
    documents: Vec<Document>,
) -> Result<Vec<Document>, NodeError> {
    let mut chunks = Vec::new();
    for Document { content, metadata } in documents {
        // Chunks overlap, so that the next one is looked for behind the beginning of the last.
        let (mut from, mut line, mut counted) = (0, 1, 0);
        for chunk in splitter.split(&content) {
            // One that is not found is looked for in all that is left.
            tick()?;
            if let Some(at) =
                content.get(from..).and_then(|rest| rest.find(chunk.as_str())).map(|at| from + at)
            {
                line += new_lines(&content[counted..at]);
                counted = at;
                from = at + content[at..].chars().next().map_or(1, char::len_utf8);
            }
            let lines = Object::from_iter([
                ("from", Value::from(line)),
                ("to", (line + new_lines(&chunk)).into()),
            ]);
            let mut loc =
                metadata.get("loc").and_then(Value::as_object).cloned().unwrap_or_default();
            loc.insert("lines", lines);
            let mut metadata = metadata.clone();
            metadata.insert("loc", loc);
            chunks.push(Document { content: chunk, metadata });
        }
    }
    Ok(chunks)
}

fn new_lines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// As JavaScript counts letters.
fn length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// The pieces between separators, or each with the separator before it. Empty ones are left out.
fn split_at_separator<'t>(text: &'t str, separator: &str, keeps_separators: bool) -> Vec<&'t str> {
    if separator.is_empty() {
        return text.char_indices().map(|(at, letter)| &text[at..at + letter.len_utf8()]).collect();
    }
    if !keeps_separators {
        return text.split(separator).filter(|piece| !piece.is_empty()).collect();
    }
    let ends: Vec<usize> =
        text.match_indices(separator).map(|(at, _)| at).chain([text.len()]).collect();
    let mut from = 0;
    let pieces = ends.into_iter().map(|end| {
        let piece = &text[from..end];
        from = end;
        piece
    });
    pieces.filter(|piece| !piece.is_empty()).collect()
}

/// Puts pieces together to chunks of at most the wanted size. A chunk begins with the end of the
/// last one, as far as the overlap allows.
fn merge_pieces(pieces: &[&str], joint: &str, lengths: ChunkLengths, chunks: &mut Vec<Str>) {
    let ChunkLengths { size, overlap } = lengths;
    let joint_length = length(joint);
    let mut first = 0;
    let mut total = 0;
    let mut push = |pieces: &[&str]| {
        let joined = pieces.join(joint);
        let trimmed = joined.trim();
        if !trimmed.is_empty() {
            chunks.push(trimmed.into());
        }
    };
    for (at, piece) in pieces.iter().enumerate() {
        let long = length(piece);
        if total + long + (at - first) * joint_length > size && at > first {
            push(&pieces[first..at]);
            while total > overlap
                || (total + long + (at - first) * joint_length > size && total > 0)
            {
                total -= length(pieces[first]);
                first += 1;
            }
        }
        total += long;
    }
    push(&pieces[first..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn recursive(size: f64, overlap: f64, text: &str) -> Vec<Str> {
        RecursiveSplitter {
            separators: DEFAULT_SEPARATORS,
            lengths: ChunkLengths::new(size, overlap).unwrap(),
            keeps_separators: false,
        }
        .split(text)
    }

    #[test]
    fn paragraphs_come_before_lines_and_lines_before_words() {
        let text = "One two.\n\nThree four five six.\nSeven\n\nEight";
        assert_eq!(
            recursive(20.0, 0.0, text),
            ["One two.", "Three four five six.", "Seven", "Eight"]
        );
        assert_eq!(
            recursive(9.0, 0.0, text),
            ["One two.", "Three", "four five", "six.", "Seven", "Eight"]
        );
        assert_eq!(recursive(2.0, 0.0, "abcde"), ["ab", "cd", "e"]);
        assert!(recursive(10.0, 0.0, "").is_empty() && recursive(10.0, 0.0, " \n\n ").is_empty());
    }

    #[test]
    fn chunks_repeat_the_end_of_the_one_before() {
        assert_eq!(
            recursive(10.0, 4.0, "aa bb cc dd ee ff"),
            ["aa bb cc", "bb cc dd", "cc dd ee", "dd ee ff"]
        );
        let whole = RecursiveSplitter {
            separators: DEFAULT_SEPARATORS,
            lengths: ChunkLengths::new(10.0, 4.0).unwrap(),
            keeps_separators: true,
        };
        assert_eq!(whole.split("aa bb cc dd ee ff"), ["aa bb cc", "cc dd ee", "ee ff"]);
    }

    #[test]
    fn letters_are_counted_as_javascript_counts_them_and_never_cut_in_two() {
        assert_eq!(recursive(4.0, 0.0, "😀😀😀"), ["😀😀", "😀"]);
        let text = "äöü ".repeat(500);
        assert!(recursive(7.0, 2.0, &text).iter().all(|chunk| length(chunk) <= 7));
    }

    #[test]
    fn characters_are_cut_at_one_separator() {
        let splitter = |separator: &str, size: f64| CharacterSplitter {
            separator: separator.into(),
            lengths: ChunkLengths::new(size, 0.0).unwrap(),
        };
        assert_eq!(splitter("|", 5.0).split("a|b||ccc|dddddddd"), ["a|b", "ccc", "dddddddd"]);
        assert_eq!(splitter("", 3.0).split("abcdefgh"), ["abc", "def", "gh"]);
    }

    #[test]
    fn an_overlap_as_long_as_a_chunk_is_refused() {
        assert_eq!(
            ChunkLengths::new(5.0, 5.0).unwrap_err().message().as_str(),
            "Cannot have chunkOverlap >= chunkSize"
        );
        assert!(ChunkLengths::new(0.0, 0.0).is_err());
    }

    #[test]
    fn chunks_know_the_lines_they_stand_on() {
        let metadata =
            json!({ "source": "a", "loc": { "pageNumber": 2 } }).as_object().cloned().unwrap();
        let document = Document { content: "one\ntwo\n\nthree\nfour".into(), metadata };
        let splitter = RecursiveSplitter {
            separators: DEFAULT_SEPARATORS,
            lengths: ChunkLengths::new(10.0, 0.0).unwrap(),
            keeps_separators: false,
        };
        let chunks = split_documents(&splitter, vec![document]).unwrap();
        let told: Vec<(&str, Value)> = chunks
            .iter()
            .map(|chunk| (chunk.content.as_str(), chunk.metadata.get("loc").cloned().unwrap()))
            .collect();
        let loc = |from: usize, to: usize| json!({ "pageNumber": 2, "lines": { "from": from, "to": to } });
        assert_eq!(told, [("one\ntwo", loc(1, 2)), ("three\nfour", loc(4, 5))]);
    }
}
