//! Names out of a workflow as messages show them: short, and without characters that change how the
//! rest is read.

use model::Str;

/// Longer names are cut.
pub(super) const MAX_NAME: usize = 200;

/// A name for a message.
pub(super) fn short(name: &str) -> Str {
    const MAX_LETTERS: usize = 60;
    let mut out = Str::new();
    for (count, letter) in name.chars().enumerate() {
        if count == MAX_LETTERS {
            out.push('…');
            break;
        }
        match is_deceptive(letter) {
            true => out.push_str(&format!("\\u{{{:x}}}", u32::from(letter))),
            false => out.push(letter),
        }
    }
    out
}

/// Control characters, and those that are invisible or turn the direction of what follows.
pub(super) fn is_deceptive(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}
