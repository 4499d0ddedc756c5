//! Nodes that start a run.

pub(crate) mod cron;
mod error;
pub mod form;
pub(crate) mod given;
mod interval;
mod manual;
mod manual_chat;
pub mod schedule;
mod schedule_trigger;
mod test_data;
mod training;
pub mod webhook;
mod workflow_call;

use node_api::{Entry, run, trigger};

pub static NODES: &[Entry] = &[
    run::<manual::ManualTrigger>(),
    run::<manual::Start>(),
    run::<manual_chat::ManualChatTrigger>(),
    trigger::<schedule_trigger::ScheduleTrigger>(),
    trigger::<cron::Cron>(),
    trigger::<interval::Interval>(),
    trigger::<webhook::Webhook>(),
    trigger::<form::FormTrigger>(),
    trigger::<form::Form>(),
    run::<workflow_call::ExecuteWorkflowTrigger>(),
    run::<error::ErrorTrigger>(),
    run::<training::CustomerDatastore>(),
    run::<training::CustomerMessenger>(),
];

/// Only with `HEDDLE_TEST_NODES=1`.
pub static TEST_NODES: &[Entry] = &[run::<test_data::TestData>(), run::<test_data::VersionTest>()];
