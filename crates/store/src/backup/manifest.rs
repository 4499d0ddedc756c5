//! The list of what a backup holds: the last entry of the archive, and the proof that it is whole.

use crate::Error;
use model::{Object, Str, Value};

pub(super) const NAME: &str = "heddle-backup.json";
const FORMAT: i64 = 1;

/// No list is longer than this.
pub(super) const MAX_BYTES: u64 = 256 << 20;

pub(super) struct Manifest {
    /// The version that wrote it.
    pub(super) heddle: Option<Str>,
    pub(super) schema: i64,
    pub(super) created_ms: i64,
    pub(super) has_key: bool,
    pub(super) files: Vec<ManifestEntry>,
}

/// A file of the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ManifestEntry {
    /// With slashes, below the data folder.
    pub(super) name: String,
    pub(super) size: u64,
    /// SHA-256 in hex.
    pub(super) sum: String,
}

impl Manifest {
    pub(super) fn total(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    pub(super) fn to_text(&self) -> String {
        let file = |file: &ManifestEntry| {
            let fields = [
                ("name", Value::from(file.name.as_str())),
                ("size", Value::from(file.size as f64)),
                ("sha256", file.sum.as_str().into()),
            ];
            Value::from(Object::from_iter(fields))
        };
        let value = Object::from_iter([
            ("format", Value::from(FORMAT)),
            ("heddle", self.heddle.clone().map_or(Value::Null, Into::into)),
            ("schema", Value::from(self.schema)),
            ("createdMs", Value::from(self.created_ms)),
            ("hasKey", self.has_key.into()),
            ("files", Value::array(self.files.iter().map(file).collect())),
        ]);
        model::json::to_string(&value.into())
    }

    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        let value =
            model::json::parse(text).map_err(|_| damaged("its list of files cannot be read"))?;
        let number = |value: &Value, key: &str| {
            value.get(key).and_then(Value::as_f64).filter(|number| *number >= 0.0)
        };
        let broken = || damaged("its list of files is incomplete");
        let version = || value.get("heddle").and_then(Value::as_str).map(Into::into);
        match number(&value, "format") {
            Some(format) if format as i64 == FORMAT => {}
            Some(format) => {
                return Err(Error::Newer {
                    what: "the backup",
                    version: version(),
                    found: format as i64,
                    known: FORMAT,
                });
            }
            None => return Err(broken()),
        }
        let mut files = Vec::new();
        for file in value.get("files").and_then(Value::as_array).ok_or_else(broken)? {
            let text = |key: &str| file.get(key).and_then(Value::as_str).map(str::to_owned);
            let entry = ManifestEntry {
                name: text("name").ok_or_else(broken)?,
                size: number(file, "size").ok_or_else(broken)? as u64,
                sum: text("sha256").ok_or_else(broken)?,
            };
            if !is_safe(&entry.name) {
                return Err(damaged("it names a file outside the folder"));
            }
            files.push(entry);
        }
        Ok(Self {
            heddle: version(),
            schema: number(&value, "schema").ok_or_else(broken)? as i64,
            created_ms: number(&value, "createdMs").ok_or_else(broken)? as i64,
            has_key: value.get("hasKey").is_some_and(Value::is_truthy),
            files,
        })
    }
}

pub(super) fn damaged(why: &str) -> Error {
    Error::Backup { cause: why.into() }
}

/// A name that stays inside of the folder it is put into.
pub(super) fn is_safe(name: &str) -> bool {
    let is_special =
        |letter: char| letter == '\0' || (cfg!(windows) && matches!(letter, '\\' | ':'));
    let is_plain =
        |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains(is_special);
    name.len() < 4096 && name.split('/').all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_out_are_not_safe() {
        assert!(is_safe("heddle.db") && is_safe("workspace/a b/ü.txt"));
        for name in ["", "/etc/passwd", "../x", "a/../../x", "a//b", "a\0", "./x", "a/"] {
            assert!(!is_safe(name), "{name}");
        }
    }

    #[test]
    fn a_list_reads_as_it_was_written() {
        let files =
            vec![ManifestEntry { name: "heddle.db".into(), size: 7_000_000_000, sum: "ab".into() }];
        let list = Manifest {
            heddle: Some("0.1.0".into()),
            schema: 1,
            created_ms: 1_700_000_000_000,
            has_key: true,
            files: files.clone(),
        };
        let read = Manifest::parse(&list.to_text()).unwrap();
        assert_eq!(
            (read.schema, read.created_ms, read.has_key, read.files),
            (1, 1_700_000_000_000, true, files)
        );
    }
}
