//! A server in this process, and a client that says exactly what it is told to say.

#![allow(dead_code)] // each test file uses its own part

use mapo_answering::Answerer;
use mapo_web::{Options, Server};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;

/// A server that runs until it is dropped.
pub struct Running {
    pub address: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

fn answerer() -> Arc<Answerer> {
    static ANSWERER: OnceLock<Arc<Answerer>> = OnceLock::new();
    let made = || Arc::new(Answerer::boxed().expect("the model in the box is whole"));
    Arc::clone(ANSWERER.get_or_init(made))
}

impl Running {
    pub fn start(options: Options) -> Running {
        let (end, ended) = oneshot::channel();
        let (told, address) = std::sync::mpsc::channel();
        let answerer = answerer();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let server = Server::bind(options, answerer).await.expect("the server starts");
                told.send(server.address().expect("an address"))
                    .expect("the test waits");
                server.run(async { drop(ended.await) }).await;
            });
            runtime.shutdown_background();
        });
        Running {
            address: address.recv().expect("the server starts"),
            end: Some(end),
            thread: Some(thread),
        }
    }

    /// Sends bytes as they are and reads what comes back.
    pub fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // A server that has seen enough closes its side while we still write.
        let _ = stream.write_all(bytes);
        Answer::read(&mut stream)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("the server listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .expect("a timeout");
        stream
            .set_write_timeout(Some(Duration::from_secs(30)))
            .expect("a timeout");
        stream
    }

    /// As a client of another address of this machine.
    pub fn connect_from(&self, address: [u8; 4]) -> TcpStream {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let stream = runtime.block_on(async {
            let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
            socket.bind(SocketAddr::from((address, 0))).expect("an address");
            let stream = socket.connect(self.address).await.expect("the server listens");
            stream.into_std().expect("a stream")
        });
        stream.set_nonblocking(false).expect("a stream that waits");
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .expect("a timeout");
        stream
    }

    pub fn call(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.raw(&request(self.address, method, path, headers, body))
    }

    pub fn get(&self, path: &str) -> Answer {
        self.call("GET", path, &[], b"")
    }

    /// Uploads a table; gives its id and the session's cookie.
    pub fn upload(&self, name: &str, content: &[u8]) -> (String, String) {
        let answer = self.call("POST", &format!("/api/tables?name={name}"), &[], content);
        assert_eq!(answer.status, 201, "{}", answer.text());
        let cookie = answer.header("set-cookie").expect("a session");
        let cookie = cookie.split(';').next().expect("a cookie").to_owned();
        (answer.json()["id"].as_str().expect("an id").to_owned(), cookie)
    }

    pub fn post(&self, path: &str, cookie: &str, object: &Value) -> Answer {
        let headers = [("Content-Type", "application/json"), ("Cookie", cookie)];
        self.call("POST", path, &headers, object.to_string().as_bytes())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the server panicked");
        }
    }
}

/// A well-formed request that is the last of its connection.
pub fn request(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Vec<u8> {
    let mut bytes = format!("{method} {path} HTTP/1.1\r\n").into_bytes();
    let named = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
    if !named("host") {
        bytes.extend(format!("Host: {address}\r\n").bytes());
    }
    if !body.is_empty() && !named("content-length") && !named("transfer-encoding") {
        bytes.extend(format!("Content-Length: {}\r\n", body.len()).bytes());
    }
    for (name, value) in headers {
        bytes.extend(format!("{name}: {value}\r\n").bytes());
    }
    bytes.extend(b"Connection: close\r\n\r\n");
    bytes.extend(body);
    bytes
}

/// What came back; status 0 if the connection was closed without a word.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn read(stream: &mut TcpStream) -> Answer {
        let mut all = Vec::new();
        let mut piece = [0; 1 << 16];
        let mut timed_out = false;
        loop {
            match stream.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => all.extend(&piece[..read]),
                Err(error) => {
                    use std::io::ErrorKind::{TimedOut, WouldBlock};
                    timed_out = matches!(error.kind(), TimedOut | WouldBlock);
                    break;
                }
            }
        }
        assert!(
            !timed_out,
            "the server hangs; it said {:?}",
            String::from_utf8_lossy(&all)
        );
        let end = all.windows(4).position(|window| window == b"\r\n\r\n");
        let (head, body) = match end {
            Some(end) => (
                String::from_utf8_lossy(&all[..end]).into_owned(),
                all[end + 4..].to_vec(),
            ),
            None => (String::new(), all),
        };
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Answer {
            status: status.unwrap_or(0),
            head,
            body,
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (given, value) = line.split_once(':')?;
            given.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}
