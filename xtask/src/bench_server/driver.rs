//! Many kept connections driven by one thread, so that whoever asks takes as little as can be from
//! whoever answers.

use super::load::{Load, RawRequest};
use super::response::ResponseReader;
use anyhow::{Context as _, Result, bail};
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use std::collections::VecDeque;
use std::io::{ErrorKind, Read as _, Write as _};
use std::time::{Duration, Instant};

/// The second in which a request was due, and how long it took.
pub(super) type Latency = (u64, Duration);

/// The poll counts in milliseconds; what is due sooner is slept for in parts of this length.
const SLEEP_STEP: Duration = Duration::from_micros(50);

pub(super) struct LoadDriver<'l> {
    load: &'l Load,
    address: String,
    requests: &'l [RawRequest],
    poll: Poll,
    connections: Vec<DriverConnection>,
    /// Which of them have nothing to do. They take turns, so that none is idle for so long that the
    /// server closes it.
    idle: VecDeque<usize>,
    began: Instant,
    /// How many requests were sent.
    next: usize,
    pub(super) latencies: Vec<Latency>,
    /// The length of the last answer's body.
    pub(super) answer_bytes: usize,
    buffer: Vec<u8>,
}

/// A connection and what it is at.
struct DriverConnection {
    stream: TcpStream,
    request: RawRequest,
    sent: usize,
    due: Instant,
    answer: ResponseReader,
}

impl<'l> LoadDriver<'l> {
    pub(super) fn connect(
        load: &'l Load,
        address: &str,
        requests: &'l [RawRequest],
    ) -> Result<Self> {
        let poll = Poll::new()?;
        let first = requests.first().context("nothing to send")?;
        let mut lines = Vec::with_capacity(load.connections);
        for number in 0..load.connections.min(load.requests) {
            let stream = connect(&poll, address, number)?;
            lines.push(DriverConnection {
                stream,
                request: first.clone(),
                sent: first.len(),
                due: Instant::now(),
                answer: ResponseReader::default(),
            });
        }
        Ok(Self {
            load,
            address: address.to_owned(),
            requests,
            poll,
            idle: (0..lines.len()).collect(),
            connections: lines,
            began: Instant::now(),
            next: 0,
            latencies: Vec::with_capacity(load.requests),
            answer_bytes: 0,
            buffer: vec![0; 1 << 16],
        })
    }

    /// Sends everything and waits for all answers; gives back how long that took.
    pub(super) fn run(&mut self) -> Result<Duration> {
        let mut events = Events::with_capacity(1024);
        self.began = Instant::now();
        while self.latencies.len() < self.load.requests {
            let wait = self.send()?;
            let is_short = wait.is_some_and(|wait| wait < Duration::from_millis(2));
            let timeout = if is_short {
                Some(Duration::ZERO)
            } else {
                wait.map(|wait| wait - Duration::from_millis(1))
            };
            match self.poll.poll(&mut events, timeout) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                polled => polled?,
            }
            if events.is_empty() && is_short {
                std::thread::sleep(wait.unwrap_or_default().min(SLEEP_STEP));
            }
            for event in &events {
                let Token(number) = event.token();
                if event.is_writable() {
                    self.connections[number].write()?;
                }
                if event.is_readable() {
                    self.read(number)?;
                }
            }
        }
        Ok(self.began.elapsed())
    }

    /// Sends what is due as far as there are connections for it; gives back how long it is until
    /// the next one is.
    fn send(&mut self) -> Result<Option<Duration>> {
        while self.next < self.load.requests
            && let Some(&number) = self.idle.front()
        {
            let now = Instant::now();
            let due = self
                .load
                .rate
                .map_or(now, |rate| self.began + Duration::from_secs_f64(self.next as f64 / rate));
            if due > now {
                return Ok(Some(due - now));
            }
            self.idle.pop_front();
            let line = &mut self.connections[number];
            line.request = self.requests[self.next % self.requests.len()].clone();
            (line.sent, line.due, line.answer) = (0, due, ResponseReader::default());
            line.write()?;
            self.next += 1;
        }
        Ok(None)
    }

    fn read(&mut self, number: usize) -> Result<()> {
        let line = &mut self.connections[number];
        loop {
            match line.stream.read(&mut self.buffer) {
                // Some servers close what they have not heard of for a few seconds.
                Ok(0) if self.idle.contains(&number) => {
                    line.stream = connect(&self.poll, &self.address, number)?;
                    return Ok(());
                }
                Ok(0) => bail!("the server closed a connection"),
                Ok(count) => {
                    if line.answer.add(&self.buffer[..count])? {
                        self.answer_bytes = line.answer.body().len();
                        self.latencies
                            .push(((line.due - self.began).as_secs(), line.due.elapsed()));
                        self.idle.push_back(number);
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn connect(poll: &Poll, address: &str, number: usize) -> Result<TcpStream> {
    let stream = std::net::TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    let mut stream = TcpStream::from_std(stream);
    poll.registry().register(
        &mut stream,
        Token(number),
        Interest::READABLE | Interest::WRITABLE,
    )?;
    Ok(stream)
}

impl DriverConnection {
    /// Sends as much of the request as the connection takes.
    fn write(&mut self) -> Result<()> {
        while self.sent < self.request.len() {
            match self.stream.write(&self.request[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}
