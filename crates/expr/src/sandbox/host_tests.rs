//! Every call that the guest can make of the host, with arguments that somebody hostile would
//! choose.

use super::host::SEEN;
use super::{
    CodeHost, CodeStaticData, ExpressionCode, Flavour, Sandbox, SandboxJob, SandboxLimits,
};
use crate::ExprError;
use crate::testing::FakeScope;
use futures::future::BoxFuture;
use model::{Binary, Item, Object, Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

/// The tables of the calls.
const SOURCES: [&str; 3] =
    [include_str!("scope_calls.rs"), include_str!("calls.rs"), include_str!("code_calls.rs")];

/// The image makes no use of these.
const UNUSED: [u32; 3] = [20, 21, 41];

/// `s` is a text of two megabytes, `d` data that is nested as deeply as may be, `big` a list of
/// many parts.
const EXPRESSIONS: &[&str] = &[
    "[$json.s.length, $binary, $input.item.json.s.length, $thisItem.json.s.length]",
    "[-1, NaN, 1e300, {}, $json.s, $json.d, undefined].map(i => { try { return $('Start').pairedItem(i) } catch { return 0 } })",
    "[-1, NaN, 1e300, {}, $json.s, $json.d].map(i => { try { return [$('Start').first(i, i), $('Start').last(i, i)] } catch { return 0 } })",
    "[-1, NaN, 1e300, {}, $json.s, $json.d].map(i => { try { return $('Start').all(i, i) } catch { return 0 } })",
    "[-1, NaN, 1e300, $json.s].map(i => { try { return $items('Start', i, i) } catch { return 0 } })",
    "[-1, NaN, 1e300, $json.s].map(i => { try { return $item(i).$json } catch { return 0 } })",
    "[$itemIndex, $runIndex, $prevNode, $parameter, $('Start').params, $('Start').context, $('Start').isExecuted]",
    "[$json.s, '__proto__', ''].map(name => { try { return $(name) } catch { return 0 } })",
    "[$json.s, '__proto__', ''].map(name => { try { return $node[name].json } catch { return 0 } })",
    "[$json.s, '__proto__', '', 'Start'].map(name => { try { return [$node[name].runIndex, $node[name].parameter[name], $parameter[name]] } catch { return 0 } })",
    "[-1, NaN, 1e300, {}, $json.s, $json.d].map(i => { try { return $getPairedItem('Start', { previousNode: i, previousNodeOutput: i, previousNodeRun: i }, { item: i }) } catch { return 0 } })",
    "[$mine.length, $fromAI('k', '', 'string', $json.big), $fromAI('k', '', 'string', $json.d)]",
    "$binary.file.data.length",
    "$evaluateExpression('{{ ' + $json.s + ' }}')",
    "$evaluateExpression('{{ ' + '('.repeat(1e5) + ' }}')",
    "$evaluateExpression('{{ ' + '+'.repeat(2e7) + ' }}')",
    "$evaluateExpression('{{ ' + '+'.repeat(250000) + ' }}')",
    "$evaluateExpression('{{ ' + 'a '.repeat(1e5) + ' }}')",
    "$evaluateExpression(('{{ ' + '+'.repeat(2e5) + ' }} ').repeat(50))",
    "['md5', 'sha3', $json.s].map(name => { try { return $json.s.hash(name) } catch { return 0 } })",
    "[$json.s.base64Encode().length, $json.s.base64Decode().length]",
    "['http://' + $json.s, $json.s, 'http://x/' + $json.s].map(a => { try { return a.extractDomain() } catch { return 0 } })",
    "[Date.parse($json.s), Date.parse('1 '.repeat(1e6)), new Date('('.repeat(1e6)).getTime()]",
    "[-1, NaN, 1e300, {}, $json.s].map(i => { try { return $evaluateExpression('{' + '{ $json.n }' + '}', i) } catch { return 0 } })",
    "DateTime.now().setZone($json.s).isValid",
    "[NaN, 1e300, -1e300].map(n => DateTime.fromMillis(0).setZone('Europe/Berlin').plus({ days: n }).toISO())",
    "[Math.random(), [1, 2, 3].randomItem()]",
];

const CODE: &[&str] = &[
    "const s = 'x'.repeat(2e6); for (let i = 0; i < 20; i++) console.log(s, { s }); return [];",
    "return [{ json: { s: 'x'.repeat(2e6) } }, undefined, null, 1, 'x'.repeat(2e6), [], () => 1];",
    "return { json: { list: new Array(1e5).fill(0) } };",
    "throw new Error('x'.repeat(2e6));",
    "const o = { get x() { throw new Error('x'.repeat(2e6)) } }; return [{ json: o }];",
    "return [this.getTimezone(), this.getMode(), this.getWorkflow(), this.getNode()].map(x => ({ json: { x: x ?? null } }));",
    "for (const d of [-1, NaN, 1e300, 'x']) setTimeout(() => {}, d); return [];",
    "for (const a of ['x'.repeat(2e6), {}, null, [[]]]) try { await this.helpers.httpRequest(a) } catch {} return [];",
    "try { await fetch('http://' + 'x'.repeat(2e6), { headers: { a: 'y' } }) } catch {} return [];",
    "for (const i of [-1, NaN, 1e300, 0]) for (const p of ['x'.repeat(2e6), 'file']) try { await this.helpers.getBinaryDataBuffer(i, p) } catch {} return [];",
    "const d = $getWorkflowStaticData('global'); d.s = 'x'.repeat(2e6); d.list = new Array(1e5).fill({}); return [];",
    "for (let i = 0; i < 50; i++) $execution.customData.set('x'.repeat(1e5) + i, 'y'.repeat(1e5)); return [];",
    "const c = require('crypto'); return [{ json: { a: c.randomBytes(1e5).length, b: c.createHmac('sha256', 'k'.repeat(1e6)).update('x'.repeat(1e6)).digest('hex'), c: c.randomUUID() } }];",
    "try { require('crypto').randomBytes(1e12) } catch {} try { require('crypto').randomBytes(-1) } catch {} return [];",
    "for (const e of ['utf8', 'base64', 'hex', 'latin1', 'utf16le', 'x'.repeat(1e6)]) try { Buffer.from('ü'.repeat(1e6), e).toString(e) } catch {} return [];",
    "for (const a of ['http://' + 'x'.repeat(1e6), '%'.repeat(1e6), 'a:' + '/'.repeat(1e6)]) try { new URL(a, a) } catch {} return [];",
];

struct Refuses;

impl CodeHost for Refuses {
    fn request<'a>(&'a self, name: &'a str, _: Value) -> BoxFuture<'a, Result<Value, ExprError>> {
        Box::pin(async move { Err(ExprError::data(format!("{name}: {}", "x".repeat(1 << 20)))) })
    }
}

fn scope() -> FakeScope {
    let text = "x".repeat(2_000_000);
    let deep = (0..400).fold(json!({}), |inner, _| json!({ "d": inner }));
    let many = Value::array(vec![json!([]); 100_000]);
    let mut item = Item::new(json!({ "s": text.clone(), "d": deep, "big": many }));
    item.set_binary("file", Binary::new(text.clone().into_bytes(), "text/plain", None));
    FakeScope { items: vec![item], ..FakeScope::default() }
        .with_node("Start", [json!({ "s": 1 })])
        .with_variable("$mine", text)
}

/// The numbers of all calls there are.
fn known() -> BTreeSet<u32> {
    let numbers = SOURCES.iter().flat_map(|source| source.lines()).filter_map(|line| {
        let (number, _) = line.strip_prefix("        ")?.split_once(" => ")?;
        number.parse().ok()
    });
    numbers.collect()
}

#[test]
fn issue_14_02_source_that_is_evaluated_is_paid_for() {
    let evaluate = |memory_bytes: usize, source: &str| {
        let limits = SandboxLimits { memory_bytes, ..SandboxLimits::expression() };
        Sandbox::new().session(limits).evaluate(&ExpressionCode::new(source), &scope())
    };
    let long = evaluate(128 << 20, "$evaluateExpression('{{' + '+'.repeat(3e5) + '}}')");
    assert!(
        matches!(&long, Err(ExprError::Data { message, .. }) if message.contains("at most 262144 bytes")),
        "{long:?}"
    );
    let many_tokens = "$evaluateExpression('{{' + '+'.repeat(25e4) + '1}}')";
    assert_eq!(evaluate(7 << 20, many_tokens), Err(ExprError::Memory { limit_bytes: 7 << 20 }));
    assert_eq!(evaluate(128 << 20, "$evaluateExpression('{{ 1 + 1 }}')"), Ok(json!(2)));
    // So is the expression itself.
    let itself = format!("1{}", "+1".repeat(150_000));
    assert_eq!(evaluate(7 << 20, &itself), Err(ExprError::Memory { limit_bytes: 7 << 20 }));
}

#[tokio::test]
async fn issue_14_02_every_call_of_the_host_takes_hostile_arguments() {
    let limits =
        SandboxLimits { time_ms: 400, memory_bytes: 128 << 20, ..SandboxLimits::code_node() };
    let scope = scope();
    let mut session = Sandbox::new().session(limits);
    for source in EXPRESSIONS {
        let began = compute::cpu_used();
        let result = session.evaluate(&ExpressionCode::new(*source), &scope);
        let used = compute::cpu_used() - began;
        assert!(!matches!(result, Err(ExprError::Sandbox { .. })), "{source}: {result:?}");
        assert!(used < Duration::from_secs(12), "{source}: {used:?}");
    }
    for source in CODE {
        for flavour in [Flavour::AllItems, Flavour::EachItem] {
            let job = SandboxJob {
                source: (*source).into(),
                flavour,
                static_data: CodeStaticData::default(),
                first: 0,
                names: Object::new(),
            };
            let began = compute::cpu_used();
            let result =
                Sandbox::new().session(limits).run_code(&job, &scope, &Refuses, &mut |_| ()).await;
            let used = compute::cpu_used() - began;
            let failed = result.err().map(|failure| failure.error);
            assert!(!matches!(failed, Some(ExprError::Sandbox { .. })), "{source}: {failed:?}");
            assert!(failed.is_none_or(|error| error.text_bytes() < 100_000), "{source}");
            assert!(used < Duration::from_secs(12), "{source}: {used:?}");
        }
    }
    let job = SandboxJob {
        source: "for (;;);".into(),
        flavour: Flavour::Tool,
        static_data: CodeStaticData::default(),
        first: 0,
        names: Object::new(),
    };
    let looped = Sandbox::new()
        .session(SandboxLimits::tool())
        .run_code(&job, &scope, &Refuses, &mut |_| ())
        .await;
    assert_eq!(looped.err().map(|failure| failure.error), Some(ExprError::Loops { limit: 10_000 }));
    let seen = SEEN.take();
    let missing: Vec<u32> = known()
        .into_iter()
        .filter(|number| !UNUSED.contains(number) && !seen.contains(number))
        .collect();
    assert!(
        known().len() > 40 && missing.is_empty(),
        "calls that no piece of code makes: {missing:?}"
    );
}
