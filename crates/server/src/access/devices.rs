//! Browsers that have signed in to an account before. A cookie tells them, so that somebody who
//! guesses from the same address, or from everywhere, does not slow them down.

use super::login_throttle::AttemptSource;
use super::passwords::Lane;
use super::session::{cookie, new_token, set_cookie};
use super::sign_in::now_ms;
use crate::App;
use crate::admission::ClientAddr;
use crate::error::ApiError;
use aws_lc_rs::hmac;
use axum::http::{HeaderMap, HeaderValue};
use store::users::User;

const DEVICE_COOKIE: &str = "heddle_device";
const LIFETIME_SECONDS: i64 = 90 * 24 * 60 * 60;

/// Signs the cookies of devices. They open nothing by themselves, last for a while and end with the
/// password that they were got with.
pub(crate) struct DeviceCookies(hmac::Key);

impl DeviceCookies {
    pub(super) async fn load(app: &App) -> Result<&DeviceCookies, ApiError> {
        let read = || async {
            let secret = app.store.secret("known_devices").await?;
            Ok::<_, ApiError>(DeviceCookies::new(&secret))
        };
        app.device_key().get_or_try_init(read).await
    }

    fn new(secret: &str) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()))
    }

    /// Where an attempt to sign in comes from: a device that knows this person, or an address.
    pub(super) fn source(
        &self,
        app: &App,
        headers: &HeaderMap,
        user: Option<&User>,
        client: ClientAddr,
    ) -> (AttemptSource, Lane) {
        let told = cookie(headers, DEVICE_COOKIE, app.is_secure());
        match user.zip(told).and_then(|(user, told)| self.verify(&owner(user), told, now_ms())) {
            Some(device) => (AttemptSource::Device(device), Lane::Known),
            None => (AttemptSource::Address(client), Lane::Anonymous),
        }
    }

    /// The cookie by which a browser is known from now on.
    pub(super) fn cookie(&self, app: &App, user: &User) -> Result<HeaderValue, ApiError> {
        set_cookie(
            app,
            DEVICE_COOKIE,
            &self.sign(&owner(user), now_ms(), &new_token()),
            LIFETIME_SECONDS,
        )
    }

    fn sign(&self, owner: &str, issued_ms: i64, device: &str) -> String {
        let signature = hmac::sign(&self.0, format!("{owner}.{issued_ms}.{device}").as_bytes());
        format!("{issued_ms}.{device}.{}", hex::encode(signature))
    }

    fn verify(&self, owner: &str, told: &str, now_ms: i64) -> Option<String> {
        let (signed, signature) = told.rsplit_once('.')?;
        let (issued_ms, device) = signed.split_once('.')?;
        let age_ms = now_ms.checked_sub(issued_ms.parse().ok()?)?;
        let signature = hex::decode(signature).ok()?;
        hmac::verify(&self.0, format!("{owner}.{signed}").as_bytes(), &signature).ok()?;
        (age_ms < LIFETIME_SECONDS * 1000).then(|| device.to_owned())
    }
}

/// A person until their access ends.
fn owner(user: &User) -> String {
    format!("{}.{}", user.id, user.generation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_14_a_device_is_known_to_its_own_account_only() {
        let devices = DeviceCookies::new("secret");
        let told = devices.sign("u1.0", 1_000, "d1");
        assert_eq!(devices.verify("u1.0", &told, 2_000).as_deref(), Some("d1"));
        assert_eq!(devices.verify("u2.0", &told, 2_000), None);
        assert_eq!(DeviceCookies::new("other").verify("u1.0", &told, 2_000), None);
        for wrong in [
            "",
            ".",
            "..",
            "d1",
            "d1.",
            "1000.d1",
            &told.replacen("d1", "d2", 1),
            &told.replacen("1000", "1001", 1),
        ] {
            assert_eq!(devices.verify("u1.0", wrong, 2_000), None, "{wrong}");
        }
        assert_eq!(devices.verify("u1.0", &told[..told.len() - 2], 2_000), None);
    }

    #[test]
    fn issue_14_14_a_device_is_forgotten_with_its_time_and_with_the_password() {
        let devices = DeviceCookies::new("secret");
        let told = devices.sign("u1.0", 1_000, "d1");
        let lasts_ms = LIFETIME_SECONDS * 1000;
        assert!(devices.verify("u1.0", &told, lasts_ms).is_some());
        assert_eq!(devices.verify("u1.0", &told, 1_000 + lasts_ms), None);
        assert_eq!(devices.verify("u1.1", &told, 2_000), None, "the password has changed since");
    }
}
