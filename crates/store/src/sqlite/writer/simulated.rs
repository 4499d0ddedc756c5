//! The writer of a simulation: a task instead of a thread, and a disk that decides what becomes of
//! each group.

use super::{GroupWriter, WriteJob, WriterShared, commit, roll_back, write_group};
use crate::Error;
use crate::sqlite::ReaderPool;
use crate::sqlite::simulation::{CommitFate, SimulatedDisk, pause};
use rusqlite::Connection;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

impl GroupWriter {
    pub(in crate::sqlite) fn simulate(
        database: Arc<ReaderPool>,
        disk: Arc<dyn SimulatedDisk>,
    ) -> Self {
        let (jobs, received) = channel();
        let shared = Arc::new(WriterShared::default());
        tokio::spawn(serve(database, disk, received, shared.clone()));
        Self { jobs, shared }
    }
}

async fn serve(
    database: Arc<ReaderPool>,
    disk: Arc<dyn SimulatedDisk>,
    jobs: Receiver<WriteJob>,
    shared: Arc<WriterShared>,
) {
    loop {
        let first = match jobs.try_recv() {
            Ok(first) => first,
            Err(TryRecvError::Disconnected) => return,
            Err(TryRecvError::Empty) => {
                shared.sent.notified().await;
                continue;
            }
        };
        pause(&*disk).await;
        let fate = disk.group_fate();
        let group = database.with(|connection| {
            let admitted =
                if let CommitFate::NotBegun(error) = &fate { Err(error.clone()) } else { Ok(()) };
            let mut place = 0;
            let mut spoilt = |job: WriteJob| {
                place += 1;
                spoil(job, place - 1, &fate)
            };
            let first = spoilt(first);
            Ok(write_group(
                connection,
                admitted,
                first,
                || jobs.try_recv().ok().map(&mut spoilt),
                &shared,
                |connection| end(connection, &fate),
            ))
        });
        let Ok(group) = group else { return };
        if let CommitFate::Dies { .. } = fate {
            disk.die();
            // Nobody is ever told, and nobody finds that the writer has gone.
            std::future::pending::<()>().await;
        }
        pause(&*disk).await;
        group.notify(&shared);
    }
}

/// Lets a write fail if the disk wants it to.
fn spoil(job: WriteJob, place: usize, fate: &CommitFate) -> WriteJob {
    match fate {
        CommitFate::FailsAt(at, error) if *at == place => {
            let error = error.clone();
            Box::new(move |connection| job(connection.and(Err(error))))
        }
        CommitFate::BreaksAt(at, error) if *at == place => {
            let error = error.clone();
            Box::new(move |connection| {
                if let Ok(connection) = connection {
                    roll_back(connection);
                }
                job(connection.and(Err(error)))
            })
        }
        _ => job,
    }
}

fn end(connection: &Connection, fate: &CommitFate) -> Result<(), Error> {
    match fate {
        CommitFate::NotCommitted(error) => {
            roll_back(connection);
            Err(error.clone())
        }
        CommitFate::Dies { is_committed: false } => {
            roll_back(connection);
            Ok(())
        }
        _ => commit(connection),
    }
}
