//! Whoever calls addresses: slowly, in a hurry, and sometimes gone before the answer.

use crate::expectations::SentResume;
use crate::process::Process;
use crate::simulation_state::SimulationState;
use crate::workflows::{CALLED, DELIVERY};
use engine::Addresses as _;
use model::{Object, Str, Value};
use node_api::trigger::ResponseBody;
use runtime::endpoint::{EndpointRequest, EndpointResponse};
use runtime::{EndpointKind, FormSubmission, RouteMatch};
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// How many deliveries there are.
const DELIVERIES: u64 = 3;

/// A client comes, and goes when it has its answer or has waited for long enough.
pub(crate) fn spawn_client(process: &Process, client: impl Future<Output = ()> + Send + 'static) {
    let random = &process.world.random;
    let patience = random.one_in(3).then(|| process.world.some_time());
    let world = process.world.clone();
    tokio::spawn(async move {
        let Some(patience) = patience else { return client.await };
        if timeout(patience + Duration::from_millis(1), client).await.is_err() {
            world.log_line("a client has hung up");
        }
    });
}

/// Starts a run.
pub(crate) async fn call(process: Process) {
    let Process { world, runtime, .. } = process;
    let called: Vec<&str> =
        world.workflows.iter().copied().filter(|id| CALLED.contains(id)).collect();
    let Some(workflow) = world.random.choose(&called) else { return };
    let delivery = (workflow == "once" || world.random.one_in(8))
        .then(|| format!("d{}", world.random.below(DELIVERIES)));
    let RouteMatch::Hook(hook, params) = runtime.find(EndpointKind::Webhook, "POST", workflow)
    else {
        return world.log_line(format_args!("nothing listens at {workflow}"));
    };
    let key = delivery.as_ref().map(|delivery| format!("{workflow}/Webhook/{delivery}"));
    let token = world.truth().sends(workflow, key.clone());
    world
        .log_line(format_args!("call {token} of {workflow} {}", delivery.as_deref().unwrap_or("")));
    sleep(world.some_time()).await;
    let mut call = request(token);
    call.params = params;
    if let Some(delivery) = &delivery {
        call.headers.insert(DELIVERY, delivery.as_str());
    }
    let answered = runtime.answer(&hook, call).await;
    match answered {
        Ok(EndpointResponse::Whole(answer)) => {
            let was_before = message(&answer.body) == Some("This delivery was already received");
            world.log_line(format_args!(
                "call {token} is answered {}{}",
                answer.status,
                if was_before { ", taken before" } else { "" }
            ));
            match (was_before, key) {
                (true, Some(key)) => is_taken_before(&world, token, key),
                // What broke off may have left anything.
                _ if answer.status == 500 => {}
                _ => world.truth().is_answered(token, true),
            }
        }
        Ok(EndpointResponse::Stream { .. }) => {}
        Err(error) => {
            world.log_line(format_args!("call {token} is refused: {error}"));
            // Whoever waits for more than the beginning may be told of a later failure, and one
            // that does not pass tells nothing.
            let is_turned_away = matches!(&error, runtime::Error::Store(error) if error.may_pass());
            if is_turned_away && matches!(workflow, "plain" | "once" | "pauses") {
                world.truth().is_answered(token, false);
            }
        }
    }
}

fn is_taken_before(world: &SimulationState, token: u64, key: String) {
    if !matches!(world.memory.is_delivered(&key), Ok(true)) {
        world.truth().fail(format!(
            "call {token} was told that {key} was taken before, and nothing of it is on disk"
        ));
    }
    world.truth().taken_before.insert(key);
}

/// Wakes a run that waits, or one that does no more.
pub(crate) async fn resume(process: Process) {
    let waits = process.world.random.below(2);
    let chosen = process.choose_run(|row| row.workflow_id == "pauses");
    if let Some(row) = chosen {
        let _ = wake(&process, row.id, waits).await;
    }
}

/// Wakes a run from one of its waits; whether that was taken.
pub(crate) async fn wake(process: &Process, run: i64, wait: u64) -> bool {
    let Process { world, runtime, .. } = process;
    let address = runtime.runner.resume_tokens.webhook(&run.to_string(), wait as usize);
    let ticket = address.rsplit('/').next().unwrap_or_default();
    let waiting = match runtime.waiting(ticket, "").await {
        Ok(Some(waiting)) => waiting,
        Ok(None) => return false,
        Err(error) => {
            world.log_line(format_args!("run {run} is not to be woken from wait {wait}: {error}"));
            return false;
        }
    };
    if !world.is_calm() {
        sleep(world.some_time()).await;
    }
    let token = world.truth().next_resume();
    world.log_line(format_args!("resume {token}: run {run} from wait {wait}"));
    let fields = [("token", token as i64), ("run", run), ("wait", wait as i64)];
    let answered = match waiting.hook.form {
        Some(_) => {
            let fields = fields.map(|(key, value)| (key, Value::from(value.to_string())));
            let sent = FormSubmission {
                fields: Object::from_iter(fields),
                files: Vec::new(),
                length: 100,
            };
            runtime.submit(&waiting.hook, Some(&waiting), sent).await.map(|answer| answer.status)
        }
        None => {
            let body =
                Object::from_iter(fields.map(|(key, value)| (key, Value::from(value)))).into();
            let answered =
                runtime.wake_with(&waiting, EndpointRequest { body, ..request(token) }).await;
            answered.map(|reply| {
                if let EndpointResponse::Whole(answer) = reply { answer.status } else { 200 }
            })
        }
    };
    match answered {
        Ok(200 | 303) => {
            world.log_line(format_args!("resume {token} is taken"));
            world.truth().resumes.push(SentResume { run, wait, token });
            true
        }
        Ok(_) => false,
        Err(error) => {
            world.log_line(format_args!("resume {token} is refused: {error}"));
            false
        }
    }
}

fn request(token: u64) -> EndpointRequest {
    EndpointRequest {
        method: "POST".into(),
        url: "http://simulated/".into(),
        headers: Object::new(),
        params: Object::new(),
        query: Object::new(),
        body: Value::from(Object::from_iter([("token", Value::from(token as i64))])),
        files: Vec::new(),
        remote: None,
        user: None,
        request_id: Str::new(),
        is_test: false,
        length: 100,
    }
}

fn message(body: &ResponseBody) -> Option<&str> {
    if let ResponseBody::Json(json) = body {
        json.get("message").and_then(Value::as_str)
    } else {
        None
    }
}
