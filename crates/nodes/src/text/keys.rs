//! Signing and checking with keys in PEM form.

use super::digests::HashAlgorithm;
use super::legacy_rsa;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    self, EcdsaKeyPair, EcdsaSigningAlgorithm, RsaEncoding, RsaKeyPair, UnparsedPublicKey,
    VerificationAlgorithm,
};
use base64::Engine as _;

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(super) enum KeyError {
    #[error("The key is not in PEM format")]
    NotPem,
    #[error("The key is encrypted; only keys without a passphrase can be used")]
    Encrypted,
    #[error("The key is not valid, or does not match the algorithm {algorithm}")]
    Unfit { algorithm: String },
    #[error("Signatures with {algorithm} are not supported")]
    NotMade { algorithm: String },
}

/// How a signature is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    RsaPkcs1,
    RsaPss,
    /// Both numbers of the signature at full length, as JWT wants them.
    EcdsaFixed,
    /// As OpenSSL writes them.
    EcdsaAsn1,
}

/// Signs a message with a private key.
pub(super) fn sign(
    scheme: Scheme,
    hash: HashAlgorithm,
    pem: &str,
    message: &[u8],
) -> Result<Vec<u8>, KeyError> {
    let (label, der) = decode_pem(pem)?;
    let unfit = || KeyError::Unfit { algorithm: format!("{hash:?}") };
    let not_made = || KeyError::NotMade { algorithm: format!("{hash:?}") };
    let random = SystemRandom::new();
    match scheme {
        Scheme::RsaPkcs1 | Scheme::RsaPss => {
            let pair = if label == "RSA PRIVATE KEY" {
                RsaKeyPair::from_der(&der)
            } else {
                RsaKeyPair::from_pkcs8(&der)
            };
            let pair = pair.map_err(|_| unfit())?;
            let mut made = vec![0; pair.public_modulus_len()];
            pair.sign(
                rsa_encoding(scheme, hash).ok_or_else(not_made)?,
                &random,
                message,
                &mut made,
            )
            .map_err(|_| unfit())?;
            Ok(made)
        }
        Scheme::EcdsaFixed | Scheme::EcdsaAsn1 => {
            let algorithms = ec_algorithms(scheme, hash);
            if algorithms.is_empty() {
                return Err(not_made());
            }
            let pair = algorithms
                .iter()
                .find_map(|algorithm| EcdsaKeyPair::from_private_key_der(algorithm, &der).ok());
            let made = pair.ok_or_else(unfit)?.sign(&random, message).map_err(|_| unfit())?;
            Ok(made.as_ref().to_vec())
        }
    }
}

/// Signs with RSA what [`sign`] does not: with an outdated hash, or with a short key.
pub(super) fn sign_outdated(
    hash: HashAlgorithm,
    pem: &str,
    message: &[u8],
) -> Result<Vec<u8>, KeyError> {
    let (_, der) = decode_pem(pem)?;
    legacy_rsa::sign(hash, &der, message)
}

/// Whether a signature was made with the private part of a public key.
pub(super) fn verify(
    scheme: Scheme,
    hash: HashAlgorithm,
    pem: &str,
    message: &[u8],
    signed: &[u8],
) -> Result<bool, KeyError> {
    let (_, der) = decode_pem(pem)?;
    let algorithm = verification(scheme, hash)
        .ok_or_else(|| KeyError::Unfit { algorithm: format!("{hash:?}") })?;
    Ok(UnparsedPublicKey::new(algorithm, &der).verify(message, signed).is_ok())
}

/// Whether the text holds a private key of the RSA or the elliptic curve kind.
pub(super) fn is_rsa(pem: &str) -> bool {
    decode_pem(pem).is_ok_and(|(label, der)| {
        label == "RSA PRIVATE KEY" || legacy_rsa::RsaNumbers::from_der(&der).is_some()
    })
}

/// The label and the bytes of the first block. Line breaks may be lost or spelled as `\n`.
fn decode_pem(text: &str) -> Result<(String, Vec<u8>), KeyError> {
    let text = text.replace("\\n", "\n");
    let start = text.find("-----BEGIN ").ok_or(KeyError::NotPem)? + "-----BEGIN ".len();
    let (label, rest) = text[start..].split_once("-----").ok_or(KeyError::NotPem)?;
    let (body, _) = rest.split_once("-----END").ok_or(KeyError::NotPem)?;
    if label.starts_with("ENCRYPTED") || body.contains("Proc-Type") {
        return Err(KeyError::Encrypted);
    }
    let body: String = body.chars().filter(|letter| !letter.is_whitespace()).collect();
    let der =
        base64::engine::general_purpose::STANDARD.decode(body).map_err(|_| KeyError::NotPem)?;
    Ok((label.to_owned(), der))
}

fn rsa_encoding(scheme: Scheme, hash: HashAlgorithm) -> Option<&'static dyn RsaEncoding> {
    Some(match (scheme, hash) {
        (Scheme::RsaPkcs1, HashAlgorithm::Sha256) => &signature::RSA_PKCS1_SHA256,
        (Scheme::RsaPkcs1, HashAlgorithm::Sha384) => &signature::RSA_PKCS1_SHA384,
        (Scheme::RsaPkcs1, HashAlgorithm::Sha512) => &signature::RSA_PKCS1_SHA512,
        (Scheme::RsaPss, HashAlgorithm::Sha256) => &signature::RSA_PSS_SHA256,
        (Scheme::RsaPss, HashAlgorithm::Sha384) => &signature::RSA_PSS_SHA384,
        (Scheme::RsaPss, HashAlgorithm::Sha512) => &signature::RSA_PSS_SHA512,
        _ => return None,
    })
}

fn ec_algorithms(scheme: Scheme, hash: HashAlgorithm) -> &'static [&'static EcdsaSigningAlgorithm] {
    match (scheme, hash) {
        (Scheme::EcdsaFixed, HashAlgorithm::Sha256) => {
            &[&signature::ECDSA_P256_SHA256_FIXED_SIGNING]
        }
        (Scheme::EcdsaFixed, HashAlgorithm::Sha384) => {
            &[&signature::ECDSA_P384_SHA384_FIXED_SIGNING]
        }
        (Scheme::EcdsaFixed, HashAlgorithm::Sha512) => {
            &[&signature::ECDSA_P521_SHA512_FIXED_SIGNING]
        }
        (Scheme::EcdsaAsn1, HashAlgorithm::Sha224) => &[&signature::ECDSA_P521_SHA224_ASN1_SIGNING],
        (Scheme::EcdsaAsn1, HashAlgorithm::Sha256) => &[
            &signature::ECDSA_P256_SHA256_ASN1_SIGNING,
            &signature::ECDSA_P256K1_SHA256_ASN1_SIGNING,
            &signature::ECDSA_P521_SHA256_ASN1_SIGNING,
        ],
        (Scheme::EcdsaAsn1, HashAlgorithm::Sha384) => &[
            &signature::ECDSA_P384_SHA384_ASN1_SIGNING,
            &signature::ECDSA_P521_SHA384_ASN1_SIGNING,
        ],
        (Scheme::EcdsaAsn1, HashAlgorithm::Sha512) => &[&signature::ECDSA_P521_SHA512_ASN1_SIGNING],
        _ => &[],
    }
}

fn verification(scheme: Scheme, hash: HashAlgorithm) -> Option<&'static dyn VerificationAlgorithm> {
    Some(match (scheme, hash) {
        (Scheme::RsaPkcs1, HashAlgorithm::Sha256) => &signature::RSA_PKCS1_2048_8192_SHA256,
        (Scheme::RsaPkcs1, HashAlgorithm::Sha384) => &signature::RSA_PKCS1_2048_8192_SHA384,
        (Scheme::RsaPkcs1, HashAlgorithm::Sha512) => &signature::RSA_PKCS1_2048_8192_SHA512,
        (Scheme::RsaPss, HashAlgorithm::Sha256) => &signature::RSA_PSS_2048_8192_SHA256,
        (Scheme::RsaPss, HashAlgorithm::Sha384) => &signature::RSA_PSS_2048_8192_SHA384,
        (Scheme::RsaPss, HashAlgorithm::Sha512) => &signature::RSA_PSS_2048_8192_SHA512,
        (Scheme::EcdsaFixed, HashAlgorithm::Sha256) => &signature::ECDSA_P256_SHA256_FIXED,
        (Scheme::EcdsaFixed, HashAlgorithm::Sha384) => &signature::ECDSA_P384_SHA384_FIXED,
        (Scheme::EcdsaFixed, HashAlgorithm::Sha512) => &signature::ECDSA_P521_SHA512_FIXED,
        _ => return None,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der, PublicKeyX509Der};
    use aws_lc_rs::rsa::KeySize;
    use aws_lc_rs::signature::KeyPair;

    fn pem(label: &str, der: &[u8]) -> String {
        format!(
            "-----BEGIN {label}-----\n{}\n-----END {label}-----",
            base64::engine::general_purpose::STANDARD.encode(der)
        )
    }

    /// A fresh pair of keys, private and public, as PEM texts.
    pub(in crate::text) fn rsa_keys() -> (String, String) {
        let pair = RsaKeyPair::generate(KeySize::Rsa2048).unwrap();
        let private = AsDer::<Pkcs8V1Der<'_>>::as_der(&pair).unwrap();
        let public = AsDer::<PublicKeyX509Der<'_>>::as_der(pair.public_key()).unwrap();
        (pem("PRIVATE KEY", private.as_ref()), pem("PUBLIC KEY", public.as_ref()))
    }

    pub(in crate::text) fn ec_keys(algorithm: &'static EcdsaSigningAlgorithm) -> (String, String) {
        let pair = EcdsaKeyPair::generate(algorithm).unwrap();
        let public = AsDer::<PublicKeyX509Der<'_>>::as_der(pair.public_key()).unwrap();
        (
            pem("PRIVATE KEY", pair.to_pkcs8v1().unwrap().as_ref()),
            pem("PUBLIC KEY", public.as_ref()),
        )
    }

    #[test]
    fn signatures_check_out_and_others_do_not() {
        let (private, public) = rsa_keys();
        for scheme in [Scheme::RsaPkcs1, Scheme::RsaPss] {
            let made = sign(scheme, HashAlgorithm::Sha256, &private, b"text").unwrap();
            assert_eq!(verify(scheme, HashAlgorithm::Sha256, &public, b"text", &made), Ok(true));
            assert_eq!(verify(scheme, HashAlgorithm::Sha256, &public, b"test", &made), Ok(false));
        }
        assert!(is_rsa(&private));
    }

    #[test]
    fn keys_survive_lost_line_breaks() {
        let (private, public) = ec_keys(&signature::ECDSA_P521_SHA512_FIXED_SIGNING);
        let made =
            sign(Scheme::EcdsaFixed, HashAlgorithm::Sha512, &private.replace('\n', "\\n"), b"text")
                .unwrap();
        assert_eq!(
            verify(
                Scheme::EcdsaFixed,
                HashAlgorithm::Sha512,
                &public.replace('\n', " "),
                b"text",
                &made
            ),
            Ok(true)
        );
    }

    #[test]
    fn what_is_no_key_is_refused() {
        assert_eq!(
            sign(Scheme::RsaPkcs1, HashAlgorithm::Sha256, "secret", b""),
            Err(KeyError::NotPem)
        );
        assert_eq!(
            sign(Scheme::RsaPkcs1, HashAlgorithm::Sha256, &pem("ENCRYPTED PRIVATE KEY", b"x"), b""),
            Err(KeyError::Encrypted)
        );
        assert!(matches!(
            sign(Scheme::RsaPkcs1, HashAlgorithm::Sha256, &pem("PRIVATE KEY", b"x"), b""),
            Err(KeyError::Unfit { .. })
        ));
    }

    #[test]
    fn hashes_that_are_no_longer_safe_to_sign_with_are_named() {
        for hash in [
            HashAlgorithm::Md5,
            HashAlgorithm::Sha1,
            HashAlgorithm::Ripemd160,
            HashAlgorithm::Sha3_256,
        ] {
            let wanted = Err(KeyError::NotMade { algorithm: format!("{hash:?}") });
            assert_eq!(sign(Scheme::RsaPkcs1, hash, &rsa_keys().0, b"x"), wanted);
            assert_eq!(
                sign(
                    Scheme::EcdsaAsn1,
                    hash,
                    &ec_keys(&signature::ECDSA_P256_SHA256_ASN1_SIGNING).0,
                    b"x"
                ),
                wanted
            );
        }
    }
}
