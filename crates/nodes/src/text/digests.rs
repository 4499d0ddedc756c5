//! Hashes and keyed hashes by the names that n8n's nodes use.

use aws_lc_rs::digest;
use md5::Md5;
use ripemd::Ripemd160;
use sha3::{Digest as _, Sha3_224, Sha3_256, Sha3_384, Sha3_512};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HashAlgorithm {
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
    Sha3_224,
    Sha3_256,
    Sha3_384,
    Sha3_512,
    Ripemd160,
}

impl HashAlgorithm {
    /// By its name in any of OpenSSL's spellings: `SHA256`, `sha-256`, `RSA-SHA256`,
    /// `sha256WithRSAEncryption`.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let name = name.strip_prefix("id-rsassa-pkcs1-v1_5-with-").unwrap_or(&name);
        let name = name.strip_prefix("rsa-").unwrap_or(name);
        let name = name
            .strip_suffix("withrsaencryption")
            .or_else(|| name.strip_suffix("withrsa"))
            .unwrap_or(name);
        Some(match name {
            "md5" | "ssl3-md5" => HashAlgorithm::Md5,
            "sha1" | "sha-1" | "ssl3-sha1" => HashAlgorithm::Sha1,
            "sha224" | "sha-224" | "sha2-224" => HashAlgorithm::Sha224,
            "sha256" | "sha-256" | "sha2-256" => HashAlgorithm::Sha256,
            "sha384" | "sha-384" | "sha2-384" => HashAlgorithm::Sha384,
            "sha512" | "sha-512" | "sha2-512" => HashAlgorithm::Sha512,
            "sha3-224" => HashAlgorithm::Sha3_224,
            "sha3-256" => HashAlgorithm::Sha3_256,
            "sha3-384" => HashAlgorithm::Sha3_384,
            "sha3-512" => HashAlgorithm::Sha3_512,
            "ripemd160" | "ripemd" | "rmd160" => HashAlgorithm::Ripemd160,
            _ => return None,
        })
    }

    pub(super) fn digest(self, data: &[u8]) -> Vec<u8> {
        let lc = |algorithm| digest::digest(algorithm, data).as_ref().to_vec();
        match self {
            HashAlgorithm::Md5 => Md5::digest(data).to_vec(),
            HashAlgorithm::Sha1 => lc(&digest::SHA1_FOR_LEGACY_USE_ONLY),
            HashAlgorithm::Sha224 => lc(&digest::SHA224),
            HashAlgorithm::Sha256 => lc(&digest::SHA256),
            HashAlgorithm::Sha384 => lc(&digest::SHA384),
            HashAlgorithm::Sha512 => lc(&digest::SHA512),
            HashAlgorithm::Sha3_224 => Sha3_224::digest(data).to_vec(),
            HashAlgorithm::Sha3_256 => Sha3_256::digest(data).to_vec(),
            HashAlgorithm::Sha3_384 => Sha3_384::digest(data).to_vec(),
            HashAlgorithm::Sha3_512 => Sha3_512::digest(data).to_vec(),
            HashAlgorithm::Ripemd160 => Ripemd160::digest(data).to_vec(),
        }
    }

    /// The keyed hash of RFC 2104.
    pub(super) fn hmac(self, key: &[u8], data: &[u8]) -> Vec<u8> {
        let block = self.block_length();
        let mut key = if key.len() > block { self.digest(key) } else { key.to_vec() };
        key.resize(block, 0);
        let with_pad = |pad: u8, rest: &[u8]| {
            [key.iter().map(|byte| byte ^ pad).collect::<Vec<u8>>().as_slice(), rest].concat()
        };
        self.digest(&with_pad(0x5c, &self.digest(&with_pad(0x36, data))))
    }

    fn block_length(self) -> usize {
        match self {
            HashAlgorithm::Md5
            | HashAlgorithm::Sha1
            | HashAlgorithm::Sha224
            | HashAlgorithm::Sha256
            | HashAlgorithm::Ripemd160 => 64,
            HashAlgorithm::Sha384 | HashAlgorithm::Sha512 => 128,
            HashAlgorithm::Sha3_224 => 144,
            HashAlgorithm::Sha3_256 => 136,
            HashAlgorithm::Sha3_384 => 104,
            HashAlgorithm::Sha3_512 => 72,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::HashAlgorithm;

    #[test]
    fn known_answers_come_out() {
        for (name, expected) in [
            ("MD5", "900150983cd24fb0d6963f7d28e17f72"),
            ("RSA-SHA1", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            ("SHA256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "sha3-256WithRSAEncryption",
                "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
            ),
            ("ripemd160", "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"),
        ] {
            assert_eq!(
                hex::encode(HashAlgorithm::from_name(name).unwrap().digest(b"abc")),
                expected,
                "{name}"
            );
        }
        assert_eq!(HashAlgorithm::from_name("md4"), None);
    }

    #[test]
    fn keyed_hashes_agree_with_the_standard() {
        let text = b"The quick brown fox jumps over the lazy dog";
        assert_eq!(
            hex::encode(HashAlgorithm::Md5.hmac(b"key", text)),
            "80070713463e7749b90c2dc24911e275"
        );
        assert_eq!(
            hex::encode(HashAlgorithm::Sha256.hmac(b"key", text)),
            "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8"
        );
        assert_eq!(
            HashAlgorithm::Sha512.hmac(&[7; 200], text),
            aws_lc_rs::hmac::sign(
                &aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA512, &[7; 200]),
                text
            )
            .as_ref()
        );
    }
}
