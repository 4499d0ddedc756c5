//! Agents and what they are made of.

mod agent_core_react;
mod ai_agent;
mod models;
mod supplies;
mod tools;
mod world;

use node_api::{Entry, run, supply};

pub static NODES: &[Entry] = &[
    run::<ai_agent::AiAgent>(),
    run::<agent_core_react::AgentCoreReact>(),
    supply::<models::openai::OpenAiModel>(),
    supply::<models::openai::OpenAiCompatibleModel>(),
    supply::<tools::calculator::CalculatorTool>(),
];
