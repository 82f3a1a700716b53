//! Ports for servers, below those that the kernel gives out for outgoing connections.

use rustix::net::{AddressFamily, SocketType, bind, socket, sockopt};
use std::collections::BTreeSet;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use thiserror::Error;

/// The lowest port that is tried.
const FIRST: u16 = 20_000;
/// One past the highest: Linux gives out ports from here on to outgoing connections.
const END: u16 = 32_768;

/// Chooses ports; the same seed tries the same order. A port is given out once.
#[derive(Clone, Debug)]
pub struct PortPicker {
    state: u64,
    given: BTreeSet<u16>,
}

/// No port could be bound.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error(
    "failed to find a free port between {FIRST} and {END}: something holds them all, or listening is not allowed here"
)]
pub struct NoFreePort;

impl PortPicker {
    /// A picker whose order of trying follows from `seed`.
    pub fn new(seed: u64) -> Self {
        Self { state: seed, given: BTreeSet::new() }
    }

    /// A port that nobody listens on at this moment, on any address. It is not held: whoever starts a server on it must
    /// still check that it is that server which listens.
    pub fn pick(&mut self) -> Result<u16, NoFreePort> {
        let span = END - FIRST;
        if self.given.len() >= usize::from(span / 2) {
            // Long runs come around: by then the first ones are free again.
            self.given.clear();
        }
        let start = self.random() % u64::from(span);
        for step in 0..u64::from(span) {
            let offset = u16::try_from((start + step) % u64::from(span)).unwrap_or(0);
            let port = FIRST + offset;
            if !self.given.contains(&port) && is_free(port) {
                self.given.insert(port);
                return Ok(port);
            }
        }
        Err(NoFreePort)
    }

    /// The splitmix64 generator (Steele, Lea and Flood 2014): scattering is all that is asked of it.
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// Whether a server could bind it to loopback and to every interface, over IPv4 and over both.
fn is_free(port: u16) -> bool {
    let addresses: [SocketAddr; 3] = [
        (Ipv4Addr::LOCALHOST, port).into(),
        (Ipv4Addr::UNSPECIFIED, port).into(),
        (Ipv6Addr::UNSPECIFIED, port).into(),
    ];
    addresses.iter().all(|address| match try_bind(address) {
        Ok(()) => true,
        // A machine without IPv6.
        Err(rustix::io::Errno::AFNOSUPPORT | rustix::io::Errno::ADDRNOTAVAIL) => address.is_ipv6(),
        Err(_) => false,
    })
}

/// Binds without listening: nothing can connect meanwhile, and one that listens already is still a conflict.
fn try_bind(address: &SocketAddr) -> rustix::io::Result<()> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = socket(family, SocketType::STREAM, None)?;
    // As servers do it: connections of an ended server that linger are no obstacle.
    sockopt::set_socket_reuseaddr(&socket, true)?;
    bind(&socket, address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn ports_are_below_the_ephemeral_ones_free_and_never_the_same() {
        let mut picker = PortPicker::new(7);
        let ports: Vec<u16> = (0..50).map(|_| picker.pick().unwrap()).collect();
        assert!(ports.iter().all(|port| (FIRST..END).contains(port)));
        assert_eq!(ports.iter().collect::<BTreeSet<_>>().len(), 50);
        TcpListener::bind(("127.0.0.1", ports[0])).unwrap();
    }

    #[test]
    fn a_port_that_somebody_listens_on_is_passed_over_on_whatever_address() {
        for address in ["127.0.0.1", "0.0.0.0", "127.0.0.9"] {
            let port = PortPicker::new(11).pick().unwrap();
            let listener = TcpListener::bind((address, port)).unwrap();
            assert!(!is_free(port), "{address}");
            assert_ne!(PortPicker::new(11).pick().unwrap(), port);
            drop(listener);
        }
    }

    #[test]
    fn seeds_scatter() {
        let first = |seed| PortPicker::new(seed).random() % 12_768;
        assert_eq!((0..20).map(first).collect::<BTreeSet<_>>().len(), 20);
    }
}
