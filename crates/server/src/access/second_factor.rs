//! The second factor at sign-in: codes of an authenticator app (TOTP, RFC 6238), and recovery codes
//! for those who have lost it.
//!
//! Invariant: only somebody who knows the password gets to try a code. So codes are counted by
//! account, in the store, where neither a restart nor a flood of other attempts resets the count.
//! Whoever guesses can make strange devices wait, never one that has signed in to the account
//! before.

use super::login_throttle::AttemptSource;
use super::sign_in::now_ms;
use crate::App;
use crate::error::ApiError;
use crate::wire;
use aws_lc_rs::rand;
use model::Code;
use store::access::hash_of_key;
use store::second_factors::SecondFactor;
use store::users::User;
use totp_rs::{Builder, Secret, Totp};

/// What the app calls the account's service.
const ISSUER: &str = "Heddle";
/// The length that RFC 4226 recommends.
const SECRET_BYTES: usize = 20;
const RECOVERY_CODES: usize = 10;
/// 80 random bits, so that their hashes tell nothing.
const RECOVERY_BYTES: usize = 10;
/// Codes without a wait. Each one after them waits twice as long as the one before.
const FREE_ATTEMPTS: u32 = 5;
const FIRST_WAIT_MS: i64 = 1_000;
const MAX_WAIT_MS: i64 = 15 * 60 * 1_000;

/// Lets somebody pass whose password is right: without an app, or with a code of it.
pub(super) async fn check(
    app: &App,
    user: &User,
    code: Option<&wire::SecondFactorCode>,
    source: &AttemptSource,
) -> Result<(), ApiError> {
    if !user.has_second_factor {
        return Ok(());
    }
    let Some(factor) = in_use(app, &user.id).await? else { return Ok(()) };
    let code = code.map(wire::SecondFactorCode::reveal).ok_or_else(|| {
        ApiError::new(Code::ACCESS_CODE, "Enter the code from your authenticator app")
    })?;
    // Attempts of a known device are counted with its passwords.
    if let AttemptSource::Address(_) = source {
        count_attempt(app, user, &factor).await?;
    }
    use_up(app, user, &factor, code).await
}

/// A code of somebody who is signed in and has given their password again.
pub(super) async fn check_again(
    app: &App,
    user: &User,
    code: Option<&wire::SecondFactorCode>,
) -> Result<(), ApiError> {
    let Some(factor) = in_use(app, &user.id).await? else { return Ok(()) };
    let code = code.map(wire::SecondFactorCode::reveal).ok_or_else(|| {
        ApiError::new(Code::ACCESS_FORBIDDEN, "Enter the code from your authenticator app")
    })?;
    count_attempt(app, user, &factor).await?;
    let checked = use_up(app, user, &factor, code).await;
    // Not 401, at which the editor would ask for the sign-in: the session is fine.
    checked.map_err(|error| match error.code {
        Code::ACCESS_CODE => ApiError { code: Code::ACCESS_FORBIDDEN, ..error },
        _ => error,
    })
}

/// The app that somebody is asked for, if there is one.
pub(super) async fn in_use(app: &App, user_id: &str) -> Result<Option<SecondFactor>, ApiError> {
    Ok(app.store.second_factor(user_id).await?.filter(|factor| factor.is_enabled))
}

async fn count_attempt(app: &App, user: &User, factor: &SecondFactor) -> Result<(), ApiError> {
    let now = now_ms();
    let since_ms = now.saturating_sub(factor.attempted_ms).max(0);
    let wait_ms = wait_after(factor.attempts).saturating_sub(since_ms);
    let refused = |wait_ms: i64| {
        let seconds = u64::try_from(wait_ms).unwrap_or_default().div_ceil(1000).max(1);
        ApiError::new(
            Code::ACCESS_ATTEMPTS,
            format!("Too many codes were tried; try again in {seconds} seconds"),
        )
        .retry_after(seconds)
    };
    if wait_ms > 0 {
        return Err(refused(wait_ms));
    }
    if !app.store.count_second_factor_attempt(&user.id, factor.attempts, now).await? {
        return Err(refused(FIRST_WAIT_MS));
    }
    if factor.attempts + 1 == FREE_ATTEMPTS {
        tracing::warn!(
            user = %user.id,
            "Someone who knows a user's password has tried {FREE_ATTEMPTS} codes. If it was not that user, change the password.",
        );
    }
    Ok(())
}

fn wait_after(attempts: u32) -> i64 {
    match attempts.checked_sub(FREE_ATTEMPTS) {
        None => 0,
        Some(over) => (FIRST_WAIT_MS << over.min(20)).min(MAX_WAIT_MS),
    }
}

/// A code counts once, whether the app has shown it or it is for recovery.
async fn use_up(app: &App, user: &User, factor: &SecondFactor, code: &str) -> Result<(), ApiError> {
    let is_used = match step_of(&factor.secret, code, now_ms())? {
        Some(step) => app.store.use_second_factor_step(&user.id, step).await?,
        None => {
            let is_used = app.store.use_recovery_code(&user.id, recovery_hash(code)).await?;
            if is_used {
                tracing::info!(user = %user.id, "A user signed in with a recovery code");
            }
            is_used
        }
    };
    match is_used {
        true => Ok(()),
        false => Err(ApiError::new(Code::ACCESS_CODE, "The code is wrong or was already used")
            .hint("Wait for the next code, and check that the clocks of the phone and the server are right.")),
    }
}

/// The time step whose code this is: the present one, or one beside it.
pub(super) fn step_of(secret: &[u8], code: &str, now_ms: i64) -> Result<Option<i64>, ApiError> {
    let digits: String = code.chars().filter(|letter| !letter.is_whitespace()).collect();
    let seconds = u64::try_from(now_ms / 1000).unwrap_or_default();
    let step = totp(secret, "")?.check(&digits, seconds);
    Ok(step.and_then(|step| i64::try_from(step).ok()))
}

/// What an app is given.
pub(super) fn setup(secret: &[u8], user: &User) -> Result<wire::TwoFactorSetup, ApiError> {
    // The name of an account ends at a colon.
    let account = if user.email.contains(':') { &user.id } else { &user.email };
    let totp = totp(secret, account)?;
    let url = totp.to_url().map_err(|error| unusable(&error))?;
    Ok(wire::TwoFactorSetup { url, secret: totp.secret().to_base32() })
}

fn totp(secret: &[u8], account: &str) -> Result<Totp, ApiError> {
    let secret = Secret::from(secret.to_vec());
    let parts = Builder::new().with_secret(secret).with_issuer(Some(ISSUER));
    parts.with_account_name(account).build().map_err(|error| unusable(&error))
}

fn unusable(error: &dyn std::fmt::Display) -> ApiError {
    ApiError::new(Code::STORE_CORRUPT, format!("The authenticator app cannot be used: {error}"))
}

pub(super) fn new_secret() -> Result<Vec<u8>, ApiError> {
    let mut secret = vec![0; SECRET_BYTES];
    fill(&mut secret)?;
    Ok(secret)
}

/// New recovery codes, and what is kept of them.
pub(super) fn new_recovery_codes() -> Result<(Vec<String>, Vec<Vec<u8>>), ApiError> {
    let mut codes = Vec::with_capacity(RECOVERY_CODES);
    for _ in 0..RECOVERY_CODES {
        let mut bytes = [0; RECOVERY_BYTES];
        fill(&mut bytes)?;
        let text = Secret::from(bytes.to_vec()).to_base32().to_lowercase();
        let groups: Vec<&str> =
            text.as_bytes().chunks(4).filter_map(|group| str::from_utf8(group).ok()).collect();
        codes.push(groups.join("-"));
    }
    let hashes = codes.iter().map(|code| recovery_hash(code)).collect();
    Ok((codes, hashes))
}

/// However the code is written: with other letters, or without what stands between them.
fn recovery_hash(code: &str) -> Vec<u8> {
    let letters: String = code.chars().filter(char::is_ascii_alphanumeric).collect();
    hash_of_key(&letters.to_ascii_lowercase())
}

fn fill(bytes: &mut [u8]) -> Result<(), ApiError> {
    rand::fill(bytes)
        .map_err(|_| ApiError::new(Code::OVERLOAD, "The system has no random numbers right now"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_agree_with_the_standard_and_count_for_a_minute_and_a_half() {
        let secret = b"12345678901234567890";
        assert_eq!(step_of(secret, "287 082", 59_000).unwrap(), Some(1));
        for (seconds, expected) in [(0, Some(1)), (89, Some(1)), (90, None)] {
            assert_eq!(step_of(secret, "287082", seconds * 1000).unwrap(), expected, "{seconds}");
        }
        for wrong in ["", "28708", "2870820", "28708a", "２８７０８２", "-87082", "+87082"] {
            assert_eq!(step_of(secret, wrong, 59_000).unwrap(), None, "{wrong}");
        }
    }

    #[test]
    fn waits_double_up_to_a_quarter_of_an_hour() {
        let waits: Vec<i64> = [0, 4, 5, 6, 10, 15, 1_000].map(wait_after).into();
        assert_eq!(waits, [0, 0, 1_000, 2_000, 32_000, 900_000, 900_000]);
    }

    #[test]
    fn recovery_codes_are_many_different_and_read_however_they_are_written() {
        let (codes, hashes) = new_recovery_codes().unwrap();
        let different: std::collections::HashSet<_> = hashes.iter().collect();
        assert_eq!((codes.len(), different.len()), (RECOVERY_CODES, RECOVERY_CODES));
        assert_eq!(codes[0].len(), 19);
        assert_eq!(recovery_hash(&codes[0].to_uppercase().replace('-', " ")), hashes[0]);
    }
}
