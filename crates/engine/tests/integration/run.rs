//! Small graphs, written as text, run with test nodes: order, errors, retries, waiting, limits.

use heddle_engine::{
    CallReply, Clock, Engine, Journal, NoCredentials, PendingRecord, Ports, Random, RecordedStep,
    RunOptions, RunOutcome, RunStart, Subworkflows, WorkflowSource,
};
use model::{RunEvent, RunStatus, Workflow};
use node_api::files::FileStorage;
use node_api::host::Pause;
use node_api::http::{Http, HttpError, HttpRequest, HttpResponse};
use node_api::prelude::*;
use node_api::{NodeEntry, Registry, run as row};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

macro_rules! node {
    ($name:ident, $id:literal, $spec:expr, |$ctx:ident, $items:ident| $body:expr) => {
        struct $name;
        impl Node for $name {
            fn spec() -> Spec {
                let change: fn(Spec) -> Spec = $spec;
                change(Spec::new($id, &[1.0], $id, "For tests"))
            }
            async fn run($ctx: &Ctx<'_>, $items: Items) -> Result<Outputs, NodeError> {
                $body
            }
        }
    };
}

static TRIES: AtomicUsize = AtomicUsize::new(0);

node!(
    Begin,
    "start",
    |spec| Spec {
        inputs: Vec::new(),
        group: NodeGroup::Trigger,
        started_by: Some(StartCause::Hand),
        ..spec
    },
    |_ctx, items| Ok(vec![items])
);
node!(
    Called,
    "called",
    |spec| Spec {
        inputs: Vec::new(),
        group: NodeGroup::Trigger,
        started_by: Some(StartCause::Workflow),
        ..spec
    },
    |_ctx, items| Ok(vec![items])
);
node!(
    OnFailure,
    "onFailure",
    |spec| Spec {
        inputs: Vec::new(),
        group: NodeGroup::Trigger,
        started_by: Some(StartCause::Error),
        ..spec
    },
    |_ctx, items| Ok(vec![items])
);
node!(Pass, "pass", |spec| spec, |_ctx, items| Ok(vec![items]));
node!(Three, "three", |spec| spec, |_ctx, _items| Ok(vec![
    (0..3).map(|n| Item::new(json!({ "n": n })).paired_with(0)).collect()
]));
node!(Fail, "fail", |spec| spec, |_ctx, _items| Err(NodeError::failed("broken")));
node!(OddFails, "oddFails", |spec| spec, |ctx, items| ctx.map_items(&items, |index, item| {
    match index % 2 {
        1 => Err(NodeError::failed("odd")),
        _ => Ok(item),
    }
}));
node!(
    ThirdTime,
    "thirdTime",
    |spec| spec,
    |_ctx, items| match TRIES.fetch_add(1, Ordering::SeqCst) {
        0 | 1 => Err(NodeError::failed("not yet")),
        _ => Ok(vec![items]),
    }
);
node!(Nothing, "nothing", |spec| spec, |_ctx, _items| Ok(vec![Items::new()]));
node!(
    Split,
    "split",
    |spec| spec.outputs([Port::named("yes"), Port::named("no")]),
    |_ctx, items| Ok(vec![items, Items::new()])
);
node!(Join, "join", |spec| spec.inputs([Port::named("1"), Port::named("2")]), |ctx, _items| {
    let all = (0..2).filter_map(|input| ctx.input(input)).flat_map(|items| items.to_vec());
    Ok(vec![all.collect()])
});
node!(
    Ranged,
    "ranged",
    |spec| spec.param(Param::number("count", "Count", 1).at_least(1.0)).param(Param::collection(
        "options",
        "Options",
        [Param::number("share", "Share", 0).between(0.0, 1.0)]
    )),
    |ctx, items| {
        ctx.number("count", 0)?;
        ctx.param("options", 0)?;
        Ok(vec![items])
    }
);
node!(Forever, "forever", |spec| spec, |ctx, items| {
    ctx.host().sleep(1_000_000_000).await?;
    Ok(vec![items])
});
node!(Nap, "nap", |spec| spec, |ctx, items| {
    ctx.host().pause(Pause::Until(ctx.host().now_ms() + 3_600_000));
    Ok(vec![items])
});
node!(Keep, "keep", |spec| spec, |ctx, items| {
    ctx.host().set_state(node_api::host::NodeState {
        context: Object::new(),
        lists: vec![items.clone()],
    });
    Ok(vec![items])
});
node!(
    Call,
    "call",
    |spec| spec.param(Param::text("id", "Id", "").help("The workflow to call.")),
    |ctx, items| {
        let target = node_api::host::WorkflowTarget::Id(ctx.text("id", 0)?);
        ctx.host().run_workflow(node_api::host::WorkflowCall { target, items, wait: true }).await
    }
);

static NODES: &[NodeEntry] = &[
    row::<Begin>(),
    row::<Called>(),
    row::<OnFailure>(),
    row::<Pass>(),
    row::<Three>(),
    row::<Fail>(),
    row::<OddFails>(),
    row::<ThirdTime>(),
    row::<Nothing>(),
    row::<Split>(),
    row::<Join>(),
    row::<Ranged>(),
    row::<Forever>(),
    row::<Nap>(),
    row::<Keep>(),
    row::<Call>(),
];

/// A workflow from lines such as `Start:start -> A:pass -> B:pass`, `A =1=> C:fail`, `A -2->
/// J:join`. `->` leads from output 0 to input 0, `=n=>` from output n, `-n->` to input n. The type
/// is told where a node first stands.
pub(crate) fn graph(text: &str) -> Value {
    let mut nodes: Vec<(String, String)> = Vec::new();
    let mut connections = json!({});
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut before: Option<String> = None;
        let mut arrow = "->";
        for word in words {
            if word.ends_with('>') {
                arrow = word;
                continue;
            }
            let (name, kind) = word.split_once(':').unwrap_or((word, ""));
            if !nodes.iter().any(|(known, _)| known == name) {
                nodes.push((name.to_owned(), kind.to_owned()));
            }
            if let Some(from) = before.replace(name.to_owned()) {
                let number = arrow
                    .trim_matches(|letter: char| !letter.is_ascii_digit())
                    .parse::<usize>()
                    .unwrap_or(0);
                let (output, input) =
                    if arrow.starts_with('=') { (number, 0) } else { (0, number) };
                let outputs =
                    connections.make_object().entry(&from).make_object().entry("main").make_array();
                if outputs.len() <= output {
                    outputs.resize(output + 1, json!([]));
                }
                outputs[output]
                    .make_array()
                    .push(json!({ "node": name, "type": "main", "index": input }));
            }
        }
    }
    let nodes = nodes.iter().enumerate().map(|(index, (name, kind))| {
        json!({ "name": name, "type": kind, "typeVersion": 1, "position": [index * 100, index * 10], "parameters": {} })
    });
    let mut workflow = json!({ "id": "w", "name": "Test", "settings": { "executionOrder": "v1" } });
    workflow.make_object().insert("nodes", Value::array(nodes.collect()));
    workflow.make_object().insert("connections", connections);
    workflow
}

/// Changes a field of a node of a graph.
pub(crate) fn with(mut workflow: Value, node: &str, field: &str, value: Value) -> Value {
    for found in workflow.make_object().entry("nodes").make_array() {
        if found.get("name").and_then(Value::as_str) == Some(node) {
            found.put_path(field, value.clone()).unwrap();
        }
    }
    workflow
}

struct RunHost {
    events: Mutex<Vec<String>>,
    steps: Mutex<Vec<RecordedStep>>,
    slept_ms: AtomicI64,
    others: Vec<(&'static str, Value)>,
    /// How runs that are called stand, in order, and where they were called from.
    standing: Mutex<Vec<RunStatus>>,
    called_from: Mutex<Vec<String>>,
}

/// Keeps runs as far as a caller can tell: each call finds the next of the world's standings.
struct TestKeeper(Arc<RunHost>);

#[async_trait::async_trait]
impl Subworkflows for TestKeeper {
    async fn call(&self, call: heddle_engine::SubworkflowCall) -> Result<CallReply, NodeError> {
        self.0.called_from.lock().unwrap().push(call.place.to_string());
        let mut outcome = run(&graph("Start:start -> End:three")).await;
        (outcome.run_id, outcome.status) = ("7".into(), self.0.standing.lock().unwrap().remove(0));
        if outcome.status == RunStatus::Error {
            outcome.error = Some(NodeError::failed("no").to_run_error("End"));
        }
        Ok(CallReply::of(outcome))
    }
}

#[async_trait::async_trait]
impl Clock for RunHost {
    fn now_ms(&self) -> i64 {
        1_700_000_000_000 + self.slept_ms.load(Ordering::SeqCst)
    }
    async fn sleep(&self, milliseconds: u64) {
        if milliseconds >= 1_000_000_000 {
            std::future::pending::<()>().await;
        }
        self.slept_ms.fetch_add(milliseconds as i64, Ordering::SeqCst);
        tokio::task::yield_now().await;
    }
}

impl Random for RunHost {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

impl Journal for RunHost {
    fn append<'a>(&'a self, _run_id: &str, event: RunEvent) -> Option<PendingRecord<'a>> {
        if let RunEvent::NodeFinished { node, task, changed, .. } = &event {
            let step = RecordedStep {
                node: node.clone(),
                task: Some(task.clone()),
                changed: changed.clone(),
                woken_by: None,
                redo: None,
            };
            self.steps.lock().unwrap().push(step);
        }
        self.events.lock().unwrap().push(match event {
            RunEvent::RunStarted { mode, .. } => format!("run started ({mode})"),
            RunEvent::NodeStarted { node, run_index, .. } => format!("{node}#{run_index} started"),
            RunEvent::NodeLog { node, line } => format!("{node} says {line}"),
            RunEvent::StepRecorded { node, key, .. } => format!("{node} notes {key}"),
            RunEvent::ModelUsed { node, spent } => format!("{node} used {} tokens", spent.tokens()),
            RunEvent::SubNodeCalled { node, task } => {
                format!("{node} serves {}", task.serves().map_or("nothing", model::Kind::name))
            }
            RunEvent::StageReached { node, reached, .. } => {
                format!("{node} is at {}", reached.stage.name())
            }
            RunEvent::NodeRetried { node, attempt, error } => {
                format!("{node} try {attempt}: {}", error.message)
            }
            RunEvent::NodeFinished { node, run_index, task, .. } => {
                format!("{node}#{run_index} {}", task.status.name())
            }
            RunEvent::NodeSilent { node } => format!("{node} silent"),
            RunEvent::RunPaused { node, .. } => format!("paused at {node}"),
            RunEvent::RunResumed { .. } => "resumed".into(),
            RunEvent::RunFinished { status, .. } => format!("run {}", status.name()),
        });
        None
    }
}

#[async_trait::async_trait]
impl WorkflowSource for RunHost {
    async fn get(&self, _stands_for: &str, id: &str) -> Option<Workflow> {
        self.others
            .iter()
            .find(|(name, _)| *name == id)
            .and_then(|(_, document)| Workflow::from_value(document))
    }
}

#[async_trait::async_trait]
impl Http for RunHost {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        panic!("no request was to be made: {}", request.url)
    }
}

#[async_trait::async_trait]
impl FileStorage for RunHost {
    async fn read(&self, path: &str) -> Result<bytes::Bytes, NodeError> {
        panic!("no file was to be read: {path}")
    }
    async fn write(&self, path: &str, _data: &[u8], _append: bool) -> Result<String, NodeError> {
        panic!("no file was to be written: {path}")
    }
    async fn list(&self, pattern: &str) -> Result<Vec<String>, NodeError> {
        panic!("no file was to be listed: {pattern}")
    }
}

async fn run_in(
    world: Arc<RunHost>,
    workflow: &Value,
    options: RunOptions,
    cancel: CancellationToken,
) -> RunOutcome {
    let has_keeper = !world.standing.lock().unwrap().is_empty();
    let calls = has_keeper.then(|| Arc::new(TestKeeper(world.clone())) as Arc<dyn Subworkflows>);
    let ports = Ports {
        clock: world.clone(),
        random: world.clone(),
        http: world.clone(),
        connections: Arc::new(node_api::connect::NoConnections),
        files: world.clone(),
        tables: Arc::new(node_api::tables::NoTables),
        collections: Arc::new(node_api::collections::NoCollections),
        long_term_memory: Arc::new(node_api::ai::NoLongTermMemory),
        mcp: Arc::new(node_api::mcp::NoMcpServers),
        tools: Arc::new(node_api::tools::NoTools),
        conversations: node_api::ai::ConversationStores::default(),
        local_models: Arc::new(node_api::ai::NoLocalModels),
        credentials: Arc::new(NoCredentials),
        workflows: world.clone(),
        calls,
        policy: Arc::new(node_api::policy::AllowAll),
        ledger: Arc::new(heddle_engine::NoLedger),
        journal: world,
        spill: None,
    };
    let engine = Engine::new(Arc::new(Registry::new([NODES])), ports);
    let plan = Arc::new(engine.plan(&Workflow::from_value(workflow).unwrap()));
    engine.run(plan, RunStart::default(), options, cancel).await
}

fn world(others: Vec<(&'static str, Value)>) -> Arc<RunHost> {
    Arc::new(RunHost {
        events: Mutex::default(),
        steps: Mutex::default(),
        slept_ms: AtomicI64::new(0),
        others,
        standing: Mutex::default(),
        called_from: Mutex::default(),
    })
}

/// A world in which runs that are called stand like this, one after the other.
fn world_of(standing: &[RunStatus]) -> Arc<RunHost> {
    let world = world(Vec::new());
    *world.standing.lock().unwrap() = standing.to_vec();
    world
}

pub(crate) async fn run(workflow: &Value) -> RunOutcome {
    run_in(world(Vec::new()), workflow, RunOptions::default(), CancellationToken::new()).await
}

fn order(outcome: &RunOutcome) -> String {
    outcome.order().join(" ")
}

fn output(outcome: &RunOutcome, node: &str, index: usize) -> Value {
    let last = outcome
        .runs_of(node)
        .last()
        .and_then(|task| task.output(index))
        .cloned()
        .unwrap_or_default();
    Value::array(last.iter().map(|item| item.json).collect())
}

#[tokio::test]
async fn branches_run_depth_first_from_the_top() {
    let outcome = run(&graph("Start:start -> A:pass -> B:pass\nStart -> C:pass -> D:pass")).await;
    assert_eq!(order(&outcome), "Start A B C D");
}

#[tokio::test]
async fn a_node_with_two_inputs_waits_for_both_and_runs_with_one_if_no_more_can_come() {
    let both =
        run(&graph("Start:start -> A:pass -> J:join\nStart -> B:pass -1-> J\nJ -> End:pass")).await;
    assert_eq!(order(&both), "Start A B J End");
    assert_eq!(both.runs_of("J")[0].output(0).unwrap().len(), 2);
    let one =
        run(&graph("Start:start -> S:split -> J:join\nS =1=> No:pass -1-> J\nJ -> End:pass")).await;
    assert_eq!(order(&one), "Start S J End");
}

#[tokio::test]
async fn the_journal_tells_everything_in_order() {
    let world = world(Vec::new());
    run_in(
        world.clone(),
        &graph("Start:start -> A:pass"),
        RunOptions::default(),
        CancellationToken::new(),
    )
    .await;
    let events = world.events.lock().unwrap().join(", ");
    assert_eq!(
        events,
        "run started (manual), Start#0 started, Start#0 success, A#0 started, A#0 success, run success"
    );
}

#[tokio::test]
async fn a_failing_node_stops_the_run_and_is_named() {
    let outcome = run(&graph("Start:start -> A:fail -> B:pass")).await;
    assert_eq!((outcome.status, order(&outcome).as_str()), (RunStatus::Error, "Start A"));
    let error = outcome.error.unwrap();
    assert_eq!(
        (error.code, error.node.as_deref(), error.message.as_str()),
        (Code::NODE_FAILED, Some("A"), "broken")
    );
}

#[tokio::test]
async fn failed_items_go_on_or_leave_by_the_error_output() {
    let text = "Start:start -> T:three -> O:oddFails -> Good:pass\nO =1=> Bad:pass";
    let regular = run(&with(graph(text), "O", "onError", json!("continueRegularOutput"))).await;
    assert_eq!(output(&regular, "O", 0), json!([{ "n": 0 }, { "error": "odd" }, { "n": 2 }]));
    let split = run(&with(graph(text), "O", "onError", json!("continueErrorOutput"))).await;
    assert_eq!(output(&split, "Good", 0), json!([{ "n": 0 }, { "n": 2 }]));
    assert_eq!(output(&split, "Bad", 0), json!([{ "n": 1, "error": "odd" }]));
}

#[tokio::test]
async fn a_node_that_fails_as_a_whole_passes_its_input_on_where_it_may() {
    let outcome = run(&with(
        graph("Start:start -> T:three -> F:fail -> End:pass"),
        "F",
        "onError",
        json!("continueRegularOutput"),
    ))
    .await;
    assert_eq!(outcome.status, RunStatus::Success);
    assert_eq!(output(&outcome, "End", 0), json!([{ "n": 0 }, { "n": 1 }, { "n": 2 }]));
}

#[tokio::test]
async fn retries_are_told_and_end_when_the_node_succeeds() {
    let workflow =
        with(graph("Start:start -> A:thirdTime -> B:pass"), "A", "retryOnFail", json!(true));
    let world = world(Vec::new());
    let outcome =
        run_in(world.clone(), &workflow, RunOptions::default(), CancellationToken::new()).await;
    assert_eq!(outcome.status, RunStatus::Success);
    let retried = world.events.lock().unwrap().iter().filter(|event| event.contains("try")).count();
    assert_eq!((retried, world.slept_ms.load(Ordering::SeqCst)), (2, 2000));
}

#[tokio::test]
async fn settings_of_a_node_count() {
    let text = "Start:start -> T:three -> A:pass -> B:pass";
    let once = run(&with(graph(text), "A", "executeOnce", json!(true))).await;
    assert_eq!(output(&once, "A", 0), json!([{ "n": 0 }]));
    let disabled =
        run(&with(graph("Start:start -> A:fail -> B:pass"), "A", "disabled", json!(true))).await;
    assert_eq!(order(&disabled), "Start A B");
    let silent = run(&graph("Start:start -> A:nothing -> B:pass")).await;
    assert_eq!(order(&silent), "Start A");
    let always = run(&with(
        graph("Start:start -> A:nothing -> B:pass"),
        "A",
        "alwaysOutputData",
        json!(true),
    ))
    .await;
    assert_eq!(output(&always, "B", 0), json!([{}]));
    let mut pinned = graph("Start:start -> A:fail -> B:pass");
    pinned.set_path("pinData.A", json!([{ "json": { "pinned": true } }]));
    assert_eq!(output(&run(&pinned).await, "B", 0), json!([{ "pinned": true }]));
}

#[tokio::test]
async fn a_loop_without_an_end_does_end() {
    let mut options = RunOptions::default();
    options.limits.max_steps = 50;
    let outcome = run_in(
        world(Vec::new()),
        &graph("Start:start -> A:pass -> B:pass -> A"),
        options,
        CancellationToken::new(),
    )
    .await;
    assert_eq!(outcome.error.unwrap().code, Code::RUN_STEPS);
}

#[tokio::test]
async fn a_run_is_cancelled_and_timed_out_at_any_await() {
    let workflow = graph("Start:start -> A:forever -> B:pass");
    let cancel = CancellationToken::new();
    let cancelling = cancel.clone();
    tokio::spawn(async move { cancelling.cancel() });
    let cancelled = run_in(world(Vec::new()), &workflow, RunOptions::default(), cancel).await;
    assert_eq!(
        (cancelled.status, cancelled.error.unwrap().code),
        (RunStatus::Cancelled, Code::RUN_CANCELLED)
    );
    let mut options = RunOptions::default();
    options.limits.timeout_ms = Some(1000);
    let late = run_in(world(Vec::new()), &workflow, options, CancellationToken::new()).await;
    assert_eq!((late.status, late.error.unwrap().code), (RunStatus::Error, Code::RUN_TIMEOUT));
}

#[tokio::test]
async fn a_wait_parks_the_run_or_is_sat_out() {
    let workflow = graph("Start:start -> N:nap -> B:pass");
    let parked = run(&workflow).await;
    assert_eq!(
        (parked.status, order(&parked).as_str(), parked.wait_till_ms),
        (RunStatus::Waiting, "Start N", Some(1_700_003_600_000))
    );
    let options = RunOptions { wait_inline: true, ..RunOptions::default() };
    let sat_out = run_in(world(Vec::new()), &workflow, options, CancellationToken::new()).await;
    assert_eq!((sat_out.status, order(&sat_out).as_str()), (RunStatus::Success, "Start N B"));
}

#[tokio::test]
async fn workflows_call_each_other_up_to_a_depth() {
    let calling = |id: &str| with(graph("Start:start -> C:call"), "C", "parameters.id", json!(id));
    let other = graph("In:called -> T:three");
    let outcome = run_in(
        world(vec![("other", other)]),
        &calling("other"),
        RunOptions::default(),
        CancellationToken::new(),
    )
    .await;
    assert_eq!(output(&outcome, "C", 0), json!([{ "n": 0 }, { "n": 1 }, { "n": 2 }]));
    let endless = with(graph("In:called -> C:call"), "C", "parameters.id", json!("self"));
    let outcome = run_in(
        world(vec![("self", endless)]),
        &calling("self"),
        RunOptions::default(),
        CancellationToken::new(),
    )
    .await;
    assert_eq!(outcome.error.unwrap().code, Code::RUN_DEPTH);
    let missing = run(&calling("nowhere")).await;
    assert_eq!(missing.error.unwrap().code, Code::WORKFLOW_NOT_FOUND);
}

#[tokio::test]
async fn the_error_workflow_hears_of_failures() {
    let mut failing = graph("Start:start -> A:fail");
    failing.set_path("settings.errorWorkflow", "alarm");
    let world = world(vec![("alarm", graph("E:onFailure -> Note:pass"))]);
    let options = RunOptions { mode: "trigger".into(), ..RunOptions::default() };
    run_in(world.clone(), &failing, options, CancellationToken::new()).await;
    let events = world.events.lock().unwrap().join(", ");
    assert!(
        events.ends_with("run error, run started (error), E#0 started, E#0 success, Note#0 started, Note#0 success, run success"),
        "{events}"
    );
}

#[tokio::test]
async fn the_same_workflow_gives_the_same_events_every_time() {
    let workflow =
        graph("Start:start -> T:three -> J:join\nStart -> S:split -1-> J\nJ -> End:pass");
    let mut tellings = Vec::new();
    for _ in 0..2 {
        let world = world(Vec::new());
        run_in(world.clone(), &workflow, RunOptions::default(), CancellationToken::new()).await;
        tellings.push(world.events.lock().unwrap().clone());
    }
    assert_eq!(tellings[0], tellings[1]);
}

#[tokio::test]
async fn a_run_goes_on_from_any_step_of_its_record_to_the_same_end() {
    let graphs = [
        "Start:start -> A:three -> J:join\nStart -> B:pass -1-> J\nJ -> End:pass",
        "Start:start -> S:split -> A:oddFails -> End:pass\nS =1=> No:pass",
        "Start:start -> A:pass -> F:fail -> End:pass",
    ];
    for text in graphs {
        let workflow = with(graph(text), "A", "onError", "continueRegularOutput".into());
        let whole = world(Vec::new());
        let expected =
            run_in(whole.clone(), &workflow, RunOptions::default(), CancellationToken::new()).await;
        let steps = whole.steps.lock().unwrap().clone();
        for taken in 1..=steps.len() {
            let again = world(Vec::new());
            let options = RunOptions {
                recorded: steps[..taken].iter().cloned().collect(),
                ..RunOptions::default()
            };
            let outcome = run_in(again.clone(), &workflow, options, CancellationToken::new()).await;
            assert_eq!(order(&outcome), order(&expected), "after {taken} steps of {text}");
            assert_eq!(outcome.status, expected.status);
            assert_eq!(outcome.error, expected.error);
            assert_eq!(
                again.steps.lock().unwrap().len(),
                steps.len() - taken,
                "no step is taken twice"
            );
        }
    }
}

#[tokio::test]
async fn a_sleeping_run_goes_on_with_what_woke_it() {
    let workflow = graph("Start:start -> N:nap -> End:pass");
    let asleep = world(Vec::new());
    let outcome =
        run_in(asleep.clone(), &workflow, RunOptions::default(), CancellationToken::new()).await;
    assert_eq!(outcome.status, RunStatus::Waiting);
    let mut recorded: std::collections::VecDeque<_> = asleep.steps.lock().unwrap().clone().into();
    recorded.back_mut().unwrap().woken_by = Some(Items::one(Item::new(json!({ "called": true }))));
    let options = RunOptions { recorded, ..RunOptions::default() };
    let outcome = run_in(world(Vec::new()), &workflow, options, CancellationToken::new()).await;
    assert_eq!(outcome.status, RunStatus::Success);
    assert_eq!(output(&outcome, "End", 0), json!([{ "called": true }]));
    assert_eq!(outcome.runs_of("N")[0].status, model::TaskStatus::Success);
}

#[tokio::test]
async fn a_record_of_another_workflow_is_refused() {
    let first = world(Vec::new());
    run_in(
        first.clone(),
        &graph("Start:start -> A:pass"),
        RunOptions::default(),
        CancellationToken::new(),
    )
    .await;
    let recorded = first.steps.lock().unwrap().clone().into();
    let options = RunOptions { recorded, ..RunOptions::default() };
    let outcome = run_in(
        world(Vec::new()),
        &graph("Start:start -> B:pass"),
        options,
        CancellationToken::new(),
    )
    .await;
    assert_eq!(outcome.error.unwrap().code, Code::RUN_RECORD);
}

#[tokio::test]
async fn a_caller_sleeps_with_the_run_it_called_and_takes_the_step_again_when_that_is_over() {
    let caller = graph("Start:start -> Call:call -> After:pass");
    let sleeping = world_of(&[RunStatus::Waiting]);
    let outcome =
        run_in(sleeping.clone(), &caller, RunOptions::default(), CancellationToken::new()).await;
    assert_eq!((outcome.status, outcome.waits_for.as_deref()), (RunStatus::Waiting, Some("7")));
    let events = sleeping.events.lock().unwrap().join(", ");
    assert!(events.ends_with("Call#0 started, paused at Call, run waiting"), "{events}");
    let recorded: std::collections::VecDeque<RecordedStep> =
        sleeping.steps.lock().unwrap().drain(..).collect();
    assert_eq!(recorded.len(), 1, "the step that sleeps has no record");
    let awake = world_of(&[RunStatus::Success]);
    let outcome = run_in(
        awake.clone(),
        &caller,
        RunOptions { recorded, ..RunOptions::default() },
        CancellationToken::new(),
    )
    .await;
    assert_eq!(
        (outcome.status, output(&outcome, "After", 0)),
        (RunStatus::Success, json!([{ "n": 0 }, { "n": 1 }, { "n": 2 }]))
    );
    assert_eq!(*sleeping.called_from.lock().unwrap(), *awake.called_from.lock().unwrap());
}

#[tokio::test]
async fn a_caller_that_continues_on_errors_sleeps_all_the_same() {
    let caller = with(
        graph("Start:start -> Call:call -> After:pass"),
        "Call",
        "onError",
        json!("continueRegularOutput"),
    );
    let world = world_of(&[RunStatus::Waiting]);
    let outcome = run_in(world, &caller, RunOptions::default(), CancellationToken::new()).await;
    assert_eq!((outcome.status, order(&outcome).as_str()), (RunStatus::Waiting, "Start"));
}

#[tokio::test]
async fn doubt_about_a_called_run_is_doubt_about_its_caller() {
    let world = world_of(&[RunStatus::Uncertain]);
    let outcome = run_in(
        world.clone(),
        &graph("Start:start -> Call:call"),
        RunOptions::default(),
        CancellationToken::new(),
    )
    .await;
    assert_eq!(outcome.status, RunStatus::Uncertain);
    assert!(outcome.error.unwrap().message.contains("Execution 7"));
    assert!(!world.events.lock().unwrap().iter().any(|event| event == "Call#0 error"));
}

#[tokio::test]
async fn a_stopped_run_fails_the_node_that_called_it_and_no_more() {
    let world = world_of(&[RunStatus::Cancelled]);
    let outcome = run_in(
        world,
        &graph("Start:start -> Call:call"),
        RunOptions::default(),
        CancellationToken::new(),
    )
    .await;
    assert_eq!(
        (outcome.status, outcome.error.unwrap().code),
        (RunStatus::Error, model::Code::SUBWORKFLOW_STOPPED)
    );
}

#[tokio::test]
async fn each_try_of_a_node_makes_a_call_of_its_own() {
    let mut caller = graph("Start:start -> A:call -> B:call");
    caller = with(with(caller, "A", "retryOnFail", json!(true)), "A", "maxTries", json!(3));
    let world = world_of(&[RunStatus::Error, RunStatus::Success, RunStatus::Success]);
    let outcome =
        run_in(world.clone(), &caller, RunOptions::default(), CancellationToken::new()).await;
    assert_eq!(outcome.status, RunStatus::Success);
    assert_eq!(*world.called_from.lock().unwrap(), ["1.2.0", "1.2.1", "1.3.0"]);
}

#[tokio::test]
async fn without_a_keeper_a_sleeping_callee_puts_its_caller_to_sleep_too() {
    let world = world(vec![("other", graph("Called:called -> Nap:nap -> Last:pass"))]);
    let caller = with(
        graph("Start:start -> Call:call -> After:pass"),
        "Call",
        "parameters.id",
        json!("other"),
    );
    let outcome = run_in(world, &caller, RunOptions::default(), CancellationToken::new()).await;
    assert_eq!((outcome.status, order(&outcome).as_str()), (RunStatus::Waiting, "Start"));
}

#[tokio::test]
async fn issue_14_09_what_a_node_remembers_is_whole_also_when_its_time_is_over() {
    let world = world(Vec::new());
    let workflow = graph("Start:start -> Three:three -> A:keep");
    run_in(world.clone(), &workflow, RunOptions::default(), CancellationToken::new()).await;
    let step = world.steps.lock().unwrap().pop().unwrap();
    let kept = step.changed.state.unwrap().lists.remove(0);
    let over = CancellationToken::new();
    over.cancel();
    let allowance =
        compute::Allowance::new(std::time::Duration::MAX, std::time::Duration::MAX).until(over);
    let count = compute::within(&allowance, || kept.iter().count()).unwrap();
    assert_eq!(count, 3);
}
