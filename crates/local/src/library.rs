//! The models of this process: each is loaded when it is first needed, and then shared.

use crate::Error;
use crate::bert::Bert;
use crate::demo::{DemoModel, Minds};
use crate::embedder::LocalEmbedder;
use crate::llama::Llama;
use crate::shelf;
use node_api::NodeError;
use node_api::ai::{ChatModel, Embedder, LocalModels};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{OnceCell, Semaphore};

/// The built-in models of a folder. Clones share what is loaded.
#[derive(Clone)]
pub struct Library {
    inner: Arc<Inner>,
}

struct Inner {
    folder: PathBuf,
    embeddings: OnceCell<Arc<Bert>>,
    demo: OnceCell<Arc<Minds>>,
    turns: Turns,
}

/// A model in memory, and the way to compute with it.
pub(crate) struct Loaded<M> {
    pub(crate) model: Arc<M>,
    pub(crate) turns: Turns,
}

impl Library {
    pub fn new(folder: PathBuf) -> Self {
        let at_once = std::thread::available_parallelism().map_or(1, usize::from);
        let turns = Turns { permits: Arc::new(Semaphore::new(at_once)), at_once };
        Self {
            inner: Arc::new(Inner {
                folder,
                embeddings: OnceCell::new(),
                demo: OnceCell::new(),
                turns,
            }),
        }
    }

    /// The embedding model. One that could not be loaded is tried again the next time.
    pub(crate) async fn embeddings(&self) -> Result<Loaded<Bert>, Error> {
        let load = || async {
            let folder = self.inner.folder.clone();
            let bert = self.inner.turns.clone().take(shelf::EMBEDDINGS.name, move || {
                let known = shelf::EMBEDDINGS;
                let vocabulary =
                    String::from_utf8_lossy(&known.read(&folder, "vocab.txt")?).into_owned();
                Bert::read(known.read(&folder, "model.safetensors")?, &vocabulary)
                    .map_err(Error::weights(known.name))
            });
            Ok::<_, Error>(Arc::new(bert.await??))
        };
        let model = self.inner.embeddings.get_or_try_init(load).await?.clone();
        Ok(Loaded { model, turns: self.inner.turns.clone() })
    }

    /// The demo model, which needs the embedding model too.
    pub(crate) async fn demo(&self) -> Result<Loaded<Minds>, Error> {
        let load = || async {
            let bert = self.embeddings().await?.model;
            let folder = self.inner.folder.clone();
            let minds = self.inner.turns.clone().take(shelf::DEMO.name, move || {
                let llama = Llama::read(shelf::DEMO.read(&folder, "model.gguf")?)
                    .map_err(Error::weights(shelf::DEMO.name))?;
                Ok::<_, Error>(Minds::new(bert, llama))
            });
            Ok::<_, Error>(Arc::new(minds.await??))
        };
        let model = self.inner.demo.get_or_try_init(load).await?.clone();
        Ok(Loaded { model, turns: self.inner.turns.clone() })
    }

    fn check(&self, known: &'static shelf::Known) -> Result<(), Error> {
        match known.is_there(&self.inner.folder) {
            true => Ok(()),
            false => Err(Error::Missing { name: known.name, folder: self.inner.folder.clone() }),
        }
    }
}

impl LocalModels for Library {
    fn embedder(&self) -> Result<Arc<dyn Embedder>, NodeError> {
        self.check(shelf::EMBEDDINGS)?;
        Ok(Arc::new(LocalEmbedder { library: self.clone() }))
    }

    fn chat_model(&self) -> Result<Arc<dyn ChatModel>, NodeError> {
        self.check(shelf::EMBEDDINGS)?;
        self.check(shelf::DEMO)?;
        Ok(Arc::new(DemoModel::new(self.clone())))
    }
}

/// As many pieces of work at once as the machine has processors: more would only get into each
/// other's way.
#[derive(Clone)]
pub(crate) struct Turns {
    permits: Arc<Semaphore>,
    at_once: usize,
}

impl Turns {
    pub(crate) fn at_once(&self) -> usize {
        self.at_once
    }

    /// Computes something on a thread for blocking work, when it is its turn.
    pub(crate) async fn take<T: Send + 'static>(
        self,
        name: &'static str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let permit = self.permits.acquire_owned().await.map_err(|_| Error::Stopped { name })?;
        let done = tokio::task::spawn_blocking(move || {
            let result = work();
            drop(permit);
            result
        });
        done.await.map_err(|_| Error::Stopped { name })
    }
}
