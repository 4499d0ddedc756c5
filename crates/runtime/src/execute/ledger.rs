//! What is spent on models beyond a single run: by a session and a workflow on one day, and by the
//! whole instance.

use super::session_rates::SessionRates;
use crate::lock;
use engine::{BudgetAccount, BudgetClaim, Spender, SpendingLedger};
use model::{SpendingLimit, SpendingTotal, Str};
use node_api::ai::ModelError;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use store::Store;
use store::spending::day_of;

/// The accounts of the day, opened with what is on disk when they are first needed and counted on
/// from there.
pub(crate) struct DayLedger {
    store: Arc<dyn Store>,
    /// What the instance may spend on a day.
    instance: SpendingLimit,
    today: Mutex<Today>,
    rates: SessionRates,
}

#[derive(Default)]
struct Today {
    day: Str,
    whole: Arc<BudgetAccount>,
    workflows: HashMap<Str, Arc<BudgetAccount>>,
    sessions: HashMap<(Str, Str), Arc<BudgetAccount>>,
}

impl Today {
    fn of(day: Str, spent: Vec<(Str, SpendingTotal)>) -> Self {
        let whole = spent.iter().fold(SpendingTotal::default(), |sum, (_, one)| SpendingTotal {
            tokens: sum.tokens.saturating_add(one.tokens),
            dollars: sum.dollars + one.dollars,
        });
        let workflows = spent.into_iter().map(|(id, sum)| (id, BudgetAccount::new(sum))).collect();
        Self { day, whole: BudgetAccount::new(whole), workflows, sessions: HashMap::new() }
    }
}

impl DayLedger {
    pub(crate) fn new(store: Arc<dyn Store>, instance: SpendingLimit, session_calls: u32) -> Self {
        Self { store, instance, today: Mutex::default(), rates: SessionRates::new(session_calls) }
    }

    /// Makes sure that the accounts are those of the day, and that the session's is there.
    async fn look_up(&self, day: &Str, spender: &Spender) -> Result<(), store::Error> {
        if lock(&self.today).day != *day {
            let spent = self.store.spent_on(day.clone()).await?.into_iter().collect();
            let mut today = lock(&self.today);
            // Somebody else may have been faster, and have counted since.
            if today.day != *day {
                *today = Today::of(day.clone(), spent);
            }
        }
        let Some(session) = spender.session.clone().filter(|_| !spender.budgets.session.is_none())
        else {
            return Ok(());
        };
        let key = (spender.workflow_id.clone(), session);
        if lock(&self.today).sessions.contains_key(&key) {
            return Ok(());
        }
        let sum = self.store.spent_by_session(day.clone(), key.0.clone(), key.1.clone()).await?;
        lock(&self.today).sessions.entry(key).or_insert_with(|| BudgetAccount::new(sum));
        Ok(())
    }
}

#[async_trait::async_trait]
impl SpendingLedger for DayLedger {
    async fn claims(&self, spender: &Spender, now_ms: i64) -> Result<Vec<BudgetClaim>, ModelError> {
        if let Some(session) = &spender.session {
            self.rates.admit(&spender.workflow_id, session, now_ms)?;
        }
        let day = day_of(now_ms);
        let has_limit = [self.instance, spender.budgets.day, spender.budgets.session]
            .iter()
            .any(|limit| !limit.is_none());
        if has_limit && let Err(error) = self.look_up(&day, spender).await {
            // Nobody knows what was spent, so nothing is.
            return Err(ModelError::new(
                error.code(),
                format!("Today's spending cannot be read: {error}"),
            ));
        }
        let mut today = lock(&self.today);
        // What is not looked up yet is read from disk when it is.
        if today.day != day {
            return Ok(Vec::new());
        }
        let session = spender.session.clone().and_then(|session| {
            today.sessions.get(&(spender.workflow_id.clone(), session)).cloned()
        });
        let workflow = today.workflows.entry(spender.workflow_id.clone()).or_default().clone();
        let of_session = session.map(|account| BudgetClaim {
            account,
            limit: spender.budgets.session,
            owner: "this session today",
        });
        let others = [
            BudgetClaim {
                account: workflow,
                limit: spender.budgets.day,
                owner: "this workflow today",
            },
            BudgetClaim {
                account: today.whole.clone(),
                limit: self.instance,
                owner: "this instance today",
            },
        ];
        Ok(of_session.into_iter().chain(others).collect())
    }
}
