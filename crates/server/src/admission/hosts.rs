//! The names this instance answers to, and what is served under which of them.
//!
//! A page of another site can make its own name resolve to this machine (DNS rebinding) and then
//! counts as one of our own pages. Its requests carry that name, so names that nobody configured
//! are refused for the API and the editor, and on an instance that only this machine reaches for
//! workflows too. An IP address cannot be rebound.

use crate::error::ApiError;
use axum::extract::Request;
use axum::http::{Uri, header};
use model::{Code, Str};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Where workflows listen: webhooks, forms and chats. Everything else belongs to the editor and the
/// API.
pub(crate) const WORKFLOW_PATHS: [&str; 8] = [
    "/webhook/",
    "/webhook-test/",
    "/webhook-waiting/",
    "/form/",
    "/form-test/",
    "/form-waiting/",
    "/mcp/",
    "/mcp-test/",
];

/// The first part of a path of workflows, such as `/webhook-test`.
pub(crate) fn endpoint_prefix(path: &str) -> &'static str {
    let start =
        WORKFLOW_PATHS.iter().find(|start| path.starts_with(**start)).unwrap_or(&WORKFLOW_PATHS[0]);
    start.trim_end_matches('/')
}

/// Whether a path is one of the health checks. They are answered under every name, because load
/// balancers ask by address or by no name at all.
pub(super) fn is_health(path: &str) -> bool {
    path.strip_prefix("/healthz").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The names under which this instance is reached.
#[derive(Clone, Debug, Default)]
pub struct AllowedHosts {
    /// Of the editor and the API, besides `localhost` and IP addresses.
    names: Vec<String>,
    /// Of webhooks, forms and chats, if they have an origin of their own.
    workflows: Option<(String, Str)>,
    /// People reach it on this machine only, so that whatever comes under another name was sent by
    /// a page that they look at.
    is_local: bool,
}

/// What may be served to a request.
#[derive(Debug)]
pub(crate) enum HostDecision {
    Allowed,
    /// Workflows have an origin of their own, and this is the other one. Chats for people who are
    /// signed in are served here all the same, because only this origin knows who is signed in.
    UsersOnly,
}

/// Why the addresses of an instance cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AllowedHostsError {
    #[error("'{0}' is not an origin such as https://heddle.example.com")]
    NotAnOrigin(String),
    #[error(
        "webhooks need a separate host name: browsers share cookies between the ports of '{0}'"
    )]
    SameHost(String),
}

impl AllowedHosts {
    /// `others` are further names of the editor and the API.
    pub fn new(
        base_url: &str,
        webhook_url: Option<&str>,
        others: &[String],
    ) -> Result<Self, AllowedHostsError> {
        let base = host_of_url(base_url)?;
        let mut names = vec![base.clone()];
        for other in others {
            names
                .push(name_of(other).ok_or_else(|| AllowedHostsError::NotAnOrigin(other.clone()))?);
        }
        let workflows = match webhook_url {
            None => None,
            Some(url) => {
                let name = host_of_url(url)?;
                if names.contains(&name) {
                    return Err(AllowedHostsError::SameHost(name));
                }
                Some((name, Str::from(url)))
            }
        };
        Ok(Self { names, workflows, is_local: is_loopback(&base) })
    }

    /// Whether pages of any site may read what a workflow answers unless it says otherwise. On an
    /// instance that only this machine reaches they may not: what is behind it is meant for whoever
    /// sits there.
    pub(crate) fn allows_any_origin(&self) -> bool {
        !self.is_local
    }

    /// Decides what is served to a request by the name it asks for.
    pub(crate) fn check(&self, request: &Request) -> Result<HostDecision, ApiError> {
        let path = request.uri().path();
        let is_of_workflows = WORKFLOW_PATHS.iter().any(|start| path.starts_with(start));
        let is_for_everybody = is_of_workflows && self.workflows.is_none() && !self.is_local;
        if is_for_everybody || is_health(path) {
            return Ok(HostDecision::Allowed);
        }
        let name = requested_host(request).ok_or_else(|| {
            ApiError::new(Code::HOST_NOT_ALLOWED, "The request has no Host header, or several")
                .hint("Send exactly one Host header.")
        })?;
        match &self.workflows {
            Some((own, _)) if *own == name => match is_of_workflows {
                true => Ok(HostDecision::Allowed),
                false => Err(ApiError::new(
                    Code::HOST_NOT_ALLOWED,
                    format!("Only webhooks, forms and chats are served at '{name}'"),
                )
                .hint("Open the editor at its address (HEDDLE_BASE_URL).")),
            },
            _ if !self.is_known(&name) => {
                let shown: String = name.chars().take(100).collect();
                Err(ApiError::new(
                    Code::HOST_NOT_ALLOWED,
                    format!("The host name '{shown}' is not allowed on this instance"),
                )
                .hint(
                    "Set HEDDLE_BASE_URL to the public address, or add the name to \
                         HEDDLE_ALLOWED_HOSTS.",
                ))
            }
            Some(_) if is_of_workflows => Ok(HostDecision::UsersOnly),
            _ => Ok(HostDecision::Allowed),
        }
    }

    /// What is said about a webhook that is asked for at the editor's address.
    pub(crate) fn misdirected(&self) -> ApiError {
        let url = self.workflows.as_ref().map_or("", |(_, url)| url.as_str());
        ApiError::new(
            Code::HOST_NOT_ALLOWED,
            "Webhooks, forms and chats are served at a separate address",
        )
        .hint(format!("Call them at {url} (HEDDLE_WEBHOOK_URL)."))
    }

    fn is_known(&self, name: &str) -> bool {
        name == "localhost" || is_address(name) || self.names.iter().any(|known| known == name)
    }
}

/// The one name that a request asks for: in its first line, in its `Host` header, or the same in
/// both.
fn requested_host(request: &Request) -> Option<String> {
    let given = request
        .headers()
        .get_all(header::HOST)
        .iter()
        .map(|host| host.to_str().ok().and_then(name_of));
    let mut names = request
        .uri()
        .authority()
        .map(|authority| name_of(authority.as_str()))
        .into_iter()
        .chain(given);
    let first = names.next()??;
    names.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

/// The host of an origin.
fn host_of_url(url: &str) -> Result<String, AllowedHostsError> {
    let wrong = || AllowedHostsError::NotAnOrigin(url.to_owned());
    let parsed: Uri = url.parse().map_err(|_| wrong())?;
    let is_web = matches!(parsed.scheme_str(), Some("http" | "https"));
    let authority = parsed.authority().filter(|_| is_web).ok_or_else(wrong)?;
    name_of(authority.as_str()).ok_or_else(wrong)
}

/// A host without its port, in lower case, without the dot of a full name. Addresses are in their
/// usual form.
fn name_of(authority: &str) -> Option<String> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (address, port) = rest.split_once(']')?;
        let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
        return address
            .parse::<Ipv6Addr>()
            .ok()
            .filter(|_| is_port)
            .map(|address| address.to_string());
    }
    let (name, port) = authority.rsplit_once(':').unwrap_or((authority, ""));
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_name = !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    (is_name && is_port(port)).then(|| name.to_ascii_lowercase())
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_loopback(name: &str) -> bool {
    name == "localhost"
        || name.ends_with(".localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

fn is_address(name: &str) -> bool {
    name.parse::<Ipv4Addr>().is_ok() || name.parse::<Ipv6Addr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    fn asked(target: &str, hosts: &[&str]) -> Request {
        let mut request = axum::http::Request::get(target);
        for host in hosts {
            request = request.header(header::HOST, *host);
        }
        request.body(Body::empty()).unwrap()
    }

    fn verdict(hosts: &AllowedHosts, target: &str, host: &str) -> &'static str {
        match hosts.check(&asked(target, &[host])) {
            Ok(HostDecision::Allowed) => "yes",
            Ok(HostDecision::UsersOnly) => "users",
            Err(error) => error.code.name(),
        }
    }

    #[test]
    fn issue_14_00_a_name_that_nobody_configured_reaches_neither_the_api_nor_the_editor() {
        let hosts =
            AllowedHosts::new("https://heddle.example.com", None, &["heddle".to_owned()]).unwrap();
        for ours in [
            "heddle.example.com",
            "HEDDLE.example.com:443",
            "heddle.example.com.",
            "heddle:5678",
            "localhost:5678",
            "127.0.0.1:5678",
            "[::1]:5678",
            "[::1]",
            "192.168.1.5:5678",
        ] {
            assert_eq!(verdict(&hosts, "/api/v1/workflows", ours), "yes", "{ours}");
        }
        for foreign in [
            "evil.example",
            "evil.example:5678",
            "localhost.evil.example",
            "heddle.example.com.evil.example",
            "127.0.0.1.nip.io",
            "evil.example:80@127.0.0.1",
            "127.0.0.1:5678@evil.example",
            "127.0.0.1:5678.evil.example",
            "[::1].evil.example",
            "[::1]:80.evil.example",
            "0x7f000001.evil.example",
            "",
            ":80",
        ] {
            for path in
                ["/api/v1/workflows", "/", "/v1/models", "/metrics", "/webhookx", "/WEBHOOK/x"]
            {
                assert_eq!(
                    verdict(&hosts, path, foreign),
                    "HOST_NOT_ALLOWED",
                    "{path} at {foreign}"
                );
            }
            assert_eq!(verdict(&hosts, "/webhook/x", foreign), "yes", "webhooks are for everybody");
            assert_eq!(verdict(&hosts, "/healthz", foreign), "yes");
        }
    }

    #[test]
    fn issue_14_00_on_this_machine_alone_workflows_answer_to_known_names_only() {
        for base in [
            "http://127.0.0.1:5678",
            "http://localhost:5678",
            "http://[::1]:5678",
            "http://heddle.localhost",
        ] {
            let hosts = AllowedHosts::new(base, None, &["tunnel.example".to_owned()]).unwrap();
            assert!(!hosts.allows_any_origin());
            for path in WORKFLOW_PATHS {
                assert_eq!(
                    verdict(&hosts, &format!("{path}x"), "rebound.example:5678"),
                    "HOST_NOT_ALLOWED",
                    "{path} at {base}"
                );
                assert_eq!(verdict(&hosts, &format!("{path}x"), "localhost:5678"), "yes");
                assert_eq!(verdict(&hosts, &format!("{path}x"), "192.168.1.5:5678"), "yes");
                assert_eq!(verdict(&hosts, &format!("{path}x"), "tunnel.example"), "yes");
            }
        }
        for base in ["http://0.0.0.0:5678", "https://heddle.example.com", "http://192.168.1.5:5678"]
        {
            let hosts = AllowedHosts::new(base, None, &[]).unwrap();
            assert!(hosts.allows_any_origin());
            assert_eq!(verdict(&hosts, "/webhook/x", "heddle:5678"), "yes", "{base}");
        }
    }

    #[test]
    fn a_request_names_one_host() {
        let hosts = AllowedHosts::new("http://127.0.0.1:5678", None, &[]).unwrap();
        assert!(hosts.check(&asked("/api/me", &[])).is_err());
        assert!(hosts.check(&asked("/api/me", &["localhost", "evil.example"])).is_err());
        assert!(hosts.check(&asked("http://evil.example/api/me", &["localhost"])).is_err());
        assert!(hosts.check(&asked("http://localhost/api/me", &["evil.example"])).is_err());
        assert!(hosts.check(&asked("http://localhost:5678/api/me", &["localhost"])).is_ok());
    }

    #[test]
    fn issue_14_05_workflows_and_the_editor_are_served_at_their_own_origins() {
        let hosts =
            AllowedHosts::new("https://heddle.example.com", Some("https://hooks.example.com"), &[])
                .unwrap();
        for path in [
            "/webhook/x",
            "/webhook-test/x",
            "/webhook-waiting/1-a",
            "/form/x",
            "/form-test/x",
            "/form-waiting/1-a",
        ] {
            assert_eq!(verdict(&hosts, path, "hooks.example.com"), "yes");
            assert_eq!(verdict(&hosts, path, "heddle.example.com"), "users");
            assert_eq!(verdict(&hosts, path, "evil.example"), "HOST_NOT_ALLOWED");
        }
        for path in
            ["/", "/api/me", "/api/login", "/assets/x.js", "/v1/models", "/metrics", "/invitation"]
        {
            assert_eq!(verdict(&hosts, path, "hooks.example.com"), "HOST_NOT_ALLOWED");
            assert_eq!(verdict(&hosts, path, "heddle.example.com"), "yes");
        }
        assert_eq!(verdict(&hosts, "/healthz/readiness", "hooks.example.com"), "yes");
    }

    #[test]
    fn another_port_is_no_other_host() {
        let same = AllowedHosts::new("http://localhost:5678", Some("http://LOCALHOST:5679"), &[])
            .unwrap_err();
        assert_eq!(same, AllowedHostsError::SameHost("localhost".to_owned()));
        assert!(
            AllowedHosts::new("http://localhost:5678", Some("http://127.0.0.1:5678"), &[]).is_ok()
        );
        for wrong in [
            "hooks.example.com",
            "ftp://hooks.example.com",
            "https://",
            "https://u:p@hooks.example.com",
            "",
        ] {
            assert!(
                matches!(
                    AllowedHosts::new("http://localhost", Some(wrong), &[]),
                    Err(AllowedHostsError::NotAnOrigin(_))
                ),
                "{wrong}"
            );
        }
    }
}
