//! The strategy of native tool calls: ask the model, run what it calls, show it the results, until
//! it answers.

mod approval;
mod client_tools;
mod loop_state;
mod options;
mod tool_calls;

pub use client_tools::with_results;
pub use options::{AgentOptions, ApprovalPolicy, OnLimit};
pub use tool_calls::call_tool;

use crate::ask::{self, complaint, refusal_error};
use crate::guard::ToolGuard;
use crate::host::{AgentError, AgentEvent, AgentHost};
use crate::record::{AgentOutcome, EndReason, Record};
use crate::remember::{MemorySession, recall, remember};
use crate::sources::answer_sources;
use crate::stages;
use crate::structured_output;
use futures::future::Either;
use loop_state::{AgentLoopState, FinalReply, LastWords, newest, with_unique_ids};
use model::{AgentStage, Code, SpendingLimit, SpendingTotal, Str};
use ports::ai::{
    ChatModel, ChatRequest, Exposure, Message, ModelError, ModelReply, OutputFormat, OutputParser,
    StopReason, ToolCall, ToolChoice,
};
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

/// What a model is told when it has to come to an end.
const CONCLUDE: &str =
    "You have used all your steps. Answer now with what you know, and say what is missing.";

/// The share of a budget after which an agent that is to conclude does so with the rest.
const CONCLUDE_AT: f64 = 0.9;

/// The key of the answer to that.
const CONCLUSION: &str = "conclusion";

pub struct ToolsAgent {
    pub model: Arc<dyn ChatModel>,
    pub guard: ToolGuard,
    pub memory: Option<MemorySession>,
    pub options: AgentOptions,
}

impl ToolsAgent {
    pub async fn run(
        &self,
        world: &dyn AgentHost,
        user: Message,
    ) -> Result<AgentOutcome, AgentError> {
        let last_words = LastWords::default();
        let work = self.work(world, user, None, last_words.clone());
        self.run_and_report(world, work, &last_words).await
    }

    /// The same with an answer that a parser has read.
    pub async fn run_structured(
        &self,
        world: &dyn AgentHost,
        user: Message,
        parser: &dyn OutputParser,
    ) -> Result<AgentOutcome, AgentError> {
        let last_words = LastWords::default();
        let work = self.work(world, user, Some(parser), last_words.clone());
        self.run_and_report(world, work, &last_words).await
    }

    async fn run_and_report(
        &self,
        world: &dyn AgentHost,
        work: impl Future<Output = Result<AgentOutcome, AgentError>>,
        last_words: &LastWords,
    ) -> Result<AgentOutcome, AgentError> {
        world.emit(AgentEvent::Started).await;
        let outcome =
            self.guard.until_stopped(self.run_with_timeout(world, work, last_words)).await;
        let event = match &outcome {
            Ok(AgentOutcome { end_reason: ended, record, .. }) => AgentEvent::Done {
                ended: *ended,
                iterations: record.iterations,
                duration_ms: record.duration_ms,
                sources: record.sources.clone(),
            },
            // It is not over. Whoever lets go of it tells that it waits.
            Err(AgentError::Approval { .. }) => return outcome,
            Err(_) => AgentEvent::Failed,
        };
        world.emit(event).await;
        outcome
    }

    async fn run_with_timeout(
        &self,
        world: &dyn AgentHost,
        work: impl Future<Output = Result<AgentOutcome, AgentError>>,
        last_words: &LastWords,
    ) -> Result<AgentOutcome, AgentError> {
        let work = pin!(work);
        let Some(limit_ms) = self.options.timeout_ms else { return work.await };
        match futures::future::select(work, pin!(world.sleep(limit_ms))).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(_) => Err(AgentError::Timeout { limit_ms, partial: last_words.get() }),
        }
    }

    async fn work(
        &self,
        world: &dyn AgentHost,
        user: Message,
        form: Option<&dyn OutputParser>,
        last_words: LastWords,
    ) -> Result<AgentOutcome, AgentError> {
        let began = world.now_ms();
        let detail = stages::given(&user, self.guard.tools().count(), self.memory.as_ref());
        world.record_stage(AgentStage::Preprocess, detail).await;
        let past = match &self.memory {
            Some(remembering) => Some(recall(world, remembering, &user.text()).await?),
            None => None,
        };
        let before = past.as_ref().map(|past| past.messages.clone()).unwrap_or_default();
        let mut history = newest(before, self.options.max_history_tokens);
        // What was said in earlier turns may repeat what a stranger had the model read then.
        let untrusted = (!history.is_empty() && self.guard.brings_untrusted())
            || past.as_ref().is_some_and(|past| past.has_entries)
            || !self.options.turn_so_far.is_empty();
        history.extend(self.options.opening.iter().cloned());
        let mut run = AgentLoopState::new(&self.system_prompt(form), history, user, last_words);
        run.prior_exposure = Exposure { untrusted, private: self.memory.is_some() };
        run.record.recalled = past.as_ref().map(|past| past.sources.clone()).unwrap_or_default();
        for message in &self.options.turn_so_far {
            run.push(message.clone());
        }
        let last = self.converse(world, &mut run, form).await?;
        // A turn that was handed over is not over yet; the run that ends it remembers all of it.
        if let (Some(remembering), Some(past), true) =
            (&self.memory, &past, last.ended != EndReason::Handoff)
        {
            remember(world, remembering, &past.turn, &run.turn_messages).await?;
        }
        run.record.duration_ms = (world.now_ms() - began).max(0) as u64;
        run.record.messages = run.turn_messages;
        let Record { recalled, tool_uses, .. } = &run.record;
        run.record.sources = answer_sources(recalled, tool_uses, &self.guard, &last.answer);
        world.record_stage(AgentStage::Output, stages::answered(last.ended, &run.record)).await;
        Ok(AgentOutcome {
            answer: last.answer,
            value: last.value,
            end_reason: last.ended,
            record: run.record,
        })
    }

    fn system_prompt(&self, form: Option<&dyn OutputParser>) -> Str {
        let own = &self.options.system_prompt;
        let is_told = |parser: &&dyn OutputParser| {
            self.options.answer_format == OutputFormat::Text || parser.schema().is_none()
        };
        match form.filter(is_told).map(structured_output::instructions) {
            None => own.clone(),
            Some(instructions) if own.is_empty() => instructions,
            Some(instructions) => format!("{own}\n\n{instructions}").into(),
        }
    }

    async fn converse(
        &self,
        world: &dyn AgentHost,
        run: &mut AgentLoopState,
        form: Option<&dyn OutputParser>,
    ) -> Result<FinalReply, AgentError> {
        let mut repairs = 0;
        for iteration in 1..=self.options.max_iterations.max(1) {
            if world.is_cancelled() {
                return Err(AgentError::Cancelled);
            }
            if let Some(reached) = self.budget_reached(&run.record) {
                return self.end_at_limit(world, run, form, EndReason::Budget, reached).await;
            }
            run.record.iterations = iteration;
            world.emit(AgentEvent::Iteration { number: iteration }).await;
            // A tool that is demanded for ever would never let the model answer.
            let tool_choice =
                if run.record.tool_uses.is_empty() && self.options.turn_so_far.is_empty() {
                    self.options.tool_choice.clone()
                } else {
                    ToolChoice::Auto
                };
            let key = format!("model {iteration}");
            let mut turn = match self.ask(world, run, &key, tool_choice, form).await {
                Err(AgentError::Model(error)) if error.code == Code::BUDGET_REACHED => {
                    return self.end_at_budget(run, error);
                }
                other => other?,
            };
            turn.message = with_unique_ids(turn.message);
            let calls: Vec<ToolCall> = turn.message.tool_calls().cloned().collect();
            if calls.is_empty() {
                match turn.stop {
                    StopReason::Pause => {
                        run.push(turn.message);
                        continue;
                    }
                    StopReason::ContentFilter | StopReason::Refusal => {
                        return Err(refusal_error(&turn));
                    }
                    _ => {}
                }
            }
            if let Some(parser) = form
                && let Some(given) = structured_output::final_reply(&calls)
                    .or_else(|| calls.is_empty().then(|| turn.message.clone()))
            {
                match structured_output::parse_final(world, &key, parser, &given).await {
                    Ok((answer, value)) => {
                        // The call of the form is how the answer was given, not something to be
                        // remembered.
                        run.push(Message::assistant(answer.clone()));
                        return Ok(FinalReply {
                            answer,
                            value: Some(value),
                            ended: EndReason::Completed,
                        });
                    }
                    Err(error @ AgentError::Format(_)) if repairs < self.options.max_repairs => {
                        repairs += 1;
                        run.reject_answer(turn.message, &calls, &complaint(&error));
                        continue;
                    }
                    Err(error) => return Err(error),
                }
            }
            run.push(turn.message.clone());
            if calls.is_empty() {
                return Ok(FinalReply {
                    answer: turn.message.text(),
                    value: None,
                    ended: EndReason::Completed,
                });
            }
            if let Some(last) = self.hand_off(world, run, iteration, &calls).await? {
                return Ok(last);
            }
            let results = self.caller().call_all(world, run, iteration, &calls).await?;
            let is_wrong = results.iter().all(|made| !made.was_admitted);
            repairs = if is_wrong { repairs + 1 } else { 0 };
            if repairs > self.options.max_repairs {
                let words =
                    results.first().map(|made| made.used.content.clone()).unwrap_or_default();
                let message = format!("The model repeatedly made invalid tool calls: {words}");
                return Err(AgentError::Model(ModelError::new(Code::MODEL_ERROR, message)));
            }
            run.take_results(&calls, results);
        }
        let reached = format!("Max iterations ({}) reached", self.options.max_iterations);
        self.end_at_limit(world, run, form, EndReason::MaxIterations, reached).await
    }

    /// Whether the agent's own budget is used up, or so far that what is left is for a conclusion.
    fn budget_reached(&self, record: &Record) -> Option<String> {
        let keeps_a_rest = self.options.on_limit == OnLimit::Conclude;
        let share = if keeps_a_rest { CONCLUDE_AT } else { 1.0 };
        let usable = SpendingLimit {
            tokens: self.options.budget.tokens.map(|tokens| (tokens as f64 * share).ceil() as u64),
            dollars: self.options.budget.dollars.map(|dollars| dollars * share),
        };
        let sum = SpendingTotal {
            tokens: record.usage.input.saturating_add(record.usage.output),
            dollars: record.cost.unwrap_or(0.0),
        };
        usable.reached_by(sum).map(|reached| format!("The agent's budget is used up: {reached}"))
    }

    async fn end_at_limit(
        &self,
        world: &dyn AgentHost,
        run: &mut AgentLoopState,
        form: Option<&dyn OutputParser>,
        ended: EndReason,
        reached: String,
    ) -> Result<FinalReply, AgentError> {
        match self.options.on_limit {
            OnLimit::Error => {
                let error = ModelError::new(Code::AGENT_LIMIT, reached);
                let error = error.hint(
                    "Raise the agent's limit, or let the agent conclude when it reaches the limit.",
                );
                Err(AgentError::Limit { error, end_reason: ended, partial: run.last_text() })
            }
            OnLimit::Partial => Ok(FinalReply { answer: run.last_text(), value: None, ended }),
            OnLimit::Conclude => {
                run.messages.push(Message::user(CONCLUDE));
                let asked = self.ask(world, run, CONCLUSION, ToolChoice::None, form).await;
                run.messages.pop();
                let turn = match asked {
                    Err(AgentError::Model(error)) if error.code == Code::BUDGET_REACHED => {
                        return self.end_at_budget(run, error);
                    }
                    other => other?,
                };
                let answer = turn.message.text();
                let value = match form {
                    Some(parser) => Some(
                        structured_output::parse_final(world, CONCLUSION, parser, &turn.message)
                            .await?
                            .1,
                    ),
                    None => None,
                };
                run.push(turn.message);
                Ok(FinalReply { answer, value, ended })
            }
        }
    }

    /// Nothing may be asked any more, not even for a conclusion.
    fn end_at_budget(
        &self,
        run: &AgentLoopState,
        error: ModelError,
    ) -> Result<FinalReply, AgentError> {
        match self.options.on_limit {
            OnLimit::Error => {
                let end_reason = EndReason::Budget;
                Err(AgentError::Limit { error, end_reason, partial: run.last_text() })
            }
            OnLimit::Partial | OnLimit::Conclude => {
                Ok(FinalReply { answer: run.last_text(), value: None, ended: EndReason::Budget })
            }
        }
    }

    /// One answer of the model: the one that was kept, or a new one that is.
    async fn ask(
        &self,
        world: &dyn AgentHost,
        run: &mut AgentLoopState,
        key: &str,
        tool_choice: ToolChoice,
        form: Option<&dyn OutputParser>,
    ) -> Result<ModelReply, AgentError> {
        let is_offered = tool_choice != ToolChoice::None || key != CONCLUSION;
        let own = self.guard.tools().map(|tool| tool.definition().clone());
        let by_tool = form.filter(|_| self.options.answer_format == OutputFormat::Text);
        let tools = own
            .chain(by_tool.and_then(structured_output::tool))
            .filter(|_| is_offered)
            .collect::<Vec<_>>();
        let tool_choice = match tool_choice {
            _ if tools.is_empty() => ToolChoice::None,
            ToolChoice::None if by_tool.is_some() => ToolChoice::Auto,
            chosen => chosen,
        };
        let request = ChatRequest {
            messages: run.messages.clone(),
            tools,
            tool_choice,
            format: self.options.answer_format.clone(),
            ..ChatRequest::default()
        };
        let turn = ask::ask(world, self.model.as_ref(), key, request).await?;
        run.record.usage.add(&turn.usage);
        let dollars = self.model.info().price.map(|price| price.of(&turn.usage));
        run.record.cost = match (run.record.cost, dollars) {
            (before, Some(more)) => Some(before.unwrap_or(0.0) + more),
            (before, None) => before,
        };
        Ok(turn)
    }
}
