//! Cuts bytes that come in pieces into lines, with a limit on each; JSON texts one a line are read
//! with it.

/// A line is longer than anybody sends with good intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a line of the response is longer than {limit} bytes")]
pub struct LineTooLong {
    pub limit: usize,
}

/// The cutter. A piece may end anywhere, also between the two bytes of a line end.
#[derive(Debug)]
pub struct LineSplitter {
    limit: usize,
    /// Whether a carriage return alone ends a line.
    any_ending: bool,
    begun: Vec<u8>,
    after_return: bool,
}

impl LineSplitter {
    /// Lines that end with a line feed, with or without a carriage return before it.
    pub fn new(limit: usize) -> Self {
        Self { limit, any_ending: false, begun: Vec::new(), after_return: false }
    }

    /// Lines that end with a line feed, a carriage return, or both.
    pub fn with_any_ending(limit: usize) -> Self {
        Self { any_ending: true, ..Self::new(limit) }
    }

    /// The lines that are whole now, without their ends.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, LineTooLong> {
        let mut lines = Vec::new();
        let mut rest = bytes;
        // The second half of a line end whose first half ended the last piece.
        if self.after_return && !rest.is_empty() {
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            self.after_return = false;
        }
        while let Some(at) =
            rest.iter().position(|byte| *byte == b'\n' || (self.any_ending && *byte == b'\r'))
        {
            self.add(&rest[..at])?;
            let ended_by_return = rest[at] == b'\r';
            rest = &rest[at + 1..];
            let mut line = std::mem::take(&mut self.begun);
            if !self.any_ending && line.last() == Some(&b'\r') {
                line.pop();
            }
            lines.push(line);
            if ended_by_return {
                match rest.first() {
                    Some(b'\n') => rest = &rest[1..],
                    Some(_) => {}
                    None => self.after_return = true,
                }
            }
        }
        self.add(rest)?;
        Ok(lines)
    }

    /// The last line, if the bytes ended without a line end.
    pub fn finish(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.begun);
        (!line.is_empty()).then_some(line)
    }

    pub(super) fn check(&self, length: usize) -> Result<(), LineTooLong> {
        if length > self.limit { Err(LineTooLong { limit: self.limit }) } else { Ok(()) }
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), LineTooLong> {
        self.check(self.begun.len() + bytes.len())?;
        self.begun.extend_from_slice(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read<'p>(
        mut lines: LineSplitter,
        pieces: impl IntoIterator<Item = &'p [u8]>,
    ) -> Vec<String> {
        let mut found = Vec::new();
        for piece in pieces {
            found.extend(lines.feed(piece).unwrap());
        }
        found.extend(lines.finish());
        found.into_iter().map(|line| String::from_utf8(line).unwrap()).collect()
    }

    #[test]
    fn json_lines_may_lack_the_last_line_end() {
        assert_eq!(
            read(LineSplitter::new(100), [&b"{\"a\":1}\r\n{\"b\""[..], b":2}\n\n{\"c\":3}"]),
            ["{\"a\":1}", "{\"b\":2}", "", "{\"c\":3}"]
        );
        assert_eq!(read(LineSplitter::new(100), [&b"a\rb\n"[..]]), ["a\rb"]);
    }

    #[test]
    fn a_line_end_cut_in_two_is_one_line_end() {
        assert_eq!(
            read(LineSplitter::with_any_ending(100), [&b"a\r"[..], b"", b"\nb\r", b"\rc"]),
            ["a", "b", "", "c"]
        );
    }

    #[test]
    fn a_long_line_is_refused_and_short_ones_are_not_counted_together() {
        let mut lines = LineSplitter::new(10);
        assert_eq!(lines.feed(b"123456789\n123456789\n123456789\n").unwrap().len(), 3);
        assert_eq!(lines.feed(b"12345678901"), Err(LineTooLong { limit: 10 }));
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same_lines(text in "[ab\r\n]{0,40}", size in 1..7_usize) {
            for make in [LineSplitter::new, LineSplitter::with_any_ending] {
                prop_assert_eq!(read(make(100), text.as_bytes().chunks(size)), read(make(100), [text.as_bytes()]));
            }
        }
    }
}
