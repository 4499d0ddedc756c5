//! What browsers keep and how they take it: entity tags and packed bodies.

use axum::http::{HeaderMap, header};

/// Whether the caller has what this tag stands for.
pub(crate) fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let lists =
        headers.get_all(header::IF_NONE_MATCH).into_iter().filter_map(|list| list.to_str().ok());
    lists
        .flat_map(|list| list.split(','))
        .map(str::trim)
        .any(|known| known == "*" || known.trim_start_matches("W/") == tag)
}

/// Whether the caller takes a body that is packed like this.
pub(crate) fn takes(headers: &HeaderMap, coding: &str) -> bool {
    let lists =
        headers.get_all(header::ACCEPT_ENCODING).into_iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        let is_it = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(coding));
        // A weight of nothing means that it is not wanted.
        let is_refused = parts
            .any(|part| part.strip_prefix("q=").is_some_and(|weight| weight.parse() == Ok(0.0)));
        is_it && !is_refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn with(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn a_tag_is_known_in_a_list_and_when_it_is_weak() {
        for known in ["\"a\"", "W/\"a\"", "\"b\", \"a\"", "*"] {
            assert!(is_known(&with(header::IF_NONE_MATCH, known), "\"a\""), "{known}");
        }
        assert!(
            !is_known(&with(header::IF_NONE_MATCH, "\"ab\""), "\"a\"")
                && !is_known(&HeaderMap::new(), "\"a\"")
        );
    }

    #[test]
    fn a_coding_that_is_refused_is_not_taken() {
        for (accepted, taken) in [
            ("gzip, br", true),
            ("GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("gzip; q=0.0", false),
            ("br", false),
            ("", false),
        ] {
            assert_eq!(
                takes(&with(header::ACCEPT_ENCODING, accepted), "gzip"),
                taken,
                "{accepted}"
            );
        }
    }
}
