//! Hostile workflows are read, checked and planned without harm, and nothing in them is
//! run.

#[path = "../../../../fuzz/src/workflow_json.rs"]
mod property;

use engine::Plan;
use engine::check::{CheckProblem, CheckReport, MAX_PROBLEMS, Severity, check};
use model::{Code, Items, Kind, Value, Workflow, json};
use node_api::{Ctx, FieldGroup, Node, NodeEntry, NodeError, Outputs, Param, Port, Registry, Spec};
use proptest::prelude::*;
use std::path::PathBuf;

struct StartNode;
struct StepNode;
struct ModelNode;
struct ToolNode;

/// Reaching one of these means that opening a workflow ran something.
#[expect(clippy::panic, reason = "the test must fail if a node is run")]
fn must_not_run() -> Result<Outputs, NodeError> {
    panic!("importing a workflow ran one of its nodes");
}

impl Node for StartNode {
    fn spec() -> Spec {
        Spec::trigger("start", &[1.0], "Start", "Starts.")
    }
    async fn run(_: &Ctx<'_>, _: Items) -> Result<Outputs, NodeError> {
        must_not_run()
    }
}

impl Node for StepNode {
    fn spec() -> Spec {
        Spec::new("step", &[1.0, 2.0], "Step", "Does a thing.")
            .inputs([Port::main(), Port::of(Kind::AiLanguageModel, "Model").optional()])
            .param(Param::choice("mode", "Mode", &[("a", "A"), ("b", "B")]))
            .param(Param::text("url", "URL", "").required().show("mode", &["b"]))
            .param(Param::locator("place", "Place", &["id"]).required().show("mode", &["b"]))
            .param(Param::repeated(
                "fields",
                "Fields",
                [FieldGroup::new("values", "Values", [Param::text("key", "Key", "").required()])],
            ))
            .param(Param::number("count", "Count", 1).at_least(1.0))
            .credential("someApi", true)
    }
    async fn run(_: &Ctx<'_>, _: Items) -> Result<Outputs, NodeError> {
        must_not_run()
    }
}

impl Node for ModelNode {
    fn spec() -> Spec {
        Spec::new("model", &[1.0], "Model", "Supplies.")
            .inputs([])
            .outputs([Port::of(Kind::AiLanguageModel, "")])
    }
    async fn run(_: &Ctx<'_>, _: Items) -> Result<Outputs, NodeError> {
        must_not_run()
    }
}

impl Node for ToolNode {
    fn spec() -> Spec {
        Spec::new("tool", &[1.0], "Tool", "Serves an agent.")
            .inputs([])
            .outputs([Port::of(Kind::AiTool, "")])
            .param(Param::text("url", "URL", ""))
            .param(Param::text("prompt", "Prompt", ""))
            .model_fills(&["prompt", "options.text"])
    }
    async fn run(_: &Ctx<'_>, _: Items) -> Result<Outputs, NodeError> {
        must_not_run()
    }
}

static NODES: &[NodeEntry] = &[
    node_api::run::<StartNode>(),
    node_api::run::<StepNode>(),
    node_api::run::<ModelNode>(),
    node_api::run::<ToolNode>(),
];

fn registry() -> Registry {
    Registry::new([NODES])
}

/// Reads, checks and plans a text, as importing and opening a workflow do.
fn open(text: &str) -> (Workflow, CheckReport, Plan) {
    let workflow = Workflow::parse(text).unwrap();
    let report = check(&workflow, &registry());
    let plan = Plan::new(&workflow, &registry());
    (workflow, report, plan)
}

fn report(document: Value) -> CheckReport {
    open(&model::json::to_string(&document)).1
}

#[track_caller]
fn problem(report: &CheckReport, code: Code, place: &str) -> CheckProblem {
    let found =
        report.problems.iter().find(|problem| problem.code == code && problem.place == place);
    found.unwrap_or_else(|| panic!("no {code} at {place} in {:#?}", report.problems)).clone()
}

#[test]
fn a_sound_workflow_has_no_problems() {
    let report = report(json!({
        "name": "x", "settings": { "executionOrder": "v1" }, "pinData": {},
        "nodes": [
            { "id": "1", "name": "Start", "type": "start", "typeVersion": 1, "position": [0, 0], "parameters": {} },
            { "id": "2", "name": "Step", "type": "step", "typeVersion": 1, "position": [0, 0], "parameters": {}, "credentials": { "someApi": { "id": "1", "name": "c" } } },
            { "id": "3", "name": "Model", "type": "model", "typeVersion": 1, "position": [0, 0], "parameters": {} }
        ],
        "connections": {
            "Start": { "main": [[{ "node": "Step", "type": "main", "index": 0 }]] },
            "Model": { "ai_languageModel": [[{ "node": "Step", "type": "ai_languageModel", "index": 0 }]] }
        }
    }));
    assert_eq!(report.problems, []);
    assert!(report.nodes.iter().all(|node| node.compatibility.kind() == "runs"));
}

#[test]
fn a_tool_that_does_not_ask_the_model_for_a_parameter_says_so() {
    let asks = "={{ $fromAI('key', 'What it is', 'string') }}";
    let filled = json!({
        "url": asks,
        "prompt": asks,
        "promptPrefix": asks,
        "options": { "text": [asks], "other": "={{ $json.other }}" }
    });
    let report = report(json!({
        "nodes": [
            { "name": "Fixed", "type": "tool", "parameters": filled },
            { "name": "Ordinary", "type": "stepTool", "parameters": { "mode": "b", "url": asks } }
        ],
        "connections": {}
    }));
    let unasked = problem(&report, Code::NODE_PARAMETER, "nodes[0].parameters.url");
    assert_eq!(unasked.severity, Severity::Warning);
    assert_eq!(
        unasked.message,
        "$fromAI in 'url' of 'Fixed' has no value: this tool does not ask the model for it"
    );
    let places: Vec<&str> = report
        .problems
        .iter()
        .filter(|problem| problem.message.contains("$fromAI"))
        .map(|problem| problem.place.as_str())
        .collect();
    assert_eq!(places, ["nodes[0].parameters.url", "nodes[0].parameters.promptPrefix"]);
}

#[test]
fn connections_that_the_ports_do_not_allow_are_told_with_the_ports_there_are() {
    let step = |name: &str| json!({ "name": name, "type": "step", "parameters": {} });
    let model = |name: &str| json!({ "name": name, "type": "model" });
    let to = |node: &str, kind: &str, index: usize| json!([[{ "node": node, "type": kind, "index": index }]]);
    let report = report(json!({
        "nodes": [{ "name": "Start", "type": "start" }, step("A"), step("B"), model("M"), model("N"), { "name": "X", "type": "unknown" }],
        "connections": {
            "Start": { "main": [[{ "node": "A" }], [{ "node": "A" }]], "ai_tool": to("X", "ai_tool", 0) },
            "A": { "main": to("B", "main", 1) },
            "B": { "main": to("Start", "main", 0) },
            "M": { "ai_languageModel": to("A", "ai_languageModel", 0) },
            "N": { "ai_languageModel": to("A", "ai_languageModel", 0) },
            "X": { "ai_tool": [[{ "node": "A", "type": "ai_tool", "index": 0 }, { "node": "X", "type": "ai_tool", "index": 3 }]] }
        }
    }));
    let told = |place: &str| {
        let found = problem(&report, Code::WORKFLOW_CONNECTION, &format!("connections.{place}"));
        (found.severity, found.message.to_string())
    };
    for (place, severity, message) in [
        (
            "Start.main[1][0]",
            Severity::Warning,
            "main output 1 of 'Start' connects to 'A', but 'Start' has only one output",
        ),
        (
            "Start.ai_tool[0][0]",
            Severity::Error,
            "'Start' connects to 'X' as ai_tool, but 'Start' provides only main",
        ),
        (
            "A.main[0][0]",
            Severity::Warning,
            "'A' connects to main input 1 of 'B', which has only one input",
        ),
        (
            "B.main[0][0]",
            Severity::Error,
            "'B' connects to 'Start' as main, but 'Start' takes no connections",
        ),
        (
            "N.ai_languageModel[0][0]",
            Severity::Warning,
            "'N' connects to ai_languageModel input 0 of 'A', which takes only 1 connection",
        ),
        (
            "X.ai_tool[0][0]",
            Severity::Error,
            "'X' connects to 'A' as ai_tool, but 'A' takes only main, ai_languageModel",
        ),
    ] {
        assert_eq!(told(place), (severity, message.to_owned()));
    }
    let count = |code| report.problems.iter().filter(|problem| problem.code == code).count();
    assert_eq!(count(Code::WORKFLOW_CONNECTION), 6);
}

#[test]
fn numbers_out_of_their_range_are_told() {
    let report = report(json!({ "connections": {}, "nodes": [
        { "name": "S", "type": "step", "parameters": { "count": 0 } },
        { "name": "T", "type": "step", "parameters": { "count": "={{ 0 }}" } }
    ] }));
    let found = problem(&report, Code::NODE_PARAMETER, "nodes[0].parameters.count");
    assert_eq!(found.message, "'Count' of 'S' must be at least 1");
    assert_eq!(found.severity, Severity::Error);
    let told = report.problems.iter().filter(|problem| problem.code == Code::NODE_PARAMETER);
    assert_eq!(told.count(), 1);
}

#[test]
fn empty_parameters_and_missing_credentials_are_told() {
    let report = report(json!({ "connections": {}, "nodes": [
        { "name": "Start", "type": "start" },
        { "name": "S", "type": "step", "parameters": { "mode": "b", "place": { "mode": "id", "value": "" }, "fields": { "values": [{ "key": "x" }, {}] } } },
        { "name": "Off", "type": "step", "disabled": true, "parameters": { "mode": "b" } },
        { "name": "Expression", "type": "step", "parameters": { "mode": "b", "url": "={{ $json.u }}", "place": { "value": "={{ 1 }}" } }, "credentials": { "someApi": { "id": "1" } } }
    ] }));
    for place in ["url", "place", "fields.values[1].key"] {
        let found = problem(&report, Code::NODE_PARAMETER, &format!("nodes[1].parameters.{place}"));
        assert_eq!((found.node.as_deref(), found.severity), (Some("S"), Severity::Warning));
        assert!(found.hint.is_some());
    }
    problem(&report, Code::CREDENTIAL_MISSING, "nodes[1].credentials.someApi");
    let told = |code| report.problems.iter().filter(|problem| problem.code == code).count();
    assert_eq!((told(Code::NODE_PARAMETER), told(Code::CREDENTIAL_MISSING)), (3, 1));
}

#[test]
fn an_unsupported_node_stops_nothing_that_is_off_or_pinned() {
    let report = report(json!({ "connections": {}, "pinData": { "Pinned": [] }, "nodes": [
        { "name": "Start", "type": "start" },
        { "name": "Off", "type": "no.such", "disabled": true },
        { "name": "Pinned", "type": "no.such" }
    ] }));
    let told: Vec<_> = report
        .problems
        .iter()
        .filter(|problem| problem.code == Code::NODE_TYPE_UNKNOWN)
        .map(|problem| (problem.node.as_deref(), problem.severity))
        .collect();
    assert_eq!(told, [(Some("Pinned"), Severity::Warning)]);
}

#[test]
fn what_no_trigger_leads_to_and_what_supplies_nobody_is_told() {
    let nodes = json!([
        { "name": "Start", "type": "start" }, { "name": "A", "type": "unknown" }, { "name": "B", "type": "unknown" }, { "name": "Lost", "type": "step" },
        { "name": "Model", "type": "model" }, { "name": "Note", "type": "some.stickyNote" }, { "name": "Tool", "type": "step" }
    ]);
    let main = |to: &str| model::json::serde_json::json!({ "main": [[{ "node": to, "type": "main", "index": 0 }]] });
    let nodes = model::json::serde_json::to_value(&nodes).unwrap();
    let tool = model::json::serde_json::json!({ "ai_tool": [[{ "node": "A", "type": "ai_tool", "index": 0 }]] });
    let report = report(
        json!({ "nodes": nodes, "connections": { "Start": main("A"), "A": main("B"), "B": main("A"), "Tool": tool } }),
    );
    problem(&report, Code::WORKFLOW_CONNECTION, "nodes[3]");
    problem(&report, Code::WORKFLOW_CONNECTION, "nodes[4]");
    let lost: Vec<_> = report
        .problems
        .iter()
        .filter(|problem| problem.code == Code::WORKFLOW_CONNECTION)
        .collect();
    assert_eq!(lost.len(), 2, "{lost:#?}");
}

#[test]
fn a_missing_trigger_is_told() {
    for nodes in [
        json!([]),
        json!([{ "name": "S", "type": "step" }]),
        json!([{ "name": "T", "type": "start", "disabled": true }]),
    ] {
        let nodes = model::json::serde_json::to_value(&nodes).unwrap();
        problem(
            &report(json!({ "nodes": nodes, "connections": {} })),
            Code::WORKFLOW_NO_START,
            "nodes",
        );
    }
}

#[test]
fn duplicate_names_and_ids_are_told_and_the_first_is_planned() {
    let text = r#"{"nodes":[7,{"id":"1","name":"A","type":"start"},{"id":"1","name":"A","type":"step"},{"name":"","type":"step"}],"connections":{}}"#;
    let (_, report, plan) = open(text);
    problem(&report, Code::WORKFLOW_NODE_NAME, "nodes[2].name");
    problem(&report, Code::WORKFLOW_NODE_ID, "nodes[2].id");
    problem(&report, Code::WORKFLOW_NODE_NAME, "nodes[3].name");
    problem(&report, Code::WORKFLOW_FIELD, "nodes[0]");
    assert_eq!(plan.nodes.len(), 1);
    assert_eq!(plan.nodes[0].info.type_name, "start");
}

#[test]
fn connections_to_missing_nodes_and_absurd_inputs_lead_nowhere() {
    let (_, report, plan) = open(
        r#"{"nodes":[{"name":"A","type":"start"},{"name":"B","type":"step"}],"connections":{
            "Gone":{"main":[[{"node":"A"}]]},
            "A":{"main":[[{"node":"Gone","type":"main","index":0},{"node":"B","index":-1},{"node":"B","index":1e9},{"node":"B","index":0.5},{"node":"B","index":"0"},{"type":"main"},null],7],
                 "nonsense":[[{"node":"B"}]],"ai_tool":[[{"node":"B","type":"main","index":0}]]}}}"#,
    );
    problem(&report, Code::WORKFLOW_CONNECTION, "connections.Gone");
    problem(&report, Code::WORKFLOW_CONNECTION, "connections.A.main[0][0]");
    for index in 1..5 {
        let found = problem(
            &report,
            Code::WORKFLOW_CONNECTION,
            &format!("connections.A.main[0][{index}].index"),
        );
        assert_eq!((found.severity, found.node.as_deref()), (Severity::Error, Some("A")));
    }
    problem(&report, Code::WORKFLOW_CONNECTION, "connections.A.main[0][5]");
    problem(&report, Code::WORKFLOW_CONNECTION, "connections.A.main[0][6]");
    problem(&report, Code::WORKFLOW_FIELD, "connections.A.main[1]");
    problem(&report, Code::WORKFLOW_CONNECTION, "connections.A.nonsense");
    problem(&report, Code::WORKFLOW_CONNECTION, "connections.A.ai_tool[0][0].type");
    assert!(plan.nodes.iter().all(
        |node| node.outputs.iter().all(Vec::is_empty) && node.inputs.iter().all(Vec::is_empty)
    ));
}

#[test]
fn circles_are_fine_along_main_and_an_error_among_suppliers() {
    let ring = |kind: &str| {
        let nodes: Vec<String> =
            (0..5000).map(|at| format!(r#"{{"name":"N{at}","type":"start"}}"#)).collect();
        let links: Vec<String> = (0..5000)
            .map(|at| {
                format!(
                    r#""N{at}":{{"{kind}":[[{{"node":"N{}","type":"{kind}","index":0}}]]}}"#,
                    (at + 1) % 5000
                )
            })
            .collect();
        open(&format!(r#"{{"nodes":[{}],"connections":{{{}}}}}"#, nodes.join(","), links.join(",")))
    };
    let has_cycle = |report: &CheckReport| {
        report.problems.iter().any(|problem| problem.code == Code::WORKFLOW_CYCLE)
    };
    assert!(!has_cycle(&ring("main").1));
    let report = ring("ai_tool").1;
    assert!(problem(&report, Code::WORKFLOW_CYCLE, "connections").message.len() < 200);
    let own = open(
        r#"{"nodes":[{"name":"A","type":"x"}],"connections":{"A":{"ai_tool":[[{"node":"A"}]]}}}"#,
    )
    .1;
    assert!(has_cycle(&own));
}

/// Every field we know × every JSON type: nothing panics, and what cannot be is told with its
/// place.
#[test]
fn any_type_in_any_field_is_told_and_harmless() {
    use model::workflow::{NODE_FIELDS, SETTING_FIELDS, WORKFLOW_FIELDS};
    let base = json!({
        "name": "x", "settings": {}, "pinData": { "A": [] }, "staticData": {},
        "nodes": [{ "id": "1", "name": "A", "type": "step", "typeVersion": 1, "position": [0, 0], "parameters": {}, "credentials": {} }],
        "connections": { "A": { "main": [[{ "node": "A", "type": "main", "index": 0 }]] } }
    });
    let values = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1e308),
        json!("text"),
        json!(""),
        json!([]),
        json!([[null]]),
        json!({}),
        json!({ "a": [1] }),
    ];
    let mut tried = 0;
    let places = [("", WORKFLOW_FIELDS), ("settings.", SETTING_FIELDS), ("nodes[0].", NODE_FIELDS)];
    for (prefix, fields) in places {
        for field in fields {
            for value in &values {
                let mut document = base.clone();
                document.put_path(&format!("{prefix}{}", field.name), value.clone()).unwrap();
                let report = report(document);
                let place = format!("{prefix}{}", field.name);
                let is_told = report
                    .problems
                    .iter()
                    .any(|problem| problem.code == Code::WORKFLOW_FIELD && problem.place == place);
                assert!(
                    is_told || field.accepts(value),
                    "{place} = {value:?}: {:#?}",
                    report.problems
                );
                tried += 1;
            }
        }
    }
    for path in [
        "nodes[0]",
        "nodes[0].credentials.someApi",
        "nodes[0].position[0]",
        "nodes[0].parameters.mode",
        "nodes[0].parameters.fields",
        "nodes[0].parameters.fields.values",
        "pinData.A",
        "pinData.A[0]",
        "connections.A",
        "connections.A.main",
        "connections.A.main[0]",
        "connections.A.main[0][0]",
        "connections.A.main[0][0].node",
        "connections.A.main[0][0].type",
        "connections.A.main[0][0].index",
    ] {
        for value in &values {
            let mut document = base.clone();
            document.set_path(path, value.clone());
            let _ = report(document);
            tried += 1;
        }
    }
    assert_eq!(
        tried,
        values.len() * (WORKFLOW_FIELDS.len() + SETTING_FIELDS.len() + NODE_FIELDS.len() + 15)
    );
}

#[test]
fn names_cannot_break_out_of_messages_places_or_plans() {
    let names = [
        "it's",
        "a\"b",
        "$('Other').item",
        "={{ $env.SECRET }}",
        "x\u{202e}gpj.exe",
        "line\nbreak",
        "\u{0}",
        "connections.A.main[0]",
        &"long".repeat(100_000),
    ];
    for name in names {
        let (workflow, report, plan) = open(&model::json::to_string(&json!({
            "nodes": [{ "name": name, "type": "start" }, { "name": name, "type": "start" }],
            "connections": { name: { "main": [[{ "node": name }, { "node": format!("{name}?") }]] } }
        })));
        assert_eq!(plan.nodes[0].info.name, name);
        assert_eq!(workflow.nodes().next().unwrap().name(), name);
        for problem in &report.problems {
            assert!(problem.message.len() < 1000 && problem.place.len() < 1000);
            assert!(
                !problem
                    .message
                    .chars()
                    .chain(problem.place.chars())
                    .any(|letter| letter.is_control() || letter == '\u{202e}'),
                "{problem:?}"
            );
        }
        let shows = !name.chars().any(|letter| letter.is_control() || letter == '\u{202e}');
        assert_eq!(
            shows,
            !report.problems.iter().any(|problem| problem.message.contains("invisible characters")),
            "{name:?}"
        );
    }
}

/// Code stands in every text of the document. Nodes of this registry fail the test when they run,
/// and neither `check` nor `Plan::new` is given a port through which anything else could happen.
#[test]
fn code_in_every_field_is_data_until_a_run() {
    let code = "={{ (() => { while (true) {} })() }}{{ $('x').item }}{{ process.exit() }}";
    let (workflow, report, plan) = open(&model::json::to_string(&json!({
        "name": code, "id": code, "versionId": code, "settings": { "timezone": code, "errorWorkflow": code, "executionOrder": code },
        "nodes": [{ "id": code, "name": code, "type": "step", "typeVersion": code, "notes": code, "webhookId": code, "onError": code,
                    "parameters": { "mode": code, "url": code, code: code }, "credentials": { code: { "id": code, "name": code } } },
                  { "name": "T", "type": "start", "parameters": { "a": [code, { code: [code] }] } },
                  { "name": "U", "type": code }],
        "connections": { code: { "main": [[{ "node": code, "type": "main", "index": 0 }]], code: [[{ "node": code, "type": code }]] } },
        "pinData": { code: [{ "json": { code: code } }] }, "staticData": code, code: code
    })));
    assert_eq!(plan.nodes.len(), 3);
    assert_eq!(plan.nodes[0].pinned.as_ref().map(Items::len), Some(1));
    assert!(!report.problems.is_empty());
    assert_eq!(Workflow::parse(&workflow.to_text()).unwrap().to_value(), workflow.to_value());
}

#[test]
fn unknown_types_versions_and_fields_survive_and_are_reported() {
    let text = r#"{"nodes":[{"name":"A","type":"no.such","typeVersion":9.50,"x":[1e3]},{"name":"B","type":"step","typeVersion":99}],"connections":{"A":{"main":[[{"node":"B","type":"main","index":0,"y":{}}]],"z":7}},"w":12345678901234567890}"#;
    let (workflow, report, plan) = open(text);
    let kinds: Vec<_> = report.nodes.iter().map(|node| node.compatibility.kind()).collect();
    assert_eq!(kinds, ["unsupported", "unsupported"]);
    for (code, place, node) in [
        (Code::NODE_TYPE_UNKNOWN, "nodes[0].type", "A"),
        (Code::NODE_VERSION_UNKNOWN, "nodes[1].type", "B"),
    ] {
        let found = problem(&report, code, place);
        assert_eq!((found.node.as_deref(), found.severity), (Some(node), Severity::Error));
    }
    assert!(plan.nodes.iter().all(|node| node.node_type.is_none()));
    let squeezed: String = workflow.to_text().split_whitespace().collect();
    assert_eq!(squeezed, text);
}

/// How many nodes, problems and planned nodes an import of this many nodes makes: a measure of its
/// work that does not depend on the machine.
fn work(n_nodes: usize) -> usize {
    let nodes: Vec<String> = (0..n_nodes)
        .map(|at| format!(r#"{{"id":"{at}","name":"N{at}","type":"step","parameters":{{"v":"={{{{ $json.a }}}}"}}}}"#))
        .collect();
    let links: Vec<String> = (1..n_nodes)
        .map(|at| {
            format!(r#""N{}":{{"main":[[{{"node":"N{at}","type":"main","index":100}}]]}}"#, at - 1)
        })
        .collect();
    let (workflow, report, plan) = open(&format!(
        r#"{{"nodes":[{}],"connections":{{{}}}}}"#,
        nodes.join(","),
        links.join(",")
    ));
    assert_eq!(plan.nodes.len(), n_nodes);
    assert!(report.problems.len() <= MAX_PROBLEMS + 1);
    workflow.nodes().count()
        + report.problems.len()
        + report.nodes.len()
        + plan.nodes.iter().map(|node| node.inputs.len() + node.outputs.len()).sum::<usize>()
}

#[test]
fn fifty_thousand_nodes_take_time_and_room_in_proportion() {
    let (small, large) = (work(5_000), work(50_000));
    assert!(large <= 20 * small, "{large} against {small}");
    let report = report(
        json!({ "nodes": vec![json!({ "name": "same" }); 50_000].len(), "connections": {} }),
    );
    assert!(!report.problems.is_empty());
}

#[test]
fn endless_problems_are_counted_and_not_listed() {
    let text = format!(r#"{{"nodes":[{}1],"connections":{{}}}}"#, "1,".repeat(200_000));
    let (_, report, _) = open(&text);
    assert_eq!(report.problems.len(), MAX_PROBLEMS + 1);
    let last = report.problems.last().unwrap();
    assert_eq!((last.severity, last.code), (Severity::Error, Code::WORKFLOW_TOO_LARGE));
}

#[test]
fn every_template_of_the_corpus_is_read_checked_and_planned() {
    let Some(folder) = testkit::corpus("templates") else { return };
    let entries = std::fs::read_dir(folder).unwrap();
    let mut count = 0;
    let is_workflow = |path: &PathBuf| {
        path.extension().is_some_and(|end| end == "json") && !path.ends_with("index.json")
    };
    for path in entries.map(|entry| entry.unwrap().path()).filter(is_workflow) {
        let text = std::fs::read_to_string(&path).unwrap();
        let (workflow, report, plan) = open(&text);
        assert_eq!(report.nodes.len(), workflow.nodes().count(), "{}", path.display());
        // Many use services that there are no nodes for.
        let is_known =
            |code: Code| !matches!(code, Code::NODE_TYPE_UNKNOWN | Code::NODE_VERSION_UNKNOWN);
        let errors: Vec<_> = report
            .problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error && is_known(problem.code))
            .collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
        assert!(plan.nodes.len() <= report.nodes.len());
        property::holds(&text, &registry());
        count += 1;
    }
    assert!(count >= 289, "only {count} templates were found");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_document_made_of_known_keys_is_harmless(text in any_document()) {
        property::holds(&text, &registry());
    }

    #[test]
    fn any_text_is_harmless(text in "[\\[\\]{}\",:0-9eE.\\\\u+ntrue -]{0,60}|\\PC{0,40}") {
        property::holds(&text, &registry());
        property::holds(&format!("{{\"nodes\":[{text}]}}"), &registry());
    }
}

const KEYS: &[&str] = &[
    "nodes",
    "connections",
    "name",
    "type",
    "typeVersion",
    "parameters",
    "position",
    "main",
    "ai_tool",
    "node",
    "index",
    "A",
    "id",
    "settings",
    "pinData",
    "mode",
    "fields",
    "values",
    "credentials",
];

/// Documents whose keys are the ones that we look at, with anything below them.
fn any_document() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("1e9".to_owned()),
        Just("-1".to_owned()),
        Just("1.0".to_owned()),
        proptest::sample::select(
            &["A", "B", "step", "start", "model", "main", "ai_tool", "={{ $json.a }}", "b"][..]
        )
        .prop_map(|text| format!("{text:?}")),
    ];
    let inner = leaf.prop_recursive(6, 60, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5)
                .prop_map(|all| format!("[{}]", all.join(","))),
            proptest::collection::vec(
                (proptest::sample::select(KEYS).prop_map(str::to_owned), inner),
                0..7
            )
            .prop_map(|all| format!(
                "{{{}}}",
                all.iter()
                    .map(|(key, value)| format!("{key:?}:{value}"))
                    .collect::<Vec<_>>()
                    .join(",")
            )),
        ]
    });
    (inner.clone(), inner.clone(), inner).prop_map(|(node, connections, other)| {
        format!(r#"{{"nodes":[{node},{{"name":"A","type":"step","parameters":{other}}}],"connections":{connections},"settings":{other}}}"#)
    })
}

#[test]
fn an_expression_that_is_no_javascript_is_told_with_its_place() {
    let value = json!({ "a": ["={{ 1 + }}", "={{ if ($json.x) { 1 } }}", "={{ [1].map((n) => { return n }) }}"] });
    let node = json!({ "id": "1", "name": "A", "type": "start", "typeVersion": 1, "position": [0, 0], "parameters": value });
    let report = report(json!({ "name": "w", "nodes": [node], "connections": {} }));
    let found: Vec<_> =
        report.problems.iter().filter(|problem| problem.code == Code::EXPRESSION_SYNTAX).collect();
    let places: Vec<&str> = found.iter().map(|problem| problem.place.as_str()).collect();
    assert_eq!(places, ["nodes[0].parameters.a[0]", "nodes[0].parameters.a[1]"]);
}
