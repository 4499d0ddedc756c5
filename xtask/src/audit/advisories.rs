//! Published advisories about what we ship. They need a database that is somewhere else: where it
//! cannot be reached, the answer is "not checked", which is said and fails nothing but a release.

use super::npm;
use anyhow::{Result, bail};
use serde_json::Value;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a database may take to answer.
const TIMEOUT: Duration = Duration::from_secs(90);

/// What came of a check.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AdvisoryResult {
    /// Nothing is known against what we use.
    Clean,
    /// Each a line for the reader.
    Found(Vec<String>),
    /// Why nobody looked.
    NotChecked(&'static str),
}

/// Advisories about Rust crates, by cargo-deny.
pub(crate) fn check_crates() -> Result<AdvisoryResult> {
    let is_there = Command::new("cargo")
        .args(["deny", "--version"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !is_there {
        return Ok(AdvisoryResult::NotChecked("cargo-deny is not installed"));
    }
    let mut command = Command::new("cargo");
    command.args(["deny", "--format", "json", "check", "--hide-inclusion-graph", "advisories"]);
    Ok(match run(command, Channel::Errors)? {
        Some((true, _)) => AdvisoryResult::Clean,
        Some((false, text)) => read_deny(&text)?,
        None => AdvisoryResult::NotChecked(NO_DATABASE),
    })
}

const NO_DATABASE: &str = "database not reachable";

/// cargo-deny fails for what it finds, for a database that it cannot have, and for anything that is
/// wrong with itself or its configuration. Only findings come as diagnostics with a code; only the
/// database is no failure.
fn read_deny(text: &str) -> Result<AdvisoryResult> {
    let lines: Vec<Value> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let is_finding = |line: &&Value| {
        let fields = &line["fields"];
        line["type"] == "diagnostic"
            && fields["severity"] == "error"
            && (fields["code"].is_string() || fields["advisory"].is_object())
    };
    let told = |line: &Value| {
        let (id, message) =
            (line["fields"]["advisory"]["id"].as_str(), line["fields"]["message"].as_str());
        format!(
            "{}: {}",
            id.or(line["fields"]["code"].as_str()).unwrap_or("advisory"),
            message.unwrap_or_default()
        )
    };
    let found: Vec<String> = lines.iter().filter(is_finding).map(told).collect();
    if !found.is_empty() {
        return Ok(AdvisoryResult::Found(found));
    }
    let mut errors = lines
        .iter()
        .filter(|line| line["fields"]["level"] == "ERROR")
        .filter_map(|line| line["fields"]["message"].as_str());
    if errors.clone().any(|error| error.contains("advisory database")) {
        return Ok(AdvisoryResult::NotChecked(NO_DATABASE));
    }
    bail!(
        "cargo-deny failed: {}",
        errors.next().or(text.lines().next()).unwrap_or("it said nothing")
    )
}

/// Advisories about the npm packages that are shipped: those that are rated high or critical count.
pub(crate) fn check_npm() -> Result<AdvisoryResult> {
    let mut found = Vec::new();
    for (folder, part) in npm::FOLDERS {
        let mut command = Command::new("npm");
        command.current_dir(folder).args([
            "audit",
            "--json",
            "--package-lock-only",
            "--omit=dev",
            "--fetch-retries=0",
        ]);
        let answer = run(command, Channel::Output)?;
        match answer.map_or(AdvisoryResult::NotChecked(NO_ANSWER), |(_, text)| read_npm(&text)) {
            AdvisoryResult::Clean => {}
            AdvisoryResult::Found(more) => {
                found.extend(more.into_iter().map(|line| format!("{part}: {line}")))
            }
            not_checked @ AdvisoryResult::NotChecked(_) => return Ok(not_checked),
        }
    }
    Ok(if found.is_empty() { AdvisoryResult::Clean } else { AdvisoryResult::Found(found) })
}

const NO_ANSWER: &str = "the registry gave no answer";

/// A report has counts by severity; an error has not.
fn read_npm(text: &str) -> AdvisoryResult {
    let report: Value = serde_json::from_str(text).unwrap_or_default();
    if !report["metadata"]["vulnerabilities"].is_object() {
        return AdvisoryResult::NotChecked(NO_ANSWER);
    }
    let severe = report["vulnerabilities"].as_object().into_iter().flatten();
    let severe =
        severe.filter(|(_, found)| matches!(found["severity"].as_str(), Some("high" | "critical")));
    match severe
        .map(|(name, found)| format!("{name}: {}", found["severity"].as_str().unwrap_or_default()))
        .collect::<Vec<_>>()
    {
        found if found.is_empty() => AdvisoryResult::Clean,
        found => AdvisoryResult::Found(found),
    }
}

enum Channel {
    Output,
    Errors,
}

/// Whether a program was content, and what it printed; nothing if it cannot be started or takes too
/// long.
fn run(mut command: Command, channel: Channel) -> Result<Option<(bool, String)>> {
    let (output, errors) = match channel {
        Channel::Output => (Stdio::piped(), Stdio::null()),
        Channel::Errors => (Stdio::null(), Stdio::piped()),
    };
    let Ok(mut child) = command.stdin(Stdio::null()).stdout(output).stderr(errors).spawn() else {
        return Ok(None);
    };
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let read = match (stdout, stderr) {
            (Some(mut stdout), _) => stdout.read_to_string(&mut text),
            (None, Some(mut stderr)) => stderr.read_to_string(&mut text),
            (None, None) => Ok(0),
        };
        read.map(|_| text).unwrap_or_default()
    });
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some((status.success(), reader.join().unwrap_or_default())));
        }
        if begun.elapsed() > TIMEOUT {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_00_a_severe_advisory_fails_and_a_silent_registry_is_told() {
        let report = |severity: &str| {
            format!(
                r#"{{ "vulnerabilities": {{ "a": {{ "severity": "{severity}" }} }}, "metadata": {{ "vulnerabilities": {{ "total": 1 }} }} }}"#
            )
        };
        assert_eq!(
            read_npm(&report("critical")),
            AdvisoryResult::Found(vec!["a: critical".into()])
        );
        assert_eq!(read_npm(&report("high")), AdvisoryResult::Found(vec!["a: high".into()]));
        assert_eq!(read_npm(&report("moderate")), AdvisoryResult::Clean);
        assert_eq!(
            read_npm(r#"{ "message": "405 Method Not Allowed", "error": {} }"#),
            AdvisoryResult::NotChecked(NO_ANSWER)
        );
        assert_eq!(read_npm("<html>"), AdvisoryResult::NotChecked(NO_ANSWER));
    }

    #[test]
    fn issue_14_00_a_finding_is_told_apart_from_a_database_that_is_not_there() {
        let finding = r#"{"type":"diagnostic","fields":{"severity":"error","code":"vulnerability","message":"bad","advisory":{"id":"RUSTSEC-2026-0001"}}}"#;
        let log = r#"{"type":"log","fields":{"level":"ERROR","message":"failed to fetch advisory database"}}"#;
        assert_eq!(
            read_deny(&format!("{log}\n{finding}\n")).unwrap(),
            AdvisoryResult::Found(vec!["RUSTSEC-2026-0001: bad".into()])
        );
        assert_eq!(read_deny(log).unwrap(), AdvisoryResult::NotChecked(NO_DATABASE));
    }

    #[test]
    fn issue_14_00_a_check_that_breaks_is_not_taken_for_one_that_could_not_be_made() {
        let config = r#"{"type":"log","fields":{"level":"ERROR","message":"failed to deserialize config from 'deny.toml': unknown field `graph`"}}"#;
        let term =
            r#"{"type":"diagnostic","fields":{"severity":"error","message":"invalid licensee"}}"#;
        let panic = "thread '<unnamed>' panicked at 'called `Option::unwrap()` on a `None` value'";
        for text in [config, term, panic, ""] {
            assert!(read_deny(text).is_err(), "{text}");
        }
        assert!(read_deny(config).unwrap_err().to_string().contains("unknown field"));
    }
}
