//! Kill -9 at random times while workflows of every kind are at work: nothing is lost,
//! nothing happens twice in silence, and no run is stuck.

use crate::support::feed::Feed;
use crate::support::request_counter::RequestCounter;
use crate::support::workflow::{node, row};
use crate::support::{Reply, Server, TempFolder, heddle, new_key, request, wait_until};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use testkit::{MockModels, RequestRetention};

/// What is called, and the step that its run ends with.
const KINDS: [(&str, &str); 5] = [
    ("pay", "paid"),
    ("nap", "woken"),
    ("ask", "asked"),
    ("caller", "called"),
    ("agent", "answered"),
];

/// An entry of the feed has a minute of its own within one day.
const MAX_ENTRIES: usize = 1300;

fn ask(name: &str, step: &str, counter: &str, id: &str) -> Value {
    node(
        name,
        "httpRequest",
        4.2,
        json!({ "method": "POST", "url": format!("=http://{counter}/{step}/{{{{ {id} }}}}"), "options": {} }),
    )
}

fn webhook(path: &str) -> Value {
    node(
        "Webhook",
        "webhook",
        2.0,
        json!({ "httpMethod": "POST", "path": path, "responseMode": "onReceived", "options": {} }),
    )
}

fn workflows(counter: &str, feed: &str, models: &MockModels) -> Vec<(&'static str, Value)> {
    let of_call = "$('Webhook').first().json.body.id";
    let pay = row(
        "Pay",
        &[
            webhook("pay"),
            ask("One", "first", counter, of_call),
            ask("Two", "paid", counter, of_call),
        ],
    );
    let told = json!({ "httpMethod": "POST", "path": "nap", "responseMode": "responseNode", "options": {} });
    let tell = json!({ "respondWith": "text", "responseBody": "={{ $execution.resumeUrl }}", "options": {} });
    let wait = json!({ "resume": "webhook", "httpMethod": "POST", "options": {} });
    let nap = row(
        "Nap",
        &[
            node("Webhook", "webhook", 2.0, told),
            node("Tell", "respondToWebhook", 1.1, tell),
            node("Wait", "wait", 1.1, wait),
            ask("After", "woken", counter, of_call),
        ],
    );
    let fields = ["id", "mark"]
        .map(|name| json!({ "fieldLabel": name, "fieldName": name, "fieldType": "text" }));
    let fields = json!({ "values": fields });
    let form = node(
        "Form",
        "formTrigger",
        2.2,
        json!({ "path": "ask", "formTitle": "Ask", "formFields": fields, "options": {} }),
    );
    let form = row("Ask", &[form, ask("After", "asked", counter, "$('Form').first().json.id")]);
    let call = node(
        "Call",
        "executeWorkflow",
        1.0,
        json!({ "source": "database", "workflowId": "called", "options": {} }),
    );
    let caller =
        row("Caller", &[webhook("caller"), call, ask("After", "called", counter, of_call)]);
    let start = node("Start", "executeWorkflowTrigger", 1.0, json!({}));
    let nap_of_second = node(
        "Wait",
        "wait",
        1.1,
        json!({ "resume": "timeInterval", "amount": 1, "unit": "seconds" }),
    );
    let called = row(
        "Called",
        &[
            start,
            ask("Within", "within", counter, "$('Start').first().json.body.id"),
            nap_of_second,
        ],
    );
    let every_second = json!({ "rule": { "interval": [{ "field": "cronExpression", "expression": "* * * * * *" }] } });
    let clock = row(
        "Clock",
        &[
            node("Clock", "scheduleTrigger", 1.2, every_second),
            ask("Tick", "tick", counter, "$execution.id"),
        ],
    );
    let every_second = json!({ "item": [{ "mode": "custom", "cronExpression": "* * * * * *" }] });
    let rss = node(
        "RSS",
        "rssFeedReadTrigger",
        1.0,
        json!({ "feedUrl": format!("http://{feed}/feed"), "pollTimes": every_second }),
    );
    let news = row("News", &[rss, ask("Take", "news", counter, "$json.title")]);
    let thinker = json!({ "id": "a", "name": "Agent", "type": "ai-agent", "typeVersion": 1, "position": [0, 0], "parameters": { "userMessage": "go" } });
    let mut agent =
        row("Agent", &[webhook("agent"), thinker, ask("After", "answered", counter, of_call)]);
    let model = json!({ "id": "m", "name": "Model", "type": "openai-compatible-model", "typeVersion": 1, "position": [0, 0],
                        "parameters": { "baseUrl": models.v1(), "model": "mock" } });
    agent["nodes"].as_array_mut().unwrap().push(model);
    agent["connections"]["Model"] = json!({ "ai_languageModel": [[{ "node": "Agent", "type": "ai_languageModel", "index": 0 }]] });
    vec![
        ("called", called),
        ("pay", pay),
        ("nap", nap),
        ("ask", form),
        ("caller", caller),
        ("clock", clock),
        ("news", news),
        ("agent", agent),
    ]
}

/// Who calls whatever server there is.
struct CrashCaller {
    address: Mutex<String>,
    key: String,
    next: AtomicU64,
    /// What was accepted: the kind of the call, and its id.
    accepted: Mutex<Vec<(usize, u64)>>,
    /// Which of those that sleep were told to go on, and took it.
    woken: Mutex<HashSet<u64>>,
    is_over: AtomicBool,
}

impl CrashCaller {
    fn send(&self, method: &str, path: &str, content: &str, body: &str) -> Option<Reply> {
        let server = self.address.lock().unwrap().clone();
        let headers = [("content-type", content), ("x-n8n-api-key", self.key.as_str())];
        request(&server, method, path, &headers, body.as_bytes()).ok()
    }

    fn json(&self, method: &str, path: &str, body: &Value) -> Option<Reply> {
        self.send(method, path, "application/json", &body.to_string())
    }

    /// Calls one kind after the other.
    fn call(&self) {
        while !self.is_over.load(Ordering::Relaxed) {
            let id = self.next.fetch_add(1, Ordering::Relaxed);
            let kind = (id % KINDS.len() as u64) as usize;
            let reply = match KINDS[kind].0 {
                "ask" => self.send(
                    "POST",
                    "/form/ask",
                    "application/x-www-form-urlencoded",
                    &format!("id={id}&mark=call+{id}."),
                ),
                path => self.json(
                    "POST",
                    &format!("/webhook/{path}"),
                    &json!({ "id": id, "mark": format!("call {id}.") }),
                ),
            };
            match reply {
                Some(reply) if reply.status == 200 => {
                    self.accepted.lock().unwrap().push((kind, id));
                    if KINDS[kind].0 == "nap" {
                        self.wake(id, &reply.text());
                    }
                }
                // Turned away, or cut off before the answer: nothing was promised.
                _ => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// Wakes a run with the link that it gave, until it says that it has been.
    fn wake(&self, id: u64, link: &str) {
        let Some(place) = link.find("/webhook-waiting/") else { return };
        loop {
            match self.json("POST", &link[place..], &json!({})).map(|reply| reply.status) {
                Some(200) => {
                    self.woken.lock().unwrap().insert(id);
                    return;
                }
                // It sleeps no more: an earlier call was taken, and its answer was cut off. Or a
                // person must decide first.
                Some(404 | 409 | 410) => return,
                _ => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }

    /// Makes, activates, calls and deletes workflows, so that the others are read again and again.
    fn churn(&self) {
        while !self.is_over.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let document = row(
                &format!("Churn {number}"),
                &[webhook(&format!("churn-{number}")), node("Nothing", "noOp", 1.0, json!({}))],
            );
            let made = self
                .json("POST", "/api/v1/workflows", &document)
                .filter(|reply| reply.status == 200)
                .map(|reply| reply.json());
            if let Some(id) = made.as_ref().and_then(|made| made["id"].as_str()) {
                self.json("POST", &format!("/api/v1/workflows/{id}/activate"), &json!({}));
                self.json("POST", &format!("/webhook/churn-{number}"), &json!({}));
                self.send("DELETE", &format!("/api/v1/workflows/{id}"), "application/json", "");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn issue_15_workflows_of_every_kind_survive_kill_9() {
    let crashes: usize =
        std::env::var("HEDDLE_CRASHES").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    let (counter, feed, data) = (RequestCounter::start(), Feed::start(), TempFolder::new("mixed"));
    let replies =
        (0..crashes * 200 + 1000).map(|_| testkit::ScriptedReply::text("fine").with_usage(2, 1));
    let models = MockModels::slow(
        ([127, 0, 0, 1], 0).into(),
        replies,
        RequestRetention::Nothing,
        Duration::ZERO,
    )
    .unwrap();
    feed.publish(0);
    for (id, mut document) in workflows(&counter.address, &feed.address, &models) {
        document["id"] = json!(id);
        let file = data.write_json(id, &document);
        let activate: &[&str] = if id == "called" { &[] } else { &["--activate"] };
        heddle(&data.0, &[&["import"], activate, &[file.to_str().unwrap()]].concat());
    }
    let settings = [
        ("HEDDLE_EGRESS_ALLOW", "127.0.0.1"),
        ("HEDDLE_LOG", "off"),
        ("HEDDLE_KEEP_COUNT", "10000000"),
    ];
    let key = new_key(&data.0);
    let start = || Server::start_with_key(&data.0, &settings, &key).unwrap();
    let mut server = start();
    // The first look only remembers.
    feed.wait_for_looks(2);
    let world = CrashCaller {
        address: Mutex::new(server.address.clone()),
        key: key.clone(),
        next: AtomicU64::new(0),
        accepted: Mutex::default(),
        woken: Mutex::default(),
        is_over: AtomicBool::new(false),
    };
    let mut entries = 0;
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| world.call());
        }
        scope.spawn(|| world.churn());
        let mut moment = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..crashes {
            moment = moment
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            if entries < MAX_ENTRIES && moment >> 63 == 0 {
                entries += 1;
                feed.publish(entries);
            }
            std::thread::sleep(Duration::from_millis(20 + (moment >> 33) % 300));
            server.process.kill().unwrap();
            server.process.wait().unwrap();
            server = start();
            world.address.lock().unwrap().clone_from(&server.address);
        }
        wait_until("calls are accepted", || world.accepted.lock().unwrap().len() > 20);
        world.is_over.store(true, Ordering::Relaxed);
    });
    check(&server, &data, &world, &counter, crashes, entries);
    server.stop();
}

/// Waits until nothing goes on that was left behind; a schedule may be at work at any time.
fn settle(server: &Server) {
    let began = Instant::now();
    loop {
        let running: Vec<Value> = server
            .executions_with("&status=running")
            .into_iter()
            .filter(|run| run["workflowId"] != "clock")
            .collect();
        if running.is_empty() {
            return;
        }
        assert!(
            began.elapsed() < Duration::from_secs(300),
            "{} runs are stuck, such as {}",
            running.len(),
            running[0]
        );
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// How the runs that know of a call stand, and where the database is kept for whoever looks into
/// it.
fn whereabouts(data: &TempFolder, id: u64) -> String {
    let database = rusqlite::Connection::open(data.0.join("heddle.db")).unwrap();
    let kept = std::env::temp_dir().join(format!("heddle-mixed-{}-{id}.db", std::process::id()));
    let _ = std::fs::remove_file(&kept);
    database.execute("VACUUM INTO ?1", [kept.to_str().unwrap()]).unwrap();
    let sql =
        "SELECT DISTINCT e.id || ' of ' || e.workflow_id || ' is ' || e.status FROM journal j JOIN executions e ON e.id = j.place >> 24
               WHERE instr(j.events, CAST(?1 AS BLOB)) > 0";
    let mut found = database.prepare(sql).unwrap();
    let found: Vec<String> = found
        .query_map([format!("call {id}.")], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    format!("{found:?}; see {}", kept.display())
}

fn check(
    server: &Server,
    data: &TempFolder,
    world: &CrashCaller,
    counter: &RequestCounter,
    crashes: usize,
    entries: usize,
) {
    settle(server);
    let quarantined = server.resume_quarantined();
    let accepted = world.accepted.lock().unwrap().clone();
    // Whoever waits for a second, or for what it called, goes on by itself.
    settle(server);
    let doubtful: Vec<String> =
        server.executions_with("&status=uncertain").iter().map(Value::to_string).collect();
    let marked = doubtful.iter().flat_map(|run| {
        run.split("call ").skip(1).filter_map(|rest| rest.split_once('.')?.0.parse::<u64>().ok())
    });
    let marked: HashSet<u64> = marked.collect();
    let mut uncertain = 0;
    for (kind, id) in &accepted {
        let (name, last) = KINDS[*kind];
        // Whose answer was cut off may sleep for ever, as far as its caller knows.
        let must_end = name != "nap" || world.woken.lock().unwrap().contains(id);
        if counter.count(last, *id) > 0 || !must_end {
            continue;
        }
        if marked.contains(id) {
            uncertain += 1;
            continue;
        }
        let began = Instant::now();
        while counter.count(last, *id) == 0 {
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "{name} {id} was accepted and did not end: {}",
                whereabouts(data, *id)
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    for (path, count) in counter.all() {
        assert!(count <= 1, "{path} happened {count} times");
    }
    let failed = server.api("GET", "/executions?status=error&limit=10", None).json();
    assert_eq!(failed["data"], json!([]), "something failed");
    wait_until("every entry of the feed is taken", || {
        (1..=entries).all(|entry| {
            counter.count("news", entry as u64) == 1
                || doubtful.iter().any(|run| run.contains(&format!("\"title\":\"{entry}\"")))
        })
    });
    let ticks = || counter.all().keys().filter(|path| path.starts_with("/tick/")).count();
    let before = ticks();
    wait_until("the clock goes on", || ticks() > before);
    let (calls, steps) = (accepted.len(), counter.total());
    eprintln!(
        "{crashes} crashes, {calls} calls accepted, {steps} steps, {entries} entries, {uncertain} uncertain, {quarantined} quarantined"
    );
}
