//! Tokens that this instance signs: links that resume a wait, turns of a conversation that were
//! handed to the client, and the owner of a session.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hmac;
use engine::{Addresses, RequestPlace};
use model::{Str, Value};
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
    /// Being the same request as one before.
    Request,
    /// Waking a run from any of its waits, as long as addresses were not made for one of them.
    Run,
}

/// Which waits of its run a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitScope {
    /// This one, counted from zero.
    One(usize),
    /// Any: the token was made before tokens named a wait.
    Any,
}

/// Signs the ids of runs, so that only who was given an address can wake one.
pub struct ResumeTokens {
    key: hmac::Key,
    /// The former secret. Only tokens for any wait of a run were signed with it; others may have
    /// read it.
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

    /// The run that a token wakes, and from which of its waits.
    pub(crate) fn verify_wait(&self, token: &str) -> Option<(i64, WaitScope)> {
        let (named, signature) = token.rsplit_once('-')?;
        match named.split_once('-') {
            Some((id, wait)) if self.is_signed(TokenPurpose::Wait, named, signature) => {
                Some((id.parse().ok()?, WaitScope::One(wait.parse().ok()?)))
            }
            None if self.is_signed(TokenPurpose::Run, named, signature) => {
                Some((named.parse().ok()?, WaitScope::Any))
            }
            _ => None,
        }
    }

    /// Leads back to an execution whose turn was handed over to the caller.
    pub fn sign_turn(&self, id: i64) -> Str {
        let id = id.to_string();
        format!("{id}-{}", self.signature(TokenPurpose::Turn, &id)).into()
    }

    pub(crate) fn verify_turn(&self, token: &str) -> Option<i64> {
        let (id, signature) = token.split_once('-')?;
        self.is_signed(TokenPurpose::Turn, id, signature).then(|| id.parse().ok()).flatten()
    }

    /// The name of a session for its owner.
    pub fn sign_session(&self, session: &str) -> Str {
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
            TokenPurpose::Request => format!("request\0{text}"),
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

    fn request_key(&self, place: &RequestPlace) -> Option<Str> {
        let RequestPlace { run_id, workflow_id, node, run_index, item, call } = place;
        // As JSON, so that no name of a node looks like another place.
        let mut named = vec![
            Value::from(workflow_id.clone()),
            run_id.clone().into(),
            node.clone().into(),
            (*run_index).into(),
            (*item).into(),
        ];
        if !call.is_empty() {
            named.push(call.clone().into());
        }
        let named = Value::array(named);
        Some(self.signature(TokenPurpose::Request, &model::json::to_string(&named)).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_api::ai::split_signed;

    fn tokens(secret: &str) -> ResumeTokens {
        ResumeTokens::new(secret, None, Str::new())
    }

    #[test]
    fn what_signed_links_before_an_upgrade_signs_nothing_else_after_it() {
        let (before, after) =
            (tokens("former"), ResumeTokens::new("fresh", Some("former"), Str::new()));
        let old_link = format!("7-{}", before.signature(TokenPurpose::Run, "7"));
        assert_eq!(after.verify_wait(&old_link), Some((7, WaitScope::Any)));
        assert_eq!(after.verify_wait(&before.sign_wait("7", 1)), None);
        assert_eq!(after.verify_turn(&before.sign_turn(7)), None);
        assert!(!after.has_signed("s", &before.signature(TokenPurpose::Session, "s")));
        assert_eq!(after.verify_wait(&after.sign_wait("7", 1)), Some((7, WaitScope::One(1))));
    }

    #[test]
    fn a_ticket_opens_its_own_wait_of_its_own_run_and_no_other() {
        let tokens = tokens("secret");
        let token = tokens.sign_wait("7", 1);
        assert_eq!(tokens.verify_wait(&token), Some((7, WaitScope::One(1))));
        for forged in [
            token.replacen("7-1", "8-1", 1),
            token.replacen("7-1", "7-2", 1),
            token.replacen("7-1", "7", 1),
            token.replacen("7-1", "7-1-1", 1),
            token.replacen("7-1", "+7-1", 1),
            token.replacen("7-1", "7--1", 1),
            "7".to_owned(),
            "7-".to_owned(),
            "7-1-".to_owned(),
            "-".to_owned(),
            "--".to_owned(),
            String::new(),
        ] {
            assert_eq!(tokens.verify_wait(&forged), None, "{forged}");
        }
        assert_eq!(super::tests::tokens("other").verify_wait(&token), None);
    }

    #[test]
    fn a_request_has_a_key_of_its_own_that_outlives_the_process() {
        let place = || RequestPlace {
            run_id: "7".into(),
            workflow_id: "w".into(),
            node: "Pay".into(),
            run_index: 0,
            item: 0,
            call: Str::new(),
        };
        let key = |place: &RequestPlace| tokens("secret").request_key(place).unwrap();
        let first = key(&place());
        assert_eq!(first, key(&place()), "after a restart");
        assert_ne!(first, tokens("other").request_key(&place()).unwrap(), "on another instance");
        for other in [
            RequestPlace { run_id: "8".into(), ..place() },
            RequestPlace { workflow_id: "x".into(), ..place() },
            RequestPlace { node: "Pay 2".into(), ..place() },
            RequestPlace { run_index: 1, ..place() },
            RequestPlace { item: 1, ..place() },
            RequestPlace { call: "3.0 item 0: tool 1.1".into(), ..place() },
            RequestPlace { call: "3.0 item 0: tool 1.2".into(), ..place() },
            // Names that would look like another place if they were only joined.
            RequestPlace { node: "Pay\",0,0]".into(), ..place() },
            RequestPlace { workflow_id: "w\",\"7\",\"Pay".into(), ..place() },
        ] {
            assert_ne!(first, key(&other), "{other:?}");
        }
        let tokens = tokens("secret");
        assert_eq!(tokens.verify_turn(&format!("7-{first}")), None);
        assert_eq!(tokens.verify_wait(&format!("7-0-{first}")), None);
    }

    #[test]
    fn what_is_signed_for_one_use_is_worth_nothing_for_another() {
        let tokens = tokens("secret");
        let (wait, turn) = (tokens.sign_wait("7", 0), tokens.sign_turn(7));
        assert_eq!((tokens.verify_turn(&turn), tokens.verify_turn(&wait)), (Some(7), None));
        assert_eq!(tokens.verify_wait(&turn), None);
        let name = tokens.sign_session("7-0");
        let Some((session, signature)) = split_signed(&name) else { panic!("{name}") };
        assert!(
            session == "7-0"
                && tokens.has_signed(session, signature)
                && !tokens.has_signed("7-1", signature)
        );
        assert_eq!(tokens.verify_wait(&format!("7-0-{signature}")), None);
    }

    #[test]
    fn a_ticket_from_before_waits_were_told_apart_is_known_as_such() {
        let tokens = tokens("secret");
        let mut signature = hex::encode(hmac::sign(&tokens.key, b"7"));
        signature.truncate(LETTERS);
        assert_eq!(tokens.verify_wait(&format!("7-{signature}")), Some((7, WaitScope::Any)));
        assert_eq!(tokens.verify_wait(&format!("8-{signature}")), None);
    }
}
