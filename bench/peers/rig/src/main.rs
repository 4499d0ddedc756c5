//! The same agent in rig: a model, a calculator, an answer; behind axum, and nothing is kept.
//! `OPENAI_BASE_URL` is where the model is.

use axum::{Json, Router, extract::State, routing::post};
use rig_agent::prelude::*;
use rig_core::providers::openai::OpenAI;
use rig_core::tool::ToolContext;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::io::Write as _;
use std::sync::Arc;

#[derive(Deserialize)]
struct Sum {
    expression: String,
}

/// Adds the numbers between the plus signs.
struct Calculator;

impl Tool for Calculator {
    const NAME: &'static str = "calculator";
    type Args = Sum;
    type Output = String;
    type Error = std::num::ParseFloatError;

    fn description(&self) -> String {
        "Works out an arithmetic expression.".to_owned()
    }

    fn parameters(&self) -> serde_json::Value {
        serde_json::json!({ "type": "object", "properties": { "expression": { "type": "string" } }, "required": ["expression"] })
    }

    async fn call(&self, _context: &mut ToolContext, sum: Sum) -> Result<String, Self::Error> {
        let numbers: Result<Vec<f64>, _> =
            sum.expression.split('+').map(|number| number.trim().parse::<f64>()).collect();
        Ok(numbers?.iter().sum::<f64>().to_string())
    }
}

#[derive(Deserialize)]
struct Question {
    question: String,
}

#[derive(Serialize)]
struct Answer {
    response: String,
}

async fn ask(
    State(agent): State<Arc<Agent>>,
    Json(asked): Json<Question>,
) -> Result<Json<Answer>, String> {
    match agent.prompt(asked.question).max_turns(5).await {
        Ok(answer) => Ok(Json(Answer { response: answer.output() })),
        Err(error) => Err(error.to_string()),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let model = OpenAI::from_env()?.chat("mock");
    let agent = AgentBuilder::new(model)
        .preamble("You are a helpful AI assistant.")
        .tool(Calculator)
        .build();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    writeln!(std::io::stdout(), "listens on http://{}", listener.local_addr()?)?;
    let app = Router::new().route("/webhook/agent", post(ask)).with_state(Arc::new(agent));
    axum::serve(listener, app).await?;
    Ok(())
}
