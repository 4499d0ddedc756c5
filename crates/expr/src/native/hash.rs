//! `hash()`: digests of a text, as hexadecimal digits.

use aws_lc_rs::digest;
use base64::Engine as _;
use md5::Digest as _;
use model::Str;

/// The digest of a text; `None` for an algorithm that is not known here.
pub(super) fn hash(text: &str, algorithm: &str) -> Option<Str> {
    let bytes = text.as_bytes();
    let sha = |algorithm| hex(digest::digest(algorithm, bytes).as_ref());
    Some(match algorithm.to_ascii_lowercase().as_str() {
        "base64" => base64::engine::general_purpose::STANDARD.encode(bytes).into(),
        "md5" => hex(&md5::Md5::digest(bytes)),
        "sha1" => sha(&digest::SHA1_FOR_LEGACY_USE_ONLY),
        "sha224" => sha(&digest::SHA224),
        "sha256" => sha(&digest::SHA256),
        "sha384" => sha(&digest::SHA384),
        "sha3" => hex(&sha3::Sha3_512::digest(bytes)),
        "sha512" => sha(&digest::SHA512),
        _ => return None,
    })
}

fn hex(bytes: &[u8]) -> Str {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(u32::from(digit), 16))
        .collect()
}
