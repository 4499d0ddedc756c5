//! A text that is shown to nobody: no debug output, no serialisation, no equality that leaks it.

use std::fmt;

#[derive(Clone, Default)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the request that needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.trim().is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret")
    }
}

/// A message without the secrets that somebody may have put into it.
pub fn without_secrets<'s>(message: &str, secrets: impl IntoIterator<Item = &'s str>) -> String {
    let mut clean = message.to_owned();
    for secret in secrets {
        let secret = secret.trim();
        // A word as short as this would tear holes into the message and hides nothing.
        if secret.len() >= 6 && clean.contains(secret) {
            clean = clean.replace(secret, "***");
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        assert_eq!(format!("{:?}", Secret::new("sk-canary")), "Secret");
        assert_eq!(without_secrets("key sk-canary is wrong: sk-canary", ["sk-canary", "", "k"]), "key *** is wrong: ***");
    }
}
