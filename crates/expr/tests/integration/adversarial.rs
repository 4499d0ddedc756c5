//! Hostile JavaScript: each piece ends with a named error or a harmless value, and the host lives.

use futures::future::BoxFuture;
use heddle_expr::ExprError;
use heddle_expr::sandbox::{
    CodeHost, CodeStaticData, ExpressionCode, Flavour, Sandbox, SandboxJob, SandboxLimits,
    SandboxOutput, SandboxSession, limit_shared_memory,
};
use heddle_expr::testing::FakeScope;
use model::{Object, Value, json};
use proptest::prelude::*;
use std::time::Duration;

/// Answers fetches with as many bytes as the URL's path says.
struct Bytes;

impl CodeHost for Bytes {
    fn request<'a>(
        &'a self,
        name: &'a str,
        argument: Value,
    ) -> BoxFuture<'a, Result<Value, ExprError>> {
        Box::pin(async move {
            if name != "fetch" {
                let message = format!("{name} is not allowed").into();
                return Err(ExprError::Forbidden { message });
            }
            let url = argument.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
            let count = url.rsplit('/').next().and_then(|text| text.parse().ok()).unwrap_or(1);
            if url.contains("slow") {
                tokio::time::sleep(Duration::from_secs(60)).await;
            }
            Ok(json!({ "status": 200, "headers": {}, "body": "x".repeat(count) }))
        })
    }
}

fn short() -> SandboxLimits {
    SandboxLimits { time_ms: 300, memory_bytes: 64 << 20, ..SandboxLimits::expression() }
}

/// Each piece is tried by itself: what all of them may take together is more than they do.
fn session(limits: SandboxLimits) -> SandboxSession {
    limit_shared_memory(usize::MAX);
    Sandbox::new().session(limits)
}

fn evaluate_with(limits: SandboxLimits, source: &str) -> Result<Value, ExprError> {
    session(limits).evaluate(
        &ExpressionCode::new(source),
        &FakeScope::with_json(json!({ "a": "{{ 1 + 1 }}" })),
    )
}

fn evaluate(source: &str) -> Result<Value, ExprError> {
    evaluate_with(SandboxLimits::expression(), source)
}

async fn tool_with(limits: SandboxLimits, source: &str) -> Result<Vec<SandboxOutput>, ExprError> {
    let job = SandboxJob {
        source: source.into(),
        flavour: Flavour::Tool,
        static_data: CodeStaticData::default(),
        first: 0,
        names: Object::new(),
    };
    let mut returned = Vec::new();
    let result = session(limits)
        .run_code(&job, &FakeScope::default(), &Bytes, &mut |value| returned.push(value))
        .await;
    result.map(|_| returned).map_err(|failure| failure.error)
}

async fn tool(source: &str) -> Result<Vec<SandboxOutput>, ExprError> {
    tool_with(SandboxLimits { time_ms: 2_000, ..SandboxLimits::tool() }, source).await
}

#[test]
fn every_loop_ends_at_the_deadline() {
    for source in [
        "(() => { while (true) {} })()",
        "(() => { while (true) { try { for (;;) {} } catch {} } })()",
        "(() => { for (;;) try { throw 1 } finally { continue } })()",
        "new Array(2 ** 31).join('')",
        "/^(a+)+$/.test('a'.repeat(40) + 'b')",
        "/(x+x+)+y/.test('x'.repeat(50))",
        "[].indexOf.call({ length: 2 ** 53 - 1 }, 1)",
        "(() => { let n = 3n; const m = 2n ** 4096n; for (;;) n = n * n % m })()",
        "'a'.repeat(5e6).replaceAll('a', 'bb'.repeat(3)).replaceAll('b', 'ccc').length > 0 && (() => { for (;;); })()",
        "[2, 1].sort(() => { for (;;); })",
        "JSON.parse('[1]', () => { for (;;); })",
        "new Date({ valueOf: () => { for (;;); } })",
    ] {
        let began = compute::cpu_used();
        let result = evaluate_with(short(), source);
        let used = compute::cpu_used() - began;
        assert!(
            matches!(result, Err(ExprError::Time { limit_ms: 300 } | ExprError::Memory { .. })),
            "{source}: {result:?} after {used:?}"
        );
        assert!(used < Duration::from_secs(5), "{source} took {used:?}");
    }
}

#[test]
fn memory_has_an_end() {
    for source in [
        "(() => { const a = []; for (;;) a.push(new Array(1000).fill(1)) })()",
        "(() => { let s = 'x'; for (;;) s += s })()",
        "new Uint8Array(2 ** 30).length",
        "new ArrayBuffer(3e9)",
        "'x'.repeat(2 ** 29)",
        "JSON.stringify(new Array(3e7).fill('xxxxxxxxxx'))",
        "Array.from({ length: 1e8 }, (_, i) => ({ i }))",
        "new RegExp('(' .repeat(1e6))",
        "(() => { const m = new Map(); for (let i = 0; ; i++) m.set(i, 'x'.repeat(1000) + i) })()",
    ] {
        let result = evaluate_with(SandboxLimits { time_ms: 10_000, ..short() }, source);
        let ended = matches!(
            result,
            Err(ExprError::Memory { .. }
                | ExprError::Time { .. }
                | ExprError::Stack
                | ExprError::Syntax { .. })
                | Ok(Value::Undefined)
        );
        assert!(ended, "{source}: {result:?}");
    }
    let hoard = evaluate_with(
        SandboxLimits { time_ms: 10_000, ..short() },
        "(() => { const a = []; for (;;) a.push('x'.repeat(1e6) + a.length) })()",
    );
    assert_eq!(hoard, Err(ExprError::Memory { limit_bytes: 64 << 20 }));
}

#[test]
fn recursion_has_an_end() {
    for source in [
        "(function f() { return f() + 1 })()",
        "(function f(n) { return [f(n + 1)] })(0)",
        "(() => { const o = { toString: () => '' + o }; return '' + o })()",
        "JSON.stringify((() => { let o = {}; for (let i = 0; i < 1e6; i++) o = { o }; return o })())",
        "(() => { let o = []; for (let i = 0; i < 1e5; i++) o = [o]; return o.flat(Infinity).length })()",
    ] {
        let result = evaluate(source);
        assert!(matches!(result, Err(ExprError::Stack) | Ok(_)), "{source}: {result:?}");
    }
    assert_eq!(evaluate("(function f() { return f() + 1 })()"), Err(ExprError::Stack));
    assert!(evaluate(&"(".repeat(100_000)).is_err());
    assert!(evaluate(&"[".repeat(100_000)).is_err());
    assert!(
        evaluate("(() => { let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; return o })()")
            .is_err()
    );
    assert!(evaluate("(() => { const o = {}; o.o = o; return o })()").is_err());
    // The host is called from the bottom of the stack, with data as deep as it may be.
    let deep = "(() => { let o = {}; for (let i = 0; i < 500; i++) o = { o }; const f = () => { try { f() } catch {} return $jmespath(o, 'o') }; f(); return 1 })()";
    let result =
        evaluate_with(SandboxLimits { time_ms: 2_000, ..SandboxLimits::expression() }, deep);
    assert!(matches!(result, Err(ExprError::Stack | ExprError::Time { .. }) | Ok(_)), "{result:?}");
}

#[test]
fn issue_14_02_a_query_of_data_ends_within_the_limits() {
    let doubling = |times: usize| format!("[@,@]{}", "|[@,@]".repeat(times));
    for query in [
        "(".repeat(200_000),
        "abs(".repeat(1_000),
        "abs(".repeat(200_000),
        "[".repeat(100_000),
        "{a:".repeat(100_000),
        "!".repeat(200_000),
        "a.".repeat(200_000),
        "&".repeat(200_000),
        "a[?".repeat(100_000),
        "a || ".repeat(100_000),
        "\"".repeat(100_001),
        format!("`{}`", "[".repeat(100_000)),
        doubling(22),
        doubling(200),
        format!("join('', {})", doubling(22)),
        "map(&map(&map(&@, @), @), @)".replace('@', "[1,2,3,4]"),
        "*".repeat(100_000),
    ] {
        let scope = FakeScope::with_json(json!({ "data": { "a": [1, 2] }, "q": query.clone() }));
        let limits =
            SandboxLimits { time_ms: 300, memory_bytes: 32 << 20, ..SandboxLimits::expression() };
        let began = compute::cpu_used();
        let result = session(limits)
            .evaluate(&ExpressionCode::new("$jmespath($json.data, $json.q)"), &scope);
        let name: String = query.chars().take(30).collect();
        assert!((compute::cpu_used() - began) < Duration::from_secs(5), "{name}");
        assert!(!matches!(result, Err(ExprError::Sandbox { .. })), "{name}: {result:?}");
    }
}

#[test]
fn issue_14_02_a_query_reaches_data_and_nothing_behind_it() {
    for query in [
        "constructor",
        "\"con\\u0073tructor\"",
        "a.\"constr\\u0075ctor\".name",
        "\"__proto__\".__defineGetter__",
    ] {
        let scope = FakeScope::with_json(json!({ "data": { "a": 1 }, "q": query }));
        let result = session(short())
            .evaluate(&ExpressionCode::new("$jmespath($json.data, $json.q)"), &scope);
        let is_refused = match &result {
            Err(ExprError::Data { message, .. }) => message.contains("takes no backslashes"),
            _ => matches!(result, Err(ExprError::Forbidden { .. }) | Ok(Value::Undefined)),
        };
        assert!(is_refused, "{query}: {result:?}");
    }
}

#[test]
fn issue_14_06_long_evaluations_take_turns_and_are_stopped_by_their_cpu_time() {
    let source = "(() => { while (true) {} })()";
    let ends = |limit_ms: u64| {
        let began = compute::cpu_used();
        let result = evaluate_with(
            SandboxLimits { time_ms: limit_ms, ..SandboxLimits::expression() },
            source,
        );
        assert_eq!(result, Err(ExprError::Time { limit_ms }));
        compute::cpu_used() - began
    };
    std::thread::scope(|scope| {
        let many: Vec<_> = (0..16).map(|_| scope.spawn(|| ends(100))).collect();
        for one in many {
            let used = one.join().unwrap();
            assert!(
                used >= Duration::from_millis(100) && used < Duration::from_secs(1),
                "{used:?}"
            );
        }
    });
}

/// A list with the same value many times, which takes little room inside of JavaScript.
fn list_of(value: &str, count: usize) -> String {
    format!(
        "(() => {{ const value = {value}, list = []; for (let i = 0; i < {count}; i++) list.push(value); return list }})()"
    )
}

#[test]
fn issue_14_01_a_result_pays_for_the_memory_that_it_takes() {
    let limits =
        SandboxLimits { time_ms: 30_000, memory_bytes: 32 << 20, ..SandboxLimits::expression() };
    let parts = [
        ("{}", 600_000),
        ("[]", 700_000),
        ("{ a: 1 }", 400_000),
        ("'x'.repeat(100)", 300_000),
        ("[[1], [2]]", 200_000),
    ];
    for (value, count) in parts {
        assert_eq!(
            evaluate_with(limits, &list_of(value, count)),
            Err(ExprError::Memory { limit_bytes: 32 << 20 }),
            "{value}"
        );
        let some = evaluate_with(limits, &list_of(value, count / 10)).unwrap();
        assert!(
            some.estimated_bytes() * 9 > 32 << 20,
            "{value}: the rest of the list would have been too much"
        );
    }
    for source in [
        "new Array(4e6)",
        "(() => new Array(1e8))()",
        "$jmespath({}, '[@,@]' + '|[@,@]'.repeat(22))",
    ] {
        let result = evaluate_with(limits, source);
        assert!(
            matches!(result, Err(ExprError::Memory { .. } | ExprError::Time { .. })),
            "{source}: {result:?}"
        );
    }
}

#[test]
fn issue_14_01_errors_that_are_caught_do_not_pile_up() {
    let source =
        "(() => { const name = 'x'.repeat(2e6); for (;;) try { $items(name) } catch {} })()";
    assert_eq!(evaluate_with(short(), source), Err(ExprError::Time { limit_ms: 300 }));
    // What is thrown last is told, in words that are worth reading.
    let thrown = evaluate(
        "(() => { for (let i = 0; i < 2000; i++) try { $('a' + i) } catch {} return $('x'.repeat(2e6)) })()",
    );
    assert!(
        matches!(&thrown, Err(ExprError::Data { message, description, .. })
        if message.len() < 20_000 && description.as_ref().is_none_or(|text| text.len() < 20_000)),
        "{thrown:?}"
    );
}

#[tokio::test]
async fn issue_14_01_what_waits_and_what_is_kept_is_paid_for() {
    let limits = SandboxLimits {
        time_ms: 30_000,
        memory_bytes: 24 << 20,
        output_bytes: 1 << 30,
        loop_iterations: None,
        fetch_calls: 100_000,
        open_calls: 100_000,
        log_lines: 100_000,
        ..SandboxLimits::tool()
    };
    for source in [
        "for (let i = 0; i < 10000; i++) fetch('http://h/1', { method: 'POST', body: 'x'.repeat(1e6) }).catch(() => {}); await sleep(1)",
        "for (let i = 0; i < 10000; i++) console.log('x'.repeat(1e6))",
        "return new Array(1e8)",
    ] {
        let ended = tool_with(limits, source).await;
        assert_eq!(ended, Err(ExprError::Memory { limit_bytes: 24 << 20 }), "{source}");
    }
    // What was answered is paid back.
    let one_by_one = "for (let i = 0; i < 60; i++) await fetch('http://h/1', { method: 'POST', body: 'x'.repeat(1e6) }); return 1";
    assert_eq!(tool_with(limits, one_by_one).await, Ok(vec![SandboxOutput::Whole(json!(1))]));
}

#[test]
fn the_way_to_the_function_constructor_is_closed() {
    for source in [
        "({}).constructor.constructor('return 1')()",
        "({})['constructor']",
        "({})[`constructor`]",
        "''['__proto__']",
        "(() => {}).__proto__",
        "[].prototype",
        "Object.getPrototypeOf({})",
        "Object['setPrototypeOf']({}, null)",
        "Object.defineProperty({}, 'a', {})",
        "({}).__defineGetter__('a', () => 1)",
        "({}).__lookupGetter__('a')",
        "__lookupGetter__('a')",
        "Error.prepareStackTrace",
        "import('fs')",
        "(async () => import('fs'))()",
        "with ({}) { 1 }",
        "extend({}, 'constructor', [])",
        "extendOptional({}, '__proto__')",
    ] {
        let result = evaluate(source);
        assert!(
            matches!(result, Err(ExprError::Forbidden { .. } | ExprError::Syntax { .. })),
            "{source}: {result:?}"
        );
    }
    // Names that are only known when it runs.
    for source in [
        "({})['const' + 'ructor']",
        "(() => { const k = 'constructor'; return (() => {})[k]('return 1')() })()",
        "({})[['constructor']]",
        "({})[{ toString: () => 'constructor' }]",
        "(() => { const { ['const' + 'ructor']: c } = {}; return c })()",
        "(() => { const { ['__pro' + 'to__']: { x } } = {}; return x })()",
        "((a, { ['construct' + 'or']: c } = {}) => c)()",
        "(function () { return arguments['cal' + 'lee'].constructor })()",
        "(() => { class A extends (() => {})['const' + 'ructor'] {} return new A('return 1')() })()",
        "(async () => {})['construct' + 'or']('return 1')()",
        "(function* () {})['construct' + 'or']('yield 1')().next()",
        "(() => { try { null.x } catch ({ ['construct' + 'or']: C }) { return new C('a') } })()",
        "((s, ...v) => s['ra' + 'w']['construct' + 'or'])`a`",
        "[]['const' + 'ructor']['const' + 'ructor']",
        "Object['getProto' + 'typeOf']({})",
        "(() => { label: for (;;) { break label } return eval('1') })()",
        "Function('return 1')()",
        "new Function('return 1')()",
        "Reflect.construct(Object, [])",
        "new Proxy({}, {}).x.y",
    ] {
        let result = evaluate(source);
        assert!(
            matches!(result, Err(ExprError::Forbidden { .. }) | Ok(Value::Undefined | Value::Null)),
            "{source}: {result:?}"
        );
    }
}

#[test]
fn an_expression_cannot_change_the_world_of_the_next() {
    let mut session = session(SandboxLimits::expression());
    let scope = FakeScope::with_json(json!({ "list": [3, 1, 2], "o": { "n": 1 } }));
    let mut value = |source: &str| session.evaluate(&ExpressionCode::new(source), &scope);
    for source in [
        "Array['proto' + 'type'].map = () => 'damaged'",
        "Object['proto' + 'type'].polluted = 1",
        "(() => { JSON.stringify = () => 'damaged' })()",
        "(() => { Math.max = () => 'damaged' })()",
        "(() => { Math = 1; JSON = 2; DateTime = 3; $json = 4; $input = 5 })()",
        "(() => { globalThing = 1; undefined = 2 })()",
        "(function () { this.String = 1; this.leaked = 1 })()",
        "$json.list.push(4)",
        "$json.list.sort()",
        "($json.o.n = 2)",
        "delete $json.o",
        "DateTime['proto' + 'type'].toISO = () => 'damaged'",
        "(() => { extend = () => 'damaged'; zip = 1 })()",
        "Reflect.deleteProperty($json, 'o')",
        "1 //\r, ($json.o.n = 7)",
        "1 //\u{2028}, ($json.o.n = 7)",
        "[9].map($json.list['pu' + 'sh'], $json.list)",
        "(f => f.apply($json.list, [5]))($json.list['pu' + 'sh'])",
        "Object['ass' + 'ign']($json, { o: 1 })",
        "(function () { arguments[0].o = 1 })($json)",
        "$evaluateExpression('{{ $json.o = 1 }}')",
        "$input.item.json.list['so' + 'rt'].call($input.item.json.list)",
    ] {
        let _ = value(source);
        assert_eq!(value("$json"), Ok(json!({ "list": [3, 1, 2], "o": { "n": 1 } })), "{source}");
        assert_eq!(
            value("$input.item.json"),
            Ok(json!({ "list": [3, 1, 2], "o": { "n": 1 } })),
            "{source}"
        );
    }
    assert_eq!(value("[1].map(x => x + 1)"), Ok(json!([2])));
    assert_eq!(value("({}).polluted"), Ok(Value::Undefined));
    assert_eq!(value("JSON.stringify([Math.max(1, 2)])"), Ok(json!("[2]")));
    assert_eq!(value("$json"), Ok(json!({ "list": [3, 1, 2], "o": { "n": 1 } })));
    assert_eq!(value("globalThing"), Ok(Value::Undefined));
    assert_eq!(value("$input.first().json.o.n + String(1)"), Ok(json!("11")));
    assert_eq!(
        value("DateTime.fromISO('2024-01-01T00:00:00Z').toUTC().toISO()"),
        Ok(json!("2024-01-01T00:00:00.000Z"))
    );
    assert_eq!(value("[5].first()"), Ok(json!(5)));
}

#[test]
fn data_is_never_code() {
    assert_eq!(evaluate("$json.a"), Ok(json!("{{ 1 + 1 }}")));
    let scope = FakeScope::with_json(
        json!({ "\u{1}": ["date", 5], "__proto__": { "x": 1 }, "constructor": 2, "toString": "t" }),
    );
    let mut session = session(SandboxLimits::expression());
    assert_eq!(
        session.evaluate(&ExpressionCode::new("$json"), &scope),
        Ok(scope.items[0].json.clone())
    );
    assert_eq!(session.evaluate(&ExpressionCode::new("({}).x"), &scope), Ok(Value::Undefined));
}

#[test]
fn there_is_no_way_out_of_the_heap() {
    for source in [
        "process.env.HOME",
        "process.mainModule",
        "typeof require",
        "globalThis.process",
        "typeof std",
        "typeof os",
        "typeof navigator",
    ] {
        match evaluate(source) {
            Err(ExprError::Forbidden { .. }) | Ok(Value::Undefined) => {}
            Ok(Value::String(text)) => {
                assert!(text == "undefined" || text == "object", "{source}: {text}")
            }
            other => panic!("{source}: {other:?}"),
        }
    }
    assert!(matches!(evaluate("$env.HOME"), Err(ExprError::Data { .. })));
    assert_eq!(
        evaluate("Date.now() === $now.toMillis() && new Date().getTime()"),
        Ok(json!(FakeScope::default().now_ms))
    );
    let random: Vec<_> =
        (0..3).map(|_| evaluate("Math.random()").unwrap().as_f64().unwrap()).collect();
    assert!(
        random[0] != random[1] && random[1] != random[2],
        "the image must not repeat random numbers: {random:?}"
    );
}

#[test]
fn a_session_goes_on_after_each_kind_of_end() {
    let mut session = session(short());
    let scope = FakeScope::with_json(json!({ "a": 1 }));
    for source in [
        "(() => { for (;;); })()",
        "(function f() { return f() })()",
        "(() => { const a = []; for (;;) a.push('x'.repeat(1e6) + a.length) })()",
    ] {
        assert!(session.evaluate(&ExpressionCode::new(source), &scope).is_err(), "{source}");
        assert_eq!(session.evaluate(&ExpressionCode::new("$json.a + 1"), &scope), Ok(json!(2)));
    }
}

#[test]
fn output_has_an_end() {
    let limits = SandboxLimits { output_bytes: 1000, ..SandboxLimits::expression() };
    assert_eq!(
        evaluate_with(limits, "'x'.repeat(2000)"),
        Err(ExprError::Output { limit_bytes: 1000 })
    );
    assert_eq!(
        evaluate_with(limits, "new Array(5000)"),
        Err(ExprError::Output { limit_bytes: 1000 })
    );
    assert_eq!(
        evaluate_with(
            limits,
            "(() => { let o = {}; for (let i = 0; i < 30; i++) o = { a: o, b: o }; return o })()"
        ),
        Err(ExprError::Output { limit_bytes: 1000 })
    );
    assert!(evaluate_with(limits, "'x'.repeat(900)").is_ok());
}

#[tokio::test]
async fn tools_have_exactly_their_limits() {
    assert_eq!(
        tool("for (let i = 0; i < 10000; i++) {} return 1").await,
        Ok(vec![SandboxOutput::Whole(json!(1))])
    );
    assert_eq!(
        tool("for (let i = 0; i < 10001; i++) {} return 1").await,
        Err(ExprError::Loops { limit: 10_000 })
    );
    assert_eq!(
        tool("try { while (true) {} } catch {} return 1").await,
        Err(ExprError::Loops { limit: 10_000 })
    );
    assert_eq!(
        tool("let n = 0; do n++; while (n < 20000); return n").await,
        Err(ExprError::Loops { limit: 10_000 })
    );
    assert_eq!(
        tool("for (const x of new Array(10001).fill(0)) ; return 1").await,
        Err(ExprError::Loops { limit: 10_000 })
    );
    assert_eq!(
        tool("return 'x'.repeat(100 * 1024)").await,
        Err(ExprError::Output { limit_bytes: 100 * 1024 })
    );
    assert!(tool("return 'x'.repeat(100 * 1024 - 10)").await.is_ok());
    assert_eq!(
        tool("console.log('x'.repeat(200 * 1024)); return 1").await,
        Err(ExprError::Output { limit_bytes: 100 * 1024 })
    );
    assert!(
        tool("let n = 0; while (n < 20) { await fetch('http://h/1'); n++ } return n").await.is_ok()
    );
    assert_eq!(
        tool("for (let n = 0; n < 21; n++) try { await fetch('http://h/1') } catch {} return 1")
            .await,
        Err(ExprError::Fetches { limit: 20 })
    );
    assert!(tool("return (await (await fetch('http://h/1048576')).text()).length").await.is_ok());
    assert_eq!(
        tool("try { await fetch('http://h/1048577') } catch {} return 1").await,
        Err(ExprError::FetchBody { limit_bytes: 1 << 20 })
    );
    assert_eq!(
        tool("return new Array(9e6).fill(1.5).map(x => [x])").await,
        Err(ExprError::Memory { limit_bytes: 64 << 20 })
    );
    assert_eq!(tool("return (function f() { return f() + 1 })()").await, Err(ExprError::Stack));
    assert!(matches!(
        tool("return getSecret('undeclared')").await,
        Err(ExprError::Forbidden { .. })
    ));
    assert!(matches!(
        tool("return workspace.read('../../etc/passwd')").await,
        Err(ExprError::Forbidden { .. })
    ));
}

#[tokio::test]
async fn issue_14_00_no_loop_goes_uncounted() {
    let loops = "for (let i = 0; i < 20000; i++) {}";
    let hidden = [
        format!("//\r{loops}"),
        format!("//\u{2028}{loops}"),
        format!("//\u{2029}{loops}"),
        format!("let x = 1; x++ /1; {loops} 1/1"),
        format!("let x = 1; x-- /1; {loops} 1/1"),
        format!("const of = 1; of /1; {loops} 1/1"),
        format!("const x = {{}}; x.typeof /1; {loops} 1/1"),
        format!("class A {{ #if() {{ return 1 }} m() {{ this.#if() /1; {loops} 1/1 }} }} new A().m()"),
        format!("function f() {{ var await = 1; await /1; {loops} 1/1 }} f()"),
        format!("function f() {{ var yield = 1; yield /1; {loops} 1/1 }} f()"),
        format!("for (const a of [1]) {{ continue\n/1; \"/; }} {loops} //\""),
        format!("do {{ break\n/1; \"/; }} while (0); {loops} //\""),
        format!("1 <!-- `\n{loops}\n<!-- `"),
        format!("1\n--> `\n{loops}\n--> `"),
        format!("/*\n*/--> `\n{loops}\n/*\n*/ --> `"),
        format!("\"\\\r\n\"; {loops} //\""),
        loops.replace("for ", "for\u{a0}"),
        loops.replace("for ", "for\u{feff}"),
        loops.replace("for ", "for\u{b}"),
        loops.replace("for ", "for/* c */"),
        loops.replace("for ", "for//\u{2028}"),
        format!("if (1) /1; \"/.test(''); {loops} //\""),
        format!("const a = {{}} /1; {loops} 1/1"),
        format!("const a = function () {{}} /1; {loops} 1/1"),
        format!("const __heddle_tick = () => true; {loops}"),
        format!("const __heddle\\u005ftick = () => true; {loops}"),
        format!("with ({{ ['__heddle' + '_tick']: () => true }}) {{ {loops} }}"),
        "const endless = { [Symbol.asyncIterator]: () => ({ next: async () => ({ value: 1 }) }) }; for await (const x of endless) ;"
            .to_owned(),
        "const endless = { [Symbol.asyncIterator]: () => ({ next: async () => ({ value: 1 }) }) }; for await (const x of endless) { }"
            .to_owned(),
    ];
    for source in hidden {
        let result = tool(&format!("{source}\nreturn 1")).await;
        assert!(
            matches!(
                result,
                Err(ExprError::Loops { .. }
                    | ExprError::Forbidden { .. }
                    | ExprError::Syntax { .. })
            ),
            "{source:?}: {result:?}"
        );
    }
    let honest = "
        let x = 6
        const half = x++ / 2, list = [8, 4], f = () => {}
        /a/g.test('a')
        if (half) /b/.test('b')
        const parts = 'a/b /c/'.split(/[/]/)
        const t = `${x / 2}/${list[0] / list[1]}`
        while (x > 2) x--
        return [half, f(), parts.length, t, x, /x=(.)/.exec('x=y')[1], list.with(0, 1)[0]].join()";
    assert_eq!(tool(honest).await, Ok(vec![SandboxOutput::Whole(json!("3,,4,3.5/2,2,y,1"))]));
}

const LOOP: &str = "for (let i = 0; i < 300; i++) n++;";

/// Parts around which readers of JavaScript come to disagree.
const PARTS: &[&str] = &[
    "/",
    "/1;",
    "/ 2",
    "1/1",
    "\"",
    "'",
    "`",
    "${",
    "}",
    "{",
    "(",
    ")",
    "[",
    "]",
    "++",
    "--",
    "x",
    "x++",
    "x ",
    "of ",
    "var of = 1;",
    "await ",
    "yield ",
    "return ",
    "break\n",
    ";",
    ";",
    "\n",
    "\r",
    "\u{2028}",
    "\u{a0}",
    "\u{b}",
    "//",
    "/*",
    "*/",
    "<!--",
    "-->",
    "if (1) ",
    "while (0) ",
    "do ",
    "else ",
    "\\",
    "\\\n",
    "typeof ",
    ".in ",
    ".",
    "=>",
    ":",
    ",",
    "1",
    "#",
    "=",
    "g",
    "() => {}",
    "function f() {}",
    "({})",
    "a: ",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn issue_14_00_loops_count_whatever_stands_around_them(
        before in proptest::collection::vec(proptest::sample::select(PARTS), 0..7),
        after in proptest::collection::vec(proptest::sample::select(PARTS), 0..5),
    ) {
        let source = format!("var n = 0, x = 1; {}{LOOP}{}\nreturn n", before.concat(), after.concat());
        let limits = SandboxLimits { loop_iterations: Some(100), time_ms: 1_000, ..SandboxLimits::tool() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let result = runtime.block_on(tool_with(limits, &source));
        let turns = if let Ok([SandboxOutput::Whole(Value::Number(turns))]) = result.as_deref() { *turns } else { 0.0 };
        prop_assert!(turns <= 100.0 || turns.is_nan(), "{source:?}: {result:?}");
    }
}

#[tokio::test]
async fn issue_14_00_what_goes_round_the_count_is_ended_by_the_engine() {
    let few = SandboxLimits { loop_iterations: Some(10), ..SandboxLimits::tool() };
    for source in [
        "new Array(1e6).fill(0).forEach(() => { try { f() } catch {} }); return 1",
        "const f = () => Promise.resolve().then(f); await f()",
        "const f = n => n ? f(n - 1) + f(n - 1) : 0; return f(25)",
        "return [...(function* g(n) { yield 1; yield* g(n + 1) })(0)].length",
    ] {
        let result = tool_with(few, source).await;
        assert!(
            matches!(result, Err(ExprError::Loops { limit: 10 } | ExprError::Stack)),
            "{source}: {result:?}"
        );
    }
    // Code nodes are not counted.
    let result = tool_with(
        SandboxLimits { loop_iterations: None, ..few },
        "new Array(1e5).fill(0).forEach(() => {}); return 1",
    )
    .await;
    assert_eq!(result, Ok(vec![SandboxOutput::Whole(json!(1))]));
}

#[tokio::test]
async fn floods_of_promises_and_timers_end() {
    let limits = SandboxLimits { time_ms: 500, loop_iterations: None, ..SandboxLimits::tool() };
    let flood =
        "const again = () => Promise.resolve().then(again); again(); await new Promise(() => {})";
    assert_eq!(tool_with(limits, flood).await, Err(ExprError::Time { limit_ms: 500 }));
    let hoard = "const all = []; for (;;) all.push(new Promise(() => {}).then(() => all))";
    assert!(matches!(
        tool_with(limits, hoard).await,
        Err(ExprError::Time { .. } | ExprError::Memory { .. })
    ));
    let timers = tool_with(limits, "for (let i = 0; i < 1e6; i++) setTimeout(() => {}, 1e6)").await;
    assert!(
        matches!(timers, Err(ExprError::Thrown { ref message, .. }) if message.contains("timers and requests are open")),
        "{timers:?}"
    );
    assert_eq!(
        tool_with(
            limits,
            "const tick = () => setTimeout(tick, 0); tick(); await new Promise(() => {})"
        )
        .await,
        Err(ExprError::Time { limit_ms: 500 })
    );
    assert_eq!(
        tool_with(limits, "await fetch('http://slow/1')").await,
        Err(ExprError::Time { limit_ms: 500 })
    );
    let impatient = SandboxLimits { fetch_timeout_ms: 50, ..limits };
    assert!(
        matches!(tool_with(impatient, "await fetch('http://slow/1')").await, Err(ExprError::Thrown { ref name, .. }) if name == "TimeoutError")
    );
}

#[tokio::test]
async fn damage_of_one_run_is_not_seen_by_the_next() {
    let damage = "Object.prototype.polluted = 1; Array.prototype.map = 1; globalThis.leaked = 2; JSON.stringify = 3; Promise.prototype.then = null; return 1";
    let _ = tool(damage).await;
    assert_eq!(
        tool("return [({}).polluted, typeof leaked, [1].map(String)[0], JSON.stringify(1)].join()")
            .await,
        Ok(vec![SandboxOutput::Whole(json!(",undefined,1,1"))])
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_runs_side_by_side_are_kept_apart() {
    let runs: Vec<_> = (0..1000)
        .map(|number| {
            tokio::spawn(async move {
                let source = format!("globalThis.mine = {number}; await sleep(20); return mine");
                (
                    number,
                    tool_with(SandboxLimits { time_ms: 30_000, ..SandboxLimits::tool() }, &source)
                        .await,
                )
            })
        })
        .collect();
    for run in runs {
        let (number, result) = run.await.unwrap();
        assert_eq!(result, Ok(vec![SandboxOutput::Whole(json!(number))]));
    }
}
