//! Logs, traces and metrics of a server that works.

use super::{import, node, post, row, start_server, stop, webhook};
use crate::support::{Server, TempFolder, wait_until};
use serde_json::{Value, json};
use testkit::{FakeHttp, FakeRequest, FakeResponse};

#[test]
fn a_log_in_json_has_a_line_per_execution_names_the_request_and_no_secret() {
    let folder = TempFolder::new("logs-json");
    let data = folder.0.join("data");
    import(&data, &row("Fine", &[webhook("fine"), node("Pass", "noOp", 1.0, json!({}))]));
    import(&data, &row("Broken", &[webhook("broken"), stop()]));
    let server =
        start_server(&data, &[], &[("HEDDLE_LOG_FORMAT", "json"), ("HEDDLE_LOG", "debug")]);
    let fine = post(
        &server,
        "/webhook/fine",
        &[("x-request-id", "call-7"), ("authorization", "Bearer s3cret")],
    );
    assert_eq!((fine.status, fine.header("x-request-id")), (200, Some("call-7")));
    let broken = post(&server, "/webhook/broken", &[]);
    assert_eq!(broken.status, 500);
    let id = broken.header("x-request-id").unwrap().to_owned();
    assert_eq!(post(&server, "/webhook/nowhere", &[]).status, 404);
    let text = server.stop_and_read_log();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line} is not JSON")))
        .collect();
    let ends: Vec<&Value> = lines.iter().filter(|line| line["execution"].is_i64()).collect();
    assert_eq!(ends.len(), 2, "{text}");
    let of = |name: &str| ends.iter().find(|line| line["name"] == name).unwrap();
    assert_eq!(
        (&of("Fine")["level"], &of("Fine")["status"], &of("Fine")["span"]["id"]),
        (&json!("DEBUG"), &json!("success"), &json!("call-7"))
    );
    assert_eq!(
        (&of("Broken")["level"], &of("Broken")["status"], &of("Broken")["node"]),
        (&json!("WARN"), &json!("error"), &json!("Stop"))
    );
    assert_eq!(of("Broken")["span"]["id"], json!(id));
    assert!(
        lines.iter().any(|line| line["level"] == "DEBUG" && line["code"] == "WEBHOOK_NOT_FOUND"),
        "{text}"
    );
    assert!(!text.contains("s3cret"), "{text}");
}

#[test]
fn a_log_at_info_says_nothing_of_refused_requests() {
    let folder = TempFolder::new("logs-info");
    let data = folder.0.join("data");
    let server = start_server(&data, &["--set", "log=info"], &[]);
    assert_eq!(post(&server, "/webhook/nowhere", &[]).status, 404);
    assert!(!server.stop_and_read_log().contains("WEBHOOK_NOT_FOUND"));
}

/// A collector: takes traces in OTLP's JSON form. It turns the first request away, as one does that is
/// just starting.
struct Collector {
    address: String,
    server: FakeHttp,
}

impl Collector {
    fn start() -> Self {
        let accepted = FakeResponse::json(&json!({}));
        let busy = FakeResponse::new(503, "application/json", "{}");
        let server = FakeHttp::scripted(vec![busy, accepted]);
        Self { address: server.address.to_string(), server }
    }

    /// The requests that were not turned away.
    fn requests(&self) -> Vec<FakeRequest> {
        self.server.requests().into_iter().skip(1).collect()
    }

    fn spans(&self) -> Vec<Value> {
        self.requests().iter().flat_map(|request| spans_of(&request.json())).collect()
    }
}

/// The spans of a request, each with the name of its service.
fn spans_of(body: &Value) -> Vec<Value> {
    let list = |value: &Value| value.as_array().unwrap().clone();
    let mut spans = Vec::new();
    for resource in list(&body["resourceSpans"]) {
        let about = attributes(&resource["resource"]);
        let scopes = list(&resource["scopeSpans"]);
        for mut span in scopes.iter().flat_map(|scope| list(&scope["spans"])) {
            span["service"] = about["service.name"].clone();
            spans.push(span);
        }
    }
    spans
}

/// The attributes of a span as an object.
fn attributes(of: &Value) -> Value {
    let pairs = of["attributes"].as_array().unwrap().iter().map(|pair| {
        let value = pair["value"].as_object().unwrap().values().next().unwrap().clone();
        (pair["key"].as_str().unwrap().to_owned(), value)
    });
    Value::Object(pairs.collect())
}

#[test]
fn a_collector_gets_a_span_per_execution_and_node_in_the_callers_trace() {
    let folder = TempFolder::new("traces");
    let data = folder.0.join("data");
    let called = import(
        &data,
        &row(
            "Called",
            &[
                node(
                    "When",
                    "executeWorkflowTrigger",
                    1.1,
                    json!({ "inputSource": "passthrough" }),
                ),
                node("Inner", "noOp", 1.0, json!({})),
            ],
        ),
    );
    let call = node(
        "Call",
        "executeWorkflow",
        1.2,
        json!({ "workflowId": { "__rl": true, "mode": "id", "value": called }, "options": {} }),
    );
    let id = import(&data, &row("Caller", &[webhook("caller"), call]));
    import(&data, &row("Broken", &[webhook("broken"), stop()]));
    let collector = Collector::start();
    let endpoint = format!("http://{}", collector.address);
    let settings = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=acme"),
        ("OTEL_SERVICE_NAME", "loom"),
    ];
    let server = start_server(&data, &[], &settings);
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    assert_eq!(post(&server, "/webhook/caller", &[("traceparent", parent)]).status, 200);
    assert_eq!(post(&server, "/webhook/broken", &[]).status, 500);
    assert_eq!(
        post(
            &server,
            "/webhook/broken",
            &[("traceparent", "00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00")]
        )
        .status,
        500
    );
    // What is left is sent when the server stops.
    server.stop();
    wait_until("the spans are there", || collector.spans().len() >= 9);
    let spans = collector.spans();
    assert_eq!(spans.len(), 9, "{spans:#?}");
    assert!(
        collector
            .requests()
            .iter()
            .all(|request| request.path == "/v1/traces"
                && request.header("x-tenant") == Some("acme"))
    );

    let find = |name: &str, key: &str, value: &str| {
        let found =
            spans.iter().find(|span| span["name"] == name && attributes(span)[key] == value);
        found.unwrap_or_else(|| panic!("{name} with {key} = {value}: {spans:#?}")).clone()
    };
    let caller = find("workflow.execute", "n8n.workflow.name", "Caller");
    assert_eq!(
        (&caller["traceId"], &caller["parentSpanId"]),
        (&json!("0af7651916cd43dd8448eb211c80319c"), &json!("b7ad6b7169203331"))
    );
    assert_eq!(
        (&caller["kind"], &caller["service"], &caller["status"]["code"]),
        (&json!(2), &json!("loom"), &json!(1))
    );
    let about = attributes(&caller);
    assert_eq!(
        (&about["n8n.workflow.id"], &about["n8n.execution.mode"], &about["n8n.execution.status"]),
        (&json!(id), &json!("webhook"), &json!("success"))
    );
    assert_eq!(about["n8n.workflow.node_count"], json!("2"));
    let call = find("node.execute", "n8n.node.name", "Call");
    assert_eq!((&call["traceId"], &call["parentSpanId"]), (&caller["traceId"], &caller["spanId"]));
    assert_eq!(attributes(&call)["n8n.node.type"], "n8n-nodes-base.executeWorkflow");
    assert_eq!(
        (&attributes(&call)["n8n.node.id"], &attributes(&call)["n8n.node.type_version"]),
        (&json!("id-of-Call"), &json!("1.2"))
    );
    // The workflow that was called hangs below the node that called it.
    let called = find("workflow.execute", "n8n.workflow.name", "Called");
    assert_eq!((&called["traceId"], &called["parentSpanId"]), (&call["traceId"], &call["spanId"]));
    assert_eq!(find("node.execute", "n8n.node.name", "Inner")["parentSpanId"], called["spanId"]);
    let nanoseconds = |span: &Value, key: &str| span[key].as_str().unwrap().parse::<u64>().unwrap();
    assert!(nanoseconds(&caller, "startTimeUnixNano") <= nanoseconds(&call, "startTimeUnixNano"));
    assert!(nanoseconds(&call, "endTimeUnixNano") <= nanoseconds(&caller, "endTimeUnixNano"));

    let broken = find("workflow.execute", "n8n.workflow.name", "Broken");
    assert_eq!((&broken["status"]["code"], broken.get("parentSpanId")), (&json!(2), None));
    assert_eq!(
        find("node.execute", "n8n.node.name", "Stop")["status"]["message"],
        broken["status"]["message"]
    );
    assert_ne!(broken["traceId"], caller["traceId"]);
    assert!(!format!("{spans:?}").contains("s3cret"));
}

#[test]
fn a_run_that_slept_goes_on_in_the_same_trace_after_a_restart() {
    let folder = TempFolder::new("traces-wait");
    let data = folder.0.join("data");
    let wait = node("Wait", "wait", 1.1, json!({ "resume": "webhook", "options": {} }));
    let assignments = json!([{ "id": "1", "name": "url", "value": "={{ $execution.resumeUrl }}", "type": "string" }]);
    let note = node(
        "Note",
        "set",
        3.4,
        json!({ "assignments": { "assignments": assignments }, "options": {} }),
    );
    import(
        &data,
        &row("Sleeper", &[webhook("sleep"), note, wait, node("Pass", "noOp", 1.0, json!({}))]),
    );
    let collector = Collector::start();
    let endpoint = format!("http://{}", collector.address);
    let settings = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str())];
    let server = start_server(&data, &[], &settings);
    post(
        &server,
        "/webhook/sleep",
        &[("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")],
    );
    server.stop();
    let second = Server::start(&data, &settings);
    let execution = second.executions()[0].clone();
    assert_eq!(execution["status"], "waiting");
    let text = execution.to_string();
    let ticket = text
        .split("/webhook-waiting/")
        .nth(1)
        .map(|rest| rest.split(['"', '?']).next().unwrap().to_owned());
    let ticket = ticket.unwrap_or_else(|| panic!("no address to wake it in {text}"));
    assert_eq!(second.call("GET", &format!("/webhook-waiting/{ticket}"), None).status, 200);
    wait_until("the second part is told", || {
        collector.spans().iter().filter(|span| span["name"] == "workflow.execute").count() == 2
    });
    let spans = collector.spans();
    assert!(
        spans.iter().all(|span| span["traceId"] == "0af7651916cd43dd8448eb211c80319c"),
        "{spans:#?}"
    );
    assert!(spans.iter().any(|span| attributes(span)["n8n.continuation.reason"] == "resume"));
}

#[test]
fn metrics_count_what_happened() {
    let data = TempFolder::new("metrics");
    import(
        &data.0.join("data"),
        &row("Fine", &[webhook("fine"), node("Pass", "noOp", 1.0, json!({}))]),
    );
    import(&data.0.join("data"), &row("Broken", &[webhook("broken"), stop()]));
    let server = Server::start(&data.0.join("data"), &[]);
    for _ in 0..3 {
        assert_eq!(server.call("POST", "/webhook/fine", Some(&json!({}))).status, 200);
    }
    assert_eq!(server.call("POST", "/webhook/broken", Some(&json!({}))).status, 500);
    assert_eq!(server.call("GET", "/metrics", None).status, 401);
    wait_until("nothing is left to write", || {
        server.metrics().contains("\nheddle_store_backlog 0\n")
    });
    let text = server.metrics();
    for line in [
        "heddle_build_info{version=\"0.1.0\"} 1",
        "heddle_active_workflows 2",
        "heddle_executions_running 0",
        "heddle_executions_queued 0",
        "heddle_executions_waiting 0",
        "heddle_executions_started_total{mode=\"webhook\"} 4",
        "heddle_executions_finished_total{mode=\"webhook\",status=\"success\"} 3",
        "heddle_executions_finished_total{mode=\"webhook\",status=\"error\"} 1",
        "heddle_execution_seconds_count 4",
        "heddle_http_answers_total{door=\"webhook\",class=\"2xx\"} 3",
        "heddle_http_answers_total{door=\"webhook\",class=\"5xx\"} 1",
        "heddle_http_request_seconds_count{door=\"webhook\"} 4",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is missing in\n{text}");
    }
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} is missing in\n{text}")).parse::<f64>().unwrap()
    };
    assert!(
        value("heddle_store_commit_seconds_count") >= 4.0
            && value("heddle_store_commit_seconds_sum") > 0.0
    );
    assert!(value("heddle_store_group_size_sum") >= value("heddle_store_group_size_count"));
    assert!(
        value("heddle_store_bytes") >= 4096.0
            && value("heddle_store_wal_bytes") > 0.0
            && value("heddle_store_free_bytes") > 0.0
    );
    assert!(
        value("process_resident_memory_bytes") > 1e6
            && value("process_open_fds") > 5.0
            && value("process_cpu_seconds_total") >= 0.0
    );
    // Prometheus takes no family apart, and none without a type.
    let mut families: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    let n_families = families.len();
    families.sort_unstable();
    families.dedup();
    assert_eq!(families.len(), n_families);
}
