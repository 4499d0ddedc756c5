//! How far a text goes in JSON as it is, eight bytes at a time: most of a document is text.

/// The number of bytes before the first quote, backslash or control character.
pub(crate) fn plain_length(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        let special = special_bytes(u64::from_le_bytes(*word));
        if special != 0 {
            return number * 8 + special.trailing_zeros() as usize / 8;
        }
    }
    let special = |byte: &u8| matches!(*byte, b'"' | b'\\' | 0..0x20);
    bytes.len() - rest.len() + rest.iter().position(special).unwrap_or(rest.len())
}

/// The highest bit of each byte that is special. Above the first of them the others may be wrong.
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 0xff;
    // A byte that is less borrows its highest bit; one that has that bit itself does not count.
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
    let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (below(word, 0x20) | equal(b'"') | equal(b'\\')) & (ONES * 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_found_at_every_place() {
        for byte in 0..=255_u8 {
            let is_special = byte < 0x20 || byte == b'"' || byte == b'\\';
            for place in 0..20 {
                // Neighbours that differ from a special byte by one bit, or borrow from the next
                // one.
                let mut bytes = [0x21, 0xa2, b']', 0x80, 0xff, b'#', 0x20].repeat(3);
                bytes[place] = byte;
                bytes.push(b'"');
                assert_eq!(
                    plain_length(&bytes),
                    if is_special { place } else { 21 },
                    "{byte:#x} at {place}"
                );
            }
        }
        assert_eq!(plain_length(b""), 0);
        assert_eq!(plain_length(b"no end"), 6);
        assert_eq!(plain_length("é😀é😀é😀".as_bytes()), 18);
    }
}
