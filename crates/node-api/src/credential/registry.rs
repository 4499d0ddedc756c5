//! The table of credential types.

use super::{Credential, CredentialSpec};
use model::{Object, Str};
use std::collections::HashMap;
use std::sync::Arc;

/// All credential types that this process knows.
#[derive(Debug, Default)]
pub struct CredentialRegistry {
    specs: Vec<Arc<CredentialSpec>>,
    /// By type and alias.
    by_id: HashMap<Str, usize>,
}

impl CredentialRegistry {
    pub fn new(specs: impl IntoIterator<Item = CredentialSpec>) -> Self {
        let specs: Vec<_> = specs.into_iter().map(Arc::new).collect();
        let ids = |(index, spec): (usize, &Arc<CredentialSpec>)| {
            let ids: Vec<_> = spec.aliases.iter().chain([&spec.id]).cloned().collect();
            ids.into_iter().map(move |id| (id, index))
        };
        let by_id = specs.iter().enumerate().flat_map(ids).collect();
        Self { specs, by_id }
    }

    /// In the order of the tables.
    pub fn all(&self) -> &[Arc<CredentialSpec>] {
        &self.specs
    }

    /// The description of a type, by its name, an alias, or how the names of its service's OAuth2
    /// types begin.
    pub fn find(&self, id: &str) -> Option<&Arc<CredentialSpec>> {
        if let Some(index) = self.by_id.get(id) {
            return self.specs.get(*index);
        }
        let serves = |spec: &&Arc<CredentialSpec>| {
            spec.prefixes.iter().any(|prefix| id.starts_with(prefix.as_str()))
        };
        self.specs.iter().find(serves).filter(|_| id.contains("OAuth2"))
    }

    /// The name under which credentials of a type are stored and looked up: an alias stands for
    /// its type.
    pub fn canonical_id<'a>(&'a self, id: &'a str) -> &'a str {
        match self.by_id.get(id).and_then(|index| self.specs.get(*index)) {
            Some(spec) => &spec.id,
            None => id,
        }
    }

    /// The description of a type; the strictest if it is not known.
    pub fn get(&self, id: &str) -> Arc<CredentialSpec> {
        self.find(id).cloned().unwrap_or_else(|| Arc::new(CredentialSpec::unknown(id)))
    }

    /// An opened credential of a type.
    pub fn open(&self, id: &str, fields: Object) -> Credential {
        Credential::new(self.get(id), id, fields)
    }
}
