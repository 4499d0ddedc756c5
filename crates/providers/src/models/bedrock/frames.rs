//! AWS's binary event streams: frames with headers, a body and checksums, cut anywhere.

use crate::models::failure::ModelFailure;

/// The lengths and their checksum before the headers, and the checksum of the whole at the end.
const PRELUDE: usize = 12;
const CHECKSUM: usize = 4;

/// A header whose value is a text; others do not occur.
const TEXT: u8 = 7;

/// One frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    headers: Vec<(String, String)>,
    pub payload: Vec<u8>,
}

impl Frame {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Puts frames together from what comes.
#[derive(Debug)]
pub struct FrameSplitter {
    longest: usize,
    waiting: Vec<u8>,
}

impl FrameSplitter {
    pub fn new(longest_frame: usize) -> Self {
        Self { longest: longest_frame, waiting: Vec::new() }
    }

    /// Takes the next bytes and gives the frames that are whole.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Frame>, ModelFailure> {
        self.waiting.extend_from_slice(bytes);
        let (mut frames, mut at) = (Vec::new(), 0);
        while let Some(rest) = self.waiting.get(at..).filter(|rest| rest.len() >= PRELUDE) {
            let length = number(rest, 0);
            if number(rest, 8) != crc32fast::hash(&rest[..8]) as usize
                || length < PRELUDE + CHECKSUM
                || length > self.longest
            {
                return Err(broken());
            }
            let Some(whole) = rest.get(..length) else { break };
            frames.push(frame(whole).ok_or_else(broken)?);
            at += length;
        }
        self.waiting.drain(..at);
        Ok(frames)
    }

    /// Whether the bytes ended in the middle of a frame.
    pub fn is_cut_off(&self) -> bool {
        !self.waiting.is_empty()
    }
}

fn broken() -> ModelFailure {
    ModelFailure::broken("bedrock", "The event stream is damaged")
}

fn number(bytes: &[u8], at: usize) -> usize {
    let part = bytes.get(at..at + 4).and_then(|part| part.try_into().ok());
    part.map_or(0, |part| u32::from_be_bytes(part) as usize)
}

fn frame(whole: &[u8]) -> Option<Frame> {
    let body = whole.len().checked_sub(CHECKSUM)?;
    if number(whole, body) != crc32fast::hash(whole.get(..body)?) as usize {
        return None;
    }
    let headers_end = PRELUDE.checked_add(number(whole, 4)).filter(|end| *end <= body)?;
    let (mut rest, mut headers) = (whole.get(PRELUDE..headers_end)?, Vec::new());
    while let Some((&name_length, after)) = rest.split_first() {
        let (name, after) = after.split_at_checked(usize::from(name_length))?;
        let (&kind, after) = after.split_first()?;
        if kind != TEXT {
            return None;
        }
        let (length, after) = after.split_at_checked(2)?;
        let length = usize::from(u16::from_be_bytes(length.try_into().ok()?));
        let (value, after) = after.split_at_checked(length)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        headers.push((text(name), text(value)));
        rest = after;
    }
    Some(Frame { headers, payload: whole.get(headers_end..body)?.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::aws_frame;

    fn one() -> Vec<u8> {
        aws_frame(&[(":message-type", "event"), (":event-type", "messageStart")], b"{}")
    }

    #[test]
    fn frames_are_read_in_any_cut() {
        let bytes = [one(), one()].concat();
        for size in [1, 3, 11, 12, 13, bytes.len()] {
            let mut splitter = FrameSplitter::new(1_000);
            let frames: Vec<Frame> =
                bytes.chunks(size).flat_map(|piece| splitter.feed(piece).unwrap()).collect();
            assert_eq!(frames.len(), 2);
            assert_eq!(frames[1].header(":event-type"), Some("messageStart"));
            assert_eq!((frames[0].payload.as_slice(), splitter.is_cut_off()), (&b"{}"[..], false));
        }
    }

    #[test]
    fn a_frame_that_is_damaged_too_long_or_lies_about_its_length_is_refused() {
        let damage = |at: usize| {
            let mut bytes = one();
            bytes[at] ^= 0x55;
            bytes
        };
        for at in [0, 3, 5, 9, 14, 40, one().len() - 1] {
            assert!(FrameSplitter::new(1_000).feed(&damage(at)).is_err(), "{at}");
        }
        assert!(FrameSplitter::new(20).feed(&one()).is_err());
        // A length that is right by its checksum and larger than anything that comes.
        let mut huge = u32::MAX.to_be_bytes().to_vec();
        huge.extend_from_slice(&0_u32.to_be_bytes());
        huge.extend_from_slice(&crc32fast::hash(&huge).to_be_bytes());
        assert!(FrameSplitter::new(10 << 20).feed(&huge).is_err());
        let mut headers_too_long = one();
        headers_too_long[4..8].copy_from_slice(&1_000_u32.to_be_bytes());
        let checksum = crc32fast::hash(&headers_too_long[..8]).to_be_bytes();
        headers_too_long[8..12].copy_from_slice(&checksum);
        let end = headers_too_long.len() - 4;
        let checksum = crc32fast::hash(&headers_too_long[..end]).to_be_bytes();
        headers_too_long[end..].copy_from_slice(&checksum);
        assert!(FrameSplitter::new(1_000).feed(&headers_too_long).is_err());
    }

    #[test]
    fn an_end_in_the_middle_is_seen() {
        let mut splitter = FrameSplitter::new(1_000);
        let bytes = one();
        assert!(splitter.feed(&bytes[..bytes.len() - 1]).unwrap().is_empty());
        assert!(splitter.is_cut_off());
    }
}
