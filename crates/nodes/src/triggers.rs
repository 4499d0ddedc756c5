//! Nodes that start a run.

pub(crate) mod cron;
mod error;
pub mod form;
mod interval;
mod manual;
mod manual_chat;
pub(crate) mod node_params;
pub mod schedule;
mod schedule_trigger;
mod test_data;
mod training;
pub mod webhook;
mod workflow_call;

use node_api::{NodeEntry, run, trigger};

pub static NODES: &[NodeEntry] = &[
    run::<manual::ManualTrigger>(),
    run::<manual::StartTrigger>(),
    run::<manual_chat::ManualChatTrigger>(),
    trigger::<schedule_trigger::ScheduleTrigger>(),
    trigger::<cron::Cron>(),
    trigger::<interval::Interval>(),
    trigger::<webhook::Webhook>(),
    trigger::<form::FormTrigger>(),
    trigger::<form::FormNode>(),
    run::<workflow_call::ExecuteWorkflowTrigger>(),
    run::<error::ErrorTrigger>(),
    run::<training::CustomerDatastore>(),
    run::<training::CustomerMessenger>(),
];

/// Only with `HEDDLE_TEST_NODES=1`.
pub static TEST_NODES: &[NodeEntry] =
    &[run::<test_data::TestData>(), run::<test_data::VersionTest>()];
