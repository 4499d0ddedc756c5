//! Text in other encodings than UTF-8, under the names that n8n has for them.

use base64::Engine as _;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use encoding_rs::{EncoderResult, Encoding};
use oem_cp::code_table::{DECODING_TABLE_CP_MAP, ENCODING_TABLE_CP_MAP};
use ports::NodeError;

/// Base64 as `Buffer.from(text, 'base64')` takes it: with or without padding, bits left over at the
/// end ignored.
pub static LENIENT_BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent),
);

/// What Node.js makes of base64: either alphabet, and everything that is neither alphabet skipped.
pub fn decode_base64(text: &str) -> Vec<u8> {
    let mut clean: Vec<u8> = Vec::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'-' => clean.push(b'+'),
            b'_' => clean.push(b'/'),
            b'=' => break,
            byte if byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/' => {
                clean.push(byte)
            }
            _ => {}
        }
    }
    // A single letter at the end holds less than a byte.
    if clean.len() % 4 == 1 {
        clean.pop();
    }
    LENIENT_BASE64.decode(&clean).unwrap_or_default()
}

/// The text of a file. A byte order mark goes unless it is to be kept.
pub fn decode(data: &[u8], encoding: &str, strip_bom: bool) -> Result<String, NodeError> {
    let text = match Codec::find(encoding)? {
        Codec::Utf8 => String::from_utf8_lossy(data).into_owned(),
        Codec::Utf16 => match data {
            [0xfe, 0xff, ..] => utf16(data, u16::from_be_bytes),
            [0xff, 0xfe, ..] => utf16(data, u16::from_le_bytes),
            _ if looks_big_endian(data) => utf16(data, u16::from_be_bytes),
            _ => utf16(data, u16::from_le_bytes),
        },
        Codec::Utf16Le => utf16(data, u16::from_le_bytes),
        Codec::Utf16Be => utf16(data, u16::from_be_bytes),
        Codec::Utf32 if data.starts_with(&[0, 0, 0xfe, 0xff]) => utf32(data, u32::from_be_bytes),
        Codec::Utf32 | Codec::Utf32Le => utf32(data, u32::from_le_bytes),
        Codec::Utf32Be => utf32(data, u32::from_be_bytes),
        Codec::Cesu8 => cesu8(data),
        Codec::Ascii => data
            .iter()
            .map(|byte| if byte.is_ascii() { char::from(*byte) } else { '\u{fffd}' })
            .collect(),
        Codec::Latin1 => data.iter().copied().map(char::from).collect(),
        Codec::Base64 => base64::engine::general_purpose::STANDARD.encode(data),
        Codec::Hex => hex::encode(data),
        Codec::Dos(page) => match DECODING_TABLE_CP_MAP.get(&page) {
            Some(table) => table.decode_string_lossy(data),
            None => return Err(unknown(encoding)),
        },
        Codec::Web(table) => table.decode_without_bom_handling(data).0.into_owned(),
    };
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) if strip_bom => rest.to_owned(),
        _ => text,
    })
}

/// The bytes of a text. What the encoding cannot say becomes a question mark.
pub fn encode(text: &str, encoding: &str, add_bom: bool) -> Result<Vec<u8>, NodeError> {
    let codec = Codec::find(encoding)?;
    let marked;
    let has_bom = match codec {
        Codec::Utf8
        | Codec::Cesu8
        | Codec::Utf16Le
        | Codec::Utf16Be
        | Codec::Utf32Le
        | Codec::Utf32Be => add_bom,
        Codec::Utf16 | Codec::Utf32 => true,
        _ => false,
    };
    let text = if has_bom {
        marked = format!("\u{feff}{text}");
        &marked
    } else {
        text
    };
    let single = |most: u32| {
        text.chars()
            .map(|letter| if (letter as u32) < most { letter as u8 } else { b'?' })
            .collect()
    };
    Ok(match codec {
        Codec::Utf8 => text.as_bytes().to_vec(),
        Codec::Utf16 | Codec::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Codec::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        Codec::Utf32 | Codec::Utf32Le => {
            text.chars().flat_map(|letter| (letter as u32).to_le_bytes()).collect()
        }
        Codec::Utf32Be => text.chars().flat_map(|letter| (letter as u32).to_be_bytes()).collect(),
        Codec::Cesu8 => text.encode_utf16().flat_map(cesu8_unit).collect(),
        Codec::Ascii => single(0x80),
        Codec::Latin1 => single(0x100),
        Codec::Base64 => decode_base64(text),
        Codec::Hex => decode_hex(text),
        Codec::Dos(page) => match ENCODING_TABLE_CP_MAP.get(&page) {
            Some(table) => oem_cp::encode_string_lossy(text, table),
            None => return Err(unknown(encoding)),
        },
        Codec::Web(table) => encode_web(text, table),
    })
}

/// The encoding that a file seems to have.
pub fn detect(data: &[u8]) -> &'static str {
    match data {
        [0xef, 0xbb, 0xbf, ..] => return "utf8",
        [0xff, 0xfe, 0, 0, ..] => return "utf32le",
        [0, 0, 0xfe, 0xff, ..] => return "utf32be",
        [0xff, 0xfe, ..] => return "utf16le",
        [0xfe, 0xff, ..] => return "utf16be",
        _ => {}
    }
    if std::str::from_utf8(data).is_ok() {
        return "utf8";
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    // A part of a big file tells as much as the whole.
    detector.feed(&data[..data.len().min(1 << 20)], true);
    detector.guess(None, chardetng::Utf8Detection::Allow).name()
}

#[derive(Clone, Copy)]
enum Codec {
    Utf8,
    /// With a byte order mark that tells the order.
    Utf16,
    Utf16Le,
    Utf16Be,
    Utf32,
    Utf32Le,
    Utf32Be,
    Cesu8,
    Ascii,
    Latin1,
    Base64,
    Hex,
    /// A code page of DOS.
    Dos(u16),
    Web(&'static Encoding),
}

impl Codec {
    fn find(name: &str) -> Result<Self, NodeError> {
        // `ISO_8859-2:1987` and `iso88592` are the same.
        let plain: String = name
            .split(':')
            .next()
            .unwrap_or_default()
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        let plain = plain.to_ascii_lowercase();
        Ok(match plain.as_str() {
            "" | "utf8" | "unicode11utf8" => Codec::Utf8,
            "utf16" => Codec::Utf16,
            "utf16le" | "ucs2" => Codec::Utf16Le,
            "utf16be" => Codec::Utf16Be,
            "utf32" => Codec::Utf32,
            "utf32le" | "ucs4" | "ucs4le" => Codec::Utf32Le,
            "utf32be" | "ucs4be" => Codec::Utf32Be,
            "cesu8" => Codec::Cesu8,
            "ascii" | "usascii" | "ascii8bit" => Codec::Ascii,
            "binary" | "latin1" | "iso88591" | "l1" | "isoir100" => Codec::Latin1,
            "base64" => Codec::Base64,
            "hex" => Codec::Hex,
            _ => {
                let page: Option<u16> = plain
                    .trim_start_matches(|letter: char| letter.is_ascii_alphabetic())
                    .parse()
                    .ok();
                let is_page = ["cp", "ibm", "ms", "oem", ""]
                    .iter()
                    .any(|prefix| page.is_some_and(|page| plain == format!("{prefix}{page}")));
                match (page.filter(|_| is_page), web_label(&plain)) {
                    (_, Some(table)) => Codec::Web(table),
                    (Some(page), None) if DECODING_TABLE_CP_MAP.contains_key(&page) => {
                        Codec::Dos(page)
                    }
                    _ => return Err(unknown(name)),
                }
            }
        })
    }
}

/// The encodings of the web under n8n's names, which have neither dashes nor capitals.
fn web_label(plain: &str) -> Option<&'static Encoding> {
    let label = match plain {
        "macroman" => "macintosh".to_owned(),
        "maccyrillic" | "macukraine" => "x-mac-cyrillic".to_owned(),
        "big5hkscs" | "cp950" => "big5".to_owned(),
        "cp936" => "gbk".to_owned(),
        "cp949" => "euc-kr".to_owned(),
        "cp932" | "shiftjis" => "shift_jis".to_owned(),
        "eucjp" => "euc-jp".to_owned(),
        "euckr" => "euc-kr".to_owned(),
        "koi8r" => "koi8-r".to_owned(),
        "koi8u" | "koi8ru" => "koi8-u".to_owned(),
        "tis620" | "iso885911" | "cp874" => "windows-874".to_owned(),
        _ => match (
            plain.strip_prefix("windows").or_else(|| plain.strip_prefix("cp")),
            plain.strip_prefix("iso8859"),
        ) {
            (Some(page), _) if page == "874" || page.len() == 4 && page.starts_with("125") => {
                format!("windows-{page}")
            }
            (_, Some(part)) => format!("iso-8859-{part}"),
            _ => plain.to_owned(),
        },
    };
    Encoding::for_label_no_replacement(label.as_bytes())
}

fn unknown(name: &str) -> NodeError {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    NodeError::parameter(
        "options.encoding",
        format!("Encoding not recognized: '{name}' (searched as: '{plain}')"),
    )
    .hint(
        "Use utf8, utf16le, latin1, a windows or iso-8859 code page, a DOS code page such as \
             cp850, koi8r, gbk, big5hkscs, shiftjis or eucjp.",
    )
}

fn utf16(data: &[u8], read: fn([u8; 2]) -> u16) -> String {
    let units = data.chunks_exact(2).map(|pair| read([pair[0], pair[1]]));
    char::decode_utf16(units).map(|letter| letter.unwrap_or('\u{fffd}')).collect()
}

fn utf32(data: &[u8], read: fn([u8; 4]) -> u32) -> String {
    let units = data.chunks_exact(4).map(|four| read([four[0], four[1], four[2], four[3]]));
    units.map(|unit| char::from_u32(unit).unwrap_or('\u{fffd}')).collect()
}

/// Latin text in UTF-16 has its zeros first when the big end comes first.
fn looks_big_endian(data: &[u8]) -> bool {
    let head = &data[..data.len().min(1000)];
    let zeros = |from: usize| head.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    zeros(0) > zeros(1)
}

/// UTF-8 in which letters beyond the first plane are written as two surrogates of three bytes each.
fn cesu8(data: &[u8]) -> String {
    let mut units = Vec::with_capacity(data.len());
    let mut at = 0;
    while let Some(&first) = data.get(at) {
        let next = |step: usize| {
            data.get(at + step)
                .filter(|byte| *byte & 0xc0 == 0x80)
                .map(|byte| u16::from(byte & 0x3f))
        };
        let (unit, length) = match (first, next(1), next(2)) {
            (0..=0x7f, ..) => (u16::from(first), 1),
            (0xc2..=0xdf, Some(second), _) => ((u16::from(first) & 0x1f) << 6 | second, 2),
            (0xe0..=0xef, Some(second), Some(third)) => {
                ((u16::from(first) & 0xf) << 12 | second << 6 | third, 3)
            }
            _ => (0xfffd, 1),
        };
        units.push(unit);
        at += length;
    }
    String::from_utf16_lossy(&units)
}

fn cesu8_unit(unit: u16) -> Vec<u8> {
    match unit {
        0..=0x7f => vec![unit as u8],
        0x80..=0x7ff => vec![0xc0 | (unit >> 6) as u8, 0x80 | (unit & 0x3f) as u8],
        _ => vec![
            0xe0 | (unit >> 12) as u8,
            0x80 | (unit >> 6 & 0x3f) as u8,
            0x80 | (unit & 0x3f) as u8,
        ],
    }
}

/// Hex digits up to the first thing that is none, as Node.js reads them.
fn decode_hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.chars().map_while(|letter| letter.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn encode_web(text: &str, table: &'static Encoding) -> Vec<u8> {
    let mut encoder = table.new_encoder();
    let mut out = Vec::with_capacity(text.len() + 16);
    let mut rest = text;
    loop {
        out.reserve(rest.len() + 32);
        let (result, read) =
            encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut out, true);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return out,
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(_) => out.push(b'?'),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_survives_the_encodings_that_can_say_it() {
        for (encoding, text) in [
            ("utf8", "añ€😀"),
            ("utf-16le", "añ€😀"),
            ("utf16", "añ€😀"),
            ("utf16be", "añ€😀"),
            ("utf32", "añ€😀"),
            ("cesu8", "añ€😀"),
            ("latin1", "añ"),
            ("windows1252", "añ€"),
            ("windows1250", "Příliš žluťoučký kůň"),
            ("windows1256", "مرحبا"),
            ("iso88592", "Příliš"),
            ("iso885915", "€"),
            ("koi8r", "привет"),
            ("cp866", "привет"),
            ("cp850", "añé"),
            ("cp437", "é"),
            ("macintosh", "é"),
            ("shiftjis", "日本"),
            ("eucjp", "日本"),
            ("gbk", "中文"),
            ("big5hkscs", "中文"),
            ("cp949", "한국"),
            ("windows874", "ไทย"),
        ] {
            let bytes = encode(text, encoding, false).unwrap();
            assert_eq!(decode(&bytes, encoding, true).unwrap(), text, "{encoding}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_added_and_taken_off() {
        let bytes = encode("a", "utf8", true).unwrap();
        assert_eq!(bytes, b"\xef\xbb\xbfa");
        assert_eq!(decode(&bytes, "utf8", true).unwrap(), "a");
        assert_eq!(decode(&bytes, "utf8", false).unwrap(), "\u{feff}a");
        assert_eq!(encode("a", "latin1", true).unwrap(), b"a");
    }

    #[test]
    fn what_cannot_be_said_becomes_a_question_mark() {
        assert_eq!(encode("ěa", "windows1256", false).unwrap(), b"?a");
        assert_eq!(encode("ěa", "ascii", false).unwrap(), b"?a");
        assert_eq!(encode("€", "iso88591", false).unwrap(), b"?");
    }

    #[test]
    fn an_unknown_encoding_is_named() {
        let error = decode(b"", "armscii8", true).unwrap_err();
        assert_eq!(
            error.message(),
            "Encoding not recognized: 'armscii8' (searched as: 'armscii8')"
        );
    }

    #[test]
    fn the_encoding_is_guessed_where_it_is_not_told() {
        assert_eq!(detect("Příliš".as_bytes()), "utf8");
        assert_eq!(detect(b"\xff\xfea\0"), "utf16le");
        let czech = encode(
            "Karlovy Vary město lázní Příliš žluťoučký kůň úpěl ďábelské ódy.",
            "windows1250",
            false,
        )
        .unwrap();
        assert_eq!(
            decode(&czech, detect(&czech), true).unwrap(),
            "Karlovy Vary město lázní Příliš žluťoučký kůň úpěl ďábelské ódy."
        );
    }

    #[test]
    fn base64_is_read_as_leniently_as_node_does() {
        for (text, bytes) in [
            ("aGk=", "hi"),
            ("aGk", "hi"),
            ("aG\nk=", "hi"),
            ("aGk=junk", "hi"),
            ("a", ""),
            ("", ""),
            ("_-8", "\u{0}"),
        ] {
            if text == "_-8" {
                assert_eq!(decode_base64(text), [0xff, 0xef]);
            } else {
                assert_eq!(decode_base64(text), bytes.as_bytes(), "{text}");
            }
        }
    }
}
