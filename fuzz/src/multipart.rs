//! Any bytes as a form of several parts: reading never panics, takes no more than it is given, and
//! no name leads anywhere.

use heddle_server::{BodyLimits, probe_body};

const LIMITS: BodyLimits = BodyLimits { bytes: 64 << 10, parts: 20, fields: 20, ratio: 20 };

/// `bytes` is the body; its boundary is `x`.
#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub fn holds(bytes: &[u8]) {
    let read =
        futures_of(probe_body("multipart/form-data; boundary=x", "", bytes.to_vec(), LIMITS));
    let Ok(read) = read else { return };
    let held: usize = read.files.iter().map(|(_, file)| file.data.len()).sum();
    assert!(held <= bytes.len() && read.files.len() <= LIMITS.parts);
    for (_, file) in read.files.iter() {
        let name = file.file_name.as_deref().unwrap_or_default();
        assert!(
            !name.is_empty() && !name.starts_with('.') && name.chars().count() <= 201,
            "{name:?}"
        );
        assert!(!name.contains(['/', '\\']) && !name.chars().any(char::is_control), "{name:?}");
    }
}

/// The same with the bytes as the content of a part, so that deeper places are reached.
#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub fn holds_inside(bytes: &[u8]) {
    let begin = b"--x\r\ncontent-disposition: form-data; name=\"a\"; filename=\"";
    holds(&[begin.as_slice(), bytes, b"\"\r\n\r\nx\r\n--x--\r\n"].concat());
    holds(
        &[
            b"--x\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\n".as_slice(),
            bytes,
            b"\r\n--x--\r\n",
        ]
        .concat(),
    );
}

fn futures_of<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .map(|runtime| runtime.block_on(work))
        .unwrap_or_else(|error| panic!("{error}"))
}
