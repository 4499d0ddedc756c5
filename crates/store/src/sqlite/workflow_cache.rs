//! Which workflows are there in the versions that runs begin with: looked up once, however many
//! runs begin.
//!
//! Invariant: what was found holds until somebody writes something else, here or in another
//! process. Pieces of runs remove no workflow.

use crate::Error;
use model::Str;
use rusqlite::Connection;
use std::cell::RefCell;
use std::collections::HashSet;

/// So many are remembered.
const MAX_FOUND: usize = 1000;

thread_local! {
    /// Found on the writer's thread.
    static FOUND: RefCell<HashSet<(Str, Str)>> = RefCell::default();
}

/// Whether a workflow is there, in this version if one is named.
pub(super) fn is_there(
    connection: &Connection,
    workflow: &Str,
    version: &Str,
) -> Result<bool, Error> {
    let key = (workflow.clone(), version.clone());
    if FOUND.with_borrow(|found| found.contains(&key)) {
        return Ok(true);
    }
    let sql = "SELECT 1 FROM workflows WHERE id = ?1 AND (version_id = ?2 OR ?2 = ''
                 OR EXISTS (SELECT 1 FROM workflow_versions v WHERE v.id = ?2 AND v.workflow_id = ?1))";
    let is_there = connection.prepare_cached(sql)?.exists([workflow.as_str(), version.as_str()])?;
    if is_there {
        FOUND.with_borrow_mut(|found| {
            if found.len() >= MAX_FOUND {
                found.clear();
            }
            found.insert(key);
        });
    }
    Ok(is_there)
}

/// From here on anything may be different: somebody else has written, or what was written here is
/// undone.
pub(super) fn forget() {
    FOUND.with_borrow_mut(HashSet::clear);
}
