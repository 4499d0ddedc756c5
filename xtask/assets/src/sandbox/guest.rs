//! Runs QuickJS once, loads the scripts into it and takes its memory.

use super::engine_config::shared_config;
use wasmtime::error::Context as _;
use wasmtime::{
    Caller, Engine, Extern, Instance, Linker, Memory, Module, Store, Val, WasmParams, WasmResults,
};
use wasmtime::{bail, ensure};

/// A prepared heap: what a fresh instance starts from.
pub(crate) struct HeapImage {
    pub(crate) memory: Vec<u8>,
    pub(crate) stack_pointer: i32,
    /// Numbers the runtime needs, by the name under which the module will export them: the context
    /// and JavaScript values.
    pub(crate) constants: Vec<(String, i64)>,
}

/// Functions and objects of `heddle` that Rust calls, exported as `entry_NAME`.
const ENTRIES: &[&str] = &[
    "receiver",
    "setZone",
    "revive",
    "describeError",
    "describeDate",
    "simplify",
    "objectPrototype",
    "declareVariable",
    "setLoops",
    "startCode",
    "settle",
];

/// The image expressions start from, and the one code starts from: the same scripts, then one or
/// the other entry.
pub(crate) fn prepare_both(
    quickjs: &[u8],
    sources: &[(String, String)],
) -> wasmtime::Result<(HeapImage, HeapImage)> {
    let engine = Engine::new(&shared_config())?;
    let module = Module::new(&engine, quickjs)?;
    let expressions = prepare(&engine, &module, sources, "enterExpressions")?;
    let code = prepare(&engine, &module, sources, "enterCode")?;
    ensure!(
        expressions.constants == code.constants && expressions.stack_pointer == code.stack_pointer,
        "the two images do not agree on where things are"
    );
    Ok((expressions, code))
}

fn prepare(
    engine: &Engine,
    module: &Module,
    sources: &[(String, String)],
    enter: &str,
) -> wasmtime::Result<HeapImage> {
    let mut store = Store::new(engine, ());
    store.set_epoch_deadline(u64::MAX / 2);
    let instance = linker(engine)?.instantiate(&mut store, module)?;
    let memory = instance.get_memory(&mut store, "memory").context("no memory")?;
    let mut guest = ImageGuest { store, instance, memory };

    guest.call::<(), ()>("_initialize", ())?;
    ensure!(guest.call::<(), i32>("qjs_init", ())? == 0, "QuickJS did not start");
    guest.call::<i32, ()>("qjs_set_max_stack_size", 512 * 1024)?;
    let context = guest.call::<(), i32>("qjs_get_context_ptr", ())?;
    guest.check_value_layout()?;

    guest.eval("boot.js", "globalThis.__heddle = Object.create(null); globalThis.__heddle")?;
    let name = guest.write("host")?;
    let host = guest.call::<(i32, i32, i32), i32>("qjs_new_host_function", (name, 4, 0))?;
    let shared = guest.eval_box("boot.js", "globalThis.__heddle")?;
    guest.call::<(i32, i32, i32), i32>("qjs_set_prop_string", (shared, name, host))?;
    for (name, source) in sources {
        guest.eval(name, source)?;
    }
    while guest.call::<(), i32>("qjs_is_job_pending", ())? != 0 {
        guest.call::<(), i32>("qjs_execute_pending_job", ())?;
    }
    let mut constants = vec![("heddle_context".to_owned(), i64::from(context))];
    for entry in ENTRIES {
        let value = guest.eval("entry.js", &format!("globalThis.__heddle.entries.{entry}"))?;
        ensure!(tag(value) == -1, "the scripts define no entry '{entry}'");
        constants.push((format!("entry_{entry}"), value));
    }
    // The shared object goes before the entry, which may freeze what is there.
    guest.eval("end.js", &format!("((enter) => {{ delete globalThis.__heddle; enter(); }})(globalThis.__heddle.entries.{enter})"))?;
    guest.call::<(), ()>("qjs_run_gc", ())?;
    let stack_pointer = match guest
        .instance
        .get_global(&mut guest.store, "__stack_pointer")
        .context("no stack pointer")?
        .get(&mut guest.store)
    {
        Val::I32(pointer) => pointer,
        other => bail!("the stack pointer is {other:?}"),
    };
    Ok(HeapImage { memory: guest.memory.data(&guest.store).to_vec(), stack_pointer, constants })
}

/// JavaScript values are 64 bits with the tag in the upper half.
fn tag(value: i64) -> i32 {
    (value >> 32) as i32
}

struct ImageGuest {
    store: Store<()>,
    instance: Instance,
    memory: Memory,
}

impl ImageGuest {
    fn call<P: WasmParams, R: WasmResults>(
        &mut self,
        name: &str,
        params: P,
    ) -> wasmtime::Result<R> {
        let function = self.instance.get_typed_func::<P, R>(&mut self.store, name)?;
        function.call(&mut self.store, params).with_context(|| format!("{name} trapped"))
    }

    /// Copies a text into the guest, with a zero behind it. The few texts of the preparation are
    /// never freed.
    fn write(&mut self, text: &str) -> wasmtime::Result<i32> {
        let pointer = self.call::<i32, i32>("wasm_malloc", text.len() as i32 + 1)?;
        self.memory.write(&mut self.store, pointer as usize, text.as_bytes())?;
        self.memory.write(&mut self.store, pointer as usize + text.len(), &[0])?;
        Ok(pointer)
    }

    fn eval_box(&mut self, name: &str, source: &str) -> wasmtime::Result<i32> {
        let (code, file) = (self.write(source)?, self.write(name)?);
        let result = self
            .call::<(i32, i32, i32, i32), i32>("qjs_eval", (code, source.len() as i32, file, 0))?;
        self.call::<i32, ()>("wasm_free", code)?;
        self.call::<i32, ()>("wasm_free", file)?;
        if self.call::<i32, i32>("qjs_is_exception", result)? != 0 {
            let exception = self.call::<(), i32>("qjs_get_exception", ())?;
            let message = self.text_of(exception)?;
            let stack_name = self.write("stack")?;
            let stack =
                self.call::<(i32, i32), i32>("qjs_get_prop_string", (exception, stack_name))?;
            bail!("{name}: {message}\n{}", self.text_of(stack)?);
        }
        Ok(result)
    }

    fn eval(&mut self, name: &str, source: &str) -> wasmtime::Result<i64> {
        let result = self.eval_box(name, source)?;
        let mut bytes = [0; 8];
        self.memory.read(&self.store, result as usize, &mut bytes)?;
        Ok(i64::from_le_bytes(bytes))
    }

    fn text_of(&mut self, value: i32) -> wasmtime::Result<String> {
        let pointer = self.call::<i32, i32>("qjs_get_string", value)? as usize;
        let data = self.memory.data(&self.store).get(pointer..).unwrap_or_default();
        Ok(String::from_utf8_lossy(data.split(|byte| *byte == 0).next().unwrap_or_default())
            .into_owned())
    }

    /// The runtime reads values by their tags; a QuickJS with another layout must not get past this
    /// point.
    fn check_value_layout(&mut self) -> wasmtime::Result<()> {
        for (source, expected) in [
            ("7", 0),
            ("true", 1),
            ("null", 2),
            ("undefined", 3),
            ("'x'", -7),
            ("({})", -1),
            ("Symbol()", -8),
            ("10n**30n", -9),
            ("5n", 7),
        ] {
            let value = self.eval("layout.js", source)?;
            ensure!(
                tag(value) == expected,
                "the value {source} has tag {}, not {expected}",
                tag(value)
            );
        }
        for (source, expected) in [("({})", 1), ("[]", 2)] {
            let value = self.eval("layout.js", source)?;
            let class = self.call::<i64, i32>("JS_GetClassID", value)?;
            ensure!(class == expected, "the value {source} has class {class}, not {expected}");
        }
        ensure!(
            self.eval("layout.js", "7")? as i32 == 7,
            "small numbers are not in the lower half"
        );
        let float = self.eval("layout.js", "1.5")?;
        let bits = (float as u64).wrapping_add(0x7ff8_000a_u64 << 32);
        ensure!(f64::from_bits(bits) == 1.5, "the number 1.5 is {float:#x}");
        Ok(())
    }
}

/// Imports for the preparation: no clock, no randomness, no host.
fn linker(engine: &Engine) -> wasmtime::Result<Linker<()>> {
    let mut linker = Linker::new(engine);
    linker.func_wrap("env", "host_get_timezone_offset", |_: i32, _: i32| 0)?;
    linker.func_wrap("env", "host_interrupt", || 0)?;
    linker.func_wrap("env", "host_promise_rejection", |_: i32, _: i32, _: i32| {})?;
    linker.func_wrap("env", "host_module_normalize", |_: i32, _: i32| 0)?;
    linker.func_wrap("env", "host_module_load", |_: i32, _: i32| 0)?;
    linker.func_wrap(
        "env",
        "host_call",
        |_: i32, _: i32, _: i32, _: i32, _: i32| -> wasmtime::Result<i32> {
            Err(wasmtime::Error::msg("a script called the host while the image was made"))
        },
    )?;
    let wasi = "wasi_snapshot_preview1";
    linker.func_wrap(
        wasi,
        "clock_time_get",
        |mut caller: Caller<'_, ()>, _: i32, _: i64, out: i32| write_zeros(&mut caller, out, 8),
    )?;
    linker.func_wrap(wasi, "random_get", |mut caller: Caller<'_, ()>, out: i32, len: i32| {
        write_zeros(&mut caller, out, len)
    })?;
    linker.func_wrap(wasi, "fd_close", |_: i32| 52)?;
    linker.func_wrap(wasi, "fd_fdstat_get", |_: i32, _: i32| 8)?;
    linker.func_wrap(wasi, "fd_seek", |_: i32, _: i64, _: i32, _: i32| 52)?;
    linker.func_wrap(wasi, "fd_write", |_: i32, _: i32, _: i32, _: i32| 8)?;
    Ok(linker)
}

fn write_zeros(caller: &mut Caller<'_, ()>, at: i32, len: i32) -> i32 {
    let Some(Extern::Memory(memory)) = caller.get_export("memory") else { return 52 };
    match memory.write(caller, at as usize, &vec![0; len as usize]) {
        Ok(()) => 0,
        Err(_) => 52,
    }
}
