//! What this instance has signed: the addresses of waiting runs, the turns of conversations that
//! were handed over, and whose a session is.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hmac;
use engine::Addresses;
use model::Str;
use node_api::ai::signed_session;

/// How many letters of the signature stand in an address.
const LETTERS: usize = 32;

/// What is signed for one use is worth nothing for another.
#[derive(Clone, Copy)]
enum TokenPurpose {
    /// Waking a run from one of its waits.
    Wait,
    /// Going on with a turn that was handed over to the caller.
    Turn,
    /// Being whose session it is.
    Session,
    /// Waking a run from any of its waits, as long as addresses were not made for one of them.
    Run,
}

/// Signs the ids of runs, so that only who was given an address can wake one.
pub struct ResumeTokens {
    key: hmac::Key,
    /// What tickets were signed with that are good for any wait of a run. Others may have read it,
    /// and nothing else is.
    previous_key: hmac::Key,
    /// Where callers reach this instance.
    base_url: Str,
}

impl ResumeTokens {
    pub(crate) fn new(secret: &str, former: Option<&str>, base_url: Str) -> Self {
        let key = |secret: &str| hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        Self { key: key(secret), previous_key: key(former.unwrap_or(secret)), base_url }
    }

    /// Wakes a run from this one of its waits, counted from zero.
    pub(crate) fn sign_wait(&self, run: &str, wait: usize) -> String {
        let named = format!("{run}-{wait}");
        format!("{named}-{}", self.signature(TokenPurpose::Wait, &named))
    }

    /// The run that a ticket wakes, and from which of its waits; `None` for a ticket that was made
    /// before they were told apart.
    pub(crate) fn verify_wait(&self, ticket: &str) -> Option<(i64, Option<usize>)> {
        let (named, signature) = ticket.rsplit_once('-')?;
        match named.split_once('-') {
            Some((id, wait)) if self.is_signed(TokenPurpose::Wait, named, signature) => {
                Some((id.parse().ok()?, Some(wait.parse().ok()?)))
            }
            None if self.is_signed(TokenPurpose::Run, named, signature) => {
                Some((named.parse().ok()?, None))
            }
            _ => None,
        }
    }

    /// Leads back to an execution whose turn was handed over to the caller.
    pub fn sign_turn(&self, id: i64) -> Str {
        let id = id.to_string();
        format!("{id}-{}", self.signature(TokenPurpose::Turn, &id)).into()
    }

    pub(crate) fn verify_turn(&self, ticket: &str) -> Option<i64> {
        let (id, signature) = ticket.split_once('-')?;
        self.is_signed(TokenPurpose::Turn, id, signature).then(|| id.parse().ok()).flatten()
    }

    /// What a session is called for whoever it belongs to.
    pub(crate) fn sign_session(&self, session: &str) -> Str {
        signed_session(&self.signature(TokenPurpose::Session, session), session)
    }

    fn is_signed(&self, purpose: TokenPurpose, text: &str, signature: &str) -> bool {
        verify_slices_are_equal(self.signature(purpose, text).as_bytes(), signature.as_bytes())
            .is_ok()
    }

    fn signature(&self, purpose: TokenPurpose, text: &str) -> String {
        // No id of a run begins like the others.
        let signed = match purpose {
            TokenPurpose::Wait => format!("wait\0{text}"),
            TokenPurpose::Turn => format!("turn\0{text}"),
            TokenPurpose::Session => format!("session\0{text}"),
            TokenPurpose::Run => text.to_owned(),
        };
        let key = if matches!(purpose, TokenPurpose::Run) { &self.previous_key } else { &self.key };
        let mut signature = hex::encode(hmac::sign(key, signed.as_bytes()));
        signature.truncate(LETTERS);
        signature
    }
}

impl Addresses for ResumeTokens {
    fn webhook(&self, run_id: &str, wait: usize) -> Str {
        format!("{}/webhook-waiting/{}", self.base_url, self.sign_wait(run_id, wait)).into()
    }

    fn form(&self, run_id: &str, wait: usize) -> Str {
        format!("{}/form-waiting/{}", self.base_url, self.sign_wait(run_id, wait)).into()
    }

    fn has_signed(&self, session: &str, signature: &str) -> bool {
        self.is_signed(TokenPurpose::Session, session, signature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_api::ai::split_signed;

    fn tickets(secret: &str) -> ResumeTokens {
        ResumeTokens::new(secret, None, Str::new())
    }

    #[test]
    fn issue_14_00_what_signed_links_before_an_upgrade_signs_nothing_else_after_it() {
        let (before, after) =
            (tickets("former"), ResumeTokens::new("fresh", Some("former"), Str::new()));
        let old_link = format!("7-{}", before.signature(TokenPurpose::Run, "7"));
        assert_eq!(after.verify_wait(&old_link), Some((7, None)));
        assert_eq!(after.verify_wait(&before.sign_wait("7", 1)), None);
        assert_eq!(after.verify_turn(&before.sign_turn(7)), None);
        assert!(!after.has_signed("s", &before.signature(TokenPurpose::Session, "s")));
        assert_eq!(after.verify_wait(&after.sign_wait("7", 1)), Some((7, Some(1))));
    }

    #[test]
    fn issue_14_00_a_ticket_opens_its_own_wait_of_its_own_run_and_no_other() {
        let tickets = tickets("secret");
        let ticket = tickets.sign_wait("7", 1);
        assert_eq!(tickets.verify_wait(&ticket), Some((7, Some(1))));
        for forged in [
            ticket.replacen("7-1", "8-1", 1),
            ticket.replacen("7-1", "7-2", 1),
            ticket.replacen("7-1", "7", 1),
            ticket.replacen("7-1", "7-1-1", 1),
            ticket.replacen("7-1", "+7-1", 1),
            ticket.replacen("7-1", "7--1", 1),
            "7".to_owned(),
            "7-".to_owned(),
            "7-1-".to_owned(),
            "-".to_owned(),
            "--".to_owned(),
            String::new(),
        ] {
            assert_eq!(tickets.verify_wait(&forged), None, "{forged}");
        }
        assert_eq!(super::tests::tickets("other").verify_wait(&ticket), None);
    }

    #[test]
    fn issue_14_00_what_is_signed_for_one_use_is_worth_nothing_for_another() {
        let tickets = tickets("secret");
        let (wait, turn) = (tickets.sign_wait("7", 0), tickets.sign_turn(7));
        assert_eq!((tickets.verify_turn(&turn), tickets.verify_turn(&wait)), (Some(7), None));
        assert_eq!(tickets.verify_wait(&turn), None);
        let name = tickets.sign_session("7-0");
        let Some((session, signature)) = split_signed(&name) else { panic!("{name}") };
        assert!(
            session == "7-0"
                && tickets.has_signed(session, signature)
                && !tickets.has_signed("7-1", signature)
        );
        assert_eq!(tickets.verify_wait(&format!("7-0-{signature}")), None);
    }

    #[test]
    fn a_ticket_from_before_waits_were_told_apart_is_known_as_such() {
        let tickets = tickets("secret");
        let mut signature = hex::encode(hmac::sign(&tickets.key, b"7"));
        signature.truncate(LETTERS);
        assert_eq!(tickets.verify_wait(&format!("7-{signature}")), Some((7, None)));
        assert_eq!(tickets.verify_wait(&format!("8-{signature}")), None);
    }
}
