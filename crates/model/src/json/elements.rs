//! Reads the elements of a big JSON list one by one, so that the text never has to be in memory as
//! a whole.

use super::{JsonError, parse};
use crate::Value;
use std::io::{self, BufRead};

/// One element may be this long; a list of any length is fine.
const MAX_ELEMENT_BYTES: usize = 100 << 20;

/// Why the elements of a list could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ElementError {
    #[error("element {index}: {error}")]
    Json { index: usize, error: JsonError },
    #[error("element {index} is longer than {limit} bytes")]
    TooLong { index: usize, limit: usize },
    #[error("the list does not end with `]`")]
    Unfinished,
    #[error("unexpected text after the list")]
    Trailing,
    #[error("the text is not UTF-8")]
    Encoding,
    #[error(transparent)]
    Read(#[from] io::Error),
}

/// The elements of a JSON list, or the one value that the text is instead.
pub struct Elements<R> {
    source: R,
    state: ElementState,
    index: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ElementState {
    Start,
    InList,
    Done,
}

impl<R: BufRead> Elements<R> {
    pub fn new(source: R) -> Self {
        Self { source, state: ElementState::Start, index: 0 }
    }

    fn next_element(&mut self) -> Result<Option<Value>, ElementError> {
        if self.state == ElementState::Start {
            self.skip_byte_order_mark()?;
            if self.peek_beyond_space()? != Some(b'[') {
                self.state = ElementState::Done;
                return self.rest_as_value().map(Some);
            }
            self.source.consume(1);
            self.state = ElementState::InList;
            if self.peek_beyond_space()? == Some(b']') {
                return self.end();
            }
        } else {
            match self.peek_beyond_space()? {
                Some(b',') => self.source.consume(1),
                Some(b']') => return self.end(),
                _ => return Err(ElementError::Unfinished),
            }
        }
        let text = self.element_text()?;
        let value =
            parse(&text).map_err(|error| ElementError::Json { index: self.index, error })?;
        self.index += 1;
        Ok(Some(value))
    }

    fn end(&mut self) -> Result<Option<Value>, ElementError> {
        self.source.consume(1);
        self.state = ElementState::Done;
        if self.peek_beyond_space()?.is_some() { Err(ElementError::Trailing) } else { Ok(None) }
    }

    /// No JSON starts with these bytes, so they are taken one by one.
    fn skip_byte_order_mark(&mut self) -> io::Result<()> {
        for byte in b"\xef\xbb\xbf" {
            if self.source.fill_buf()?.first() != Some(byte) {
                break;
            }
            self.source.consume(1);
        }
        Ok(())
    }

    fn peek_beyond_space(&mut self) -> io::Result<Option<u8>> {
        loop {
            let buffer = self.source.fill_buf()?;
            let Some(first) = buffer.first() else { return Ok(None) };
            let spaces = buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if spaces == 0 {
                return Ok(Some(*first));
            }
            self.source.consume(spaces);
        }
    }

    fn rest_as_value(&mut self) -> Result<Value, ElementError> {
        let mut bytes = Vec::new();
        io::Read::read_to_end(
            &mut io::Read::take(&mut self.source, MAX_ELEMENT_BYTES as u64 + 1),
            &mut bytes,
        )?;
        if bytes.len() > MAX_ELEMENT_BYTES {
            return Err(ElementError::TooLong { index: 0, limit: MAX_ELEMENT_BYTES });
        }
        let text = String::from_utf8(bytes).map_err(|_| ElementError::Encoding)?;
        parse(&text).map_err(|error| ElementError::Json { index: 0, error })
    }

    /// The bytes up to the `,` or `]` that ends the element; whether they are JSON is the parser's
    /// business.
    fn element_text(&mut self) -> Result<String, ElementError> {
        let mut text = Vec::new();
        let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
        loop {
            let buffer = self.source.fill_buf()?;
            if buffer.is_empty() {
                return Err(ElementError::Unfinished);
            }
            let end = buffer.iter().position(|byte| {
                if in_string {
                    match byte {
                        _ if escaped => escaped = false,
                        b'\\' => escaped = true,
                        b'"' => in_string = false,
                        _ => {}
                    }
                    return false;
                }
                match byte {
                    b'"' => in_string = true,
                    b'{' | b'[' => depth += 1,
                    b',' | b']' if depth == 0 => return true,
                    b'}' | b']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                false
            });
            let taken = end.unwrap_or(buffer.len());
            text.extend_from_slice(&buffer[..taken]);
            self.source.consume(taken);
            if text.len() > MAX_ELEMENT_BYTES {
                return Err(ElementError::TooLong { index: self.index, limit: MAX_ELEMENT_BYTES });
            }
            if end.is_some() {
                return String::from_utf8(text).map_err(|_| ElementError::Encoding);
            }
        }
    }
}

impl<R: BufRead> Iterator for Elements<R> {
    type Item = Result<Value, ElementError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.state == ElementState::Done {
            return None;
        }
        let element = self.next_element();
        if element.is_err() {
            self.state = ElementState::Done;
        }
        element.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use proptest::prelude::*;

    /// Reads with a buffer so small that every token is cut somewhere.
    fn read(text: &str, buffer: usize) -> Result<Vec<Value>, String> {
        let source = io::BufReader::with_capacity(buffer, text.as_bytes());
        Elements::new(source).map(|element| element.map_err(|error| error.to_string())).collect()
    }

    #[test]
    fn elements_come_one_by_one_wherever_the_buffer_ends() {
        for buffer in 1..20 {
            let found = read("\u{feff} [ {\"a\": \"],\\\"{\"} , [1, [2]], \"é\" ,null] \n", buffer)
                .unwrap();
            assert_eq!(found, [json!({ "a": "],\"{" }), json!([1, [2]]), json!("é"), Value::Null]);
        }
    }

    #[test]
    fn a_text_that_is_no_list_is_one_value() {
        assert_eq!(read(" {\"a\": [1]}", 3).unwrap(), [json!({ "a": [1] })]);
        assert_eq!(read("[]", 1).unwrap(), []);
    }

    #[test]
    fn broken_lists_say_where_they_break() {
        assert_eq!(
            read("[1, {\"a\"}]", 8).unwrap_err(),
            "element 1: expected ':' after the key at line 1, column 6"
        );
        assert_eq!(read("[1, 2", 8).unwrap_err(), "the list does not end with `]`");
        assert_eq!(read("[1] 2", 8).unwrap_err(), "unexpected text after the list");
        assert!(read("[1,]", 8).is_err());
        assert!(read("", 8).is_err());
    }

    proptest! {
        #[test]
        fn any_text_reads_as_the_whole_parser_reads_it(text in r#"[\[\]{},:"\\a1 \n]{0,30}"#, buffer in 1_usize..9) {
            let whole = parse(&text).ok().map(|value| match value.as_array() {
                Some(elements) => elements.to_vec(),
                None => vec![value],
            });
            prop_assert_eq!(read(&text, buffer).ok(), whole);
        }
    }
}
