//! Connections: made when they are needed, kept for the next, and thrown away when anything about them is in doubt.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

use super::address::Address;
use super::query::{self, Query};
use super::tls::Tls;
use crate::{Result, StoreError};

/// How long somebody waits for a connection that others have.
const PATIENCE: Duration = Duration::from_secs(30);
/// A connection that nobody has used for so long may be one that something in between has forgotten.
const STALE: Duration = Duration::from_secs(60);

/// How long a server that could not be reached is left alone.
const AWAY: Duration = Duration::from_millis(250);

/// A value for a statement.
pub(super) type Parameter<'a> = &'a (dyn ToSql + Sync);

/// The connections of a process.
pub(super) struct Pool {
    address: Address,
    tls: Tls,
    runtime: Handle,
    texts: Arc<HashMap<&'static str, String>>,
    permits: Arc<Semaphore>,
    idle: Mutex<Vec<PooledConnection>>,
    remembers: bool,
    begin: String,
    away: Mutex<Away>,
}

/// What is known of a server that could not be reached.
#[derive(Default)]
struct Away {
    /// When connecting failed the last time, and why; none once it succeeds.
    failed: Option<(Instant, String)>,
    /// Whether somebody is trying again.
    is_tried: bool,
}

pub(super) struct PooledConnection {
    client: Client,
    task: JoinHandle<()>,
    texts: Arc<HashMap<&'static str, String>>,
    prepared: HashMap<&'static str, Statement>,
    used: Instant,
}

/// A connection that somebody uses. It is closed when it is dropped, which undoes what was not committed, unless it is given back.
pub(super) struct Leased<'p> {
    pool: &'p Pool,
    link: Option<PooledConnection>,
    is_fresh: bool,
    _permit: OwnedSemaphorePermit,
}

impl Pool {
    /// The connections of a program that knows versions of the schema up to this one.
    pub(super) fn new(address: Address, runtime: Handle, version: usize) -> Result<Pool> {
        let tls = Tls::trusting(address.authorities.as_deref()).map_err(StoreError::Remote)?;
        let texts = query::ALL.iter().map(|query| (query.name(), query.for_schema(&address.schema)));
        Ok(Pool {
            tls,
            runtime,
            texts: Arc::new(texts.collect()),
            permits: Arc::new(Semaphore::new(address.connections)),
            idle: Mutex::default(),
            remembers: super::schema::remembers(version),
            begin: address.limits.begin(),
            away: Mutex::default(),
            address,
        })
    }

    /// What begins a transaction.
    pub(super) fn begin(&self) -> &str {
        &self.begin
    }

    /// Whether it is remembered which runs were forgotten.
    pub(super) fn remembers(&self) -> bool {
        self.remembers
    }

    /// A connection before the tables are there that statements speak of.
    pub(super) async fn first(&self) -> Result<Client> {
        Ok(self.open().await?.0)
    }

    /// A connection, an old one if there is a good one.
    pub(super) async fn get(&self) -> Result<Leased<'_>> {
        let permit = tokio::time::timeout(PATIENCE, Arc::clone(&self.permits).acquire_owned()).await;
        let busy = || StoreError::Remote("all connections are in use".to_owned());
        let permit = permit.map_err(|_| busy())?.map_err(|_| busy())?;
        let old = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.retain(|link| !link.client.is_closed() && link.used.elapsed() < STALE);
            idle.pop()
        };
        let is_fresh = old.is_none();
        let link = match old {
            Some(link) => link,
            None => self.connect_unless_away().await?,
        };
        Ok(Leased { pool: self, link: Some(link), is_fresh, _permit: permit })
    }

    /// Forgets all connections that nobody uses: the server they lead to has gone.
    pub(super) fn forget(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn away(&self) -> std::sync::MutexGuard<'_, Away> {
        self.away.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Connects, unless that has just failed: while the server is away, one caller tries again, and all others hear so at once.
    async fn connect_unless_away(&self) -> Result<PooledConnection> {
        {
            let mut away = self.away();
            if let Some((at, why)) = &away.failed {
                if away.is_tried || at.elapsed() < AWAY {
                    return Err(StoreError::Remote(why.clone()));
                }
                away.is_tried = true;
            }
        }
        let _tried = Tried(&self.away);
        let connected = self.connect().await;
        self.away().failed = match &connected {
            Ok(_) => None,
            Err(error) => Some((Instant::now(), plain(error))),
        };
        connected
    }

    async fn open(&self) -> Result<(Client, JoinHandle<()>)> {
        let connected = self.address.config.connect(self.tls.clone()).await;
        let (client, connection) = connected.map_err(|error| failed(&error))?;
        // How it ended is told to whoever waits for an answer.
        let task = self.runtime.spawn(async move { drop(connection.await) });
        Ok((client, task))
    }

    async fn connect(&self) -> Result<PooledConnection> {
        let (client, task) = self.open().await?;
        let mut link = PooledConnection {
            client,
            task,
            texts: Arc::clone(&self.texts),
            prepared: HashMap::new(),
            used: Instant::now(),
        };
        if self.address.prepare {
            link.prepare().await.map_err(|error| failed(&error))?;
        }
        Ok(link)
    }
}

/// What an error says, without what the store puts in front of it.
fn plain(error: &StoreError) -> String {
    match error {
        StoreError::Remote(why) => why.clone(),
        other => other.to_string(),
    }
}

/// Ends a trial also where it is given up.
struct Tried<'p>(&'p Mutex<Away>);

impl Drop for Tried<'_> {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_tried = false;
    }
}

impl Leased<'_> {
    /// Whether the connection was made for this use, so that it cannot have been cut while nobody looked.
    pub(super) fn is_fresh(&self) -> bool {
        self.is_fresh
    }

    /// Gives the connection back: no transaction is open, and every answer was heard.
    pub(super) fn done(mut self) {
        if let Some(mut link) = self.link.take().filter(|link| !link.client.is_closed()) {
            link.used = Instant::now();
            self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner).push(link);
        }
    }

    fn link(&self) -> Result<&PooledConnection> {
        self.link.as_ref().ok_or_else(|| StoreError::Remote("the connection was given back".to_owned()))
    }

    /// Runs a statement and waits for its rows.
    pub(super) async fn rows(&self, query: &Query, parameters: &[Parameter<'_>]) -> Result<QueryResult> {
        Ok(self.link()?.rows(query, parameters).await)
    }

    /// Sends statements one behind the other without waiting in between, and answers for each in the same order.
    pub(super) async fn flight(&self, calls: &[PoolStatement<'_>]) -> Result<Vec<QueryResult>> {
        let link = self.link()?;
        // Few futures are polled in their order, and a statement is sent when it is polled first.
        debug_assert!(calls.len() < 30);
        Ok(join_all(calls.iter().map(|call| link.call(call))).await)
    }
}

/// What the database answered.
pub(super) type QueryResult = std::result::Result<Vec<Row>, tokio_postgres::Error>;

/// A statement on its way.
pub(super) enum PoolStatement<'a> {
    /// One of ours, with its values.
    Query(&'static Query, Vec<Box<dyn ToSql + Sync + Send + 'a>>),
    /// The beginning or the end of a transaction.
    Text(&'a str),
}

impl PooledConnection {
    async fn call(&self, call: &PoolStatement<'_>) -> QueryResult {
        match call {
            PoolStatement::Query(query, values) => {
                let values: Vec<Parameter<'_>> =
                    values.iter().map(|value| &**value as Parameter<'_>).collect();
                self.rows(query, &values).await
            }
            PoolStatement::Text(text) => self.client.batch_execute(text).await.map(|()| Vec::new()),
        }
    }

    async fn rows(&self, query: &Query, parameters: &[Parameter<'_>]) -> QueryResult {
        if let Some(statement) = self.prepared.get(query.name()) {
            return self.client.query(statement, parameters).await;
        }
        let text = self.texts.get(query.name()).map_or(query.name(), String::as_str);
        let typed: Vec<_> = parameters.iter().copied().zip(query.types.iter().cloned()).collect();
        self.client.query_typed(text, &typed).await
    }

    async fn prepare(&mut self) -> std::result::Result<(), tokio_postgres::Error> {
        for query in query::ALL {
            let text = self.texts.get(query.name()).map_or(query.name(), String::as_str);
            let statement = self.client.prepare_typed(text, query.types).await?;
            self.prepared.insert(query.name(), statement);
        }
        Ok(())
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        // A server that does not answer must not keep the socket.
        self.task.abort();
    }
}

/// What a failure of the database says, with its code.
pub(super) fn describe_error(error: &tokio_postgres::Error) -> String {
    if let Some(error) = error.as_db_error() {
        let detail = error.detail().map(|detail| format!("; {detail}")).unwrap_or_default();
        return format!("{}{detail} ({})", error.message(), error.code().code());
    }
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// The same as the failure of a store.
pub(super) fn failed(error: &tokio_postgres::Error) -> StoreError {
    StoreError::Remote(describe_error(error))
}

/// Whether the connection is gone, or about to be, rather than something being wrong with a statement.
pub(super) fn is_lost(error: &tokio_postgres::Error) -> bool {
    // One that takes no writes any more was a primary, and another one is by now.
    let gone = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::READ_ONLY_SQL_TRANSACTION,
    ];
    error.as_db_error().is_none_or(|error| gone.contains(error.code()))
}
