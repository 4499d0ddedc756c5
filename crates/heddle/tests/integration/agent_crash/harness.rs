//! An agent that sends, looks and sends again, the model and the service that it asks, and what
//! must hold after any number of kills.

use crate::support::request_counter::RequestCounter;
use crate::support::{Server, TempFolder, heddle, new_key, request, wait_until};
use model::RunEvent;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use store::executions::ExecutionFilter;
use store::{ExecutionStore as _, OpenMode, Sqlite};
use testkit::{MockModels, NetFault, ScriptedReply};

/// How many answers of the model a run takes: two with calls, and the last.
pub(crate) const TURNS: usize = 3;

/// A question to the model: the number of the run, and which of its turns.
pub(crate) type ModelTurn = (u64, usize);

#[derive(Default)]
struct ModelState {
    asked: HashMap<ModelTurn, usize>,
    /// The answer to this question comes byte by byte.
    slow: Option<ModelTurn>,
}

pub(crate) struct AgentCrashHarness {
    pub(crate) data: TempFolder,
    pub(crate) counter: RequestCounter,
    _models: MockModels,
    mind: Arc<Mutex<ModelState>>,
    key: String,
    allowed: String,
    /// What was on record at a kill, and how often it had been done until then.
    recorded: Mutex<BTreeMap<(u64, String), usize>>,
}

/// What became of the runs of a test.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RunTally {
    pub(crate) succeeded: usize,
    pub(crate) uncertain: usize,
    /// Calls that had a record when the process was killed.
    pub(crate) recorded: usize,
}

impl AgentCrashHarness {
    pub(crate) fn new(name: &str) -> Self {
        let (data, counter) = (TempFolder::new(name), RequestCounter::start());
        let mind: Arc<Mutex<ModelState>> = Arc::default();
        let thinking = mind.clone();
        let models = MockModels::with_replies(move |body| answer(body, &thinking)).unwrap();
        let file = data.write_json("agent", &workflow(&models.v1(), &counter.address));
        heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
        let key = new_key(&data.0);
        let allowed = "127.0.0.1".to_owned();
        Self { data, counter, _models: models, mind, key, allowed, recorded: Mutex::default() }
    }

    pub(crate) fn settings(&self) -> [(&str, &str); 2] {
        [("HEDDLE_EGRESS_ALLOW", self.allowed.as_str()), ("HEDDLE_LOG", "off")]
    }

    pub(crate) fn start(&self) -> Server {
        Server::start_with_key(&self.data.0, &self.settings(), &self.key).unwrap()
    }

    pub(crate) fn slow_down(&self, turn: Option<ModelTurn>) {
        self.mind.lock().unwrap().slow = turn;
    }

    /// How often the model was asked for a turn.
    pub(crate) fn n_requests(&self, turn: ModelTurn) -> usize {
        self.mind.lock().unwrap().asked.get(&turn).copied().unwrap_or(0)
    }

    fn sent(&self, id: u64, step: usize) -> usize {
        self.counter.all().get(&send_path(id, step)).copied().unwrap_or(0)
    }

    /// How often a step of a run was done, by the name of its note.
    fn done(&self, id: u64, note: &str) -> usize {
        match note.strip_prefix("model ") {
            Some(turn) => self.n_requests((id, turn.parse().unwrap())),
            None => match note {
                "tool 1.1" => self.sent(id, 1),
                "tool 1.2" => self.counter.count("look", id),
                "tool 2.1" => self.sent(id, 2),
                other => panic!("'{other}' is no step of the scene"),
            },
        }
    }

    /// Ends a server the hard way and writes down what its runs have on record.
    pub(crate) fn kill(&self, server: Server) {
        server.kill();
        self.take_down();
    }

    /// Looks into the journals of the runs that are not over, while nobody runs them.
    pub(crate) fn take_down(&self) {
        let notes = self.notes_of(Some(model::RunStatus::Running));
        let mut recorded = self.recorded.lock().unwrap();
        for (id, notes) in notes {
            for note in notes.into_iter().filter(|note| !note.ends_with(" begun")) {
                let times = self.done(id, &note);
                // What is on record twice over has the number of the first time.
                recorded.entry((id, note)).or_insert(times);
            }
        }
    }

    /// Whether a run that is not over has something on record.
    pub(crate) fn has_note(&self, id: u64, note: &str) -> bool {
        let running = self.notes_of(Some(model::RunStatus::Running));
        running.iter().any(|(known, notes)| *known == id && notes.iter().any(|known| known == note))
    }

    /// The notes of each run by its number in the scene.
    fn notes_of(&self, status: Option<model::RunStatus>) -> Vec<(u64, Vec<String>)> {
        let store = Sqlite::open(&self.data.0, OpenMode::Shared).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let filter = ExecutionFilter { status, limit: 100_000, ..ExecutionFilter::default() };
            let mut found = Vec::new();
            for execution in store.executions(filter).await.unwrap() {
                let (mut id, mut notes) = (None, Vec::new());
                for event in store.journal(execution.id).await.unwrap() {
                    match event {
                        RunEvent::RunStarted { items: Some(items), .. } => {
                            id = items
                                .get(0)
                                .and_then(|item| item.json.get_path("body.id")?.as_f64())
                        }
                        RunEvent::StepRecorded { key, value, .. } if !value.is_null() => {
                            notes.push(
                                key.strip_prefix("item 0: ").unwrap_or(key.as_str()).to_owned(),
                            );
                        }
                        _ => {}
                    }
                }
                // The first piece of a run may not be on disk yet.
                found.extend(id.map(|id| (id as u64, notes)));
            }
            found
        })
    }

    /// Whether the call was accepted.
    pub(crate) fn call(&self, address: &str, id: u64) -> bool {
        let body = json!({ "id": id }).to_string();
        request(
            address,
            "POST",
            "/webhook/agent",
            &[("content-type", "application/json")],
            body.as_bytes(),
        )
        .is_ok_and(|reply| reply.status == 200)
    }

    pub(crate) fn all_over(&self, server: &Server) {
        wait_until("every run is over", || {
            let running = server.api("GET", "/executions?status=running&limit=1", None).json();
            running["data"].as_array().is_some_and(Vec::is_empty)
        });
    }

    /// Checks what must hold, decides about what is uncertain by what the service has seen, and
    /// checks that all is done once then.
    pub(crate) fn check(&self, server: &Server, accepted: &[u64], n_calls: u64) -> RunTally {
        self.all_over(server);
        // A run that two kills in a row met before it had recorded anything waits for a person.
        server.resume_quarantined();
        let runs = by_number(server);
        let notes: HashMap<u64, Vec<String>> = self.notes_of(None).into_iter().collect();
        let mut tally =
            RunTally { recorded: self.recorded.lock().unwrap().len(), ..RunTally::default() };
        for id in accepted {
            let found =
                runs.get(id).unwrap_or_else(|| panic!("call {id} was accepted and is gone"));
            assert_eq!(found.len(), 1, "call {id} has {} executions", found.len());
        }
        for id in (0..n_calls).filter(|id| runs.contains_key(id)) {
            let run = &runs[&id][0];
            match run["status"].as_str().unwrap() {
                "success" => {
                    tally.succeeded += 1;
                    self.check_success(id, run);
                }
                "uncertain" => {
                    tally.uncertain += 1;
                    self.check_uncertain(id, run, &notes[&id]);
                    self.decide(server, id, run);
                }
                other => panic!("run {id} is {other}: {run}"),
            }
        }
        self.check_records();
        self.all_over(server);
        for (id, found) in by_number(server) {
            self.check_success(id, &found[0]);
        }
        self.check_records();
        tally
    }

    /// Nothing that was on record at a kill was done again.
    fn check_records(&self) {
        for ((id, note), times) in self.recorded.lock().unwrap().iter() {
            assert_eq!(
                self.done(*id, note),
                *times,
                "'{note}' of run {id} had a record and was done again"
            );
        }
    }

    fn check_success(&self, id: u64, run: &Value) {
        assert_eq!(run["status"], "success", "run {id}: {run}");
        let answer = &run["data"]["resultData"]["runData"]["Agent"][0]["data"]["main"][0][0]["json"]
            ["response"];
        assert_eq!(answer, &json!(format!("run {id} is done")));
        assert_eq!(
            (self.sent(id, 1), self.sent(id, 2)),
            (1, 1),
            "run {id} sends each message once"
        );
        assert!(
            self.counter.count("look", id) >= 1
                && (1..=TURNS).all(|turn| self.n_requests((id, turn)) >= 1),
            "run {id} lost a step"
        );
    }

    /// A call that changes something was begun and has no result; the error names it.
    fn check_uncertain(&self, id: u64, run: &Value, notes: &[String]) {
        let has = |note: &str| notes.iter().any(|known| known == note);
        let open = ["tool 1.1", "tool 2.1"]
            .into_iter()
            .find(|call| has(&format!("{call} begun")) && !has(call));
        let call =
            open.unwrap_or_else(|| panic!("run {id} is uncertain without a reason: {notes:?}"));
        let error = &run["data"]["resultData"]["error"];
        assert_eq!(error["code"], "RUN_UNCERTAIN", "{error}");
        assert!(error["message"].as_str().unwrap().contains(&format!("item 0: {call}")), "{error}");
        assert!(self.done(id, call) <= 1, "'{call}' of run {id}");
    }

    /// As a person would who has looked at the service.
    fn decide(&self, server: &Server, id: u64, run: &Value) {
        let call = if self.n_requests((id, 2)) == 0 { "tool 1.1" } else { "tool 2.1" };
        let body = match self.done(id, call) {
            0 => json!({ "decision": "again", "call": call }),
            _ => json!({ "decision": "done", "result": "{}" }),
        };
        let path = format!("/executions/{}/resume", run["id"].as_str().unwrap());
        let reply = server.api("POST", &path, Some(&body));
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert_eq!(server.api("POST", &path, Some(&body)).status, 409, "a decision is taken once");
    }
}

pub(crate) fn send_path(id: u64, step: usize) -> String {
    format!("/send/{id}/{step}")
}

/// The executions of each call.
pub(crate) fn by_number(server: &Server) -> HashMap<u64, Vec<Value>> {
    let mut found: HashMap<u64, Vec<Value>> = HashMap::new();
    for execution in server.executions() {
        let item = &execution["data"]["resultData"]["runData"]["Webhook"][0]["data"]["main"][0][0];
        found.entry(item["json"]["body"]["id"].as_u64().unwrap()).or_default().push(execution);
    }
    found
}

/// The turn that a conversation has come to, by what is in it: the model itself remembers nothing.
fn answer(body: &Value, mind: &Mutex<ModelState>) -> ScriptedReply {
    let messages = body["messages"].as_array().unwrap();
    let words =
        messages.iter().find(|message| message["role"] == "user").unwrap()["content"].to_string();
    let id: u64 = words.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap();
    let turn = 1 + messages.iter().filter(|message| message["role"] == "assistant").count();
    let mut mind = mind.lock().unwrap();
    *mind.asked.entry((id, turn)).or_default() += 1;
    let reply = match turn {
        1 => ScriptedReply::call("Send", json!({ "step": 1 })).and_call("Look", json!({})),
        2 => ScriptedReply::call("Send", json!({ "step": 2 })),
        _ => ScriptedReply::text(&format!("run {id} is done")),
    };
    if mind.slow == Some((id, turn)) { reply.with_fault(NetFault::ByteEvery(5)) } else { reply }
}

fn workflow(models: &str, counter: &str) -> Value {
    let part = |name: &str, kind: &str, version: f64, parameters: Value| json!({ "id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters });
    let to_agent = |kind: &str| json!({ kind: [[{ "node": "Agent", "type": kind, "index": 0 }]] });
    let send = format!(
        "=http://{counter}/send/{{{{ $json.body.id }}}}/{{{{ $fromAI('step', 'which one', 'number') }}}}"
    );
    let look = format!("=http://{counter}/look/{{{{ $json.body.id }}}}");
    json!({
        "id": "agent", "name": "Agent",
        "nodes": [
            part("Webhook", "n8n-nodes-base.webhook", 2.0, json!({ "httpMethod": "POST", "path": "agent", "options": {} })),
            part("Agent", "ai-agent", 1.0, json!({ "userMessage": "=Do run {{ $json.body.id }}." })),
            part("Model", "openai-compatible-model", 1.0, json!({ "baseUrl": models, "model": "mock" })),
            part("Send", "n8n-nodes-base.httpRequestTool", 4.2, json!({ "method": "POST", "url": send, "options": { "idempotencyKeyHeader": "Idempotency-Key" } })),
            part("Look", "n8n-nodes-base.httpRequestTool", 4.2, json!({ "method": "GET", "url": look, "options": {} })),
        ],
        "connections": {
            "Webhook": { "main": [[{ "node": "Agent", "type": "main", "index": 0 }]] },
            "Model": to_agent("ai_languageModel"), "Send": to_agent("ai_tool"), "Look": to_agent("ai_tool"),
        },
        "settings": { "executionOrder": "v1" }
    })
}
