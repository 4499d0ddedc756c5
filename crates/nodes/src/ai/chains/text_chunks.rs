//! A long text in pieces that a model can take, cut where paragraphs, lines or words end.

const SEPARATORS: [&str; 3] = ["\n\n", "\n", " "];

/// Pieces of at most `size` letters, each beginning with up to `overlap` letters of the one before.
pub(super) fn chunk_text(text: &str, size: usize, overlap: usize) -> Vec<String> {
    let size = size.max(1);
    split_recursive(text, size, overlap.min(size - 1), &SEPARATORS)
}

fn split_recursive(text: &str, size: usize, overlap: usize, separators: &[&str]) -> Vec<String> {
    if length(text) <= size {
        let text = text.trim();
        return if text.is_empty() { Vec::new() } else { vec![text.to_owned()] };
    }
    let Some((separator, finer)) = separators.split_first() else {
        return split_by_chars(text, size, overlap);
    };
    if !text.contains(separator) {
        return split_recursive(text, size, overlap, finer);
    }
    let mut pieces = Vec::new();
    let mut small: Vec<&str> = Vec::new();
    for part in text.split(separator).filter(|part| !part.is_empty()) {
        if length(part) <= size {
            small.push(part);
            continue;
        }
        pieces.extend(merge_parts(&small, separator, size, overlap));
        small.clear();
        pieces.extend(split_recursive(part, size, overlap, finer));
    }
    pieces.extend(merge_parts(&small, separator, size, overlap));
    pieces
}

/// Small parts put together as long as they fit; the last ones of a piece begin the next.
fn merge_parts(parts: &[&str], separator: &str, size: usize, overlap: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    // The parts of the piece at hand are those from the first on; their letters are counted without
    // what stands between them.
    let (mut first, mut letters) = (0, 0);
    let between = |n_parts: usize| separator.len() * n_parts.saturating_sub(1);
    for (at, part) in parts.iter().enumerate() {
        let own = length(part);
        let with_part = |first: usize, letters: usize| letters + own + between(at - first + 1);
        if with_part(first, letters) > size && first < at {
            pieces.push(parts[first..at].join(separator));
            while first < at
                && (letters + between(at - first) > overlap || with_part(first, letters) > size)
            {
                letters -= length(parts[first]);
                first += 1;
            }
        }
        letters += own;
    }
    pieces.push(parts[first..].join(separator));
    pieces
        .into_iter()
        .map(|piece| piece.trim().to_owned())
        .filter(|piece| !piece.is_empty())
        .collect()
}

fn split_by_chars(text: &str, size: usize, overlap: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let step = size - overlap;
    let starts = (0..letters.len())
        .step_by(step)
        .take_while(|start| *start == 0 || start + overlap < letters.len());
    starts.map(|start| letters[start..(start + size).min(letters.len())].iter().collect()).collect()
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_words_and_pieces_overlap() {
        assert_eq!(
            chunk_text("one two three four five", 13, 5),
            ["one two three", "three four", "four five"]
        );
        assert_eq!(chunk_text("short", 100, 20), ["short"]);
        assert_eq!(chunk_text("  ", 100, 20), Vec::<String>::new());
    }

    #[test]
    fn issue_14_06_a_piece_of_many_words_is_cut_in_one_pass() {
        let began = compute::cpu_used();
        let text = "a ".repeat(200_000);
        assert_eq!(chunk_text(&text, 199_999, 0).len(), 2);
        // Counting all words again for each of them would take ten billion steps.
        assert!(compute::cpu_used() - began < std::time::Duration::from_secs(5));
    }

    #[test]
    fn paragraphs_stay_together_where_they_fit() {
        assert_eq!(chunk_text("a b c\n\nd e f", 6, 0), ["a b c", "d e f"]);
    }

    #[test]
    fn no_piece_is_too_long_and_no_letter_is_lost() {
        let text = "x".repeat(25);
        let cut = chunk_text(&text, 10, 2);
        assert_eq!(cut.iter().map(String::len).collect::<Vec<_>>(), [10, 10, 9]);
        assert_eq!(chunk_text("ääääää", 2, 0), ["ää", "ää", "ää"]);
    }
}
