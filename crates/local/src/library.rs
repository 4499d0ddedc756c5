//! The models of this process: each is loaded when it is first needed, and then shared.

use crate::LocalError;
use crate::bert::Bert;
use crate::demo::{DemoModel, DemoModels};
use crate::embedder::LocalEmbedder;
use crate::llama::Llama;
use crate::registry;
use ports::NodeError;
use ports::ai::{ChatModel, Embedder, LocalModels};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{OnceCell, Semaphore};

/// The built-in models of a folder. Clones share what is loaded.
#[derive(Clone)]
pub struct Library {
    inner: Arc<LibraryInner>,
}

struct LibraryInner {
    folder: PathBuf,
    embeddings: OnceCell<Arc<Bert>>,
    demo: OnceCell<Arc<DemoModels>>,
    slots: ComputeSlots,
}

/// A model in memory, and the way to compute with it.
pub(crate) struct LoadedModel<M> {
    pub(crate) model: Arc<M>,
    pub(crate) slots: ComputeSlots,
}

impl Library {
    pub fn new(folder: PathBuf) -> Self {
        let at_once = std::thread::available_parallelism().map_or(1, usize::from);
        let turns =
            ComputeSlots { permits: Arc::new(Semaphore::new(at_once)), parallelism: at_once };
        Self {
            inner: Arc::new(LibraryInner {
                folder,
                embeddings: OnceCell::new(),
                demo: OnceCell::new(),
                slots: turns,
            }),
        }
    }

    /// The embedding model. One that could not be loaded is tried again the next time.
    pub(crate) async fn embeddings(&self) -> Result<LoadedModel<Bert>, LocalError> {
        let load = || async {
            let folder = self.inner.folder.clone();
            let bert = self.inner.slots.clone().run(registry::EMBEDDINGS.name, move || {
                let known = registry::EMBEDDINGS;
                let vocabulary =
                    String::from_utf8_lossy(&known.read(&folder, "vocab.txt")?).into_owned();
                Bert::read(known.read(&folder, "model.safetensors")?, &vocabulary)
                    .map_err(LocalError::weights(known.name))
            });
            Ok::<_, LocalError>(Arc::new(bert.await??))
        };
        let model = self.inner.embeddings.get_or_try_init(load).await?.clone();
        Ok(LoadedModel { model, slots: self.inner.slots.clone() })
    }

    /// The demo model, which needs the embedding model too.
    pub(crate) async fn demo(&self) -> Result<LoadedModel<DemoModels>, LocalError> {
        let load = || async {
            let bert = self.embeddings().await?.model;
            let folder = self.inner.folder.clone();
            let minds = self.inner.slots.clone().run(registry::DEMO.name, move || {
                let llama = Llama::read(registry::DEMO.read(&folder, "model.gguf")?)
                    .map_err(LocalError::weights(registry::DEMO.name))?;
                Ok::<_, LocalError>(DemoModels::new(bert, llama))
            });
            Ok::<_, LocalError>(Arc::new(minds.await??))
        };
        let model = self.inner.demo.get_or_try_init(load).await?.clone();
        Ok(LoadedModel { model, slots: self.inner.slots.clone() })
    }

    fn check(&self, known: &'static registry::ModelPackage) -> Result<(), LocalError> {
        match known.is_there(&self.inner.folder) {
            true => Ok(()),
            false => {
                Err(LocalError::Missing { name: known.name, folder: self.inner.folder.clone() })
            }
        }
    }
}

impl LocalModels for Library {
    fn embedder(&self) -> Result<Arc<dyn Embedder>, NodeError> {
        self.check(registry::EMBEDDINGS)?;
        Ok(Arc::new(LocalEmbedder { library: self.clone() }))
    }

    fn chat_model(&self) -> Result<Arc<dyn ChatModel>, NodeError> {
        self.check(registry::EMBEDDINGS)?;
        self.check(registry::DEMO)?;
        Ok(Arc::new(DemoModel::new(self.clone())))
    }
}

/// As many pieces of work at once as the machine has processors: more would only get into each
/// other's way.
#[derive(Clone)]
pub(crate) struct ComputeSlots {
    permits: Arc<Semaphore>,
    parallelism: usize,
}

impl ComputeSlots {
    pub(crate) fn parallelism(&self) -> usize {
        self.parallelism
    }

    /// Computes something on a thread for blocking work, when it is its turn.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        name: &'static str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, LocalError> {
        let permit =
            self.permits.acquire_owned().await.map_err(|_| LocalError::Stopped { name })?;
        let done = tokio::task::spawn_blocking(move || {
            let result = work();
            drop(permit);
            result
        });
        done.await.map_err(|_| LocalError::Stopped { name })
    }
}
