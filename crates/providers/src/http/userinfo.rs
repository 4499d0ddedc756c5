//! Credentials that stand in a URL (`https://user:pass@host/`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use url::Url;

/// Takes user and password out of a URL and gives them as the value of an `Authorization` header.
pub(super) fn take_basic_auth(url: &mut Url) -> Option<String> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let pair = format!(
        "{}:{}",
        percent_decode(url.username()),
        percent_decode(url.password().unwrap_or_default())
    );
    // Both can only fail for URLs without a host, which have no credentials either.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Some(format!("Basic {}", STANDARD.encode(pair)))
}

/// Undoes `%41` escapes; what they spell need not be UTF-8.
pub(super) fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let escape = (*byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(value) => {
                decoded.push(value);
                at += 3;
            }
            None => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_leave_the_url() {
        let mut url = Url::parse("https://us%40er:pa%3Ass@host.test/x").unwrap();
        assert_eq!(
            take_basic_auth(&mut url),
            Some(format!("Basic {}", STANDARD.encode("us@er:pa:ss")))
        );
        assert_eq!(url.as_str(), "https://host.test/x");
        assert_eq!(take_basic_auth(&mut url), None);
        assert_eq!(percent_decode("%4é%zz%"), "%4é%zz%");
    }
}
