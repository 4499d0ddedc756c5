//! What runs have spent that call each other. While any of them goes on they have one account each,
//! whoever was woken first.

use crate::lock;
use engine::{BudgetAccount, Spending};
use model::{SpendingLimit, SpendingTotal};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

/// The accounts of runs that somebody may spend for.
#[derive(Default)]
pub(crate) struct RunAccounts(Mutex<HashMap<i64, Weak<BudgetAccount>>>);

/// A run that called another one, directly or through others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallerAccount {
    pub(crate) id: i64,
    pub(crate) limit: SpendingLimit,
    /// What it has spent together with those it called.
    pub(crate) spent: SpendingTotal,
}

impl RunAccounts {
    pub(crate) fn register(&self, id: i64, account: &Arc<BudgetAccount>) {
        insert(&mut lock(&self.0), id, account);
    }

    /// The account of a run, with what is on disk if nobody has it open.
    pub(crate) fn open(&self, id: i64, spent: SpendingTotal) -> Arc<BudgetAccount> {
        // Two that are resumed at once find the same one.
        let mut all = lock(&self.0);
        if let Some(account) = all.get(&id).and_then(Weak::upgrade) {
            return account;
        }
        let account = BudgetAccount::new(spent);
        insert(&mut all, id, &account);
        account
    }

    /// What a run spends for its callers, the nearest first.
    pub(crate) fn of_callers(&self, callers: &[CallerAccount]) -> Option<Arc<Spending>> {
        let open = |above, caller: &CallerAccount| {
            Some(Spending::new(caller.limit, self.open(caller.id, caller.spent), above))
        };
        callers.iter().rev().fold(None, open)
    }
}

/// Those of runs that are over go when the map would grow.
fn insert(all: &mut HashMap<i64, Weak<BudgetAccount>>, id: i64, account: &Arc<BudgetAccount>) {
    if all.len() == all.capacity() {
        all.retain(|_, account| account.strong_count() > 0);
    }
    all.insert(id, Arc::downgrade(account));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_were_called_spend_from_one_account() {
        let accounts = RunAccounts::default();
        let spent = SpendingTotal { tokens: 40, dollars: 0.0 };
        let caller = |id| CallerAccount { id, limit: SpendingLimit::default(), spent };
        let first = accounts.of_callers(&[caller(2), caller(1)]).unwrap();
        let second = accounts.of_callers(&[caller(3), caller(1)]).unwrap();
        assert!(!Arc::ptr_eq(first.account(), second.account()));
        assert!(Arc::ptr_eq(&accounts.open(1, SpendingTotal::default()), &accounts.open(1, spent)));
        assert_eq!(
            accounts.open(1, SpendingTotal::default()).spent().tokens,
            40,
            "those that go on have it"
        );
        drop((first, second));
        assert_eq!(
            accounts.open(1, SpendingTotal::default()).spent().tokens,
            0,
            "it is read again"
        );
    }
}
