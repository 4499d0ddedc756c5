//! Makes what the program embeds: the image of the JavaScript sandbox and the editor. `make run`
//! builds this instead of all of `xtask`, which depends on it.

pub mod example;
pub mod sandbox;
pub mod web;
