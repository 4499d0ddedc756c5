//! Nodes that shape items: set, split, join, sort, count.

mod aggregate;
pub(crate) mod code;
mod compare_datasets;
mod data_table;
pub(crate) mod fields;
pub(crate) mod item_index;
mod item_lists;
mod limit;
mod remove_duplicates;
mod rename_keys;
mod reorder;
mod set;
mod sort;
mod split_out;
mod stable_sort;
mod summarize;

use node_api::{NodeEntry, run};

pub static NODES: &[NodeEntry] = &[
    run::<aggregate::Aggregate>(),
    run::<code::CodeNode>(),
    run::<code::FunctionNode>(),
    run::<code::FunctionItem>(),
    run::<compare_datasets::CompareDatasets>(),
    run::<data_table::DataTable>(),
    run::<item_lists::ItemLists>(),
    run::<limit::Limit>(),
    run::<remove_duplicates::RemoveDuplicates>(),
    run::<rename_keys::RenameKeys>(),
    run::<set::SetV1>(),
    run::<set::Set>(),
    run::<sort::SortNode>(),
    run::<split_out::SplitOut>(),
    run::<summarize::Summarize>(),
];
