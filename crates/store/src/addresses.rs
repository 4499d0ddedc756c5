//! Addresses that active workflows listen at, and which of them has which.

use model::Str;

/// Which kind of address a call comes to. A form is taken only at the address of a form, where it
/// is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EndpointKind {
    Webhook,
    Form,
    /// A server of the Model Context Protocol.
    Mcp,
}

impl EndpointKind {
    pub const ALL: [Self; 3] = [EndpointKind::Webhook, EndpointKind::Form, EndpointKind::Mcp];

    pub fn name(self) -> &'static str {
        match self {
            EndpointKind::Webhook => "webhook",
            EndpointKind::Form => "form",
            EndpointKind::Mcp => "mcp",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|door| door.name() == name)
    }
}

/// What a part that takes any value is written as, whatever its author calls it.
const ANY: &str = ":";

/// An address in the one form in which two of them can be compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    pub door: EndpointKind,
    /// Upper case.
    pub method: Str,
    pattern: Str,
}

impl Address {
    /// The address of a path as a trigger tells it, such as `orders` or `u-1/user/:id`.
    pub fn new(door: EndpointKind, method: &str, path: &str) -> Self {
        let parts: Vec<&str> = path
            .trim_matches('/')
            .split('/')
            .map(|part| if part.starts_with(ANY) { ANY } else { part })
            .collect();
        Self { door, method: method.into(), pattern: parts.join("/").into() }
    }

    /// The path, with `:` for each part that takes any value.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Whether a part of it takes any value.
    pub fn is_open(&self) -> bool {
        self.parts().any(|part| part == ANY)
    }

    /// Whether there is a call that both would take.
    pub fn overlaps(&self, other: &Self) -> bool {
        let fits = |(mine, theirs): (&str, &str)| mine == theirs || mine == ANY || theirs == ANY;
        (self.door, &self.method) == (other.door, &other.method)
            && self.n_parts() == other.n_parts()
            && self.parts().zip(other.parts()).all(fits)
    }

    pub(crate) fn n_parts(&self) -> usize {
        self.parts().count()
    }

    pub(crate) fn head(&self) -> &str {
        self.parts().next().unwrap_or_default()
    }

    fn parts(&self) -> impl Iterator<Item = &str> {
        self.pattern.split('/')
    }
}

/// What a node of a workflow wants to listen at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressClaim {
    pub node: Str,
    /// The path as its author wrote it.
    pub path: Str,
    pub address: Address,
}

impl AddressClaim {
    pub fn new(node: Str, door: EndpointKind, method: &str, path: &str) -> Self {
        let path = path.trim_matches('/');
        Self { node, path: path.into(), address: Address::new(door, method, path) }
    }
}

/// What came of a change that needs addresses. Unless it is done, nothing was changed.
#[derive(Clone, Debug)]
pub enum ClaimResult<T> {
    Done(T),
    /// Another workflow takes calls that this claim would take.
    Taken(AddressClaim),
    /// The workflow was saved, activated or put away since it was looked at.
    Outdated,
    Missing,
}

impl<T> ClaimResult<T> {
    pub fn done(self) -> Option<T> {
        if let ClaimResult::Done(done) = self { Some(done) } else { None }
    }

    /// The same with something made of what was done.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> ClaimResult<U> {
        match self {
            ClaimResult::Done(done) => ClaimResult::Done(make(done)),
            ClaimResult::Taken(claim) => ClaimResult::Taken(claim),
            ClaimResult::Outdated => ClaimResult::Outdated,
            ClaimResult::Missing => ClaimResult::Missing,
        }
    }
}

/// A workflow that was active when its address turned out to be another one's, and is not any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostAddress {
    pub workflow_id: Str,
    pub node: Str,
    pub method: Str,
    pub path: Str,
    pub lost_ms: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str) -> Address {
        Address::new(EndpointKind::Webhook, "POST", path)
    }

    #[test]
    fn two_addresses_overlap_if_one_call_could_reach_both() {
        for (one, other, overlap) in [
            ("orders", "/orders/", true),
            ("orders", "Orders", false),
            ("u/user/:id", "u/user/:name", true),
            ("u/user/:id", "u/user/42", true),
            ("u/:a/x", "u/y/:b", true),
            ("u/:a/x", "u/:b/y", false),
            ("u/:a", "u/:a/:b", false),
            ("u/:a", "v/:a", false),
            (":a/:b/:c", "u/user/:id", true),
            ("a:b", "a", false),
        ] {
            assert_eq!(at(one).overlaps(&at(other)), overlap, "{one} and {other}");
            assert_eq!(at(other).overlaps(&at(one)), overlap, "{other} and {one}");
        }
        assert!(!at("a").overlaps(&Address::new(EndpointKind::Form, "POST", "a")));
        assert!(!at("a").overlaps(&Address::new(EndpointKind::Webhook, "GET", "a")));
    }

    #[test]
    fn what_a_part_is_called_does_not_matter() {
        assert_eq!(at("u/:id/x"), at("/u/:name/x/"));
        assert!(at("u/:id").is_open() && !at("u/12:30").is_open());
    }
}
