//! What a run may spend on models. Checked before each call, so that no limit is passed by more than the calls under way.

use model::{Code, SpendingLimit, Spent, SpentSum, Str, Value, Workflow};
use node_api::ai::ModelError;
use std::sync::{Arc, Mutex, PoisonError};

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
        let Some(given) = workflow.setting("budget").filter(|given| !given.is_nullish()) else { return Self::default() };
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
            true => {
                Err(ModelError::new(Code::BUDGET_REACHED, "The budget in the workflow's settings cannot be read, so that nothing is spent")
                    .hint("Write { \"run\": { \"tokens\": 50000, \"dollars\": 0.5 } }; there are run, session and day."))
            }
            false => Ok(()),
        }
    }
}

/// What a run has spent, and what the runs that called it have with it.
#[derive(Default)]
pub struct Spending {
    limit: SpendingLimit,
    sum: Mutex<Sum>,
    /// The run that called this one.
    above: Option<Arc<Spending>>,
}

#[derive(Clone, Copy, Default)]
struct Sum {
    spent: SpentSum,
    /// Tokens that calls under way will at least use.
    reserved: u64,
}

impl Spending {
    pub fn new(limit: SpendingLimit, spent: SpentSum, above: Option<Arc<Spending>>) -> Arc<Self> {
        Arc::new(Self { limit, sum: Mutex::new(Sum { spent, reserved: 0 }), above })
    }

    /// Lets a call begin that will use at least so many tokens, unless a limit is reached.
    pub(crate) fn reserve(self: &Arc<Self>, tokens: u64) -> Result<Reserved, ModelError> {
        self.check()?;
        self.each(|sum| sum.reserved = sum.reserved.saturating_add(tokens));
        Ok(Reserved { spending: self.clone(), tokens })
    }

    pub fn spent(&self) -> SpentSum {
        self.sum().spent
    }

    fn check(&self) -> Result<(), ModelError> {
        let Sum { spent, reserved } = *self.sum();
        let expected = SpentSum { tokens: spent.tokens.saturating_add(reserved), ..spent };
        if let Some(reached) = self.limit.reached_by(expected) {
            return Err(exceeded("this run", &reached));
        }
        self.above.as_ref().map_or(Ok(()), |above| above.check())
    }

    fn each(&self, change: impl Fn(&mut Sum)) {
        change(&mut self.sum());
        if let Some(above) = &self.above {
            above.each(change);
        }
    }

    fn sum(&self) -> std::sync::MutexGuard<'_, Sum> {
        self.sum.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that may be made. What it used takes the place of what was reserved for it.
pub(crate) struct Reserved {
    spending: Arc<Spending>,
    tokens: u64,
}

impl Reserved {
    pub(crate) fn spend(self, spent: &Spent) {
        self.spending.each(|sum| sum.spent.add(spent));
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.spending.each(|sum| sum.reserved = sum.reserved.saturating_sub(self.tokens));
    }
}

/// Why a model is not asked.
pub fn exceeded(whose: &str, reached: &str) -> ModelError {
    ModelError::new(Code::BUDGET_REACHED, format!("The budget of {whose} is used up: {reached}"))
        .hint("Raise the budget in the workflow's settings (or the operator's, for the instance), or wait for the next day.")
}

/// Who spends, beyond the run itself.
#[derive(Clone, Debug)]
pub struct Spender {
    pub workflow_id: Str,
    pub session: Option<Str>,
    pub budgets: Budgets,
}

/// The session of what started a run, if it names one.
pub(crate) fn session_of(started_with: Option<&Value>) -> Option<Str> {
    match started_with?.get("sessionId")? {
        Value::String(session) if !session.is_empty() => Some(session.clone()),
        Value::Number(number) => Some(model::number_to_string(*number).into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn spent(tokens: u64, dollars: f64) -> Spent {
        Spent { input: tokens, dollars: Some(dollars), ..Spent::default() }
    }

    fn limited(tokens: u64, above: Option<Arc<Spending>>) -> Arc<Spending> {
        Spending::new(SpendingLimit { tokens: Some(tokens), dollars: None }, SpentSum::default(), above)
    }

    #[test]
    fn a_budget_with_a_slip_of_the_pen_is_no_licence_to_spend() {
        let of = |budget: Value| Budgets::of(&Workflow::from_value(&json!({ "settings": { "budget": budget } })).unwrap());
        let fine = of(json!({ "run": { "tokens": 10, "dollars": 0.5 }, "day": {} }));
        assert_eq!(fine.run, SpendingLimit { tokens: Some(10), dollars: Some(0.5) });
        assert!(fine.check().is_ok() && of(Value::Null).check().is_ok());
        for slip in
            [json!(5), json!({ "runs": {} }), json!({ "run": { "token": 10 } }), json!({ "day": { "dollars": "5" } }), json!({ "run": 7 })]
        {
            assert!(of(slip.clone()).check().is_err(), "{slip:?}");
        }
    }

    #[test]
    fn calls_under_way_count_before_they_have_ended() {
        let run = limited(100, None);
        let first = run.reserve(60).unwrap();
        let second = run.reserve(60).unwrap();
        assert_eq!(run.reserve(1).err().map(|error| error.code), Some(Code::BUDGET_REACHED), "two calls will use it up");
        drop(second);
        assert!(run.reserve(1).is_ok(), "one that failed gives back what it did not use");
        first.spend(&spent(100, 0.0));
        assert!(run.reserve(1).is_err());
        assert_eq!(run.spent().tokens, 100);
    }

    #[test]
    fn a_called_run_spends_what_its_caller_may() {
        let caller = limited(50, None);
        let called = limited(1000, Some(caller.clone()));
        called.reserve(0).unwrap().spend(&spent(50, 0.01));
        assert_eq!((caller.spent().tokens, caller.spent().dollars), (50, 0.01));
        assert!(called.reserve(0).is_err(), "its own limit is far away, the caller's is not");
    }
}
