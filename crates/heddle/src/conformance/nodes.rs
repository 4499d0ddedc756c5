//! Cases of single nodes: a workflow, and the items that some of its nodes put out.

use super::compare::difference;
use super::harness::CaseHarness;
use super::{CaseResult, CaseRunner, result};
use engine::{RunOutcome, RunStart};
use model::{Item, Items, Object, Value, Workflow};
use std::path::{Path, PathBuf};

pub(super) fn run(runner: &CaseRunner<'_>, case: &Object, file: &Path) -> CaseResult {
    let difference = Scratch::new().and_then(|scratch| {
        // Folders that a case names stand in its expectations too.
        let text = model::json::to_string(&case.clone().into());
        let text = text
            .replace("{{testDir}}", &scratch.path_of("files"))
            .replace("{{tempDir}}", &scratch.path_of("temp"));
        let placed = model::json::parse(&text).map_err(|error| error.to_string())?;
        let placed = placed.as_object().ok_or("the case is not an object")?;
        let outcome = runner.runtime.block_on(outcome_of(placed, file, &scratch))?;
        Ok(judge(placed, &outcome))
    });
    result(case, difference.unwrap_or_else(Some))
}

async fn outcome_of(case: &Object, file: &Path, scratch: &Scratch) -> Result<RunOutcome, String> {
    let corpus = corpus_root(file);
    let files = case.get("fileDir").and_then(Value::as_str).map(|folder| corpus.join(folder));
    // Both folders are below one root, so that the nodes may use them.
    if let Some(files) = &files {
        copy_files(files, &scratch.0.join("files"))
            .map_err(|error| format!("{}: {error}", files.display()))?;
    }
    std::fs::create_dir_all(scratch.0.join("temp")).map_err(|error| error.to_string())?;
    let workflow = case
        .get("workflow")
        .and_then(Workflow::from_value)
        .ok_or("the case's workflow is not an object")?;
    let input = case
        .get("trigger")
        .and_then(|trigger| trigger.get("input"))
        .map(|input| Items::one(Item::from_value(input)));
    let world = CaseHarness {
        http: case.get("http").cloned(),
        credentials: case
            .get("credentials")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default(),
        files_root: Some(scratch.0.clone()),
        timezone: "America/New_York",
    };
    world.run(&workflow, RunStart { items: input, ..RunStart::default() }).await
}

fn judge(case: &Object, outcome: &RunOutcome) -> Option<String> {
    if let Some(expected) = case.get("expectedError").and_then(Value::as_str) {
        return match &outcome.error {
            Some(error) if error.message == expected => None,
            Some(error) => {
                Some(format!("expected the error '{expected}', found '{}'", error.message))
            }
            None => Some(format!("expected the error '{expected}', but the run succeeded")),
        };
    }
    if let Some(error) = &outcome.error {
        return Some(format!("the run failed in {:?}: {}", error.node, error.message));
    }
    let with_binary = case.get("assertBinary").is_some_and(Value::is_truthy);
    for (node, runs) in
        case.get("expected").and_then(Value::as_object).into_iter().flat_map(Object::iter)
    {
        let tasks = outcome.runs_of(node);
        if tasks.is_empty() {
            return Some(format!("'{node}' did not run"));
        }
        let first_output = |task: &model::TaskData| {
            task.output(0)
                .map(|items| {
                    items.iter().map(|item| comparable(&item.to_value(), with_binary)).collect()
                })
                .unwrap_or_default()
        };
        let found =
            Value::array(tasks.iter().map(|task| Value::array(first_output(task))).collect());
        let wanted = runs.as_array().unwrap_or_default().iter().map(|items| {
            Value::array(
                items
                    .as_array()
                    .unwrap_or_default()
                    .iter()
                    .map(|item| comparable(item, with_binary))
                    .collect(),
            )
        });
        if let Some(problem) = difference(&Value::array(wanted.collect()), &found) {
            return Some(format!("'{node}' {problem}"));
        }
    }
    None
}

/// The part of an item that counts.
fn comparable(item: &Value, with_binary: bool) -> Value {
    let mut json = item.get("json").cloned().unwrap_or_default();
    if let Some(Value::Object(error)) =
        json.get("error").filter(|error| error.get("message").is_some())
    {
        let mut kept = (**error).clone();
        kept.retain(|key, _| matches!(key, "message" | "name" | "description" | "context"));
        json.set_path("error", kept);
    }
    let mut fields = Object::from_iter([("json", json)]);
    if with_binary && let Some(files) = item.get("binary").and_then(Value::as_object) {
        let counted = ["data", "mimeType", "fileType", "fileExtension", "fileName", "fileSize"];
        let files = files.iter().map(|(name, file)| {
            let mut kept = file.as_object().cloned().unwrap_or_default();
            kept.retain(|key, _| counted.contains(&key));
            (name.clone(), Value::object(kept))
        });
        fields.insert("binary", files.collect::<Object>());
    }
    fields.into()
}

/// The corpus' root: the nearest folder above the case that has a manifest.
fn corpus_root(file: &Path) -> PathBuf {
    let with_manifest = file.ancestors().find(|folder| folder.join("manifest.json").exists());
    with_manifest.or(file.parent()).map(Path::to_path_buf).unwrap_or_default()
}

fn copy_files(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_files(&entry.path(), &target)?
        } else {
            std::fs::copy(entry.path(), target).map(|_| ())?
        }
    }
    Ok(())
}

/// A folder that is gone when the case is done.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, String> {
        static COUNTER: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = COUNTER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("heddle-case-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self(path))
    }

    fn path_of(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
