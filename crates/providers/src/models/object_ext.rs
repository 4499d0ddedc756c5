//! Writes JSON objects field by field.

use model::Value;

/// Puts a field into an object that is being written.
pub(super) trait ObjectExt {
    fn with(self, key: &str, value: impl Into<Value>) -> Value;
}

impl ObjectExt for Value {
    fn with(mut self, key: &str, value: impl Into<Value>) -> Value {
        self.make_object().insert(key, value);
        self
    }
}
