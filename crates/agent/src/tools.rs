//! The strategy of native tool calls: ask the model, run what it calls, show it the results, until it answers.

use crate::ask::{self, complaint, refused};
use crate::form;
use crate::guard::Guard;
use crate::record::{Ended, Outcome, Record, ToolUse};
use crate::remember::{Remembering, recall, remember};
use crate::world::{AgentError, AgentEvent, World};
use futures::future::Either;
use futures::{FutureExt as _, StreamExt as _, stream};
use model::{Code, Object, SpendingLimit, SpentSum, Str, Value};
use node_api::ai::{
    ChatModel, ChatRequest, Effect, Message, ModelError, Parser, Part, Role, Stop, ToolCall, ToolCallContext, ToolChoice, ToolResult, Turn,
};
use node_api::notes;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

/// What a model is told when it has to come to an end.
const CONCLUDE: &str = "You have used all your steps. Answer now with what you know, and say what is missing.";

/// The share of a budget after which an agent that is to conclude does so with the rest.
const CONCLUDE_AT: f64 = 0.9;

/// The key of the answer to that.
const CONCLUSION: &str = "conclusion";

/// The result of a call that happened and whose answer nobody has seen.
const SAID_TO_BE_DONE: &str = "It was done. What it answered is not known.";

/// A rule of thumb; tokenizers differ from model to model.
const LETTERS_IN_A_TOKEN: usize = 4;

/// How a loop is to go.
#[derive(Clone, Debug)]
pub struct Options {
    pub system_prompt: Str,
    /// What stands between what was said before and what the user says now.
    pub opening: Vec<Message>,
    pub max_iterations: usize,
    pub tool_choice: ToolChoice,
    pub timeout_ms: Option<u64>,
    pub on_limit: OnLimit,
    /// Tools that may run at the same time.
    pub parallel_tools: usize,
    /// How often in a row a model may get its calls wrong.
    pub max_repairs: usize,
    /// How often the same call may be made in one run.
    pub max_same_calls: usize,
    /// How many calls of one turn are made.
    pub max_calls_in_a_turn: usize,
    /// What it may spend on its model.
    pub budget: SpendingLimit,
    /// How much of what was said before the model sees, in tokens as they are guessed from the letters.
    pub max_history_tokens: Option<usize>,
    /// The item of the node's input that it works on.
    pub item: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            system_prompt: "You are a helpful AI assistant.".into(),
            opening: Vec::new(),
            max_iterations: 10,
            tool_choice: ToolChoice::Auto,
            timeout_ms: Some(300_000),
            on_limit: OnLimit::Error,
            parallel_tools: 4,
            max_repairs: 2,
            max_same_calls: 3,
            max_calls_in_a_turn: 32,
            budget: SpendingLimit::default(),
            max_history_tokens: None,
            item: 0,
        }
    }
}

/// What becomes of a run that reaches its last iteration, or the end of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnLimit {
    /// It fails.
    Error,
    /// It ends with what the model has said so far.
    Partial,
    /// The model is asked once more, without tools, to answer with what it knows.
    Conclude,
}

pub struct ToolsAgent {
    pub model: Arc<dyn ChatModel>,
    pub guard: Guard,
    pub memory: Option<Remembering>,
    pub options: Options,
}

impl ToolsAgent {
    pub async fn run(&self, world: &dyn World, user: Message) -> Result<Outcome, AgentError> {
        self.run_told(world, self.work(world, user, None)).await
    }

    /// The same with an answer that a parser has read.
    pub async fn run_in_form(&self, world: &dyn World, user: Message, parser: &dyn Parser) -> Result<Outcome, AgentError> {
        self.run_told(world, self.work(world, user, Some(parser))).await
    }

    async fn run_told(&self, world: &dyn World, work: impl Future<Output = Result<Outcome, AgentError>>) -> Result<Outcome, AgentError> {
        world.tell(AgentEvent::Began).await;
        let outcome = self.run_in_time(world, work).await;
        let event = match &outcome {
            Ok(Outcome { ended, record, .. }) => {
                AgentEvent::Done { ended: *ended, iterations: record.iterations, duration_ms: record.duration_ms }
            }
            Err(_) => AgentEvent::Failed,
        };
        world.tell(event).await;
        outcome
    }

    async fn run_in_time(&self, world: &dyn World, work: impl Future<Output = Result<Outcome, AgentError>>) -> Result<Outcome, AgentError> {
        let work = pin!(work);
        let Some(limit_ms) = self.options.timeout_ms else { return work.await };
        match futures::future::select(work, pin!(world.sleep(limit_ms))).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(_) => Err(AgentError::Timeout { limit_ms }),
        }
    }

    async fn work(&self, world: &dyn World, user: Message, form: Option<&dyn Parser>) -> Result<Outcome, AgentError> {
        let began = world.now_ms();
        let past = match &self.memory {
            Some(remembering) => Some(recall(world, remembering, &user.text()).await?),
            None => None,
        };
        let before = past.as_ref().map(|past| past.messages.clone()).unwrap_or_default();
        let mut history = newest(before, self.options.max_history_tokens);
        history.extend(self.options.opening.iter().cloned());
        let mut run = Conversation::new(&self.system_prompt(form), history, user);
        let last = self.converse(world, &mut run, form).await?;
        if let (Some(remembering), Some(past)) = (&self.memory, &past) {
            remember(world, remembering, &past.turn, &run.said).await?;
        }
        run.record.duration_ms = (world.now_ms() - began).max(0) as u64;
        run.record.messages = run.said;
        Ok(Outcome { answer: last.answer, value: last.value, ended: last.ended, record: run.record })
    }

    fn system_prompt(&self, form: Option<&dyn Parser>) -> Str {
        let own = &self.options.system_prompt;
        match form.map(form::instructions) {
            None => own.clone(),
            Some(instructions) if own.is_empty() => instructions,
            Some(instructions) => format!("{own}\n\n{instructions}").into(),
        }
    }

    async fn converse(&self, world: &dyn World, run: &mut Conversation, form: Option<&dyn Parser>) -> Result<Last, AgentError> {
        let mut repairs = 0;
        for iteration in 1..=self.options.max_iterations.max(1) {
            if world.is_cancelled() {
                return Err(AgentError::Cancelled);
            }
            if let Some(reached) = self.budget_reached(&run.record) {
                return self.at_the_limit(world, run, form, Ended::Budget, reached).await;
            }
            run.record.iterations = iteration;
            world.tell(AgentEvent::Iteration { number: iteration }).await;
            // A tool that is demanded for ever would never let the model answer.
            let tool_choice = if run.record.tool_uses.is_empty() { self.options.tool_choice.clone() } else { ToolChoice::Auto };
            let key = format!("model {iteration}");
            let mut turn = match self.ask(world, run, &key, tool_choice, form).await {
                Err(AgentError::Model(error)) if error.code == Code::BUDGET_REACHED => return self.out_of_money(run, error),
                other => other?,
            };
            turn.message = with_unlike_ids(turn.message);
            let calls: Vec<ToolCall> = turn.message.tool_calls().cloned().collect();
            if calls.is_empty() {
                match turn.stop {
                    Stop::Pause => {
                        run.say(turn.message);
                        continue;
                    }
                    Stop::ContentFilter | Stop::Refusal => return Err(refused(&turn)),
                    _ => {}
                }
            }
            if let Some(parser) = form
                && let Some(given) = form::given(&calls).or_else(|| calls.is_empty().then(|| turn.message.clone()))
            {
                match form::answer(world, &key, parser, &given).await {
                    Ok((answer, value)) => {
                        // The call of the form is how the answer was given, not something to be remembered.
                        run.say(Message::assistant(answer.clone()));
                        return Ok(Last { answer, value: Some(value), ended: Ended::Completed });
                    }
                    Err(error @ AgentError::Form(_)) if repairs < self.options.max_repairs => {
                        repairs += 1;
                        run.complain(turn.message, &calls, &complaint(&error));
                        continue;
                    }
                    Err(error) => return Err(error),
                }
            }
            run.say(turn.message.clone());
            if calls.is_empty() {
                return Ok(Last { answer: turn.message.text(), value: None, ended: Ended::Completed });
            }
            let results = self.call_all(world, run, iteration, &calls).await?;
            let is_wrong = results.iter().all(|(_, was_admitted)| !was_admitted);
            repairs = if is_wrong { repairs + 1 } else { 0 };
            if repairs > self.options.max_repairs {
                let words = results.first().map(|(used, _)| used.content.clone()).unwrap_or_default();
                let message = format!("The model kept calling tools wrongly: {words}");
                return Err(AgentError::Model(ModelError::new(Code::MODEL_ERROR, message)));
            }
            let told = calls.iter().zip(&results).map(|(call, (used, _))| ToolResult {
                id: call.id.clone(),
                name: call.name.clone(),
                content: used.content.clone(),
                is_error: used.is_error,
            });
            run.say(Message::results(told.collect::<Vec<_>>()));
            run.record.tool_uses.extend(results.into_iter().map(|(used, _)| used));
        }
        let reached = format!("Max iterations ({}) reached", self.options.max_iterations);
        self.at_the_limit(world, run, form, Ended::MaxIterations, reached).await
    }

    /// Whether the agent's own budget is used up, or so far that what is left is for a conclusion.
    fn budget_reached(&self, record: &Record) -> Option<String> {
        let keeps_a_rest = self.options.on_limit == OnLimit::Conclude;
        let share = if keeps_a_rest { CONCLUDE_AT } else { 1.0 };
        let usable = SpendingLimit {
            tokens: self.options.budget.tokens.map(|tokens| (tokens as f64 * share).ceil() as u64),
            dollars: self.options.budget.dollars.map(|dollars| dollars * share),
        };
        let sum = SpentSum { tokens: record.usage.input.saturating_add(record.usage.output), dollars: record.cost.unwrap_or(0.0) };
        usable.reached_by(sum).map(|reached| format!("The budget of the agent is used up: {reached}"))
    }

    async fn at_the_limit(
        &self,
        world: &dyn World,
        run: &mut Conversation,
        form: Option<&dyn Parser>,
        ended: Ended,
        reached: String,
    ) -> Result<Last, AgentError> {
        match self.options.on_limit {
            OnLimit::Error => {
                let error = ModelError::new(Code::AGENT_LIMIT, reached);
                let error = error.hint("Raise the agent's limit, or let it conclude there.");
                Err(AgentError::Limit { error, partial: run.last_words() })
            }
            OnLimit::Partial => Ok(Last { answer: run.last_words(), value: None, ended }),
            OnLimit::Conclude => {
                run.messages.push(Message::user(CONCLUDE));
                let asked = self.ask(world, run, CONCLUSION, ToolChoice::None, form).await;
                run.messages.pop();
                let turn = match asked {
                    Err(AgentError::Model(error)) if error.code == Code::BUDGET_REACHED => return self.out_of_money(run, error),
                    other => other?,
                };
                let answer = turn.message.text();
                let value = match form {
                    Some(parser) => Some(form::answer(world, CONCLUSION, parser, &turn.message).await?.1),
                    None => None,
                };
                run.say(turn.message);
                Ok(Last { answer, value, ended })
            }
        }
    }

    /// Nothing may be asked any more, not even for a conclusion.
    fn out_of_money(&self, run: &Conversation, error: ModelError) -> Result<Last, AgentError> {
        match self.options.on_limit {
            OnLimit::Error => Err(AgentError::Limit { error, partial: run.last_words() }),
            OnLimit::Partial | OnLimit::Conclude => Ok(Last { answer: run.last_words(), value: None, ended: Ended::Budget }),
        }
    }

    /// One answer of the model: the one that was kept, or a new one that is.
    async fn ask(
        &self,
        world: &dyn World,
        run: &mut Conversation,
        key: &str,
        tool_choice: ToolChoice,
        form: Option<&dyn Parser>,
    ) -> Result<Turn, AgentError> {
        let is_offered = tool_choice != ToolChoice::None || key != CONCLUSION;
        let own = self.guard.tools().map(|tool| tool.definition().clone());
        let tools = own.chain(form.and_then(form::tool)).filter(|_| is_offered).collect::<Vec<_>>();
        let tool_choice = match tool_choice {
            _ if tools.is_empty() => ToolChoice::None,
            ToolChoice::None if form.is_some() => ToolChoice::Auto,
            chosen => chosen,
        };
        let request = ChatRequest { messages: run.messages.clone(), tools, tool_choice, ..ChatRequest::default() };
        let turn = ask::ask(world, self.model.as_ref(), key, request).await?;
        run.record.usage.add(&turn.usage);
        let dollars = self.model.info().price.map(|price| price.of(&turn.usage));
        run.record.cost = match (run.record.cost, dollars) {
            (before, Some(more)) => Some(before.unwrap_or(0.0) + more),
            (before, None) => before,
        };
        Ok(turn)
    }

    /// The results of a turn's calls in their order, and whether each was let through.
    async fn call_all(
        &self,
        world: &dyn World,
        run: &Conversation,
        iteration: usize,
        calls: &[ToolCall],
    ) -> Result<Vec<(ToolUse, bool)>, AgentError> {
        let mut made = Vec::with_capacity(calls.len());
        for (number, call) in calls.iter().enumerate() {
            let earlier = &calls[..number];
            made.push(self.call(world, run, earlier, format!("tool {iteration}.{}", number + 1), call).boxed());
        }
        let results: Vec<_> = stream::iter(made).buffered(self.options.parallel_tools.max(1)).collect().await;
        results.into_iter().collect()
    }

    /// `earlier` are the calls before it in the same turn.
    async fn call(
        &self,
        world: &dyn World,
        run: &Conversation,
        earlier: &[ToolCall],
        key: String,
        call: &ToolCall,
    ) -> Result<(ToolUse, bool), AgentError> {
        let arguments = call.arguments.to_value();
        let used = |content: Str, is_error: bool, started_ms: i64, duration_ms: u64| ToolUse {
            call_id: call.id.clone(),
            name: call.name.clone(),
            arguments: arguments.clone(),
            content,
            is_error,
            started_ms,
            duration_ms,
        };
        let started_ms = world.now_ms();
        if earlier.len() >= self.options.max_calls_in_a_turn {
            let most = self.options.max_calls_in_a_turn;
            let words = format!("Only {most} calls of one turn are made. Call the tool again if you still need it.");
            return Ok((used(words.into(), true, started_ms, 0), false));
        }
        let before = run.record.tool_uses.iter().filter(|earlier| earlier.name == call.name && earlier.arguments == arguments).count();
        let same = before + earlier.iter().filter(|earlier| earlier.name == call.name && earlier.arguments == call.arguments).count();
        if same >= self.options.max_same_calls {
            let words =
                format!("'{}' was called {same} times with these arguments. Use the results you have, or try something else.", call.name);
            return Ok((used(words.into(), true, started_ms, 0), false));
        }
        let (tool, checked) = match self.guard.admit(call) {
            Ok(admitted) => admitted,
            Err(refused) => return Ok((used(refused.0, true, started_ms, 0), false)),
        };
        if let Some(kept) = world.note(&key) {
            let seen = || kept.get("content").and_then(Value::as_str).map(Str::from).unwrap_or_default();
            let content = notes::said_of(&kept).map_or_else(seen, |said| self.guard.capped(told_of(said)));
            let is_error = kept.get("isError").and_then(Value::as_bool).unwrap_or_default();
            let duration_ms = kept.get("durationMs").and_then(Value::as_f64).unwrap_or_default() as u64;
            return Ok((used(content, is_error, started_ms, duration_ms), true));
        }
        if tool.definition().effect == Effect::Changes {
            let begun = notes::begun(&key);
            if notes::is_begun(world.note(&begun).as_ref()) {
                return Err(AgentError::Uncertain { tool: call.name.clone(), call: world.full_key(&key) });
            }
            let what = Object::from_iter([("name", Value::from(call.name.clone())), ("arguments", arguments.clone())]);
            world.keep(&begun, what.into()).await.map_err(AgentError::Kept)?;
        }
        let (call_id, name) = (call.id.clone(), call.name.clone());
        world.tell(AgentEvent::ToolStarted { call_id: call_id.clone(), name: name.clone(), arguments: arguments.clone() }).await;
        let context = ToolCallContext { call_id: call_id.clone(), item: self.options.item, key: world.full_key(&key) };
        let (content, is_error) = match tool.call(checked, &context).await {
            Ok(answer) => (answer.to_text(), false),
            Err(failure) if failure.is_uncertain => return Err(AgentError::Within { message: failure.message }),
            Err(failure) => (format!("Tool '{name}' failed: {failure}").into(), true),
        };
        let content = self.guard.capped(content);
        let duration_ms = (world.now_ms() - started_ms).max(0) as u64;
        let kept = Object::from_iter([
            ("name", Value::from(name.clone())),
            ("arguments", arguments.clone()),
            ("content", content.clone().into()),
            ("isError", is_error.into()),
            ("durationMs", (duration_ms as f64).into()),
        ]);
        world.keep(&key, kept.into()).await.map_err(AgentError::Kept)?;
        world.tell(AgentEvent::ToolEnded { call_id, name, content: content.clone(), is_error, duration_ms }).await;
        Ok((used(content, is_error, started_ms, duration_ms), true))
    }
}

/// What a model is told about a call of which only a person knows that it happened.
fn told_of(said: Str) -> Str {
    if said.is_empty() { SAID_TO_BE_DONE.into() } else { said }
}

/// The newest messages that fit, beginning with words of the user, so that no result stands without its call.
fn newest(history: Vec<Message>, max_tokens: Option<usize>) -> Vec<Message> {
    let Some(max_tokens) = max_tokens else { return history };
    let mut letters = 0;
    let mut first = history.len();
    for (at, message) in history.iter().enumerate().rev() {
        letters += model::json::to_string(&message.to_value()).len();
        if letters / LETTERS_IN_A_TOKEN > max_tokens {
            break;
        }
        if message.role == Role::User {
            first = at;
        }
    }
    history.into_iter().skip(first).collect()
}

/// What a loop ends with.
struct Last {
    answer: Str,
    value: Option<Value>,
    ended: Ended,
}

/// What is being said.
struct Conversation {
    /// As the model sees it.
    messages: Vec<Message>,
    /// What belongs to this turn.
    said: Vec<Message>,
    record: Record,
}

impl Conversation {
    fn new(system_prompt: &Str, history: Vec<Message>, user: Message) -> Self {
        let system = Some(Message::system(system_prompt.clone())).filter(|_| !system_prompt.is_empty());
        let messages = system.into_iter().chain(history).chain([user.clone()]).collect();
        Self { messages, said: vec![user], record: Record::default() }
    }

    fn say(&mut self, message: Message) {
        self.messages.push(message.clone());
        self.said.push(message);
    }

    /// Tells the model what is wrong with its final answer; whatever else it called in the same turn is not done.
    fn complain(&mut self, message: Message, calls: &[ToolCall], complaint: &str) {
        self.say(message);
        if calls.is_empty() {
            return self.say(Message::user(complaint));
        }
        let told = calls.iter().map(|call| ToolResult {
            id: call.id.clone(),
            name: call.name.clone(),
            content: if call.name == form::FORM_TOOL { complaint.into() } else { "Not called: a final answer came with it.".into() },
            is_error: true,
        });
        self.say(Message::results(told.collect::<Vec<_>>()));
    }

    fn last_words(&self) -> Str {
        let spoken = self.said.iter().rev().filter(|message| message.role == Role::Assistant).map(Message::text);
        spoken.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
    }
}

/// The message with an id for each call that no other one has. A call that is there twice, word for word, is meant once.
fn with_unlike_ids(mut message: Message) -> Message {
    let mut seen: Vec<ToolCall> = Vec::new();
    message.parts.retain_mut(|part| {
        let Part::ToolCall(call) = part else { return true };
        if seen.iter().any(|known| known.id == call.id && known.name == call.name && known.arguments == call.arguments) {
            return false;
        }
        let given = call.id.clone();
        let mut number = 1;
        while seen.iter().any(|known| known.id == call.id) {
            number += 1;
            call.id = format!("{given}-{number}").into();
        }
        seen.push(call.clone());
        true
    });
    message
}
