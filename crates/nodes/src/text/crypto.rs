//! Hashes, keyed hashes, signatures and random texts.

use super::digests::HashAlgorithm;
use super::keys::{self, KeyError, Scheme};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use node_api::prelude::*;

pub(crate) struct Crypto;

/// A longer random text is a mistake.
const MAX_RANDOM: f64 = 16_000_000.0;

const SIGN_ALGORITHMS: &[(&str, &str)] = &[
    ("RSA-MD5", "RSA-MD5"),
    ("RSA-RIPEMD160", "RSA-RIPEMD160"),
    ("RSA-SHA1", "RSA-SHA1"),
    ("RSA-SHA224", "RSA-SHA224"),
    ("RSA-SHA256", "RSA-SHA256"),
    ("RSA-SHA3-224", "RSA-SHA3-224"),
    ("RSA-SHA3-256", "RSA-SHA3-256"),
    ("RSA-SHA3-384", "RSA-SHA3-384"),
    ("RSA-SHA3-512", "RSA-SHA3-512"),
    ("RSA-SHA384", "RSA-SHA384"),
    ("RSA-SHA512", "RSA-SHA512"),
    ("id-rsassa-pkcs1-v1_5-with-sha3-224", "id-rsassa-pkcs1-v1_5-with-sha3-224"),
    ("id-rsassa-pkcs1-v1_5-with-sha3-256", "id-rsassa-pkcs1-v1_5-with-sha3-256"),
    ("id-rsassa-pkcs1-v1_5-with-sha3-384", "id-rsassa-pkcs1-v1_5-with-sha3-384"),
    ("id-rsassa-pkcs1-v1_5-with-sha3-512", "id-rsassa-pkcs1-v1_5-with-sha3-512"),
    ("md5", "md5"),
    ("md5WithRSAEncryption", "md5WithRSAEncryption"),
    ("ripemd", "ripemd"),
    ("ripemd160", "ripemd160"),
    ("ripemd160WithRSA", "ripemd160WithRSA"),
    ("rmd160", "rmd160"),
    ("sha1", "sha1"),
    ("sha1WithRSAEncryption", "sha1WithRSAEncryption"),
    ("sha224", "sha224"),
    ("sha224WithRSAEncryption", "sha224WithRSAEncryption"),
    ("sha256", "sha256"),
    ("sha256WithRSAEncryption", "sha256WithRSAEncryption"),
    ("sha3-224", "sha3-224"),
    ("sha3-256", "sha3-256"),
    ("sha3-384", "sha3-384"),
    ("sha3-512", "sha3-512"),
    ("sha384", "sha384"),
    ("sha384WithRSAEncryption", "sha384WithRSAEncryption"),
    ("sha512", "sha512"),
    ("sha512WithRSAEncryption", "sha512WithRSAEncryption"),
    ("ssl3-md5", "ssl3-md5"),
    ("ssl3-sha1", "ssl3-sha1"),
];

impl Node for Crypto {
    fn spec() -> Spec {
        let actions =
            [("hash", "Hash"), ("hmac", "Hmac"), ("sign", "Sign"), ("generate", "Generate")];
        let types = ["MD5", "SHA256", "SHA3-256", "SHA3-384", "SHA3-512", "SHA384", "SHA512"]
            .map(|name| (name, name));
        let random = [("uuid", "UUID"), ("ascii", "ASCII"), ("base64", "BASE64"), ("hex", "HEX")];
        let hashes = &["hash", "hmac"];
        let kind = || {
            Param::choice("type", "Type", &types)
                .required()
                .help("Hash algorithm.")
                .show("action", hashes)
        };
        Spec::new("n8n-nodes-base.crypto", &[1.0, 2.0], "Crypto", "Provide cryptographic utilities").icon("lock")
            .credential("crypto", false)
            .params([
                Param::choice("action", "Action", &actions).help("Operation to perform."),
                kind().until(1.0),
                kind().preset("SHA256").since(2.0),
                Param::flag("binaryData", "Binary file", false).help("Hash a binary field of the item instead of a text.").show("action", hashes),
                Param::text("binaryPropertyName", "Binary property name", "data")
                    .required()
                    .help("The name of the file.")
                    .show("action", hashes)
                    .show("binaryData", &[true]),
                Param::text("value", "Value", "").required().help("The text to hash.").show("action", hashes).show("binaryData", &[false]),
                Param::text("value", "Value", "").required().help("The text to sign.").show("action", &["sign"]),
                Param::text("dataPropertyName", "Property name", "data").required().help("Field for the result."),
                Param::secret("secret", "Secret").help("Secret key of the HMAC.").show("action", &["hmac"]).until(1.0),
                Param::choice("algorithm", "Algorithm name or ID", SIGN_ALGORITHMS)
                    .preset("")
                    .required()
                    .help("Hash algorithm of the signature.")
                    .show("action", &["sign"]),
                Param::secret("privateKey", "Private key").help("Private key in PEM format.").show("action", &["sign"]).until(1.0),
                Param::choice("encoding", "Encoding", &[("hex", "HEX"), ("base64", "BASE64")])
                    .help("Encoding of the result.")
                    .show("action", &["hash", "hmac", "sign"]),
                Param::choice("encodingType", "Type", &random).help("Type of random text.").show("action", &["generate"]),
                Param::number("stringLength", "Length", 32)
                    .help("The length of the random text.")
                    .show("action", &["generate"])
                    .show("encodingType", &["ascii", "base64", "hex"]),
            ])
            .differs_when("action", &["sign"], "Signatures with BLAKE2, SM3, MD5-SHA1, SHA-512/224 and SHA-512/256 are not supported. \
                 Keys for elliptic curves sign with SHA-2 only.")
            .alias(&["hash", "hmac", "md5", "sha256", "uuid", "random", "sign", "encrypt"])
            .repeatable()
            .computes()
            .hint("Use it for checksums, signed requests and IDs.")
            .example(
                "SHA-256 of a text",
                r#"{ "value": "abc", "dataPropertyName": "sum" }"#,
                r#"[{ "id": 1 }]"#,
                r#"[[{ "id": 1, "sum": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let action = ctx.text("action", 0)?;
        let secret = if ctx.version() >= 2.0 { credential_secret(ctx, &action)? } else { None };
        let mut output = ctx.builder();
        for (index, item) in items.iter().enumerate() {
            match compute(ctx, index, &item, &action, secret.as_deref()) {
                Ok((text, used_file)) => {
                    let mut made = Item {
                        binary: if used_file { None } else { item.binary.clone() },
                        ..Item::new(item.json)
                    };
                    made.json.make_object().insert(ctx.text("dataPropertyName", index)?, text);
                    output.push(made.paired_with(index));
                }
                Err(error) => {
                    let mut failed = ctx.failed_item(index, error)?;
                    if ctx.version() >= 2.0 {
                        let message = failed.json.get("error").cloned().unwrap_or_default();
                        failed.json = Object::from_iter([(
                            "error",
                            Object::from_iter([("message", message), ("name", "Error".into())]),
                        )])
                        .into();
                    }
                    output.push(failed);
                }
            }
        }
        Ok(vec![output.finish()])
    }
}

fn credential_secret(ctx: &Ctx<'_>, action: &str) -> Result<Option<Str>, NodeError> {
    let (field, message) = match action {
        "hmac" => (
            "hmacSecret",
            "No HMAC secret set in credentials. Please add an HMAC secret to your Crypto credentials.",
        ),
        "sign" => (
            "signPrivateKey",
            "No private key set in credentials. Please add a private key to your Crypto credentials.",
        ),
        _ => return Ok(None),
    };
    let fields = ctx.host().credential("crypto", 0)?;
    match fields.get(field).and_then(Value::as_str) {
        Some(secret) if !secret.is_empty() => Ok(Some(secret.into())),
        _ => Err(NodeError::credential(message)),
    }
}

/// The result, and whether it was made from a file.
fn compute(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
    action: &str,
    secret: Option<&str>,
) -> Result<(String, bool), NodeError> {
    let encode = |bytes: &[u8], encoding: &str| {
        if encoding == "base64" { STANDARD.encode(bytes) } else { hex::encode(bytes) }
    };
    match action {
        "generate" => Ok((random_text(ctx, index)?, false)),
        "hash" | "hmac" => {
            let name = ctx.text("type", index)?;
            let hash = HashAlgorithm::from_name(&name).ok_or_else(|| match action {
                "hash" => NodeError::parameter("type", "Digest method not supported"),
                _ => NodeError::parameter("type", format!("Invalid digest: {name}")),
            })?;
            let from_file = ctx.flag("binaryData", index)?;
            let data = if from_file {
                ctx.binary(item, index, &ctx.text("binaryPropertyName", index)?)?.data.clone()
            } else {
                ctx.text("value", index)?.as_bytes().to_vec().into()
            };
            let made = if action == "hash" {
                hash.digest(&data)
            } else {
                match secret {
                    Some(secret) => hash.hmac(secret.as_bytes(), &data),
                    None => hash.hmac(ctx.text("secret", index)?.as_bytes(), &data),
                }
            };
            Ok((encode(&made, &ctx.text("encoding", index)?), from_file))
        }
        "sign" => {
            let name = ctx.text("algorithm", index)?;
            let hash = HashAlgorithm::from_name(&name).ok_or_else(|| {
                NodeError::parameter("algorithm", format!("Invalid digest: {name}"))
            })?;
            let key = match secret {
                Some(key) => key.into(),
                None => ctx.text("privateKey", index)?,
            };
            let scheme = if keys::is_rsa(&key) { Scheme::RsaPkcs1 } else { Scheme::EcdsaAsn1 };
            let value = ctx.text("value", index)?;
            let mut made = keys::sign(scheme, hash, &key, value.as_bytes());
            let is_refused = matches!(made, Err(KeyError::NotMade { .. } | KeyError::Unfit { .. }));
            if is_refused && scheme == Scheme::RsaPkcs1 {
                made = keys::sign_outdated(hash, &key, value.as_bytes());
                if made.is_ok() && index == 0 {
                    ctx.host().warn(outdated(&name));
                }
            }
            let made = made.map_err(|problem| match problem {
                KeyError::NotMade { .. } => NodeError::parameter(
                    "algorithm",
                    format!("Signatures with {name} are not supported"),
                )
                .hint("Use SHA-256, SHA-384 or SHA-512 with this key."),
                problem => NodeError::parameter("privateKey", problem.to_string()),
            })?;
            Ok((encode(&made, &ctx.text("encoding", index)?), false))
        }
        other => Err(NodeError::parameter("action", format!("Unknown action '{other}'"))),
    }
}

/// What the author of the workflow is told of a signature that others may be able to forge.
fn outdated(algorithm: &str) -> Str {
    format!(
        "The signature with {algorithm} and this key is outdated and may be forged. Use SHA-256 and a key of at least \
         2048 bits if the recipient supports it."
    )
    .into()
}

fn random_text(ctx: &Ctx<'_>, index: usize) -> Result<String, NodeError> {
    let kind = ctx.text("encodingType", index)?;
    if kind == "uuid" {
        let mut bytes = [0; 16];
        ctx.host().fill_random(&mut bytes);
        return Ok(uuid::Builder::from_random_bytes(bytes).into_uuid().to_string());
    }
    let length = ctx.number("stringLength", index)?;
    if !(0.0..=MAX_RANDOM).contains(&length) {
        return Err(NodeError::parameter(
            "stringLength",
            format!("The length must be between 0 and {MAX_RANDOM}, but it is {length}"),
        ));
    }
    let mut bytes = vec![0; length as usize];
    ctx.host().fill_random(&mut bytes);
    let text = match kind.as_str() {
        "hex" => hex::encode(&bytes),
        "base64" => STANDARD.encode(&bytes).replace(['+', '/', '='], ""),
        _ => bytes.iter().map(|byte| char::from(byte & 0x7f)).collect(),
    };
    Ok(text.chars().take(length as usize).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OnError;
    use node_testing::{TestHost, items, run_on, run_version, to_json};

    async fn one(version: f64, params: Value) -> Result<Value, NodeError> {
        let made = run_version::<Crypto>(version, params, &[json!([{}])]).await?;
        Ok(made[0].at(0).unwrap().get("data").cloned().unwrap())
    }

    #[tokio::test]
    async fn the_first_version_hashes_with_md5_by_default() {
        assert_eq!(
            one(1.0, json!({ "value": "abc" })).await.unwrap(),
            json!("900150983cd24fb0d6963f7d28e17f72")
        );
        let params = json!({ "action": "hmac", "type": "SHA256", "value": "m", "secret": "k", "encoding": "base64" });
        assert_eq!(
            one(1.0, params).await.unwrap(),
            json!("tgCQ4wUil661oICInOL8S8qVfnVvrrTffTGADKHncew=")
        );
    }

    #[tokio::test]
    async fn files_are_hashed_and_not_passed_on() {
        let host = TestHost::new(&Crypto::spec(), 1.0, &json!({ "binaryData": true }));
        let mut item = Item::new(json!({}));
        item.set_binary("data", Binary::new("abc", "text/plain", None));
        let made =
            run_on::<Crypto>(&host, 1.0, vec![Items::one(item)], OnError::Stop).await.unwrap();
        assert_eq!(to_json(&made[0]), json!([{ "data": "900150983cd24fb0d6963f7d28e17f72" }]));
        assert!(made[0].first().unwrap().binary.is_none());
    }

    #[tokio::test]
    async fn random_texts_have_the_length_asked_for() {
        for kind in ["hex", "ascii"] {
            let mut params = json!({ "action": "generate", "stringLength": 9 });
            params.set_path("encodingType", kind);
            assert_eq!(one(1.0, params).await.unwrap().as_str().unwrap().len(), 9, "{kind}");
        }
        assert_eq!(
            one(1.0, json!({ "action": "generate" })).await.unwrap().as_str().unwrap().len(),
            36
        );
        assert!(
            one(1.0, json!({ "action": "generate", "encodingType": "hex", "stringLength": 1e12 }))
                .await
                .is_err()
        );
    }

    #[tokio::test]
    async fn the_second_version_takes_its_keys_from_a_credential() {
        let mut host =
            TestHost::new(&Crypto::spec(), 2.0, &json!({ "action": "hmac", "value": "m" }));
        let error = run_on::<Crypto>(&host, 2.0, vec![items(&json!([{}]))], OnError::Stop)
            .await
            .unwrap_err();
        assert_eq!(error.code(), Code::CREDENTIAL_MISSING);
        host.credentials =
            Object::from_iter([("crypto", Object::from_iter([("hmacSecret", "k")]))]);
        let made =
            run_on::<Crypto>(&host, 2.0, vec![items(&json!([{}]))], OnError::Stop).await.unwrap();
        assert_eq!(
            to_json(&made[0]).at(0).unwrap().get("data").unwrap().as_str().unwrap().len(),
            64
        );
    }

    #[tokio::test]
    async fn outdated_signatures_are_made_with_a_warning() {
        let key = crate::text::legacy_rsa::tests::KEY;
        let pem = format!("-----BEGIN RSA PRIVATE KEY-----\n{key}\n-----END RSA PRIVATE KEY-----");
        for (algorithm, start) in
            [("RSA-MD5", "9b15"), ("RSA-SHA1", "68be"), ("sha1WithRSAEncryption", "68be")]
        {
            let mut params = json!({ "action": "sign", "value": "text" });
            params.set_path("algorithm", algorithm);
            params.set_path("privateKey", pem.as_str());
            let host = TestHost::new(&Crypto::spec(), 1.0, &params);
            let made = run_on::<Crypto>(&host, 1.0, vec![items(&json!([{}, {}]))], OnError::Stop)
                .await
                .unwrap();
            let signed = to_json(&made[0]).at(1).unwrap().get("data").unwrap().to_js_string();
            assert!(signed.starts_with(start), "{algorithm}: {signed}");
            let warned = host.warned.lock().unwrap();
            assert_eq!(warned.len(), 1);
            assert!(warned[0].contains(algorithm), "{}", warned[0]);
        }
    }

    #[tokio::test]
    async fn a_bad_key_fails_the_item_only_when_asked_to_go_on() {
        let params = json!({ "action": "sign", "algorithm": "RSA-SHA256", "value": "x", "privateKey": "nonsense" });
        let host = TestHost::new(&Crypto::spec(), 1.0, &params);
        let input = || vec![items(&json!([{}]))];
        assert!(run_on::<Crypto>(&host, 1.0, input(), OnError::Stop).await.is_err());
        let made = run_on::<Crypto>(&host, 1.0, input(), OnError::ContinueRegular).await.unwrap();
        assert_eq!(to_json(&made[0]), json!([{ "error": "The key is not in PEM format" }]));
    }
}
