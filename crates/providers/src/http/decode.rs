//! Collects an answer's body, unpacked as it arrives, never past its limit and never more than
//! there is room for.

use brotli_decompressor::DecompressorWriter;
use bytes::Bytes;
use compute::{IntakeExhausted, MemoryReservation};
use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use node_api::http::HttpError;
use std::io::{self, Write};

const BROTLI_BUFFER: usize = 16 << 10;

/// Takes the body piece by piece.
pub(super) struct BodyCollector {
    limit: usize,
    received: usize,
    coding: Coding,
}

enum Coding {
    Plain(BoundedBuffer),
    Gzip(Box<MultiGzDecoder<BoundedBuffer>>),
    Brotli(Box<DecompressorWriter<BoundedBuffer>>),
    /// Servers call both forms deflate; the first bytes tell which it is.
    DeflateUnknown(BoundedBuffer),
    Zlib(Box<ZlibDecoder<BoundedBuffer>>),
    Deflate(Box<DeflateDecoder<BoundedBuffer>>),
}

/// A vector that refuses to grow past its limit, or without room.
struct BoundedBuffer {
    data: Vec<u8>,
    limit: usize,
    reservation: MemoryReservation,
    stopped: Option<HttpError>,
}

impl BoundedBuffer {
    fn new(limit: usize) -> Self {
        Self { data: Vec::new(), limit, reservation: MemoryReservation::default(), stopped: None }
    }
}

impl Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.data.len() + bytes.len();
        if length > self.limit {
            self.stopped = Some(HttpError::TooLarge { limit: self.limit });
            return Err(io::Error::other("too large"));
        }
        if !self.reservation.try_grow_to(length) {
            self.stopped = Some(IntakeExhausted::default().into());
            return Err(io::Error::other("no room"));
        }
        self.data.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl BodyCollector {
    /// `coding` is the answer's `Content-Encoding`.
    pub(super) fn new(coding: Option<&str>, limit: usize) -> Self {
        let out = BoundedBuffer::new(limit);
        let coding = match coding.map(|coding| coding.trim().to_ascii_lowercase()).as_deref() {
            Some("gzip" | "x-gzip") => Coding::Gzip(Box::new(MultiGzDecoder::new(out))),
            Some("br") => Coding::Brotli(Box::new(DecompressorWriter::new(out, BROTLI_BUFFER))),
            Some("deflate") => Coding::DeflateUnknown(out),
            _ => Coding::Plain(out),
        };
        Self { limit, received: 0, coding }
    }

    /// Whether the collector undoes the coding, so that the header no longer holds.
    pub(super) fn unpacks(&self) -> bool {
        !matches!(self.coding, Coding::Plain(_))
    }

    /// Waits for room for so many further bytes.
    pub(super) async fn reserve(&mut self, more: usize) -> Result<(), HttpError> {
        let out = self.out_mut();
        let length = (out.data.len() + more).min(out.limit);
        Ok(out.reservation.grow_to(length).await?)
    }

    pub(super) fn push(&mut self, piece: &[u8]) -> Result<(), HttpError> {
        if piece.is_empty() {
            return Ok(());
        }
        self.received += piece.len();
        if self.received > self.limit {
            return Err(HttpError::TooLarge { limit: self.limit });
        }
        if let Coding::DeflateUnknown(out) = &mut self.coding {
            let out = std::mem::replace(out, BoundedBuffer::new(0));
            let has_header = piece[0] & 0x0f == 8 && piece[0] >> 4 <= 7;
            self.coding = match has_header {
                true => Coding::Zlib(Box::new(ZlibDecoder::new(out))),
                false => Coding::Deflate(Box::new(DeflateDecoder::new(out))),
            };
        }
        let written = match &mut self.coding {
            Coding::Plain(out) | Coding::DeflateUnknown(out) => out.write_all(piece),
            Coding::Gzip(decoder) => decoder.write_all(piece),
            Coding::Brotli(decoder) => decoder.write_all(piece),
            Coding::Zlib(decoder) => decoder.write_all(piece),
            Coding::Deflate(decoder) => decoder.write_all(piece),
        };
        written.map_err(|error| self.failure(&error))
    }

    /// The body, and the room that it takes.
    pub(super) fn finish(mut self) -> Result<(Bytes, MemoryReservation), HttpError> {
        // A HEAD answer or a 204 may name a coding and have no body at all.
        if self.received == 0 {
            return Ok((Bytes::new(), MemoryReservation::default()));
        }
        let ended = match &mut self.coding {
            Coding::Plain(_) | Coding::DeflateUnknown(_) => Ok(()),
            Coding::Gzip(decoder) => decoder.try_finish(),
            Coding::Brotli(decoder) => decoder.close(),
            Coding::Zlib(decoder) => decoder.try_finish(),
            Coding::Deflate(decoder) => decoder.try_finish(),
        };
        ended.map_err(|error| self.failure(&error))?;
        let out = self.out_mut();
        Ok((std::mem::take(&mut out.data).into(), std::mem::take(&mut out.reservation)))
    }

    /// How much there is so far.
    pub(super) fn len(&self) -> usize {
        self.out().data.len()
    }

    fn out(&self) -> &BoundedBuffer {
        match &self.coding {
            Coding::Plain(out) | Coding::DeflateUnknown(out) => out,
            Coding::Gzip(decoder) => decoder.get_ref(),
            Coding::Brotli(decoder) => decoder.get_ref(),
            Coding::Zlib(decoder) => decoder.get_ref(),
            Coding::Deflate(decoder) => decoder.get_ref(),
        }
    }

    fn out_mut(&mut self) -> &mut BoundedBuffer {
        match &mut self.coding {
            Coding::Plain(out) | Coding::DeflateUnknown(out) => out,
            Coding::Gzip(decoder) => decoder.get_mut(),
            Coding::Brotli(decoder) => decoder.get_mut(),
            Coding::Zlib(decoder) => decoder.get_mut(),
            Coding::Deflate(decoder) => decoder.get_mut(),
        }
    }

    fn failure(&self, error: &io::Error) -> HttpError {
        let unreadable = || HttpError::Unreachable {
            reason: format!("the response could not be decompressed: {error}"),
            errno: None,
        };
        self.out().stopped.clone().unwrap_or_else(unreadable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    fn collect(coding: Option<&str>, limit: usize, body: &[u8]) -> Result<Bytes, HttpError> {
        let mut collector = BodyCollector::new(coding, limit);
        for piece in body.chunks(7) {
            collector.push(piece)?;
        }
        collector.finish().map(|(body, _)| body)
    }

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn packed(base64: &str) -> Vec<u8> {
        base64::Engine::decode(&base64::engine::general_purpose::STANDARD, base64).unwrap()
    }

    #[test]
    fn every_coding_gives_the_same_text() {
        let text = b"the same text, the same text, the same text".repeat(20);
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(&text).unwrap();
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::fast());
        raw.write_all(&text).unwrap();
        let two_members = [gzip(&text[..100]), gzip(&text[100..])].concat();
        let cases = [
            (Some("gzip"), gzip(&text)),
            (Some("X-GZIP"), two_members),
            (Some("deflate"), zlib.finish().unwrap()),
            (Some("deflate"), raw.finish().unwrap()),
            (None, text.clone()),
            (Some("br"), packed("G1sD+I2Ubt6qpGMBqTK8PISewlIAHZCxiem8Lg==")),
            (Some("zstd"), text.clone()),
        ];
        for (coding, body) in cases {
            assert_eq!(collect(coding, 1 << 20, &body).unwrap(), text, "{coding:?}");
        }
        assert_eq!(collect(Some("gzip"), 10, b"").unwrap(), Bytes::new());
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let bomb = gzip(&vec![0; 20 << 20]);
        assert!(bomb.len() < 64 << 10);
        assert!(
            matches!(collect(Some("gzip"), 1 << 20, &bomb), Err(HttpError::TooLarge { limit }) if limit == 1 << 20)
        );
        let forty_bytes = packed("y///P/gnAOKxQCD3/o///3/wTwDEYRGA7v1f/v//4J8AiMMCAN37Hw==");
        assert!(matches!(
            collect(Some("br"), 1 << 20, &forty_bytes),
            Err(HttpError::TooLarge { .. })
        ));
        assert_eq!(collect(Some("br"), 32 << 20, &forty_bytes).unwrap().len(), 20 << 20);
        assert!(matches!(collect(None, 10, b"eleven chars"), Err(HttpError::TooLarge { .. })));
        assert_eq!(collect(None, 10, b"ten chars.").unwrap().len(), 10);
    }

    #[test]
    fn broken_and_cut_bodies_are_errors() {
        let whole = gzip(b"some text that is long enough");
        for body in [&b"this is not gzip at all"[..], &whole[..whole.len() - 9]] {
            assert!(matches!(
                collect(Some("gzip"), 1 << 20, body),
                Err(HttpError::Unreachable { .. })
            ));
            assert!(matches!(
                collect(Some("br"), 1 << 20, body),
                Err(HttpError::Unreachable { .. })
            ));
        }
    }
}
