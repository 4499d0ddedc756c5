//! Any text as a `Set-Cookie` of a workflow's answer: what a browser sends back is no cookie of
//! this instance, and only workflows get it.

use heddle_server::probe_response_headers;

#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub fn holds(text: &str) {
    check(text);
    check(&format!("heddle_session{text}"));
    check(&format!("{text}heddle_session=x"));
    check(&format!("a=b;{text}"));
}

fn check(given: &str) {
    for (_, value) in probe_response_headers(vec![("set-cookie".into(), given.into())])
        .iter()
        .filter(|(name, _)| name == "set-cookie")
    {
        let value = String::from_utf8_lossy(value).into_owned();
        let (sent, attributes) = as_a_browser_keeps(&value);
        for pair in sent.split(';') {
            let name = pair.split('=').next().unwrap_or_default().trim().to_ascii_lowercase();
            assert!(
                !name.is_empty() && !name.starts_with("heddle") && !name.starts_with("__"),
                "{given:?} sets {sent:?}"
            );
        }
        assert!(!attributes.iter().any(|(name, _)| name == "domain"), "{given:?} sets {value:?}");
        // Without one a browser takes the folder of the request, which is one of workflows.
        let paths: Vec<&str> = attributes
            .iter()
            .filter(|(name, _)| name == "path")
            .map(|(_, path)| path.as_str())
            .collect();
        assert!(paths.len() <= 1, "{given:?} sets {value:?}");
        assert!(
            paths.iter().all(|path| path.starts_with("/webhook") || path.starts_with("/form")),
            "{given:?} sets {value:?}"
        );
    }
}

/// The algorithm of RFC 6265bis: what is sent back, and the attributes. A cookie without a name is
/// sent back as its value.
fn as_a_browser_keeps(value: &str) -> (String, Vec<(String, String)>) {
    let trimmed = |text: &str| text.trim_matches([' ', '\t']).to_owned();
    let mut parts = value.split(';');
    let pair = parts.next().unwrap_or_default();
    let (name, content) =
        pair.split_once('=').map_or((String::new(), trimmed(pair)), |(name, content)| {
            (trimmed(name), trimmed(content))
        });
    let sent = if name.is_empty() { content } else { format!("{name}={content}") };
    let attributes = parts.map(|part| {
        part.split_once('=')
            .map_or((trimmed(part), String::new()), |(name, value)| (trimmed(name), trimmed(value)))
    });
    (sent, attributes.map(|(name, value)| (name.to_ascii_lowercase(), value)).collect())
}
