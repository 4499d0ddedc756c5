//! The parameters of a node that say where its data goes, and how two values of one are compared.

use model::Str;
use serde::{Deserialize, Serialize};

/// A parameter that says where a node sends its data to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Destination {
    /// `*` in a path stands for every entry of a list.
    pub param: Str,
    pub form: DestinationForm,
}

/// What in a destination says where the data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DestinationForm {
    /// One address: its origin does, whatever follows. A node that takes several addresses out of
    /// one text uses [`addresses`], and its parameter has the next form.
    Address,
    /// Addresses with commas between them: the origin of each does.
    Addresses,
    /// Every letter does, as of recipients, a command, or a workflow that says itself where it
    /// sends what it is given.
    Whole,
}

/// The addresses of a text in which commas stand between them. Nodes and the engine split by this
/// and by nothing else, so that both see the same ones.
pub fn addresses(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|address| !address.is_empty())
}
