//! Times the sandbox: loading, a fresh session, warm expressions, code over items. Run it in a
//! release build.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use futures::future::BoxFuture;
use heddle_expr::ExprError;
use heddle_expr::sandbox::{
    CodeHost, CodeStaticData, ExpressionCode, Flavour, Sandbox, SandboxJob, SandboxLimits,
};
use heddle_expr::testing::FakeScope;
use model::{Item, Object, Value, json};
use std::time::Instant;

struct Nobody;

impl CodeHost for Nobody {
    fn request<'a>(
        &'a self,
        name: &'a str,
        _argument: Value,
    ) -> BoxFuture<'a, Result<Value, ExprError>> {
        Box::pin(async move { Err(ExprError::data(format!("no {name}"))) })
    }
}

fn main() {
    let sandbox = Sandbox::new();
    let started = computed();
    sandbox.load().unwrap();
    println!("load the image                     {:>10.2} µs", computed() - started);

    let scope = FakeScope::with_json(item(1));
    let simple = ExpressionCode::new("$json.name.toUpperCase() + ' ' + ($json.n + 1)");
    best("fresh session, first expression", 200, || {
        sandbox.session(SandboxLimits::expression()).evaluate(&simple, &scope).unwrap();
    });
    let mut session = sandbox.session(SandboxLimits::expression());
    // Expressions given as arguments are timed instead of the usual ones.
    let given: Vec<String> = std::env::args().skip(1).collect();
    for source in &given {
        let code = ExpressionCode::new(source.as_str());
        best(source, 500, || {
            session.evaluate(&code, &scope).unwrap();
        });
    }
    if !given.is_empty() {
        return;
    }
    for (name, source) in [
        ("warm: $json.n + 1", "$json.n + 1"),
        ("warm: text and number", "$json.name.toUpperCase() + ' ' + ($json.n + 1)"),
        (
            "warm: filter, map, join",
            "$json.tags.filter(t => t.length > 1).map(t => t + '!').join(', ')",
        ),
        ("warm: extension", "$json.tags.first().toTitleCase()"),
        ("warm: object out", "({ ...$json, extra: true })"),
        (
            "warm: Luxon",
            "DateTime.fromISO($json.at).plus({ days: 1 }).toFormat('yyyy-MM-dd HH:mm')",
        ),
        ("warm: $now.toISO()", "$now.toISO()"),
        ("warm: $('Node').item", "$('Start').item.json.name"),
        ("warm: sort (copies)", "$json.tags.sort().join()"),
    ] {
        let code = ExpressionCode::new(source);
        let scope = FakeScope::with_json(item(1)).with_node("Start", [item(2)]);
        best(name, 2000, || {
            session.evaluate(&code, &scope).unwrap();
        });
    }
    let code = ExpressionCode::new("$json.n + 1");
    let scopes: Vec<_> = (0..2000).map(|number| FakeScope::with_json(item(number))).collect();
    let mut next = 0;
    best("new item each time: $json.n + 1", 2000, || {
        next = (next + 1) % scopes.len();
        session.evaluate(&code, &scopes[next]).unwrap();
    });

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for (name, flavour, source) in [
        (
            "code, 1000 items, all at once",
            Flavour::AllItems,
            "return items.map(i => ({ json: { ...i.json, double: i.json.n * 2 } }))",
        ),
        (
            "code, 1000 items, each",
            Flavour::EachItem,
            "return { json: { ...$json, double: $json.n * 2 } }",
        ),
        ("code, 100 items of random characters", Flavour::AllItems, RANDOM_LETTERS),
        (
            "code, 1000 items, touched only",
            Flavour::AllItems,
            "return [{ json: { total: items.reduce((s, i) => s + i.json.n, 0) } }]",
        ),
    ] {
        let scope = FakeScope {
            items: (0..1000).map(|number| Item::new(item(number))).collect(),
            ..FakeScope::default()
        };
        let job = SandboxJob {
            source: source.into(),
            flavour,
            static_data: CodeStaticData::default(),
            first: 0,
            names: Object::new(),
        };
        best(name, 20, || {
            let mut count = 0;
            runtime
                .block_on(sandbox.session(SandboxLimits::code_node()).run_code(
                    &job,
                    &scope,
                    &Nobody,
                    &mut |_| count += 1,
                ))
                .unwrap();
        });
    }
}

/// Many small calls: what an interpreter finds hard.
const RANDOM_LETTERS: &str = "
    const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
    const below = (n) => Math.floor(Math.random() * n);
    const pick = (list) => list.at(below(list.length));
    const word = (length) => Array.from({ length }).map(() => pick(letters)).join('');
    return Array.from({ length: 100 }).map(() => ({ json: { id: word(30), mail: word(20), name: word(20) } }))";

fn item(number: usize) -> Value {
    json!({ "n": number, "name": "Ada Lovelace", "email": "ada@example.com", "at": "2024-03-30T18:49:00Z", "tags": ["alpha", "b", "gamma"],
        "address": { "street": "1 Main St", "city": "London", "zip": "N1" }, "active": true, "score": 3.25 })
}

/// Microseconds this thread has computed: other work on the machine does not count. Elsewhere than
/// on Linux, the time of day.
fn computed() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let nanoseconds = std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64() * 1e6, |nanoseconds| nanoseconds / 1e3)
}

/// The best of a few rounds, per call.
fn best(name: &str, calls: u32, mut work: impl FnMut()) {
    let rounds = (0..5).map(|_| {
        let started = computed();
        for _ in 0..calls {
            work();
        }
        (computed() - started) / f64::from(calls)
    });
    println!("{name:<34} {:>10.2} µs", rounds.fold(f64::INFINITY, f64::min));
}
