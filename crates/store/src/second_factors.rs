//! What is kept of the authenticator apps that people sign in with beside their password.

use crate::Error;
use crate::users::User;
use model::Str;

#[async_trait::async_trait]
pub trait SecondFactorStore: Send + Sync {
    /// Somebody's app, whether it is in use or only being set up.
    async fn second_factor(&self, user_id: &str) -> Result<Option<SecondFactor>, Error>;
    /// Keeps a secret that counts once it is enabled. `false` if an app is in use already, or access
    /// has ended since the generation was read.
    async fn begin_second_factor(
        &self,
        user_id: &str,
        generation: i64,
        secret: Vec<u8>,
    ) -> Result<bool, Error>;
    /// From now on the app is asked for. Sessions end, since nobody was asked when they began; API
    /// keys stay. Nothing if another set-up has begun or access has ended meanwhile.
    async fn enable_second_factor(
        &self,
        enabled: EnabledSecondFactor,
    ) -> Result<Option<User>, Error>;
    /// Counts a code before it is looked at. `false` if another was counted since `known` was read:
    /// of many at once only one is looked at.
    async fn count_second_factor_attempt(
        &self,
        user_id: &str,
        known: u32,
        now_ms: i64,
    ) -> Result<bool, Error>;
    /// Uses the code of a time step up; `false` if it or a later one was used before.
    async fn use_second_factor_step(&self, user_id: &str, step: i64) -> Result<bool, Error>;
    /// Uses a recovery code up; `false` if there is none with this hash.
    async fn use_recovery_code(&self, user_id: &str, hash: Vec<u8>) -> Result<bool, Error>;
    /// New codes instead of those before; `false` if no app is in use.
    async fn set_recovery_codes(&self, user_id: &str, hashes: Vec<Vec<u8>>) -> Result<bool, Error>;
    /// The app is not asked for any more; `false` if there was none.
    async fn remove_second_factor(&self, user_id: &str) -> Result<bool, Error>;
}

/// An authenticator app. Shows nothing of its secret.
#[derive(Clone)]
pub struct SecondFactor {
    pub setup_id: Str,
    pub secret: Vec<u8>,
    /// A first code was shown, so it is asked for.
    pub is_enabled: bool,
    pub recovery_codes_left: u32,
    /// Codes that were tried since the last right one, and when the last was.
    pub attempts: u32,
    pub attempted_ms: i64,
}

/// A set-up that was proven with a first code.
#[derive(Clone)]
pub struct EnabledSecondFactor {
    pub user_id: Str,
    /// The access that somebody had when they proved who they are.
    pub generation: i64,
    pub setup_id: Str,
    /// Of the first code, which does not count again.
    pub step: i64,
    pub recovery_hashes: Vec<Vec<u8>>,
}
