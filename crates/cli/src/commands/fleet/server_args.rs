//! Where the server is.

use clap::Args;
use mapo_fleet::{Address, PATIENCE, Posting, Server, Terms};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

#[derive(Args, Clone)]
pub struct ServerArgs {
    /// The NATS server, as nats://host:port or tls://host:port, with user:password@ if need be; several with commas.
    #[arg(long, value_name = "URL", default_value = "nats://127.0.0.1:4222")]
    server: String,
    #[command(flatten)]
    access: Access,
}

/// The server whose workers do the work, if any are to.
#[derive(Args, Clone)]
pub struct FleetArgs {
    /// Let workers of a fleet do it (`mapo fleet work`): the NATS server where they are, as nats://host:port or
    /// tls://host:port.
    #[arg(long, value_name = "URL")]
    fleet: Option<String>,
    /// The job's name on that server; that of what is written when not given.
    #[arg(long, value_name = "NAME", requires = "fleet")]
    name: Option<String>,
    /// A worker of the fleet that is not heard of for so many seconds has lost its task.
    #[arg(long, value_name = "S", default_value_t = Terms::default().lease, requires = "fleet")]
    lease: f64,
    #[command(flatten)]
    access: Access,
}

impl FleetArgs {
    /// The server and how the job is posted there, named as this file or directory if nothing else was said; nothing
    /// where this machine is to do it alone.
    pub fn connect(
        &self,
        written: Option<&Path>,
        stop: Arc<AtomicBool>,
    ) -> Result<Option<(Server, Posting)>, mapo_fleet::Error> {
        let Some(url) = &self.fleet else {
            return Ok(None);
        };
        let stem = written.and_then(Path::file_stem);
        let stem = stem.map(|stem| stem.to_string_lossy().into_owned());
        let posting = Posting {
            name: self.name.clone().or(stem).unwrap_or_else(|| "job".to_owned()),
            lease: self.lease,
        };
        Ok(Some((self.access.connect(url, stop)?, posting)))
    }
}

/// Who we are to a server.
#[derive(Args, Clone)]
struct Access {
    /// A file of credentials for the server.
    #[arg(long, value_name = "FILE")]
    creds: Option<PathBuf>,
    /// A file with the seed of an nkey for the server.
    #[arg(long, value_name = "FILE", conflicts_with = "creds")]
    nkey: Option<PathBuf>,
    /// The certificate of the authority that vouches for the server. Asks for TLS.
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// How many seconds a server that went away is waited for.
    #[arg(long, value_name = "S", default_value_t = PATIENCE.as_secs())]
    patience: u64,
}

impl Access {
    fn connect(&self, url: &str, stop: Arc<AtomicBool>) -> Result<Server, mapo_fleet::Error> {
        let address = Address {
            url: url.to_owned(),
            credentials: self.creds.clone(),
            nkey: self.nkey.clone(),
            authority: self.ca.clone(),
            patience: Some(Duration::from_secs(self.patience)),
        };
        Server::connect(&address, stop)
    }
}

impl ServerArgs {
    /// Connects; `stop` ends what waits for the server.
    pub fn connect(&self, stop: Arc<AtomicBool>) -> Result<Server, mapo_fleet::Error> {
        self.access.connect(&self.server, stop)
    }

    /// The same for a command that asks something and ends.
    pub fn connect_alone(&self) -> Result<Server, mapo_fleet::Error> {
        let brief = Access {
            patience: self.access.patience.min(10),
            ..self.access.clone()
        };
        brief.connect(&self.server, Arc::default())
    }
}
