//! Runs the corpus through the binary and holds each set to its share of passed cases.

use std::path::Path;
use std::process::Command;

/// The share of cases that must pass, and how many there are.
const SETS: &[(&str, f64, usize)] = &[
    ("nodes/selfcontained", 98.0, 65),
    ("nodes/engine", 98.0, 12),
    ("flows", 95.0, 179),
    ("expressions/expressions", 98.0, 458),
    ("expressions/wild", 98.0, 402),
    ("expressions/functions", 98.0, 361),
    ("templates", 100.0, 289),
];

fn conformance(folder: &Path, more: &[&str]) -> serde_json::Value {
    let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .arg("conformance")
        .arg(folder)
        .arg("--json")
        .args(more)
        .output();
    let output = output.unwrap_or_else(|error| panic!("heddle cannot run: {error}"));
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn each_set_of_the_corpus_passes() {
    let Some(corpus) = testkit::corpus("") else { return };
    let report = conformance(&corpus, &[]);
    for (set, share, known) in SETS {
        let passed = report["sets"][set]["passed"].as_u64().unwrap_or(0) as f64;
        let failed = report["sets"][set]["failed"].as_u64().unwrap_or(0) as f64;
        assert!(
            passed + failed >= *known as f64,
            "{set}: only {} of {known} cases were run",
            passed + failed
        );
        let reached = 100.0 * passed / (passed + failed);
        println!("{set}: {passed} of {} passed ({reached:.1} %)", passed + failed);
        assert!(reached >= *share, "{set}: {reached:.1} % passed, {share} % are wanted");
    }
}

/// Expressions that see a run, and that once differed from n8n; `expr/tests/oracle/README.md` says how
/// they were found.
#[test]
fn expressions_see_of_a_run_what_they_see_in_n8n() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/runs");
    for evaluator in ["auto", "sandbox"] {
        let report = conformance(&folder, &["--evaluator", evaluator]);
        let set = &report["sets"]["expressions/expressions"];
        assert!(set["passed"].as_u64() >= Some(30), "{set}");
        assert_eq!(set["failed"], 0, "{evaluator}: {}", report["cases"]);
    }
}

/// Nodes whose cases in `nodes/http` must pass by now.
const HTTP_NODES: &[&str] = &["n8n-nodes-base.httpRequest", "n8n-nodes-base.graphql"];

#[test]
fn requests_of_the_corpus_are_answered_from_its_recordings() {
    let Some(corpus) = testkit::corpus("") else { return };
    let mut counts = (0, 0);
    for name in ["n8n.HttpRequest", "n8n.GraphQL"] {
        let report = conformance(&corpus.join("nodes/http"), &["--only", name]);
        for case in report["cases"].as_array().into_iter().flatten() {
            match case["passed"].as_bool() {
                Some(true) => counts.0 += 1,
                _ => counts.1 += 1,
            }
        }
    }
    println!("{HTTP_NODES:?}: {} passed, {} failed", counts.0, counts.1);
    assert!(counts.0 * 100 >= (counts.0 + counts.1) * 95, "{counts:?}");
}

#[test]
fn every_agent_of_the_corpus_answers_from_its_recordings() {
    let Some(corpus) = testkit::corpus("") else { return };
    let report = conformance(&corpus.join("nodes/http"), &["--only", "n8n.agents"]);
    let cases = report["cases"].as_array().cloned().unwrap_or_default();
    assert!(cases.len() >= 8, "only {} cases were run", cases.len());
    let failed: Vec<_> = cases.iter().filter(|case| case["passed"] != true).collect();
    assert!(failed.is_empty(), "{failed:?}");
}

/// Both evaluators mean the same: what the native one takes, the sandbox answers alike.
#[test]
fn the_evaluators_agree_on_every_expression_of_the_corpus() {
    let Some(corpus) = testkit::corpus("") else { return };
    let mut taken = 0;
    let mut all = 0;
    for file in ["expressions.jsonl", "wild.jsonl"] {
        let answers = |evaluator: &str| -> Vec<serde_json::Value> {
            let cases = corpus.join("expressions").join(file);
            let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
                .args(["expr", "--evaluator", evaluator, "--cases"])
                .arg(cases)
                .output();
            let output = output.unwrap_or_else(|error| panic!("heddle cannot run: {error}"));
            let lines = String::from_utf8_lossy(&output.stdout).into_owned();
            lines.lines().map(|line| serde_json::from_str(line).unwrap_or_default()).collect()
        };
        for (native, sandbox) in answers("native").iter().zip(answers("sandbox")) {
            all += 1;
            let declined = native["error"]
                .as_str()
                .is_some_and(|error| error.contains("the native evaluator declined"));
            if declined {
                continue;
            }
            taken += 1;
            assert_eq!(
                native.get("error").is_some(),
                sandbox.get("error").is_some(),
                "{native} / {sandbox}"
            );
            // The clock moves between two runs, so values that tell the time are compared by their
            // form only.
            if !moves(&native["value"]) {
                assert_eq!(native["value"], sandbox["value"], "{}", native["id"]);
            }
        }
    }
    println!(
        "the native evaluator takes {taken} of {all} expressions ({:.1} %)",
        100.0 * f64::from(taken) / f64::from(all)
    );
    assert!(taken * 100 >= all * 80);
}

fn moves(value: &serde_json::Value) -> bool {
    let text = value.to_string();
    text.contains("2026-")
        || text.contains("2027-")
        || text.parse::<f64>().is_ok_and(|number| number > 1.7e9)
}
