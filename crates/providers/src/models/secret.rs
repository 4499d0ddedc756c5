//! A text that is shown to nobody: no debug output, no serialisation, no equality that leaks it.

use node_api::Credential;
use node_api::hosts::SecretBinding;
use std::fmt;
use std::sync::Arc;

#[derive(Clone, Default)]
pub struct Secret {
    text: String,
    /// The hosts that it may be sent to, if it comes out of a credential.
    binding: Option<Arc<SecretBinding>>,
}

impl Secret {
    /// A secret of no credential. It goes wherever it is sent.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), binding: None }
    }

    /// A field of a credential, or something made of one, which takes the hosts of the credential
    /// along.
    pub fn of(credential: &Credential, text: impl Into<String>) -> Self {
        Self { text: text.into(), binding: Some(credential.binding()) }
    }

    /// The same in other words, such as `Bearer KEY`.
    pub fn map(&self, words: impl FnOnce(&str) -> String) -> Self {
        Self { text: words(&self.text), binding: self.binding.clone() }
    }

    /// The text itself, for the request that needs it.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Where a request with these secrets may go: they are of one credential, if of any.
    pub fn binding_of<'s>(
        secrets: impl IntoIterator<Item = &'s Secret>,
    ) -> Option<Arc<SecretBinding>> {
        secrets.into_iter().find_map(|secret| secret.binding.clone())
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
        assert_eq!(
            without_secrets("key sk-canary is wrong: sk-canary", ["sk-canary", "", "k"]),
            "key *** is wrong: ***"
        );
    }
}
