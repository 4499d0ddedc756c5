//! A service that takes payments: of several requests with the same idempotency key only the first
//! one pays, and it says whether something was paid.

use super::workflow::{node, row};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use testkit::{FakeHttp, FakeRequest, FakeResponse};

/// How long the service takes to answer after it has paid, so that crashes meet requests under way.
const ANSWER_DELAY: Duration = Duration::from_millis(10);

#[derive(Default)]
struct LedgerState {
    /// How often each id was paid.
    paid: HashMap<u64, usize>,
    /// The keys that came with requests for it.
    keys: HashMap<String, u64>,
    requests: HashMap<u64, usize>,
    checks: usize,
    /// What the service answers to those who ask, instead of the truth.
    check_status: Option<u16>,
}

pub(crate) struct Ledger {
    pub(crate) address: String,
    state: Arc<Mutex<LedgerState>>,
    held: Arc<Mutex<bool>>,
    _server: FakeHttp,
}

impl Ledger {
    pub(crate) fn start() -> Self {
        let state: Arc<Mutex<LedgerState>> = Arc::default();
        let held: Arc<Mutex<bool>> = Arc::default();
        let (paying, holding) = (state.clone(), held.clone());
        let server = FakeHttp::unrecorded(move |request| {
            let response = answer(&mut paying.lock().unwrap(), request);
            if request.method == "POST" {
                std::thread::sleep(ANSWER_DELAY);
                while *holding.lock().unwrap() {
                    std::thread::sleep(ANSWER_DELAY);
                }
            }
            response
        });
        Self { address: server.address.to_string(), state, held, _server: server }
    }

    /// While it is held, payments are made and not answered.
    pub(crate) fn hold(&self, is_held: bool) {
        *self.held.lock().unwrap() = is_held;
    }

    /// From now on whoever asks what was paid gets this status.
    pub(crate) fn answer_checks(&self, status: Option<u16>) {
        self.state.lock().unwrap().check_status = status;
    }

    pub(crate) fn paid(&self, id: u64) -> usize {
        self.state.lock().unwrap().paid.get(&id).copied().unwrap_or(0)
    }

    pub(crate) fn requests(&self, id: u64) -> usize {
        self.state.lock().unwrap().requests.get(&id).copied().unwrap_or(0)
    }

    pub(crate) fn checks(&self) -> usize {
        self.state.lock().unwrap().checks
    }

    /// The keys that were seen, and the id that each came with.
    pub(crate) fn keys(&self) -> HashMap<String, u64> {
        self.state.lock().unwrap().keys.clone()
    }
}

fn answer(state: &mut LedgerState, request: &FakeRequest) -> FakeResponse {
    let asked = request.path.rsplit('/').next().unwrap_or_default();
    if request.method == "GET" {
        state.checks += 1;
        if let Some(status) = state.check_status {
            return FakeResponse::new(status, "application/json", "{}");
        }
        // By key or by id.
        let id = state.keys.get(asked).copied().or_else(|| asked.parse().ok());
        let paid = id.and_then(|id| Some((id, *state.paid.get(&id)?)));
        return match paid {
            Some((id, _)) => FakeResponse::json(&json!({ "paid": id, "found": true })),
            None => FakeResponse::new(404, "application/json", "{}"),
        };
    }
    let id: u64 = asked.parse().unwrap();
    *state.requests.entry(id).or_default() += 1;
    let key = request.header("idempotency-key").map(str::to_owned);
    let is_known = key.is_some_and(|key| match state.keys.insert(key, id) {
        Some(earlier) => {
            assert_eq!(earlier, id, "a key was sent for two payments");
            true
        }
        None => false,
    });
    if !is_known {
        *state.paid.entry(id).or_default() += 1;
    }
    FakeResponse::json(&json!({ "paid": id }))
}

/// A call of `/webhook/pay` with an id pays once. `options` are those of the HTTP Request node,
/// `safe` what its settings say.
pub(crate) fn ledger_workflow(ledger: &str, options: &Value, safe: Option<bool>) -> Value {
    let webhook = json!({ "httpMethod": "POST", "path": "pay", "options": {} });
    let url = format!("=http://{ledger}/pay/{{{{ $json.body.id }}}}");
    let pay = json!({ "method": "POST", "url": url, "options": options });
    let mut pay = node("Pay", "httpRequest", 4.2, pay);
    if let Some(safe) = safe {
        pay["safeToRepeat"] = json!(safe);
    }
    let mut document = row("Pay", &[node("Webhook", "webhook", 2.0, webhook), pay]);
    document["id"] = json!("pay");
    document
}
