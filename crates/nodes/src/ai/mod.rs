//! Agents and what they are made of.

mod agent_core_react;
mod agent_tool;
mod ai_agent;
mod models;
mod supplies;
pub(crate) mod tools;
mod world;

use node_api::{Entry, run, supply};

pub static NODES: &[Entry] = &[
    run::<ai_agent::AiAgent>(),
    run::<agent_core_react::AgentCoreReact>(),
    supply::<models::openai::OpenAiModel>(),
    supply::<models::openai::OpenAiCompatibleModel>(),
    supply::<agent_tool::AgentTool>(),
    supply::<tools::calculator::CalculatorTool>(),
    supply::<tools::calculator::ToolCalculator>(),
    supply::<tools::code::CodeTool>(),
    supply::<tools::code::ToolCode>(),
    supply::<tools::workflow::WorkflowTool>(),
    supply::<tools::workflow::ToolWorkflow>(),
    supply::<tools::workflow::ToolWorkflowOld>(),
    supply::<tools::think::ThinkTool>(),
    supply::<tools::think::ToolThink>(),
    supply::<tools::search::ToolWikipedia>(),
    supply::<tools::search::ToolSerpApi>(),
    supply::<tools::search::ToolSearXng>(),
    supply::<tools::search::ToolWolframAlpha>(),
];
