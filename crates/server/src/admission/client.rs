//! The address a request comes from, when it may have come through proxies of ours.

use axum::http::HeaderMap;
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};

const FORWARDED_FOR: &str = "x-forwarded-for";

/// Headers by which proxies tell that they have passed a request on.
const PROXY_HEADERS: [&str; 5] =
    [FORWARDED_FOR, "forwarded", "x-forwarded-host", "x-real-ip", "via"];

/// Whom a request comes from, as far as addresses tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClientAddr {
    pub(crate) address: IpAddr,
    /// A proxy of ours has named it; else it is the other end of the connection.
    is_forwarded: bool,
}

impl ClientAddr {
    /// The other end of a connection.
    pub(crate) fn peer(address: IpAddr) -> Self {
        Self { address: address.to_canonical(), is_forwarded: false }
    }

    /// Whether the connection comes from this machine itself. What a header says does not count:
    /// anybody can write one.
    pub(crate) fn is_local(&self) -> bool {
        !self.is_forwarded && self.address.is_loopback()
    }

    /// Whether somebody on this machine asks, and not for others.
    pub(crate) fn is_direct_local(&self, headers: &HeaderMap) -> bool {
        self.is_local() && !has_proxy_headers(headers)
    }

    /// Whether many callers may have this address: that of a proxy or of a container's gateway that
    /// nobody has named. What a proxy of ours tells is somebody's own.
    pub(crate) fn is_shared(&self) -> bool {
        !self.is_forwarded && is_shared(self.address)
    }

    /// Whether the other end of the connection passes on what others ask, and nobody has named it
    /// as a proxy.
    pub(crate) fn is_untrusted_proxy(&self, headers: &HeaderMap) -> bool {
        self.is_shared() && has_proxy_headers(headers)
    }
}

fn has_proxy_headers(headers: &HeaderMap) -> bool {
    PROXY_HEADERS.iter().any(|name| headers.contains_key(*name))
}

/// Whether an address is none of the public network: loopback, private, local to a link, or behind
/// a carrier's translation (CGNAT).
fn is_shared(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let [first, second, ..] = address.octets();
            address.is_loopback()
                || address.is_private()
                || address.is_link_local()
                || (first == 100 && second & 0xc0 == 64)
        }
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}

/// The nearest address that is none of our proxies. What stands further left in the header anybody
/// may have written.
pub(super) fn behind_proxies(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> ClientAddr {
    let mut client = ClientAddr::peer(peer);
    if trusted.is_empty() {
        return client;
    }
    let is_trusted = |address: &IpAddr| trusted.iter().any(|net| net.contains(address));
    let told: Vec<&str> = headers
        .get_all(FORWARDED_FOR)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .collect();
    for hop in told.into_iter().rev() {
        if !is_trusted(&client.address) {
            break;
        }
        match address(hop.trim()) {
            Some(address) => client = ClientAddr { address, is_forwarded: true },
            None => break,
        }
    }
    client
}

/// An address with or without brackets and a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.trim_matches('"');
    let alone = bare.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(bare);
    let address = alone
        .parse::<IpAddr>()
        .ok()
        .or_else(|| bare.parse::<SocketAddr>().ok().map(|socket| socket.ip()));
    address.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(told: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in told {
            headers.append(FORWARDED_FOR, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    fn client(peer: &str, told: &[&str]) -> ClientAddr {
        let trusted: Vec<IpNet> =
            ["10.0.0.0/8", "2001:db8::/32"].iter().map(|net| net.parse().unwrap()).collect();
        behind_proxies(peer.parse().unwrap(), &headers(told), &trusted)
    }

    #[test]
    fn only_what_our_proxies_say_is_believed() {
        for (peer, told, wanted) in [
            ("198.51.100.9", &["203.0.113.7"][..], "198.51.100.9"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["203.0.113.7"], "203.0.113.7"),
            ("::ffff:10.0.0.1", &["203.0.113.7"], "203.0.113.7"),
            ("10.0.0.1", &["192.0.2.66, 203.0.113.7"], "203.0.113.7"),
            ("10.0.0.1", &["192.0.2.66", "203.0.113.7, 10.0.0.2"], "203.0.113.7"),
            ("2001:db8::1", &["[2001:db8::2]:443", "10.1.1.1:80"], "2001:db8::2"),
            ("10.0.0.1", &["203.0.113.7, garbage"], "10.0.0.1"),
            ("10.0.0.1", &["127.0.0.1, 203.0.113.7:1234"], "203.0.113.7"),
            ("10.0.0.1", &["[2600::1]"], "2600::1"),
            ("10.0.0.1", &[""], "10.0.0.1"),
        ] {
            assert_eq!(client(peer, told).address.to_string(), wanted, "{peer} {told:?}");
        }
    }

    #[test]
    fn issue_14_14_no_header_makes_a_caller_of_this_machine() {
        for (peer, told, is_here, is_at_this_machine) in [
            ("127.0.0.1", &[][..], true, true),
            ("::1", &[], true, true),
            ("::ffff:127.0.0.1", &[], true, true),
            ("127.0.0.1", &["203.0.113.7"], true, false),
            ("10.0.0.1", &["127.0.0.1"], false, false),
            ("10.0.0.1", &["::1"], false, false),
            ("10.0.0.1", &["127.0.0.1, 10.0.0.2"], false, false),
            ("203.0.113.7", &["127.0.0.1"], false, false),
        ] {
            let client = client(peer, told);
            assert_eq!(
                (client.is_local(), client.is_direct_local(&headers(told))),
                (is_here, is_at_this_machine),
                "{peer} {told:?}"
            );
        }
    }

    #[test]
    fn issue_14_14_addresses_that_many_may_have() {
        let shared = |peer: &str, told: &[&str]| client(peer, told).is_shared();
        for peer in [
            "127.0.0.1",
            "::1",
            "10.0.0.5",
            "172.18.0.2",
            "192.168.1.1",
            "169.254.1.1",
            "100.64.0.1",
            "100.127.255.255",
        ] {
            assert!(shared(peer, &[]), "{peer}");
        }
        assert!(
            shared("fd00::1", &[]) && shared("fe80::1", &[]) && shared("::ffff:172.18.0.2", &[])
        );
        for peer in ["203.0.113.7", "172.32.0.1", "100.63.0.1", "100.128.0.1", "2600::1", "fec0::1"]
        {
            assert!(!shared(peer, &[]), "{peer}");
        }
        assert!(!shared("10.0.0.1", &["192.168.1.7"]), "what our proxy tells is one caller");
        let is_unnamed =
            |peer: &str, told: &[&str]| client(peer, told).is_untrusted_proxy(&headers(told));
        assert!(
            is_unnamed("192.168.1.1", &["203.0.113.7"])
                && is_unnamed("127.0.0.1", &["203.0.113.7"])
        );
        assert!(
            !is_unnamed("10.0.0.1", &["203.0.113.7"])
                && !is_unnamed("192.168.1.1", &[])
                && !is_unnamed("203.0.113.7", &["192.0.2.1"])
        );
    }
}
