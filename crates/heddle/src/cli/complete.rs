//! What a shell suggests for an argument: the ids and names in the data folder.
//!
//! Invariant: a suggestion changes nothing. A folder that is not there is not made, one of another
//! version is not migrated, and whatever goes wrong suggests nothing.

use super::DataFolder;
use crate::commands::block_on;
use crate::wiring;
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};
use model::RunStatus;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;
use store::Store;
use store::decisions::HeldDecisionFilter;
use store::executions::ExecutionFilter;
use store::users::UserRole;
use store::workflows::WorkflowFilter;

/// As many suggestions as anybody looks at.
const MAX_CANDIDATES: usize = 200;

/// Workflows that are looked at for them.
const MAX_WORKFLOWS: usize = 10_000;

/// The order of suggestions is ours: a shell would sort numbers as text.
type Suggestion = (String, String);

pub(super) fn workflows() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| fitting(typed, from_store(list_workflows)))
}

pub(super) fn executions() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| fitting(typed, from_store(list_executions)))
}

pub(super) fn decisions() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| fitting(typed, from_store(list_decisions)))
}

pub(super) fn users() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| fitting(typed, from_store(list_users)))
}

pub(super) fn api_keys() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| fitting(typed, from_store(list_api_keys)))
}

pub(super) fn credentials() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| fitting(typed, from_store(list_credentials)))
}

pub(super) fn collections() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| fitting(typed, from_store(list_collections)))
}

pub(super) fn files_and_workflows() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let mut found = PathCompleter::file().complete(typed);
        found.extend(fitting(typed, from_store(list_workflows)));
        found
    })
}

pub(super) fn statuses() -> ArgValueCompleter {
    let all = [
        RunStatus::Success,
        RunStatus::Error,
        RunStatus::Running,
        RunStatus::Waiting,
        RunStatus::Cancelled,
        RunStatus::Uncertain,
    ];
    fixed(all.map(|status| (status.name().to_owned(), String::new())).into())
}

pub(super) fn roles() -> ArgValueCompleter {
    let all = [UserRole::Viewer, UserRole::Editor, UserRole::Admin, UserRole::Owner];
    fixed(all.map(|role| (role.name().to_owned(), String::new())).into())
}

pub(super) fn models() -> ArgValueCompleter {
    let all = local::registry::PACKAGES.iter();
    fixed(all.map(|known| (known.name.to_owned(), known.purpose.to_owned())).collect())
}

pub(super) fn node_types() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let registry = nodes::registry();
        let all = registry.all().into_iter();
        let all = all.map(|found| (found.spec.id.to_string(), found.spec.name.to_string()));
        fitting(typed, all.collect())
    })
}

fn fixed(all: Vec<Suggestion>) -> ArgValueCompleter {
    ArgValueCompleter::new(move |typed: &OsStr| fitting(typed, all.clone()))
}

fn fitting(typed: &OsStr, all: Vec<Suggestion>) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let fits = all.into_iter().filter(|(value, _)| value.starts_with(&*typed));
    let candidates = fits.take(MAX_CANDIDATES).enumerate().map(|(place, (value, help))| {
        let help = (!help.is_empty()).then(|| crate::terminal::printable(&help).into());
        CompletionCandidate::new(value).help(help).display_order(Some(place))
    });
    candidates.collect()
}

fn from_store(
    list: impl AsyncFnOnce(&dyn Store) -> Result<Vec<Suggestion>, store::Error>,
) -> Vec<Suggestion> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let Some(store) = open(named_folder(&words)) else { return Vec::new() };
    block_on(list(&*store)).ok().and_then(Result::ok).unwrap_or_default()
}

fn open(folder: DataFolder) -> Option<Arc<dyn Store>> {
    let path = folder.path();
    let is_there = path.join("heddle.db").is_file();
    is_there.then(|| wiring::open_store(&path).ok()).flatten()
}

/// The folder that the line names which is being typed.
fn named_folder(words: &[OsString]) -> DataFolder {
    let mut folder = None;
    for (place, word) in words.iter().enumerate() {
        let word = word.to_string_lossy();
        if word == "--data" {
            folder = words.get(place + 1).map(PathBuf::from);
        } else if let Some(path) = word.strip_prefix("--data=") {
            folder = Some(PathBuf::from(path));
        }
    }
    DataFolder { folder: folder.filter(|path| !path.as_os_str().is_empty()) }
}

async fn list_workflows(store: &dyn Store) -> Result<Vec<Suggestion>, store::Error> {
    let filter = WorkflowFilter { limit: MAX_WORKFLOWS, ..WorkflowFilter::default() };
    let found = store.workflows(filter).await?.into_iter();
    Ok(found.map(|workflow| (workflow.id.into(), workflow.name.into())).collect())
}

async fn list_executions(store: &dyn Store) -> Result<Vec<Suggestion>, store::Error> {
    let filter = ExecutionFilter { limit: MAX_CANDIDATES, ..ExecutionFilter::default() };
    let found = store.executions(filter).await?.into_iter();
    let suggestion = |execution: store::executions::Execution| {
        let told = format!("{} {}", execution.state.status.name(), execution.started.workflow_id);
        (execution.id.to_string(), told)
    };
    Ok(found.map(suggestion).collect())
}

async fn list_decisions(store: &dyn Store) -> Result<Vec<Suggestion>, store::Error> {
    let filter = HeldDecisionFilter { limit: MAX_CANDIDATES, ..HeldDecisionFilter::default() };
    let mut found: Vec<Suggestion> = Vec::new();
    for held in store.held_decisions(filter).await? {
        if found.iter().all(|(batch, _)| *batch != held.batch) {
            found.push((held.batch.into(), held.decided_by.into()));
        }
    }
    Ok(found)
}

async fn list_users(store: &dyn Store) -> Result<Vec<Suggestion>, store::Error> {
    let found = store.users(None, MAX_CANDIDATES).await?.into_iter();
    Ok(found.map(|user| (user.email.into(), user.role.name().to_owned())).collect())
}

async fn list_api_keys(store: &dyn Store) -> Result<Vec<Suggestion>, store::Error> {
    let found = store.api_keys().await?.into_iter();
    Ok(found.map(|key| (key.id.into(), key.label.into())).collect())
}

async fn list_credentials(store: &dyn Store) -> Result<Vec<Suggestion>, store::Error> {
    let found = store.credentials(None, MAX_CANDIDATES).await?.into_iter();
    Ok(found.map(|known| (known.id.into(), known.name.into())).collect())
}

async fn list_collections(store: &dyn Store) -> Result<Vec<Suggestion>, store::Error> {
    // What goes wrong here is an error of collections, which suggests nothing either.
    let found = store.collections().await.unwrap_or_default().into_iter();
    Ok(found.map(|known| (known.name.into(), known.id.into())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_the_one_of_the_line_that_is_typed() {
        let folder = |line: &str| {
            named_folder(&line.split(' ').map(OsString::from).collect::<Vec<_>>()).folder
        };
        assert_eq!(folder("heddle -- heddle list --data /a"), Some("/a".into()));
        assert_eq!(folder("heddle -- heddle list --data=/b x"), Some("/b".into()));
        assert_eq!(folder("heddle -- heddle list"), None);
    }

    #[test]
    fn suggestions_keep_their_order_and_hide_nothing() {
        let all = vec![
            ("12".into(), "a\u{1b}[2K".into()),
            ("9".into(), String::new()),
            ("1".into(), String::new()),
        ];
        let found = fitting(OsStr::new("1"), all);
        let values: Vec<_> =
            found.iter().map(|candidate| candidate.get_value().to_owned()).collect();
        assert_eq!(values, ["12", "1"]);
        assert!(!found[0].get_help().unwrap().to_string().contains('\u{1b}'));
    }
}
