//! A bar for whoever waits at a terminal; nothing for anybody else.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;
use store::backup::BackupPhase;

/// Shows how far a long piece of work has come.
#[derive(Default)]
pub(crate) struct PhaseProgressBar {
    shown: Option<(BackupPhase, ProgressBar)>,
}

impl PhaseProgressBar {
    pub(crate) fn show(&mut self, doing: BackupPhase, done: u64, total: u64) {
        if self.shown.as_ref().is_none_or(|(before, _)| *before != doing) {
            self.end();
            self.shown = std::io::stderr().is_terminal().then(|| (doing, bar(doing, total)));
        }
        if let Some((_, bar)) = &self.shown {
            bar.set_position(done);
        }
    }

    pub(crate) fn end(&mut self) {
        if let Some((_, bar)) = self.shown.take() {
            bar.finish_and_clear();
        }
    }
}

fn bar(doing: BackupPhase, total: u64) -> ProgressBar {
    let words = match doing {
        BackupPhase::CopyingDatabase => "copying the database",
        BackupPhase::Packing => "packing",
        BackupPhase::Checking => "checking the backup",
        BackupPhase::Unpacking => "unpacking",
    };
    let style = ProgressStyle::with_template("{msg:22} {bar:30} {bytes} of {total_bytes}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(total).with_style(style).with_message(words)
}
