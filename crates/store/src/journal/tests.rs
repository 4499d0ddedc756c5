//! Events as bytes and back.

use super::*;
use crate::Error;
use crate::blobs::Blobs;
use model::{Item, Object, Value, json};
use proptest::prelude::*;

fn started(items: Items, extent: RunRange) -> RunEvent {
    RunEvent::RunStarted {
        run_id: "1".into(),
        workflow_id: "w".into(),
        workflow_name: "W".into(),
        mode: "webhook".into(),
        started_ms: -1,
        start_node: Some("S".into()),
        items: Some(items),
        extent,
        called_by_model: None,
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
    let changed = StepChanges {
        state: Some(NodeState {
            context: Object::from_iter([("done", true)]),
            lists: vec![items.clone()],
        }),
        static_data: Some(json!({ "global": {} })),
        custom_data: None,
    };
    vec![
        started(items.clone(), RunRange { from: Some("B".into()), until: None }),
        RunEvent::NodeStarted { node: "A".into(), run_index: 300, started_ms: 1 },
        RunEvent::NodeLog { node: "A".into(), line: "said".into() },
        RunEvent::StepRecorded {
            node: "A".into(),
            key: "model 1".into(),
            value: json!({ "text": "yes" }),
        },
        RunEvent::SubNodeCalled { node: "M".into(), task: Arc::new(task.clone()) },
        RunEvent::StageReached {
            node: "A".into(),
            run_index: 1,
            reached: StageRecord {
                stage: AgentStage::Output,
                at_ms: 3,
                item: 2,
                call: "item 0: tool 1.1".into(),
                detail: json!({ "iterations": 2 }),
            },
        },
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
        RunEvent::RunPaused {
            node: "A".into(),
            until_ms: Some(9),
            params: None,
            waits_for: None,
            asks: true,
        },
        RunEvent::RunResumed { items: Some(items) },
        RunEvent::RunFinished { status: RunStatus::Error, error: Some(error), finished_ms: 10 },
    ]
}

fn written(events: &[RunEvent]) -> Vec<u8> {
    let mut writer = SegmentWriter::default();
    events.iter().for_each(|event| writer.add(event));
    let (parts, piece) = writer.take();
    assert!(parts.is_empty());
    piece
}

fn read(piece: &[u8]) -> io::Result<Vec<RunEvent>> {
    read_segment(piece, Vec::new())
}

fn piece() -> Vec<u8> {
    written(&events())
}

/// Whoever changes the bytes in a way that older versions cannot read raises [`SEGMENT_FORMAT`] with
/// them, and adds a case that reads the bytes of before.
#[test]
fn issue_15_09_the_bytes_of_a_piece_are_those_of_its_format() {
    assert_eq!((SEGMENT_FORMAT, crc32fast::hash(&piece())), (2, 1_230_845_276));
    // Format 1 had no stages of agents.
    let is_of_1 = |event: &RunEvent| !matches!(event, RunEvent::StageReached { .. });
    let of_1: Vec<RunEvent> = events().into_iter().filter(is_of_1).collect();
    assert_eq!(crc32fast::hash(&written(&of_1)), 2_452_132_842);
}

#[test]
fn every_event_comes_back_as_it_was() {
    assert_eq!(format!("{:?}", read(&piece()).unwrap()), format!("{:?}", events()));
}

#[test]
fn issue_14_12_what_a_model_that_called_had_come_across_is_kept() {
    let met = |untrusted: bool, private: bool| Some(Exposure { untrusted, private });
    for wanted in [None, met(false, false), met(true, false), met(false, true), met(true, true)] {
        for until in [None, Some("B".into())] {
            let mut event = started(Items::default(), RunRange::until(until));
            if let RunEvent::RunStarted { called_by_model, .. } = &mut event {
                *called_by_model = wanted;
            }
            let back = read(&written(std::slice::from_ref(&event))).unwrap();
            assert_eq!(format!("{back:?}"), format!("{:?}", [event]));
        }
    }
}

#[test]
fn a_piece_that_was_cut_is_refused_unless_it_was_cut_between_events() {
    let whole = piece();
    let ends: Vec<usize> =
        (0..=events().len()).map(|count| written(&events()[..count]).len()).collect();
    for cut in 0..whole.len() {
        assert_eq!(read(&whole[..cut]).is_ok(), ends.contains(&cut), "cut at {cut}");
    }
}

/// A run of two steps that pass on what came, in another order and with one item less, and one that
/// makes something new.
fn passing() -> Vec<RunEvent> {
    let long = "x".repeat(1000);
    let items: Items = (0..3)
        .map(|number| Item::new(json!({ "number": number, "long": long.as_str() })))
        .collect();
    let task = |source: Option<&str>, output: Items| TaskData {
        start_time_ms: 5,
        execution_index: 1,
        execution_time_ms: 7,
        source: source
            .map(|node| Some(Source { node: node.into(), output: 0, run: 0 }))
            .into_iter()
            .collect(),
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
        changed: StepChanges::default(),
    };
    let some: Items =
        [2, 0].into_iter().filter_map(|at| Some(items.get(at)?.paired_with(at))).collect();
    let new: Items = vec![
        Item::new(json!({ "number": 2 })).paired_with(0),
        some.get(1).unwrap_or_default().paired_with(1),
    ]
    .into();
    vec![
        started(items.clone(), RunRange::default()),
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

/// Steps of a run whose lists are far too large for a row, some passed on, and an event with one
/// large value.
fn large() -> Vec<RunEvent> {
    let text = "x".repeat(1000);
    let items: Items = (0..9000)
        .map(|number| {
            Item::new(json!({ "number": number, "text": text.as_str() })).paired_with(number)
        })
        .collect();
    let finished = |node: &str, source: Option<&str>, output: Items| {
        let RunEvent::NodeFinished { task, changed, .. } = passing().remove(1) else { panic!() };
        let source = source
            .map(|node| Some(Source { node: node.into(), output: 0, run: 0 }))
            .into_iter()
            .collect();
        let task = TaskData {
            source,
            data: BTreeMap::from([(Kind::Main, vec![Some(output), None])]),
            ..(*task).clone()
        };
        RunEvent::NodeFinished { node: node.into(), run_index: 0, task: Arc::new(task), changed }
    };
    let mut all =
        vec![started(items.clone(), RunRange::default()), finished("S", None, items.clone())];
    for (node, source) in [
        ("A", "S"),
        ("B", "A"),
        ("C", "B"),
        ("D", "C"),
        ("E", "D"),
        ("F", "E"),
        ("G", "F"),
        ("H", "G"),
        ("I", "H"),
        ("J", "I"),
    ] {
        all.push(finished(node, Some(source), items.clone()));
    }
    all.push(finished("Few", Some("J"), items.range(4000, 3).into()));
    all.push(RunEvent::StepRecorded {
        node: "A".into(),
        key: "model 1".into(),
        value: json!({ "text": "y".repeat(9 << 20) }),
    });
    all.push(RunEvent::NodeSilent { node: "B".into() });
    all
}

/// Everything that is written, with the largest amount that was held on the way.
fn streamed(events: &[RunEvent]) -> (Vec<bytes::Bytes>, Vec<u8>, usize) {
    let (mut writer, mut parts, mut piece, mut most) =
        (SegmentWriter::default(), Vec::new(), Vec::new(), 0);
    for event in events {
        writer.add(event);
        while writer.is_behind() || writer.bytes() > 0 {
            most = most.max(writer.bytes());
            let (new, bytes) = writer.take();
            new.iter().for_each(|part| {
                assert_eq!(
                    part.number as usize,
                    parts.len() + (part.number as usize - new[0].number as usize)
                )
            });
            parts.extend(new.into_iter().map(|part| part.bytes));
            piece.extend(bytes);
            writer.advance();
        }
    }
    (parts, piece, most)
}

#[test]
fn issue_14_09_a_large_event_is_written_a_little_at_a_time_and_comes_back_as_it_was() {
    let events = large();
    let (parts, piece, most) = streamed(&events);
    assert!(most < 10 << 20, "{most} bytes were held");
    assert!(piece.len() < 10_000, "{} bytes name what is in parts", piece.len());
    assert!(parts.iter().all(|part| part.len() <= PART_BYTES));
    let in_all: usize = parts.iter().map(bytes::Bytes::len).sum();
    assert!(in_all < 50 << 20, "{in_all} bytes for nine megabytes that are mostly passed on");
    let back = read_segment(&piece, parts).unwrap();
    assert_eq!(back.len(), events.len());
    for (back, event) in back.iter().zip(&events) {
        let is_same = match (back, event) {
            (RunEvent::RunStarted { items: back, .. }, RunEvent::RunStarted { items, .. }) => {
                back == items
            }
            (RunEvent::NodeFinished { task: back, .. }, RunEvent::NodeFinished { task, .. }) => {
                back.data == task.data
            }
            (back, event) => format!("{back:?}") == format!("{event:?}"),
        };
        assert!(is_same, "an event has changed");
    }
}

#[test]
fn issue_14_09_what_comes_behind_a_large_event_stays_behind_it() {
    let events = large();
    let mut writer = SegmentWriter::default();
    events.iter().for_each(|event| writer.add(event));
    let (mut parts, mut piece) = (Vec::new(), Vec::new());
    while !writer.is_empty() {
        let (new, bytes) = writer.take();
        // A piece that could not be written comes back, in order.
        writer.give_back(new, bytes);
        let (new, bytes) = writer.take();
        parts.extend(new.into_iter().map(|part| part.bytes));
        piece.extend(bytes);
        writer.advance();
    }
    let back = read_segment(&piece, parts).unwrap();
    let names = |events: &[RunEvent]| events.iter().map(std::mem::discriminant).collect::<Vec<_>>();
    assert_eq!(names(&back), names(&events));
}

#[test]
fn issue_14_09_a_lost_part_is_told_and_the_rest_can_be_read() {
    let (mut parts, piece, _) = streamed(&large()[..2]);
    parts[1] = bytes::Bytes::from_static(b"damage");
    let back = read_segment(&piece, parts).unwrap();
    let RunEvent::RunStarted { items: Some(items), .. } = &back[0] else { panic!() };
    assert_eq!(items.len(), 9000);
    assert!(items.get(0).is_some() && items.failure().is_none());
    assert!(items.iter().count() < 9000);
    assert!(items.failure().is_some());
}

#[test]
fn issue_14_09_a_run_of_many_small_events_is_cut_into_pieces() {
    let line = RunEvent::NodeLog { node: "A".into(), line: "z".repeat(60_000).into() };
    let mut writer = SegmentWriter::default();
    (0..600).for_each(|_| writer.add(&line));
    assert!(writer.is_behind());
    let mut count = 0;
    while !writer.is_empty() {
        let (_, piece) = writer.take();
        assert!(piece.len() <= MAX_SEGMENT);
        count += read(&piece).unwrap().len();
    }
    assert_eq!(count, 600);
}

#[test]
fn issue_14_09_what_takes_long_to_write_waits_for_whoever_has_the_time() {
    let many: Vec<Value> = (0..200_000).map(Value::from).collect();
    let mut with_file = Item::new(json!({ "small": true }));
    with_file.set_binary("data", model::Binary::new(vec![7; 1 << 20], "text/plain", None));
    for slow in [
        Item::new(json!({ "many": many })),
        Item::new(json!({ "text": "x".repeat(8 << 20) })),
        with_file,
    ] {
        let events = [
            started(vec![slow].into(), RunRange::default()),
            RunEvent::NodeSilent { node: "B".into() },
        ];
        let mut writer = SegmentWriter::default();
        events.iter().for_each(|event| writer.add_deferred(event));
        // It is given up as soon as it is too much, nothing of it is in parts, and no file was
        // added up.
        assert!(writer.is_behind() && writer.bytes() == 0 && !writer.files.has_any());
        assert!(
            writer.events.capacity() < 4 * LARGE_EVENT,
            "{} bytes were written for nothing",
            writer.events.capacity()
        );
        let (mut parts, mut piece) = (Vec::new(), Vec::new());
        while !writer.is_empty() {
            writer.advance();
            let (new, bytes) = writer.take();
            parts.extend(new.into_iter().map(|part| part.bytes));
            piece.extend(bytes);
        }
        let mut trail = Trail::default();
        scan_segment(&piece, false, &mut trail).unwrap();
        assert_eq!(trail.events, 2);
        if !writer.files.has_any() {
            assert_eq!(
                format!("{:?}", read_segment(&piece, parts).unwrap()),
                format!("{events:?}")
            );
        }
    }
}

#[test]
fn issue_14_09_a_list_whose_walk_may_not_go_on_is_written_whole() {
    let items: Items =
        (0..40).map(|number| Item::new(json!({ "number": number })).paired_with(number)).collect();
    let events = |items: Items| {
        let RunEvent::NodeFinished { node, run_index, task, .. } = passing().remove(1) else {
            panic!()
        };
        let state = NodeState { context: Object::new(), lists: vec![items.clone()] };
        let changed = StepChanges { state: Some(state), ..StepChanges::default() };
        [
            started(items, RunRange::default()),
            RunEvent::NodeFinished { node, run_index, task, changed },
        ]
    };
    let back = read(&written(&events(items.clone().watched(|| false)))).unwrap();
    assert_eq!(format!("{back:?}"), format!("{:?}", events(items)));
}

/// The beginning of a run with files that are all different, one an item.
fn started_with_files(count: u8, bytes: usize) -> RunEvent {
    let item = |number: u8| {
        let mut item = Item::new(json!({ "number": number }));
        item.set_binary("data", model::Binary::new(vec![number; bytes], "text/plain", None));
        item
    };
    started((0..count).map(item).collect(), RunRange::default())
}

#[test]
fn issue_14_09_the_files_of_a_step_are_gathered_a_little_at_a_time() {
    for (count, bytes) in [(60, 1 << 20), (5, 3 << 20), (100, 100 << 10)] {
        let mut writer = SegmentWriter::default();
        writer.add_deferred(&started_with_files(count, bytes));
        writer.add_deferred(&RunEvent::NodeSilent { node: "B".into() });
        assert!(writer.is_behind() && !writer.files.has_any(), "{count} files of {bytes} bytes");
        let (mut parts, mut piece, mut n_files) = (Vec::new(), Vec::new(), 0);
        while !writer.is_empty() {
            writer.advance();
            assert!(
                writer.files.new_bytes() < STREAM_BYTES + bytes,
                "{} bytes are held",
                writer.files.new_bytes()
            );
            // A piece that could not be written comes back, and no more is gathered meanwhile.
            let held = writer.files.new_bytes();
            let ((new, bytes), files) = (writer.take(), writer.files.take());
            writer.give_back(new, bytes);
            writer.files.put_back(files);
            assert_eq!(writer.files.new_bytes(), held);
            if held >= STREAM_BYTES {
                writer.advance();
                assert_eq!(writer.files.new_bytes(), held);
            }
            let (new, bytes) = writer.take();
            n_files += writer.files.take().len();
            parts.extend(new.into_iter().map(|part| part.bytes));
            piece.extend(bytes);
        }
        assert_eq!(n_files, usize::from(count));
        let back = read_segment(&piece, parts).unwrap();
        let RunEvent::RunStarted { items: Some(items), .. } = &back[0] else { panic!() };
        assert_eq!((back.len(), items.len()), (2, usize::from(count)));
    }
}

#[test]
fn issue_14_09_one_file_may_be_larger_than_what_goes_to_disk_at_once() {
    let mut writer = SegmentWriter::default();
    writer.add(&started_with_files(1, 5 << 20));
    let (parts, piece) = writer.take();
    assert!(parts.is_empty() && !piece.is_empty() && !writer.is_behind());
    assert_eq!((writer.files.new_bytes(), writer.files.take().len()), (5 << 20, 1));
}

#[test]
fn issue_14_09_the_files_of_many_small_events_wait_for_the_disk_too() {
    let mut writer = SegmentWriter::default();
    for number in 0..100_u8 {
        let mut item = Item::new(json!({ "number": number }));
        item.set_binary("data", model::Binary::new(vec![number; 200 << 10], "text/plain", None));
        writer.add_deferred(&RunEvent::RunResumed { items: Some(Items::one(item)) });
        assert!(
            writer.files.new_bytes() < STREAM_BYTES + (200 << 10),
            "{} bytes are held",
            writer.files.new_bytes()
        );
    }
    let (mut n_events, mut n_files) = (0, 0);
    while !writer.is_empty() {
        let (_, piece) = writer.take();
        let mut trail = Trail::default();
        scan_segment(&piece, false, &mut trail).unwrap();
        (n_events, n_files) = (n_events + trail.events, n_files + writer.files.take().len());
        writer.advance();
    }
    assert_eq!((n_events, n_files), (100, 100));
}

/// A run has no row before the event that it began with is written, and files are noted beside the
/// row.
#[test]
fn issue_14_09_files_of_a_large_beginning_wait_on_disk_and_not_in_memory() {
    let folder =
        std::env::temp_dir().join(format!("heddle-store-beginning-{}", std::process::id()));
    let blobs = Blobs::new(&folder);
    let mut writer = SegmentWriter::default();
    writer.add_deferred(&started_with_files(40, 1 << 20));
    while !writer.is_empty() {
        writer.advance();
        assert!(
            writer.files.new_bytes() < STREAM_BYTES + (1 << 20),
            "{} bytes are held",
            writer.files.new_bytes()
        );
        blobs.write(1, writer.files.new_files()).unwrap();
        writer.take();
    }
    let files = writer.files.take();
    assert!(files.len() == 40 && files.iter().all(|file| file.size == 1 << 20));
    blobs.write(1, &files).unwrap();
    assert_eq!(blobs.read(1, files[0].sum, 1 << 20).unwrap(), vec![0_u8; 1 << 20]);
    blobs.remove(&[1]);
    assert!(matches!(blobs.write(1, &files), Err(Error::LostFile { execution: 1, .. })));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn issue_14_09_files_that_nobody_takes_do_not_hold_up_the_rest() {
    let mut writer = SegmentWriter::default();
    writer.add_deferred(&started_with_files(10, 1 << 20));
    let mut rounds = 0;
    while !writer.is_empty() {
        writer.advance();
        writer.take();
        rounds += 1;
        assert!(rounds < 100);
    }
    assert_eq!(writer.files.new_files().len(), 10);
}
