//! Webhooks and forms as callers with bad intentions meet them, over real connections.
//!
//! | attack | where it is tested |
//! | --- | --- |
//! | content types, `filepath`, prototype keys | `content_types` here, `server/src/body/tests.rs` |
//! | multipart: many parts, no boundary, nested, names | `server/src/body/tests.rs` |
//! | 1 GB body, flood | `heddle/tests/integration/web.rs` |
//! | slow-loris, headers, connections, rates | `limits` here |
//! | duplicate delivery, tickets used twice | `heddle/tests/integration/server.rs` |
//! | signatures missing, stale, forged | `signatures` here |
//! | response splitting, HTML replies, SVG | `responses` here, `web/journeys/origin.test.mjs` in a browser |
//! | names of hosts, origins of their own | `origins` here |
//! | sessions of people who call | `sessions` here |
//! | archives | `nodes/src/files/unpack.rs`, `nodes/src/files/compression.rs` |
//! | XML entities, nesting | `nodes/src/text/xml/read.rs`, `server/src/body/tests.rs` |
//! | spreadsheets, long lines, PDF | `nodes/src/files`, `heddle/tests/integration/read_pdf.rs` |
//!
//! Tar and YAML are read nowhere; pictures are never decoded.

mod content_types;
mod limits;
mod origins;
mod responses;
mod sessions;
mod signatures;
mod streams;
mod test_listeners;
mod wire;
