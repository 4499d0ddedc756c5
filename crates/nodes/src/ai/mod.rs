//! Agents and what they are made of.

mod agent_core_react;
mod ai_agent;
mod supplies;
mod tools;
mod world;

use node_api::{Entry, run, supply};

pub static NODES: &[Entry] =
    &[run::<ai_agent::AiAgent>(), run::<agent_core_react::AgentCoreReact>(), supply::<tools::calculator::CalculatorTool>()];
