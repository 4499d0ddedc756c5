//! Reads server-sent events out of bytes that may be cut anywhere.

use super::lines::{LineSplitter, LineTooLong};

/// One event: its name, if it has one, and its data lines joined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    pub name: String,
    pub data: String,
}

/// The decoder. Feed it what comes, then say that nothing more does.
///
/// Comments, ids and retry times are passed over. Bytes that are no UTF-8 become replacement
/// characters, as in browsers.
#[derive(Debug)]
pub struct SseDecoder {
    lines: LineSplitter,
    is_first_line: bool,
    name: String,
    data: Option<String>,
}

impl SseDecoder {
    pub fn new(longest_line: usize) -> Self {
        Self {
            lines: LineSplitter::with_any_ending(longest_line),
            is_first_line: true,
            name: String::new(),
            data: None,
        }
    }

    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<SseEvent>, LineTooLong> {
        let mut events = Vec::new();
        for line in self.lines.feed(bytes)? {
            self.take(&line, &mut events)?;
        }
        Ok(events)
    }

    /// What is left when the stream ends. A last event without its blank line counts: many servers
    /// forget it.
    pub fn finish(&mut self) -> Result<Vec<SseEvent>, LineTooLong> {
        let mut events = Vec::new();
        if let Some(line) = self.lines.finish() {
            self.take(&line, &mut events)?;
        }
        self.dispatch(&mut events);
        Ok(events)
    }

    fn take(&mut self, line: &[u8], events: &mut Vec<SseEvent>) -> Result<(), LineTooLong> {
        let line = match std::mem::take(&mut self.is_first_line) {
            true => line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line),
            false => line,
        };
        if line.is_empty() {
            self.dispatch(events);
            return Ok(());
        }
        let line = String::from_utf8_lossy(line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => {
                match &mut self.data {
                    None => self.data = Some(value.to_owned()),
                    Some(data) => {
                        data.push('\n');
                        data.push_str(value);
                    }
                }
                // Many short lines of one event may not grow past what one line may.
                self.lines.check(self.data.as_ref().map_or(0, String::len))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn dispatch(&mut self, events: &mut Vec<SseEvent>) {
        let name = std::mem::take(&mut self.name);
        if let Some(data) = self.data.take() {
            events.push(SseEvent { name, data });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LONGEST: usize = 1 << 20;

    fn read(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut decoder = SseDecoder::new(LONGEST);
        let mut events = Vec::new();
        for piece in pieces {
            events.extend(decoder.feed(piece).unwrap());
        }
        events.extend(decoder.finish().unwrap());
        events.into_iter().map(|event| (event.name, event.data)).collect()
    }

    fn data(text: &str) -> Vec<String> {
        read(&[text.as_bytes()]).into_iter().map(|(_, data)| data).collect()
    }

    #[test]
    fn events_end_with_a_blank_line_of_any_kind() {
        for text in [
            "data: a\n\ndata: b\n\n",
            "data: a\r\n\r\ndata: b\r\n\r\n",
            "data: a\r\rdata: b\r\r",
            "data: a\n\r\ndata: b\r\n\n",
        ] {
            assert_eq!(data(text), ["a", "b"], "{text:?}");
        }
    }

    #[test]
    fn comments_ids_and_empty_blocks_give_nothing() {
        assert!(data(": ping\n\n: ping\n\nid: 4\nretry: 10\n\nevent: lonely\n\n\n\n").is_empty());
        assert_eq!(data(": ping\ndata: a\n: in the middle\ndata:b\n\n"), ["a\nb"]);
    }

    #[test]
    fn a_name_belongs_to_its_own_event_only() {
        let events = read(&[b"event: one\ndata: 1\n\nevent: gone\n\ndata: 2\n\n"]);
        assert_eq!(events, [("one".to_owned(), "1".to_owned()), (String::new(), "2".to_owned())]);
    }

    #[test]
    fn the_last_event_may_lack_its_blank_line_and_its_line_end() {
        assert_eq!(data("data: a\n\ndata: [DONE]"), ["a", "[DONE]"]);
        assert_eq!(data("data: a\n\ndata: [DONE]\n"), ["a", "[DONE]"]);
    }

    #[test]
    fn odd_fields_are_read_as_the_standard_says() {
        assert_eq!(data("data\n\n"), [""]);
        assert_eq!(data("data:  two spaces\n\n"), [" two spaces"]);
        assert_eq!(data("\u{feff}data: after a mark\n\n"), ["after a mark"]);
        assert_eq!(data("data: a:b: c\n\n"), ["a:b: c"]);
        assert_eq!(data(" data: not a field\n\nDATA: nor this\n\n"), Vec::<String>::new());
    }

    #[test]
    fn a_line_past_the_limit_is_an_error_before_it_ends() {
        let mut decoder = SseDecoder::new(100);
        decoder.feed(b"data: ").unwrap();
        assert_eq!(decoder.feed(&[b'x'; 200]), Err(LineTooLong { limit: 100 }));
        let mut decoder = SseDecoder::new(100);
        let many = (0..30).map(|_| "data: 12345\n").collect::<String>();
        assert_eq!(decoder.feed(many.as_bytes()), Err(LineTooLong { limit: 100 }));
    }

    proptest! {
        #[test]
        fn any_cut_of_the_bytes_gives_the_same_events(
            blocks in prop::collection::vec("(data: ?|event: |: |id: |data|x)[aé€😀:\\[\\]{} ]{0,6}(\n|\r|\r\n)(\n|\r|\r\n)?", 0..12),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        ) {
            let text = blocks.concat();
            let bytes = text.as_bytes();
            let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            places.extend([0, bytes.len()]);
            places.sort_unstable();
            let pieces: Vec<&[u8]> = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            let one_by_one: Vec<&[u8]> = bytes.chunks(1).collect();
            let whole = read(&[bytes]);
            prop_assert_eq!(&read(&pieces), &whole);
            prop_assert_eq!(&read(&one_by_one), &whole);
        }

        #[test]
        fn no_bytes_whatsoever_stop_the_decoder(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let one_by_one: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(read(&one_by_one), read(&[&bytes]));
        }
    }
}
