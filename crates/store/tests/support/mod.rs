//! A folder for one test, and runs that have something to write.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
#![allow(dead_code, reason = "each test program uses some of it")]

use heddle_store::blobs::{Gathered, NewFile};
use heddle_store::executions::{Begun, Pending, Piece, State};
use heddle_store::journal::{self, Told};
use heddle_store::spending::SpentByRun;
use model::{RunEvent, RunStatus};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A folder that goes with its test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("heddle-store-{name}-{}-{count}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A run with one piece to write.
pub(crate) struct Run {
    execution: i64,
    files: Vec<NewFile>,
    piece: Mutex<Option<Piece>>,
}

/// What becomes of a run when its turn to write comes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Kept,
    /// The process ends after the files were written.
    CutOff,
    Discarded,
}

impl Pending for Run {
    fn take(&self) -> Option<Piece> {
        self.piece.lock().unwrap().take()
    }
    fn files(&self) -> Option<(i64, Vec<NewFile>)> {
        (!self.files.is_empty()).then(|| (self.execution, self.files.clone()))
    }
    fn give_back(&self, piece: Piece) {
        *self.piece.lock().unwrap() = Some(piece);
    }
}

impl Run {
    pub(crate) fn new(execution: i64, happened: &[RunEvent], fate: Fate) -> Arc<Self> {
        let (mut events, mut gathered, mut told) = (Vec::new(), Gathered::default(), Told::default());
        for event in happened {
            journal::write_event(&mut events, event, &mut gathered, &mut told);
        }
        let begun = Begun { workflow_id: "w".into(), version_id: "v".into(), mode: "manual".into(), started_ms: 1, ..Begun::default() };
        let state = State { stopped_ms: Some(2), ..State::of(RunStatus::Success) };
        let files = gathered.take();
        let piece = Piece {
            spent: SpentByRun::default(),
            approvals: Vec::new(),
            execution,
            seq: 0,
            parent: None,
            begun: Some(begun),
            along: None,
            state: Some(state),
            events,
            files: files.clone(),
            has_files: gathered.has_any(),
            discard: fate == Fate::Discarded,
        };
        Arc::new(Self { execution, files, piece: Mutex::new((fate != Fate::CutOff).then_some(piece)) })
    }

    /// A run whose journal has one line.
    pub(crate) fn with_line(execution: i64, line: &str) -> Arc<Self> {
        Self::new(execution, &[RunEvent::NodeLog { node: "A".into(), line: line.into() }], Fate::Kept)
    }

    /// A run with one line whose piece is not quite the usual one.
    pub(crate) fn with(execution: i64, change: impl FnOnce(&mut Piece)) -> Arc<Self> {
        let run = Self::with_line(execution, "said");
        run.change(change);
        run
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Piece)) {
        if let Some(piece) = &mut *self.piece.lock().unwrap() {
            change(piece);
        }
    }

    /// The piece that was not taken, or was given back.
    pub(crate) fn left(&self) -> Option<Piece> {
        self.piece.lock().unwrap().clone()
    }
}
