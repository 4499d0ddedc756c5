//! Text of a server as a model or a person may see it: without what is invisible or turns it
//! around, and cut to a length.

use model::Str;

/// Characters that are not there for the reader, kept out of whatever a server says about itself.
fn is_hidden(letter: char) -> bool {
    match letter {
        '\n' | '\t' => false,
        // Formatting: zero width, direction marks, isolates, word joiners, tags, soft hyphens.
        '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}'
        // Variation selectors carry data in some attacks.
        | '\u{fe00}'..='\u{fe0f}' => true,
        other => other.is_control(),
    }
}

/// The text without hidden characters, with at most so many letters.
pub(super) fn visible(text: &str, max_chars: usize) -> Str {
    let mut shown = Str::new();
    for (count, letter) in text.chars().filter(|letter| !is_hidden(*letter)).enumerate() {
        if count == max_chars {
            shown.push('…');
            break;
        }
        shown.push(letter);
    }
    shown
}

/// The same in one line, for names and errors.
pub(super) fn line(text: &str, max_chars: usize) -> Str {
    let flat: String =
        text.chars().map(|letter| if letter.is_whitespace() { ' ' } else { letter }).collect();
    visible(flat.trim(), max_chars)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_left_out_and_long_texts_cut() {
        let hidden = "Adds\u{200b} \u{202e}numbers\u{202c}\u{e0041}\u{7}.\n\tYes";
        assert_eq!(visible(hidden, 100), "Adds numbers.\n\tYes");
        assert_eq!(visible("abcdef", 3), "abc…");
        assert_eq!(visible("abc", 3), "abc");
        assert_eq!(line(" a\r\nb\u{2029}c ", 10), "a  b c");
    }
}
