//! Asks a person before a tool is called, and goes by what they decide.

use super::ToolsAgent;
use super::conversation::{Conversation, Rejection};
use super::options::Approval;
use crate::flow::{self, Ruling, rule};
use crate::world::{AgentError, AgentEvent, World};
use model::{Str, Value};
use node_api::ai::{Effect, Exposure, Sends, ToolCall};
use node_api::notes::{self, Asked, Decided, Verdict};

/// Whether a call may be made.
pub(super) enum Permit {
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
pub(super) struct Deed {
    pub(super) effect: Effect,
    pub(super) sends: Sends,
}

impl ToolsAgent {
    /// Whether a call that does this may be made: by what the author wants to be asked about, and
    /// by where data comes from and goes.
    pub(super) async fn clear(
        &self,
        world: &dyn World,
        run: &Conversation,
        key: &str,
        (call, arguments): (&ToolCall, &Value),
        deed: Deed,
    ) -> Result<Permit, AgentError> {
        let ruling =
            rule(self.exposure(run), deed.sends, self.options.trusted.contains(&call.name));
        let asks = self.asks_before(&call.name, deed);
        match ruling {
            Ruling::Free if !asks => Ok(Permit::Granted),
            // Nobody is asked where nobody expects to be.
            Ruling::NeedsApproval if !asks && self.options.approval == Approval::Never => {
                world.tell(AgentEvent::Warning(flow::warning(&call.name))).await;
                Ok(Permit::Refused(flow::refusal(&call.name)))
            }
            Ruling::Free | Ruling::NeedsApproval => {
                self.permit(world, run, key, call, arguments).await
            }
        }
    }

    /// What the loop has come across. Calls of one turn were all thought of before any of them had
    /// a result.
    pub(super) fn exposure(&self, run: &Conversation) -> Exposure {
        let uses = &run.record.tool_uses;
        // What an effect only showed of is as little known as what came back from there.
        let untrusted = uses.iter().any(|used| used.reached_out);
        self.guard.exposure(
            run.met.and(Exposure { untrusted, private: false }),
            uses.iter().map(|used| &used.name),
        )
    }

    fn asks_before(&self, tool: &Str, deed: Deed) -> bool {
        let by_effect = match self.options.approval {
            Approval::Never => false,
            // A request that only reads still carries out what its address holds.
            Approval::Changes => deed.effect == Effect::Changes || deed.sends == Sends::ModelChosen,
            Approval::All => true,
        };
        by_effect || self.options.ask_before.contains(tool)
    }

    /// Whether a person lets a call be made. One that nobody was asked about yet is asked about
    /// now.
    async fn permit(
        &self,
        world: &dyn World,
        run: &Conversation,
        key: &str,
        call: &ToolCall,
        arguments: &Value,
    ) -> Result<Permit, AgentError> {
        let note = notes::approval(key);
        let digest = notes::digest(&call.name, arguments);
        // What was decided about another call says nothing about this one.
        let known = world
            .note(&note)
            .as_ref()
            .and_then(Asked::from_value)
            .filter(|asked| asked.digest == digest);
        if let Some(Asked { decided: Some(decided), .. }) = &known {
            return Ok(match decided.verdict {
                Verdict::Approved => Permit::Granted,
                Verdict::Rejected => Permit::Refused(rejected(&call.name, decided.reason.as_ref())),
            });
        }
        let earlier = run.rejections.iter().cloned().chain(rejected_in_turn(world, key));
        if let Some(rejection) = { earlier }.find(|rejection| rejection.digest == digest) {
            return Ok(Permit::Refused(rejected_before(&call.name, rejection.reason.as_ref())));
        }
        let now_ms = world.now_ms();
        let until_ms = match known {
            Some(asked) if now_ms >= asked.until_ms => {
                return Ok(Permit::Refused(
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
                let asked = Asked::new(call.name.clone(), arguments.clone(), now_ms, until_ms);
                world.keep(&note, asked.to_value()).await.map_err(AgentError::Kept)?;
                world
                    .tell(AgentEvent::Approval {
                        call_id: call.id.clone(),
                        call: world.full_key(key),
                        asked: Box::new(asked),
                    })
                    .await;
                until_ms
            }
        };
        world.person_is_asked(until_ms);
        Ok(Permit::Asked { until_ms })
    }
}

/// What a person has rejected under this key.
pub(super) fn rejection_noted(world: &dyn World, key: &str) -> Option<Rejection> {
    let asked = world.note(&notes::approval(key)).as_ref().and_then(Asked::from_value)?;
    match asked.decided {
        Some(Decided { verdict: Verdict::Rejected, reason, .. }) => {
            Some(Rejection { digest: asked.digest, reason })
        }
        _ => None,
    }
}

/// What was rejected of the calls before this one in the same turn: they were all asked about at
/// once.
fn rejected_in_turn(world: &dyn World, key: &str) -> Vec<Rejection> {
    let Some((turn, number)) = key.rsplit_once('.') else { return Vec::new() };
    let number: usize = number.parse().unwrap_or(1);
    (1..number).filter_map(|earlier| rejection_noted(world, &format!("{turn}.{earlier}"))).collect()
}

fn rejected(tool: &str, reason: Option<&Str>) -> Str {
    format!("A person rejected this call of '{tool}'{}. It was not made.", because(reason)).into()
}

fn rejected_before(tool: &str, reason: Option<&Str>) -> Str {
    format!("A person has rejected this very call of '{tool}' before{}. It was not made, and nobody is asked again.", because(reason))
        .into()
}

fn because(reason: Option<&Str>) -> String {
    reason.map(|reason| format!(" ({})", reason.trim().trim_end_matches('.'))).unwrap_or_default()
}
