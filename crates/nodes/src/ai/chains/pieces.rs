//! A long text in pieces that a model can take, cut where paragraphs, lines or words end.

const SEPARATORS: [&str; 3] = ["\n\n", "\n", " "];

/// Pieces of at most `size` letters, each beginning with up to `overlap` letters of the one before.
pub(super) fn pieces(text: &str, size: usize, overlap: usize) -> Vec<String> {
    let size = size.max(1);
    cut(text, size, overlap.min(size - 1), &SEPARATORS)
}

fn cut(text: &str, size: usize, overlap: usize, separators: &[&str]) -> Vec<String> {
    if length(text) <= size {
        let text = text.trim();
        return if text.is_empty() { Vec::new() } else { vec![text.to_owned()] };
    }
    let Some((separator, finer)) = separators.split_first() else { return by_letters(text, size, overlap) };
    if !text.contains(separator) {
        return cut(text, size, overlap, finer);
    }
    let mut pieces = Vec::new();
    let mut small: Vec<&str> = Vec::new();
    for part in text.split(separator).filter(|part| !part.is_empty()) {
        if length(part) <= size {
            small.push(part);
            continue;
        }
        pieces.extend(joined(&small, separator, size, overlap));
        small.clear();
        pieces.extend(cut(part, size, overlap, finer));
    }
    pieces.extend(joined(&small, separator, size, overlap));
    pieces
}

/// Small parts put together as long as they fit; the last ones of a piece begin the next.
fn joined(parts: &[&str], separator: &str, size: usize, overlap: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut current: Vec<&str> = Vec::new();
    let total = |parts: &[&str]| parts.iter().map(|part| length(part)).sum::<usize>() + separator.len() * parts.len().saturating_sub(1);
    for part in parts {
        let with_part = |current: &[&str]| total(current) + length(part) + if current.is_empty() { 0 } else { separator.len() };
        if with_part(&current) > size && !current.is_empty() {
            pieces.push(current.join(separator));
            while !current.is_empty() && (total(&current) > overlap || with_part(&current) > size) {
                current.remove(0);
            }
        }
        current.push(part);
    }
    pieces.push(current.join(separator));
    pieces.into_iter().map(|piece| piece.trim().to_owned()).filter(|piece| !piece.is_empty()).collect()
}

fn by_letters(text: &str, size: usize, overlap: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let step = size - overlap;
    let starts = (0..letters.len()).step_by(step).take_while(|start| *start == 0 || start + overlap < letters.len());
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
        assert_eq!(pieces("one two three four five", 13, 5), ["one two three", "three four", "four five"]);
        assert_eq!(pieces("short", 100, 20), ["short"]);
        assert_eq!(pieces("  ", 100, 20), Vec::<String>::new());
    }

    #[test]
    fn paragraphs_stay_together_where_they_fit() {
        assert_eq!(pieces("a b c\n\nd e f", 6, 0), ["a b c", "d e f"]);
    }

    #[test]
    fn no_piece_is_too_long_and_no_letter_is_lost() {
        let text = "x".repeat(25);
        let cut = pieces(&text, 10, 2);
        assert_eq!(cut.iter().map(String::len).collect::<Vec<_>>(), [10, 10, 9]);
        assert_eq!(pieces("ääääää", 2, 0), ["ää", "ää", "ää"]);
    }
}
