//! Where a run stands among traces: the span above it, and whether its trace is made.

use super::open_run::OpenRun;
use model::Items;

/// The span that a run belongs under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ParentSpan {
    pub(super) trace: [u8; 16],
    pub(super) span: [u8; 8],
    pub(super) is_sampled: bool,
}

impl ParentSpan {
    /// A run that another one started belongs to the step that did so.
    pub(super) fn from_run(run: &OpenRun) -> Self {
        Self { trace: run.trace, span: run.current.unwrap_or(run.id), is_sampled: run.is_sampled }
    }

    /// A call may say which trace it is part of. The item that the run began with has its headers.
    pub(super) fn from_call(mode: &str, items: Option<&Items>) -> Option<Self> {
        if mode != "webhook" {
            return None;
        }
        let item = items?.first()?;
        Self::parse(item.json.get("headers")?.get("traceparent")?.as_str()?)
    }

    /// W3C's `traceparent`: version, trace, span and flags in hex.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('-');
        let (version, trace, span, flags) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let is_lower_hex = |text: &str| {
            text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
        };
        if !is_lower_hex(&[version, trace, span, flags].concat())
            || version.len() != 2
            || version == "ff"
            || flags.len() != 2
        {
            return None;
        }
        // A later version may have more parts; this one has none.
        if version == "00" && parts.next().is_some() {
            return None;
        }
        let trace: [u8; 16] = bytes(trace)?;
        let span: [u8; 8] = bytes(span)?;
        let flags = u8::from_str_radix(flags, 16).ok()?;
        (trace != [0; 16] && span != [0; 8]).then_some(Self {
            trace,
            span,
            is_sampled: flags & 1 == 1,
        })
    }
}

fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    Some(bytes)
}

/// Whether a trace is among those that are made: the same answer for every span of it.
pub(super) fn is_in_sample(trace: &[u8; 16], share: f64) -> bool {
    let low = trace[8..].iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte)) >> 11;
    (low as f64) < share * (1_u64 << 53) as f64
}

/// An id for a new span.
pub(super) fn new_span_id() -> [u8; 8] {
    let mut id = [0; 8];
    // A span without an id of its own would be taken for another; the system's random source does
    // not fail.
    if getrandom::fill(&mut id).is_err() {
        id = [1; 8];
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_lc_rs::digest::{SHA256, digest};

    #[test]
    fn a_traceparent_is_read_and_a_wrong_one_is_not() {
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let above =
            ParentSpan::parse("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").unwrap();
        assert_eq!(
            (hex(&above.trace).as_str(), hex(&above.span).as_str()),
            ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")
        );
        assert!(above.is_sampled);
        assert!(
            !ParentSpan::parse("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00")
                .unwrap()
                .is_sampled
        );
        assert!(
            ParentSpan::parse("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more")
                .is_some()
        );
        for wrong in [
            "",
            "00-0-0-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        ] {
            assert!(ParentSpan::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_share_takes_its_part_of_all_traces() {
        let trace = |number: u64| {
            let own = digest(&SHA256, &number.to_be_bytes());
            <[u8; 16]>::try_from(&own.as_ref()[..16]).unwrap()
        };
        let taken = (0..10_000).filter(|number| is_in_sample(&trace(*number), 0.25)).count();
        assert!((2_300..2_700).contains(&taken), "{taken}");
        assert!(
            (0..1000)
                .all(|number| is_in_sample(&trace(number), 1.0)
                    && !is_in_sample(&trace(number), 0.0))
        );
    }
}
