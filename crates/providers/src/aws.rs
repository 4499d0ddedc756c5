//! AWS's Signature Version 4: what makes a request that of whoever has the key. The key itself is
//! never sent.

use crate::models::secret::Secret;
use aws_lc_rs::{digest, hmac};
use jiff::Timestamp;
use node_api::http::{HttpBody, HttpError, HttpRequest};
use std::fmt;
use std::fmt::Write as _;
use url::Url;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// A key and what it is used for.
#[derive(Clone)]
pub struct AwsSigner {
    pub access_key_id: Secret,
    pub secret_access_key: Secret,
    /// Comes with keys that hold for a while only.
    pub session_token: Option<Secret>,
    pub region: String,
    /// As signatures name it, such as `bedrock`.
    pub service: &'static str,
}

/// Names its use only; the rest is secret.
impl fmt::Debug for AwsSigner {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "AwsSigner({}/{})", self.region, self.service)
    }
}

impl AwsSigner {
    /// Signs a request as it is about to be sent. A signature holds for minutes, so every attempt
    /// gets its own.
    pub fn sign(&self, request: &mut HttpRequest, unix_ms: i64) -> Result<(), HttpError> {
        let url = Url::parse(&request.url).map_err(|error| HttpError::Url {
            url: request.url.clone(),
            reason: error.to_string(),
        })?;
        let time = basic_time(unix_ms);
        request.set_header("x-amz-date", &time);
        if let Some(token) = &self.session_token {
            request.set_header("x-amz-security-token", token.reveal().trim());
        }
        let body: &[u8] = match &request.body {
            HttpBody::Bytes(bytes) => bytes,
            _ => &[],
        };
        let headers = signed_headers(request, &url);
        let names = headers.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(";");
        let canonical = canonical_request(&request.method, &url, &headers, &names, body);
        let date = time.get(..8).unwrap_or_default();
        let scope = format!("{date}/{}/{}/aws4_request", self.region, self.service);
        let to_sign = format!("{ALGORITHM}\n{time}\n{scope}\n{}", sha256(canonical.as_bytes()));
        let signature = hex(self.signing_key(date), to_sign.as_bytes());
        let id = self.access_key_id.reveal().trim();
        let authorization = format!(
            "{ALGORITHM} Credential={id}/{scope}, SignedHeaders={names}, Signature={signature}"
        );
        request.set_header("authorization", &authorization);
        for name in ["x-amz-security-token", "x-amz-date"] {
            request.credential_headers.push(name.to_owned());
        }
        // A signature is for one host; whoever leads it elsewhere shall have nothing of it.
        request.follow_redirects = false;
        Ok(())
    }

    /// What may be in no message: a service that refuses a signature repeats all that was signed.
    pub fn secrets(&self) -> impl Iterator<Item = Secret> + '_ {
        [&self.secret_access_key, &self.access_key_id]
            .into_iter()
            .chain(&self.session_token)
            .cloned()
    }

    fn signing_key(&self, date: &str) -> hmac::Key {
        let start = format!("AWS4{}", self.secret_access_key.reveal().trim());
        let first = hmac::Key::new(hmac::HMAC_SHA256, start.as_bytes());
        [date, &self.region, self.service, "aws4_request"].into_iter().fold(first, |key, part| {
            hmac::Key::new(hmac::HMAC_SHA256, hmac::sign(&key, part.as_bytes()).as_ref())
        })
    }
}

/// `20150830T123600Z`.
fn basic_time(unix_ms: i64) -> String {
    let time = Timestamp::from_millisecond(unix_ms).unwrap_or(Timestamp::UNIX_EPOCH);
    time.strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// The headers that the signature covers, in their order: those that say what the request is and
/// whose.
fn signed_headers(request: &HttpRequest, url: &Url) -> Vec<(String, String)> {
    let host = url.host_str().unwrap_or_default();
    let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let is_signed = |name: &str| name == "content-type" || name.starts_with("x-amz-");
    let mut headers: Vec<(String, String)> = request
        .headers
        .iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value))
        .filter(|(name, _)| is_signed(name))
        .map(|(name, value)| (name, value.split_whitespace().collect::<Vec<_>>().join(" ")))
        .collect();
    headers.push(("host".to_owned(), host));
    headers.sort();
    headers
}

fn canonical_request(
    method: &str,
    url: &Url,
    headers: &[(String, String)],
    names: &str,
    body: &[u8],
) -> String {
    // What is encoded in the path is encoded once more here, as every service but S3 wants it.
    let path: Vec<String> = url.path().split('/').map(encoded).collect();
    let path = path.join("/");
    let mut query: Vec<(String, String)> =
        url.query_pairs().map(|(name, value)| (encoded(&name), encoded(&value))).collect();
    query.sort();
    let query: Vec<String> =
        query.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut canonical = format!("{method}\n{path}\n{}\n", query.join("&"));
    for (name, value) in headers {
        let _ = writeln!(canonical, "{name}:{value}");
    }
    let _ = write!(canonical, "\n{names}\n{}", sha256(body));
    canonical
}

/// Everything but the letters and signs that never need it is written with a percent sign.
pub fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

fn sha256(bytes: &[u8]) -> String {
    digits(digest::digest(&digest::SHA256, bytes).as_ref())
}

fn hex(key: hmac::Key, bytes: &[u8]) -> String {
    digits(hmac::sign(&key, bytes).as_ref())
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2015-08-30T12:36:00Z, the moment of AWS's published examples.
    const MOMENT: i64 = 1_440_938_160_000;

    fn signer(service: &'static str, token: Option<&str>) -> AwsSigner {
        AwsSigner {
            access_key_id: Secret::new("AKIDEXAMPLE"),
            secret_access_key: Secret::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            session_token: token.map(Secret::new),
            region: "us-east-1".to_owned(),
            service,
        }
    }

    fn signed(signer: &AwsSigner, mut request: HttpRequest) -> (String, HttpRequest) {
        signer.sign(&mut request, MOMENT).unwrap();
        let authorization = request.header("authorization").unwrap();
        let signature = authorization.rsplit_once("Signature=").unwrap().1.to_owned();
        (signature, request)
    }

    fn signature(request: HttpRequest) -> String {
        signed(&signer("service", None), request).0
    }

    /// From the signature test suite that AWS publishes: `get-vanilla`, `post-vanilla`,
    /// `get-vanilla-query-order-key-case`, `get-utf8` and `post-x-www-form-urlencoded`.
    #[test]
    fn the_published_examples_have_their_signatures() {
        let at = |method: &str, rest: &str| {
            HttpRequest::new(method, format!("https://example.amazonaws.com{rest}"))
        };
        for (request, wanted) in [
            (at("GET", "/"), "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
            (at("POST", "/"), "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
            (
                at("GET", "/?Param2=value2&Param1=value1"),
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
            ),
        ] {
            assert_eq!(signature(request), wanted);
        }
        let mut form = at("POST", "/");
        form.set_header("content-type", "application/x-www-form-urlencoded");
        form.body = HttpBody::Bytes("Param1=value1".into());
        assert_eq!(
            signature(form),
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"
        );
    }

    /// The example of AWS's documentation, with its signing key.
    #[test]
    fn the_documented_request_to_iam_has_its_signature() {
        let mut request = HttpRequest::new(
            "GET",
            "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
        );
        request.set_header("content-type", "application/x-www-form-urlencoded; charset=utf-8");
        let (signature, request) = signed(&signer("iam", None), request);
        assert_eq!(signature, "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
        assert_eq!(
            request.header("authorization").unwrap().split(", ").next().unwrap(),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request"
        );
        assert!(!request.follow_redirects);
    }

    /// `post-sts-header-before` of the suite, whose token is signed too.
    #[test]
    fn a_session_token_is_signed_and_is_a_secret() {
        let token = "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";
        let signer = signer("service", Some(token));
        let (signature, request) =
            signed(&signer, HttpRequest::new("POST", "https://example.amazonaws.com/"));
        assert_eq!(signature, "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead");
        assert!(request.credential_headers.iter().any(|name| name == "x-amz-security-token"));
        assert_eq!(signer.secrets().count(), 3);
        assert_eq!(format!("{signer:?}"), "AwsSigner(us-east-1/service)");
    }

    #[test]
    fn a_path_is_encoded_once_more_and_a_port_is_part_of_the_host() {
        let url = Url::parse("http://127.0.0.1:8080/model/a.b-v1%3A0/converse").unwrap();
        let request = HttpRequest::new("POST", url.as_str());
        let headers = signed_headers(&request, &url);
        assert_eq!(headers, [("host".to_owned(), "127.0.0.1:8080".to_owned())]);
        let canonical = canonical_request("POST", &url, &headers, "host", b"");
        assert!(canonical.starts_with("POST\n/model/a.b-v1%253A0/converse\n\n"), "{canonical}");
        assert_eq!(encoded("arn:aws/x y~"), "arn%3Aaws%2Fx%20y~");
    }
}
