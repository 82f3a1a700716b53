//! A bare HTTP server: one thread, epoll, a constant answer, as many answers as a read holds requests.

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{self, RecvFlags, SendFlags, sockopt};
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::net::TcpListener;

/// Serves until it is killed; prints the port it chose.
pub(crate) fn serve() -> Result<(), Box<dyn Error>> {
    let body = r#"{"id":1,"name":"Ada Lovelace","email":"ada@example.com","roles":["admin","author"]}"#;
    let mut answer = String::new();
    write!(
        answer,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let answers = answer.repeat(64).into_bytes();
    let one = answer.len();

    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    writeln!(std::io::stdout(), "{}", listener.local_addr()?.port())?;
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    epoll::add(&epoll, &listener, EventData::new_u64(0), EventFlags::IN)?;
    let mut connections = Vec::new();
    let mut events = Vec::with_capacity(256);
    let mut buffer = vec![0; 64 << 10];
    loop {
        match epoll::wait(&epoll, spare_capacity(&mut events), None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        for event in events.drain(..) {
            let number = event.data.u64();
            if number == 0 {
                let socket = net::accept_with(&listener, net::SocketFlags::NONBLOCK | net::SocketFlags::CLOEXEC)?;
                sockopt::set_tcp_nodelay(&socket, true)?;
                let number = connections.len() as u64 + 1;
                epoll::add(&epoll, &socket, EventData::new_u64(number), EventFlags::IN)?;
                connections.push(Some(socket));
                continue;
            }
            let Some(place) = usize::try_from(number - 1).ok().and_then(|place| connections.get_mut(place)) else {
                continue;
            };
            let is_alive = place.as_ref().is_some_and(|socket| answer_all(socket, &mut buffer, &answers, one));
            if !is_alive {
                *place = None;
            }
        }
    }
}

/// Answers the requests of one read; false when the connection is gone.
fn answer_all(socket: &OwnedFd, buffer: &mut [u8], answers: &[u8], one: usize) -> bool {
    let mut left = match net::recv(socket, &mut *buffer, RecvFlags::empty()) {
        Ok((length, _)) if length > 0 => buffer[..length].windows(4).filter(|four| four == b"\r\n\r\n").count(),
        outcome => return outcome == Err(Errno::AGAIN),
    };
    while left > 0 {
        let batch = left.min(answers.len() / one);
        if net::send(socket, &answers[..batch * one], SendFlags::NOSIGNAL).is_err() {
            return false;
        }
        left -= batch;
    }
    true
}
