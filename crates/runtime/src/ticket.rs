//! Addresses of waiting runs that cannot be guessed.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hmac;
use engine::Addresses;
use model::Str;

/// How many letters of the signature stand in an address.
const LETTERS: usize = 32;

/// Signs the ids of runs, so that only who was given an address can wake one.
pub struct Tickets {
    key: hmac::Key,
    /// Where callers reach this instance.
    base_url: Str,
}

impl Tickets {
    pub(crate) fn new(secret: &str, base_url: Str) -> Self {
        Self { key: hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), base_url }
    }

    pub fn of(&self, id: i64) -> Str {
        self.of_run(&id.to_string()).into()
    }

    /// The run that a ticket is for.
    pub(crate) fn read(&self, ticket: &str) -> Option<i64> {
        let (id, signature) = ticket.split_once('-')?;
        verify_slices_are_equal(self.signature(id).as_bytes(), signature.as_bytes()).ok()?;
        id.parse().ok()
    }

    fn of_run(&self, id: &str) -> String {
        format!("{id}-{}", self.signature(id))
    }

    fn signature(&self, id: &str) -> String {
        let mut signature = hex::encode(hmac::sign(&self.key, id.as_bytes()));
        signature.truncate(LETTERS);
        signature
    }
}

impl Addresses for Tickets {
    fn webhook(&self, run_id: &str) -> Str {
        format!("{}/webhook-waiting/{}", self.base_url, self.of_run(run_id)).into()
    }

    fn form(&self, run_id: &str) -> Str {
        format!("{}/form-waiting/{}", self.base_url, self.of_run(run_id)).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_opens_its_own_run_and_no_other() {
        let tickets = Tickets::new("secret", Str::new());
        let ticket = tickets.of(7);
        assert_eq!(tickets.read(&ticket), Some(7));
        assert_eq!(tickets.read(&ticket.replacen("7", "8", 1)), None);
        assert_eq!(tickets.read("7"), None);
        assert_eq!(tickets.read("7-"), None);
        assert_eq!(Tickets::new("other", Str::new()).read(&ticket), None);
    }
}
