//! A NATS server, as threads see it that know nothing of tokio.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use async_nats::jetstream::kv::{self, Operation, UpdateErrorKind};
use async_nats::jetstream::object_store::{self, ObjectMetadata};
use async_nats::jetstream::stream::{DirectGetErrorKind, Stream};
use async_nats::jetstream::{self, message::StreamMessage};
use async_nats::{Client, ConnectOptions, ServerAddr, Subscriber};
use bytes::Bytes;
use tokio::io::AsyncReadExt;
use tokio::runtime::{Handle, Runtime};

use crate::{Error, Result};

/// Where a server is, and who we are to it.
#[derive(Clone, Debug, Default)]
pub struct Address {
    /// `nats://host:port` or `tls://host:port`; several with commas.
    pub url: String,
    /// A file of credentials (a JWT with its seed).
    pub credentials: Option<PathBuf>,
    /// A file with the seed of an nkey.
    pub nkey: Option<PathBuf>,
    /// The certificate of the authority that the server's is from.
    pub authority: Option<PathBuf>,
    /// How long a server that went away is waited for.
    pub patience: Option<Duration>,
}

/// How long a server that went away is waited for when nothing else is said.
pub const PATIENCE: Duration = Duration::from_secs(600);
/// How long one answer may take.
const ANSWER: Duration = Duration::from_secs(5);
/// Objects travel in pieces of this many bytes; a message may have 1 MiB.
const PIECE: usize = 900 << 10;

/// A server.
pub struct Server {
    runtime: Runtime,
    client: Client,
    jetstream: jetstream::Context,
    patience: Duration,
    stop: Arc<AtomicBool>,
}

/// Why an attempt came to nothing.
pub(crate) enum Failure {
    /// It may go better next time.
    Again(String),
    /// It never will.
    Final(Error),
}

impl Failure {
    pub fn again(error: impl std::fmt::Display) -> Self {
        Self::Again(error.to_string())
    }
}

impl Server {
    /// Connects. From then on the connection is made again whenever it breaks; `stop` ends what waits for it.
    ///
    /// # Errors
    /// If nobody answers.
    pub fn connect(address: &Address, stop: Arc<AtomicBool>) -> Result<Self> {
        let wrong = |reason: String| Error::Connect {
            url: address.url.clone(),
            reason,
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("fleet")
            .enable_all()
            .build()
            .map_err(|error| wrong(error.to_string()))?;
        let mut options = ConnectOptions::new()
            .name("mapo")
            .connection_timeout(ANSWER)
            .request_timeout(Some(ANSWER));
        let read = |file: &PathBuf| {
            std::fs::read_to_string(file).map_err(|source| Error::File {
                file: file.clone(),
                source,
            })
        };
        if let Some(file) = &address.credentials {
            let credentials = read(file)?;
            options = options.credentials(&credentials).map_err(|source| Error::File {
                file: file.clone(),
                source,
            })?;
        }
        if let Some(file) = &address.nkey {
            options = options.nkey(read(file)?.trim().to_owned());
        }
        if let Some(file) = &address.authority {
            read(file)?;
            options = options.add_root_certificates(file.clone()).require_tls(true);
        }
        let urls: Vec<String> = address.url.split(',').map(|url| url.trim().to_owned()).collect();
        // The client itself does not take them from there.
        let mut named = urls.iter().filter_map(|url| url.parse::<ServerAddr>().ok());
        if let Some(named) = named.find(ServerAddr::has_user_pass) {
            let [user, password] = [named.username(), named.password()].map(Option::unwrap_or_default);
            options = options.user_and_password(user.to_owned(), password.to_owned());
        }
        let connected = runtime.block_on(options.connect(urls));
        let client = connected.map_err(|error| wrong(reasons(&error)))?;
        // The client starts a task of its own.
        let entered = runtime.enter();
        let mut jetstream = jetstream::new(client.clone());
        drop(entered);
        jetstream.set_timeout(ANSWER);
        Ok(Self {
            runtime,
            client,
            jetstream,
            patience: address.patience.unwrap_or(PATIENCE),
            stop,
        })
    }

    pub(crate) fn jetstream(&self) -> &jetstream::Context {
        &self.jetstream
    }

    /// The connection, for messages that are not stored.
    pub(crate) fn client(&self) -> Client {
        self.client.clone()
    }

    /// Where its tasks run.
    pub(crate) fn handle(&self) -> Handle {
        self.runtime.handle().clone()
    }

    /// Listens to messages that are not stored.
    pub(crate) fn subscribe(&self, subject: &str) -> Result<Subscriber> {
        self.retry("messages", || async {
            let listening = self.client.subscribe(subject.to_owned());
            listening.await.map_err(Failure::again)
        })
    }

    /// Whether the user wants no more.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// The number of bytes that a message may have.
    pub(crate) fn max_payload(&self) -> usize {
        self.client.server_info().max_payload
    }

    /// Waits for something.
    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// Tries until it goes well, or the server has been away for too long.
    pub(crate) fn retry<T, F>(&self, what: &'static str, mut attempt: impl FnMut() -> F) -> Result<T>
    where
        F: Future<Output = Result<T, Failure>>,
    {
        let (began, mut pause) = (Instant::now(), Duration::from_millis(20));
        loop {
            let reason = match self.wait(attempt()) {
                Ok(done) => return Ok(done),
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Again(reason)) => reason,
            };
            let waited = began.elapsed();
            // Who was asked to stop still says goodbye, if that does not take long.
            if self.is_stopped() && waited > ANSWER {
                return Err(Error::Stopped);
            }
            if waited > self.patience {
                return Err(Error::Unreachable { what, waited, reason });
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    }

    /// Opens a bucket of keys, which is made if need be; entries live for `age`, if given.
    pub(crate) fn bucket(&self, name: &str, age: Option<Duration>) -> Result<Bucket<'_>> {
        let what = "a bucket of keys";
        let store = self.retry(what, || async {
            if let Ok(store) = self.jetstream.get_key_value(name).await {
                return Ok(store);
            }
            let made = self.jetstream.create_key_value(kv::Config {
                bucket: name.to_owned(),
                history: 1,
                max_age: age.unwrap_or_default(),
                ..kv::Config::default()
            });
            made.await.map_err(Failure::again)
        })?;
        Ok(Bucket { server: self, store })
    }

    /// Opens a bucket of keys that is there already.
    pub(crate) fn known_bucket(&self, name: &str) -> Result<Option<Bucket<'_>>> {
        let mut left = 3;
        self.retry("a bucket of keys", || {
            left -= 1;
            async move {
                match self.jetstream.get_key_value(name).await {
                    Ok(store) => Ok(Some(Bucket { server: self, store })),
                    Err(_) if left <= 0 => Ok(None),
                    Err(error) => Err(Failure::again(error)),
                }
            }
        })
    }

    /// Opens a store of objects, which is made if need be.
    pub(crate) fn objects(&self, name: &str) -> Result<Objects<'_>> {
        let store = self.retry("a store of objects", || async {
            if let Ok(store) = self.jetstream.get_object_store(name).await {
                return Ok(store);
            }
            let made = self.jetstream.create_object_store(object_store::Config {
                bucket: name.to_owned(),
                ..object_store::Config::default()
            });
            made.await.map_err(Failure::again)
        })?;
        Ok(Objects { server: self, store })
    }

    /// Opens a stream, which is made if need be.
    pub(crate) fn stream(&self, config: &jetstream::stream::Config) -> Result<Stream> {
        self.retry("a stream", || async {
            let made = self.jetstream.get_or_create_stream(config.clone());
            made.await.map_err(|error| Failure::Again(reasons(&error)))
        })
    }

    /// What a stream has on a subject from a number on, in its order.
    pub(crate) fn read(&self, stream: &Stream, subject: &str, from: u64) -> Result<Vec<StreamMessage>> {
        let (mut found, mut next) = (Vec::new(), from);
        loop {
            let message = self.retry("what a stream holds", || async {
                match stream.direct_get_next_for_subject(subject, Some(next)).await {
                    Ok(message) => Ok(Some(message)),
                    Err(error) if error.kind() == DirectGetErrorKind::NotFound => Ok(None),
                    Err(error) => Err(Failure::Again(reasons(&error))),
                }
            })?;
            let Some(message) = message else {
                return Ok(found);
            };
            next = message.sequence + 1;
            found.push(message);
        }
    }
}

/// An error with what is behind it.
pub(crate) fn reasons(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(deeper) = source {
        let said = deeper.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        source = deeper.source();
    }
    text
}

/// A bucket of keys.
#[derive(Clone)]
pub(crate) struct Bucket<'s> {
    server: &'s Server,
    store: kv::Store,
}

/// A value and its revision.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: String,
    pub value: Bytes,
    pub revision: u64,
}

impl Bucket<'_> {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Result<Option<Entry>> {
        Ok(self
            .entry(key)?
            .filter(|entry| entry.operation == Operation::Put)
            .map(|entry| Entry {
                key: entry.key,
                value: entry.value,
                revision: entry.revision,
            }))
    }

    fn entry(&self, key: &str) -> Result<Option<kv::Entry>> {
        self.server.retry("a key", || async {
            self.store
                .entry(key)
                .await
                .map_err(|error| Failure::Again(reasons(&error)))
        })
    }

    /// Sets a key, whatever it was.
    pub fn put(&self, key: &str, value: &[u8]) -> Result<u64> {
        self.server.retry("a key", || async {
            let put = self.store.put(key, Bytes::copy_from_slice(value));
            put.await.map_err(|error| Failure::Again(reasons(&error)))
        })
    }

    /// Sets a key if it still has this revision; 0 if it must not be there. The new revision, or nothing if
    /// someone else was first. No two writers may want the same value.
    pub fn set(&self, key: &str, value: &[u8], revision: u64) -> Result<Option<u64>> {
        self.server.retry("a key", || async {
            let update = self.store.update(key, Bytes::copy_from_slice(value), revision);
            let error = match update.await {
                Ok(revision) => return Ok(Some(revision)),
                Err(error) => error,
            };
            // An answer may be lost on its way: then what was wanted is there.
            let entry = self.store.entry(key).await;
            let entry = entry.map_err(|error| Failure::Again(reasons(&error)))?;
            match entry {
                Some(entry) if entry.operation == Operation::Put && entry.value == value => {
                    Ok(Some(entry.revision))
                }
                _ if error.kind() == UpdateErrorKind::WrongLastRevision => Ok(None),
                _ => Err(Failure::Again(reasons(&error))),
            }
        })
    }

    /// Makes a key that is not there; nothing if it is.
    pub fn create(&self, key: &str, value: &[u8]) -> Result<Option<u64>> {
        match self.entry(key)? {
            Some(entry) if entry.operation == Operation::Put => {
                Ok((entry.value == value).then_some(entry.revision))
            }
            Some(gone) => self.set(key, value, gone.revision),
            None => self.set(key, value, 0),
        }
    }

    /// Takes a key away, if it still has this revision.
    pub fn remove(&self, key: &str, revision: u64) -> Result<()> {
        self.server.retry("a key", || async {
            let removed = self.store.delete_expect_revision(key, Some(revision)).await;
            // Another's key stays, and that is no mistake.
            let still = self
                .store
                .entry(key)
                .await
                .map_err(|error| Failure::Again(reasons(&error)))?;
            match (removed, still) {
                (Err(error), Some(entry)) if entry.revision == revision => Err(Failure::again(error)),
                _ => Ok(()),
            }
        })
    }

    /// All keys with their values.
    pub fn all(&self) -> Result<Vec<Entry>> {
        let messages = self
            .server
            .read(&self.store.stream, &format!("{}>", self.store.prefix), 0)?;
        // A key that is written meanwhile is met twice; the last counts.
        let mut entries = BTreeMap::new();
        for message in messages {
            let Some(key) = message.subject.strip_prefix(&self.store.prefix) else {
                continue;
            };
            let entry = Entry {
                key: key.to_owned(),
                value: message.payload,
                revision: message.sequence,
            };
            match message.headers.get("KV-Operation") {
                None => entries.insert(key.to_owned(), entry),
                Some(_) => entries.remove(key),
            };
        }
        Ok(entries.into_values().collect())
    }
}

/// A store of objects.
#[derive(Clone)]
pub(crate) struct Objects<'s> {
    server: &'s Server,
    store: object_store::ObjectStore,
}

impl Objects<'_> {
    /// Puts an object into the store.
    pub fn put(&self, name: &str, content: &[u8]) -> Result<()> {
        self.server.retry("an object", || async {
            let meta = ObjectMetadata {
                name: name.to_owned(),
                chunk_size: Some(PIECE.min(self.server.max_payload())),
                ..ObjectMetadata::default()
            };
            let put = self.store.put(meta, &mut &content[..]).await;
            put.map(|_| ()).map_err(|error| Failure::Again(reasons(&error)))
        })
    }

    /// An object of the store; nothing if it is not there.
    pub fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let mut left = 20;
        self.server.retry("an object", || {
            left -= 1;
            async move {
                let mut object = match self.store.get(name).await {
                    Ok(object) => object,
                    Err(error) if error.kind() == object_store::GetErrorKind::NotFound => return Ok(None),
                    Err(error) => return Err(Failure::Again(reasons(&error))),
                };
                let mut content = Vec::with_capacity(object.info().size);
                // It may be taken away while it is read; then it is not there.
                let patience = ANSWER + Duration::from_millis(object.info().size as u64 / 1000);
                let read = tokio::time::timeout(patience, object.read_to_end(&mut content)).await;
                match read {
                    Ok(Ok(_)) => Ok(Some(content)),
                    _ if left <= 0 => Ok(None),
                    Ok(Err(error)) => Err(Failure::again(error)),
                    Err(_) => Err(Failure::Again("it takes too long".to_owned())),
                }
            }
        })
    }

    /// Takes an object away. It does no harm if that fails.
    pub fn remove(&self, name: &str) {
        let _ = self.server.wait(self.store.delete(name));
    }
}
