//! A folder for one test.

#![expect(clippy::unwrap_used, reason = "a helper of a test may stop it")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder that no other test has, removed when it is dropped.
pub struct TempFolder(pub PathBuf);

impl TempFolder {
    /// An empty folder. The name is only for people who look for it.
    ///
    /// # Panics
    ///
    /// If it cannot be created.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let folder = Self::absent(name);
        std::fs::create_dir_all(&folder.0).unwrap();
        folder
    }

    /// A path at which there is nothing yet.
    #[must_use]
    pub fn absent(name: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("heddle-{name}-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    /// Writes `name.json`, a workflow for example, and returns its path.
    ///
    /// # Panics
    ///
    /// If it cannot be written.
    pub fn write_json(&self, name: &str, document: &serde_json::Value) -> PathBuf {
        self.write(&format!("{name}.json"), document.to_string())
    }

    /// Writes a file and returns its path.
    ///
    /// # Panics
    ///
    /// If it cannot be written.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
