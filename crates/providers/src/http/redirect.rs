//! Where a redirect leads and what of the request goes along.

use super::secret_binding;
use node_api::http::{HttpBody, HttpError, HttpRequest};
use url::Url;

/// What of an answer tells whether it leads elsewhere.
#[derive(Clone, Copy)]
pub(super) struct RedirectHead<'a> {
    pub(super) status: u16,
    pub(super) location: Option<&'a str>,
}

/// The request that an answer asks for instead, if it is a redirect. Its URL is not checked yet.
pub(super) fn follow(
    request: &HttpRequest,
    from: &Url,
    answer: RedirectHead<'_>,
) -> Result<Option<HttpRequest>, HttpError> {
    let location = match (answer.status, answer.location) {
        (301 | 302 | 303 | 307 | 308, Some(location)) => location,
        _ => return Ok(None),
    };
    let mut to = from.join(location).map_err(|error| HttpError::Url {
        url: super::policy::without_secrets(location),
        reason: error.to_string(),
    })?;
    if to.fragment().is_none() {
        to.set_fragment(from.fragment());
    }
    let mut next = request.clone();
    let becomes_get = match answer.status {
        301 | 302 => next.method.eq_ignore_ascii_case("POST"),
        303 => {
            !next.method.eq_ignore_ascii_case("GET") && !next.method.eq_ignore_ascii_case("HEAD")
        }
        _ => false,
    };
    if becomes_get {
        next.method = "GET".into();
        next.body = HttpBody::None;
        next.headers.retain(|(name, _)| !name.to_ascii_lowercase().starts_with("content-"));
    }
    next.headers.retain(|(name, _)| !secret_binding::is_host(name));
    let mut next = secret_binding::carry_over(request, next, from, &to)?;
    next.url = to.into();
    Ok(Some(next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use std::sync::Arc;

    fn answer(status: u16, location: &str) -> RedirectHead<'_> {
        RedirectHead { status, location: Some(location) }
    }

    fn request(method: &str) -> HttpRequest {
        let mut request = HttpRequest::new(method, "https://a.test/x/y?q=1");
        request.body = HttpBody::Bytes(Bytes::from_static(b"body"));
        for name in ["Authorization", "Cookie", "X-Api-Key", "Content-Type", "Accept", "Host"] {
            request.set_header(name, "v");
        }
        request.credential_headers = vec!["x-api-key".into()];
        request
    }

    fn next(method: &str, status: u16, location: &str) -> HttpRequest {
        let request = request(method);
        follow(&request, &Url::parse(&request.url).unwrap(), answer(status, location))
            .unwrap()
            .unwrap()
    }

    #[test]
    fn methods_and_bodies_follow_the_rules_of_each_status() {
        for (method, status, expected, keeps_body) in [
            ("POST", 301, "GET", false),
            ("POST", 302, "GET", false),
            ("POST", 303, "GET", false),
            ("PUT", 303, "GET", false),
            ("PUT", 302, "PUT", true),
            ("HEAD", 303, "HEAD", true),
            ("POST", 307, "POST", true),
            ("PATCH", 308, "PATCH", true),
        ] {
            let next = next(method, status, "/z");
            assert_eq!(next.method, expected, "{method} {status}");
            assert_eq!(matches!(next.body, HttpBody::Bytes(_)), keeps_body, "{method} {status}");
            assert_eq!(next.header("content-type").is_some(), keeps_body, "{method} {status}");
            assert_eq!(next.header("host"), None);
        }
    }

    #[test]
    fn locations_are_joined_to_the_url() {
        for (location, url) in [
            ("/z", "https://a.test/z"),
            ("z", "https://a.test/x/z"),
            ("../z?a=b", "https://a.test/z?a=b"),
            ("//b.test/z", "https://b.test/z"),
            ("http://c.test", "http://c.test/"),
            ("?p=2", "https://a.test/x/y?p=2"),
        ] {
            assert_eq!(next("GET", 302, location).url, url);
        }
    }

    #[test]
    fn credentials_stay_within_the_origin() {
        let headers = |location: &str| {
            next("GET", 302, location).headers.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(
            headers("/z"),
            ["Authorization", "Cookie", "X-Api-Key", "Content-Type", "Accept"]
        );
        for other in
            ["//b.test/", "http://a.test/", "https://a.test:444/", "https://a.test.evil.test/"]
        {
            assert_eq!(headers(other), ["Content-Type", "Accept"], "{other}");
        }
    }

    #[test]
    fn a_client_certificate_stays_within_the_origin() {
        let certificates =
            node_api::http::TlsCertificates { authorities: "ca".into(), identity: "mine".into() };
        let mut request = request("GET");
        request.certificates = Some(Arc::new(certificates.clone()));
        let shown = |location: &str| {
            let from = Url::parse(&request.url).unwrap();
            follow(&request, &from, answer(302, location))
                .unwrap()
                .unwrap()
                .certificates
                .unwrap()
                .identity
                .clone()
        };
        assert_eq!((shown("/z").as_str(), shown("//b.test/").as_str()), ("mine", ""));
        assert_eq!(format!("{certificates:?}"), "Certificates", "keys are not for logs");
    }

    #[test]
    fn only_redirects_with_a_location_are_followed() {
        let request = request("GET");
        let from = Url::parse(&request.url).unwrap();
        for status in [200, 300, 304, 305, 404] {
            assert!(follow(&request, &from, answer(status, "/z")).unwrap().is_none());
        }
        let bare = RedirectHead { status: 302, location: None };
        assert!(follow(&request, &from, bare).unwrap().is_none());
        assert!(follow(&request, &from, answer(302, "http://[")).is_err());
    }
}
