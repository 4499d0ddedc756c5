//! Compares the places that values of a destination name.

use model::{Str, Value};
use node_api::{DestinationForm, addresses};

/// Whether a value names only places that one of the others names too.
pub(super) fn is_within(form: DestinationForm, value: &Value, others: &[Value]) -> bool {
    let known: Vec<String> = others.iter().flat_map(|other| places_in(form, other)).collect();
    places_in(form, value).iter().all(|place| known.contains(place))
}

/// Whether a value names any place.
pub(super) fn names_place(value: &Value) -> bool {
    !value.is_nullish() && value.as_str() != Some("")
}

/// What the beginning of a text says about where it leads, whatever follows; nothing if it says too
/// little.
pub(super) fn fixed_places(form: DestinationForm, beginning: &str) -> Option<Value> {
    match form {
        DestinationForm::Whole => None,
        DestinationForm::Address => has_whole_host(beginning).then(|| beginning.into()),
        DestinationForm::Addresses => {
            // Behind the last comma an address may go on.
            let (done, open) = beginning.rsplit_once(',').unwrap_or(("", beginning));
            let whole: Vec<&str> = addresses(done)
                .chain(addresses(open).filter(|address| has_whole_host(address)))
                .collect();
            (!whole.is_empty()).then(|| Str::from(whole.join(",")).into())
        }
    }
}

/// The places that a value names, in a form in which two of them can be compared.
fn places_in(form: DestinationForm, value: &Value) -> Vec<String> {
    if !names_place(value) {
        return Vec::new();
    }
    // As texts all objects are the same.
    if matches!(value, Value::Array(_) | Value::Object(_)) {
        return vec![model::json::to_string(value)];
    }
    let text = value.to_js_string();
    match form {
        DestinationForm::Whole => vec![text.into()],
        DestinationForm::Address => vec![origin_of(&text)],
        DestinationForm::Addresses => addresses(&text).map(origin_of).collect(),
    }
}

/// The origin of an address; any other text is a place as a whole.
fn origin_of(text: &str) -> String {
    let url = url::Url::parse(text).ok().filter(url::Url::has_host);
    url.map_or_else(|| text.to_owned(), |url| url.origin().ascii_serialization())
}

/// Whether the beginning of an address says where it leads, whatever follows.
fn has_whole_host(beginning: &str) -> bool {
    let rest = beginning.trim_start().split_once("://").map(|(_, rest)| rest);
    rest.is_some_and(|rest| rest.contains(['/', '?', '#']))
        && url::Url::parse(beginning.trim_start()).is_ok_and(|url| url.has_host())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn only_a_whole_host_stays_what_it_is() {
        for whole in
            ["https://a.test/", " https://a.test/x", "https://a.test?q=", "https://a.test:8443/#"]
        {
            assert!(has_whole_host(whole), "{whole}");
        }
        for open in [
            "",
            "https://",
            "https://a.test",
            "https://a.test:",
            "https://user@",
            "a.test/",
            "/path",
            "mailto:a@b.test",
        ] {
            assert!(!has_whole_host(open), "{open}");
        }
    }

    #[test]
    fn issue_14_12_every_address_of_a_list_is_compared() {
        let authors =
            [json!("https://cdn.test/"), json!("https://cdn.test/x0,https://img.test/x0")];
        let is_within = |form, text: &str| is_within(form, &json!((text)), &authors);
        for text in ["https://cdn.test/a.png", "https://img.test/b , https://cdn.test/a,", ""] {
            assert!(is_within(DestinationForm::Addresses, text), "{text}");
        }
        for text in [
            "https://cdn.test/a,https://evil.test/?d=1",
            "https://evil.test/",
            "https://cdn.test/,evil",
            "https://cdn.test:81/",
        ] {
            assert!(!is_within(DestinationForm::Addresses, text), "{text}");
        }
        assert!(is_within(DestinationForm::Address, "https://cdn.test/other"));
        assert!(
            !is_within(DestinationForm::Whole, "https://cdn.test/other")
                && is_within(DestinationForm::Whole, "https://cdn.test/")
        );
    }

    #[test]
    fn issue_14_12_only_whole_addresses_of_a_beginning_are_fixed() {
        let fixed = |text: &str| fixed_places(DestinationForm::Addresses, text);
        assert_eq!(fixed("https://a.test/"), Some(json!("https://a.test/")));
        assert_eq!(fixed("https://a.test,https://b.te"), Some(json!("https://a.test")));
        assert_eq!(
            fixed("https://a.test/x, https://b.test/y"),
            Some(json!("https://a.test/x,https://b.test/y"))
        );
        assert_eq!((fixed("https://a.test"), fixed("")), (None, None));
        assert_eq!(fixed_places(DestinationForm::Whole, "https://a.test/"), None);
    }
}
