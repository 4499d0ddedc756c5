//! Many workflows at once: `heddle import` saves them in batches, and says what came of each.

use super::{errors, run, stdout_text, stop, webhook};
use crate::support::TempFolder;
use crate::support::workflow::row;
use serde_json::{Value, json};
use std::path::PathBuf;

/// More than two batches.
const MANY: usize = 1100;

fn file(folder: &TempFolder, name: &str, content: &Value) -> String {
    let path: PathBuf = folder.0.join(name);
    std::fs::write(&path, content.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

fn listed(folder: &TempFolder) -> Vec<String> {
    let output = run(&folder.0.join("data"), &["list"], &[]);
    stdout_text(&output).lines().map(str::to_owned).collect()
}

#[test]
fn issue_15_a_list_of_many_workflows_is_imported_and_listens() {
    let folder = TempFolder::new("import-many");
    let data = folder.0.join("data");
    let many: Vec<Value> = (0..MANY)
        .map(|number| row(&format!("Many {number}"), &[webhook(&format!("many-{number}"))]))
        .collect();
    let many = file(&folder, "many.json", &Value::Array(many));
    let output = run(&data, &["import", "--activate", &many], &[]);
    assert!(output.status.success(), "{}", errors(&output));
    assert_eq!(
        stdout_text(&output).lines().filter(|line| line.ends_with("  active")).count(),
        MANY
    );
    assert_eq!(listed(&folder).iter().filter(|line| line.contains("  active")).count(), MANY);
    // The same again: other workflows by their ids, and all addresses are taken.
    let again = run(&data, &["import", "--activate", &many], &[]);
    assert!(again.status.success(), "{}", errors(&again));
    assert_eq!(errors(&again).matches("remains inactive").count(), MANY);
    assert_eq!(listed(&folder).len(), 2 * MANY);
}

#[test]
fn issue_15_what_stands_before_a_workflow_that_cannot_be_imported_is_imported() {
    let folder = TempFolder::new("import-broken");
    let data = folder.0.join("data");
    let mut first = row("First", &[webhook("first")]);
    first["id"] = json!("first");
    let good = file(&folder, "good.json", &json!([first, row("Second", &[stop()])]));
    let bad = file(
        &folder,
        "bad.json",
        &json!([row("Third", &[webhook("third")]), { "name": "no nodes" }, row("Fourth", &[webhook("fourth")])]),
    );
    let output = run(&data, &["import", "--activate", &good, &bad], &[]);
    assert!(!output.status.success());
    let said = errors(&output);
    assert!(
        said.contains("bad.json could not be imported") && said.contains("it has no list of nodes"),
        "{said}"
    );
    assert!(said.contains("'Second' remains inactive"), "it has no trigger: {said}");
    let names = |name: &str| listed(&folder).iter().filter(|line| line.ends_with(name)).count();
    assert_eq!((names("First"), names("Second"), names("Third"), names("Fourth")), (1, 1, 1, 0));
    // A version of one that is active, which cannot listen, is not saved, and ends the import.
    let mut changed = row("Changed", &[webhook("third")]);
    changed["id"] = json!("first");
    let taken = file(
        &folder,
        "taken.json",
        &json!([row("Fifth", &[webhook("fifth")]), changed, row("Sixth", &[webhook("sixth")])]),
    );
    let output = run(&data, &["import", &taken], &[]);
    assert!(!output.status.success());
    assert!(errors(&output).contains("taken.json could not be imported"), "{}", errors(&output));
    assert_eq!((names("First"), names("Changed"), names("Fifth"), names("Sixth")), (1, 0, 1, 0));
}
