//! RSA signatures that the cryptographic library no longer makes: with MD5, SHA-1, RIPEMD-160 and SHA-3, and with
//! short keys. Services that still ask for them are reached in no other way.

use super::digests::HashAlgorithm;
use super::keys::KeyError;
use aws_lc_rs::rand;
use num_bigint::BigUint;
use pkcs8::der::asn1::UintRef;
use pkcs8::der::{self, Reader, SliceReader};

/// Longer keys take seconds of computing.
const MAX_MODULUS_BITS: u64 = 4096;

/// The numbers of a private key that signing needs.
pub(super) struct RsaNumbers {
    modulus: BigUint,
    public_exponent: BigUint,
    private_exponent: BigUint,
}

impl RsaNumbers {
    /// Reads the private key of PKCS #1, or the one that PKCS #8 wraps.
    pub(super) fn from_der(der: &[u8]) -> Option<Self> {
        let inner = pkcs8::PrivateKeyInfo::try_from(der).map_or(der, |info| info.private_key);
        let key = read_numbers(inner).ok()?;
        let bits = key.modulus.bits();
        ((512..=MAX_MODULUS_BITS).contains(&bits) && key.modulus.bit(0)).then_some(key)
    }

    /// A signature of PKCS #1 v1.5; `None` if the key is too short for the hash, or its numbers do not belong together.
    pub(super) fn sign(&self, hash: HashAlgorithm, message: &[u8]) -> Option<Vec<u8>> {
        let length = self.modulus.bits().div_ceil(8) as usize;
        let encoded = BigUint::from_bytes_be(&padded(hash, message, length)?);
        let signed = self.private_power(&encoded)?;
        // A wrong signature would give the key away.
        if signed.modpow(&self.public_exponent, &self.modulus) != encoded {
            return None;
        }
        let bytes = signed.to_bytes_be();
        Some([vec![0; length - bytes.len()], bytes].concat())
    }

    /// The power with the private exponent. The base is blinded, so that the time it takes tells nothing of the exponent.
    fn private_power(&self, base: &BigUint) -> Option<BigUint> {
        let (blinding, unblinding) = self.blinding()?;
        let blinded = base * blinding.modpow(&self.public_exponent, &self.modulus) % &self.modulus;
        Some(blinded.modpow(&self.private_exponent, &self.modulus) * unblinding % &self.modulus)
    }

    /// A random number and its inverse. Nearly every number has one.
    fn blinding(&self) -> Option<(BigUint, BigUint)> {
        const TRIES: usize = 8;
        (0..TRIES).find_map(|_| {
            let mut bytes = vec![0; self.modulus.bits().div_ceil(8) as usize + 8];
            rand::fill(&mut bytes).ok()?;
            let number = BigUint::from_bytes_be(&bytes) % &self.modulus;
            let inverse = number.modinv(&self.modulus)?;
            Some((number, inverse))
        })
    }
}

fn read_numbers(bytes: &[u8]) -> der::Result<RsaNumbers> {
    let number = |reader: &mut der::NestedReader<'_, SliceReader<'_>>| -> der::Result<BigUint> {
        Ok(BigUint::from_bytes_be(reader.decode::<UintRef<'_>>()?.as_bytes()))
    };
    SliceReader::new(bytes)?.sequence(|reader| {
        let _version: u8 = reader.decode()?;
        let key = RsaNumbers {
            modulus: number(reader)?,
            public_exponent: number(reader)?,
            private_exponent: number(reader)?,
        };
        // Both primes, their exponents and the coefficient.
        for _ in 0..5 {
            number(reader)?;
        }
        Ok(key)
    })
}

/// What is signed: the hash behind the name of its algorithm, padded to the length of the key.
fn padded(hash: HashAlgorithm, message: &[u8], length: usize) -> Option<Vec<u8>> {
    let digest = hash.digest(message);
    let info = [digest_info(hash), &digest].concat();
    let filling = length.checked_sub(info.len() + 3).filter(|filling| *filling >= 8)?;
    Some([&[0, 1], vec![0xff; filling].as_slice(), &[0], &info].concat())
}

/// What stands before a hash in a signature: the name of its algorithm, as DER (RFC 8017, section 9.2).
fn digest_info(hash: HashAlgorithm) -> &'static [u8] {
    match hash {
        HashAlgorithm::Md5 => {
            b"\x30\x20\x30\x0c\x06\x08\x2a\x86\x48\x86\xf7\x0d\x02\x05\x05\x00\x04\x10"
        }
        HashAlgorithm::Sha1 => b"\x30\x21\x30\x09\x06\x05\x2b\x0e\x03\x02\x1a\x05\x00\x04\x14",
        HashAlgorithm::Ripemd160 => b"\x30\x21\x30\x09\x06\x05\x2b\x24\x03\x02\x01\x05\x00\x04\x14",
        HashAlgorithm::Sha224 => {
            b"\x30\x2d\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x04\x05\x00\x04\x1c"
        }
        HashAlgorithm::Sha256 => {
            b"\x30\x31\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\x04\x20"
        }
        HashAlgorithm::Sha384 => {
            b"\x30\x41\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x02\x05\x00\x04\x30"
        }
        HashAlgorithm::Sha512 => {
            b"\x30\x51\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x03\x05\x00\x04\x40"
        }
        HashAlgorithm::Sha3_224 => {
            b"\x30\x2d\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x07\x05\x00\x04\x1c"
        }
        HashAlgorithm::Sha3_256 => {
            b"\x30\x31\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x08\x05\x00\x04\x20"
        }
        HashAlgorithm::Sha3_384 => {
            b"\x30\x41\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x09\x05\x00\x04\x30"
        }
        HashAlgorithm::Sha3_512 => {
            b"\x30\x51\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x0a\x05\x00\x04\x40"
        }
    }
}

/// Signs with numbers of our own reckoning.
pub(super) fn sign(hash: HashAlgorithm, der: &[u8], message: &[u8]) -> Result<Vec<u8>, KeyError> {
    RsaNumbers::from_der(der)
        .and_then(|key| key.sign(hash, message))
        .ok_or_else(|| KeyError::Unfit { algorithm: format!("{hash:?}") })
}

#[cfg(test)]
pub(super) mod tests;
