//! Turns at something that few can do at the same time, shared out fairly among clients.
//!
//! One client cannot take all places, so that there is mostly one for somebody else. Who finds none waits,
//! and a place that becomes free goes to the client that has the fewest, not to the one that asks most often.

use crate::sessions::Client;
use crate::work::Load;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

/// Places, and those who wait for one.
#[derive(Debug)]
pub(crate) struct Turns {
    state: Mutex<State>,
    places: usize,
    most_waiting: usize,
}

#[derive(Debug, Default)]
struct State {
    /// How many places each client has.
    held: HashMap<Client, usize>,
    /// How many are taken.
    taken: usize,
    waiting: VecDeque<(Client, oneshot::Sender<Turn>)>,
}

/// A place, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    turns: Arc<Turns>,
    client: Client,
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut state = self.turns.state();
        state.taken -= 1;
        if let Some(held) = state.held.get_mut(&self.client) {
            *held -= 1;
            if *held == 0 {
                state.held.remove(&self.client);
            }
        }
        let nobody = self.turns.hand_out(&mut state);
        // Their places are given back in turn, which needs the state.
        drop(state);
        drop(nobody);
    }
}

impl Turns {
    pub fn new(places: usize, most_waiting: usize) -> Arc<Self> {
        Arc::new(Turns {
            state: Mutex::default(),
            places: places.max(1),
            most_waiting,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The most places of one client, and the most of its requests that wait: all but one, if there are several.
    fn share(all: usize) -> usize {
        all.saturating_sub(1).max(1)
    }

    pub fn load(&self) -> Load {
        let state = self.state();
        Load {
            running: state.taken,
            // Who has gone is still listed until somebody else comes.
            waiting: (state.waiting.iter())
                .filter(|(_, waiting)| !waiting.is_closed())
                .count(),
        }
    }

    /// A place for a client, as soon as there is one; none if too many wait already or none comes in time.
    pub async fn take(self: &Arc<Self>, client: Client, end: Instant) -> Option<Turn> {
        let turn = {
            let mut state = self.state();
            state.waiting.retain(|(_, waiting)| !waiting.is_closed());
            let own = state.waiting.iter().filter(|(other, _)| *other == client).count();
            if state.waiting.len() >= self.most_waiting || own >= Self::share(self.most_waiting) {
                // Nobody waits where there is room.
                if !self.has_room(&state, client) {
                    return None;
                }
            }
            let (give, turn) = oneshot::channel();
            state.waiting.push_back((client, give));
            let nobody = self.hand_out(&mut state);
            drop(state);
            drop(nobody);
            turn
        };
        timeout_at(end, turn).await.ok()?.ok()
    }

    fn has_room(&self, state: &State, client: Client) -> bool {
        let held = state.held.get(&client).copied().unwrap_or_default();
        state.taken < self.places && held < Self::share(self.places)
    }

    /// Gives free places to those who wait. What comes back was for somebody who has gone.
    fn hand_out(self: &Arc<Self>, state: &mut State) -> Vec<Turn> {
        let mut nobody = Vec::new();
        loop {
            let next = (state.waiting.iter().enumerate())
                .filter(|(_, (client, _))| self.has_room(state, *client))
                .min_by_key(|(place, (client, _))| {
                    (state.held.get(client).copied().unwrap_or_default(), *place)
                })
                .map(|(place, _)| place);
            let Some((client, give)) = next.and_then(|place| state.waiting.remove(place)) else {
                return nobody;
            };
            state.taken += 1;
            *state.held.entry(client).or_default() += 1;
            let turn = Turn {
                turns: Arc::clone(self),
                client,
            };
            nobody.extend(give.send(turn).err());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{IpAddr, Ipv4Addr};
    use std::time::Duration;

    fn client(number: u8) -> Client {
        Client(IpAddr::V4(Ipv4Addr::new(127, 0, 0, number)))
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(30)
    }

    fn late() -> Instant {
        Instant::now() + Duration::from_secs(50)
    }

    #[tokio::test]
    async fn one_client_leaves_a_place_for_others() {
        let turns = Turns::new(2, 8);
        let mine = turns.take(client(1), late()).await.expect("there is room");
        assert!(turns.take(client(1), soon()).await.is_none());
        let others = turns.take(client(2), late()).await;
        assert!(others.is_some());
        drop(mine);
        assert!(turns.take(client(1), late()).await.is_some());
    }

    #[tokio::test]
    async fn a_place_goes_to_who_has_fewest_however_many_wait() {
        let turns = Turns::new(3, 32);
        let mut held = vec![
            turns.take(client(1), late()).await.expect("there is room"),
            turns.take(client(1), late()).await.expect("there is room"),
        ];
        held.push(turns.take(client(2), late()).await.expect("there is room"));
        let mut waiting = Vec::new();
        for number in [1, 1, 1, 2, 3] {
            let turns = Arc::clone(&turns);
            let before = turns.load().waiting;
            let waits = Arc::clone(&turns);
            waiting.push((
                number,
                tokio::spawn(async move { waits.take(client(number), late()).await }),
            ));
            while turns.load().waiting == before {
                tokio::task::yield_now().await;
            }
        }
        // The first place that comes free is the newcomer's, though all others came before it.
        drop(held.remove(0));
        let (_, newcomer) = waiting.pop().expect("five wait");
        assert!(newcomer.await.expect("it ends").is_some());
        drop(held);
        for (_, task) in waiting {
            assert!(task.await.expect("it ends").is_some());
        }
        assert_eq!((turns.load().running, turns.load().waiting), (0, 0));
    }

    #[tokio::test]
    async fn who_has_gone_takes_no_place_and_too_many_do_not_wait() {
        let turns = Turns::new(1, 2);
        let first = turns.take(client(1), late()).await.expect("there is room");
        {
            let gone = turns.take(client(2), late());
            tokio::select! { biased; _ = gone => {}, () = tokio::time::sleep(Duration::from_millis(10)) => {} }
        }
        let waits = {
            let turns = Arc::clone(&turns);
            tokio::spawn(async move { turns.take(client(2), late()).await.is_some() })
        };
        while turns.load().waiting == 0 {
            tokio::task::yield_now().await;
        }
        // One client may not fill the queue either.
        assert!(turns.take(client(2), late()).await.is_none());
        drop(first);
        assert!(waits.await.expect("it ends"));
        assert_eq!(turns.load().running, 0);
    }
}
