//! Certificates of the credential `httpSslAuth`: a client's own, and the authorities that it
//! trusts.

use super::text_of;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::Object;
use node_api::NodeError;
use node_api::http::TlsCertificates;

/// Reads `ca`, `cert`, `key` and `passphrase`; texts that lost their line breaks are put right.
pub(super) fn read(fields: &Object) -> Result<TlsCertificates, NodeError> {
    let text = |name: &str| fields.get(name).map(text_of).unwrap_or_default();
    let certificates_in = |name: &str| {
        let blocks = blocks(&text(name)).ok_or_else(|| unreadable(name))?;
        let found: String = blocks
            .iter()
            .filter(|block| block.label.ends_with("CERTIFICATE"))
            .map(|block| pem("CERTIFICATE", &block.der))
            .collect();
        if found.is_empty() && !text(name).trim().is_empty() {
            Err(unreadable(name))
        } else {
            Ok(found)
        }
    };
    let authorities = certificates_in("ca")?;
    let mut identity = certificates_in("cert")?;
    let keys = blocks(&text("key")).ok_or_else(|| unreadable("key"))?;
    match keys.iter().find(|block| block.label.ends_with("PRIVATE KEY")) {
        Some(key) => identity.push_str(&decrypt_key(key, &text("passphrase"))?),
        None if !text("key").trim().is_empty() => return Err(unreadable("key")),
        None => {}
    }
    if identity.contains("CERTIFICATE") != identity.contains("PRIVATE KEY") {
        return Err(NodeError::credential(
            "A client certificate requires a private key, and a private key requires a certificate",
        ));
    }
    Ok(TlsCertificates { authorities, identity })
}

/// The key without its passphrase.
fn decrypt_key(key: &PemBlock, passphrase: &str) -> Result<String, NodeError> {
    if key.is_encrypted_by_lines {
        return Err(NodeError::credential("The private key is encrypted in an obsolete format")
            .hint(
                "Convert it with: openssl pkcs8 -topk8 -v2 aes-256-cbc -in old.pem -out new.pem",
            ));
    }
    if key.label != "ENCRYPTED PRIVATE KEY" {
        return Ok(pem(&key.label, &key.der));
    }
    if passphrase.is_empty() {
        return Err(NodeError::credential(
            "The private key is encrypted, but the credential has no passphrase",
        ));
    }
    let encrypted = pkcs8::EncryptedPrivateKeyInfo::try_from(key.der.as_slice())
        .map_err(|_| unreadable("key"))?;
    let plain = encrypted.decrypt(passphrase).map_err(|error| {
        NodeError::credential("The private key could not be decrypted with the passphrase")
            .describe(error.to_string())
    })?;
    Ok(pem("PRIVATE KEY", plain.as_bytes()))
}

fn unreadable(name: &str) -> NodeError {
    NodeError::credential(format!(
        "The field '{name}' of the SSL certificates credential is not in PEM format"
    ))
    .hint(
        "It must start with a line such as -----BEGIN CERTIFICATE----- and end with -----END \
             CERTIFICATE-----.",
    )
}

struct PemBlock {
    label: String,
    der: Vec<u8>,
    /// The way before PKCS #8: two lines of text inside the block say how.
    is_encrypted_by_lines: bool,
}

/// The blocks of a PEM text. Line breaks may be lost or spelled as `\n`.
fn blocks(text: &str) -> Option<Vec<PemBlock>> {
    let text = text.replace("\\n", "\n");
    let mut rest = text.as_str();
    let mut blocks = Vec::new();
    while let Some((_, after)) = rest.split_once("-----BEGIN ") {
        let (label, after) = after.split_once("-----")?;
        let (body, after) = after.split_once(&format!("-----END {label}-----"))?;
        let is_encrypted_by_lines = body.contains("Proc-Type");
        let der = if is_encrypted_by_lines {
            Vec::new()
        } else {
            STANDARD.decode(body.split_whitespace().collect::<String>()).ok()?
        };
        blocks.push(PemBlock { label: label.to_owned(), der, is_encrypted_by_lines });
        rest = after;
    }
    Some(blocks)
}

fn pem(label: &str, der: &[u8]) -> String {
    let body = STANDARD.encode(der);
    let lines: Vec<&str> = body
        .as_bytes()
        .chunks(64)
        .map(|line| std::str::from_utf8(line).unwrap_or_default())
        .collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Value;
    use pkcs8::pkcs5::pbes2;

    fn fields(list: &[(&str, &str)]) -> Object {
        list.iter().map(|(name, value)| (*name, Value::from(*value))).collect()
    }

    #[test]
    fn texts_that_lost_their_lines_are_put_right() {
        let (certificate, key) = (pem("CERTIFICATE", &[1; 100]), pem("PRIVATE KEY", &[2; 100]));
        let made = read(&fields(&[
            ("cert", &certificate.replace('\n', " ")),
            ("key", &key.replace('\n', "\\n")),
            ("ca", ""),
        ]))
        .unwrap();
        assert_eq!(
            made,
            TlsCertificates { authorities: String::new(), identity: certificate.clone() + &key }
        );
        let both = certificate.repeat(2);
        assert_eq!(read(&fields(&[("ca", &both)])).unwrap().authorities, both);
    }

    #[test]
    fn an_encrypted_key_is_opened_with_its_passphrase() {
        let plain = aws_lc_rs::signature::EcdsaKeyPair::generate(
            &aws_lc_rs::signature::ECDSA_P256_SHA256_FIXED_SIGNING,
        )
        .unwrap();
        let plain = plain.to_pkcs8v1().unwrap();
        let scheme =
            pbes2::Parameters::pbkdf2_sha256_aes256cbc(1000, b"saltsalt", &[7; 16]).unwrap();
        let encrypted_data = scheme.encrypt("open sesame", plain.as_ref()).unwrap();
        let info = pkcs8::EncryptedPrivateKeyInfo {
            encryption_algorithm: scheme.into(),
            encrypted_data: &encrypted_data,
        };
        let locked =
            pem("ENCRYPTED PRIVATE KEY", pkcs8::der::Encode::to_der(&info).unwrap().as_slice());
        let certificate = pem("CERTIFICATE", &[1; 10]);
        let read = |passphrase| {
            read(&fields(&[("cert", &certificate), ("key", &locked), ("passphrase", passphrase)]))
        };
        assert_eq!(
            read("open sesame").unwrap().identity,
            certificate.clone() + &pem("PRIVATE KEY", plain.as_ref())
        );
        assert!(read("wrong").unwrap_err().message().contains("passphrase"));
        assert!(read("").unwrap_err().message().contains("no passphrase"));
    }

    #[test]
    fn what_is_no_certificate_is_refused() {
        for (list, word) in [
            (&[("cert", "secret")][..], "cert"),
            (&[("key", "-----BEGIN PRIVATE KEY-----\n???\n-----END PRIVATE KEY-----")], "key"),
            (&[("ca", "-----BEGIN CERTIFICATE-----\nAAAA")], "ca"),
            (
                &[("cert", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----")],
                "requires a private key",
            ),
        ] {
            let error = read(&fields(list)).unwrap_err();
            assert!(error.message().contains(word), "{error}");
            assert_eq!(error.code(), model::Code::NODE_CREDENTIAL);
        }
    }
}
