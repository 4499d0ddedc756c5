//! Accounts that calls of models are paid from: how many calls may be under way at once so that no
//! limit is passed by more than one.
//!
//! What a call will cost is known when it has ended. Until then its account counts it with the most
//! that it may cost. A call that might not fit beside those under way waits for them; one that is
//! alone goes on as long as anything is left. So a limit is passed by the last call only, and
//! nothing is refused that could have been paid.

use crate::budget::exceeded;
use model::{ModelUsage, SpendingLimit, SpendingTotal};
use node_api::ai::ModelError;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// What somebody has spent, and what their calls under way may cost.
#[derive(Default)]
pub struct BudgetAccount {
    state: Mutex<AccountState>,
    /// A call has ended.
    ended: Notify,
}

#[derive(Default)]
struct AccountState {
    spent: SpendingTotal,
    reserved: SpendingTotal,
    n_under_way: usize,
}

/// An account that a call is to be paid from, and how far.
#[derive(Clone)]
pub struct BudgetClaim {
    pub account: Arc<BudgetAccount>,
    pub limit: SpendingLimit,
    /// Whose it is, for the one who is refused.
    pub owner: &'static str,
}

/// Whether a call may begin.
enum ReserveResult {
    Reserved,
    /// Not beside those that are under way.
    Wait,
}

impl BudgetAccount {
    pub fn new(spent: SpendingTotal) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(AccountState { spent, ..AccountState::default() }),
            ended: Notify::new(),
        })
    }

    pub fn spent(&self) -> SpendingTotal {
        self.state().spent
    }

    fn begin(
        &self,
        most: SpendingTotal,
        limit: SpendingLimit,
        whose: &str,
    ) -> Result<ReserveResult, ModelError> {
        let mut state = self.state();
        if let Some(reached) = limit.reached_by(state.spent) {
            return Err(exceeded(whose, &reached));
        }
        let expected = sum(sum(state.spent, state.reserved), most);
        if state.n_under_way > 0 && limit.reached_by(expected).is_some() {
            return Ok(ReserveResult::Wait);
        }
        state.reserved = sum(state.reserved, most);
        state.n_under_way += 1;
        Ok(ReserveResult::Reserved)
    }

    fn end(&self, most: SpendingTotal) {
        let mut state = self.state();
        state.n_under_way = state.n_under_way.saturating_sub(1);
        state.reserved = match state.n_under_way {
            // So that no rest of rounding stays.
            0 => SpendingTotal::default(),
            _ => SpendingTotal {
                tokens: state.reserved.tokens.saturating_sub(most.tokens),
                dollars: (state.reserved.dollars - most.dollars).max(0.0),
            },
        };
        drop(state);
        self.ended.notify_waiters();
    }

    fn state(&self) -> MutexGuard<'_, AccountState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that may be made. What it used takes the place of what was reserved for it.
pub(crate) struct BudgetReservation {
    accounts: Vec<Arc<BudgetAccount>>,
    most: SpendingTotal,
}

impl BudgetReservation {
    /// Lets a call begin that costs no more than `most`, once there is room for it in all accounts,
    /// or refuses it where one is used up.
    pub(crate) async fn open(
        claims: &[BudgetClaim],
        most: SpendingTotal,
    ) -> Result<Self, ModelError> {
        'again: loop {
            let mut opened = Self { accounts: Vec::with_capacity(claims.len()), most };
            for BudgetClaim { account, limit, owner: whose } in claims {
                // Listening begins before looking, so that no end is missed between.
                let mut ended = pin!(account.ended.notified());
                ended.as_mut().enable();
                match account.begin(most, *limit, whose)? {
                    ReserveResult::Reserved => opened.accounts.push(account.clone()),
                    ReserveResult::Wait => {
                        drop(opened);
                        ended.await;
                        continue 'again;
                    }
                }
            }
            return Ok(opened);
        }
    }

    pub(crate) fn spend(self, spent: &ModelUsage) {
        for account in &self.accounts {
            account.state().spent.add(spent);
        }
    }
}

impl Drop for BudgetReservation {
    fn drop(&mut self) {
        for account in &self.accounts {
            account.end(self.most);
        }
    }
}

fn sum(one: SpendingTotal, other: SpendingTotal) -> SpendingTotal {
    SpendingTotal {
        tokens: one.tokens.saturating_add(other.tokens),
        dollars: one.dollars + other.dollars,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;
    use model::Code;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn tokens(tokens: u64) -> SpendingTotal {
        SpendingTotal { tokens, dollars: 0.0 }
    }

    fn claim(account: &Arc<BudgetAccount>, most: u64) -> BudgetClaim {
        BudgetClaim {
            account: account.clone(),
            limit: SpendingLimit { tokens: Some(most), dollars: None },
            owner: "this run",
        }
    }

    /// Twenty calls at once, of which each takes 30 tokens and might take up to `most`. How many
    /// were made, and how many together.
    async fn twenty_calls(budget: u64, most: u64) -> (usize, usize) {
        let account = BudgetAccount::new(SpendingTotal::default());
        let (made, under_way, together) =
            (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let one = || async {
            let Ok(opened) =
                BudgetReservation::open(&[claim(&account, budget)], tokens(most)).await
            else {
                return;
            };
            made.fetch_add(1, Ordering::Relaxed);
            together.fetch_max(under_way.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
            for _ in 0..5 {
                tokio::task::yield_now().await;
            }
            under_way.fetch_sub(1, Ordering::Relaxed);
            opened.spend(&ModelUsage { input: 20, output: 10, ..ModelUsage::default() });
        };
        futures::future::join_all((0..20).map(|_| one())).await;
        assert_eq!(account.spent().tokens, 30 * made.load(Ordering::Relaxed) as u64);
        (made.into_inner(), together.into_inner())
    }

    #[tokio::test]
    async fn a_budget_for_five_calls_pays_for_five_of_twenty_that_come_at_once() {
        for most in [30, 100, 10_000] {
            assert_eq!(twenty_calls(150, most).await.0, 5, "each might take {most}");
            assert_eq!(
                twenty_calls(140, most).await.0,
                5,
                "the last one passes the budget, each might take {most}"
            );
        }
        assert_eq!(twenty_calls(10_000, 100).await, (20, 20), "where there is enough nobody waits");
        assert_eq!(
            twenty_calls(600, 10_000).await,
            (20, 1),
            "where nobody knows, one after the other is asked"
        );
    }

    #[tokio::test]
    async fn a_call_that_waits_for_one_account_holds_no_other() {
        let (run, day) = (
            BudgetAccount::new(SpendingTotal::default()),
            BudgetAccount::new(SpendingTotal::default()),
        );
        let first = BudgetReservation::open(&[claim(&day, 100)], tokens(90)).await.unwrap();
        let both = [claim(&run, 50), claim(&day, 100)];
        let mut second = pin!(BudgetReservation::open(&both, tokens(40)));
        assert!(second.as_mut().now_or_never().is_none());
        assert_eq!(run.state().n_under_way, 0);
        drop(first);
        let second = second.await.unwrap();
        second.spend(&ModelUsage { input: 50, ..ModelUsage::default() });
        assert_eq!((run.spent().tokens, day.spent().tokens, day.state().n_under_way), (50, 50, 0));
        let refused = BudgetReservation::open(&both, tokens(1)).await.err().map(|error| error.code);
        assert_eq!(refused, Some(Code::BUDGET_REACHED));
        assert_eq!(day.state().n_under_way, 0, "who is refused holds nothing");
    }
}
