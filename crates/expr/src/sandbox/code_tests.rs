//! Code nodes from the outside.

use super::{
    CodeFailure, CodeHost, CodeOutcome, CodeStaticData, Flavour, Sandbox, SandboxJob,
    SandboxLimits, SandboxOutput,
};
use crate::ExprError;
use crate::testing::FakeScope;
use futures::future::BoxFuture;
use model::{Binary, Item, Object, Value, json};

/// Answers every request with what it was asked.
struct Echo;

impl CodeHost for Echo {
    fn request<'a>(
        &'a self,
        name: &'a str,
        argument: Value,
    ) -> BoxFuture<'a, Result<Value, ExprError>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            match name {
                "fetch" => Ok(
                    json!({ "status": 200, "headers": { "X-A": "b" }, "body": model::json::to_string(&argument) }),
                ),
                "httpRequest" => Ok(argument),
                other => Err(ExprError::data(format!("no {other} here"))),
            }
        })
    }
}

async fn run(
    source: &str,
    flavour: Flavour,
    scope: &FakeScope,
) -> Result<(Vec<SandboxOutput>, CodeOutcome), CodeFailure> {
    let limits =
        if flavour == Flavour::Tool { SandboxLimits::tool() } else { SandboxLimits::code_node() };
    let job = SandboxJob {
        source: source.into(),
        flavour,
        static_data: CodeStaticData::default(),
        first: 0,
        names: Object::new(),
    };
    let mut returned = Vec::new();
    let outcome = Sandbox::new()
        .session(limits)
        .run_code(&job, scope, &Echo, &mut |value| returned.push(value))
        .await?;
    Ok((returned, outcome))
}

/// What code returns as a whole.
async fn whole(source: &str) -> Value {
    match run(source, Flavour::AllItems, &three()).await.unwrap().0.pop() {
        Some(
            SandboxOutput::Whole(value)
            | SandboxOutput::Element { value, .. }
            | SandboxOutput::ForItem { value, .. },
        ) => value,
        other => panic!("{other:?}"),
    }
}

async fn failure(source: &str) -> String {
    run(source, Flavour::AllItems, &three()).await.unwrap_err().to_string()
}

fn three() -> FakeScope {
    FakeScope {
        items: (1..=3).map(|n| Item::new(json!({ "n": n }))).collect(),
        ..FakeScope::default()
    }
    .with_node("Start", [json!({ "s": 7 })])
}

#[tokio::test]
async fn code_for_all_items_gives_its_elements_one_by_one() {
    let (returned, _) = run(
        "for (const item of items) item.json.m = item.json.n * 2;\nreturn $input.all();",
        Flavour::AllItems,
        &three(),
    )
    .await
    .unwrap();
    assert_eq!(returned[0], SandboxOutput::List { len: 3 });
    assert_eq!(
        returned[2],
        SandboxOutput::Element { index: 1, value: json!({ "json": { "n": 2, "m": 4 } }) }
    );
    assert_eq!(returned.len(), 4);
}

#[tokio::test]
async fn code_for_each_item_sees_that_item() {
    let source = "$json.i = $itemIndex; return { json: { ...$input.item.json, s: $('Start').first().json.s } };";
    let (returned, _) = run(source, Flavour::EachItem, &three()).await.unwrap();
    assert_eq!(
        returned[2],
        SandboxOutput::ForItem { index: 2, value: json!({ "json": { "n": 3, "i": 2, "s": 7 } }) }
    );
    let (returned, _) =
        run("item.x = 1; return item;", Flavour::FunctionItem, &three()).await.unwrap();
    assert_eq!(
        returned[0],
        SandboxOutput::ForItem { index: 0, value: json!({ "json": { "n": 1, "x": 1 } }) }
    );
}

#[tokio::test]
async fn errors_tell_the_line_and_the_item() {
    assert_eq!(
        failure("const a = 1;\nreturn nothing + a;").await,
        "nothing is not defined [line 2]"
    );
    assert_eq!(failure("\n\nthrow new Error('no');").await, "no [line 3]");
    assert_eq!(failure("const a;\n").await.split(' ').next(), Some("invalid"));
    assert_eq!(failure("const x = {};\nx.foo();").await, "x.foo is not a function [line 2]");
    assert_eq!(failure("const a = 1; a = 2;").await, "Assignment to constant variable. [line 1]");
    let failed = run("if ($json.n == 2) { null.x }\nreturn $json", Flavour::EachItem, &three())
        .await
        .unwrap_err();
    assert_eq!(
        failed.to_string(),
        "Cannot read properties of null (reading 'x') [line 1, for item 1]"
    );
    assert_eq!((failed.line, failed.item_index), (Some(1), Some(1)));
}

#[tokio::test]
async fn issue_17_02_a_text_that_is_no_json_is_refused_in_the_words_of_node() {
    for (text, message) in [
        ("", "Unexpected end of JSON input"),
        ("[object Object]", "\"[object Object]\" is not valid JSON"),
        ("{'a':1}", "Expected property name or '}' in JSON at position 1 (line 1 column 2)"),
        ("[1,]", "Unexpected token ']', \"[1,]\" is not valid JSON"),
        (
            "This is a text and no JSON at all",
            "Unexpected token 'T', \"This is a \"... is not valid JSON",
        ),
        (
            "{\n  \"a\": 1\n  \"b\": 2\n}",
            "Expected ',' or '}' after property value in JSON at position 13 (line 3 column 3)",
        ),
        (
            "\"a\nb\"",
            "Bad control character in string literal in JSON at position 2 (line 1 column 3)",
        ),
        ("{} {}", "Unexpected non-whitespace character after JSON at position 3 (line 1 column 4)"),
    ] {
        let source = format!("return JSON.parse({});", model::json::to_string(&Value::from(text)));
        assert_eq!(failure(&source).await, format!("{message} [line 1]"), "{text}");
    }
    assert_eq!(
        whole(
            "const wrong = []; \
            for (const work of [() => JSON.parse('1', () => { throw new SyntaxError('mine') }), () => JSON.parse(Symbol()), () => JSON.parse()]) \
                try { work() } catch (error) { wrong.push(error.name + ': ' + error.message) } \
            return { wrong, right: JSON.parse('{\"a\":[1]}', (key, value) => key === '0' ? 2 : value), named: JSON.parse.name + JSON.parse.length }"
        )
        .await,
        json!({
            "wrong": ["SyntaxError: mine", "TypeError: cannot convert symbol to string", "SyntaxError: \"undefined\" is not valid JSON"],
            "right": { "a": [2] },
            "named": "parse2",
        })
    );
}

#[tokio::test]
async fn promises_timers_and_requests_are_awaited() {
    assert_eq!(
        whole("await new Promise(done => setTimeout(done, 5)); return 'late';").await,
        json!("late")
    );
    assert_eq!(
        whole("const [a, b] = await Promise.all([1, 2].map(async n => n * 2)); return a + b;")
            .await,
        json!(6)
    );
    let source = "const r = await fetch('http://x/', { method: 'post', headers: { A: '1' } }); return [r.ok, r.headers.get('x-a'), (await r.json()).method];";
    let (returned, _) = run(source, Flavour::AllItems, &three()).await.unwrap();
    assert_eq!(returned[2], SandboxOutput::Element { index: 1, value: json!("b") });
    assert_eq!(returned[3], SandboxOutput::Element { index: 2, value: json!("POST") });
    assert_eq!(
        whole("return this.helpers.httpRequest({ url: 'u' });").await,
        json!({ "url": "u" })
    );
    assert_eq!(
        whole("try { await this.helpers.request('x') } catch (e) { return e.message }").await,
        json!("no request here")
    );
    assert!(failure("await new Promise(() => {})").await.starts_with("The code awaits a promise"));
    let interval = "let n = 0; await new Promise(d => { const id = setInterval(() => { if (++n > 3) { clearInterval(id); d() } }, 1) }); return n";
    assert_eq!(whole(interval).await, json!(4));
}

#[tokio::test]
async fn the_console_static_data_and_custom_data_come_back() {
    let source = "console.log('a', { b: [1, 'c'] }, null); const d = $getWorkflowStaticData('global'); d.count = (d.count || 0) + 1;
        $execution.customData.set('k', 5); return [];";
    let (_, outcome) = run(source, Flavour::AllItems, &three()).await.unwrap();
    assert_eq!(outcome.logs[0].text, "a { b: [ 1, 'c' ] } null");
    assert_eq!(outcome.static_data.global, Some(json!({ "count": 1 })));
    assert_eq!(outcome.custom_data, [("k".into(), "5".into())]);
}

#[tokio::test]
async fn issue_14_01_custom_data_is_short_and_not_much() {
    let source = "for (let i = 0; i < 2000; i++) $execution.customData.set('k' + i % 1500, 'x'.repeat(2e4) + i); return [];";
    let (_, outcome) = run(source, Flavour::AllItems, &three()).await.unwrap();
    assert_eq!(outcome.custom_data.len(), 1000);
    assert!(outcome.custom_data.iter().all(|(key, value)| key.len() < 10 && value.len() < 20_000));
}

#[tokio::test]
async fn what_code_knows_from_node_is_there() {
    for (source, expected) in [
        ("return Buffer.from('héllo').toString('base64')", json!("aMOpbGxv")),
        (
            "return Buffer.concat([Buffer.from('a'), Buffer.from('62', 'hex')]).toString()",
            json!("ab"),
        ),
        ("return Buffer.from('aGk=', 'base64').slice(0, 1).toString()", json!("h")),
        (
            "return require('crypto').createHash('sha256').update('a').digest('hex').slice(0, 8)",
            json!("ca978112"),
        ),
        ("return crypto.createHmac('sha1', 'k').update('a').digest('base64').length", json!(28)),
        ("return require('crypto').randomUUID().length", json!(36)),
        (
            "return new URL('/p?a=1#h', 'https://u:p@h.example:81/x').href",
            json!("https://u:p@h.example:81/p?a=1#h"),
        ),
        (
            "const u = new URL('https://h/'); u.searchParams.set('q', 'a b'); return u.toString()",
            json!("https://h/?q=a+b"),
        ),
        ("return new URLSearchParams({ a: 1, b: 'x y' }).toString()", json!("a=1&b=x+y")),
        ("return btoa('hi') + atob('aGk=')", json!("aGk=hi")),
        ("return new TextDecoder().decode(new TextEncoder().encode('é'))", json!("é")),
        ("return structuredClone({ a: [1, { b: 2 }] })", json!({ "a": [1, { "b": 2 }] })),
        ("return require('luxon').DateTime.fromISO('2024-01-02').toFormat('dd')", json!("02")),
        ("return require('util').inspect({ a: 1 })", json!("{ a: 1 }")),
        ("return [1, 2, 3].constructor === Array && ({}).constructor.name", json!("Object")),
        ("return Date.now()", json!(1_714_979_289_010_i64)),
        ("return $jmespath({ a: [{ b: 1 }] }, 'a[0].b')", json!(1)),
        ("return new Date(2024, 0, 31).toISOString()", json!("2024-01-31T00:00:00.000Z")),
    ] {
        let found = run(source, Flavour::AllItems, &three())
            .await
            .unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_eq!(found.0, [SandboxOutput::Whole(expected)], "{source}");
    }
    assert!(
        failure("require('fs')")
            .await
            .contains("Cannot find module 'fs'. Code may require: assert, buffer, crypto")
    );
}

#[tokio::test]
async fn files_travel_through_code() {
    let mut scope = three();
    scope.items[0]
        .set_binary("data", Binary::new(&b"hello"[..], "text/plain", Some("a.txt".into())));
    let source = "const b = await this.helpers.getBinaryDataBuffer(0, 'data');
        const out = await this.helpers.prepareBinaryData(Buffer.from(b.toString().toUpperCase()), 'b.csv');
        return [{ json: { was: items[0].binary.data.fileName, data: items[0].binary.data.data }, binary: { out } }, items[0]];";
    let (returned, _) = run(source, Flavour::AllItems, &scope).await.unwrap();
    let SandboxOutput::Element { value, .. } = &returned[1] else { panic!() };
    assert_eq!(value.get_path("json"), Some(&json!({ "was": "a.txt", "data": "aGVsbG8=" })));
    assert_eq!(value.get_path("binary.out.mimeType"), Some(&json!("text/csv")));
    let SandboxOutput::Element { value, .. } = &returned[2] else { panic!() };
    assert_eq!(
        Item::from_value(value).binary("data").map(|file| file.data.to_vec()),
        Some(b"hello".to_vec())
    );
}

#[tokio::test]
async fn tools_have_their_own_names() {
    let job = SandboxJob {
        source: "await sleep(1); return query.length + uuid().length;".into(),
        flavour: Flavour::Tool,
        static_data: CodeStaticData::default(),
        first: 0,
        names: [("query", "abc")].into_iter().collect(),
    };
    let mut returned = Vec::new();
    Sandbox::new()
        .session(SandboxLimits::tool())
        .run_code(&job, &FakeScope::default(), &Echo, &mut |value| returned.push(value))
        .await
        .unwrap();
    assert_eq!(returned, [SandboxOutput::Whole(json!(39))]);
}

#[tokio::test]
async fn issue_14_00_loops_cannot_hide_in_code_made_of_text() {
    let tool = async |source: &str| run(source, Flavour::Tool, &FakeScope::default()).await;
    for source in [
        "new Function('for (;;) {}')()",
        "eval('for (;;) {}')",
        "(0, globalThis['ev' + 'al'])('for (;;) {}')",
        "(() => 0).constructor('for (;;) {}')()",
        "await (async () => 0).constructor('for (;;) {}')()",
        "[...(function* () {}).constructor('for (;;) yield 1')()]",
        "Reflect.construct(Object.getPrototypeOf(function () {}).constructor, ['for (;;) {}'])()",
        "$evaluateExpression('{{ (() => { for (;;) {} })() }}')",
    ] {
        let began = compute::cpu_used();
        let failure = tool(source).await.unwrap_err().to_string();
        assert!(failure.contains("Code cannot be made of text here"), "{source}: {failure}");
        assert!(compute::cpu_used() - began < std::time::Duration::from_secs(10), "{source}");
    }
    let (returned, _) =
        tool("return [(() => 0) instanceof Function, (() => 0).constructor === Function]")
            .await
            .unwrap();
    assert_eq!(
        returned[1..],
        [true, true]
            .map(|value| json!(value))
            .into_iter()
            .enumerate()
            .map(element)
            .collect::<Vec<_>>()
    );
    assert_eq!(
        whole("return new Function('return 7')()").await,
        json!(7),
        "an author's own code may"
    );
}

fn element((index, value): (usize, Value)) -> SandboxOutput {
    SandboxOutput::Element { index, value }
}

#[tokio::test]
async fn many_items_go_through_a_small_heap_one_by_one() {
    let text = "x".repeat(1000);
    let items = (0..20_000).map(|n| Item::new(json!({ "n": n, "text": text }))).collect();
    let scope = FakeScope { items, ..FakeScope::default() };
    let job = SandboxJob {
        source: "return { json: { n: $json.n + 1, text: $json.text } }".into(),
        flavour: Flavour::EachItem,
        static_data: CodeStaticData::default(),
        first: 0,
        names: Object::new(),
    };
    let limits = SandboxLimits { memory_bytes: 8 << 20, ..SandboxLimits::code_node() };
    let mut count = 0;
    Sandbox::new()
        .session(limits)
        .run_code(&job, &scope, &Echo, &mut |_| count += 1)
        .await
        .unwrap();
    assert_eq!(count, 20_000);
}

#[test]
fn a_run_of_code_may_move_between_threads() {
    fn movable<T: Send>(_: &T) {}
    let mut session = Sandbox::new().session(SandboxLimits::code_node());
    movable(&session);
    let job = SandboxJob {
        source: "".into(),
        flavour: Flavour::AllItems,
        static_data: CodeStaticData::default(),
        first: 0,
        names: Object::new(),
    };
    let scope = three();
    let mut sink = |_| ();
    movable(&session.run_code(&job, &scope, &Echo, &mut sink));
}

#[tokio::test]
async fn long_lists_arrive_in_order_and_whole() {
    let mut items: model::Items = (0..300).map(|n| Item::new(json!({ "n": n }))).collect();
    items.append(&(300..700).map(|n| Item::new(json!({ "n": n }))).collect());
    let scope = FakeScope { items: items.to_vec(), ..FakeScope::default() };
    let (returned, _) = run(
        "return items.every((item, index) => item.json.n === index) && items.length",
        Flavour::AllItems,
        &scope,
    )
    .await
    .unwrap();
    assert_eq!(returned, [SandboxOutput::Whole(json!(700))]);
}
