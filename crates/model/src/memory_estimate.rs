//! About how much memory a text takes once it is values. A few letters, such as `[0]`, become many
//! bytes, so whoever reads text of others asks first, or counts while reading.

use crate::json::plain_length;

/// What a text of others may become if nobody says otherwise.
pub const MAX_BYTES: usize = 256 << 20;

/// About what a list takes besides its values, with room for the first of them, and an object with
/// its first keys.
const LIST_BYTES: usize = 160;
const OBJECT_BYTES: usize = 240;
/// The keys that an object has room for from the beginning.
const FIRST_KEYS: usize = 4;
/// What each further value of a list takes, and each further key of an object with its part of the
/// index.
const VALUE_BYTES: usize = 28;
const KEY_BYTES: usize = 64;
/// An element of XML has a tag at each end. Its attributes are an object of their own in the one of
/// the element.
const TAG_BYTES: usize = 80;
const ATTRIBUTE_BYTES: usize = 120;
const ATTRIBUTES_BYTES: usize = 300;

/// What a JSON text will take, by the marks between its values.
pub fn estimate_json(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut lists, mut objects, mut commas, mut colons) = (0_usize, 0_usize, 0_usize, 0_usize);
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => at = end_of_string(bytes, at),
            b'[' => lists += 1,
            b'{' => objects += 1,
            b',' => commas += 1,
            b':' => colons += 1,
            _ => {}
        }
    }
    let further_keys = colons.saturating_sub(objects.saturating_mul(FIRST_KEYS));
    let parts = [
        (lists, LIST_BYTES),
        (objects, OBJECT_BYTES),
        (commas, VALUE_BYTES),
        (further_keys, KEY_BYTES),
    ];
    sum(bytes.len(), parts)
}

/// An upper bound of [`estimate_json`], and much quicker: marks count wherever they are, also inside
/// strings.
pub fn json_upper_bound(text: &str) -> usize {
    let (mut lists, mut objects, mut commas, mut colons) = (0, 0, 0, 0);
    // A chunk is so short that a byte holds the count: the compiler makes this a few instructions
    // for many letters.
    for chunk in text.as_bytes().chunks(usize::from(u8::MAX)) {
        let mut counts = [0_u8; 4];
        for byte in chunk {
            counts[0] += u8::from(*byte == b'[');
            counts[1] += u8::from(*byte == b'{');
            counts[2] += u8::from(*byte == b',');
            counts[3] += u8::from(*byte == b':');
        }
        let [in_lists, in_objects, in_commas, in_colons] = counts.map(usize::from);
        lists += in_lists;
        objects += in_objects;
        commas += in_commas;
        colons += in_colons;
    }
    sum(
        text.len(),
        [(lists, LIST_BYTES), (objects, OBJECT_BYTES), (commas, VALUE_BYTES), (colons, KEY_BYTES)],
    )
}

/// Where the text behind a quote goes on after the next one that is not escaped.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    loop {
        at += plain_length(bytes.get(at..).unwrap_or_default());
        match bytes.get(at) {
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
            None => return bytes.len(),
        }
    }
}

/// The same for XML. Each tag and each sign of an attribute counts wherever it is: what is text and
/// what is not is for the reader to find out.
pub fn estimate_xml(text: &str) -> usize {
    let bytes = text.as_bytes();
    let count = |mark: u8| bytes.iter().filter(|byte| **byte == mark).count();
    let (tags, attributes) = (count(b'<'), count(b'='));
    let closing = bytes.windows(2).filter(|pair| *pair == b"</").count();
    let with_attributes = (tags - closing).min(attributes);
    sum(
        bytes.len(),
        [(tags, TAG_BYTES), (attributes, ATTRIBUTE_BYTES), (with_attributes, ATTRIBUTES_BYTES)],
    )
}

fn sum<const N: usize>(first: usize, parts: [(usize, usize); N]) -> usize {
    parts
        .into_iter()
        .fold(first, |all, (count, each)| all.saturating_add(count.saturating_mul(each)))
}

/// Counts what values take while they are read, and says when it is more than they may.
#[derive(Clone, Copy, Debug)]
pub struct MemoryMeter {
    left: usize,
    limit: usize,
}

/// A text up to this length is a part of the value that holds it.
const INLINE_BYTES: usize = 15;
/// What a longer one takes besides its letters.
const TEXT_BYTES: usize = 24;
/// An object gets an index when it has so many keys. A key takes so much in it, and there is room
/// for twice as many.
const INDEX_FROM: usize = 16;
const INDEX_BYTES: usize = 2 * 26;

impl MemoryMeter {
    /// For the values of a text of a length, whose letters they hold themselves.
    pub fn new(length: usize, limit: usize) -> Option<Self> {
        Some(Self { left: limit.checked_sub(length)?, limit })
    }

    /// What was counted so far.
    pub fn used(&self) -> usize {
        self.limit - self.left
    }

    /// Whether a list that has so many values, and room for so many, may get another one.
    #[inline]
    #[must_use]
    pub fn element(&mut self, len: usize, capacity: usize) -> bool {
        len < capacity
            || self.take(if len == 0 {
                LIST_BYTES
            } else {
                capacity.saturating_mul(size_of::<crate::Value>())
            })
    }

    /// Whether an object with so many keys may get another one.
    #[inline]
    #[must_use]
    pub fn key(&mut self, len: usize) -> bool {
        match len {
            0 => self.take(OBJECT_BYTES),
            // The room for keys is doubled whenever it is used up.
            FIRST_KEYS.. if len.is_power_of_two() => {
                let index = if len >= INDEX_FROM { INDEX_BYTES } else { 0 };
                self.take(len.saturating_mul(size_of::<(crate::Str, crate::Value)>() + index))
            }
            _ => true,
        }
    }

    /// Whether a text of a length may be kept.
    #[inline]
    #[must_use]
    pub fn text(&mut self, length: usize) -> bool {
        length <= INLINE_BYTES || self.take(TEXT_BYTES)
    }

    #[must_use]
    pub fn take(&mut self, bytes: usize) -> bool {
        let fits = bytes <= self.left;
        self.left = self.left.saturating_sub(bytes);
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    /// Texts of many kinds, each with what the system's allocator gives away for its values, per
    /// byte of text.
    fn shapes() -> Vec<(String, f64)> {
        let keys = |count: usize| {
            (0..count).map(|key| format!("\"{key:x}\":0")).collect::<Vec<_>>().join(",")
        };
        let list =
            |element: &str, times: usize| format!("[{}0]", format!("{element},").repeat(times));
        vec![
            (list("[0]", 10_000), 47.9),
            (list("[[[[0]]]]", 3_000), 66.6),
            (list("[1,1,1,1,1]", 3_000), 23.5),
            (list("{\"\":0}", 10_000), 38.8),
            (list(&format!("{{{}}}", keys(5)), 3_000), 13.3),
            (list(&format!("{{{}}}", keys(9)), 3_000), 13.3),
            (list(&format!("{{{}}}", keys(17)), 1_000), 21.9),
            (list(&format!("{{{}}}", keys(33)), 1_000), 20.2),
            (list("{\"0123456789abcdef\":0}", 5_000), 13.9),
            (list("\"0123456789abcdef\"", 5_000), 4.2),
            (list(r#"{"id":12,"name":"somebody","is_open":true,"price":12.5}"#, 1_000), 5.0),
        ]
    }

    #[test]
    fn issue_14_09_the_weight_is_about_what_the_values_take() {
        for (text, per_byte) in shapes() {
            let taken = per_byte * text.len() as f64;
            let counted = json::parse_measured(&text, usize::MAX).unwrap().1 as f64;
            assert!(
                counted > 0.8 * taken && counted < 1.6 * taken,
                "{counted} for {taken}: {}",
                &text[..20]
            );
            let expected = estimate_json(&text) as f64;
            assert!(
                expected > 0.5 * taken && expected < 2.0 * taken,
                "{expected} for {taken}: {}",
                &text[..20]
            );
            assert!(json_upper_bound(&text) >= estimate_json(&text), "{}", &text[..20]);
        }
    }

    #[test]
    fn issue_14_09_marks_inside_of_texts_do_not_count() {
        for text in
            ["[\"[{,:\\\"[{,:\\\\\"]", "[\"[[[[[[[[[[[[[[[[[[[[\"]", "[\"\u{1}[[\"]", "[\"[[[\\"]
        {
            assert_eq!(estimate_json(text), text.len() + LIST_BYTES, "{text}");
            assert!(json_upper_bound(text) > estimate_json(text), "{text}");
        }
        assert_eq!(
            estimate_json(r#"{"a":1,"b":[]}"#),
            14 + OBJECT_BYTES + LIST_BYTES + VALUE_BYTES
        );
        assert_eq!(estimate_json(""), 0);
    }

    #[test]
    fn issue_14_09_what_would_be_too_much_is_not_read_to_its_end() {
        let text = format!("[{}", "[0],".repeat(100_000));
        let error = json::parse_within(&text, 1 << 20).unwrap_err();
        assert!(error.is_too_large() && error.column < 30_000, "{error}");
        assert!(!json::parse("[").unwrap_err().is_too_large());
        assert!(json::parse_within("\"long enough\"", 4).unwrap_err().is_too_large());
        assert_eq!(json::parse_within("[0]", 3 + LIST_BYTES).unwrap(), crate::json!([0]));
    }
}
