//! Agents and what they are made of.

mod ai_agent;
mod tools;
mod world;

use node_api::{Entry, run, supply};

pub static NODES: &[Entry] = &[run::<ai_agent::AiAgent>(), supply::<tools::calculator::CalculatorTool>()];
