//! Which texts are no secret at all.

/// Whether nothing in a text can be seen. A key of zeros signs like no key.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|letter| letter.is_whitespace() || letter.is_control() || is_ignorable(letter))
}

/// Unicode's characters that have no width and no shape (`Default_Ignorable_Code_Point`), and the
/// marks of interlinear notes.
fn is_ignorable(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_16_what_cannot_be_seen_is_no_secret() {
        for text in ["", " ", "\n\t", "\0", "\0\0\0", "\u{200b}\u{feff}", "\u{3164}"] {
            assert!(is_blank(text), "{text:?}");
        }
        assert!(!is_blank("a") && !is_blank("\0a") && !is_blank("\u{e9}"));
    }
}
