//! Files that change, and names that shadow each other.

use super::*;
use node_api::tools::{
    HttpTool, ManifestFile, ToolAccess, ToolAction, ToolRateLimit, ToolResponse,
};

/// Manifests of which every line is a tool; a line with `!` is an error.
struct Lines(Mutex<Vec<Vec<ManifestFile>>>);

impl ManifestSource for Lines {
    fn changed_files(&self) -> Option<Vec<ManifestFile>> {
        let mut left = lock(&self.0);
        (!left.is_empty()).then(|| left.remove(0))
    }

    fn read(&self, text: &str, origin: ToolOrigin) -> Manifest {
        let mut manifest = Manifest::default();
        for line in text.lines() {
            match line {
                "!" => manifest.findings.push(ManifestFinding::of_file("is wrong")),
                name => manifest.tools.push(tool(name, origin.clone())),
            }
        }
        manifest
    }
}

fn tool(name: &str, origin: ToolOrigin) -> RegisteredTool {
    RegisteredTool {
        name: name.into(),
        description: Str::new(),
        input: None,
        output: None,
        effect: None,
        timeout_ms: None,
        retry: None,
        limit: Some(ToolRateLimit { calls: 2, window_ms: 1_000, per_workflow: true }),
        allow: ToolAccess::default(),
        action: ToolAction::Http(Box::new(HttpTool {
            method: "GET".into(),
            origin: "https://x.test".into(),
            path: Vec::new(),
            query: Vec::new(),
            repeats_names: true,
            headers: Vec::new(),
            body: None,
            credential: None,
            idempotency_header: None,
            response: ToolResponse::default(),
        })),
        origin,
    }
}

fn file(name: &str, text: &str) -> ManifestFile {
    ManifestFile { name: name.into(), text: Ok(text.into()) }
}

fn names(manifests: &ToolManifests) -> Vec<String> {
    manifests.current().tools.iter().map(|tool| tool.name.to_string()).collect()
}

#[test]
fn a_wrong_file_leaves_the_tools_of_its_last_good_text() {
    let changes = vec![
        vec![file("a", "one\ntwo"), file("b", "three\n!")],
        vec![file("a", "four\n!"), file("b", "five")],
        vec![file("a", "six")],
    ];
    let manifests = ToolManifests::of_files(Arc::new(Lines(Mutex::new(changes))), "personal");
    assert_eq!(names(&manifests), ["one", "three", "two"], "a first text gives what it can");
    assert!(!manifests.current().manifests[1].is_stale);
    manifests.refresh_files();
    assert_eq!(names(&manifests), ["five", "one", "two"]);
    let loaded = manifests.current();
    assert!(loaded.manifests[0].is_stale && loaded.manifests[0].findings.len() == 1);
    manifests.refresh_files();
    assert_eq!(names(&manifests), ["six"]);
}

#[test]
fn a_name_that_shadows_another_is_a_finding() {
    let changes = vec![vec![file("a", "x.y"), file("b", "x_y\nz")]];
    let manifests = ToolManifests::of_files(Arc::new(Lines(Mutex::new(changes))), "personal");
    assert_eq!(names(&manifests), ["x.y", "z"]);
    let loaded = manifests.current();
    assert_eq!(loaded.manifests[1].findings[0].code, Code::TOOL_TAKEN);
}

#[test]
fn calls_are_counted_for_each_workflow_in_windows() {
    let changes = vec![vec![file("a", "x")]];
    let manifests = ToolManifests::of_files(Arc::new(Lines(Mutex::new(changes))), "personal");
    let tool = manifests.current().tools[0].clone();
    let count = |caller: &str, now_ms| manifests.count(&tool, caller, now_ms).is_ok();
    assert!(count("w", 0) && count("w", 1) && !count("w", 2));
    assert!(count("v", 2) && count("w", 1_000));
}
