//! Nodes that steer a run: branch, join, loop, wait, stop.

mod debug_helper;
mod execute_command;
pub(crate) mod execute_workflow;
mod execution_data;
mod filter;
mod if_else;
mod merge;
mod no_op;
mod respond_to_webhook;
mod split_in_batches;
mod sticky_note;
mod stop_and_error;
mod switch;
pub(crate) mod wait;

pub use merge::{SQL_COMMAND, probe_merge_sql, serve_merge_sql};

use node_api::{NodeEntry, run, trigger};

pub static NODES: &[NodeEntry] = &[
    run::<no_op::NoOp>(),
    run::<if_else::IfV1>(),
    run::<if_else::If>(),
    run::<filter::FilterV1>(),
    run::<filter::FilterNode>(),
    run::<switch::SwitchV1>(),
    run::<switch::SwitchV2>(),
    run::<switch::Switch>(),
    run::<merge::MergeV1>(),
    run::<merge::MergeV2>(),
    run::<merge::Merge>(),
    run::<split_in_batches::SplitInBatchesV1>(),
    run::<split_in_batches::SplitInBatchesV2>(),
    run::<split_in_batches::SplitInBatches>(),
    trigger::<wait::WaitNode>(),
    run::<respond_to_webhook::RespondToWebhook>(),
    run::<respond_to_webhook::RespondToWebhookV13>(),
    run::<stop_and_error::StopAndError>(),
    run::<execution_data::ExecutionData>(),
    run::<execute_workflow::ExecuteWorkflow>(),
    run::<execute_command::ExecuteCommand>(),
    run::<debug_helper::DebugHelper>(),
    run::<sticky_note::StickyNote>(),
];
