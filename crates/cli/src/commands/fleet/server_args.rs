//! Where the server is.

use clap::Args;
use mapo_fleet::{Address, PATIENCE, Server};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

#[derive(Args, Clone)]
pub struct ServerArgs {
    /// The NATS server, as nats://host:port or tls://host:port, with user:password@ if need be; several with commas.
    #[arg(long, value_name = "URL", default_value = "nats://127.0.0.1:4222")]
    server: String,
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

impl ServerArgs {
    /// Connects; `stop` ends what waits for the server.
    pub fn connect(&self, stop: Arc<AtomicBool>) -> Result<Server, mapo_fleet::Error> {
        let address = Address {
            url: self.server.clone(),
            credentials: self.creds.clone(),
            nkey: self.nkey.clone(),
            authority: self.ca.clone(),
            patience: Some(Duration::from_secs(self.patience)),
        };
        Server::connect(&address, stop)
    }

    /// The same for a command that asks something and ends.
    pub fn connect_alone(&self) -> Result<Server, mapo_fleet::Error> {
        let brief = Self {
            patience: self.patience.min(10),
            ..self.clone()
        };
        brief.connect(Arc::default())
    }
}
