//! Sends mails and starts runs when mails arrive.

mod criteria;
mod imap;
mod message;
mod send;

pub use imap::EmailReadImap;
pub use send::EmailSend;
pub(super) use send::server;
