//! Digest authentication (RFC 7616): answers the challenge of a 401.

use super::super::draft::RequestDraft;
use aws_lc_rs::digest::{SHA256, SHA512_256, digest};
use md5::{Digest as _, Md5};
use node_api::prelude::*;
use std::collections::HashMap;

/// The `Authorization` header that answers a challenge; `None` if there is no digest challenge that
/// can be answered.
pub(super) fn authorization_header(
    response: &HttpResponse,
    draft: &RequestDraft,
    user: &str,
    password: &str,
    cnonce: &str,
) -> Option<String> {
    if response.status != 401 {
        return None;
    }
    let challenges =
        response.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("www-authenticate"));
    let challenge = challenges
        .map(|(_, value)| value)
        .find(|value| value.to_ascii_lowercase().starts_with("digest "))?;
    let fields = parse(challenge.get(7..)?);
    let field = |name: &str| fields.get(name).map(String::as_str);
    let (realm, nonce) = (field("realm").unwrap_or_default(), field("nonce")?);
    let algorithm = field("algorithm").unwrap_or("MD5");
    let hash = DigestHash::named(algorithm.trim_end_matches("-sess"))?;
    let url = url::Url::parse(&draft.full_url()).ok()?;
    let uri = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    let mut ha1 = hash.hex(&format!("{user}:{realm}:{password}"));
    if algorithm.ends_with("-sess") {
        ha1 = hash.hex(&format!("{ha1}:{nonce}:{cnonce}"));
    }
    let ha2 = hash.hex(&format!("{}:{uri}", draft.method));
    let has_qop = field("qop")
        .is_some_and(|qop| qop.split(',').any(|kind| kind.trim().eq_ignore_ascii_case("auth")));
    if !has_qop && field("qop").is_some() {
        return None;
    }
    let count = "00000001";
    let result = match has_qop {
        true => hash.hex(&format!("{ha1}:{nonce}:{count}:{cnonce}:auth:{ha2}")),
        false => hash.hex(&format!("{ha1}:{nonce}:{ha2}")),
    };
    let mut header = format!(
        r#"Digest username="{}", realm="{realm}", nonce="{nonce}", uri="{uri}", response="{result}""#,
        user.replace('"', "\\\"")
    );
    if fields.contains_key("algorithm") {
        header.push_str(&format!(", algorithm={algorithm}"));
    }
    if has_qop {
        header.push_str(&format!(r#", qop=auth, nc={count}, cnonce="{cnonce}""#));
    }
    if let Some(opaque) = field("opaque") {
        header.push_str(&format!(r#", opaque="{opaque}""#));
    }
    Some(header)
}

enum DigestHash {
    Md5,
    Sha256,
    Sha512,
}

impl DigestHash {
    fn named(name: &str) -> Option<Self> {
        match name.to_ascii_uppercase().as_str() {
            "MD5" => Some(DigestHash::Md5),
            "SHA-256" => Some(DigestHash::Sha256),
            "SHA-512-256" => Some(DigestHash::Sha512),
            _ => None,
        }
    }

    fn hex(&self, text: &str) -> String {
        match self {
            DigestHash::Md5 => hex::encode(Md5::digest(text.as_bytes())),
            DigestHash::Sha256 => hex::encode(digest(&SHA256, text.as_bytes())),
            DigestHash::Sha512 => hex::encode(digest(&SHA512_256, text.as_bytes())),
        }
    }
}

/// `name="value", name=value` with commas inside quotes kept.
fn parse(text: &str) -> HashMap<String, String> {
    let mut fields = HashMap::new();
    let mut rest = text;
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.trim_matches([' ', ',', '\t']).to_ascii_lowercase();
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(',').unwrap_or((after, "")),
        };
        fields.insert(name, value.trim().to_owned());
        rest = next;
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn challenge(text: &str) -> HttpResponse {
        let headers = vec![("WWW-Authenticate".to_owned(), text.to_owned())];
        HttpResponse {
            status: 401,
            status_text: "".into(),
            headers,
            body: Default::default(),
            url: String::new(),
            reservation: Default::default(),
        }
    }

    // The worked examples of RFC 7616, section 3.9.1.
    #[test]
    fn the_examples_of_the_standard_come_out() {
        let draft = RequestDraft::new("GET", "http://www.example.org/dir/index.html");
        for (algorithm, expected) in [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ] {
            let text = format!(
                r#"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm={algorithm}, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#
            );
            let header = authorization_header(
                &challenge(&text),
                &draft,
                "Mufasa",
                "Circle of Life",
                "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
            )
            .unwrap();
            assert!(header.contains(&format!("response=\"{expected}\"")), "{header}");
            assert!(
                header.contains("uri=\"/dir/index.html\"")
                    && header.contains("nc=00000001")
                    && header.contains("opaque="),
                "{header}"
            );
        }
    }

    #[test]
    fn other_challenges_are_left_alone() {
        let draft = RequestDraft::new("GET", "http://x.test/");
        for text in [
            "Basic realm=\"x\"",
            "Digest realm=\"x\"",
            "Digest realm=\"x\", nonce=\"n\", algorithm=FOO",
            "Digest nonce=\"n\", qop=\"auth-int\"",
        ] {
            assert_eq!(
                authorization_header(&challenge(text), &draft, "u", "p", "c"),
                None,
                "{text}"
            );
        }
    }
}
