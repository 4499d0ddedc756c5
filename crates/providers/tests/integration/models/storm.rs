//! Many runs at once against one key that the provider has had enough of.

use super::server::{KEY, http, info, limits, request};
use heddle_providers::models::openai::{OpenAiChat, OpenAiSettings};
use heddle_providers::models::requester::ModelAccess;
use heddle_providers::models::secret::Secret;
use node_api::ai::ChatModel as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

const RUNS: usize = 100;
/// Long enough that all have asked once by then, on a slow machine, too.
const SHUT_MS: u64 = 2_000;
const WINDOW: Duration = Duration::from_millis(100);
const TAKEN: usize = 5;

#[tokio::test]
async fn a_hundred_runs_that_are_too_many_do_not_come_back_together() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let arrivals: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let begin = Instant::now();
    let log = arrivals.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let log = log.clone();
            tokio::spawn(async move {
                let mut piece = [0; 8192];
                let _ = stream.read(&mut piece).await;
                log.lock().unwrap().push(Instant::now());
                let text = if begin.elapsed() < Duration::from_millis(SHUT_MS) {
                    format!(
                        "HTTP/1.1 429 Too Many\r\nretry-after-ms: {SHUT_MS}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
                    )
                } else {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    let body =
                        r#"{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}"#;
                    format!(
                        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                        body.len()
                    )
                };
                let _ = stream.write_all(text.as_bytes()).await;
            });
        }
    });
    let settings = OpenAiSettings::compatible(&format!("http://{address}/v1"), Secret::new(KEY));
    let http = http();
    let runs: Vec<_> = (0..RUNS)
        .map(|_| {
            // Each run has a model of its own; only the key is the same.
            let model = OpenAiChat::new(
                info(),
                settings.clone(),
                &ModelAccess { limits: limits(), ..ModelAccess::new(http.clone()) },
            );
            tokio::spawn(async move { model.chat(request()).await })
        })
        .collect();
    for run in runs {
        assert_eq!(run.await.unwrap().unwrap().message.text(), "ok");
    }
    let arrivals = arrivals.lock().unwrap().clone();
    let late: Vec<Duration> = arrivals
        .iter()
        .map(|time| *time - begin)
        .filter(|time| *time >= Duration::from_millis(SHUT_MS))
        .collect();
    assert_eq!(late.len(), RUNS, "everybody is served once, nobody asks in vain");
    let first = late.iter().min().copied().unwrap();
    let at_first = late.iter().filter(|time| **time < first + Duration::from_millis(15)).count();
    assert!(at_first <= 3, "{at_first} came back at the same moment");
    println!("{RUNS} runs, {} requests, over in {:?}", arrivals.len(), begin.elapsed());
}

#[tokio::test]
async fn a_provider_that_takes_few_at_a_time_serves_everybody_in_the_end() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let n_refused = Arc::new(AtomicUsize::new(0));
    let window: Arc<Mutex<(Instant, usize)>> = Arc::new(Mutex::new((Instant::now(), 0)));
    let refused = n_refused.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (window, refused) = (window.clone(), refused.clone());
            tokio::spawn(async move {
                let mut piece = [0; 8192];
                let _ = stream.read(&mut piece).await;
                let left_ms = {
                    let mut window = window.lock().unwrap();
                    if window.0.elapsed() >= WINDOW {
                        *window = (Instant::now(), 0);
                    }
                    window.1 += 1;
                    (window.1 > TAKEN)
                        .then(|| WINDOW.saturating_sub(window.0.elapsed()).as_millis() + 1)
                };
                let text = match left_ms {
                    Some(left_ms) => {
                        refused.fetch_add(1, Ordering::SeqCst);
                        format!(
                            "HTTP/1.1 429 Too Many\r\nretry-after-ms: {left_ms}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
                        )
                    }
                    None => {
                        tokio::time::sleep(Duration::from_millis(10)).await;
                        let body =
                            r#"{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}"#;
                        format!(
                            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                            body.len()
                        )
                    }
                };
                let _ = stream.write_all(text.as_bytes()).await;
            });
        }
    });
    let settings = OpenAiSettings::compatible(&format!("http://{address}/v1"), Secret::new(KEY));
    let http = http();
    let begin = Instant::now();
    let runs: Vec<_> = (0..RUNS)
        .map(|_| {
            let model = OpenAiChat::new(
                info(),
                settings.clone(),
                &ModelAccess { limits: limits(), ..ModelAccess::new(http.clone()) },
            );
            tokio::spawn(async move { model.chat(request()).await })
        })
        .collect();
    let mut n_served = 0;
    for run in runs {
        n_served += usize::from(run.await.unwrap().is_ok());
    }
    let n_refused = n_refused.load(Ordering::SeqCst);
    assert_eq!(n_served, RUNS);
    assert!(n_refused < 2 * RUNS, "{n_refused} asked in vain");
    println!("{RUNS} runs, {n_served} served, {n_refused} refusals, over in {:?}", begin.elapsed());
}
