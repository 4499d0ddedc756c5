//! A credential may be bound to the hosts it was made for.

use super::super::draft::text_of;
use node_api::prelude::*;

/// The hosts that a credential may be sent to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Domains {
    #[default]
    Any,
    None,
    Only(Vec<String>),
}

impl Domains {
    pub(super) fn read(fields: &Object) -> Self {
        let listed = || {
            let text = fields.get("allowedDomains").map(text_of).unwrap_or_default();
            text.split(',').map(|domain| domain.trim().to_ascii_lowercase()).filter(|domain| !domain.is_empty()).collect()
        };
        match fields.get("allowedHttpRequestDomains").and_then(Value::as_str) {
            Some("none") => Domains::None,
            Some("domains") => Domains::Only(listed()),
            _ => Domains::Any,
        }
    }

    pub(super) fn check(&self, url: &str) -> Result<(), NodeError> {
        let list = match self {
            Domains::Any => return Ok(()),
            Domains::None => return Err(NodeError::credential("This credential is configured to prevent use within an HTTP Request node")),
            Domains::Only(list) => list,
        };
        let host = url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_ascii_lowercase)).unwrap_or_default();
        let host = host.trim_end_matches('.');
        let fits = |domain: &String| match domain.strip_prefix("*.") {
            Some(parent) => host.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.') && rest.len() > 1),
            None => host == domain,
        };
        if !host.is_empty() && list.iter().any(fits) {
            return Ok(());
        }
        let message = format!(
            "Domain not allowed: This credential is restricted from accessing {host}. Only the following domains are allowed: {}",
            list.join(", ")
        );
        Err(NodeError::credential(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_hosts_and_real_subdomains_fit() {
        let fields = json!({ "allowedHttpRequestDomains": "domains", "allowedDomains": "a.test, *.b.test" });
        let domains = Domains::read(fields.as_object().unwrap());
        for url in ["https://a.test/x", "https://A.TEST./", "https://x.b.test", "https://x.y.b.test/"] {
            assert!(domains.check(url).is_ok(), "{url}");
        }
        for url in
            ["https://b.test/", "https://evila.test/", "https://evilb.test/", "https://a.test.evil.test/", "https://a.test@evil.test/", "x"]
        {
            assert!(domains.check(url).is_err(), "{url}");
        }
        assert_eq!(Domains::read(&Object::new()), Domains::Any);
        assert!(Domains::None.check("https://a.test").is_err());
    }
}
