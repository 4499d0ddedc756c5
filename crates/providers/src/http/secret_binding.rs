//! Where the secrets of a request may go. The one place that decides it: every hop of every request
//! passes here before it is sent.

use node_api::hosts::{HostAllowlist, SecretBinding};
use node_api::http::{HttpBody, HttpError, HttpRequest};
use std::sync::Arc;
use url::Url;

/// Checks a request as it is about to be sent: its host, the host that its `Host` header names, and
/// a proxy that could read it.
pub(super) fn check(request: &HttpRequest, url: &Url) -> Result<(), HttpError> {
    if !request.hosts.allow(url) {
        return Err(HttpError::HostNotAllowed {
            host: host_of(url),
            allowed: request.hosts.to_string(),
        });
    }
    // What a redirect led away from its hosts has lost its secrets, and is bound to nothing any
    // more.
    let bound = request.bound.as_deref().filter(|bound| !bound.hosts.is_any());
    if let Some(bound) = bound.filter(|bound| !bound.hosts.allow(url)) {
        return Err(refused(bound, url, format!("only these hosts are allowed: {}", bound.hosts)));
    }
    for name in host_headers(request) {
        check_host_header(request, bound, url, name)?;
    }
    match (bound, &request.proxy) {
        (Some(bound), Some(proxy)) => check_proxy(request, bound, url, proxy),
        _ => Ok(()),
    }
}

/// Behind one address there may be many servers, and the header says which one reads the request.
/// Its value may be a secret that was put there by mistake or on purpose, so that no message shows
/// it.
fn check_host_header(
    request: &HttpRequest,
    bound: Option<&SecretBinding>,
    url: &Url,
    name: &str,
) -> Result<(), HttpError> {
    let meant = with_host(url, name);
    let is_same = |meant: &Url| {
        meant.host_str() == url.host_str() && (meant.port().is_none() || meant.port() == url.port())
    };
    if meant.as_ref().is_some_and(is_same) {
        return Ok(());
    }
    let may_go = |hosts: &HostAllowlist| {
        hosts.is_any() || meant.as_ref().is_some_and(|meant| hosts.allow(meant))
    };
    if !may_go(&request.hosts) {
        return Err(HttpError::HostNotAllowed {
            host: "in the Host header".into(),
            allowed: request.hosts.to_string(),
        });
    }
    match bound {
        Some(bound) if !may_go(&bound.hosts) => {
            Err(refused(bound, url, "the Host header names another server".into()))
        }
        _ => Ok(()),
    }
}

/// What every header says that a server would take for `Host`.
fn host_headers(request: &HttpRequest) -> impl Iterator<Item = &str> {
    request.headers.iter().filter(|(name, _)| is_host(name)).map(|(_, value)| value.as_str())
}

pub(super) fn is_host(header: &str) -> bool {
    header.trim().eq_ignore_ascii_case("host")
}

/// A proxy sees all of a request over http, and of one over https if anything but the usual
/// authorities may vouch for the server.
fn check_proxy(
    request: &HttpRequest,
    bound: &SecretBinding,
    url: &Url,
    proxy: &str,
) -> Result<(), HttpError> {
    let has_own_authorities = request
        .certificates
        .as_ref()
        .is_some_and(|certificates| !certificates.authorities.is_empty());
    let is_sealed =
        url.scheme() == "https" && !request.allow_invalid_certificates && !has_own_authorities;
    let is_allowed = Url::parse(proxy).is_ok_and(|proxy| bound.hosts.allow(&proxy));
    match is_sealed || is_allowed {
        true => Ok(()),
        false => Err(refused(bound, url, "the request's proxy could read it".into())),
    }
}

/// What of a request goes along with a redirect: its secrets and its body, or less.
pub(super) fn carry_over(
    request: &HttpRequest,
    mut next: HttpRequest,
    from: &Url,
    to: &Url,
) -> Result<HttpRequest, HttpError> {
    if from.origin() == to.origin() {
        return Ok(next);
    }
    let bound = request.bound.as_deref();
    let may_go_there = bound.is_none_or(|bound| bound.hosts.allow(to));
    if request.credentials_cross_origins && may_go_there {
        return Ok(next);
    }
    if let Some(bound) = bound
        && has_body(&next)
    {
        if !may_go_there {
            return Err(refused(
                bound,
                to,
                format!(
                    "a redirect would send the body there; only these hosts are allowed: {}",
                    bound.hosts
                ),
            ));
        }
        if bound.in_body {
            return Err(refused(
                bound,
                to,
                "a redirect would send the body there, which contains the secret".into(),
            ));
        }
    }
    let is_secret = |name: &str| {
        let name = name.trim();
        ["authorization", "proxy-authorization", "cookie"]
            .iter()
            .any(|secret| name.eq_ignore_ascii_case(secret))
            || request
                .credential_headers
                .iter()
                .any(|secret| name.eq_ignore_ascii_case(secret.trim()))
    };
    next.headers.retain(|(name, _)| !is_secret(name));
    if let Some(certificates) = &mut next.certificates {
        Arc::make_mut(certificates).identity.clear();
    }
    // Outside of its hosts nothing secret is left of it. Inside, its body is still not for others.
    if !may_go_there {
        next.bound = None;
    }
    Ok(next)
}

fn has_body(request: &HttpRequest) -> bool {
    match &request.body {
        HttpBody::None => false,
        HttpBody::Bytes(bytes) => !bytes.is_empty(),
        HttpBody::Multipart(_) => true,
    }
}

/// The same address at the host that a header names; `None` if the header is anything but a plain
/// name with or without a port.
fn with_host(url: &Url, name: &str) -> Option<Url> {
    let name = name.trim();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_:[]".contains(letter);
    name.chars()
        .all(is_plain)
        .then(|| Url::parse(&format!("{}://{name}/", url.scheme())).ok())
        .flatten()
}

fn refused(bound: &SecretBinding, url: &Url, reason: String) -> HttpError {
    HttpError::Bound { kind: bound.kind.clone(), host: host_of(url), reason }
}

fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use node_api::http::TlsCertificates;

    fn request(hosts: &str, url: &str) -> HttpRequest {
        let hosts =
            if hosts.is_empty() { HostAllowlist::Any } else { HostAllowlist::parse_list(hosts) };
        let mut request = HttpRequest::new("POST", url);
        request.set_header("x-key", "canary");
        request.credential_headers.push("x-key".into());
        request.bound =
            Some(Arc::new(SecretBinding { kind: "someApi".into(), hosts, in_body: false }));
        request
    }

    fn checked(request: &HttpRequest) -> Result<(), HttpError> {
        check(request, &Url::parse(&request.url).unwrap())
    }

    fn redirected(request: &HttpRequest, to: &str) -> Result<HttpRequest, HttpError> {
        let (from, to) = (Url::parse(&request.url).unwrap(), Url::parse(to).unwrap());
        let mut next = request.clone();
        next.url = to.to_string();
        let next = carry_over(request, next, &from, &to)?;
        check(&next, &to).map(|()| next)
    }

    #[test]
    fn issue_14_08_a_bound_credential_goes_to_its_hosts_only() {
        assert!(checked(&request("a.test", "https://a.test/x")).is_ok());
        for url in ["https://evil.test/", "https://a.test.evil.test/", "https://a.test@evil.test/"]
        {
            assert!(
                matches!(checked(&request("a.test", url)), Err(HttpError::Bound { .. })),
                "{url}"
            );
        }
        let mut fronted = request("a.test", "https://a.test/");
        fronted.set_header("Host", "evil.test");
        assert!(matches!(checked(&fronted), Err(HttpError::Bound { .. })));
        fronted.set_header("Host", "A.test");
        assert!(checked(&fronted).is_ok());
    }

    #[test]
    fn issue_14_12_every_host_header_stays_within_the_lists() {
        let with_host = |listed: &str, bound: Option<&str>, names: &[&str]| {
            let mut request = HttpRequest::new("GET", "https://a.test/");
            request.hosts = if listed.is_empty() {
                HostAllowlist::Any
            } else {
                HostAllowlist::parse_list(listed)
            };
            let hosts = |list: &str| {
                if list.is_empty() { HostAllowlist::Any } else { HostAllowlist::parse_list(list) }
            };
            request.bound = bound.map(|list| {
                Arc::new(SecretBinding {
                    kind: "someApi".into(),
                    hosts: hosts(list),
                    in_body: false,
                })
            });
            request.headers =
                names.iter().map(|name| (" hOst".to_owned(), (*name).to_owned())).collect();
            checked(&request)
        };
        for bound in [None, Some(""), Some("a.test, evil.test")] {
            assert!(
                matches!(
                    with_host("a.test", bound, &["evil.test"]),
                    Err(HttpError::HostNotAllowed { .. })
                ),
                "{bound:?}"
            );
            assert!(with_host("a.test", bound, &["a.test", "A.test:443"]).is_ok(), "{bound:?}");
            assert!(
                matches!(
                    with_host("a.test", bound, &["a.test", "evil.test"]),
                    Err(HttpError::HostNotAllowed { .. })
                ),
                "{bound:?}"
            );
            assert!(
                with_host("a.test, b.test", bound.map(|_| ""), &["b.test"]).is_ok(),
                "{bound:?}"
            );
        }
        for name in [
            "a.test, evil.test",
            "evil.test@a.test",
            "a.test/evil.test",
            "evil.test#",
            "%61.test",
            "evil.test\ta.test",
        ] {
            assert!(with_host("a.test", None, &[name]).is_err(), "{name}");
            assert!(with_host("", Some("a.test"), &[name]).is_err(), "{name}");
        }
        assert!(
            with_host("", None, &["b.test"]).is_ok(),
            "an author may name a server behind an address"
        );
    }

    #[test]
    fn issue_14_08_an_error_does_not_show_the_host_header() {
        let mut request = request("a.test", "https://a.test/");
        request.headers.push(("Host".into(), "canary-secret".into()));
        let error = checked(&request).unwrap_err().to_string();
        assert!(error.contains("a.test") && !error.contains("canary-secret"), "{error}");
        request.hosts = HostAllowlist::parse_list("a.test");
        let error = checked(&request).unwrap_err().to_string();
        assert!(error.contains("Host header") && !error.contains("canary-secret"), "{error}");
    }

    #[test]
    fn issue_14_08_a_body_does_not_leave_its_hosts_in_two_hops() {
        let body = HttpBody::Bytes(Bytes::from_static(b"secret"));
        let first = HttpRequest { body, ..request("a.test, b.test", "https://a.test/") };
        let second = redirected(&first, "https://b.test/").unwrap();
        assert!(second.header("x-key").is_none() && second.bound.is_some());
        assert!(matches!(redirected(&second, "https://evil.test/"), Err(HttpError::Bound { .. })));
        let bare = HttpRequest { body: HttpBody::None, ..second };
        assert!(
            redirected(&bare, "https://evil.test/").is_ok(),
            "nothing of it is secret any more"
        );
    }

    #[test]
    fn issue_14_08_a_blank_in_a_header_name_hides_no_secret_from_redirects() {
        let mut request = HttpRequest::new("GET", "https://a.test/");
        request.headers.push(("x-key".into(), "canary".into()));
        request.credential_headers.push("X-Key ".into());
        assert!(redirected(&request, "https://b.test/").unwrap().headers.is_empty());
    }

    #[test]
    fn issue_14_08_a_proxy_that_could_read_a_bound_credential_is_refused() {
        let with_proxy = |url: &str| HttpRequest {
            proxy: Some("http://evil.test:3128".into()),
            ..request("a.test", url)
        };
        assert!(matches!(checked(&with_proxy("http://a.test/")), Err(HttpError::Bound { .. })));
        assert!(
            checked(&with_proxy("https://a.test/")).is_ok(),
            "a tunnel is closed to its keeper"
        );
        let blind =
            HttpRequest { allow_invalid_certificates: true, ..with_proxy("https://a.test/") };
        assert!(matches!(checked(&blind), Err(HttpError::Bound { .. })));
        let certificates =
            Some(Arc::new(TlsCertificates { authorities: "own".into(), identity: String::new() }));
        let own = HttpRequest { certificates, ..with_proxy("https://a.test/") };
        assert!(matches!(checked(&own), Err(HttpError::Bound { .. })));
        let owners = HttpRequest {
            proxy: Some("http://proxy.test:3128".into()),
            ..request("a.test, proxy.test", "http://a.test/")
        };
        assert!(checked(&owners).is_ok());
        let unbound = HttpRequest {
            proxy: Some("http://evil.test:3128".into()),
            ..request("", "http://a.test/")
        };
        assert!(checked(&unbound).is_ok());
    }

    #[test]
    fn issue_14_08_redirects_lose_secrets_and_bodies_outside_of_the_hosts() {
        let across = |hosts: &str| HttpRequest {
            credentials_cross_origins: true,
            ..request(hosts, "https://a.test/")
        };
        let kept = |next: HttpRequest| next.header("x-key").is_some();
        assert!(kept(redirected(&across("a.test, b.test"), "https://b.test/").unwrap()));
        assert!(
            !kept(redirected(&across("a.test"), "https://b.test/").unwrap()),
            "the wish to send them along does not widen the list"
        );
        assert!(kept(redirected(&across(""), "https://b.test/").unwrap()));
        assert!(!kept(
            redirected(&request("a.test, b.test", "https://a.test/"), "https://b.test/").unwrap()
        ));

        let body = || HttpBody::Bytes(Bytes::from_static(b"secret"));
        let with_body = HttpRequest { body: body(), ..request("a.test", "https://a.test/") };
        assert!(matches!(redirected(&with_body, "https://b.test/"), Err(HttpError::Bound { .. })));
        let with_body = HttpRequest { body: body(), ..request("", "https://a.test/") };
        assert!(
            redirected(&with_body, "https://b.test/").is_ok(),
            "an unbound request keeps its body"
        );
        let bound = Some(Arc::new(SecretBinding {
            kind: "x".into(),
            hosts: HostAllowlist::Any,
            in_body: true,
        }));
        let secret_body = HttpRequest { body: body(), bound, ..request("", "https://a.test/") };
        assert!(matches!(
            redirected(&secret_body, "https://b.test/"),
            Err(HttpError::Bound { .. })
        ));
        assert!(redirected(&secret_body, "https://a.test/next").is_ok());
    }

    #[test]
    fn issue_14_12_a_request_stays_within_its_own_list_of_hosts() {
        let mut bare = HttpRequest::new("GET", "https://a.test/");
        bare.hosts = HostAllowlist::parse_list("a.test");
        assert!(checked(&bare).is_ok());
        assert!(matches!(
            redirected(&bare, "https://b.test/"),
            Err(HttpError::HostNotAllowed { .. })
        ));
        assert!(matches!(
            redirected(&bare, "https://a.test.b.test/"),
            Err(HttpError::HostNotAllowed { .. })
        ));
    }
}
