//! Sessions: who may see which uploaded tables, and for how long.

use crate::error::Problem;
use crate::limits::{Limits, bytes};
use crate::tables::Held;
use axum::http::{HeaderMap, StatusCode, header};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The name of the cookie, and of the header for clients without cookies.
pub(crate) const COOKIE: &str = "mapo-session";

/// A session's secret name: 128 random bits in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SessionId(String);

impl SessionId {
    /// The session that a request names, in its cookie or in a header of the same name.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let header = headers.get(COOKIE).and_then(|value| value.to_str().ok());
        let cookies = headers.get_all(header::COOKIE).iter();
        let cookie = cookies
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .find_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='));
        let text = header.or(cookie)?;
        let is_one = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_one.then(|| SessionId(text.to_owned()))
    }

    /// The header that gives it to a browser: no script can read it, and requests from other sites do not
    /// carry it.
    pub fn cookie(&self) -> String {
        format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict", self.0)
    }
}

/// A new name that nobody can guess.
pub(crate) fn random_name() -> Result<String, Problem> {
    let mut secret = [0; 16];
    getrandom::fill(&mut secret).map_err(|_| {
        let sentence = "the system gives no random numbers, so no session can begin";
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, sentence)
    })?;
    Ok(secret.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// All sessions with their tables.
#[derive(Debug)]
pub(crate) struct Sessions {
    all: Mutex<HashMap<SessionId, Session>>,
    sessions: usize,
    tables: usize,
    memory: usize,
    idle: Duration,
}

#[derive(Debug)]
struct Session {
    /// Where it was begun.
    owner: Client,
    used: Instant,
    tables: Vec<Arc<Held>>,
}

impl Session {
    fn bytes(&self) -> usize {
        self.tables.iter().map(|held| held.bytes).sum()
    }
}

/// Who asks, as far as that is known: an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Client(pub IpAddr);

impl Sessions {
    pub fn new(limits: &Limits) -> Self {
        Sessions {
            all: Mutex::default(),
            sessions: limits.sessions,
            tables: limits.tables,
            memory: limits.memory,
            idle: limits.idle,
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<SessionId, Session>> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, session| session.used.elapsed() < self.idle);
        all
    }

    /// Forgets what nobody has used for long.
    pub fn forget_idle(&self) {
        drop(self.all());
    }

    /// The tables of a session, the oldest first.
    pub fn tables(&self, id: Option<&SessionId>) -> Vec<Arc<Held>> {
        let mut all = self.all();
        match id.and_then(|id| all.get_mut(id)) {
            Some(session) => {
                session.used = Instant::now();
                session.tables.clone()
            }
            None => Vec::new(),
        }
    }

    /// Says whether there is room for one more table, before the work of reading it.
    pub fn check(&self, id: Option<&SessionId>, client: Client) -> Result<(), Problem> {
        self.room(&mut self.all(), id, client, 0, false)
    }

    /// Says whether there is room, or can be. Where there is none, those must go who take most: the session of
    /// the client with the most that was not used for the longest time, unless it is the one who asks. So
    /// nobody can keep all others out. It goes only if `make` says so.
    fn room(
        &self,
        all: &mut HashMap<SessionId, Session>,
        id: Option<&SessionId>,
        client: Client,
        size: usize,
        make: bool,
    ) -> Result<(), Problem> {
        let full = |sentence: String| Err(Problem::new(StatusCode::INSUFFICIENT_STORAGE, sentence));
        let known = id.and_then(|id| all.get(id));
        if known.is_some_and(|session| session.tables.len() >= self.tables) {
            return full(format!(
                "you have {} tables here, and more are not kept; delete one first",
                self.tables
            ));
        }
        let is_new = known.is_none();
        let sentence = "all sessions are taken; they are forgotten when nobody uses them, so try later";
        if is_new && all.len() >= self.sessions {
            let loser = loser(all, client, 1, |_| 1).ok_or_else(|| Problem::busy(sentence))?;
            if make {
                all.remove(&loser);
            }
        }
        while all.values().map(Session::bytes).sum::<usize>() + size > self.memory {
            match loser(all, client, size, Session::bytes) {
                Some(loser) if make => drop(all.remove(&loser)),
                Some(_) => return Ok(()),
                None => {
                    return full(format!(
                        "uploaded tables may fill {} of memory together, and this one would go beyond; delete others first",
                        bytes(self.memory)
                    ));
                }
            }
        }
        Ok(())
    }

    /// Keeps a table, in a new session where there is none; gives that session's name.
    pub fn keep(&self, id: Option<SessionId>, client: Client, held: Arc<Held>) -> Result<SessionId, Problem> {
        let mut all = self.all();
        self.room(&mut all, id.as_ref(), client, held.bytes, true)?;
        // A name that we do not know was forgotten, or made up: it gets another.
        let id = match id {
            Some(id) if all.contains_key(&id) => id,
            _ => SessionId(random_name()?),
        };
        let session = all.entry(id.clone()).or_insert_with(|| Session {
            owner: client,
            used: Instant::now(),
            tables: Vec::new(),
        });
        session.used = Instant::now();
        session.tables.push(held);
        Ok(id)
    }

    /// Forgets one table; says whether it was there.
    pub fn forget(&self, id: Option<&SessionId>, table: &str) -> bool {
        let mut all = self.all();
        let Some((id, session)) = id.and_then(|id| Some((id, all.get_mut(id)?))) else {
            return false;
        };
        let before = session.tables.len();
        session.tables.retain(|held| held.id != table);
        let (after, forgotten) = (session.tables.len(), session.tables.len() < before);
        if after == 0 {
            all.remove(id);
        }
        forgotten
    }

    /// Forgets a session with all of its tables.
    pub fn end(&self, id: Option<&SessionId>) {
        if let Some(id) = id {
            self.all().remove(id);
        }
    }

    /// How many sessions there are, their tables, and the memory of these.
    pub fn sizes(&self) -> (usize, usize, usize) {
        let all = self.all();
        let tables = all.values().flat_map(|session| &session.tables);
        let (count, bytes) = tables.fold((0, 0), |(count, bytes), held| (count + 1, bytes + held.bytes));
        (all.len(), count, bytes)
    }
}

/// The session that must go for another of this client, which takes so much: of the client that takes more than
/// this one would then, and the most, the session that was not used for the longest time.
fn loser(
    all: &HashMap<SessionId, Session>,
    client: Client,
    size: usize,
    takes: impl Fn(&Session) -> usize,
) -> Option<SessionId> {
    let mut taken: HashMap<Client, usize> = HashMap::new();
    for session in all.values() {
        *taken.entry(session.owner).or_default() += takes(session);
    }
    let own = taken.get(&client).copied().unwrap_or_default() + size;
    let most = taken.into_iter().filter(|(other, _)| *other != client);
    let (most, _) = most
        .filter(|(_, taken)| *taken > own)
        .max_by_key(|(_, taken)| *taken)?;
    let sessions = all.iter().filter(|(_, session)| session.owner == most);
    let oldest = sessions.min_by_key(|(_, session)| session.used);
    oldest.map(|(id, _)| id.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Source;
    use mapo_tables::TableBuilder;

    fn held(id: &str) -> Arc<Held> {
        let mut table = TableBuilder::new(id, ["A"]);
        table.push_row(["x"]);
        Arc::new(Held::new(id, id, Source::Upload, table.finish()))
    }

    const ME: Client = Client(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));
    const OTHER: Client = Client(IpAddr::V4(std::net::Ipv4Addr::BROADCAST));

    #[test]
    fn who_takes_most_makes_room_for_others() {
        let few = sessions(Limits {
            sessions: 3,
            ..Limits::default()
        });
        let first = few.keep(None, ME, held("a")).unwrap();
        let second = few.keep(None, ME, held("b")).unwrap();
        few.keep(None, ME, held("c")).unwrap();
        assert!(
            few.keep(None, ME, held("d")).is_err(),
            "all are taken by this client"
        );
        assert!(few.check(None, OTHER).is_ok());
        assert_eq!(few.tables(Some(&first)).len(), 1, "asking takes nothing away");
        let other = few.keep(None, OTHER, held("e")).unwrap();
        assert!(
            few.tables(Some(&second)).is_empty(),
            "unused for the longest time"
        );
        assert_eq!(few.tables(Some(&first)).len(), 1);
        assert_eq!(few.tables(Some(&other)).len(), 1);
        assert!(
            few.keep(None, OTHER, held("f")).is_err(),
            "it would have as many as the first"
        );
        let small = sessions(Limits {
            memory: 3 * held("a").bytes,
            ..Limits::default()
        });
        let full = small.keep(None, ME, held("a")).unwrap();
        small.keep(Some(full.clone()), ME, held("b")).unwrap();
        small.keep(Some(full.clone()), ME, held("c")).unwrap();
        assert!(small.keep(None, OTHER, held("d")).is_ok());
        assert!(small.tables(Some(&full)).is_empty());
    }

    fn sessions(limits: Limits) -> Sessions {
        Sessions::new(&limits)
    }

    #[test]
    fn a_table_is_seen_by_its_session_only() {
        let sessions = sessions(Limits::default());
        let one = sessions.keep(None, ME, held("a")).unwrap();
        let other = sessions.keep(None, ME, held("b")).unwrap();
        assert_ne!(one, other);
        assert_eq!(sessions.tables(Some(&one))[0].id, "a");
        assert!(sessions.tables(None).is_empty());
        assert!(!sessions.forget(Some(&other), "a"));
        assert!(sessions.forget(Some(&one), "a"));
        assert!(sessions.tables(Some(&one)).is_empty());
        sessions.end(Some(&other));
        assert_eq!(sessions.sizes(), (0, 0, 0));
    }

    #[test]
    fn a_made_up_name_is_not_taken_over() {
        let sessions = sessions(Limits::default());
        let made_up = SessionId("0".repeat(32));
        let given = sessions.keep(Some(made_up.clone()), ME, held("a")).unwrap();
        assert_ne!(given, made_up);
        assert!(sessions.tables(Some(&made_up)).is_empty());
    }

    #[test]
    fn sessions_tables_and_memory_are_limited() {
        let few = sessions(Limits {
            sessions: 1,
            tables: 2,
            ..Limits::default()
        });
        let one = few.keep(None, ME, held("a")).unwrap();
        assert!(few.keep(None, ME, held("b")).is_err(), "a second session");
        few.keep(Some(one.clone()), ME, held("b")).unwrap();
        assert!(few.check(Some(&one), ME).is_err(), "a third table");
        let small = sessions(Limits {
            memory: held("a").bytes,
            ..Limits::default()
        });
        let one = small.keep(None, ME, held("a")).unwrap();
        assert!(small.keep(Some(one), ME, held("b")).is_err(), "more memory");
    }

    #[test]
    fn idle_sessions_are_forgotten() {
        let sessions = sessions(Limits {
            idle: Duration::from_millis(30),
            ..Limits::default()
        });
        let one = sessions.keep(None, ME, held("a")).unwrap();
        std::thread::sleep(Duration::from_millis(40));
        assert!(sessions.tables(Some(&one)).is_empty());
        assert_eq!(sessions.sizes(), (0, 0, 0));
    }

    #[test]
    fn names_are_read_from_cookies_and_headers_and_only_if_they_can_be_ours() {
        let name = random_name().unwrap();
        let id = SessionId(name.clone());
        let read = |header: &'static str, value: String| {
            let mut headers = HeaderMap::new();
            headers.insert(header, value.parse().unwrap());
            SessionId::of(&headers)
        };
        assert_eq!(
            read("cookie", format!("a=b; mapo-session={name}")),
            Some(id.clone())
        );
        assert_eq!(read("mapo-session", name.clone()), Some(id.clone()));
        assert!(id.cookie().contains("HttpOnly; SameSite=Strict"));
        for wrong in [
            "",
            "x",
            "../../etc/passwd",
            &name[1..],
            &format!("{}z", &name[1..]),
        ] {
            assert_eq!(read("cookie", format!("mapo-session={wrong}")), None, "{wrong}");
        }
    }
}
