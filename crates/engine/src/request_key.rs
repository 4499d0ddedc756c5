//! The keys by which a service knows the requests of a step again.

use crate::ports::{Addresses, Random};
use model::Str;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Which request a key is for. It is the same whenever the step is taken again, and no other run
/// has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestPlace {
    pub run_id: Str,
    pub workflow_id: Str,
    pub node: Str,
    pub run_index: usize,
    pub item: usize,
    /// The call that the node answers as a tool; empty if it is a step of its own.
    pub call: Str,
}

/// Bytes of a key that nobody signs.
const LOCAL_KEY_BYTES: usize = 16;

/// Gives requests their keys. An instance signs their places; a run that ends with its process has
/// keys that are drawn, as nobody takes it up again.
#[derive(Clone, Default)]
pub struct RequestKeys {
    signer: Option<Arc<dyn Addresses>>,
    local: Option<Arc<LocalKeys>>,
}

struct LocalKeys {
    random: Arc<dyn Random>,
    known: Mutex<HashMap<RequestPlace, Str>>,
}

impl RequestKeys {
    pub(crate) fn new(signer: Option<Arc<dyn Addresses>>, random: Arc<dyn Random>) -> Self {
        let local = Some(Arc::new(LocalKeys { random, known: Mutex::default() }));
        Self { signer, local }
    }

    /// `None` where nothing is run, as in a preview.
    pub(crate) fn key_of(&self, place: RequestPlace) -> Option<Str> {
        let signed = self.signer.as_ref().and_then(|signer| signer.request_key(&place));
        signed.or_else(|| Some(self.local.as_ref()?.key_of(place)))
    }
}

impl LocalKeys {
    fn key_of(&self, place: RequestPlace) -> Str {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(place).or_insert_with(|| self.draw()).clone()
    }

    fn draw(&self) -> Str {
        let mut bytes = [0; LOCAL_KEY_BYTES];
        self.random.fill(&mut bytes);
        bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
    }
}
