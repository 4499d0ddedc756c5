//! What the egress policy lets through, two other classifications call public too: the fuzzer's
//! property on random input.

#[path = "../../../../fuzz/src/url_policy.rs"]
mod property;

use proptest::prelude::*;
use providers::http::EgressPolicy;
use std::net::IpAddr;

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn random_text_leads_to_no_special_place(text in "\\PC{0,24}|[0-9a-fx.:%\\[\\]@/#]{0,24}|(0x|0)?[0-9a-f]{1,10}(\\.(0x|0)?[0-9]{1,3}){0,3}\\.?") {
        property::holds(&text);
    }

    #[test]
    fn every_address_is_classified_alike(four in any::<[u8; 4]>(), sixteen in any::<[u8; 16]>(), prefix in proptest::sample::select(PREFIXES)) {
        let policy = EgressPolicy::default();
        property::check_address(&policy, IpAddr::from(four));
        property::check_address(&policy, IpAddr::from(sixteen));
        let mut near = sixteen;
        near[..prefix.len()].copy_from_slice(prefix);
        property::check_address(&policy, IpAddr::from(near));
    }
}

const PREFIXES: &[&[u8]] = &[
    &[0; 10],
    &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff],
    &[0, 0x64, 0xff, 0x9b],
    &[0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0],
    &[0, 0x64, 0xff, 0x9b, 0, 1],
    &[0x20, 0x01],
    &[0x20, 0x01, 0x0d, 0xb8],
    &[0x20, 0x01, 0, 0],
    &[0x20, 0x02],
    &[0x3f, 0xff],
    &[0x5f, 0],
    &[0xfc],
    &[0xfd],
    &[0xfe, 0x80],
    &[0xfe, 0xc0],
    &[0xff],
    &[0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0],
    &[1, 0],
    &[0x20, 0x01, 0x48, 0x60],
];
