//! Who listens on a port, so that an old server can never answer for a new one.
//!
//! Only this network namespace is seen. Whose socket another user's process holds can't be read; it is foreign anyway.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Who would answer a connection to a port of 127.0.0.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortOwner {
    /// Nobody listens.
    Nobody,
    /// The tree that was asked for, and nobody besides.
    Ours,
    /// Another process, perhaps beside the tree.
    Foreign {
        /// Its number, where it can be found.
        pid: Option<u32>,
    },
}

/// A listening socket and its inode.
type Listener = (SocketAddr, u64);

/// Who listens on `port` in such a way that a connection to 127.0.0.1 reaches it.
pub fn port_owner(port: u16, pids: &[u32]) -> PortOwner {
    let reached: Vec<u64> = listeners()
        .into_iter()
        .filter(|(address, _)| address.port() == port && answers_loopback(address.ip()))
        .map(|(_, inode)| inode)
        .collect();
    if reached.is_empty() {
        return PortOwner::Nobody;
    }
    let ours: BTreeSet<u64> = pids.iter().flat_map(|&pid| sockets(pid)).collect();
    match reached.into_iter().find(|inode| !ours.contains(inode)) {
        None => PortOwner::Ours,
        Some(foreign) => PortOwner::Foreign { pid: holder(foreign) },
    }
}

/// The addresses that these processes listen on, by port.
pub fn listening_on(pids: &[u32]) -> Vec<SocketAddr> {
    let ours: BTreeSet<u64> = pids.iter().flat_map(|&pid| sockets(pid)).collect();
    let found: BTreeMap<(u16, IpAddr), SocketAddr> = listeners()
        .into_iter()
        .filter(|(_, inode)| ours.contains(inode))
        .map(|(address, _)| ((address.port(), address.ip()), address))
        .collect();
    found.into_values().collect()
}

fn answers_loopback(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address == Ipv4Addr::LOCALHOST || address.is_unspecified(),
        // A socket for both protocols; one that is for IPv6 alone can't be told from it here.
        IpAddr::V6(address) => {
            address.is_unspecified()
                || address
                    .to_ipv4_mapped()
                    .is_some_and(|mapped| mapped == Ipv4Addr::LOCALHOST || mapped.is_unspecified())
        }
    }
}

fn listeners() -> Vec<Listener> {
    let tables =
        ["/proc/self/net/tcp", "/proc/self/net/tcp6"].into_iter().filter_map(|path| fs::read_to_string(path).ok());
    tables.flat_map(|table| table.lines().filter_map(parse_listener).collect::<Vec<_>>()).collect()
}

/// Reads one line of the kernel's table of TCP sockets; nothing unless it is one that listens.
fn parse_listener(line: &str) -> Option<Listener> {
    const LISTEN: &str = "0A";
    let mut fields = line.split_ascii_whitespace();
    let local = fields.nth(1)?;
    if fields.nth(1)? != LISTEN {
        return None;
    }
    let inode = fields.nth(5)?.parse().ok()?;
    let (address, port) = local.split_once(':')?;
    Some((SocketAddr::new(parse_address(address)?, u16::from_str_radix(port, 16).ok()?), inode))
}

/// Words of 32 bits in hexadecimal; each is printed as the number that its four bytes are on this machine.
fn parse_address(text: &str) -> Option<IpAddr> {
    let mut bytes = Vec::with_capacity(16);
    for start in (0..text.len()).step_by(8) {
        bytes.extend(u32::from_str_radix(text.get(start..start + 8)?, 16).ok()?.to_ne_bytes());
    }
    match bytes.len() {
        4 => Some(Ipv4Addr::from(<[u8; 4]>::try_from(bytes).ok()?).into()),
        16 => Some(Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?).into()),
        _ => None,
    }
}

/// The inodes of the sockets that a process holds.
fn sockets(pid: u32) -> Vec<u64> {
    let Ok(descriptors) = fs::read_dir(format!("/proc/{pid}/fd")) else { return Vec::new() };
    let inode = |target: std::path::PathBuf| target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok();
    descriptors.flatten().filter_map(|entry| inode(fs::read_link(entry.path()).ok()?)).collect()
}

fn holder(inode: u64) -> Option<u32> {
    let processes = fs::read_dir("/proc").ok()?;
    let mut pids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.find(|&pid| sockets(pid).contains(&inode))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    #[cfg(target_endian = "little")]
    fn the_kernels_table_is_read() {
        let line = "   1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 98765 1 0 100 0 0 10 0";
        assert_eq!(parse_listener(line), Some(("127.0.0.1:8080".parse().unwrap(), 98_765)));
        let line = "   0: 00000000000000000000000001000000:9CBB 00000000000000000000000000000000:0000 0A 0:0 00:0 0  0  0 5 1 0";
        assert_eq!(parse_listener(line), Some(("[::1]:40123".parse().unwrap(), 5)));
        let established = line.replace(" 0A ", " 01 ");
        assert_eq!(parse_listener(&established), None);
        assert_eq!(
            parse_listener(
                "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"
            ),
            None
        );
    }

    #[test]
    fn a_listener_is_ours_foreign_or_nobodys() {
        let me = std::process::id();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        // A connection's own sockets have the port too and don't listen.
        let connection = TcpStream::connect(address).unwrap();
        assert_eq!(port_owner(address.port(), &[me]), PortOwner::Ours);
        assert_eq!(port_owner(address.port(), &[]), PortOwner::Foreign { pid: Some(me) });
        assert!(listening_on(&[me]).contains(&address));
        assert_eq!(listening_on(&[]), []);
        drop((connection, listener));
        assert_eq!(port_owner(address.port(), &[me]), PortOwner::Nobody);
    }

    #[test]
    fn what_listens_elsewhere_answers_no_loopback() {
        for (address, answers) in [
            ("127.0.0.1", true),
            ("0.0.0.0", true),
            ("::", true),
            ("::ffff:127.0.0.1", true),
            ("::1", false),
            ("10.0.0.1", false),
        ] {
            assert_eq!(answers_loopback(address.parse().unwrap()), answers, "{address}");
        }
    }

    proptest! {
        #[test]
        fn reading_any_line_never_panics(line in "\\PC*", table in "[0-9A-F: ]{0,200}") {
            let _ = parse_listener(&line);
            let _ = parse_listener(&table);
        }
    }
}
