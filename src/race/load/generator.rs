//! The loop around the connections: slices, the window, and the clock of an open loop.

use super::batch::Batch;
use super::connection::Connection;
use super::course::{Course, Edges};
use super::shared::{Clock, Shared, describe, nanoseconds};
use super::tally::{Loop, Phase, Tally};
use super::timetable::Timetable;
use super::{ErrorKind, Expectation, LoadError, LoadSettings, Pace, PreparedRequest, SliceReport, Waiting};
use hdrhistogram::Histogram;
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::io::Errno;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Bytes of the receive buffer that all connections share.
const BUFFER: usize = 64 << 10;
/// Events taken at once.
const MAX_EVENTS: usize = 1_024;
/// Latencies are counted up to a minute, in microseconds.
const MAX_LATENCY_US: u64 = 60_000_000;
/// A request of an open loop is late from here on.
const LATE: u64 = 1_000_000;
/// Deadlines are looked at so often.
const TICK: u64 = 5_000_000;

/// Sends one request to one address over connections that it keeps from slice to slice.
pub struct Generator {
    shared: Shared,
    settings: LoadSettings,
    connections: Vec<Connection>,
    buffer: Vec<u8>,
    events: Vec<epoll::Event>,
    latency: Histogram<u64>,
    /// The connection that is tried first for the next request of an open loop.
    turn: usize,
    stop: Arc<AtomicBool>,
}

impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Generator")
            .field("address", &self.shared.address)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Generator {
    /// Makes a generator; connections are opened by the first slice.
    ///
    /// # Errors
    /// [`LoadError`] where the settings leave nothing to do or the kernel refuses an epoll instance.
    pub fn new(
        address: SocketAddr,
        request: PreparedRequest,
        expectation: Expectation,
        settings: &LoadSettings,
    ) -> Result<Self, LoadError> {
        let LoadSettings { connections, pipelining, timeout, .. } = *settings;
        if connections == 0 || pipelining == 0 {
            return Err(LoadError::NothingToDo { connections, pipelining });
        }
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)
            .map_err(|errno| LoadError::Epoll(std::io::Error::from(errno)))?;
        let batch = Batch::new(request, pipelining);
        let clock = Clock::start();
        Ok(Self {
            shared: Shared { epoll, address, batch, expectation, pipelining, timeout, clock },
            settings: *settings,
            connections: (0..connections).map(Connection::new).collect(),
            buffer: vec![0; BUFFER],
            events: Vec::with_capacity(connections.min(MAX_EVENTS)),
            latency: Histogram::new_with_max(MAX_LATENCY_US, 3).map_err(LoadError::Histogram)?,
            turn: 0,
            stop: Arc::default(),
        })
    }

    /// Breaks slices off once `stop` is set, within a few milliseconds; what is outstanding is still waited for.
    pub fn stop_when(&mut self, stop: Arc<AtomicBool>) {
        self.stop = stop;
    }

    /// Loads the server like a slice, but for `length` without regard to whole rounds of answers; the caller throws the
    /// figures away but not the errors.
    pub fn warm_up(&mut self, length: Duration, pace: Pace) -> SliceReport {
        match pace {
            Pace::ClosedLoop => self.run(length, None, Edges::Clock),
            Pace::OpenLoop { rate } => self.open_loop_slice(length, rate),
        }
    }

    /// One slice at the given pace.
    pub fn measure(&mut self, length: Duration, pace: Pace) -> SliceReport {
        match pace {
            Pace::ClosedLoop => self.slice(length),
            Pace::OpenLoop { rate } => self.open_loop_slice(length, rate),
        }
    }

    /// One slice of a closed loop.
    ///
    /// If connections have to be opened, each is first asked once and then waits for the others: many servers take one new
    /// connection at a time, between all that the older ones ask, so that under full load the last would wait for seconds.
    /// Then every connection sends its requests, and a round is as many answers as there are requests in flight: the window
    /// opens after the first, lasts `length`, and on until a round ends. Of a server that answers in bursts, whole bursts are
    /// counted so, where a window of a fixed length would hold one too many or none. Rounds are not waited for longer than
    /// the timeout. Then nothing more is sent, and what is outstanding is waited for, at most for the timeout. Latency counts
    /// from when a request was sent, or from when it would have been sent where a connection had to be opened for it, to the
    /// last byte of its answer.
    pub fn slice(&mut self, length: Duration) -> SliceReport {
        self.run(length, None, Edges::WholeRounds)
    }

    /// One slice of an open loop at `rate` requests per second.
    ///
    /// All connections are opened first. The k-th request is intended at t0 + k / rate, and its latency counts from then,
    /// however long it had to wait for a connection that was free. Requests that were intended inside `length` are all
    /// sent, and their answers waited for, until the timeout after its end; those that could not be sent until then are
    /// counted as timeouts.
    pub fn open_loop_slice(&mut self, length: Duration, rate: f64) -> SliceReport {
        self.run(length, Some(Timetable::new(rate, nanoseconds(length))), Edges::Clock)
    }

    fn run(&mut self, length: Duration, mut timetable: Option<Timetable>, edges: Edges) -> SliceReport {
        let mut tally = Tally::new(self.latency.clone());
        self.look_after_idle_connections(&mut tally);
        tally.kind = if timetable.is_some() { Loop::Open } else { Loop::Closed };
        let mut now = self.shared.clock.now();
        let mut next_tick = now + TICK;
        let mut course = Course::begin(edges, length, &mut self.connections, &self.shared, &mut tally, now);
        loop {
            let wait = self.wait_time(&tally, timetable.as_ref(), now, next_tick);
            if let Err(errno) = self.poll(&mut tally, wait) {
                tally.fail(ErrorKind::Connect, || format!("no events from the kernel: {}", describe(errno)));
                break;
            }
            let before = std::mem::replace(&mut now, self.shared.clock.now());
            if tally.phase == Phase::Window && !self.events.is_empty() {
                tally.busy_ns += now.saturating_sub(before);
            }
            if now >= next_tick {
                next_tick = now + TICK;
                self.tick(&mut tally, now);
            }
            course.advance(&mut self.connections, &self.shared, &mut tally, now);
            if let Some(timetable) = &mut timetable
                && tally.phase != Phase::Opening
                && !tally.is_broken_off()
            {
                timetable.start = tally.opened;
                self.send_what_is_due(timetable, &mut tally, now);
            }
            if tally.phase == Phase::Drain && self.is_drained(&mut tally, timetable.as_ref(), now) {
                break;
            }
        }
        let in_flight = (self.settings.connections * self.settings.pipelining) as f64;
        tally.report(in_flight, timetable.map_or(0, |timetable| timetable.total))
    }

    /// Notices what was closed between slices, so that nothing is sent there.
    fn look_after_idle_connections(&mut self, tally: &mut Tally) {
        for _ in 0..=self.connections.len() {
            if self.poll(tally, Duration::ZERO).is_err() || self.events.is_empty() {
                break;
            }
        }
    }

    /// Waits for events, at most for `wait`, and deals with them; they are left in `events`.
    fn poll(&mut self, tally: &mut Tally, wait: Duration) -> Result<(), Errno> {
        let wait = Timespec {
            tv_sec: i64::try_from(wait.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(wait.subsec_nanos()),
        };
        self.events.clear();
        match epoll::wait(&self.shared.epoll, spare_capacity(&mut self.events), Some(&wait)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
        if tally.phase == Phase::Window {
            tally.polls += 1;
            tally.non_empty_polls += u64::from(!self.events.is_empty());
        }
        for event in &self.events {
            let (data, flags) = (event.data, event.flags);
            let connection = usize::try_from(data.u64()).ok().and_then(|number| self.connections.get_mut(number));
            if let Some(connection) = connection {
                connection.notice(flags, &self.shared, tally, &mut self.buffer);
            }
        }
        Ok(())
    }

    fn wait_time(&self, tally: &Tally, timetable: Option<&Timetable>, now: u64, next_tick: u64) -> Duration {
        if self.settings.waiting == Waiting::Spin {
            return Duration::ZERO;
        }
        let due = timetable.and_then(Timetable::next).filter(|_| self.free_connection().is_some());
        let until = next_tick.min(if tally.phase == Phase::Window { tally.ends } else { u64::MAX });
        Duration::from_nanos(until.min(due.unwrap_or(u64::MAX)).saturating_sub(now))
    }

    /// Looks for what never came, and opens what was closed and has rested.
    fn tick(&mut self, tally: &mut Tally, now: u64) {
        tally.is_stopped |= self.stop.load(Ordering::Relaxed);
        for connection in &mut self.connections {
            connection.check_deadline(&self.shared, tally, now);
            if !tally.keeps_connections(now) {
                continue;
            }
            connection.open(&self.shared, tally, now);
            connection.ask_first(&self.shared, tally, now);
        }
    }

    /// The position of a connection, counted from the one whose turn it is, that can take a request.
    fn free_connection(&self) -> Option<usize> {
        let count = self.connections.len();
        (0..count).map(|step| (self.turn + step) % count).find(|place| {
            let connection = &self.connections[*place];
            connection.is_open() && connection.in_flight() < self.shared.pipelining
        })
    }

    fn send_what_is_due(&mut self, timetable: &mut Timetable, tally: &mut Tally, now: u64) {
        while let Some(intended) = timetable.next().filter(|intended| *intended <= now) {
            let Some(place) = self.free_connection() else { break };
            let connection = &mut self.connections[place];
            connection.assign(1, intended, &self.shared, now);
            connection.flush(&self.shared);
            tally.late_sends += u64::from(now - intended >= LATE);
            timetable.sent += 1;
            self.turn = (place + 1) % self.connections.len();
        }
    }

    /// Whether the slice is over: nothing is outstanding, or it has been waited for long enough.
    fn is_drained(&mut self, tally: &mut Tally, timetable: Option<&Timetable>, now: u64) -> bool {
        let unsent = timetable.map_or(0, Timetable::unsent);
        let unsent = if tally.is_broken_off() { 0 } else { unsent };
        let has_connection = self.connections.iter().any(|connection| !connection.is_closed());
        if now < tally.ends.saturating_add(nanoseconds(self.shared.timeout)) && (has_connection || unsent == 0) {
            return unsent == 0 && self.connections.iter().all(|connection| connection.in_flight() == 0);
        }
        for connection in self.connections.iter_mut().filter(|connection| connection.in_flight() > 0) {
            connection.time_out(&self.shared, tally, now);
        }
        if unsent > 0 {
            tally.fail(ErrorKind::Timeout, || format!("{unsent} requests found no free connection in time"));
            tally.errors.add(ErrorKind::Timeout, unsent - 1);
        }
        true
    }
}
