//! Nodes for texts and documents: HTML, XML, Markdown, dates, hashes, tokens.

mod crypto;
mod date_time;
mod digests;
#[cfg(test)]
mod hostile_texts;
pub(crate) mod html;
pub(crate) mod jwt;
mod keys;
mod legacy_rsa;
mod markdown;
mod totp;
pub(crate) mod xml;

pub(crate) use markdown::page_to_markdown;
pub use xml::read_request as read_xml_request;

use node_api::{NodeEntry, run};

pub static NODES: &[NodeEntry] = &[
    run::<crypto::Crypto>(),
    run::<date_time::DateTimeNode>(),
    run::<date_time::v1::DateTimeV1>(),
    run::<html::Html>(),
    run::<html::extract_node::HtmlExtract>(),
    run::<jwt::Jwt>(),
    run::<markdown::Markdown>(),
    run::<totp::Totp>(),
    run::<xml::Xml>(),
];
