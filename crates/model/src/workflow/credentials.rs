//! The credentials that the nodes of a document name.

use crate::{Object, Str, Value};

/// A reference to a credential that a node had and may not keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithheldCredential {
    pub node: Str,
    pub kind: Str,
    /// The name that the document gives it, or its id if it gives none.
    pub name: Str,
}

/// Leaves the nodes of a document those credentials that `keeps` says yes to, by type, id and name.
/// Of the others the name stays, for the person who chooses one; those that had an id are given
/// back.
pub fn keep_credentials(
    document: &mut Object,
    keeps: impl Fn(&str, &str, &str) -> bool,
) -> Vec<WithheldCredential> {
    let mut withheld = Vec::new();
    let Some(nodes @ Value::Array(_)) = document.get_mut("nodes") else { return withheld };
    for node in nodes.make_array() {
        let Some(chosen) = node.get("credentials").and_then(Value::as_object) else { continue };
        let text = |reference: &Value, key: &str| {
            reference.get(key).and_then(Value::as_str).map(Str::from).unwrap_or_default()
        };
        let settled = |(kind, reference): (&Str, &Value)| {
            // Old exports have only a name.
            let name = reference.as_str().map_or_else(|| text(reference, "name"), Str::from);
            let id = text(reference, "id");
            if !id.is_empty() && keeps(kind, &id, &name) {
                return (kind.clone(), reference.clone());
            }
            let shown = if name.is_empty() { id.clone() } else { name };
            if !id.is_empty() {
                withheld.push(WithheldCredential {
                    node: text(node, "name"),
                    kind: kind.clone(),
                    name: shown.clone(),
                });
            }
            (kind.clone(), Object::from_iter([("id", Value::Null), ("name", shown.into())]).into())
        };
        let settled: Object = chosen.iter().map(settled).collect();
        node.make_object().insert("credentials", settled);
    }
    withheld
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn issue_14_07_of_credentials_that_may_not_be_kept_the_name_stays() {
        let credentials = json!({ "smtp": { "id": "1", "name": "Mail", "x": 1 }, "imap": { "id": "1", "name": "Mail" }, "odd": "text",
                                  "bare": { "id": "7" }, "none": { "id": null, "name": "N" } });
        let mut document = json!({ "nodes": [{ "name": "A", "credentials": (credentials) }, { "name": "B", "credentials": [] }, 7] });
        let withheld = keep_credentials(document.make_object(), |kind, id, name| {
            (kind, id, name) == ("smtp", "1", "Mail")
        });
        let expected = json!({ "smtp": { "id": "1", "name": "Mail", "x": 1 }, "imap": { "id": null, "name": "Mail" },
                               "odd": { "id": null, "name": "text" }, "bare": { "id": null, "name": "7" }, "none": { "id": null, "name": "N" } });
        assert_eq!(document.get_path("nodes.0.credentials"), Some(&expected));
        assert_eq!(document.get_path("nodes.1"), Some(&json!({ "name": "B", "credentials": [] })));
        let of = |kind: &str, name: &str| WithheldCredential {
            node: "A".into(),
            kind: kind.into(),
            name: name.into(),
        };
        assert_eq!(withheld, [of("imap", "Mail"), of("bare", "7")]);
        assert_eq!(keep_credentials(json!({ "nodes": 3 }).make_object(), |_, _, _| true), []);
    }
}
