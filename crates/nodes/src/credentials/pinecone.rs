//! Pinecone.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("pineconeApi", "Pinecone")
        .group(CredentialGroup::Servers)
        .fields([Field::secret("apiKey", "API key").required()])
        .header("Api-Key", "{apiKey}")
        .hosts(&["*.pinecone.io"])
        .help_url("https://app.pinecone.io")
}
