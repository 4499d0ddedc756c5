//! Events as bytes and back.

use super::*;
use model::{Item, Object, Value, json};
use proptest::prelude::*;

fn no_files(_: crate::blobs::Sum, _: usize) -> io::Result<crate::blobs::Fetched> {
    Err(damaged())
}

fn started(items: Items, extent: Extent) -> RunEvent {
    RunEvent::RunStarted {
        run_id: "1".into(),
        workflow_id: "w".into(),
        workflow_name: "W".into(),
        mode: "webhook".into(),
        started_ms: -1,
        start_node: Some("S".into()),
        items: Some(items),
        extent,
    }
}

fn events() -> Vec<RunEvent> {
    let items: Items = vec![Item::new(json!({ "a": [1, null] })).paired_with(0)].into();
    let error = RunError {
        code: Code::NODE_FAILED,
        message: "no".into(),
        description: None,
        hint: Some("try".into()),
        name: "NodeOperationError".into(),
        node: Some("A".into()),
        item: Some(3),
        context: Object::from_iter([("httpCode", Value::from("404"))]),
    };
    let task = TaskData {
        start_time_ms: 5,
        execution_index: 1,
        execution_time_ms: 7,
        source: vec![None, Some(Source { node: "S".into(), output: 1, run: 2 })],
        data: BTreeMap::from([(Kind::Main, vec![Some(items.clone()), None])]),
        error: Some(error.clone()),
        status: TaskStatus::Waiting,
        input_override: Some(vec![items.clone()]),
        hints: vec!["hint".into()],
        metadata: Some(json!({ "m": 1 })),
    };
    let changed = Changed {
        state: Some(NodeState { context: Object::from_iter([("done", true)]), lists: vec![items.clone()] }),
        static_data: Some(json!({ "global": {} })),
        custom_data: None,
    };
    vec![
        started(items.clone(), Extent { from: Some("B".into()), until: None }),
        RunEvent::NodeStarted { node: "A".into(), run_index: 300, started_ms: 1 },
        RunEvent::NodeLog { node: "A".into(), line: "said".into() },
        RunEvent::NodeNoted { node: "A".into(), key: "model 1".into(), value: json!({ "text": "yes" }) },
        RunEvent::NodeServed { node: "M".into(), task: Arc::new(task.clone()) },
        RunEvent::NodeRetried { node: "A".into(), attempt: 2, error: error.clone() },
        RunEvent::NodeFinished { node: "A".into(), run_index: 0, task: Arc::new(task), changed },
        RunEvent::NodeSilent { node: "B".into() },
        RunEvent::RunPaused {
            node: "A".into(),
            until_ms: Some(9),
            params: Some(json!({ "p": 1 })),
            waits_for: Some("7".into()),
            asks: false,
        },
        RunEvent::RunPaused { node: "A".into(), until_ms: Some(9), params: None, waits_for: None, asks: true },
        RunEvent::RunResumed { items: Some(items) },
        RunEvent::RunFinished { status: RunStatus::Error, error: Some(error), finished_ms: 10 },
    ]
}

fn written(events: &[RunEvent]) -> Vec<u8> {
    let (mut piece, mut told) = (Vec::new(), Told::default());
    events.iter().for_each(|event| write_event(&mut piece, event, &mut Gathered::default(), &mut told));
    piece
}

fn read(piece: &[u8]) -> io::Result<Vec<RunEvent>> {
    read_events(piece, usize::MAX, &no_files, &mut Told::default())
}

fn piece() -> Vec<u8> {
    written(&events())
}

#[test]
fn every_event_comes_back_as_it_was() {
    assert_eq!(format!("{:?}", read(&piece()).unwrap()), format!("{:?}", events()));
}

#[test]
fn a_piece_that_was_cut_is_refused_unless_it_was_cut_between_events() {
    let whole = piece();
    let mut ends = vec![0];
    let (mut sofar, mut told) = (Vec::new(), Told::default());
    for event in events() {
        write_event(&mut sofar, &event, &mut Gathered::default(), &mut told);
        ends.push(sofar.len());
    }
    for cut in 0..whole.len() {
        assert_eq!(read(&whole[..cut]).is_ok(), ends.contains(&cut), "cut at {cut}");
    }
}

/// A run of two steps that pass on what came, in another order and with one item less, and one that makes something new.
fn passing() -> Vec<RunEvent> {
    let long = "x".repeat(1000);
    let items: Items = (0..3).map(|number| Item::new(json!({ "number": number, "long": long.as_str() }))).collect();
    let task = |source: Option<&str>, output: Items| TaskData {
        start_time_ms: 5,
        execution_index: 1,
        execution_time_ms: 7,
        source: source.map(|node| Some(Source { node: node.into(), output: 0, run: 0 })).into_iter().collect(),
        data: BTreeMap::from([(Kind::Main, vec![Some(output)])]),
        error: None,
        status: TaskStatus::Success,
        input_override: None,
        hints: Vec::new(),
        metadata: None,
    };
    let finished = |node: &str, task: TaskData| RunEvent::NodeFinished {
        node: node.into(),
        run_index: 0,
        task: Arc::new(task),
        changed: Changed::default(),
    };
    let some: Items = [2, 0].into_iter().filter_map(|at| Some(items.get(at)?.paired_with(at))).collect();
    let new: Items = vec![Item::new(json!({ "number": 2 })).paired_with(0), some.get(1).unwrap_or_default().paired_with(1)].into();
    vec![
        started(items.clone(), Extent::default()),
        finished("S", task(None, items)),
        finished("Some", task(Some("S"), some)),
        finished("New", task(Some("Some"), new)),
    ]
}

#[test]
fn fields_that_only_pass_a_step_are_told_once() {
    let piece = written(&passing());
    assert!(piece.len() < 3500, "{} bytes for three texts of a thousand", piece.len());
    assert_eq!(format!("{:?}", read(&piece).unwrap()), format!("{:?}", passing()));
}

/// Whoever takes a run up knows nothing of what was told before, and tells what it needs.
#[test]
fn a_run_that_was_taken_up_tells_again_what_passes_on() {
    let events = passing();
    let (before, after) = events.split_at(2);
    let whole = [written(before), written(after)].concat();
    assert_eq!(format!("{:?}", read(&whole).unwrap()), format!("{events:?}"));
}

#[test]
fn fields_that_were_never_told_are_damage() {
    let (piece, first) = (written(&passing()), written(&passing()[..1]).len());
    assert!(read(&piece[first..]).is_err());
}

proptest! {
    #[test]
    fn damaged_bytes_never_panic(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = [piece(), written(&passing())].concat();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = read(&bytes);
    }
}
