//! Agents and what they are made of.

mod agent_core_react;
mod ai_agent;
mod memory;
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
    supply::<memory::buffer::BufferMemory>(),
    supply::<memory::buffer::WindowMemory>(),
    supply::<memory::sqlite::SqliteMemory>(),
    supply::<memory::redis::RedisMemory>(),
    supply::<memory::summary::SummaryMemory>(),
    supply::<memory::vector::VectorMemory>(),
    supply::<memory::vector::HybridMemory>(),
    supply::<memory::buffer_window::MemoryBufferWindow>(),
    supply::<memory::redis_chat::MemoryRedisChat>(),
    supply::<memory::postgres_chat::MemoryPostgresChat>(),
    run::<memory::manager::MemoryManager>(),
    supply::<tools::calculator::CalculatorTool>(),
];
