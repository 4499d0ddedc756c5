//! The address a request comes from, when it may have come through proxies of ours.

use axum::http::HeaderMap;
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};

const FORWARDED_FOR: &str = "x-forwarded-for";

/// The nearest address that is none of our proxies. What stands further left in the header anybody may have written.
pub(super) fn behind_proxies(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|net| net.contains(address));
    let mut client = peer.to_canonical();
    let told: Vec<&str> =
        headers.get_all(FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).collect();
    for hop in told.into_iter().rev() {
        if !is_trusted(&client) {
            break;
        }
        match address(hop.trim()) {
            Some(found) => client = found,
            None => break,
        }
    }
    client
}

/// An address with or without brackets and a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.trim_matches('"');
    let alone = bare.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(bare);
    let address = alone.parse::<IpAddr>().ok().or_else(|| bare.parse::<SocketAddr>().ok().map(|socket| socket.ip()));
    address.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn client(peer: &str, told: &[&str]) -> String {
        let trusted: Vec<IpNet> = ["10.0.0.0/8", "2001:db8::/32"].iter().map(|net| net.parse().unwrap()).collect();
        let mut headers = HeaderMap::new();
        for value in told {
            headers.append(FORWARDED_FOR, HeaderValue::from_str(value).unwrap());
        }
        behind_proxies(peer.parse().unwrap(), &headers, &trusted).to_string()
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
            assert_eq!(client(peer, told), wanted, "{peer} {told:?}");
        }
    }
}
