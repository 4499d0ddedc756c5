//! Any bytes as the body of a call, of any type and packing: reading never panics, and what comes
//! out stays within the limits.

use heddle_server::{BodyLimits, probe_body};

const LIMITS: BodyLimits = BodyLimits { bytes: 64 << 10, parts: 20, fields: 20, ratio: 20 };

const KINDS: [&str; 9] = [
    "application/json",
    "application/x-www-form-urlencoded",
    "text/plain; charset=utf-16",
    "text/plain; charset=shift_jis",
    "text/xml",
    "application/octet-stream",
    "",
    "multipart/form-data; boundary=x",
    "application/json; charset=latin1",
];

const PACKINGS: [&str; 4] = ["", "gzip", "deflate", "br"];

/// The first two bytes choose type and packing; the rest is the body.
#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub fn holds(bytes: &[u8]) {
    let [kind, packing, rest @ ..] = bytes else { return };
    let kind = KINDS[usize::from(*kind) % KINDS.len()];
    let packing = PACKINGS[usize::from(*packing) % PACKINGS.len()];
    let work = probe_body(kind, packing, rest.to_vec(), LIMITS);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap_or_else(|error| panic!("{error}"));
    let Ok(read) = runtime.block_on(work) else { return };
    let held: usize = read.files.iter().map(|(_, file)| file.data.len()).sum();
    assert!(held <= LIMITS.bytes, "{kind} {packing}: {held}");
    if kind == "application/x-www-form-urlencoded" {
        assert!(read.json.as_object().is_some_and(|fields| fields.len() <= LIMITS.fields));
    }
    // What was read can be written down and read again.
    let text = model::json::to_string(&read.json);
    assert!(model::json::parse(&text).is_ok(), "{text}");
}
