//! Addresses that a text must not hold.

use super::{Check, pattern};
use ipnet::Ipv4Net;
use node_api::prelude::*;
use std::net::Ipv4Addr;
use url::Url;

/// Schemes whose addresses have no host to look at.
const HOSTLESS: [&str; 4] = ["data", "javascript", "vbscript", "mailto"];

/// What addresses may be.
pub(super) struct Allowed {
    entries: Vec<String>,
    schemes: Vec<String>,
    refuses_user: bool,
    takes_subdomains: bool,
}

impl Allowed {
    pub(super) fn read(settings: &Value) -> Self {
        let entries = settings.get("allowedUrls").and_then(Value::as_str).unwrap_or_default();
        let schemes = settings
            .get("allowedSchemes")
            .and_then(Value::as_array)
            .map(|schemes| schemes.iter().map(|scheme| scheme.to_js_string().to_string()).collect());
        let flag = |name: &str| settings.get(name).and_then(Value::as_bool).unwrap_or(true);
        Self {
            entries: entries.split(',').map(|entry| entry.trim().to_lowercase()).filter(|entry| !entry.is_empty()).collect(),
            schemes: schemes.unwrap_or_else(|| vec!["https".to_owned()]),
            refuses_user: flag("blockUserinfo"),
            takes_subdomains: flag("allowSubdomains"),
        }
    }

    /// Why an address is blocked, if it is.
    fn refusal(&self, found: &str) -> Option<String> {
        let has_scheme = found.contains("://") || HOSTLESS.iter().any(|scheme| found.to_lowercase().starts_with(&format!("{scheme}:")));
        let read = if has_scheme { Url::parse(found) } else { Url::parse(&format!("http://{found}")) };
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
        let is_listed = HOSTLESS.contains(&scheme) || self.entries.iter().any(|entry| self.lists(entry, &address));
        (!is_listed).then(|| "Not in allow list".to_owned())
    }

    fn lists(&self, entry: &str, address: &Url) -> bool {
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
        let (allowed, host) = (entry.strip_prefix("www.").unwrap_or(entry), host.strip_prefix("www.").unwrap_or(&host));
        host == allowed || (self.takes_subdomains && host.ends_with(&format!(".{allowed}")))
    }
}

pub(super) fn check(text: &str, allowed: &Allowed) -> Result<Check, NodeError> {
    let found = addresses(text)?;
    let refusals: Vec<(String, Option<String>)> = found.iter().map(|address| (address.clone(), allowed.refusal(address))).collect();
    let list =
        |is_blocked: bool| refusals.iter().filter(move |(_, refusal)| refusal.is_some() == is_blocked).map(|(address, _)| address.clone());
    let values = |addresses: &mut dyn Iterator<Item = String>| Value::array(addresses.map(Value::from).collect());
    let mut reasons = refusals.iter().filter_map(|(address, refusal)| refusal.as_ref().map(|refusal| format!("{address}: {refusal}")));
    let info = Object::from_iter([
        ("detected", values(&mut found.iter().cloned())),
        ("allowed", values(&mut list(false))),
        ("blocked", values(&mut list(true))),
        ("blockedReasons", values(&mut reasons)),
    ]);
    let masks: Vec<(Str, String)> = list(true).map(|address| ("URL".into(), address)).collect();
    Ok(Check { name: "urls".into(), is_triggered: !masks.is_empty(), info, masks, ..Check::default() })
}

/// Everything in a text that is an address, with a scheme or without, each once. What stands inside of another is a part of it.
fn addresses(text: &str) -> Result<Vec<String>, NodeError> {
    const STOP: &str = r#"[^\s<>"{}|\\^`\[\]]"#;
    let patterns = [
        format!("(?i)(?:https?|ftp)://{STOP}+"),
        format!("(?i)(?:data|javascript|vbscript|mailto):{STOP}+"),
        r"(?i)\b(?:www\.)?[a-z0-9][a-z0-9.-]*\.[a-z]{2,}(?:/\S*)?".to_owned(),
        r"\b(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?::[0-9]+)?(?:/\S*)?".to_owned(),
    ];
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut found: Vec<String> = Vec::new();
    for address in &patterns {
        for hit in pattern("address", address)?.find_iter(text) {
            let is_inside = places.iter().any(|(start, end)| *start <= hit.start() && hit.start() < *end);
            let address = hit.as_str().trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']']);
            if is_inside || address.is_empty() {
                continue;
            }
            places.push((hit.start(), hit.end()));
            if !found.iter().any(|known| known == address) {
                found.push(address.to_owned());
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocked(text: &str, settings: Value) -> Value {
        check(text, &Allowed::read(&settings)).unwrap().info.get("blockedReasons").cloned().unwrap_or_default()
    }

    #[test]
    fn addresses_are_found_with_a_scheme_and_without() {
        let text = "See https://a.test/x?y=1, www.b.test/path, 10.0.0.1:80 and mailto:c@d.test.";
        assert_eq!(addresses(text).unwrap(), ["https://a.test/x?y=1", "mailto:c@d.test", "www.b.test/path", "10.0.0.1:80"]);
    }

    #[test]
    fn what_is_not_on_the_list_is_blocked_with_a_reason() {
        let settings = || json!({ "allowedUrls": "a.test, https://b.test/docs, 10.0.0.0/8", "allowedSchemes": ["https", "http"] });
        assert_eq!(blocked("https://sub.a.test https://b.test/docs/1 http://10.1.2.3/", settings()), json!([]));
        assert_eq!(blocked("https://b.test/other", settings()), json!(["https://b.test/other: Not in allow list"]));
        assert_eq!(blocked("ftp://a.test/", settings()), json!(["ftp://a.test/: Blocked scheme: ftp"]));
        assert!(blocked("https://me:pw@a.test/", settings()).at(0).unwrap().as_str().unwrap().contains("userinfo"));
        let strict = json!({ "allowedUrls": "a.test", "allowSubdomains": false });
        assert_eq!(blocked("https://sub.a.test", strict), json!(["https://sub.a.test: Not in allow list"]));
        assert_eq!(blocked("javascript:alert(1)", json!({})), json!(["javascript:alert(1: Blocked scheme: javascript"]));
    }
}
