//! A folder for one test, and runs that have something to write.

use heddle_store::blobs::NewFile;
use heddle_store::executions::{ExecutionState, JournalSegment, NewExecution, SegmentSource};
use heddle_store::journal::SegmentWriter;
use model::{RunEvent, RunStatus};
use std::path::Path;
use std::sync::{Arc, Mutex};
pub(crate) use testkit::TempFolder;

/// A data folder with a workflow, so that there can be runs of it.
pub(crate) fn folder_with_workflow(name: &str) -> TempFolder {
    let folder = TempFolder::absent(name);
    drop(heddle_store::Sqlite::open(&folder.0, heddle_store::OpenMode::Shared).unwrap());
    add_workflow(&folder.0);
    folder
}

/// The database as others see it.
pub(crate) fn raw_database(folder: &TempFolder) -> rusqlite::Connection {
    rusqlite::Connection::open(folder.0.join("heddle.db")).unwrap()
}

/// Gives a data folder the workflow that runs here are of.
pub(crate) fn add_workflow(folder: &Path) {
    let sql =
        "INSERT INTO workflows (id, name, version_id, document, created_ms, updated_ms, project_id)
               VALUES ('w', 'W', 'v', '{}', 1, 1, (SELECT id FROM projects LIMIT 1))";
    rusqlite::Connection::open(folder.join("heddle.db")).unwrap().execute(sql, []).unwrap();
}

/// A run with one piece to write.
pub(crate) struct Run {
    execution: i64,
    files: Vec<NewFile>,
    piece: Mutex<Option<JournalSegment>>,
}

/// What becomes of a run when its turn to write comes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteOutcome {
    Written,
    /// The process ends after the files were written.
    CutOff,
    Discarded,
    /// Its files come up between the write of files and its turn.
    FilesLater,
}

impl SegmentSource for Run {
    fn execution(&self) -> i64 {
        self.execution
    }
    fn take(&self) -> Option<JournalSegment> {
        self.piece.lock().unwrap().take()
    }
    fn files(&self) -> Option<(i64, Vec<NewFile>)> {
        (!self.files.is_empty()).then(|| (self.execution, self.files.clone()))
    }
    fn give_back(&self, piece: JournalSegment) {
        *self.piece.lock().unwrap() = Some(piece);
    }
}

impl Run {
    pub(crate) fn new(execution: i64, happened: &[RunEvent], outcome: WriteOutcome) -> Arc<Self> {
        let mut writer = SegmentWriter::default();
        happened.iter().for_each(|event| writer.add(event));
        assert!(!writer.is_behind(), "it is too much for one piece");
        let (parts, events) = writer.take();
        let begun = NewExecution {
            workflow_id: "w".into(),
            version_id: "v".into(),
            mode: "manual".into(),
            started_ms: 1,
            ..NewExecution::default()
        };
        let state =
            ExecutionState { stopped_ms: Some(2), ..ExecutionState::of(RunStatus::Success) };
        let files = writer.files.take();
        let piece = JournalSegment {
            spent: Vec::new(),
            static_data: None,
            workflow_id: "w".into(),
            approvals: Vec::new(),
            execution,
            seq: 0,
            parent: None,
            started: Some(begun),
            commit_with: None,
            state: Some(state),
            parts,
            bytes_before: 0,
            events,
            files: files.clone(),
            has_files: writer.files.has_any(),
            discard: outcome == WriteOutcome::Discarded,
        };
        let files = if outcome == WriteOutcome::FilesLater { Vec::new() } else { files };
        Arc::new(Self {
            execution,
            files,
            piece: Mutex::new((outcome != WriteOutcome::CutOff).then_some(piece)),
        })
    }

    /// A run whose journal has one line.
    pub(crate) fn with_line(execution: i64, line: &str) -> Arc<Self> {
        Self::new(
            execution,
            &[RunEvent::NodeLog { node: "A".into(), line: line.into() }],
            WriteOutcome::Written,
        )
    }

    /// A run with one line whose piece is not quite the usual one.
    pub(crate) fn with(execution: i64, change: impl FnOnce(&mut JournalSegment)) -> Arc<Self> {
        let run = Self::with_line(execution, "said");
        run.change(change);
        run
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut JournalSegment)) {
        if let Some(piece) = &mut *self.piece.lock().unwrap() {
            change(piece);
        }
    }

    /// The piece that was not taken, or was given back.
    pub(crate) fn left(&self) -> Option<JournalSegment> {
        self.piece.lock().unwrap().clone()
    }
}

/// Writes a run as large as it may be, a little at a time, as the runtime does.
pub(crate) async fn write_streamed(
    store: &heddle_store::Sqlite,
    execution: i64,
    happened: &[RunEvent],
) {
    use heddle_store::ExecutionStore as _;
    let mut writer = SegmentWriter::default();
    happened.iter().for_each(|event| writer.add(event));
    let (mut begun, mut seq) = (true, 0);
    while !writer.is_empty() {
        let (parts, events) = writer.take();
        let run = Run::with_line(execution, "");
        run.change(|piece| {
            if !begun {
                (piece.started, piece.state) = (None, None);
            }
            (piece.seq, piece.parts, piece.events) = (seq, parts, events.clone());
        });
        (begun, seq) = (false, seq + i64::from(!events.is_empty()));
        store.flush(run).await.unwrap();
        writer.advance();
    }
}
