//! Decides by where data comes from and where it goes whether a tool may be called unasked. Pure:
//! it is told what happened.
//!
//! The rule: once an agent has text of strangers before it and can get at private data, it sends
//! nothing to a place that the model chooses. What the author of the workflow wrote down (a host, a
//! recipient, a database) is a place of the author's choice.

use model::{Code, Str};
use ports::ai::{EgressTarget, Exposure};

/// Whether a call may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowDecision {
    Free,
    /// Only if a person approves it.
    NeedsApproval,
}

/// The rule. `is_trusted` says that the author lets this tool send anything anywhere.
pub fn decide(met: Exposure, sends: EgressTarget, is_trusted: bool) -> FlowDecision {
    match sends {
        EgressTarget::ModelChosen if met.untrusted && met.private && !is_trusted => {
            FlowDecision::NeedsApproval
        }
        EgressTarget::Nowhere | EgressTarget::Declared | EgressTarget::ModelChosen => {
            FlowDecision::Free
        }
    }
}

/// What a model is told about a call that is not made.
pub(crate) fn refusal(tool: &str) -> Str {
    format!(
        "'{tool}' was not called ({}): it would send data to a destination chosen after \
             untrusted content was read, and nobody approved that. Do not try other ways to send \
             it. Continue without it, and say what is missing.",
        Code::AGENT_OUTWARD.name()
    )
    .into()
}

/// What whoever looks at the run is told about it.
pub(crate) fn warning(tool: &str) -> Str {
    format!(
        "A call of '{tool}' was rejected ({}): the model chose the destination after reading \
             untrusted content. Allow the host in the tool, require approval before tools run, or \
             add the tool to \"May send anywhere\".",
        Code::AGENT_OUTWARD.name()
    )
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_all_three_together_need_a_person() {
        for untrusted in [false, true] {
            for private in [false, true] {
                for sends in
                    [EgressTarget::Nowhere, EgressTarget::Declared, EgressTarget::ModelChosen]
                {
                    let ruling = decide(Exposure { untrusted, private }, sends, false);
                    let expected = untrusted && private && sends == EgressTarget::ModelChosen;
                    assert_eq!(
                        ruling == FlowDecision::NeedsApproval,
                        expected,
                        "{untrusted} {private} {sends:?}"
                    );
                    assert_eq!(
                        decide(Exposure { untrusted, private }, sends, true),
                        FlowDecision::Free
                    );
                }
            }
        }
    }
}
