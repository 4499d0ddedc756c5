//! What a run may spend on models, and who spends beside it.

use crate::budget_account::{BudgetAccount, BudgetClaim};
use crate::ports::Addresses;
use model::{Code, SpendingLimit, SpendingTotal, Str, Value, Workflow};
use node_api::ai::{ModelError, isolated_session, session_id_of};
use std::sync::Arc;

/// The limits that a workflow sets itself, in its settings under `budget`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budgets {
    /// For one run together with the runs that it calls.
    pub run: SpendingLimit,
    /// For a session, over all its runs of a day.
    pub session: SpendingLimit,
    /// For all runs of a day.
    pub day: SpendingLimit,
    /// Nobody can tell what was meant, so that nothing may be spent.
    pub is_unreadable: bool,
}

impl Budgets {
    pub(crate) fn of(workflow: &Workflow) -> Self {
        let Some(given) = workflow.setting("budget").filter(|given| !given.is_nullish()) else {
            return Self::default();
        };
        let read = || {
            let mut budgets = Self::default();
            for (name, limit) in given.as_object()?.iter() {
                let place = match name.as_str() {
                    "run" => &mut budgets.run,
                    "session" => &mut budgets.session,
                    "day" => &mut budgets.day,
                    _ => return None,
                };
                for (key, value) in limit.as_object()?.iter() {
                    let most = value.as_f64().filter(|most| *most >= 0.0)?;
                    match key.as_str() {
                        "tokens" => place.tokens = Some(most as u64),
                        "dollars" => place.dollars = Some(most),
                        _ => return None,
                    }
                }
            }
            Some(budgets)
        };
        read().unwrap_or(Self { is_unreadable: true, ..Self::default() })
    }

    pub(crate) fn check(&self) -> Result<(), ModelError> {
        match self.is_unreadable {
            true => Err(ModelError::new(
                Code::BUDGET_REACHED,
                "The budget in the workflow's settings is invalid, so no model was called",
            )
            .hint(
                "Write { \"run\": { \"tokens\": 50000, \"dollars\": 0.5 } }; the keys are \
                         run, session and day.",
            )),
            false => Ok(()),
        }
    }
}

/// What a run has spent, and what the runs that called it have with it.
#[derive(Default)]
pub struct Spending {
    limit: SpendingLimit,
    account: Arc<BudgetAccount>,
    /// The run that called this one.
    above: Option<Arc<Spending>>,
}

impl Spending {
    pub fn new(
        limit: SpendingLimit,
        account: Arc<BudgetAccount>,
        above: Option<Arc<Spending>>,
    ) -> Arc<Self> {
        Arc::new(Self { limit, account, above })
    }

    pub fn account(&self) -> &Arc<BudgetAccount> {
        &self.account
    }

    /// The accounts that a call of the run is paid from.
    pub(crate) fn claims(&self) -> Vec<BudgetClaim> {
        let each = std::iter::successors(Some(self), |spending: &&Self| spending.above.as_deref());
        each.map(|spending| BudgetClaim {
            account: spending.account.clone(),
            limit: spending.limit,
            owner: "this run",
        })
        .collect()
    }

    pub fn spent(&self) -> SpendingTotal {
        self.account.spent()
    }
}

/// Why a model is not asked.
pub(crate) fn exceeded(whose: &str, reached: &str) -> ModelError {
    ModelError::new(Code::BUDGET_REACHED, format!("The budget of {whose} is used up: {reached}"))
        .hint(
            "Raise the budget in the workflow's settings, ask the operator to raise the instance's \
             budget, or wait until the next day.",
        )
}

/// Who spends, beyond the run itself.
#[derive(Clone, Debug)]
pub struct Spender {
    pub workflow_id: Str,
    pub session: Option<Str>,
    pub budgets: Budgets,
}

/// The session of what started a run, if it names one. What is spent in a session that somebody
/// else was given is spent in another one.
pub(crate) fn session_of(
    started_with: Option<&Value>,
    signed: Option<&Arc<dyn Addresses>>,
) -> Option<Str> {
    let started_with = started_with?;
    // A chat or a form names its session at the top, the caller of a webhook where it can.
    let named = [Some(started_with), started_with.get("body"), started_with.get("query")];
    let session = named.into_iter().flatten().find_map(session_id_of)?;
    Some(isolated_session(session, |session, signature| {
        signed.is_some_and(|signed| signed.has_signed(session, signature))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget_account::BudgetReservation;
    use model::{ModelUsage, json};

    #[test]
    fn a_budget_with_a_slip_of_the_pen_is_no_licence_to_spend() {
        let of = |budget: Value| {
            Budgets::of(
                &Workflow::from_value(&json!({ "settings": { "budget": budget } })).unwrap(),
            )
        };
        let fine = of(json!({ "run": { "tokens": 10, "dollars": 0.5 }, "day": {} }));
        assert_eq!(fine.run, SpendingLimit { tokens: Some(10), dollars: Some(0.5) });
        assert!(fine.check().is_ok() && of(Value::Null).check().is_ok());
        for slip in [
            json!(5),
            json!({ "runs": {} }),
            json!({ "run": { "token": 10 } }),
            json!({ "day": { "dollars": "5" } }),
            json!({ "run": 7 }),
        ] {
            assert!(of(slip.clone()).check().is_err(), "{slip:?}");
        }
    }

    #[test]
    fn issue_17_01_the_caller_of_a_webhook_has_a_session_too() {
        let of = |started_with: Value| session_of(Some(&started_with), None);
        let body = json!({ "headers": {}, "query": {}, "body": { "sessionId": "ada" } });
        assert_eq!(of(body).as_deref(), Some("ada"));
        let query = json!({ "query": { "sessionId": 7 }, "body": { "sessionId": {} } });
        assert_eq!(of(query).as_deref(), Some("7"));
        assert_eq!(
            of(json!({ "sessionId": "top", "body": { "sessionId": "ada" } })).unwrap(),
            "top"
        );
        assert_eq!(of(json!({ "body": "sessionId" })), None);
    }

    #[tokio::test]
    async fn a_called_run_spends_what_its_caller_may() {
        let limited = |tokens, above| {
            Spending::new(
                SpendingLimit { tokens: Some(tokens), dollars: None },
                Arc::default(),
                above,
            )
        };
        let caller = limited(50, None);
        let called = limited(1000, Some(caller.clone()));
        let opened =
            BudgetReservation::open(&called.claims(), SpendingTotal::default()).await.unwrap();
        opened.spend(&ModelUsage { input: 50, dollars: Some(0.01), ..ModelUsage::default() });
        assert_eq!((caller.spent().tokens, caller.spent().dollars), (50, 0.01));
        let refused = BudgetReservation::open(&called.claims(), SpendingTotal::default()).await;
        assert!(refused.is_err(), "its own limit is far away, the caller's is not");
    }
}
