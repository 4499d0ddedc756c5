//! Functions that both evaluators call: sums, zones, encodings, URLs, randomness.

use crate::ExprError;
use aws_lc_rs::{digest, hmac as aws_hmac};
use base64::Engine as _;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{
    GeneralPurpose, GeneralPurposeConfig, STANDARD, URL_SAFE_NO_PAD,
};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use model::{Object, Value};
use ripemd::Digest as _;

/// The digest of some bytes; `None` for an algorithm we do not know.
pub fn hash(algorithm: &str, data: &[u8]) -> Option<Vec<u8>> {
    let with = |algorithm: &'static digest::Algorithm| {
        Some(digest::digest(algorithm, data).as_ref().to_vec())
    };
    match algorithm.to_ascii_lowercase().replace('-', "").as_str() {
        "md5" => Some(md5::Md5::digest(data).to_vec()),
        "sha1" => with(&digest::SHA1_FOR_LEGACY_USE_ONLY),
        "sha224" => with(&digest::SHA224),
        "sha256" => with(&digest::SHA256),
        "sha384" => with(&digest::SHA384),
        "sha512" => with(&digest::SHA512),
        "sha512256" => with(&digest::SHA512_256),
        // What n8n calls sha3 is the widest variant.
        "sha3" | "sha3512" => with(&digest::SHA3_512),
        "sha3256" => with(&digest::SHA3_256),
        "sha3384" => with(&digest::SHA3_384),
        "sha3224" => Some(sha3::Sha3_224::digest(data).to_vec()),
        "ripemd160" | "rmd160" => Some(ripemd::Ripemd160::digest(data).to_vec()),
        _ => None,
    }
}

/// A keyed digest, by the definition of HMAC over [`hash`]; `None` for an algorithm we do not know.
pub fn hmac(algorithm: &str, key: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let known = match algorithm.to_ascii_lowercase().replace('-', "").as_str() {
        "sha1" => Some(aws_hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY),
        "sha256" => Some(aws_hmac::HMAC_SHA256),
        "sha384" => Some(aws_hmac::HMAC_SHA384),
        "sha512" => Some(aws_hmac::HMAC_SHA512),
        _ => None,
    };
    if let Some(known) = known {
        return Some(aws_hmac::sign(&aws_hmac::Key::new(known, key), data).as_ref().to_vec());
    }
    let block = match algorithm.to_ascii_lowercase().replace('-', "").as_str() {
        "sha512256" => 128,
        "sha3" | "sha3512" => 72,
        "sha3384" => 104,
        "sha3256" => 136,
        "sha3224" => 144,
        _ => 64,
    };
    let mut padded = if key.len() > block { hash(algorithm, key)? } else { key.to_vec() };
    padded.resize(block, 0);
    let keyed = |pad: u8, rest: &[u8]| {
        hash(algorithm, &[padded.iter().map(|byte| byte ^ pad).collect(), rest.to_vec()].concat())
    };
    keyed(0x5c, &keyed(0x36, data)?)
}

/// Names that expressions may not reach for.
pub const FORBIDDEN_NAMES: &[&str] = &[
    "__proto__",
    "prototype",
    "constructor",
    "getPrototypeOf",
    "setPrototypeOf",
    "defineProperty",
    "defineProperties",
    "getOwnPropertyDescriptor",
    "getOwnPropertyDescriptors",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "prepareStackTrace",
    "mainModule",
    "binding",
    "_load",
    "_linkedBinding",
    "getBuiltinModule",
    "dlopen",
    "execve",
    "loadEnvFile",
    "caller",
    "callee",
];

/// The error of reaching for one of them.
pub fn forbidden_name(name: &str) -> ExprError {
    ExprError::Forbidden {
        message: format!("Cannot access \"{name}\" due to security concerns").into(),
    }
}

/// What a zone's clock shows at an instant, and for how long that holds.
#[derive(Clone, Debug, PartialEq)]
pub struct ZoneOffset {
    /// East of Greenwich.
    pub minutes: f64,
    pub valid_from_ms: f64,
    pub valid_until_ms: f64,
    pub abbreviation: String,
}

/// `None` for a zone that does not exist.
pub fn zone_offset(zone: &str, epoch_ms: f64) -> Option<ZoneOffset> {
    let zone = TimeZone::get(zone).ok()?;
    let at = timestamp(epoch_ms);
    let info = zone.to_offset_info(at);
    // `preceding` leaves out a transition at the instant itself, which is the one that began this
    // period.
    let began = zone.preceding(at.checked_add(SignedDuration::from_nanos(1)).unwrap_or(at)).next();
    let ends = zone.following(at).next();
    Some(ZoneOffset {
        minutes: f64::from(info.offset().seconds()) / 60.0,
        valid_from_ms: began.map_or(f64::from(i32::MIN) * 1e6, |transition| {
            transition.timestamp().as_millisecond() as f64
        }),
        valid_until_ms: ends.map_or(f64::from(i32::MAX) * 1e6, |transition| {
            transition.timestamp().as_millisecond() as f64
        }),
        abbreviation: info.abbreviation().to_string(),
    })
}

pub fn zone_is_dst(zone: &str, epoch_ms: f64) -> bool {
    TimeZone::get(zone).is_ok_and(|zone| zone.to_offset_info(timestamp(epoch_ms)).dst().is_dst())
}

fn timestamp(epoch_ms: f64) -> Timestamp {
    let bounded = epoch_ms
        .clamp(Timestamp::MIN.as_millisecond() as f64, Timestamp::MAX.as_millisecond() as f64);
    Timestamp::from_millisecond(bounded as i64).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Numbers from 0 up to 1, as `Math.random` gives them.
pub fn random_numbers(count: usize) -> impl Iterator<Item = f64> {
    let bytes = random_bytes(count * 8);
    (0..count).map(move |place| {
        let eight =
            bytes.get(place * 8..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default();
        (u64::from_le_bytes(eight) >> 11) as f64 / (1u64 << 53) as f64
    })
}

pub fn random_uuid() -> String {
    uuid::Uuid::new_v4().to_string()
}

pub fn random_bytes(count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    fill(&mut bytes);
    bytes
}

fn fill(bytes: &mut [u8]) {
    // Without the system's randomness, one uuid after the other still never repeats.
    if getrandom::fill(bytes).is_err() {
        for chunk in bytes.chunks_mut(16) {
            let source = uuid::Uuid::new_v4();
            let len = chunk.len();
            chunk.copy_from_slice(source.as_bytes().get(..len).unwrap_or_default());
        }
    }
}

pub fn base64_encode(data: &[u8]) -> String {
    STANDARD.encode(data)
}

/// Bytes as text in one of Node's encodings; `None` for one we do not know.
pub fn bytes_to_text(encoding: &str, bytes: &[u8]) -> Option<String> {
    Some(match encoding.to_ascii_lowercase().as_str() {
        "utf8" | "utf-8" => String::from_utf8_lossy(bytes).into_owned(),
        "base64" => STANDARD.encode(bytes),
        "base64url" => URL_SAFE_NO_PAD.encode(bytes),
        "hex" => hex::encode(bytes),
        "latin1" | "binary" => bytes.iter().map(|byte| char::from(*byte)).collect(),
        "ascii" => bytes.iter().map(|byte| char::from(byte & 0x7f)).collect(),
        "utf16le" | "utf-16le" | "ucs2" | "ucs-2" => {
            let units: Vec<u16> =
                bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
            String::from_utf16_lossy(&units)
        }
        _ => return None,
    })
}

/// Text as bytes in one of Node's encodings. As in Node, what is not of the encoding is passed
/// over.
pub fn text_to_bytes(encoding: &str, text: &str) -> Option<Vec<u8>> {
    Some(match encoding.to_ascii_lowercase().as_str() {
        "utf8" | "utf-8" => text.as_bytes().to_vec(),
        "base64" | "base64url" => lenient_base64(text),
        "hex" => {
            let digits: Vec<u8> = text
                .chars()
                .map_while(|letter| letter.to_digit(16).map(|digit| digit as u8))
                .collect();
            digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
        }
        "latin1" | "binary" | "ascii" => text.encode_utf16().map(|unit| unit as u8).collect(),
        "utf16le" | "utf-16le" | "ucs2" | "ucs-2" => {
            text.encode_utf16().flat_map(u16::to_le_bytes).collect()
        }
        _ => return None,
    })
}

/// Both alphabets, with or without padding, blanks allowed, cut off where the text ends early.
pub fn lenient_base64(text: &str) -> Vec<u8> {
    const ENGINE: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    let mut plain: Vec<u8> = text
        .bytes()
        .take_while(|byte| *byte != b'=')
        .filter_map(|byte| match byte {
            b'-' => Some(b'+'),
            b'_' => Some(b'/'),
            byte if byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/' => Some(byte),
            _ => None,
        })
        .collect();
    if plain.len() % 4 == 1 {
        plain.pop();
    }
    ENGINE.decode(plain).unwrap_or_default()
}

/// Longer addresses are not URLs: names of hosts take more than linear time to read.
const MAX_URL_BYTES: usize = 1 << 20;

/// The parts of a URL under the names that JavaScript's `URL` has; `None` if it is not one.
pub fn parse_url(address: &str, base: Option<&str>) -> Option<Value> {
    if address.len().max(base.map_or(0, str::len)) > MAX_URL_BYTES {
        return None;
    }
    let parsed = match base {
        Some(base) => url::Url::parse(base).ok()?.join(address).ok()?,
        None => url::Url::parse(address).ok()?,
    };
    let port = parsed.port().map_or(String::new(), |port| port.to_string());
    let hostname = parsed.host_str().unwrap_or_default();
    let mut parts = Object::new();
    parts.insert("href", parsed.as_str());
    parts.insert("protocol", format!("{}:", parsed.scheme()));
    parts.insert("username", parsed.username());
    parts.insert("password", parsed.password().unwrap_or_default());
    parts.insert("hostname", hostname);
    parts.insert(
        "host",
        if port.is_empty() { hostname.to_owned() } else { format!("{hostname}:{port}") },
    );
    parts.insert("port", port);
    parts.insert("pathname", parsed.path());
    parts.insert(
        "search",
        parsed
            .query()
            .filter(|query| !query.is_empty())
            .map_or(String::new(), |query| format!("?{query}")),
    );
    parts.insert(
        "hash",
        parsed
            .fragment()
            .filter(|part| !part.is_empty())
            .map_or(String::new(), |part| format!("#{part}")),
    );
    parts.insert("origin", parsed.origin().ascii_serialization());
    Some(Value::object(parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_the_well_known_ones() {
        let hex = |algorithm: &str| {
            hash(algorithm, b"12345").and_then(|digest| bytes_to_text("hex", &digest))
        };
        assert_eq!(hex("md5").as_deref(), Some("827ccb0eea8a706c4c34a16891f84e7b"));
        assert_eq!(hex("sha1").as_deref(), Some("8cb2237d0679ca88db6464eac60da96345513964"));
        let empty = hash("ripemd160", b"").and_then(|digest| bytes_to_text("hex", &digest));
        assert_eq!(empty.as_deref(), Some("9c1185a5c5e9fc54612808977ee8f548b2258d31"));
        assert_eq!(hex("nonsense"), None);
        let keyed = hmac("md5", b"key", b"The quick brown fox jumps over the lazy dog")
            .and_then(|digest| bytes_to_text("hex", &digest));
        assert_eq!(keyed.as_deref(), Some("80070713463e7749b90c2dc24911e275"));
    }

    #[test]
    fn zones_know_their_summer() {
        let summer = zone_offset("America/New_York", 1_720_000_000_000.0).unwrap();
        assert_eq!(summer.minutes, -240.0);
        assert!(
            summer.valid_from_ms < 1_720_000_000_000.0
                && summer.valid_until_ms > 1_720_000_000_000.0
        );
        assert!(zone_is_dst("America/New_York", 1_720_000_000_000.0));
        assert_eq!(zone_offset("Nowhere/City", 0.0), None);
    }

    type NamedCall = (&'static str, Box<dyn Fn()>);

    /// Every function of this file with arguments that somebody hostile would choose, by their
    /// size.
    fn hostile_calls(size: usize) -> Vec<NamedCall> {
        let (text, wide, bytes) = ("a".repeat(size), "ü".repeat(size), vec![0xff; size]);
        let texts = [text.clone(), wide.clone(), "%".repeat(size), "\u{202e}=\0".repeat(size / 6)];
        let mut calls: Vec<NamedCall> = Vec::new();
        let mut add = |name, call: Box<dyn Fn()>| calls.push((name, call));
        for algorithm in ["md5", "sha1", "sha256", "sha3", "sha3-224", "ripemd160", "nonsense"] {
            let (data, key) = (bytes.clone(), bytes.clone());
            add(
                "hash and hmac",
                Box::new(move || drop((hash(algorithm, &data), hmac(algorithm, &key, &data)))),
            );
        }
        for encoding in ["utf8", "base64", "base64url", "hex", "latin1", "ascii", "utf16le"] {
            let (data, texts) = (bytes.clone(), texts.clone());
            add("bytes_to_text", Box::new(move || drop(bytes_to_text(encoding, &data))));
            add(
                "text_to_bytes",
                Box::new(move || texts.iter().for_each(|text| drop(text_to_bytes(encoding, text)))),
            );
        }
        for text in texts {
            let long = text.clone();
            // As long as addresses may be, and no longer, or nothing of them would be read.
            let most = MAX_URL_BYTES / 2 - 100;
            let short = text[..text.floor_char_boundary(most.min(text.len() / 4))].to_owned();
            add(
                "hash of a long name",
                Box::new(move || drop((hash(&long, b""), hmac(&long, b"", b"")))),
            );
            let (zone, url) = (text.clone(), short);
            add(
                "zones",
                Box::new(move || drop((zone_offset(&zone, f64::NAN), zone_is_dst(&zone, 1e300)))),
            );
            add("lenient_base64", Box::new(move || drop(lenient_base64(&text))));
            add(
                "parse_url",
                Box::new(move || {
                    for address in [
                        format!("http://{url}/"),
                        format!("http://x/{url}"),
                        format!("http://{}", "a.".repeat(url.len() / 2)),
                        url.clone(),
                    ] {
                        drop((parse_url(&address, None), parse_url(&url, Some(&address))));
                    }
                }),
            );
        }
        add(
            "random",
            Box::new(move || {
                drop((random_bytes(size), random_numbers(size / 8).count(), random_uuid()))
            }),
        );
        let data = bytes.clone();
        add("base64_encode", Box::new(move || drop(base64_encode(&data))));
        calls
    }

    #[test]
    fn issue_14_02_every_host_function_takes_time_in_proportion_to_its_arguments() {
        let timed = |call: &dyn Fn()| {
            let began = compute::cpu_used();
            call();
            (compute::cpu_used() - began).as_secs_f64()
        };
        let sizes = if cfg!(debug_assertions) { [20_000, 200_000] } else { [200_000, 2_000_000] };
        for ((name, small), (_, large)) in
            hostile_calls(sizes[0]).into_iter().zip(hostile_calls(sizes[1]))
        {
            // The best of some tries: the machine may be busy with something else.
            let best = |call: &dyn Fn()| (0..5).map(|_| timed(call)).fold(f64::INFINITY, f64::min);
            let (small, large) = (best(&*small), best(&*large));
            assert!(
                large < small * 30.0 + 0.02,
                "{name}: ten times as much took {small} and then {large} seconds"
            );
        }
    }

    #[test]
    fn encodings_round_trip_and_bad_text_is_passed_over() {
        for encoding in ["utf8", "base64", "base64url", "hex"] {
            let text = bytes_to_text(encoding, "héllo!".as_bytes()).unwrap();
            assert_eq!(text_to_bytes(encoding, &text).unwrap(), "héllo!".as_bytes(), "{encoding}");
        }
        assert_eq!(lenient_base64("aGk"), b"hi");
        assert_eq!(lenient_base64("aG\nk=="), b"hi");
        assert_eq!(text_to_bytes("hex", "6869zz"), Some(b"hi".to_vec()));
    }
}
