//! Addresses that a text must not hold.

use super::CheckResult;
use super::patterns::{FindingCounter, StaticPattern};
use formats::ticker::tick;
use ipnet::Ipv4Net;
use node_api::prelude::*;
use std::collections::HashSet;
use std::net::Ipv4Addr;
use std::ops::Range;
use url::Url;

/// Schemes whose addresses have no host to look at.
const HOSTLESS: [&str; 4] = ["data", "javascript", "vbscript", "mailto"];

/// What addresses may be.
pub(super) struct AllowedUrls {
    entries: Vec<String>,
    schemes: Vec<String>,
    refuses_user: bool,
    takes_subdomains: bool,
}

impl AllowedUrls {
    pub(super) fn read(settings: &Value) -> Self {
        let entries = settings.get("allowedUrls").and_then(Value::as_str).unwrap_or_default();
        let schemes = settings.get("allowedSchemes").and_then(Value::as_array).map(|schemes| {
            schemes.iter().map(|scheme| scheme.to_js_string().to_string()).collect()
        });
        let flag = |name: &str| settings.get(name).and_then(Value::as_bool).unwrap_or(true);
        Self {
            entries: entries
                .split(',')
                .map(|entry| entry.trim().to_lowercase())
                .filter(|entry| !entry.is_empty())
                .collect(),
            schemes: schemes.unwrap_or_else(|| vec!["https".to_owned()]),
            refuses_user: flag("blockUserinfo"),
            takes_subdomains: flag("allowSubdomains"),
        }
    }

    /// Why an address is blocked, if it is.
    fn rejection_reason(&self, found: &str) -> Option<String> {
        let has_scheme = found.contains("://")
            || HOSTLESS
                .iter()
                .any(|scheme| found.to_lowercase().starts_with(&format!("{scheme}:")));
        let read =
            if has_scheme { Url::parse(found) } else { Url::parse(&format!("http://{found}")) };
        let address = match read {
            Ok(address) => address,
            Err(error) => return Some(format!("Invalid URL format: {error}")),
        };
        let scheme = address.scheme();
        if !self.schemes.iter().any(|allowed| allowed == scheme) {
            return Some(format!("Blocked scheme: {scheme}"));
        }
        if self.refuses_user && (!address.username().is_empty() || address.password().is_some()) {
            return Some("Contains userinfo (potential credential injection)".to_owned());
        }
        let is_listed = HOSTLESS.contains(&scheme)
            || self.entries.iter().any(|entry| self.matches_entry(entry, &address));
        (!is_listed).then(|| "Not in allow list".to_owned())
    }

    fn matches_entry(&self, entry: &str, address: &Url) -> bool {
        let Some(host) = address.host_str().map(str::to_lowercase) else { return false };
        if entry.contains("://") {
            return Url::parse(entry).is_ok_and(|allowed| {
                let is_below = allowed.path() == "/" || address.path().starts_with(allowed.path());
                allowed.host_str().is_some_and(|allowed| allowed.to_lowercase() == host) && is_below
            });
        }
        if let Ok(network) = entry.parse::<Ipv4Net>() {
            return host.parse::<Ipv4Addr>().is_ok_and(|number| network.contains(&number));
        }
        if entry.parse::<Ipv4Addr>().is_ok() {
            return entry == host;
        }
        let (allowed, host) = (
            entry.strip_prefix("www.").unwrap_or(entry),
            host.strip_prefix("www.").unwrap_or(&host),
        );
        host == allowed || (self.takes_subdomains && host.ends_with(&format!(".{allowed}")))
    }
}

pub(super) fn check(text: &str, allowed: &AllowedUrls) -> Result<CheckResult, NodeError> {
    let found = find_urls(text)?;
    let mut refusals = Vec::new();
    for address in &found {
        // The list of what is allowed may be long.
        tick()?;
        refusals.push((address.clone(), allowed.rejection_reason(address)));
    }
    let list = |is_blocked: bool| {
        refusals
            .iter()
            .filter(move |(_, refusal)| refusal.is_some() == is_blocked)
            .map(|(address, _)| address.clone())
    };
    let values = |addresses: &mut dyn Iterator<Item = String>| {
        Value::array(addresses.map(Value::from).collect())
    };
    let mut reasons = refusals.iter().filter_map(|(address, refusal)| {
        refusal.as_ref().map(|refusal| format!("{address}: {refusal}"))
    });
    let info = Object::from_iter([
        ("detected", values(&mut found.iter().cloned())),
        ("allowed", values(&mut list(false))),
        ("blocked", values(&mut list(true))),
        ("blockedReasons", values(&mut reasons)),
    ]);
    let masks: Vec<(Str, String)> = list(true).map(|address| ("URL".into(), address)).collect();
    Ok(CheckResult {
        name: "urls".into(),
        is_triggered: !masks.is_empty(),
        info,
        masks,
        ..CheckResult::default()
    })
}

/// Everything in a text that is an address, with a scheme or without, each once. What stands inside
/// of another is a part of it.
fn find_urls(text: &str) -> Result<Vec<String>, NodeError> {
    const STOP: &str = r#"[^\s<>"{}|\\^`\[\]]"#;
    static COMPILED: [StaticPattern; 4] = [const { StaticPattern::new() }; 4];
    let forms = [
        format!("(?i)(?:https?|ftp)://{STOP}+"),
        format!("(?i)(?:data|javascript|vbscript|mailto):{STOP}+"),
        r"(?i)\b(?:www\.)?[a-z0-9][a-z0-9.-]*\.[a-z]{2,}(?:/\S*)?".to_owned(),
        r"\b(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?::[0-9]+)?(?:/\S*)?".to_owned(),
    ];
    // Where the addresses of each form are, in order: those of one form are never inside of each
    // other.
    let mut places: Vec<Vec<Range<usize>>> = Vec::new();
    let (mut found, mut known, mut findings) =
        (Vec::new(), HashSet::new(), FindingCounter::default());
    for (form, compiled) in forms.into_iter().zip(&COMPILED) {
        tick()?;
        let mut own = Vec::new();
        for hit in compiled.get("address", || form)?.find_iter(text) {
            findings.add()?;
            let address = hit.as_str().trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']']);
            if places.iter().any(|places| covers(places, hit.start())) || address.is_empty() {
                continue;
            }
            own.push(hit.range());
            if known.insert(address) {
                found.push(address.to_owned());
            }
        }
        places.push(own);
    }
    Ok(found)
}

/// Whether one of the ranges, which are in order, holds a place.
fn covers(ranges: &[Range<usize>], place: usize) -> bool {
    let behind = ranges.partition_point(|range| range.start <= place);
    behind
        .checked_sub(1)
        .and_then(|last| ranges.get(last))
        .is_some_and(|range| range.contains(&place))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocked(text: &str, settings: Value) -> Value {
        check(text, &AllowedUrls::read(&settings))
            .unwrap()
            .info
            .get("blockedReasons")
            .cloned()
            .unwrap_or_default()
    }

    #[test]
    fn addresses_are_found_with_a_scheme_and_without() {
        let text = "See https://a.test/x?y=1, www.b.test/path, 10.0.0.1:80 and mailto:c@d.test.";
        assert_eq!(
            find_urls(text).unwrap(),
            ["https://a.test/x?y=1", "mailto:c@d.test", "www.b.test/path", "10.0.0.1:80"]
        );
    }

    #[test]
    fn issue_14_06_many_addresses_are_found_in_one_pass() {
        let text: String = (0..50_000).map(|number| format!("a{number}.test ")).collect();
        let began = compute::cpu_used();
        assert_eq!(find_urls(&text).unwrap().len(), 50_000);
        // Comparing each with all before it would take more than a billion steps.
        assert!(compute::cpu_used() - began < std::time::Duration::from_secs(10));
        assert_eq!(
            find_urls("https://a.test/b.test http://c.test 1.2.3.4 a.test").unwrap().len(),
            4
        );
    }

    #[test]
    fn what_is_not_on_the_list_is_blocked_with_a_reason() {
        let settings = || json!({ "allowedUrls": "a.test, https://b.test/docs, 10.0.0.0/8", "allowedSchemes": ["https", "http"] });
        assert_eq!(
            blocked("https://sub.a.test https://b.test/docs/1 http://10.1.2.3/", settings()),
            json!([])
        );
        assert_eq!(
            blocked("https://b.test/other", settings()),
            json!(["https://b.test/other: Not in allow list"])
        );
        assert_eq!(
            blocked("ftp://a.test/", settings()),
            json!(["ftp://a.test/: Blocked scheme: ftp"])
        );
        assert!(
            blocked("https://me:pw@a.test/", settings())
                .at(0)
                .unwrap()
                .as_str()
                .unwrap()
                .contains("userinfo")
        );
        let strict = json!({ "allowedUrls": "a.test", "allowSubdomains": false });
        assert_eq!(
            blocked("https://sub.a.test", strict),
            json!(["https://sub.a.test: Not in allow list"])
        );
        assert_eq!(
            blocked("javascript:alert(1)", json!({})),
            json!(["javascript:alert(1: Blocked scheme: javascript"])
        );
    }
}
