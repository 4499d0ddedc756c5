//! The vault's key: seals credentials, and lies in a file beside the database.
//!
//! A change of the key is safe at any moment: the new key lies in a second file before anything is
//! sealed with it, and takes the place of the old one only after the database says that everything
//! is.

use crate::{Error, private_files};
use aws_lc_rs::aead::{AES_256_GCM_SIV, Aad, Nonce, RandomizedNonceKey};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

const NONCE_BYTES: usize = 12;
const KEY_BYTES: usize = 32;
/// What the check value says when it is opened with the right key.
const CHECK: &[u8] = b"heddle vault";
const CHECK_NAME: &str = "vault_check";

/// A key of the vault. Shows nothing of itself.
pub(crate) struct VaultKey(RandomizedNonceKey);

impl VaultKey {
    fn from_hex(text: &str) -> Result<Self, Error> {
        Self::from_bytes(&hex::decode(text.trim()).map_err(|_| Error::Key)?)
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() != KEY_BYTES {
            return Err(Error::Key);
        }
        Ok(Self(RandomizedNonceKey::new(&AES_256_GCM_SIV, bytes).map_err(|_| Error::Key)?))
    }

    /// The bytes of a key that nobody has yet.
    pub(crate) fn fresh_bytes() -> Result<[u8; KEY_BYTES], Error> {
        let mut bytes = [0; KEY_BYTES];
        getrandom::fill(&mut bytes).map_err(|_| Error::Key)?;
        Ok(bytes)
    }

    /// Encrypts something; it opens only under the same name again.
    pub(crate) fn seal(&self, name: &str, plain: &[u8]) -> Result<Vec<u8>, Error> {
        let mut body = plain.to_vec();
        let nonce = self
            .0
            .seal_in_place_append_tag(Aad::from(name.as_bytes()), &mut body)
            .map_err(|_| Error::Key)?;
        let mut sealed = nonce.as_ref().to_vec();
        sealed.append(&mut body);
        Ok(sealed)
    }

    pub(crate) fn open(&self, name: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, body) = sealed.split_at_checked(NONCE_BYTES)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut body = body.to_vec();
        let n_plain =
            self.0.open_in_place(nonce, Aad::from(name.as_bytes()), &mut body).ok()?.len();
        body.truncate(n_plain);
        Some(body)
    }

    /// A text that only this key opens.
    pub(crate) fn check_value(&self) -> Result<String, Error> {
        Ok(hex::encode(self.seal(CHECK_NAME, CHECK)?))
    }

    pub(crate) fn fits(&self, check: &str) -> bool {
        hex::decode(check)
            .ok()
            .and_then(|sealed| self.open(CHECK_NAME, &sealed))
            .is_some_and(|opened| opened == CHECK)
    }
}

/// The files of the key in a data folder.
#[derive(Clone)]
pub(crate) struct KeyFiles {
    folder: PathBuf,
}

impl KeyFiles {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Held while the files are looked at or changed, across processes.
    pub(crate) fn lock(&self) -> Result<File, Error> {
        let path = self.folder.join("vault.lock");
        let file = private_files::open(&path).map_err(|error| Error::file(&path, &error))?;
        file.lock().map_err(|error| Error::file(&path, &error))?;
        Ok(file)
    }

    /// The key in use.
    pub(crate) fn current(&self) -> Result<Option<VaultKey>, Error> {
        self.read("vault.key")
    }

    /// The key that a change has left behind.
    pub(crate) fn next(&self) -> Result<Option<VaultKey>, Error> {
        // One that was not written to its end was never used.
        self.read("vault.key.next").or(Ok(None))
    }

    pub(crate) fn make_current(&self) -> Result<VaultKey, Error> {
        self.make("vault.key.new")?;
        self.rename("vault.key.new")?;
        self.current()?.ok_or(Error::Key)
    }

    pub(crate) fn make_next(&self) -> Result<VaultKey, Error> {
        self.make("vault.key.next")?;
        self.next()?.ok_or(Error::Key)
    }

    /// The next key takes the place of the one in use.
    pub(crate) fn promote(&self) -> Result<(), Error> {
        self.rename("vault.key.next")
    }

    fn read(&self, name: &str) -> Result<Option<VaultKey>, Error> {
        let path = self.folder.join(name);
        let mut text = String::new();
        match File::open(&path) {
            Ok(file) => file
                .take(1000)
                .read_to_string(&mut text)
                .map_err(|error| Error::file(&path, &error))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::file(&path, &error)),
        };
        VaultKey::from_hex(&text).map(Some)
    }

    fn make(&self, name: &str) -> Result<(), Error> {
        let path = self.folder.join(name);
        let failed = |error: std::io::Error| Error::file(&path, &error);
        let mut bytes = [0; KEY_BYTES];
        getrandom::fill(&mut bytes)
            .map_err(|error| failed(std::io::Error::other(error.to_string())))?;
        let mut file = private_files::create(&path).map_err(failed)?;
        file.write_all(hex::encode(bytes).as_bytes())
            .and_then(|()| file.write_all(b"\n"))
            .and_then(|()| file.sync_all())
            .map_err(failed)?;
        self.sync_folder()
    }

    fn rename(&self, name: &str) -> Result<(), Error> {
        let path = self.folder.join(name);
        std::fs::rename(&path, self.folder.join("vault.key"))
            .map_err(|error| Error::file(&path, &error))?;
        self.sync_folder()
    }

    fn sync_folder(&self) -> Result<(), Error> {
        private_files::sync_folder(&self.folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> VaultKey {
        VaultKey::from_hex(&hex::encode([byte; KEY_BYTES])).unwrap()
    }

    #[test]
    fn what_is_sealed_opens_under_its_name_only() {
        let sealed = key(1).seal("a", b"secret").unwrap();
        assert!(!sealed.windows(6).any(|window| window == b"secret"));
        assert_eq!(key(1).open("a", &sealed).unwrap(), b"secret");
        assert!(key(1).open("b", &sealed).is_none());
        assert!(key(2).open("a", &sealed).is_none());
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let sealed = key(1).seal("a", b"secret").unwrap();
        for index in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[index] ^= 1;
            assert!(key(1).open("a", &changed).is_none(), "byte {index}");
        }
        assert!(key(1).open("a", &sealed[..5]).is_none());
    }

    #[test]
    fn a_check_value_fits_its_own_key() {
        let check = key(1).check_value().unwrap();
        assert!(key(1).fits(&check) && !key(2).fits(&check));
    }

    #[test]
    fn a_file_that_holds_no_key_is_refused() {
        assert!(matches!(VaultKey::from_hex("abc"), Err(Error::Key)));
    }
}
