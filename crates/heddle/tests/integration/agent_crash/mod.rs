//! Crashes inside the loop of an agent: kill -9 during the model's stream, during a tool, and
//! between a result and its record. What has a record is not done again, nothing that was accepted
//! is lost, and a run is `uncertain` only where a call that changes something was cut off.
//!
//! `HEDDLE_AGENT_CRASHES=300` is the long form of the kills at random; the suite runs a short one.

mod aimed;
mod at_random;
mod fail_points;
mod harness;
