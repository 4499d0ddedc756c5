//! Prints how fast the built-in models are on this machine: `cargo run -p heddle-local --example
//! measure [FOLDER]`.

#![expect(clippy::print_stdout, reason = "printing is all it does")]

use heddle_local::Library;
use model::Str;
use ports::NodeError;
use ports::ai::{ChatRequest, LocalModels as _, Message, ModelOptions};
use std::time::{Duration, Instant};

/// Words of everyday English, from which texts of any length are made.
const WORDS: &str = "the order was sent to the customer on monday and a refund is paid within thirty days if the goods are not used";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "target/models".to_owned());
    let library = Library::new(folder.into());
    let (embedder, model) =
        (library.embedder().map_err(told)?, library.chat_model().map_err(told)?);
    let words: Vec<&str> = WORDS.split(' ').cycle().take(180).collect();
    let (question, chunk) = (Str::from(words[..10].join(" ")), Str::from(words.join(" ")));
    report("the first vector, weights loaded", 1, embedder.embed(std::slice::from_ref(&question)))
        .await;
    report("a question of ten words", 8, embedder.embed(&vec![question; 8])).await;
    report("a chunk of 180 words", 8, embedder.embed(&vec![chunk; 8])).await;
    let ask = |text: &str, max_tokens| {
        let options = ModelOptions { max_tokens: Some(max_tokens), ..ModelOptions::default() };
        model.chat(ChatRequest {
            messages: vec![Message::user(text)],
            options,
            ..ChatRequest::default()
        })
    };
    report("the first word of the demo model, weights loaded", 1, ask("Hello", 1)).await;
    report("a token read", 400, ask(&words.join(" ").repeat(2), 1)).await;
    report("a token written", 64, ask("Tell me a long story.", 64)).await;
    Ok(())
}

fn told(error: NodeError) -> String {
    error.message().to_string()
}

async fn report<T, E>(what: &str, count: u32, work: impl Future<Output = Result<T, E>>) {
    let (begun, computed) = (Instant::now(), processor_time());
    let is_fine = work.await.is_ok();
    let (took, computed) = (begun.elapsed() / count, (processor_time() - computed) / count);
    println!(
        "{what}: {computed:?} CPU time, {took:?} in total{}",
        if is_fine { "" } else { " (failed)" }
    );
}

/// What this process has computed so far, where the system says so in `/proc`, to a hundredth of a
/// second.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    Duration::from_millis(10) * ticks.filter_map(|ticks| ticks.parse::<u32>().ok()).sum::<u32>()
}
