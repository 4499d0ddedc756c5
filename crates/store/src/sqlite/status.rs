//! The state of the database: whether it can be written, and what the writer does.

use super::{Sqlite, WriterMetrics, now_ms};
use crate::inspect::{self, DiskSpace};
use crate::{Error, StoreStatus};

#[async_trait::async_trait]
impl StoreStatus for Sqlite {
    async fn is_writable(&self) -> Result<(), Error> {
        if self.shared.blobs.trouble().is_some() {
            let blobs = self.shared.blobs.clone();
            self.off_thread(move || blobs.probe_write()).await?;
        }
        if self.shared.writer.trouble().is_none() {
            return Ok(());
        }
        let sql = "INSERT INTO facts (key, value) VALUES ('written', ?1) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        self.write(move |connection| {
            Ok(connection.prepare_cached(sql)?.execute([now_ms().to_string()]).map(|_| ())?)
        })
        .await
    }

    fn backlog(&self) -> usize {
        self.shared.writer.backlog()
    }

    fn writer_metrics(&self) -> &WriterMetrics {
        self.shared.writer.metrics()
    }

    fn disk_space(&self) -> DiskSpace {
        inspect::disk_space(self.folder())
    }
}
