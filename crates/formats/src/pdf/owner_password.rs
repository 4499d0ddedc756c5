//! The password of a PDF's readers, from that of its owner: in files of security handlers up to
//! revision 4, the first is kept under the second (ISO 32000-1, 7.6.3.4).

use md5::{Digest as _, Md5};
use pdf_extract::{Dictionary, Document};

/// What short passwords are filled up with.
const PADDING: [u8; 32] = [
    0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08,
    0x2E, 0x2E, 0x00, 0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A,
];

/// The readers' password, if this is the owner's and not theirs as well. Later revisions let both
/// of them open the file directly.
pub(super) fn user_password(document: &Document, password: &str) -> Option<String> {
    let settings = document.get_encrypted().ok()?;
    let revision = number(settings, b"R")?;
    let is_owners = revision <= 4
        && document.authenticate_user_password(password).is_err()
        && document.authenticate_owner_password(password).is_ok();
    let kept: [u8; 32] = settings.get(b"O").ok()?.as_str().ok()?.get(..32)?.try_into().ok()?;
    is_owners.then(|| decrypt(kept, &key(settings, revision, password), revision))
}

fn number(settings: &Dictionary, name: &[u8]) -> Option<i64> {
    settings.get(name).ok()?.as_i64().ok()
}

fn key(settings: &Dictionary, revision: i64, password: &str) -> Vec<u8> {
    // Of characters beyond Latin-1, only few have a place in a PDF's own encoding.
    let bytes = password.chars().map(|letter| u8::try_from(letter).unwrap_or(b'?'));
    let padded: Vec<u8> = bytes.chain(PADDING).take(PADDING.len()).collect();
    let mut hash = Md5::digest(padded);
    if revision == 2 {
        return hash[..5].to_vec();
    }
    for _ in 0..50 {
        hash = Md5::digest(hash);
    }
    let usual_bits = if revision == 4 { 128 } else { 40 };
    let bits = number(settings, b"Length").unwrap_or(usual_bits);
    hash[..usize::try_from(bits / 8).unwrap_or(5).clamp(5, 16)].to_vec()
}

fn decrypt(mut text: [u8; 32], key: &[u8], revision: i64) -> String {
    let rounds = if revision == 2 { 0..=0 } else { 0..=19 };
    for round in rounds.rev() {
        let key: Vec<u8> = key.iter().map(|byte| byte ^ round).collect();
        rc4(&key, &mut text);
    }
    let end = (0..=text.len())
        .find(|end| text[*end..] == PADDING[..text.len() - end])
        .unwrap_or(text.len());
    text[..end].iter().map(|byte| char::from(*byte)).collect()
}

/// The stream cipher of old files, which keeps nothing secret any more.
fn rc4(key: &[u8], text: &mut [u8]) {
    let mut state: [u8; 256] = std::array::from_fn(|index| index as u8);
    let mut other: u8 = 0;
    for index in 0..state.len() {
        other = other.wrapping_add(state[index]).wrapping_add(key[index % key.len()]);
        state.swap(index, usize::from(other));
    }
    let (mut index, mut other): (u8, u8) = (0, 0);
    for byte in text {
        index = index.wrapping_add(1);
        other = other.wrapping_add(state[usize::from(index)]);
        state.swap(usize::from(index), usize::from(other));
        let sum = state[usize::from(index)].wrapping_add(state[usize::from(other)]);
        *byte ^= state[usize::from(sum)];
    }
}
