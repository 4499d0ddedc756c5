//! What is searched for, and where.

use std::path::Path;

pub(crate) const CANARY: &str = "canary-9d41e7b0";

/// The secret, and how it looks in base64, alone and behind a user's name.
const FORMS: [&str; 3] = [CANARY, "Y2FuYXJ5LTlkNDFlN2Iw", "dTpjYW5hcnktOWQ0MWU3YjA"];

pub(crate) fn assert_free_of_secrets(seen: Vec<(String, Vec<u8>)>) {
    for (place, bytes) in seen {
        for secret in FORMS {
            let at = bytes.windows(secret.len()).position(|window| window == secret.as_bytes());
            let around = at.map(|at| {
                String::from_utf8_lossy(&bytes[at.saturating_sub(200)..(at + 60).min(bytes.len())])
                    .into_owned()
            });
            assert!(around.is_none(), "{place} holds the secret: {}", around.unwrap_or_default());
        }
    }
}

/// Every file below a folder.
pub(crate) fn files_of(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files_of(&path)),
            false => {
                found.push((path.display().to_string(), std::fs::read(&path).unwrap_or_default()))
            }
        }
    }
    found
}
