//! What is spent on models beyond a single run: by a session and a workflow on one day, and by the whole instance.

use crate::lock;
use engine::{Ledger, Spender, exceeded};
use model::{SpendingLimit, Spent, SpentSum, Str};
use node_api::ai::ModelError;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use store::Store;
use store::spending::day_of;

/// The sums of the day, read from disk when they are first needed and counted on from there.
pub(crate) struct DayLedger {
    store: Arc<dyn Store>,
    /// What the instance may spend on a day.
    instance: SpendingLimit,
    today: Mutex<Today>,
}

#[derive(Default)]
struct Today {
    day: Str,
    workflows: HashMap<Str, SpentSum>,
    sessions: HashMap<(Str, Str), SpentSum>,
}

impl DayLedger {
    pub(crate) fn new(store: Arc<dyn Store>, instance: SpendingLimit) -> Self {
        Self { store, instance, today: Mutex::default() }
    }

    /// Makes sure that the sums are those of the day, and that the session's is there.
    async fn look_up(&self, day: &Str, spender: &Spender) -> Result<(), store::Error> {
        if lock(&self.today).day != *day {
            let workflows = self.store.spent_on(day.clone()).await?.into_iter().collect();
            let mut today = lock(&self.today);
            // Somebody else may have been faster, and have counted since.
            if today.day != *day {
                *today = Today { day: day.clone(), workflows, sessions: HashMap::new() };
            }
        }
        let Some(session) = spender.session.clone().filter(|_| !spender.budgets.session.is_none()) else { return Ok(()) };
        let key = (spender.workflow_id.clone(), session);
        if lock(&self.today).sessions.contains_key(&key) {
            return Ok(());
        }
        let sum = self.store.spent_by_session(day.clone(), key.0.clone(), key.1.clone()).await?;
        lock(&self.today).sessions.entry(key).or_insert(sum);
        Ok(())
    }
}

#[async_trait::async_trait]
impl Ledger for DayLedger {
    async fn check(&self, spender: &Spender, now_ms: i64) -> Result<(), ModelError> {
        if self.instance.is_none() && spender.budgets.day.is_none() && spender.budgets.session.is_none() {
            return Ok(());
        }
        if let Err(error) = self.look_up(&day_of(now_ms), spender).await {
            // Nobody knows what was spent, so nothing is.
            return Err(ModelError::new(error.code(), format!("What was spent today cannot be read: {error}")));
        }
        let today = lock(&self.today);
        let whole = today.workflows.values().fold(SpentSum::default(), |sum, one| SpentSum {
            tokens: sum.tokens.saturating_add(one.tokens),
            dollars: sum.dollars + one.dollars,
        });
        let workflow = today.workflows.get(&spender.workflow_id).copied().unwrap_or_default();
        let session = spender.session.clone().and_then(|session| today.sessions.get(&(spender.workflow_id.clone(), session)).copied());
        let limits = [
            ("this session today", spender.budgets.session, session.unwrap_or_default()),
            ("this workflow today", spender.budgets.day, workflow),
            ("this instance today", self.instance, whole),
        ];
        let reached = limits.into_iter().find_map(|(whose, limit, sum)| Some(exceeded(whose, &limit.reached_by(sum)?)));
        reached.map_or(Ok(()), Err)
    }

    fn spend(&self, spender: &Spender, spent: &Spent) {
        let mut today = lock(&self.today);
        // What is not looked up yet is read from disk when it is.
        if today.day != day_of(spent.at_ms) {
            return;
        }
        today.workflows.entry(spender.workflow_id.clone()).or_default().add(spent);
        if let Some(session) = &spender.session
            && let Some(sum) = today.sessions.get_mut(&(spender.workflow_id.clone(), session.clone()))
        {
            sum.add(spent);
        }
    }
}
