//! What asking models costs.

use crate::Str;

/// One answer of a model, as it is paid for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelUsage {
    pub provider: Str,
    pub model: Str,
    /// Whose conversation it was for, if anybody's.
    pub session: Option<Str>,
    pub at_ms: i64,
    /// Tokens; what was read from a cache is part of the input.
    pub input: u64,
    pub cached: u64,
    pub output: u64,
    /// US dollars, where the price is known.
    pub dollars: Option<f64>,
}

impl ModelUsage {
    pub fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// How much may be spent; nothing said is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpendingLimit {
    pub tokens: Option<u64>,
    pub dollars: Option<f64>,
}

/// What was spent so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpendingTotal {
    pub tokens: u64,
    pub dollars: f64,
}

impl SpendingTotal {
    pub fn add(&mut self, spent: &ModelUsage) {
        self.tokens = self.tokens.saturating_add(spent.tokens());
        self.dollars += spent.dollars.unwrap_or(0.0);
    }
}

impl SpendingLimit {
    pub fn is_none(&self) -> bool {
        self.tokens.is_none() && self.dollars.is_none()
    }

    /// Which limit a sum has reached, in words; `None` if more may be spent.
    pub fn reached_by(&self, sum: SpendingTotal) -> Option<String> {
        match (self.tokens, self.dollars) {
            (Some(most), _) if sum.tokens >= most => {
                Some(format!("{} of {most} tokens used", sum.tokens))
            }
            (_, Some(most)) if sum.dollars >= most => {
                Some(format!("${:.4} of ${most} spent", sum.dollars))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_reached_when_all_of_it_is_spent() {
        let limit = SpendingLimit { tokens: Some(100), dollars: Some(0.5) };
        let sum = |tokens, dollars| SpendingTotal { tokens, dollars };
        assert_eq!(limit.reached_by(sum(99, 0.49)), None);
        assert_eq!(limit.reached_by(sum(100, 0.0)).as_deref(), Some("100 of 100 tokens used"));
        assert_eq!(limit.reached_by(sum(0, 0.5)).as_deref(), Some("$0.5000 of $0.5 spent"));
        assert_eq!(SpendingLimit::default().reached_by(sum(u64::MAX, f64::MAX)), None);
        assert!(
            SpendingLimit { tokens: Some(0), dollars: None }.reached_by(sum(0, 0.0)).is_some(),
            "nothing may be spent at all"
        );
    }
}
