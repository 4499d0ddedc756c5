//! Cookies that a workflow sets: read as a browser would read them, and written anew.

use super::response_headers::HeaderRejection;

/// Beginnings of names that belong to this instance or mean something to browsers, in lower case.
const RESERVED: [&str; 2] = ["heddle", "__"];

/// Where workflows listen. A cookie for other paths would be sent along with every request of the
/// editor, and many of them would keep its requests from being accepted.
const PATHS: [&str; 2] = ["/webhook", "/form"];

/// A cookie that a workflow sets. It has a name of plain characters that is nobody else's and is
/// for this host only, and for the paths of workflows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cookie {
    /// All of it but the path.
    text: String,
    path: CookiePath,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum CookiePath {
    /// What a browser takes by itself: the folder of the request, which is one of workflows.
    Usual,
    /// As much as the workflow can have: every path of the kind that was called.
    Widest,
    Of(String),
}

impl Cookie {
    /// The header for the response to a call of a path below this one, such as `/webhook-test`.
    pub fn to_header(self, door: &str) -> String {
        let Self { text, path } = self;
        match path {
            CookiePath::Usual => text,
            CookiePath::Widest => format!("{text}; Path={door}"),
            CookiePath::Of(path) => format!("{text}; Path={path}"),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }
}

/// The cookie in a `Set-Cookie` header. Attributes that are not known are left out.
pub(super) fn rewrite_cookie(value: &str) -> Result<Cookie, HeaderRejection> {
    let mut parts = value.split(';').map(trimmed);
    let (name, content) =
        parts.next().and_then(|pair| pair.split_once('=')).ok_or(HeaderRejection::CookieName)?;
    let (name, content) = (trimmed(name), trimmed(content));
    let is_plain = !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if !is_plain || RESERVED.iter().any(|reserved| name.to_ascii_lowercase().starts_with(reserved))
    {
        return Err(HeaderRejection::CookieName);
    }
    if !is_printable(content) {
        return Err(HeaderRejection::CookieValue);
    }
    let mut cookie = format!("{name}={content}");
    let mut path = CookiePath::Usual;
    for part in parts {
        let (key, value) =
            part.split_once('=').map_or((part, ""), |(key, value)| (trimmed(key), trimmed(value)));
        match key.to_ascii_lowercase().as_str() {
            "domain" if !value.is_empty() => return Err(HeaderRejection::CookieDomain),
            "path" => path = path_of(value),
            "max-age" if value.parse::<i64>().is_ok() => {
                cookie.push_str(&format!("; Max-Age={value}"))
            }
            "expires" if is_printable(value) => cookie.push_str(&format!("; Expires={value}")),
            "samesite"
                if ["strict", "lax", "none"]
                    .iter()
                    .any(|known| value.eq_ignore_ascii_case(known)) =>
            {
                cookie.push_str(&format!("; SameSite={value}"));
            }
            "secure" => cookie.push_str("; Secure"),
            "httponly" => cookie.push_str("; HttpOnly"),
            "partitioned" => cookie.push_str("; Partitioned"),
            _ => {}
        }
    }
    Ok(Cookie { text: cookie, path })
}

fn path_of(value: &str) -> CookiePath {
    match value {
        "/" => CookiePath::Widest,
        path if is_printable(path) && PATHS.iter().any(|allowed| path.starts_with(allowed)) => {
            CookiePath::Of(path.to_owned())
        }
        _ => CookiePath::Usual,
    }
}

fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

fn is_printable(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_13_a_cookie_is_for_the_paths_of_workflows_and_comes_back() {
        for (given, written) in [
            ("a=b", "a=b"),
            ("a=b; Path=/", "a=b; Path=/webhook-test"),
            ("a=b; Path=/editor", "a=b"),
            ("a=b; Path=", "a=b"),
            ("a=b; Path=/form/x; Path=/api", "a=b"),
            ("a=b; path=/webhook/shop; HttpOnly", "a=b; HttpOnly; Path=/webhook/shop"),
            (
                "a=b;Max-Age=60;Secure;SameSite=Lax;Unheard=of",
                "a=b; Max-Age=60; Secure; SameSite=Lax",
            ),
            (
                "cart={\"a\": 1}; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/",
                "cart={\"a\": 1}; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/webhook-test",
            ),
            ("a=; Max-Age=-1", "a=; Max-Age=-1"),
            ("a=b=c; domain=", "a=b=c"),
        ] {
            assert_eq!(
                rewrite_cookie(given).unwrap().to_header("/webhook-test"),
                written,
                "{given}"
            );
        }
    }

    #[test]
    fn issue_14_13_no_spelling_sets_a_cookie_of_ours() {
        for given in [
            "heddle_session=x",
            "Heddle_Session=x",
            " heddle_session =x",
            "\theddle_session\t=x",
            "__Host-heddle_session=x",
            "__host-heddle_session=x",
            "__Secure-a=x",
            "heddle_device=x",
            // Without a name: a browser sends the value alone, which is then a name.
            "=heddle_session=x",
            " = heddle_session=x",
            "heddle_session",
            "",
            ";heddle_session=x",
            "=",
            "\u{b}heddle_session=x",
            "\u{a0}heddle_session=x",
            "heddle%5Fsession=x",
            "\"heddle_session\"=x",
            "$Version=1",
            "a b=x",
            "a,heddle_session=x",
        ] {
            assert_eq!(rewrite_cookie(given), Err(HeaderRejection::CookieName), "{given:?}");
        }
        assert_eq!(rewrite_cookie("a=b; Domain=example.com"), Err(HeaderRejection::CookieDomain));
        assert_eq!(
            rewrite_cookie("a=b; DOMAIN = .example.com"),
            Err(HeaderRejection::CookieDomain)
        );
        assert_eq!(rewrite_cookie("a=\u{e9}"), Err(HeaderRejection::CookieValue));
        assert_eq!(rewrite_cookie("a=b\u{1}"), Err(HeaderRejection::CookieValue));
    }
}
