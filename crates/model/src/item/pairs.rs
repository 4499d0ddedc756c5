//! The input items an item was made from: mostly one, which then needs no memory of its own.

use super::PairedItem;
use std::ops::Deref;
use std::sync::Arc;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pairs {
    #[default]
    None,
    One(PairedItem),
    /// Shared: a node that makes many items from the same ones gives each the same list.
    Many(Arc<[PairedItem]>),
}

impl Pairs {
    pub(super) fn heap_bytes(&self) -> usize {
        if let Pairs::Many(pairs) = self { size_of_val::<[PairedItem]>(pairs) } else { 0 }
    }
}

impl Deref for Pairs {
    type Target = [PairedItem];

    fn deref(&self) -> &[PairedItem] {
        match self {
            Pairs::None => &[],
            Pairs::One(pair) => std::slice::from_ref(pair),
            Pairs::Many(pairs) => pairs,
        }
    }
}

impl From<Vec<PairedItem>> for Pairs {
    fn from(mut pairs: Vec<PairedItem>) -> Self {
        match pairs.len() {
            0 => Pairs::None,
            1 => pairs.pop().map_or(Pairs::None, Pairs::One),
            _ => Pairs::Many(pairs.into()),
        }
    }
}

impl FromIterator<PairedItem> for Pairs {
    fn from_iter<I: IntoIterator<Item = PairedItem>>(pairs: I) -> Self {
        pairs.into_iter().collect::<Vec<_>>().into()
    }
}
