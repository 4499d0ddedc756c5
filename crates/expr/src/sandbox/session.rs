//! One instance of the guest and the expressions it has compiled.

use super::analysis::analyse;
use super::clock::{GuestClock, INLINE_TICKS, OutOfInlineTime};
use super::decode::{self, GuestReadError};
use super::entries::Entries;
use super::guest::{Guest, OutOfGuestMemory, Raw, RawKind};
use super::image::{SandboxImage, pooled, single};
use super::limits::SandboxLimits;
use super::stack;
use super::state::GuestState;
use super::ticker::{TICK_MS, TickerGuard};
use super::{ExpressionCode, SCOPE, Thrown, clock, memory};
use crate::{ExprError, Scope};
use model::{Str, Value};
use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use wasmtime::{Store, Trap};

/// Offset and bytes of every kilobyte in which code's image differs; made by `cargo xtask sandbox`.
static CODE_PIECES: &[u8] = include_bytes!(concat!(env!("SANDBOX_ARTIFACTS"), "/code_pieces.bin"));

/// Compiled expressions that a session keeps; then it starts afresh.
const MAX_COMPILED: usize = 4096;

/// The part of the memory limit that may be in use before cycles are looked for. Counting
/// references frees nearly everything without; a look touches every page of the image, which an
/// instance would otherwise go on sharing.
const PARTS_BEFORE_GC: usize = 16;

/// JavaScript for one run. Never shared between runs of different workflows.
///
/// The instance is made on first use, and again after an error that left the old one unusable.
pub struct SandboxSession {
    limits: SandboxLimits,
    /// A [`LiveInstance`]. Its type is hidden from those who hold a session: for each of their
    /// futures, the compiler would look through the whole runtime of WebAssembly.
    live: Option<Box<dyn Any + Send>>,
    /// Expressions that took longer than a thread that serves others has time for.
    long: HashSet<ExpressionCode>,
}

/// An instance that works.
pub(super) struct LiveInstance {
    pub(super) store: Store<GuestState>,
    pub(super) guest: Arc<Guest>,
    pub(super) entries: Entries,
    image: Arc<SandboxImage>,
    mode: InstanceMode,
    zone: Str,
    compiled: HashMap<ExpressionCode, CompiledExpr>,
}

/// What the instance was prepared for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum InstanceMode {
    Expressions,
    Code,
}

#[derive(Clone, Copy)]
struct CompiledExpr {
    function: Raw,
    only_reads: bool,
}

impl SandboxSession {
    pub(super) fn new(limits: SandboxLimits) -> Self {
        Self { limits, live: None, long: HashSet::new() }
    }

    pub fn limits(&self) -> &SandboxLimits {
        &self.limits
    }

    /// The value of one expression.
    pub fn evaluate(
        &mut self,
        code: &ExpressionCode,
        scope: &dyn Scope,
    ) -> Result<Value, ExprError> {
        SCOPE.set(scope, || {
            self.off_the_runtime(code, |live, clock| live.evaluate(code, scope, clock))
        })
    }

    /// Compiles an expression without evaluating it.
    pub fn compile(&mut self, code: &ExpressionCode) -> Result<(), ExprError> {
        self.off_the_runtime(code, |live, clock| {
            let _running = live.start_clock(clock)?;
            live.compile(code, &[]).map(|_| ())
        })
    }

    /// Works with an expression: for a moment on the thread at hand, and if that does not do, from
    /// the beginning off the threads that serve others. An expression changes nothing, so it can be
    /// begun again.
    fn off_the_runtime<T>(
        &mut self,
        code: &ExpressionCode,
        work: impl Fn(&mut LiveInstance, GuestClock) -> Result<T, GuestFailure>,
    ) -> Result<T, ExprError> {
        if !compute::is_offloaded() && !self.long.contains(code) {
            match self.attempt(GuestClock::Inline, &work)? {
                Err(GuestFailure::Unfinished) => self.long.insert(code.clone()),
                finished => return finished.map_err(GuestFailure::into_error),
            };
        }
        let clock = GuestClock::within(self.limits.time_ms);
        compute::interruptible(|| self.attempt(clock, &work))??.map_err(GuestFailure::into_error)
    }

    fn attempt<T>(
        &mut self,
        clock: GuestClock,
        work: impl Fn(&mut LiveInstance, GuestClock) -> Result<T, GuestFailure>,
    ) -> Result<Result<T, GuestFailure>, ExprError> {
        let live = self.live(InstanceMode::Expressions)?;
        let result = work(live, clock);
        live.store.data_mut().end_evaluation();
        if matches!(result, Err(GuestFailure::Broken(_) | GuestFailure::Unfinished)) {
            self.live = None;
        }
        Ok(result)
    }

    /// The instance, made if there is none for this use.
    pub(super) fn live(&mut self, mode: InstanceMode) -> Result<&mut LiveInstance, ExprError> {
        let usable =
            |live: &&mut LiveInstance| live.mode == mode && live.compiled.len() < MAX_COMPILED;
        if self.instance().filter(usable).is_none() {
            // First the old one gives back its place in the pool.
            self.live = None;
            self.live = Some(Box::new(LiveInstance::new(self.limits, mode)?));
        }
        self.instance().ok_or_else(|| ExprError::Sandbox { detail: Str::from("no instance") })
    }

    fn instance(&mut self) -> Option<&mut LiveInstance> {
        self.live.as_mut()?.downcast_mut()
    }

    pub(super) fn reset(&mut self) {
        self.live = None;
    }
}

/// The guest runs as long as this is held.
pub(super) struct GuestRunGuard {
    _running: TickerGuard,
    _stack: stack::StackGuard,
}

/// How a call into the guest failed.
pub(super) enum GuestFailure {
    /// JavaScript threw and the instance is as good as before.
    Thrown(ExprError),
    /// The instance was stopped in the middle of something.
    Broken(ExprError),
    /// It was stopped because the thread it ran on has to serve others.
    Unfinished,
}

impl GuestFailure {
    pub(super) fn into_error(self) -> ExprError {
        match self {
            GuestFailure::Thrown(error) | GuestFailure::Broken(error) => error,
            GuestFailure::Unfinished => ExprError::Time { limit_ms: INLINE_TICKS * TICK_MS },
        }
    }
}

impl LiveInstance {
    fn new(limits: SandboxLimits, mode: InstanceMode) -> Result<Self, ExprError> {
        let mut image = pooled()?;
        let (mut store, instance) = match instantiate(&image.prepared, limits) {
            Ok(made) => made,
            // The pool is used up: this one gets memory of its own.
            Err(_) => {
                image = single()?;
                instantiate(&image.prepared, limits).map_err(sandbox_error)?
            }
        };
        let guest = Arc::new(Guest::new(&mut store, &instance).map_err(sandbox_error)?);
        if mode == InstanceMode::Code {
            write_code_pieces(&guest, &mut store).map_err(sandbox_error)?;
        }
        let entries = Entries::new(&mut store, &instance).map_err(sandbox_error)?;
        let scratch = guest.malloc.call(&mut store, 64).map_err(sandbox_error)?;
        let state = store.data_mut();
        state.guest = Some(guest.clone());
        state.entries = Some(entries);
        state.scratch = scratch;
        let mut live = LiveInstance {
            store,
            guest,
            entries,
            image,
            mode,
            zone: Str::new(),
            compiled: HashMap::new(),
        };
        live.prepare(limits).map_err(sandbox_error)?;
        Ok(live)
    }

    fn prepare(&mut self, limits: SandboxLimits) -> wasmtime::Result<()> {
        self.store.set_epoch_deadline(u64::MAX / 2);
        self.guest
            .set_memory_limit
            .call(&mut self.store, i32::try_from(limits.memory_bytes).unwrap_or(i32::MAX))?;
        let before_gc = limits.memory_bytes / PARTS_BEFORE_GC;
        self.guest
            .set_gc_threshold
            .call(&mut self.store, i32::try_from(before_gc).unwrap_or(i32::MAX))?;
        self.guest
            .set_stack_limit
            .call(&mut self.store, limits.stack_bytes.min(512 * 1024) as i32)?;
        if let (InstanceMode::Code, Some(loops)) = (self.mode, limits.loop_iterations) {
            self.guest.call(
                &mut self.store,
                self.entries.set_loops,
                Raw::UNDEFINED,
                &[Raw::number(loops as f64)],
            )?;
            self.guest.set_interrupts.call(&mut self.store, 1)?;
            // As many as there are turns: an honest turn has far fewer branches and calls than
            // there are between two of them.
            self.store.data_mut().interrupts_left = Some(loops);
        }
        Ok(())
    }

    /// Starts the clock: what runs from now on is stopped when the time is over.
    pub(super) fn start_clock(&mut self, clock: GuestClock) -> Result<GuestRunGuard, GuestFailure> {
        let stack = stack::StackGuard::now().map_err(GuestFailure::Thrown)?;
        let running = self.image.ticker.run();
        self.store.set_epoch_deadline(clock.first_ticks());
        let state = self.store.data_mut();
        state.clock = clock;
        state.stack_base = stack.base;
        Ok(GuestRunGuard { _running: running, _stack: stack })
    }

    fn evaluate(
        &mut self,
        code: &ExpressionCode,
        scope: &dyn Scope,
        clock: GuestClock,
    ) -> Result<Value, GuestFailure> {
        let limits = self.store.data().limits;
        let _running = self.start_clock(clock)?;
        let state = self.store.data_mut();
        state.errors.clear();
        state.output_left = limits.output_bytes;
        let compiled = match self.compiled.get(code) {
            Some(compiled) => *compiled,
            None => self.compile(code, &scope.variable_names())?,
        };
        self.set_zone(scope.timezone())?;
        let state = self.store.data_mut();
        state.copies = !compiled.only_reads;
        state.is_expression = true;
        let called =
            self.guest.clone().call(&mut self.store, compiled.function, self.entries.receiver, &[]);
        let result = called.map_err(|trap| self.trapped(trap))?;
        if result.kind() == RawKind::Exception {
            let failure = self.exception();
            return match (&failure, code.thrown) {
                (GuestFailure::Thrown(ExprError::Thrown { .. }), Thrown::BecomesUndefined) => {
                    Ok(Value::Undefined)
                }
                _ => Err(failure),
            };
        }
        let is_function = result.kind() == RawKind::Object
            && self
                .guest
                .js_is_function
                .call(&mut self.store, (self.guest.context, result.0))
                .map_err(|trap| self.trapped(trap))?
                != 0;
        let value = match is_function {
            true => Err(GuestFailure::Thrown(ExprError::data("this is a function, please add ()"))),
            false => self.read(result),
        }?;
        self.guest
            .clone()
            .drop_value(&mut self.store, result)
            .map_err(|trap| self.trapped(trap))?;
        Ok(value)
    }

    pub(super) fn set_zone(&mut self, zone: &str) -> Result<(), GuestFailure> {
        if self.zone == zone {
            return Ok(());
        }
        self.zone = zone.into();
        let guest = self.guest.clone();
        let set = |store: &mut Store<GuestState>, entry: Raw| -> wasmtime::Result<()> {
            let name = guest.string(&mut *store, zone)?;
            guest.call(&mut *store, entry, Raw::UNDEFINED, &[name])?;
            guest.drop_value(store, name)
        };
        set(&mut self.store, self.entries.set_zone).map_err(|trap| self.trapped(trap))
    }

    fn compile(
        &mut self,
        code: &ExpressionCode,
        names: &[Str],
    ) -> Result<CompiledExpr, GuestFailure> {
        let paid = self.store.data_mut().before_reading(&code.source);
        paid.map_err(|trap| self.trapped(trap))?;
        let analysis = analyse(&code.source, names, code.thrown).map_err(GuestFailure::Thrown)?;
        for name in &analysis.variables {
            self.call_with_text(self.entries.declare_variable, name)?;
        }
        let function = match self.eval("expression", &analysis.function()) {
            Err(GuestFailure::Thrown(ExprError::Syntax { .. })) => {
                let source = analysis.first_statement().map_err(GuestFailure::Thrown)?;
                self.eval("expression", &source)?
            }
            result => result?,
        };
        let compiled =
            CompiledExpr { function, only_reads: crate::native::only_reads(&code.source) };
        self.compiled.insert(code.clone(), compiled);
        Ok(compiled)
    }

    pub(super) fn call_with_text(&mut self, entry: Raw, text: &str) -> Result<Raw, GuestFailure> {
        let guest = self.guest.clone();
        let call = |store: &mut Store<GuestState>| -> wasmtime::Result<Raw> {
            let argument = guest.string(&mut *store, text)?;
            let result = guest.call(&mut *store, entry, Raw::UNDEFINED, &[argument])?;
            guest.drop_value(store, argument)?;
            Ok(result)
        };
        let result = call(&mut self.store).map_err(|trap| self.trapped(trap))?;
        if result.kind() == RawKind::Exception { Err(self.exception()) } else { Ok(result) }
    }

    /// Evaluates a script and gives back its value.
    pub(super) fn eval(&mut self, file: &str, source: &str) -> Result<Raw, GuestFailure> {
        let guest = self.guest.clone();
        let eval = |store: &mut Store<GuestState>| -> wasmtime::Result<Raw> {
            let code = guest.write(&mut *store, source.as_bytes())?;
            let name = guest.write(&mut *store, file.as_bytes())?;
            let boxed = guest.eval.call(&mut *store, (code, source.len() as i32, name, 0))?;
            let value = guest.read_raw(&*store, boxed)?;
            for pointer in [code, name, boxed] {
                guest.free.call(&mut *store, pointer)?;
            }
            Ok(value)
        };
        let value = eval(&mut self.store).map_err(|trap| self.trapped(trap))?;
        if value.kind() != RawKind::Exception {
            return Ok(value);
        }
        Err(match self.exception() {
            GuestFailure::Thrown(ExprError::Thrown { name, message, stack })
                if name == "SyntaxError" =>
            {
                GuestFailure::Thrown(ExprError::Syntax {
                    detail: with_line(&message, stack.as_deref(), file),
                })
            }
            other => other,
        })
    }

    pub(super) fn read(&mut self, value: Raw) -> Result<Value, GuestFailure> {
        match decode::read(&self.guest.clone(), &mut self.store, self.entries.helpers(), value) {
            Ok(value) => Ok(value),
            Err(GuestReadError::Trap(trap)) => Err(self.trapped(trap)),
            Err(GuestReadError::Refused(error)) => Err(GuestFailure::Thrown(error)),
            Err(GuestReadError::Thrown) => Err(self.exception()),
        }
    }

    /// Takes the exception that waits in the guest and says what it was.
    pub(super) fn exception(&mut self) -> GuestFailure {
        let taken = self.guest.js_exception.call(&mut self.store, self.guest.context);
        match taken {
            Ok(exception) => self.describe(Raw(exception)),
            Err(trap) => self.trapped(trap),
        }
    }

    /// The error that a JavaScript value stands for; the value is let go.
    pub(super) fn describe(&mut self, exception: Raw) -> GuestFailure {
        let guest = self.guest.clone();
        let described =
            guest.call(&mut self.store, self.entries.describe_error, Raw::UNDEFINED, &[exception]);
        let parts = match described {
            Err(trap) => return self.trapped(trap),
            // The description itself failed, as it does when memory has run out.
            Ok(described) if described.kind() != RawKind::Object => {
                return GuestFailure::Broken(self.out_of_memory());
            }
            Ok(described) => match self.read(described) {
                Ok(parts) => parts,
                Err(GuestFailure::Thrown(_)) => return GuestFailure::Broken(self.out_of_memory()),
                // It was stopped, and says why.
                Err(stopped) => return stopped,
            },
        };
        let _ = guest.drop_value(&mut self.store, exception);
        self.error_from(&parts)
    }

    /// The error that a description by `describeError` stands for.
    pub(super) fn error_from(&self, parts: &Value) -> GuestFailure {
        let text = |position: usize| parts.at(position).and_then(Value::as_str).map(Str::from);
        let (name, message) = (text(0).unwrap_or_default(), text(1).unwrap_or_default());
        if let Some(error) = parts
            .at(3)
            .and_then(Value::as_usize)
            .and_then(|number| self.store.data().errors.get(number))
        {
            return GuestFailure::Thrown(error.clone());
        }
        let error = match name.as_str() {
            "InternalError" if message == "out of memory" => {
                return GuestFailure::Broken(self.out_of_memory());
            }
            // QuickJS throws null where there is no memory left for an error either.
            "Error" | "" if message == "null" && self.store.data().memory_refused => {
                return GuestFailure::Broken(self.out_of_memory());
            }
            "InternalError" | "RangeError"
                if message.starts_with("Maximum call stack") || message == "stack overflow" =>
            {
                ExprError::Stack
            }
            "ExpressionError" | "ExpressionExtensionError"
                if message.ends_with("due to security concerns") =>
            {
                ExprError::Forbidden { message }
            }
            "ExpressionError" | "ExpressionExtensionError" => {
                ExprError::Data { message, description: text(4), kind: Some(name) }
            }
            _ => ExprError::Thrown { name, message, stack: text(2) },
        };
        GuestFailure::Thrown(error.shortened())
    }

    fn out_of_memory(&self) -> ExprError {
        let state = self.store.data();
        match state.shared_memory_refused {
            true => ExprError::SharedMemory { limit_bytes: memory::shared_limit() },
            false => ExprError::Memory { limit_bytes: state.limits.memory_bytes },
        }
    }

    /// Why the guest was stopped.
    pub(super) fn trapped(&mut self, trap: wasmtime::Error) -> GuestFailure {
        if let Some(error) = self.store.data_mut().stopped.take() {
            return GuestFailure::Broken(error);
        }
        if trap.downcast_ref::<OutOfInlineTime>().is_some() {
            return GuestFailure::Unfinished;
        }
        if trap.downcast_ref::<OutOfGuestMemory>().is_some() {
            return GuestFailure::Broken(self.out_of_memory());
        }
        GuestFailure::Broken(match trap.downcast_ref::<Trap>() {
            Some(Trap::StackOverflow) => ExprError::Stack,
            _ if self.store.data().memory_refused => self.out_of_memory(),
            _ => sandbox_error(trap),
        })
    }
}

fn instantiate(
    prepared: &wasmtime::InstancePre<GuestState>,
    limits: SandboxLimits,
) -> wasmtime::Result<(Store<GuestState>, wasmtime::Instance)> {
    let mut store = Store::new(prepared.module().engine(), GuestState::new(limits));
    store.limiter(|state| state);
    store.epoch_deadline_callback(|mut context| clock::ticked(context.data_mut()));
    store.set_epoch_deadline(u64::MAX / 2);
    let instance = prepared.instantiate(&mut store)?;
    Ok((store, instance))
}

/// The image is that of expressions; code starts from another one, of which only the pieces that
/// differ are kept.
fn write_code_pieces(guest: &Guest, store: &mut Store<GuestState>) -> wasmtime::Result<()> {
    const PIECE: usize = 4 + 1024;
    let memory = guest.memory.data_mut(store);
    for piece in CODE_PIECES.chunks_exact(PIECE) {
        let (offset, bytes) = piece.split_at(4);
        let start = u32::from_le_bytes([offset[0], offset[1], offset[2], offset[3]]) as usize;
        let place = memory
            .get_mut(start..start + bytes.len())
            .ok_or_else(|| wasmtime::Error::msg("the image is too small"))?;
        place.copy_from_slice(bytes);
    }
    Ok(())
}

/// The message with the line of the author's source it is about, as n8n writes it.
pub(super) fn with_line(message: &str, stack: Option<&str>, file: &str) -> Str {
    let line = stack.and_then(|stack| {
        let (_, place) = stack.split_once(&format!("{file}:"))?;
        place.split(|letter: char| !letter.is_ascii_digit()).next()?.parse::<usize>().ok()
    });
    match line {
        Some(line) if line > 1 => format!("{message} [line {}]", line - 1).into(),
        _ => message.into(),
    }
}

fn sandbox_error(error: wasmtime::Error) -> ExprError {
    ExprError::Sandbox { detail: format!("{error:#}").into() }
}
