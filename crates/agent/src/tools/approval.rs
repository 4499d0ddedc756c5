//! Asks a person before a tool is called, and goes by what they decide.

use super::loop_state::{AgentLoopState, RejectedCall};
use super::options::ApprovalPolicy;
use super::tool_calls::ToolCaller;
use crate::flow::{self, FlowDecision, decide};
use crate::host::{AgentError, AgentEvent, AgentHost};
use model::{Str, Value};
use ports::ai::{EgressTarget, Exposure, ToolCall, ToolEffect};
use ports::checkpoints::{self, ApprovalRequest, ApprovalVerdict, DecisionRecord};
use ports::policy::{PolicyCall, PolicyDecision, words};

/// Whether a call may be made.
pub(super) enum CallPermit {
    Granted,
    /// It is not made, and the model is told so.
    Refused(Str),
    /// A person is asked, who has time until then.
    Asked {
        until_ms: i64,
    },
}

/// What a call would do.
#[derive(Clone, Copy)]
pub(super) struct CallAction {
    pub(super) effect: ToolEffect,
    pub(super) sends: EgressTarget,
}

impl ToolCaller<'_> {
    /// Whether a call that does this may be made: by the operator's policy, by what the author wants
    /// to be asked about, and by where data comes from and goes.
    pub(super) async fn authorize(
        &self,
        world: &dyn AgentHost,
        run: &AgentLoopState,
        key: &str,
        (call, arguments): (&ToolCall, &Value),
        deed: CallAction,
        asked: &PolicyCall<'_>,
    ) -> Result<CallPermit, AgentError> {
        let (asks, anywhere) = match self.guard.policy().policy.decide(asked) {
            PolicyDecision::Deny { rule, reason } => {
                world.emit(AgentEvent::Warning(words::denial_warning(&call.name, &rule))).await;
                return Ok(CallPermit::Refused(words::denial(&call.name, &rule, &reason)));
            }
            PolicyDecision::Approve { rule } if !self.options.can_wait => {
                world.emit(AgentEvent::Warning(words::denial_warning(&call.name, &rule))).await;
                return Ok(CallPermit::Refused(words::nobody_to_ask(&call.name, &rule)));
            }
            PolicyDecision::Approve { .. } => (true, false),
            PolicyDecision::Allow { anywhere } => (false, anywhere),
        };
        let is_trusted = anywhere || self.options.trusted.contains(&call.name);
        let ruling = decide(self.exposure(run), deed.sends, is_trusted);
        let asks = asks || self.asks_before(&call.name, deed);
        match ruling {
            FlowDecision::Free if !asks => Ok(CallPermit::Granted),
            // Nobody is asked where nobody expects to be.
            FlowDecision::NeedsApproval
                if !asks && self.options.approval == ApprovalPolicy::Never =>
            {
                world.emit(AgentEvent::Warning(flow::warning(&call.name))).await;
                Ok(CallPermit::Refused(flow::refusal(&call.name)))
            }
            FlowDecision::Free | FlowDecision::NeedsApproval => {
                self.request_approval(world, run, key, call, arguments).await
            }
        }
    }

    /// What the loop has come across. Calls of one turn were all thought of before any of them had
    /// a result.
    pub(super) fn exposure(&self, run: &AgentLoopState) -> Exposure {
        let uses = &run.record.tool_uses;
        // What an effect only showed of is as little known as what came back from there.
        let untrusted = uses.iter().any(|used| used.reached_out);
        self.guard.exposure(
            run.prior_exposure.and(Exposure { untrusted, private: false }),
            uses.iter().map(|used| &used.name),
        )
    }

    fn asks_before(&self, tool: &Str, deed: CallAction) -> bool {
        let by_effect = match self.options.approval {
            ApprovalPolicy::Never => false,
            // A request that only reads still carries out what its address holds.
            ApprovalPolicy::Changes => {
                deed.effect == ToolEffect::Changes || deed.sends == EgressTarget::ModelChosen
            }
            ApprovalPolicy::All => true,
        };
        by_effect || self.options.ask_before.contains(tool)
    }

    /// Whether a person lets a call be made. One that nobody was asked about yet is asked about
    /// now.
    async fn request_approval(
        &self,
        world: &dyn AgentHost,
        run: &AgentLoopState,
        key: &str,
        call: &ToolCall,
        arguments: &Value,
    ) -> Result<CallPermit, AgentError> {
        let note = checkpoints::approval_key(key);
        let digest = checkpoints::call_digest(&call.name, arguments);
        // What was decided about another call says nothing about this one.
        let known = world
            .recorded_step(&note)
            .as_ref()
            .and_then(ApprovalRequest::from_value)
            .filter(|asked| asked.digest == digest);
        if let Some(ApprovalRequest { decision: Some(decided), .. }) = &known {
            return Ok(match decided.verdict {
                ApprovalVerdict::Approved => CallPermit::Granted,
                ApprovalVerdict::Rejected => {
                    CallPermit::Refused(rejected(&call.name, decided.reason.as_ref()))
                }
            });
        }
        let earlier = run.rejections.iter().cloned().chain(rejected_in_turn(world, key));
        if let Some(rejection) = { earlier }.find(|rejection| rejection.digest == digest) {
            return Ok(CallPermit::Refused(rejected_before(&call.name, rejection.reason.as_ref())));
        }
        let now_ms = world.now_ms();
        let until_ms = match known {
            Some(asked) if now_ms >= asked.until_ms => {
                return Ok(CallPermit::Refused(
                    format!(
                        "Nobody approved this call of '{}' in time. It was not made.",
                        call.name
                    )
                    .into(),
                ));
            }
            Some(asked) => asked.until_ms,
            None => {
                let until_ms = now_ms.saturating_add_unsigned(self.options.approval_timeout_ms);
                let asked =
                    ApprovalRequest::new(call.name.clone(), arguments.clone(), now_ms, until_ms);
                world
                    .record_step(&note, asked.to_value())
                    .await
                    .map_err(AgentError::RecordFailed)?;
                world
                    .emit(AgentEvent::Approval {
                        call_id: call.id.clone(),
                        call: world.full_key(key),
                        asked: Box::new(asked),
                    })
                    .await;
                until_ms
            }
        };
        world.mark_waiting_for_person(until_ms);
        Ok(CallPermit::Asked { until_ms })
    }
}

/// What a person has rejected under this key.
pub(super) fn recorded_rejection(world: &dyn AgentHost, key: &str) -> Option<RejectedCall> {
    let asked = world
        .recorded_step(&checkpoints::approval_key(key))
        .as_ref()
        .and_then(ApprovalRequest::from_value)?;
    match asked.decision {
        Some(DecisionRecord { verdict: ApprovalVerdict::Rejected, reason, .. }) => {
            Some(RejectedCall { digest: asked.digest, reason })
        }
        _ => None,
    }
}

/// What was rejected of the calls before this one in the same turn: they were all asked about at
/// once.
fn rejected_in_turn(world: &dyn AgentHost, key: &str) -> Vec<RejectedCall> {
    let Some((turn, number)) = key.rsplit_once('.') else { return Vec::new() };
    let number: usize = number.parse().unwrap_or(1);
    (1..number)
        .filter_map(|earlier| recorded_rejection(world, &format!("{turn}.{earlier}")))
        .collect()
}

fn rejected(tool: &str, reason: Option<&Str>) -> Str {
    format!("A person rejected this call of '{tool}'{}. It was not made.", because(reason)).into()
}

fn rejected_before(tool: &str, reason: Option<&Str>) -> Str {
    format!("A person has already rejected this exact call of '{tool}'{}. It was not made, and approval \
         is not requested again.", because(reason))
        .into()
}

fn because(reason: Option<&Str>) -> String {
    reason.map(|reason| format!(" ({})", reason.trim().trim_end_matches('.'))).unwrap_or_default()
}
