//! Finds the line that a field of a JSON text is in.

/// The line of the field at a path of keys, or of the last of them that is there; from one.
pub(super) fn line_of(text: &str, path: &[&str]) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut found, mut place) = (0, 0_usize, 0_usize, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                // The object that held the last key has ended without the next one.
                if depth < found {
                    break;
                }
            }
            b'"' => {
                let end = end_of_string(bytes, at + 1);
                let key = text.get(at + 1..end).unwrap_or_default();
                let is_key = text.get(end + 1..).unwrap_or_default().trim_start().starts_with(':');
                if is_key && depth == found + 1 && path.get(found) == Some(&key) {
                    (found, place) = (found + 1, at);
                    if found == path.len() {
                        break;
                    }
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    1 + text.get(..place).unwrap_or_default().matches('\n').count()
}

/// Where the quote is that ends a string.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}
