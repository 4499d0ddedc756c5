//! What hostile callers send, each to a workflow that an honest author might have written.

use crate::support::pdf::pdf;
use crate::support::workflow::node;
use serde_json::{Value, json};

pub(crate) struct Attack {
    /// Also the path of its webhook.
    pub(crate) name: &'static str,
    pub(crate) nodes: Vec<Value>,
    pub(crate) content_type: &'static str,
    pub(crate) body: Vec<u8>,
}

pub(crate) fn webhook(path: &str) -> Value {
    node(
        "Webhook",
        "webhook",
        2.0,
        json!({ "httpMethod": "POST", "path": path, "responseMode": "lastNode" }),
    )
}

/// One that takes whatever comes as a file.
fn upload(path: &str) -> Value {
    let options = json!({ "rawBody": true });
    node(
        "Webhook",
        "webhook",
        2.0,
        json!({ "httpMethod": "POST", "path": path, "responseMode": "lastNode", "options": options }),
    )
}

/// A Set node with an expression.
pub(crate) fn set(expression: &str) -> Value {
    let assignments = json!({ "assignments": [{ "id": "1", "name": "answer", "type": "string", "value": expression }] });
    node("Set", "set", 3.4, json!({ "assignments": assignments }))
}

fn expression(name: &'static str, expression: &str, body: Value) -> Attack {
    attack(name, set(expression), body)
}

fn attack(name: &'static str, hit: Value, body: Value) -> Attack {
    raw(name, vec![webhook(name), hit], body.to_string().into_bytes())
}

fn raw(name: &'static str, nodes: Vec<Value>, body: Vec<u8>) -> Attack {
    Attack { name, nodes, content_type: "application/json", body }
}

fn file(name: &'static str, content_type: &'static str, hit: Value, body: Vec<u8>) -> Attack {
    Attack { name, nodes: vec![upload(name), hit], content_type, body }
}

pub(crate) fn attacks() -> Vec<Attack> {
    let nested = |open: &str, close: &str, depth: usize| {
        format!("{}{}", open.repeat(depth), close.repeat(depth))
    };
    let query = "={{ $jmespath($json.body, $json.body.q) }}";
    let condition = json!({ "conditions": {
        "options": { "caseSensitive": true, "typeValidation": "loose", "version": 2 }, "combinator": "and",
        "conditions": [{ "id": "1", "leftValue": "={{ $json.body.text }}", "rightValue": "={{ $json.body.pattern }}",
                         "operator": { "type": "string", "operation": "regex" } }] } });
    let numbers: Vec<u32> = (0..100_000).map(|number| (number * 7_919) % 100_003).collect();
    let short_list: Vec<u32> = (0..3_000).collect();
    let sort = json!({ "sortFieldsUi": { "sortField": [{ "fieldName": "n" }] } });
    let mut attacks = vec![
        expression(
            "backtracking",
            "={{ /^(a+)+$/.test($json.body.text) }}",
            json!({ "text": format!("{}b", "a".repeat(40)) }),
        ),
        expression("endless", "={{ (() => { while (true) {} })() }}", json!({})),
        expression(
            "memory",
            "={{ (() => { const held = []; for (;;) held.push(new Array(1e5).fill(held.length)) })() }}",
            json!({}),
        ),
        expression(
            "long-text",
            "={{ 'x'.repeat($json.body.count) }}",
            json!({ "count": 30_000_000 }),
        ),
        expression(
            "nested-loops",
            "={{ $json.body.list.map(a => $json.body.list.map(b => a * b).length).length }}",
            json!({ "list": short_list }),
        ),
        expression("deep-query", query, json!({ "q": "(".repeat(200_000) })),
        expression(
            "doubling-query",
            query,
            json!({ "q": format!("[@,@]{}", "|[@,@]".repeat(24)) }),
        ),
        expression("calling-query", query, json!({ "q": "abs(".repeat(100_000) })),
        attack(
            "retrying-pattern",
            node("If", "if", 2.2, condition),
            json!({ "text": "a".repeat(40), "pattern": "^(?=(a+)+b)(a|a)*$" }),
        ),
        attack(
            "markup",
            node("XML", "xml", 1.0, json!({ "dataPropertyName": "body.text" })),
            json!({ "text": nested("<a>", "</a>", 100_000) }),
        ),
        attack(
            "page",
            node(
                "Markdown",
                "markdown",
                1.0,
                json!({ "mode": "htmlToMarkdown", "html": "={{ $json.body.text }}" }),
            ),
            json!({ "text": nested("<div><b>", "</b></div>", 50_000) }),
        ),
        raw(
            "deep-body",
            vec![webhook("deep-body"), pass()],
            nested("[", "]", 1_000_000).into_bytes(),
        ),
        attack("wide-body", pass(), json!(numbers)),
        // Each of their lists takes many times the room in memory that it takes in the text: one
        // that is refused, and one that is taken.
        raw(
            "many-lists",
            vec![webhook("many-lists"), pass()],
            format!("[[]{}]", ",[]".repeat(5_000_000)).into_bytes(),
        ),
        raw(
            "some-lists",
            vec![webhook("some-lists"), pass()],
            format!("[[]{}]", ",[]".repeat(300_000)).into_bytes(),
        ),
        attack("long-body", pass(), json!("x".repeat(15 << 20))),
        expression("holes", "={{ (() => new Array(1e8))() }}", json!({})),
        expression(
            "errors",
            "={{ (() => { const s = 'x'.repeat(2e6); for (;;) try { $items(s) } catch {} })() }}",
            json!({}),
        ),
        attack(
            "deep-name",
            named("={{ $json.body.name }}"),
            json!({ "name": format!("a{}", ".a".repeat(100_000)) }),
        ),
        file("archive", "application/zip", unzip(), archive("data.bin", 60 << 20)),
        file("sheet", XLSX, extract("xlsx"), archive("xl/worksheets/sheet1.xml", 100 << 20)),
        file(
            "document",
            "application/pdf",
            extract("pdf"),
            pdf(&"BT /F1 12 Tf (a) Tj ET\n".repeat(100_000)),
        ),
    ];
    let list: Vec<Value> =
        (0..20_000).map(|number| json!({ "same": 1, "number": number })).collect();
    let body = json!({ "list": list });
    for (name, hit) in
        [("comparing", compare()), ("matching", matching()), ("query", query_of_both())]
    {
        attacks.push(raw(
            name,
            vec![webhook(name), split("body.list"), hit],
            body.to_string().into_bytes(),
        ));
    }
    let values = node(
        "Split Out",
        "splitOut",
        1.0,
        json!({ "fieldToSplitOut": "body", "options": { "destinationFieldName": "n" } }),
    );
    let mut sorting = attack("sorting", values, json!(numbers));
    sorting.nodes.push(node("Sort", "sort", 1.0, sort));
    sorting.nodes.push(node("Limit", "limit", 1.0, json!({})));
    attacks.push(sorting);
    attacks
}

const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

fn pass() -> Value {
    node("Pass", "noOp", 1.0, json!({}))
}

fn named(name: &str) -> Value {
    node(
        "Set",
        "set",
        3.4,
        json!({ "assignments": { "assignments": [{ "id": "1", "name": name, "type": "string", "value": "x" }] } }),
    )
}

fn split(field: &str) -> Value {
    node("Split Out", "splitOut", 1.0, json!({ "fieldToSplitOut": field }))
}

fn unzip() -> Value {
    node("Compression", "compression", 1.1, json!({ "operation": "decompress" }))
}

fn extract(operation: &str) -> Value {
    node("Extract", "extractFromFile", 1.0, json!({ "operation": operation }))
}

/// Looks for each item in all others, in vain.
pub(crate) fn compare() -> Value {
    let pairs = json!([{ "field1": "same", "field2": "same" }, { "field1": "number", "field2": "nowhere" }]);
    node(
        "Compare",
        "compareDatasets",
        2.3,
        json!({ "mergeByFields": { "values": pairs }, "fuzzyCompare": true }),
    )
}

/// Joins each item with all others.
fn matching() -> Value {
    let pairs = json!([{ "field1": "same", "field2": "same" }]);
    node(
        "Merge",
        "merge",
        3.2,
        json!({ "mode": "combine", "combineBy": "combineByFields", "advanced": true, "mergeByFields": { "values": pairs } }),
    )
}

fn query_of_both() -> Value {
    let query = "SELECT count(*) FROM input1 a, input2 b, input1 c WHERE a.number + b.number + c.number = -1";
    node("Merge", "merge", 3.2, json!({ "mode": "combineBySql", "query": query }))
}

/// A ZIP archive with one file of so many zeros.
fn archive(name: &str, bytes: u64) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    std::io::copy(&mut std::io::Read::take(std::io::repeat(0), bytes), &mut archive).unwrap();
    archive.finish().unwrap().into_inner()
}
