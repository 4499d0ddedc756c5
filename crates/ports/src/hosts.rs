//! Lists of hosts: where a secret, or a whole request, may be sent.

use model::Str;
use std::fmt;
use std::sync::Arc;
use url::Url;

/// The hosts that something may be sent to. The HTTP client compares every hop of a request with
/// it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum HostAllowlist {
    #[default]
    Any,
    Only(Vec<HostPattern>),
    /// What every one of several lists allows.
    All(Vec<HostAllowlist>),
}

/// One entry of a list of hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPattern {
    /// Lower case, without a dot at its end.
    name: String,
    /// Names below it, and not the name itself.
    is_wildcard: bool,
    /// Only this port, if there is one.
    port: Option<u16>,
    /// Not without encryption.
    https_only: bool,
}

impl HostAllowlist {
    /// The entries of a text with commas (or spaces) between them, such as `api.example.com,
    /// *.example.org`. A text without entries allows nothing.
    pub fn parse_list(text: &str) -> Self {
        let entries =
            text.split([',', ' ', '\n', '\t']).map(str::trim).filter(|entry| !entry.is_empty());
        HostAllowlist::Only(entries.filter_map(HostPattern::parse).collect())
    }

    /// Whether a URL leads to one of the hosts.
    pub fn allow(&self, url: &Url) -> bool {
        match self {
            HostAllowlist::Any => true,
            HostAllowlist::Only(patterns) => patterns.iter().any(|pattern| pattern.matches(url)),
            HostAllowlist::All(lists) => lists.iter().all(|list| list.allow(url)),
        }
    }

    /// The one host of a URL at its port; where it names none, with or without encryption.
    pub fn of_host(url: &Url) -> Self {
        let Some(name) = name_of(url) else { return HostAllowlist::Only(Vec::new()) };
        let ports = url.port().map_or_else(|| vec![80, 443], |port| vec![port]);
        let at = |port| HostPattern {
            name: name.clone(),
            is_wildcard: false,
            port: Some(port),
            https_only: false,
        };
        HostAllowlist::Only(ports.into_iter().map(at).collect())
    }

    /// What keeps a request to the host of its address, and to the one that its `Host` header
    /// names; `None` if it has no address.
    pub fn of_request(address: &str, host_header: Option<&str>) -> Option<Self> {
        let url = Url::parse(address.trim()).ok()?;
        Some(Self::of_host(&url).or(host_header.and_then(HostPattern::parse)))
    }

    /// The same with one more entry.
    fn or(self, entry: Option<HostPattern>) -> Self {
        match self {
            HostAllowlist::Only(patterns) => {
                HostAllowlist::Only(patterns.into_iter().chain(entry).collect())
            }
            other => other,
        }
    }

    /// What both lists allow.
    pub fn and(&self, other: &Self) -> Self {
        match (self, other) {
            (HostAllowlist::Any, hosts) | (hosts, HostAllowlist::Any) => hosts.clone(),
            (one, other) if one == other => one.clone(),
            (one, other) => HostAllowlist::All(vec![one.clone(), other.clone()]),
        }
    }

    /// Whether another list allows all that this one does, as far as that can be told from their
    /// entries.
    pub fn is_within(&self, wider: &Self) -> bool {
        match (self, wider) {
            (_, HostAllowlist::Any) => true,
            (one, other) if one == other => true,
            (HostAllowlist::Only(patterns), HostAllowlist::Only(wider)) => {
                patterns.iter().all(|pattern| wider.iter().any(|wide| pattern.is_within(wide)))
            }
            _ => false,
        }
    }

    pub fn is_any(&self) -> bool {
        matches!(self, HostAllowlist::Any)
    }
}

impl HostPattern {
    /// `host`, `*.parent` or `host:port`; also a whole URL, of which the host and the port count.
    pub fn parse(entry: &str) -> Option<Self> {
        let entry = entry.trim();
        if entry.contains("://") {
            return Self::of_url(entry);
        }
        let (rest, is_wildcard) =
            entry.strip_prefix("*.").map_or((entry, false), |rest| (rest, true));
        // The parser of URLs reads the entry as it will read the addresses, so that both spell a
        // name in the same way.
        let url = Url::parse(&format!("http://{rest}/")).ok()?;
        if !url.username().is_empty()
            || url.password().is_some()
            || url.path() != "/"
            || url.query().is_some()
        {
            return None;
        }
        // A port that the scheme implies is still one that somebody wrote.
        let port = url.port().or_else(|| rest.ends_with(":80").then_some(80));
        Some(Self { name: name_of(&url)?, is_wildcard, port, https_only: false })
    }

    /// A host of a service, which is only ever spoken to with encryption.
    pub fn of_service(name: &str) -> Option<Self> {
        Self::parse(name).map(|pattern| Self { https_only: true, ..pattern })
    }

    /// The host and port of an address that somebody set.
    pub fn of_url(text: &str) -> Option<Self> {
        let url = Url::parse(text.trim()).ok()?;
        let https_only = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        Some(Self {
            name: name_of(&url)?,
            is_wildcard: false,
            port: url.port_or_known_default(),
            https_only,
        })
    }

    fn is_within(&self, wider: &Self) -> bool {
        let is_below = || {
            self.name
                .strip_suffix(&wider.name)
                .is_some_and(|rest| rest.ends_with('.') && rest.len() > 1)
        };
        let fits_name = match (self.is_wildcard, wider.is_wildcard) {
            (_, true) if is_below() => true,
            (is_wildcard, wide) => is_wildcard == wide && self.name == wider.name,
        };
        let fits_port = wider.port.is_none_or(|port| self.port == Some(port));
        fits_name && fits_port && (self.https_only || !wider.https_only)
    }

    fn matches(&self, url: &Url) -> bool {
        let Some(name) = name_of(url) else { return false };
        let fits_name = match self.is_wildcard {
            true => name
                .strip_suffix(&self.name)
                .is_some_and(|rest| rest.ends_with('.') && rest.len() > 1),
            false => name == self.name,
        };
        let fits_scheme = match url.scheme() {
            "https" => true,
            "http" => !self.https_only,
            _ => false,
        };
        fits_name
            && fits_scheme
            && self.port.is_none_or(|port| url.port_or_known_default() == Some(port))
    }
}

fn name_of(url: &Url) -> Option<String> {
    let name = url.host_str()?.trim_end_matches('.').to_ascii_lowercase();
    (!name.is_empty()).then_some(name)
}

impl fmt::Display for HostAllowlist {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HostAllowlist::Any => out.write_str("any host"),
            HostAllowlist::Only(patterns) if patterns.is_empty() => out.write_str("no host"),
            HostAllowlist::Only(patterns) => {
                let names: Vec<String> = patterns.iter().map(ToString::to_string).collect();
                out.write_str(&names.join(", "))
            }
            HostAllowlist::All(lists) => {
                let lists: Vec<String> = lists.iter().map(ToString::to_string).collect();
                out.write_str(&lists.join("; and also "))
            }
        }
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let star = if self.is_wildcard { "*." } else { "" };
        write!(out, "{star}{}", self.name)?;
        match self.port {
            Some(443) if self.https_only => Ok(()),
            Some(80) | None => Ok(()),
            Some(port) => write!(out, ":{port}"),
        }
    }
}

/// What of a request is secret, and where that may go: the type of the credential and its hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecretBinding {
    /// The type of the credential, for messages.
    pub kind: Str,
    pub hosts: HostAllowlist,
    /// The body holds a part of the secret.
    pub in_body: bool,
}

impl SecretBinding {
    /// For a request that carries both secrets.
    pub fn and(&self, other: &Self) -> Self {
        let kind = if self.hosts.is_any() { &other.kind } else { &self.kind };
        Self {
            kind: kind.clone(),
            hosts: self.hosts.and(&other.hosts),
            in_body: self.in_body || other.in_body,
        }
    }

    /// For a request of a node that has opened a credential and puts nothing of it into this
    /// request.
    pub fn deny_all() -> Arc<Self> {
        Arc::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(hosts: &HostAllowlist, urls: &[&str]) -> Vec<bool> {
        urls.iter().map(|url| Url::parse(url).is_ok_and(|url| hosts.allow(&url))).collect()
    }

    #[test]
    fn only_listed_hosts_and_real_subdomains_fit() {
        let hosts = HostAllowlist::parse_list("a.test, *.b.test, c.test:8443");
        let right = [
            "https://a.test/x",
            "https://A.TEST./",
            "http://a.test:81",
            "https://x.b.test",
            "https://x.y.b.test/",
            "https://c.test:8443/",
        ];
        assert!(allows(&hosts, &right).into_iter().all(|allowed| allowed));
        let wrong = [
            "https://b.test/",
            "https://evila.test/",
            "https://evilb.test/",
            "https://a.test.evil.test/",
            "https://a.test@evil.test/",
            "https://c.test/",
            "ftp://a.test/",
        ];
        assert!(!allows(&hosts, &wrong).into_iter().any(|allowed| allowed));
        assert!(
            !allows(&HostAllowlist::parse_list(" , "), &["https://a.test/"])[0],
            "an empty list allows nothing"
        );
    }

    #[test]
    fn two_lists_allow_what_both_do_and_a_narrower_one_is_recognised() {
        let both = HostAllowlist::parse_list("a.test, b.test")
            .and(&HostAllowlist::parse_list("b.test, c.test"));
        assert_eq!(
            allows(&both, &["https://a.test/", "https://b.test/", "https://c.test/"]),
            [false, true, false]
        );
        assert_eq!(
            HostAllowlist::Any.and(&HostAllowlist::parse_list("a.test")),
            HostAllowlist::parse_list("a.test")
        );
        let host = |url: &str| HostAllowlist::of_host(&Url::parse(url).unwrap());
        assert_eq!(
            allows(
                &host("http://a.test/x"),
                &["https://a.test/y", "http://a.test:81/", "https://b.test/"]
            ),
            [true, false, false]
        );
        assert_eq!(
            allows(&host("http://a.test:81/"), &["http://a.test:81/", "http://a.test/"]),
            [true, false]
        );
        let within = |narrow: &str, wide: &str| {
            HostAllowlist::parse_list(narrow).is_within(&HostAllowlist::parse_list(wide))
        };
        assert!(
            within("a.test", "a.test, b.test")
                && within("x.b.test, *.y.b.test", "*.b.test")
                && within("a.test:8443", "a.test")
        );
        assert!(
            !within("a.test", "a.test:8443")
                && !within("*.a.test", "a.test")
                && !within("a.test", "*.a.test")
        );
        assert!(
            !within("a.test, c.test", "a.test")
                && !HostAllowlist::Any.is_within(&HostAllowlist::parse_list("a.test"))
        );
        assert!(
            HostAllowlist::parse_list("a.test").is_within(&HostAllowlist::Any)
                && HostAllowlist::parse_list("").is_within(&HostAllowlist::parse_list("a.test"))
        );
    }

    #[test]
    fn one_host_has_one_spelling() {
        for (entry, url) in [
            ("127.0.0.1", "http://0x7f.1/"),
            ("[::1]", "http://[0:0:0:0:0:0:0:1]/"),
            ("bücher.test", "https://xn--bcher-kva.test/"),
            ("A.Test.", "https://a.test/"),
        ] {
            assert_eq!(allows(&HostAllowlist::parse_list(entry), &[url]), [true], "{entry}");
        }
        for entry in ["user@a.test", "a.test/path", "a.test?x", "", "*."] {
            assert_eq!(HostPattern::parse(entry), None, "{entry}");
        }
    }

    #[test]
    fn services_and_addresses_keep_their_encryption_and_port() {
        let service =
            HostAllowlist::Only(HostPattern::of_service("api.test").into_iter().collect());
        assert_eq!(allows(&service, &["https://api.test/", "http://api.test/"]), [true, false]);
        let own = HostAllowlist::Only(
            HostPattern::of_url("http://localhost:11434/v1").into_iter().collect(),
        );
        assert_eq!(
            allows(&own, &["http://localhost:11434/", "http://localhost:9/", "http://localhost/"]),
            [true, false, false]
        );
        assert_eq!(
            (service.to_string().as_str(), own.to_string().as_str()),
            ("api.test", "localhost:11434")
        );
    }
}
