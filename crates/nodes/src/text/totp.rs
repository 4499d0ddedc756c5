//! One-time passwords that change with the clock, as authenticator apps show them.

use super::digests::HashAlgorithm;
use node_api::prelude::*;

pub(crate) struct Totp;

impl Node for Totp {
    fn spec() -> Spec {
        let algorithms = [
            "SHA1", "SHA224", "SHA256", "SHA3-224", "SHA3-256", "SHA3-384", "SHA3-512", "SHA384",
            "SHA512",
        ]
        .map(|name| (name, name));
        Spec::new("n8n-nodes-base.totp", &[1.0], "TOTP", "Generate a time-based one-time password").icon("fingerprint")
            .credential("totpApi", true)
            .param(Param::choice("operation", "Operation", &[("generateSecret", "Generate secret")]).raw().help("What to do."))
            .param(
                Param::collection(
                    "options",
                    "Options",
                    [
                        Param::choice("algorithm", "Algorithm", &algorithms).help("Hash algorithm of the service."),
                        Param::number("digits", "Digits", 6).help("Number of digits of the password."),
                        Param::number("period", "Period", 30).help("How many seconds a password is valid."),
                    ],
                )
                .help("Further settings."),
            )
            .alias(&["2fa", "otp", "authenticator"])
            .repeatable()
            .hint("Use it right before the node that signs in, because the password expires within seconds.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let credential = ctx.host().credential("totpApi", 0)?;
        let field = |name: &str| credential.get(name).and_then(Value::as_str).unwrap_or_default();
        if !field("label").contains(':') {
            return Err(NodeError::credential("Malformed label - expected `issuer:username`"));
        }
        let option = |name: &str, default: f64| match ctx.param(&format!("options.{name}"), 0) {
            Ok(value) if value.is_truthy() => ctx.number(&format!("options.{name}"), 0),
            Ok(_) => Ok(default),
            Err(error) => Err(error),
        };
        let (digits, period) = (option("digits", 6.0)?, option("period", 30.0)?);
        if !(1.0..=18.0).contains(&digits) || !(1.0..=1e9).contains(&period) {
            return Err(NodeError::parameter(
                "options",
                "The number of digits must be between 1 and 18, and the period must be at least \
                     one second",
            ));
        }
        let algorithm = match ctx.text("options.algorithm", 0)? {
            name if name.is_empty() => "SHA1".into(),
            name => name,
        };
        let hash = HashAlgorithm::from_name(&algorithm).ok_or_else(|| {
            NodeError::parameter("options.algorithm", format!("Unknown algorithm {algorithm}"))
        })?;
        let secret = decode_base32(field("secret"))
            .ok_or_else(|| NodeError::credential("The secret is not valid Base32"))?;

        let seconds = ctx.host().now_ms() as f64 / 1000.0;
        let token = password(hash, &secret, (seconds / period).floor() as u64, digits as u32);
        let remaining = (period * (1.0 - (seconds / period).fract())).trunc();
        ctx.map_items(&items, |_, _| {
            let mut fields = Object::new();
            fields.insert("token", token.clone());
            fields.insert("secondsRemaining", remaining);
            Ok(Item::new(fields))
        })
    }
}

/// RFC 4226.
fn password(hash: HashAlgorithm, secret: &[u8], counter: u64, digits: u32) -> String {
    let sum = hash.hmac(secret, &counter.to_be_bytes());
    let offset = usize::from(sum.last().copied().unwrap_or(0) & 0x0f);
    let number =
        sum.iter().skip(offset).take(4).fold(0u64, |number, byte| number << 8 | u64::from(*byte))
            & 0x7fff_ffff;
    format!("{:0width$}", number % 10u64.pow(digits), width = digits as usize)
}

fn decode_base32(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut buffer, mut bits) = (0u32, 0);
    for letter in text.trim_end_matches('=').bytes().filter(|letter| *letter != b' ') {
        let value = match letter.to_ascii_uppercase() {
            letter @ b'A'..=b'Z' => letter - b'A',
            letter @ b'2'..=b'7' => letter - b'2' + 26,
            _ => return None,
        };
        buffer = (buffer << 5 | u32::from(value)) & 0xfff;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push((buffer >> bits & 0xff) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OnError;
    use node_testing::{TestHost, items, run_on, to_json};

    #[test]
    fn passwords_agree_with_the_standard() {
        let secret = b"12345678901234567890";
        assert_eq!(password(HashAlgorithm::Sha1, secret, 1, 8), "94287082");
        assert_eq!(password(HashAlgorithm::Sha1, secret, 0x0235_23EC, 8), "07081804");
        assert_eq!(decode_base32("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ").unwrap(), secret);
    }

    #[tokio::test]
    async fn every_item_gets_the_password_and_its_remaining_time() {
        let mut host = TestHost::new(&Totp::spec(), 1.0, &json!({}));
        host.now_ms = 59_000;
        host.credentials = Object::from_iter([(
            "totpApi",
            Object::from_iter([
                ("label", "shop:me"),
                ("secret", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"),
            ]),
        )]);
        let made =
            run_on::<Totp>(&host, 1.0, vec![items(&json!([{}, {}]))], OnError::Stop).await.unwrap();
        assert_eq!(
            to_json(&made[0]).at(1),
            Some(&json!({ "token": "287082", "secondsRemaining": 1 }))
        );
    }

    #[tokio::test]
    async fn a_label_without_an_issuer_is_refused() {
        let mut host = TestHost::new(&Totp::spec(), 1.0, &json!({}));
        host.credentials = Object::from_iter([(
            "totpApi",
            Object::from_iter([("label", "me"), ("secret", "AA")]),
        )]);
        let error =
            run_on::<Totp>(&host, 1.0, vec![items(&json!([{}]))], OnError::Stop).await.unwrap_err();
        assert_eq!(error.message(), "Malformed label - expected `issuer:username`");
    }
}
