//! Finds the files that fit a pattern.

use super::glob::{GlobSegment, alternatives, fits, segments};
use super::{Workspace, confined_open::FileAccess, io_error};
use model::Code;
use node_api::NodeError;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// Folders nested deeper than this are not looked into.
const MAX_DEPTH: usize = 64;

impl Workspace {
    /// Paths that fit, spelled as the pattern begins: absolute if it is, else relative to the root.
    pub(super) fn list_now(&self, pattern: &str) -> Result<Vec<String>, NodeError> {
        self.check_text(pattern)?;
        let choices = alternatives(pattern).ok_or_else(|| {
            NodeError::parameter(
                "fileSelector",
                format!("The pattern '{pattern}' expands to too many names"),
            )
            .hint("Use fewer groups in braces.")
        })?;
        let mut walk =
            GlobWalk { workspace: self, left: self.limits.listed_entries, found: BTreeSet::new() };
        for choice in &choices {
            self.check_text(choice)?;
            let steps = segments(choice);
            let (start, prefix) =
                if choice.starts_with('/') { (Path::new("/"), "/") } else { (Path::new(""), "") };
            // An absolute pattern must begin with names that lead into the root.
            if let Some(first) = literal_start(start, &steps) {
                self.resolve(&first)?;
            }
            walk.step(prefix, &steps, 0)?;
        }
        Ok(walk.found.into_iter().collect())
    }
}

/// The folder that the names at the start of a pattern lead to.
fn literal_start(start: &Path, steps: &[GlobSegment]) -> Option<String> {
    let mut path = start.to_owned();
    for step in steps {
        match step {
            GlobSegment::Name(name) => path.push(name),
            _ => break,
        }
    }
    let text = path.to_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

struct GlobWalk<'a> {
    workspace: &'a Workspace,
    left: usize,
    found: BTreeSet<String>,
}

impl GlobWalk<'_> {
    fn step(&mut self, folder: &str, steps: &[GlobSegment], depth: usize) -> Result<(), NodeError> {
        let Some((step, rest)) = steps.split_first() else { return self.keep(folder) };
        if depth > MAX_DEPTH {
            return Ok(());
        }
        match step {
            GlobSegment::Name(name) => self.step(&join(folder, name), rest, depth + 1),
            GlobSegment::Wild(_) | GlobSegment::AnyName => {
                for name in self.names(folder)? {
                    let is_wanted = if let GlobSegment::Wild(tokens) = step {
                        fits(tokens, &name)
                    } else {
                        !name.starts_with('.')
                    };
                    if is_wanted {
                        self.step(&join(folder, &name), rest, depth + 1)?;
                    }
                }
                Ok(())
            }
            GlobSegment::AnyDepth => {
                self.step(folder, if rest.is_empty() { ANY_NAME } else { rest }, depth)?;
                for name in self.names(folder)? {
                    let below = join(folder, &name);
                    // Links are not followed here: one that leads upwards would never end.
                    if !name.starts_with('.') && self.is_real_folder(&below) {
                        self.step(&below, steps, depth + 1)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Takes a path if it leads to a plain file inside the root.
    fn keep(&mut self, path: &str) -> Result<(), NodeError> {
        if let Ok((root, relative)) = self.workspace.resolve(path)
            && root.join(relative).is_file()
        {
            self.found.insert(path.to_owned());
        }
        Ok(())
    }

    fn names(&mut self, folder: &str) -> Result<Vec<String>, NodeError> {
        let (root, relative) = match folder {
            "" => self.workspace.resolve(".")?,
            folder => match self.workspace.resolve(folder) {
                Ok(place) => place,
                // A link that leads out of the root is not looked into.
                Err(_) => return Ok(Vec::new()),
            },
        };
        let entries = match std::fs::read_dir(root.join(relative)) {
            Ok(entries) => entries,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Ok(Vec::new());
            }
            Err(error) => return Err(io_error(&error, folder, FileAccess::Read)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| io_error(&error, folder, FileAccess::Read))?;
            self.left = self.left.checked_sub(1).ok_or_else(|| {
                let limit = self.workspace.limits.listed_entries;
                NodeError::new(
                    Code::FILE_IO,
                    format!("The pattern would scan more than {limit} files and folders"),
                )
                .hint("Start the pattern with a smaller folder.")
            })?;
            // A name that is not text cannot be written in a workflow either.
            if let Ok(name) = entry.file_name().into_string() {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    fn is_real_folder(&self, path: &str) -> bool {
        let link = self.workspace.root.join(path).symlink_metadata();
        link.is_ok_and(|data| data.is_dir())
    }
}

static ANY_NAME: &[GlobSegment] = &[GlobSegment::AnyName];

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() || folder.ends_with('/') {
        format!("{folder}{name}")
    } else {
        format!("{folder}/{name}")
    }
}
