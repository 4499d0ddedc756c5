//! Personal data, and patterns of the author's own.

use super::CheckResult;
use super::patterns::{FindingCounter, PatternCache, StaticPattern};
use compute::pattern_cost::{MAX_FOLDED, MAX_PATTERN_BYTES, PatternCost};
use formats::js_regex::backtracking::TOO_MANY_FOLDED;
use formats::sensitive::PERSONAL_DATA;
use formats::ticker::tick;
use node_api::prelude::*;
use std::time::Duration;

/// Steps that a pattern of the author may take for one match: comparisons of a byte with a place in
/// the pattern.
const MAX_STEPS: u64 = 1 << 31;
/// CPU time of all its matches in one text together.
const MAX_TIME: Duration = Duration::from_secs(10);

pub(super) fn check(text: &str, settings: &Value) -> Result<CheckResult, NodeError> {
    let chosen = settings
        .get("entities")
        .and_then(Value::as_array)
        .filter(|_| settings.get("type").and_then(Value::as_str) == Some("selected"));
    let is_chosen = |name: &str| {
        chosen.is_none_or(|chosen| chosen.iter().any(|entity| entity.as_str() == Some(name)))
    };
    let (mut found, mut findings) = (Vec::new(), FindingCounter::default());
    for ((name, _, form), compiled) in
        PERSONAL_DATA.iter().zip(&COMPILED).filter(|((name, _, _), _)| is_chosen(name))
    {
        tick()?;
        for hit in compiled.get(name, || form.pattern())?.find_iter(text) {
            findings.add()?;
            found.push((Str::from(*name), hit.as_str().to_owned()));
        }
    }
    Ok(result("personalData", found))
}

/// The patterns of [`PERSONAL_DATA`].
static COMPILED: [StaticPattern; PERSONAL_DATA.len()] =
    [const { StaticPattern::new() }; PERSONAL_DATA.len()];

/// Patterns as JavaScript writes them, `/…/flags`, or bare.
pub(super) fn check_custom(
    text: &str,
    written: &[Value],
    patterns: &mut PatternCache,
) -> Result<CheckResult, NodeError> {
    let (mut found, mut findings) = (Vec::new(), FindingCounter::default());
    for entry in written {
        let field = |name: &str| entry.get(name).map(Value::to_js_string).unwrap_or_default();
        let (name, written) = (field("name"), field("value"));
        if written.is_empty() {
            continue;
        }
        let hits = compute::blocking(|| {
            find(&name, &from_javascript(&written), text, patterns, &mut findings)
        });
        let hits = hits.map_err(|busy| NodeError::new(Code::OVERLOAD, busy.to_string()))??;
        found.extend(hits.into_iter().map(|hit| (name.clone(), hit)));
    }
    Ok(result("customRegex", found))
}

/// What a pattern of the author matches. It cannot be stopped, so what it takes is estimated first.
fn find(
    name: &str,
    written: &str,
    text: &str,
    patterns: &mut PatternCache,
    findings: &mut FindingCounter,
) -> Result<Vec<String>, NodeError> {
    let refused = |problem: &str| {
        NodeError::parameter("guardrails", format!("The pattern '{name}' is not valid: {problem}"))
    };
    if written.len() > MAX_PATTERN_BYTES {
        return Err(refused(&format!("it is longer than {MAX_PATTERN_BYTES} bytes")));
    }
    // What has no cost is no pattern, which is told below.
    let cost = PatternCost::of(written).unwrap_or_default();
    if cost.folded > MAX_FOLDED {
        return Err(refused(TOO_MANY_FOLDED));
    }
    let too_long = || refused("it exceeded the step limit on this text");
    if cost.steps_on(text.len()) > MAX_STEPS {
        return Err(too_long());
    }
    let began = compute::cpu_used();
    let mut found = Vec::new();
    for hit in patterns.get(name, written)?.find_iter(text) {
        // Each match may look at all the rest of the text.
        if compute::cpu_used().saturating_sub(began) > MAX_TIME {
            return Err(too_long());
        }
        findings.add()?;
        if !hit.is_empty() {
            found.push(hit.as_str().to_owned());
        }
    }
    Ok(found)
}

fn from_javascript(written: &str) -> String {
    let parts = written.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'));
    let Some((pattern, flags)) =
        parts.filter(|(_, flags)| flags.chars().all(|flag| "dgimsuvy".contains(flag)))
    else {
        return written.to_owned();
    };
    let flags: String = flags.chars().filter(|flag| "ims".contains(*flag)).collect();
    if flags.is_empty() { pattern.to_owned() } else { format!("(?{flags}){pattern}") }
}

fn result(name: &str, found: Vec<(Str, String)>) -> CheckResult {
    let shown = found.iter().map(|(entity, text)| {
        Value::from(Object::from_iter([
            ("entityType", Value::from(entity.clone())),
            ("text", text.as_str().into()),
        ]))
    });
    CheckResult {
        name: name.into(),
        is_triggered: !found.is_empty(),
        info: Object::from_iter([("analyzerResults", shown.collect::<Vec<_>>())]),
        masks: found,
        ..CheckResult::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_06_patterns_of_the_author_are_bounded() {
        let find = |name: &str, written: &str, text: &str| {
            find(name, written, text, &mut PatternCache::default(), &mut FindingCounter::default())
        };
        let began = compute::cpu_used();
        let wide = format!("(?i){}", r"[ -\u{10FFFD}]".repeat(280));
        assert!(
            find("wide", &wide, "a").unwrap_err().to_string().contains("case-insensitive matching")
        );
        assert!(
            find("long", &"a".repeat(5_000), "a").unwrap_err().to_string().contains("longer than")
        );
        let slow = find("slow", r"[ab]*a[ab]{5000}[cd]", &"a".repeat(4 << 20));
        assert!(slow.unwrap_err().to_string().contains("step limit"));
        assert_eq!(find("ticket", r"(?i)t-\d+", "see T-12").unwrap(), ["T-12"]);
        assert!(compute::cpu_used() - began < Duration::from_secs(5));
    }

    #[test]
    fn every_form_is_a_pattern_and_common_ones_are_found() {
        let found = |text: &str| {
            let check = check(text, &json!({ "type": "all" })).unwrap();
            check.masks.into_iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>()
        };
        assert!(found("card 4111-1111-1111-1111").contains(&"CREDIT_CARD".to_owned()));
        assert!(found("IBAN DE89370400440532013000").contains(&"IBAN_CODE".to_owned()));
        assert!(found("born 12/31/1999").contains(&"DATE_TIME".to_owned()));
        assert!(found("ssn 123-45-6789").contains(&"US_SSN".to_owned()));
        assert!(found("nothing here").is_empty());
    }

    #[test]
    fn issue_14_09_only_so_many_findings_are_shown() {
        let text = "1.1.1.1 ".repeat(crate::ai::guardrails::patterns::MAX_FINDINGS + 1);
        let error =
            check(&text, &json!({ "type": "selected", "entities": ["IP_ADDRESS"] })).unwrap_err();
        assert_eq!(error.message(), "More than 250000 matches were found in the text");
    }

    #[test]
    fn flags_of_javascript_are_understood() {
        assert_eq!(from_javascript("/a.b/gi"), "(?i)a.b");
        assert_eq!(from_javascript("/a/b/"), "a/b");
        assert_eq!(from_javascript("a/b"), "a/b");
    }
}
