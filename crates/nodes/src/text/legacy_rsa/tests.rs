//! Signatures that OpenSSL made with a key of 1024 bits, which was made for these tests.

use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

pub(in crate::text) const KEY: &str = "MIICXAIBAAKBgQDnI+zoXAj7wk7d1b4YXeBQOXPjo2pEZWiJ4jQH/BgPZ/dSbGLfMmQ5IvF/RTx3I8SzU5bRIQYtImM+oq/poJiSk5ozl4hjmUQ0bbmrxfEiVF0ODWwRpIt7LIQJpdOWiiOown7FEC/yArvPvOY4TudNWOO81sCmZ16BUL5JsCuhCQIDAQABAoGAMMe1LMiXoMI+MLT2PGA7gdLOMWGAgNTB/i99+Z1rWnz/hiaXqzEQU7qbKtfqzd3/mjTu5E3K5uWV+lcNNwoMiKPeQikIkltc6W2yu23lG5nzp3Y79Cyo4R9BVAtNQQgAvRlx3lZgARIU+SFf/gK+Ly32uNMrZHGWSrCH9R0DY7ECQQD8LQ49Zzqw0MtGLERghaymDC5pDeSiemWgPcU+dz5d5yJ1D07SvwLv99Z1dexxAJVWgt1PfdQoJN0xtpJOroOVAkEA6qU1pzmfJUkQ0Uv4wWG7sy3YvX7fuJWdGz/SCubqjo+vL4/uUqV0X+RvUu45ttfk9xuwnBRtDs9kuwzeUxkKpQJBAOWxbF0Fn/HZ3K2IOKfqWj3MrqFF5FESR2rTmMuy9X22wC37yYIwNc654f+Pb9PmAiCQhmCXbh06prdXYqCEWJkCQA3c9O6MWPq69mNnOaszOwO7EbMga9db/4w8mQxL2E/T7WXB+zKm09lWhb1AlehXmQ+Ac07FZiwZ1Lm4aOo/8IECQCRUYgXQq5Nh4DK2GXSF6NxbEvJPDKxaHA3sQdrCBl7jX9zJlME1UZmugVLXuF+07KxdSHUSeNbAeggCGnlliTg=";

const SIGNED: &[(&str, &str)] = &[
    (
        "md5",
        "mxUUwcY4wFlAMxORNKY2rGsFN7omXXpHRGXqQuil34/O0s77u/FpR5ooO+4j2dO2WeOQDH7Ck9AUdSUM7XD0y7KebYsEf7O50gcW83yxFJapmonPLS+AsSZ+e3zasTie3jhXHdHqcV6PhhTZSTfvwcag8XOzcP4DyoWlUmvwkdI=",
    ),
    (
        "sha1",
        "aL5qgu06U8Uy/crTzxgMabOoaObaPDCtG6H+rSL8bExEyUqerPEFk0MrfixEjM+7ZJC9XWChDkJBi0ZhlTssdIlzxtrw0q8ZeFNO6b8i31X0B7mar01meA5pz2U+L8xl6YmdWPjKfTtWPDYqS3GWVhyTu4HBqFWNL9y9tv5pdHk=",
    ),
    (
        "sha224",
        "0Ullq4vHAZ80cHZzPHFR/QgRr0zoBk/E47euLPwI5ULTfiwkszY23FRpvJDKPTiT8g6g08aj3oI8slgcD4pZTlA6NuKEB/hLMyX3+JjA8CSQAKRUcJipeLdk4XcFklvD53BkKQWFZp1jom4Gn59fSkR1BQ1JgUd3LOrLeAJ/xko=",
    ),
    (
        "sha256",
        "Q5axWTAyEJWsuKn9BoJVAgRCB12zXL5qJYMwp4WoH8Sar7kO+sv0eh56V9zJatO9MKdHXjc1UaM7Gqr+jimivJLISUHIQGbq/LwYdDpVmEhqdN1C47jZ8Vzfr72NNxlpAg+64SVXW6KWZOcSbG9YPVlwo5NNDM3u+vI5wvsJbO8=",
    ),
    (
        "sha3-256",
        "HyUypXId5dCCN+9pfn0REbS61gx4XDGciUrpJMTYw9uVxDnstXi30zyxygEtEx9St5CCqQ54fvbhoOdlvbz5I+nnEsLnsPu9P6KEZTiPSeTg4frYlvvAgBnwN1VUpU6BNRZ180vMYwTa49gZ0lApEXdpm23RS6cF4OO9IB2tvdU=",
    ),
    (
        "ripemd160",
        "O5wXLGb/m4zNKvxRtJxy85IcZLy31poA5POkpJcYgUYw/706v98RY/bFJ4zmMJyzwjYmS8pkcQpL9pB304TeMae1k+yp0p6cX77Ra3oaP6FgobgHTPpOhUlkwkvCeETGEyo0psEWLe7Kl0Ts6Z5u6dhNp77gH4XTr6PgsIij+/Q=",
    ),
];

fn der() -> Vec<u8> {
    STANDARD.decode(KEY).unwrap()
}

#[test]
fn signatures_are_those_of_openssl() {
    for (name, expected) in SIGNED {
        let hash = HashAlgorithm::from_name(name).unwrap();
        assert_eq!(STANDARD.encode(sign(hash, &der(), b"text").unwrap()), *expected, "{name}");
    }
}

#[test]
fn a_hash_that_the_key_is_too_short_for_is_refused() {
    let short = RsaNumbers {
        modulus: BigUint::from(0x00c5_0001_u32),
        public_exponent: BigUint::from(3_u32),
        private_exponent: BigUint::from(7_u32),
    };
    assert_eq!(short.sign(HashAlgorithm::Md5, b"text"), None);
}

#[test]
fn numbers_that_do_not_belong_together_sign_nothing() {
    let mut key = RsaNumbers::from_der(&der()).unwrap();
    key.private_exponent += 2_u32;
    assert_eq!(key.sign(HashAlgorithm::Sha1, b"text"), None);
}

#[test]
fn what_is_no_rsa_key_is_refused() {
    for bytes in [&[][..], b"0", &[0x30, 0x80], &der()[..100], &[0x30, 0x03, 0x02, 0x01, 0x00]] {
        assert!(RsaNumbers::from_der(bytes).is_none());
    }
}
